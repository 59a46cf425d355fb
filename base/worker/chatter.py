"""Keeps TensorFlow's own messages from stderr, so that those of Goishi can be seen.

TensorFlow reports its processor, oneDNN and missing graphics drivers at each start, some of it
before its log level takes effect. A user who sets `TF_CPP_MIN_LOG_LEVEL` to 0, 1 or 2 sees it all.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

LEVEL: Final = "TF_CPP_MIN_LOG_LEVEL"
HIDDEN: Final = "3"
"""Level at which only fatal errors of TensorFlow are shown."""
PACKAGE: Final = "tensorflow"
CHATTER: Final = re.compile(
    rb"WARNING: All log messages before absl::|"
    rb"[IWE]\d{4} [\d:.]+ +\d+ [\w./-]+:\d+\]|"
    rb"\d{4}-\d\d-\d\d [\d:.]+: [IWE] |"
    rb"To enable the following instructions:"
)
"""How the lines of TensorFlow, absl, CUDA and oneDNN begin."""


def hide_chatter() -> None:
    """Hide TensorFlow's messages in this process and those that it starts, unless the user asked.

    Nothing is imported. An import of TensorFlow by whatever module is quiet from then on.
    """
    os.environ.setdefault(LEVEL, HIDDEN)
    is_done = PACKAGE in sys.modules or any(isinstance(item, _Finder) for item in sys.meta_path)
    if not is_done:
        sys.meta_path.insert(0, _Finder())


@contextlib.contextmanager
def hidden_chatter() -> Iterator[None]:
    """Leave TensorFlow's messages out of what is written to stderr in the block.

    All else comes when the block ends. It also catches what C++ code writes.
    """
    if os.environ.get(LEVEL, HIDDEN) != HIDDEN:
        yield
        return
    import tempfile  # most processes never come here, and each has to start fast

    try:
        kept = os.dup(2)
    except OSError:  # there is no stderr
        yield
        return
    with tempfile.TemporaryFile() as written:
        os.dup2(written.fileno(), 2)
        try:
            yield
        finally:
            if sys.stderr is not None:
                sys.stderr.flush()
            os.dup2(kept, 2)
            written.seek(0)
            for line in written:
                if not CHATTER.match(line):
                    os.write(2, line)
            os.close(kept)


class _Finder(MetaPathFinder):
    """Makes the import of TensorFlow quiet; knows no other package."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != PACKAGE:
            return None
        others = (item for item in sys.meta_path if item is not self)
        found = (item.find_spec(name, path, target) for item in others)
        spec = next(filter(None, found), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _QuietLoader(spec.loader)
        return spec


class _QuietLoader(Loader):
    """Loads a package with another loader, and hides its messages meanwhile."""

    def __init__(self, inner: Loader) -> None:
        self._inner = inner

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._inner.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = module.__loader__ = self._inner
        with hidden_chatter():
            self._inner.exec_module(module)

"""The only module that imports TensorFlow and Keras, after setting their environment.

For worker processes only: TensorFlow and an OpenGL context in one process crash.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from base.garbage import collector_waits

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")


@contextmanager
def _start_up_chatter_dropped() -> Iterator[None]:
    """Discard what TensorFlow's C++ code writes to stderr before its log level takes effect."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@contextmanager
def _not_to_be_had(name: str) -> Iterator[None]:
    """Make imports of a package fail within a `with` block."""
    kept = sys.modules.pop(name, None)
    sys.modules[name] = None  # type: ignore[assignment]  # what import takes for "there is none"
    try:
        yield
    finally:
        del sys.modules[name]
        if kept is not None:
            sys.modules[name] = kept


# Keras loads matplotlib, for charts that no worker draws: a fifth of a trainer's start. The
# collector, in vain for 2,900 modules, is a sixth of what is left.
with _start_up_chatter_dropped(), _not_to_be_had("matplotlib"), collector_waits():
    pass

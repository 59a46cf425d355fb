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
def _silenced_stderr() -> Iterator[None]:
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
def _unimportable(name: str) -> Iterator[None]:
    """Make imports of a package fail within a `with` block."""
    kept = sys.modules.pop(name, None)
    sys.modules[name] = None  # type: ignore[assignment]  # import then raises
    try:
        yield
    finally:
        del sys.modules[name]
        if kept is not None:
            sys.modules[name] = kept


# Keras would load matplotlib for charts that no worker draws: a fifth of a trainer's start. The
# garbage collector finds nothing in 2,900 new modules, but takes a sixth of the remaining time.
with _silenced_stderr(), _unimportable("matplotlib"), collector_waits():
    import keras
    import tensorflow as tf

__all__ = ["keras", "tf"]

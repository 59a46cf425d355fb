"""The only module that imports TensorFlow and Keras, after setting their environment.

For worker processes only: TensorFlow and an OpenGL context in one process crash.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from base.garbage import collector_waits
from base.worker.chatter import hidden_chatter, hide_chatter

hide_chatter()
os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")


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
with hidden_chatter(), _unimportable("matplotlib"), collector_waits():
    import keras
    import tensorflow as tf

__all__ = ["keras", "tf"]

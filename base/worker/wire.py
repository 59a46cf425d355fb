"""Encoding of messages to workers: a pickle, followed by its arrays.

The arrays are copied once, as they are at the call; inside a pickle they would be copied several
times while it grows, which takes longer than a frame for a few megabytes. `decode` in
`process.py` reads it: this module imports NumPy, which a worker's environment must precede.
"""

from __future__ import annotations

import copyreg
import io
import pickle
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.worker.process import COUNT

PROTOCOL = 5  # the first one that lays buffers aside


def encode(message: object) -> bytes:
    """Encode a message as bytes; pickle's errors are passed on."""
    head = io.BytesIO()
    buffers: list[pickle.PickleBuffer] = []
    pickler = pickle.Pickler(head, PROTOCOL, buffer_callback=buffers.append)
    pickler.dispatch_table = copyreg.dispatch_table | {np.ndarray: _reduce_array}
    pickler.dump(message)
    parts = [head.getbuffer(), *(buffer.raw() for buffer in buffers)]
    sizes = [len(part) for part in parts]
    return b"".join((COUNT.pack(len(sizes)), struct.pack(f"!{len(sizes)}Q", *sizes), *parts))


def _reduce_array(array: NDArray[np.generic]) -> Any:
    """Reduce an array so that it may be changed where it arrives, as a plain pickle lets it."""
    is_frozen = not array.flags.writeable and not array.dtype.hasobject
    return (array.copy() if is_frozen else array).__reduce_ex__(PROTOCOL)

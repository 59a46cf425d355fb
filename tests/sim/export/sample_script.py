"""Functions of every kind, well and ill behaved, for the tests of `export`."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from typing import Annotated, Any, cast

import numpy as np
from numpy.typing import NDArray

from sim import Shape, exported

Vectors = Annotated[NDArray[np.float32], Shape(None, 3)]
CALLS: list[int] = []
_INSIDE = threading.Lock()


@exported
def mixed(
    a: int, b: float, c: bool, d: str, e: float, f: float, g: int, h: int, i: int, j: float,
    k: float, m: float, n: float, o: float, p: int, q: float, r: float, s: str, t: bool, u: int,
) -> str:  # fmt: skip
    """Say what arrived: more arguments than registers of either kind."""
    return repr((a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, t, u))


@exported
def divide(a: int, b: int) -> float:
    """Divide."""
    return a / b


@exported
def greet(name: str) -> str:
    """Greet."""
    return f"Grüß dich, {name}"


@exported
def twice(vectors: Vectors) -> Vectors:
    """Double each vector, in place: the caller's must stay as it was."""
    vectors *= 2
    return vectors


@exported
def invert(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Turn each flag."""
    return ~flags


@exported
def total(numbers: NDArray[np.uint16]) -> int:
    """Add up."""
    return int(numbers.sum())


@exported
def is_even(number: int) -> bool:
    """Tell."""
    return number % 2 == 0


@exported
def count() -> int:
    """Count the calls since the script was opened."""
    CALLS.append(1)
    return len(CALLS)


@exported
def misbehave(how: str) -> int:
    """Return or raise what it must not."""
    if how == "exit":
        raise SystemExit(3)
    if how == "interrupt":
        raise KeyboardInterrupt
    if how == "long":
        raise ValueError("ä" * 5000)
    wrong: Any = {"text": "four", "huge": 2**70, "none": None, "float": 4.0}[how]
    return cast("int", wrong)


@exported
def shapeless() -> Annotated[NDArray[np.int8], Shape(2, 2)]:
    """Return another array than promised."""
    return np.zeros(4, np.int64)  # type: ignore[return-value]


@exported
def shut_down_from_inside() -> int:
    """Call the library's shutdown while a call is under way."""
    library = ctypes.CDLL(os.environ["SAMPLE_LIBRARY"])
    return int(library.sample_script_shutdown())


@exported
def alone(milliseconds: int) -> bool:
    """Tell whether no other thread was inside: sleeping lets go of Python's lock."""
    is_alone = _INSIDE.acquire(blocking=False)
    time.sleep(milliseconds / 1000)
    if is_alone:
        _INSIDE.release()
    return is_alone


@exported
def silent() -> None:
    """Return nothing."""

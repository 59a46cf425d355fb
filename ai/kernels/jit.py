"""The decorator that compiles a kernel, or leaves it as plain Python where numba is off."""

from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Callable
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any, Final, NamedTuple, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ai.kernels.cache import cache_directory

P = ParamSpec("P")
R = TypeVar("R")

Record: TypeAlias = Any
"""A one-element record array in compiled code; a one-element list in plain Python."""
Table: TypeAlias = Any
"""A `uint8` array in compiled code; `bytes` in plain Python."""


class ArrayType(NamedTuple):
    """Type of a C-contiguous NumPy array argument of a kernel, compiled or in plain Python.

    Plain Python computes with NumPy's scalars, so that both give the same bits. A kernel of float32
    arrays must take its constants from arrays, too: `0.5 * x` is float64 when compiled.
    """

    kind: str
    """Dtype name: "float32", "float64", "int64", "uint8"."""
    dimensions: int = 1


class OneOf(NamedTuple):
    """Type of an argument that has one of several layouts: the kernel is compiled for each."""

    layouts: tuple[np.dtype[np.void], ...]


OneType: TypeAlias = np.dtype[np.void] | ArrayType | str
"""A record layout, an array, `TABLE`, `INT` or `FLOAT`."""
ArgumentType: TypeAlias = OneType | OneOf
"""One of these, or one of several layouts."""

INT: Final = "int"
FLOAT: Final = "float"
"""Type of a float64 argument."""
TABLE: Final = "table"
OWN_PAGES: Final = 1 << 20
"""Size in bytes from which an array gets memory pages of its own; see `zeros`."""


@cache
def _numba() -> ModuleType | None:
    """Return numba, set to the project's cache folder; None if it is switched off or missing."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return None
    os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_directory()))
    try:
        import numba
    except ImportError:
        return None
    if numba.config.DISABLE_JIT:
        return None
    numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]  # for a numba imported before us
    return numba  # type: ignore[no-any-return]


def is_jit_enabled() -> bool:
    """Return whether kernels run compiled in this process."""
    return _numba() is not None


def kernel(
    *arguments: ArgumentType, returns: str | None = None, is_inlined: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function eagerly, with exactly these argument types, into the cache.

    Args:
        arguments: layout or kind of each argument. Those that are `OneOf` the same layouts have the
            same one in a call.
        returns: `INT` or `FLOAT`, None for no result.
        is_inlined: whether its body is copied into each kernel that calls it. A call counts the
            references to arrays by atomic instructions, which costs as much as a short loop.
    """
    numba = _numba()

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        if numba is None:
            return function
        result = numba.types.void if returns is None else _numba_type(numba, returns)
        signatures = [
            result(*(_numba_type(numba, kind) for kind in alternative))
            for alternative in _alternatives(arguments)
        ]
        inline = "always" if is_inlined else "never"
        compile_it = numba.njit(signatures, cache=True, nogil=True, inline=inline)
        compiled: Callable[P, R] = compile_it(function)
        return compiled

    return decorate


def _alternatives(arguments: tuple[ArgumentType, ...]) -> list[list[OneType]]:
    """Return the types of the arguments for each layout that some of them may have."""
    count = max((len(kind.layouts) for kind in arguments if isinstance(kind, OneOf)), default=1)
    return [
        [kind.layouts[number] if isinstance(kind, OneOf) else kind for kind in arguments]
        for number in range(count)
    ]


def _numba_type(numba: ModuleType, argument: OneType) -> Any:
    """Return numba's type of one argument."""
    types = numba.types
    if isinstance(argument, ArrayType):
        element = numba.from_dtype(np.dtype(argument.kind))
        return types.Array(element, argument.dimensions, "C")
    if isinstance(argument, np.dtype):
        return numba.from_dtype(argument)[::1]
    return {INT: types.int64, FLOAT: types.float64, TABLE: types.uint8[::1]}[argument]


def new_record(layout: np.dtype[np.void]) -> Record:
    """Return a zeroed record in the form that this process's kernels use.

    In plain Python its fields are lists and ints. They are several times faster in the interpreter
    than NumPy's elements, and never overflow.
    """
    if is_jit_enabled():
        return zeros(1, layout)
    array = np.zeros(1, layout)
    names = layout.names or ()
    return [SimpleNamespace(**{name: array[name][0].tolist() for name in names})]


def zeros(count: int, kind: np.dtype[Any]) -> NDArray[Any]:
    """Return a zeroed array; a large array has memory pages of its own.

    Such pages return to the system with the array. Memory freed by a thread would be kept by the C
    library: hundreds of MiB for the tables of several games, each played in a thread.

    Args:
        count: number of elements.
        kind: dtype of an element.
    """
    size = count * kind.itemsize
    if size < OWN_PAGES:
        return np.zeros(count, kind)
    if sys.platform == "win32":
        return np.frombuffer(mmap.mmap(-1, size), kind)
    pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return np.frombuffer(pages, kind)


def fields_of(record: Record) -> Any:
    """Return the record's only element, with its fields as readable and writable attributes."""
    return record.view(np.recarray)[0] if isinstance(record, np.ndarray) else record[0]


def get_field(record: Record, name: str) -> int:
    """Return one number of a record; much faster than `fields_of` for a single one."""
    found = record[name][0] if isinstance(record, np.ndarray) else getattr(record[0], name)
    return int(found)


def set_field(record: Record, name: str, value: int) -> None:
    """Set one number of a record; much faster than `fields_of` for a single one."""
    if isinstance(record, np.ndarray):
        record[name] = value
    else:
        setattr(record[0], name, value)


def new_table(values: NDArray[np.uint8]) -> Table:
    """Return `values` in the form that this process's kernels use."""
    if not is_jit_enabled():
        return values.tobytes()
    table = zeros(len(values), values.dtype)
    table[:] = values
    return table

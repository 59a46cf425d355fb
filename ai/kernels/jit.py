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
"""Type of the records that kernels take as arguments.

In compiled code it is a NumPy record array with one element, in plain Python a list with one
element.
"""
Table: TypeAlias = Any
"""Type of kernels' lookup tables: a `uint8` array in compiled code, `bytes` in plain Python."""


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
"""Type of one argument of a kernel: a record layout, an array, `TABLE`, `INT` or `FLOAT`."""
ArgumentType: TypeAlias = OneType | OneOf
"""How a kernel declares an argument: one type (`OneType`) or a choice of layouts (`OneOf`)."""

INT: Final = "int"
FLOAT: Final = "float"
"""Type of a float64 argument."""
TABLE: Final = "table"
OWN_PAGES: Final = 1 << 20
"""Size in bytes from which `zeros` gives an array memory pages of its own."""


@cache
def _numba() -> ModuleType | None:
    """Return numba, set to the project's cache folder; None if numba is switched off or missing."""
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

    Compiled code counts no references to the arrays: its caller in Python holds them meanwhile.
    Counting would take two atomic instructions for each array in each call, which is more than a
    small kernel needs for its work. So a kernel can make no arrays.

    Args:
        arguments: layout or kind of each argument. Those that are `OneOf` the same layouts have the
            same one in a call.
        returns: `INT` or `FLOAT`, None for no result.
        is_inlined: whether its body is copied into each kernel that calls it, so that the compiler
            knows there what it does with the arguments.
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
        options = {"cache": True, "nogil": True, "inline": inline, "_nrt": False}
        compile_it = numba.njit(signatures, **options)
        compiled: Callable[P, R] = compile_it(function)
        return compiled

    return decorate


def _alternatives(arguments: tuple[ArgumentType, ...]) -> list[list[OneType]]:
    """Return the lists of argument types for which a kernel is compiled, one for each layout.

    Without a `OneOf` argument there is one list.

    Args:
        arguments: declared type of each argument.
    """
    count = max((len(kind.layouts) for kind in arguments if isinstance(kind, OneOf)), default=1)
    return [
        [kind.layouts[number] if isinstance(kind, OneOf) else kind for kind in arguments]
        for number in range(count)
    ]


def _numba_type(numba: ModuleType, argument: OneType) -> Any:
    """Return numba's type for the type that a kernel declares.

    Args:
        numba: the module numba.
        argument: the declared type of one argument.
    """
    types = numba.types
    if isinstance(argument, ArrayType):
        element = numba.from_dtype(np.dtype(argument.kind))
        return types.Array(element, argument.dimensions, "C")
    if isinstance(argument, np.dtype):
        return numba.from_dtype(argument)[::1]
    return {INT: types.int64, FLOAT: types.float64, TABLE: types.uint8[::1]}[argument]


unsigned: Final[Any] = np.uint64 if is_jit_enabled() else int
"""Converts an index of a kernel's array to an unsigned one.

A signed index could be negative, and then counts from the end. So only a loop over unsigned ones is
compiled to instructions for several numbers at once.
"""


def new_record(layout: np.dtype[np.void]) -> Record:
    """Return a record filled with zeros, in the form that kernels of this process take.

    In plain Python its fields are lists and ints. They are several times faster in the interpreter
    than NumPy's elements, and never overflow.

    Args:
        layout: NumPy dtype with the fields of the record.
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
    """Return one whole number of a record; for a single one this is much faster than `fields_of`.

    Args:
        record: the record.
        name: name of the field.
    """
    found = record[name][0] if isinstance(record, np.ndarray) else getattr(record[0], name)
    return int(found)


def set_field(record: Record, name: str, value: int) -> None:
    """Set one whole number of a record; for a single one this is much faster than `fields_of`.

    Args:
        record: the record.
        name: name of the field.
        value: the new number.
    """
    if isinstance(record, np.ndarray):
        record[name] = value
    else:
        setattr(record[0], name, value)


def new_table(values: NDArray[np.uint8]) -> Table:
    """Return `values` in the form that kernels of this process take.

    Args:
        values: `[N]` numbers of the lookup table, which are copied.
    """
    if not is_jit_enabled():
        return values.tobytes()
    table = zeros(len(values), values.dtype)
    table[:] = values
    return table

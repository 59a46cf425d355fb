"""The doors through which C calls compiled functions.

Numba's functions take an array as many arguments, and return arrays by structures of its own. Each
exported function gets two doors. The inner one is Python, compiled with the function: it copies the
result to where the caller wants it. The outer one is LLVM's language. It takes what C has, a
pointer and sizes, and makes numba's arguments of it. Sizes that `Shape` names are constants there:
so LLVM knows how large the arrays are that the function makes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from sim.core.native.exported import ExportedType, Signature

OK: Final = 0
WRONG_RESULT: Final = -8
TOO_SMALL: Final = -9
INNER: Final = "_goishi_door"
"""Name of the inner door in the module that is generated for a function."""
_SCALARS: Final = {"int": "int64", "float": "float64", "bool": "boolean"}
_RESULTS: Final = {"int": "int64", "float": "float64", "bool": "int32"}


def door_name(index: int) -> str:
    """Return the name of the outer door of a function, the `index`-th of the library."""
    return f"goishi_door_{index}"


def argument_types(numba: Any, signature: Signature, written: Sequence[str]) -> list[Any]:
    """Return numba's types of a function's parameters.

    Args:
        numba: the module numba.
        signature: types of the parameters.
        written: names of the arrays that the function may write into.
    """
    return [_argument_type(numba, value, value.name in written) for value in signature.parameters]


def _argument_type(numba: Any, value: ExportedType, is_written: bool) -> Any:
    if value.kind != "array":
        return getattr(numba.types, _SCALARS[value.kind])
    return _array_type(numba, value.dtype, len(value.sizes), is_written)


def _array_type(numba: Any, dtype: str, dimensions: int, is_written: bool) -> Any:
    items = numba.from_dtype(np.dtype(dtype))
    return numba.types.Array(items, dimensions, "C", readonly=not is_written)


def result_types(numba: Any, signature: Signature) -> list[Any]:
    """Return numba's types of what the inner door takes beside the function's parameters.

    Args:
        numba: the module numba.
        signature: type of the function's result.
    """
    if signature.result is None:
        return []
    items = _array_type(numba, result_dtype(signature.result), 1, True)
    return [items, _array_type(numba, "int64", 1, True)]


def result_dtype(value: ExportedType) -> str:
    """Return the type of the items of the place where a result is put."""
    return value.dtype if value.kind == "array" else _RESULTS[value.kind]


def fits(numba: Any, found: Any, wanted: ExportedType | None) -> bool:
    """Return whether what a function returns is what its annotation says.

    Args:
        numba: the module numba.
        found: numba's type of the result.
        wanted: the annotation; None if the function returns nothing.
    """
    types = numba.types
    if wanted is None:
        return isinstance(found, types.NoneType)
    if wanted.kind == "array":
        if not isinstance(found, types.Array) or found.ndim != len(wanted.sizes):
            return False
        item = np.dtype(str(found.dtype).replace("boolean", "bool"))
        return np.can_cast(item, np.dtype(wanted.dtype), "safe")
    if wanted.kind == "bool":
        return isinstance(found, types.Boolean)
    is_whole = isinstance(found, types.Integer)
    return is_whole or (wanted.kind == "float" and isinstance(found, types.Float | types.Boolean))


def inner_door(signature: Signature) -> str:
    """Return the Python of a function's inner door.

    It returns a code: `OK`, `WRONG_RESULT` if an array's size is not the one of its annotation, or
    `TOO_SMALL` if the result does not fit. It writes the sizes of the result into `sizes_`.

    Args:
        signature: types of the function's parameters and of its result.
    """
    names = [f"a{number}_" for number in range(len(signature.parameters))]
    call = f"{signature.name}({', '.join(names)})"
    result = signature.result
    if result is None:
        return f"def {INNER}({', '.join(names)}):\n    {call}\n    return {OK}\n"
    head = f"def {INNER}({', '.join([*names, 'result_', 'sizes_'])}):\n    found_ = {call}\n"
    if result.kind == "bool":
        return f"{head}    result_[0] = 1 if found_ else 0\n    return {OK}\n"
    if result.kind != "array":
        return f"{head}    result_[0] = found_\n    return {OK}\n"
    lines = [head.rstrip("\n")]
    for number, size in enumerate(result.sizes):
        if size is not None:
            lines.append(f"    if found_.shape[{number}] != {size}:\n        return {WRONG_RESULT}")
        lines.append(f"    sizes_[{number}] = found_.shape[{number}]")
    lines.append(f"    if found_.size > result_.size:\n        return {TOO_SMALL}")
    lines.append("    place_ = 0")
    indent = "    "
    for number in range(len(result.sizes)):
        lines.append(f"{indent}for i{number}_ in range(found_.shape[{number}]):")
        indent += "    "
    index = ", ".join(f"i{number}_" for number in range(len(result.sizes)))
    lines += [f"{indent}result_[place_] = found_[{index}]", f"{indent}place_ += 1"]
    return "\n".join([*lines, f"    return {OK}\n"])


class _Door:
    """Collects the lines of an outer door."""

    def __init__(self) -> None:
        self.parameters: list[str] = []
        self.lines: list[str] = []
        self.arguments: list[str] = []
        self._count = 0

    def value(self, text: str) -> str:
        """Add an instruction and return the name of its value."""
        self._count += 1
        self.lines.append(f"  %v{self._count} = {text}")
        return f"%v{self._count}"

    def parameter(self, kind: str) -> str:
        """Add a parameter and return its name."""
        name = f"%p{len(self.parameters)}"
        self.parameters.append(f"{kind} {name}")
        return name

    def array(self, data: str, sizes: Sequence[str], item_size: int) -> None:
        """Add numba's arguments for an array that lies row by row.

        Args:
            data: where its items are.
            sizes: its size in each dimension, constants or names.
            item_size: bytes of an item.
        """
        stride, strides = str(item_size), [str(item_size)]
        for size in reversed(sizes[1:]):
            stride = self.value(f"mul i64 {stride}, {size}")
            strides.insert(0, stride)
        count = sizes[0]
        for size in sizes[1:]:
            count = self.value(f"mul i64 {count}, {size}")
        numbers = [f"i64 {number}" for number in (*sizes, *strides)]
        self.arguments += ["ptr null", "ptr null", f"i64 {count}", f"i64 {item_size}"]
        self.arguments += [f"ptr {data}", *numbers]


def outer_door(index: int, signature: Signature, inner: str, kinds: Sequence[str]) -> str:
    """Return the outer door of a function in LLVM's language.

    Its parameters are: where the code is put, where the error is put, then a pointer and sizes for
    each array and a value for each number, then the place of the result, how many items it holds,
    and the place of its sizes. It returns numba's status, 0 if no exception was raised.

    Args:
        index: number of the function in the library.
        signature: types of its parameters and of its result.
        inner: name of the inner door's machine code.
        kinds: LLVM's types of the inner door's parameters.
    """
    door = _Door()
    code, error = door.parameter("ptr"), door.parameter("ptr")
    door.arguments += [f"ptr {code}", f"ptr {error}"]
    for value in signature.parameters:
        if value.kind == "array":
            data = door.parameter("ptr")
            given = [door.parameter("i64") for _ in value.sizes]
            pairs = zip(value.sizes, given, strict=True)
            sizes = [name if size is None else str(size) for size, name in pairs]
            door.array(data, sizes, np.dtype(value.dtype).itemsize)
        elif value.kind == "bool":
            kind = kinds[len(door.arguments)]
            name = door.parameter("i32")
            door.arguments.append(f"{kind} {door.value(f'trunc i32 {name} to {kind}')}")
        else:
            kind = "double" if value.kind == "float" else "i64"
            door.arguments.append(f"{kind} {door.parameter(kind)}")
    if signature.result is not None:
        data, capacity, sizes_at = (door.parameter(kind) for kind in ("ptr", "i64", "ptr"))
        item = np.dtype(result_dtype(signature.result)).itemsize
        door.array(data, [capacity if signature.result.kind == "array" else "1"], item)
        door.array(sizes_at, [str(max(len(signature.result.sizes), 1))], 8)
    call = f'call i32 @"{inner}"({", ".join(door.arguments)}) alwaysinline'
    lines = [
        f'declare i32 @"{inner}"({", ".join(kinds)})',
        f"define hidden i32 @{door_name(index)}({', '.join(door.parameters)}) {{",
        *door.lines,
        f"  %status = {call}",
        "  ret i32 %status",
        "}",
    ]
    return "\n".join(lines) + "\n"

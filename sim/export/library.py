"""Names and contents of an exported library: plain values that the writers share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sim.core.native.exported import Signature, Value


@dataclass(frozen=True, slots=True)
class PythonFiles:
    """Locations of Python's parts in its folder, as POSIX paths."""

    library: str
    """Shared library, such as "lib/libpython3.11.so.1.0"."""
    standard: str
    """Standard library, such as "lib/python3.11"."""
    preload: tuple[str, ...] = ()
    """Libraries to load before it, because the target machine may lack them."""


@dataclass(frozen=True, slots=True)
class Library:
    """A script to be written as a C library."""

    name: str
    """A C identifier; the prefix of every symbol."""
    module: str
    """Module name of the script."""
    functions: tuple[Signature, ...]
    python: PythonFiles

    @property
    def home_variable(self) -> str:
        """Name of the environment variable that holds the path of Python's folder."""
        return f"{self.name.upper()}_HOME"


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of the function in C."""

    name: str
    type: str
    """C type, as in "const int8_t *"; a pointer's star last."""
    about: str

    @property
    def is_real(self) -> bool:
        """Whether it is passed in a floating-point register."""
        return self.type == "double"

    @property
    def declaration(self) -> str:
        """The parameter's C declaration, as in `float *x`."""
        return f"{self.type}{self.name}" if self.type.endswith("*") else f"{self.type} {self.name}"


_WORDS: Final = (
    "alignas alignof and asm auto bool break case catch char class const constexpr continue "
    "default delete do double else enum explicit export extern false float for friend goto if "
    "inline int long namespace new not nullptr operator or private protected public register "
    "restrict return short signed sizeof static struct switch template this throw true try "
    "typedef typename union unsigned using virtual void volatile while xor"
)
C_KEYWORDS: Final = frozenset(_WORDS.split())
SCALAR_TYPES: Final = {"int": "int64_t", "float": "double", "bool": "int32_t", "str": "char"}
ITEM_TYPES: Final = {"float32": "float", "float64": "double", "bool": "uint8_t"}


def item_type(dtype: str) -> str:
    """Return the C type of an array's items."""
    return ITEM_TYPES.get(dtype, f"{dtype}_t")


def arguments_of(signature: Signature) -> tuple[Argument, ...]:
    """Return the C arguments of a function, in order."""
    found = [one for value in signature.parameters for one in _parameter(value)]
    if signature.result is not None:
        found += _result(signature.result)
    return tuple(found)


def _parameter(value: Value) -> list[Argument]:
    name = c_name(value.name)
    if value.kind == "str":
        return [Argument(name, "const char *", "text in UTF-8, ends with a zero byte")]
    if value.kind != "array":
        about = {"bool": "0: no, else yes"}.get(value.kind, "")
        return [Argument(name, SCALAR_TYPES[value.kind], about)]
    items = Argument(name, f"const {item_type(value.dtype)} *", f"items, {shape_text(value)}")
    return [
        items,
        *(
            Argument(f"{value.name}_size{i}", "int64_t", _size_text(size, i, value.name))
            for i, size in enumerate(value.sizes)
        ),
    ]


def _result(value: Value) -> list[Argument]:
    name = c_name(value.name)
    if value.kind not in ("array", "str"):
        return [Argument(name, f"{SCALAR_TYPES[value.kind]} *", "where the result is put")]
    if value.kind == "str":
        return [
            Argument(name, "char *", "buffer for text in UTF-8, ends with a zero byte"),
            Argument(f"{value.name}_capacity", "int64_t", "bytes in the buffer"),
            Argument(f"{value.name}_length", "int64_t *", "bytes without the zero, or NULL"),
        ]
    return [
        Argument(name, f"{item_type(value.dtype)} *", f"buffer for the items, {shape_text(value)}"),
        Argument(f"{value.name}_capacity", "int64_t", "items that the buffer holds"),
        *(
            Argument(f"{value.name}_size{i}", "int64_t *", f"size of dimension {i}, or NULL")
            for i in range(len(value.sizes))
        ),
    ]


def c_name(name: str) -> str:
    """Return a valid C name for a parameter, avoiding keywords such as `default`."""
    return f"{name}_" if name in C_KEYWORDS else name


def shape_text(value: Value) -> str:
    """Return an array's shape in words."""
    sizes = " x ".join("any" if size is None else str(size) for size in value.sizes)
    return (
        f"{sizes} {value.dtype}, row by row" if len(value.sizes) > 1 else f"{sizes} {value.dtype}"
    )


def _size_text(size: int | None, dimension: int, name: str) -> str:
    return f"size of {name} in dimension {dimension}" + ("" if size is None else f": {size}")

"""`@exported`: functions of a script that C programs can call, and the types they may use.

`python main.py export` builds a C library of them. When it is not used, the decorator only checks
the annotations. NumPy is needed only if an array is passed.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import NoneType
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin, get_type_hints

from base.errors import ScriptLoadError

Function = TypeVar("Function", bound=Callable[..., object])

SCALARS: Final[dict[object, str]] = {int: "int", float: "float", str: "str", bool: "bool"}
_WHOLE: Final = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
DTYPES: Final = (*_WHOLE, "float32", "float64", "bool")
MOST_DIMENSIONS: Final = 8
_EXPECTED: Final = "int, float, str, bool or NDArray[...]"
_C_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


class ExportError(ScriptLoadError):
    """A function cannot be called from C as it is written."""


class Shape:
    """Sizes of an array argument: `Annotated[NDArray[np.int8], Shape(7, 7)]`.

    Args:
        *sizes: size of each dimension; None for any size.

    Raises:
        ExportError: a size is not positive, or there are too many dimensions.
    """

    def __init__(self, *sizes: int | None) -> None:
        for size in sizes:
            if not (size is None or (type(size) is int and size > 0)):
                raise ExportError(f"Shape: expected sizes from 1, or None, found {size!r}")
        if not 1 <= len(sizes) <= MOST_DIMENSIONS:
            raise ExportError(
                f"Shape: expected 1 to {MOST_DIMENSIONS} dimensions, found {len(sizes)}"
            )
        self.sizes = sizes


@dataclass(frozen=True, slots=True)
class ExportedType:
    """Type of a parameter or of the result of an exported function.

    Attributes:
        name: name of the parameter; "result" for the result.
    """

    name: str
    kind: str
    """Kind of the value: "int", "float", "str", "bool" or "array"."""
    dtype: str = ""
    """Type of an array's items."""
    sizes: tuple[int | None, ...] = ()
    """Size of each dimension of an array; None for any."""
    is_written: bool = False
    """Whether the function writes into the caller's array: in libraries without Python alone."""

    def __str__(self) -> str:
        kind = self.kind
        if kind == "array":
            kind = f"{self.dtype}[{', '.join('*' if n is None else str(n) for n in self.sizes)}]"
        return f"{self.name}: {kind}"


@dataclass(frozen=True, slots=True)
class Signature:
    """C signature of an exported function.

    Attributes:
        name: name of the function.
        parameters: types of its parameters, in order.
        result: type of its result; None if it returns nothing.
        document: docstring of the function.
    """

    name: str
    parameters: tuple[ExportedType, ...]
    result: ExportedType | None
    document: str = ""

    def __str__(self) -> str:
        parameters = ", ".join(map(str, self.parameters))
        result = "None" if self.result is None else str(self.result).partition(": ")[2]
        return f"{self.name}({parameters}) -> {result}"


def exported(function: Function) -> Function:
    """Decorator that marks a function for the C library that `python main.py export` builds.

    The function itself stays as it is.

    Raises:
        ExportError: it is no plain function, or an annotation is missing or unknown.
    """
    is_plain = inspect.isfunction(function)
    plain = function if is_plain else inspect.unwrap(function)  # `@compiled` stands below
    function.__dict__["exported"] = read_signature(plain)
    return function


def read_signature(function: Callable[..., object]) -> Signature:
    """Derive the C signature of a function from its annotations.

    Raises:
        ExportError: the function cannot be exported; the message names the function, the parameter,
            and what was expected and found.
    """
    if not inspect.isfunction(function):
        raise ExportError(f"@exported: expected a function, found {function!r}")
    is_async = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
    if is_async or inspect.isgeneratorfunction(function):
        raise _fault(function, "", "a plain function", "one that is async or a generator")
    hints = _hints(function)
    if "return" not in hints:
        raise _fault(function, "result", f"{_EXPECTED} or None", "no annotation")
    parameters = inspect.signature(function).parameters.values()
    values = tuple(_parameter(function, parameter, hints) for parameter in parameters)
    result = None
    if hints["return"] is not NoneType:
        result = _value(function, "result", hints["return"], f"{_EXPECTED} or None")
    _check_names(function, values)
    return Signature(function.__name__, values, result, inspect.getdoc(function) or "")


def _hints(function: Callable[..., object]) -> dict[str, object]:
    try:
        return get_type_hints(function, include_extras=True)
    except ExportError as error:
        raise ExportError(f"{function.__name__}: {error}", **_place(function)) from None
    except Exception as error:  # annotations are code
        found = f"{type(error).__name__}: {error}"
        expected = "annotations whose names are imported outside `if TYPE_CHECKING:`"
        raise _fault(function, "", expected, found) from error


def _parameter(
    function: Callable[..., object], parameter: inspect.Parameter, hints: dict[str, object]
) -> ExportedType:
    if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
        raise _fault(function, parameter.name, "a positional parameter", str(parameter))
    if parameter.name not in hints:
        raise _fault(function, parameter.name, _EXPECTED, "no annotation")
    return _value(function, parameter.name, hints[parameter.name], _EXPECTED)


def _value(
    function: Callable[..., object], name: str, annotation: object, expected: str
) -> ExportedType:
    kind = SCALARS.get(annotation) if isinstance(annotation, type) else None
    if kind is not None:
        return ExportedType(name, kind)
    sizes: tuple[int | None, ...] = (None,)
    inner = annotation
    if get_origin(annotation) is Annotated:
        inner, *extras = get_args(annotation)
        sizes = next((extra.sizes for extra in extras if isinstance(extra, Shape)), sizes)
        if inner in SCALARS:
            return ExportedType(name, SCALARS[inner])
    dtype = _dtype(inner)
    if dtype is None:
        raise _fault(function, name, expected, _text(annotation))
    if dtype not in DTYPES:
        raise _fault(function, name, f"an array of {', '.join(DTYPES)}", _text(inner))
    return ExportedType(name, "array", dtype, sizes)


def _dtype(annotation: object) -> str | None:
    """Return the name of the type of an array's items, such as "int8".

    Args:
        annotation: annotation of a parameter, such as `NDArray[np.int8]`.

    Returns:
        The name, or "any" if the annotation leaves it open; None if it is not an array's.
    """
    origin = get_origin(annotation)
    if (getattr(origin, "__module__", ""), getattr(origin, "__name__", "")) != ("numpy", "ndarray"):
        return None
    items = get_args(get_args(annotation)[1])
    scalar = items[0] if items else object
    name = getattr(scalar, "__name__", "any").rstrip("_")
    if not isinstance(scalar, type):
        return "any"
    numpy = sys.modules["numpy"]  # who wrote the annotation has imported it
    return str(numpy.dtype(scalar).name) if issubclass(scalar, numpy.generic) else name


def _check_names(function: Callable[..., object], values: tuple[ExportedType, ...]) -> None:
    for name in (function.__name__, *(value.name for value in values)):
        if not _C_NAME.fullmatch(name):
            where = "" if name == function.__name__ else name
            raise _fault(function, where, "a name of ASCII letters, digits and _", repr(name))


def _text(annotation: object) -> str:
    if isinstance(annotation, type) and get_origin(annotation) is None:
        return annotation.__name__
    return str(annotation).replace("numpy.ndarray[tuple[typing.Any, ...], ", "NDArray[")


def _fault(
    function: Callable[..., object], parameter: str, expected: str, found: str
) -> ExportError:
    where = f", {parameter}" if parameter else ""
    name = getattr(function, "__name__", repr(function))
    return ExportError(f"{name}{where}: expected {expected}, found {found}", **_place(function))


def _place(function: Callable[..., object]) -> dict[str, Any]:
    code = getattr(function, "__code__", None)
    if code is None:
        return {}
    return {"file": code.co_filename, "line": code.co_firstlineno}

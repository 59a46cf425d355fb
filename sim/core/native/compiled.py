"""`@compiled`: numeric functions of scripts that run as machine code once that is ready.

The decorated function is a `CompiledFunction`. It runs the Python function until machine code for
exactly these argument types was loaded by `sim.core.native.compile_service`; both give the same
results.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Annotated, Any, Generic, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

from sim.core.native.exported import Shape

P = ParamSpec("P")
R = TypeVar("R")

Kind = tuple[Any, ...]
"""The type of an argument, as a tuple that the compiler understands.

It is `("scalar", dtype)`, `("array", dtype, dimensions, layout, is_writable)` or `("tuple",
kinds)`. The layout is numba's order of an array in memory: "C" for row by row, "F" for column by
column, or "A" for any.
"""
Kinds = tuple[Kind, ...]

LARGEST_INT = 2**63
ARRAY_KINDS = "biufc"


class NotCompilable(Exception):
    """A function cannot be compiled; the message is a short reason.

    Args:
        reason: why it cannot be compiled.
        file: path of the script; empty if unknown.
        line: line of the script; 0 if unknown.
    """

    def __init__(self, reason: str, *, file: str = "", line: int = 0) -> None:
        super().__init__(reason)
        self.file = file
        self.line = line


class CompiledFunction(Generic[P, R]):
    """A function of a script with its Python code and, once ready, its machine code.

    Attributes:
        function: the Python function.
        machine: machine code as a callable, by argument types.
        wanted: argument types to compile for, known from a call or the annotations.
        refused: why compiling failed, by argument types; under the key None if no argument types
            can be compiled.
        fingerprint: hash of source and dependencies; set by `sim.core.native.compile_service`.
    """

    __name__: str
    __module__: str

    def __init__(self, function: Callable[P, R]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.machine: dict[Kinds, Callable[..., R]] = {}
        self.wanted: set[Kinds] = set()
        self.refused: dict[Kinds | None, NotCompilable] = {}
        self.fingerprint = ""
        self.on_wanted: Callable[[], object] | None = None
        self._signature = inspect.signature(function)
        self._count = len(self._signature.parameters)
        annotated = _annotated_kinds(function, self._signature)
        if annotated is not None:
            self.wanted.add(annotated)

    def __call__(self, *arguments: P.args, **keywords: P.kwargs) -> R:
        """Run the machine code for these argument types if it is loaded, else the Python code."""
        if None in self.refused:
            return self.function(*arguments, **keywords)
        values: tuple[object, ...] = arguments
        if keywords or len(arguments) != self._count:
            bound = self._signature.bind(*arguments, **keywords)
            bound.apply_defaults()
            values = bound.args
        try:
            kinds = kinds_of(values)
        except NotCompilable as fault:
            self._refuse(values, fault)
            return self.function(*arguments, **keywords)
        machine = self.machine.get(kinds)
        if machine is not None:
            return machine(*values)
        if kinds not in self.wanted and kinds not in self.refused:
            self.wanted.add(kinds)
            if self.on_wanted is not None:
                self.on_wanted()
        return self.function(*arguments, **keywords)

    def __get__(self, instance: object, owner: type | None = None) -> CompiledFunction[P, R]:
        """Return the function itself when it is read from a class.

        Raises:
            TypeError: it is read from an instance; a compiled function cannot be a method.
        """
        if instance is None:
            return self
        name = self.function.__qualname__
        raise TypeError(
            f"@compiled {name}: expected a function at the top of its module, found "
            "one inside a class"
        )

    @property
    def is_compiled(self) -> bool:
        """Whether there is machine code for some argument types."""
        return bool(self.machine)

    @property
    def place(self) -> tuple[str, int]:
        """File and first line of the function."""
        code = self.function.__code__
        return code.co_filename, code.co_firstlineno

    def _refuse(self, values: tuple[object, ...], fault: NotCompilable) -> None:
        """Record that a call had arguments that cannot be compiled, so that it is reported once.

        Args:
            values: the arguments, in the order of the parameters.
            fault: why they cannot be compiled.
        """
        key: Kinds = (("not", str(fault)),)
        if key in self.refused:
            return
        names = list(self._signature.parameters)
        for index, value in enumerate(values):
            try:
                _kind_of(value)
            except NotCompilable as one:
                name = names[min(index, len(names) - 1)] if names else str(index)
                fault = NotCompilable(f"argument {name}: {one}")
                break
        self.refused[key] = fault
        if self.on_wanted is not None:
            self.on_wanted()


def compiled(function: Callable[P, R]) -> CompiledFunction[P, R]:
    """Decorator that runs a numeric function as machine code once it has been compiled.

    The function's parameters and result are numbers, NumPy arrays of numbers or tuples of them. It
    may use numbers, `math`, `numpy` and other functions of scripts. The Python function runs until
    the machine code is ready, and for arguments that numba does not support. The console says why.

    Raises:
        TypeError: the decorated object is no plain function.
    """
    if not inspect.isfunction(function):
        raise TypeError(f"@compiled: expected a function, got {function!r}")
    return CompiledFunction(function)


def kinds_of(values: tuple[object, ...]) -> Kinds:
    """Return the types of some arguments, in the form for the compiler; see `Kind`.

    Args:
        values: the arguments.

    Raises:
        NotCompilable: an argument is no number, array of numbers or tuple of these.
    """
    return tuple([_kind_of(value) for value in values])


_SCALARS: dict[type, Kind] = {
    bool: ("scalar", "bool"),
    float: ("scalar", "float64"),
    complex: ("scalar", "complex128"),
}
_INT: Kind = ("scalar", "int64")


def _kind_of(value: Any) -> Kind:
    kind = type(value)
    known = _SCALARS.get(kind)
    if known is not None:
        return known
    if kind is int:
        if -LARGEST_INT <= value < LARGEST_INT:
            return _INT
        raise NotCompilable("expected a whole number of 64 bits, found a larger one")
    dtype = getattr(value, "dtype", None)
    if dtype is not None and dtype.kind in ARRAY_KINDS and dtype.isnative:
        flags = getattr(value, "flags", None)
        if kind.__name__ == "ndarray" and flags is not None and flags.aligned:
            layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
            return ("array", dtype.name, value.ndim, layout, flags.writeable)
        if isinstance(value, sys.modules["numpy"].generic):
            return ("scalar", dtype.name)
    if kind is tuple and value:
        return ("tuple", kinds_of(value))
    raise NotCompilable(f"expected numbers, NumPy arrays or tuples of them, found {kind.__name__}")


def _annotated_kinds(function: Callable[..., object], signature: inspect.Signature) -> Kinds | None:
    """Return the argument types that a function's annotations give.

    Args:
        function: the function.
        signature: its signature, which names the parameters.

    Returns:
        The types in the order of the parameters. None if an annotation is missing or leaves the
        type open, such as an array without `Shape`.
    """
    try:
        hints = get_type_hints(function, include_extras=True)
    except Exception:  # annotations are code; the first call will tell
        return None
    kinds: list[Kind] = []
    for name in signature.parameters:
        kind = _kind_of_annotation(hints.get(name))
        if kind is None:
            return None
        kinds.append(kind)
    return tuple(kinds)


def _kind_of_annotation(annotation: object) -> Kind | None:
    if annotation in (bool, int, float, complex):
        return _INT if annotation is int else _SCALARS[annotation]
    if get_origin(annotation) is not Annotated:
        return None
    inner, *extras = get_args(annotation)
    shape = next((extra for extra in extras if isinstance(extra, Shape)), None)
    if shape is None or getattr(get_origin(inner), "__name__", "") != "ndarray":
        return None
    numpy = sys.modules["numpy"]
    items = get_args(get_args(inner)[1])
    if not items or not (isinstance(items[0], type) and issubclass(items[0], numpy.generic)):
        return None
    dtype = numpy.dtype(items[0])
    if dtype.kind not in ARRAY_KINDS:
        return None
    return ("array", dtype.name, len(shape.sizes), "C", True)

"""Vectors, quaternions and matrices as scripts get them: pyrr's, which take tuples and lists too.

pyrr chooses an operator by the type of the other side and knows few types: `position + (1, 0, 0)`
raises NotImplementedError there. The classes here have the same names, methods and results.

A value that comes from a property, such as `transform.position`, is a copy that knows its origin.
If a statement changes an item of a value that no name holds, the change is written to the origin:
`transform.position[2] = 5` moves the object. A copy that a name holds stays a copy.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pyrr
from pyrr.objects.base import BaseMatrix, BaseQuaternion

Place = tuple[int, int]
"""A running function and its instruction: id of the frame, and index of the instruction."""


class Change:
    """New values of a value with an origin; written there if the value is dropped at once.

    A value that no name holds is dropped by the same instruction that has changed it, and this
    object with it.

    Args:
        origin: (owner, name of its property) that the value is a copy of.

    Attributes:
        values: the value with its changed items.
        place: the instruction that has changed it last.
    """

    __slots__ = ("_origin", "place", "values")

    def __init__(self, origin: tuple[object, str]) -> None:
        self._origin = origin
        self.values: Any = None
        self.place: Place | None = None

    def __del__(self) -> None:
        """Write the values to their origin, if the instruction that changed them still runs."""
        frame = _calling()
        if frame is None or _place_of(frame) != self.place:
            return
        owner, name = self._origin
        if getattr(type(owner), name).fset is not None:
            setattr(owner, name, self.values)
            return
        warnings.warn_explicit(
            f"{name}: expected to be read, found a change of one of its items: it is computed from "
            "other values, so nothing has changed",
            RuntimeWarning,
            frame.f_code.co_filename,
            frame.f_lineno,
        )


def _calling() -> FrameType | None:
    """Return the frame of the code that has called this module, or pyrr, which called it."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name != __name__ and not name.startswith("pyrr."):
            return frame
        frame = frame.f_back
    return None


def _place_of(frame: FrameType) -> Place:
    return id(frame), frame.f_lasti


class Given:
    """What all values here have in common: an origin, and items that can be assigned.

    Attributes:
        origin: (owner, name of its property) that the value is a copy of; unset for none.
        whole: the matrix or quaternion that the value is a part of; unset for none.
        change: the change that may be written to the origin; unset for none.
    """

    __slots__ = ()

    def __setitem__(self: Any, key: Any, value: object) -> None:
        np.ndarray.__setitem__(self, key, value)
        getattr(self, "whole", self).note_change(value)

    def note_change(self: Any, value: object) -> None:
        """Note that items were assigned, so that they can be written to the origin.

        Args:
            value: what was assigned, for the error message.

        Raises:
            ValueError: a number is not finite.
        """
        origin = getattr(self, "origin", None)
        if origin is None:
            return
        values: Any = np.array(self)
        if not np.isfinite(values).all():
            raise ValueError(f"{origin[1]}: expected finite numbers, got {value!r:.80}")
        change = getattr(self, "change", None)
        if change is None:
            change = self.change = Change(origin)
        frame = _calling()
        change.values, change.place = values, None if frame is None else _place_of(frame)

    def fill(self, value: float) -> None:
        """Set all numbers to one value."""
        self[...] = value


# -- vectors -----------------------------------------------------------------------------------

VERBS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}


def _arithmetic(name: str, sign: str) -> Callable[[Any, object], Any]:
    """Return an operator of vectors.

    Args:
        name: name of the operator's method, such as "__add__".
        sign: the operator in error messages.
    """
    compute = getattr(np.ndarray, name)

    def operator(self: Any, other: object) -> Any:
        if isinstance(other, BaseMatrix | BaseQuaternion):
            self._unsupported_type(VERBS.get(sign, sign), other)
        try:
            found = compute(self, other)
        except (TypeError, ValueError) as error:
            kind = ValueError if isinstance(error, ValueError) else TypeError
            raise kind(_mismatch(sign, other)) from None
        if found is NotImplemented or (type(found) is Vector3 and found.shape == (3,)):
            return found
        return found.view(Vector3 if found.shape == (3,) else np.ndarray)

    operator.__name__, operator.__doc__ = name, compute.__doc__
    return operator


def _in_place(name: str, sign: str) -> Callable[[Any, object], Any]:
    """Return an operator that changes a vector, such as `+=`.

    Args:
        name: name of the method that computes the new numbers, such as "__add__".
        sign: the operator in error messages.
    """
    compute = _arithmetic(name, sign)

    def operator(self: Any, other: object) -> Any:
        found = compute(self, other)
        if found is NotImplemented:
            return found
        if found.shape != self.shape:
            raise ValueError(_mismatch(sign, other))
        np.copyto(self, found)
        return self

    operator.__name__ = name.replace("__", "__i", 1)
    return operator


def _mismatch(sign: str, other: object) -> str:
    return f"vector {sign}: expected a number or three numbers on the other side, got {other!r:.80}"


class Vector3(Given, pyrr.Vector3):  # type: ignore[misc]  # pyrr has no types
    """Three numbers: `+ - * /` and `==` take numbers, tuples, lists, arrays and vectors.

    `|` is the dot product and `^` the cross product.
    """

    __slots__ = ("change", "origin", "whole")
    __array_priority__ = 1.0  # beside vectors of pyrr, results are of this class
    __hash__ = None  # type: ignore[assignment]  # as of all arrays

    __add__, __radd__ = _arithmetic("__add__", "+"), _arithmetic("__radd__", "+")
    __sub__, __rsub__ = _arithmetic("__sub__", "-"), _arithmetic("__rsub__", "-")
    __mul__, __rmul__ = _arithmetic("__mul__", "*"), _arithmetic("__rmul__", "*")
    __truediv__, __rtruediv__ = _arithmetic("__truediv__", "/"), _arithmetic("__rtruediv__", "/")
    __floordiv__, __mod__ = _arithmetic("__floordiv__", "//"), _arithmetic("__mod__", "%")
    __pow__ = _arithmetic("__pow__", "**")
    __iadd__, __isub__ = _in_place("__add__", "+="), _in_place("__sub__", "-=")
    __imul__, __itruediv__ = _in_place("__mul__", "*="), _in_place("__truediv__", "/=")
    __ifloordiv__, __imod__ = _in_place("__floordiv__", "//="), _in_place("__mod__", "%=")
    __ipow__ = _in_place("__pow__", "**=")

    def __eq__(self, other: Any) -> bool:
        """Return whether all numbers are equal; False beside what is no vector or number."""
        try:
            shape = np.shape(other)
            if shape not in ((), self.shape) and not isinstance(other, np.ndarray):
                return False
            found = np.ndarray.__eq__(self, other)
        except (TypeError, ValueError):
            return False
        return found if found is NotImplemented else bool(np.all(found))

    def __ne__(self, other: Any) -> bool:
        """Return whether any number differs."""
        found = self.__eq__(other)
        return found if found is NotImplemented else not found

    def __or__(self, other: Any) -> Any:
        if self.dtype.kind == "b":  # what a comparison such as numpy.isclose has made
            return np.ndarray.__or__(self, other)
        return self.dot(other)

    def __xor__(self, other: Any) -> Any:
        return np.ndarray.__xor__(self, other) if self.dtype.kind == "b" else self.cross(other)

    def dot(self, other: Any) -> Any:
        """Return the dot product with another vector."""
        return super().dot(_three("dot", other))

    def cross(self, other: Any) -> Vector3:
        """Return the cross product with another vector."""
        found: Vector3 = super().cross(_three("cross", other))
        return found

    @property
    def inverse(self) -> Vector3:
        """The opposite vector."""
        return Vector3(-self)


def _three(name: str, other: Any) -> Any:
    """Return an operand of a product after checking that it is three numbers.

    Args:
        name: name of the product, for the error message.
        other: the operand.

    Raises:
        ValueError: it is not three numbers.
    """
    found = other if isinstance(other, np.ndarray) else np.asarray(other)
    if found.shape[-1:] != (3,) or found.dtype.kind not in "biuf":
        raise ValueError(f"vector {name}: expected three numbers, got {other!r:.80}")
    return found


# -- rotations and matrices --------------------------------------------------------------------


def _own(found: Any) -> Any:
    """Return a result of pyrr in the class that this module has for it."""
    kind = OWN.get(type(found))
    return found if kind is None else found.view(kind)


def _operand(other: object) -> object:
    """Return the other side of an operator in a form that pyrr knows.

    Three numbers are a vector. All else that is no number becomes an array of floats.
    """
    if np.isscalar(other):
        return other
    found = np.asanyarray(other, dtype=np.float64)  # pyrr turns whole numbers to zeros
    return found.view(Vector3) if found.shape == (3,) else found


def _chosen(base: type, name: str, sign: str) -> Callable[[Any, object], Any]:
    """Return an operator of pyrr that takes tuples, too, and says what it does not take.

    Args:
        base: class of pyrr with the operator.
        name: name of the operator's method, such as "__mul__".
        sign: the operator in error messages.
    """
    chooser = vars(base)[name]

    def operator(self: Any, other: object) -> Any:
        try:
            given: Any = _operand(other)
            is_plain = type(given) is np.ndarray and given.shape == (4,)
            if is_plain and issubclass(base, BaseQuaternion):
                given = given.view(Quaternion)
            return _own(chooser.__get__(self, base)(given))
        except (NotImplementedError, ValueError, TypeError, IndexError):
            what = base.__name__
            raise TypeError(f"{what} {sign}: expected another operand, got {other!r:.80}") from None

    operator.__name__ = name
    return operator


def _is_equal(self: Any, other: object) -> bool:
    """Return whether all numbers are equal; q and -q are the same rotation."""
    try:
        found = np.asarray(other)
    except ValueError:  # lists of different lengths
        return False
    if found.shape != self.shape or found.dtype.kind not in "biuf":
        return False
    plain = np.asarray(self)
    is_turned = isinstance(self, BaseQuaternion) and bool(np.all(plain == -found))
    return is_turned or bool(np.all(plain == found))


def _is_unequal(self: Any, other: object) -> bool:
    """Return whether any number differs."""
    return not _is_equal(self, other)


def _keep_classes(kind: type, base: type, names: str) -> None:
    """Make methods and properties of pyrr return the classes of this module.

    Args:
        kind: class of this module.
        base: class of pyrr that it derives from.
        names: names of the methods and properties.
    """
    for name in names.split():
        found = getattr(base, name)
        if isinstance(found, property):
            setattr(kind, name, property(_kept(found.fget), found.fset, doc=found.__doc__))
        else:
            setattr(kind, name, _kept(found))


def _kept(function: Any) -> Callable[..., Any]:
    def method(self: Any, *given: Any) -> Any:
        found = function(self, *given)
        return tuple(map(_own, found)) if isinstance(found, tuple) else _own(found)

    method.__name__, method.__doc__ = function.__name__, function.__doc__
    return method


class Part(Given, np.ndarray[Any, Any]):
    """Some numbers of a matrix or a quaternion."""

    __slots__ = ("whole",)


def _part(self: Any, key: Any) -> Any:
    """Return an item or a part; three numbers are a vector."""
    found = np.ndarray.__getitem__(self, key)
    if not isinstance(found, np.ndarray):
        return found
    part: Any = found.view(Vector3 if found.shape == (3,) else Part)
    if getattr(self, "origin", None) is not None:
        part.whole = self
    return part


class Quaternion(Given, pyrr.Quaternion):  # type: ignore[misc]  # pyrr has no types
    """A rotation as a quaternion; `rotation * (1, 0, 0)` turns a vector."""

    __slots__ = ("change", "origin")
    __hash__ = None  # type: ignore[assignment]  # as of all arrays
    __getitem__ = _part
    __add__ = _chosen(pyrr.Quaternion, "__add__", "+")
    __sub__ = _chosen(pyrr.Quaternion, "__sub__", "-")
    __mul__ = _chosen(pyrr.Quaternion, "__mul__", "*")
    __truediv__ = _chosen(pyrr.Quaternion, "__truediv__", "/")
    __or__ = _chosen(pyrr.Quaternion, "__or__", "|")
    __eq__, __ne__ = _is_equal, _is_unequal


class Matrix33(Given, pyrr.Matrix33):  # type: ignore[misc]  # pyrr has no types
    """A matrix `[3, 3]`; `matrix * (1, 0, 0)` turns a vector."""

    __slots__ = ("change", "origin")
    __hash__ = None  # type: ignore[assignment]  # as of all arrays
    __getitem__ = _part
    __add__ = _chosen(pyrr.Matrix33, "__add__", "+")
    __sub__ = _chosen(pyrr.Matrix33, "__sub__", "-")
    __mul__ = _chosen(pyrr.Matrix33, "__mul__", "*")
    __truediv__ = _chosen(pyrr.Matrix33, "__truediv__", "/")
    __eq__, __ne__ = _is_equal, _is_unequal


class Matrix44(Given, pyrr.Matrix44):  # type: ignore[misc]  # pyrr has no types
    """A matrix `[4, 4]`; `matrix * (1, 0, 0)` moves a point."""

    __slots__ = ("change", "origin")
    __hash__ = None  # type: ignore[assignment]  # as of all arrays
    __getitem__ = _part
    __add__ = _chosen(pyrr.Matrix44, "__add__", "+")
    __sub__ = _chosen(pyrr.Matrix44, "__sub__", "-")
    __mul__ = _chosen(pyrr.Matrix44, "__mul__", "*")
    __truediv__ = _chosen(pyrr.Matrix44, "__truediv__", "/")
    __eq__, __ne__ = _is_equal, _is_unequal


OWN: dict[type, type] = {
    pyrr.Vector3: Vector3,
    pyrr.Quaternion: Quaternion,
    pyrr.Matrix33: Matrix33,
    pyrr.Matrix44: Matrix44,
}
"""The classes of this module by those of pyrr."""

_keep_classes(
    Quaternion,
    pyrr.Quaternion,
    "normalized normalised axis cross lerp slerp conjugate inverse exp power negative matrix33 "
    "matrix44 __invert__",
)
_keep_classes(Matrix33, pyrr.Matrix33, "inverse matrix44 quaternion __invert__")
_keep_classes(Matrix44, pyrr.Matrix44, "inverse matrix33 quaternion decompose __invert__")

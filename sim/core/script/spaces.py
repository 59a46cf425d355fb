"""Spaces: what an agent's observations and actions may be, in plain types of our own.

A space checks a value, converts it to what it holds, and draws a random one. No learning library
is needed; `goishi` turns each into its twin of Gymnasium.
"""

from __future__ import annotations

import logging
import operator
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from base.errors import FieldError

log = logging.getLogger("goishi")

Array: TypeAlias = npt.NDArray[Any]
Value: TypeAlias = "int | Array | dict[str, Value]"
"""What a space holds: a whole number, an array, or these by name."""
PlainSpace: TypeAlias = "tuple[Any, ...]"
"""A space as plain values: its kind, then what it was made of."""
KINDS = {"float32": np.float32, "float64": np.float64, "uint8": np.uint8, "int64": np.int64}
EXPECTED = "Box, Discrete, MultiDiscrete, MultiBinary or a dict of these"


class Space(Protocol):
    """A set of values."""

    def validate(self, value: object, where: str) -> Value:
        """Return a value as the space holds it.

        Args:
            value: what a script or a learner gave.
            where: what the error names, such as "CartPole.act".

        Raises:
            FieldError: it is no value of the space.
        """

    def validate_rows(self, rows: Array) -> Any:
        """Return many values `[n, …]` as `validate` returns each; None where one is not valid.

        Args:
            rows: numbers of the space's type.
        """

    def sample(self, rng: np.random.Generator) -> Value:
        """Return a random value."""


Spaces: TypeAlias = "Space | dict[str, Space]"


class _FormerNames:
    """What spaces have for scripts of before."""

    def take(self: Space, value: object, where: str) -> Value:
        """Do what `validate` does, which had this name before."""
        name = type(self).__name__
        log.warning("%s.take is now %s.validate; the old name still works", name, name)
        return self.validate(value, where)


class Box(_FormerNames):
    """Arrays of numbers between two bounds.

    Args:
        low: least value, one for all or one for each item; -inf for none.
        high: greatest value.
        shape: of the array; None for that of the bounds.
        dtype: "float32", "float64", "uint8" or "int64".

    Raises:
        FieldError: the bounds are no numbers, or do not fit the shape or each other.
    """

    def __init__(
        self,
        low: float | Sequence[float] | Array,
        high: float | Sequence[float] | Array,
        shape: Sequence[int] | None = None,
        dtype: str = "float32",
    ) -> None:
        if dtype not in KINDS:
            raise FieldError("Box.dtype", expected=", ".join(KINDS), found=repr(dtype))
        self.dtype = np.dtype(KINDS[dtype])
        try:
            whole = np.broadcast_shapes(np.shape(low), np.shape(high))
            self.shape = whole if shape is None else tuple(map(operator.index, shape))
            self.low = np.broadcast_to(np.asarray(low, np.float64), self.shape).astype(self.dtype)
            self.high = np.broadcast_to(np.asarray(high, np.float64), self.shape).astype(self.dtype)
        except (TypeError, ValueError) as error:
            raise FieldError("Box", expected="bounds of one shape", found=str(error)) from None
        if not bool((self.low <= self.high).all()):
            raise FieldError("Box", expected="low <= high", found=f"{low!r:.60}, {high!r:.60}")
        self._is_float = self.dtype.kind == "f"

    def validate(self, value: object, where: str) -> Array:
        """Return an array of the space; numbers beyond the bounds are moved to them.

        Raises:
            FieldError: it has another shape, or a number is not finite.
        """
        array = self.array(value, where)
        return np.minimum(np.maximum(array, self.low), self.high)  # faster than `clip`

    def validate_rows(self, rows: Array) -> Array | None:
        """Return many values `[n, …]` as `validate` does; None where one is not finite."""
        if self._is_float and not np.isfinite(rows).all():
            return None
        return np.minimum(np.maximum(rows, self.low), self.high)

    def array(self, value: object, where: str) -> Array:
        """Return an array of the space's shape and type, its bounds left aside.

        Raises:
            FieldError: it has another shape, or a number is not finite.
        """
        try:
            array = np.array(value, self.dtype)
        except (TypeError, ValueError, OverflowError):
            raise self._error(where, value) from None
        if array.shape != self.shape or (
            self._is_float and not np.logical_and.reduce(np.isfinite(array), axis=None)
        ):
            raise self._error(where, value)
        return array

    def sample(self, rng: np.random.Generator) -> Array:
        """Return random numbers between the bounds; where there are none, from -1 to 1 beyond."""
        low = np.where(np.isfinite(self.low), self.low, np.minimum(-1.0, self.high - 1.0))
        high = np.where(np.isfinite(self.high), self.high, np.maximum(1.0, low + 1.0))
        if self._is_float:
            return np.asarray(rng.uniform(low, high, self.shape), self.dtype)
        return np.asarray(rng.integers(low.astype(int), high.astype(int) + 1), self.dtype)

    def _error(self, where: str, value: object) -> FieldError:
        shape = "x".join(map(str, self.shape)) or "one"
        expected = f"finite numbers [{shape}] of {self.dtype}"
        return FieldError(where, expected=expected, found=_shown(value))

    def __repr__(self) -> str:
        return f"Box({_span(self.low)}, {_span(self.high)}, {self.shape}, {str(self.dtype)!r})"


class Discrete(_FormerNames):
    """Whole numbers from `start` on, `n` of them.

    Raises:
        FieldError: `n` is no whole number above 0.
    """

    def __init__(self, n: int, start: int = 0) -> None:
        self.n = _checked_count(n, "Discrete.n")
        self.start = operator.index(start)
        self._end = self.start + n

    def validate(self, value: object, where: str) -> int:
        """Return the number.

        Raises:
            FieldError: it is no whole number of the space.
        """
        try:
            number = operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            if not (isinstance(value, np.ndarray) and value.size == 1 and value.dtype.kind in "iu"):
                raise self._error(where, value) from None
            number = int(value.reshape(-1)[0])
        if self.start <= number < self._end:
            return number
        raise self._error(where, value)

    def validate_rows(self, rows: Array) -> list[int] | None:
        """Return many values `[n, …]` as `validate` does; None where one is not in the space."""
        if ((rows < self.start) | (rows >= self._end)).any():
            return None
        numbers: list[int] = rows.tolist()
        return numbers

    def sample(self, rng: np.random.Generator) -> int:
        """Return a random one."""
        return int(rng.integers(self.start, self._end))

    def _error(self, where: str, value: object) -> FieldError:
        expected = f"a whole number from {self.start} to {self._end - 1}"
        return FieldError(where, expected=expected, found=_shown(value))

    def __repr__(self) -> str:
        return f"Discrete({self.n}{f', {self.start}' if self.start else ''})"


class MultiDiscrete(_FormerNames):
    """Several whole numbers, each from 0 to below a number of its own.

    Raises:
        FieldError: these are not whole numbers above 0.
    """

    def __init__(self, numbers: Sequence[int]) -> None:
        counts = np.asarray(numbers)
        if counts.ndim != 1 or counts.dtype.kind not in "iu" or not counts.size or counts.min() < 1:
            expected = "whole numbers above 0"
            raise FieldError("MultiDiscrete", expected=expected, found=_shown(numbers))
        self.numbers = counts.astype(np.int64)

    def validate(self, value: object, where: str) -> Array:
        """Return them as an array of int64.

        Raises:
            FieldError: there are more or fewer, or one is not in its range.
        """
        try:
            array = np.array(value)
        except ValueError:  # lists of different lengths
            raise self._error(where, value) from None
        is_fit = array.dtype.kind in "iub" and array.shape == self.numbers.shape
        if not is_fit or (array < 0).any() or (array >= self.numbers).any():
            raise self._error(where, value)
        return array.astype(np.int64)

    def validate_rows(self, rows: Array) -> Array | None:
        """Return many values `[n, …]` as `validate` does; None where one is out of its range."""
        if ((rows < 0) | (rows >= self.numbers)).any():
            return None
        return rows.astype(np.int64)

    def sample(self, rng: np.random.Generator) -> Array:
        """Return random ones."""
        return rng.integers(0, self.numbers)

    def _error(self, where: str, value: object) -> FieldError:
        expected = f"whole numbers from 0 to below {self.numbers.tolist()}"
        return FieldError(where, expected=expected, found=_shown(value))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.numbers.tolist()})"


class MultiBinary(MultiDiscrete):
    """Several switches, each 0 or 1.

    Raises:
        FieldError: their number is no whole number above 0.
    """

    def __init__(self, n: int) -> None:
        self.n = _checked_count(n, "MultiBinary.n")
        super().__init__([2] * n)

    def __repr__(self) -> str:
        return f"MultiBinary({self.n})"


def validate_observation(space: Spaces, value: object, where: str) -> Value:
    """Return an observation as its space holds it; the bounds of a Box are only words here.

    Raises:
        FieldError: it is no value of the space.
    """
    if isinstance(space, Box):
        return space.array(value, where)
    if isinstance(space, dict):
        parts = _parts(space, value, where)
        return {
            name: validate_observation(space[name], parts[name], f"{where}: {name}")
            for name in space
        }
    return space.validate(value, where)


def validate_action(space: Spaces, value: object, where: str) -> Value:
    """Return an action as its space holds it.

    Raises:
        FieldError: it is no value of the space.
    """
    if isinstance(space, dict):
        parts = _parts(space, value, where)
        return {name: space[name].validate(parts[name], f"{where}: {name}") for name in space}
    return space.validate(value, where)


def validate_actions(space: Spaces, rows: Any) -> Sequence[Any] | None:
    """Return many actions as `validate_action` returns each; None where one is not valid.

    Args:
        space: of each.
        rows: an array `[n, …]` of the space's type; of a dict these by name.
    """
    if not isinstance(space, dict):
        found: Sequence[Any] | None = space.validate_rows(rows)
        return found
    parts = [part.validate_rows(rows[name]) for name, part in space.items()]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return [dict(zip(space, values, strict=True)) for values in zip(*known, strict=True)]


def random_value(space: Spaces, rng: np.random.Generator) -> Value:
    """Return a random value of a space."""
    if isinstance(space, dict):
        return {name: part.sample(rng) for name, part in space.items()}
    return space.sample(rng)


def checked_space(space: object, where: str) -> Spaces:
    """Return what was declared as a space.

    Raises:
        FieldError: it is none.
    """
    if isinstance(space, Box | Discrete | MultiDiscrete):
        return space
    if isinstance(space, Mapping) and space and all(isinstance(name, str) for name in space):
        parts = {name: checked_space(part, f"{where}: {name}") for name, part in space.items()}
        if all(not isinstance(part, Mapping) for part in parts.values()):
            return parts  # type: ignore[return-value]  # looked at one line above
    raise FieldError(where, expected=EXPECTED, found=_shown(space))


def plain_space(space: Spaces) -> PlainSpace:
    """Return a space as plain values, to be sent to another process or made into another's."""
    if isinstance(space, Box):
        return ("box", space.low, space.high, str(space.dtype))
    if isinstance(space, Discrete):
        return ("discrete", space.n, space.start)
    if isinstance(space, MultiBinary):
        return ("binary", space.n)
    if isinstance(space, MultiDiscrete):
        return ("numbers", space.numbers)
    if isinstance(space, dict):
        return ("dict", {name: plain_space(part) for name, part in space.items()})
    raise FieldError("space", expected=EXPECTED, found=_shown(space))


def _parts(space: Mapping[str, Space], value: object, where: str) -> Mapping[str, object]:
    if isinstance(value, Mapping) and value.keys() == space.keys():
        return value
    keys = ", ".join(map(str, value)) if isinstance(value, Mapping) else ""
    found = f"the keys {keys}" if keys else _shown(value)
    raise FieldError(where, expected=f"a dict with the keys {', '.join(space)}", found=found)


def _checked_count(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise FieldError(where, expected="a whole number above 0", found=repr(value))
    return value


def _span(bounds: Array) -> object:
    flat = bounds.reshape(-1)
    is_even = flat.size and (flat == flat[0]).all()
    return flat[0].item() if is_even else bounds.tolist()


def _shown(value: object) -> str:
    """Return a value on one short line."""
    if isinstance(value, np.ndarray):
        shape = "x".join(map(str, value.shape)) or "one"
        return f"{' '.join(repr(value.tolist()).split()):.60} [{shape}] of {value.dtype}"
    return " ".join(f"{value!r:.80}".split())

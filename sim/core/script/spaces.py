"""Spaces: the permitted values of an agent's observations and actions.

A space validates and converts values and draws random ones. It needs no learning library; `goishi`
converts each space to the corresponding Gymnasium space.
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
"""Value of a space: a whole number, an array, or a dict of these by name."""
PlainSpace: TypeAlias = "tuple[Any, ...]"
"""A space as plain values: the name of its kind, followed by its parameters."""
KINDS = {"float32": np.float32, "float64": np.float64, "uint8": np.uint8, "int64": np.int64}
EXPECTED = "Box, Discrete, MultiDiscrete, MultiBinary or a dict of these"


class Space(Protocol):
    """Interface of a set of permitted values."""

    def validate(self, value: object, where: str) -> Value:
        """Check a value and return it in the space's own type.

        Args:
            value: what a script or a learner returned.
            where: origin of the value for the error message, such as "CartPole.act".

        Raises:
            FieldError: the value is not in the space.
        """

    def validate_rows(self, rows: Array) -> Any:
        """Check many values at once and return them in the space's own type.

        Args:
            rows: the values, `[n, …]`: an array with one row for each value.

        Returns:
            The values; None if any of them is not in the space.
        """

    def sample(self, rng: np.random.Generator) -> Value:
        """Return a random value of the space."""


Spaces: TypeAlias = "Space | dict[str, Space]"


class _FormerNames:
    """Mix-in with the former names of the methods of spaces, for older scripts."""

    def take(self: Space, value: object, where: str) -> Value:
        """Call `validate`, of which this is the former name, and log a warning.

        Args:
            value: what a script or a learner returned.
            where: origin of the value for the error message.
        """
        name = type(self).__name__
        log.warning("%s.take is now %s.validate; the old name still works", name, name)
        return self.validate(value, where)


class Box(_FormerNames):
    """Arrays of numbers between two bounds.

    Args:
        low: lower bound, one number for all items or an array; -inf for none.
        high: upper bound, likewise; inf for none.
        shape: shape of the array; None for the shape of the bounds.
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
        """Return `value` as an array of the space; numbers beyond the bounds are clipped.

        Args:
            value: what a script or a learner returned.
            where: origin of the value for the error message.

        Raises:
            FieldError: the shape differs, or a number is not finite.
        """
        array = self.array(value, where)
        return np.minimum(np.maximum(array, self.low), self.high)  # faster than `clip`

    def validate_rows(self, rows: Array) -> Array | None:
        """Return many values at once, clipped to the bounds.

        Args:
            rows: the values, `[n, …]`.

        Returns:
            Array `[n, …]`; None if a number is not finite.
        """
        if self._is_float and not np.isfinite(rows).all():
            return None
        return np.minimum(np.maximum(rows, self.low), self.high)

    def array(self, value: object, where: str) -> Array:
        """Return `value` as an array of the space's shape and type, without applying the bounds.

        Args:
            value: what a script or a learner returned.
            where: origin of the value for the error message.

        Raises:
            FieldError: the shape differs, or a number is not finite.
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
        """Return uniformly random numbers between the bounds.

        A missing lower bound counts as -1, or as the upper bound minus 1 if that is less. A missing
        upper bound counts as 1, or as the lower bound plus 1 if that is more.

        Args:
            rng: source of the random numbers.
        """
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
    """Whole numbers from `start` to `start + n - 1`.

    Raises:
        FieldError: `n` is no whole number above 0.
    """

    def __init__(self, n: int, start: int = 0) -> None:
        self.n = _checked_count(n, "Discrete.n")
        self.start = operator.index(start)
        self._end = self.start + n

    def validate(self, value: object, where: str) -> int:
        """Return `value` as an int.

        Args:
            value: what a script or a learner returned.
            where: origin of the value for the error message.

        Raises:
            FieldError: the value is no whole number of the space.
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
        """Return many values at once as a list of ints.

        Args:
            rows: the values, `[n]`.

        Returns:
            The list; None if any value is not in the space.
        """
        if ((rows < self.start) | (rows >= self._end)).any():
            return None
        numbers: list[int] = rows.tolist()
        return numbers

    def sample(self, rng: np.random.Generator) -> int:
        """Return a random number of the space."""
        return int(rng.integers(self.start, self._end))

    def _error(self, where: str, value: object) -> FieldError:
        expected = f"a whole number from {self.start} to {self._end - 1}"
        return FieldError(where, expected=expected, found=_shown(value))

    def __repr__(self) -> str:
        return f"Discrete({self.n}{f', {self.start}' if self.start else ''})"


class MultiDiscrete(_FormerNames):
    """Fixed-length arrays of whole numbers; item i is from 0 to `numbers[i] - 1`.

    Raises:
        FieldError: `numbers` holds something other than whole numbers above 0.
    """

    def __init__(self, numbers: Sequence[int]) -> None:
        counts = np.asarray(numbers)
        if counts.ndim != 1 or counts.dtype.kind not in "iu" or not counts.size or counts.min() < 1:
            expected = "whole numbers above 0"
            raise FieldError("MultiDiscrete", expected=expected, found=_shown(numbers))
        self.numbers = counts.astype(np.int64)

    def validate(self, value: object, where: str) -> Array:
        """Return `value` as an int64 array.

        Args:
            value: what a script or a learner returned.
            where: origin of the value for the error message.

        Raises:
            FieldError: the length differs, or a number is out of its range.
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
        """Return many values at once as an int64 array.

        Args:
            rows: the values, `[n, length]`.

        Returns:
            Array `[n, length]`; None if any number is out of its range.
        """
        if ((rows < 0) | (rows >= self.numbers)).any():
            return None
        return rows.astype(np.int64)

    def sample(self, rng: np.random.Generator) -> Array:
        """Return a random array of the space."""
        return rng.integers(0, self.numbers)

    def _error(self, where: str, value: object) -> FieldError:
        expected = f"whole numbers from 0 to below {self.numbers.tolist()}"
        return FieldError(where, expected=expected, found=_shown(value))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.numbers.tolist()})"


class MultiBinary(MultiDiscrete):
    """Arrays of `n` numbers that are each 0 or 1.

    Raises:
        FieldError: `n` is no whole number above 0.
    """

    def __init__(self, n: int) -> None:
        self.n = _checked_count(n, "MultiBinary.n")
        super().__init__([2] * n)

    def __repr__(self) -> str:
        return f"MultiBinary({self.n})"


def validate_observation(space: Spaces, value: object, where: str) -> Value:
    """Check an observation and return it in its space's own type.

    Numbers beyond the bounds of a `Box` are neither clipped nor refused.

    Args:
        space: the observation space.
        value: what the agent's `observe` returned.
        where: origin of the value for the error message, such as "CartPole.observe".

    Raises:
        FieldError: the value is not in the space.
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
    """Check an action and return it in its space's own type.

    Args:
        space: the action space.
        value: what a learner, a policy or `decide` returned.
        where: origin of the value for the error message.

    Raises:
        FieldError: the value is not in the space.
    """
    if isinstance(space, dict):
        parts = _parts(space, value, where)
        return {name: space[name].validate(parts[name], f"{where}: {name}") for name in space}
    return space.validate(value, where)


def validate_actions(space: Spaces, rows: Any) -> Sequence[Any] | None:
    """Check many actions at once and return them in the space's own type.

    Args:
        space: the space of each action.
        rows: array `[n, …]` of the space's type; for a dict of spaces, a dict of such arrays.

    Returns:
        The actions; None if any of them is not in the space.
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
    """Return a declared value as a space after checking that it is one.

    Args:
        space: the declared value.
        where: origin of the value for the error message, such as "CartPole.action_space".

    Raises:
        FieldError: it is no space and no dict of spaces.
    """
    if isinstance(space, Box | Discrete | MultiDiscrete):
        return space
    if isinstance(space, Mapping) and space and all(isinstance(name, str) for name in space):
        parts = {name: checked_space(part, f"{where}: {name}") for name, part in space.items()}
        if all(not isinstance(part, Mapping) for part in parts.values()):
            return parts  # type: ignore[return-value]  # looked at one line above
    raise FieldError(where, expected=EXPECTED, found=_shown(space))


def plain_space(space: Spaces) -> PlainSpace:
    """Return a space as a tuple of plain values, to be sent to another process or converted.

    Raises:
        FieldError: `space` is no space.
    """
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
    """Return a value as one short line of text for an error message."""
    if isinstance(value, np.ndarray):
        shape = "x".join(map(str, value.shape)) or "one"
        return f"{' '.join(repr(value.tolist()).split()):.60} [{shape}] of {value.dtype}"
    return " ".join(f"{value!r:.80}".split())

"""Checks of the arguments of canvas commands; errors say what was expected and what was found.

`where` and `name` in these functions are the command and the argument that an error names.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from base.spelling import one_of

FloatArray = npt.NDArray[np.float64]
Picture = npt.NDArray[np.uint8]
LARGEST = 4096  # pixels of a side
SHOWN = 60  # characters of a wrong value that are shown


def checked_color(where: str, name: str, value: object) -> tuple[float, float, float, float]:
    """Check a colour; return red, green, blue and opacity, 0 to 1.

    Opacity is 1 if the colour has only three numbers.

    Args:
        where: name of the command, for the error message.
        name: name of the argument, for the error message.
        value: the colour.

    Raises:
        ValueError: it is not three or four numbers from 0 to 1.
    """
    numbers = _numbers(value)
    is_color = numbers is not None and numbers.shape in ((3,), (4,))
    if numbers is None or not is_color or not ((numbers >= 0.0) & (numbers <= 1.0)).all():
        expected = "a colour, three or four numbers from 0 to 1"
        raise _fault(f"{where}: {name}", expected, value)
    red, green, blue = map(float, numbers[:3])
    return red, green, blue, float(numbers[3]) if len(numbers) == 4 else 1.0


def checked_number(
    where: str, name: str, value: object, *, low: float = -np.inf, high: float = np.inf
) -> float:
    """Check that a value is a finite number from `low` to `high`; return it as a float.

    Args:
        where: name of the command, for the error message.
        name: name of the argument, for the error message.
        value: the number.
        low: smallest allowed number.
        high: largest allowed number.

    Raises:
        ValueError: it is no finite number, or is outside the bounds.
    """
    numbers = _numbers(value)
    if numbers is None or numbers.shape != () or not np.isfinite(numbers):
        raise _fault(f"{where}: {name}", "a finite number", value)
    number = float(numbers)
    if not low <= number <= high:
        bounds = f"from {low:g} to {high:g}" if np.isfinite(high) else f"of at least {low:g}"
        raise ValueError(f"{where}: {name}: expected a number {bounds}, found {number:g}")
    return number


def checked_choice(where: str, name: str, value: object, choices: Sequence[str]) -> str:
    """Check that a value is one of the allowed words; return it.

    Args:
        where: name of the command, for the error message.
        name: name of the argument, for the error message.
        value: the word.
        choices: allowed words.

    Raises:
        ValueError: it is not among the choices.
    """
    if value not in choices:
        raise _fault(f"{where}: {name}", one_of(choices, value), value)
    return str(value)


def checked_place(where: str, name: str, value: object) -> FloatArray:
    """Check that a value is a point; return its x and y as an array `[2]`.

    Args:
        where: name of the command, for the error message.
        name: name of the argument, for the error message.
        value: the point.

    Raises:
        ValueError: it is not two finite numbers.
    """
    numbers = _numbers(value)
    if numbers is None or numbers.shape != (2,) or not np.isfinite(numbers).all():
        raise _fault(f"{where}: {name}", "x and y, two finite numbers", value)
    return numbers


def checked_area(where: str, name: str, value: object) -> FloatArray:
    """Check that a value is a rectangle; return left, top, width and height as an array `[4]`.

    Args:
        where: name of the command, for the error message.
        name: name of the argument, for the error message.
        value: the rectangle.

    Raises:
        ValueError: it is not four finite numbers, or width or height is not positive.
    """
    numbers = _numbers(value)
    is_area = numbers is not None and numbers.shape == (4,) and bool(np.isfinite(numbers).all())
    if numbers is None or not is_area or not (numbers[2:] > 0.0).all():
        expected = "left, top, width and height, finite, with positive sides"
        raise _fault(f"{where}: {name}", expected, value)
    return numbers


def checked_sides(where: str, name: str, value: object) -> FloatArray:
    """Check that a value is a width and a height; return them as an array `[2]`.

    Args:
        where: name of the command, for the error message.
        name: name of the argument, for the error message.
        value: width and height.

    Raises:
        ValueError: it is not two finite numbers above 0.
    """
    numbers = _numbers(value)
    is_pair = numbers is not None and numbers.shape == (2,) and bool(np.isfinite(numbers).all())
    if numbers is None or not is_pair or not (numbers > 0.0).all():
        raise _fault(f"{where}: {name}", "width and height, two numbers above 0", value)
    return numbers


def checked_points(where: str, value: object, *, least: int) -> FloatArray:
    """Check that a value is a list of points; return it as an array `[n, 2]`.

    Args:
        where: name of the command, for the error message.
        value: the points.
        least: smallest allowed number of points.

    Raises:
        ValueError: it has another shape, too few points, or numbers that are not finite.
    """
    numbers = _numbers(value)
    if numbers is None or numbers.ndim != 2 or numbers.shape[1] != 2 or len(numbers) < least:
        expected = f"[n, 2] numbers with n of at least {least}"
        raise _fault(f"{where}: points", expected, value, numbers)
    _check_finite(where, "points", numbers)
    return numbers


def checked_values(where: str, value: object, *, dimensions: int) -> FloatArray:
    """Check that a value is a list or table of finite numbers, not empty; return it as an array.

    Args:
        where: name of the command, for the error message.
        value: the numbers.
        dimensions: 1 for an array `[n]`, 2 for an array `[rows, columns]`.

    Raises:
        ValueError: the shape is wrong, it is empty, or a number is not finite.
    """
    numbers = _numbers(value)
    if numbers is None or numbers.ndim != dimensions or not numbers.size:
        wanted = "[n]" if dimensions == 1 else "[rows, columns]"
        raise _fault(f"{where}: values", f"{wanted} numbers, at least one", value, numbers)
    _check_finite(where, "values", numbers)
    return numbers


def checked_picture(where: str, value: object) -> Picture:
    """Check that a value is a picture array of uint8; return it.

    Args:
        where: name of the command, for the error message.
        value: the picture, `[h, w]`, `[h, w, 3]` or `[h, w, 4]`.

    Raises:
        ValueError: it has another shape or type.
    """
    array: Picture = value if isinstance(value, np.ndarray) else np.empty(0, np.uint8)
    is_picture = array.ndim == 2 or (array.ndim == 3 and array.shape[2] in (3, 4))
    if not is_picture or array.dtype != np.uint8 or not array.size:
        found = f"{list(array.shape)} of {array.dtype}" if array is value else _short(value)
        raise ValueError(
            f"{where}: expected a path, a canvas or an array [h, w], [h, w, 3] or [h, w, 4] of "
            f"uint8, found {found}"
        )
    return np.asarray(array, dtype=np.uint8)


def checked_size(where: str, width: object, height: object) -> tuple[int, int]:
    """Check the width and height of a picture in pixels; return both.

    Args:
        where: name of the command, for the error message.
        width: the width.
        height: the height.

    Raises:
        ValueError: they are not whole numbers from 1 to `LARGEST`.
    """
    sides = [int(item) for item in (width, height) if isinstance(item, int | np.integer)]
    if len(sides) < 2 or not all(1 <= side <= LARGEST for side in sides):
        expected = f"width and height in whole pixels from 1 to {LARGEST}"
        raise _fault(where, expected, (width, height))
    return sides[0], sides[1]


def _check_finite(where: str, name: str, numbers: FloatArray) -> None:
    wrong = np.argwhere(~np.isfinite(numbers))
    if len(wrong):
        at = ", ".join(map(str, wrong[0].tolist()))
        raise ValueError(
            f"{where}: {name}: expected finite numbers, found {numbers[tuple(wrong[0])]} at [{at}]"
        )


def _fault(
    where: str, expected: str, found: object, numbers: FloatArray | None = None
) -> ValueError:
    """Return the error for a wrong value; its message says what was expected and found.

    Args:
        where: name of the command.
        expected: description of valid values.
        found: the wrong value.
        numbers: the value as an array, whose shape the message then names; None for no shape.
    """
    shape = "" if numbers is None else f" of shape {list(numbers.shape)}"
    return ValueError(f"{where}: expected {expected}, found {_short(found)}{shape}")


def _numbers(value: object) -> FloatArray | None:
    """Return a value as an array of numbers; None if it is not numeric."""
    try:
        array = np.asarray(value)
        return array.astype(np.float64) if array.dtype.kind in "biuf" else None
    except (ValueError, TypeError):
        return None


def _short(value: object) -> str:
    if isinstance(value, np.ndarray) and value.size > 4:
        return f"an array of {value.dtype}"
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"

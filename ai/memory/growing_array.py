"""An array to which rows are appended; its memory grows by doubling."""

from __future__ import annotations

from typing import Final, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

_FIRST_CAPACITY: Final = 256

Scalar = TypeVar("Scalar", bound=np.generic)


class GrowingArray(Generic[Scalar]):
    """Array `[N, ...]` that grows row by row; a row costs the same however many there are.

    >>> squares = GrowingArray((), np.int64)
    >>> [squares.append(number**2) for number in range(4)]
    [0, 1, 2, 3]
    >>> squares.rows.tolist()
    [0, 1, 4, 9]
    """

    def __init__(self, shape: tuple[int, ...], kind: type[Scalar]) -> None:
        """Start without rows.

        Args:
            shape: shape of a row; () for a row that is one number.
            kind: type of the numbers.
        """
        self._rows: NDArray[Scalar] = np.zeros((_FIRST_CAPACITY, *shape), kind)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def rows(self) -> NDArray[Scalar]:
        """`[N, ...]` the rows, not copied: rows can be changed in it until one is appended."""
        return self._rows[: self._count]

    def append(self, row: ArrayLike) -> int:
        """Append a row and return its number, counted from 0."""
        if self._count == len(self._rows):
            self._grow(2 * self._count)
        self._rows[self._count] = row
        self._count += 1
        return self._count - 1

    def extend(self, rows: ArrayLike) -> None:
        """Append several rows (`[K, ...]`)."""
        added = np.asarray(rows)
        if self._count + len(added) > len(self._rows):
            self._grow(max(2 * len(self._rows), self._count + len(added)))
        self._rows[self._count : self._count + len(added)] = added
        self._count += len(added)

    def replace_all(self, rows: ArrayLike) -> None:
        """Replace all rows by other rows (`[K, ...]`)."""
        kept = np.array(rows, self._rows.dtype)  # a copy, in case they are some of its own
        self._count = 0
        self.extend(kept)

    def clear(self) -> None:
        """Delete all rows and release their memory."""
        self._rows = np.zeros((_FIRST_CAPACITY, *self._rows.shape[1:]), self._rows.dtype)
        self._count = 0

    def _grow(self, capacity: int) -> None:
        """Move the rows to a larger array; the part without rows takes no memory yet.

        Args:
            capacity: number of rows that the array can hold.
        """
        larger = np.zeros((capacity, *self._rows.shape[1:]), self._rows.dtype)
        larger[: self._count] = self.rows
        self._rows = larger

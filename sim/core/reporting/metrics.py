"""Metrics: numbers that scripts log, plotted live and written to the run's folder."""

from __future__ import annotations

import contextlib
import json
import math
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from base.closed import Closed
from base.files import check_no_link

FloatArray = npt.NDArray[np.float64]


class MetricStore(Closed):
    """Named series of (step, value) pairs.

    Args:
        path: a JSON-lines file to append each value to; None keeps them in memory only.
        warn: called once when writing the file fails; values are then kept in memory only.
    """

    __slots__ = ("_file", "_path", "_steps", "_values", "_warn", "revision")

    def __init__(
        self, path: Path | None = None, warn: Callable[[str], object] = lambda text: None
    ) -> None:
        self._path = path
        self._warn = warn
        self._steps: dict[str, array[float]] = {}
        self._values: dict[str, array[float]] = {}
        if path is not None:
            check_no_link(path)
        self._file: IO[str] | None = path.open("a", encoding="utf-8") if path else None
        self.revision = 0

    def log(self, name: str, value: float, step: float | None = None) -> None:
        """Append a value to a series.

        Args:
            name: name of the series.
            value: the value.
            step: horizontal coordinate in the plot; None for the value's index in the series.

        Raises:
            ValueError: the value or the step is not a finite number.
        """
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise ValueError(f"metric {name}: expected a finite number, got {value!r}")
        if step is not None and not math.isfinite(step):
            raise ValueError(f"metric {name}: expected a finite step, got {step!r}")
        values = self._values.setdefault(name, array("d"))
        steps = self._steps.setdefault(name, array("d"))
        position = float(len(values)) if step is None else float(step)
        steps.append(position)
        values.append(number)
        self.revision += 1
        if self._file is not None:
            line = json.dumps({"name": name, "step": position, "value": number}) + "\n"
            self._write(self._file, line)

    def series(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Return the steps and values of a series, both `[n]` copies; empty if unknown."""
        steps = np.array(self._steps.get(name, ()), dtype=np.float64)
        return steps, np.array(self._values.get(name, ()), dtype=np.float64)

    def latest(self) -> dict[str, float]:
        """Return the latest value of each series."""
        return {name: values[-1] for name, values in self._values.items() if values}

    def names(self) -> list[str]:
        """Return the names logged so far, in the order of their first value."""
        return list(self._values)

    def clear(self, name: str) -> None:
        """Delete the series `name`."""
        self._steps.pop(name, None)
        self._values.pop(name, None)
        self.revision += 1

    def clear_all(self) -> None:
        """Delete all series; a file keeps its lines."""
        self._steps.clear()
        self._values.clear()
        self.revision += 1

    def close(self) -> None:
        """Close the file, if there is one."""
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError as error:
                self._complain(error)

    def _write(self, file: IO[str], line: str) -> None:
        try:
            file.write(line)
        except OSError as error:
            self._file = None
            self._complain(error)
            with contextlib.suppress(OSError):
                file.close()

    def _complain(self, error: OSError) -> None:
        self._warn(f"{self._path}: expected to write metrics, found: {error.strerror or error}")

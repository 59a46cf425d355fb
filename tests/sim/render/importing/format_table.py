"""What each format of model brings: the table of docs/models.md, and the files that prove it.

Each cell that says `yes` or `no` has at least one `Case`. A case writes a small file that says the
feature, and judges whether the imported model has it. Cases stand in `cases_*.py`, by format.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from panda3d.core import GeomVertexReader, NodePath

from base.files import SHIPPED_ROOT
from tests.sim.render.importing.model_files import Model

PAGE = SHIPPED_ROOT / "docs/models.md"
COLUMNS = ("FBX", "glTF", "OBJ", "STL", "PLY", "DAE", "egg, bam")
HEAD = f"| feature | {' | '.join(COLUMNS)} |"
WORDS = {True: "yes", False: "no"}
NOTHING = "–"


class Brought:
    """What an import brought: its report, and the model that it made."""

    def __init__(self, report: dict[str, Any], folder: Path) -> None:
        self.report = report
        self._folder = folder

    @cached_property
    def model(self) -> Model:
        return Model(self._folder)

    @property
    def said(self) -> str:
        """All warnings and notes as one text."""
        return " | ".join([*self.report["warnings"], *self.report["notes"]])

    @property
    def look(self) -> dict[str, Any]:
        """The surface of the first mesh."""
        return dict(json.loads(self._part().get_tag("surface")))

    def has_points(self, expected: Any) -> bool:
        """Return whether the model has these points, in any order."""
        found = sorted({tuple(row) for row in self.model.points().round(4).tolist()})
        wanted = sorted({tuple(map(float, row)) for row in np.round(expected, 4)})
        return len(found) == len(wanted) and np.allclose(found, wanted, atol=1e-3)

    def column(self, name: str) -> np.ndarray:
        """Return a column of the first mesh's vertices, `[n, 4]`."""
        data = self._part().node().get_geom(0).get_vertex_data()
        reader = GeomVertexReader(data, name)
        return np.array([tuple(reader.get_data4()) for _ in range(data.get_num_rows())])

    @property
    def picture(self) -> Any:
        """The Panda3D texture of the first mesh; None without one."""
        part = self._part()
        return part.get_texture() if part.has_texture() else None

    def _part(self) -> NodePath:
        return self.model.figure.node.find("**/+GeomNode")


@dataclass(frozen=True)
class Case:
    """A file that says a feature, and how to see that the feature was brought.

    Attributes:
        feature: the row of the table.
        format: the column of the table.
        files: names and contents; the first is the model.
        holds: judges what was imported.
    """

    feature: str
    format: str
    files: dict[str, bytes]
    holds: Callable[[Brought], Any]

    def is_brought(self, result: tuple[dict[str, Any], Path]) -> bool:
        report, folder = result
        return "error" not in report and bool(self.holds(Brought(report, folder)))


def table_of(page: str) -> dict[tuple[str, str], str]:
    """Return the cells of the page's table by feature and format."""
    lines = page.split(HEAD)[1].splitlines()[2:]
    cells: dict[tuple[str, str], str] = {}
    for line in lines:
        if not line.startswith("|"):
            break
        feature, *words = (word.strip() for word in line.strip("|").split("|"))
        for name, word in zip(COLUMNS, words, strict=True):
            cells[feature, name] = word
    return cells

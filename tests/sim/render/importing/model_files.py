"""Imports files and reads back what Panda3D makes of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from panda3d.core import CullFaceAttrib, GeomVertexReader, Texture, Thread

from base.files import SHIPPED_ROOT
from sim.core.assets.animation.poses import model_matrices
from sim.core.assets.animation.rig import Rig, read_rig
from sim.core.assets.assets import RIG_NAME
from sim.render.models.figures import Figure, read_figure

TOLERANCE = 1e-3  # of a model's size


def run(module: str, job: Any, timeout: float = 120.0) -> list[dict[str, Any]]:
    """Run a helper module with a JSON job; return its JSON lines."""
    done = subprocess.run(
        [sys.executable, "-m", module], input=json.dumps(job), text=True, cwd=SHIPPED_ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=timeout, check=False,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines() if line.strip()]


def imported(
    files: Sequence[Path], target: Path, project: Path | None = None
) -> list[tuple[dict[str, Any], Path]]:
    """Import files in one child; return each one's report and folder."""
    folders = [target / f"model{number}" for number in range(len(files))]
    for folder in folders:
        folder.mkdir(parents=True)
    pairs = [[str(file), str(folder)] for file, folder in zip(files, folders, strict=True)]
    job = {"project": str(project or files[0].parent), "files": pairs}
    reports = run("tests.sim.render.importing.import_batch", job)
    return list(zip(reports, folders, strict=True))


class Model:
    """An imported model, and Panda3D's nodes for it."""

    def __init__(self, folder: Path) -> None:
        self.rig: Rig = read_rig(folder / RIG_NAME)
        self.figure = Figure(read_figure(folder), Texture("blank"), {})

    def points(self, clip: str = "", time: float = 0.0) -> np.ndarray:
        """Return where Panda3D draws the vertices in a pose, in the model's space."""
        rig = self.rig
        pose = rig.clip(clip).sample(time, rig.rest) if clip else rig.rest
        self.figure.pose(model_matrices(pose, rig.parents), pose.sliders)
        found = [np.empty((0, 3))]
        for path in self.figure.node.find_all_matches("**/+GeomNode"):
            place = np.array([list(row) for row in path.get_mat(self.figure.node).get_rows()])
            for number in range(path.node().get_num_geoms()):
                data = path.node().get_geom(number).get_vertex_data()
                moved = data.animate_vertices(True, Thread.get_current_thread())
                content = moved.get_array(0).get_handle().get_data()
                rows = np.frombuffer(content, dtype=np.float32).reshape(moved.get_num_rows(), -1)
                found.append(rows[:, :3].astype(np.float64) @ place[:3, :3] + place[3, :3])
        return np.concatenate(found)

    def facing(self) -> np.ndarray:
        """Return the normal of the side from which the first triangle is seen, as it lies now."""
        path = self.figure.node.find("**/+GeomNode")
        place = np.array([list(row) for row in path.get_mat(self.figure.node).get_rows()])
        geom = path.node().get_geom(0).decompose()
        moved = geom.get_vertex_data().animate_vertices(True, Thread.get_current_thread())
        reader = GeomVertexReader(moved, "vertex")
        corners = []
        for number in range(3):
            reader.set_row(geom.get_primitive(0).get_vertex(number))
            corners.append(np.array(reader.get_data3()) @ place[:3, :3])
        found = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        culling = path.get_net_state().get_attrib(CullFaceAttrib)
        shown = CullFaceAttrib.M_cull_counter_clockwise
        is_reversed = culling is not None and culling.get_effective_mode() == shown
        return -found if is_reversed else found

    def parts(self) -> list[dict[str, Any]]:
        """Return the surfaces of the meshes, with the texture's size where there is one."""
        found = []
        for path in self.figure.node.find_all_matches("**/+GeomNode"):
            look = json.loads(path.get_tag("surface"))
            texture = path.get_texture() if path.has_texture() else None
            look["size"] = texture and (texture.get_x_size(), texture.get_y_size())
            found.append(look)
        return found


def apart(first: np.ndarray, second: np.ndarray) -> float:
    """Return how far two sets of points are apart, by the size of the second."""
    size = max(1e-9, float(np.ptp(second, axis=0).max()))
    return max(_farthest(first, second), _farthest(second, first)) / size


def _farthest(points: np.ndarray, others: np.ndarray) -> float:
    found = 0.0
    for begin in range(0, len(points), 256):
        gaps = np.linalg.norm(points[begin : begin + 256, None] - others[None], axis=2)
        found = max(found, float(gaps.min(axis=1).max()))
    return found

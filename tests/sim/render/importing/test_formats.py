"""A format is a reader's module and its line in the registry: nothing else knows of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sim.core.assets.assets import MODEL_NAME, AssetError, cache_key, read_report
from sim.core.assets.formats import FORMATS
from sim.physics.asset_mesh import read_triangles
from sim.render.importing.child import import_model

READER = """
import numpy as np
from sim.core.assets.animation.poses import Pose
from sim.core.assets.animation.rig import Rig
from sim.render.importing.model_data import MeshData, ModelData, ModelError, Surface

def read(path, beside):
    lines = path.read_text().split()
    if len(lines) % 9:
        raise ModelError(f"expected nine numbers a triangle, found {len(lines)}")
    points = np.array(lines, dtype=float).reshape(-1, 3)
    rest = Pose(np.zeros((1, 3)), np.array([[0.0, 0.0, 0.0, 1.0]]), np.ones((1, 3)), np.zeros(0))
    model = ModelData(Rig(("root",), np.array([-1]), rest, (), {}))
    model.surfaces.append(Surface(color=(1.0, 0.0, 0.0)))
    flat = np.zeros((len(points), 2))
    corners = np.arange(len(points)).reshape(-1, 3)
    mesh = MeshData("all", 0, points, np.zeros_like(points), flat, corners, 0)
    mesh.flatten()
    model.meshes.append(mesh)
    return model
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model of a new kind; its reader is a new file, and one line."""
    (tmp_path / "tri_reader.py").write_text(READER, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(FORMATS, ".tri", "tri_reader")
    (tmp_path / "a.tri").write_text("0 0 0  1 0 0  0 0 1", encoding="utf-8")
    (tmp_path / "bad.tri").write_text("1 2", encoding="utf-8")
    return tmp_path


def test_a_new_kind_of_file_is_read(project: Path) -> None:
    folder = project / "made"
    folder.mkdir()
    assert len(cache_key(project / "a.tri")) == 40
    report = import_model(project / "a.tri", folder, project)
    assert report == {"warnings": [], "notes": [], "beside": {}}
    (folder / "report.json").write_text(json.dumps(report), encoding="utf-8")
    assert read_report(folder) == report
    assert np.allclose(read_triangles(folder / MODEL_NAME), [[[0, 0, 0], [1, 0, 0], [0, 0, 1]]])


def test_what_its_reader_refuses_is_the_error(project: Path) -> None:
    report = import_model(project / "bad.tri", project, project)
    assert report == {"error": "expected nine numbers a triangle, found 2"}


def test_a_file_of_no_kind_is_named_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match=r"expected a file of \.fbx, .*\.bam, found a\.tri"):
        cache_key(tmp_path / "a.tri")

"""glTF and OBJ: against rigs computed by hand."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from sim.core.assets.animation.poses import quaternion_of, rotation_matrices, slerp
from sim.render.importing.gltf import ClipReader
from tests.sim.render.importing.fbx_rigs import turn
from tests.sim.render.importing.gltf_files import LIFT, POINTS, WEIGHTS, Buffer, glb_of, small_glb
from tests.sim.render.importing.model_files import TOLERANCE, Model, apart, imported

SAMPLES = Path("/usr/share/assimp/models")


def bent(share: float, lift: float) -> np.ndarray:
    """Return the strip with its elbow turned by `share` of a quarter, z up."""
    elbow = np.array([1.0, 0.0, 0.0])
    points = POINTS + LIFT * lift
    turned = (points - elbow) @ turn((0.0, 0.0, 90.0 * share)) + elbow
    x, y, z = (points * WEIGHTS[:, :1] + turned * WEIGHTS[:, 1:2]).T
    return np.stack([x, -z, y], axis=1)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Model]:
    folder = tmp_path_factory.mktemp("models")
    contents = {kind: small_glb(kind) for kind in ("LINEAR", "STEP", "CUBICSPLINE")}
    files = []
    for kind, content in contents.items():
        files.append(folder / f"{kind}.glb")
        files[-1].write_bytes(content)
    results = imported(files, folder / "made")
    assert [report for report, _ in results if "error" in report] == []
    return {kind: Model(made) for kind, (_, made) in zip(contents, results, strict=True)}


def test_joints_clips_and_surfaces_are_those_of_the_file(models: dict[str, Model]) -> None:
    model = models["LINEAR"]
    assert model.rig.joints == ("root", "Body", "Upper", "Lower")
    assert model.rig.sliders == ("Lift",)
    assert model.rig.clips["bend"].duration == pytest.approx(2.0)
    (look,) = model.parts()
    assert look["color"] == pytest.approx([0.5, 0.25, 0.125])
    assert look["roughness"] == pytest.approx(0.75)


@pytest.mark.parametrize("time", [0.0, 0.37, 0.9, 1.6])
def test_straight_keys_bend_and_lift_the_strip(models: dict[str, Model], time: float) -> None:
    expected = bent(min(1.0, time), time / 2.0)
    assert apart(models["LINEAR"].points("bend", time), expected) < TOLERANCE


def test_steps_stay_until_the_next_key(models: dict[str, Model]) -> None:
    assert apart(models["STEP"].points("bend", 0.9), bent(0.0, 0.45)) < TOLERANCE
    assert apart(models["STEP"].points("bend", 1.1), bent(1.0, 0.55)) < TOLERANCE


def test_splines_without_slopes_ease_in_and_out(models: dict[str, Model]) -> None:
    time = 0.25
    share = 3 * time**2 - 2 * time**3
    last = np.array([0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)])
    z, w = (1 - share) * np.array([0.0, 1.0]) + share * last[2:]
    angle = 2.0 * np.degrees(np.arctan2(z, w)) / 90.0
    points = models["CUBICSPLINE"].points("bend", time)
    assert apart(points, bent(float(angle), time / 2.0)) < TOLERANCE


def test_an_obj_keeps_its_triangles_and_colours(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text(
        "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nusemtl red\nf 1 2 3 4\n"
    )
    (tmp_path / "a.mtl").write_text("newmtl red\nKd 0.8 0.1 0.05\n")
    ((report, made),) = imported([tmp_path / "a.obj"], tmp_path / "made")
    assert report["warnings"] == []
    model = Model(made)
    expected = np.array([(0, 0, 0), (1, 0, 0), (1, 0, 2), (0, 0, 2)], float)  # y up becomes z up
    assert apart(model.points(), expected) < TOLERANCE
    assert model.parts()[0]["color"] == pytest.approx([0.8, 0.1, 0.05], abs=1e-6)


def test_samples_of_gltf_are_read_or_refused_with_a_reason(tmp_path: Path) -> None:
    if not SAMPLES.is_dir():
        pytest.skip("the Debian package assimp-testmodels is not installed: no glTF files to read")
    files = sorted(path for path in (SAMPLES / "glTF2").rglob("*.gl*") if path.is_file())
    results = imported(files, tmp_path, project=SAMPLES)
    sound = [file.name for file, (report, _) in zip(files, results, strict=True)
             if "error" not in report]  # fmt: skip
    assert {"BoxTextured.glb", "2CylinderEngine.glb", "simple_skin.gltf"} <= set(sound)
    assert len(sound) >= 20
    for report, made in results:
        if "error" in report:
            assert report["error"].startswith("expected ")
        else:
            assert np.isfinite(Model(made).points()).all()


def test_quaternions_and_matrices_agree() -> None:
    rng = np.random.default_rng(3)
    turns = rng.standard_normal((50, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    for quaternion, matrix in zip(turns, rotation_matrices(turns), strict=True):
        assert abs(float(quaternion_of(matrix) @ quaternion)) == pytest.approx(1.0)
    half = slerp(turns[:1], turns[1:2], 0.5)
    assert float(half[0] @ turns[0]) == pytest.approx(abs(float(half[0] @ turns[1])))


def test_the_last_keys_of_a_channel_are_taken_as_the_first_ones_are() -> None:
    times, keys = np.array([0.0, 1.0, 2.0]), np.array([[0.0], [10.0], [30.0]])
    reader = SimpleNamespace(_sampler=lambda channel: (times, keys, "LINEAR"))
    at = np.array([-1.0, 0.5, 1.0, 1.5, 2.0, 9.0])
    channel = {"target": {"path": "translation"}}
    found = ClipReader._values(reader, channel, at, 1)  # type: ignore[arg-type]
    assert found.ravel().tolist() == [0.0, 5.0, 10.0, 20.0, 30.0, 30.0]


def test_a_clip_whose_scale_passes_zero_shows_the_outsides_on_both_sides_of_it(
    tmp_path: Path,
) -> None:
    paths = []
    for number, is_skinned in enumerate((False, True)):
        paths.append(tmp_path / f"{number}.glb")
        paths[-1].write_bytes(turning_glb(is_skinned=is_skinned))
    for report, made in imported(paths, tmp_path / "made"):
        assert "error" not in report, report
        model = Model(made)
        front = model.facing()[1]
        assert front < 0.0
        for time, share in ((0.25, 0.5), (0.75, -0.5), (1.0, -1.0), (0.2, 0.6)):
            points = model.points("turn", time)
            assert points[:, 0].max() + points[:, 0].min() == pytest.approx(share, abs=1e-3)
            assert model.facing()[1] < 0.0, time


def turning_glb(*, is_skinned: bool) -> bytes:
    """Return a triangle that a joint scales along x from 1 to -1 within a second."""
    buffer = Buffer()
    attributes = {"POSITION": buffer.add([(0, 0, 0), (1, 0, 0), (0, 1, 0)], "VEC3")}
    if is_skinned:
        attributes["JOINTS_0"] = buffer.add([(0, 0, 0, 0)] * 3, "VEC4", 5121)
        attributes["WEIGHTS_0"] = buffer.add([(1, 0, 0, 0)] * 3, "VEC4")
    clip = {
        "name": "turn",
        "samplers": [{"input": buffer.add([0.0, 1.0], "SCALAR"),
                      "output": buffer.add([(1, 1, 1), (-1, 1, 1)], "VEC3")}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "scale"}}],
    }  # fmt: skip
    data = {
        "asset": {"version": "2.0"},
        "nodes": [{"name": "Turn"}, {"mesh": 0, "skin": 0}] if is_skinned else [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": attributes}]}],
        "skins": [{"joints": [0]}],
        "animations": [clip],
    }
    return glb_of(data, buffer)

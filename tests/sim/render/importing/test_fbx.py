"""FBX of all versions: against rigs computed by hand, and against ufbx's own evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.sim.render.importing.fbx_files import write
from tests.sim.render.importing.fbx_rigs import Bone, Rig, Shell, local_matrix, turn
from tests.sim.render.importing.model_files import TOLERANCE, Model, apart, imported, run

CORPUS = Path("/usr/share/assimp/models/FBX")
BROKEN = {"transparentTest.fbx"}  # a file of another kind, as the package has it
STRIP = [(0, -10, 0), (0, 10, 0), (100, -10, 0), (100, 10, 0), (200, -10, 0), (200, 10, 0)]
FACES = [[0, 2, 3, 1], [2, 4, 5, 3]]
HALF = {0: 1.0, 1: 1.0, 2: 0.5, 3: 0.5}
OTHER_HALF = {2: 0.5, 3: 0.5, 4: 1.0, 5: 1.0}
BEND = {("Lower", "R"): [(0.0, (0.0, 0.0, 0.0)), (1.0, (0.0, 0.0, 90.0))]}
WALK = {("Upper", "T"): [(0.0, (0.0, 0.0, 0.0)), (2.0, (0.0, 50.0, 0.0))]}
VERSIONS = [
    (version, binary)
    for version in (5000, 5800, 6100, 7100, 7300, 7400, 7500, 7700)
    for binary in (False, True)
]


def arm(**changes: Any) -> Rig:
    """Return a strip of cloth from the shoulder over the elbow, bent by two bones."""
    bones = [Bone("Body", kind="Mesh"), Bone("Upper"), Bone("Lower", "Upper", position=(100, 0, 0))]
    shell = Shell("Body", STRIP, FACES, skins=[{"Upper": HALF, "Lower": OTHER_HALF}])
    return Rig(bones, [shell], {"bend": BEND, "walk": WALK}, **changes)


def metres(points: Any) -> np.ndarray:
    """Return points of a y-up file in centimetres as the engine has them."""
    x, y, z = np.asarray(points, dtype=np.float64).T / 100.0
    return np.stack([x, -z, y], axis=1)


def bent(share: float) -> np.ndarray:
    """Return the strip with the elbow turned by `share` of a quarter, by hand."""
    elbow = np.array([100.0, 0.0, 0.0])
    points = np.array(STRIP, dtype=np.float64)
    turned = (points - elbow) @ turn((0.0, 0.0, 90.0 * share)) + elbow
    weight = np.array([OTHER_HALF.get(index, 0.0) for index in range(len(points))])[:, None]
    return metres(points * (1.0 - weight) + turned * weight)


def save(folder: Path, *contents: bytes) -> list[Path]:
    files = []
    for number, content in enumerate(contents):
        files.append(folder / f"file{number}.fbx")
        files[-1].write_bytes(content)
    return files


def one(folder: Path, rig: Rig, version: int = 7400) -> Model:
    """Return one rig, imported."""
    ((report, made),) = imported(save(folder, write(rig, version)), folder / "made")
    assert "error" not in report, report
    return Model(made)


@pytest.fixture(scope="module")
def arms(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[int, bool], Model]:
    folder = tmp_path_factory.mktemp("arms")
    files = save(folder, *(write(arm(), version, binary=kind) for version, kind in VERSIONS))
    results = imported(files, folder / "made")
    assert [report for report, _ in results if "error" in report] == []
    return {key: Model(made) for key, (_, made) in zip(VERSIONS, results, strict=True)}


@pytest.mark.parametrize(("version", "binary"), VERSIONS)
def test_every_version_moves_as_computed_by_hand(
    arms: dict[tuple[int, bool], Model], version: int, binary: bool
) -> None:
    model = arms[version, binary]
    assert model.rig.joints == ("root", "Body", "Upper", "Lower")
    assert {name: clip.duration for name, clip in model.rig.clips.items()} == pytest.approx(
        {"bend": 1.0, "walk": 2.0}
    )
    for time in (0.0, 0.37, 0.9):
        assert apart(model.points("bend", time), bent(time)) < TOLERANCE
    moved = metres(np.array(STRIP) + np.array([0.0, 25.0, 0.0]))
    assert apart(model.points("walk", 1.0), moved) < TOLERANCE
    assert apart(model.points(), bent(0.0)) < TOLERANCE


def test_a_bone_that_two_meshes_bind_in_different_places_moves_both(tmp_path: Path) -> None:
    rig = arm()
    rig.bones.append(Bone("Sleeve", kind="Mesh", position=(0, 30, 5), rotation=(0, 20, 0)))
    sleeve = [(0, 0, 0), (150, 0, 0), (150, 20, 0)]
    rig.shells.append(Shell("Sleeve", sleeve, [[0, 1, 2]], skins=[{"Lower": {1: 1.0, 2: 1.0}}]))
    model = one(tmp_path, rig)
    place = local_matrix((0, 30, 5), (0, 20, 0), (1, 1, 1))
    points = np.array(sleeve) @ place[:3, :3] + place[3, :3]
    elbow = np.array([100.0, 0.0, 0.0])
    points[1:] = (points[1:] - elbow) @ turn((0, 0, 45)) + elbow  # the first has no bone
    expected = np.concatenate([bent(0.5), metres(points)])
    assert apart(model.points("bend", 0.5), expected) < TOLERANCE


def test_several_skin_deformers_of_one_mesh_work_together(tmp_path: Path) -> None:
    rig = arm()
    rig.shells[0].skins = [{"Upper": HALF}, {"Lower": OTHER_HALF}]
    assert apart(one(tmp_path, rig).points("bend", 0.5), bent(0.5)) < TOLERANCE


def test_blend_shapes_follow_their_curve(tmp_path: Path) -> None:
    rig = arm()
    rig.shells[0].skins = []
    rig.shells[0].shapes = {"Lift": {4: (0.0, 0.0, 40.0), 5: (0.0, 0.0, 40.0)}}
    rig.clips = {"lift": {("Lift", "D"): [(0.0, (0.0, 0, 0)), (1.0, (100.0, 0, 0))]}}
    model = one(tmp_path, rig)
    assert model.rig.sliders == ("Lift",)
    for share in (0.0, 0.25, 1.0):
        points = np.array(STRIP, dtype=np.float64)
        points[4:, 2] += 40.0 * share
        assert apart(model.points("lift", share), metres(points)) < TOLERANCE


def test_scale_reaches_children_as_the_file_says(tmp_path: Path) -> None:
    expected = {0: None, 1: None, 2: None}
    contents = []
    for mode in expected:
        bones = [
            Bone("Base", kind="Null", scale=(2.0, 1.0, 1.0), rotation=(0, 0, 30)),
            Bone("Leaf", "Base", kind="Mesh", position=(10, 0, 0), rotation=(0, 0, 45),
                 inherit=mode),
        ]  # fmt: skip
        rig = Rig(bones, [Shell("Leaf", STRIP, FACES)], {})
        contents.append(write(rig, 7400))
    files = save(tmp_path, *contents)
    results = imported(files, tmp_path / "made")
    reference = run(
        "tests.sim.render.importing.ufbx_reference", [[str(file), [["", 0.0]]] for file in files]
    )
    seen = []
    for (_, made), known in zip(results, reference, strict=True):
        seen.append(Model(made).points())
        assert apart(seen[-1], np.array(known["points"][0])) < TOLERANCE
    place = local_matrix((0, 0, 0), (0, 0, 30), (2, 1, 1))
    leaf = local_matrix((10, 0, 0), (0, 0, 45), (1, 1, 1))
    usual = np.array(STRIP) @ (leaf @ place)[:3, :3] + (leaf @ place)[3, :3]
    assert apart(seen[1], metres(usual)) < TOLERANCE
    alone = np.array(STRIP) @ leaf[:3, :3] @ turn((0, 0, 30)) + (leaf @ place)[3, :3]
    assert apart(seen[2], metres(alone)) < TOLERANCE
    assert apart(seen[0], seen[1]) > 0.05
    assert apart(seen[2], seen[1]) > 0.05


@pytest.mark.parametrize(("unit", "up"), [(1.0, 1), (100.0, 1), (2.54, 2), (1.0, 2)])
def test_units_become_metres_and_the_up_axis_z(tmp_path: Path, unit: float, up: int) -> None:
    model = one(tmp_path, Rig([Bone("B", kind="Mesh")], [Shell("B", STRIP, FACES)], {}, unit, up))
    x, y, z = np.array(STRIP, dtype=np.float64).T * unit / 100.0
    expected = np.stack([x, -z, y] if up == 1 else [x, y, z], axis=1)
    assert apart(model.points(), expected) < TOLERANCE


def test_hidden_nodes_and_what_hangs_below_them_are_not_drawn(tmp_path: Path) -> None:
    bones = [Bone("A", kind="Mesh"), Bone("B", kind="Null", is_visible=False),
             Bone("C", "B", kind="Mesh")]  # fmt: skip
    rig = Rig(bones, [Shell("A", STRIP, FACES), Shell("C", STRIP, FACES)], {})
    assert len(one(tmp_path, rig).parts()) == 1


def test_pictures_are_taken_from_the_file_from_beside_it_or_missed_once(tmp_path: Path) -> None:
    picture = np.full((16, 32, 3), (10, 200, 30), dtype=np.uint8)
    content = cv2.imencode(".png", picture)[1].tobytes()
    (tmp_path / "textures").mkdir()
    (tmp_path / "textures" / "beside.png").write_bytes(content)
    (tmp_path.parent / "outside.png").write_bytes(content)
    shells = [
        Shell("B", STRIP, FACES, picture=content, picture_name="gone.png"),
        Shell("B", STRIP, FACES, picture_name="beside.png"),
        Shell("B", STRIP, FACES, picture_name="missing.png"),
        Shell("B", STRIP, FACES, picture_name="../outside.png"),
    ]
    files = save(tmp_path, *(write(Rig([Bone("B", kind="Mesh")], [shell]), 7400, binary=True)
                             for shell in shells))  # fmt: skip
    results = imported(files, tmp_path / "made")
    sizes = [Model(made).parts()[0]["size"] for _, made in results]
    assert sizes == [(32, 16), (32, 16), None, None]
    warnings = [report["warnings"] for report, _ in results]
    assert warnings[:2] == [[], []]
    assert warnings[2] == ["expected files beside it that it names, not found: missing.png"]
    assert len(warnings[3]) == 1


def test_a_polygon_with_a_dent_is_cut_without_filling_it(tmp_path: Path) -> None:
    dent = [(0, 0, 0), (100, 0, 0), (100, 100, 0), (50, 20, 0), (0, 100, 0)]
    rig = Rig([Bone("B", kind="Mesh")], [Shell("B", dent, [[0, 1, 2, 3, 4]])])
    model = one(tmp_path, rig)
    path = model.figure.node.find("**/+GeomNode")
    triangles = path.node().get_geom(0).get_primitive(0)
    corners = [triangles.get_vertex(index) for index in range(triangles.get_num_vertices())]
    points = model.points()[corners].reshape(-1, 3, 3)
    sides = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    assert np.linalg.norm(sides, axis=1).sum() / 2 == pytest.approx(0.6, abs=1e-4)
    assert (sides[:, 1] < 0).all()  # all of them face the same way


# -- files of other programs ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, dict[str, Any], Path]]:
    if not CORPUS.is_dir():
        pytest.skip("the Debian package assimp-testmodels is not installed: no FBX files to read")
    files = sorted(path for path in CORPUS.rglob("*") if path.suffix.lower() == ".fbx")
    folder = tmp_path_factory.mktemp("corpus")
    results = imported(files, folder, project=CORPUS.parent)
    return [(file, *result) for file, result in zip(files, results, strict=True)]


def test_files_of_other_programs_move_as_ufbx_evaluates_them(
    corpus: list[tuple[Path, dict[str, Any], Path]],
) -> None:
    sound = [(file, Model(made)) for file, report, made in corpus if "error" not in report]
    told = {file: report.get("notes", ()) for file, report, _ in corpus}
    assert {file.name for file, report, _ in corpus if "error" in report} == BROKEN
    assert len(sound) >= 12
    jobs: list[Any] = []
    for file, model in sound:
        clips = model.rig.clips.values()
        moments = [[clip.name, clip.duration * share] for clip in clips for share in (0, 0.37, 0.9)]
        jobs.append([str(file), moments or [["", 0.0]]])
    for (file, model), job, known in zip(
        sound, jobs, run("tests.sim.render.importing.ufbx_reference", jobs), strict=True
    ):
        assert len(model.rig.joints) == len(known["nodes"]), file.name
        durations = {name: clip.duration for name, clip in model.rig.clips.items()}
        left_out = {
            name for name in known["clips"]
            if f"its clip {name!r} moves nothing: left out" in told[file]
        }  # fmt: skip
        expected = {name: known["clips"][name] for name in known["clips"].keys() - left_out}
        assert durations == pytest.approx(expected), file.name
        for (clip, time), points in zip(job[1], known["points"], strict=True):
            gap = apart(model.points(clip, time), np.array(points))
            assert gap < TOLERANCE, f"{file.name} {clip} at {time:.2f} s: {gap:.1e}"


def test_the_generated_rigs_move_as_ufbx_evaluates_them(
    arms: dict[tuple[int, bool], Model], tmp_path: Path
) -> None:
    files = save(tmp_path, *(write(arm(), version, binary=kind) for version, kind in VERSIONS))
    moments = [["bend", 0.2], ["bend", 0.77], ["walk", 1.3]]
    known = run(
        "tests.sim.render.importing.ufbx_reference", [[str(file), moments] for file in files]
    )
    for key, report in zip(VERSIONS, known, strict=True):
        assert report["version"] == key[0]
        for (clip, time), points in zip(moments, report["points"], strict=True):
            expected = np.array(points)
            if key[0] < 6000:  # which name no axes; FBX's are y up, and ufbx leaves them
                expected = metres(expected * 100.0)
            assert apart(arms[key].points(clip, time), expected) < TOLERANCE

"""Scenes and objects as glTF files: read back by our own reader and by trimesh, all is as it was."""

from __future__ import annotations

import base64
import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
import trimesh

from base.errors import UsageError
from sim.app.scene_export import export_run
from sim.core.assets.animation.poses import model_matrices
from sim.core.project.run_options import RunOptions
from sim.export.gltf.scene import object_named, write_scene
from sim.render.importing.gltf import read
from sim.render.importing.model_data import Beside
from sim.render.importing.recentring import placed_in
from sim.testing import Pilot
from tests.sim.render.importing.gltf_files import small_glb
from tests.sim.render.importing.test_gltf_parts import joined, split

ROOT = Path(__file__).resolve().parents[3]
FAR = 3.0e6
SCRIPT = """
import numpy as np

from sim import Script

class Maker(Script):
    def start(self):
        made = self.scene.spawn("made by a script", model={"builtin": "box", "size": 2.0},
                                position=(0, 9, 0), parent=self.object)
        made.canvas.clear((0.0, 0.5, 1.0))
        decal = self.scene.spawn("decal", model={"builtin": "plane"}, position=(0, 12, 0))
        picture = np.full((4, 8, 4), 200, np.uint8)
        picture[:, :4, 3] = 0
        decal.texture = picture
"""


def box(size: float = 1.0, **more: object) -> dict:
    return {"model": {"builtin": "box", "size": size}, **more}


def light(kind: str, **fields: object) -> dict:
    return {"l" + kind: {"type": "sim:Light", "fields": {"kind": kind, **fields}}}


OBJECTS: dict[str, dict] = {
    "Plain": box(position=[1, 2, 3], rotation=[30, 20, 10], scale=[1, 2, 0.5]),
    "Gespiegelt ß 바둑판 🪨": box(position=[-4, 1, 0], scale=[-1.5, 1, 1], rotation=[0, 0, 45]),
    "flat": box(scale=[2, 0, 2], position=[4, 4, 0]),
    "nothing left": box(scale=[0, 0, 0], position=[4, 4, 4]),
    "empty": {"position": [0, 0, 5]},
    "far": box(position=[FAR, -FAR, 0]),
    "hidden": box(position=[900, 0, 0], visible=False),
    "metal": {"model": {"builtin": "sphere", "radius": 0.7}, "position": [0, -3, 1],
              "material": {"color": [0.9, 0.6, 0.2], "metallic": 0.8, "roughness": 0.25,
                           "emission": 3.0}},
    "glass": box(material={"opacity": 0.4, "color": [0.1, 0.2, 0.9]}, position=[2, 0, 0]),
    "diagram": box(material={"unlit": True, "color": [0.5, 0.5, 0.5]}, position=[3, 0, 0]),
    "painted": box(texture="assets/checks.png", position=[5, 0, 0]),
    "letters": {"model": {"builtin": "text", "text": "Go!", "size": 0.5, "depth": 0.1}},
    "eye": {"position": [0, -9, 3], "rotation": [15, -10, 5],
            "components": {"c1": {"type": "sim:Camera", "fields": {"look": "ahead", "fov": 40.0}}}},
    "watcher": {"position": [5, -9, 3], "rotation": [70, 0, 0], "scale": [2, 1, 1],
                "components": {"c2": {"type": "sim:Camera", "fields": {"target": [0, 0, 1]}}}},
    "even": {"position": [-5, -9, 3], "rotation": [70, 0, 0], "scale": [2, 2, 2],
             "components": {"c3": {"type": "sim:Camera", "fields": {"target": [0, 0, 1]}}}},
    "sun": {"position": [1, 2, 9], "components": light("sun", intensity=2.0)},
    "moon": {"position": [-3, 0, 4], "components": light("sun", intensity=0.5, shadows="cast")},
    "lamp": {"position": [1, 1, 4], "components": light("point", color=[1.0, 0.5, 0.0])},
    "spot": {"position": [1, 1, 4], "components": light("spot", angle=60.0, softness=0.5)},
    "figure": {"model": {"asset": "assets/figure.glb"}, "position": [-3, -3, 0],
               "rotation": [120, 0, 0], "scale": [1.2, 1.2, 1.2]},
    "twin": {"model": {"asset": "assets/figure.glb"}, "position": [3, -3, 0]},
    "rich": {"model": {"asset": "assets/rich.glb"}, "position": [6, 2, 1], "scale": [-1, 2, 1],
             "rotation": [20, 30, 40]},
    "maker": {"components": {"m1": {"type": "scripts.maker:Maker"}}},
}  # fmt: skip
CHILDREN = {"Plain": "child of Plain", "child of Plain": "grandchild"}


def scene_data() -> dict:
    entries = {}
    ids = {name: f"obj_{number:010d}" for number, name in enumerate(OBJECTS)}
    for name, entry in OBJECTS.items():
        entries[ids[name]] = {"name": name, **entry}
        for key, component in dict(entry.get("components", {})).items():
            entries[ids[name]].setdefault("components", {}).pop(key)
            entries[ids[name]]["components"][f"cmp_{ids[name][4:]}{key}"] = component
    for number, (above, name) in enumerate(CHILDREN.items()):
        ids[name] = f"obj_child{number:05d}"
        shape = box(0.5, position=[0, 0, 1], rotation=[0, 40, 0], scale=[1, 1, 2])
        entries[ids[name]] = {"name": name, "parent": ids[above], **shape}
    return {"format": "goishi.scene/1", "id": "scn_exported01", "objects": entries}


def picture(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(1, 255, (4, 8, 4)).astype(np.uint8)


def rich_glb() -> bytes:
    """A strip with bones, a blend shape, a clip, colors of vertices and every kind of map."""
    inks = np.random.default_rng(1).random((6, 4))
    data, rest = split(small_glb(inks=inks))
    uris = [base64.b64encode(cv2.imencode(".png", picture(n))[1]).decode() for n in range(5)]
    data["images"] = [{"uri": f"data:image/png;base64,{uri}"} for uri in uris]
    data["samplers"] = [{"wrapS": 33071, "wrapT": 33648, "magFilter": 9728, "minFilter": 9984}]
    data["textures"] = [{"source": number, "sampler": 0} for number in range(5)]
    data["materials"] = [{
        "name": "all of it",
        "pbrMetallicRoughness": {
            "baseColorFactor": [0.5, 0.25, 0.125, 0.9], "roughnessFactor": 0.75,
            "metallicFactor": 0.6, "baseColorTexture": {"index": 0},
            "metallicRoughnessTexture": {"index": 1},
        },
        "normalTexture": {"index": 2, "scale": 0.7},
        "occlusionTexture": {"index": 3, "strength": 0.4},
        "emissiveTexture": {"index": 4}, "emissiveFactor": [0.3, 0.2, 0.1],
        "alphaMode": "MASK", "alphaCutoff": 0.3, "doubleSided": True,
    }]  # fmt: skip
    return joined(data, rest)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    for name in ("scenes", "scripts", "assets"):
        (root / name).mkdir()
    (root / "scripts" / "maker.py").write_text(SCRIPT, encoding="utf-8")
    (root / "scenes" / "a.scene.json").write_text(json.dumps(scene_data()), encoding="utf-8")
    shutil.copy(ROOT / "assets/models/figure.glb", root / "assets")
    (root / "assets" / "rich.glb").write_bytes(rich_glb())
    checks = np.zeros((4, 8, 4), np.uint8)
    checks[:, ::2], checks[..., 3] = 255, [[255] * 4 + [90] * 4] * 4
    cv2.imwrite(str(root / "assets" / "checks.png"), checks)
    return root


@pytest.fixture(scope="module")
def pilot(project: Path):
    with Pilot(scene=project / "scenes" / "a.scene.json", panels=False) as made:
        made.step(3)
        made.app.world.assets.poll(60.0)
        made.step(2)
        assert made.app.host.error_count == 0
        yield made


@pytest.fixture(scope="module")
def scene(pilot: Pilot):
    return pilot.app.scene


@pytest.fixture(scope="module")
def world(scene, project: Path) -> Path:
    """The whole scene, exported."""
    path = project / "assets" / "world.glb"
    report = write_scene(scene, path)
    assert report.left_out == []
    assert report.objects == len(scene.objects)
    return path


@pytest.fixture(scope="module")
def back(world: Path, project: Path):
    """The exported scene, read by our own reader."""
    found = read(world, Beside(world, project))
    assert found.warnings == []
    return found


def data_of(path: Path) -> dict:
    content = path.read_bytes()
    if path.suffix == ".gltf":
        return json.loads(content)
    magic, version, size = struct.unpack("<4sII", content[:12])
    assert (magic, version, size) == (b"glTF", 2, len(content))
    return json.loads(content[20 : 20 + struct.unpack("<I", content[12:16])[0]])


def node_of(data: dict, name: str) -> dict:
    (found,) = (node for node in data["nodes"] if node["name"] == name)
    return found


def material_of(data: dict, name: str) -> dict:
    mesh = data["meshes"][node_of(data, name)["mesh"]]
    return data["materials"][mesh["primitives"][0]["material"]]


def shown_in(scene, roots=None) -> dict[str, np.ndarray]:
    """Return the least and greatest corner of each object that shows something, by name.

    Those of a text are of its line, not of its letters: it is left out.
    """
    objects = scene.objects.values() if roots is None else roots
    return {
        obj.name: np.array([obj.bounds.low, obj.bounds.high])
        for obj in objects
        if obj.model is not None and obj.is_shown and obj.name != "letters"
    }


def corners_of(points: list[np.ndarray]) -> np.ndarray:
    whole = np.concatenate(points)
    return np.stack([whole.min(axis=0), whole.max(axis=0)])


def read_in(model, names) -> dict[str, np.ndarray]:
    """Return the corners of the meshes at or below the node of each name, as our reader has them."""
    rig, points = model.rig, {}
    for mesh in model.meshes:
        node = mesh.joint
        while node >= 0 and rig.joints[node] not in names:
            node = rig.parents[node]
        if node >= 0:
            points.setdefault(rig.joints[node], []).append(placed_in(mesh, rig.rest_matrices))
    return {name: corners_of(found) for name, found in points.items()}


def assert_same_corners(found: dict, expected: dict) -> None:
    """Fail unless all corners agree to a millionth of what they enclose, wherever it stands."""
    assert found.keys() == expected.keys()
    for name, corners in expected.items():
        within = 1e-6 * np.linalg.norm(corners[1] - corners[0]) + 1e-12
        np.testing.assert_allclose(found[name], corners, rtol=0.0, atol=within, err_msg=name)


def z_up(points: np.ndarray) -> np.ndarray:
    return np.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=-1)


def test_our_reader_finds_every_object_where_it_stands(scene, back) -> None:
    matrices = dict(zip(back.rig.joints, back.rig.rest_matrices, strict=True))
    for obj in scene.objects.values():
        place, world = matrices[obj.name][3, :3], np.asarray(obj.transform.world_position)
        np.testing.assert_allclose(place, world, rtol=1e-6, atol=1e-6, err_msg=obj.name)
    expected = shown_in(scene)
    assert_same_corners(read_in(back, expected), expected)


def test_trimesh_finds_the_same_bounds(scene, world: Path) -> None:
    """It poses no skin: figures are left out."""
    loaded, expected = trimesh.load_scene(world), shown_in(scene)
    found = {}
    for name in expected.keys() & set(loaded.graph.nodes_geometry):
        place, mesh = loaded.graph[name]
        points = trimesh.transform_points(loaded.geometry[mesh].vertices, place)
        found[name] = corners_of([z_up(points)])
    assert expected.keys() - found.keys() == {"figure", "twin", "rich"}
    assert_same_corners(found, {name: expected[name] for name in found})


def test_meshes_keep_their_vertices_and_sides(scene, back) -> None:
    counts = {}
    for mesh in back.meshes:
        name = back.rig.joints[mesh.joint]
        counts[name] = counts.get(name, 0) + len(mesh.points)
    for name in ("Plain", "metal", "letters", "grandchild"):
        made = scene.models.kind(OBJECTS.get(name, box())["model"]["builtin"])
        if name != "letters":
            assert counts[name] == len(made.made(scene.find(name).model).points), name
    mirrored = next(m for m in back.meshes if back.rig.joints[m.joint].startswith("Gespiegelt"))
    corners = mirrored.points[mirrored.triangles]
    facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    middle = corners.mean(axis=1) - mirrored.points.mean(axis=0)
    assert (np.einsum("ij,ij->i", facing, middle) > 0.0).all()  # who draws it turns them


def test_equal_objects_share_a_mesh(world: Path) -> None:
    data = data_of(world)
    assert node_of(data, "Plain")["mesh"] == node_of(data, "flat")["mesh"]
    assert node_of(data, "Plain")["mesh"] != node_of(data, "glass")["mesh"]
    assert "mesh" not in node_of(data, "empty")
    assert "mesh" not in node_of(data, "hidden")


def test_materials_are_those_that_are_shown(world: Path) -> None:
    data = data_of(world)
    metal = material_of(data, "metal")
    look = metal["pbrMetallicRoughness"]
    assert look["baseColorFactor"] == pytest.approx([0.9**2.2, 0.6**2.2, 0.2**2.2, 1.0], abs=1e-6)
    assert (look["metallicFactor"], look["roughnessFactor"]) == pytest.approx((0.8, 0.25))
    strength = metal["extensions"]["KHR_materials_emissive_strength"]["emissiveStrength"]
    glow = np.array(metal["emissiveFactor"]) * strength
    assert glow == pytest.approx(3.0 * np.array(look["baseColorFactor"][:3]), rel=1e-5)
    glass = material_of(data, "glass")
    assert glass["alphaMode"] == "BLEND"
    assert glass["pbrMetallicRoughness"]["baseColorFactor"][3] == pytest.approx(0.4)
    assert "KHR_materials_unlit" in material_of(data, "diagram")["extensions"]


def test_pictures_come_along(back, project: Path) -> None:
    checks = cv2.imread(str(project / "assets" / "checks.png"), cv2.IMREAD_UNCHANGED)
    (mesh,) = (each for each in back.meshes if back.rig.joints[each.joint] == "painted")
    surface = back.surfaces[mesh.surface]
    assert np.array_equal(back.pictures[surface.picture], checks[..., :3])  # a file's is opaque
    assert not surface.is_cut
    (decal,) = (each for each in back.meshes if back.rig.joints[each.joint] == "decal")
    surface = back.surfaces[decal.surface]
    assert surface.is_cut
    assert back.pictures[surface.picture][0, :, 3].tolist() == [0] * 4 + [200] * 4
    (made,) = (each for each in back.meshes if back.rig.joints[each.joint] == "made by a script")
    picture = back.pictures[back.surfaces[made.surface].picture]
    assert picture[0, 0].tolist()[:3] == pytest.approx([255, 128, 0], abs=1)


def posed(model, clip: str, share: float) -> dict[str, list[np.ndarray]]:
    """Return the vertices of a model's meshes at a time of a clip, by the meshes' names."""
    chosen, rig = model.rig.clips[clip], model.rig
    pose = chosen.sample(share * chosen.duration, rig.rest)
    matrices = model_matrices(pose, rig.parents)
    found: dict[str, list[np.ndarray]] = {}
    for mesh in model.meshes:
        points = np.array(mesh.points)
        for morph in mesh.morphs:
            points[morph.rows] += pose.sliders[morph.slider] * morph.points
        wide = np.concatenate([points, np.ones((len(points), 1))], axis=1)
        if mesh.skin is None:
            moved = wide @ mesh.place @ matrices[mesh.joint]
        else:
            bones = mesh.skin.binds @ matrices[mesh.skin.joints]
            each = np.einsum("nj,nkji->nki", wide, bones[mesh.skin.bones])
            moved = (each * mesh.skin.weights[..., None]).sum(axis=1)
        found.setdefault(mesh.name, []).append(moved[:, :3])
    return {name: sorted(meshes, key=len) for name, meshes in found.items()}


@pytest.mark.parametrize("name", ["figure", "rich"])
def test_clips_move_a_model_as_ours_do(name: str, scene, project: Path) -> None:
    source = read(project / "assets" / f"{name}.glb", Beside(project / "assets", project))
    path = project / "assets" / f"{name}_again.glb"
    report = write_scene(scene, path, scene.find(name))
    back = read(path, Beside(path, project))
    assert list(back.rig.clips) == list(source.rig.clips) == report.clips
    world = np.asarray(scene.find(name).transform.world_matrix)
    for clip in source.rig.clips:
        assert back.rig.clips[clip].duration == pytest.approx(source.rig.clips[clip].duration)
        for share in (0.0, 0.31, 0.77, 1.0):
            ours, theirs = posed(source, clip, share), posed(back, clip, share)
            assert [len(each) for each in ours.values()] == [len(each) for each in theirs.values()]
            for key, meshes in ours.items():
                for mine, its in zip(meshes, theirs[key], strict=True):
                    placed = mine @ world[:3, :3] + world[3, :3]
                    np.testing.assert_allclose(its, placed, atol=2e-4, err_msg=f"{key} {clip}")


def test_a_model_of_a_file_keeps_its_material_and_pictures(scene, project: Path) -> None:
    path = project / "assets" / "rich_again.glb"
    write_scene(scene, path, scene.find("rich"))
    source, back = (
        read(each, Beside(each, project)) for each in (project / "assets" / "rich.glb", path)
    )
    (ours,), (theirs,) = source.surfaces, back.surfaces
    for key in ("color", "emissive"):
        assert getattr(theirs, key) == pytest.approx(getattr(ours, key), abs=1e-6), key
    for key in ("opacity", "roughness", "metallic", "normal_scale", "occlusion_strength",
                "alpha_cutoff"):  # fmt: skip
        assert getattr(theirs, key) == pytest.approx(getattr(ours, key), abs=1e-6), key
    assert theirs.is_double_sided
    assert theirs.name == "all of it"
    for key in ("picture", "metallic_roughness_picture", "normal_picture", "occlusion_picture",
                "emissive_picture"):  # fmt: skip
        mine, its = source.pictures[getattr(ours, key)], back.pictures[getattr(theirs, key)]
        width = 4 if key == "picture" else 3
        assert np.array_equal(its[..., :width], mine[..., :width]), key
        sampler = back.samplers[getattr(theirs, key)]
        assert (sampler.wrap_u, sampler.wrap_v, sampler.magnified) == ("clamp", "mirror", "nearest")
    (mesh,), (other,) = source.meshes, back.meshes
    np.testing.assert_allclose(other.colors, mesh.colors, atol=1e-6)


def test_copies_of_a_model_share_meshes_and_clips(world: Path) -> None:
    data = data_of(world)
    names = [each["name"] for each in data["animations"]]
    assert len(names) == len(set(names))
    targets = {each["target"]["node"] for each in data["animations"][0]["channels"]}
    twins = [number for number, node in enumerate(data["nodes"]) if number in targets]
    moved = [data["nodes"][number]["name"] for number in twins]
    assert all(moved.count(name) == 2 for name in moved)  # of the figure, and of its twin


def test_cameras_look_where_ours_look(scene, world: Path, back) -> None:
    data = data_of(world)
    matrices = dict(zip(back.rig.joints, back.rig.rest_matrices, strict=True))
    eye = node_of(data, "eye")
    assert data["cameras"][eye["camera"]]["perspective"]["yfov"] == pytest.approx(np.radians(40.0))
    for name, node in (("eye", "eye"), ("watcher", "watcher camera"), ("even", "camera")):
        camera = scene.find(name).get("Camera")
        ahead = -matrices[node][2, :3]
        ahead /= np.linalg.norm(ahead)
        np.testing.assert_allclose(ahead, camera.eye.ahead, atol=1e-5, err_msg=name)


def test_lamps_shine_where_ours_shine(world: Path, back) -> None:
    data = data_of(world)
    lights = {each["name"]: each for each in data["extensions"]["KHR_lights_punctual"]["lights"]}
    assert lights["lamp"]["type"] == "point"
    assert lights["lamp"]["color"] == pytest.approx([1.0, 0.5**2.2, 0.0], abs=1e-6)
    assert lights["spot"]["spot"]["outerConeAngle"] == pytest.approx(np.radians(30.0))
    assert lights["spot"]["spot"]["innerConeAngle"] == pytest.approx(np.radians(15.0))
    number = back.rig.joints.index("sun.1") if "sun.1" in back.rig.joints else -1
    assert lights["sun"]["intensity"] == pytest.approx(4.0 * lights["moon"]["intensity"])
    ahead = -back.rig.rest_matrices[number][2, :3]
    to = np.array([1.0, 2.0, 9.0])
    np.testing.assert_allclose(ahead / np.linalg.norm(ahead), -to / np.linalg.norm(to), atol=1e-5)


def test_extras_name_the_components(world: Path) -> None:
    data = data_of(world)
    assert node_of(data, "maker")["extras"]["goishi"]["components"] == ["scripts.maker:Maker"]
    assert node_of(data, "hidden")["extras"]["goishi"]["hidden"] is True


def test_one_object_stands_where_it_stands_in_the_world(scene, project: Path) -> None:
    path = project / "assets" / "one.gltf"
    chosen = object_named(scene, "child of Plain")
    report = write_scene(scene, path, chosen)
    assert report.objects == 2
    found = read(path, Beside(path, project))
    assert "mesh" not in node_of(data_of(path), "Plain")
    expected = shown_in(scene, chosen.subtree())
    assert_same_corners(read_in(found, expected), expected)
    uri = data_of(path)["buffers"][0]["uri"]
    assert len(base64.b64decode(uri.partition(",")[2])) == data_of(path)["buffers"][0]["byteLength"]


def test_objects_are_named_plainly(scene) -> None:
    with pytest.raises(UsageError, match="expected metal, found 'metall'"):
        object_named(scene, "metall")
    assert object_named(scene, "Plain/child of Plain").name == "child of Plain"
    with pytest.raises(UsageError, match=r"ends in \.glb or \.gltf, found 'x\.obj'"):
        write_scene(scene, Path("x.obj"))


def test_points_go_out_with_their_colors(scene, project: Path) -> None:
    cloud = scene.spawn("cloud", model={"builtin": "points", "size": 0.1})
    cloud.points = np.array([[0, 0, 0], [1, 2, 3], [4, 5, 6]], np.float32)
    cloud.point_colors = np.array([[255, 0, 0], [0, 255, 0], [128, 128, 128]], np.uint8)
    path = project / "assets" / "cloud.glb"
    write_scene(scene, path, cloud)
    scene.destroy(cloud)
    (mesh,) = read(path, Beside(path, project)).meshes
    assert mesh.is_cloud
    np.testing.assert_allclose(mesh.colors[2], [(128 / 255) ** 2.2] * 3, atol=1e-6)


def test_an_empty_scene_is_a_file_too(tmp_path: Path) -> None:
    (tmp_path / "scenes").mkdir()
    scene = tmp_path / "scenes" / "b.scene.json"
    data = {"format": "goishi.scene/1", "id": "scn_emptyscene", "objects": {}}
    scene.write_text(json.dumps(data), encoding="utf-8")
    options = RunOptions(scene=scene, headless=True, graphics=False, seconds=9.0, trust=True)
    report = export_run(options, tmp_path / "empty.glb")
    assert report.objects == 0
    (sun,) = data_of(tmp_path / "empty.glb")["nodes"]
    assert sun["name"] == "studio sun"


def all_valid(files: list[Path], folder: Path) -> str:
    """Return what the validator of the Khronos Group finds wrong; "" for nothing."""
    subprocess.run(
        ["npm", "install", "--prefix", str(folder), "gltf-validator"],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    program = """
const validator = require('gltf-validator'), fs = require('fs');
(async () => { for (const file of process.argv.slice(1)) {
  const found = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)));
  for (const one of found.issues.messages.filter(each => each.severity === 0))
    console.log(file, one.code, one.message, one.pointer);
} })();
"""
    done = subprocess.run(
        ["node", "-e", program, *map(str, files)],
        cwd=folder, check=True, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    return done.stdout


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_every_shipped_scene_is_valid_for_others(world: Path, tmp_path: Path) -> None:
    """Each in a process of its own, read by the Khronos Group's validator and by trimesh."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("npm is not there, which brings gltf-validator")
    files = [world]
    for scene in sorted((ROOT / "scenes").glob("*.scene.json")):
        path = tmp_path / f"{scene.name.partition('.')[0]}.glb"
        words = [sys.executable, str(ROOT / "main.py"), "export-scene", str(scene), "--seed", "1"]
        subprocess.run([*words, "--out", str(path)], check=True, capture_output=True, timeout=300)
        assert trimesh.load_scene(path).geometry
        files.append(path)
    assert all_valid(files, tmp_path) == ""

"""Robots from URDF and MJCF: their poses are MuJoCo's, they move alike at each run, faults are told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from base.errors import SceneFileError
from base.files import SHIPPED_ROOT
from sim.core.assets import assets as robots_in_a_child
from sim.core.editing import Editor
from sim.core.scene import building
from sim.render.importing.model_data import Beside, ModelError
from sim.render.importing.robots import OPTIONS, read

mujoco = pytest.importorskip("mujoco")
SHIPPED = SHIPPED_ROOT / "assets" / "models" / "robots"
FILES = ("arm.urdf", "walker.xml")


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """Read without a child process, which takes a second to start."""

    def read_robot(project: Path, path: str):
        file = project / path
        try:
            return vars(read(file, Beside(file, project)))
        except ModelError as error:
            raise SceneFileError(path, "", "", expected="a robot", found=str(error)) from None

    monkeypatch.setattr(building, "read_robot", read_robot)


@pytest.fixture
def bare(stage):
    """A scene with nothing in it, and the shipped robots in its project."""
    shutil.copytree(SHIPPED, stage.root / "assets" / "robots")
    stage.open({})
    return stage


def put(stage, file, **options):
    return stage.app.scene.instantiate(f"assets/robots/{file}", **options)


def write(stage, text, name="a.urdf"):
    file = stage.root / "assets" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def reference(name):
    """MuJoCo's own model, with each link a body as here."""
    text = (SHIPPED / name).read_text(encoding="utf-8")
    text = text.replace('<robot name="arm">', f'<robot name="arm">{OPTIONS}')
    text = text.replace("package://arm/", f"{SHIPPED}/")
    return mujoco.MjSpec.from_string(text).compile()


def moving(robot):
    """The hinges and sliders, in MuJoCo's order."""
    return [
        slot.instance
        for obj in robot.subtree()
        for slot in obj.components
        if slot.type_name in ("sim:HingeJoint", "sim:SliderJoint")
    ]


# -- kinematics --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_links_stand_where_the_readers_own_kinematics_put_them(bare, name):
    robot = put(bare, name)
    bare.app.clock.pause()
    bare.frames(2)
    model = reference(name)
    data, rng = mujoco.MjData(model), np.random.default_rng(5)
    joints = moving(robot)
    numbers = [n for n in range(model.njnt) if model.jnt_type[n] in (2, 3)]
    assert len(joints) == len(numbers) > 3
    for _ in range(3):
        for joint, number in zip(joints, numbers, strict=True):
            low, high = model.jnt_range[number] if model.jnt_limited[number] else (-3.0, 3.0)
            value, at = rng.uniform(low, high), int(model.jnt_qposadr[number])
            data.qpos[at] = value
            away = value - model.qpos0[at]
            if model.jnt_type[number] == 3:
                joint.turn_to(float(np.degrees(away)))
                assert joint.angle == pytest.approx(np.degrees(away), abs=0.05)
            else:
                joint.slide_to(away)
        mujoco.mj_kinematics(model, data)
        for body in range(1, model.nbody):
            link = bare.app.scene.find(model.body(body).name)
            world = np.asarray(link.transform.world_matrix)
            assert world[3, :3] == pytest.approx(data.xpos[body], abs=1e-5), link.path
            assert world[:3, :3] == pytest.approx(data.xmat[body].reshape(3, 3).T, abs=1e-5)
    assert bare.errors() == 0


def test_masses_limits_and_efforts_are_those_of_the_file(bare):
    robot = put(bare, "arm.urdf", position=(1, 2, 0), name="Mine")
    bare.frames(1)
    assert robot.name == "Mine"
    assert robot.transform.position.tolist() == [1, 2, 0]
    find = bare.app.scene.find
    elbow = find("fore").get("HingeJoint")
    assert (elbow.low, elbow.high) == pytest.approx((np.degrees(-1.2), np.degrees(1.4)))
    assert (elbow.limited, elbow.motor, elbow.motor_torque) == (True, "off", 30.0)
    assert find("hand").get("SliderJoint").motor_force == 20.0
    assert not find("column").get("HingeJoint").limited
    assert find("left finger").get("RigidBody") is None, "fixed: it is of the hand's body"
    assert find("hand").get("RigidBody").mass == pytest.approx(0.5)
    center = (0.4 * 0.06 + 0.1 * 0.22) / 0.5
    assert find("hand").get("Inertia").center == pytest.approx((0, 0, center), abs=1e-6)
    upper = find("upper").get("Inertia")
    assert sorted(upper.moments) == pytest.approx(
        np.linalg.eigvalsh([[0.035, 0, 0.001], [0, 0.034, 0], [0.001, 0, 0.004]])
    )
    assert find("base").get("RigidBody").kind == "static"
    put(bare, "walker.xml")
    knee = find("shank").get("HingeJoint")
    assert (knee.low, knee.high, knee.motor_torque) == pytest.approx((-10.0, 110.0, 40.0))
    assert find("foot").get("BallJoint").swing == pytest.approx(25.0)
    hip = [find("hip_yaw").get("RigidBody").mass, find("thigh").get("RigidBody").mass]
    model = reference("walker.xml")
    assert sum(hip) == pytest.approx(model.body("thigh").mass[0])
    assert any("of its 2 joints" in line for line in bare.lines("info"))


def test_a_body_turns_as_its_inertia_says_also_around_slanted_axes(bare):
    find = bare.app.scene.find
    put(bare, "arm.urdf")
    for name in ("upper", "fore", "hand", "column"):
        for slot in find(name).components:
            slot.enabled = name == "upper" and not slot.type_name.endswith("Joint")
            if slot.type_name == "sim:RigidBody":
                slot.instance.gravity = slot.instance.spin_damping = 0.0
    link = find("upper")
    before = np.array(link.transform.world_matrix)
    bare.frames(2)
    turn = np.asarray(link.transform.world_matrix)[:3, :3]
    assert turn == pytest.approx(before[:3, :3], abs=1e-4), "it does not turn by itself"
    slant = np.array([[np.cos(0.2), 0, -np.sin(0.2)], [0, 1, 0], [np.sin(0.2), 0, np.cos(0.2)]])
    tensor = np.array([[0.035, 0, 0.001], [0, 0.034, 0], [0.001, 0, 0.004]])
    tensor = slant.T @ tensor @ slant  # in the link's axes, of which the file's are turned
    twist = np.array([0.0, 0.0, 1e-4])
    link.get("RigidBody").apply_twist((turn.T @ twist).tolist())
    spin = np.radians(np.array(link.get("RigidBody").spin)) @ turn.T
    assert spin == pytest.approx(np.linalg.solve(tensor, twist), rel=2e-3, abs=1e-4)


# -- dynamics ----------------------------------------------------------------------------------


def test_an_arm_falls_to_its_limits_the_same_at_each_run(bare):
    ends = []
    for _ in range(2):
        bare.open({})
        robot = put(bare, "arm.urdf")
        bare.frames(45)
        ends.append([obj.transform.world_matrix.tolist() for obj in robot.subtree()])
        angles = [joint.read()[0] for joint in moving(robot)]
    assert ends[0] == ends[1]
    _, shoulder, elbow, wrist = angles
    assert abs(shoulder) > 30.0, "it fell"
    assert -70.0 < elbow < 82.0
    assert -0.02 < wrist < 0.17
    assert bare.errors() == 0


@pytest.mark.nightly
def test_its_motors_hold_it_and_a_clone_has_its_own(bare):
    robot = put(bare, "arm.urdf")
    for joint in moving(robot):
        joint.motor = "position"
    twin = bare.app.scene.clone(robot, name="Twin", position=(3, 0, 0))
    bare.frames(30)
    assert [float(joint.read()[0]) for joint in moving(robot)] == pytest.approx([0] * 4, abs=1.0)
    moving(twin)[0].motor_angle = 60.0
    bare.frames(60)
    assert moving(twin)[0].angle == pytest.approx(60.0, abs=2.0)
    assert moving(robot)[0].angle == pytest.approx(0.0, abs=1.0)


# -- in the studio -----------------------------------------------------------------------------


def test_an_edit_adds_it_and_one_undo_takes_it_away(bare):
    editor = Editor(bare.app.scene, bare.app.console)
    before = len(bare.app.scene.objects)
    made = editor.instantiate("assets/robots/arm.urdf", position=(0, 0, 1))
    count = len(bare.app.scene.objects)
    assert count > before + 12
    assert made.transform.position.tolist() == [0, 0, 1]
    bare.frames(1)
    editor.undo()
    bare.frames(1)
    assert len(bare.app.scene.objects) == before
    editor.redo()
    bare.frames(3)
    assert len(bare.app.scene.objects) == count
    assert all(joint.is_joined for joint in moving(bare.app.scene.find("arm")))
    assert bare.errors() == 0


# -- faults ------------------------------------------------------------------------------------

TWO = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="{mass}"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>{more}</link>
<joint name="j" type="{kind}"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>{end}</robot>"""
MESH = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
SOUND = {"mass": 1, "more": "", "kind": "revolute", "end": ""}
LOOP = '<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>'
TWICE = '<joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint>'
FAULTS = {
    "a missing mesh": (
        {"more": MESH.format("package://r/no.stl")},
        "found no 'package://r/no.stl'",
    ),
    "a mesh outside": ({"more": MESH.format("../../../etc/passwd")}, "in the project, found no"),
    "a loop": ({"end": LOOP}, "its joints are a loop"),
    "two parents": ({"end": TWICE}, "multiple parents"),
    "a negative mass": ({"mass": -1}, "mass and inertia of moving bodies"),
    "an unknown joint": ({"kind": "rubber"}, "invalid joint type"),
    "a mass that is no number": ({"mass": "nan"}, "mass and inertia of moving bodies"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_wrong_with_a_robot_is_one_sentence(stage, name, monkeypatch):
    monkeypatch.chdir(stage.root)
    change, text = FAULTS[name]
    file = write(stage, TWO.format(**(SOUND | change)))
    with pytest.raises(ModelError) as raised:
        read(file, Beside(file, stage.root))
    assert text in str(raised.value)
    assert str(raised.value).startswith("expected")
    assert "\n" not in str(raised.value)
    assert not (stage.root / "MUJOCO_LOG.TXT").exists(), "it writes nothing where it stands"


WITH = (
    '<mujoco>{}<worldbody><body name="b"><freejoint/><geom size="1"/></body></worldbody></mujoco>'
)
OUTSIDE = {
    "an include": '<include file="{}"/>',
    "a model": '<asset><model name="m" file="{}"/></asset>',
    "a texture": '<asset><texture name="t" type="2d" file="{}"/></asset>',
    "a side of a texture": '<asset><texture name="t" type="cube" fileright="{}"/></asset>',
    "a height field": '<asset><hfield name="h" size="1 1 1 1" file="{}"/></asset>',
    "a skin": '<asset><skin name="s" file="{}"/></asset>',
}


WAYS = ("absolute", "up", "folder", "included", "link", "device", "scheme")


@pytest.mark.parametrize(
    ("name", "way"),
    [
        (name, way)
        for name in OUTSIDE
        for way in WAYS
        if way != "folder" or name not in ("an include", "a model")  # no folder counts for them
    ],
)
def test_no_file_outside_the_project_is_opened(stage, tmp_path_factory, name, way):
    file = write(stage, "", "robot.xml")
    outside = tmp_path_factory.mktemp("elsewhere") / "secret.xml"
    outside.write_text(WITH.format(""))
    named = {
        "absolute": str(outside),
        "up": os.path.relpath(outside, file.parent),
        "device": "/dev/zero",
        "scheme": f"x://../{os.path.relpath(outside, file.parent)}",
    }.get(way, "secret.xml")
    text = WITH.format(OUTSIDE[name].format(named))
    if way == "folder":
        text = text.replace("<mujoco>", f'<mujoco><compiler assetdir="{outside.parent}"/>')
    if way == "included":
        write(stage, f"<mujoco>{OUTSIDE[name].format(outside)}</mujoco>", "part.xml")
        text = WITH.format('<include file="part.xml"/>')
    (file.parent / "x:").mkdir()
    if way == "link":
        (file.parent / "secret.xml").symlink_to(outside)
    file.write_text(text)
    with pytest.raises(ModelError, match="expected the files of a robot in the project, found"):
        read(file, Beside(file, stage.root))


def test_what_stands_in_a_comment_makes_no_robot_of_another_kind(stage, monkeypatch):
    """It would then be read as text, and what it names looked for where the process stands."""
    file = write(stage, "<!-- <robot> -->" + WITH.format('<include file="part.xml"/>'), "robot.xml")
    folder = stage.root / "elsewhere"
    folder.mkdir()
    (folder / "part.xml").write_text("<mujoco/>")
    monkeypatch.chdir(folder)
    with pytest.raises(ModelError, match=r"part\.xml"):
        read(file, Beside(file, stage.root))


def test_what_a_robot_includes_is_read_and_watched(stage):
    part = write(
        stage, '<mujoco><worldbody><body name="arm"><geom size="1"/></body></worldbody></mujoco>',
        "parts/arm.xml",
    )  # fmt: skip
    file = write(stage, WITH.format('<include file="parts/arm.xml"/>'), "robot.xml")
    beside = Beside(file, stage.root)
    names = {item["name"] for item in read(file, beside).objects}
    assert {"arm", "b"} <= names
    assert str(part.resolve()) in beside.seen
    part.write_text("<mujoco><worldbody>")
    with pytest.raises(ModelError, match=r"expected XML, found in arm\.xml: no element found"):
        read(file, Beside(file, stage.root))
    part.write_text('<!DOCTYPE r [<!ENTITY a "aa">]><mujoco/>')
    with pytest.raises(ModelError, match="without a document type"):
        read(file, Beside(file, stage.root))


def test_entities_are_refused_before_anything_reads_them(stage):
    bomb = '<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>' + TWO.format(**SOUND)
    outside = '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + TWO.format(**SOUND)
    for text in (bomb, outside):
        file = write(stage, text)
        with pytest.raises(ModelError, match="without a document type"):
            read(file, Beside(file, stage.root))
    file = write(stage, "<html/>", "page.xml")
    with pytest.raises(ModelError, match="expected <robot> "):
        read(file, Beside(file, stage.root))


def test_a_missing_reader_names_the_extra(stage, monkeypatch):

    monkeypatch.setitem(sys.modules, "mujoco", None)
    file = write(stage, TWO.format(**SOUND))
    with pytest.raises(ModelError, match=r"mujoco-core.*goishi\[robots\]"):
        read(file, Beside(file, stage.root))


def test_the_child_process_reads_it_and_says_what_is_wrong(stage):
    write(stage, TWO.format(**(SOUND | {"kind": "rubber"})))
    with pytest.raises(SceneFileError, match=r"a\.urdf.*invalid joint type"):
        robots_in_a_child.read_robot(stage.root, "assets/a.urdf")
    with pytest.raises(SceneFileError, match="a file of the project"):
        robots_in_a_child.read_robot(stage.root, "assets/none.urdf")


def test_check_writes_what_is_left_out_or_the_one_fault(bare, monkeypatch, capsys):
    from sim.commands import check

    monkeypatch.setattr(check, "read_robot", building.read_robot)
    file = bare.root / "assets" / "robots" / "walker.xml"
    assert check.check_robot(file, bare.root) == 0
    assert "walker.xml: left out: thigh: of its 2 joints" in capsys.readouterr().out
    assert check.check(write(bare, "<mujoco/>", "none.xml")) == 1
    assert "none.xml" in capsys.readouterr().out


READ = """
import json, os, sys
from pathlib import Path
from sim.render.importing import obj, stl
from sim.render.importing.model_data import Beside
path = Path(sys.argv[1])
reader = obj if path.suffix == ".obj" else stl
model = reader.read(path, Beside(path, path.parent))
print(json.dumps([model.meshes[0].points.tolist(), model.rig.rest.rotations[0].tolist()]), flush=True)
os._exit(0)  # as the importer does: a scene of ufbx does not outlive its process in peace
"""


def read_in_a_child(path):
    """Return a mesh file's points, and the turn of its root, as the importer's process reads it."""
    said = subprocess.run(
        [sys.executable, "-c", READ, str(path)], cwd=SHIPPED_ROOT, capture_output=True, text=True
    )
    points, turn = json.loads(said.stdout)
    return np.array(points), np.array(turn)


@pytest.mark.parametrize("content", [b"", b"version https://git-lfs.github.com/spec/v1\n"])
def test_a_mesh_that_was_not_fetched_is_told_as_such(stage, content):
    mesh = '<visual><geometry><mesh filename="w.stl"/></geometry></visual>'
    file = write(stage, TWO.format(**(SOUND | {"more": mesh})))
    (file.parent / "w.stl").write_bytes(content)
    with pytest.raises(ModelError, match=r"expected a mesh in 'w\.stl', found an? .*file"):
        read(file, Beside(file, stage.root))


@pytest.mark.parametrize("kind", ["obj", "stl"])
def test_a_mesh_lies_where_the_readers_own_vertices_do(stage, kind):
    import trimesh

    from sim.core.geometry.rotations import local_matrices
    from sim.render.importing.robots import rows_of

    corners = [(0, 0, 0), (3, 0, 0), (0, 2, 0), (0, 0, 1)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    mesh = f'<origin xyz="1 2 3" rpy="0.3 0.2 0.1"/><geometry><mesh filename="w.{kind}" scale="1 2 0.5"/></geometry>'
    file = write(stage, TWO.format(**(SOUND | {"more": f"<visual>{mesh}</visual>"})))
    beside = Beside(file, stage.root)
    trimesh.Trimesh(corners, faces, process=False).export(file.parent / f"w.{kind}")
    data = read(file, beside)
    entry = next(item for item in data.objects if "asset" in item.get("model", {}))
    points, (x, y, z, w) = read_in_a_child(file.parent / f"w.{kind}")
    points = points @ rows_of(np.array([w, x, y, z]))  # of OBJ the turn that puts y up
    own = np.unique(np.round(points, 5), axis=0)
    parts = (np.array([entry[key]]) for key in ("position", "rotation", "scale"))
    (matrix,) = local_matrices(*parts)
    found = own @ matrix[:3, :3] + matrix[3, :3]
    c, s = np.cos, np.sin
    turn_x = np.array([[1, 0, 0], [0, c(0.3), -s(0.3)], [0, s(0.3), c(0.3)]])
    turn_y = np.array([[c(0.2), 0, s(0.2)], [0, 1, 0], [-s(0.2), 0, c(0.2)]])
    turn_z = np.array([[c(0.1), -s(0.1), 0], [s(0.1), c(0.1), 0], [0, 0, 1]])
    wanted = np.multiply(corners, (1, 2, 0.5)) @ (turn_z @ turn_y @ turn_x).T + (1, 2, 3)
    order = [int(np.linalg.norm(found - point, axis=1).argmin()) for point in wanted]
    assert sorted(order) == [0, 1, 2, 3]
    assert found[order] == pytest.approx(wanted, abs=1e-4)


# -- limits, damping and friction ----------------------------------------------------------------

SWINGING = """<robot name="r"><link name="a"/><link name="b"><inertial><origin xyz="0 0 -0.3"/>
<mass value="1"/><inertia ixx="0.03" iyy="0.03" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
</link><joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
<limit lower="{low}" upper="{high}" effort="1" velocity="1"/>
<dynamics damping="{damping}" friction="{friction}"/></joint></robot>"""


@pytest.mark.parametrize(
    ("low", "high"),
    [(-3.1416, 0.0), (-6.283185, 6.283185), (0.82, 5.46), (-10.0, 10.0), (-1.0, 2.0)],
)
def test_limits_are_those_of_the_file_also_beyond_half_a_turn(stage, low, high):
    """Of the fourth joint of Panda, of UR5, of Kinova, of Solo12, and usual ones."""
    text = SWINGING.format(low=low, high=high, damping=0, friction=0)
    file = write(stage, text)
    data = read(file, Beside(file, stage.root))
    (joint,) = [
        part["fields"]
        for item in data.objects
        for part in item["components"]
        if part["type"] == "sim:HingeJoint"
    ]
    assert joint["limited"] is True
    assert (joint["low"], joint["high"]) == pytest.approx((np.degrees(low), np.degrees(high)))
    assert "damping" not in joint
    told = [line for line in data.left_out if "limits" in line]
    assert bool(told) == (low > 0.0), "a robot that stands outside of its limits says so"


@pytest.mark.parametrize(("damping", "friction"), [(0.15, 0.0), (0.0, 0.3), (0.1, 0.2)])
def test_a_swing_is_damped_as_by_the_reader(bare, damping, friction):
    text = SWINGING.format(low=-10, high=10, damping=damping, friction=friction)
    write(bare, text, "robots/swing.urdf")
    put(bare, "swing.urdf")
    bare.frames(1)
    link = bare.app.scene.find("b")
    joint = link.get("HingeJoint")
    assert (joint.damping, joint.friction) == pytest.approx((damping, friction))
    for slot in link.components:
        if slot.type_name == "sim:RigidBody":
            slot.instance.damping = slot.instance.spin_damping = 0.0
    joint.turn_to(80.0)
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.timestep = 0.0005
    model.opt.gravity[:] = (0, 0, -9.81)
    data = mujoco.MjData(model)
    data.qpos[0] = np.radians(80.0)
    for _ in range(5):
        bare.frames(20)
        while data.time < 1.0 / 3.0 - 1e-9:
            mujoco.mj_step(model, data)
        data.time = 0.0
        assert joint.angle == pytest.approx(float(np.degrees(data.qpos[0])), abs=2.5)
    assert bare.errors() == 0


def test_the_springs_that_are_left_out_are_told_and_damping_is_not(stage):
    joint = '<joint name="h" type="{}" damping="2" frictionloss="0.5" stiffness="3" armature="1"/>'
    joints = "".join(
        f'<body name="{kind}"><geom size="1"/>{joint.format(kind)}</body>'
        for kind in ("hinge", "slide", "ball")
    ).replace('name="h"', "")
    file = write(stage, f"<mujoco><worldbody>{joints}</worldbody></mujoco>", "all.xml")
    data = read(file, Beside(file, stage.root))
    found = {
        part["type"]: (part["fields"]["damping"], part["fields"]["friction"])
        for item in data.objects
        for part in item["components"]
        if part["type"].endswith("Joint")
    }
    assert found == dict.fromkeys(("sim:HingeJoint", "sim:SliderJoint", "sim:BallJoint"), (2, 0.5))
    assert not [line for line in data.left_out if "damping" in line or "friction" in line]
    assert [line.partition(":")[0] for line in data.left_out if line.startswith("joints'")] == [
        "joints' armature",
        "joints' springs",
    ]


# -- meshes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["text", "large"])
def test_an_stl_that_the_reader_does_not_read_weighs_and_lies_the_same(stage, kind, monkeypatch):
    """One as text, or with more triangles than it takes."""
    import trimesh

    from sim.render.importing import robots

    block = trimesh.creation.box((0.4, 0.2, 0.6)).apply_translation((0.5, 0.1, 0.3))
    made = []
    for name in ("binary", kind):
        text = (
            '<mujoco><asset><mesh name="m" file="m.stl" scale="1 -2 1"/></asset><worldbody>'
            '<body name="b"><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
        )
        file = write(stage, text, f"{name}/r.xml")
        data = block.export(file_type="stl_ascii" if name == "text" else "stl")
        (file.parent / "m.stl").write_bytes(data.encode() if isinstance(data, str) else data)
        if name == "large":
            monkeypatch.setattr(robots, "MOST_STL_FACES", 4)
        made.append(read(file, Beside(file, stage.root)).objects)
    for one, other in zip(*made, strict=True):
        for key in ("position", "rotation", "scale"):
            assert other.get(key, []) == pytest.approx(one.get(key, []), abs=1e-4)
        for part, twin in zip(one.get("components", ()), other.get("components", ()), strict=True):
            mass = part["fields"].get("mass", 0.0)
            assert twin["fields"].get("mass", 0.0) == pytest.approx(mass, rel=1e-5)
    shape = next(item for item in made[1] if "asset" in item.get("model", {}))
    assert shape["scale"] == [1.0, -2.0, 1.0], "mirrored"


def test_a_robot_with_mirrored_meshes_lies_on_its_mirrored_shape(bare):
    """As the left and right legs of most robots are made of one file."""
    import trimesh

    wedge = trimesh.Trimesh(
        [(0, 0, 0), (0.4, 0, 0), (0, 0.9, 0), (0, 0, 0.3)],
        [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
        process=False,
    )
    for side, sign in (("left", 1), ("right", -1)):
        text = (
            f'<mujoco><asset><mesh name="m" file="m.stl" scale="1 {sign} 1"/></asset><worldbody>'
            f'<body name="{side}" pos="0 {2 * sign} 0.05"><freejoint/>'
            '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
        )
        file = write(bare, text, f"robots/{side}.xml")
        (file.parent / "m.stl").write_bytes(wedge.export(file_type="stl"))
        put(bare, f"{side}.xml")
    floor = bare.app.scene.spawn("Floor", model={"builtin": "box", "size": [9, 9, 1]})
    floor.transform.position = (0, 0, -0.5)
    floor.add("sim:RigidBody", kind="static")
    bare.frames(5)
    bare.app.world.assets.poll(60.0)
    bare.frames(90)
    assert bare.errors() == 0
    left, right = (bare.app.scene.find(name).transform.world_matrix for name in ("left", "right"))
    assert -0.02 < left[3, 2] < 0.04, "on its flat side"
    assert right[3, 2] == pytest.approx(left[3, 2], abs=0.02)
    assert right[2, 2] == pytest.approx(1.0, abs=0.01), "upright"

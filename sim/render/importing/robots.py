"""Importer of robots in URDF and MJCF, which MuJoCo reads and checks.

The result is a tree of objects with bodies, joints and shapes. Each link becomes a child of the
link that it is joined to. A link fixed to another without a joint has no body of its own: its mass
and shapes belong to the other link's body.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, Final

import numpy as np

from base.contents import stand_in_at
from base.values import JsonObject
from sim.core.assets.animation.poses import IntArray, rotation_matrices
from sim.core.assets.assets import stamp
from sim.core.assets.formats import FORMATS, suffix_of
from sim.core.geometry.rotations import FloatArray, rotation_of
from sim.render.importing.model_data import Beside, ModelError

READ_BY_MUJOCO: Final = (".stl", ".obj")
STAND_IN: Final = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
STAND_IN_FACES: Final = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
MOST_STL_FACES: Final = 200_000  # which MuJoCo reads
STL_HEAD, STL_FACE = 84, 50  # bytes
"""Faces of a tetrahedron that stands for a mesh that MuJoCo cannot read.

With the tetrahedron MuJoCo still computes where the mesh is placed.
"""


FOLDERS: Final = ("assetdir", "meshdir", "texturedir")
"""MJCF attributes that name the folders of meshes and textures."""
READ: Final = ("include", "model")
"""Tags of the MJCF elements that include another robot file."""


def check_files(path: Path, text: str, beside: Beside, read: Callable[[Path], str]) -> str:
    """Check a robot's file and all files that it includes, before MuJoCo reads any.

    Missing meshes are not reported here but by `find_meshes`.

    Args:
        path: the robot's file.
        text: its content, which has no document type declaration.
        beside: knows the file's folder and the project's. The paths of included files are added to
            its `seen`.
        read: returns the text of a file, or raises ModelError.

    Returns:
        Tag of the root element: "robot" for URDF, "mujoco" for MJCF.

    Raises:
        ModelError: a file is invalid XML, or names a file outside the project.
    """
    elements = _elements_of(text, path.name)
    known, left = {path.resolve()}, list(elements)
    folders = {path.parent}
    while left:
        element = left.pop()
        if element.tag not in READ:
            continue
        for full in _places(element.get("file", ""), folders, beside):
            beside.seen[str(full)] = stamp(full)
            if full not in known:
                known.add(full)
                folders.add(full.parent)
                more = _elements_of(read(full), full.name)
                left += more
                elements += more
    named = {element.get(name, "") for element in elements for name in FOLDERS}
    folders |= {folder / name for folder in folders for name in named}
    for element in elements:
        for key, value in element.items():
            if key.startswith("file"):
                _places(value, folders, beside)
    return elements[0].tag


def _elements_of(text: str, name: str) -> list[ET.Element]:
    try:
        # without a document type there are no entities that could grow
        return list(ET.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text)).iter())
    except ET.ParseError as error:
        raise ModelError(f"expected XML, found in {name}: {error}") from None


def _places(value: str, folders: set[Path], beside: Beside) -> list[Path]:
    """Return the existing files that a file name may refer to, one for each folder at most.

    Args:
        value: the name, as the robot's file has it.
        folders: folders to which the name may be relative.
        beside: knows the project's folder.

    Raises:
        ModelError: a file lies outside the project or is no regular file.
    """
    name = value.replace("\\", "/")
    found = []
    for folder in sorted(folders):
        full = (folder / name).resolve()
        if not name or not full.exists() or full.is_dir():
            continue
        if beside.project not in full.parents or not full.is_file():
            raise ModelError(f"expected the files of a robot in the project, found {value!r}")
        found.append(full)
    return found


def find_meshes(spec: Any, beside: Beside) -> dict[str, str]:
    """Find the files of a robot's meshes and set their paths in MuJoCo's specification.

    Args:
        spec: MuJoCo's specification (`MjSpec`), not compiled yet; changed.
        beside: knows the file's folder and project.

    Returns:
        For each mesh name the path of its file, relative to the project.

    Raises:
        ModelError: a file is missing, outside the project, or of an unsupported format.
    """
    found: dict[str, str] = {}
    for mesh in spec.meshes:
        if not mesh.file:
            continue
        path = _find(str(mesh.file), str(spec.compiler.meshdir or ""), beside)
        if path is None:
            raise ModelError(
                f"expected the file of the mesh {mesh.name!r} in the project, found no "
                f"{mesh.file!r}"
            )
        suffix = suffix_of(path.name)
        if suffix not in FORMATS:
            raise ModelError(
                f"expected the mesh {mesh.name!r} in a file of {', '.join(FORMATS)}, found "
                f"{path.name!r}"
            )
        if other := stand_in_at(path):
            raise ModelError(f"expected a mesh in {path.name!r}, found {other}")
        name = mesh.name or path.stem
        found[name] = path.relative_to(beside.project).as_posix()
        mesh.name = name
        if suffix == ".stl" and not is_read_by_mujoco(path):
            mesh.file = ""
            mesh.uservert, mesh.userface = corners_of(path, beside)
        elif suffix in READ_BY_MUJOCO:
            mesh.file = str(path)
        else:
            mesh.file, mesh.uservert, mesh.userface = "", STAND_IN, STAND_IN_FACES
    spec.compiler.meshdir = ""
    return found


def is_read_by_mujoco(path: Path) -> bool:
    """Return whether MuJoCo reads an STL file: a binary one that is not too large."""
    with path.open("rb") as stream:
        head = stream.read(STL_HEAD)
    faces = int.from_bytes(head[-4:], "little")
    is_binary = len(head) == STL_HEAD and path.stat().st_size == STL_HEAD + STL_FACE * faces
    return is_binary and faces <= MOST_STL_FACES


def corners_of(path: Path, beside: Beside) -> tuple[FloatArray, IntArray]:
    """Read an STL file that MuJoCo does not read: text, or with very many triangles.

    Args:
        path: the file.
        beside: knows the project's folder.

    Returns:
        Coordinates of the vertices `[3 n]`, and the vertex numbers of the triangles `[3 m]`.

    Raises:
        ModelError: the file is no readable STL.
    """
    try:
        model = import_module(FORMATS[".stl"]).read(path, Beside(path, beside.project))
    except ModelError as error:
        raise ModelError(f"{error} ({path.name})") from None
    corners = np.concatenate([mesh.points[mesh.triangles].reshape(-1, 3) for mesh in model.meshes])
    points, faces = np.unique(corners.astype(np.float32), axis=0, return_inverse=True)
    return points.ravel().astype(np.float64), faces.ravel().astype(np.int64)


def _find(file: str, folder: str, beside: Beside) -> Path | None:
    """Return the file that a robot's file name refers to; None if there is none in the project.

    A name `package://NAME/...` is searched in the folder of the robot's file and in those above.

    Args:
        file: the name.
        folder: the robot's folder of meshes; empty for the folder of its file.
        beside: knows the file's folder and project.
    """
    name = file.replace("\\", "/")
    is_package = name.startswith(("package://", "package:/", "model://"))
    parts = PurePosixPath(name.partition(":/")[2].lstrip("/")).parts
    own = beside.folder.resolve()
    if not is_package:
        tries = [own / folder / name, own / name]
    else:
        above = [own, *own.parents]
        above = [item for item in above if item == beside.project or beside.project in item.parents]
        tries = [item.joinpath(*parts[skip:]) for item in above for skip in (0, 1)]
    for path in tries:
        full = path.resolve()
        if beside.project in full.parents:
            known = stamp(full)
            beside.seen[str(full)] = known
            if known is not None and full.is_file():
                return full
    return None


FLOOR = 20.0  # metres a side of a plane without end
SLAB = 0.1  # metres of its thickness


def shape_entry(mujoco: Any, model: Any, number: int, meshes: dict[str, str]) -> JsonObject | None:
    """Return the scene object of a collision or visual shape, still without a parent.

    Args:
        mujoco: the Python package.
        model: MuJoCo's compiled model (`MjModel`).
        number: index of the shape (geom).
        meshes: for each mesh name the path of its file, relative to the project.

    Returns:
        The object's fields; None if there is no model for this kind of shape.
    """
    kinds = mujoco.mjtGeom
    kind, size = int(model.geom_type[number]), [float(item) for item in model.geom_size[number]]
    point, turned = model.geom_pos[number].copy(), rows_of(model.geom_quat[number])
    scale = [1.0, 1.0, 1.0]
    if kind == kinds.mjGEOM_BOX:
        made: JsonObject = {"builtin": "box", "size": [2.0 * item for item in size]}
    elif kind == kinds.mjGEOM_SPHERE:
        made = {"builtin": "sphere", "radius": size[0]}
    elif kind == kinds.mjGEOM_ELLIPSOID:
        made, scale = {"builtin": "sphere", "radius": 1.0}, size
    elif kind == kinds.mjGEOM_CAPSULE:
        made = {"builtin": "capsule", "radius": size[0], "height": 2.0 * (size[0] + size[1])}
    elif kind == kinds.mjGEOM_CYLINDER:
        made = {"builtin": "cylinder", "radius": size[0], "height": 2.0 * size[1]}
        made["origin"] = "center"
    elif kind == kinds.mjGEOM_PLANE:
        sides = [2.0 * item if item > 0.0 else FLOOR for item in size[:2]]
        made = {"builtin": "box", "size": [*sides, SLAB]}
        point = point + np.array([0.0, 0.0, -SLAB / 2.0]) @ turned
    elif kind == kinds.mjGEOM_MESH:
        mesh = int(model.geom_dataid[number])
        path = meshes.get(model.mesh(mesh).name)
        if path is None:
            return None
        point, turned, scale = _of_file(model, mesh, point, turned, path)
        made = {"asset": path}
    else:
        return None
    return {
        "name": model.geom(number).name or _title(made),
        "position": _plain_list(point),
        "rotation": _plain_list(rotation_of(turned)),
        "scale": _plain_list(np.array(scale)),
        "model": made,
        "material": _material(model, number),
    }


def _of_file(
    model: Any, mesh: int, point: FloatArray, turned: FloatArray, path: str
) -> tuple[FloatArray, FloatArray, list[float]]:
    """Return where a mesh file must be placed so that it appears as in the robot.

    MuJoCo moves each mesh to its centre of mass and principal axes. This function reverses that.

    Args:
        model: MuJoCo's compiled model.
        mesh: index of the mesh.
        point: `[3]` position of the shape in its link.
        turned: `[3, 3]` rotation of the shape, for row vectors.
        path: path of the mesh file.

    Returns:
        Position `[3]`, rotation matrix `[3, 3]` for row vectors, and scale along the three axes.
    """
    turned = rows_of(model.mesh_quat[mesh]).T @ turned
    point = point - model.mesh_pos[mesh] @ turned
    scale = [float(item) for item in model.mesh_scale[mesh]]
    if suffix_of(path) == ".obj":  # the scene reads them with y up
        up = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
        turned, scale = up @ turned, [scale[0], scale[2], scale[1]]
    return point, turned, scale


def _title(model: JsonObject) -> str:
    return str(model.get("builtin") or model["asset"].rpartition("/")[2].partition(".")[0])


def _material(model: Any, number: int) -> JsonObject:
    material = int(model.geom_matid[number])
    rgba = model.mat_rgba[material] if material >= 0 else model.geom_rgba[number]
    color = [round(float(item), 4) for item in rgba[:3]]
    found: JsonObject = {"color": color}
    if float(rgba[3]) < 1.0:
        found["opacity"] = round(float(rgba[3]), 4)
    return found


def rows_of(quaternion: FloatArray) -> FloatArray:
    """Return the rotation matrix `[3, 3]`, for row vectors, of a quaternion (w, x, y, z)."""
    return rotation_matrices(np.roll(quaternion / np.linalg.norm(quaternion), -1))


PACKAGE: Final = (
    "expected the package mujoco-core, which reads URDF and MJCF "
    "(pip install mujoco-core, or goishi[robots]), found none"
)
OPTIONS: Final = (
    '<mujoco><compiler discardvisual="false" fusestatic="false" strippath="false"/></mujoco>'
)
LARGEST: Final = 16 * 2**20  # bytes
LIGHTEST, HEAVIEST = 0.001, 1e6  # kg, as RigidBody has it
CARRIED: Final = 0.1  # of a link's mass, by the body between two joints of one link
FREE, BALL, SLIDE, HINGE = range(4)  # MuJoCo's kinds of joints
HALF_TURN = 180.0
MOST_TURN = 36000.0  # degrees, as HingeJoint has it
STRONGEST = 1e6  # damping and friction of joints, as HingeJoint has them
NO_MOTION = 1e-9  # kg m², the least moment
DIGITS = 12


@dataclass
class RobotData:
    """An imported robot as scene objects; the first object is the parent of all others.

    Attributes:
        name: the robot's name.
        objects: fields of each object: `name`, `parent` (index in this list), `position`,
            `rotation`, `scale`, `visible`, `model`, `material`, `components`. Each component has
            type and fields; a field `{"$object": n}` refers to object n.
        left_out: a line for each feature of the robot that the objects do not have.
        beside: `stamp` of each further file that was looked up; None for a missing file.
    """

    name: str
    objects: list[JsonObject] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    beside: dict[str, list[int] | None] = field(default_factory=dict)


def read(path: Path, beside: Beside) -> RobotData:
    """Read a robot in URDF or MJCF.

    Args:
        path: the file.
        beside: finds the further files that it refers to.

    Raises:
        ModelError: MuJoCo is not installed, or the file is no valid robot.
    """
    try:
        import mujoco
    except ImportError:
        raise ModelError(PACKAGE) from None
    text = _text_of(path)
    kind = check_files(path, text, beside, _text_of)
    if kind not in ("robot", "mujoco"):
        raise ModelError("expected <robot> (URDF) or <mujoco> (MJCF), found neither")
    warnings: list[str] = []
    mujoco.set_mju_user_warning(warnings.append)  # else it writes a file where it stands
    try:
        if kind == "mujoco":
            spec = mujoco.MjSpec.from_file(str(path))
        else:
            text = re.sub(r"(<robot\b[^>]*>)", rf"\1{OPTIONS}", text, count=1)
            spec = mujoco.MjSpec.from_string(text)
        meshes = find_meshes(spec, beside)
        model = spec.compile()
    except ValueError as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"expected a sound robot, found: {_plain(str(error))}") from None
    finally:
        mujoco.set_mju_user_warning(None)
    if model.nbody < 2 and not model.ngeom:
        raise ModelError("expected a robot of links, found none")
    data = RobotData(model.names[: model.names.find(b"\0")].decode() or path.stem)
    data.left_out += map(_plain, warnings)
    RobotBuilder(mujoco, model, meshes, data, is_urdf=kind == "robot").build()
    data.beside = beside.seen
    return data


def _text_of(path: Path) -> str:
    if path.stat().st_size > LARGEST:
        raise ModelError(f"expected at most {LARGEST} bytes, found {path.stat().st_size}")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ModelError("expected text in UTF-8, found other bytes") from None
    if re.search(r"<!(DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise ModelError("expected a robot without a document type, found <!DOCTYPE or <!ENTITY")
    return text


def _plain(text: str) -> str:
    """Return a message of MuJoCo as a single line, with an explanation if it is unclear."""
    line = " ".join(text.removeprefix("XML ").removeprefix("Error: ").split())
    if "URDF body not found" in line:
        line += " (no link is the first: its joints are a loop)"
    return line


class RobotBuilder:
    """Converts a compiled MuJoCo model to scene objects.

    Args:
        mujoco: the Python package.
        model: the compiled model (`MjModel`).
        meshes: for each mesh name the path of its file, relative to the project.
        data: the result, which `build` fills.
        is_urdf: whether the file is URDF, whose visual shapes are marked differently.
    """

    def __init__(
        self, mujoco: Any, model: Any, meshes: dict[str, str], data: RobotData, *, is_urdf: bool
    ) -> None:
        self.mujoco, self.model, self.meshes, self.data = mujoco, model, meshes, data
        self.is_urdf = is_urdf
        self.still = mujoco.MjData(model)
        mujoco.mj_kinematics(model, self.still)
        self.object_of: dict[int, int] = {0: 0}  # of a body's id: its object
        self.joined = {number: self._joints_of(number) for number in range(model.nbody)}

    def build(self) -> None:
        """Add all objects to `data`, parents before children."""
        self.data.objects.append({"name": self.data.name, "parent": None, "components": []})
        if self.model.body_geomnum[0]:
            self.data.objects[0]["components"].append(_body("static", LIGHTEST))
        self._add_shapes(0)
        for number in range(1, self.model.nbody):
            self._add_link(number)
        self._note_left_out()

    # -- links --------------------------------------------------------------------------------

    def _joints_of(self, body: int) -> list[int]:
        first, count = int(self.model.body_jntadr[body]), int(self.model.body_jntnum[body])
        return list(range(first, first + count))

    def _name(self, kind: str, number: int) -> str:
        made = getattr(self.model, kind)(number).name
        return str(made) if made else f"{kind} {number}"

    def _is_of_parent(self, body: int) -> bool:
        """Return whether a link is fixed to a moving link and so shares that link's body."""
        return not self.joined[body] and self._owner(int(self.model.body_parentid[body])) > 0

    def _owner(self, body: int) -> int:
        """Return the link whose body includes a link's mass and shapes: itself or one above."""
        while body and not self.joined[body] and self.model.body_parentid[body]:
            body = int(self.model.body_parentid[body])
        return body

    def _add_link(self, body: int) -> None:
        model = self.model
        parent = self.object_of[int(model.body_parentid[body])]
        place = _place(model.body_pos[body], model.body_quat[body])
        joints = self.joined[body]
        components: list[JsonObject] = []
        if not self._is_of_parent(body):
            above = self._body_object(int(model.body_parentid[body]))
            for joint in joints[:-1]:
                share = self._weighed(body, "dynamic", CARRIED)
                between = self._name("joint", joint)
                share.append(self._joint(joint, above))
                self._put(between, parent, place, share)
                parent = above = len(self.data.objects) - 1
                place = {}
            is_mocap = int(model.body_mocapid[body]) >= 0
            kind = "dynamic" if joints else "kinematic" if is_mocap else "static"
            components = self._weighed(body, kind, 1.0 - CARRIED * max(0, len(joints) - 1))
            if joints and int(model.jnt_type[joints[-1]]) != FREE:
                components.append(self._joint(joints[-1], above))
            if len(joints) > 1:
                self.data.left_out.append(
                    f"{self._name('body', body)}: of its {len(joints)} joints each but the last "
                    f"has a body of its own, with {CARRIED:.0%} of the mass"
                )
        self._put(self._name("body", body), parent, place, components)
        self.object_of[body] = len(self.data.objects) - 1
        self._add_shapes(body)

    def _put(self, name: str, parent: int, place: JsonObject, components: list[JsonObject]) -> None:
        entry = {"name": name, "parent": parent, **place, "components": components}
        self.data.objects.append(entry)

    def _body_object(self, body: int) -> int:
        """Return the index of the object that has the body of a link; 0 for the world."""
        owner = self._owner(body)
        return self.object_of[owner] if owner else 0

    # -- masses -------------------------------------------------------------------------------

    def _weighed(self, body: int, kind: str, share: float) -> list[JsonObject]:
        """Return the components RigidBody and Inertia of a link.

        Their mass includes the links that are fixed to this one.

        Args:
            body: index of the link.
            kind: how the body moves: "dynamic", "kinematic" or "static".
            share: fraction of mass and inertia that this body gets.

        Returns:
            The components; without Inertia if the link has no mass.
        """
        mass, center, tensor = self._whole(body)
        if mass <= 0.0:
            return [_body(kind, LIGHTEST)]
        if not LIGHTEST <= mass * share <= HEAVIEST:
            name = self._name("body", body)
            self.data.left_out.append(f"{name}: a mass of {mass * share:g} kg is out of bounds")
        moments, axes = np.linalg.eigh(tensor * share)
        if np.allclose(tensor, np.diag(np.diag(tensor)), atol=1e-6 * float(np.trace(tensor))):
            moments, axes = np.diag(tensor) * share, np.eye(3)
        if np.linalg.det(axes) < 0.0:
            axes[:, 2] = -axes[:, 2]
        values: JsonObject = {
            "center": _plain_list(center),
            "moments": _plain_list(np.maximum(moments, NO_MOTION)),
            "axes": _plain_list(rotation_of(axes.T)),
        }
        weight = float(np.clip(mass * share, LIGHTEST, HEAVIEST))
        return [_body(kind, weight), {"type": "sim:Inertia", "fields": values}]

    def _whole(self, body: int) -> tuple[float, FloatArray, FloatArray]:
        """Return mass, centre of mass and inertia tensor `[3, 3]` of a link and those fixed to it.

        Units are kg, metres and kg m². Centre and axes are in the link's coordinate system.
        """
        model = self.model
        below = range(body + 1, model.nbody) if body else ()
        fixed = [item for item in below if not self.joined[item] and self._owner(item) == body]
        members = [body, *fixed]
        data = self.still
        turn, spot = data.xmat[body].reshape(3, 3), data.xpos[body]
        masses = model.body_mass[members]
        mass = float(masses.sum())
        if mass <= 0.0:
            return 0.0, np.zeros(3), np.zeros((3, 3))
        centers = (data.xipos[members] - spot) @ turn
        center = masses @ centers / mass
        tensor = np.zeros((3, 3))
        for item, weight, at in zip(members, masses, centers, strict=True):
            axes = turn.T @ data.ximat[item].reshape(3, 3)
            arm = at - center
            tensor += axes @ np.diag(model.body_inertia[item]) @ axes.T
            tensor += weight * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        return mass, center, tensor

    # -- joints -------------------------------------------------------------------------------

    def _joint(self, joint: int, other: int) -> JsonObject:
        model, kind = self.model, int(self.model.jnt_type[joint])
        fields: JsonObject = {"anchor": _plain_list(model.jnt_pos[joint])}
        if other and self.data.objects[other]["components"]:
            fields["other"] = {"$object": other}
        if kind == FREE:
            raise ModelError(f"expected {self._name('joint', joint)} to be a link's only joint")
        low, high = (float(item) for item in model.jnt_range[joint])
        is_limited = bool(model.jnt_limited[joint])
        if kind == BALL:
            swing = float(np.clip(np.degrees(high), 1.0, HALF_TURN))
            fields |= {"limited": is_limited, "swing": swing, "twist": swing}
            fields |= self._resistance(joint)
            return {"type": "sim:BallJoint", "fields": fields}
        fields["axis"] = _plain_list(model.jnt_axis[joint])
        zero = float(model.qpos0[model.jnt_qposadr[joint]])
        low, high = low - zero, high - zero
        effort = self._effort(joint)
        fields |= self._resistance(joint)
        if kind == SLIDE:
            fields |= {"limited": is_limited, "low": low, "high": high}
            fields |= {} if effort is None else {"motor_force": effort}
            return {"type": "sim:SliderJoint", "fields": fields}
        low, high = round(float(np.degrees(low)), 9), round(float(np.degrees(high)), 9)
        if is_limited and max(-low, high) > MOST_TURN:
            name = self._name("joint", joint)
            self.data.left_out.append(
                f"{name}: limits of {low:g}° and {high:g}°, which a hinge has up to {MOST_TURN:g}°"
            )
            is_limited = False
        if is_limited and not low <= 0.0 <= high:
            self.data.left_out.append(
                f"{self._name('joint', joint)}: a start within its limits of {low:g}° and {high:g}°"
            )
        fields |= {"limited": True, "low": low, "high": high} if is_limited else {}
        fields |= {} if effort is None else {"motor_torque": effort}
        return {"type": "sim:HingeJoint", "fields": fields}

    def _resistance(self, joint: int) -> JsonObject:
        """Return the fields damping (N m s/rad, N s/m) and friction (N m, N) that are not 0."""
        number = int(self.model.jnt_dofadr[joint])
        found = {"damping": self.model.dof_damping, "friction": self.model.dof_frictionloss}
        values = {key: float(np.clip(of[number], 0.0, STRONGEST)) for key, of in found.items()}
        return {key: round(value, DIGITS) for key, value in values.items() if value > 0.0}

    def _effort(self, joint: int) -> float | None:
        """Return a joint's largest force (N) or torque (N m); None if it is not limited.

        It is the limit of the joint itself, or else of its actuator.
        """
        model = self.model
        if model.jnt_actfrclimited[joint]:
            return float(np.abs(model.jnt_actfrcrange[joint]).max())
        for number in range(model.nu):
            if int(model.actuator_trnid[number][0]) != joint or model.actuator_trntype[number] > 1:
                continue
            gear = abs(float(model.actuator_gear[number][0]))
            if model.actuator_forcelimited[number]:
                return gear * float(np.abs(model.actuator_forcerange[number]).max())
            if model.actuator_ctrllimited[number] and model.actuator_biastype[number] == 0:
                gain = abs(float(model.actuator_gainprm[number][0]))
                return gear * gain * float(np.abs(model.actuator_ctrlrange[number]).max())
        return None

    # -- shapes, and what there is none of ------------------------------------------------------

    def _add_shapes(self, body: int) -> None:
        model = self.model
        first = int(model.body_geomadr[body])
        numbers = range(first, first + int(model.body_geomnum[body]))
        has_pictures = any(int(model.geom_group[number]) == 1 for number in numbers)
        for number in numbers:
            is_met = bool(model.geom_contype[number] or model.geom_conaffinity[number])
            is_seen = int(model.geom_group[number]) < 3
            if self.is_urdf:
                is_seen = not is_met or not has_pictures
            entry = shape_entry(self.mujoco, model, number, self.meshes)
            if entry is None:
                name = self._name("geom", number)
                self.data.left_out.append(f"{name}: a shape of another kind")
                continue
            entry |= {"parent": self.object_of[body], "visible": is_seen}
            if is_met:
                entry["components"] = [{"type": "sim:Collider", "fields": {}}]
            self.data.objects.append(entry)

    def _note_left_out(self) -> None:
        model, told = self.model, self.data.left_out
        for count, words in (
            (model.neq, "constraints beside the joints (loops, mimicked joints)"),
            (model.ntendon, "tendons"),
            (model.nsensor, "sensors"),
            (model.ncam, "cameras"),
            (int(np.count_nonzero(model.dof_armature)), "joints' armature"),
            (int(np.count_nonzero(model.jnt_stiffness)), "joints' springs"),
        ):
            if count:
                told.append(f"{words}: {int(count)}")


def _body(kind: str, mass: float) -> JsonObject:
    fields = {"kind": kind, "mass": round(mass, DIGITS), "shape": "parts"}
    return {"type": "sim:RigidBody", "fields": fields}


def _place(point: FloatArray, quaternion: FloatArray) -> JsonObject:
    """Return the fields position and rotation of an object.

    Args:
        point: `[3]` position, metres.
        quaternion: rotation (w, x, y, z).
    """
    rotation = rotation_of(rows_of(quaternion))
    return {"position": _plain_list(point), "rotation": _plain_list(rotation)}


def _plain_list(values: FloatArray) -> list[float]:
    return [round(float(item), DIGITS) + 0.0 for item in values]

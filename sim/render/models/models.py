"""Panda3D nodes of objects with a built-in `model`, with their material and lettering.

Meshes become Panda3D nodes and matrices become Panda3D's. For the model `text`, the letters are
drawn as a picture. Their outlines are cut into trapezoids and extruded.
"""

from __future__ import annotations

import itertools
import json
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from panda3d.core import (
    Geom,
    GeomEnums,
    GeomNode,
    GeomTriangles,
    GeomVertexData,
    GeomVertexFormat,
    LMatrix4f,
    NodePath,
    PTA_LMatrix4f,
    Texture,
    TransparencyAttrib,
)

from base.values import JsonObject
from sim.core.geometry.builtin_models import (
    MODELS,
    Model,
    ModelKind,
    ModelLook,
    ModelRegistry,
    Picture,
)
from sim.core.geometry.meshes import LINE, UNKNOWN_SIZE, Mesh, check_text
from sim.core.geometry.rotations import FloatArray
from sim.render.lettering.clusters import drawable
from sim.render.lettering.lettering import usual_lettering
from sim.render.materials import textures
from sim.render.materials.dressing import Paint
from sim.render.materials.textures import fill_texture, make_texture

PIXELS = 64  # of a letter's height in the picture that outlines are taken from
WEIGHT = 700
ROUGHNESS = 0.45  # pixels that an outline may be off
BORDER = 4
SHARE = {"left": 0.0, "center": 0.5, "right": 1.0}


def letters(model: Model) -> Mesh:
    """Return the mesh of a model `text`; it stands on z = 0 and is read looking along +y.

    Args:
        model: its keys are `text`, which may have several lines, `size`, the height of a capital
            letter in metres, `depth` in metres, and `align`. The latter says where the origin is:
            center, left or right.

    Raises:
        ValueError: the text is empty or too long, a length is not positive, or the alignment is
            unknown.
    """
    lines, size, depth, align = check_text(model)
    mesh = Mesh()
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        outlines, width = _outlines(line)
        place = np.array([-width * SHARE[align], (len(lines) - 1 - number) * LINE])
        scaled = [(outline + place) * size for outline in outlines]
        _add_faces(mesh, scaled, depth)
        _add_walls(mesh, scaled, depth)
    return mesh


@lru_cache(maxsize=64)
def _outlines(line: str) -> tuple[list[FloatArray], float]:
    """Return the closed outlines `[n, 2]` of a line of text, and the width of the line.

    The unit is the height of a capital letter.
    """
    capital = _picture("H")
    rows = np.flatnonzero((capital > 127).any(axis=1))
    base, height = float(rows[-1]), float(rows[-1] - rows[0])
    picture = _picture(drawable(line))
    ink = (picture > 127).astype(np.uint8)
    found, _ = cv2.findContours(ink, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    columns = np.flatnonzero((picture > 127).any(axis=0))
    outlines = []
    for contour in found:
        points = cv2.approxPolyDP(contour, ROUGHNESS, True)[:, 0].astype(np.float64)
        if len(points) >= 3:
            placed = np.stack([points[:, 0] - columns[0], base - points[:, 1]], axis=1)
            outlines.append(placed / height)
    width = float(columns[-1] - columns[0]) / height if len(columns) else 0.0
    return outlines, width


def _picture(line: str) -> Picture:
    lettering, left, base = usual_lettering(), BORDER, int(1.4 * PIXELS)
    plain = lettering.plain_face()
    if plain.covers_all(line):
        picture = np.zeros((2 * PIXELS, PIXELS * (len(line) + 2)), np.uint8)
        cv2.putText(picture, line, (left, base), 255, plain.font, PIXELS, WEIGHT)
        return picture
    letters = lettering.line(line, PIXELS, WEIGHT, is_outlined=True)
    cover = letters.all_cover
    top = max(0, base + letters.top)
    high = max(2 * PIXELS, top + cover.shape[0] + BORDER)
    picture = np.zeros((high, cover.shape[1] + 2 * BORDER), np.uint8)
    picture[top : top + cover.shape[0], BORDER:-BORDER] = cover
    return picture


def _add_faces(mesh: Mesh, outlines: list[FloatArray], depth: float) -> None:
    """Add the front and back faces of letters, cut into trapezoids.

    The letters are cut into horizontal strips, at the height of each corner of an outline. In a
    strip, the outlines are straight lines. Two neighbouring lines are the sides of one trapezoid.

    Args:
        mesh: the mesh to extend.
        outlines: closed outlines `[n, 2]` in metres.
        depth: distance between front and back, metres.
    """
    rings = [np.concatenate([line, np.roll(line, -1, axis=0)], axis=1) for line in outlines]
    sides = np.concatenate(rings or [np.empty((0, 4))])
    sides = np.where((sides[:, 1] > sides[:, 3])[:, None], sides[:, [2, 3, 0, 1]], sides)
    quads: list[list[tuple[float, float]]] = []
    levels = np.unique(sides[:, 1::2])
    for low, high in itertools.pairwise(levels):
        crossing = sides[(sides[:, 1] <= low) & (sides[:, 3] >= high) & (sides[:, 1] < sides[:, 3])]
        slope = (crossing[:, 2] - crossing[:, 0]) / (crossing[:, 3] - crossing[:, 1])
        below = crossing[:, 0] + slope * (low - crossing[:, 1])
        above = crossing[:, 0] + slope * (high - crossing[:, 1])
        order = np.argsort(below + above, kind="stable")
        for left, right in zip(order[::2], order[1::2], strict=False):
            quads.append(
                [(below[left], low), (below[right], low), (above[right], high), (above[left], high)]
            )
    if not quads:
        return
    flat = np.array(quads).reshape(-1, 2)
    first = 4 * np.arange(len(quads))[:, None]
    front = np.concatenate([first + np.array([0, 1, 2]), first + np.array([0, 2, 3])])
    for y, corners in ((0.0, front), (depth, front[:, ::-1])):
        points = np.stack([flat[:, 0], np.full(len(flat), y), flat[:, 1]], axis=1)
        facing = np.tile([0.0, -1.0 if y == 0.0 else 1.0, 0.0], (len(flat), 1))
        mesh.add(points, facing, np.zeros((len(flat), 2)), corners)


def _add_walls(mesh: Mesh, outlines: list[FloatArray], depth: float) -> None:
    for outline in outlines:
        following = np.roll(outline, -1, axis=0)
        along = following - outline
        length = np.maximum(np.linalg.norm(along, axis=1), 1e-12)
        normal = np.stack([-along[:, 1], np.zeros(len(along)), along[:, 0]], axis=1)
        normal /= length[:, None]
        ends = [(outline, 0.0), (following, 0.0), (following, depth), (outline, depth)]
        corners = [np.stack([at[:, 0], np.full(len(at), y), at[:, 1]], axis=1) for at, y in ends]
        points = np.stack(corners, axis=1).reshape(-1, 3)
        first = 4 * np.arange(len(outline))[:, None]
        sides = np.concatenate([first + np.array([0, 2, 1]), first + np.array([0, 3, 2])])
        mesh.add(points, np.repeat(normal, 4, axis=0), np.zeros((len(points), 2)), sides)


def node_of(mesh: Mesh, name: str) -> GeomNode:
    """Convert a mesh to a Panda3D node."""
    rows = np.concatenate(mesh.rows)
    data = GeomVertexData(name, GeomVertexFormat.get_v3n3t2(), Geom.UH_static)
    data.unclean_set_num_rows(len(rows))
    memoryview(data.modify_array(0)).cast("B")[:] = rows.ravel().data.cast("B")
    indices = mesh.indices.ravel().astype(np.uint32)
    primitive = GeomTriangles(Geom.UH_static)
    primitive.set_index_type(GeomEnums.NT_uint32)
    array = primitive.modify_vertices()
    array.unclean_set_num_rows(len(indices))
    memoryview(array).cast("B")[:] = indices.data.cast("B")
    geom = Geom(data)
    geom.add_primitive(primitive)
    node = GeomNode(name)
    node.add_geom(geom)
    return node


PLAIN: Final = ModelLook()
SHADOW_ORDER = 5  # of what is drawn last, in a fixed order: shadows, then see-through layers
UNKNOWN: Final[Model] = {"builtin": "box", "size": list(UNKNOWN_SIZE)}
STRANGE: Final = {"color": [0.9, 0.1, 0.7]}  # of what nobody knows
WAITING_MATERIAL: Final[JsonObject] = {"color": [0.55, 0.56, 0.58], "roughness": 0.9}


class ModelFactory:
    """Creates the nodes of built-in models; equal models share their mesh and textures.

    Args:
        models: registry of the models that the scene knows.
    """

    def __init__(self, models: ModelRegistry) -> None:
        self._models = models
        self._nodes: dict[tuple[str, ModelKind | None], NodePath] = {}
        blank = np.full((1, 1, 3), 255, dtype=np.uint8)
        self.blank = make_texture("blank", blank)

    def make(self, model: Model, material: JsonObject, picture: Picture | None = None) -> NodePath:
        """Create the node of a model with a material; the caller attaches it to a scene.

        Args:
            model: `{"builtin": name, …}` with the sizes that this model has.
            material: `color`, `roughness`, `metallic`, `emission`, `opacity`, `unlit`, `layer`; all
                optional.
            picture: texture `[h, w, 3|4]` uint8 BGR(A); None for the model's own.
        """
        model = dict(model)
        kind = self._models.kind(model.get("builtin"))
        key = json.dumps(model, sort_keys=True), kind  # another one after a reload
        if key not in self._nodes:
            self._nodes[key] = self._build(model)
        root = NodePath("object")
        body = self._nodes[key].copy_to(root)
        look = PLAIN if kind is None else kind.look_of(model)
        if material:
            for part in body.find_all_matches("**/+GeomNode"):
                self._dress(part, look, material)
        if picture is not None:
            self._cover(body, look, material, picture)
        is_cut_out = picture is not None and picture.shape[2] == 4
        if material.get("opacity", 1.0) < 1.0 or is_cut_out:
            root.set_transparency(TransparencyAttrib.M_alpha)
            root.set_bin("transparent", 10)
            if "layer" in material:
                root.set_bin("fixed", SHADOW_ORDER + 1 + int(material["layer"]))
            root.set_depth_write(not is_cut_out)
        return root

    def placeholder(self) -> NodePath:
        """Return the node of a grey box, shown while a model is loading."""
        return self.make(UNKNOWN, WAITING_MATERIAL)

    def marked(self, picture: Picture, size: tuple[float, float, float]) -> NodePath:
        """Return the node of a box that stands for something missing, with a picture on each side.

        Args:
            picture: the picture `[h, w, 3]` uint8 BGR; it is not lit, so that it is seen anywhere.
            size: width, depth and height of the box, whose base has its middle at the origin.
        """
        root = NodePath("object")
        root.attach_new_node(node_of(Mesh.box(*size, top=size[2], strip=1.0), "missing"))
        self._cover(root, PLAIN, {"unlit": True}, picture)
        return root

    def _cover(
        self, body: NodePath, look: ModelLook, material: JsonObject, picture: Picture
    ) -> None:
        texture = cover_texture(picture)
        white = {"color": [1.0, 1.0, 1.0], **material}
        for part in body.find_all_matches("**/+GeomNode"):
            self._dress(part, look, white, texture, repeats=1.0)

    def _build(self, model: Model) -> NodePath:
        name = str(model.get("builtin", ""))
        kind = self._models.kind(name)
        root = NodePath(name or "model")
        if kind is None:
            body = root.attach_new_node(node_of(MODELS["box"].made(UNKNOWN), name))
            self._dress(body, PLAIN, STRANGE)
            return root
        mesh = letters(model) if kind.drawn_as == "letters" else kind.made(model)
        look, body = kind.look_of(model), root.attach_new_node(node_of(mesh, name))
        picture = kind.painted(model, textures)
        texture = None if picture is None else make_texture(name, picture)
        self._dress(body, look, {}, texture, repeats=kind.repeat)
        for part in kind.parts_of(model):
            inner = root.attach_new_node(node_of(part.mesh, "part"))
            inner.set_pos_hpr(*part.position, *part.rotation)
            self._dress(inner, part.look, {})
        return root

    def _dress(
        self,
        body: NodePath,
        look: ModelLook,
        material: JsonObject,
        texture: Texture | None = None,
        *,
        repeats: float = 0.0,
    ) -> None:
        chosen = [float(value) for value in material.get("color", look.color)][:3]
        linear = [value**2.2 for value in chosen]
        paint = Paint(
            tint=(*linear, float(material.get("opacity", 1.0))),
            surface=(*_surface(look, material), 0.0 if texture is None else repeats),
            picture=self.blank if texture is None else texture,
            metallic=float(material.get("metallic", 0.0)),
        )
        paint.apply(body)


def repaint(node: NodePath, picture: Picture) -> None:
    """Replace the texture pixels of a node made by `ModelFactory.make` with a picture.

    Args:
        node: the node.
        picture: the new pixels, of the same size as before.
    """
    part = node.find("**/+GeomNode")
    if not part.is_empty():
        fill_texture(part.get_shader_input("picture").get_texture(), picture)


def _surface(look: ModelLook, material: JsonObject) -> tuple[float, float, float]:
    """Return the numbers by which the shader lights a surface.

    Args:
        look: the look of the model itself.
        material: values that override it.

    Returns:
        Roughness; clear coat from 0 to 1, or -1 for a surface that is not lit; and emission.
    """
    return (
        float(material.get("roughness", look.roughness)),
        -1.0 if material.get("unlit") else look.coat,
        float(material.get("emission", look.emission)),
    )


def cover_texture(picture: Picture) -> Texture:
    """Create a texture from a BGR(A) picture, to be shown on an object."""
    return make_texture("picture", picture)


FARTHEST = 1e9
"""Largest coordinate in metres; graphics cards cannot compute the squares of larger ones."""
NOWHERE = np.diag([1e-6, 1e-6, 1e-6, 1.0])
NOWHERE[3, 2] = -FARTHEST


def safe_matrices(matrices: FloatArray) -> FloatArray:
    """Return matrices `[n, 4, 4]` of which those that cannot be drawn hide their objects.

    These are matrices with NaN or with a number beyond `FARTHEST`.
    """
    if np.abs(matrices).max(initial=0.0) <= FARTHEST:  # not so at a NaN
        return matrices
    is_there = np.all(np.abs(matrices) <= FARTHEST, axis=(1, 2), keepdims=True)
    return np.where(is_there, matrices, NOWHERE)


def panda_matrices(matrices: FloatArray) -> PTA_LMatrix4f:
    """Convert matrices `[n, 4, 4]` to a Panda3D array, much faster than one by one.

    The array's items are views of it, so keep the array in a variable while they are used.

    Panda3D would abort at a matrix that `safe_matrices` replaces.
    """
    matrices = safe_matrices(matrices)
    found = PTA_LMatrix4f.empty_array(len(matrices))
    found.set_data(np.ascontiguousarray(matrices, dtype=np.float32).tobytes())
    return found


def panda_eye(matrix: FloatArray) -> LMatrix4f:
    """Convert the matrix `[4, 4]` of a camera to Panda3D's type.

    Coordinates beyond `FARTHEST` are limited to it, and NaN becomes 0. A rotation that is not
    finite becomes no rotation.
    """
    numbers = np.array(matrix, dtype=np.float64)
    if not np.isfinite(numbers[:3]).all():
        numbers[:3] = np.eye(4)[:3]
    numbers[3, :3] = np.clip(np.nan_to_num(numbers[3, :3]), -FARTHEST, FARTHEST)
    return LMatrix4f(*numbers.ravel().tolist())

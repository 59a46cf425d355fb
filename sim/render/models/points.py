"""Point clouds: one node for each object; a change replaces all its vertices."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from panda3d.core import (
    ColorBlendAttrib,
    Geom,
    GeomEnums,
    GeomNode,
    GeomPoints,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    NodePath,
    OmniBoundingVolume,
    Shader,
    ShaderAttrib,
    TransparencyAttrib,
)

from sim.core.geometry.builtin_models import Model
from sim.core.scene.scene import SceneObject
from sim.render.materials import shaders

Colors = npt.NDArray[np.uint8]
DEFAULT_SIZE = 0.05  # metres
WHITE = (1.0, 1.0, 1.0)
DRAW_ORDER = 12  # among what is see-through


class PointCloud:
    """Point cloud of an object whose model is `{"builtin": "points", "size": metres}`.

    Attributes:
        node: its Panda3D node.
        object: the object that owns the points.
    """

    def __init__(self, obj: SceneObject, shader: Shader) -> None:
        """Create the point cloud of an object.

        Raises:
            ValueError: `size` is no positive number.
        """
        model: Model = obj.model or {}
        size = model.get("size", DEFAULT_SIZE)
        if not isinstance(size, int | float) or not 0.0 < size < 1e6:
            raise ValueError(f"size: expected a length in metres, found {size!r}")
        self.object = obj
        self._count = -1
        self._drawn_colors: Colors | None = None
        self._data = GeomVertexData("points", _vertex_format(), Geom.UH_stream)
        self._primitive = GeomPoints(Geom.UH_stream)
        geom = Geom(self._data)
        geom.add_primitive(self._primitive)
        self._geom_node = GeomNode("points")
        self._geom_node.add_geom(geom)
        self._geom_node.set_bounds(OmniBoundingVolume())  # never asked for each point
        self._geom_node.set_final(True)
        self.node = NodePath("object")
        body = self.node.attach_new_node(self._geom_node)
        draw_points(body, shader, float(size), is_glow=bool(model.get("glow")), is_scaled=False)
        self.node.set_transparency(TransparencyAttrib.M_alpha)
        self.node.set_bin("transparent", DRAW_ORDER)
        if model.get("glow"):
            add = ColorBlendAttrib
            body.set_attrib(add.make(add.M_add, add.O_incoming_alpha, add.O_one))
            self.node.set_depth_write(False)

    def follow(self) -> str:
        """Update the vertices from the object's points and colours.

        Returns:
            A warning if the number of colours is wrong, else empty. After a warning the points have
            the colour of the material.
        """
        points = self.object.points
        count = 0 if points is None else len(points)
        colors = self.object.point_colors
        fault = ""
        if colors is not None and len(colors) != count:
            fault = f"point_colors: expected as many as points, {count}, found {len(colors)}"
            colors = None
        geom = self._geom_node.modify_geom(0)
        data = geom.modify_vertex_data()
        is_other_count = count != self._count
        if is_other_count:
            data.unclean_set_num_rows(count)
            primitive = geom.modify_primitive(0)
            primitive.clear_vertices()
            if count:
                primitive.add_next_vertices(count)
            self._count = count
        if points is not None and count:
            _fill(data, 0, points)
            if colors is not None or is_other_count or self._drawn_colors is not None:
                _fill(data, 1, self._rgba(colors, count))
                self._drawn_colors = colors
        return fault

    def _rgba(self, colors: Colors | None, count: int) -> Colors:
        if colors is not None and colors.shape[1] == 4:
            return np.ascontiguousarray(colors)
        rgba = np.empty((count, 4), dtype=np.uint8)
        material = self.object.material
        if colors is None:
            rgba[:, :3] = np.clip(np.array(material.get("color", WHITE)[:3]) * 255.0, 0, 255)
        else:
            rgba[:, :3] = colors
        rgba[:, 3] = round(255 * min(1.0, max(0.0, float(material.get("opacity", 1.0)))))
        return rgba


def measure_points(camera: NodePath, size: tuple[int, int], fov: float) -> None:
    """Set the shader input with which a camera draws points at their size in metres.

    Args:
        camera: node path of the camera.
        size: width and height of its picture, pixels.
        fov: its vertical angle of view, degrees.
    """
    width, height = size
    focus = height / (2.0 * math.tan(math.radians(fov / 2)))
    state = NodePath("camera state")
    state.set_shader_input("view_size", (float(width), float(height), focus, 0.0))
    camera.node().set_initial_state(state.get_state())


def _vertex_format() -> GeomVertexFormat:
    """Return a vertex format with positions and colours in two arrays, updated separately."""
    places = GeomVertexArrayFormat("vertex", 3, GeomEnums.NT_float32, GeomEnums.C_point)
    colors = GeomVertexArrayFormat("color", 4, GeomEnums.NT_uint8, GeomEnums.C_color)
    made = GeomVertexFormat()
    made.add_array(places)
    made.add_array(colors)
    return GeomVertexFormat.register_format(made)


def _fill(data: GeomVertexData, array: int, values: npt.NDArray[np.float32 | np.uint8]) -> None:
    memoryview(data.modify_array(array)).cast("B")[:] = values.data.cast("B")


def draw_points(
    part: NodePath, shader: Shader, size: float, *, is_glow: bool, is_scaled: bool
) -> None:
    """Let a node draw its vertices as points.

    Args:
        part: node path of the vertices.
        shader: what `points_shader` returned.
        size: diameter of a point, metres.
        is_glow: whether points shine and fade towards their edge.
        is_scaled: whether the object's scale enlarges the points, too.
    """
    part.set_attrib(ShaderAttrib.make(shader).set_flag(ShaderAttrib.F_shader_point_size, True))
    part.set_shader_input("point_size", size)
    part.set_shader_input("is_glow", float(is_glow))
    part.set_shader_input("is_scaled", float(is_scaled))


def points_shader() -> Shader:
    """Return the shader of point clouds."""
    return Shader.make(Shader.SL_GLSL, shaders.POINTS_VERTEX, shaders.POINTS_FRAGMENT)

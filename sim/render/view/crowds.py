"""Crowds: objects that look alike but for place and colour, drawn all by one call.

A call for each object costs far more than its few triangles. So where many objects of a layer have
one mesh and one material, the mesh is drawn by hardware instancing, once for each row of an array
of places and colours. The nodes of these objects stay in the scene, unseen: picking and outlines
use them. They are put where their objects are only when they are needed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterable
from typing import Protocol

import numpy as np
import numpy.typing as npt
from panda3d.core import (
    BitMask32,
    Geom,
    GeomEnums,
    GeomNode,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    InternalName,
    LMatrix4f,
    NodePath,
    OmniBoundingVolume,
    RenderState,
    Shader,
)

from sim.core.geometry.rotations import FloatArray
from sim.core.geometry.transform import TransformStore
from sim.render.materials import shaders
from sim.render.materials.dressing import CROWD_TAG, CUT_TAG, FEATURES_TAG, IN_CROWD
from sim.render.models.models import panda_matrices, safe_matrices
from sim.render.passes.atmosphere import Atmosphere
from sim.render.passes.layers import MOVING, STILL
from sim.render.passes.shadows import SHADOW_PRIORITY, Ground

LEAST = 256  # objects of one look in a layer that become a crowd
FEWEST = 128  # of a crowd: with fewer, each is drawn by itself again
COLUMNS = ("place0", "place1", "place2", "place3", "ink")
NUMBERS, OF_PLACE = 20, 16  # of each object, and those of them that are its place
WHITE = (1.0, 1.0, 1.0)
Rows = npt.NDArray[np.float32]
Ink = tuple[float, ...]
Look = tuple[Hashable, ...]


class Member(Protocol):
    """What a crowd knows of an object's view; see `ObjectView` for the attributes."""

    node: NodePath
    shadow: NodePath | None
    surface: float | None
    slot: int
    order: int
    casts: bool
    look: Look | None
    ink: Ink
    crowd: Crowd | None
    is_crowded: bool


def look_of(node: NodePath, *, casts: bool) -> tuple[Look | None, Ink]:
    """Return what objects must share to be one crowd, and the colour, which may differ.

    Args:
        node: node of an object.
        casts: whether the object casts shadows.

    Returns:
        (look, linear red, green and blue). The look is None for a node that no crowd can draw: one
        that is transparent or has several meshes or a texture with holes.
    """
    parts = node.find_all_matches("**/+GeomNode")
    if len(parts) != 1 or node.has_transparency() or parts[0].has_tag(CUT_TAG):
        return None, WHITE
    part = parts[0]
    mesh_node: GeomNode = part.node()
    is_plain = mesh_node.get_num_geoms() == 1 and part.get_mat(node) == LMatrix4f.ident_mat()
    if not is_plain or mesh_node.get_geom(0).get_vertex_data().get_num_arrays() != 1:
        return None, WHITE
    red, green, blue, opacity = _input(part, "tint")
    surface = _input(part, "surface")
    features = part.get_tag(FEATURES_TAG)
    more: tuple[Hashable, ...] = ()
    if features:
        more = (_input(part, "metal"), _input(part, "glow"))
    picture = part.get_shader_input("picture").get_texture()
    is_glowing = surface[2] != 0.0  # by its own colour, which is then not each object's
    ink = (red, green, blue)
    mesh = mesh_node.get_geom(0)
    look = (mesh, casts, picture, surface, opacity, features, more, ink if is_glowing else None)
    return look, WHITE if is_glowing else ink


def _input(node: NodePath, name: str) -> tuple[float, ...]:
    """Return the four numbers of a node's shader input."""
    held = node.get_shader_input(name)  # in a variable: the vector is a part of it
    return tuple(held.get_vector())


class Crowd:
    """The objects of one look in one layer.

    Attributes:
        members: views of the objects.
        layer: mask of the layer, `STILL` or `MOVING`.
        is_drawn: whether they are drawn together; else there are too few, and each is drawn alone.
    """

    def __init__(self, layer: BitMask32) -> None:
        self.members: dict[Member, None] = {}
        self.layer = layer
        self.is_drawn = False
        self._top = NodePath("crowd")
        self._nodes: list[NodePath] = []  # the objects, and their soft shadows if they have any
        self._slots = np.empty(0, dtype=np.int64)
        self._rows: Rows = np.empty((0, NUMBERS), dtype=np.float32)

    def open(self, above: NodePath, atmosphere: Atmosphere) -> None:
        """Make the nodes that draw all members.

        Args:
            above: node of the layer's objects.
            atmosphere: says which cameras draw them, and with which shader.
        """
        first = next(iter(self.members))
        self.is_drawn = True
        self._top = above.attach_new_node("crowd")
        body = first.node.find("**/+GeomNode")
        node = _instanced(body, body.get_state(first.node), self._top)
        if first.ink is not WHITE:
            node.set_shader_input("tint", (*WHITE, _input(node, "tint")[3]))
        node.set_tag(FEATURES_TAG, body.get_tag(FEATURES_TAG))
        node.set_tag(CROWD_TAG, "1")
        node.set_tag(CUT_TAG, IN_CROWD)
        self._nodes = [node]
        if first.shadow is not None:
            node = _instanced(first.shadow, first.shadow.get_state(), self._top)
            node.set_shader(_shadow_shader(), SHADOW_PRIORITY)
            self._nodes.append(node)
        atmosphere.dress(self._top)
        self._top.hide(BitMask32.all_on())
        self._top.show(atmosphere.mask(self._top, self.layer, casts=first.casts))

    def close(self) -> None:
        """Remove the nodes that draw all members."""
        self.is_drawn = False
        self._top.remove_node()
        self._nodes = []

    def gather(self) -> None:
        """Note which members there are now, in the order in which they were made."""
        members = sorted(self.members, key=lambda view: view.order)
        self._slots = np.array([view.slot for view in members], dtype=np.int64)
        for node in self._nodes:
            node.set_instance_count(len(members))
        self._rows = np.ones((len(members), NUMBERS), dtype=np.float32)
        self._rows[:, OF_PLACE : OF_PLACE + 3] = [view.ink for view in members]

    def follow(self, transforms: TransformStore, ground: Ground) -> None:
        """Draw all members where their objects are.

        Args:
            transforms: the places of all objects.
            ground: what their soft shadows fall on.
        """
        worlds = transforms.world[self._slots]
        self._put(self._nodes[0], worlds)
        if len(self._nodes) > 1:
            is_on_table = next(iter(self.members)).surface is not None
            flags = np.full(len(worlds), is_on_table)
            self._put(self._nodes[1], ground.places(worlds, flags))

    def _put(self, node: NodePath, matrices: FloatArray) -> None:
        self._rows[:, :OF_PLACE] = safe_matrices(matrices).reshape(-1, OF_PLACE)
        _fill(node, self._rows)


class Crowds:
    """All crowds of a scene.

    Args:
        root: node of the scene's objects.
        transforms: the places of all objects.
        atmosphere: says which cameras draw what, and with which shader.
        ground: what soft shadows fall on.
        layers: returns the node of a layer's objects by the layer's mask.
        show: shows a view's own nodes in a layer.
    """

    def __init__(
        self,
        root: NodePath,
        transforms: TransformStore,
        atmosphere: Atmosphere,
        ground: Ground,
        layers: Callable[[BitMask32], NodePath],
        show: Callable[[Member, BitMask32], None],
    ) -> None:
        self._unseen = root.attach_new_node("drawn in crowds")
        self._transforms = transforms
        self._atmosphere = atmosphere
        self._ground = ground
        self._layer_node = layers
        self._show = show
        self._crowds: dict[tuple[Look, int], Crowd] = {}
        self._stale: dict[tuple[Look, int], Crowd] = {}
        self._left: dict[Member, None] = {}  # views that left a crowd, whose nodes must be placed

    def put(self, view: Member, layer: BitMask32) -> None:
        """Draw a view in a layer from now on, alone or in a crowd.

        Args:
            view: the view.
            layer: mask of the layer.
        """
        was_crowded = view.is_crowded or view in self._left
        self.remove(view)
        if view.look is not None and layer in (STILL, MOVING):
            key = (view.look, layer.get_word())
            crowd = self._crowds.get(key)
            if crowd is None:
                crowd = self._crowds[key] = Crowd(layer)
            crowd.members[view] = None
            view.crowd, view.is_crowded = crowd, crowd.is_drawn
            self._stale[key] = crowd
        if view.is_crowded:
            self._hide([view])
            return
        if was_crowded:
            self._left[view] = None
        self._show(view, layer)

    def remove(self, view: Member) -> None:
        """Take a view out of its crowd, if it is in one."""
        crowd, view.crowd, view.is_crowded = view.crowd, None, False
        self._left.pop(view, None)
        if crowd is not None and view.look is not None:
            del crowd.members[view]
            self._stale[(view.look, crowd.layer.get_word())] = crowd

    def stand_alone(self, view: Member) -> None:
        """Take a view out of its crowd for good, and show its own nodes."""
        crowd, was_crowded = view.crowd, view.is_crowded
        self.remove(view)
        view.look = None
        if crowd is not None and was_crowded:
            self._left[view] = None
            self._show(view, crowd.layer)

    def place(self, views: Iterable[Member]) -> None:
        """Put the nodes of views where their objects are."""
        chosen = list(views)
        if not chosen:
            return
        worlds = self._transforms.world[[view.slot for view in chosen]]
        for view, matrix in zip(chosen, panda_matrices(worlds), strict=True):
            view.node.set_mat(matrix)
        shaded = [number for number, view in enumerate(chosen) if view.shadow is not None]
        if shaded:
            self._ground.cast([chosen[number] for number in shaded], worlds[shaded])

    def follow(self, *, has_moved: bool) -> None:
        """Form and dissolve crowds, and draw them where their objects are.

        Args:
            has_moved: whether any object was moved since the last call.
        """
        stale, self._stale = self._stale, {}
        for key, crowd in stale.items():
            self._renew(crowd)
            if not crowd.members:
                self._crowds.pop(key, None)
        left, self._left = self._left, {}
        self.place(view for view in left if not view.is_crowded)
        for key, crowd in self._crowds.items():
            if crowd.is_drawn and (key in stale or (has_moved and crowd.layer == MOVING)):
                crowd.follow(self._transforms, self._ground)

    def _renew(self, crowd: Crowd) -> None:
        """Form a crowd that has become large enough, dissolve one that is too small."""
        if crowd.is_drawn and len(crowd.members) < FEWEST:
            crowd.close()
            self.place(crowd.members)
            for view in crowd.members:
                view.is_crowded = False
                self._show(view, crowd.layer)
        elif not crowd.is_drawn and len(crowd.members) >= LEAST:
            crowd.open(self._layer_node(crowd.layer), self._atmosphere)
            for view in crowd.members:
                view.is_crowded = True
            self._hide(crowd.members)
        if crowd.is_drawn:
            crowd.gather()

    def _hide(self, views: Iterable[Member]) -> None:
        for view in views:
            for node in (view.node, view.shadow):
                if node is not None:
                    node.reparent_to(self._unseen)
                    node.hide(BitMask32.all_on())


@functools.cache
def _shadow_shader() -> Shader:
    return Shader.make(Shader.SL_GLSL, shaders.CROWD_SHADOW_VERTEX, shaders.SHADOW_FRAGMENT)


def _instanced(mesh: NodePath, state: RenderState, above: NodePath) -> NodePath:
    """Return a node that draws a mesh for each row of an array.

    Args:
        mesh: node of the mesh.
        state: how the mesh is drawn.
        above: node to attach the new one to.
    """
    geom = mesh.node().get_geom(0)
    one = geom.get_vertex_data()
    made = GeomVertexFormat()
    made.add_array(one.get_format().get_array(0))
    made.add_array(_per_object())
    rows = GeomVertexData("crowd", GeomVertexFormat.register_format(made), Geom.UH_dynamic)
    rows.set_array(0, one.get_array(0))
    drawn = geom.make_copy()
    drawn.set_vertex_data(rows)
    node = GeomNode("crowd")
    node.add_geom(drawn, mesh.node().get_geom_state(0))
    node.set_bounds(OmniBoundingVolume())
    node.set_final(True)
    found: NodePath = above.attach_new_node(node)
    found.set_state(state)
    return found


def _per_object() -> GeomVertexArrayFormat:
    """Return the format of the array with a row for each object."""
    made = GeomVertexArrayFormat()
    for name in COLUMNS:
        made.add_column(InternalName.make(name), 4, GeomEnums.NT_float32, GeomEnums.C_other)
    made.set_divisor(1)
    return made


def _fill(node: NodePath, rows: Rows) -> None:
    """Write the array of a crowd's node.

    Args:
        node: node that draws the crowd.
        rows: `[n, 20]`, a row for each object.
    """
    handle = node.node().modify_geom(0).modify_vertex_data().modify_array(1)
    handle.unclean_set_num_rows(len(rows))
    memoryview(handle).cast("B")[:] = rows.reshape(-1).data.cast("B")

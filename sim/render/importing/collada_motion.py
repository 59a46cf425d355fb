"""Joints and clips of COLLADA: the nodes of a scene, and the curves that move them.

Source: "COLLADA - Digital Asset Schema Release 1.4.1", chapter 5 (animation) and the elements
`node`, `sampler`, `channel` and `animation_clip`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import collada
import numpy as np

from sim.core.assets.animation.poses import (
    FloatArray,
    IntArray,
    Pose,
    decompose,
    local_matrices,
    normalized,
    slerp,
)
from sim.core.assets.animation.rig import Clip
from sim.render.importing.model_data import MOST_JOINTS, MOST_SAMPLES, ModelError, unique_names

SAMPLE_RATE: Final = 60.0  # samples a second, at least, where the clip is not too long
FRAME_RATE: Final = 30.0  # frames a second, which COLLADA does not say
LONGEST: Final = 24 * 3600.0  # seconds of a clip
DEEPEST: Final = 500  # nodes below one another
KINDS: Final = ("matrix", "translate", "rotate", "scale", "lookat", "skew")
MEMBERS: Final = {"X": 0, "Y": 1, "Z": 2, "W": 3, "ANGLE": 3}
HALVINGS: Final = 32
TARGET: Final = re.compile(r"([^/]+)/((?:[^/]+/)*)([^/.(]+)(?:\.(\w+)|((?:\(\d+\))+))?$")


@dataclass
class Curve:
    """How values change over time: one sampler.

    Attributes:
        times: `[K]` seconds, ascending.
        values: `[K, n]` values at these times.
        kinds: for each key how the values go on to the next one: LINEAR, STEP, BEZIER, HERMITE.
        leaving: `[K, n, 2]` control points behind the keys: time and value.
        arriving: `[K, n, 2]` control points before the keys.
    """

    times: FloatArray
    values: FloatArray
    kinds: list[str]
    leaving: FloatArray | None = None
    arriving: FloatArray | None = None

    def at(self, times: FloatArray) -> FloatArray:
        """Return the values `[F, n]` at F times, seconds."""
        count = len(self.times)
        if count == 1:
            return np.repeat(self.values, len(times), axis=0)
        low = np.searchsorted(self.times, times, side="right").astype(np.int64) - 1
        low = np.clip(low, 0, count - 2)
        begin, end = self.times[low], self.times[low + 1]
        share = np.clip((times - begin) / np.where(end > begin, end - begin, 1.0), 0.0, 1.0)
        kinds = np.array(self.kinds)[low]
        share = np.where((kinds == "STEP") & (share < 1.0), 0.0, share)[:, None]
        first, last = self.values[low], self.values[low + 1]
        found = first * (1.0 - share) + last * share
        bent = np.flatnonzero(np.isin(kinds, ("BEZIER", "HERMITE")))
        if len(bent) and self.leaving is not None and self.arriving is not None:
            found[bent] = self._bent(low[bent], np.clip(times, self.times[0], self.times[-1])[bent])
        return np.asarray(found)

    def _bent(self, low: IntArray, times: FloatArray) -> FloatArray:
        """Return values on Bézier curves, whose parameter is found by halving an interval."""
        assert self.leaving is not None  # noqa: S101
        assert self.arriving is not None  # noqa: S101
        width = self.values.shape[1]
        points = np.empty((4, len(low), width, 2))
        for place, rows in ((0, low), (3, low + 1)):
            points[place, ..., 0] = self.times[rows][:, None]
            points[place, ..., 1] = self.values[rows]
        points[1], points[2] = self.leaving[low], self.arriving[low + 1]
        for place in (1, 2):  # a curve never runs back in time
            clipped = np.clip(points[place, ..., 0], points[0, ..., 0], points[3, ..., 0])
            points[place, ..., 0] = clipped
        left, right = np.zeros((len(low), width)), np.ones((len(low), width))
        for _ in range(HALVINGS):
            middle = (left + right) / 2.0
            is_before = bezier(points[..., 0], middle) < times[:, None]
            left, right = np.where(is_before, middle, left), np.where(is_before, right, middle)
        return bezier(points[..., 1], (left + right) / 2.0)


def bezier(points: FloatArray, share: FloatArray) -> FloatArray:
    """Return points of cubic Bézier curves.

    Args:
        points: `[4, …]` the control points.
        share: `[…]` the parameter, 0 to 1.
    """
    rest = 1.0 - share
    first, second, third, fourth = points
    ends = rest**3 * first + share**3 * fourth
    return np.asarray(ends + 3.0 * rest**2 * share * second + 3.0 * rest * share**2 * third)


@dataclass
class Step:
    """One transform of a node, in the order of the file.

    Attributes:
        kind: element name, such as "rotate".
        sid: its name within the node.
        values: the numbers of the element.
        matrix: `[4, 4]` for row vectors.
    """

    kind: str
    sid: str
    values: FloatArray
    matrix: FloatArray

    def matrices(self, values: FloatArray) -> FloatArray:
        """Return the matrices `[F, 4, 4]`, for row vectors, of changed numbers `[F, n]`."""
        found = np.repeat(np.eye(4)[None], len(values), axis=0)
        if self.kind == "matrix":
            found = values.reshape(-1, 4, 4).transpose(0, 2, 1)
        elif self.kind == "translate":
            found[:, 3, :3] = values
        elif self.kind == "scale":
            found[:, (0, 1, 2), (0, 1, 2)] = values
        elif self.kind == "rotate":
            axis = values[:, :3]
            lengths = np.linalg.norm(axis, axis=1, keepdims=True)
            axis = axis / np.where(lengths > 1e-12, lengths, 1.0)
            half = np.radians(values[:, 3:]) / 2.0
            turned = normalized(np.concatenate([axis * np.sin(half), np.cos(half)], axis=1))
            count = len(values)
            pose = Pose(np.zeros((count, 3)), turned, np.ones((count, 3)), np.zeros(0))
            found = local_matrices(pose)
        else:
            found[:] = self.matrix
        return np.asarray(found)


@dataclass
class DaeNode:
    """A node of the scene, which is a joint of the rig.

    Attributes:
        joint: index of the joint.
        parent: index of the parent's joint.
        id: name that is unique in the file; "" for none.
        sid: name within its parent; "" for none.
        name: name for people.
        steps: its transforms in order.
        children: what pycollada has below it, without its nodes.
        moves: for a transform's index the curves that move it, each with the index of the number
            that it moves, or None for all.
    """

    joint: int
    parent: int
    id: str
    sid: str
    name: str
    steps: list[Step]
    children: list[Any] = field(default_factory=list)
    moves: dict[int, list[tuple[int | None, Curve]]] = field(default_factory=dict)

    @property
    def matrix(self) -> FloatArray:
        """Its transform to its parent `[4, 4]`, for row vectors, in the file's unit."""
        found = np.eye(4)
        for step in self.steps:
            found = step.matrix @ found
        return found

    def matrices(self, times: FloatArray) -> FloatArray:
        """Return its transforms `[F, 4, 4]` at F times, seconds."""
        found = np.repeat(np.eye(4)[None], len(times), axis=0)
        for number, step in enumerate(self.steps):
            moves = self.moves.get(number)
            if moves is None:
                moved = step.matrix
            elif step.kind == "matrix" and moves[0][0] is None:
                moved = step.matrices(matrix_values(moves[0][1], times))
            else:
                values = np.repeat(step.values[None], len(times), axis=0)
                for member, curve in moves:
                    now = curve.at(times)
                    if member is None:
                        values[:, : now.shape[1]] = now[:, : values.shape[1]]
                    elif member < values.shape[1]:
                        values[:, member] = now[:, 0]
                moved = step.matrices(values)
            found = moved @ found
        return found


def matrix_values(curve: Curve, times: FloatArray) -> FloatArray:
    """Return a curve of matrices at some times, `[F, 16]` row by row, turned along the short arc.

    Args:
        curve: the curve, with 16 values.
        times: `[F]` seconds.
    """
    keys = [decompose(row.reshape(4, 4).T) for row in curve.values]
    positions, turns, scales = (np.array([key[part] for key in keys]) for part in range(3))
    places = Curve(curve.times, np.arange(len(keys), dtype=np.float64)[:, None], curve.kinds)
    place = places.at(times)[:, 0]
    low = np.clip(place.astype(np.int64), 0, max(0, len(keys) - 2))
    high = np.minimum(low + 1, len(keys) - 1)
    share = place - low
    wide = share[:, None]
    pose = Pose(
        positions[low] * (1.0 - wide) + positions[high] * wide,
        slerp(turns[low], turns[high], share),
        scales[low] * (1.0 - wide) + scales[high] * wide,
        np.zeros(0),
    )
    return local_matrices(pose).transpose(0, 2, 1).reshape(-1, 16)


def nodes_of(scene: Any) -> list[DaeNode]:
    """Return the nodes of a scene, parents before children; the first joint is left for the root.

    Args:
        scene: the scene that pycollada has read.

    Raises:
        ModelError: there are too many nodes.
    """
    found: list[DaeNode] = []
    waiting = [(node, 0, 0) for node in reversed(scene.nodes)]
    while waiting:
        node, parent, depth = waiting.pop()
        if len(found) + 2 > MOST_JOINTS or depth > DEEPEST:
            raise ModelError(f"expected at most {MOST_JOINTS} nodes, found more")
        below = list(getattr(node, "children", ()))
        xml, steps = node.xmlnode, [_step(item) for item in getattr(node, "transforms", ())]
        if isinstance(node, collada.scene.NodeNode):  # an instance of a node of the library
            below, steps = [node.node], []
        made = DaeNode(
            len(found) + 1,
            parent,
            str(xml.get("id") or ""),
            str(xml.get("sid") or ""),
            str(xml.get("name") or xml.get("id") or ""),
            steps,
        )
        found.append(made)
        for child in reversed(below):
            if isinstance(child, collada.scene.Node | collada.scene.NodeNode):
                waiting.append((child, made.joint, depth + 1))
            else:
                made.children.insert(0, child)
    return found


def _step(transform: Any) -> Step:
    kind = str(transform.xmlnode.tag).rpartition("}")[2]
    values = np.array((transform.xmlnode.text or "").split(), dtype=np.float64)
    matrix = np.asarray(transform.matrix, dtype=np.float64).T
    return Step(kind, str(transform.xmlnode.get("sid") or ""), values, matrix)


class Motion:
    """The curves of a document, and the clips that they make.

    Args:
        document: the document that pycollada has read.
        nodes: the nodes of its scene; their `moves` are set.

    Attributes:
        left_out: number of curves that move no node, or cannot be read.
    """

    def __init__(self, document: Any, nodes: list[DaeNode]) -> None:
        self._document = document
        self._nodes = nodes
        self._by_id: dict[str, DaeNode] = {}
        for node in nodes:
            self._by_id.setdefault(node.id, node)
        self.left_out = 0

    def clips(self, fallback: str, make: Callable[[str, FloatArray], Clip]) -> dict[str, Clip]:
        """Return the clips by name.

        Args:
            fallback: name of the clip that has all curves of a file without clips.
            make: called with a clip's name and times `[F]`, seconds, while the nodes have its
                curves; returns the clip.
        """
        tag = self._document.tag
        root = self._document.xmlnode.getroot()
        animations = list(root.iterfind(f"{tag('library_animations')}/{tag('animation')}"))
        named: list[tuple[str, list[Any], float | None, float | None]] = []
        by_id = {item.get("id"): item for item in root.iter(tag("animation"))}
        for item in root.iter(tag("animation_clip")):
            urls = [part.get("url", "")[1:] for part in item.iterfind(tag("instance_animation"))]
            parts = [by_id[url] for url in urls if url in by_id]
            ends = (_number(item.get("start")), _number(item.get("end")))
            named.append((item.get("name") or item.get("id") or "", parts, *ends))
        if not any(parts for _, parts, _, _ in named):
            named = [(fallback, animations, None, None)] if animations else []
        found: dict[str, Clip] = {}
        names = unique_names([name for name, *_ in named], "clip")
        for name, (_, parts, start, end) in zip(names, named, strict=True):
            for node in self._nodes:
                node.moves = {}
            curves = [curve for part in parts for curve in self._bound(part)]
            if curves:
                found[name] = make(name, self._times(curves, start, end))
        return found

    def _times(self, curves: list[Curve], start: float | None, end: float | None) -> FloatArray:
        """Return the times at which a clip is sampled."""
        begin = min(float(curve.times[0]) for curve in curves) if start is None else start
        last = max(float(curve.times[-1]) for curve in curves)
        last = last if end is None or end <= begin else end
        duration = min(max(last - begin, 0.0), LONGEST)
        most = max(2, MOST_SAMPLES // max(1, len(self._nodes)))
        count = min(most, max(2, round(duration * SAMPLE_RATE) + 1)) if duration > 0.0 else 1
        return np.asarray(begin + np.linspace(0.0, duration, count))

    def _bound(self, animation: Any) -> Iterator[Curve]:
        """Bind the curves of an animation, and of those below it, to nodes; yield them."""
        tag = self._document.tag
        sources = {item.get("id"): item for item in animation.iter(tag("source"))}
        samplers = {item.get("id"): item for item in animation.iter(tag("sampler"))}
        for channel in animation.iter(tag("channel")):
            place = self._place(channel.get("target", ""))
            sampler = samplers.get(channel.get("source", "")[1:])
            curve = None if sampler is None else curve_of(sampler, sources, tag)
            if place is None or curve is None:
                self.left_out += 1
                continue
            node, number, member = place
            step = node.steps[number]
            wanted = 1 if member is not None else len(step.values)
            if curve.values.shape[1] < wanted:
                self.left_out += 1
                continue
            node.moves.setdefault(number, []).append((member, curve))
            yield curve

    def _place(self, target: str) -> tuple[DaeNode, int, int | None] | None:
        """Return node, index of the transform and of its number that a channel moves.

        Args:
            target: the channel's target, such as "arm/rotateX.ANGLE".
        """
        found = TARGET.match(target.strip())
        node = None if found is None else self._by_id.get(found[1])
        if found is None or node is None:
            return None
        for sid in filter(None, found[2].split("/")):
            below = (item for item in self._nodes if item.parent == node.joint and item.sid == sid)
            node = next(below, None)
            if node is None:
                return None
        number = next((k for k, step in enumerate(node.steps) if step.sid == found[3]), None)
        if number is None:
            return None
        if found[4]:
            return (node, number, MEMBERS[found[4]]) if found[4] in MEMBERS else None
        if found[5]:
            places = [int(item) for item in re.findall(r"\d+", found[5])]
            return node, number, places[0] if len(places) == 1 else places[0] * 4 + places[1]
        return node, number, None


def curve_of(sampler: Any, sources: dict[str, Any], tag: Callable[[str], str]) -> Curve | None:
    """Return the curve of a sampler; None if it cannot be read.

    Args:
        sampler: the XML element.
        sources: elements of the sources by id.
        tag: returns the full name of an element.
    """
    inputs = {
        item.get("semantic"): sources.get(item.get("source", "")[1:])
        for item in sampler.iterfind(tag("input"))
    }
    times = _floats(inputs.get("INPUT"), tag)
    values = _floats(inputs.get("OUTPUT"), tag)
    count = len(times)
    if not count or len(values) < count or len(values) % count:
        return None
    values = values.reshape(count, -1)
    order = np.argsort(times, kind="stable")
    kinds = _names(inputs.get("INTERPOLATION"), tag)
    kinds = kinds if len(kinds) == count else ["LINEAR"] * count
    curve = Curve(times[order], values[order], [kinds[place] for place in order])
    sides = [_floats(inputs.get(name), tag) for name in ("OUT_TANGENT", "IN_TANGENT")]
    shaped = [
        _controls(curve, side, order, sign) for side, sign in zip(sides, (1, -1), strict=True)
    ]
    curve.leaving, curve.arriving = shaped
    return curve


def _controls(curve: Curve, given: FloatArray, order: Any, sign: int) -> FloatArray | None:
    """Return the control points `[K, n, 2]` on one side of the keys; None without any.

    Args:
        curve: the curve.
        given: the tangents of the file: control points for BEZIER, slopes for HERMITE.
        order: the order of the keys in time.
        sign: 1 behind the keys, -1 before them.
    """
    count, width = curve.values.shape
    if len(given) not in (count * width, 2 * count * width):
        return None
    gaps = np.diff(curve.times)
    gaps = np.append(gaps, 0.0) if sign > 0 else np.insert(gaps, 0, 0.0)
    found = np.empty((count, width, 2))
    found[..., 0] = (curve.times + sign * gaps / 3.0)[:, None]
    if len(given) == 2 * count * width:
        found[:] = given.reshape(count, width, 2)[order]
    else:
        found[..., 1] = given.reshape(count, width)[order]
    is_slope = np.array([kind == "HERMITE" for kind in curve.kinds])
    ends = curve.values + sign * found[..., 1] / 3.0
    found[is_slope, :, 1] = ends[is_slope]
    found[is_slope, :, 0] = (curve.times + sign * gaps / 3.0)[is_slope, None]
    return found


def _floats(source: Any, tag: Callable[[str], str]) -> FloatArray:
    array = None if source is None else source.find(tag("float_array"))
    try:
        found = np.array((array.text or "").split() if array is not None else [], dtype=np.float64)
    except ValueError:
        return np.empty(0)
    return found if np.isfinite(found).all() else np.empty(0)


def _names(source: Any, tag: Callable[[str], str]) -> list[str]:
    array = None if source is None else source.find(tag("Name_array"))
    return [] if array is None else (array.text or "").upper().split()


def _number(text: str | None) -> float | None:
    try:
        found = float(text or "")
    except ValueError:
        return None
    return found if np.isfinite(found) else None

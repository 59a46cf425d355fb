"""Picking: the first object that a ray hits."""

from __future__ import annotations

from collections.abc import Mapping

from panda3d.core import (
    CollisionHandlerQueue,
    CollisionNode,
    CollisionRay,
    CollisionTraverser,
    GeomNode,
    NodePath,
)

from sim.core.geometry.rotations import FloatArray


def nearest(nodes: Mapping[str, NodePath], origin: FloatArray, direction: FloatArray) -> str | None:
    """Return the key of the node whose triangles a ray hits first; None for none.

    Args:
        nodes: candidates by key; all below one root.
        origin: of the ray, world space.
        direction: of the ray, world space.
    """
    found: tuple[float, str] | None = None
    ray = CollisionRay(*map(float, origin), *map(float, direction))
    finder = CollisionNode("pick")
    finder.add_solid(ray)
    finder.set_from_collide_mask(GeomNode.get_default_collide_mask())
    finder.set_into_collide_mask(0)
    for key, node in nodes.items():
        if not _may_meet(node, origin, direction):
            continue
        top = node.get_top()
        path = NodePath(top).attach_new_node(finder)
        queue = CollisionHandlerQueue()
        traverser = CollisionTraverser("pick")
        traverser.add_collider(path, queue)
        traverser.traverse(node)
        path.remove_node()
        if queue.get_num_entries():
            queue.sort_entries()
            point = queue.get_entry(0).get_surface_point(NodePath(top))
            away = sum((float(point[i]) - float(origin[i])) ** 2 for i in range(3))
            if found is None or away < found[0]:
                found = (away, key)
    return found[1] if found is not None else None


def _may_meet(node: NodePath, origin: FloatArray, direction: FloatArray) -> bool:
    """Return whether the ray meets the box around a node: cheap, before its triangles are asked."""
    bounds = node.get_tight_bounds()
    if not bounds:
        return False
    near, far = 0.0, float("inf")
    for axis in range(3):
        low, high = float(bounds[0][axis]) - 1e-6, float(bounds[1][axis]) + 1e-6
        start, step = float(origin[axis]), float(direction[axis])
        if abs(step) < 1e-12:
            if not low <= start <= high:
                return False
            continue
        one, other = (low - start) / step, (high - start) / step
        near, far = max(near, min(one, other)), min(far, max(one, other))
    return near <= far

"""ufbx's own evaluation of a file: `python -m tests.sim.render.importing.ufbx_reference` with a JSON job on stdin.

The job is a list of `[file, [[clip or "", seconds], …]]`; the output is one line for each.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import numpy as np
import ufbx

KEPT: list[Any] = []


def kept(wrapper: Any) -> Any:
    KEPT.append(wrapper)
    return wrapper


def main() -> None:
    for file, moments in json.loads(sys.stdin.read()):
        scene = kept(
            ufbx.load_file(file, target_axes=ufbx.axes_right_handed_z_up, target_unit_meters=1.0)
        )
        stacks = {stack.name: kept(stack) for stack in kept(scene.anim_stacks)}
        report = {
            "version": kept(scene.metadata).version,
            "nodes": [kept(node).name for node in kept(scene.nodes)],
            "clips": {name: stack.time_end - stack.time_begin for name, stack in stacks.items()},
            "points": [points(scene, stacks.get(clip), time) for clip, time in moments],
        }
        sys.stdout.write(json.dumps(report) + "\n")
    sys.stdout.flush()
    os._exit(0)


def points(scene: Any, stack: Any, time: float) -> list[list[float]]:
    """Return where ufbx sees the vertices of all visible meshes, metres, z up."""
    if stack is not None:
        begin = stack.time_begin
        scene = kept(scene.evaluate(kept(stack.anim), begin + time, evaluate_skinning=True))
    found: list[list[float]] = []
    for node in kept(scene.nodes):
        mesh = kept(kept(node).mesh)
        if mesh is None or not node.visible or not mesh.num_triangles:
            continue
        values = np.array(list(kept(kept(mesh.skinned_position).values)), dtype=np.float64)
        used = np.unique(np.array(list(kept(mesh.vertex_indices))))
        values = values[used]
        if mesh.skinned_is_local:
            place = node.geometry_to_world
            rows = np.array([place.c0, place.c1, place.c2, place.c3], dtype=np.float64)
            values = values @ rows[:3] + rows[3]
        found += values.tolist()
    return found


if __name__ == "__main__":
    main()

"""What a ray picks: the nearest of what it hits, whatever the order they are looked at in."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from panda3d.core import NodePath

from sim.render.models.models import node_of
from sim.render.view.scene_view import nearest
from tests.shipped import shipped_models

ORIGIN = np.array([0.0, -10.0, 0.0])
FORWARD = np.array([0.0, 1.0, 0.0])


def boxes(**places):
    root, found = NodePath("root"), {}
    mesh = shipped_models().kind("box").made({"builtin": "box", "size": 2.0})
    for name, place in places.items():
        found[name] = root.attach_new_node(node_of(mesh, name))
        found[name].set_pos(*place)
    return found


@pytest.mark.parametrize("order", list(itertools.permutations(("near", "middle", "far"))))
def test_of_boxes_behind_each_other_the_nearest_is_picked(order):
    places = {"near": (0, 0, 0), "middle": (0.5, 1.5, 0.2), "far": (0, 8, 0)}
    assert nearest(boxes(**{name: places[name] for name in order}), ORIGIN, FORWARD) == "near"


def test_what_stands_beside_or_behind_the_ray_is_not_picked():
    assert nearest(boxes(beside=(3, 0, 0), behind=(0, -13, 0)), ORIGIN, FORWARD) is None
    assert nearest(boxes(beside=(3, 0, 0), met=(0.9, 5, -0.9)), ORIGIN, FORWARD) == "met"


def test_a_node_counts_with_the_nearest_of_its_sides():
    """A long box, begun before a small one and ended far behind it."""
    nodes = boxes(long=(0, 20, 0), small=(0, 3, 0))
    nodes["long"].set_scale(1, 19, 1)  # from 1 to 39
    assert nearest(nodes, ORIGIN, FORWARD) == "long"

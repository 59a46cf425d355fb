"""The marks of joints in the view: anchor, axis, and the arc or way that the limits leave."""

from __future__ import annotations

import numpy as np
import pytest

from sim.ui.shell.marks import anchor_of, axis_lines, joints_of, limit_line
from tests.sim.physics.test_joints import opened


def test_a_hinges_arc_stays_where_its_limits_are_while_the_object_turns(stage):
    hinge = opened(stage, "HingeJoint", anchor=(0, 0, 1), axis=(0, 1, 0), limited=True, low=-30.0,
                   high=60.0, motor="velocity")  # fmt: skip
    assert joints_of(stage.app.scene.find("One")) == [hinge]
    arcs = []
    for _ in range(2):
        assert anchor_of(hinge) == pytest.approx([0, 0, 4], abs=0.01)
        (axis,) = axis_lines(hinge, 0.5)
        assert axis == pytest.approx(np.array([[0, -0.5, 4], [0, 0.5, 4]]), abs=0.01)
        arcs.append(limit_line(hinge, 0.5))
        stage.frames(20)
    assert hinge.angle > 25.0
    assert arcs[0] == pytest.approx(arcs[1], abs=0.01)
    assert np.linalg.norm(arcs[0][1:-1] - [0, 0, 4], axis=1) == pytest.approx(0.5, abs=0.01)
    half = np.radians(60.0)
    assert arcs[0][-2] == pytest.approx([-np.sin(half) / 2, 0, 4 - np.cos(half) / 2], abs=0.02)


def test_a_sliders_way_is_between_its_limits_and_nothing_is_joined_by_looking(stage):
    slider = opened(stage, "SliderJoint", axis=(0, 2, 0), limited=True, low=-0.5, high=1.5)
    assert limit_line(slider, 9.0) == pytest.approx(np.array([[0, -0.5, 3], [0, 1.5, 3]]), abs=1e-3)
    slider.limited = False
    assert limit_line(slider, 9.0) is None
    slider.slot.enabled = False
    assert slider.peek() == (0.0, 0.0)
    assert joints_of(stage.app.scene.find("One")) == []

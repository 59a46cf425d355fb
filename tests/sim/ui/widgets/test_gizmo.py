"""Moving an object by the handles over it: one step of undo, and no other number changes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim.core.input.input_actions import InputEvent
from sim.ui.widgets.gizmo import SIZE, stepped

PILOT = {"scene": "scenes/hello.scene.json", "speed": 1.0, "quality": "low"}


@pytest.fixture
def pilot(pilot):
    pilot.app.shell.preferences.arrange("studio")
    pilot.picture()
    return pilot


def test_pulling_the_gizmo_is_one_step_of_undo(pilot):
    app, studio = pilot.app, pilot.app.shell.studio
    studio.hierarchy.create("Box")
    box = studio.selection.object
    studio.focus(box)
    pilot.step(30)
    pilot.press("t")
    pilot.picture()
    x, y = pilot.pixel_of(box.transform.world_position)
    pilot.move(x, y)
    pilot.step(2)
    app.inject(InputEvent("button_down", key="mouse1", x=x, y=y))
    pilot.step(2)
    for step in range(1, 6):
        pilot.move(x + 8 * step, y)
        pilot.step(2)
    app.inject(InputEvent("button_up", key="mouse1", x=x + 40, y=y))
    pilot.step(3)
    moved = tuple(box.transform.position)
    assert math.dist(moved, (0, 0, 0)) > 0.05
    assert app.editor.undo_label == "Move Box"
    studio.undo()
    assert tuple(box.transform.position) == (0, 0, 0)
    assert app.editor.undo_label.startswith("Create")


@pytest.mark.parametrize(
    ("found", "step", "expected"),
    [
        ((171.0198, 0.0, 0.0), 15.0, (171.0, 0.0, 0.0)),
        ((126.0, 15.1, 0.0), 15.0, (126.0, 15.0, 0.0)),
        ((130.0, 0.0, 0.0), 15.0, (130.0, 0.0, 0.0)),
        ((171.0198, 0.0, 0.0), 0.0, (171.0198, 0.0, 0.0)),
    ],
)
def test_a_pull_in_steps_ends_at_whole_steps_and_any_other_where_it_is(found, step, expected):
    begun = np.array([126.0, 0.0, 0.0])
    assert tuple(stepped(np.array(found), begun, step)) == expected


def test_a_pull_of_a_handle_leaves_the_numbers_that_were_not_pulled(pilot):
    app = pilot.app
    studio, camera = app.shell.studio, app.view.camera
    app.clock.pause()
    stone = next(obj for obj in app.scene.roots if obj.model and obj.components == [])
    app.editor.set_transform(stone, position=(0.1, 0.3, 0.7))
    studio.selection.choose(stone)
    pilot.press("t")
    pilot.draw_panels(3)
    x, y = (float(item) for item in camera.project(stone.transform.world_position))
    along = camera.project(stone.transform.world_position + np.array([0.6, 0.0, 0.0]))
    right, down = (float(item) for item in along - np.array([x, y]))
    length = (right**2 + down**2) ** 0.5
    handle = SIZE * 0.5 * camera.viewport[2] * 0.6 / length  # on the arrow of x
    start = (x + right * handle, y + down * handle)
    pilot.move(*start)
    pilot.draw_panels(2)
    app.inject(InputEvent("button_down", key="mouse1", x=start[0], y=start[1]))
    pilot.step(2)
    for step in range(1, 6):
        pilot.move(start[0] + right * step / 5, start[1] + down * step / 5)
    app.inject(InputEvent("button_up", key="mouse1", x=start[0] + right, y=start[1] + down))
    pilot.step(3)
    moved, *kept = (float(item) for item in stone.transform.position)
    assert moved > 0.2
    assert moved == round(moved, 4)
    assert kept == [0.3, 0.7], "exactly: what is saved did not change"
    said = [str(item) for item in app.console.records if item.level == "debug"]
    assert f".position = ({moved!r}, 0.3, 0.7)" in said[-1]


def test_handles_that_are_not_drawn_are_not_under_the_pointer(pilot, monkeypatch):
    gizmo, selection = pilot.app.shell.studio.gizmo, pilot.app.shell.studio.selection
    monkeypatch.setattr("sim.ui.widgets.gizmo.im_guizmo.is_over", lambda: True)
    selection.choose(pilot.app.scene.roots[0])
    selection.use("move")
    pilot.draw_panels(1)
    assert gizmo.is_over
    selection.choose(None)
    pilot.draw_panels(1)
    assert not gizmo.is_over

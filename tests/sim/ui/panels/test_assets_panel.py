"""The project's files, dragged into the tree and into the picture."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from imgui_bundle import imgui

from sim.commands.new import new_project
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot
from sim.ui.widgets.thumbnails import SIDE, painted, small

ROW = 39
FIRST = (80, 78)  # of the list, from the dock's corner


@pytest.fixture
def pilot(tmp_path):
    project = new_project(tmp_path / "project") or tmp_path / "project"
    models = project / "assets" / "models"
    models.mkdir(parents=True, exist_ok=True)
    (models / "cup.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", encoding="utf-8")
    cv2.imwrite(str(models / "clay.png"), np.full((8, 8, 3), 120, np.uint8))
    scene = next((project / "scenes").glob("*.scene.json"))
    with Pilot(scene=scene, speed=1.0, quality="low") as made:
        shell = made.app.shell
        made.app.clock.pause()
        shell.preferences.arrange("studio")
        made.draw_panels(6)
        shell.panel_windows.open_front("Assets")
        made.draw_panels(4)
        yield made


def drag(pilot, start, end):
    """Press, pull in a few steps, and let go."""
    app = pilot.app
    pilot.move(*start)
    app.inject(InputEvent("button_down", key="mouse1", x=start[0], y=start[1]))
    pilot.step(2)
    for share in (0.1, 0.4, 0.8, 1.0):
        pilot.move(*(a + (b - a) * share for a, b in zip(start, end, strict=True)))
        pilot.step(2)
    app.inject(InputEvent("button_up", key="mouse1", x=end[0], y=end[1]))
    pilot.step(3)


def place_of(pilot, name):
    """Where a file stands in the list."""
    paths = pilot.app.shell.studio.assets.listed()
    index = next(number for number, path in enumerate(paths) if path.endswith(name))
    corner = imgui.internal.dock_builder_get_node(pilot.app.shell.layout.nodes["bottom"]).pos
    return corner.x + FIRST[0], corner.y + FIRST[1] + ROW * index


def said(pilot):
    return [item.text for item in pilot.app.console.records if item.level == "debug"]


def middle(pilot):
    left, top, width, height = pilot.app.shell.viewport
    return left + width / 2, top + height * 0.6


def test_a_model_dropped_into_the_picture_stands_where_it_was_dropped(pilot):
    end = middle(pilot)
    drag(pilot, place_of(pilot, "cup.obj"), end)
    made = pilot.app.shell.studio.selection.object
    assert made is not None
    assert made.name == "Cup"
    assert made.model == {"asset": "assets/models/cup.obj"}
    pixel = pilot.pixel_of(made.transform.world_position)
    assert pixel == pytest.approx(end, abs=3)
    assert any(line.startswith('>>> editor.create("Cup"') for line in said(pilot))
    assert pilot.app.editor.undo()
    assert pilot.app.scene.find("Cup") is None


def test_a_double_click_puts_one_into_the_scene(pilot):
    before = len(pilot.app.scene.objects)
    place = place_of(pilot, "cup.obj")
    pilot.app.shell.studio.assets.thumbnails = None  # no child process beside the two clicks
    pilot.double_click(*place)
    pilot.step(2)
    assert len(pilot.app.scene.objects) == before + 1


def test_a_picture_becomes_the_texture_of_the_object_that_is_seen_there(pilot):
    app = pilot.app
    box = app.editor.create("Box", model={"builtin": "box", "size": [2.0, 2.0, 2.0]})
    pilot.draw_panels(3)
    drag(pilot, place_of(pilot, "clay.png"), pilot.pixel_of(box.transform.world_position))
    assert box.texture == "assets/models/clay.png"
    app.shell.studio.selection.choose(None)
    app.shell.studio.assets.put("assets/models/clay.png")
    assert "drop it on an object" in app.shell.studio.hierarchy.message


def test_a_model_dropped_on_a_row_of_the_tree_hangs_below_it(pilot):
    app = pilot.app
    studio = app.shell.studio
    parent = app.editor.create("Shelf")
    studio.assets.dragged = "assets/models/cup.obj"
    studio.hierarchy.on_asset(parent)
    assert [child.name for child in parent.children] == ["Cup"]
    assert studio.assets.dragged == ""


def test_the_list_says_why_it_is_empty(pilot):
    assets = pilot.app.shell.studio.assets
    assets.search = "no such thing"
    assert assets.listed() == []
    pilot.draw_panels(2)
    assert pilot.app.host.error_count == 0


def test_pictures_and_models_have_thumbnails_and_broken_ones_an_icon(pilot):
    studio = pilot.app.shell.studio
    (studio.editor.scene.project / "assets" / "models" / "bad.png").write_bytes(b"no picture")
    panel, thumbnails = studio.assets, studio.thumbnails
    numbers = {path: panel._thumbnail(path) for path in ("assets/models/clay.png",)}
    assert numbers["assets/models/clay.png"] is not None
    assert panel._thumbnail("assets/models/bad.png") is None
    assert panel._thumbnail("assets/a.prefab.json") is None
    pilot.wait_until(lambda: panel._thumbnail("assets/models/cup.obj") is not None)
    known = panel._thumbnail("assets/models/cup.obj")
    assert panel._thumbnail("assets/models/cup.obj") == known, "made once"
    assert thumbnails._coming is None
    assert [item.text for item in pilot.app.console.records if item.level == "error"] == []
    x, y = (int(value) for value in place_of(pilot, "clay.png"))
    pilot.draw_panels(3)
    clay = (pilot.picture()[y - ROW : y + ROW, x - 80 : x + 200] == 120).all(axis=2)
    assert clay.sum() > 20 * 20, "the picture itself lies over its row"


def test_a_thumbnail_is_whole_and_not_stretched():
    wide = np.zeros((10, 40, 3), np.uint8)
    made = small(wide)
    assert made.shape == (SIDE, SIDE, 3)
    rows = np.flatnonzero((made == 0).all(axis=(1, 2)))
    assert len(rows) == SIDE // 4
    near = np.array([[[0, -1, 0], [1, -1, 0], [0, -1, 1]]], dtype=float)
    assert len(np.unique(painted(near))) == 2, "the ground and one shade"


LEVER = """<robot name="lever"><link name="post"/><link name="bar"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry>
<box size="1 0.2 0.2"/></geometry></visual></link><joint name="pin" type="continuous">
<parent link="post"/><child link="bar"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.mark.nightly  # a child process reads it
def test_a_robot_dropped_into_the_picture_comes_with_its_joints_and_goes_with_one_undo(pilot):
    scene, studio = pilot.app.scene, pilot.app.shell.studio
    before = len(scene.objects)
    file = scene.project / "assets" / "models" / "a_lever.urdf"
    file.write_text(LEVER, encoding="utf-8")
    studio.assets._looked_at = float("-inf")
    drag(pilot, place_of(pilot, "a_lever.urdf"), middle(pilot))
    made = studio.selection.object
    assert made is not None
    assert made.name == "lever"
    assert scene.find("lever/post/bar").get("HingeJoint").other is scene.find("lever/post")
    pilot.app.shell.studio.editor.undo()
    pilot.step(2)
    assert len(scene.objects) == before
    file.write_text(LEVER.replace("continuous", "rubber"), encoding="utf-8")
    studio.assets.put("assets/models/a_lever.urdf")
    assert "invalid joint type" in studio.hierarchy.message
    assert len(scene.objects) == before

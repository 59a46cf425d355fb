"""What a project or a module adds by new files alone, and one line in a registry at most."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ai import Board, Limit, create_player, get_game
from sim.core.assets.formats import FORMATS
from sim.render.passes.order import PASSES
from sim.testing import Pilot
from sim.ui.widgets.field_widgets import FieldWidgets
from tests.command_line import run_here
from tests.project_page import own_scripts
from tests.sim.render.importing.test_formats import READER

SIZE = (400, 240)
CAMERA = {"name": "Camera", "position": [0, -6, 0], "components": {
    "cmp_camera": {"type": "sim:Camera", "fields": {"target": [0, 0, 0]}}}}  # fmt: skip
SEAT = "goishi:scripts.gomoku.seats.player_seat:PlayerSeat"


def project(root: Path, files: dict[str, str], objects: dict[str, object]) -> Path:
    """Write a project's files and its one scene; return the scene's path."""
    data = {"format": "goishi.scene/1", "id": "scn_new", "objects": objects}
    for name, text in {**files, "scenes/a.scene.json": json.dumps(data)}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root / "scenes" / "a.scene.json"


def is_red(picture: np.ndarray) -> np.ndarray:
    """Return `[h, w]`: which pixels of a BGR picture are red."""
    blue, green, red = np.moveaxis(picture.astype(int), -1, 0)
    return (red > 25) & (red > 2 * np.maximum(blue, green))


TIDE = '''
from sim import Script, Ui, field


class Tide(Script):
    """Rises and falls."""

    height: float = field(0.5, min=0.0, max=9.0, unit="m")

    def start(self) -> None:
        self.drawn = 0
        self.panel("Tide", self.draw, dock="right", icon="water")

    def draw(self, ui: Ui) -> None:
        self.drawn += 1
        self.room = ui.room
        ui.key_value("Height", f"{self.height:.1f} m")
'''


def test_a_component_with_a_panel_is_one_file(tmp_path, monkeypatch):
    rows = []
    draw = FieldWidgets.draw

    def noting(widgets, slot, declared, raw):
        rows.append(f"{slot.class_name}.{declared.name}")
        return draw(widgets, slot, declared, raw)

    monkeypatch.setattr(FieldWidgets, "draw", noting)
    scene = project(tmp_path, {"scripts/tide.py": TIDE},
                    {"obj_camera": CAMERA, "obj_sea": {"name": "Sea"}})  # fmt: skip
    with Pilot(scene=scene, window=(900, 560), quality="low", speed=1.0) as pilot:
        app, studio = pilot.app, pilot.app.shell.studio
        assert "scripts.tide:Tide" in studio.inspector.component_types()
        app.shell.preferences.arrange("studio")
        sea = app.scene.find("Sea")
        studio.selection.choose(sea)
        app.editor.add_component(sea, "scripts.tide:Tide")
        pilot.draw_panels(3)
        tide = pilot.component("Tide")
        assert "Tide.height" in rows, "the Inspector shows its field"
        assert tide.drawn > 0
        assert tide.room > 50.0
        app.editor.set_field(tide.slot, "height", 2.5)
        studio.save()
        saved = json.loads(scene.read_text("utf-8"))["objects"]["obj_sea"]["components"]
        assert [*saved.values()] == [{"type": "scripts.tide:Tide", "fields": {"height": 2.5}}]
        assert app.host.error_count == 0


TINT = '''
from panda3d.core import TransparencyAttrib

from sim.render.passes.order import RenderPass
from sim.render.passes.layers import full_screen_pass

FRAGMENT = """
#version 330
in vec2 place;
out vec4 color;
void main() { color = vec4(1.0, 0.0, 0.0, place.x < 0.5 ? 1.0 : 0.0); }
"""


class Tint(RenderPass):
    """Lays red over the left half of the picture."""

    def open(self, layers):
        node = full_screen_pass(layers.moving, FRAGMENT, {}, sort=3).get_camera().get_top()
        node.set_transparency(TransparencyAttrib.M_alpha)
'''


def test_a_render_pass_is_one_file_and_one_line(tmp_path, monkeypatch):
    scene = project(tmp_path, {"tint_pass.py": TINT}, {"obj_camera": CAMERA})
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("sim.render.passes.order.PASSES", [*PASSES, "tint_pass:Tint"])
    with Pilot(scene=scene, panels=False, quality="low", window=SIZE, speed=1.0) as pilot:
        red = is_red(pilot.picture())
        half = SIZE[0] // 2
        assert red[:, : half - 2].all()
        assert not red[:, half + 2 :].any()


IMPORTER = """
import sys

from sim.core.assets.formats import FORMATS
from sim.render.importing.child import main

FORMATS[".tri"] = "tri_reader"
main(sys.argv[1:])
"""


def test_a_model_format_is_one_file_and_one_line(tmp_path, monkeypatch):
    model = {"name": "Wall", "model": {"asset": "assets/wall.tri"}}
    scene = project(
        tmp_path,
        {"tri_reader.py": READER, "tri_importer.py": IMPORTER,
         "assets/wall.tri": "-9 0 -9  9 0 -9  0 0 9"},
        {"obj_camera": CAMERA, "obj_wall": model},
    )  # fmt: skip
    # The line stands in the registry of this process and of the one that reads the file.
    monkeypatch.setitem(FORMATS, ".tri", "tri_reader")
    monkeypatch.setattr("sim.core.assets.assets.IMPORTER", "tri_importer")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Pilot(scene=scene, panels=False, quality="low", window=SIZE, speed=1.0) as pilot:
        assert not is_red(pilot.picture()).any()
        assets = pilot.app.world.assets
        pilot.wait_until(lambda: assets.get("assets/wall.tri").is_ready, frames=600)
        red = is_red(pilot.picture())
        assert red[SIZE[1] // 2, SIZE[0] // 2]
        assert pilot.app.host.error_count == 0


OFFERS = """
[players]
first = "scripts.first:create"

[games.three]
size = 3
win_length = 3
"""
FIRST = '''
"""A player that takes the first free point."""

from ai import MoveChoice


class First:
    """Takes the first free point of the board."""

    name = "first"

    def choose(self, board, limit, rng):
        return MoveChoice(next(iter(board.legal_moves)))

    def close(self):
        pass


def create(rules, settings):
    """Takes the first free point."""
    return First()
'''
BOARD = {
    "cmp_view": {"type": "goishi:scripts.gomoku.board.board_view:BoardView", "fields": {}},
    "cmp_match": {"type": "goishi:scripts.gomoku.game.match:Match", "fields": {
        "black": {"$ref": "cmp_black"}, "white": {"$ref": "cmp_white"},
        "board": {"$ref": "cmp_view"}, "game_name": "three"}},
}  # fmt: skip


def seat(side: str) -> dict[str, object]:
    fields = {"board": {"$ref": "cmp_view"}, "player_kind": "first"}
    return {"name": side, "components": {f"cmp_{side}": {"type": SEAT, "fields": fields}}}


@pytest.fixture(scope="module")
def offering(tmp_path_factory) -> Path:
    """A project with a player and a game of its own, and a scene in which they are used."""
    return project(
        tmp_path_factory.mktemp("offering"),
        {"goishi.toml": OFFERS, "scripts/first.py": FIRST},
        {"obj_board": {"name": "Board", "model": {"builtin": "goban", "size": 3},
                       "components": BOARD},
         "obj_black": seat("black"), "obj_white": seat("white")},
    )  # fmt: skip


def test_a_player_and_a_game_are_a_file_and_a_line_each(offering):
    with Pilot(scene=offering, seed=1, graphics=False) as pilot:
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.records)
        (record, *_) = match.records
        assert (match.black.player, match.white.player) == ("first", "first")
        assert (record.rules.size, record.rules.win_length) == (3, 3)
        opening, *moves = record.moves
        assert moves == [point for point in range(9) if point != opening][: len(moves)]
        assert pilot.app.host.error_count == 0


def test_both_are_found_by_name_without_a_scene(offering, capsys):
    root = offering.parents[1]
    with own_scripts():
        rules = get_game("three", root).rules
        player = create_player("first", rules, project=root)
        chosen = player.choose(Board(rules), Limit(nodes=1), np.random.default_rng(1))
    assert (rules.size, player.name, chosen.move) == (3, "first", 0)
    code, out, _ = run_here(capsys, "players", "--json", "--project", str(root))
    assert code == 0
    assert "first" in {entry["name"] for entry in json.loads(out)}

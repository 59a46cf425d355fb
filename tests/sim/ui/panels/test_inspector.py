"""The inspector: what is scrolled away is not drawn, and what a script refuses is taken back."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.core.input.input_actions import InputEvent
from sim.core.scene.scene import SlotState
from sim.testing import Pilot
from sim.ui.panels.edit_form import _first_line
from sim.ui.widgets.field_widgets import FieldWidgets


@pytest.fixture(scope="module")
def pilot(tmp_path_factory):
    with Pilot(window=(1280, 720), quality="low", seed=1, speed=1.0, player_white="random",
               player_black="random", data_dir=tmp_path_factory.mktemp("data")) as made:  # fmt: skip
        made.app.shell.preferences.arrange("studio")
        made.app.clock.pause()
        made.draw_panels(8)
        yield made


@pytest.fixture
def drawn(monkeypatch):
    names = []
    draw = FieldWidgets.draw

    def noting(widgets, slot, declared, raw):
        names.append(f"{slot.class_name}.{declared.name}")
        return draw(widgets, slot, declared, raw)

    monkeypatch.setattr(FieldWidgets, "draw", noting)
    return names


def test_only_components_near_the_sight_are_drawn_and_all_can_be_reached(pilot, drawn):
    board = pilot.app.scene.find("Board")
    pilot.app.shell.studio.selection.choose(board)
    pilot.draw_panels(1)
    whole = set(drawn)
    drawn.clear()
    pilot.draw_panels(1)
    near = set(drawn)
    assert near < whole, "what is far below is not drawn again"
    assert "BoardView.drop_height" in near
    seen = set(near)
    place = (1150.0, 400.0)
    pilot.move(*place)
    for _ in range(40):
        pilot.app.inject(InputEvent("wheel", x=0.0, y=-4.0))
        pilot.draw_panels(1)
        seen |= set(drawn)
        drawn.clear()
    pilot.draw_panels(1)
    assert seen == whole, "scrolling reaches every field"
    assert "BoardView.drop_height" not in drawn


def test_what_validate_refuses_is_said_and_taken_back(pilot):
    panel = pilot.app.shell.studio.inspector
    slot = next(s for s in pilot.app.scene.components() if s.class_name == "CnnAnnSeat")
    assert not panel.form.attempt("more", panel._set_field, slot, "more", "{")
    assert "expected settings of the player" in panel.form.messages["more"]
    assert slot.values.get("more", "") == ""
    assert slot.state is SlotState.READY, "nothing is broken by a typing error"
    assert panel.form.attempt("more", panel._set_field, slot, "more", "alpha=0.25")
    assert slot.values["more"] == "alpha=0.25"
    pilot.app.editor.undo()
    assert slot.values.get("more", "") == ""


@pytest.mark.parametrize(
    ("words", "line"),
    [(None, ""), ("", ""), ("  \n ", ""), ("One.\n\nTwo.", "One."), ("\n  One.", "One.")],
)
def test_of_a_scripts_description_the_first_line_is_shown(words, line):
    kind = type("Kind", (), {"__doc__": words})
    assert _first_line(SimpleNamespace(instance=kind())) == line
    assert _first_line(SimpleNamespace(instance=None)) == ""

"""What a frame of panels need not find out again, because nothing of it has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.core.script.panels import CommandEntry
from sim.testing import Pilot
from sim.ui.shell.toolbar import BarPart, PlaybackBar, planned
from sim.ui.theme import theme
from sim.ui.widgets.layout import PanelLayout

HELLO = "scenes/hello.scene.json"


@pytest.fixture(scope="module")
def pilot():
    with Pilot(scene=HELLO, window=(1280, 720), speed=1.0, quality="low") as found:
        found.app.shell.preferences.arrange("studio")
        found.app.shell.open_at("scripts/common/hello_stone.py", 1)
        found.app.shell.layer.lay_out(least=9)
        yield found


def counted(patch, owner, name):
    """Return a list that grows with each call of a method."""
    calls, method = [], getattr(owner, name)

    def noting(*arguments, **options):
        calls.append(arguments)
        return method(*arguments, **options)

    patch.setattr(owner, name, noting)
    return calls


def test_a_frame_asks_each_dock_once_what_its_tabs_have_room_for(pilot, monkeypatch):
    asked = counted(monkeypatch, PanelLayout, "beside")
    pilot.app.shell.layer.lay_out(least=1)
    assert 0 < len(asked) <= len(set(pilot.app.shell.layout.nodes.values()))


@pytest.mark.parametrize(("room", "is_named"), [(2000.0, True), (320.0, True), (150.0, False)])
def test_the_tab_in_front_keeps_its_title_where_it_fits_beside_the_icons(
    pilot, monkeypatch, room, is_named
):
    windows = pilot.app.shell.panel_windows
    titles = ["Hierarchy", "Inspector", "Assets", "Script"]
    monkeypatch.setattr(PanelLayout, "beside", lambda *_: (titles, room, "Hierarchy"))
    first = windows.panels[0]
    assert first.title == "Hierarchy"
    monkeypatch.setattr(windows, "_tabs", {})
    assert ("Hierarchy" in windows._label(first)) == is_named


def test_no_path_is_resolved_while_the_pointer_is_elsewhere(pilot, monkeypatch):
    resolved = counted(monkeypatch, Path, "resolve")
    pilot.app.shell.layer.lay_out(least=2)
    assert not resolved


def test_a_long_text_is_cut_once_for_a_place_and_a_size(pilot, monkeypatch):
    theme._shortened.cache_clear()
    drawn = []
    monkeypatch.setattr(
        pilot.app.shell.overlays, "draw",
        lambda *_: (drawn.append(theme.cut("a text of some length", 60.0)), 0.0)[1],
    )  # fmt: skip
    pilot.app.shell.layer.lay_out(least=3)
    assert theme._shortened.cache_info().misses == 1
    pilot.app.shell.preferences.set_scale(2.0)
    pilot.app.shell.layer.lay_out(least=1)
    assert len(drawn[-1]) < len(drawn[0]) < len("a text of some length")


def test_the_toolbar_is_measured_only_where_something_of_it_changed(pilot, monkeypatch):
    shell = pilot.app.shell
    measured = counted(monkeypatch, PlaybackBar, "_part")
    shell.layer.lay_out(least=3)
    assert not measured
    slot = next(
        slot for obj in shell.studio.editor.scene.objects.values() for slot in obj.components
    )
    command = CommandEntry(slot, "wave", "Wave", lambda: None)
    changes = (
        lambda: shell.preferences.set_scale(1.25),
        lambda: shell.preferences.arrange("watch"),
        lambda: shell.playback.left.pop(),
        lambda: pilot.app.host.panels.commands.append(command),
        lambda: setattr(pilot.app.display, "size", (1000, 700)),
    )
    for number, change in enumerate(changes):
        change()
        shell.layer.lay_out(least=3)
        assert measured, number
        measured.clear()


def test_a_plan_puts_the_last_things_to_the_right_end():
    parts = [BarPart(20, 4, rank, 20) for rank in (0, 1, 2, 3)]
    plan = planned("abcd", parts, far=2, room=(100, 300), more=(10, 14))
    assert [thing for thing, *_ in plan.near] == ["a", "b"]
    assert plan.far == (("c", 256), ("d", 280))
    assert not plan.left_out
    plan = planned("abcd", parts, far=2, room=(100, 180), more=(10, 14))
    assert plan.left_out == ("c", "d")
    assert plan.more == 170

"""Tables of panels: no title and no text is cut, and what has no room stands in a tip."""

from __future__ import annotations

import pytest
from imgui_bundle import imgui

from scripts.learning.panel_parts import TableColumn, TableRow, draw_table
from sim.testing import Pilot
from sim.ui.widgets.context import PanelUi

TITLES = ("back", "merges", "last 50", "games", "lost", "nodes", "held", "/min")
COLUMNS = tuple(TableColumn(title, 30.0) for title in TITLES)
CELLS = ("4", "none", "57%", "120", "31", "102", "100%", "48")


class Drawn:
    """What a panel with a table drew: titles, texts with the room that they had, and tips."""

    def __init__(self, patch):
        self.titles, self.texts, self.tips, self.is_on = [], [], [], False
        self._note(patch, imgui, "text_colored", lambda _, text: text)
        self._note(patch, imgui, "selectable", lambda label, *_: label.partition("##")[0])
        setup = imgui.table_setup_column
        patch.setattr(
            imgui, "table_setup_column",
            lambda title, *rest: (self.titles.append(title) if self.is_on else None,
                                  setup(title, *rest))[1],
        )  # fmt: skip
        tip = PanelUi.tip
        patch.setattr(PanelUi, "tip", lambda ui, text: (self.tips.append(text), tip(ui, text))[1])

    def _note(self, patch, home, name, text_of):
        plain = getattr(home, name)

        def call(*arguments):
            if self.is_on:
                text = str(text_of(*arguments))
                room = imgui.get_content_region_avail().x
                self.texts.append((text, room - imgui.calc_text_size(text).x))
            return plain(*arguments)

        patch.setattr(home, name, call)

    def __call__(self, ui):
        self.titles, self.texts, self.tips, self.is_on = [], [], [], True
        draw_table(ui, "boards", COLUMNS, [TableRow(CELLS, key=1), TableRow(CELLS, key=2)])
        self.is_on = False


@pytest.mark.parametrize(("window", "scale", "count"), [
    ((1280, 720), 1.0, 8), ((1280, 720), 2.0, 5), ((1920, 1080), 2.0, 8),
])  # fmt: skip
def test_columns_without_room_stand_in_the_tip_of_their_row(monkeypatch, window, scale, count):
    drawn = Drawn(monkeypatch)
    options = {"scene": "scenes/hello.scene.json", "window": window, "speed": 1.0}
    with Pilot(quality="low", **options) as pilot:
        slot = next(iter(pilot.app.scene.components()))
        pilot.app.shell.preferences.set_scale(scale)
        pilot.app.host.panels.register(slot, "Table", drawn, dock="right")
        pilot.app.shell.panel_windows.open_front("Table")
        pilot.draw_panels(5)
        assert pilot.app.shell.theme.scale == scale
        assert tuple(drawn.titles) == TITLES[:count]
        assert [text for text, _ in drawn.texts] == [*CELLS[:count]] * 2
        padding = imgui.get_style().cell_padding.x  # what a text may reach into
        assert min(room for _, room in drawn.texts) > 1.0 - padding, drawn.texts
        rest = [
            f"{title}: {cell}" for title, cell in zip(TITLES[count:], CELLS[count:], strict=True)
        ]
        assert drawn.tips == ["\n".join(rest)] * (2 * bool(rest))
        assert pilot.app.host.error_count == 0

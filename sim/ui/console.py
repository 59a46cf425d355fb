"""The console panel: what happened, by level and text, with counts."""

from __future__ import annotations

from imgui_bundle import imgui

from sim.core.console import ConsoleRecord
from sim.core.scene_object import SlotState
from sim.core.script_host import ScriptHost
from sim.ui.theme import Theme, icons

SHOWN = 400
BADGES = {
    "error": icons.ICON_FA_CIRCLE_XMARK,
    "warning": icons.ICON_FA_TRIANGLE_EXCLAMATION,
    "info": icons.ICON_FA_CIRCLE_INFO,
}


class ConsolePanel:
    """Lists the console's records."""

    def __init__(self, host: ScriptHost) -> None:
        self.host = host
        self.levels = {"error": True, "warning": True, "info": True, "debug": False}
        self.search = ""

    def draw(self, theme: Theme) -> None:
        """Draw the filter line and the records."""
        console = self.host.console
        for level, badge in BADGES.items():
            color = theme.level(level) if self.levels[level] else theme.vector("muted")
            imgui.push_style_color(imgui.Col_.text, color)
            if imgui.small_button(f"{badge} {console.counts[level]}##{level}"):
                self.levels[level] = not self.levels[level]
            imgui.pop_style_color()
            if imgui.is_item_hovered():
                imgui.set_tooltip(f"Show or hide lines of level {level}")
            imgui.same_line(0, 12)
        imgui.set_next_item_width(130)
        _, self.search = imgui.input_text_with_hint("##search", "filter", self.search)
        imgui.same_line()
        if imgui.small_button(f"{icons.ICON_FA_TRASH}##clear"):
            console.clear()
        if imgui.begin_child("records", imgui.ImVec2(0, 0)):
            imgui.push_font(theme.mono, 0.0)
            self._draw_records(theme)
            imgui.pop_font()
        imgui.end_child()

    def visible(self) -> list[ConsoleRecord]:
        """Return the records that pass the filter, the last `SHOWN` of them."""
        wanted = self.search.lower()
        return [
            record
            for record in list(self.host.console.records)[-SHOWN:]
            if self.levels[record.level] and wanted in str(record).lower()
        ]

    def _draw_records(self, theme: Theme) -> None:
        records = self.visible()
        if not records:
            imgui.text_colored(theme.vector("muted"), "Nothing to report.")
        for index, record in enumerate(records):
            imgui.push_style_color(imgui.Col_.text, theme.level(record.level))
            text = str(record).partition(" ")[2]
            if record.details:
                is_open = imgui.tree_node(f"{text}##{index}")
                imgui.pop_style_color()
                self._draw_retry(record, index)
                if is_open:
                    imgui.text_colored(theme.vector("muted"), record.details)
                    imgui.tree_pop()
            else:
                imgui.text(text)
                imgui.pop_style_color()
        if imgui.get_scroll_y() >= imgui.get_scroll_max_y() - 24:
            imgui.set_scroll_here_y(1.0)

    def _draw_retry(self, record: ConsoleRecord, index: int) -> None:
        slot = self.host.scene.component(record.slot_id)
        if slot is None or slot.state not in (SlotState.QUARANTINED, SlotState.PLACEHOLDER):
            return
        imgui.same_line()
        if imgui.small_button(f"Retry##{index}"):
            self.host.retry(slot)

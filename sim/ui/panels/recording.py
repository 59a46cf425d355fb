"""The recording panel: settings, start and stop, a screenshot, and the last file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from imgui_bundle import imgui

from base.language.wording import tr
from sim.core.project.run_context import Mode, parse_size
from sim.core.reporting.python_text import assigned
from sim.core.script.file_question import FileQuestion
from sim.render.capture.recorder import VideoRecorder
from sim.ui.theme.theme import Theme, icons
from sim.ui.widgets.context import PanelUi

Value = TypeVar("Value")
FOLDER_LABEL = tr("Choose a folder for films and pictures")
FREE = "free"
COLUMN = 230.0
LABEL = 66.0  # width of the names before the lists
MODES: tuple[tuple[Mode, str], ...] = (("real-time", tr("Real time")), ("exact", tr("Frame-exact")))
SUFFIXES = (".mp4", ".webm", ".avi", ".mkv", ".gif")
SIZES = (("", tr("as the window")), ("1280x720", "720p"), ("1920x1080", "1080p"),
         ("3840x2160", "4K"), (FREE, tr("other…")))  # fmt: skip
LIGHT = 0xFF3C3CFF  # 0xAABBGGRR, in both themes: it lies on the picture
LIGHT_GROUND = 0xA0000000
LIGHT_TEXT = 0xFFFFFFFF
LENGTHS = (
    (30.0, tr("30 s")),
    (60.0, tr("1 min")),
    (300.0, tr("5 min")),
    (600.0, tr("10 min")),
    (3600.0, tr("1 h")),
)
EXPLANATIONS = {
    "real-time": tr("As you see it: 30 frames a second of real time."),
    "exact": tr("Every frame exactly 1/30 s of the scene; runs slower or faster while filming."),
}


class RecordingPanel:
    """Draws the video recorder's settings and buttons.

    Args:
        recorder: the video recorder.
        ask: asks a person for a file; None if nobody can be asked.

    Attributes:
        size: chosen size of the picture, one of `SIZES`.
        typed: text of the field for another size.
        fault: error message about it; empty if it is valid.
        on_folder: called with the folder that a person has chosen.
    """

    def __init__(
        self, recorder: VideoRecorder, ask: Callable[[FileQuestion], object] | None = None
    ) -> None:
        self.recorder = recorder
        self._ask = ask
        self.size = ""  # one of SIZES
        self.typed = "1280x720"
        self.fault = ""
        self.on_folder: Callable[[Path], object] = bool

    @property
    def is_recording(self) -> bool:
        """Whether a recording is running."""
        return self.recorder.is_recording

    @property
    def seconds(self) -> float:
        """Length of the present recording, seconds."""
        return self.recorder.seconds

    @property
    def label(self) -> str:
        """Label of the button that opens the panel: the recorded time, or "Record" when idle."""
        return clock_text(self.seconds) if self.is_recording else tr("Record")

    def toggle(self) -> None:
        """Start a recording with the present settings, or stop the running one."""
        self.recorder.toggle()

    def _set(self, key: str, value: object) -> None:
        """Set one of the recorder's settings; a change is printed to the console as Python code.

        Args:
            key: name of the setting.
            value: its new value.
        """
        if getattr(self.recorder.settings, key) != value:
            setattr(self.recorder.settings, key, value)
            self._say(f"settings.{key}", value)

    def _say(self, what: str, value: object) -> None:
        self.recorder.console.python(assigned(f"recorder.{what}", value))

    def draw(self, ui: PanelUi) -> None:
        """Draw the buttons first, then the settings in as many columns as there is room for."""
        theme = ui.theme
        self._draw_buttons(ui)
        self._explain(theme)
        imgui.separator()
        columns = max(1, int(imgui.get_content_region_avail().x // theme.px(COLUMN)))
        imgui.begin_disabled(self.is_recording)
        if imgui.begin_table("settings", columns, int(imgui.TableFlags_.sizing_stretch_same)):
            for label, draw in self._settings(theme):
                imgui.table_next_column()
                if label:
                    imgui.align_text_to_frame_padding()
                    imgui.text_colored(theme.vector("muted"), label)
                    imgui.same_line(theme.px(LABEL))
                imgui.set_next_item_width(-theme.px(10))
                draw()
            imgui.end_table()
        imgui.end_disabled()
        if self.recorder.last is not None:  # below: nothing that is clicked moves when it comes
            theme.wrapped(tr("saved {last}").format(last=self.recorder.last), "muted")

    def draw_light(self, theme: Theme, size: tuple[int, int]) -> None:
        """While recording, draw a red light and the recorded time at the window's upper right.

        Args:
            theme: scale and font.
            size: width and height of the window, pixels.
        """
        if not self.is_recording:
            return
        text = clock_text(self.seconds)
        extent = imgui.calc_text_size(text)
        margin, radius = theme.px(14), theme.px(6)
        right, top = size[0] - margin, margin
        left = right - extent.x - 5.0 * radius
        canvas = imgui.get_foreground_draw_list()
        canvas.add_rect_filled(
            imgui.ImVec2(left - radius, top - radius),
            imgui.ImVec2(right + radius, top + extent.y + radius),
            LIGHT_GROUND,
            theme.px(5),
        )
        middle = imgui.ImVec2(left + 1.5 * radius, top + extent.y / 2.0)
        canvas.add_circle_filled(middle, radius, LIGHT)
        canvas.add_text(imgui.ImVec2(left + 4.0 * radius, top), LIGHT_TEXT, text)

    def _settings(self, theme: Theme) -> tuple[tuple[str, Callable[[], None]], ...]:
        return (
            (tr("Time"), self._draw_time),
            (tr("File"), self._draw_suffix),
            (tr("Size"), lambda: self._draw_size(theme)),
            (tr("At most"), self._draw_longest),
            ("", self._draw_has_panels),
        )

    def _draw_time(self) -> None:
        self._set("mode", _choice("##Time", self.recorder.settings.mode, MODES))

    def _draw_suffix(self) -> None:
        kinds = tuple((suffix, suffix[1:]) for suffix in SUFFIXES)
        self._set("suffix", _choice("##File", self.recorder.settings.suffix, kinds))

    def _draw_longest(self) -> None:
        self._set("longest", _choice("##At most", self.recorder.settings.longest, LENGTHS))

    def _draw_has_panels(self) -> None:
        has_panels = imgui.checkbox(tr("With panels"), self.recorder.settings.has_panels)[1]
        self._set("has_panels", has_panels)

    def _explain(self, theme: Theme) -> None:
        """Explain the chosen time mode: beside the buttons, or below if it does not fit there."""
        text = EXPLANATIONS[self.recorder.settings.mode]
        gap = theme.px(16)
        edge = imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
        if imgui.get_item_rect_max().x + gap + imgui.calc_text_size(text).x <= edge:
            imgui.same_line(0, gap)
            imgui.align_text_to_frame_padding()
        theme.wrapped(text, "muted")

    def set_size(self, text: str) -> None:
        """Set the size of the recorded picture; an invalid size is reported and changes nothing.

        Args:
            text: width and height, such as "1280x720"; "" for the window's size.
        """
        try:
            self._set("size", parse_size(text) if text else None)
            self.fault = ""
        except ValueError as error:
            self.fault = str(error)

    def _draw_size(self, theme: Theme) -> None:
        before, self.size = self.size, _choice("##Size", self.size, SIZES)
        if self.size != before:
            self.set_size(self.typed if self.size == FREE else self.size)
        if self.size == FREE:
            imgui.dummy(imgui.ImVec2(theme.px(LABEL), 1))
            imgui.same_line(0, 0)
            imgui.set_next_item_width(-theme.px(10))
            is_changed, self.typed = imgui.input_text_with_hint(
                "##size", tr("width x height"), self.typed
            )
            if is_changed:
                self.set_size(self.typed)
        if self.fault:
            theme.wrapped(self.fault, "red")

    def _draw_buttons(self, ui: PanelUi) -> None:
        theme = ui.theme
        icon = icons.ICON_FA_STOP if self.is_recording else icons.ICON_FA_CIRCLE
        text = (
            tr("Stop  {clock_text}").format(clock_text=clock_text(self.seconds))
            if self.is_recording
            else tr("Record")
        )
        imgui.push_style_color(imgui.Col_.text, theme.vector("red"))
        is_pressed = imgui.button(f"{icon}##record")
        imgui.pop_style_color()
        imgui.same_line()
        if imgui.button(text + "##record text") or is_pressed:
            self.recorder.console.python("recorder.toggle()")
            self.toggle()
        label = icons.ICON_FA_CAMERA + "  " + tr("Screenshot")
        ui.beside(ui.button_width(label))
        if imgui.button(label):
            self.recorder.console.python("recorder.screenshot()")
            self.recorder.screenshot()
        _tip(tr("Save a picture in {folder}").format(folder=self.recorder.folder))
        if self._ask is None:
            return
        label = icons.ICON_FA_FOLDER_OPEN + "  " + tr("Folder …")
        ui.beside(ui.button_width(label))
        if imgui.button(label):
            self._ask(FileQuestion(FOLDER_LABEL, callback=self.set_folder, is_save=True,
                                   is_folder=True, name=self.recorder.folder.name))  # fmt: skip
        _tip(
            tr("Choose where films and pictures go; now: {folder}").format(
                folder=self.recorder.folder
            )
        )

    def set_folder(self, path: str) -> None:
        """Set the folder of films and pictures; it is made with the first of them.

        Args:
            path: path of the folder.
        """
        self.use_folder(Path(path))
        self.on_folder(self.recorder.folder)
        self._say("folder", path)

    def use_folder(self, folder: Path) -> None:
        """Let films and pictures go into a folder."""
        self.recorder.folder = folder


def _tip(text: str) -> None:
    if imgui.is_item_hovered():
        imgui.set_tooltip(text)


def clock_text(seconds: float) -> str:
    """Return seconds as minutes and seconds, such as 1:07."""
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02d}"


def _choice(label: str, value: Value, options: tuple[tuple[Value, str], ...]) -> Value:
    """Draw a drop-down list and return the chosen value.

    Args:
        label: ImGui label of the list.
        value: present value; the first option is shown if it is not among `options`.
        options: value and text of each option.
    """
    values = [option for option, _ in options]
    names = [name for _, name in options]
    index = values.index(value) if value in values else 0
    changed, chosen = imgui.combo(label, index, names)
    return values[chosen] if changed else value

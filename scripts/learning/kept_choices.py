"""What a person chooses in a panel for a scene: prepared together, kept, and then used.

The values are those of a script's fields. They are kept in the scene's data folder, so the scene
file stays as it is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ai import OptionError, set_aside, write_json
from scripts.learning.panel_parts import set_by_hand
from sim import FieldError, Script, Ui, tr

FILE = "choices.json"
FORMAT = "goishi.choices/1"
VALUE_PLACE = 0.46  # where values begin, share of the panel's width


class ChoiceLine(NamedTuple):
    """A field in a panel.

    Attributes:
        key: name of the script's field.
        label: text beside it; empty for the field's own title.
        values: what can be chosen from a list; empty for a field to type in.
    """

    key: str
    label: str = ""
    values: tuple[str, ...] = ()
    empty: str = tr("none")
    """How an empty text is called in the list."""
    words: Mapping[str, str] = {}
    """How values are called in the list, where not by themselves."""


class KeptChoices:
    """Values for fields of a script that a person prepares, and that then take effect together.

    Args:
        script: the script.
        keys: names of the fields.

    Attributes:
        refusals: why the last text for a field was refused, by its name.
    """

    def __init__(self, script: Script, keys: Sequence[str]) -> None:
        self.refusals: dict[str, str] = {}
        self._script = script
        self._keys = tuple(keys)
        self._own = {key: getattr(script, key) for key in keys}  # as the scene file has them
        self._drafts: dict[str, Any] = {}
        self._typed: dict[str, str] = {}
        self._is_whole = True

    def apply(self) -> None:
        """Set the fields to the values that were kept; one that does not fit is reported."""
        for key, value in self._read().items():
            if key not in self._own:
                continue
            try:
                setattr(self._script, key, self._option(key).check(value))
            except (OptionError, FieldError) as error:
                self._script.log.warning(f"{self._path}: {error}; the scene's own value is used")

    @property
    def is_changed(self) -> bool:
        """Whether a prepared value differs from the present one."""
        return any(self.value(key) != getattr(self._script, key) for key in self._keys)

    @property
    def is_own(self) -> bool:
        """Whether all values are those of the scene file."""
        return all(self.value(key) == self._own[key] for key in self._keys)

    def value(self, key: str) -> Any:
        """Return the prepared value of a field, or else its present one."""
        return self._drafts.get(key, getattr(self._script, key))

    def prepare(self, key: str, text: object) -> bool:
        """Prepare a value; one that does not fit is refused, and the value before stays.

        Args:
            key: name of the field.
            text: the value, or text of it.

        Returns:
            Whether it fits.
        """
        self._typed.pop(key, None)
        try:
            self._drafts[key] = self._option(key).resolve(text)
        except OptionError as error:
            self.refusals[key] = str(error).removeprefix(f"{key}: ")
            return False
        self.refusals.pop(key, None)
        return True

    def prepare_own(self) -> None:
        """Prepare the values of the scene file."""
        self._drafts, self._typed = dict(self._own), {}
        self.refusals.clear()

    def take(self) -> None:
        """Set the fields to the prepared values, and keep them for the next start."""
        drafts, self._drafts = self._drafts, {}
        for key, value in drafts.items():
            if value != getattr(self._script, key):
                set_by_hand(self._script, key, value)
        changed = {
            key: getattr(self._script, key)
            for key in self._keys
            if getattr(self._script, key) != self._own[key]
        }
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            others = {name: kept for name, kept in self._all().items() if name != self._name}
            kept = {**others, self._name: changed} if changed else others
            if not self._is_whole and os.path.lexists(self._path):
                self._script.log.warning(f"{self._path}: it is kept as {set_aside(self._path)}")
            self._is_whole = True
            write_json(self._path, {"format": FORMAT, "choices": kept})
        except OSError as error:
            self._script.log.warning(f"{self._path}: not kept: {error.strerror or error}")

    # -- drawing ------------------------------------------------------------------------------

    def draw(self, ui: Ui, lines: Sequence[ChoiceLine]) -> None:
        """Draw fields one below the other: name, value, and why a text was refused.

        Args:
            ui: drawing tools of the panel.
            lines: the fields.
        """
        for line in lines:
            self._draw_line(ui, line)

    def draw_answers(self, ui: Ui, label: str, tip: str) -> bool:
        """Draw the button that begins with the prepared values; return whether it was clicked.

        Args:
            ui: drawing tools of the panel.
            label: its label.
            tip: its tooltip.
        """
        is_begun = ui.button(label, icon="rotate", tip=tip)
        if not self.is_own:
            ui.beside(ui.button_width(tr("Usual values")))
            if ui.button(tr("Usual values"), tip=tr("Choose the values of the scene file again")):
                self.prepare_own()
        if self.is_changed:
            ui.muted_text(tr("Changes take effect with {label}.").format(label=label))
        return is_begun

    def _draw_line(self, ui: Ui, line: ChoiceLine) -> None:
        imgui = ui.imgui
        declared = getattr(type(self._script), line.key)
        left, room = imgui.get_cursor_pos_x(), ui.room
        imgui.align_text_to_frame_padding()
        is_new = self.value(line.key) != getattr(self._script, line.key)
        ui.text(line.label or declared.title, "amber" if is_new else "muted")
        if declared.help:
            ui.tip(declared.help)
        ui.same_line(left + room * VALUE_PLACE)
        imgui.set_next_item_width(-1.0)
        imgui.push_id(line.key)
        self._draw_value(ui, line)
        imgui.pop_id()
        if refusal := self.refusals.get(line.key):
            imgui.push_text_wrap_pos(0.0)
            ui.text(tr("not changed: {refusal}").format(refusal=refusal), "red")
            imgui.pop_text_wrap_pos()
            if name := ui.suggestions(refusal):
                self.prepare(line.key, name)

    def _draw_value(self, ui: Ui, line: ChoiceLine) -> None:
        imgui, value = ui.imgui, self.value(line.key)
        values = list(line.values or map(str, self._option(line.key).choices))
        if values:
            values = values if str(value) in values else [str(value), *values]
            names = [line.words.get(item, item) or line.empty for item in values]
            has_changed, index = imgui.combo("##value", values.index(str(value)), names)
            if has_changed:
                self.prepare(line.key, values[index])
            return
        text = self._typed.get(line.key, f"{value:g}" if isinstance(value, float) else str(value))
        has_changed, text = imgui.input_text("##value", text)
        if has_changed:
            self._typed[line.key] = text
        if imgui.is_item_deactivated_after_edit():
            self.prepare(line.key, self._typed.pop(line.key, text))

    # -- inside -------------------------------------------------------------------------------

    @property
    def _name(self) -> str:
        return type(self._script).__name__

    @property
    def _path(self) -> Path:
        return Path(self._script.run.scene_dir) / FILE

    def _option(self, key: str) -> Any:
        return getattr(type(self._script), key).option

    def _read(self) -> dict[str, Any]:
        found = self._all().get(self._name, {})
        return found if isinstance(found, dict) else {}

    def _all(self) -> dict[str, Any]:
        """Return what was kept for all scripts; a damaged file is reported and counts as empty.

        At the next change, such a file is kept aside, with `.bad` after its name.
        """
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8-sig"))
            if kept["format"] != FORMAT:
                raise ValueError(f"format {kept['format']!r}")
            return dict(kept["choices"])
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            if self._is_whole:
                self._script.log.warning(f"{self._path}: expected kept choices, found: {error}")
            self._is_whole = False
            return {}

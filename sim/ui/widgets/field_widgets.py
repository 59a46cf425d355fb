"""Widgets for fields, chosen by their declared types, and for the options that a field holds."""

from __future__ import annotations

import contextlib
import enum
import functools
import json
import math
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from imgui_bundle import imgui

from base.language.wording import tr
from base.schema import Option, OptionValue
from base.values import JsonObject
from sim.core.scene.fields import Asset, Color, Field
from sim.core.scene.scene import ComponentSlot, SlotState
from sim.ui.theme.theme import TEXT_COLOR, Theme
from sim.ui.widgets.vector_fields import FORMATS, drag_numbers

LONGEST_TEXT = 10_000
NONE = tr("(none)")
MIXED = "—"
"""Text of a widget if the edited objects have different values."""
SWATCH = int(imgui.ColorEditFlags_.no_inputs)
MOST_SWATCHES = 64
MOST_SHAPES = 512  # fields that are known at a time
MISSING = tr("This file is missing: choose another one")
Result = tuple[bool, object]
Shape = tuple[object, dict[str, object] | None]  # of a field: type, choices


class FieldWidgets:
    """Draws the widget that fits a field's type.

    Each widget returns whether the user changed the value, and the value as in the scene's file.

    Args:
        theme: colours and sizes.
        list_assets: returns the project's files that an asset field can name.
        has_file: returns whether a path names a file of the project.
    """

    def __init__(
        self,
        theme: Theme,
        list_assets: Callable[[], list[str]],
        has_file: Callable[[str], bool],
    ) -> None:
        self.theme = theme
        self._list_assets, self._has_file = list_assets, has_file
        self._drafts: dict[str, str] = {}
        self._is_mixed = False
        self._shapes: dict[int, tuple[Field, Shape]] = {}

    def forget(self) -> None:
        """Clear the cached types of fields; call it when another object's fields are shown."""
        self._shapes.clear()

    def _shape_of(self, declared: Field) -> Shape:
        known = self._shapes.get(id(declared))
        if known is None or known[0] is not declared:
            if len(self._shapes) >= MOST_SHAPES:  # those of options are made anew each time
                self._shapes.clear()
            known = self._shapes[id(declared)] = declared, _shape_of(declared)
        return known[1]

    def draw(
        self, slot: ComponentSlot, declared: Field, raw: object, *, is_mixed: bool = False
    ) -> Result:
        """Draw the widget of a field.

        Args:
            slot: the component; the last one if several are edited.
            declared: declaration of the field.
            raw: its present value, as in the scene's file.
            is_mixed: whether several components are edited and their values differ.

        Returns:
            Whether the user changed it, and the value as in the scene's file.
        """
        self._is_mixed = is_mixed
        kind, choices = self._shape_of(declared)
        imgui.set_next_item_width(-1)
        if declared.is_reference:
            return self._reference(slot, kind, raw)
        if kind is bool:
            return self._check_box(raw)
        if kind is Color:
            return self._color(raw)
        if kind is Asset:
            return self._asset(raw, is_mixed=is_mixed)
        if choices is not None:
            return self._combo(choices, raw)
        if kind is int or kind is float:
            return self._number(kind, declared, raw, is_mixed=is_mixed)
        if kind is str:
            return self._text(slot, declared, raw)
        if typing.get_origin(kind) is tuple:
            return self._vector(raw, len(typing.get_args(kind)))
        if typing.get_args(kind) == (Color,) and isinstance(raw, list | tuple):
            return self._colors(list(raw))
        return self._json(slot, declared, raw)

    def _check_box(self, raw: object) -> Result:
        if not self._is_mixed:
            changed, value = imgui.checkbox("##value", bool(raw))
            return bool(changed), value
        with mixed_flag(is_mixed=True):
            changed, value = imgui.checkbox("##value", bool(raw))
        return bool(changed), value

    def _number(
        self, kind: object, declared: Field, raw: object, *, is_mixed: bool = False
    ) -> Result:
        low, high = declared.minimum, declared.maximum
        value = raw if isinstance(raw, int | float) and not isinstance(raw, bool) else 0
        whole, sliding, dragged = (MIXED, MIXED, MIXED) if is_mixed else _formats(declared.unit)
        is_slider = low is not None and high is not None and high - low <= 1000
        if kind is int:
            shown = int(max(-(2**31), min(2**31 - 1, value)))
            if is_slider and low is not None and high is not None:
                changed, new = imgui.slider_int("##value", shown, int(low), int(high), whole)
            else:
                changed, new = imgui.drag_int("##value", shown, 0.2, 0, 0, whole)
            return (True, int(new)) if changed else (False, raw)
        real = float(value)
        if is_slider and low is not None and high is not None:
            moved, number = imgui.slider_float("##value", real, low, high, sliding)
        else:
            speed = declared.step or max(0.01, abs(real) * 0.01)
            moved, number = imgui.drag_float("##value", real, speed, 0, 0, dragged)
        return (True, _short(number)) if moved else (False, raw)

    def _vector(self, raw: object, length: int) -> Result:
        values = _numbers(raw, length)
        changed, new = drag_numbers(self.theme, values, shown=self._format(FORMATS[0]))
        return changed, new

    def _format(self, usual: str) -> str:
        return MIXED if self._is_mixed else usual

    def _colors(self, raw: list[object]) -> Result:
        """Draw a list of colours as squares, with buttons that add or remove the last one."""
        found: Result = (False, raw)
        room = imgui.get_content_region_avail().x
        start, side = imgui.get_cursor_pos_x(), imgui.get_frame_height()
        gap = imgui.get_style().item_inner_spacing.x
        a_row = max(1, int((room + gap) // (side + gap)))
        for number, item in enumerate(raw[:MOST_SWATCHES]):
            _go_on(number, a_row, start, gap)
            imgui.push_id(number)
            changed, color = self._color(item, SWATCH)
            imgui.pop_id()
            if changed:
                found = (True, [*raw[:number], color, *raw[number + 1 :]])
        count = min(len(raw), MOST_SWATCHES)
        _go_on(count, a_row, start, gap)
        if imgui.button("+", imgui.ImVec2(side, side)) and len(raw) < MOST_SWATCHES:
            found = (True, [*raw, raw[-1] if raw else [1.0, 1.0, 1.0]])
        _go_on(count + 1, a_row, start, gap)
        imgui.begin_disabled(not raw)
        if imgui.button("-", imgui.ImVec2(side, side)):
            found = (True, raw[:-1])
        imgui.end_disabled()
        if self._is_mixed:
            say_mixed()
        return found

    def _color(self, raw: object, flags: int = 0) -> Result:
        values = _numbers(raw, 4 if isinstance(raw, list | tuple) and len(raw) == 4 else 3)
        edit = imgui.color_edit4 if len(values) == 4 else imgui.color_edit3
        is_swatch = self._is_mixed and not flags
        changed, new = edit("##value", values, SWATCH if is_swatch else flags)
        if is_swatch:
            say_mixed()
        return bool(changed), [
            _short(min(1.0, max(0.0, item))) for item in list(new)[: len(values)]
        ]

    def _combo(self, choices: dict[str, object], raw: object) -> Result:
        shown = next((label for label, value in choices.items() if value == raw), str(raw))
        return self._open_combo(shown, lambda: choices, raw)

    def _open_combo(
        self, shown: str, list_all: Callable[[], dict[str, object]], raw: object
    ) -> Result:
        """Draw a drop-down list.

        Args:
            shown: text of the present value.
            list_all: returns the choices, values by text; called only while the list is open.
            raw: the present value.

        Returns:
            Whether another value was chosen, and the value.
        """
        found: Result = (False, raw)
        if imgui.begin_combo("##value", self._format(shown)):
            for label, value in list_all().items():
                if imgui.selectable(label, value == raw)[0]:
                    found = (True, value)
            imgui.end_combo()
        return found

    def _reference(self, slot: ComponentSlot, kind: object, raw: object) -> Result:
        """Draw a drop-down list of the scene's objects or components that a reference may name.

        Args:
            slot: the component.
            kind: class that the reference must have.
            raw: present value, `{"$ref": id}`; None for no reference.
        """
        target = raw.get("$ref", "") if isinstance(raw, dict) else ""
        scene = slot.object.scene
        is_object = "SceneObject" in {base.__name__ for base in getattr(kind, "__mro__", ())}
        item = scene.component(target)

        def list_all() -> dict[str, object]:
            choices: dict[str, object] = {NONE: None}
            if is_object:
                for obj in scene.objects.values():
                    choices.setdefault(obj.path, {"$ref": obj.id})
            else:
                for each in scene.components():
                    if each.instance is None or _is_a(each.instance, kind):
                        choices.setdefault(_component_label(each), {"$ref": each.id})
            return choices

        if is_object and target in scene.objects:
            shown = scene.objects[target].path
        elif not is_object and item and (item.instance is None or _is_a(item.instance, kind)):
            shown = _component_label(item)
        else:
            shown = str(raw) if target else NONE
        return self._open_combo(shown, list_all, {"$ref": target} if target else None)

    def _asset(self, raw: object, *, is_mixed: bool = False) -> Result:
        path = raw.get("$asset", "") if isinstance(raw, dict) else ""
        found: Result = (False, raw)
        is_missing = bool(path) and not is_mixed and not self._has_file(path)
        shown = MIXED if is_mixed else path or NONE
        if begin_file_combo(self.theme, "##value", shown, is_missing=is_missing):
            for item in self._list_assets():
                if imgui.selectable(item, item == path)[0]:
                    found = (True, {"$asset": item})
            imgui.end_combo()
        if is_missing:
            self.theme.wrapped(MISSING, "red")
        return found

    def _text(self, slot: ComponentSlot, declared: Field, raw: object) -> Result:
        """Draw a text field; a change is reported when the user ends the editing.

        Args:
            slot: the component.
            declared: declaration of the field.
            raw: its present value.

        Returns:
            Whether the user changed the text, and the text.
        """
        return self.typed(f"{slot.id}/{declared.name}", str(raw or ""), declared.multiline)

    def _json(self, slot: ComponentSlot, declared: Field, raw: object) -> Result:
        """Draw a text field with the value as JSON, for types that have no widget of their own.

        Args:
            slot: the component.
            declared: declaration of the field.
            raw: its present value.

        Returns:
            Whether the user changed the text, and the value. Text that is no valid JSON is returned
            as it is; the field then refuses it with an error.
        """
        shown = json.dumps(raw, ensure_ascii=False)
        changed, text = self.typed(f"{slot.id}/{declared.name}", shown, is_multiline=False)
        if not changed:
            return False, raw
        try:
            return True, json.loads(text)
        except ValueError:
            return True, text  # the field says what it expected instead

    def typed(self, key: str, value: str, is_multiline: bool = False) -> tuple[bool, str]:
        """Draw a text field; a change is reported on Enter or when the field loses the focus.

        Args:
            key: unique key of the field, under which its unfinished text is kept.
            value: present text.
            is_multiline: whether the field has several lines.

        Returns:
            Whether the text was changed, and the text.
        """
        draft = self._drafts.get(key, MIXED if self._is_mixed else value)
        value = MIXED if self._is_mixed else value
        if is_multiline:
            size = imgui.ImVec2(-1, self.theme.px(64))
            _, draft = imgui.input_text_multiline("##value", draft, size)
        else:
            _, draft = imgui.input_text("##value", draft)
        if imgui.is_item_active():
            self._drafts[key] = draft[:LONGEST_TEXT]
            return False, value
        self._drafts.pop(key, None)
        is_done = bool(imgui.is_item_deactivated_after_edit())
        return is_done and draft != value, draft if is_done else value


@contextlib.contextmanager
def mixed_flag(*, is_mixed: bool) -> Iterator[None]:
    """Draw check boxes inside the block as neither on nor off, if `is_mixed`."""
    if is_mixed:
        imgui.push_item_flag(int(imgui.ItemFlags_.mixed_value), True)
    try:
        yield
    finally:
        if is_mixed:
            imgui.pop_item_flag()


def say_mixed() -> None:
    """Draw the mark for different values beside the last widget."""
    imgui.same_line()
    imgui.text(MIXED)


def _go_on(number: int, a_row: int, start: float, gap: float) -> None:
    """Move ImGui's drawing position to the next square of a list of colours.

    Args:
        number: index of the square.
        a_row: squares per row.
        start: x position of a row's first square, pixels.
        gap: gap between squares, pixels.
    """
    if number and number % a_row:
        imgui.same_line(0, gap)
    elif number:
        imgui.set_cursor_pos_x(start)


def _shape_of(declared: Field) -> Shape:
    """Return a field's type without None, and the values that it can be chosen from."""
    kind = _plain(declared.annotation)
    return kind, _choices(kind, declared)


@functools.lru_cache(maxsize=256)
def _formats(unit: str) -> tuple[str, str, str]:
    """Return number formats with a unit: for integers, sliders, and numbers changed by dragging.

    Args:
        unit: name of the unit; empty for none.
    """
    text = f" {unit}".replace("%", "%%") if unit else ""
    return ("%d" + text), ("%.3g" + text), ("%.4g" + text)


def _plain(kind: object) -> object:
    """Return the type without None: T for `T | None`; other types unchanged."""
    arguments = typing.get_args(kind)
    if type(None) in arguments:
        rest = [item for item in arguments if item is not type(None)]
        if len(rest) == 1:
            return rest[0]
    return kind


def _choices(kind: object, declared: Field) -> dict[str, object] | None:
    if declared.choices is not None:
        return {str(item): item for item in declared.choices}
    if typing.get_origin(kind) is typing.Literal:
        return {str(item): item for item in typing.get_args(kind)}
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return {str(item.value): item.value for item in kind}
    return None


def _component_label(slot: ComponentSlot) -> str:
    return slot.object.path + " · " + slot.title


def _is_a(instance: object, kind: object) -> bool:
    """Return whether a script is an instance of a class or of an older version of it.

    Classes are compared by name, since a hot reload creates new ones.

    Args:
        instance: the script.
        kind: the class.
    """
    if not isinstance(kind, type):
        return False
    return kind.__name__ in {base.__name__ for base in type(instance).__mro__}


def _numbers(raw: object, length: int) -> list[float]:
    values = list(raw) if isinstance(raw, list | tuple) else []
    numbers = [float(item) if isinstance(item, int | float) else 0.0 for item in values]
    return (numbers + [0.0] * length)[:length]


def _short(value: float) -> float:
    """Return a number of a 32-bit widget, rounded to seven digits: 0.1 instead of 0.10000000149."""
    if not math.isfinite(value):
        return value
    return float(f"{value:.7g}")


Groups = Mapping[str, tuple[Option, ...] | None]
"""Options by group; None while they are being requested."""
NONE_WORD = "none"


def groups_of(slot: ComponentSlot, declared: Field) -> Groups:
    """Return the options, by group, that a script currently offers for a field.

    Args:
        slot: the component.
        declared: the field; its `options_of` names the script's attribute with the options.

    Returns:
        The options; empty if the script does not run.
    """
    if slot.instance is None or slot.state is not SlotState.READY:
        return {}
    found = slot.call(declared.options_of, lambda: getattr(slot.instance, declared.options_of))
    return found if isinstance(found, Mapping) else {}


def draw_option(
    widgets: FieldWidgets, slot: ComponentSlot, key: str, option: Option, raw: object
) -> tuple[bool, object]:
    """Draw the widget of one option.

    Args:
        widgets: draws the widget.
        slot: the component.
        key: key of the option, unique within the component.
        option: declaration of the option.
        raw: the present value of the option, or that value as text.

    Returns:
        Whether the user changed it, and the new value. From a text field the value is a text.
    """
    is_text = option.value_kind is str and not option.choices
    if is_text or (option.default is None and not option.choices):
        imgui.set_next_item_width(-1)
        return widgets.typed(f"{slot.id}/{key}", _words(raw))
    declared = Field(option)
    declared.name = key
    return widgets.draw(slot, declared, option.resolve(raw))


def with_value(raw: object, group: str, option: Option, value: object) -> JsonObject:
    """Return the value of a field with one option set; an option equal to its default is left out.

    Args:
        raw: present value of the field, `{group: {key: value}}`; not changed.
        group: group of the option.
        option: declaration of the option.
        value: new value of the option, or its text.

    Raises:
        OptionError: the value is invalid for the option.
    """
    resolved = option.resolve(value)
    values: dict[str, Any] = dict(raw) if isinstance(raw, dict) else {}
    own = {name: item for name, item in values.get(group, {}).items() if name != option.key}
    if resolved != option.default:
        own[option.key] = resolved
    values.pop(group, None)
    return {**values, group: own} if own else values


def value_in(raw: object, group: str, option: Option) -> OptionValue:
    """Return the value of an option that a field holds; the option's default if it holds none.

    Args:
        raw: value of the field, `{group: {key: value}}`.
        group: group of the option.
        option: declaration of the option.
    """
    values = raw.get(group) if isinstance(raw, dict) else None
    found: OptionValue = (
        values.get(option.key, option.default) if isinstance(values, dict) else (option.default)
    )
    return found


def draw_options(
    widgets: FieldWidgets,
    slot: ComponentSlot,
    declared: Field,
    raw: object,
    *,
    label: Callable[[Option, bool], None],
    change: Callable[[str, Option, object], None],
    say: Callable[[str], None],
) -> None:
    """Draw the options that a field holds, group by group.

    Args:
        widgets: draws the widgets.
        slot: the component.
        declared: a field whose `options_of` is set.
        raw: its value, `{group: {key: value}}`.
        label: draws an option's name; its second argument tells whether the value is not the
            default.
        change: called with a group, an option and its new value when the user changes it.
        say: draws the last error of a group.
    """
    for group, options in groups_of(slot, declared).items():
        widgets.theme.wrapped(_heading(group, options), "muted")
        for option in options or ():
            imgui.push_id(f"{group}/{option.key}")
            present = value_in(raw, group, option)
            label(option, present != option.default)
            changed, value = draw_option(widgets, slot, f"{group}/{option.key}", option, present)
            if changed:
                change(group, option, value)
            imgui.pop_id()
        say(group)


def _heading(group: str, options: tuple[Option, ...] | None) -> str:
    if options is None:
        return tr("{group}: loading its settings").format(group=group)
    return (
        tr("{group}, from its next game:").format(group=group)
        if options
        else tr("{group} has no settings").format(group=group)
    )


def _words(value: object) -> str:
    return NONE_WORD if value is None else str(value)


__all__ = ["draw_options", "groups_of", "value_in", "with_value"]


def begin_file_combo(theme: Theme, label: str, path: str, *, is_missing: bool) -> bool:
    """Begin a combo box that shows a file; return whether it is open.

    Args:
        theme: colours and sizes.
        label: ImGui's label.
        path: the file's path.
        is_missing: whether there is no such file; the path is then red.
    """
    if not is_missing:
        return bool(imgui.begin_combo(label, path))
    imgui.push_style_color(TEXT_COLOR, theme.vector("red"))
    is_open = bool(imgui.begin_combo(label, path))
    imgui.pop_style_color()
    return is_open

"""Widgets for a field that holds values of options, such as a player's settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from imgui_bundle import imgui

from base.schema import Option, OptionValue
from base.values import JsonObject
from sim.core.scene.fields import Field
from sim.core.scene.scene import ComponentSlot, SlotState
from sim.ui.widgets.field_widgets import FieldWidgets

Groups = Mapping[str, tuple[Option, ...] | None]
"""Options by group; None where they are being asked for."""
NONE_WORD = "none"


def groups_of(slot: ComponentSlot, declared: Field) -> Groups:
    """Return the options that a script names for a field now; none where it does not run."""
    if slot.instance is None or slot.state is not SlotState.READY:
        return {}
    found = slot.host.call(
        slot, declared.options_of, lambda: getattr(slot.instance, declared.options_of)
    )
    return found if isinstance(found, Mapping) else {}


def draw_option(
    widgets: FieldWidgets, slot: ComponentSlot, key: str, option: Option, raw: object
) -> tuple[bool, object]:
    """Draw the widget of one option; return whether it was changed, and the value or its text.

    Args:
        widgets: draw fields.
        slot: the component.
        key: tells the widget from all others of the component.
        option: what may be set.
        raw: the present value, or its text.
    """
    is_text = option.value_kind is str and not option.choices
    if is_text or (option.default is None and not option.choices):
        imgui.set_next_item_width(-1)
        return widgets.typed(f"{slot.id}/{key}", _words(raw))
    declared = Field(option)
    declared.name = key
    return widgets.draw(slot, declared, option.resolve(raw))


def with_value(raw: object, group: str, option: Option, value: object) -> JsonObject:
    """Return a field's value in which one option is set; a default is left out.

    Raises:
        OptionError: the value does not fit.
    """
    resolved = option.resolve(value)
    values: dict[str, Any] = dict(raw) if isinstance(raw, dict) else {}
    own = {name: item for name, item in values.get(group, {}).items() if name != option.key}
    if resolved != option.default:
        own[option.key] = resolved
    values.pop(group, None)
    return {**values, group: own} if own else values


def value_in(raw: object, group: str, option: Option) -> OptionValue:
    """Return an option's value in a field's value, the default where that holds none."""
    values = raw.get(group) if isinstance(raw, dict) else None
    found: OptionValue = values.get(option.key, option.default) if isinstance(values, dict) else (
        option.default
    )  # fmt: skip
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
    """Draw the options of a field, a group after the other.

    Args:
        widgets: draw fields.
        slot: the component.
        declared: a field with `options`.
        raw: its value, `{group: {key: value}}`.
        label: draws an option's name, amber where it has a value of its own.
        change: takes a group, an option and what was chosen or typed.
        say: writes what was refused of a group.
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
        return f"{group}: its settings are being looked up"
    return f"{group}, from its next game:" if options else f"{group} has no settings"


def _words(value: object) -> str:
    return NONE_WORD if value is None else str(value)


__all__ = ["draw_options", "groups_of", "value_in", "with_value"]

"""Buttons for the known names that look like a misspelt one, below its error message."""

from __future__ import annotations

from imgui_bundle import imgui

from base.language.wording import tr
from base.spelling import suggested


def draw_suggestions(refusal: str) -> str:
    """Draw a button for each name that the message about a misspelt one offers in its place.

    Args:
        refusal: the error message.

    Returns:
        The name whose button was clicked in this frame; empty for none.
    """
    clicked = ""
    for number, name in enumerate(suggested(refusal)):
        if number:
            imgui.same_line()
        if imgui.button(f"{name}##suggested"):
            clicked = name
        imgui.set_item_tooltip(tr("Take {name} instead").format(name=name))
    return clicked

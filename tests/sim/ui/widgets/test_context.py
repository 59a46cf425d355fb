"""What panels draw with: the `Ui` that scripts are typed with, and what the engine gives them."""

from __future__ import annotations

import inspect
from typing import get_type_hints

import pytest

from sim.core.script.ui import Ui, UiTheme
from sim.testing import Pilot
from sim.ui.theme.theme import Theme
from sim.ui.widgets.context import PanelUi, _around


def members(protocol):
    return [name for name in dir(protocol) if not name.startswith("_")]


def signatures(protocol, implementation):
    """Yield (name, wanted, found) of every method and property, annotations resolved."""
    for name in members(protocol):
        wanted, found = getattr(protocol, name), getattr(implementation, name, None)
        if isinstance(wanted, property) and isinstance(found, property):
            wanted, found = wanted.fget, found.fget
        if inspect.isfunction(wanted):
            yield name, wanted, found


@pytest.mark.parametrize(("protocol", "implementation"), [(Ui, PanelUi), (UiTheme, Theme)])
def test_every_method_has_the_signature_that_scripts_are_promised(protocol, implementation):
    seen = 0
    for name, wanted, found in signatures(protocol, implementation):
        assert found is not None, f"{implementation.__name__}.{name} is missing"
        assert str(inspect.signature(wanted, eval_str=True).replace(return_annotation=None)) == str(
            inspect.signature(found, eval_str=True).replace(return_annotation=None)
        ), name
        promised = get_type_hints(wanted)["return"]
        assert promised in (object, get_type_hints(found)["return"]), name
        seen += 1
    assert seen >= 3


def test_what_is_promised_is_there_and_nothing_public_is_kept_back():
    with Pilot(scene="scenes/hello.scene.json", window=(320, 200), speed=1.0) as pilot:
        ui = pilot.app.shell.ui
        for thing, protocol in ((ui, Ui), (ui.theme, UiTheme)):
            names = {*members(protocol), *protocol.__annotations__}
            for name in names:  # looked up without asking ImGui, which draws nothing now
                inspect.getattr_static(thing, name)
        own = {name for name in vars(PanelUi) if not name.startswith("_")}
        assert own == {*members(Ui), *Ui.__annotations__} - {"theme"}


@pytest.mark.parametrize(
    ("values", "limits"),
    [([3, 1, 2], (0.6, 3.4)), ([5], (4, 6)), ([-5], (-6, -4)), ([0], (-0.2, 0.2))],
)
def test_a_chart_has_room_above_and_below(values, limits):
    assert _around(values) == pytest.approx(limits)

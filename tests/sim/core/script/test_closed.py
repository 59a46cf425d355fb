"""Objects of the engine have no attributes but their own; a misspelt one is an error at once."""

from __future__ import annotations

import copy
import functools
import weakref
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from base.closed import CLOSED, close
from sim.core.audio.sound_bank import NullSound
from sim.core.audio.sound_track import TappedVoice
from sim.core.canvas.canvas import Canvas
from sim.core.canvas.painter import Painter
from sim.core.components.components import MENU
from sim.core.input.input_actions import InputActions
from sim.core.project.run_context import RunContext
from sim.core.reporting.console import Console
from sim.core.reporting.failure_text import describe
from sim.core.reporting.metrics import MetricStore
from sim.core.scene.scene import Scene
from sim.core.script.hud import Button
from sim.core.script.panels import PanelRegistry
from sim.core.script.script import Script
from sim.core.workers.pool import Links
from sim.render.audio.sound import SpeakerVoice


def run_of(folder: Path) -> RunContext:
    return RunContext(scene_path=folder, project=folder, data_dir=folder)


def box() -> Any:
    return Scene().spawn("Box")


MADE: dict[str, tuple[Callable[[], Any], str, str]] = {
    "object": (box, "visble", "visible"),
    "transform": (lambda: box().transform, "postion", "position"),
    "scene": (Scene, "camra", "camera"),
    "camera": (lambda: Scene().camera, "veiw", "view"),
    "canvas": (lambda: Canvas(painter=Painter), "backround", "background"),
    "input": (InputActions, "mouse_dleta", "mouse_delta"),
    "mouse lock": (lambda: InputActions().lock, "is_wantd", "is_wanted"),
    "sound": (NullSound, "volum", "volume"),
    "run": (lambda: run_of(Path()), "sed", "seed"),
    "saves": (lambda: run_of(Path()).saves, "foldr", "folder"),
    "metrics": (MetricStore, "revison", "revision"),
    "panels": (PanelRegistry, "comands", "commands"),
    "workers": (lambda: Links(Console()), "is_egaer", "is_eager"),
    "animation": (lambda: box().animation, "ratte", "rate"),
    "button": (lambda: Button("Go", (0, 0, 1, 1), print), "is_enabld", "is_enabled"),
}


@pytest.mark.parametrize("name", MADE)
def test_a_misspelt_attribute_that_is_set_names_the_one_that_is_meant(name: str) -> None:
    make, wrong, right = MADE[name]
    found = make()
    with pytest.raises(AttributeError) as caught:
        setattr(found, wrong, getattr(found, right, 0.5))
    line = describe(caught.value)
    assert repr(wrong) in line
    assert f"; did you mean '{right}'" in line
    with pytest.raises(AttributeError) as caught:
        getattr(found, wrong)
    assert f"; did you mean '{right}'" in describe(caught.value), "and where it is read"


@pytest.mark.parametrize("name", MADE)
def test_what_is_closed_may_be_weakly_kept_and_copied(name: str) -> None:
    found = MADE[name][0]()
    assert weakref.ref(found)() is found
    copy.copy(found)


@pytest.mark.parametrize("name", ["position", "rotaton", "world_position", "scal"])
def test_what_the_transform_has_is_said_of_the_object(name: str) -> None:
    with pytest.raises(AttributeError) as caught:
        setattr(box(), name, (0.0, 0.0, 0.0))
    assert "; did you mean 'transform." in describe(caught.value)


def test_each_thing_of_the_engine_that_a_script_is_handed_is_closed(stage) -> None:
    """What a script has, what its object and its scene have, and what their methods give it."""
    stage.script(
        "own",
        """
        class Own(Script):
            pass
        """,
    )
    own = stage.open_one("scripts.own:Own").instance
    stage.frames(1)
    handed = {
        f"{kind.__name__}.{name}": getattr(item, name)
        for kind, item in ((Script, own), (type(own.object), own.object), (Scene, own.scene))
        for name, found in vars(kind).items()
        if name[:1] != "_" and isinstance(found, property | functools.cached_property)
    }
    handed["hud.canvas"] = own.hud.canvas("shown")
    handed["transform"] = own.object.transform
    handed["recorded voice"] = TappedVoice.__new__(TappedVoice)
    handed["voice"] = SpeakerVoice.__new__(SpeakerVoice)
    is_engines = {
        name: type(item).__module__.startswith("sim.") and not isinstance(item, Script)
        for name, item in handed.items()
    }
    tried = {name: type(item).__name__ for name, item in handed.items() if is_engines[name]}
    is_open = []
    for name in tried:
        try:
            handed[name].no_such_attribute = 1
        except (AttributeError, TypeError):
            continue
        is_open.append(name)
    assert is_open == []
    assert {
        "RunContext", "Saves", "MetricStore", "Hud", "PanelRegistry", "Links", "Log", "Time",
        "Scene", "SceneObject", "Transform", "Canvas", "SpeakerVoice", "TappedVoice",
    } <= set(tried.values())  # fmt: skip
    assert type(own.stats) is dict, "which takes no attribute"


@pytest.mark.parametrize("kind", MENU, ids=lambda kind: kind.__name__)
def test_a_component_of_the_engine_has_its_fields_only(kind: type) -> None:
    made = kind.__new__(kind)
    with pytest.raises(AttributeError, match=rf"{kind.__name__!r} object has no .* 'intensty'"):
        made.intensty = 3.0
    made._anything = 1  # the engine's own
    own = type("Own", (kind,), {})
    made = own.__new__(own)
    made.intensty = 3.0  # a subclass is a script like any other
    assert made.intensty == 3.0


def test_closed_classes_name_all_that_they_have() -> None:
    """Objects of a class with a `__dict__` would take any attribute."""
    assert {"SceneObject", "Transform", "Scene", "SceneCamera", "HudCanvas", "HudMenu"} <= set(
        CLOSED
    )
    for kind in CLOSED.values():
        assert not kind.__dictoffset__, kind
        if is_dataclass(kind):
            assert {item.name for item in fields(kind)} <= set(kind.__slots__), kind


def test_a_class_with_a_dict_is_closed_as_well() -> None:
    class Lamp:
        bright: float
        color = 1

        def __init__(self) -> None:
            self.bright = 0.5

        @property
        def power(self) -> float:
            return self.bright * 2.0

        @power.setter
        def power(self, value: float) -> None:
            self.bright = value / 2.0

        @property
        def age(self) -> int:
            return 1

    class Own(Lamp):
        @property
        def age(self) -> int:
            return 1

        @age.setter
        def age(self, value: int) -> None:
            self.bright = float(value)

    with pytest.raises(AttributeError) as before:
        Lamp().age = 2  # type: ignore[misc]
    close(Lamp)
    lamp = Lamp()
    lamp.bright, lamp.color = 1.0, 2
    lamp.power = 6.0
    assert lamp.bright == 3.0
    with pytest.raises(AttributeError) as after:
        lamp.age = 2  # type: ignore[misc]
    assert str(after.value) == str(before.value)
    own = Own()
    own.age = 5  # what a subclass has in its place is set
    assert own.bright == 5.0
    with pytest.raises(AttributeError, match="did you mean 'bright'"):
        lamp.brigth = 1.0  # type: ignore[attr-defined]


def test_hints_are_given_where_they_help_only() -> None:
    assert describe(AttributeError("anything")) == "AttributeError: anything"
    with pytest.raises(AttributeError) as caught:
        _ = Scene().find("Nobody").position
    assert describe(caught.value) == "AttributeError: 'NoneType' object has no attribute 'position'"
    with pytest.raises(AttributeError) as caught:
        _ = "text".uper()
    assert describe(caught.value).endswith("'uper'; did you mean 'upper' or 'isupper'?")


def test_the_console_names_line_and_near_name(stage) -> None:
    stage.script(
        "hider",
        """
        class Hider(Script):
            def start(self):
                self.mine = 1
                self.object.visble = False
        """,
    )
    slot = stage.open_one("scripts.hider:Hider")
    stage.frames(1)
    assert slot.error.text.endswith("no attribute 'visble'; did you mean 'visible'?")
    assert slot.error.line == 6

"""What the reference shows: the public doors, what a script finds behind `self`, components."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final

import pdoc.doc

from base.door import homes_of
from sim.core.scene.fields import Field, collect_fields
from sim.core.script.script import Script
from sim.core.script.signals import Signal

SCRIPTS: Final = Path(__file__).resolve().parents[1] / "scripts"
DOORS: Final = ("sim", "sim.testing", "ai", "ai.messages", "goishi")
"""Modules of which every name in `__all__`, or every public one, is documented."""
FARTHER: Final = ("ai.game.game", "ai.game.move", "ai.game.rules", "ai.game.opening")
"""Modules of variables that `ai` re-exports through a door of its own."""
BEHIND_SELF: Final[Mapping[str, tuple[str, ...]]] = {
    "sim.core.script.script": ("Log",),
    "sim.core.script.services": ("Time",),
    "sim.core.geometry.transform": ("Transform",),
    "sim.core.scene.scene_camera": ("SceneCamera",),
    "sim.core.input.input_actions": ("InputActions", "Click", "InputEvent"),
    "sim.core.input.gamepad": ("Gamepad",),
    "sim.core.reporting.metrics": ("MetricStore",),
    "sim.core.project.run_context": ("RunContext", "RecorderDoor", "RecordingSettings"),
    "sim.core.script.panels": (
        "PanelRegistry",
        "Panel",
        "PanelEntry",
        "CommandEntry",
        "StatusBoard",
    ),
    "sim.core.script.script_hud": ("Hud",),
    "sim.core.script.hud_menu": ("HudMenu",),
    "sim.core.workers.link": ("WorkerLink", "Answer", "Pending"),
    "sim.core.workers.pool": ("Links",),
    "sim.core.script.signals": ("BoundSignal",),
    "sim.core.audio.sound_bank": ("AudioBackend",),
    "sim.core.script.ui": ("UiTheme",),
}
"""Classes whose objects a script gets by `self.…` or as an argument, by module."""


class Door(pdoc.doc.Module):  # type: ignore[misc]
    """A module as the reference shows it: chosen names, and docstrings of what it re-exports."""

    def __init__(self, module: ModuleType, names: Sequence[str] | None = None) -> None:
        super().__init__(module)
        chosen = names if names is not None else getattr(module, "__all__", None)
        if chosen is None:
            chosen = [
                name
                for name, value in vars(module).items()
                if inspect.isclass(value)
                and value.__module__ == module.__name__
                and not name.startswith("_")
            ]
        members = {name: getattr(module, name) for name in chosen}
        self.__dict__["_member_objects"] = members
        self.__dict__["_var_docstrings"] = {**self._var_docstrings, **_texts_of_homes(module)}
        for item in self.members.values():
            if isinstance(item, pdoc.doc.Class):
                _leave_to_bases(item)
                if issubclass(item.obj, Script):
                    _tell_fields(item)


def load_doors() -> dict[str, Door]:
    """Import what is documented and return it by module name."""
    with without_warnings():
        return _load_doors()


@contextmanager
def without_warnings() -> Iterator[None]:
    """Be quiet about annotations that only a type checker can read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def _load_doors() -> dict[str, Door]:
    doors = {name: Door(import_module(name)) for name in (*DOORS, "sim.core.components.components")}
    for name, names in BEHIND_SELF.items():
        doors[name] = Door(import_module(name), names)
    for name in script_modules():
        door = Door(import_module(name))
        if door.members:
            doors[name] = door
    return doors


def script_modules() -> list[str]:
    """Return the names of the modules that hold shipped components."""
    return [
        path.relative_to(SCRIPTS.parent).with_suffix("").as_posix().replace("/", ".")
        for path in sorted(SCRIPTS.rglob("*.py"))
        if re.search(r"^class \w+\((?!Protocol|enum)\w", path.read_text(encoding="utf-8"), re.M)
    ]


def _texts_of_homes(module: ModuleType) -> dict[str, str]:
    """Return the docstrings of the variables that a door re-exports from elsewhere."""
    found: dict[str, str] = {}
    file = getattr(module, "__file__", None)
    if module.__name__ not in ("sim", "ai") or file is None:
        return found
    homes = set(homes_of(Path(file)).values())
    for home in (*homes, *FARTHER) if module.__name__ == "ai" else homes:
        found |= pdoc.doc.Module(import_module(home))._var_docstrings
    return {name: text for name, text in found.items() if name in module.__all__}


def _leave_to_bases(owner: pdoc.doc.Class) -> None:
    """Hide what a class only inherits, or overrides without words of its own: its base says it."""
    for member in owner.members.values():
        own = inspect.getattr_static(owner.obj, member.name, None)
        is_code = inspect.isroutine(own) or isinstance(own, property)
        is_inherited = member.name not in vars(owner.obj)
        is_silent = is_code and not getattr(own, "__doc__", None)
        if is_silent or (is_inherited and not isinstance(member, pdoc.doc.Variable)):
            member.docstring = ""


def _tell_fields(component: pdoc.doc.Class) -> None:
    """Say of a component's fields and signals what the Inspector says."""
    fields = collect_fields(component.obj)
    for item in component.own_members:
        value = inspect.getattr_static(component.obj, item.name, None)
        if not isinstance(item, pdoc.doc.Variable):
            continue
        if item.name in fields:
            field = fields[item.name]
            item.docstring = _field_text(field)
            item.__dict__["default_value_str"] = repr(field.initial())
        elif isinstance(value, Signal):
            types = ", ".join(kind.__name__ for kind in value.types)
            item.docstring = f"A signal, emitted with ({types})."
            item.__dict__["default_value_str"] = f"signal({types})"


def _field_text(field: Field) -> str:
    """Return a field's help with its bounds: "How high it hops; from 0 to 10 m."."""
    said = field.help.rstrip(".") or f"The {field.name.replace('_', ' ')}"
    unit = f" {field.unit}" if field.unit else ""
    low, high = field.minimum, field.maximum
    if low is not None and high is not None:
        return f"{said}; from {low:g} to {high:g}{unit}."
    if low is not None:
        return f"{said}; {low:g}{unit} or more."
    if high is not None:
        return f"{said}; at most {high:g}{unit}."
    return f"{said} ({field.unit})." if unit else f"{said}."

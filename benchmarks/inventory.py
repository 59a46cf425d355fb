"""Everything that a user can name: commands, flags, scenes, formats, components, players, panels.

    python -m benchmarks.inventory --out before.txt        one line each, sorted
    python -m benchmarks.inventory --against before.txt    what is gone and what is new; exit code 1

A line is `kind name: details`, for example `flag run --seed: integer`. The exit code is 1 if
something is gone that the other list has.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import typer.main

from base.files import SHIPPED_ROOT
from benchmarks.console import parser_of
from benchmarks.programs import run_main
from docs.doors import script_modules
from sim.commands.cli.application import build_application
from sim.core.components.components import ENGINE_TYPES
from sim.core.project.settings import UserSettings
from sim.core.scene.fields import collect_fields
from sim.core.script.script import Script
from sim.core.script.signals import Signal

PANEL: Final = re.compile(r"\.(?:add_)?panel\(\s*\"([^\"]+)\"")
DOORS: Final = ("sim", "sim.testing", "ai", "ai.messages", "goishi")


def commands() -> Iterator[str]:
    """Yield every command and every flag of it, with what it takes."""

    def walk(command: Any, path: str) -> Iterator[str]:
        for name, inner in getattr(command, "commands", {}).items():
            yield f"command {path}{name}"
            yield from walk(inner, f"{path}{name} ")
        for parameter in command.params:
            names = " ".join([*parameter.opts, *parameter.secondary_opts])
            kind = parameter.type_descriptor.annotation
            yield f"flag {path}{names}: {getattr(kind, '__name__', kind)}"

    yield from walk(typer.main.get_command(build_application()), "")
    for path in sorted((SHIPPED_ROOT / "scenes").glob("*.scene.json")):
        words = [f"scenes/{path.name}", "--help"]
        run = typer.main.get_command(build_application(["run"], words=words))
        yield from walk(run, f"{path.name} ")


def scenes() -> Iterator[str]:
    """Yield every shipped scene and prefab with the types of its components."""
    for folder in ("scenes", "assets", "docs/projects"):
        for path in sorted((SHIPPED_ROOT / folder).rglob("*.json")):
            if path.name.endswith((".scene.json", ".prefab.json")):
                found = json.loads(path.read_text(encoding="utf-8"))
                types = {
                    component["type"]
                    for item in found["objects"].values()
                    for component in item.get("components", {}).values()
                    if "type" in component
                }
                yield f"scene {path.relative_to(SHIPPED_ROOT).as_posix()}: {sorted(types)}"


def formats() -> Iterator[str]:
    """Yield the endings of game files, models and robots."""
    games, models = import_module("ai.formats.registry"), import_module("sim.core.assets.formats")
    for module in (games, models):
        for name, value in sorted(vars(module).items()):
            if name.isupper() and isinstance(value, dict | tuple | frozenset):
                texts = (str(getattr(item, "suffix", item)) for item in value)
                yield f"format {name}: {sorted(texts)}"


def components() -> Iterator[str]:
    """Yield every component with its fields and signals."""
    engine = import_module("sim.core.components.components")
    classes = {f"sim:{name}": getattr(engine, name) for name in ENGINE_TYPES}
    for module in map(import_module, script_modules()):
        for name, value in vars(module).items():
            is_own = inspect.isclass(value) and value.__module__ == module.__name__
            if is_own and issubclass(value, Script):
                classes[f"{module.__name__}:{name}"] = value
    for name, cls in sorted(classes.items()):
        yield f"component {name}"
        for key, declared in collect_fields(cls).items():
            yield f"field {name}.{key}: {declared.kind[0]} = {declared.initial()!r}"
        for key in dir(cls):
            if isinstance(inspect.getattr_static(cls, key, None), Signal):
                yield f"signal {name}.{key}"


def players() -> Iterator[str]:
    """Yield every player with its settings, and every game."""
    for what in ("players", "games"):
        for item in json.loads(run_main(what, "--json")):
            settings = {key["key"]: key.get("default") for key in item.pop("settings", [])}
            yield f"{what[:-1]} {item['name']}: {json.dumps(item, sort_keys=True)}"
            yield from (f"setting {item['name']} {key} = {settings[key]!r}" for key in settings)


def panels() -> Iterator[str]:
    """Yield the titles of all panels."""
    for folder in ("sim", "scripts"):
        for path in sorted((SHIPPED_ROOT / folder).rglob("*.py")):
            for title in PANEL.findall(path.read_text(encoding="utf-8")):
                yield f"panel {title}"


def app_settings() -> Iterator[str]:
    """Yield the keys of the settings file."""
    yield from (f"setting app {item.name}" for item in fields(UserSettings))


def doors() -> Iterator[str]:
    """Yield what programs and scripts import, with the public methods and their parameters."""
    for door in DOORS:
        module = import_module(door)
        for name in getattr(module, "__all__", ()):
            yield f"door {door}.{name}"
            value = getattr(module, name)
            for key, member in vars(value).items() if inspect.isclass(value) else ():
                if not key.startswith("_") and callable(member):
                    yield f"method {door}.{name}.{key}{_parameters(member)}"


def _parameters(member: Any) -> str:
    try:
        return f"({', '.join(inspect.signature(member).parameters)})"
    except (TypeError, ValueError):
        return "(...)"


PARTS: Final = (commands, scenes, formats, components, players, panels, app_settings, doors)


def main() -> int:
    """Print or compare the list; return the exit code."""
    options = parser_of(__doc__, out=Path, against=Path).parse_args()
    lines = sorted({line for part in PARTS for line in part()})
    if options.out:
        options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if options.against is None:
        if not options.out:
            print("\n".join(lines))
        return 0
    before = set(options.against.read_text(encoding="utf-8").splitlines())
    gone, new = sorted(before - set(lines)), sorted(set(lines) - before)
    print("\n".join([*(f"- {line}" for line in gone), *(f"+ {line}" for line in new)]))
    print(f"{len(lines)} lines, {len(gone)} gone, {len(new)} new")
    return 1 if gone else 0


if __name__ == "__main__":
    sys.exit(main())

"""Edits as Python lines that can be pasted into the app's prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sim.core.scene_object import ComponentSlot, SceneObject


class Source(str):
    """Text that stands in a line as it is."""

    __slots__ = ()


def expression(item: SceneObject | ComponentSlot | None) -> Source:
    """Return what finds an object or a component: `find("Board")`, `component("cmp_…")`."""
    if item is None:
        return Source("None")
    if isinstance(item, ComponentSlot):
        return Source(f"component({_text(item.id)})")
    for name in (item.name, item.path):
        if item.scene.find(name) is item:
            return Source(f"find({_text(name)})")
    return Source(f"scene.get({_text(item.id)})")


def call(method: str, *arguments: Any, **options: Any) -> str:
    """Return the line that calls a method of the editor."""
    parts = [written(item) for item in arguments]
    parts += [f"{name}={written(item)}" for name, item in options.items()]
    return f"editor.{method}({', '.join(parts)})"


def move_line(obj: SceneObject, vectors: Mapping[str, Sequence[float]]) -> str:
    """Return the line that places an object."""
    where = expression(obj)
    if len(vectors) == 1 and where.startswith("find("):
        [(key, value)] = vectors.items()
        return f"{where}.transform.{key} = {written(tuple(value))}"
    return call("set_transform", where, **{key: tuple(item) for key, item in vectors.items()})


def written(value: Any) -> str:
    """Return a value as Python text; whole numbers of vectors without their `.0`."""
    if isinstance(value, Source):
        return str(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, tuple):
        items = [_number(item) if isinstance(item, float) else written(item) for item in value]
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{_text(key)}: {written(item)}" for key, item in value.items()) + "}"
        )
    return repr(value)


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _text(text: str) -> str:
    shown = repr(text)
    if shown.startswith("'") and '"' not in shown:
        return f'"{shown[1:-1]}"'
    return shown

"""Writes edits as Python code that can be pasted into the app's prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sim.core.reporting.python_text import PythonSource, called, written
from sim.core.scene.scene import ComponentSlot, SceneObject


def expression(item: SceneObject | ComponentSlot | None) -> PythonSource:
    """Return Python code that finds an object or component, such as `find("Board")`."""
    if item is None:
        return PythonSource("None")
    if isinstance(item, ComponentSlot):
        return PythonSource(f"component({written(item.id)})")
    for name in (item.name, item.path):
        if item.scene.find(name) is item:
            return PythonSource(f"find({written(name)})")
    return PythonSource(f"scene.get({written(item.id)})")


def call(method: str, *arguments: object, **options: object) -> str:
    """Return Python code that calls a method of the editor.

    Args:
        method: name of the method.
        *arguments: its positional arguments.
        **options: its keyword arguments.
    """
    return called(f"editor.{method}", *arguments, **options)


def move_line(obj: SceneObject, vectors: Mapping[str, Sequence[float]]) -> str:
    """Return Python code that sets an object's position, rotation or scale.

    Args:
        obj: the object.
        vectors: three numbers each, by "position", "rotation" or "scale".
    """
    where = expression(obj)
    if len(vectors) == 1 and where.startswith("find("):
        [(key, value)] = vectors.items()
        return f"{where}.transform.{key} = {written(tuple(value))}"
    return call("set_transform", where, **{key: tuple(item) for key, item in vectors.items()})

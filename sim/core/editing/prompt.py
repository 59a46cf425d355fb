"""Names for the app's Python prompt; assignments to these objects are edits and can be undone.

In a script, `find("Board").transform.position = (1, 0, 0)` moves an object in the running scene
only. Typed at the prompt, the same line is an edit: it is saved and can be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any

from sim.core.editing.editor import Editor
from sim.core.scene.object_state import vector
from sim.core.scene.scene import ComponentSlot, SceneObject

SETTERS = {
    "name": "rename",
    "visible": "set_visible",
    "enabled": "set_enabled",
    "casts_shadow": "set_casts_shadow",
    "model": "set_model",
    "texture": "set_texture",
}
VECTORS = ("position", "rotation", "scale")


def prompt_names(editor: Editor) -> dict[str, object]:
    """Return the prompt's names: `editor`, `scene`, `find` and `component`."""

    def find(name: str) -> HandObject | None:
        obj = editor.scene.find(name)
        return None if obj is None else HandObject(editor, obj)

    return {
        "editor": EditorProxy(editor),
        "scene": editor.scene,
        "find": find,
        "component": editor.scene.component,
    }


class EditorProxy:
    """Stands for the editor at the prompt.

    Its methods also accept the objects that `find` returns at the prompt (`HandObject`).
    """

    def __init__(self, editor: Editor) -> None:
        self._editor = editor

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._editor, name)
        if not callable(value):
            return value

        def method(*arguments: object, **options: object) -> object:
            plain = {key: plain_object(item) for key, item in options.items()}
            return value(*map(plain_object, arguments), **plain)

        return method

    def __dir__(self) -> list[str]:
        return sorted(name for name in dir(self._editor) if not name.startswith("_"))


class HandObject:
    """Stands for a scene object at the prompt: an assignment to an attribute is an edit.

    Reading an attribute returns the object's own.
    """

    def __init__(self, editor: Editor, obj: SceneObject) -> None:
        object.__setattr__(self, "_editor", editor)
        object.__setattr__(self, "_object", obj)

    @property
    def transform(self) -> HandTransform:
        """The object's transform; assignments to its vectors are edits."""
        return HandTransform(self._editor, self._object)

    @property
    def material(self) -> HandMaterial:
        """The material as a dict, `obj.material["color"] = …`; assignments are edits."""
        return HandMaterial(self._editor, self._object)

    def destroy(self) -> None:
        """Delete the object with all its descendants."""
        self._editor.delete(self._object)

    def add(self, type_name: str, **values: object) -> ComponentSlot:
        """Add a component.

        Args:
            type_name: such as `sim:RigidBody` or `scripts.module:Class`.
            **values: raw values of its fields.
        """
        added: ComponentSlot = self._editor.add_component(self._object, type_name, values)
        return added

    def look_at(self, target: Any) -> None:
        """Turn the object towards another one or a point `[3]`."""
        turn = self._object.look_at
        _edit_transform(self._editor, self._object, lambda: turn(plain_object(target)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._object, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "material":
            HandMaterial(self._editor, self._object).replace(value)
        elif name == "parent":
            self._editor.set_parent(self._object, plain_object(value))
        elif name in SETTERS:
            getattr(self._editor, SETTERS[name])(self._object, value)
        else:
            raise AttributeError(f"object: expected {', '.join(SETTERS)}, found {name}")

    def __repr__(self) -> str:
        return repr(self._object)

    def __dir__(self) -> list[str]:
        return sorted(name for name in dir(self._object) if not name.startswith("_"))


class HandTransform:
    """Stands for an object's transform at the prompt; assignments are edits."""

    def __init__(self, editor: Editor, obj: SceneObject) -> None:
        object.__setattr__(self, "_editor", editor)
        object.__setattr__(self, "_object", obj)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._object.transform, name)
        if not callable(found):
            return found
        editor, obj = self._editor, self._object
        return lambda *given, **named: _edit_transform(editor, obj, lambda: found(*given, **named))

    def __setattr__(self, name: str, value: object) -> None:
        if name not in VECTORS:
            raise AttributeError(f"transform: expected {', '.join(VECTORS)}, found {name}")
        self._editor.set_transform(self._object, **{name: value})

    def __dir__(self) -> list[str]:
        return sorted(name for name in dir(self._object.transform) if not name.startswith("_"))


def _edit_transform(editor: Editor, obj: SceneObject, change: Callable[[], Any]) -> Any:
    """Make what a function changes of an object's transform an edit; return its result.

    Args:
        editor: makes the edit.
        obj: the object.
        change: the function.
    """
    transform = obj.transform
    before = {key: vector(getattr(transform, key)) for key in VECTORS}
    result = change()
    after = {key: vector(getattr(transform, key)) for key in VECTORS}
    changed = {key: value for key, value in after.items() if value != before[key]}
    for key in changed:
        setattr(transform, key, before[key])
    if changed:
        editor.set_transform(obj, **changed)
    return result


class HandMaterial(MutableMapping[str, object]):
    """Stands for an object's material at the prompt; setting or deleting an item is an edit."""

    def __init__(self, editor: Editor, obj: SceneObject) -> None:
        self._editor = editor
        self._object = obj

    def __getitem__(self, key: str) -> object:
        return self._object.material[key]

    def __setitem__(self, key: str, value: object) -> None:
        self._editor.set_material(self._object, key, value)

    def __delitem__(self, key: str) -> None:
        self._editor.set_material(self._object, key, None)

    def __iter__(self) -> Iterator[str]:
        return iter(dict(self._object.material))

    def __len__(self) -> int:
        return len(self._object.material)

    def __repr__(self) -> str:
        return repr(dict(self._object.material))

    def replace(self, values: Mapping[str, object]) -> None:
        """Replace all properties of the material, as one edit."""
        with self._editor.group(f"Material of {self._object.name}"):
            for key in [key for key in self if key not in values]:
                del self[key]
            self.update(values)


def plain_object(item: object) -> Any:
    """Return the scene object or component that `item` stands for; else `item` itself.

    A component is returned as its slot.
    """
    if isinstance(item, HandObject):
        return item._object
    slot = getattr(item, "slot", None)
    return slot if isinstance(slot, ComponentSlot) else item

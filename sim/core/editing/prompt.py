"""Names of the app's prompt: proxies whose assignments are undoable edits.

`find("Board").transform.position = (1, 0, 0)` in a script moves an object while the scene runs.
Typed at the prompt the same line is an edit: it can be undone, and it is saved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from sim.core.editing.editor import Editor
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
    """Proxy of the editor that also accepts the proxies that `find` returns."""

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
    """Proxy of a scene object: assignments are edits, all else is the object's own."""

    def __init__(self, editor: Editor, obj: SceneObject) -> None:
        object.__setattr__(self, "_editor", editor)
        object.__setattr__(self, "_object", obj)

    @property
    def transform(self) -> HandTransform:
        """Proxy of the object's transform."""
        return HandTransform(self._editor, self._object)

    @property
    def material(self) -> HandMaterial:
        """The material as a dict, `obj.material["color"] = …`; assignments are edits."""
        return HandMaterial(self._editor, self._object)

    def destroy(self) -> None:
        """Delete the object with all its descendants."""
        self._editor.delete(self._object)

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
    """Proxy of a transform: assignments are edits."""

    def __init__(self, editor: Editor, obj: SceneObject) -> None:
        object.__setattr__(self, "_editor", editor)
        object.__setattr__(self, "_object", obj)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._object.transform, name)

    def __setattr__(self, name: str, value: object) -> None:
        if name not in VECTORS:
            raise AttributeError(f"transform: expected {', '.join(VECTORS)}, found {name}")
        self._editor.set_transform(self._object, **{name: value})

    def __dir__(self) -> list[str]:
        return sorted(name for name in dir(self._object.transform) if not name.startswith("_"))


class HandMaterial(MutableMapping[str, object]):
    """Proxy of a material: assignments are edits."""

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
        """Replace all items of the material in one step."""
        with self._editor.group(f"Material of {self._object.name}"):
            for key in [key for key in self if key not in values]:
                del self[key]
            self.update(values)


def plain_object(item: object) -> Any:
    """Return the object behind a proxy, the slot of a script, else `item` itself."""
    if isinstance(item, HandObject):
        return item._object
    slot = getattr(item, "slot", None)
    return slot if isinstance(slot, ComponentSlot) else item

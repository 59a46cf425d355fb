"""Dicts and lists that report changes of their items, for an object's model and material."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from sim.core.scene.scene_object import SceneObject


def _telling(kind: type, name: str) -> Callable[..., Any]:
    """Return a method of a list or map that tells of the change afterwards."""
    method = getattr(kind, name)

    def change(self: ObservedList | ObservedDict, *given: object, **named: object) -> object:
        result = method(self, *given, **named)
        self._tell()
        return result

    change.__name__, change.__doc__ = name, method.__doc__
    return change


class ObservedList(list[object]):
    """A list, such as a colour, that reports changes: `obj.material["color"][0] = 1.0`."""

    def __init__(self, owner: SceneObject, values: list[object]) -> None:
        super().__init__(watched(owner, value) for value in values)
        self._owner = owner

    def _tell(self) -> None:
        self._owner.scene.visual_changed(self._owner)

    __setitem__ = _telling(list, "__setitem__")
    __delitem__ = _telling(list, "__delitem__")
    __iadd__ = _telling(list, "__iadd__")
    __imul__ = _telling(list, "__imul__")
    append = _telling(list, "append")
    clear = _telling(list, "clear")
    extend = _telling(list, "extend")
    insert = _telling(list, "insert")
    pop = _telling(list, "pop")
    remove = _telling(list, "remove")
    reverse = _telling(list, "reverse")
    sort = _telling(list, "sort")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as a plain list, without the object."""
        return list, (list(self),)


class ObservedDict(dict[str, Any]):
    """A dict that reports changes of its items; lists and dicts inside it do, too."""

    def __init__(self, owner: SceneObject, values: Mapping[str, object]) -> None:
        super().__init__({key: watched(owner, value) for key, value in values.items()})
        self._owner = owner

    def _tell(self) -> None:
        self._owner.scene.visual_changed(self._owner)

    __delitem__ = _telling(dict, "__delitem__")
    clear = _telling(dict, "clear")
    pop = _telling(dict, "pop")
    popitem = _telling(dict, "popitem")

    def __setitem__(self, key: str, value: object) -> None:
        super().__setitem__(key, watched(self._owner, value))
        self._tell()

    def update(self, *values: object, **items: object) -> None:
        """Change several items, with one report."""
        for key, value in dict(*values, **items).items():
            super().__setitem__(key, watched(self._owner, value))
        self._tell()

    def __ior__(self, values: object) -> Self:  # type: ignore[misc, override]  # | gives a plain map
        self.update(values)
        return self

    def setdefault(self, key: str, default: object = None) -> object:
        """Return an item; insert the default if it is missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as a plain dict, without the object."""
        return dict, (dict(self),)


def watched(owner: SceneObject, value: object) -> object:
    """Return lists and dicts as observed ones, other values unchanged."""
    if isinstance(value, list):
        return ObservedList(owner, value)
    if isinstance(value, Mapping):
        return ObservedDict(owner, value)
    return value

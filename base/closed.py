"""Classes whose objects have no attributes but their own: to set a misspelt one is an error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

from base.spelling import NEAR_NAMES, near_names

MISSING: Final = re.compile(r"'(\w+)' object has no attribute '(\w+)'")
CLOSED: Final[dict[str, type]] = {}
"""The subclasses of `Closed`, by name."""


class Closed:
    """Base class of objects that scripts change, and whose attributes are in `__slots__`.

    So `obj.visble = False` is an error, and assigning a known attribute costs nothing more.
    """

    __slots__ = ("__weakref__",)

    parts: ClassVar[Mapping[str, type]] = {}
    """Classes of attributes whose own attributes may be meant, by name."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        CLOSED[cls.__name__] = cls


def close(kind: type) -> None:
    """Let objects of a class have no public attributes but those that the class declares.

    It is for classes whose objects have a `__dict__`. Subclasses are open.

    Args:
        kind: the class. What only its `__init__` sets must be annotated in the class.
    """
    declared = (vars(base).get("__annotations__", ()) for base in kind.__mro__)
    known = frozenset(dir(kind)).union(*declared)
    plain = object.__setattr__
    found = {name: item for base in reversed(kind.__mro__) for name, item in vars(base).items()}
    setters = {name: item.__set__ for name, item in found.items() if hasattr(type(item), "__set__")}
    setter_of = setters.get  # such as fields, which scripts set in each frame: Python asks longer

    def set_known(self: object, name: str, value: object) -> None:
        is_open = type(self) is not kind
        setter = None if is_open else setter_of(name)
        if setter is not None:
            setter(self, value)
            return
        if is_open or name in known or name[:1] == "_":
            plain(self, name, value)
            return
        near = hint_of_near(sorted(known), name)
        raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}{near}")

    type.__setattr__(kind, "__setattr__", set_known)


def hint_of_near(known: Iterable[str], name: str) -> str:
    """Return a hint for the end of an error message: public names like a misspelt one.

    >>> hint_of_near(["visible", "name", "_seen"], "visble"), hint_of_near(["name"], "mass")
    ("; did you mean 'visible'?", '')
    >>> hint_of_near(["points", "transform.position"], "positon")
    "; did you mean 'transform.position'?"

    Args:
        known: the names; those of a part begin with it and a dot.
        name: the misspelt name.
    """
    shown: dict[str, str] = {}
    for item in known:
        if item[:1] != "_":
            shown.setdefault(item.rpartition(".")[2], item)
    near = [shown[item] for item in near_names(shown, name)][:NEAR_NAMES]
    if near and "." in near[0]:
        near = near[:1]  # the object has no such attribute, but its part does
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""


def hint_for(error: AttributeError) -> str:
    """Return a hint for the end of the message of an attribute error; "" if there is none.

    Python names neither object nor attribute where one is set that has no slot.
    """
    text = str(error)
    if "did you mean" in text:
        return ""
    found = MISSING.fullmatch(text)
    name = error.name or (found[2] if found else "")
    if not isinstance(name, str) or name[:1] == "_":
        return ""
    if error.name:
        return hint_of_near([*dir(error.obj), *_of_parts(type(error.obj))], name)
    kind = CLOSED.get(found[1]) if found else None
    return hint_of_near([*dir(kind), *_of_parts(kind)], name) if kind is not None else ""


def _of_parts(kind: type) -> list[str]:
    """Return the public names of a closed class's parts, each with its part before it."""
    parts = kind.parts if issubclass(kind, Closed) else {}
    return [f"{part}.{name}" for part, its in parts.items() for name in dir(its) if name[:1] != "_"]

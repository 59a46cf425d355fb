"""Moves the state of scripts to the new version of a reloaded module.

A script may hold values of classes that its module defined before it was saved: members of enums,
instances of plain classes, the classes and functions themselves. They are found in all that scripts
hold, and replaced by those of the new module, or given its classes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import inspect
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import FunctionType, MethodType, ModuleType
from typing import Any, Final, TypeGuard

from base.interruption import Interruption
from sim.core.script.script import Script
from sim.core.script.signals import BoundSignal
from sim.core.tasks.waits import Wait

MOST_VALUES: Final = 250_000
"""How many values are looked at, at most; many numbers or texts in one list count as few."""
MANY: Final = 50
"""Length from which a container is first asked which types are in it."""

CONTAINERS: Final = (
    dict, list, set, deque, OrderedDict, defaultdict, Counter, types.SimpleNamespace,
    functools.partial, types.CellType, types.CoroutineType, types.GeneratorType,
    types.AsyncGeneratorType,
)  # fmt: skip
FRAMES: Final[Mapping[type, str]] = {
    types.CoroutineType: "cr",
    types.GeneratorType: "gi",
    types.AsyncGeneratorType: "ag",
}
"""What the attributes of coroutines and generators begin with."""
MISSING: Final = object()
Renew = Callable[[Any], Any]


def is_class(value: object) -> TypeGuard[type]:
    """Return whether a value is a class, without reading its `__class__`, which may raise."""
    return issubclass(type(value), type)


def is_script(value: object) -> TypeGuard[type[Script]]:
    """Return whether a value is a class of scripts."""
    return is_class(value) and issubclass(value, Script)


def module_of(value: object) -> object:
    """Return the `__module__` of a value: the name of the module that defines it.

    Args:
        value: value of a global name of a script.

    Returns:
        The module's name; None if the value has none or reading it raises.
    """
    try:
        return getattr(value, "__module__", None)
    except Interruption:
        raise
    except BaseException:
        return None


class Renewal:
    """Replaces what modules defined before by what they define now, in all that scripts hold.

    Args:
        prefixes: starts of the names of all modules of scripts.

    Attributes:
        notes: what could not be moved and why, each with the number of values.
        is_cut: whether there were more values than are looked at.
    """

    def __init__(self, prefixes: Iterable[str]) -> None:
        self._prefixes = tuple(prefix or "scripts." for prefix in prefixes)
        self._classes: dict[type, type] = {}
        self._dataclasses: set[type[Any]] = set()
        self._gone: set[type] = set()
        self._values: dict[int, tuple[object, object]] = {}
        self._homes: list[Mapping[str, object]] = []
        self._globals: dict[int, dict[str, Any]] = {}
        self._kinds: dict[type, Renew | None] = {}
        self._slots: dict[type, tuple[str, ...]] = {}
        self._seen: dict[int, object] = {}
        self._twins: dict[int, tuple[Any, Any]] = {}
        self._insides: dict[type, tuple[Callable[[Any], object], ...]] = {}
        self._open: deque[Any] = deque()
        self._left = MOST_VALUES
        self.notes: Counter[str] = Counter()
        self.is_cut = False

    # -- what is replaced by what --------------------------------------------------------------

    def add(self, old: ModuleType, new: ModuleType) -> None:
        """Pair what a module defined with what its new version defines under the same names.

        Args:
            old: the module before the reload.
            new: the module after it.
        """
        self._values[id(old)] = (old, new)
        self._homes.append(vars(old))
        self._globals[id(vars(old))] = vars(old)
        self._pair_names(vars(old), vars(new).get, old.__name__)

    def close(self) -> None:
        """Let the code of before, such as a running coroutine, find the new classes."""
        for names in self._globals.values():
            for key, value in list(names.items()):
                if is_class(value) and value in self._classes:
                    names[key] = self._classes[value]

    def _pair_names(
        self, old: Mapping[str, Any], find: Callable[[str, object], Any], home: str
    ) -> None:
        """Pair the values of names that a module defines itself.

        Args:
            old: the values by name, in a module or a class.
            find: returns the new value of a name; its second argument if there is none.
            home: name of the module.
        """
        for key, value in list(old.items()):
            if key.startswith("__") and type(value) is not FunctionType:
                continue
            other = find(key, MISSING)
            if is_class(value):
                if module_of(value) == home and value not in self._classes:
                    self._pair_class(value, other, home)
            elif issubclass(type(value), staticmethod | classmethod):
                self._pair_value(value.__func__, getattr(other, "__func__", MISSING), home)
            elif callable(value) and not self._is_own(type(value)):
                self._pair_value(value, other, home)

    def _pair_class(self, old: type, new: object, home: str) -> None:
        if not is_class(new) or issubclass(old, enum.Enum) is not issubclass(new, enum.Enum):
            self._gone.add(old)
        elif new is not old:
            self._classes[old] = new
            if dataclasses.is_dataclass(new):
                self._dataclasses.add(new)
            self._pair_names(
                vars(old), lambda key, other: inspect.getattr_static(new, key, other), home
            )

    def _pair_value(self, old: object, new: object, home: str) -> None:
        if new is not MISSING and new is not old and module_of(old) == home and callable(new):
            self._values[id(old)] = (old, new)

    # -- the walk ------------------------------------------------------------------------------

    def walk(self, roots: Iterable[object]) -> None:
        """Move all that some values hold, and what these hold in turn.

        Args:
            roots: the values.
        """
        for root in roots:
            self._queue(root)
        while self._open:
            if self._left < 0:
                self.is_cut = True
                return
            self._renew_inside(self._open.popleft())

    def _queue(self, value: Any) -> Any:
        if id(value) not in self._seen:
            self._seen[id(value)] = value
            self._open.append(value)
        return value

    def _renew(self, value: Any) -> Any:
        """Return what a value is replaced by: itself, if only what it holds can change."""
        kind = type(value)
        renew = self._kinds[kind] if kind in self._kinds else self._learn(kind)
        return value if renew is None else renew(value)

    def _learn(self, kind: type) -> Renew | None:
        """Return how values of a type are renewed; None for those that hold nothing of scripts."""
        is_known, is_enum = kind in self._classes, issubclass(kind, enum.Enum)
        is_open = kind in CONTAINERS or issubclass(kind, Wait | BoundSignal) or self._is_own(kind)
        rules: tuple[tuple[bool, Renew], ...] = (
            (issubclass(kind, type), self._renew_class),
            (kind in self._gone, self._stays),
            (is_known and is_enum, self._renew_member),
            (is_known and not issubclass(kind, tuple | Script), self._renew_instance),
            (kind is FunctionType, self._renew_function),
            (kind is MethodType, self._renew_method),
            (issubclass(kind, tuple), self._renew_tuple),
            (kind is frozenset, self._renew_frozenset),
            (is_open, self._queue),
            (any(type(old) is kind for old, _ in self._values.values()), self._renew_value),
        )
        found = next((renew for applies, renew in rules if applies), None)
        self._kinds[kind] = found
        return found

    def _is_own(self, kind: type) -> bool:
        """Return whether a module of scripts defines a type."""
        is_data = not issubclass(kind, enum.Enum)
        return is_data and str(module_of(kind)).startswith(self._prefixes)

    def _hold_nothing(self, values: Iterable[Any]) -> bool:
        """Return whether values are only numbers, texts and the like."""
        kinds = set(map(type, values))
        return all(
            (self._kinds[kind] if kind in self._kinds else self._learn(kind)) is None
            for kind in kinds
        )

    # -- what cannot be changed in place -------------------------------------------------------

    def _renew_value(self, value: Any) -> Any:
        old, new = self._values.get(id(value), (MISSING, MISSING))
        return new if old is value else value

    def _renew_class(self, value: type) -> type:
        if value in self._gone:
            self._stays(value)
        return self._classes.get(value, value)

    def _stays(self, value: Any) -> Any:
        kind = value if is_class(value) else type(value)
        self.notes[f"{kind.__qualname__} is gone"] += 1
        return value

    def _renew_member(self, member: Any) -> Any:
        """Return the member of the new enum that has a member's name.

        A combination of flags becomes that of the new flags.
        """
        new: Any = self._classes[type(member)]
        found = new.__members__.get(member.name)
        if found is None and isinstance(member, enum.Flag):
            names = [part.name for part in member]
            if all(name in new.__members__ for name in names):
                return functools.reduce(lambda a, b: a | new[b], names, new(0))
        if found is None:
            self.notes[f"{member} is gone"] += 1
            return member
        return found

    def _renew_function(self, value: FunctionType) -> Any:
        old, new = self._values.get(id(value), (MISSING, MISSING))
        if old is value:
            return new
        self._note_if_gone(value)
        return self._queue(value)

    def _note_if_gone(self, function: Any) -> None:
        """Note a function of before that the new module does not have."""
        names = getattr(function, "__globals__", None)
        if any(names is home for home in self._homes) and "<" not in function.__qualname__:
            self.notes[f"{function.__qualname__} is gone"] += 1

    def _renew_method(self, value: MethodType) -> Any:
        old, new = self._values.get(id(value.__func__), (MISSING, MISSING))
        function: Any = new if old is value.__func__ else value.__func__
        owner = self._renew(value.__self__)
        if function is value.__func__ and owner is value.__self__:
            self._note_if_gone(function)
            return value
        return MethodType(function, owner)

    def _renew_tuple(self, value: tuple[Any, ...]) -> Any:
        if id(value) in self._twins:
            return self._twins[id(value)][1]
        kind = self._classes.get(type(value), type(value))
        if getattr(type(value), "_fields", None) != getattr(kind, "_fields", None):
            self.notes[f"{kind.__qualname__}: its fields are others"] += 1
            kind = type(value)
        if kind is type(value) and self._hold_nothing(value):
            return value
        self._left -= len(value)
        items = [self._renew(item) for item in value]
        is_same = all(one is other for one, other in zip(items, value, strict=True))
        if is_same and kind is type(value):
            return value
        found: Any = tuple.__new__(kind, items)
        self._twins[id(value)] = (value, found)
        return found

    def _renew_frozenset(self, value: frozenset[Any]) -> Any:
        if self._hold_nothing(value):
            return value
        self._left -= len(value)
        items = [self._renew(item) for item in value]
        is_same = all(one is other for one, other in zip(items, value, strict=True))
        return value if is_same else frozenset(items)

    # -- what can ------------------------------------------------------------------------------

    def _renew_inside(self, value: Any) -> None:
        """Renew what a value holds."""
        kind = type(value)
        if kind not in self._insides:
            self._insides[kind] = tuple(self._inside_of(kind))
        for renew in self._insides[kind]:
            renew(value)

    def _inside_of(self, kind: type) -> Iterator[Callable[[Any], object]]:
        """Yield what renews the inside of values of a type."""
        known: tuple[tuple[Any, Callable[[Any], object]], ...] = (
            (dict, self._renew_dict),
            (list | deque, self._renew_items),
            (set, self._renew_set),
            (FunctionType, self._renew_closure),
            (types.CellType, self._renew_cell),
            (functools.partial, self._renew_partial),
            (tuple(FRAMES), self._renew_frame),
        )
        yield from (renew for wanted, renew in known if issubclass(kind, wanted))
        is_plain = kind in CONTAINERS and kind is not types.SimpleNamespace
        if not is_plain and kind is not FunctionType:
            yield self._renew_attributes

    def _renew_items(self, value: Any) -> None:
        for place, new in self._changed(enumerate(value), value):
            value[place] = new

    def _renew_set(self, value: set[Any]) -> None:
        changed = self._changed(zip(value, value, strict=True), value)
        if changed:
            value.difference_update([item for item, _ in changed])
            value.update(new for _, new in changed)

    def _renew_dict(self, value: dict[Any, Any]) -> None:
        changed = self._changed(zip(value, value, strict=True), value)
        if changed:
            keys = {id(key): new for key, new in changed}
            items = [(keys.get(id(key), key), item) for key, item in value.items()]
            value.clear()
            value.update(items)
        self._renew_values(value)
        if issubclass(type(value), defaultdict):
            made: Any = value
            made.default_factory = self._renew(made.default_factory)

    def _renew_values(self, value: dict[Any, Any]) -> None:
        value.update(self._changed(value.items(), value.values()))

    def _changed(
        self, items: Iterable[tuple[Any, Any]], values: Collection[Any]
    ) -> list[tuple[Any, Any]]:
        """Renew the values of a container; return those that are replaced: (key, new value).

        Args:
            items: (key, value) of each.
            values: the values alone.
        """
        if len(values) > MANY:
            self._left -= len(values) // MANY
            if self._hold_nothing(values):
                return []
        found, kinds = [], self._kinds
        for key, item in items:
            kind = type(item)
            renew = kinds[kind] if kind in kinds else self._learn(kind)
            if renew is not None:
                self._left -= 1
                if self._left < 0:
                    self.is_cut = True
                    break
                new = renew(item)
                if new is not item:
                    found.append((key, new))
        return found

    def _renew_closure(self, value: FunctionType) -> None:
        self._globals[id(value.__globals__)] = value.__globals__
        for cell in value.__closure__ or ():
            self._renew_cell(cell)
        if value.__defaults__:
            value.__defaults__ = self._renew(value.__defaults__)
        if value.__kwdefaults__:
            self._renew_values(value.__kwdefaults__)
        if vars(value):
            self._renew_values(vars(value))

    def _renew_cell(self, cell: types.CellType) -> None:
        try:
            value = cell.cell_contents
        except ValueError:  # it is empty
            return
        new = self._renew(value)
        if new is not value:
            cell.cell_contents = new

    def _renew_partial(self, value: functools.partial[Any]) -> None:
        parts = (value.func, value.args, dict(value.keywords))
        new = (self._renew(parts[0]), self._renew(parts[1]), parts[2])
        self._renew_values(new[2])
        value.__setstate__((*new, vars(value) or None))  # type: ignore[attr-defined]  # of pickle

    def _renew_frame(self, value: Any) -> None:
        """Renew what a running coroutine or generator holds.

        Its variables cannot be assigned from outside.
        """
        letters = FRAMES[type(value)]
        frame = getattr(value, f"{letters}_frame")
        if frame is not None:
            self._globals[id(frame.f_globals)] = frame.f_globals
        for name, item in list(frame.f_locals.items()) if frame is not None else ():
            new = self._renew(item)
            if new is not item and not callable(item):
                self.notes[f"the variable {name} of {value.__qualname__}, which is running"] += 1
        for link in ("await", "yieldfrom"):
            self._renew(getattr(value, f"{letters}_{link}", None))

    def _renew_attributes(self, value: Any) -> None:
        names = _own_dict(value)
        if names:
            self._renew_values(names)
        kind = type(value)
        if kind not in self._slots:
            self._slots[kind] = _slots_of(kind)
        for name in self._slots[kind]:
            try:
                item = object.__getattribute__(value, name)
                new = self._renew(item)
                if new is not item:
                    object.__setattr__(value, name, new)
            except AttributeError:  # nothing is stored there
                continue

    def _renew_instance(self, value: Any) -> Any:
        """Return an instance after it was given the new version of its class.

        Where Python does not allow that, such as with other slots, a new instance with the same
        attributes takes its place.
        """
        if id(value) in self._twins:
            return self._twins[id(value)][1]
        new = self._classes[type(value)]
        found = value
        try:
            object.__setattr__(value, "__class__", new)
        except TypeError:  # the layout in memory differs
            found = self._twin_of(value, new)
            self._twins[id(value)] = (value, found)
        if new in self._dataclasses:
            self._fill(found, new)
        return self._queue(found)

    def _twin_of(self, value: Any, kind: type) -> Any:
        """Return a new instance of a class with the attributes of another; the other if it fails.

        Args:
            value: the other instance.
            kind: the class.
        """
        names = dict.fromkeys(_slots_of(type(value)), MISSING) | (_own_dict(value) or {})
        try:
            found: Any = object.__new__(kind)
        except TypeError:  # it is a list or the like
            self.notes[f"{kind.__qualname__}: its __slots__ or its bases are others"] += 1
            return value
        for name, item in names.items():
            with contextlib.suppress(AttributeError):  # it is empty, or there is no such name now
                content = object.__getattribute__(value, name) if item is MISSING else item
                object.__setattr__(found, name, content)
        return found

    def _fill(self, value: Any, kind: type) -> None:
        """Set the fields of a dataclass that an instance of before does not have.

        Args:
            value: the instance.
            kind: its class now.
        """
        for item in dataclasses.fields(kind):
            try:
                object.__getattribute__(value, item.name)
            except AttributeError:
                if item.default_factory is not dataclasses.MISSING:
                    object.__setattr__(value, item.name, item.default_factory())
                elif item.default is not dataclasses.MISSING:
                    object.__setattr__(value, item.name, item.default)
                else:
                    self.notes[f"{kind.__qualname__}.{item.name} has no value yet"] += 1


def _own_dict(value: Any) -> dict[Any, Any] | None:
    """Return the dict of an instance's attributes; None if it has none."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return found if isinstance(found, dict) else None


def _slots_of(kind: type) -> tuple[str, ...]:
    """Return the names of the slots of a class and its bases, as instances have them."""
    names: list[str] = []
    for base in kind.__mro__:
        slots = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            is_private = name.startswith("__") and not name.endswith("__")
            names.append(f"_{base.__name__.lstrip('_')}{name}" if is_private else name)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))

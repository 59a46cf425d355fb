"""Fields: typed, checked attributes of scripts that the scene file stores."""

from __future__ import annotations

import enum
import functools
import inspect
import math
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, Final, NewType, Protocol, cast

from base.class_memo import memo_of_class
from base.errors import FieldError
from base.internal_modules import is_internal
from base.schema import (
    KIND_WORDS,
    Option,
    OptionError,
    OptionValue,
    bounds_text,
    fits_bounds,
)
from base.spelling import hint_of, near_names, one_of
from base.values import JsonObject
from sim.core.reporting.console import Console

Color = NewType("Color", tuple[float, ...])
"""sRGB colour: three or four numbers from 0 to 1 (red, green, blue and, optionally, opacity)."""

Asset = NewType("Asset", str)
"""Path of a file in the project, as a POSIX path relative to the project's folder."""

PLAIN: Final = frozenset(KIND_WORDS)
Resolve = Callable[[str], object]
"""Function that returns the object or script with an id, or its class; None if there is none."""
Parse = Callable[[Any, Resolve | None], object]


class UnfitError(Exception):
    """Raised when a raw value does not fit the type of a field.

    Args:
        expected: the valid values in words.
        found: the invalid value, or the part of it that does not fit.
    """

    def __init__(self, expected: str, found: object) -> None:
        self.expected = expected
        self.found = found
        super().__init__(expected)


@dataclass(frozen=True)
class FieldKind:
    """How the values of one type are checked and parsed.

    Attributes:
        words: name of the type in error messages.
        parse: returns the parsed value of a raw value; raises `UnfitError`.
        is_reference: whether the values are other components or objects.
    """

    words: str
    parse: Parse
    is_reference: bool = False


def without_none(kind: object) -> tuple[object, bool]:
    """Return a type without `None`, and whether `None` was part of it.

    Only a union of one type and None is changed; other types are returned as they are.
    """
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        rest = [part for part in typing.get_args(kind) if part is not type(None)]
        if len(rest) == 1:
            return rest[0], True
    return kind, False


def kind_of(kind: Any) -> FieldKind | None:
    """Return how values of a type are parsed; None if a scene file cannot store the type."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind in PLAIN:
        option = Option("", "", kind=kind)
        return FieldKind(KIND_WORDS[kind], functools.partial(_plain_item, option))
    if kind is Color:
        return FieldKind("Color", functools.partial(_numbers, (3, 4), 0.0, 1.0))
    if kind is Asset:
        return FieldKind("Asset", _asset)
    if is_reference(kind):
        return FieldKind(kind.__name__, functools.partial(_reference, kind), is_reference=True)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        words = ", ".join(str(item.value) for item in kind)
        return FieldKind(f"one of {words}", functools.partial(_member, kind))
    if origin is typing.Literal:
        words = f"one of {', '.join(map(str, arguments))}"
        return FieldKind(words, functools.partial(_choice, arguments))
    if origin is tuple and arguments:
        return FieldKind("tuple", functools.partial(_numbers, (len(arguments),), -inf, inf))
    if origin is list and arguments:
        item = kind_of(arguments[0])
        return None if item is None else FieldKind("list", functools.partial(_list, item))
    if kind in (dict, list, Any, type(None)) or origin is dict:
        return FieldKind(getattr(kind, "__name__", str(kind)), lambda raw, _: raw)
    return None


def is_reference(kind: object) -> bool:
    """Return whether a type is a script class or the class of the scene's objects."""
    return isinstance(kind, type) and _is_engine(kind, "Script", "SceneObject")


def _is_engine(kind: type, *names: str) -> bool:
    """Return whether a class is one of the engine's classes of these names, or derives from it."""
    return any(
        base.__name__ in names and is_internal(base.__module__, "sim.core") for base in kind.__mro__
    )


# -- parsing ------------------------------------------------------------------------------------


def plain(option: Option, raw: object) -> object:
    """Check a bool, number or text against an option, and return it in the option's type.

    Args:
        option: the option, with type, bounds and choices.
        raw: the value to check.

    Raises:
        UnfitError: the value does not fit the option's type, bounds or choices.
    """
    try:
        return option.check(raw)
    except OptionError:
        raise UnfitError(option.wanted_for(raw), raw) from None


def _plain_item(option: Option, raw: object, _: Resolve | None) -> object:
    return plain(option, raw)


def _numbers(
    lengths: tuple[int, ...], low: float, high: float, raw: object, _: Resolve | None
) -> tuple[float, ...]:
    if not isinstance(raw, list | tuple) or len(raw) not in lengths:
        raise UnfitError(f"{' or '.join(map(str, lengths))} numbers", raw)
    numbers = tuple(
        [item if type(item) is float and isfinite(item) else _number(item) for item in raw]
    )
    if not all(low <= number <= high for number in numbers):
        raise UnfitError(f"numbers from {low:g} to {high:g}", raw)
    return numbers


def _number(raw: object) -> float:
    return cast("float", plain(NUMBER, raw))


NUMBER: Final = Option("", 0.0)
"""Option without bounds, which checks each number of a vector."""


def _asset(raw: object, _: Resolve | None) -> str:
    if isinstance(raw, dict) and isinstance(raw.get("$asset"), str):
        return str(raw["$asset"])
    raise UnfitError('{"$asset": path}', raw)


def _reference(kind: type, raw: object, resolve: Resolve | None) -> object:
    """Return what a raw reference points to; its id without `resolve`.

    Args:
        kind: the class that it must point to: the class of objects, or a script class.
        raw: the raw value.
        resolve: see `Resolve`.

    Raises:
        UnfitError: it is no reference, or points to something of another class.
    """
    if not isinstance(raw, dict) or not isinstance(raw.get("$ref"), str):
        raise UnfitError('{"$ref": id}', raw)
    target = raw["$ref"]
    is_component = target.startswith("cmp_")
    if is_component is not _is_engine(kind, "Script"):
        expected = f"a component {kind.__name__}" if not is_component else "an object"
        raise UnfitError(f"the id of {expected}", target)
    if resolve is None:
        return target
    found = resolve(target)
    if found is not None and not _is_of(found, kind):
        cls = found if isinstance(found, type) else type(found)
        raise UnfitError(f"a component {kind.__name__}", f"{cls.__name__} ({target})")
    return found


def _is_of(found: object, kind: type) -> bool:
    """Return whether a script, an object or its class is of a class.

    After a reload a script may have a newer class of the same name.

    Args:
        found: the script, object or class.
        kind: the class.
    """
    cls = found if isinstance(found, type) else type(found)
    return issubclass(cls, kind) or kind.__name__ in {base.__name__ for base in cls.__mro__}


def _member(kind: type[enum.Enum], raw: object, _: Resolve | None) -> enum.Enum:
    try:
        return kind(raw)
    except ValueError:
        raise UnfitError(one_of((item.value for item in kind), raw), raw) from None


def _choice(known: tuple[object, ...], raw: object, _: Resolve | None) -> object:
    if raw in known and type(raw) in {type(item) for item in known}:
        return raw
    raise UnfitError(one_of(known, raw), raw)


def _list(item: FieldKind, raw: object, resolve: Resolve | None) -> list[object]:
    if not isinstance(raw, list | tuple):
        raise UnfitError("a list", raw)
    return [item.parse(part, resolve) for part in raw]


class FieldHost(Protocol):
    """The part of the script host's interface that `FormerName` uses."""

    @property
    def console(self) -> Console:
        """The console, to which the use of a former name is reported."""


class FieldSlot(Protocol):
    """Interface of a component's slot that fields use; `ComponentSlot` implements it."""

    values: JsonObject
    parsed: dict[str, object]
    recorded_changes: int

    @property
    def host(self) -> FieldHost:
        """The script host of the scene."""

    def set_value(self, name: str, raw: object) -> None:
        """Store a field's value without checking it.

        Args:
            name: name of the field.
            raw: the value in the form of the scene file.
        """

    def resolve_reference(self, target_id: str) -> object:
        """Return the script or object with this id; None if it does not exist or has no script."""


class HasFields(Protocol):
    """Interface of a script that fields use."""

    @property
    def slot(self) -> FieldSlot:
        """Slot that holds the script."""


UNSET = object()
LARGEST = sys.float_info.max


class Field:
    """Descriptor of one field of a script; reads and writes go to the component's slot."""

    def __init__(self, default: object = UNSET, **options: Any) -> None:
        if isinstance(default, Option):
            options = {
                "min": default.minimum,
                "max": default.maximum,
                "choices": default.choices or None,
                "help": default.help[:1].upper() + default.help[1:],
                "unit": default.unit,
                "former": default.former,
                **options,
            }
            default = default.default
        self.default = default
        self.minimum: float | None = options.pop("min", None)
        self.maximum: float | None = options.pop("max", None)
        self.unit: str = options.pop("unit", "")
        self.help: str = options.pop("help", "")
        self._title: str = options.pop("title", "")
        self.step: float | None = options.pop("step", None)
        self.choices: tuple[object, ...] | None = options.pop("choices", None)
        self.multiline: bool = options.pop("multiline", False)
        self.readonly: bool = options.pop("readonly", False)
        self.observed: bool = options.pop("observed", False)
        self.recorded: bool = options.pop("recorded", False)
        self.resets: tuple[str, ...] = tuple(options.pop("resets", ()))
        self.options_of: str = options.pop("options", "")
        self.former: tuple[str, ...] = tuple(options.pop("former", ()))
        if options:
            raise TypeError(f"field: unknown options {sorted(options)}")
        self.name = ""
        self.owner: type | None = None
        self._annotation: object = UNSET
        self._is_reference: bool | None = None
        self._kind: tuple[object, bool] | None = None
        self._bounds: tuple[float, float] | None = None
        self._option: Option | None = None
        self._parser: FieldKind | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        renamed = _inherited(owner, name)
        if isinstance(renamed, FormerName) and not renamed.former:  # a base's field by its old name
            setattr(owner, renamed.present, self)
            self.former, name = (name,), renamed.present
        self.name = name
        self.owner = owner
        for former in self.former:
            setattr(owner, former, FormerName(name))

    @property
    def title(self) -> str:
        """Title of the field in the window: the declared title, or else its name in words."""
        return self._title or self.name.removeprefix("is_").replace("_", " ").capitalize()

    @property
    def label(self) -> str:
        """Name of the field in error messages: `Class.field`."""
        return f"{self.owner.__name__ if self.owner else '?'}.{self.name}"

    @property
    def annotation(self) -> object:
        """Declared type of the field; without an annotation, the type of the default."""
        if self._annotation is UNSET:
            self._annotation = _resolve_annotation(self)
        return self._annotation

    @property
    def kind(self) -> tuple[object, bool]:
        """Declared type without `None`, and whether None is allowed."""
        if self._kind is None:
            self._kind = without_none(self.annotation)
        return self._kind

    @property
    def parser(self) -> FieldKind:
        """Parser of raw values; it checks neither bounds nor choices.

        Raises:
            FieldError: a scene file cannot store values of the declared type.
        """
        if self._parser is None:
            self._parser = kind_of(self.kind[0])
            if self._parser is None:
                raise self._error("a type that docs/scripting.md lists under Fields", self.kind[0])
        return self._parser

    @property
    def option(self) -> Option:
        """The field as an `Option`, which parses typed text and checks values.

        Raises:
            FieldError: the field's type is none of bool, int, float and str.
        """
        if self._option is None:
            kind, _ = self.kind
            choices = self.choices or ()
            if typing.get_origin(kind) is typing.Literal:
                choices = typing.get_args(kind)
                kind = type(choices[0])
            if not isinstance(kind, type) or kind not in PLAIN:
                raise self._error("a switch, a number or a text", kind)
            default, known = typing.cast(
                "tuple[OptionValue, tuple[OptionValue, ...]]", (self.default, choices)
            )
            self._option = Option(
                self.name, default, self.minimum, self.maximum, known, self.help, self.kind[1], kind
            )
        return self._option

    def initial(self) -> object:
        """Return the default as a raw JSON value; None if there is no default."""
        return self.dump(self.default) if self.default is not UNSET else None

    def __get__(self, instance: HasFields | None, owner: type) -> Any:
        if instance is None:
            return self
        slot, name = instance.slot, self.name
        is_reference = self._is_reference  # known after the first reading, and read very often
        if not is_reference and name in slot.parsed:
            return slot.parsed[name]
        raw = slot.values[name] if name in slot.values else self.initial()
        if is_reference or self.is_reference:  # it may come later, go, or be reloaded
            return self._referred(raw, slot.resolve_reference)
        value = slot.parsed[name] = self.parse(raw, slot.resolve_reference)
        return value

    def __set__(self, instance: HasFields, value: object) -> None:
        slot = instance.slot
        if type(value) is float:  # as motors' goals are, at each step
            low, high = self._bounds or self._bounded()
            if low <= value <= high:
                slot.set_value(self.name, value)
                slot.parsed[self.name] = value
                if self.recorded:
                    slot.recorded_changes += 1
                return
        raw = self.dump(value)
        parsed = self.parse(raw, slot.resolve_reference)
        slot.set_value(self.name, raw)
        if type(parsed) in PLAIN:  # else a reference may be in it, which is looked up when read
            slot.parsed[self.name] = parsed

    def _bounded(self) -> tuple[float, float]:
        """Return the range of floats that can be stored directly, without calling `parse`.

        Returns:
            (lowest, highest) number. NaN and infinity are always outside. If the field's type is
            not a plain float, no number is inside.
        """
        low = -LARGEST if self.minimum is None else max(-LARGEST, self.minimum)
        high = LARGEST if self.maximum is None else min(LARGEST, self.maximum)
        is_float = self.kind[0] is float and self.choices is None
        self._bounds = (low, high) if is_float else (math.inf, -math.inf)
        return self._bounds

    @property
    def is_reference(self) -> bool:
        """Whether the value is another component or object."""
        if self._is_reference is None:
            self._is_reference = is_reference(self.kind[0])
        return self._is_reference

    def _referred(self, raw: object, resolve: Resolve) -> object:
        """Return the object or script that a raw reference points to now; None if there is none.

        Args:
            raw: `{"$ref": id}`, None, or an invalid value.
            resolve: returns the object or the script with an id.

        Raises:
            FieldError: the value is no reference, or points to something of another class.
        """
        if self.choices is None and isinstance(raw, dict) and isinstance(raw.get("$ref"), str):
            found = resolve(raw["$ref"])
            if found is None or isinstance(found, self.kind[0]):  # type: ignore[arg-type]
                return found
        return self.parse(raw, resolve)

    def parse(self, raw: object, resolve: Resolve | None = None) -> object:
        """Parse a raw value, as stored in a scene file, to the field's type.

        Args:
            raw: JSON value, `{"$ref": id}` or `{"$asset": path}`.
            resolve: returns the object or the script with an id, or its class; None to keep the
                id of a reference.

        Raises:
            FieldError: the value does not fit the type, the bounds or the choices.
        """
        kind, optional = self.kind
        try:
            if kind in PLAIN:
                return plain(self._option or self.option, raw)
            if raw is None and (optional or self.default is None or self.is_reference):
                return None
            if raw is None:
                raise UnfitError(self.parser.words, raw)
            value = self.parser.parse(raw, resolve)
        except UnfitError as error:
            raise self._error(error.expected, error.found) from None
        if self.choices is not None and value not in self.choices:
            raise self._error(one_of(self.choices, raw), raw)
        if isinstance(value, tuple) and not self._fits_each(value):
            raise self._error(bounds_text("numbers", self.minimum, self.maximum), raw)
        return value

    def _fits_each(self, numbers: tuple[float, ...]) -> bool:
        """Return whether each number of a vector is within the field's bounds."""
        if self.minimum is None and self.maximum is None:
            return True
        return all(fits_bounds(number, self.minimum, self.maximum) for number in numbers)

    def dump(self, value: object) -> object:
        """Return a value as raw JSON, the inverse of `parse`.

        An object or a script becomes `{"$ref": id}`, a file's path `{"$asset": path}`.
        """
        slot = getattr(value, "slot", None)
        if slot is not None:
            return {"$ref": slot.id}
        if hasattr(value, "components") and hasattr(value, "id"):
            return {"$ref": value.id}
        if isinstance(value, enum.Enum):
            return value.value
        if hasattr(value, "tolist"):  # an array, or one number of an array
            value = value.tolist()
        if isinstance(value, list | tuple):
            return [self.dump(item) for item in value]
        if isinstance(value, str) and self.kind[0] is Asset:
            return {"$asset": value}
        return value

    def _error(self, expected: str, found: object) -> FieldError:
        return FieldError(self.label, expected=expected, found=repr(found)[:80])


class FormerName:
    """A class attribute that lets a field, method or property be used by its former name.

    Reading or writing the former name reads or writes the present one. For a method or property,
    write `old_name = FormerName("name")` in the class. The first use of the old name is reported in
    one console line. If a subclass overrides the old name, its version also replaces the present
    one.

    Args:
        present: the present name.
    """

    def __init__(self, present: str) -> None:
        self.present = present
        self.former = ""  # of a method or property
        self.owner: type | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.former = owner, name

    def __get__(self, instance: HasFields | None, owner: type) -> Any:
        if instance is None or self.owner is None:
            return getattr(owner if instance is None else instance, self.present)
        if inspect.getattr_static(instance, self.former) is not self:  # super().old_name
            return self._of_base(owner).__get__(instance, owner)
        instance.slot.host.console.renamed(f"{self.owner.__name__}.{self.former}", self.present)
        return getattr(instance, self.present)

    def __set__(self, instance: HasFields, value: object) -> None:
        setattr(instance, self.present, value)

    def _of_base(self, cls: type) -> Any:
        """Return what a class has under the present name, without overrides made by former names.

        Args:
            cls: the class; it and its base classes are searched in order.
        """
        bases = [vars(base) for base in cls.__mro__]
        moved = [self.former in base.get("former_overrides", {}) for base in bases]
        return next(
            base[self.present]
            for base, is_moved in zip(bases, moved, strict=True)
            if self.present in base and not is_moved
        )


def field(default: object = UNSET, **options: object) -> Any:
    """Declare a field of a script class.

    Args:
        default: value of the field if the scene file has none. It may be an `Option`, which then
            also gives the bounds, choices and help.
        options: further properties of the field, by keyword. min, max, choices: the valid values;
            of a vector, bounds hold for each number.
            unit, help, step: shown in the Inspector. multiline: the text may have several lines.
            readonly: the Inspector cannot change it. title: name in the Inspector. observed: an
            `Agent` that has no `observe` method sees the value. recorded: the value is recorded for
            rewinding. options: name of the script's property that returns `{group: options}` for a
            field that holds a dict. resets: names of fields that are reset when this one is edited.
            former: earlier names of the field.
    """
    return Field(default, **options)


def collect_fields(cls: type) -> dict[str, Field]:
    """Return the fields of a script class by name, in order of declaration, base classes first."""
    return dict(_fields_of(cls))


def reference_fields(cls: type) -> dict[str, Field]:
    """Return the fields of a script class that refer to objects or components, lists included."""
    return dict(_references_of(cls))


def declaration_faults(cls: type) -> list[str]:
    """Return error messages about a class's field declarations: unknown types, unfit defaults."""
    found: list[str] = []
    for declared in collect_fields(cls).values():
        try:
            if declared.parser is not None and declared.default is not UNSET:
                declared.parse(declared.initial())
        except FieldError as error:
            found.append(str(error))
    return found


def find_field(cls: type, name: str) -> Field | None:
    """Return the field of a script class by its present or a former name; None if there is none."""
    fields = collect_fields(cls)
    return fields.get(present_names([name], fields)[0])


def present_names(names: Iterable[str], fields: Mapping[str, Field]) -> list[str]:
    """Return the present names of fields, in the same order; unknown names are unchanged.

    Args:
        names: present or former names.
        fields: the fields of a class by present name.
    """
    moved = {former: name for name, declared in fields.items() for former in declared.former}
    return [name if name in fields else moved.get(name, name) for name in names]


def former_overrides(cls: type) -> dict[str, str]:
    """Return which methods a class defines under a former name.

    Args:
        cls: a script class.

    Returns:
        Present names by former names.
    """
    own = [name for name, item in vars(cls).items() if not isinstance(item, FormerName)]
    found = {name: _inherited(cls, name) for name in own}
    return {
        name: item.present
        for name, item in found.items()
        if isinstance(item, FormerName) and item.former
    }


def _inherited(owner: type, name: str) -> object:
    """Return the attribute of this name as declared in a base class; None if there is none."""
    return next((vars(base)[name] for base in owner.__mro__[1:] if name in vars(base)), None)


@memo_of_class
def _fields_of(cls: type) -> dict[str, Field]:
    found: dict[str, Field] = {}
    for base in reversed(cls.__mro__):
        found |= {name: value for name, value in vars(base).items() if isinstance(value, Field)}
    return found


@memo_of_class
def _references_of(cls: type) -> dict[str, Field]:
    return {
        name: declared
        for name, declared in _fields_of(cls).items()
        if any(map(is_reference, (declared.kind[0], *typing.get_args(declared.kind[0]))))
    }


def migrate(
    values: Mapping[str, object], fields: Mapping[str, Field], resolve: Resolve | None = None
) -> tuple[JsonObject, list[str]]:
    """Convert stored values to the fields of a changed class.

    A value stored under a field's former name gets the present name. If a field has two values, the
    later one is used.

    Args:
        values: raw values by the name under which they are stored.
        fields: the fields of the class by present name.
        resolve: returns what a reference points to, whose class is then checked; None while the
            other components are not loaded yet.

    Returns:
        (values, notes). A value that no longer fits is left out, so that the default is used, and
        has a note. Values of unknown fields are kept.
    """
    kept: JsonObject = {}
    notes: list[str] = []
    for name, raw in zip(present_names(values, fields), values.values(), strict=True):
        declared = fields.get(name)
        if declared is not None:
            try:
                declared.parse(raw, resolve)
            except FieldError as error:
                notes.append(f"{error}; the default is used")
                continue
        kept[name] = raw
    return kept, notes


def unknown_fields(owner: str, values: Iterable[str], fields: Collection[str]) -> list[FieldError]:
    """Return an error for each stored field that a class does not have.

    Args:
        owner: name of the class.
        values: names of the stored fields, in their present form.
        fields: names of the class's fields.
    """
    expected = f"a field of {owner} ({', '.join(fields) or 'it has none'})"
    return [
        FieldError(f"{owner}.{name}", expected=expected, found=repr(name))
        for name in values
        if name not in fields
    ]


def misspelt(owner: str, values: Mapping[str, object], fields: Mapping[str, Field]) -> list[str]:
    """Return a note for each stored value of an unknown field that is spelt like one without value.

    Args:
        owner: name of the class, for the notes.
        values: raw values by the name under which they are stored.
        fields: the fields of the class by present name.
    """
    free = [name for name in fields if name not in values]
    near = {name: near_names(free, name) for name in values if name not in fields}
    return [
        f"{owner}.{name}: expected a field, found none{hint_of(found, name)}"
        for name, found in near.items()
        if found
    ]


def _resolve_annotation(declared: Field) -> object:
    owner = declared.owner
    text: object = None
    for base in owner.__mro__ if owner else ():
        own = inspect.get_annotations(base)
        if declared.name in own:
            text = own[declared.name]
            owner = base
            break
    if isinstance(text, str) and owner is not None:
        module = sys.modules.get(owner.__module__)
        probe = type("Probe", (), {"__annotations__": {declared.name: text}})
        try:
            hints = typing.get_type_hints(probe, globalns=dict(vars(module)) if module else {})
        except NameError as error:
            raise FieldError(declared.label, expected="a known type", found=str(error)) from None
        return hints[declared.name]
    if text is not None:
        return text
    return float if isinstance(declared.default, float) else type(declared.default)

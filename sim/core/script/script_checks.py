"""Checks of a script class: its hooks, their parameters, its signal handlers."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from sim.core.scene.fields import Field
from sim.core.script.script import HOOKS, Script
from sim.core.script.signals import Signal


def overridden_hooks(cls: type[Script]) -> frozenset[str]:
    """Return the hooks that a class overrides."""
    return frozenset(name for name in HOOKS if getattr(cls, name) is not getattr(Script, name))


def near_misses(cls: type[Script]) -> list[str]:
    """Return warnings about a class's hooks and signal handlers, such as misspelt names."""
    faults: list[str] = []
    by_plain_name = {name.replace("_", ""): name for name in HOOKS}
    for name, value in vars(cls).items():
        if not inspect.isfunction(value):
            continue
        plain = name.lower().removeprefix("on_").replace("_", "")
        if name not in HOOKS and plain in by_plain_name and not name.startswith("_"):
            faults.append(f"{cls.__name__}.{name} is no hook; did you mean {by_plain_name[plain]}?")
        is_late = inspect.iscoroutinefunction(value) or inspect.isgeneratorfunction(value)
        if name in HOOKS and is_late:
            faults.append(
                f"{cls.__name__}.{name}: expected a plain function, found one with await or yield; "
                "start that by self.start_coroutine(...)"
            )
        elif name in HOOKS:
            faults.extend(_wrong_parameters(cls, name, value))
        for target in getattr(value, "signal_targets", ()):
            faults.extend(_wrong_target(cls, name, target))
    return faults


def _wrong_parameters(cls: type, name: str, function: Callable[..., object]) -> list[str]:
    try:
        inspect.signature(function).bind(*range(1 + HOOKS[name]))
    except TypeError:
        arguments = {"reloaded": "(self, old)"}.get(name, "(self, dt)" if HOOKS[name] else "(self)")
        found = inspect.signature(function)
        return [f"{cls.__name__}.{name}: expected the parameters {arguments}, found {found}"]
    return []


def _wrong_target(cls: type, method: str, target: str) -> list[str]:
    field_name, _, signal_name = target.rpartition(".")
    owner: type = cls
    if field_name:
        declared = getattr(cls, field_name, None)
        if not isinstance(declared, Field):
            return [f"{cls.__name__}.{method}: @on({target!r}): {field_name} is no field"]
        kind = declared.annotation
        if not (isinstance(kind, type) and issubclass(kind, Script)) or kind is Script:
            return []
        owner = kind
    if not isinstance(getattr(owner, signal_name, None), Signal):
        return [f"{cls.__name__}.{method}: @on({target!r}): {owner.__name__} has no such signal"]
    return []

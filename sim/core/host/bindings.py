"""Bindings: connecting methods marked with `@on` to the signals that they name."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from sim.core.scene.scene import ComponentSlot
from sim.core.script.runtime import Handler

if TYPE_CHECKING:
    from sim.core.scene.scene import Scene


def rebind_all(scene: Scene) -> None:
    """Reconnect all components after components or references have changed."""
    slots = [slot for slot in scene.components() if slot.instance is not None]
    for slot in slots:
        unbind(slot)
    for slot in slots:
        slot.host.call(slot, "@on", bind, slot)


def bind(slot: ComponentSlot) -> None:
    """Connect a component's marked methods to their signals."""
    runtime = slot.runtime
    cls = type(slot.instance)
    if runtime.marks_of is not cls:  # the first time, and after a reload
        runtime.marks_of, runtime.marks = cls, _marks(cls)
    for name, target in runtime.marks:
        field_name, _, signal_name = target.rpartition(".")
        owner = getattr(slot.instance, field_name) if field_name else slot.instance
        bound = getattr(owner, signal_name, None)
        if bound is not None:
            bound.connect(Handler(slot, name))
            runtime.bindings.append(bound)


def _marks(cls: type) -> tuple[tuple[str, str], ...]:
    """Return the marked methods of a class, each with a signal that it names."""
    return tuple(
        (name, target)
        for name in dir(cls)
        for target in _targets(inspect.getattr_static(cls, name, None))
    )


def _targets(value: object) -> tuple[str, ...]:
    """Return what a class's attribute is marked with; other attributes are not asked."""
    found = getattr(value, "__dict__", {}).get("signal_targets", ()) if callable(value) else ()
    return found if isinstance(found, tuple) else ()


def unbind(slot: ComponentSlot) -> None:
    """Disconnect a component's marked methods."""
    for bound in slot.runtime.bindings:
        bound.listeners[:] = [
            entry
            for entry in bound.listeners
            if not (isinstance(entry[2], Handler) and entry[0] is slot)
        ]
    slot.runtime.bindings.clear()

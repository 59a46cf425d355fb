"""Signals: components emit them, and methods marked with `@on` listen to them.

Listeners run under the script host's error guard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from sim.core.scene.scene import ComponentSlot
    from sim.core.script.script import Script

Function = TypeVar("Function", bound=Callable[..., object])


class Signal:
    """Class attribute that declares a signal: `landed = signal(int, int)`."""

    def __init__(self, *types: type) -> None:
        self.types = types
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Script | None, owner: type) -> Any:
        if instance is None:
            return self
        bound = instance.__dict__.get(f"signal {self.name}")
        if bound is None or bound.declaration is not self:
            listeners = bound.listeners if bound is not None else []
            bound = BoundSignal(self, instance, listeners)
            instance.__dict__[f"signal {self.name}"] = bound
        return bound


class BoundSignal:
    """A signal of one component: listeners can be connected, and it can be emitted."""

    def __init__(
        self,
        declaration: Signal,
        owner: Script,
        listeners: list[tuple[ComponentSlot, str, Callable[..., object]]],
    ) -> None:
        self.declaration = declaration
        self.listeners = listeners
        self._owner = owner

    def connect(self, callback: Callable[..., object]) -> None:
        """Add a listener: it is called with the signal's arguments at every `emit`.

        If a listener raises an error, its component is quarantined. If it is not a method of a
        script, the emitting component is quarantined instead.

        Args:
            callback: the listener.

        Raises:
            TypeError: `callback` is not callable.
        """
        if not callable(callback):
            raise TypeError(f"connect: expected a function to call, found {callback!r:.60}")
        listener = getattr(callback, "__self__", None)
        slot = getattr(listener, "slot", None) or self._owner.slot
        self.listeners.append((slot, getattr(callback, "__name__", "listener"), callback))

    def disconnect(self, callback: Callable[..., object]) -> None:
        """Disconnect a callback; does nothing if it is not connected."""
        self.listeners[:] = [entry for entry in self.listeners if entry[2] != callback]

    def emit(self, *arguments: object) -> None:
        """Call every listener with these arguments.

        Raises:
            TypeError: the number of arguments differs from the declaration.
        """
        declared = self.declaration
        if len(arguments) != len(declared.types):
            names = ", ".join(kind.__name__ for kind in declared.types)
            raise TypeError(
                f"signal {declared.name}: expected {len(declared.types)} arguments ({names}), "
                f"got {len(arguments)}"
            )
        host = self._owner.slot.host
        for slot, name, callback in list(self.listeners):
            host.call(slot, name, callback, *arguments)


def is_heard(instance: Script, name: str) -> bool:
    """Return whether anything listens to a signal of a component; faster than asking the signal.

    Args:
        instance: the component.
        name: name of the signal.
    """
    bound = instance.__dict__.get(f"signal {name}")
    return bound is not None and bool(bound.listeners)


def any_heard(instances: Iterable[Script], names: Sequence[str]) -> bool:
    """Return whether anything listens to one of some signals of any of some components.

    Args:
        instances: the components.
        names: names of the signals.
    """
    keys = [f"signal {name}" for name in names]
    for instance in instances:
        own = instance.__dict__
        for key in keys:
            if key in own and own[key].listeners:
                return True
    return False


def signal(*types: type) -> Any:
    """Declare a signal, given the types of its arguments."""
    return Signal(*types)


def on(target: str) -> Callable[[Function], Function]:
    """Decorator of a script's method, which is then called whenever a signal is emitted.

    Args:
        target: "signal" for a signal of the same script. "field.signal" for a signal of another
            component, to which the script's field `field` refers.
    """

    def mark(function: Function) -> Function:
        targets = (*getattr(function, "signal_targets", ()), target)
        function.__dict__["signal_targets"] = targets
        return function

    return mark

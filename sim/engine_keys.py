"""Keys that belong to the whole application, wherever no script has claimed them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sim.core.input_actions import InputEvent
from sim.core.panels import PanelRegistry


class EngineKeys:
    """Calls what a key stands for.

    Args:
        panels: a key that a script's command uses is the script's.
        actions: by key.
    """

    def __init__(self, panels: PanelRegistry, actions: Mapping[str, Callable[[], object]]) -> None:
        self._panels = panels
        self._actions = actions

    def feed(self, events: Iterable[InputEvent]) -> None:
        """Take this frame's events; those with a modifier are not for us."""
        for event in events:
            if event.kind != "key_down" or event.modifiers:
                continue
            action = self._actions.get(event.key)
            claimed = {command.key for command in self._panels.commands}
            if action is not None and event.key not in claimed:
                action()


__all__ = ["EngineKeys"]

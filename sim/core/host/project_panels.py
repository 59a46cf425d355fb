"""Panels that a project offers (`[panels]`), opened without an object in the scene.

A panel is a script that calls `self.panel` in `start`. Opening one makes an object that carries it,
as a script's `spawn` would: it is no part of the scene's file and goes when the panel is closed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.core.project.manifest import Entry

if TYPE_CHECKING:
    from sim.core.host.script_host import ScriptHost
    from sim.core.scene.scene_object import SceneObject


class ProjectPanels:
    """Opens and closes the panels that the scene's project offers."""

    def __init__(self, host: ScriptHost) -> None:
        self.host = host
        self._opened: dict[str, SceneObject] = {}

    @property
    def offered(self) -> tuple[Entry, ...]:
        """The panels that can be opened; empty under `--safe`."""
        manifest = self.host.run.manifest
        return () if manifest is None or self.host.is_safe else manifest.panels

    def is_open(self, name: str) -> bool:
        """Return whether the panel of this name is open."""
        return name in self._opened and self._opened[name].is_alive

    def open(self, name: str) -> None:
        """Open a panel, importing its script; does nothing if it is open.

        Raises:
            LookupError: the project offers none of this name.
        """
        if self.is_open(name):
            return
        entry = next((item for item in self.offered if item.name == name), None)
        if entry is None:
            known = ", ".join(item.name for item in self.offered) or "none"
            raise LookupError(f"expected a panel of the project ({known}), found {name!r}")
        self._opened[name] = self.host.scene.spawn(f"Panel {name}", components=[(entry.target, {})])

    def close(self, name: str) -> None:
        """Close a panel and destroy its object; does nothing if it is closed."""
        obj = self._opened.pop(name, None)
        if obj is not None and obj.is_alive:
            self.host.scene.destroy(obj)

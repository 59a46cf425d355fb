"""A small project in a folder of the test, and the app that runs it without a picture."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

from sim.app.app import App
from sim.core.project.run_options import RunOptions
from sim.core.scene.scene import ComponentSlot

FRAME = 1.0 / 60.0


class Stage:
    """Writes scripts and one scene below `root`, and runs them frame by frame."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "scenes").mkdir(parents=True)
        (root / "scripts").mkdir()
        self.opened: list[App] = []
        self.app: Any = None

    def script(self, name: str, text: str) -> Path:
        path = self.root / "scripts" / f"{name}.py"
        path.write_text("from sim import *  # noqa\n" + textwrap.dedent(text), encoding="utf-8")
        return path

    def save(self, name: str, text: str) -> bool:
        """Write a script and reload it, as the watcher would."""
        return bool(self.app.world.reloader.reload(self.script(name, text)))

    def open(
        self,
        objects: dict[str, Any],
        settings: dict[str, Any] | None = None,
        *,
        instant: bool = False,
        **options: Any,
    ) -> App:
        scene = self.root / "scenes" / "a.scene.json"
        data = {
            "format": "goishi.scene/1",
            "id": "scn_stage",
            "settings": settings or {},
            "objects": objects,
        }
        scene.write_text(json.dumps(data), encoding="utf-8")
        if not instant:
            options.setdefault("speed", 1.0)
        options.setdefault("seconds", 600.0)
        self.app = App(RunOptions(scene=scene, graphics=False, **options))
        self.app.clock.frame_step = FRAME
        self.opened.append(self.app)
        return self.app

    def open_one(self, type_name: str, **keywords: Any) -> ComponentSlot:
        """Open a scene of one object with one component, and return its slot."""
        fields = keywords.pop("fields", {})
        self.open({"obj_one": thing("A", {"cmp_one": (type_name, fields)})}, **keywords)
        return self.slot("cmp_one")

    def slot(self, component_id: str) -> ComponentSlot:
        slot = self.app.scene.component(component_id)
        assert slot is not None
        return slot

    def frames(self, count: int = 1) -> None:
        for _ in range(count):
            self.app.frame()

    def lines(self, level: str = "error") -> list[str]:
        return [record.text for record in self.app.console.records if record.level == level]

    def errors(self) -> int:
        return int(self.app.console.counts["error"])

    def close(self) -> None:
        for app in self.opened:
            app.close()


def thing(name: str, components: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """An object of a scene file; components are `type` or `(type, fields)`."""
    entries = {}
    for key, value in components.items():
        kind, fields = value if isinstance(value, tuple) else (value, {})
        entries[key] = {"type": kind, "fields": fields}
    return {"name": name, "components": entries, **keys}

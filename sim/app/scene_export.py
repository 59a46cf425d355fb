"""Runs a scene for a moment and writes what then stands there as a glTF file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sim.app.app import App
from sim.app.navigation import admit
from sim.app.scene_follow import kept_saves
from sim.export.gltf.scene import object_named, write_scene

if TYPE_CHECKING:
    from sim.core.project.run_options import RunOptions
    from sim.export.gltf.scene import ExportReport

FRAMES = 2  # until scripts have started, and what they made has started, too
MOST_FRAMES = 1_000_000


def export_run(
    options: RunOptions, path: Path, *, object_name: str | None = None, seconds: float = 0.0
) -> ExportReport:
    """Open a scene, run it, write it and close it.

    Args:
        options: options of the run.
        path: the file to write.
        object_name: name or path of the only object to write; None for the whole scene.
        seconds: how long the scene runs before; 0 for until its scripts have started.

    Raises:
        UsageError: there is no such object, or the file has another suffix.
        GoishiError: the scene cannot be opened.
        OSError: the file cannot be written.
    """
    with kept_saves(options) as carried:
        opened, _ = admit(options)
        app = App(opened, carried=carried)
        try:
            frames = 0
            while frames < FRAMES or (app.world.clock.time < seconds and frames < MOST_FRAMES):
                app.frame()
                frames += 1
            chosen = None if object_name is None else object_named(app.scene, object_name)
            return write_scene(app.scene, path, chosen)
        finally:
            app.close()

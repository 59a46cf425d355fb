"""`export-scene`: a scene or one of its objects as a glTF file for other programs."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Final

import typer

from base.files import from_home
from sim.commands.cli.ending import echo, tell
from sim.commands.cli.flags import command, flag, switch
from sim.core.project.run_options import RunOptions
from sim.core.project.scene_path import require_scene
from sim.core.tasks.clock import MAX_SPEED

LONGEST: Final = 3600.0
"""Most seconds that a scene may run before it is written."""
ENDLESS: Final = 1e9
"""Seconds after which the run would end by itself, which is never reached."""


@command
def export_scene(
    scene: Annotated[
        Path, typer.Argument(metavar="SCENE", help="A scene file.", show_default=False)
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="FILE",
            help="The file to write: .glb, or .gltf for one of text.",
            show_default=False,
        ),
    ],
    *,
    object_name: str | None = flag(
        None, "--object NAME", "Only this object, with all below it; a name or a path."
    ),
    seconds: float = flag(
        0.0, "--for SECONDS", "Let the scene run for so long before.", 0.0, LONGEST
    ),
    seed: int | None = flag(None, "--seed N", "Make the run repeatable.", 0),
    no_graphics: bool = switch("--no-graphics", "Use no OpenGL: what scripts paint is missing."),
    safe: bool = switch("--safe", "Run none of the scene's scripts."),
    trust: bool = switch("--trust", "Run scripts of a folder that you have not trusted yet."),
) -> None:
    """Write a scene as glTF: objects, models, materials, pictures, clips, cameras, lights.

    Blender, Unity (with a package for glTF) and Unreal read it. The scene is written as it stands
    once its scripts have started, or after the time of --for.
    """
    check_suffix = import_module("sim.export.gltf.container").check_suffix
    place = from_home(out)
    check_suffix(place, "--out")
    options = RunOptions(
        scene=require_scene(scene),
        headless=True,
        graphics=not no_graphics,
        speed=MAX_SPEED,
        seconds=ENDLESS,
        seed=seed,
        safe=safe,
        trust=trust,
    )
    exporting = import_module("sim.app.scene_export")
    report = exporting.export_run(options, place, object_name=object_name, seconds=seconds)
    for line in report.left_out:
        tell(f"left out: {line}")
    echo(f"wrote {out}: {report.words}")


__all__ = ["export_scene"]

"""Many objects: 1,000 that a script moves in each frame, and 100 skinned figures that walk.

    python -m benchmarks.objects [FRAMES] [PACKAGES]

Measures what scripts and the engine take for a frame, without drawing: updates of all scripts,
poses of all figures, and all of it handed to Panda3D's nodes (without shadows, which the others do
not have). The same is done with plain Panda3D (a task for each object, Actors that are updated) and
with ursina 7.0.0 (an Entity with `update` for each object). Each way runs in a process of its own,
in turn, several rounds in one run. Prints the median over all frames of all rounds, in processor
time, so that what else the machine does counts less.

All ways do the same. The figures play the same clip with the same 17 joints. Each frame has a pose
between two samples of the clip (an Actor does that when it is told to), computed down to the
matrices that bend the vertices. Nobody bends vertices, which is drawing. Each way must show that
its figures move.

Only this benchmark needs ursina and panda3d-gltf, with which both baselines read the figure.
PACKAGES is a folder that holds them. Without it they are installed into a temporary one. What
cannot be had is said and left out. Goals: at most 8 ms with everything, at most twice plain
Panda3D, less than ursina.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from base.files import SHIPPED_ROOT
from benchmarks.console import machine
from benchmarks.programs import place_of, write_project
from benchmarks.timing import milliseconds

FIGURE = SHIPPED_ROOT / "assets" / "models" / "figure.glb"
REQUIREMENTS = ("ursina==7.0.0", "panda3d-gltf==1.3.0", "panda3d-simplepbr")
MORE_REQUIREMENTS = ("pyperclip", "screeninfo", "pillow")
CASES = {"1,000 objects": (1000, 0), "100 figures": (0, 100), "both": (1000, 100)}
ROUNDS = 3
WARM_FRAMES = 30
STEP = 1.0 / 60.0
GOAL_MS = 8.0
GOAL_RATIO = 2.0
SCRIPT = """
import math

from sim import Script, field


class Mover(Script):
    x: float = field(0.0)
    y: float = field(0.0)

    def update(self, dt):
        self.object.transform.position = (self.x, self.y, math.sin(self.time.now + self.x))


class Walker(Script):
    def start(self):
        self.object.animation.play("walk")
"""


def mover_fields(number: int) -> dict[str, float]:
    """Return the fields of a `Mover`: its place in the grid."""
    x, y = place_of(number)
    return {"x": x, "y": y}


def goishi(objects: int, figures: int, frames: int) -> list[float]:
    """Measure the engine: everything of a frame but drawing."""
    from sim.testing import Pilot

    def are_ready() -> bool:
        shown = pilot.app.scene.objects.values()
        return all(obj.animation.is_ready for obj in shown if obj.name == "Figure")

    with tempfile.TemporaryDirectory() as folder:
        scene = write_project(Path(folder), {}, {"many": SCRIPT})
        (Path(folder) / "assets" / "figure.glb").write_bytes(FIGURE.read_bytes())
        with Pilot(scene=scene, speed=1.0, panels=False, quality="low", window=(320, 200)) as pilot:
            fill(pilot.app.scene, objects, figures)
            pilot.wait_until(are_ready)
            pilot.step(3)
            found = measured(lambda: engine_frame(pilot.app), frames)
            view: Any = pilot.app.view
            shown = [item.figure for item in view._views.values() if item.figure]
            if len(shown) != figures:
                raise RuntimeError(f"expected {figures} figures, found {len(shown)}")
            check_poses(
                lambda: engine_frame(pilot.app),
                lambda: [[numbers_of(bone) for bone in figure.bones] for figure in shown],
            )
            return found


def fill(scene: Any, objects: int, figures: int) -> None:
    """Put the objects and figures into a scene."""
    box, figure = {"builtin": "box"}, {"asset": "assets/figure.glb"}
    for number in range(objects):
        component = ("scripts.many:Mover", mover_fields(number))
        scene.spawn("Object", model=box, components=[component])
    for number in range(figures):
        place, component = (*place_of(number), 0.0), ("scripts.many:Walker", {})
        scene.spawn("Figure", model=figure, position=place, components=[component])
    for obj in scene.objects.values():
        obj.casts_shadow = False  # the baselines have none


def measured(step: Callable[[], None], frames: int) -> list[float]:
    """Return the milliseconds of frames, after some that do not count."""
    return milliseconds(step, frames, unmeasured=WARM_FRAMES)


def engine_frame(app: Any) -> None:
    """Run what `App.frame` does for scripts and the scene, without drawing."""
    app.host.begin_frame()
    app.host.run_frame(app.clock.advance(STEP))
    app.view.follow(STEP)
    app.view.sync()


def panda(objects: int, figures: int, frames: int) -> list[float]:
    """Measure plain Panda3D: a task an object, and Actors."""
    from direct.showbase.ShowBase import ShowBase

    base = without_window(lambda: ShowBase(windowType="none"))
    for number in range(objects):
        x, y = place_of(number)
        node = base.loader.loadModel("models/misc/rgbCube")
        node.reparentTo(base.render)

        def move(task: Any, node: Any = node, x: float = x, y: float = y) -> int:
            node.setPos(x, y, math.sin(task.time + x))
            return int(task.cont)

        base.taskMgr.add(move, f"move{number}")
    actors = [walking(base.render, *place_of(number)) for number in range(figures)]
    return timed_actors(base, actors, frames)


def timed_actors(base: Any, actors: list[Any], frames: int) -> list[float]:
    """Measure frames with Actors, each of which must have another pose in each frame."""
    found = measured(lambda: panda_frame(base, actors), frames)
    check_poses(lambda: panda_frame(base, actors), lambda: [skin_of(actor) for actor in actors])
    return found


def skin_of(actor: Any) -> Any:
    """Return the matrices of an Actor's joints, which bend the vertices."""
    from panda3d.core import JointVertexTransform

    return [numbers_of(JointVertexTransform(joint)) for joint in actor.getJoints()]


def numbers_of(transform: Any) -> list[float]:
    """Return what a transform of vertices is."""
    from panda3d.core import LMatrix4f

    found = LMatrix4f()
    transform.get_matrix(found)
    return [round(value, 5) for row in found.get_rows() for value in row]


def check_poses(step: Callable[[], None], read: Callable[[], list[Any]]) -> None:
    """Raise RuntimeError unless every figure takes other poses as time goes on.

    panda3d-gltf puts steps into the clip, so not each frame of an Actor differs from the last.
    """
    before = read()
    for _ in range(8):
        step()
    if any(first == second for first, second in zip(before, read(), strict=True)):
        raise RuntimeError("expected another pose of every figure after eight frames")


def without_window(make: Callable[[], Any]) -> Any:
    """Return an application of Panda3D's whose time goes on by even frames, as the engine's here.

    Args:
        make: creates it.
    """
    from panda3d.core import ClockObject, load_prc_file_data

    load_prc_file_data("", "window-type none\naudio-library-name null")
    base = make()
    clock = ClockObject.get_global_clock()
    clock.set_mode(ClockObject.M_non_real_time)
    clock.set_dt(STEP)
    base.taskMgr.remove("igLoop")
    return base


def walking(parent: Any, x: float, y: float) -> Any:
    """Return an Actor of the figure that walks."""
    import gltf  # type: ignore[import-not-found]
    from direct.actor.Actor import Actor
    from panda3d.core import NodePath

    if not hasattr(walking, "model"):
        walking.model = NodePath(gltf.load_model(str(FIGURE)))  # type: ignore[attr-defined]
    actor = Actor(walking.model.copyTo(NodePath("figure")))  # type: ignore[attr-defined]
    actor.reparentTo(parent)
    actor.setPos(x, y, 0.0)
    actor.setBlend(frameBlend=True)  # poses between the clip's 30 a second, as the engine has them
    actor.loop("walk")
    return actor


def panda_frame(base: Any, actors: list[Any]) -> None:
    """Run all tasks, and let the Actors take their pose, which else happens while drawing."""
    from panda3d.core import ClockObject

    ClockObject.get_global_clock().tick()
    base.taskMgr.step()
    for actor in actors:
        actor.update(force=True)


def ursina(objects: int, figures: int, frames: int) -> list[float]:
    """Measure ursina: an Entity with an `update` an object, and Actors below Entities."""

    def make() -> Any:
        from ursina import Ursina  # type: ignore[import-not-found]  # after the settings

        return Ursina(window_type="none", development_mode=False)

    app = without_window(make)
    from ursina import Entity

    class Mover(Entity):  # type: ignore[misc]
        def __init__(self, number: int) -> None:
            super().__init__(model="cube")
            self.place = place_of(number)
            self.passed = 0.0

        def update(self) -> None:
            self.passed += STEP
            x, y = self.place
            self.position = (x, y, math.sin(self.passed + x))

    kept = [Mover(number) for number in range(objects)]
    actors = [walking(Entity(), *place_of(number)) for number in range(figures)]
    found = timed_actors(app, actors, frames)
    if any(mover.passed == 0.0 for mover in kept):
        raise RuntimeError("expected ursina to call every update")
    return found


ARMS: dict[str, Callable[[int, int, int], list[float]]] = {
    "goishi": goishi,
    "plain Panda3D": panda,
    "ursina": ursina,
}


def install(folder: Path) -> str:
    """Install what the baselines need into a folder; return what went wrong, or nothing."""
    words = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder)]
    command = [sys.executable, *words, *REQUIREMENTS, *MORE_REQUIREMENTS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return "" if done.returncode == 0 else (lines or ["pip failed"])[0]


def run_arm(arm: str, case: str, frames: int, packages: Path) -> list[float] | str:
    """Run one arm in a process of its own; return its frames, or why there are none."""
    path = os.pathsep.join([str(SHIPPED_ROOT), str(packages)])
    words = [sys.executable, "-m", "benchmarks.objects", "--arm", arm, case, str(frames)]
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, cwd=SHIPPED_ROOT, env=environment
    )
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["it failed"])[-1]
    found: list[float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def main() -> None:
    """Run the benchmark."""
    words = sys.argv[1:]
    if words[:1] == ["--arm"]:
        print(json.dumps(ARMS[words[1]](*CASES[words[2]], int(words[3]))))
        return
    frames = int(words[0]) if words else 120
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        packages = Path(words[1]) if len(words) > 1 else Path(folder)
        fault = "" if len(words) > 1 else install(packages)
        if fault:
            print(
                f"ursina 7.0.0 and panda3d-gltf cannot be had, what needs them is left out: {fault}"
            )
        for case in CASES:
            compare(case, frames, packages)


def compare(case: str, frames: int, packages: Path) -> None:
    """Print the medians of one case, and what they are to each other."""
    times: dict[str, list[float]] = {arm: [] for arm in ARMS}
    for _ in range(ROUNDS):
        for arm in list(times):
            found = run_arm(arm, case, frames, packages)
            if isinstance(found, str):
                print(f"{case}: {arm}: left out: {found}")
                del times[arm]
            else:
                times[arm] += found
    middle = {arm: statistics.median(found) for arm, found in times.items()}
    for arm, value in middle.items():
        goal = f", goal {GOAL_MS:g}" if arm == "goishi" and case == "both" else ""
        print(f"{case}: {arm}: {value:.2f} ms a frame median of {len(times[arm])}{goal}")
    for arm, goal in (("plain Panda3D", f"goal {GOAL_RATIO:g}"), ("ursina", "goal below 1")):
        if arm in middle and "goishi" in middle:
            print(f"{case}: goishi / {arm}: {middle['goishi'] / middle[arm]:.2f}, {goal}")


if __name__ == "__main__":
    main()

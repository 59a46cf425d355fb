"""What rays, bodies and thrown shadows cost.

    python -m benchmarks.world

Prints rays a second beside Panda3D's collision traverser, milliseconds of a step with a heap of
balls beside Bullet alone, and of a picture with thrown shadows beside one with spots.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from base.files import SHIPPED_ROOT
from sim.core.host.declared import declared_kinds
from sim.core.host.script_loader import ScriptLoader
from sim.core.reporting.console import Console
from sim.core.scene.scene import Scene
from sim.render.models.models import ModelFactory
from sim.render.view.scene_view import nearest
from sim.testing import Pilot

OBJECTS = 1000
RAYS = 300
SLOW_RAYS = 5
BALLS = 100
FRAMES = 40
SCENE = SHIPPED_ROOT / "scenes" / "bouncing_balls.scene.json"


def main() -> None:
    """Measure and print."""
    print(f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}")
    compare_rays()
    compare_steps()
    compare_pictures()


def compare_rays() -> None:
    """Cast the same rays through a thousand objects in two ways."""
    from panda3d.core import LMatrix4f, NodePath

    rng = np.random.default_rng(1)
    scene, root = Scene(), NodePath("root")
    scene.models, _ = declared_kinds(ScriptLoader(SHIPPED_ROOT, SHIPPED_ROOT), None, Console())
    shop = ModelFactory(scene.models)
    nodes = {}
    for number in range(OBJECTS):
        model = {"builtin": ("box", "sphere", "stone")[number % 3]}
        obj = scene.spawn(
            "thing",
            model=model,
            position=rng.uniform(-20, 20, 3).tolist(),
            rotation=rng.uniform(0, 360, 3).tolist(),
        )
        nodes[obj.id] = shop.make(model, {})
        nodes[obj.id].reparent_to(root)
        matrix = np.asarray(obj.transform.world_matrix)
        nodes[obj.id].set_mat(LMatrix4f(*matrix.ravel().tolist()))
    rays = [(rng.uniform(-20, 20, 3).tolist(), rng.normal(size=3).tolist()) for _ in range(RAYS)]
    scene.ray_cast(*rays[0])
    own = seconds(lambda: [scene.ray_cast(*ray) for ray in rays]) / RAYS
    pandas = seconds(lambda: [nearest(nodes, *ray) for ray in rays[:SLOW_RAYS]]) / SLOW_RAYS
    print(
        f"ray through {OBJECTS} objects: {1e3 * own:.3f} ms, "
        f"Panda3D's traverser {1e3 * pandas:.1f} ms, ratio {pandas / own:.0f}"
    )


def compare_steps() -> None:
    """Step a heap of balls, and Bullet's share of it."""
    with Pilot(scene=SCENE, graphics=False, speed=1.0) as pilot:
        pilot.app.clock.frame_step = 1.0 / 60.0
        script = pilot.component("BouncingBalls")
        script.most, script.seconds_between = BALLS, 10.0
        for number in range(BALLS):
            script.drop((number % 10 * 0.4 - 2.0, number // 10 * 0.3 - 2.0, 3.0 + number % 7))
        pilot.step(60)
        world: Any = pilot.app.scene.physics
        world._world = bullet = TimedWorld(world._world)
        begun = time.process_time()
        for _ in range(FRAMES):
            world.step(1.0 / 60.0)
        whole = time.process_time() - begun
    print(
        f"step of {BALLS} balls: {1e3 * whole / FRAMES:.2f} ms of the processor, Bullet's share "
        f"{1e3 * bullet.spent / FRAMES:.2f} ms, ratio {whole / bullet.spent:.1f}"
    )


class TimedWorld:
    """A world of Bullet's that counts the processor's seconds of its steps."""

    def __init__(self, world: Any) -> None:
        self._world = world
        self.spent = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world, name)

    def do_physics(self, *arguments: Any) -> None:
        """Step it."""
        begun = time.process_time()
        self._world.do_physics(*arguments)
        self.spent += time.process_time() - begun


def compare_pictures() -> None:
    """Draw falling balls with both kinds of shadows."""
    taken = {}
    for shadows in ("spots", "cast"):
        with Pilot(scene=SCENE, panels=False, speed=1.0, quality="medium") as pilot:
            app: Any = pilot.app
            app.clock.frame_step = 1.0 / 60.0
            pilot.component("BouncingBalls").seconds_between = 0.1
            app.scene.find("Sun").get("Light").shadows = shadows
            pilot.step(60)
            app.display.image()  # copied to memory, so that the drawing is over
            taken[shadows] = seconds(lambda: frames(pilot)) / FRAMES
    print(
        f"frame at 1280x720: thrown shadows {1e3 * taken['cast']:.0f} ms, "
        f"spots {1e3 * taken['spots']:.0f} ms, ratio {taken['cast'] / taken['spots']:.2f}"
    )


def frames(pilot: Pilot) -> None:
    """Draw some frames, each to its end."""
    app: Any = pilot.app
    for _ in range(FRAMES):
        pilot.step()
        app.display.image()


def seconds(work: Callable[[], Any]) -> float:
    """Return how long something takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()

"""Many objects that are drawn or simulated: bars at rest, moving objects, balls.

    python -m benchmarks.many [--frames 40] [--only NAME ...]

Each case is measured beside bare Panda3D in the same process: a frame of the one, a frame of the
other, in turn. So both meet what else the machine does. Bare Panda3D does the least that shows or
simulates the same objects: a node for each with a plain shader, and a Bullet body for each ball.

`bars`: 5,000 objects at rest, of which one moves. `camera`: the same, while the camera moves.
`movers`: 3,000 objects that a script moves in each frame. `balls`: 1,000 balls in a heap, a fixed
step of 1/60 s, without drawing. Prints the median of each in processor time, and the ratio. The
exit code is 1 if a ratio is above its goal.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from panda3d.bullet import BulletBoxShape, BulletRigidBodyNode, BulletSphereShape, BulletWorld
from panda3d.core import (
    Camera,
    LMatrix4f,
    LPoint3,
    LVector3,
    NodePath,
    PerspectiveLens,
    Shader,
    Texture,
    TransformState,
)

from benchmarks.console import at_least_one, machine, parser_of
from benchmarks.objects import SCRIPT, STEP, mover_fields
from benchmarks.programs import place_of, write_project
from benchmarks.timing import timed
from sim.testing import Pilot

BARS, MOVERS, BALLS = 5000, 3000, 1000
SIZE: Final = (320, 200)  # pixels: few, as each costs the same in both
EYE: Final = (60.0, -80.0, 80.0)
MIDDLE: Final = (60.0, 90.0, 0.0)
FOV: Final = 50.0
UNMEASURED: Final = 8
SETTLING: Final = 60  # steps, until the balls lie in a heap
GOALS: Final = {"bars": 0.3, "camera": 1.0, "movers": 1.1, "balls": 2.0}
"""What a frame may take at most, in frames of bare Panda3D."""
VERTEX: Final = """
#version 330
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
in vec4 p3d_Vertex;
in vec3 p3d_Normal;
out vec3 normal;
void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    normal = mat3(p3d_ModelMatrix) * p3d_Normal;
}
"""
FRAGMENT: Final = """
#version 330
uniform vec4 tint;
in vec3 normal;
out vec4 color;
void main() { color = vec4(tint.rgb * (0.6 + 0.4 * normalize(normal).z), 1.0); }
"""
Frame = Callable[[], object]
Pair = tuple[Frame, Frame]


def color_of(number: int) -> tuple[float, float, float]:
    """Return the colour of an object: five are in use."""
    return (number % 5 / 5.0, 0.5, 0.5)


class Bare:
    """The least that draws a grid of boxes with Panda3D: a node each.

    Args:
        app: the app whose display is used.
        count: number of boxes.
    """

    def __init__(self, app: Any, count: int) -> None:
        self._display = app.display
        root = NodePath("bare")
        root.set_shader(Shader.make(Shader.SL_GLSL, VERTEX, FRAGMENT))
        box = next(iter(app.view._views.values())).node.find("**/+GeomNode").node()
        self.nodes: list[NodePath] = []
        for number in range(count):
            node = root.attach_new_node(box.make_copy())
            node.set_shader_input("tint", (*color_of(number), 1.0))
            node.set_pos(*place_of(number), 0.0)
            self.nodes.append(node)
        self._texture = Texture("bare")
        self._buffer = self._display.make_memory_buffer(SIZE, self._texture, 0, has_depth=False)
        lens = PerspectiveLens()
        lens.set_fov(FOV * SIZE[0] / SIZE[1], FOV)
        self.camera = root.attach_new_node(Camera("bare", lens))
        self.camera.set_pos(*EYE)
        self.camera.look_at(LPoint3(*MIDDLE))
        self._buffer.make_display_region().set_camera(self.camera)

    def draw(self) -> None:
        """Draw a frame and read it back."""
        self._display.draw_alone(self._buffer)
        self._texture.get_ram_image()


@contextmanager
def opened(objects: dict[str, Any] | None = None, **how: Any) -> Iterator[Any]:
    """Yield the app of a new project's scene.

    Args:
        objects: of the scene.
        **how: options of the `Pilot`.
    """
    with tempfile.TemporaryDirectory() as folder:
        scene = write_project(Path(folder), objects, {"many": SCRIPT})
        with Pilot(scene=scene, speed=1.0, **how) as pilot:
            yield pilot.app


@contextmanager
def drawn(count: int, *, moves: bool) -> Iterator[tuple[Any, Bare]]:
    """Yield an app that shows a grid of boxes, and the same in bare Panda3D.

    Args:
        count: number of boxes.
        moves: whether a script moves each box in each frame.
    """
    with opened(panels=False, quality="low", window=SIZE) as app:
        eye = ("sim:Camera", {"target": list(MIDDLE), "fov": FOV})
        app.scene.spawn("Eye", components=[eye], position=EYE)
        for number in range(count):
            held = [("scripts.many:Mover", mover_fields(number))] if moves else []
            material = {"color": list(color_of(number))}
            place = (*place_of(number), 0.0)
            app.scene.spawn(
                "Box", model={"builtin": "box"}, material=material, position=place, components=held
            )
        for _ in range(3):
            app.frame()
        yield app, Bare(app, count)


def shown(app: Any) -> None:
    """Run a frame of the app and read its picture back."""
    app.frame()
    app.display.image()


@contextmanager
def bars() -> Iterator[Pair]:
    """Yield frames in which one of many boxes moves."""
    with drawn(BARS, moves=False) as (app, bare):
        mover = app.scene.find("Box")
        count = iter(range(10**9))

        def ours() -> None:
            mover.transform.position = (0.0, 0.0, math.sin(next(count)))
            shown(app)

        def theirs() -> None:
            bare.nodes[0].set_pos(0.0, 0.0, math.sin(next(count)))
            bare.draw()

        yield ours, theirs


@contextmanager
def camera() -> Iterator[Pair]:
    """Yield frames of many boxes at rest in which the camera moves."""
    with drawn(BARS, moves=False) as (app, bare):
        eye = app.scene.find("Eye")
        count = iter(range(10**9))

        def ours() -> None:
            eye.transform.position = (EYE[0] + 0.01 * next(count), *EYE[1:])
            shown(app)

        def theirs() -> None:
            bare.camera.set_pos(EYE[0] + 0.01 * next(count), *EYE[1:])
            bare.draw()

        yield ours, theirs


@contextmanager
def movers() -> Iterator[Pair]:
    """Yield frames in which many boxes move."""
    with drawn(MOVERS, moves=True) as (app, bare):
        places = [(node, *place_of(number)) for number, node in enumerate(bare.nodes)]
        count = iter(range(10**9))

        def theirs() -> None:
            now = next(count) * STEP
            for node, x, y in places:
                node.set_pos(x, y, math.sin(now + x))
            bare.draw()

        yield lambda: shown(app), theirs


def ball_place(number: int) -> tuple[float, float, float]:
    """Return where a ball starts: in a block of ten a side, a little askew."""
    across, up = number % 100, number // 100
    return (across % 10 * 1.05 + number * 0.0005, across // 10 * 1.05, 1.0 + up * 1.05)


@contextmanager
def balls() -> Iterator[Pair]:
    """Yield fixed steps of a heap of balls."""
    floor = {"type": "sim:RigidBody", "fields": {"kind": "static"}}
    objects: dict[str, Any] = {
        "obj_floor00001": {
            "name": "Floor",
            "model": {"builtin": "box", "size": [200.0, 200.0, 1.0]},
            "position": [0.0, 0.0, -1.0],
            "components": {"cmp_floor00001": floor},
        }
    }
    for number in range(BALLS):
        objects[f"obj_{number:06}"] = {
            "name": f"Ball {number}",
            "model": {"builtin": "sphere", "radius": 0.5},
            "position": list(ball_place(number)),
            "components": {f"cmp_{number:06}": {"type": "sim:RigidBody", "fields": {}}},
        }
    for number, item in enumerate(objects.values()):
        item |= {"parent": None, "order": number}
    with opened(objects, graphics=False) as app:

        def ours() -> None:
            app.host.begin_frame()
            app.host.run_frame(app.clock.advance(STEP))

        world, nodes = bare_balls()

        def theirs() -> None:
            for _ in range(2):
                world.do_physics(STEP / 2.0, 0)
            [node.get_transform().get_mat() for node in nodes]
            TransformState.garbage_collect()

        for _ in range(SETTLING):
            ours()
            theirs()
        yield ours, theirs


def bare_balls() -> tuple[BulletWorld, list[BulletRigidBodyNode]]:
    """Return a Bullet world with the same balls, and their nodes."""
    world, root = BulletWorld(), NodePath("balls")
    world.set_gravity(LVector3(0.0, 0.0, -9.81))
    floor = BulletRigidBodyNode("floor")
    floor.add_shape(BulletBoxShape(LVector3(100.0, 100.0, 0.5)))
    root.attach_new_node(floor).set_pos(0.0, 0.0, -1.0)
    world.attach(floor)
    nodes = []
    for number in range(BALLS):
        node = BulletRigidBodyNode(f"ball {number}")
        node.add_shape(BulletSphereShape(0.5))
        node.set_mass(1.0)
        node.set_friction(math.sqrt(0.5))
        node.set_ccd_motion_threshold(0.5)
        node.set_ccd_swept_sphere_radius(0.35)
        root.attach_new_node(node).set_mat(LMatrix4f.translate_mat(*ball_place(number)))
        world.attach(node)
        nodes.append(node)
    return world, nodes


CASES: Final = {"bars": bars, "camera": camera, "movers": movers, "balls": balls}


def main() -> int:
    """Run the benchmark; return 1 where a goal is missed."""
    parser = parser_of(__doc__)
    parser.add_argument("--frames", type=at_least_one, default=40)
    parser.add_argument("--only", nargs="+", choices=[*CASES], metavar="NAME")
    options = parser.parse_args()
    print(machine())
    is_missed = False
    for name in options.only or CASES:
        with CASES[name]() as (ours, theirs):
            for _ in range(UNMEASURED):
                ours()
                theirs()
            times = np.array([[timed(ours)[0], timed(theirs)[0]] for _ in range(options.frames)])
        found, least = np.median(times, axis=0) * 1000.0
        ratio = found / least
        is_missed |= ratio > GOALS[name]
        print(
            f"{name}: {found:.1f} ms a frame, bare Panda3D {least:.1f}: ratio {ratio:.2f}, "
            f"goal at most {GOALS[name]:g}"
        )
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())

"""Frames a second of the default scene while one stone moves, the picture read back each time.

    python -m benchmarks.frames [FRAMES]

Prints the machine, milliseconds a frame, the ratio to drawing everything anew each frame (measured
in the same process, in turn), and what is drawn while nothing moves. Then it does the same for a
ball over a third of the view, once with a plain picture, once of metal with maps; these times are
of the processor.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.console import at_least_one, machine, parser_of
from benchmarks.material_samples import ball, glb, hammered, worn
from benchmarks.timing import PROCESSOR, WALL, FloatArray, circle, circling_stone, drawn_frames
from sim.testing import Pilot

STONES = 24
MOST_SECONDS = 90.0  # until there are so many stones
VIEW = (960, 540)  # of the ball
ROUNDS = 4  # of turns between the two balls
RADIUS, AWAY = 1.5, 4.0  # metres: a ball that fills a third of the view, and how far it is


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("frames", nargs="?", type=at_least_one, default=60)
    frames = parser.parse_args().frames
    with Pilot(speed=8.0, player_white="random") as pilot:
        app: Any = pilot.app
        print(machine(app.display.renderer))
        app.shell.open("Console")  # the view is as large as it was with all panels
        deadline = time.perf_counter() + MOST_SECONDS
        while _stones(app) < STONES and time.perf_counter() < deadline:
            app.frame()
        app.clock.speed = 1.0
        app.clock.pause()
        _rest(pilot)
        mover = circling_stone(app)
        moving = _measure(app, mover, frames, is_whole=False)
        whole = _measure(app, mover, max(5, frames // 6), is_whole=True)
        _, _, width, height = app.view.viewport_size
        print(
            f"quality {app.view.quality}; 3D view {width}x{height} in {app.display.size}; "
            f"{_stones(app)} stones at rest, 1 moving"
        )
        _print("only what moves", moving)
        _print("everything anew", whole)
        print(f"ratio of the medians: {np.median(whole) / np.median(moving):.1f}")
        mover.destroy()
        _rest(pilot)
        before = app.frame_stats.drawn
        pilot.step(100)
        print(f"at rest: {app.frame_stats.drawn - before} of 100 frames drawn")
        resting = app.display.image()
        app.view.set_quality("high")
        pilot.step(3)
        alike = ssim(resting, app.display.image())
        print(f"SSIM of the resting picture to the high preset's: {alike:.3f}")
    _print_materials(frames)


def _print_materials(frames: int) -> None:
    """Print the milliseconds of frames in which a ball turns, of metal with maps and without."""
    with tempfile.TemporaryDirectory() as folder:
        scene = _ball_scene(Path(folder))
        with Pilot(scene=scene, panels=False, window=VIEW, quality="medium") as pilot:
            app: Any = pilot.app
            app.world.assets.poll(30.0)
            _rest(pilot)
            balls = {item.name: item for item in app.scene.objects.values() if item.model}
            times: dict[str, list[float]] = {name: [] for name in balls}
            share = _share(pilot, balls)
            for _ in range(ROUNDS):
                for name, item in balls.items():
                    for other in balls.values():
                        other.visible = other is item
                    _rest(pilot)
                    times[name] += _turned(app, item, max(6, frames // ROUNDS))
    for name in balls:
        _print(name, np.array(times[name]))
    ratio = np.median(times["metal with maps"]) / np.median(times["plain picture"])
    print(f"ratio of the medians: {ratio:.2f}; the ball covers {share:.2f} of the view")


def _share(pilot: Pilot, balls: dict[str, Any]) -> float:
    """Return how much of the view the balls cover."""
    app: Any = pilot.app
    pictures = []
    for is_visible in (True, False):
        for item in balls.values():
            item.visible = is_visible
        _rest(pilot)
        app.draw_next()
        pilot.step(2)
        pictures.append(app.display.image())
    return float((pictures[0] != pictures[1]).any(axis=2).mean())


def _turned(app: Any, item: Any, frames: int) -> list[float]:
    def turn(number: int) -> None:
        item.transform.rotation = (3.0 * number, 0.0, 0.0)
        app.draw_next()

    return [float(item) for item in drawn_frames(app, frames, before=turn)[3:, PROCESSOR]]


def _ball_scene(folder: Path) -> Path:
    """Write a project whose scene has two balls in one place; return the scene's path."""
    for name in ("assets", "scenes"):
        (folder / name).mkdir()
    (folder / "goishi.toml").write_text("", encoding="utf-8")
    color, parts = worn()
    picture = {"baseColorTexture": {"index": 0}}
    plain: dict[str, Any] = {
        "pbrMetallicRoughness": {**picture, "metallicFactor": 0.0, "roughnessFactor": 0.4}
    }
    metal: dict[str, Any] = {
        "pbrMetallicRoughness": {**picture, "metallicRoughnessTexture": {"index": 1}},
        "normalTexture": {"index": 2},
    }
    objects: dict[str, Any] = {}
    kinds = (("plain picture", plain), ("metal with maps", metal))
    for number, (name, material) in enumerate(kinds):
        file = f"assets/ball{number}.glb"
        shapes = [ball(RADIUS, 2.0)]
        (folder / file).write_bytes(glb(shapes, [material], [color, parts, hammered()]))
        objects[f"obj_ball00000{number}"] = {
            "name": name,
            "model": {"asset": file},
            "casts_shadow": False,
        }
    camera = {"type": "sim:Camera", "fields": {"target": [0.0, 0.0, 0.0], "fov": 50.0}}
    place = [0.0, -AWAY, 0.0]
    objects["obj_camera0001"] = {
        "name": "Camera", "position": place, "components": {"cmp_camera0001": camera},
    }  # fmt: skip
    objects["obj_sky0000001"] = {
        "name": "Sky", "components": {"cmp_sky0000001": {"type": "sim:Sky", "fields": {}}},
    }  # fmt: skip
    for number, item in enumerate(objects.values()):
        item |= {"parent": None, "order": number}
    document = {"format": "goishi.scene/1", "id": "scn_materials1", "objects": objects}
    path = folder / "scenes" / "balls.scene.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def _stones(app: Any) -> int:
    return sum(obj.name.startswith("Stone_") for obj in app.scene.objects.values())


def _rest(pilot: Pilot) -> None:
    """Let everything come to rest."""
    for _ in range(90):
        pilot.step()
        time.sleep(0.005)


def _measure(app: Any, mover: Any, frames: int, *, is_whole: bool) -> FloatArray:
    """Return the milliseconds of frames; the first three are left out."""

    def move(number: int) -> None:
        circle(mover, number)
        if is_whole:
            app.view.force_redraw()

    return drawn_frames(app, frames, before=move)[3:, WALL]


def _print(name: str, times: FloatArray) -> None:
    p50, p95 = np.percentile(times, [50, 95])
    print(f"{name:>16}: p50 {p50:6.1f} ms, p95 {p95:6.1f} ms, {1000.0 / p50:5.1f} frames a second")


def ssim(first: np.ndarray, second: np.ndarray) -> float:
    """Return the structural similarity of two pictures (Wang et al. 2004), grey, 11x11 Gauss."""
    a, b = (cv2.cvtColor(item, cv2.COLOR_BGR2GRAY).astype(np.float64) for item in (first, second))

    def mean(values: np.ndarray) -> np.ndarray:
        return np.asarray(cv2.GaussianBlur(values, (11, 11), 1.5))

    ma, mb = mean(a), mean(b)
    va, vb, covariance = mean(a * a) - ma**2, mean(b * b) - mb**2, mean(a * b) - ma * mb
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    top = (2 * ma * mb + c1) * (2 * covariance + c2)
    return float(np.mean(top / ((ma**2 + mb**2 + c1) * (va + vb + c2))))


if __name__ == "__main__":
    main()

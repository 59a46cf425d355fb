"""How well the eye of scenes/learning_eye.scene.json names shapes that it never learnt from.

    python -m benchmarks.learning_eye [--seeds 3] [--lessons 4,12] [--pictures 300]

Lets the scene run without a window until it has had so many trainings, then shows it shapes in
places, turns and colours from another generator, and prints the share it names rightly, beside
chance and the nearest of the pictures that it learnt from.
"""

from __future__ import annotations

import argparse
import math
import platform
from typing import Any

import numpy as np

from base.files import SHIPPED_ROOT
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot

SCENE = SHIPPED_ROOT / "scenes" / "learning_eye.scene.json"
HELD_OUT_SEED = 10_007
STEP = 1.0 / 20.0
MOST_FRAMES = 20_000


def main() -> None:
    """Measure and print."""
    options = read_options()
    lessons = sorted(int(text) for text in options.lessons.split(","))
    print(f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}")
    print("seed, trainings, pictures learnt from, held-out ones right (95 %), nearest, chance")
    last = [measure(seed, lessons, options.pictures) for seed in range(options.seeds)]
    print(f"mean over {options.seeds} seeds after {lessons[-1]} trainings: {np.mean(last):.3f}")


def read_options() -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--lessons", default="4,12", help="after so many trainings")
    parser.add_argument("--pictures", type=int, default=300, help="held out, for each line")
    return parser.parse_args()


def measure(seed: int, lessons: list[int], count: int) -> float:
    """Print a line for each number of trainings; return the last share."""
    share = 0.0
    with Pilot(scene=SCENE, panels=False, window=(320, 200), seed=seed, speed=1.0) as pilot:
        pilot.app.inject(InputEvent("minimize"))  # only the eye's own pictures are drawn
        pilot.app.clock.frame_step = STEP
        eye = pilot.component("LearningEye")
        for wanted in lessons:
            pilot.wait_until(lambda: eye.lessons >= wanted, frames=MOST_FRAMES)  # noqa: B023
            pilot.app.world.compiling.settle(120.0)
            pictures, labels = held_out(eye, count)
            known, known_labels = map(np.array, zip(*eye.pictures, strict=True))
            share = right([name(eye, picture) for picture in pictures], labels)
            low, high = interval(share, count)
            near = right([nearest(one, known, known_labels) for one in pictures], labels)
            most = np.bincount(labels).max() / count
            print(
                f"{seed}, {eye.lessons}, {len(known)}, {share:.3f} ({low:.3f}-{high:.3f}), "
                f"{near:.3f}, {most:.3f}",
                flush=True,
            )
    return share


def held_out(eye: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Take pictures `[n, 32, 32, 3]` of shapes from another generator, with their labels `[n]`."""
    runtime = eye.slot.runtime
    kept, runtime.rng = eye.rng, np.random.default_rng(HELD_OUT_SEED)
    pictures, labels = [], []
    for _ in range(count):
        eye.show_another(eye.thing)
        pictures.append(eye.scene.camera.image(width=32, height=32, camera=eye.object))
        labels.append(eye.label)
    runtime.rng = kept
    return np.array(pictures), np.array(labels)


def name(eye: Any, picture: np.ndarray) -> int:
    """Return the label that the network gives a picture."""
    hits = list(eye.hits)
    eye.guess(picture)
    eye.hits.clear()
    eye.hits.extend(hits)
    return int(eye.chances.argmax())


def nearest(picture: np.ndarray, known: np.ndarray, labels: np.ndarray) -> int:
    """Return the label of the most alike picture that was learnt from."""
    away = np.abs(known.astype(np.int32) - picture).sum(axis=(1, 2, 3))
    return int(labels[away.argmin()])


def right(found: list[int], labels: np.ndarray) -> float:
    """Return the share of labels that were found."""
    return float(np.mean(np.array(found) == labels))


def interval(share: float, count: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval."""
    z = 1.96
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    half /= 1 + z * z / count
    return middle - half, middle + half


if __name__ == "__main__":
    main()

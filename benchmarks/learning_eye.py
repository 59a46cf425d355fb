"""How well the eye of scenes/learning_eye.scene.json names shapes that it never learnt from.

    python -m benchmarks.learning_eye [--seeds 3] [--lessons 4,12] [--pictures 300]

Runs the scene without a window until it has had so many trainings. Then it shows shapes whose
places, turns and colors come from another generator. For each number of trainings it prints the
share that the eye names rightly. Beside it stand chance, and the share that is right if each
picture gets the label of the nearest picture that was learnt from.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ai.runs.statistics import wilson
from base.files import SHIPPED_ROOT
from benchmarks.console import machine, parser_of
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot

SCENE = SHIPPED_ROOT / "scenes" / "learning_eye.scene.json"
HELD_OUT_SEED = 10_007
STEP = 1.0 / 20.0
MOST_FRAMES = 20_000


def main() -> None:
    """Measure and print."""
    parser = parser_of(
        __doc__,
        seeds=3,
        lessons=("4,12", "after so many trainings"),
        pictures=(300, "held out, for each line"),
    )
    options = parser.parse_args()
    lessons = sorted(int(text) for text in options.lessons.split(","))
    print(machine())
    print("seed, trainings, pictures learnt from, held-out ones right (95 %), nearest, chance")
    last = [measure(seed, lessons, options.pictures) for seed in range(options.seeds)]
    print(f"mean over {options.seeds} seeds after {lessons[-1]} trainings: {np.mean(last):.3f}")


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
            low, high = wilson(share * count, count)
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


if __name__ == "__main__":
    main()

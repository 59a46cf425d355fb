"""The example scenes: stars that machine code moves, and an eye that takes pictures and guesses."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from sim.testing import Pilot


def test_stars_are_moved_by_machine_code_as_by_python():
    with Pilot(scene="scenes/particles.scene.json", speed=1.0, window=(640, 400)) as pilot:
        stars = pilot.component("Particles")
        pilot.app.host.set_field(stars.slot, "stars", 300)
        pilot.app.world.compiling.settle(60.0)
        move = sys.modules[type(stars).__module__].move
        assert move.is_compiled, "its annotations say everything"
        state = (stars.places, stars.speeds, stars.colors, stars.homes, stars.cores)
        first, second = ([array.copy() for array in state] for _ in range(2))
        for _ in range(3):
            move(*first, 0.25, 1 / 60)
            move.function(*second, 0.25, 1 / 60)
        assert np.abs(first[0] - state[0]).max() > 1e-3
        for machine, python in zip(first[:2], second[:2], strict=True):
            np.testing.assert_allclose(machine, python, rtol=1e-4, atol=1e-4)
        assert np.abs(first[2].astype(int) - second[2]).max() <= 1
        before = stars.places.copy()
        pilot.app.clock.frame_step = 1 / 60
        pilot.step(3)
        assert (stars.places != before).any(axis=1).mean() > 0.9
        assert pilot.app.console.counts["error"] == 0


def test_the_galaxies_stay_in_view_and_keep_their_width_for_minutes():
    with Pilot(scene="scenes/particles.scene.json", panels=False, graphics=False) as pilot:
        stars = pilot.component("Particles")
        pilot.app.host.set_field(stars.slot, "stars", 2000)
        pilot.app.world.compiling.settle(60.0)
        before = stars.places.copy()
        apart = []
        for _ in range(200 * 60):
            stars.fixed_update(1 / 60)
            apart.append(np.linalg.norm(stars.cores[1, :3] - stars.cores[0, :3]))
        assert (stars.places != before).any(axis=1).all()
        near, far = (
            np.min(np.reshape(apart, (20, -1)), axis=1),
            np.max(np.reshape(apart, (20, -1)), axis=1),
        )
        assert (near > 1.0).all(), "they pass each other"
        assert (far < 7.0).all(), "and neither leaves"
        share = stars.cores[:, 9] / stars.cores[:, 9].sum()
        assert np.abs(share @ stars.cores[:, :3]).max() < 0.1, "their middle stays where one looks"
        home = stars.homes[:, 0].astype(int)
        away = np.linalg.norm(stars.places - stars.cores[home, :3], axis=1)
        assert (away < 4.0).mean() > 0.9
        assert np.median(away) == pytest.approx(np.median(stars.homes[:, 1]), rel=0.35)


def test_the_eye_learns_from_what_it_sees_and_writes_what_it_thinks(monkeypatch):
    with Pilot(scene="scenes/learning_eye.scene.json", speed=1.0, window=(640, 400)) as pilot:
        eye = pilot.component("LearningEye")
        pilot.app.clock.frame_step = 1 / 20
        asked = []

        def start(slot, call, on_progress):
            """Answer at once, in place of the worker with Keras."""
            asked.append(call.arguments)
            on_progress(1.0, {"loss": 0.5})
            rng = np.random.default_rng(1)
            shapes = [(3, 3, 3, 24), (24,), (3, 3, 24, 32), (32,), (3, 3, 32, 64), (64,),
                      (576, 4), (4,)]  # fmt: skip
            call.finish([rng.normal(0, 0.1, shape).astype(np.float32) for shape in shapes])
            return call

        monkeypatch.setattr(pilot.app.host.jobs, "start", start)
        eye.lesson = 20
        eye.goal = 20
        pilot.step(120)
        pilot.app.world.compiling.settle(60.0)
        pilot.step(5)
        pictures, labels = asked[0]["pictures"], asked[0]["labels"]
        assert pictures.shape == (len(labels), 32, 32, 3)
        assert pictures.dtype == np.uint8
        assert len(labels) == 20
        assert len(np.unique(pictures.reshape(20, -1), axis=0)) > 10, "it turns"
        assert eye.lessons == 1
        assert eye.hits
        assert eye.chances.sum() == pytest.approx(1.0)
        assert eye.sign.canvas.picture.max() > 100
        assert pilot.app.world.metrics.series("loss")[1].tolist() == [0.5]
        assert pilot.app.console.counts["error"] == 0

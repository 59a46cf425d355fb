"""What an environment shows does not depend on how long its pictures took."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import numpy as np

from sim.app.serving import drawn_episodes

BALL_TRACKER = Path(__file__).resolve().parents[4] / "scenes" / "ball_tracker.scene.json"


def pictures():
    """Return what the ball tracker sees by actions drawn once."""
    rng = np.random.default_rng(0)
    with closing(drawn_episodes(BALL_TRACKER, "rgb_array", {})) as episodes:
        seen = [np.array(episodes.reset(3)[0])]
        for _ in range(12):
            (seat,) = episodes.step([rng.uniform(-1.0, 1.0, 2)])
            seen.append(np.array(seat.observation))
    return seen


def test_pictures_of_an_environment_are_the_same_on_a_slow_machine(monkeypatch):
    """Wall time decides in the app what has come to rest, and is drawn apart."""
    quick = pictures()
    assert any((one != quick[0]).any() for one in quick)
    began, calls, real = time.perf_counter(), [0], time.perf_counter

    def slow():
        calls[0] += 1
        return real() + 0.5 * calls[0]

    monkeypatch.setattr(time, "perf_counter", slow)
    found = pictures()
    assert slow() - began > 5.0, "the clock was asked"
    assert all((one == other).all() for one, other in zip(quick, found, strict=True))

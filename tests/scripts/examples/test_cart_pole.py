"""The cart-pole: it falls by itself, and the little learner balances it within a minute."""

from __future__ import annotations

import pytest

from base.files import SHIPPED_ROOT
from sim.app.app import App
from sim.app.episodes import Episodes
from sim.testing import run_options

SCENE = SHIPPED_ROOT / "scenes" / "cart_pole.scene.json"


@pytest.mark.parametrize(
    "seed", [None, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (2, 3, 4))]
)
def test_it_balances_after_less_than_a_minute_of_learning(seed) -> None:
    app = App(run_options(scene=SCENE, headless=True, graphics=False, seed=seed, seconds=1e6))
    for _ in range(50 * 60):
        app.frame()
    returns = app.metrics.series("return")[1]
    app.close()
    assert returns[0] < 200
    assert returns.max() == 500


def test_a_push_to_one_side_lets_the_pole_fall_to_the_other() -> None:
    episodes = Episodes.of_scene(SCENE)
    for action, side in ((0, 1.0), (1, -1.0)):
        episodes.reset(1)
        while not (seat := episodes.step_one(action)).is_over:
            assert seat.reward == 1.0
        x, _, angle, _ = seat.observation
        assert angle * side > 0.2
        assert x * side < 0
        assert not seat.was_cut
        assert seat.total == seat.decisions < 15
    episodes.close()

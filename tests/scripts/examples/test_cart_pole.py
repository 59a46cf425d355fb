"""The cart-pole: it falls by itself, and the little learner balances it within a minute."""

from __future__ import annotations

import json
from importlib import import_module
from itertools import pairwise
from types import SimpleNamespace

import pytest

from base.files import SHIPPED_ROOT
from base.policies.policy import load_policy
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
    returns = app.world.metrics.series("return")[1]
    app.close()
    assert returns[0] < 200
    assert returns.max() == 500


def test_a_push_to_one_side_lets_the_pole_fall_to_the_other() -> None:
    episodes = Episodes.of_scene(SCENE)
    for action, side in ((0, 1.0), (1, -1.0)):
        episodes.reset(1)
        while not (seat := episodes.step([action])[0]).is_done:
            assert seat.reward == 1.0
        x, _, angle, _ = seat.observation
        assert angle * side > 0.2
        assert x * side < 0
        assert not seat.is_truncated
        assert seat.total == seat.decisions < 15
    episodes.close()


def test_the_bars_of_sixty_episodes_stand_side_by_side_in_the_chart() -> None:
    bars = []
    canvas = SimpleNamespace(
        width=840, height=420, clear=lambda: None, text=lambda *words, **looks: None,
        grid=lambda area, *range, **looks: bars.append(area),
        rectangle=lambda area, color, **looks: bars.append(area),
    )  # fmt: skip
    cart_pole = import_module("scripts.examples.cart_pole")
    cart_pole.CartPole.draw_board(SimpleNamespace(lasted=[9] * 30 + [500] * 30), canvas)
    (left, top, wide, high), *bars = bars
    assert len(bars) == 60
    assert all(one[0] + one[2] < other[0] for one, other in pairwise(bars))
    assert bars[0][0] > left
    assert bars[-1][0] + bars[-1][2] < left + wide
    assert {round(y + tall, 6) for _, y, _, tall in bars} == {top + high}, "they stand on its floor"
    assert bars[-1][3] == high


def test_the_shipped_policy_balances_and_a_switch_takes_it_away_again() -> None:
    app = App(run_options(scene=SCENE, headless=True, graphics=False, seconds=1e6))
    app.frame()
    (cart,) = [slot.instance for slot in app.scene.components() if slot.class_name == "CartPole"]
    cart.toggle_policy()
    for _ in range(1100):
        app.frame()
    assert app.world.metrics.series("return")[1].tolist() == [500.0, 500.0]
    cart.toggle_policy()
    assert cart.trained_policy is None
    app.close()


def test_the_card_of_the_shipped_policy_says_how_it_was_made_beside_controls() -> None:
    path = SHIPPED_ROOT / "assets" / "policies" / "cart_pole.npz"
    card = load_policy(path).card
    assert card == json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert path.stat().st_size <= 200_000
    assert card["command"].startswith("python main.py train ppo --scene scenes/cart_pole")
    frozen = card["frozen"]
    assert frozen["episodes"] == 100
    assert frozen["trained"]["least"] == 500.0
    assert max(frozen[name]["mean"] for name in ("untrained", "random")) < 50.0

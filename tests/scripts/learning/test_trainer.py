"""The trainer of a scene: what it asks of its worker, and what it does with the answers."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ai.messages import ChangePpo, OpenPpo, PausePpo, PolicyLearnt, TrainingStopped
from base.files import SHIPPED_ROOT
from base.policies.policy import load_policy
from sim.app.app import App
from sim.app.episodes import Episodes
from sim.core.workers.pool import Links
from sim.testing import run_options

SCENE = SHIPPED_ROOT / "scenes" / "cart_pole_ppo.scene.json"
POLICY = load_policy(SHIPPED_ROOT / "assets" / "policies" / "cart_pole.npz")


class Link:
    """A worker that is none: it keeps what it is sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def send(self, payload: object) -> None:
        self.sent.append(payload)


def opened(**options: Any) -> tuple[App, Any, Any]:
    app = App(run_options(scene=SCENE, headless=True, graphics=False, seconds=1e6, **options))
    app.frame()
    found = {slot.class_name: slot.instance for slot in app.scene.components()}
    return app, found["Trainer"], found["CartPole"]


class Clicked:
    """A panel in which one chart is clicked at an x value; everything else is as if drawn."""

    def __init__(self, title: str, x: float) -> None:
        self.title, self.x = title, x
        self.shown: dict[str, Any] = {}
        self.told: list[str] = []

    def chart(self, title: str, series: Any, **options: Any) -> float | None:
        self.shown[title] = series
        return self.x if title == self.title else None

    def muted_text(self, text: str) -> None:
        self.told.append(text)

    def __getattr__(self, name: str) -> Any:
        return lambda *words, **options: False


def test_a_click_on_the_chart_shows_that_episode_again(monkeypatch) -> None:
    monkeypatch.setattr(Links, "open", lambda self, *words, **named: Link())
    app, trainer, _ = opened()
    monkeypatch.setattr(type(trainer), "_slide", lambda self, *words: None)
    app.rewind.seconds = 30.0
    trainer.take(PolicyLearnt((), None, False))
    run_until(app, lambda: len(app.host.agents.ended) > 3)
    first, second, third = list(app.host.agents.ended)[:3]
    ui = Clicked("Episodes shown here", second.episode + 0.4)
    trainer.draw(ui)
    ((_, _, numbers, totals),) = ui.shown["Episodes shown here"]
    assert numbers[:3].tolist() == [first.episode, second.episode, third.episode]
    assert totals[:3].tolist() == [first.total, second.total, third.total]
    assert app.rewind.is_past
    begun = next(mark.begun for mark in app.rewind.marks if mark.episode == second.episode)
    assert app.rewind.time == pytest.approx(begun)
    app.rewind.live()
    app.rewind.clear()  # forgotten: said in the panel
    trainer.draw(Clicked("Episodes shown here", 1.0))
    assert not app.rewind.is_past
    ui = Clicked("", 0.0)
    trainer.draw(ui)
    assert any("or one that was kept, found episode 1" in text for text in ui.told)
    app.close()


def run_until(app: App, is_reached: Callable[[], bool], seconds: float = 280.0) -> None:
    deadline = time.monotonic() + seconds
    while not is_reached():
        assert time.monotonic() < deadline, "not reached in time"
        app.frame()


def line(update: int, gained: float | None = 20.0) -> dict[str, Any]:
    return {"update": update, "steps": 1024 * update, "return": gained, "entropy": 0.6,
            "divergence": 0.01}  # fmt: skip


def test_the_agent_waits_then_plays_what_is_learnt_and_changes_are_sent_and_marked(
    monkeypatch,
) -> None:
    link = Link()
    monkeypatch.setattr(Links, "open", lambda self, *words, **named: link)
    app, trainer, cart = opened()
    (order,) = link.sent
    assert isinstance(order, OpenPpo)
    assert (order.steps, order.seed, order.live) == (60_000, 4, {"rate": 1e-3, "clip": 0.2})
    assert not cart.slot.is_active
    trainer.take(PolicyLearnt((), POLICY, False))
    for number in (1, 2):
        trainer.take(PolicyLearnt((line(number, 20.0 * number),), POLICY, number == 2))
    app.frame()
    assert cart.slot.is_active
    assert cart.trained_policy is POLICY
    assert trainer.state == "done"
    assert trainer.learnt == 2048
    assert app.metrics.series("trained return")[1].tolist() == [20.0, 40.0]
    app.host.set_field(trainer.slot, "rate", 0.002)
    app.host.set_field(trainer.slot, "clip", 0.1)
    trainer.toggle_pause()
    assert link.sent[1:] == [
        ChangePpo({"rate": 0.002, "clip": 0.2}), ChangePpo({"rate": 0.002, "clip": 0.1}),
        PausePpo(True),
    ]  # fmt: skip
    assert trainer.marks == [(2048.0, "rate 0.002"), (2048.0, "clip 0.1")]
    trainer.take(PolicyLearnt((line(1), line(2)), POLICY, False))  # a process that took it up again
    assert [item["update"] for item in trainer.lines] == [1, 2]
    assert len(app.metrics.series("trained return")[1]) == 2
    trainer.take(TrainingStopped("the disk is full"))
    assert any("the training stopped: the disk is full" in str(r) for r in app.console.records)
    app.close()


def test_in_a_copy_of_the_scene_nobody_trains() -> None:
    episodes = Episodes.of_scene(SCENE)
    assert episodes.world.links.opened == ()
    episodes.reset(1)
    assert np.isfinite(episodes.step_one(1).observation).all()
    episodes.close()


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_it_goes_from_nothing_to_balanced() -> None:
    """Its process learns in its own time, while the frames of the scene go by in theirs."""
    app, trainer, _ = opened(speed=16.0)
    run_until(app, lambda: trainer.state == "done")
    assert trainer.lines[0]["return"] < 50
    before = len(app.metrics.series("return")[1])
    run_until(app, lambda: len(app.metrics.series("return")[1]) >= before + 2)
    assert app.metrics.series("return")[1][-1] == 500.0
    app.close()

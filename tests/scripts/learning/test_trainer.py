"""The trainer of a scene: what it asks of its worker, and what it does with the answers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ai.messages import ChangePpo, OpenPpo, PausePpo, PolicyLearnt, TrainingStopped
from base.files import SHIPPED_ROOT
from base.policies.policy import Policy, load_policy
from sim.app.app import App
from sim.app.episodes import Episodes
from sim.core.script.agent import spaces_of
from sim.core.script.spaces import plain_space
from sim.core.workers.pool import Links
from sim.testing import run_options

SCENE = SHIPPED_ROOT / "scenes" / "cart_pole_ppo.scene.json"
POLICY = load_policy(SHIPPED_ROOT / "assets" / "policies" / "cart_pole.npz")
ONE = ((POLICY, (0,)),)
BALL_GAME = SHIPPED_ROOT / "scenes" / "ball_game.scene.json"


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
    monkeypatch.setattr(type(trainer.sliders), "draw", lambda self, *words: None)
    app.rewind.seconds = 30.0
    trainer.handle(PolicyLearnt((), (), False))
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
    trainer.handle(PolicyLearnt((), ONE, False))
    for number in (1, 2):
        trainer.handle(PolicyLearnt((line(number, 20.0 * number),), ONE, number == 2))
    app.frame()
    assert cart.slot.is_active
    assert cart.trained_policy is POLICY
    assert trainer.state == "done"
    assert trainer.learnt == 2048
    assert app.world.metrics.series("trained return")[1].tolist() == [20.0, 40.0]
    app.host.set_field(trainer.slot, "rate", 0.002)
    app.host.set_field(trainer.slot, "clip", 0.1)
    trainer.toggle_pause()
    assert link.sent[1:] == [
        ChangePpo({"rate": 0.002, "clip": 0.2}), ChangePpo({"rate": 0.002, "clip": 0.1}),
        PausePpo(True),
    ]  # fmt: skip
    assert trainer.marks == [(2048.0, "rate 0.002"), (2048.0, "clip 0.1")]
    trainer.handle(PolicyLearnt((line(1), line(2)), ONE, False))  # a process that took it up again
    assert [item["update"] for item in trainer.lines] == [1, 2]
    assert len(app.world.metrics.series("trained return")[1]) == 2
    trainer.handle(TrainingStopped("the disk is full"))
    assert any("the training stopped: the disk is full" in str(r) for r in app.console.records)
    app.close()


def opened_game(folder: Path, **fields: Any) -> tuple[App, Any, list[Any]]:
    """Open the ball game with a trainer on the first player's object; return its four players."""
    document = json.loads(BALL_GAME.read_text("utf-8"))
    obj = next(o for o in document["objects"].values() if "cmp_red1plays01" in o["components"])
    obj["components"]["cmp_trainer001"] = {
        "type": "goishi:scripts.learning.trainer:Trainer",
        "fields": {"agent": {"$ref": "cmp_red1plays01"}, "seed": 4, **fields},
    }
    scene = folder / "game.scene.json"
    scene.write_text(json.dumps(document), "utf-8")
    app = App(run_options(scene=scene, headless=True, graphics=False, seconds=1e6, speed=16.0))
    app.frame()
    slots = app.scene.components()
    players = [slot.instance for slot in slots if slot.class_name == "Player"]
    return app, next(s.instance for s in slots if s.class_name == "Trainer"), players


def game_policies(player: Any, count: int) -> list[Policy]:
    """Return policies for players, which push each another way."""
    sees, acts = (plain_space(space) for space in spaces_of(player))
    zero, one = np.zeros(16, np.float32), np.ones(16, np.float32)
    return [
        Policy(sees, acts, zero, one,
               ((np.zeros((16, 2), np.float32), np.full(2, 0.5 * number, np.float32)),))
        for number in range(count)
    ]  # fmt: skip


def test_all_agents_wait_and_each_team_plays_its_own_policy(monkeypatch, tmp_path) -> None:
    link = Link()
    monkeypatch.setattr(Links, "open", lambda self, *words, **named: link)
    app, trainer, players = opened_game(tmp_path, policies="teams", more="pool=5")
    (order,) = link.sent
    assert order.environments == "sim.app.vector_world:open_vector_world"
    assert (order.policies, order.is_self_play, order.settings) == ("teams", False, {"pool": "5"})
    assert [player.slot.is_active for player in players] == [False] * 4
    red, blue = game_policies(players[0], 2)
    assert [player.team for player in players] == ["red", "red", "blue", "blue"]
    trainer.handle(PolicyLearnt((), ((red, (0, 1)), (blue, (2, 3))), False))
    lines = [
        {**line(number), "policies": {"red": line(number, 1.0), "blue": line(number, 2.0)}}
        for number in (1, 2)
    ]
    trainer.handle(PolicyLearnt(tuple(lines), ((red, (0, 1)), (blue, (2, 3))), False))
    app.frame()
    assert [player.trained_policy for player in players] == [red, red, blue, blue]
    assert [player.slot.is_active for player in players] == [True] * 4
    monkeypatch.setattr(type(trainer.sliders), "draw", lambda self, *words: None)
    ui = Clicked("", 0.0)
    trainer.draw(ui)
    shown = ui.shown["Return of an episode"]
    assert [(name, values.tolist()) for name, _, _, values in shown] == [
        ("red", [1.0, 1.0]), ("blue", [2.0, 2.0]),
    ]  # fmt: skip
    assert [name for name, *_ in ui.shown["Entropy"]] == ["entropy"]
    app.close()


def test_runs_with_other_sharing_are_kept_apart_and_one_agent_is_asked_for_as_before(
    monkeypatch, tmp_path
) -> None:
    link = Link()
    monkeypatch.setattr(Links, "open", lambda self, *words, **named: link)
    for fields in ({}, {"self_play": True}, {"policies": "agents"}):
        opened_game(tmp_path, **fields)[0].close()
    assert [(order.policies, order.is_self_play) for order in link.sent] == [
        ("shared", False), ("shared", True), ("agents", False),
    ]  # fmt: skip
    assert len({order.folder for order in link.sent}) == 3
    opened()[0].close()
    single = link.sent[-1]
    assert (single.environments, single.policies) == (
        "sim.app.vector_world:open_vector_world",
        "",
    )


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_two_teams_learn_in_a_process_beside_the_scene(tmp_path) -> None:
    small = "envs=2, horizon=8, minibatches=2, epochs=1"
    app, trainer, players = opened_game(tmp_path, self_play=True, steps=32, more=small)
    run_until(app, lambda: trainer.state == "done" or "stopped" in trainer.state)
    assert (trainer.state, trainer.learnt) == ("done", 32)
    assert len({id(player.trained_policy) for player in players}) == 1
    app.close()


def test_in_a_copy_of_the_scene_nobody_trains() -> None:
    episodes = Episodes.of_scene(SCENE)
    assert episodes.world.links.opened == ()
    episodes.reset(1)
    assert np.isfinite(episodes.step([1])[0].observation).all()
    episodes.close()


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_it_goes_from_nothing_to_balanced() -> None:
    """Its process learns in its own time, while the frames of the scene go by in theirs."""
    app, trainer, _ = opened(speed=16.0)
    run_until(app, lambda: trainer.state == "done")
    assert trainer.lines[0]["return"] < 50
    before = len(app.world.metrics.series("return")[1])
    run_until(app, lambda: len(app.world.metrics.series("return")[1]) >= before + 2)
    assert app.world.metrics.series("return")[1][-1] == 500.0
    app.close()


def test_soft_actor_critic_is_asked_for_in_a_folder_of_its_own() -> None:
    app, trainer, _ = opened()
    link = Link()
    trainer._open(link)
    trainer.learner = "sac"
    trainer._open(link)
    first, second = link.sent
    assert (first.method, second.method) == ("ppo", "sac")
    assert Path(first.folder).name.startswith("ppo_")
    assert Path(second.folder).name.startswith("sac_")
    app.close()

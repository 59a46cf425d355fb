"""The worker of a trainer in a scene: what it tells, and what it takes while it learns."""

from __future__ import annotations

import pytest

from ai.messages import ChangePpo, OpenPpo, PausePpo, PolicyLearnt, TrainingStopped
from ai.workers.ppo import PpoService
from base.worker.service import WorkerRequestError
from tests.ai.learning.ppo.lights import Lights
from tests.ai.learning.ppo.test_ppo import SMALL

PLACE = f"{__name__}:open_lights"


class ClosableLights(Lights):
    closed = 0

    def close(self) -> None:
        ClosableLights.closed += 1


def open_lights(scene, count):
    if scene == "broken":
        raise OSError("no such lamps")
    return ClosableLights(count)


def order(folder, scene="lights", steps=3 * 128, **live) -> OpenPpo:
    return OpenPpo(scene, PLACE, steps, 4, SMALL, {"rate": 0.01, "clip": 0.2, **live}, str(folder))


def test_each_update_is_told_with_its_policy_and_changes_count_from_the_next_one(tmp_path) -> None:
    told = []

    def listen() -> None:
        if len(told) == 2:
            service.handle(ChangePpo({"rate": 0.02, "clip": 0.3}), print)

    service = PpoService(told.append, listen)
    service.handle(order(tmp_path), print)
    service.learn()
    assert [type(item) for item in told] == [PolicyLearnt] * 4
    assert [len(item.lines) for item in told] == [0, 1, 1, 1]
    assert [item.is_done for item in told] == [False, False, False, True]
    assert [line["clip"] for item in told for line in item.lines] == [0.2, 0.3, 0.3]
    rates = [line["rate"] for item in told for line in item.lines]
    assert rates == pytest.approx([0.01, 0.02 * 2 / 3, 0.02 / 3], rel=1e-4)  # they are annealed
    weights = [item.policy.layers[0][0].tobytes() for item in told]
    assert len(set(weights)) == 4
    assert ClosableLights.closed == 2

    again: list[PolicyLearnt] = []
    service = PpoService(again.append, lambda: None)
    service.handle(order(tmp_path), print)
    service.learn()
    (whole,) = again
    assert whole.is_done
    assert [line["update"] for line in whole.lines] == [1, 2, 3]
    assert whole.policy.layers[0][0].tobytes() == weights[-1]


def test_what_cannot_be_learnt_is_told_once_and_other_messages_are_refused(tmp_path) -> None:
    told: list[TrainingStopped] = []
    service = PpoService(told.append, lambda: None)
    service.handle(order(tmp_path, "broken"), print)
    service.learn()
    service.learn()
    assert [item.reason for item in told] == ["no such lamps"]
    service.handle(PausePpo(True), print)
    assert service.is_paused
    with pytest.raises(WorkerRequestError, match="expected a message of PPO, found str"):
        service.handle("words", print)

"""The worker of a trainer in a scene: what it tells, and what it takes while it learns."""

from __future__ import annotations

import pytest

from ai.messages import ChangePpo, OpenPpo, PausePpo, PolicyLearnt, TrainingStopped
from ai.workers.ppo import FORMER, PpoService, opener_of
from base.worker.service import WorkerRequestError
from tests.ai.learning.ppo.lights import ARRAYS, Lights
from tests.ai.learning.ppo.seats import TWO, Seats
from tests.ai.learning.ppo.test_ppo import SMALL

PLACE = f"{__name__}:open_lights"


class ClosableLights(Lights):
    closed = 0

    def close(self) -> None:
        ClosableLights.closed += 1


def open_arrays(scene, count):
    return ClosableLights(count, ARRAYS)


def open_lights(scene, count):
    if scene == "broken":
        raise OSError("no such lamps")
    return ClosableLights(count)


class ClosableSeats(Seats):
    closed = 0

    def close(self) -> None:
        ClosableSeats.closed += 1


def open_seats(scene, count):
    return ClosableSeats(count, TWO)


def team_order(folder, policies, *, is_self_play=False, **more) -> OpenPpo:
    settings = {"envs": 4, "horizon": 16, "hidden": 8, "minibatches": 2, **more}
    return OpenPpo("seats", f"{__name__}:open_seats", 2 * 64, 4, settings,
                   {"rate": 0.01, "clip": 0.3}, str(folder), policies, is_self_play)  # fmt: skip


def told_of(request: OpenPpo) -> list:
    told: list = []
    service = PpoService(told.append, lambda: None)
    service.handle(request, print)
    service.learn()
    return told


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
    weights = [item.policies[0][0].layers[0][0].tobytes() for item in told]
    assert len(set(weights)) == 4
    assert ClosableLights.closed == 2

    again: list[PolicyLearnt] = []
    service = PpoService(again.append, lambda: None)
    service.handle(order(tmp_path), print)
    service.learn()
    (whole,) = again
    assert whole.is_done
    assert [line["update"] for line in whole.lines] == [1, 2, 3]
    assert whole.policies[0][0].layers[0][0].tobytes() == weights[-1]


def test_soft_actor_critic_learns_by_the_same_messages(tmp_path) -> None:
    settings = {"envs": 4, "horizon": 32, "start": 64, "hidden": 8, "batch_size": 32}
    told = told_of(OpenPpo("arrays", f"{__name__}:open_arrays", 2 * 128, 4, settings,
                           {"rate": 0.01, "clip": 0.2}, str(tmp_path), method="sac"))  # fmt: skip
    assert [len(item.lines) for item in told] == [0, 1, 1]
    assert told[-1].is_done
    assert told[-1].lines[0]["temperature"] > 0.0
    assert told[-1].lines[0]["rate"] == 0.01
    assert told[-1].policies[0][0].is_squashed


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


def test_teams_have_policies_of_their_own_and_what_may_change_does_for_each(tmp_path) -> None:
    told = told_of(team_order(tmp_path, "teams"))
    assert [type(item) for item in told] == [PolicyLearnt] * 3
    assert [[members for _, members in item.policies] for item in told] == [[(0,), (1,)]] * 3
    (last,) = told[-1].lines
    assert {name: part["clip"] for name, part in last["policies"].items()} == {
        "red": 0.3, "blue": 0.3,
    }  # fmt: skip
    weights = {policy.layers[0][0].tobytes() for item in told for policy, _ in item.policies}
    assert len(weights) == 6
    assert told[-1].is_done
    assert ClosableSeats.closed == 2


def test_a_shared_policy_plays_its_past_and_is_taken_up_again(tmp_path) -> None:
    request = team_order(tmp_path, "shared", is_self_play=True, pool=3)
    told = told_of(request)
    ((policy, members),) = told[-1].policies
    assert members == (0, 1)
    assert sorted(file.name for file in (tmp_path / "pool").iterdir()) == [
        "000000.npz", "000002.npz",
    ]  # fmt: skip
    (again,) = told_of(request)
    assert [line["update"] for line in again.lines] == [1, 2]
    assert again.policies[0][0].layers[0][0].tobytes() == policy.layers[0][0].tobytes()


def test_who_cannot_share_is_told_in_one_line(tmp_path) -> None:
    (found,) = told_of(team_order(tmp_path, "teams", is_self_play=True))
    assert found.reason.startswith("--self-play: expected --policies shared")


def test_copies_are_opened_by_the_names_of_before_too(caplog) -> None:
    for former in FORMER:
        assert opener_of(former).__name__ == "open_vector_world"
        assert f"{former} is now sim.app.vector_world:open_vector_world" in caplog.text

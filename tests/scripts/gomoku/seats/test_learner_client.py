"""A trainer that died between saving what it learnt and saying so."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from ai.messages import LearnerOpened, TrainDone
from base.errors import WorkerError
from scripts.gomoku.seats.learner_client import LearnerClient

WEIGHTS = {"a": 1}


def take(*, retrained: bool, trained: int, opened: int | None, played: int):
    """Return what the seat takes next, after a training's answer from a trainer opened again."""

    async def background(pending):
        return pending

    done = TrainDone(0, 3, retrained, trained, WEIGHTS if retrained else None, None, {})
    answer = None if opened is None else LearnerOpened(opened, WEIGHTS, None, 3, {})
    coach = SimpleNamespace(
        _reopened=answer, _newest=None, background=background,
        seat=SimpleNamespace(network_id=played),
    )  # fmt: skip
    asyncio.run(LearnerClient._apply_reopened(coach, done))
    assert coach._reopened is None
    return coach._newest


def test_weights_that_were_saved_and_never_sent_are_taken():
    found = take(retrained=False, trained=5, opened=5, played=4)
    assert (found.network_id, found.weights) == (5, WEIGHTS)


@pytest.mark.parametrize(
    ("retrained", "trained", "opened", "played"),
    [(True, 6, 5, 4), (False, 5, None, 4), (False, 5, 5, 5), (False, 3, 5, 4)],
)
def test_others_are_not(retrained, trained, opened, played):
    assert take(retrained=retrained, trained=trained, opened=opened, played=played) is None


class GivenUp:
    """A learner's link that was given up, until somebody restarts it."""

    failure = "given up"

    def request(self, request):
        return SimpleNamespace(request=request, error=self.failure)


@pytest.mark.parametrize("is_training_on", [True, False])
def test_a_game_waits_for_the_restart_of_a_trainer_that_was_given_up(is_training_on):
    link, shown = GivenUp(), []

    async def background(pending):
        if pending.error:
            raise WorkerError(pending.error)
        return "learnt"

    async def until(condition):
        if is_training_on:
            assert not condition(), "the panel offers the restart"
            link.failure = ""
        assert condition()

    coach = SimpleNamespace(
        link=link, background=background, until=until, is_training_on=is_training_on, skipped=0,
        _progress_of=lambda game: None,
        status=SimpleNamespace(
            set=lambda key, text, busy: shown.append(text), clear=lambda key: None
        ),
    )  # fmt: skip
    done = asyncio.run(LearnerClient._trained(coach, SimpleNamespace(game=3)))
    assert shown == ["The trainer process was given up: restart it"]
    assert (done, coach.skipped) == (("learnt", 0) if is_training_on else (None, 1))


def loaded(answer):
    """Let a client load a file whose request has this answer, or fails with it; return it."""
    told, logged, listed = [], [], []

    async def background(pending):
        if isinstance(pending, Exception):
            raise pending
        return pending

    async def list_checkpoints():
        listed.append(True)

    client = SimpleNamespace(
        _change_log=SimpleNamespace(game=7, expect=lambda *words: logged.append(words)),
        statistics={"network_id": 2}, games_learnt=6, _newest=None, background=background,
        link=SimpleNamespace(request=lambda request: answer), log_statistics=logged.append,
        _show_status=lambda text, is_error=False: told.append((text, is_error)),
        _list_checkpoints=list_checkpoints,
    )  # fmt: skip
    asyncio.run(LearnerClient._load_learnt(client, "white.learnt"))
    return client, told, logged, listed


def test_what_a_file_holds_is_played_from_the_next_game_on():
    client, told, logged, listed = loaded(LearnerOpened(41, WEIGHTS, 57, {"nodes": 231}))
    assert (client._newest.network_id, client._newest.weights) == (41, WEIGHTS)
    assert (client.games_learnt, client.statistics) == (57, {"nodes": 231})
    assert told == [("loaded white.learnt: 231 positions, played from the next game on", False)]
    assert logged == [("loaded", 2, 41), 7]
    assert listed == [True]


def test_a_wrong_file_is_one_line_and_changes_nothing():
    client, told, logged, listed = loaded(WorkerError("white.learnt: expected another checksum"))
    assert (client._newest, client.games_learnt, client.statistics) == (None, 6, {"network_id": 2})
    assert told == [("not loaded: white.learnt: expected another checksum", True)]
    assert (logged, listed) == ([], [])

"""The player worker, in its own process and in this one."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest

from ai import Board, Limit, MoveChoice, Rules
from ai.messages import (
    CompileDone,
    CompileKernels,
    Configure,
    LoadCheckpoint,
    LoadWeights,
    MoveChosen,
    PlayRequest,
    Ready,
    WeightsLoaded,
)
from ai.workers import compiler, player
from base.worker.failure import Failure
from base.worker.service import WorkerRequestError, serve
from tests.ai.workers.worker_processes import ask, running

RULES = Rules(7, 5, full_board_winner=-1)
GENETIC = Configure("genetic", RULES, {"randomness": "fresh"})


def request(moves=(24, 25), seed=1, ply=None):
    ply = len(moves) if ply is None else ply
    return PlayRequest(session=4, game=2, ply=ply, moves=tuple(moves), limit=Limit(), seed=seed)


def test_a_worker_plays_fails_and_lives_on():
    with running(player.main, jit=False) as (connection, process):
        failure = ask(connection, request())[-1]
        assert (failure.stage, failure.kind) == ("request", "WorkerRequestError")
        assert "expected Configure first" in failure.text
        ready = ask(connection, GENETIC, 2)[-1]
        assert ready.compiled is False
        chosen = ask(connection, request(), 3)[-1]
        assert isinstance(chosen, MoveChosen)
        assert (chosen.session, chosen.game, chosen.ply) == (4, 2, 2)
        assert len(chosen.choice.explanation["population"]) == 10
        if hasattr(signal, "SIGINT") and sys.platform != "win32":
            os.kill(process.pid, signal.SIGINT)
        assert ask(connection, request((24, 24)), 4)[-1].kind == "IllegalMoveError"
        assert isinstance(ask(connection, request("no"), 5)[-1], Failure)
        assert ask(connection, ["what is this"], 6)[-1].kind == "WorkerRequestError"
        assert ask(connection, Configure("genetik", RULES), 7)[-1].kind == "UnknownPlayerError"
        again = ask(connection, request(), 8)[-1]
        assert again.choice.move == chosen.choice.move
        assert again.choice.explanation == chosen.choice.explanation


def test_a_worker_plays_compiled_as_it_does_uncompiled():
    with running(player.main, jit=True, nice=1, environment={"OMP_NUM_THREADS": "2"}) as (ours, _):
        assert ask(ours, GENETIC)[-1].compiled is True
        fast = ask(ours, request(seed=11))[-1]
    with running(player.main, jit=False) as (ours, _):
        assert ask(ours, GENETIC)[-1].compiled is False
        slow = ask(ours, request(seed=11))[-1]
    assert fast.choice.explanation == slow.choice.explanation


def test_the_compile_worker_has_nothing_to_do_where_all_is_compiled():
    with running(compiler.main) as (ours, _):
        (done,) = ask(ours, CompileKernels(("alpha-beta",)))
        assert done == CompileDone(True, done.seconds)
        assert ask(ours, GENETIC, 2)[-1].kind == "WorkerRequestError"


class FakePipe:
    def __init__(self, *messages):
        self.messages = list(messages)
        self.sent = []

    def recv(self):
        if not self.messages:
            raise EOFError
        message = self.messages.pop(0)
        if isinstance(message, Exception):
            raise message
        return message

    def send(self, message):
        if isinstance(message[2], OSError):
            raise message[2]
        self.sent.append(message)


def test_progress_comes_before_the_answer():
    pipe = FakePipe((5, True, "ask"))

    def handle(payload, report):
        report("half")
        return payload + "ed"

    serve(pipe, handle)
    assert pipe.sent == [(5, False, "half"), (5, True, "asked")]


def test_request_zero_is_not_answered_but_its_errors_are():
    pipe = FakePipe((0, True, "fine"), (0, True, "bad"))

    def handle(payload, report):
        report("unheard")
        if payload == "bad":
            raise ValueError("no good")

    serve(pipe, handle)
    ((number, _, failure),) = pipe.sent
    assert (number, failure.kind, failure.text) == (0, "ValueError", "no good")


def test_a_message_that_cannot_be_read_does_not_end_the_worker():
    pipe = FakePipe(ModuleNotFoundError("No module named 'gone'"), "nonsense", (1, True, "fine"))
    serve(pipe, lambda payload, report: payload)
    assert [payload.kind for _, _, payload in pipe.sent[:2]] == [
        "ModuleNotFoundError",
        "ValueError",
    ]
    assert pipe.sent[-1] == (1, True, "fine")


def test_a_parent_that_is_gone_ends_the_worker():
    pipe = FakePipe((1, True, BrokenPipeError()), (2, True, "never read"))
    serve(pipe, lambda payload, report: payload)
    assert pipe.messages == [(2, True, "never read")]


@dataclass
class FakePlayer:
    name: str = "fake"
    move: int = 0
    network_id: int = -1
    closed: bool = False

    def choose(self, board, limit, rng):
        return MoveChoice(self.move)

    def load_weights(self, network_id, weights):
        self.network_id = network_id

    def close(self):
        self.closed = True


FAKES: list[FakePlayer] = []


def create_fake(rules, settings):
    FAKES.append(FakePlayer())
    return FAKES[-1]


def create_broken(rules, settings):
    raise RuntimeError("will not start")


@pytest.fixture
def service():
    FAKES.clear()
    service = player.PlayerService()
    fake = Configure(f"{__name__}:create_fake", RULES)
    assert isinstance(service.handle(fake, None), Ready)
    return service


def test_an_illegal_answer_of_a_player_is_an_error(service):
    FAKES[0].move = 24
    with pytest.raises(WorkerRequestError, match="expected a legal move from fake, found 24"):
        service.handle(request(), None)


def test_weights_are_handed_on(service):
    weights = {"dense": np.zeros(3, np.float32)}
    assert service.handle(LoadWeights(7, weights), None) == WeightsLoaded(7)
    assert FAKES[0].network_id == 7
    service.handle(GENETIC, None)
    with pytest.raises(WorkerRequestError, match="takes weights, found genetic"):
        service.handle(LoadWeights(8, weights), None)
    with pytest.raises(WorkerRequestError, match="reads checkpoints, found genetic"):
        service.handle(LoadCheckpoint(8, "nowhere"), None)


def test_a_player_is_closed_when_another_takes_its_place(service):
    with pytest.raises(RuntimeError):
        service.handle(Configure(f"{__name__}:create_broken", RULES), None)
    assert not FAKES[0].closed
    assert service.handle(request(()), None).choice.move == 0
    service.handle(GENETIC, None)
    assert FAKES[0].closed


def test_messages_are_frozen():
    with pytest.raises(FrozenInstanceError):
        GENETIC.player = "random"
    assert Board(RULES).ply == 0

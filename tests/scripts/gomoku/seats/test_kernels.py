"""What plays and judges while fast code is being compiled is provisional, and is done again."""

from __future__ import annotations

from collections.abc import Coroutine
from types import SimpleNamespace
from typing import Any

import pytest

from ai import GameRecord, Limit, MoveChoice, PositionValue, Rules, get_player_info
from ai.messages import (
    AskKernels,
    CompileDone,
    CompileKernels,
    CompileProgress,
    Configure,
    EvaluatePosition,
    KernelState,
    MoveChosen,
    PlayRequest,
    Ready,
)
from scripts.gomoku.game.match_screen import provisional_note
from scripts.gomoku.history.evaluation import GameEvaluation
from scripts.gomoku.seats.kernels import compile_kernels
from scripts.gomoku.seats.seat import PlayerWorker

RULES = Rules(15)
ALPHA_BETA = Configure("alpha-beta", RULES)
MOVES = (112, 113)
NODES = get_player_info("alpha-beta").plain_nodes


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine that waits for nothing, and return its result."""
    with pytest.raises(StopIteration) as ended:
        coroutine.send(None)
    return ended.value.value


class FakeLink:
    """A worker in whose machine fast code is there after a few looks."""

    failure = ""

    def __init__(self, looks: int = 0) -> None:
        self.looks = looks
        self.asked: list[Any] = []
        self.restarts = 0

    @property
    def is_fast(self) -> bool:
        return self.restarts > 0

    def request(self, payload: Any) -> Any:
        self.asked.append(payload)
        match payload:
            case Configure():
                return Ready(self.is_fast, 0.0, not self.is_fast)
            case AskKernels():
                self.looks -= 1
                return KernelState(not self.is_fast, self.looks < 0)
            case PlayRequest():
                return MoveChosen(1, 0, payload.ply, MoveChoice(1), 0.0)
            case EvaluatePosition():
                ply = len(payload.moves)
                return PositionValue(
                    ply, 0.5 if self.is_fast else 0.1, False, None, "alpha-beta",
                    is_provisional=not self.is_fast,
                )  # fmt: skip
        return None

    def restart(self) -> None:
        self.restarts += 1


def script_with(link: FakeLink, *, seeded: bool = False, instant: bool = False) -> Any:
    async def background(answer: Any) -> Any:
        return answer

    async def seconds(number: float) -> None:
        run_.elapsed += number

    async def until(condition: Any) -> None:
        run_.elapsed += 2.0
        assert condition()

    run_ = SimpleNamespace(seeded=seeded, offering=None, project=None, elapsed=0.0, headless=False)
    return SimpleNamespace(
        run=run_, time=SimpleNamespace(instant=instant), slot=None, background=background,
        until=until, seconds=seconds, workers=SimpleNamespace(open=lambda *_, **__: link),
        start_coroutine=lambda coroutine: SimpleNamespace(done=True, value=run(coroutine)),
    )  # fmt: skip


def test_a_player_without_its_fast_code_looks_at_little_and_is_renewed_when_it_is_there():
    link = FakeLink(looks=1)
    worker = PlayerWorker(script_with(link), "white")
    run(worker.sit_down(ALPHA_BETA))
    assert worker.is_provisional
    run(worker.choose(MOVES, seed=1))
    assert link.asked[-1].limit == Limit(nodes=NODES)
    run(worker.choose(MOVES, seed=1, limit=Limit(seconds=2.0, nodes=7)))
    assert link.asked[-1].limit == Limit(seconds=2.0, nodes=7)
    run(worker.sit_down(ALPHA_BETA))
    assert (worker.is_provisional, link.restarts) == (True, 0), "not yet"
    run(worker.sit_down(ALPHA_BETA))
    assert (worker.is_provisional, link.restarts) == (False, 1)
    assert worker.player == ALPHA_BETA
    run(worker.choose(MOVES, seed=1))
    assert link.asked[-1].limit == Limit()


@pytest.mark.parametrize("repeatable", [{"seeded": True}, {"instant": True}])
def test_runs_that_can_be_repeated_keep_their_limits(repeatable):
    link = FakeLink()
    worker = PlayerWorker(script_with(link, **repeatable), "white")
    run(worker.sit_down(ALPHA_BETA))
    run(worker.choose(MOVES, seed=1))
    assert link.asked[-1].limit == Limit()


def test_measured_games_keep_their_limits():
    link = FakeLink()
    worker = PlayerWorker(script_with(link), "white", keeps_limits=True)
    run(worker.sit_down(ALPHA_BETA))
    run(worker.choose(MOVES, seed=1, limit=Limit(nodes=5000)))
    assert link.asked[-1].limit == Limit(nodes=5000)


def test_another_player_gets_a_new_process_while_code_is_missing():
    link = FakeLink()
    worker = PlayerWorker(script_with(link), "white")
    run(worker.sit_down(ALPHA_BETA))
    assert link.restarts == 0
    run(worker.sit_down(Configure("mcts", RULES)))
    assert link.restarts == 1


def test_a_review_made_meanwhile_is_provisional_and_made_again():
    link, wanted = FakeLink(looks=3), []
    evaluation = GameEvaluation(script_with(link))
    evaluation.want_kernels = wanted.append
    seen: list[float] = []
    ask = link.request

    def request(payload: Any) -> Any:
        if isinstance(payload, AskKernels):
            assert evaluation.is_provisional
            seen[:] = [evaluation.values[ply].value for ply in range(3)]
        return ask(payload)

    link.request = request
    evaluation.begin(_record())
    assert wanted == ["evaluation"]
    assert seen == [0.1, 0.1, 0.1]
    assert [evaluation.values[ply].value for ply in range(3)] == [0.5, 0.5, 0.5]
    assert not evaluation.is_provisional
    assert link.restarts == 1


def _record() -> GameRecord:
    return GameRecord(RULES, MOVES, 0, "full", 1)


def test_code_is_compiled_part_by_part_for_those_who_wait_now():
    users = iter((["alpha-beta"], ["mcts"], []))
    answers = iter(
        (CompileProgress(1, 3, "a", 0.1), CompileProgress(2, 3, "b", 0.2), CompileDone(True, 0.3))
    )
    asked, said = [], []

    def request(payload: CompileKernels) -> Any:
        asked.append(payload.first)
        return next(answers)

    link = SimpleNamespace(request=request, close=lambda: said.append("closed"))
    script = script_with(link)
    script.status = SimpleNamespace(
        set=lambda name, text, **_: said.append(text), clear=lambda name: said.append("cleared")
    )
    assert run(compile_kernels(script, lambda: next(users))).compiled
    assert asked == [("alpha-beta",), ("mcts",), ()]
    assert "2 of 3" in said[2]
    assert said[-2:] == ["closed", "cleared"]


def test_insight_says_who_is_provisional():
    def seat(title: str, *, is_provisional: bool) -> Any:
        info = SimpleNamespace(title=title)
        return SimpleNamespace(info=info, is_provisional=is_provisional)

    slow, fast = seat("alpha-beta", is_provisional=True), seat("you", is_provisional=False)
    assert provisional_note((slow, fast)).startswith("Provisional: the fast code of alpha-beta is")
    assert provisional_note((fast, fast)) == ""

"""While kernels are not compiled the plain twin answers, in bounded work, and what waits comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from ai.game import Rules
from ai.kernels import cache
from ai.messages import (
    AskKernels,
    CompileDone,
    CompileKernels,
    Configure,
    EvaluatePosition,
    KernelState,
    PlayRequest,
)
from ai.players.base import Limit
from ai.registry.players import get_player_info
from ai.workers import compiler, player
from ai.workers.kernels import EVALUATION, KernelChoice, kernels_needed
from tests.ai.workers.worker_processes import ask, running

RULES = Rules(15)
MOVES = (112, 113, 97, 98, 127)
NODES = get_player_info("alpha-beta").plain_nodes


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for compiled kernels."""
    folder = tmp_path / "kernels"
    folder.mkdir()
    monkeypatch.setattr(cache, "cache_directory", lambda: folder)
    return folder


def test_the_plain_twin_answers_at_once_from_an_empty_cache(tmp_path):
    environment = {"XDG_CACHE_HOME": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "numba")}
    with running(player.main, environment=environment) as (ours, _):
        ready = ask(ours, Configure("alpha-beta", RULES))[-1]
        assert (ready.compiled, ready.is_first_choice) == (False, True)
        request = PlayRequest(1, 1, len(MOVES), MOVES, Limit(nodes=NODES), 1)
        chosen = ask(ours, request)[-1]
        assert 0 < chosen.choice.explanation["nodes"] <= NODES + 1
        value = ask(ours, EvaluatePosition(RULES, MOVES))[-1]
        assert value.is_provisional
        assert ask(ours, AskKernels())[-1] == KernelState(is_provisional=True, is_ready=False)
        (folder,) = (tmp_path / "goishi" / "kernels").iterdir()
        (folder / "compiled").mkdir()
        for name in kernels_needed(EVALUATION):
            (folder / "compiled" / name).touch()
        assert ask(ours, AskKernels())[-1] == KernelState(is_provisional=True, is_ready=True)
    assert not list(folder.glob("**/*.nbi")), "nothing was compiled in the player's process"


def test_a_process_chooses_once(empty_cache, monkeypatch):
    chosen = []
    monkeypatch.setattr(
        "ai.workers.kernels.configure_environment", lambda *, jit: chosen.append(jit)
    )
    KernelChoice(jit=True).use("mcts")
    KernelChoice(jit=False).use("mcts")
    assert chosen == [True, False]
    choice = KernelChoice()
    assert choice.is_open
    choice.use("mcts")
    assert chosen[2:] == [False]
    (empty_cache / "compiled").mkdir()
    for name in kernels_needed("mcts"):
        (empty_cache / "compiled" / name).touch()
    choice.use("mcts")
    assert chosen[2:] == [False]
    other = KernelChoice()
    other.use("mcts")
    assert chosen[3:] == [True], "its own are there, if not those of others"
    (empty_cache / "complete").touch()
    assert not KernelChoice().is_open


def test_those_are_compiled_first_who_are_waited_for(empty_cache, monkeypatch):
    done = []

    def compile_module(name: str) -> None:
        done.append(name)
        (empty_cache / "compiled").mkdir(exist_ok=True)
        (empty_cache / "compiled" / name).touch()

    monkeypatch.setattr(compiler, "compile_module", compile_module)
    monkeypatch.setattr(compiler, "begin_compiling", lambda: None)
    monkeypatch.setattr(compiler.os, "cpu_count", lambda: 2)
    service = compiler.CompileService()

    def compile_for(*first: str, count: int) -> list[str]:
        del done[:]
        for _ in range(count):
            service.handle(CompileKernels(first), print)
        return list(done)

    alpha_beta, mcts = kernels_needed("alpha-beta"), kernels_needed("mcts")
    assert compile_for("alpha-beta", "mcts", count=3) == list(alpha_beta[:3])
    second = [name for name in mcts if name not in alpha_beta[:3]]
    assert compile_for("mcts", "alpha-beta", count=len(second)) == second, "who sits down now"
    third = [name for name in alpha_beta[3:] if name not in mcts]
    assert compile_for("mcts", "alpha-beta", count=len(third)) == third
    assert not cache.is_compiled()
    answer = service.handle(CompileKernels(), print)
    while not isinstance(answer, CompileDone):
        assert answer.step < answer.steps
        answer = service.handle(CompileKernels(), print)
    assert answer.compiled
    assert cache.is_compiled()
    assert not cache.missing(cache.kernel_modules())


def test_a_machine_that_cannot_compile_says_why(empty_cache, monkeypatch):
    def refuse() -> None:
        raise cache.KernelCompilationError("no numba")

    monkeypatch.setattr(compiler, "begin_compiling", refuse)
    answer = compiler.CompileService().handle(CompileKernels(("genetic",)), print)
    assert (answer.compiled, answer.reason) == (False, "no numba")

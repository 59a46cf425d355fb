"""Compiled kernels and their uncompiled twin, in a process each, must play alike."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ai.kernels import cache

ROOT = Path(__file__).parents[3]

PROGRAM = """
import json, sys
from ai.kernels import cache
cache.configure_environment(jit=sys.argv[1] == "compiled")
import numpy as np
from ai import Board, Limit, Rules, create_player
from ai.evaluators.base import UniformEvaluator
from ai.search.uct import Uct
from ai.kernels.jit import is_jit_enabled

def play(rules, settings, opponent, seed, plies):
    board, rng = Board(rules), np.random.default_rng(seed)
    players = [create_player("genetic", rules, settings), create_player(opponent, rules)]
    reasons = []
    while board.outcome() is None and board.ply < plies:
        choice = players[board.ply % 2].choose(board, Limit(), rng)
        reasons.append(repr(sorted(choice.explanation.items())))
        board.play(choice.move)
    return board.moves, reasons

games = [
    play(Rules(7), {}, "random", 1, 49),
    play(Rules(7), {"randomness": "board-seeded"}, "pattern", 2, 49),
    play(Rules(7), {"fitness": "sum-of-steps", "mutation": 1.0}, "pattern", 3, 49),
    play(Rules(15), {"fitness": "final-position"}, "genetic", 4, 8),
    play(Rules(9, 5, exact=True), {"population": 4}, "pattern", 5, 12),
    play(Rules(3, 3), {}, "random", 6, 9),
    play(Rules(8, 7), {"population": 4, "generations": 3}, "random", 7, 8),
    play(Rules(6), {"default_policy": True}, "minimax-q", 8, 6),
    play(Rules(6, 4, exact=True), {"default_policy": True}, "pattern", 9, 16),
    play(Rules(6, 4), {"default_policy": True}, "convolution", 10, 16),
]

def grow(rules, seed, plies, **settings):
    tree, board, rng = Uct(rules, memory=2, **settings), Board(rules), np.random.default_rng(seed)
    reasons = []
    while board.outcome() is None and board.ply < plies:
        found = tree.search(board, UniformEvaluator(), Limit(nodes=60), rng)
        reasons.append(repr((found.moves, found.lines, found.depth, found.kept)))
        board.play(found.move)
    return board.moves, reasons

games += [
    grow(Rules(15), 1, 6),
    grow(Rules(7, 5, full_board_winner=-1), 2, 6, region=1, cp=0.5),
    grow(Rules(9, 4, exact=True), 3, 8, selection="exp3", region=3),
    grow(Rules(20, 9), 4, 5, keeps_tree=False),
]
def search(rules, plies):
    player, board, rng = create_player("alpha-beta", rules), Board(rules), np.random.default_rng(5)
    reasons = []
    while board.outcome() is None and board.ply < plies:
        choice = player.choose(board, Limit(nodes=150), rng)
        reasons.append(repr((choice.value, sorted(choice.explanation.items()))))
        board.play(choice.move)
    return board.moves, reasons

games += [search(Rules(15), 10), search(Rules(9, exact=True), 10)]

from ai.search.threes import ThreeSearch

def threats(rules, moves):
    board, found = Board.from_moves(moves, rules), ThreeSearch(rules).find
    return board.moves, [repr(found(board, Limit(nodes=nodes))) for nodes in (30, 700)]

won = "f8 h10 h7 j10 i8 j9 g10 j8 j7 h9 g7 i7 h6 e9 h5 h8 i6 j11 j12 h11 h12 g4"
crossed = "h8 a1 h9 o1 i10 a15 j10 o15"
games += [threats(Rules(15), won), threats(Rules(15, 5, "renju"), crossed)]

def guided(rules, settings, plies):
    board, rng = Board(rules), np.random.default_rng(0)
    reasons = []
    while board.outcome() is None and board.ply < plies:
        player = create_player(("mcts-nn", "move-net")[board.ply % 2], rules, settings[board.ply % 2])
        choice = player.choose(board, Limit(nodes=3), rng)
        reasons.append(repr(sorted(choice.explanation.items())))
        board.play(choice.move)
    return board.moves, reasons

games.append(guided(Rules(6, 4), ({"memory": 1}, {}), 6))

from ai.search.puct import Puct, PuctSettings
from tests.ai.search.plain_puct import Drawn

def by_policy(rules, plies, **settings):
    tree = Puct(rules, Drawn(), PuctSettings(memory=1, **settings))
    board, rng = Board(rules), np.random.default_rng(6)
    reasons = []
    while board.outcome() is None and board.ply < plies:
        found = tree.search(board, Limit(nodes=40), rng)
        reasons.append(repr((found.moves, found.lines, found.depth, found.kept)))
        board.play(found.move)
    return board.moves, reasons

games += [by_policy(Rules(6, 4), 12, noise=0.25), by_policy(Rules(15), 5, batch=8, decay=0.9)]
json.dump({"compiled": is_jit_enabled(), "games": games}, sys.stdout)
"""

WALK = """
import hashlib, json, sys
from ai.kernels import cache
cache.configure_environment(jit=sys.argv[1] == "compiled")
import numpy as np
from ai import Rules
from ai.kernels.jit import fields_of, is_jit_enabled
from ai.kernels.moves import place, take_back
from ai.kernels.position import KernelPosition

def walk(rules, steps):
    position, rng, digest = KernelPosition(rules), np.random.default_rng(steps), hashlib.sha256()
    fields = fields_of(position.record)
    for step in range(steps):
        ply = int(fields.ply)
        if ply == rules.points or (ply and rng.random() < 0.48):
            take_back(position.record, position.table)
        else:
            free = [m for m in range(rules.points) if fields.board[int(fields.cells[m])] == 0]
            place(position.record, position.table, free[int(rng.integers(len(free)))])
        state = [int(fields.key), *map(int, fields.points), *map(int, fields.stones)]
        digest.update(repr(state).encode())
        if step % 100 == 0:
            digest.update(bytes(map(int, fields.line_classes)))
    return digest.hexdigest()

rules = (Rules(15), Rules(15, exact=True), Rules(22), Rules(9, 7))
steps = int(sys.argv[2]) // len(rules)
walks = [walk(each, steps) for each in rules]
json.dump({"compiled": is_jit_enabled(), "walks": walks}, sys.stdout)
"""


def run(mode, directory, program=PROGRAM, *arguments):
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")
    } | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program, mode, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
        cwd=directory,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_identical_moves_and_reasons(tmp_path):
    compiled, twin = run("compiled", tmp_path), run("twin", tmp_path)
    assert (compiled["compiled"], twin["compiled"]) == (True, False)
    assert compiled["games"] == twin["games"]
    assert all(len(moves) >= 5 for moves, _ in compiled["games"])


@pytest.mark.timeout(900)
@pytest.mark.parametrize("steps", [400, pytest.param(100_000, marks=pytest.mark.nightly)])
def test_the_core_equals_its_twin_after_every_random_step(tmp_path, steps):
    compiled, twin = (run(mode, tmp_path, WALK, steps) for mode in ("compiled", "twin"))
    assert (compiled["compiled"], twin["compiled"]) == (True, False)
    assert compiled["walks"] == twin["walks"]
    assert len(set(twin["walks"])) == 4


def test_cache_folder_depends_on_the_kernel_sources(monkeypatch, tmp_path):
    sources = Path(cache.__file__).parent
    shutil.copytree(sources, tmp_path, dirs_exist_ok=True)
    here = cache.fingerprint.__wrapped__()
    assert cache.fingerprint.__wrapped__() == here
    monkeypatch.setattr(cache, "__file__", str(tmp_path / "cache.py"))
    before = cache.fingerprint.__wrapped__()
    assert before != here, "numba takes nothing that was compiled of a file elsewhere"
    os.utime(tmp_path / "moves.py", (1, 1))
    assert cache.fingerprint.__wrapped__() != before, "nor of the same file at another time"
    before = cache.fingerprint.__wrapped__()
    for changed in ("moves.py", "proof/moves.py"):
        with (tmp_path / changed).open("a") as stream:
            stream.write("# changed\n")
        assert cache.fingerprint.__wrapped__() != before
        before = cache.fingerprint.__wrapped__()


def test_a_cache_that_cannot_be_written_falls_back(monkeypatch, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    monkeypatch.setattr(cache.platformdirs, "user_cache_dir", lambda *_, **__: str(blocked))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = cache.cache_directory.__wrapped__()
    assert found.relative_to(tmp_path).parts[0].startswith("goishi-cache-")
    monkeypatch.setattr(tempfile, "tempdir", str(blocked))
    with pytest.raises(cache.KernelCompilationError, match="expected a writable cache folder"):
        cache.cache_directory.__wrapped__()


def test_kernels_without_numba_run_as_the_twin(tmp_path):
    program = (
        "import sys; sys.modules['numba'] = None\n"
        "from ai.kernels import cache, jit\n"
        "assert not jit.is_jit_enabled()\n"
        "from ai.kernels.position import KernelPosition\n"
        "from ai import Rules\n"
        "KernelPosition(Rules(7)).follow_moves([24, 25])\n"
        "try: cache.compile_all()\n"
        "except cache.KernelCompilationError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "expected a process with numba switched on" in done.stdout

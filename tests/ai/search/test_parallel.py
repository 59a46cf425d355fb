"""Threads that search together, and searches that another thread ends."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from ai.game import Board, Rules
from ai.kernels.alpha_beta.entries import entry_of, entry_score, keep
from ai.kernels.alpha_beta.layout import EXACT
from ai.kernels.jit import is_jit_enabled
from ai.players.base import Limit, Ponders
from ai.registry.players import create_player
from ai.search.base import SearchClock, Stop
from ai.search.parallel import Helpers
from ai.search.pattern_alpha_beta import PatternAlphaBeta

RULES = Rules(15)
OPEN = Board.from_moves("h8 i9 g9 h10 i10 g7 j7 f10", RULES)
NEEDS_KERNELS = pytest.mark.skipif(not is_jit_enabled(), reason="threads need compiled kernels")


def found_by(threads, limit, board=OPEN, **more):
    search = PatternAlphaBeta(board.rules, threads=threads, memory=1)
    return search.search(board, limit, np.random.default_rng(0), **more)


@NEEDS_KERNELS
def test_threads_share_the_positions_and_all_search():
    found = found_by(4, Limit(nodes=40_000))
    assert 20_000 < found.nodes <= 40_000
    alone = found_by(1, Limit(nodes=10_000))
    assert alone.nodes <= 10_000
    assert found.depth >= alone.depth, "the table knows what the others found"
    assert found.move in OPEN.legal_moves


def test_one_thread_is_repeatable_and_more_find_what_decides():
    first, second = (found_by(1, Limit(nodes=3000)) for _ in range(2))
    assert (first.move, first.scores, first.nodes) == (second.move, second.scores, second.nodes)
    for moves, best in (
        ("h8 a1 h9 c1 h10 e1", {"h7", "h11"}),
        ("h8 h7 h9 a1 h10 o15 h11", {"h12"}),
    ):
        board = Board.from_moves(moves, RULES)
        assert board.to_text(found_by(3, Limit(nodes=3000), board).move) in best


@NEEDS_KERNELS
def test_no_thread_is_left_after_a_search_that_failed():
    search = PatternAlphaBeta(RULES, threads=3, memory=1)
    search._deepen_alone = lambda *arguments: 1 / 0
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        search.search(OPEN, Limit(), np.random.default_rng(0))
    assert threading.active_count() == before


def test_there_are_as_many_helpers_as_threads_but_one():
    assert len(Helpers(RULES, 1)) == 0
    assert len(Helpers(RULES, 3)) == (2 if is_jit_enabled() else 0)


def test_an_entry_of_which_two_threads_wrote_a_word_each_fits_no_position():
    search = PatternAlphaBeta(RULES, memory=1)
    search.search(OPEN, Limit(nodes=1), np.random.default_rng(0))
    position, record, words = search._position.record, search._record, search._words
    keep(position, record, words, 20, 70, EXACT, 30)
    assert entry_score(entry_of(position, words)) == 70
    at = next(index for index in range(1, len(words), 2) if words[index])
    words[at] ^= 1 << 40
    assert entry_of(position, words) == -1


def test_a_search_ends_when_it_is_told_to():
    stop = Stop()
    threading.Timer(0.2, stop.set).start()
    began = time.monotonic()
    found = found_by(1, Limit(), stop=stop)
    assert found.move in OPEN.legal_moves
    assert 0.15 < time.monotonic() - began < 20.0
    assert found_by(1, Limit(), stop=stop).depth == 0, "what begins later ends at once"


def test_a_clock_tells_that_it_was_stopped():
    stop = Stop()
    clock = SearchClock(Limit(), stop)
    assert not clock.is_late()
    ended = []
    with stop.ending(lambda: ended.append(1)):
        stop.set()
    stop.set()
    assert ended == [1]
    assert clock.is_late()
    assert clock.spend()


def test_what_was_pondered_is_known_at_the_next_move():
    player = create_player("alpha-beta", RULES, {"nodes": "none", "memory": 1})
    assert isinstance(player, Ponders)
    board, rng = OPEN.copy(), np.random.default_rng(0)
    board.push(player.choose(board, Limit(nodes=2000), rng).move)
    stop = Stop()
    threading.Timer(1.0, stop.set).start()
    player.ponder(board, stop)
    reply = player._patterns.search(board, Limit(nodes=1), rng).move
    board.push(reply)
    known = player.choose(board, Limit(nodes=2000), rng).explanation
    fresh = create_player("alpha-beta", RULES, {"memory": 1})
    plain = fresh.choose(board, Limit(nodes=2000), rng).explanation
    assert known.depth >= plain.depth
    player.close()

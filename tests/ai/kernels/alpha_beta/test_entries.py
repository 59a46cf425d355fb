"""The transposition table: buckets, and what takes whose place."""

from __future__ import annotations

import pytest

from ai.game import Rules
from ai.kernels.alpha_beta import entries, layout
from ai.kernels.alpha_beta.pruning import MATE, is_skipped
from ai.kernels.jit import fields_of, new_record
from ai.kernels.position import KernelPosition
from ai.search.pattern_alpha_beta import PatternAlphaBeta, _new_words


@pytest.fixture
def table():
    """A position, a search's memory, and a table of one bucket."""
    position, trees = KernelPosition(Rules(9)), new_record(layout.TREE)
    return position, trees, _new_words(layout.BUCKET * layout.ENTRY_BYTES)


def keep(table, key, depth, *, score=5, age=0):
    position, trees, words = table
    position._fields.key, fields_of(trees).age = key, age
    entries.keep(position.record, trees, words, depth, score, layout.EXACT, 7)


def depths(table, keys):
    """Return the depth that is known of each key, None for none."""
    position, _, words = table
    found = []
    for key in keys:
        position._fields.key = key
        entry = entries.entry_of(position.record, words)
        found.append(None if entry < 0 else entries.depth_of(entry))
    return found


@pytest.mark.parametrize("score", [-layout.WIN, -1, 0, 1, layout.WIN])
def test_an_entry_says_what_was_kept(table, score):
    keep(table, 11, 9, score=score, age=63)
    entry = entries.entry_of(table[0].record, table[2])
    assert entries.entry_score(entry) == score
    assert (entries.depth_of(entry), entries.move_of(entry)) == (9, 7)
    assert entries.entry_bound(entry) == layout.EXACT
    assert entries.score_from(entry, 9, -1, 1) == score
    assert entries.score_from(entry, 10, -1, 1) == layout.UNDECIDED


def test_a_full_bucket_loses_its_shallowest_entry(table):
    for key, depth in ((1, 5), (2, 3), (3, 8), (4, 4)):
        keep(table, key, depth)
    assert depths(table, (1, 2, 3, 4)) == [5, 3, 8, 4]
    keep(table, 5, 1)
    assert depths(table, (1, 2, 3, 4, 5)) == [5, None, 8, 4, 1]
    keep(table, 3, 2)
    assert depths(table, (3,)) == [8], "a deeper one of the same position stays"


def test_an_entry_of_an_earlier_move_goes_first(table):
    for key, depth in ((1, 5), (2, 3), (3, 8), (4, 4)):
        keep(table, key, depth, age=63 if key == 3 else 1)
    keep(table, 5, 1, age=1)
    assert depths(table, (1, 2, 3, 4, 5)) == [5, 3, None, 4, 1]


def test_the_memory_is_fixed():
    for memory, expected in ((1, 1), (3, 2), (16, 16)):
        search = PatternAlphaBeta(Rules(9), memory=memory)
        assert search._memory == expected << 20
    with pytest.raises(KeyError, match=r"expected some of fours, .*, found 'speed'"):
        PatternAlphaBeta(Rules(9), tuning={"speed": 1})


def test_no_move_is_left_out_where_those_before_it_lose():
    search = PatternAlphaBeta(Rules(9))
    trees, fields = search._record, search._fields
    fields.moves[layout.WIDTH : layout.WIDTH + 50] = list(range(50))
    fields.kinds[layout.WIDTH : layout.WIDTH + 50] = [0] * 50
    fields.likely[1], fields.floors[1] = 0, 5000
    for best, expected in ((0, 1), (-MATE - 1, 0)):
        fields.best[1] = best
        assert is_skipped(trees, 1, 2, 20) == expected, best
    fields.best[1] = 0
    deep = int(fields.futility_depth) + 1
    for depth, place, score, expected in ((deep, 1, 0, 0), (2, 1, 0, 1), (2, 1, 20_000, 0)):
        fields.likely[1] = score
        assert is_skipped(trees, 1, depth, place) == expected, (depth, place, score)
    fields.likely[1], fields.kinds[layout.WIDTH + 20] = 0, 1
    assert is_skipped(trees, 1, 2, 20) == 0, "it is not quiet"

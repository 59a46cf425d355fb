"""Openings as phases: who decides, what may be said, and who sits where at the end."""

from __future__ import annotations

import doctest
import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ai.game.opening
from ai.game import (
    BLACK,
    EMPTY,
    FIRST,
    OPENING_NAMES,
    SECOND,
    WHITE,
    Choice,
    GameRecord,
    IllegalMoveError,
    OpeningKind,
    OpeningPhase,
    RecordError,
    Rules,
    RulesError,
    balanced_stones,
    opening_of,
)
from ai.game.opening import BALANCED_COUNT

FIFTEEN = Rules(15, 5)
BLACKS, WHITES, MORE = Choice.BLACK, Choice.WHITE, Choice.TWO_MORE


def begun(opening, *said):
    phase = OpeningPhase(FIFTEEN, opening)
    for step in said:
        phase = phase.after(step)
    return phase


def colors(size, stones):
    found = [EMPTY] * (size * size)
    for number, stone in enumerate(stones):
        found[stone] = WHITE if number % 2 else BLACK
    return found


SWAP2 = {
    "keeps White": ((WHITES,), FIRST),
    "swaps": ((BLACKS,), SECOND),
    "two more, the first takes White": ((MORE, 5, 6, WHITES), SECOND),
    "two more, the first takes Black": ((MORE, 5, 6, BLACKS), FIRST),
}


@pytest.mark.parametrize(("said", "black"), SWAP2.values(), ids=SWAP2)
def test_every_dialogue_of_swap2(said, black):
    phase = begun(OpeningKind.SWAP2)
    assert (phase.decider, phase.stones_wanted, phase.choices) == (FIRST, 3, ())
    for stone, left in ((0, 2), (1, 1), (2, 0)):
        phase = phase.after(stone)
        assert phase.stones_wanted == left
    assert (phase.decider, phase.choices) == (SECOND, (WHITES, BLACKS, MORE))
    for step in said:
        assert not phase.is_over
        assert phase.decider is (FIRST if step == said[-1] and len(said) > 1 else SECOND)
        phase = phase.after(step)
    assert phase.is_over
    assert (phase.choices, phase.stones_wanted) == ((), 0)
    assert phase.person_at(BLACK) is black
    assert phase.person_at(WHITE) is not black
    assert phase.color_of(black) == BLACK
    assert phase.has_swapped == (black is SECOND)
    assert len(phase.stones) == (5 if len(said) > 1 else 3)
    assert phase.last_placer is (SECOND if len(said) > 1 else FIRST)


def test_swap_offers_no_two_more():
    phase = begun(OpeningKind.SWAP, 0, 1, 2)
    assert phase.choices == (WHITES, BLACKS)
    with pytest.raises(IllegalMoveError, match=r"expected one of white, black; found <Choice"):
        phase.after(MORE)
    assert phase.after(BLACKS).has_swapped


@pytest.mark.parametrize(("opening", "far"), [(OpeningKind.PRO, 3), (OpeningKind.LONG_PRO, 4)])
def test_pro_leaves_the_middle(opening, far):
    phase = begun(opening)
    assert phase.points(colors(15, ())) == {112}  # h8
    phase = phase.after(112)
    assert (phase.decider, len(phase.points(colors(15, (112,))))) == (SECOND, 224)
    phase = phase.after(0)
    allowed = phase.points(colors(15, (112, 0)))
    wanted = {row * 15 + column for row in range(15) for column in range(15)
              if max(abs(row - 7), abs(column - 7)) >= far} - {0}  # fmt: skip
    assert (phase.decider, allowed) == (FIRST, wanted)
    assert phase.after(112 + far).is_over
    assert not phase.after(112 + far).has_swapped
    with pytest.raises(IllegalMoveError, match=f"{opening}: expected a stone outside the middle"):
        phase.after(112 + far - 1)
    with pytest.raises(IllegalMoveError, match="expected a stone at the centre, found 'a15'"):
        begun(opening).after(0)


def sat(opening, said):
    """Who sits at Black, told by hand: the last color that was taken."""
    if len(said) == 4:
        return SECOND if said[3] == BLACKS else FIRST
    if len(said) == 7:
        return FIRST if said[6] == BLACKS else SECOND
    return FIRST


@settings(max_examples=40, deadline=None)
@given(st.data(), st.sampled_from(OPENING_NAMES), st.integers(9, 22))
def test_every_legal_sequence_ends_with_the_right_person_at_each_color(data, name, size):
    phase, steps = OpeningPhase(Rules(size, 5), opening_of(name)), [()]
    while not phase.is_over:
        board = colors(size, phase.stones)
        options = phase.choices or sorted(phase.points(board))
        assert bool(phase.choices) != bool(phase.stones_wanted)
        assert options
        before, step = phase, data.draw(st.sampled_from(options))
        phase = phase.after(step)
        steps.append(phase.said)
        assert phase.before() == before
        values = json.loads(json.dumps(phase.as_dict()))
        assert OpeningPhase.from_dict(phase.rules, values) == phase
    assert len(phase.said) <= 7
    black = sat(phase.kind, phase.said)
    assert (phase.person_at(BLACK), phase.person_at(WHITE)) == (black, 1 - black)
    assert len(set(phase.stones)) == len(phase.stones)
    with pytest.raises(IllegalMoveError, match="nothing more of the opening"):
        phase.after(0)
    while phase.said:
        assert phase.said == steps.pop()
        phase = phase.before()
    with pytest.raises(IndexError, match="found none"):
        phase.before()


@pytest.mark.parametrize(
    ("phase", "said", "fault"),
    [
        (begun(OpeningKind.SWAP2), WHITES, "expected a point, found <Choice.WHITE"),
        (begun(OpeningKind.SWAP2, 3), 3, "expected an empty point of the board, found 3"),
        (begun(OpeningKind.SWAP2), 225, "found 225"),
        (begun(OpeningKind.SWAP2), True, "expected a point, found True"),
        (begun(OpeningKind.SWAP2, 0, 1, 2), 5, "expected one of white, black, two more; found 5"),
        (
            begun(OpeningKind.SWAP2, 0, 1, 2, MORE, 4, 5),
            MORE,
            "expected one of white, black; found",
        ),
    ],
)
def test_what_an_opening_does_not_allow_is_refused(phase, said, fault):
    with pytest.raises(IllegalMoveError, match=fault):
        phase.after(said)


@pytest.mark.parametrize(
    ("rules", "name", "fault"),
    [
        (Rules(3, 3), "swap2", "opening: swap2 is of five in a row without gravity"),
        (Rules(9, 5, gravity=True), "swap", "opening: swap is of five in a row without gravity"),
        (Rules(7, 5), "long-pro", "opening: long-pro needs a board of at least 9, found 7"),
        (FIFTEEN, "swap3", "opening: expected one of none, balanced, .*; found 'swap3'"),
    ],
)
def test_a_game_without_such_an_opening_is_refused(rules, name, fault):
    with pytest.raises(RulesError, match=fault):
        OpeningPhase(rules, opening_of(name))


@pytest.mark.parametrize(
    "values",
    [
        {}, {"name": "swap4", "said": []}, {"name": "swap", "said": [0, 0]},
        {"name": "swap", "said": [0, 1, 2, "two more"]}, {"name": "swap", "said": [0, 1, 2, "red"]},
        {"name": "swap", "said": 3},
    ],
)  # fmt: skip
def test_a_damaged_opening_is_refused(values):
    with pytest.raises(RecordError, match="opening: expected one that can be played"):
        OpeningPhase.from_dict(FIFTEEN, values)


def test_a_record_begins_with_the_stones_of_its_opening():
    swap = begun(OpeningKind.SWAP, 0, 100, 1, BLACKS)
    moves = (0, 100, 1, 101, 2, 103, 3, 104, 4)
    record = GameRecord(FIFTEEN, moves, BLACK, "five", 1, opening=swap)
    again = GameRecord.from_dict(json.loads(json.dumps(record.as_dict())))
    assert again == record
    assert again.winning_person is SECOND
    assert GameRecord(FIFTEEN, moves, BLACK, "five", 1).winning_person is FIRST
    assert GameRecord(FIFTEEN, moves, 0, "full", 1).winning_person is None
    with pytest.raises(RecordError, match="expected the stones of its opening"):
        GameRecord.from_dict(record.as_dict() | {"opening": {"name": "swap", "said": [5, 6, 7]}})


@pytest.mark.parametrize("size", [9, 15, 22])
def test_balanced_stones_lie_on_every_board(size):
    rules = Rules(size, 5)
    drawn = {balanced_stones(rules, number) for number in range(BALANCED_COUNT)}
    assert len(drawn) == BALANCED_COUNT
    assert all(len({*stones}) == 3 and min(stones) >= 0 for stones in drawn)
    assert max(max(stones) for stones in drawn) < size * size
    columns = {stone % size for stones in drawn for stone in stones}
    assert max(columns) - min(columns) <= 8
    assert balanced_stones(rules, BALANCED_COUNT + 3) == balanced_stones(rules, 3)


def test_the_examples_in_the_docstrings():
    assert doctest.testmod(ai.game.opening).failed == 0


def test_the_balanced_stones_are_the_same_in_every_version():
    rules = Rules(15)
    drawn = repr([balanced_stones(rules, number) for number in range(BALANCED_COUNT)])
    digest = hashlib.sha256(drawn.encode()).hexdigest()
    assert digest.startswith("7b6978d90f71d0ac"), "a tournament that goes on draws by their numbers"

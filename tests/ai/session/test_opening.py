"""Openings in a game: the dialogue of two players, undo, records, and the policy by value."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ai.game import (
    BLACK,
    FIRST,
    SECOND,
    WHITE,
    Choice,
    GameRecord,
    IllegalMoveError,
    OpeningKind,
    OpeningPhase,
    Rules,
    RulesError,
    board_of,
    color_name,
)
from ai.players.base import Limit, MoveChoice
from ai.registry.players import create_player
from ai.session.game import GameSession
from ai.session.opening import EVEN, answer_opening

NINE = Rules(9, 5)
BLACKS, WHITES, MORE = Choice.BLACK, Choice.WHITE, Choice.TWO_MORE


class Scripted:
    """Says what it is told in openings; then plays the first legal point, and notes its colors."""

    name = "scripted"

    def __init__(self, *answers):
        self.answers = list(answers)
        self.colors = set()

    def choose_opening(self, phase, board, limit, rng):
        return self.answers.pop(0)

    def choose(self, board, limit, rng):
        self.colors.add(color_name(board.to_move))
        return MoveChoice(next(iter(board.legal_moves)))

    def close(self):
        pass


THREE = (40, 41, 49)
DIALOGUES = {
    "keeps White": ([THREE], [(WHITES,)], "black"),
    "swaps": ([THREE], [(BLACKS,)], "white"),
    "two more, White": ([THREE, (WHITES,)], [(MORE,), (10, 12)], "white"),
    "two more, Black": ([THREE, (BLACKS,)], [(MORE,), (10, 12)], "black"),
}


@pytest.mark.parametrize(("first", "second", "color"), DIALOGUES.values(), ids=DIALOGUES)
def test_a_dialogue_of_swap2_to_the_end(first, second, color):
    session = GameSession(NINE, opening=OpeningKind.SWAP2)
    one, two = Scripted(*first), Scripted(*second)
    plies = []
    record = session.play_out(one, two, lambda board: plies.append(board.ply))
    assert (one.colors, two.colors) == ({color}, {"white" if color == "black" else "black"})
    assert not one.answers + two.answers
    stones = 5 if len(second) > 1 else 3
    assert record.moves[:stones] == (*THREE, 10, 12)[:stones]
    assert record.opening.person_at(BLACK) is (FIRST if color == "black" else SECOND)
    winner = one if color_name(record.winner) in one.colors else two
    assert record.winning_person is (FIRST if winner is one else SECOND)
    assert GameRecord.from_dict(json.loads(json.dumps(record.as_dict()))) == record
    # Colors alternate on the board, whoever sits where.
    board = record.board(4)
    assert [board.stones[move] for move in record.moves[:4]] == [BLACK, WHITE, BLACK, WHITE]


def test_a_game_without_an_opening_is_kept_as_ever():
    session = GameSession(Rules(3, 3), moves=(0, 3, 1, 4, 2))
    assert session.opening.is_over
    assert session.record().opening is None
    assert "opening" not in session.record().as_dict()


def test_only_what_the_opening_allows_is_played():
    session = GameSession(NINE, opening=OpeningKind.PRO)
    assert (session.to_decide, session.points) == (FIRST, {40})
    with pytest.raises(IllegalMoveError, match="expected a stone at the centre"):
        session.play(0)
    with pytest.raises(IllegalMoveError, match="expected a stone, found the choice"):
        session.decide(WHITES)
    assert (session.board.ply, session.opening.said) == (0, ())
    session.say((40, 0))
    assert (session.to_decide, len(session.points)) == (FIRST, 81 - 25 - 1)
    session.play(1)
    assert (session.to_decide, len(session.points)) == (SECOND, 78)
    with pytest.raises(RulesError, match="swap2 is of five in a row"):
        GameSession(Rules(3, 3), opening=OpeningKind.SWAP2)


def test_people_take_back_stones_and_choices():
    session = GameSession(NINE, opening=OpeningKind.SWAP2)
    session.say(THREE)
    session.say((MORE, 1), is_person=True)
    assert session.request_undo()
    session.undo()
    assert (session.board.moves, session.opening.said) == ([*THREE], (*THREE, MORE))
    session.say((1, 2), is_person=True)
    session.say((BLACKS,))
    session.play(3)
    assert (session.request_undo(), session.request_undo(), session.request_undo()) == (True,) * 3
    session.undo()
    assert (session.board.moves, session.opening.said) == ([*THREE], THREE)
    assert session.opening.choices == (WHITES, BLACKS, MORE)
    assert not session.request_undo()
    session.decide(BLACKS, is_person=True)
    assert session.opening.has_swapped
    assert session.people == []
    session.play(5, is_person=True)
    assert session.people == ["white"]


def test_resigning_in_an_opening_is_kept():
    session = GameSession(NINE, opening=OpeningKind.SWAP)
    session.say(THREE)
    assert session.resign(WHITE)
    record = session.record()
    assert (record.winner, record.winning_person) == (BLACK, FIRST)
    assert GameRecord.from_dict(record.as_dict()) == record


def test_balanced_games_come_in_pairs():
    games = [GameSession(NINE, game, seed=3, opening=OpeningKind.BALANCED) for game in (1, 2, 3)]
    first, again, other = (tuple(session.board.moves) for session in games)
    assert first == again != other
    assert games[0].opening.is_over
    assert games[0].board.to_move == WHITE
    record = games[0].play_out(Scripted(), Scripted())
    assert record.moves[:3] == first
    assert GameRecord.from_dict(record.as_dict()).opening.kind is OpeningKind.BALANCED


# -- the policy by value --------------------------------------------------------------------------


class Valued:
    """Gives every position a value for the side to move."""

    name = "valued"

    def __init__(self, value):
        self.value = value

    def choose(self, board, limit, rng):
        value = self.value(board) if callable(self.value) else self.value
        return MoveChoice(next(iter(board.legal_moves)), value=value)

    def close(self):
        pass


def answer(player, phase, seed=0):
    board = board_of(phase.rules, phase.stones)
    said = answer_opening(player, phase, board, Limit(), np.random.default_rng(seed))
    assert tuple(board.moves) == phase.stones
    return said


@pytest.mark.parametrize(
    ("opening", "value", "choice"),
    [
        (OpeningKind.SWAP2, 0.5, WHITES), (OpeningKind.SWAP2, -0.5, BLACKS), (OpeningKind.SWAP2, EVEN / 2, MORE),
        (OpeningKind.SWAP, EVEN / 2, WHITES), (OpeningKind.SWAP, -EVEN / 2, BLACKS),
    ],
)  # fmt: skip
def test_the_better_color_is_taken(opening, value, choice):
    phase = OpeningPhase(NINE, opening, THREE)
    assert answer(Valued(value), phase) == (choice,)


def test_stones_are_placed_where_neither_side_is_better():
    values = {}

    def value(board):
        return values.setdefault(tuple(board.moves), float(np.random.default_rng(sum(
            move * 81**place for place, move in enumerate(board.moves))).uniform(-1, 1)))  # fmt: skip

    phase = OpeningPhase(NINE, OpeningKind.SWAP2)
    stones = answer(Valued(value), phase)
    assert abs(values[stones]) == min(abs(found) for found in values.values())
    assert len(values) > 1
    values.clear()
    phase = OpeningPhase(NINE, OpeningKind.SWAP2, (*THREE, MORE))
    more = answer(Valued(value), phase)
    assert len(more) == 2
    assert abs(values[(*THREE, *more)]) == min(map(abs, values.values()))


def test_a_plan_that_breaks_the_opening_is_refused():
    with pytest.raises(IllegalMoveError, match="expected an empty point of the board"):
        answer(Scripted((3, 3, 4)), OpeningPhase(NINE, OpeningKind.SWAP2))
    with pytest.raises(IllegalMoveError, match="scripted: expected 3 in the opening, found"):
        answer(Scripted((3, 4)), OpeningPhase(NINE, OpeningKind.SWAP2))


@pytest.mark.parametrize(
    "opening", [OpeningKind.PRO, OpeningKind.LONG_PRO, OpeningKind.SWAP, OpeningKind.SWAP2]
)
@pytest.mark.parametrize("name", ["random", "one-ply", "alpha-beta"])
def test_players_of_the_registry_play_openings_to_the_end(name, opening):
    settings = {"nodes": 90, "depth": 1} if name == "alpha-beta" else {}
    players = [create_player(name, NINE, settings) for _ in "12"]
    records = []
    for _ in range(2):
        session = GameSession(NINE, opening=opening, seed=5)
        while not session.opening.is_over:
            player = players[session.to_decide]
            rng = np.random.default_rng(session.next_seed)
            session.say(answer_opening(player, session.opening, session.board, Limit(), rng))
        records.append(session.opening)
    assert records[0] == records[1]
    assert session.to_decide is session.opening.person_at(session.board.to_move)

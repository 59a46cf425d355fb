"""A game session: turns, undo, resignation and the record; laws over any order of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.game import (
    BLACK,
    WHITE,
    Board,
    GameOverError,
    IllegalMoveError,
    RecordError,
    Rules,
    Termination,
    centre_points,
)
from ai.players.base import Limit, MoveChoice
from ai.session.game import GameSession, move_seed, opening_move

THREE = Rules(3, 3)
SEVEN = Rules(7, 5)
FALLING = Rules(4, 3, gravity=True)
DRAWN = (0, 1, 2, 4, 3, 5, 7, 6, 8)


class Lowest:
    """Plays the lowest legal point and tells a rank."""

    name = "lowest"

    def __init__(self, rank: object = 2) -> None:
        self.rank = rank
        self.drawn: list[int] = []

    def choose(self, board: Board, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        self.drawn.append(int(rng.integers(2**31)))
        return MoveChoice(min(board.legal_moves), explanation={"rank": self.rank})

    def close(self) -> None:
        pass


def test_a_game_is_played_to_its_record():
    session = GameSession(THREE, 4, learner_color=BLACK)
    for move in (0, 3, 1, 4):
        session.play(move)
        assert not session.is_over
    session.play(2)
    assert session.outcome().termination is Termination.FIVE
    record = session.record()
    assert (record.moves, record.winner, record.game) == ((0, 3, 1, 4, 2), BLACK, 4)
    assert record.learner_color == BLACK


def test_a_full_board_is_the_end_too():
    assert GameSession(THREE, moves=DRAWN).outcome().is_draw


def test_what_may_not_be_played_is_refused_and_changes_nothing():
    session = GameSession(THREE, moves=(0,))
    for move in (0, 9, -1):
        with pytest.raises(IllegalMoveError):
            session.play(move)
        with pytest.raises(IllegalMoveError, match="white: expected a legal move"):
            session.play_choice(MoveChoice(move))
    assert session.board.moves == [0]
    assert session.choices == {}
    won = GameSession(THREE, moves=(0, 3, 1, 4, 2))
    with pytest.raises(GameOverError):
        won.play(5)


def test_a_game_that_goes_on_has_no_record():
    with pytest.raises(RecordError):
        GameSession(THREE, moves=(0,)).record()


def test_who_resigns_loses_whoever_is_to_move():
    session = GameSession(THREE, 2, moves=(0, 3))
    assert session.resign(WHITE)
    assert session.is_over
    assert session.has_request
    record = session.record()
    assert (record.winner, record.termination, record.moves) == (BLACK, "resigned", (0, 3))
    assert not session.resign(BLACK), "it is over"
    assert not session.request_undo()
    assert session.record() == record


def test_a_game_that_is_decided_cannot_be_given_up():
    session = GameSession(THREE, moves=(0, 3, 1, 4, 2))
    assert not session.resign(BLACK)
    assert session.record().winner == BLACK


def test_choices_and_the_learners_ranks_are_noted(caplog):
    session = GameSession(THREE)
    first, second = MoveChoice(0, explanation={"rank": 7}), MoveChoice(3, explanation={"rank": 5})
    assert session.last_choice is None
    assert (session.play_choice(first), session.take(second)) == (0, 3)
    session.play_choice(MoveChoice(1))
    session.play_choice(MoveChoice(4, explanation={"rank": None}))
    assert session.ranks == [5], "White's alone"
    assert session.choices[BLACK] == (2, MoveChoice(1))
    assert session.last_choice.move == 4
    assert len(caplog.messages) == 1, "the former name says so, and works"


def test_players_finish_the_game_each_move_with_its_own_seed():
    black, white = Lowest(), Lowest()
    stones = []
    session = GameSession(SEVEN, 3, seed=11)
    record = session.play_out(black, white, lambda board: stones.append(board.ply))
    assert record == session.record()
    assert session.board.moves[0] == opening_move(SEVEN, 11, 3)
    assert stones == list(range(1, session.board.ply + 1))
    plies = range(1, session.board.ply)
    drawn = [int(np.random.default_rng(move_seed(11, 3, ply)).integers(2**31)) for ply in plies]
    assert [drawn[0::2], drawn[1::2]] == [white.drawn, black.drawn]
    assert session.ranks == [2] * len(white.drawn)
    assert min(session.seconds.values()) > 0.0


def test_a_player_that_breaks_the_rules_is_refused():
    class Wrong(Lowest):
        def choose(self, board, limit, rng):
            return MoveChoice(99)

    with pytest.raises(IllegalMoveError, match="expected a legal move, found 99"):
        GameSession(THREE).play_out(Lowest(), Wrong())


def test_openings_are_the_centre_points():
    assert {opening_move(SEVEN, 1, game) for game in range(1, 200)} == set(centre_points(7))


def test_people_are_named_by_the_stones_they_placed():
    session = GameSession(SEVEN)
    for move, is_person in enumerate((False, True, False, True)):
        session.play(move, is_person=is_person)
    assert session.people == ["white"]
    session.play(9, is_person=True)
    assert session.people == ["black", "white"]


def test_stones_that_lay_there_cannot_be_taken_back():
    session = GameSession(SEVEN, moves=(0, 1, 2))
    assert not session.request_undo()
    session.play(3, is_person=True)
    assert session.request_undo()
    assert not session.request_undo()
    assert session.undo() == []
    assert session.board.moves == [0, 1, 2]
    assert not session.has_request


@given(st.lists(st.booleans(), max_size=30), st.integers(0, 12))
def test_undo_ends_before_a_persons_move_and_never_below_the_first(by_person, wishes):
    session = GameSession(Rules(7, 7))
    for move, is_person in enumerate(by_person):
        session.play(move * 5 % 49, rank=None if is_person else move + 1, is_person=is_person)
    granted = sum([session.request_undo() for _ in range(wishes)])
    assert granted == min(wishes, sum(by_person))
    assert session.has_request == (granted > 0)
    gone = session.undo()
    assert not session.has_request
    assert session.taken_back == granted
    left = by_person[: session.board.ply]
    assert sum(left) == sum(by_person) - granted
    assert granted == 0 or by_person[session.board.ply], "a person's move is the first that goes"
    assert gone == [
        ply + 1 for ply in reversed(range(session.board.ply, len(by_person))) if not by_person[ply]
    ]
    assert session.ranks == [ply + 1 for ply, is_person in enumerate(left) if not is_person]


@given(st.sampled_from([THREE, FALLING, Rules(5, 4)]), st.data())
def test_any_moves_and_undos_leave_what_a_fresh_game_of_the_same_stones_is(rules, data):
    session = GameSession(rules, 6)
    kept: list[tuple[int, int, bool]] = []
    for _ in range(data.draw(st.integers(0, 40))):
        if session.is_over:
            break
        if data.draw(st.booleans()) and session.request_undo():
            session.undo()
            last = max(at for at, (_, _, is_person) in enumerate(kept) if is_person)
            del kept[last:]
        else:
            move = data.draw(st.sampled_from(sorted(session.board.legal_moves)))
            is_person = data.draw(st.booleans())
            kept.append((move, len(kept) + 1, is_person))
            session.play(move, rank=len(kept), is_person=is_person)
    fresh = GameSession(rules, 6)
    for move, rank, is_person in kept:
        fresh.play(move, rank=rank, is_person=is_person)
    assert session.board == fresh.board
    assert (session.board.moves, session.board.key) == (fresh.board.moves, fresh.board.key)
    assert (session.ranks, session.people) == (fresh.ranks, fresh.people)
    assert session.outcome() == fresh.outcome()
    assert session.next_seed == fresh.next_seed
    if session.is_over:
        assert session.record() == fresh.record()
        assert GameSession.from_record(session.record()).board == session.board


@given(st.integers(0, 5))
def test_a_recorded_game_is_taken_up_anywhere(plies):
    record = GameSession(THREE, 9, learner_color=BLACK, moves=(0, 3, 1, 4, 2)).record()
    session = GameSession.from_record(record, plies)
    assert session.board == record.board(plies)
    assert (session.game, session.learner_color) == (9, BLACK)
    for move in record.moves[plies:]:
        session.play(move)
    assert session.record() == record

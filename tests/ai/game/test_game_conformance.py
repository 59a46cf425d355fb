"""What every registered game does alike, and the example project's Othello with them."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.game import (
    BLACK,
    EMPTY,
    PASS,
    WHITE,
    Board,
    Game,
    GameOverError,
    GameRecord,
    IllegalMoveError,
    Outcome,
    Position,
    Rules,
    RulesError,
    Termination,
    as_board,
    board_of,
    game_of,
    invert,
    opening_points,
    playable,
)
from ai.registry.project_games import get_game, list_games
from base.files import SHIPPED_ROOT

pytestmark = pytest.mark.usefixtures("project_scripts")

PROJECT = SHIPPED_ROOT / "docs" / "projects" / "othello"
NAMES = [game.name for game in list_games(PROJECT)]
PERFT = (4, 12, 56, 244, 1396)
PERFT_6 = (4, 12, 56, 244, 1364)


@pytest.fixture
def othello():
    return get_game("othello", PROJECT).rules


def played(game, numbers):
    """Play a game by drawn numbers, to its end where there are enough of them."""
    position = board_of(game)
    for number in numbers:
        if position.outcome() is not None:
            break
        legal = list(position.legal_moves)
        position.push(legal[number % len(legal)])
    return position


numbers = st.lists(st.integers(0, 10**6), max_size=60)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=8, deadline=None)
@given(numbers=numbers)
def test_legal_moves_apply_and_the_end_agree(name, numbers):
    game = get_game(name, PROJECT).rules
    position = board_of(game)
    stones = game.start()
    for number in numbers:
        mask = position.legal_moves.mask()
        legal = list(position.legal_moves)
        assert mask.shape == (game.points,)
        assert len(position.legal_moves) == len(legal)
        if position.outcome() is not None:
            assert not legal
            assert not mask.any()
            with pytest.raises(GameOverError):
                position.play(int(np.flatnonzero(stones)[0]))
            break
        assert sorted(legal) == (np.flatnonzero(mask).tolist() or [PASS])
        assert position.must_pass == (legal == [PASS])
        both = np.stack([stones, stones])
        assert np.array_equal(game.legal(both, position.to_move)[1], mask), "of many at once, too"
        seen = playable(game.encode(stones, position.to_move), game)  # as a learner: no fouls
        knows_all = not (getattr(game, "has_fouls", False) and position.to_move == BLACK)
        assert np.array_equal(seen if knows_all else seen & mask, mask)
        for refused in {*range(game.points), PASS}.difference(legal):
            assert refused not in position.legal_moves
            with pytest.raises(IllegalMoveError):
                position.play(refused)
        move, color = legal[number % len(legal)], position.to_move
        before = stones.copy()
        position.play(move)
        if move != PASS:
            stones, given_stones = game.apply(stones, move, color), stones
            assert np.array_equal(given_stones, before), "apply leaves what it was given"
            assert stones[move] == color
        assert position.stones == stones.tolist()
        assert position.to_move == -color, "a pass is a ply, too"
        assert position.ply == len(position.moves)
    assert np.array_equal(game.stones_after(position.moves), stones)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=8, deadline=None)
@given(numbers=numbers)
def test_what_is_taken_back_or_copied_is_as_it_was(name, numbers):
    game = get_game(name, PROJECT).rules
    position = played(game, numbers)
    twin = position.copy()
    assert twin == position
    assert twin.moves == position.moves
    for move in reversed(twin.moves):
        assert position.pop() == move
        with position.played(move):
            pass
        assert np.array_equal(game.stones_after(position.moves), position.stones)
    assert position == board_of(game)
    assert position.stones == game.start().tolist()
    assert twin == board_of(game, twin.moves), "the copy stays"
    assert type(twin).from_moves(" ".join(map(twin.to_text, twin.moves)), game) == twin


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=8, deadline=None)
@given(numbers=numbers)
def test_a_learner_sees_each_point_as_its_own_anothers_or_free(name, numbers):
    game = get_game(name, PROJECT).rules
    position = played(game, numbers)
    stones = np.array(position.stones, np.int8)
    for color in (BLACK, WHITE):
        seen = game.encode(stones, color)
        assert seen.shape == (game.points,)
        assert seen.dtype == np.int8
        assert np.array_equal(seen == -1, stones == color)
        assert np.array_equal(seen == 1, stones == -color)
        assert np.array_equal(game.encode(np.stack([stones] * 3), color)[2], seen)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=8, deadline=None)
@given(numbers=numbers)
def test_a_turned_position_is_played_as_it_was(name, numbers):
    game = get_game(name, PROJECT).rules
    position = played(game, numbers)
    stones, color = np.array(position.stones, np.int8), position.to_move
    images = game.symmetries()
    assert images[0].tolist() == list(range(game.points))
    for image in images:
        assert sorted(image.tolist()) == list(range(game.points)), "a permutation"
        back = invert(image)
        assert np.array_equal(game.legal(stones, color)[image], game.legal(stones[image], color))
        for move in np.flatnonzero(game.legal(stones, color)).tolist():
            after = game.apply(stones, move, color)[image]
            assert np.array_equal(game.apply(stones[image], int(back[move]), color), after)
        if np.array_equal(game.start()[image], game.start()):
            turned = board_of(game)
            for move in position.moves:
                turned.play(move if move == PASS else int(back[move]))
            assert turned.outcome() == position.outcome()


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_random_play_ends_and_is_recorded(name, seed):
    game = get_game(name, PROJECT).rules
    rng = np.random.default_rng(seed)
    position = played(game, rng.integers(10**6, size=2 * game.points + 4).tolist())
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.winner in (BLACK, EMPTY, WHITE)
    record = GameRecord.from_board(position, 1)
    assert record.board() == position
    assert GameRecord.from_dict(record.as_dict()) == record
    assert pickle.loads(pickle.dumps(record)) == record


@pytest.mark.parametrize("name", NAMES)
def test_a_game_is_named_by_plain_values_and_begins_somewhere(name):
    game = get_game(name, PROJECT).rules
    assert game_of(game.as_dict()) == game
    assert hash(game) == hash(game_of(game.as_dict()))
    assert (game.rows, game.points) == (game.height or game.size, game.size * game.rows)
    first = opening_points(game)
    assert first
    assert set(first) <= set(board_of(game).legal_moves)


def test_m_n_k_games_get_the_quick_board_and_others_do_not(othello):
    assert type(board_of(Rules(7))) is Board
    assert type(board_of(othello)) is Position
    board = Board(Rules(7))
    assert as_board(board) is board
    with pytest.raises(RulesError, match=r"expected an m,n,k game, found Othello\(size=6\)"):
        as_board(board_of(othello))


@pytest.mark.parametrize(("size", "counts"), [(8, PERFT), (6, PERFT_6)])
def test_othello_has_as_many_lines_as_counted_elsewhere(othello, size, counts):
    game = game_of(othello.as_dict() | {"size": size})

    def lines(position, depth):
        if depth == 1:
            return len(position.legal_moves)
        total = 0
        for move in list(position.legal_moves):
            with position.played(move):
                total += lines(position, depth - 1)
        return total

    assert tuple(lines(board_of(game), depth) for depth in range(1, len(counts) + 1)) == counts


def test_othello_turns_what_is_enclosed_passes_and_counts(othello):
    position = board_of(othello)
    position.play(8)  # above a white disc, with a black one below it
    assert [position.stones[point] for point in (8, 14, 20)] == [BLACK] * 3
    rng = np.random.default_rng(3)
    passes = 0
    for _ in range(20):
        played_out = played(othello, rng.integers(10**6, size=80).tolist())
        assert played_out.outcome().winner == np.sign(sum(played_out.stones))
        assert played_out.outcome().termination is Termination.SCORE
        passes += played_out.moves.count(PASS)
        at = [ply for ply, move in enumerate(played_out.moves) if move == PASS]
        for ply in at:
            before = board_of(othello, played_out.moves[:ply])
            assert before.must_pass
            assert not othello.legal(np.array(before.stones, np.int8), before.to_move).any()
            assert othello.legal(np.array(before.stones, np.int8), -before.to_move).any()
            assert before.to_text(PASS) == "pass"
    assert passes > 6


@dataclass(frozen=True)
class OneStone(Game):
    """Who plays first wins: the least that a game must say."""

    size: int = 3

    def outcome(self, position):
        return Outcome(BLACK, Termination.SCORE) if position.moves else None


def test_a_game_need_only_say_how_it_ends():
    position = board_of(OneStone())
    assert list(position.legal_moves) == list(range(9))
    position.play(4)
    assert position.outcome().winner == BLACK
    assert len(OneStone(4).symmetries()) == 8


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"create": "os:system"}, "a class of scripts that derives from Game, found 'os:system'"),
        ({"create": "scripts.othello:STEPS"}, "derives from Game, found 'scripts.othello:STEPS'"),
        ({"create": "scripts.othello:Reversi"}, "expected a game's class, found"),
        ({"create": "scripts.nowhere:Game"}, "expected a game's class, found"),
    ],
)
def test_stored_values_name_games_of_scripts_alone(othello, values, fault):
    with pytest.raises(RulesError, match=fault):
        game_of(values)

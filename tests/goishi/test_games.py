"""Board games as environments: turns, rewards, what can be played, and passes."""

from __future__ import annotations

import numpy as np
import pytest

import goishi
from base.files import SHIPPED_ROOT


def played(name: str, *moves: int, **named) -> goishi.GameEnv:
    """Return a game after some moves."""
    game = goishi.make_game(name, **named)
    game.reset()
    for move in moves:
        game.step(move)
    return game


def test_sides_take_turns_and_see_their_own_stones_first() -> None:
    game = played("tic-tac-toe", 4, 0)
    assert game.agent_selection == "black"
    for agent, own, other in (("black", 4, 0), ("white", 0, 4)):
        planes = game.observe(agent)["observation"]
        assert planes.shape == (3, 3, 2)
        assert np.flatnonzero(planes[..., 0]).tolist() == [own]
        assert np.flatnonzero(planes[..., 1]).tolist() == [other]
    mask = game.observe("black")["action_mask"]
    assert np.flatnonzero(mask == 0).tolist() == [0, 4, 9]
    assert not game.observe("white")["action_mask"].any(), "it is not to move"


@pytest.mark.parametrize(
    ("moves", "rewards"),
    [
        ((0, 3, 1, 4, 2), {"black": 1.0, "white": -1.0}),
        ((8, 0, 3, 1, 4, 2), {"black": -1.0, "white": 1.0}),
        ((0, 1, 2, 4, 3, 5, 7, 6, 8), {"black": 0.0, "white": 0.0}),
    ],
)
def test_the_winner_gets_one_and_the_loser_loses_one(moves, rewards) -> None:
    game = played("tic-tac-toe", *moves)
    assert game.rewards == rewards
    assert game.terminations == {"black": True, "white": True}
    assert {agent: game._cumulative_rewards[agent] for agent in rewards} == rewards
    for _ in range(2):
        game.step(None)
    assert game.agents == []


@pytest.mark.parametrize("action", [4, 9, -1, 10, 1.5, "a1", None, True])
def test_a_move_that_cannot_be_played_is_one_error_and_changes_nothing(action) -> None:
    game = played("tic-tac-toe", 4)
    with pytest.raises(goishi.FieldError, match="expected a point that can be played"):
        game.step(action)
    assert game.agent_selection == "white"
    assert game.observe("white")["observation"].sum() == 1


def test_discs_fall_and_a_side_that_cannot_play_passes() -> None:
    falls = played("connect-four")
    assert falls.observe("black")["action_mask"].sum() == 7
    othello = goishi.make_game("othello", project=SHIPPED_ROOT / "docs" / "projects" / "othello")
    rng, passes = np.random.default_rng(2), 0
    while not passes:
        othello.reset()
        while not any(othello.terminations.values()):
            mask = othello.observe(othello.agent_selection)["action_mask"]
            passes += int(mask[-1])
            assert bool(mask[-1]) != bool(mask[:-1].any())
            othello.step(int(rng.choice(np.flatnonzero(mask))))
    assert passes > 0


def test_the_board_is_text_where_that_is_asked_for() -> None:
    shown = played("tic-tac-toe", 4, render_mode="ansi").render()
    assert shown == str(played("tic-tac-toe", 4).position)
    assert played("tic-tac-toe", 4).render() is None
    with pytest.raises(goishi.UsageError, match="render_mode: expected ansi or None"):
        goishi.make_game("tic-tac-toe", render_mode="human")


def test_before_the_first_reset_there_is_one_error() -> None:
    game = goishi.make_game("tic-tac-toe")
    for call in (lambda: game.step(0), lambda: game.observe("black"), game.last):
        with pytest.raises(goishi.ResetNeededError, match=r"found none: call reset\(\)"):
            call()


def test_an_unknown_game_is_one_error_that_lists_those_there_are(tmp_path) -> None:
    with pytest.raises(goishi.UsageError, match=r"expected one of .*gomoku.*; found 'chess'"):
        goishi.make_game("chess")
    with pytest.raises(goishi.UsageError, match=r"project: expected a folder, found .*absent"):
        goishi.make_game("tic-tac-toe", project=tmp_path / "absent")

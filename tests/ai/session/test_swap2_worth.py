"""What swap2 by value is worth is counted for the side that chooses by value."""

from __future__ import annotations

import numpy as np

from ai import create_player
from ai.game import Choice, OpeningKind, OpeningPhase, from_centre
from ai.players.base import Limit
from ai.session.game import GameSession
from benchmarks import swap2


def test_a_random_answer_is_allowed_and_near_the_centre():
    session = GameSession(swap2.RULES, 1, seed=0, opening=OpeningKind.SWAP2)
    rng = np.random.default_rng(0)
    stones = swap2.random_answer(session.opening, session.board, rng)
    assert len(set(stones)) == 3
    assert all(from_centre(swap2.RULES, stone) <= swap2.REACH for stone in stones)
    phase = OpeningPhase(swap2.RULES, OpeningKind.SWAP2, stones)
    said = {swap2.random_answer(phase, session.board, rng)[0] for _ in range(40)}
    assert said == set(Choice)


def test_a_game_is_the_same_again_and_sides_take_turns():
    player = create_player("pattern", swap2.RULES)
    games = [
        swap2.play_one(player, game, Limit(nodes=1), 3, is_control=control)
        for game in (1, 2)
        for control in (False, True)
    ]
    again = swap2.play_one(player, 1, Limit(nodes=1), 3, is_control=False)
    assert again == games[0]
    assert [game.begins for game in games] == [True, True, False, False]
    assert all(game.points in (0.0, 0.5, 1.0) and game.stones in (3, 5) for game in games)
    scored = swap2.scored(games)
    assert scored["games"] == 4
    assert scored["share_95"][0] <= scored["share"] <= scored["share_95"][1]

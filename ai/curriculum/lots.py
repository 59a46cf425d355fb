"""Lots of games: what an actor is asked to play, in one process, and what it gives back.

A lot depends on its order alone: the networks' file, the seed, the generation and the lot's number.
So it does not matter which actor plays it, or beside which others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.arena.tournament import opening_positions
from ai.curriculum.settings import Curriculum
from ai.evaluators.policy_value import PolicyValueEvaluator
from ai.game import BLACK, EMPTY, Board, Color, Move, Rules
from ai.learning.alphagomoku.samples import LearntGame, one_hot_policies
from ai.nets.policy_value_file import load_pair
from ai.players.base import Limit, MoveChoice, Player
from ai.players.explanation import SearchedMoves
from ai.registry.players import create_player
from ai.search.puct import PuctMany
from base.files import atomic_write
from base.storage.card_file import CardFileError, packed, read_arrays, reading

MENTOR_NAME: Final = "alpha-beta"
BEST: Final = 6
"""Moves of the mentor of which one is drawn where it wanders."""
DRAWN: Final = 4
"""First moves that are drawn in a game from the empty board."""
LOST: Final = -0.99
"""Value at which the mentor sees its game lost; it is won at the opposite."""


@dataclass(frozen=True)
class PlayerSeat:
    """A player of the roster."""

    name: str
    nodes: int | None = None
    """Positions, or iterations, for each move."""
    seconds: float | None = None
    """Of the processor, for each move."""


Seat: TypeAlias = Path | PlayerSeat
"""The file of a pair of networks, which search, or a player."""


@dataclass(frozen=True)
class Lot:
    """An order for some games of a generation."""

    curriculum: Curriculum
    generation: int
    number: int
    """Of the lot in its generation, from 0."""
    games: int

    def streams(self, kind: int) -> list[np.random.Generator]:
        """Return a stream of random numbers for each game."""
        start = [self.curriculum.seed, kind, self.generation, self.number]
        return [np.random.default_rng([*start, game]) for game in range(self.games)]


@dataclass(frozen=True)
class SelfPlayLot(Lot):
    """Games of a pair against itself, to be learnt from."""

    pair: Path

    def play(self) -> list[LearntGame]:
        """Play the games."""
        return play_self(self)


@dataclass(frozen=True)
class MentorLot(Lot):
    """Games of the mentor against itself, from balanced openings, to be learnt from."""

    def play(self) -> list[LearntGame]:
        """Play the games."""
        return play_mentor(self)


@dataclass(frozen=True)
class MatchLot(Lot):
    """Games of a match: pairs with one opening and both colours."""

    first: Seat
    second: Seat
    mixes_empty: bool
    """Whether every other pair of games begins with the empty board."""
    pairs_before: int = 0
    """Pairs of games in the lots before this one, which may be larger."""
    only_black: bool = False
    """Whether the first has Black in all games, each from the empty board."""

    def play(self) -> list[float]:
        """Play the games; return what the first got of each: 1, 0.5 or 0."""
        return play_match(self)


# -- self-play ----------------------------------------------------------------------------------


def play_self(lot: SelfPlayLot) -> list[LearntGame]:
    """Play the games of a lot, searched together; one tree a game, kept from move to move."""
    plan = lot.curriculum
    rules = plan.rules
    evaluator = PolicyValueEvaluator(rules, load_pair(lot.pair))
    many = PuctMany(rules, evaluator, lot.games, plan.search(noise=plan.number("noise")))
    boards = [Board(rules) for _ in range(lot.games)]
    policies: list[list[NDArray[np.float16]]] = [[] for _ in boards]
    streams = lot.streams(3)
    limit = Limit(nodes=plan.count("simulations"))
    while any(board.outcome() is None for board in boards):
        playing = [board if board.outcome() is None else None for board in boards]
        for board, result, kept in zip(
            boards, many.search(playing, limit, streams), policies, strict=True
        ):
            if result is not None:
                kept.append(result.policy.astype(np.float16))
                board.push(result.move)
    return [
        LearntGame(tuple(board.moves), winner_of(board), np.array(kept, np.float16))
        for board, kept in zip(boards, policies, strict=True)
    ]


def winner_of(board: Board) -> Color:
    """Return who won a game, EMPTY for a draw or a game that goes on."""
    outcome = board.outcome()
    return EMPTY if outcome is None else outcome.winner


# -- the mentor ---------------------------------------------------------------------------------


def play_mentor(lot: MentorLot) -> list[LearntGame]:
    """Play the games of a lot; the policy of a position is the mentor's move.

    Where it wanders (`mentor_wanders`) another of its best moves is played instead: a mentor that
    always answers alike plays few different games, and never out of a bad position.
    """
    plan = lot.curriculum
    limit = Limit(nodes=plan.count("mentor_nodes"))
    wanders, empty = plan.number("mentor_wanders"), plan.count("mentor_empty")
    first = lot.number * plan.count("lot")
    openings = opening_positions(
        "balanced", plan.rules, first + lot.games, seed=plan.seed * 1000 + lot.generation
    )[first:]
    games = []
    for number, (listed, rng) in enumerate(zip(openings, lot.streams(2), strict=True), first):
        opening = () if empty and number % empty == 0 else listed
        player = create_player(MENTOR_NAME, plan.rules, {})
        board = Board.from_moves(opening, plan.rules)
        answers: list[Move] = []
        values: list[float] = []
        while board.outcome() is None:
            choice = player.choose(board, limit, rng)
            answers.append(choice.move)
            values.append(0.0 if choice.value is None else choice.value)
            is_drawn = not opening and board.ply < DRAWN
            board.push(_wandering(choice, rng, 1.0 if is_drawn else wanders))
        player.close()
        policies = one_hot_policies((*opening, *answers), plan.rules.points, opening=len(opening))
        told = np.array(values, np.float32)
        games.append(LearntGame(tuple(board.moves), winner_of(board), policies, told))
    return games


def _wandering(choice: MoveChoice, rng: np.random.Generator, share: float) -> Move:
    """Return the move of a choice, or, in a share of the cases, one of its best ones.

    A game that is decided is played to its end.
    """
    explanation = choice.explanation
    if (
        not share
        or not isinstance(explanation, SearchedMoves)
        or choice.value is None
        or abs(choice.value) >= -LOST
        or rng.random() >= share
    ):
        return choice.move
    best = explanation.scores[:BEST]
    return best[int(rng.integers(len(best)))][0]


# -- matches ------------------------------------------------------------------------------------


class _Side:
    """One side of the games of a match: a pair that searches all of them together, or players."""

    def __init__(self, plan: Curriculum, seat: Seat, games: int) -> None:
        self._limit = Limit(nodes=plan.count("simulations"))
        self._many: PuctMany | None = None
        self._players: list[Player] = []
        if isinstance(seat, Path):
            evaluator = PolicyValueEvaluator(plan.rules, load_pair(seat))
            self._many = PuctMany(plan.rules, evaluator, games, plan.search(noise=0.0))
            return
        self._limit = Limit(nodes=seat.nodes, seconds=seat.seconds, on_processor=True)
        self._players = [create_player(seat.name, plan.rules, {}) for _ in range(games)]

    def moves(
        self, boards: Sequence[Board | None], streams: Sequence[np.random.Generator]
    ) -> list[Move | None]:
        """Return a move for each board that is given."""
        if self._many is not None:
            found = self._many.search(boards, self._limit, streams)
            return [None if result is None else result.move for result in found]
        return [
            None if board is None else player.choose(board.copy(), self._limit, rng).move
            for player, board, rng in zip(self._players, boards, streams, strict=True)
        ]

    def close(self) -> None:
        """Let the players leave."""
        for player in self._players:
            player.close()


def play_match(lot: MatchLot) -> list[float]:
    """Play the games of a lot; in each pair of games the first has Black, then White."""
    plan = lot.curriculum
    boards = [Board.from_moves(moves, plan.rules) for moves in match_openings(lot)]
    firsts = [lot.only_black or game % 2 == 0 for game in range(lot.games)]
    sides = [_Side(plan, seat, lot.games) for seat in (lot.first, lot.second)]
    streams = lot.streams(4)
    while any(board.outcome() is None for board in boards):
        turns = [
            None if board.outcome() is not None else int((board.to_move == BLACK) != is_black)
            for board, is_black in zip(boards, firsts, strict=True)
        ]
        for number, side in enumerate(sides):
            given = [
                board if turn == number else None for board, turn in zip(boards, turns, strict=True)
            ]
            if any(given):
                for board, move in zip(boards, side.moves(given, streams), strict=True):
                    if move is not None:
                        board.push(move)
    for side in sides:
        side.close()
    return [
        (1.0 + winner_of(board) * (1 if is_black else -1) * BLACK) / 2.0
        for board, is_black in zip(boards, firsts, strict=True)
    ]


def match_openings(lot: MatchLot) -> list[tuple[Move, ...]]:
    """Return the first stones of each game of a lot; those of a pair are the same."""
    if lot.only_black:
        return [()] * lot.games
    plan, rules = lot.curriculum, lot.curriculum.rules
    first, pairs = lot.pairs_before, (lot.games + 1) // 2
    seed = 500_000 + plan.seed * 1000 + lot.generation
    openings = opening_positions("balanced", rules, first + pairs, seed=seed)[first:]
    if lot.mixes_empty:
        openings = [() if pair % 2 == 0 else moves for pair, moves in enumerate(openings, first)]
    return [openings[game // 2] for game in range(lot.games)]


# -- files --------------------------------------------------------------------------------------


def save_games(path: Path, games: Sequence[LearntGame], source: str) -> None:
    """Write the games of a lot; a file there is replaced whole.

    Args:
        path: an `.npz` file.
        games: at least one.
        source: what they were played with, such as a checksum; see `load_games`.

    Raises:
        OSError: it cannot be written.
    """
    atomic_write(path, packed({
        "source": np.frombuffer(source.encode(), np.uint8),
        "winners": np.array([game.winner for game in games], np.int8),
        "plies": np.array([len(game.moves) for game in games], np.int64),
        "learnt": np.array([len(game.policies) for game in games], np.int64),
        "moves": np.concatenate([np.array(game.moves, np.int16) for game in games]),
        "policies": np.concatenate([game.policies for game in games]),
        **_told(games),
    }))  # fmt: skip


def _told(games: Sequence[LearntGame]) -> dict[str, NDArray[np.float32]]:
    """Return `values` of all games where each has them, else nothing."""
    values = [game.values for game in games if game.values is not None]
    return {"values": np.concatenate(values)} if len(values) == len(games) else {}


def load_games(path: Path, rules: Rules, source: str | None = None) -> list[LearntGame] | None:
    """Read the games of a lot; None where there is no such file, or it is damaged.

    Args:
        path: the file.
        rules: of the games.
        source: where given, what they must have been played with.
    """
    try:
        with reading(path, "games of a training"):
            held = read_arrays(path)
            if source is not None and held["source"].tobytes() != source.encode():
                return None
            ends, last = np.cumsum(held["plies"]), np.cumsum(held["learnt"])
            told = held.get("values")
            games = [
                LearntGame(tuple(moves.tolist()), int(winner), policies, values)
                for moves, winner, policies, values in zip(
                    np.split(held["moves"], ends[:-1]),
                    held["winners"],
                    np.split(held["policies"], last[:-1]),
                    [None] * len(ends) if told is None else np.split(told, last[:-1]),
                    strict=True,
                )
            ]
    except CardFileError:
        return None
    return games if all(_is_sound(game, rules) for game in games) else None


def _is_sound(game: LearntGame, rules: Rules) -> bool:
    """Whether a game's numbers fit each other and the board."""
    moves = np.array(game.moves, np.int64)
    return (
        len(game.policies) <= len(moves) <= rules.points
        and game.policies.shape[1:] == (rules.points,)
        and len(np.unique(moves)) == len(moves)
        and bool(((moves >= 0) & (moves < rules.points)).all())
        and (game.values is None or _are_values(game.values, len(game.policies)))
    )


def _are_values(values: NDArray[np.float32], count: int) -> bool:
    """Whether there are so many numbers, all in [-1, 1]."""
    return values.shape == (count,) and bool((np.abs(values) <= 1.0).all())


__all__ = [
    "Lot",
    "MatchLot",
    "MentorLot",
    "PlayerSeat",
    "Seat",
    "SelfPlayLot",
    "load_games",
    "save_games",
    "winner_of",
]

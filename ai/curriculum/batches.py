"""Batches of games for actors: self-play, games of the mentor (alpha-beta), and matches.

The games of a batch depend only on its fields, such as the networks' file, the seed, the generation
and the number of the batch. So it does not matter which actor plays it, or what else runs at the
same time.
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
from ai.learning.alphagomoku.samples import TrainingRecord, one_hot_policies
from ai.nets.policy_value import load_pair
from ai.players.base import Limit, MoveChoice, Player
from ai.players.explanation import SearchedMoves
from ai.registry.players import create_player
from ai.search.puct import PuctMany
from base.files import atomic_write
from base.storage.card_file import CardFileError, packed, read_arrays, reading

MENTOR_NAME: Final = "alpha-beta"
BEST: Final = 6
"""How many of the mentor's best moves can be drawn when its move is random."""
DRAWN: Final = 4
"""Number of random plies with which a mentor's game from the empty board begins."""
LOST: Final = -0.99
"""Value at which the mentor counts a game as decided.

At this value or below it is lost; at its negative or above it is won.
"""


@dataclass(frozen=True)
class RosterPlayer:
    """A player of the roster (the registry of players) with its limit.

    Attributes:
        name: the player's name in the registry.
    """

    name: str
    nodes: int | None = None
    """Number of positions, or iterations, for each move; None for no limit."""
    seconds: float | None = None
    """CPU seconds for each move; None for no limit."""


MatchPlayer: TypeAlias = Path | RosterPlayer
"""A player in a match.

It is a `RosterPlayer`, or the path of a pair of networks, which play by a tree search.
"""


@dataclass(frozen=True)
class GameBatch:
    """A batch of games that belong to one generation of a training.

    A generation is one round of the curriculum: usually games, a training on them, and a match.
    """

    curriculum: Curriculum
    generation: int
    number: int
    """Number of the batch in its generation, from 0."""
    games: int

    def streams(self, kind: int) -> list[np.random.Generator]:
        """Return one random generator for each game of the batch.

        Args:
            kind: number that makes the generators differ between self-play, mentor's games and
                matches.
        """
        start = [self.curriculum.seed, kind, self.generation, self.number]
        return [np.random.default_rng([*start, game]) for game in range(self.games)]


@dataclass(frozen=True)
class SelfPlayBatch(GameBatch):
    """A batch of training games that a pair of networks plays against itself."""

    pair: Path

    def play(self) -> list[TrainingRecord]:
        """Play all games of the batch side by side, and return them.

        Each game keeps its search tree from move to move.
        """
        plan = self.curriculum
        rules = plan.rules
        evaluator = PolicyValueEvaluator(rules, load_pair(self.pair))
        many = PuctMany(rules, evaluator, self.games, plan.search(noise=plan.number("noise")))
        boards = [Board.from_moves(moves, rules) for moves in self.openings()]
        policies: list[list[NDArray[np.float16]]] = [[] for _ in boards]
        streams = self.streams(3)
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
            TrainingRecord(tuple(board.moves), winner_of(board), np.array(kept, np.float16))
            for board, kept in zip(boards, policies, strict=True)
        ]

    def openings(self) -> list[tuple[Move, ...]]:
        """Return the moves that are on the board at the start of each game; `()` for none.

        The setting `balanced` is the share of games that begin with a balanced opening. They are
        spread evenly over the games of the generation.
        """
        plan = self.curriculum
        first = self.number * plan.count("lot")
        seed = 1_000_000 + plan.seed * 1000 + self.generation
        listed = opening_positions("balanced", plan.rules, first + self.games, seed=seed)
        share = plan.number("balanced")
        return [
            listed[game] if int((game + 1) * share) > int(game * share) else ()
            for game in range(first, first + self.games)
        ]


@dataclass(frozen=True)
class MentorBatch(GameBatch):
    """A batch of training games that the mentor plays against itself, from balanced openings."""

    def play(self) -> list[TrainingRecord]:
        """Play the games of the batch; the target policy of a position is the mentor's own move.

        In a share of the positions (`mentor_wanders`) another of its best moves is played instead.
        Otherwise the games would be much alike, and none would contain a bad position.
        """
        plan = self.curriculum
        limit = Limit(nodes=plan.count("mentor_nodes"))
        wanders, empty = plan.number("mentor_wanders"), plan.count("mentor_empty")
        first = self.number * plan.count("lot")
        openings = opening_positions(
            "balanced", plan.rules, first + self.games, seed=plan.seed * 1000 + self.generation
        )[first:]
        games = []
        for number, (listed, rng) in enumerate(zip(openings, self.streams(2), strict=True), first):
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
            policies = one_hot_policies(
                (*opening, *answers), plan.rules.points, opening=len(opening)
            )
            told = np.array(values, np.float32)
            games.append(TrainingRecord(tuple(board.moves), winner_of(board), policies, told))
        return games


@dataclass(frozen=True)
class MatchBatch(GameBatch):
    """A batch of games of a match.

    Two games with the same opening and swapped colours form a pair.
    """

    first: MatchPlayer
    second: MatchPlayer
    mixes_empty: bool
    """Whether the games start from the empty board in every other pair; else in none."""
    pairs_before: int = 0
    """Number of pairs of games in the batches of the match before this one."""
    only_black: bool = False
    """Whether the first side has Black in all games; they then start from the empty board."""

    def play(self) -> list[float]:
        """Play the games of the batch; in each pair of games the first side has Black, then White.

        Returns:
            The first side's result of each game: 1 won, 0.5 drawn, 0 lost.
        """
        plan = self.curriculum
        boards = [Board.from_moves(moves, plan.rules) for moves in match_openings(self)]
        firsts = [self.only_black or game % 2 == 0 for game in range(self.games)]
        sides = [_Side(plan, seat, self.games) for seat in (self.first, self.second)]
        streams = self.streams(4)
        while any(board.outcome() is None for board in boards):
            turns = [
                None if board.outcome() is not None else int((board.to_move == BLACK) != is_black)
                for board, is_black in zip(boards, firsts, strict=True)
            ]
            for number, side in enumerate(sides):
                given = [
                    board if turn == number else None
                    for board, turn in zip(boards, turns, strict=True)
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


def winner_of(board: Board) -> Color:
    """Return the winner of a game; EMPTY for a draw or an unfinished game."""
    outcome = board.outcome()
    return EMPTY if outcome is None else outcome.winner


def _wandering(choice: MoveChoice, rng: np.random.Generator, share: float) -> Move:
    """Return the player's move or, with some probability, a random one of its best moves.

    Once the game is decided, it is always the player's move.

    Args:
        choice: the player's choice with its explanation.
        rng: random generator; its state advances.
        share: probability of a random move.
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


class _Side:
    """One side of a match, in all games of a batch.

    It is a pair of networks that searches all games together, or a roster player for each game.
    """

    def __init__(self, plan: Curriculum, seat: MatchPlayer, games: int) -> None:
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
        """Return a move for each board; None where the board is None.

        Args:
            boards: the board of each game; None for a game in which this side is not to move.
            streams: random generator of each game.
        """
        if self._many is not None:
            found = self._many.search(boards, self._limit, streams)
            return [None if result is None else result.move for result in found]
        return [
            None if board is None else player.choose(board.copy(), self._limit, rng).move
            for player, board, rng in zip(self._players, boards, streams, strict=True)
        ]

    def close(self) -> None:
        """Close the players."""
        for player in self._players:
            player.close()


def match_openings(batch: MatchBatch) -> list[tuple[Move, ...]]:
    """Return the opening of each game of a batch: the moves that are on the board at the start.

    Both games of a pair have the same opening; `()` is the empty board.
    """
    if batch.only_black:
        return [()] * batch.games
    plan, rules = batch.curriculum, batch.curriculum.rules
    first, pairs = batch.pairs_before, (batch.games + 1) // 2
    seed = 500_000 + plan.seed * 1000 + batch.generation
    openings = opening_positions("balanced", rules, first + pairs, seed=seed)[first:]
    if batch.mixes_empty:
        openings = [() if pair % 2 == 0 else moves for pair, moves in enumerate(openings, first)]
    return [openings[game // 2] for game in range(batch.games)]


# -- files --------------------------------------------------------------------------------------


def save_games(path: Path, games: Sequence[TrainingRecord], source: str) -> None:
    """Write the games of a batch, replacing an existing file atomically.

    Args:
        path: path of the file, ending in `.npz`.
        games: the games, at least one.
        source: text that says how the games were played, such as a checksum of the networks. It is
            stored with them and compared by `load_games`.

    Raises:
        OSError: the file cannot be written.
    """
    arrays: dict[str, NDArray[np.generic]] = {
        "source": np.frombuffer(source.encode(), np.uint8),
        "winners": np.array([game.winner for game in games], np.int8),
        "plies": np.array([len(game.moves) for game in games], np.int64),
        "learnt": np.array([len(game.policies) for game in games], np.int64),
        "moves": np.concatenate([np.array(game.moves, np.int16) for game in games]),
        "policies": np.concatenate([game.policies for game in games]),
        **_values_of(games),
    }
    atomic_write(path, packed(arrays))


def _values_of(games: Sequence[TrainingRecord]) -> dict[str, NDArray[np.float32]]:
    """Return the players' values in all games, one game after the other, under the name "values".

    The dictionary is empty if a game has no values.
    """
    values = [game.values for game in games if game.values is not None]
    return {"values": np.concatenate(values)} if len(values) == len(games) else {}


def load_games(path: Path, rules: Rules, source: str | None = None) -> list[TrainingRecord] | None:
    """Read the games of a batch.

    Args:
        path: path of the file.
        rules: rules of the games.
        source: text that must be stored with the games, see `save_games`; None for any.

    Returns:
        The games; None if the file is missing or damaged, or if another text is stored.
    """
    try:
        with reading(path, "games of a training"):
            held = read_arrays(path)
            if source is not None and held["source"].tobytes() != source.encode():
                return None
            ends, last = np.cumsum(held["plies"]), np.cumsum(held["learnt"])
            told = held.get("values")
            games = [
                TrainingRecord(tuple(moves.tolist()), int(winner), policies, values)
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


def _is_sound(game: TrainingRecord, rules: Rules) -> bool:
    """Return whether the arrays of a stored game fit each other and the board."""
    moves = np.array(game.moves, np.int64)
    return (
        len(game.policies) <= len(moves) <= rules.points
        and game.policies.shape[1:] == (rules.points,)
        and len(np.unique(moves)) == len(moves)
        and bool(((moves >= 0) & (moves < rules.points)).all())
        and (game.values is None or _are_values(game.values, len(game.policies)))
    )


def _are_values(values: NDArray[np.float32], count: int) -> bool:
    """Return whether there are `count` values, all in [-1, 1]."""
    return values.shape == (count,) and bool((np.abs(values) <= 1.0).all())

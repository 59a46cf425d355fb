"""One game from its first stone to its record: turns, undo, resignation, ranks and seeds.

Nothing here waits or draws. Whoever asks people or players hands their moves to `GameSession`,
which says whose turn it is, what may be done and how the game ended.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from ai.game import (
    BLACK,
    EMPTY,
    WHITE,
    Board,
    Color,
    GameRecord,
    IllegalMoveError,
    Move,
    Outcome,
    Rules,
    Termination,
    color_name,
    random_centre_point,
)
from ai.players.base import Limit, MoveChoice, Player


def move_seed(seed: int, game: int, ply: int) -> int:
    """Return the seed of one move, from the run's seed, the game (from 1) and the ply (from 0)."""
    text = f"{seed}/{game}/{ply}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=6).digest(), "little")


def opening_move(rules: Rules, seed: int, game: int) -> Move:
    """Return Black's first stone: one of the nine centre points (the paper, section 4.1)."""
    return random_centre_point(rules, np.random.default_rng(move_seed(seed, game, 0)))


class _Ply(NamedTuple):
    """What is noted of a stone beside its point."""

    rank: int | None = None
    is_person: bool = False


class GameSession:
    """A game that is being played.

    >>> session = GameSession(Rules(3, 3), game=8)
    >>> for move in (0, 3, 1, 4, 2):
    ...     session.play(move)
    >>> session.is_over, session.record().winner == BLACK, session.record().game
    (True, True, 8)

    Attributes:
        board: the position; changed by this class alone.
        game: number of the game in its run, from 1.
        seed: of the run; see `move_seed`.
        learner_color: the side that learns, whose ranks are noted.
        resigned: the side that gave the game up, EMPTY while none has.
        taken_back: how often a person took a move back.
        choices: by side, (ply from 0, choice) of its last move.
        last_choice: the newest of them.
        seconds: by side, wall seconds that `play_out` waited for its player.
    """

    def __init__(
        self,
        rules: Rules,
        game: int = 1,
        *,
        seed: int = 0,
        learner_color: Color = WHITE,
        moves: Iterable[Move] = (),
    ) -> None:
        """Begin a game.

        Args:
            rules: what is played.
            game: its number in the run, from 1.
            seed: of the run.
            learner_color: the side that learns.
            moves: stones that lie there already; they cannot be taken back.

        Raises:
            IllegalMoveError: these break the rules.
        """
        self.board = Board.from_moves(moves, rules)
        self.game = game
        self.seed = seed
        self.learner_color = learner_color
        self.resigned: Color = EMPTY
        self.taken_back = 0
        self.choices: dict[Color, tuple[int, MoveChoice]] = {}
        self.last_choice: MoveChoice | None = None
        self.seconds = {BLACK: 0.0, WHITE: 0.0}
        self._plies = [_Ply()] * self.board.ply
        self._undos = 0

    @classmethod
    def from_record(cls, record: GameRecord, plies: int | None = None) -> GameSession:
        """Return a game that stands where a recorded one stood after `plies` moves (None: all).

        Raises:
            IllegalMoveError: the record breaks the rules.
        """
        return cls(
            record.rules, record.game, learner_color=record.learner_color,
            moves=record.moves[:plies],
        )  # fmt: skip

    # -- where the game stands ----------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether the board is decided or a side has resigned."""
        return self.outcome() is not None

    def outcome(self) -> Outcome | None:
        """Return how the game ended, None while it goes on."""
        if self.board.outcome() is None and self.resigned:
            return Outcome(-self.resigned, Termination.RESIGNED)
        return self.board.outcome()

    @property
    def next_seed(self) -> int:
        """Seed of the move that is due."""
        return move_seed(self.seed, self.game, self.board.ply)

    @property
    def ranks(self) -> list[int]:
        """Ranks that the learner's moves had in its network's answers, in order, from 1."""
        return [ply.rank for ply in self._plies if ply.rank is not None]

    @property
    def people(self) -> list[str]:
        """The colors, "black" and "white", of which people placed a stone."""
        sides = {number % 2 for number, ply in enumerate(self._plies) if ply.is_person}
        return [name for side, name in enumerate(("black", "white")) if side in sides]

    def record(self) -> GameRecord:
        """Return the finished game.

        Raises:
            RecordError: it is not over.
        """
        if self.resigned and self.board.outcome() is None:
            return GameRecord.from_resignation(
                self.board, self.game, loser=self.resigned, learner_color=self.learner_color
            )
        return GameRecord.from_board(self.board, self.game, self.learner_color)

    # -- moves --------------------------------------------------------------------------------

    def play(self, move: Move, *, rank: int | None = None, is_person: bool = False) -> None:
        """Place a stone of the side to move.

        Args:
            move: the point.
            rank: of the move in the network's answer, from 1, where it has one.
            is_person: whether a person placed it, and may take it back.

        Raises:
            GameOverError: the board is decided.
            IllegalMoveError: no stone can be placed there.
        """
        self.board.play(move)
        self._plies.append(_Ply(rank, is_person))

    def play_opening(self) -> Move:
        """Place the first stone, drawn from the run's seed and the game's number; return it."""
        move = opening_move(self.board.rules, self.seed, self.game)
        self.play(move)
        return move

    def take(self, choice: MoveChoice, *, is_person: bool = False) -> Move:
        """Play what the side to move has chosen and note why; return the move.

        Raises:
            IllegalMoveError: no stone can be placed there.
        """
        color, ply = self.board.to_move, self.board.ply
        if choice.move not in self.board.legal_moves:
            raise IllegalMoveError(
                f"{color_name(color)}: expected a legal move, found {choice.move!r}"
            )
        move = int(choice.move)
        rank = choice.rank if color == self.learner_color else None
        self.play(move, rank=rank, is_person=is_person)
        self.last_choice = choice
        self.choices[color] = (ply, choice)
        return move

    def play_out(
        self, black: Player, white: Player, on_move: Callable[[Board], None] = lambda board: None
    ) -> GameRecord:
        """Let players finish the game, each by its own measure of time.

        The first stone of an empty board is drawn; each move draws from `next_seed`.

        Args:
            black: plays Black.
            white: plays White.
            on_move: called after each stone; may raise to stop the game.

        Raises:
            IllegalMoveError: a player's choice breaks the rules.
        """
        limit = Limit()
        if not self.board.ply:
            self.play_opening()
            on_move(self.board)
        while not self.is_over:
            color = self.board.to_move
            rng = np.random.default_rng(self.next_seed)
            started = time.perf_counter()
            choice = (black if color == BLACK else white).choose(self.board, limit, rng)
            self.seconds[color] += time.perf_counter() - started
            self.take(choice)
            on_move(self.board)
        return self.record()

    # -- what people want ---------------------------------------------------------------------

    @property
    def has_request(self) -> bool:
        """Whether an undo or a resignation comes before the next move."""
        return self._undos > 0 or self.resigned != EMPTY

    def request_undo(self) -> bool:
        """Ask for a person's last move to be taken back by `undo`; False where there is none."""
        if self.is_over or sum(ply.is_person for ply in self._plies) <= self._undos:
            return False
        self._undos += 1
        return True

    def undo(self) -> list[int]:
        """Take back each requested move of a person with all that followed it.

        Returns:
            The ranks of the moves that went, the last one's first.
        """
        gone: list[_Ply] = []
        for _ in range(self._undos):
            is_person = False
            while not is_person:
                self.board.pop()
                gone.append(self._plies.pop())
                is_person = gone[-1].is_person
            self.taken_back += 1
        self._undos = 0
        return [ply.rank for ply in gone if ply.rank is not None]

    def resign(self, color: Color) -> bool:
        """Let a side give the game up; False where it is over already."""
        if self.is_over:
            return False
        self.resigned = color
        return True

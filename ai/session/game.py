"""One game from its first stone to its record: turns, undo, resignation, ranks, seeds.

Pure logic without waiting or drawing: the caller asks people or players and passes their moves to
`GameSession`, which knows whose turn it is, what is allowed and how the game ended.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

import numpy as np

from ai.game import (
    BLACK,
    EMPTY,
    FIRST,
    PASS,
    WHITE,
    Choice,
    Color,
    Game,
    GameRecord,
    IllegalMoveError,
    Move,
    OpeningKind,
    OpeningPhase,
    Outcome,
    Person,
    Position,
    Said,
    Termination,
    balanced_stones,
    board_of,
    color_name,
    random_centre_point,
)
from ai.players.base import Limit, MoveChoice, Player
from ai.session.opening import answer_opening

log = logging.getLogger(__name__)

OPENING_SEEDS: Final = 1_000_000
"""Offset of the seeds of opening choices, so that they differ from those of moves."""


def move_seed(seed: int, game: int, ply: int) -> int:
    """Return the seed of one move, from the run's seed, the game (from 1) and the ply (from 0)."""
    text = f"{seed}/{game}/{ply}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=6).digest(), "little")


def opening_move(rules: Game, seed: int, game: int) -> Move:
    """Return the opening move, drawn among `opening_points` (the paper, section 4.1)."""
    return random_centre_point(rules, np.random.default_rng(move_seed(seed, game, 0)))


class _Ply(NamedTuple):
    """Details of a stone or of a choice in the opening."""

    rank: int | None = None
    is_person: bool = False
    is_choice: bool = False


class GameSession:
    """A game in progress.

    >>> from ai.game import Rules
    >>> session = GameSession(Rules(3, 3), game=8)
    >>> for move in (0, 3, 1, 4, 2):
    ...     session.play(move)
    >>> session.is_over, session.record().winner == BLACK, session.record().game
    (True, True, 8)

    Attributes:
        board: the position; read-only for callers.
        opening: state of its opening, with the person at each color.
        game: number of the game in its run, from 1.
        seed: seed of the run; see `move_seed`.
        learner_color: the side that learns, whose ranks are recorded.
        resigned: the side that resigned, EMPTY for none.
        forfeit: why a player gave the game up, such as an engine that failed; empty for none.
        taken_back: number of moves that people took back.
        choices: by side, (ply from 0, choice) of its last move.
        last_choice: the latest of both.
        seconds: by side, wall seconds of thinking in `play_out`.
    """

    def __init__(
        self,
        rules: Game,
        game: int = 1,
        *,
        seed: int = 0,
        learner_color: Color = WHITE,
        moves: Iterable[Move] = (),
        opening: OpeningKind = OpeningKind.NONE,
    ) -> None:
        """Start a game.

        Args:
            rules: rules of the game.
            game: number of the game in its run, from 1.
            seed: seed of the run.
            learner_color: the side that learns.
            moves: moves already played, which cannot be undone; only without an opening.
            opening: kind of opening. Balanced stones are placed at once; the game's number
                selects them, and two games in a row have the same ones.

        Raises:
            IllegalMoveError: these moves break the rules.
            RulesError: this game has no such opening.
        """
        self.opening = OpeningPhase(rules, opening)
        if opening is OpeningKind.BALANCED:
            moves = balanced_stones(rules, seed + (game - 1) // 2)
            self.opening = OpeningPhase(rules, opening, tuple(moves))
        self.board = board_of(rules, moves)
        self.game = game
        self.seed = seed
        self.learner_color = learner_color
        self.resigned: Color = EMPTY
        self.forfeit = ""
        self.taken_back = 0
        self.choices: dict[Color, tuple[int, MoveChoice]] = {}
        self.last_choice: MoveChoice | None = None
        self.seconds = {BLACK: 0.0, WHITE: 0.0}
        self._plies = [_Ply()] * self.board.ply
        self._undos = 0

    @classmethod
    def from_record(cls, record: GameRecord, plies: int | None = None) -> GameSession:
        """Return a game in the position of a record after `plies` moves (None: all).

        Raises:
            IllegalMoveError: the record breaks the rules.
        """
        return cls(
            record.rules,
            record.game,
            learner_color=record.learner_color,
            moves=record.moves[:plies],
        )

    # -- where the game stands ----------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether the board is decided or a side has resigned."""
        return self.outcome() is not None

    def outcome(self) -> Outcome | None:
        """Return how the game ended; None if it goes on."""
        if self.board.outcome() is None and self.resigned:
            return Outcome(-self.resigned, Termination.RESIGNED)
        return self.board.outcome()

    @property
    def next_seed(self) -> int:
        """Seed of the next move, or of the next step of the opening."""
        opening = self.opening
        step = self.board.ply if opening.is_over else OPENING_SEEDS + len(opening.said)
        return move_seed(self.seed, self.game, step)

    @property
    def ranks(self) -> list[int]:
        """Ranks of the learner's moves in its network's answers, in order, from 1."""
        return [ply.rank for ply in self._plies if ply.rank is not None]

    @property
    def people(self) -> list[str]:
        """The colors, "black" or "white", for which people placed stones."""
        return self._people_from(0)

    @property
    def people_seated(self) -> list[str]:
        """The same without the opening, in which one player may place stones of both colors."""
        return self._people_from(len(self.opening.stones))

    def _people_from(self, first: int) -> list[str]:
        stones = [ply for ply in self._plies if not ply.is_choice]
        sides = {
            number % 2 for number, ply in enumerate(stones) if number >= first and ply.is_person
        }
        return [name for side, name in enumerate(("black", "white")) if side in sides]

    def record(self) -> GameRecord:
        """Return the record of the finished game.

        Raises:
            RecordError: it is not over.
        """
        opening = None if self.opening.kind is OpeningKind.NONE else self.opening
        if self.resigned and self.board.outcome() is None:
            return GameRecord.from_resignation(
                self.board,
                self.game,
                loser=self.resigned,
                learner_color=self.learner_color,
                opening=opening,
            )
        return GameRecord.from_board(self.board, self.game, self.learner_color, opening)

    # -- the opening --------------------------------------------------------------------------

    @property
    def to_decide(self) -> Person:
        """The person whose turn it is: who decides in the opening, or who has the side to move."""
        if not self.opening.is_over:
            return self.opening.decider
        return self.opening.person_at(self.board.to_move)

    @property
    def points(self) -> frozenset[Move]:
        """The legal moves; in an opening, those that it allows. Empty before a choice."""
        if self.opening.is_over:
            return frozenset(self.board.legal_moves)
        return self.opening.points(self.board.stones)

    def decide(self, choice: Choice, *, is_person: bool = False) -> None:
        """Make a choice in the opening for `to_decide`: a color, or two more stones.

        Args:
            choice: one of `opening.choices`.
            is_person: whether a person chose, and so may undo it.

        Raises:
            IllegalMoveError: the opening does not offer this choice now.
        """
        if not self.opening.choices:
            raise IllegalMoveError(f"expected a stone, found the choice {choice!r}")
        self.opening = self.opening.after(choice)
        self._plies.append(_Ply(is_person=is_person, is_choice=True))

    def say(self, steps: Iterable[Said], *, is_person: bool = False) -> None:
        """Play steps of the opening: stones and choices; see `play` and `decide`."""
        for said in steps:
            if isinstance(said, Choice):
                self.decide(said, is_person=is_person)
            else:
                self.play(said, is_person=is_person)

    # -- moves --------------------------------------------------------------------------------

    def play(self, move: Move, *, rank: int | None = None, is_person: bool = False) -> None:
        """Play a move of the side to move.

        Args:
            move: the point, or PASS.
            rank: rank of the move in the network's answer, from 1; None without one.
            is_person: whether a person placed it, and so may undo it.

        Raises:
            GameOverError: the board is decided.
            IllegalMoveError: the rules do not allow it.
        """
        opening = self.opening if self.opening.is_over else self.opening.after(move)
        self.board.play(move)
        self.opening = opening
        self._plies.append(_Ply(rank, is_person))

    def play_pass(self) -> bool:
        """Play a pass where nothing else is legal; return whether it was played."""
        if not self.board.must_pass:
            return False
        self.play(PASS)
        return True

    def play_opening(self) -> Move:
        """Play the opening move, drawn from the run's seed and the game's number; return it."""
        move = opening_move(self.board.rules, self.seed, self.game)
        self.play(move)
        return move

    def play_choice(self, choice: MoveChoice, *, is_person: bool = False) -> Move:
        """Play a player's choice, store it with its explanation, and return the move.

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

    def take(self, choice: MoveChoice, *, is_person: bool = False) -> Move:
        """Do what `play_choice` does, which had this name before."""
        log.warning("GameSession.take is now GameSession.play_choice; the old name still works")
        return self.play_choice(choice, is_person=is_person)

    def gives_up(self, choice: MoveChoice) -> bool:
        """Resign for the side to move if its player gives up; return whether it does."""
        if not choice.forfeit:
            return False
        self.forfeit = choice.forfeit
        return self.resign(self.board.to_move)

    def play_out(
        self, black: Player, white: Player, on_move: Callable[[Position], None] = lambda board: None
    ) -> GameRecord:
        """Play the game to its end with two players, without time limits.

        Without an opening, the first move is drawn at random if the board is empty. Each move's
        generator is seeded with `next_seed`. Players are only asked for points: a side that has
        none passes.

        Args:
            black: player of Black; where an opening swaps, the person that begins it.
            white: player of White; the other person.
            on_move: called after each move; may raise to stop the game.

        Raises:
            IllegalMoveError: a player's choice breaks the rules.
        """
        limit = Limit()
        if not self.board.ply and self.opening.kind is OpeningKind.NONE:
            self.play_opening()
            on_move(self.board)
        while not self.opening.is_over and not self.is_over:
            player = black if self.opening.decider is FIRST else white
            rng = np.random.default_rng(self.next_seed)
            for said in answer_opening(player, self.opening, self.board, limit, rng):
                self.say((said,))
                on_move(self.board)
        while not self.is_over:
            if self.play_pass():
                on_move(self.board)
                continue
            color = self.board.to_move
            rng = np.random.default_rng(self.next_seed)
            started = time.perf_counter()
            player = black if self.opening.person_at(color) is FIRST else white
            choice = player.choose(self.board, limit, rng)
            self.seconds[color] += time.perf_counter() - started
            if self.gives_up(choice):
                continue
            self.play_choice(choice)
            on_move(self.board)
        return self.record()

    # -- what people want ---------------------------------------------------------------------

    @property
    def has_request(self) -> bool:
        """Whether an undo or a resignation is pending before the next move."""
        return self._undos > 0 or self.resigned != EMPTY

    def request_undo(self) -> bool:
        """Request the undo of a person's last move, see `undo`; False if there is none."""
        if self.is_over or sum(ply.is_person for ply in self._plies) <= self._undos:
            return False
        self._undos += 1
        return True

    def undo(self) -> list[int]:
        """Undo the requested moves of people, with all moves after them.

        Returns:
            The ranks of the undone moves, the last one's first.
        """
        gone: list[_Ply] = []
        for _ in range(self._undos):
            is_person = False
            while not is_person:
                gone.append(self._plies.pop())
                is_person = gone[-1].is_person
                self._forget(gone[-1])
            self.taken_back += 1
        self._undos = 0
        return [ply.rank for ply in gone if ply.rank is not None]

    def _forget(self, ply: _Ply) -> None:
        """Remove the last stone or choice, with its details."""
        if not ply.is_choice:
            self.board.pop()
        is_of_opening = self.opening.kind is not OpeningKind.BALANCED and (
            ply.is_choice or self.board.ply < len(self.opening.stones)
        )
        if is_of_opening:
            self.opening = self.opening.before()

    def resign(self, color: Color) -> bool:
        """Resign for a side; return False if the game is already over."""
        if self.is_over:
            return False
        self.resigned = color
        return True

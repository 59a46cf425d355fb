"""One game from its first stone to its record: turns, undo, resignation and random seeds.

Pure logic without waiting or drawing. The caller asks people or players for moves and passes these
to `GameSession`. The session knows whose turn it is, which moves are legal and how the game ended.
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
    color_name,
    random_centre_point,
    replayed,
)
from ai.players.base import Limit, MoveChoice, Player
from ai.session.opening import answer_opening

log = logging.getLogger(__name__)

OPENING_SEEDS: Final = 1_000_000
"""Number added to the seeds of choices in an opening, to tell them from those of moves."""


def move_seed(seed: int, game: int, ply: int) -> int:
    """Return the random seed of one move.

    Args:
        seed: seed of the run.
        game: number of the game, from 1.
        ply: number of moves before it.
    """
    text = f"{seed}/{game}/{ply}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=6).digest(), "little")


def opening_move(rules: Game, seed: int, game: int) -> Move:
    """Draw the first move among the points near the centre (the paper, section 4.1).

    Args:
        rules: rules of the game.
        seed: seed of the run.
        game: number of the game, from 1.
    """
    return random_centre_point(rules, np.random.default_rng(move_seed(seed, game, 0)))


class _Ply(NamedTuple):
    """Details of one step of a game: a stone, or a choice in the opening."""

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
        board: the position; callers must not change it.
        opening: state of the opening; it says which participant has which color.
        game: number of the game in its run, from 1.
        seed: seed of the run; see `move_seed`.
        learner_color: color of the side that learns; the ranks of its moves are recorded.
        decided: how the game ended off the board: resigned, on time, or as an agreed draw; None if
            it did not.
        forfeit: why a player gave up, such as the fault of an engine; empty if none did.
        taken_back: number of moves that people took back.
        choices: by color, the number of moves before its player's last choice, and that choice.
        last_choice: the latest choice of a player; None if there is none.
        seconds: by color, thinking time in `play_out`, in seconds.
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
            learner_color: color of the side that learns.
            moves: moves already played, which cannot be undone; only without an opening.
            opening: kind of opening. Balanced stones are placed at once; `seed` and `game` select
                them, and each two successive games have the same ones.

        Raises:
            IllegalMoveError: `moves` break the rules.
            RulesError: the rules do not allow this opening.
        """
        self.opening = OpeningPhase(rules, opening)
        if opening is OpeningKind.BALANCED:
            moves = balanced_stones(rules, seed + (game - 1) // 2)
            self.opening = OpeningPhase(rules, opening, tuple(moves))
        self.board = replayed(rules, moves)
        self._given = self.board.ply
        self.game = game
        self.seed = seed
        self.learner_color = learner_color
        self.decided: Outcome | None = None
        self.forfeit = ""
        self.taken_back = 0
        self.choices: dict[Color, tuple[int, MoveChoice]] = {}
        self.last_choice: MoveChoice | None = None
        self.seconds = {BLACK: 0.0, WHITE: 0.0}
        self._plies = [_Ply()] * self.board.ply
        self._undos = 0

    @classmethod
    def from_record(cls, record: GameRecord, plies: int | None = None) -> GameSession:
        """Return a game that continues a record after its first moves.

        Args:
            record: the recorded game.
            plies: number of its moves to play; None for all.

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
        """Whether the game has ended, on the board or off it."""
        return self.outcome() is not None

    @property
    def resigned(self) -> Color:
        """Color of the side that resigned; EMPTY for none."""
        decided = self.decided
        has_resigned = decided is not None and decided.termination is Termination.RESIGNED
        return -decided.winner if decided is not None and has_resigned else EMPTY

    def outcome(self) -> Outcome | None:
        """Return how the game ended; None if it goes on."""
        return self.board.outcome() or self.decided

    @property
    def next_seed(self) -> int:
        """Random seed of the next move, or of the next step of the opening."""
        opening = self.opening
        step = self.board.ply if opening.is_over else OPENING_SEEDS + len(opening.said)
        return move_seed(self.seed, self.game, step)

    @property
    def ranks(self) -> list[int]:
        """Ranks of the learner's moves in its network's answers, in the order of play.

        Rank 1 is the network's best point.
        """
        return [ply.rank for ply in self._plies if ply.rank is not None]

    @property
    def people(self) -> list[str]:
        """The colors, "black" or "white", for which people placed stones."""
        return self._people_from(0)

    @property
    def people_seated(self) -> list[str]:
        """The colors, "black" or "white", for which people placed stones after the opening.

        In an opening one player may place stones of both colors.
        """
        return self._people_from(len(self.opening.stones))

    def _people_from(self, first: int) -> list[str]:
        stones = [ply for ply in self._plies if not ply.is_choice]
        sides = {
            number % 2 for number, ply in enumerate(stones) if number >= first and ply.is_person
        }
        return [name for side, name in enumerate(("black", "white")) if side in sides]

    def steps(self) -> list[tuple[Said, bool]]:
        """Return what was played and decided since the game began, in order.

        `say` plays it again. Stones that lay on the board at the beginning are left out.

        Returns:
            For each stone its point, or the choice that was made, and whether a person did it.
        """
        moves = iter(self.board.moves[self._given :])
        choices = iter(said for said in self.opening.said if isinstance(said, Choice))
        return [
            (next(choices) if ply.is_choice else next(moves), ply.is_person)
            for ply in self._plies[self._given :]
        ]

    def record(self) -> GameRecord:
        """Return the record of the finished game.

        Raises:
            RecordError: the game is not over.
        """
        opening = None if self.opening.kind is OpeningKind.NONE else self.opening
        if self.decided is not None and self.board.outcome() is None:
            return GameRecord.from_decision(
                self.board,
                self.game,
                outcome=self.decided,
                learner_color=self.learner_color,
                opening=opening,
            )
        return GameRecord.from_board(self.board, self.game, self.learner_color, opening)

    # -- the opening --------------------------------------------------------------------------

    @property
    def to_decide(self) -> Person:
        """The participant whose turn it is.

        In the opening it is the one that decides, afterwards the one with the side to move.
        """
        if not self.opening.is_over:
            return self.opening.decider
        return self.opening.person_at(self.board.to_move)

    @property
    def points(self) -> frozenset[Move]:
        """The points where a stone may be placed now; empty while a choice must be made.

        In an opening these are the points that it allows.
        """
        if self.opening.is_over:
            return frozenset(self.board.legal_moves)
        return self.opening.points(self.board.stones)

    def decide(self, choice: Choice, *, is_person: bool = False) -> None:
        """Make a choice in the opening for `to_decide`: a color, or two more stones.

        Args:
            choice: one of `opening.choices`.
            is_person: whether a person made the choice and may undo it.

        Raises:
            IllegalMoveError: the opening does not offer this choice at present.
        """
        if not self.opening.choices:
            raise IllegalMoveError(f"expected a stone, found the choice {choice!r}")
        self.opening = self.opening.after(choice)
        self._plies.append(_Ply(is_person=is_person, is_choice=True))

    def say(self, steps: Iterable[Said], *, is_person: bool = False) -> None:
        """Play the next steps of the opening, stones and choices; see `play` and `decide`.

        Args:
            steps: the steps in order.
            is_person: whether a person made them and may undo them.
        """
        for said in steps:
            if isinstance(said, Choice):
                self.decide(said, is_person=is_person)
            else:
                self.play(said, is_person=is_person)

    # -- moves --------------------------------------------------------------------------------

    def play(self, move: Move, *, rank: int | None = None, is_person: bool = False) -> None:
        """Play a move for the side to move.

        Args:
            move: the point, or PASS.
            rank: rank of the move among the network's answers, from 1; None if unknown.
            is_person: whether a person made the move and may undo it.

        Raises:
            GameOverError: the game has ended on the board.
            IllegalMoveError: the rules do not allow the move.
        """
        opening = self.opening if self.opening.is_over else self.opening.after(move)
        self.board.play(move)
        self.opening = opening
        self._plies.append(_Ply(rank, is_person))

    def play_pass(self) -> bool:
        """Pass if the side to move must pass, since it has no other legal move.

        Returns:
            Whether it passed.
        """
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
        """Play a player's choice; this is the former name of `play_choice`.

        Args:
            choice: the player's choice.
            is_person: whether a person made the choice and may undo it.
        """
        log.warning("GameSession.take is now GameSession.play_choice; the old name still works")
        return self.play_choice(choice, is_person=is_person)

    def gives_up(self, choice: MoveChoice) -> bool:
        """Resign for the side to move if `choice` says that its player gives up.

        Returns:
            Whether the player gave up.
        """
        if not choice.forfeit:
            return False
        self.forfeit = choice.forfeit
        return self.resign(self.board.to_move)

    def play_out(
        self, black: Player, white: Player, on_move: Callable[[Position], None] = lambda board: None
    ) -> GameRecord:
        """Play the game to its end with two players, without time limits.

        Without an opening, the first move is drawn at random if the board is empty. Each move's
        random generator is seeded with `next_seed`. A side without a legal point passes without
        being asked.

        Args:
            black: player of Black; if an opening swaps colors, the participant that begins it.
            white: player of White, or the other participant.
            on_move: called with the board after each move; may raise to stop the game.

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
        """Whether an undo, or an end of the game off the board, is pending before the next move."""
        return self._undos > 0 or self.decided is not None

    def request_undo(self) -> bool:
        """Request the undo of a person's last move, which `undo` carries out.

        Returns:
            False if the game is over or there is no further move of a person.
        """
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
        """Remove the last step of the game: a stone, or a choice in the opening.

        Args:
            ply: details of this step.
        """
        if not ply.is_choice:
            self.board.pop()
        is_of_opening = self.opening.kind is not OpeningKind.BALANCED and (
            ply.is_choice or self.board.ply < len(self.opening.stones)
        )
        if is_of_opening:
            self.opening = self.opening.before()

    def resign(self, color: Color) -> bool:
        """Resign for a side.

        Args:
            color: the side.

        Returns:
            False if the game is already over, else True.
        """
        return self._decide_off_board(Outcome(-color, Termination.RESIGNED))

    def lose_on_time(self, color: Color) -> bool:
        """End the game because the time of a side is over.

        Args:
            color: the side whose time is over.

        Returns:
            False if the game is already over, else True.
        """
        return self._decide_off_board(Outcome(-color, Termination.TIME))

    def agree_draw(self) -> bool:
        """End the game with the draw on which both sides agreed.

        Returns:
            False if the game is already over, else True.
        """
        return self._decide_off_board(Outcome(EMPTY, Termination.AGREED))

    def _decide_off_board(self, outcome: Outcome) -> bool:
        if self.is_over:
            return False
        self.decided = outcome
        return True

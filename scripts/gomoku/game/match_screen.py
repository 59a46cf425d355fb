"""What a match reports: texts in the status bar, and the position that panels explain."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ai import PASS, GameRecord, GameSession, MoveChoice, PlayerInfo, Position
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.game.match_report import describe_end
from scripts.gomoku.game.table import LiveTable
from scripts.gomoku.seats.learner_client import LearnerClient
from scripts.gomoku.seats.seat import Seat
from sim import tr, wording

TOLD_SECONDS = 0.5  # between two texts of a fast match
RECENT = 20  # games of which pace and losses are estimated
PLACES = {"column": tr("column"), "cell": tr("cell")}  # what is clicked on other boards


class Pace:
    """Says how a match goes on that is played fast and unseen."""

    def __init__(self) -> None:
        self._begun: list[float] = []
        self._told = -TOLD_SECONDS

    def begin_game(self, now: float) -> None:
        """Count a game that begins now; `now` is the time since the start of the run, seconds."""
        self._begun.append(now)
        del self._begun[: -RECENT - 1]
        self._told = -TOLD_SECONDS

    def is_due(self, now: float) -> bool:
        """Return whether half a second has passed since the text was told; it is told then."""
        if now - self._told < TOLD_SECONDS:
            return False
        self._told = now
        return True

    @property
    def seconds(self) -> float | None:
        """Seconds of a game, with what is learnt from it; None before a whole one."""
        games = len(self._begun) - 1
        return (self._begun[-1] - self._begun[0]) / games if games > 0 else None

    def text(self, game: int, learning: str = "") -> str:
        """Return the text for the status bar.

        Args:
            game: number of the game that is played.
            learning: when the learner retrains; empty if nobody learns.
        """
        seconds = self.seconds
        pace = (
            tr("{seconds:.0f} games a minute").format(seconds=60 / seconds)
            if seconds
            else tr("measuring the pace")
        )
        parts = [
            tr("Fast, unseen: game {game}").format(game=game),
            pace,
            learning,
            tr("F to watch"),
        ]
        return wording(" · ").join(filter(None, parts))


def learning_text(
    pace: Pace, learner: LearnerClient | None, winners: Sequence[int], loser: str
) -> str:
    """Return when the learner retrains next, as text; empty if nobody learns.

    Args:
        pace: how long games take.
        learner: the scene's learner; None for none.
        winners: winner of each game so far, 1 or -1, 0 for a draw.
        loser: name of the learner's side.
    """
    if learner is None or learner.link is None:
        return ""
    if not learner.is_training_on:
        return tr("learning is off")
    if learner.is_training:
        left = learner.training_left
        return tr("{loser} retrains").format(loser=loser) + (
            "" if left is None else tr(": {left:.0f} s left").format(left=left)
        )
    color = -1 if learner.seat is None else learner.seat.color
    recent = winners[-RECENT:]
    lost = sum(winner == -color for winner in recent)
    text = tr("retrains after {loser}'s next loss").format(loser=loser)
    if pace.seconds is None or not lost:
        return text
    return tr("{text}, in about {seconds:.0f} s").format(
        text=text, seconds=max(1.0, pace.seconds * len(recent) / lost)
    )


class MatchStatus:
    """Says in the status bar what happens in a match."""

    def __init__(
        self,
        board: Callable[[], BoardView],
        tell: Callable[..., object],
        title: str = tr("Game"),
        *,
        is_numbered: bool = True,
    ) -> None:
        """Create the object; nothing is reported yet.

        Args:
            board: function that returns the board on which the games are shown. The names of the
                sides come from that board.
            tell: `tell(text, busy=False)` sets the match's line in the status bar.
            title: what a game is called before its number.
            is_numbered: whether its number is said.
        """
        self._board = board
        self._tell = tell
        self._title, self._is_numbered = title, is_numbered

    def _name(self, number: int) -> str:
        return self._title + f" {number}" if self._is_numbered else self._title

    def show_ply(self, session: GameSession, color: int) -> None:
        """Report the last move of a game, which `color` has played."""
        position = session.board
        move = position.moves[-1]
        played = (
            tr("passes")
            if move == PASS
            else tr("plays {to_text}").format(to_text=position.to_text(move))
        )
        self._tell(self._name(session.game) + " · " + self._board().sides[color] + " " + played)

    def show_decision(self, session: GameSession, seat: Seat, question: str) -> None:
        """Report in the status bar what must be decided in an opening, and by whom.

        Args:
            session: the game.
            seat: the seat that decides.
            question: the decision, as text.
        """
        who = tr("you") if seat.is_human else tr("{label} thinks").format(label=seat.label)
        self._tell(self._name(session.game) + " · " + question + ": " + who, busy=not seat.is_human)

    def show_turn(self, session: GameSession, seat: Seat) -> None:
        """Report whose turn it is."""
        board = self._board()
        side = board.sides[session.board.to_move]
        waits = tr("{title} thinks").format(title=seat.info.title)
        if seat.is_human:
            waits = tr("your turn: click a {place_word}").format(
                place_word=PLACES.get(board.place_word, board.place_word)
            )
        self._tell(self._name(session.game) + " · " + side + ": " + waits, busy=not seat.is_human)

    def show_end(self, record: GameRecord) -> None:
        """Report how a game ended."""
        self._tell(self._name(record.game) + ": " + describe_end(record, self._board().sides))

    def show_state(self, live: LiveTable) -> None:
        """Report who is to move in the live game, or how it ended.

        Args:
            live: the live game with its seats.
        """
        session = live.session
        if session is None:
            return
        if session.is_over:
            self.show_end(session.record())
        elif session.opening.is_over:
            self.show_turn(session, live.seat_at(session.board.to_move))
        else:
            self._tell(self._name(session.game))


def provisional_note(seats: Iterable[Seat]) -> str:
    """Return which players search less than usual for now, as a note; "" if none does."""
    names = dict.fromkeys(seat.info.title for seat in seats if seat.is_provisional)
    if not names:
        return ""
    who = tr(" and ").join(names)
    return tr(
        "Provisional: the fast code of {who} is still being compiled, so it searches less."
    ).format(who=who)


def _nothing() -> None:
    """Do nothing: the default of `ShownPosition.ask`."""


@dataclass(frozen=True)
class ShownPosition:
    """The position on the board, and what explains it.

    It belongs to the live game, to a past game or to a side game.

    Attributes:
        board: the position; None before the first game.
        choices: for each color a pair: the number of moves before the side's last explained move,
            and the player's answer.
        players: the player of each color.
        key: value that changes whenever anything else here changes.
        note: a note for readers, for example which player was asked; empty for none.
        is_asking: whether some answers may still arrive.
        ask: called without arguments when explanations are to be shown; requests the missing
            answers.
    """

    board: Position | None
    choices: Mapping[int, tuple[int, MoveChoice]]
    players: Mapping[int, PlayerInfo]
    key: Hashable
    note: str = ""
    is_asking: bool = False
    ask: Callable[[], object] = field(default=_nothing, compare=False)

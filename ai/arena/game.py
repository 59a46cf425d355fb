"""One game of a tournament, to its end: a fault of a player loses it."""

from __future__ import annotations

import ctypes
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Final, NamedTuple

import numpy as np

from ai.arena.tournament import PLAYED, Entrant, Pairing, Tournament
from ai.game import BLACK, WHITE, IllegalMoveError, OpeningKind, Person, Said
from ai.players.base import MoveChoice, Player
from ai.session.game import GameSession
from ai.session.opening import answer_opening
from base.values import JsonObject

AGAIN: Final = 0.1
"""Seconds until code that has caught `OverdueError` is broken off once more."""


class OverdueError(BaseException):
    """The time is over; no `Exception`, so that a player's own `except` lets it pass."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Run the block for so long at most.

    Code that computes in Python or waits is broken off; compiled code when it returns to Python.

    Args:
        seconds: wall seconds, above 0.

    Raises:
        OverdueError: the time was over before the block.
    """
    is_main = threading.current_thread() is threading.main_thread()
    bound = _by_signal if is_main and hasattr(signal, "setitimer") else _by_thread
    with bound(seconds):
        yield


@contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    """Let the system's timer raise it: it wakes code that sleeps, too."""
    is_watched = True

    def expire(number: int, frame: FrameType | None) -> None:
        if is_watched:
            raise OverdueError

    started = time.monotonic()
    handler = signal.signal(signal.SIGALRM, expire)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        is_watched = False
        if left:  # somebody else's timer, which goes on
            left = max(left - (time.monotonic() - started), 0.001)
        signal.setitimer(signal.ITIMER_REAL, left, interval)
        signal.signal(signal.SIGALRM, handler)


@contextmanager
def _by_thread(seconds: float) -> Iterator[None]:
    """Let a thread raise it in this one, which sees it at its next step in Python."""
    ended, lock = threading.Event(), threading.Lock()
    watched = ctypes.c_ulong(threading.get_ident())

    def watch() -> None:
        wait = seconds
        while not ended.wait(wait):
            with lock:
                if not ended.is_set():
                    error = ctypes.py_object(OverdueError)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(watched, error)
            wait = AGAIN

    thread = threading.Thread(target=watch, name="deadline", daemon=True)
    thread.start()
    try:
        yield
    finally:
        with lock:
            ended.set()
            ctypes.pythonapi.PyThreadState_SetAsyncExc(watched, None)  # one that is on its way
        thread.join()


TOLERANCE: Final = 1.0
"""Wall seconds over its time that a move may take, the rule of the Gomocup."""
HANG_SECONDS: Final = 600.0
"""Wall seconds of what has no time of its own: taking a seat, and moves with a budget in nodes."""
CLOSE_SECONDS: Final = 10.0
"""Wall seconds that a player may take to leave."""
LONGEST_TEXT: Final = 400
COLORS: Final = ((BLACK, "black"), (WHITE, "white"))


class Fault(NamedTuple):
    """Why a side lost without the board's decision."""

    reason: str
    """"time", "illegal move", "error", or "gave up" of a player that says so itself."""
    text: str


class FaultError(Exception):
    """A player lost by a fault; carries the `Fault`."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(fault.text)


def play_game(tournament: Tournament, pairing: Pairing) -> JsonObject:
    """Play one game and return its line of `games.jsonl`.

    A player that raises, plays an illegal move or overruns its time by more than `TOLERANCE`
    loses this game; the line says why. One that hangs is broken off then, see `deadline.within`.

    Returns:
        `game`, `black` and `white` (who sat there in the end, for an opening may swap), `opening`,
        `winner` ("black", "white" or "draw"), `reason` (of the board, or "resigned" where there was
        a fault), `fault` (None or a text with reason), `plies`, `moves` and `seconds` (thinking, by
        colour).
    """
    session = GameSession(
        tournament.rules, pairing.number, seed=tournament.seed, moves=pairing.moves,
        opening=PLAYED.get(tournament.opening, OpeningKind.NONE),
    )  # fmt: skip
    players: dict[Person, Player] = {}
    spent = dict.fromkeys(Person, 0.0)
    fault: Fault | None = None
    try:
        for person in Person:
            players[person] = _seated(tournament, _label(pairing, person))
        while not session.is_over:
            if not session.play_pass():
                person = session.to_decide
                spent[person] += _play_turn(tournament, pairing, session, players[person])
    except FaultError as error:
        fault = error.fault
        is_complete = len(players) == len(Person)
        loser = session.to_decide if is_complete else Person(len(players))
        session.resign(session.opening.color_of(loser))
    finally:
        for player in players.values():
            _close(player)
    return _line(pairing, session, fault, spent)


def _label(pairing: Pairing, person: Person) -> str:
    return pairing.black if person is Person.FIRST else pairing.white


def _seated(tournament: Tournament, label: str) -> Player:
    try:
        with within(HANG_SECONDS):
            return Entrant.parse(label, tournament.project).seat(tournament.rules)
    except OverdueError:
        raise FaultError(_overdue(label, HANG_SECONDS, "to take its seat")) from None
    except Exception as error:
        raise FaultError(Fault("error", f"{label}: {_said(error)}")) from error


def _play_turn(
    tournament: Tournament, pairing: Pairing, session: GameSession, player: Player
) -> float:
    """Let the one whose turn it is play a move, or speak in the opening; return the seconds."""
    name = _label(pairing, session.to_decide)
    limit = tournament.limit.seconds
    longest = HANG_SECONDS if limit is None or tournament.on_processor else limit + TOLERANCE
    started = _clock(tournament)
    try:
        with within(longest):
            answer = _asked(tournament, session, player)
    except OverdueError:
        raise FaultError(_overdue(name, longest, "a move")) from None
    except Exception as error:  # whatever a player raises is its fault, not the tournament's
        raise FaultError(Fault("error", f"{name}: {_said(error)}")) from error
    seconds = _clock(tournament) - started
    if isinstance(answer, MoveChoice) and answer.forfeit:
        raise FaultError(Fault("gave up", f"{name}: {answer.forfeit}"[:LONGEST_TEXT]))
    if limit is not None and seconds > limit + TOLERANCE:
        text = f"{name}: expected a move within {limit:g} s, found {seconds:.1f} s"
        raise FaultError(Fault("time", text))
    try:
        if isinstance(answer, MoveChoice):
            session.take(answer)
        else:
            session.say(answer)
    except IllegalMoveError as error:
        raise FaultError(Fault("illegal move", f"{name}: {error}")) from error
    return seconds


def _clock(tournament: Tournament) -> float:
    return time.process_time() if tournament.on_processor else time.perf_counter()


def _asked(
    tournament: Tournament, session: GameSession, player: Player
) -> MoveChoice | tuple[Said, ...]:
    """Return a player's move, or in an opening that is played what it says.

    It gets a board of its own: one that fails amid its search leaves stones on it.
    """
    rng, board = np.random.default_rng(session.next_seed), session.board.copy()
    if session.opening.is_over:
        return player.choose(board, tournament.limit, rng)
    return answer_opening(player, session.opening, board, tournament.limit, rng)


def _overdue(name: str, seconds: float, what: str) -> Fault:
    return Fault("time", f"{name}: expected {what} within {seconds:g} s, found none; it hangs")


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:LONGEST_TEXT]


def _close(player: Player) -> None:
    try:
        with within(CLOSE_SECONDS):
            player.close()
    except (Exception, OverdueError):  # the game is over: how a player leaves changes nothing
        return


def _line(
    pairing: Pairing, session: GameSession, fault: Fault | None, spent: Mapping[Person, float]
) -> JsonObject:
    record = session.record()
    winner = {BLACK: "black", WHITE: "white"}.get(record.winner, "draw")
    seated = {side: session.opening.person_at(color) for color, side in COLORS}
    return {
        "game": pairing.number,
        **{side: _label(pairing, person) for side, person in seated.items()},
        "opening": pairing.opening,
        "winner": winner,
        "reason": record.termination,
        "fault": None if fault is None else {"reason": fault.reason, "text": fault.text},
        "plies": len(record.moves),
        "moves": [int(move) for move in record.moves],
        "seconds": {side: round(spent[person], 3) for side, person in seated.items()},
        # what a run's file has as well, so that `replay` shows it
        "ranks": [],
        "ann_nodes": 0,
        "relearn_records": 0,
    }

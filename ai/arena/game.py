"""Play one game of a tournament; a player that fails or breaks the rules loses it."""

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
from base.errors import MakerError
from base.values import JsonObject

AGAIN: Final = 0.1
"""Seconds after which `OverdueError` is raised again if the interrupted code has caught it."""


class OverdueError(BaseException):
    """A time limit is over; no `Exception`, so that `except Exception` does not catch it."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Context manager that interrupts its block when a time limit is over.

    Python code and waits are interrupted at once, compiled code when it returns.

    Args:
        seconds: the limit in seconds of real time, above 0.

    Raises:
        OverdueError: the time was over before the block ended.
    """
    is_main = threading.current_thread() is threading.main_thread()
    bound = _by_signal if is_main and hasattr(signal, "setitimer") else _by_thread
    with bound(seconds):
        yield


@contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    """Limit the time of the block with a timer signal of the system.

    The signal also interrupts waits such as `sleep`.

    Args:
        seconds: the limit in seconds of real time.
    """
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
        if left:  # a timer of the caller continues
            left = max(left - (time.monotonic() - started), 0.001)
        signal.setitimer(signal.ITIMER_REAL, left, interval)
        signal.signal(signal.SIGALRM, handler)


@contextmanager
def _by_thread(seconds: float) -> Iterator[None]:
    """Limit the time of the block from another thread.

    The block is interrupted at its next Python instruction, so a wait is not interrupted.

    Args:
        seconds: the limit in seconds of real time.
    """
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
            ctypes.pythonapi.PyThreadState_SetAsyncExc(watched, None)  # cancel a pending one
        thread.join()


TOLERANCE: Final = 1.0
"""Seconds by which a move may exceed its time without a loss, as in the Gomocup tournament."""
HANG_SECONDS: Final = 600.0
"""Limit in seconds for creating a player, and for moves limited by nodes instead of time."""
CLOSE_SECONDS: Final = 10.0
"""Seconds that a player may take for its `close` after the game."""
LONGEST_TEXT: Final = 400
COLORS: Final = ((BLACK, "black"), (WHITE, "white"))


class PlayerFault(NamedTuple):
    """Why a side lost a game by a fault, not by the position on the board."""

    reason: str
    """"time", "illegal move", "error", or "gave up" for a player that resigned."""
    text: str


class FaultError(Exception):
    """A player loses the game by an error, an illegal move, its time or by resigning.

    The attribute `fault` holds the `PlayerFault`.
    """

    def __init__(self, fault: PlayerFault) -> None:
        self.fault = fault
        super().__init__(fault.text)


def play_game(tournament: Tournament, pairing: Pairing) -> JsonObject:
    """Play one game and return its line of `games.jsonl`.

    A player that raises, plays an illegal move or exceeds its time by more than `TOLERANCE` loses
    this game; the line says why. A player that does not return is interrupted, see `within`.

    Args:
        tournament: the tournament.
        pairing: the game to play.

    Returns:
        The line with the keys `game`, `opening`, `winner` ("black", "white" or "draw"), `plies`,
        `moves`, `seconds` (thinking time by color), `black`, `white`, `reason` and `fault`. `black`
        and `white` are the labels of the players with these colors at the end, since an opening may
        swap colors. `reason` says why the game ended on the board; it is "resigned" if there was a
        fault. `fault` is None or holds the fault's reason and text.
    """
    session = GameSession(
        tournament.rules,
        pairing.number,
        seed=tournament.seed,
        moves=pairing.moves,
        opening=PLAYED.get(tournament.opening, OpeningKind.NONE),
    )
    players: dict[Person, Player] = {}
    spent = dict.fromkeys(Person, 0.0)
    fault: PlayerFault | None = None
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
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, too: it is the player's fault
        raise FaultError(PlayerFault("error", f"{label}: {_said(error)}")) from error


def _play_turn(
    tournament: Tournament, pairing: Pairing, session: GameSession, player: Player
) -> float:
    """Ask the player whose turn it is, and play its move or its answer in the opening.

    Args:
        tournament: the tournament.
        pairing: the game that is played.
        session: state of the game.
        player: the player.

    Returns:
        The seconds that the player took.
    """
    name = _label(pairing, session.to_decide)
    limit = tournament.limit.seconds
    longest = HANG_SECONDS if limit is None or tournament.on_processor else limit + TOLERANCE
    started = _clock(tournament)
    try:
        with within(longest):
            answer = _asked(tournament, session, player)
    except OverdueError:
        raise FaultError(_overdue(name, longest, "a move")) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a player raises is its fault, not the tournament's
        raise FaultError(PlayerFault("error", f"{name}: {_said(error)}")) from error
    seconds = _clock(tournament) - started
    if isinstance(answer, MoveChoice) and answer.forfeit:
        raise FaultError(PlayerFault("gave up", f"{name}: {answer.forfeit}"[:LONGEST_TEXT]))
    if limit is not None and seconds > limit + TOLERANCE:
        text = f"{name}: expected a move within {limit:g} s, found {seconds:.1f} s"
        raise FaultError(PlayerFault("time", text))
    try:
        if isinstance(answer, MoveChoice):
            session.play_choice(answer)
        else:
            session.say(answer)
    except IllegalMoveError as error:
        raise FaultError(PlayerFault("illegal move", f"{name}: {error}")) from error
    return seconds


def _clock(tournament: Tournament) -> float:
    return time.process_time() if tournament.on_processor else time.perf_counter()


def _asked(
    tournament: Tournament, session: GameSession, player: Player
) -> MoveChoice | tuple[Said, ...]:
    """Ask a player for its move, or for its answer in an opening, and return that.

    The player gets a copy of the board. If it fails in the middle of its search, the stones that it
    has placed are on the copy only.

    Args:
        tournament: the tournament.
        session: state of the game.
        player: the player.
    """
    rng, board = np.random.default_rng(session.next_seed), session.board.copy()
    if session.opening.is_over:
        return player.choose(board, tournament.limit, rng)
    return answer_opening(player, session.opening, board, tournament.limit, rng)


def _overdue(name: str, seconds: float, what: str) -> PlayerFault:
    return PlayerFault(
        "time", f"{name}: expected {what} within {seconds:g} s, found none; it hangs"
    )


def _said(error: BaseException) -> str:
    if isinstance(error, MakerError):
        return str(error)[:LONGEST_TEXT]
    return f"{type(error).__name__}: {error}"[:LONGEST_TEXT]


def _close(player: Player) -> None:
    try:
        with within(CLOSE_SECONDS):
            player.close()
    except KeyboardInterrupt:
        raise
    except BaseException:  # the game is over: a failure changes nothing
        return


def _line(
    pairing: Pairing, session: GameSession, fault: PlayerFault | None, spent: Mapping[Person, float]
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
        # further keys of a run's file, for `replay`
        "ranks": [],
        "ann_nodes": 0,
        "relearn_records": 0,
    }

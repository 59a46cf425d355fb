"""The manager's side of a dialogue with one engine: asks for moves and checks every reply.

Any misbehaviour of an engine raises `EngineFaultError` and ends its process; the next question
starts it again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from ai.game import PASS, Game, Move, Position
from ai.protocol.hosting.process import DialogueLog, EngineFault, EngineFaultError, EngineProcess
from ai.protocol.messages import (
    About,
    AskAbout,
    Begin,
    Command,
    Coordinates,
    End,
    Error,
    Info,
    Ok,
    Owner,
    Play,
    Point,
    RectStart,
    Reply,
    ReplyError,
    SetBoard,
    Start,
    Stone,
    Suggest,
    Swap,
    Swap2Board,
    Turn,
    Unknown,
    read_reply,
    write_command,
)
from ai.protocol.table import bits_of, move_of, point_of
from ai.registry.engines import EngineEntry

PAUSE: Final = 0.05
"""Seconds between an engine's move and the next command.

Some engines lose commands that come earlier.
"""
TOLERANCE: Final = 1.0
"""Seconds that a move may be late without a loss, as in the Gomocup tournaments."""
STRAY_SECONDS: Final = 1.0
"""Seconds after a line that is no reply within which the reply has to come.

Some engines write for people without MESSAGE before it, or break such a line in two.
"""
END_SECONDS: Final = 1.0
"""Seconds that an engine has to exit after the command END before it is killed."""
MEGABYTE: Final = 2**20
TOURNAMENT: Final = 1
"""Value of `INFO game_type`: the opponent is another program."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """Time limits of an engine."""

    turn_seconds: float | None = None
    """Seconds for a move; None for the value of the engine's declaration."""
    match_seconds: float = 0.0
    """Seconds for all moves of a game; 0 for no limit."""
    tolerance: float = TOLERANCE
    """Seconds that a move may be late without a loss."""
    pause: float = PAUSE
    """Seconds between the engine's move and the next command."""


class EngineLink(Protocol):
    """Protocol class of the connection to a running engine, such as `EngineProcess`."""

    def send(self, line: str) -> None:
        """Send a line to the engine, and do not wait until the engine reads it.

        Args:
            line: the line without its end.
        """

    def receive(self, until: float) -> str | None:
        """Return the engine's next reply; None if there is none until the time `until`.

        Args:
            until: time limit, by `time.monotonic()`.

        Raises:
            EngineFaultError: the engine cannot reply any more.
        """

    def discard(self) -> object:
        """Drop the replies that have not been read."""

    def end(self, seconds: float) -> None:
        """Wait up to `seconds` for the engine to exit, then kill it."""

    def kill(self) -> None:
        """Kill the engine with all its child processes."""


def open_process(entry: EngineEntry, log: DialogueLog) -> EngineLink:
    """Start the process of a declared engine.

    Args:
        entry: the engine's declaration.
        log: log of the dialogue.

    Raises:
        EngineFaultError: the program cannot be started.
    """
    return EngineProcess(
        entry.name,
        entry.command,
        folder=entry.folder,
        log=log,
        max_memory=entry.memory * MEGABYTE,
    )


class Engine:
    """One engine, with the moves of the present game that it was told. Not thread-safe.

    Attributes:
        entry: declaration of the engine.
        used_seconds: seconds used by the engine's moves of the present game.
    """

    def __init__(
        self,
        entry: EngineEntry,
        limits: EngineLimits | None = None,
        start: Callable[[EngineEntry, DialogueLog], EngineLink] = open_process,
    ) -> None:
        """Prepare an engine; its process starts with `open` or the first question.

        Args:
            entry: declaration of the engine.
            limits: time limits; None for those of the declaration.
            start: called with the declaration and a log; starts the process.
        """
        self._open = start
        self.entry = entry
        self.used_seconds = 0.0
        self._limits = limits or EngineLimits()
        self._log = DialogueLog(entry.log)
        self._process: EngineLink | None = None
        self._rules: Game | None = None
        self._known: list[Move] = []
        """Moves of the present game that the engine has been told, and its own moves."""
        self._told: dict[str, str] = {}
        self._speaks_from = 0.0
        """Earliest time of the next command, as `time.monotonic()` counts."""

    def open(self, rules: Game) -> None:
        """Start the engine for a game, so that its first move is not delayed by the start.

        Raises:
            EngineFaultError: the engine cannot be started.
            RulesError: the protocol does not support these rules.
        """
        self._guarded(lambda: self._begin_game(rules))

    def choose(self, position: Position, seconds: float | None = None) -> Move:
        """Return the engine's move.

        Args:
            position: position to move in; not over.
            seconds: seconds for this move; None for the value of the limits.

        Raises:
            EngineFaultError: the engine has lost the game, see `EngineFault`.
            RulesError: the protocol does not support these rules.
        """
        return self._guarded(lambda: self._choose(position, seconds))

    def swap2(self, position: Position, seconds: float | None = None) -> Coordinates | Swap:
        """Return the engine's answer in the opening swap2.

        Args:
            position: position with no stones (the engine places three), three, or five.
            seconds: seconds for the answer; None for the value of the limits.

        Raises:
            EngineFaultError: the engine has lost the game, see `EngineFault`.
        """
        return self._guarded(lambda: self._swap2(position, seconds))

    def about(self, seconds: float) -> Mapping[str, str]:
        """Ask the engine who it is; starts its process if necessary.

        Args:
            seconds: seconds to wait for the answer.

        Returns:
            What it says of itself by key, such as `name` and `version`; empty if it says nothing
            in time, or something else.

        Raises:
            EngineFaultError: the engine cannot be started, or has ended.
        """
        return self._guarded(lambda: self._about(seconds))

    def close(self) -> None:
        """Send END to the engine; kill it if it does not exit."""
        process, self._process = self._process, None
        if process is not None:
            for line in write_command(End()):
                process.send(line)
            process.end(END_SECONDS)

    # -- a game -------------------------------------------------------------------------------

    def _guarded(self, ask: Callable[[], T]) -> T:
        """Call a function and return its result; kill the engine's process if the function raises.

        Args:
            ask: the function; its error is raised again.
        """
        try:
            return ask()
        except BaseException as error:
            if self._process is not None:
                if isinstance(error, EngineFaultError):
                    self._log.noted(f"loses: {error}")
                self._process.kill()
                self._process = None  # last: if `kill` is interrupted, `close` ends it
            raise

    def _about(self, seconds: float) -> Mapping[str, str]:
        if self._process is None:
            self._process = self._open(self.entry, self._log)
        self._send(AskAbout())
        line = self._process.receive(time.monotonic() + seconds)
        reply = None if line is None else _reply_or_none(line)
        return reply.facts if isinstance(reply, About) else {}

    def _choose(self, position: Position, seconds: float | None) -> Move:
        allowed = self._allowed(seconds)
        command = self._command_for(position)
        process = self._prepare(allowed)
        self._send(command)
        started = time.monotonic()
        reply = self._await_move(process, started, allowed)
        self.used_seconds += time.monotonic() - started
        self._speaks_from = time.monotonic() + self._limits.pause
        self._check_match_time()
        if len(reply.points) != 1:
            raise self._fault(EngineFault.GARBAGE, f"expected one point, found {len(reply.points)}")
        move = self._legal(reply.points[0], position)
        self._known = [*position.moves, move]
        return move

    def _command_for(self, position: Position) -> Command:
        """Return the command that asks the engine for a move in a position.

        If the position does not continue the moves that the engine knows, a new game is started
        first.

        Args:
            position: the position.
        """
        moves = position.moves
        is_fresh = self._process is not None and self._rules == position.rules
        is_next = bool(moves) and moves[:-1] == self._known
        if not is_fresh or (self._known and not is_next):
            self._begin_game(position.rules)
        if not any(move != PASS for move in moves):
            return Begin()
        if moves[:-1] == self._known and moves[-1] != PASS:
            return Turn(point_of(moves[-1], position.rules))
        return SetBoard(_stones(position))

    def _begin_game(self, rules: Game) -> None:
        """Start the process if necessary, and begin a game on an empty board.

        Raises:
            EngineFaultError: the engine does not answer, or refuses the game.
        """
        bits = bits_of(rules)
        if self._process is None:
            self._process = self._open(self.entry, self._log)
        process, self._known, self._rules, self.used_seconds = self._process, [], rules, 0.0
        self._told = {}
        process.discard()
        is_square = rules.size == rules.rows
        self._send(Start(rules.size) if is_square else RectStart(rules.size, rules.rows))
        until = time.monotonic() + self.entry.start_seconds
        found = "nothing"
        while True:
            line = process.receive(until)
            if line is None:
                seconds = self.entry.start_seconds
                raise self._fault(
                    EngineFault.START, f"expected OK within {seconds:g} s, found {found}"
                )
            found = f"only {line[:80]!r}"
            reply = _reply_or_none(line)
            if isinstance(reply, Ok):
                break
            if isinstance(reply, Error | Unknown):
                raise self._fault(
                    EngineFault.REFUSED, f"expected OK after START, found {line[:80]!r}"
                )
        self._send_info("rule", bits)
        self._send_info("game_type", TOURNAMENT)
        self._send_info("timeout_match", round(self._limits.match_seconds * 1000))
        self._send_info("max_memory", int(self.entry.memory) * MEGABYTE)

    def _prepare(self, allowed: float) -> EngineLink:
        """Prepare the engine for a question: send its time limits, and drop unread replies.

        Args:
            allowed: seconds for the move.

        Returns:
            The engine's process.
        """
        if self._process is None:
            raise self._fault(EngineFault.EXITED, "expected a process, found none")
        self._send_info("timeout_turn", round(allowed * 1000))
        if self._limits.match_seconds:
            left = max(0.0, self._limits.match_seconds - self.used_seconds)
            self._send_info("time_left", round(left * 1000))
        self._process.discard()
        return self._process

    def _await_move(self, process: EngineLink, started: float, allowed: float) -> Coordinates:
        """Wait for the engine's move and return it.

        If the engine only suggests a move, the command PLAY confirms it.

        Args:
            process: the engine's process.
            started: time of the question, by `time.monotonic()`.
            allowed: seconds for the move.

        Raises:
            EngineFaultError: there was another reply, or none.
        """
        while True:
            reply = self._next_reply(process, started, allowed)
            if isinstance(reply, Coordinates):
                return reply
            if isinstance(reply, Suggest):
                self._send(Play(reply.point))
            elif isinstance(reply, Error):
                raise self._fault(
                    EngineFault.REFUSED, f"expected a move, found ERROR {reply.text[:80]}"
                )
            elif not isinstance(reply, Unknown):  # that may answer an unknown INFO
                raise self._fault(EngineFault.GARBAGE, f"expected a move, found {reply}")

    def _next_reply(self, process: EngineLink, started: float, allowed: float) -> Reply:
        """Return the next reply to a question.

        Args:
            process: the engine's process.
            started: time of the question, by `time.monotonic()`.
            allowed: seconds for the answer.

        Raises:
            EngineFaultError: no reply came in time, or only lines that are none.
        """
        tolerance, most = self._limits.tolerance, self._limits.match_seconds
        left = most - self.used_seconds if most else allowed
        until, stray = started + min(allowed, left) + tolerance, ""
        while True:
            wait_until = min(until, time.monotonic() + STRAY_SECONDS) if stray else until
            line = process.receive(wait_until)
            if line is None and stray:
                raise self._fault(EngineFault.GARBAGE, stray)
            if line is None:
                break
            try:
                return read_reply(line)
            except ReplyError as error:
                stray = stray or str(error)
                self._log.noted(f"passed over, no reply: {error}")
        if left < allowed:
            self.used_seconds += time.monotonic() - started
            self._check_match_time()
        raise self._fault(
            EngineFault.TURN_TIME,
            f"expected an answer within {allowed:g} s and {self._limits.tolerance:g} s "
            "more, found nothing",
        )

    def _swap2(self, position: Position, seconds: float | None) -> Coordinates | Swap:
        allowed = self._allowed(seconds)
        self._begin_game(position.rules)
        process = self._prepare(allowed)
        points = tuple(point_of(move, position.rules) for move in position.moves)
        wanted = {0: (3,), 3: (1, 2)}.get(len(points), (1,))
        self._send(Swap2Board(points))
        reply = self._swap2_reply(process, allowed)
        if isinstance(reply, Error | Unknown) and points:
            process.discard()
            for line in _with_colors(points):
                process.send(line)
            reply = self._swap2_reply(process, allowed)
        self._speaks_from = time.monotonic() + self._limits.pause
        if isinstance(reply, Swap) and points:
            return reply
        if not isinstance(reply, Coordinates) or len(reply.points) not in wanted:
            fault = (
                EngineFault.REFUSED if isinstance(reply, Error | Unknown) else EngineFault.GARBAGE
            )
            raise self._fault(fault, f"expected an answer to SWAP2BOARD, found {reply}")
        board = position.copy()
        for point in reply.points:
            board.push(self._legal(point, board))
        return reply

    def _swap2_reply(self, process: EngineLink, allowed: float) -> Reply:
        return self._next_reply(process, time.monotonic(), allowed)

    # -- what is said -------------------------------------------------------------------------

    def _send(self, command: Command) -> None:
        """Send a command; if the engine has just moved, wait for the pause first.

        Args:
            command: the command.
        """
        if self._process is None:
            return
        wait = self._speaks_from - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        for line in write_command(command):
            self._process.send(line)

    def _send_info(self, key: str, value: int) -> None:
        """Send a setting by INFO, unless this value was the last one sent.

        Args:
            key: name of the setting.
            value: value of the setting.
        """
        if self._told.get(key) != str(value):
            self._told[key] = str(value)
            self._send(Info(key, str(value)))

    def _allowed(self, seconds: float | None) -> float:
        """Return the seconds allowed for a move.

        Args:
            seconds: seconds for this move; None for the engine's limit, or else that of its
                declaration.
        """
        given = self._limits.turn_seconds if seconds is None else seconds
        return self.entry.seconds if given is None else given

    def _check_match_time(self) -> None:
        most = self._limits.match_seconds
        if most and self.used_seconds > most + self._limits.tolerance:
            raise self._fault(
                EngineFault.MATCH_TIME,
                f"expected {most:g} s at most, found {self.used_seconds:.1f}",
            )

    def _legal(self, point: Point, position: Position) -> Move:
        """Return the engine's point as a move, if it is legal.

        Args:
            point: the point that the engine has sent.
            position: the position.

        Raises:
            EngineFaultError: the point is off the board or occupied.
        """
        rules = position.rules
        is_inside = point.x < rules.size and point.y < rules.rows
        if not is_inside or move_of(point, rules) not in position.legal_moves:
            what = "a stone" if is_inside else "off the board"
            raise self._fault(
                EngineFault.ILLEGAL, f"expected an empty point, found {point}: {what}"
            )
        return move_of(point, rules)

    def _fault(self, fault: EngineFault, text: str) -> EngineFaultError:
        return EngineFaultError(self.entry.name, fault, text)


def _stones(position: Position) -> tuple[Stone, ...]:
    """Return a position's stones in the order of play, for the command BOARD.

    The engine owns the stones of the side to move.

    Args:
        position: the position.
    """
    count = len(position.moves)
    return tuple(
        Stone(
            point_of(move, position.rules),
            Owner.OWN if (count - number) % 2 == 0 else Owner.OPPONENT,
        )
        for number, move in enumerate(position.moves)
        if move != PASS
    )


def _with_colors(points: tuple[Point, ...]) -> list[str]:
    """Return the lines of the command SWAP2BOARD in a form that some engines need.

    Args:
        points: points of the stones in the order of play.

    Returns:
        Lines x,y,color with the color 1 for Black, 2 for White.
    """
    stones = (f"{point},{1 + number % 2}" for number, point in enumerate(points))
    return ["SWAP2BOARD", *stones, "DONE"]


def _reply_or_none(line: str) -> Reply | None:
    try:
        return read_reply(line)
    except ReplyError:
        return None

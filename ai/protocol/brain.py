"""A brain (engine): lets one player speak the Gomocup protocol.

`Brain.run` reads lines from an inbox, which another thread fills, and writes replies. The player
thinks in a thread of its own (`thinker.py`). If it has found no move in time, a move by a quick
rule is played.
"""

from __future__ import annotations

import logging
import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import psutil  # type: ignore[import-untyped]

from ai.game import Game, Position
from ai.players.base import Limit, PlansTime, Player, Ponders
from ai.protocol import swap2
from ai.protocol.messages import (
    About,
    AskAbout,
    Begin,
    Command,
    CommandError,
    CommandReader,
    Coordinates,
    End,
    Error,
    Info,
    Message,
    Ok,
    Play,
    RectStart,
    Reply,
    Restart,
    SetBoard,
    Start,
    Swap2Board,
    Takeback,
    Turn,
    Unknown,
    UnknownCommandError,
    write_reply,
)
from ai.protocol.table import GameTable, move_of, point_of
from ai.protocol.thinker import Thinker, Thought, prepared, quick_move
from ai.protocol.time_control import Deadline, MatchClock
from ai.search.base import Stop

log = logging.getLogger(__name__)

ROOM: Final = 32 * 2**20
"""Bytes by which memory must grow after the first answer before the player is replaced.

It matters if the memory limit is below the memory in use at the first answer.
"""


def own_memory() -> int:
    """Return the memory in use by this process, in bytes."""
    return int(psutil.Process(os.getpid()).memory_info().rss)


class MemoryWatch:
    """Checks whether this process uses more memory than allowed.

    The memory in use after the player's first answer is mostly libraries and cannot be freed. If
    the limit is below that, it counts as exceeded only when `ROOM` more bytes are used.
    """

    def __init__(self, read: Callable[[], int] = own_memory) -> None:
        self._read = read
        self._first: int | None = None

    def note(self) -> None:
        """Record the memory in use after the first answer; later calls do nothing."""
        if self._first is None:
            self._first = self._read()

    def is_over(self, limit: int) -> bool:
        """Return whether too much memory is used.

        Args:
            limit: allowed bytes; 0 for no limit.
        """
        if not limit or self._first is None:
            return False
        return self._read() > max(limit, self._first + ROOM)


MOST_LINES: Final = 1000
"""Maximum number of unread lines; with more, the thread that reads the input waits."""
MOST_RUNAWAYS: Final = 2
"""Greatest number of players that still think after their time was over.

While there are more, moves are chosen by the quick rule.
"""
LOAD_SECONDS: Final = 20.0
"""Maximum seconds for which the answer to START waits until the player is loaded."""
CLOSE_SECONDS: Final = 0.5
"""Seconds to wait for an idle player to close."""
LEAST_THOUGHT: Final = 0.003
"""Least number of seconds for a search; with less time a move by the quick rule is played."""
TICK: Final = 0.25
"""Seconds between two checks of the memory while the player thinks."""


class Inbox:
    """Queue of a brain's events: lines of input, finished answers, and the end of the input."""

    def __init__(self) -> None:
        self._events: queue.SimpleQueue[str | Thought | None] = queue.SimpleQueue()
        self._room = threading.BoundedSemaphore(MOST_LINES)

    def put_line(self, line: str) -> None:
        """Add a line; blocks while `MOST_LINES` lines are unread."""
        self._room.acquire()
        self._events.put(line)

    def put_thought(self, thought: Thought) -> None:
        """Add a question that the player has finished; never blocks.

        Args:
            thought: the question, which holds the answer.
        """
        self._events.put(thought)

    def put_end(self) -> None:
        """Add the end of the input."""
        self._events.put(None)

    def get(self, timeout: float | None) -> str | Thought | None:
        """Return the next event: a line or a finished question; None at the end of the input.

        Args:
            timeout: seconds to wait for an event; None for no limit.

        Raises:
            queue.Empty: no event came in time.
        """
        event = self._events.get(timeout=timeout)
        if isinstance(event, str):
            self._room.release()
        return event


@dataclass(frozen=True, slots=True)
class BrainSpec:
    """What a brain consists of: how to make its player, and what it says about itself."""

    make_player: Callable[[Game], Player]
    check_game: Callable[[Game], None]
    """Function that raises OptionError for a game that the player does not play; it is fast."""
    metadata: About
    seed: int | None = None
    """Random seed of the player; None for different games each time."""
    is_pondering: bool = False
    """Whether a player that can thinks on while the other side does."""


@dataclass(slots=True)
class _Thinking:
    """The answer on which the player works at present, with its deadline."""

    thought: Thought | None
    """The question that was put to the player.

    It is None if there is no time for a search and `fallback` is sent.
    """
    deadline: Deadline
    fallback: Reply
    """Reply to send if nothing better is found in time."""
    position: Position | None
    """Position in which the answer is a move; None if the answer is no move."""


@dataclass(frozen=True, slots=True)
class _Loading:
    """The wait for a player that is being loaded, before START is answered."""

    thought: Thought
    """A question without work, which is done as soon as the player is loaded."""
    until: float
    """Time at which START is answered anyway, by `time.monotonic()`."""


class Brain:
    """One conversation of a player with a manager, the program that runs the game."""

    def __init__(
        self,
        spec: BrainSpec,
        write: Callable[[str], None],
        inbox: Inbox,
        memory: MemoryWatch | None = None,
    ) -> None:
        """Prepare a conversation.

        Args:
            spec: the player, and what the brain says about itself.
            write: called with each reply, without line end; it writes the line and flushes.
            inbox: queue of the events to handle.
            memory: watches the memory of this process; None for a new watch.
        """
        self._spec = spec
        self._write = write
        self._inbox = inbox
        self._memory = memory or MemoryWatch()
        self._reader = CommandReader()
        self._table = GameTable(spec.check_game)
        self._clock = MatchClock()
        self._rng = np.random.default_rng(spec.seed)
        self._thinker: Thinker | None = None
        self._sits: tuple[Game, str] | None = None
        """For what game the present player was made: its rules and the folder of its data."""
        self._late: Thought | None = None
        """The last question whose answer is not awaited any more.

        The player may still work on it.
        """
        self._runaways: list[Thinker] = []
        self._thinking: _Thinking | None = None
        self._loading: _Loading | None = None
        self._pondering = Stop()
        """Ends what the player thinks while the other side does."""
        self._is_seated_again = False
        """Whether an INFO after START has changed the player of this game."""
        self._held: deque[str | None] = deque()
        """Lines that came before the player was loaded, in order; None is the end of the input."""

    def run(self) -> None:
        """Handle commands until END or the end of the input.

        Raises:
            OSError: a reply cannot be written: the manager is gone.
        """
        try:
            while self._handle_next():
                pass
        finally:
            self._leave_table()

    # -- events -------------------------------------------------------------------------------

    def _handle_next(self) -> bool:
        """Wait for the next event and handle it; return False at the end."""
        event: str | Thought | None
        if self._held and self._loading is None:
            event = self._held.popleft()
        else:
            try:
                event = self._inbox.get(timeout=self._patience())
            except queue.Empty:
                self._welcome_if_late()
                self._send_if_late()
                return True
            if self._is_held(event):
                return True
        if event is None:
            return False
        if isinstance(event, Thought):
            self._handle_thought(event)
            return True
        self._send_if_late()
        return self._handle_line(event)

    def _is_held(self, event: str | Thought | None) -> bool:
        """Keep a line for later while the player is being loaded; return whether it was kept.

        END is never kept: START is answered, and the conversation ends.
        """
        if self._loading is None or isinstance(event, Thought):
            return False
        if event is not None and event.strip().upper() == "END":
            self._welcome()
            return False
        self._held.append(event)
        if event is None or len(self._held) >= MOST_LINES:
            self._welcome()  # nobody may be there any more to wait for
        return True

    def _patience(self) -> float | None:
        """Return how many seconds to wait for the next event; None for no limit.

        There is no limit while the player neither thinks nor is loaded.
        """
        if self._loading is not None:
            return max(0.0, self._loading.until - time.monotonic())
        if self._thinking is None:
            return None
        left = self._thinking.deadline.sends - time.monotonic()
        return max(0.0, min(left, TICK))

    def _handle_line(self, line: str) -> bool:
        self._pondering.set()
        try:
            command = self._reader.read(line)
            if isinstance(command, End):
                return False
            if command is not None:
                self._execute(command)
        except UnknownCommandError as error:
            self._send(Unknown(str(error)))
        except CommandError as error:
            self._send(Error(str(error)))
        return True

    def _execute(self, command: Command) -> None:
        """Execute a command.

        Raises:
            CommandError: the command is not possible at present.
        """
        match command:
            case AskAbout():
                self._send(self._spec.metadata)
            case Info():
                self._note(command)
            case Start() | RectStart() | Restart():
                self._begin_game(command)
            case _ if self._thinking is not None:
                word = type(command).__name__.upper()
                raise CommandError(f"{word}: expected it after the move, found it before")
            case _:
                self._execute_in_game(command)

    def _note(self, info: Info) -> None:
        """Take notice of an INFO, which is never answered, even if it is malformed."""
        try:
            self._table.info = self._table.info.with_info(info)
        except CommandError as error:
            log.warning("%s; it is ignored", error)
            return
        self._clock.note(info)
        is_other = info.key in ("rule", "folder") and self._thinking is None
        rules = self._table.rules_to_come() if is_other and not self._is_seated_again else None
        if rules is not None and self._sits != (rules, self._table.info.folder):
            self._is_seated_again = True  # once a game: a manager may say much
            self._seated(rules)  # what it loads for these rules is there at the first move

    def _execute_in_game(self, command: Command) -> None:
        """Execute a command of a game while no answer is in progress."""
        match command:
            case Takeback(point):
                self._table.take_back(point)
                self._send(Ok())
            case Play(point):
                self._table.play(point)
                self._send(Coordinates((point,)))
            case Swap2Board(points):
                self._think_of_opening(self._table.opening(points))
            case Begin():
                self._think_of_move(self._table.begin())
            case Turn(point):
                self._think_of_move(self._table.turn(point))
            case SetBoard(stones):
                self._think_of_move(self._table.set_board(stones))

    # -- games --------------------------------------------------------------------------------

    def _begin_game(self, command: Start | RectStart | Restart) -> None:
        match command:
            case Start(size):
                self._table.start(size, size)
            case RectStart(width, height):
                self._table.start(width, height)
            case _:
                self._table.restart()
        self._drop_thinking()
        self._is_seated_again = False
        self._table.info = self._clock.begin_game(self._table.info)
        position = self._table.position
        thinker = None if position is None else self._seated(position.rules)
        if thinker is None:
            self._send(Ok())
            return
        loaded = thinker.ask(lambda player: Ok())
        self._loading = _Loading(loaded, time.monotonic() + LOAD_SECONDS)

    def _welcome_if_late(self) -> None:
        """Answer START although the player is still being loaded, if that takes too long."""
        if self._loading is not None and time.monotonic() >= self._loading.until:
            self._welcome()

    def _welcome(self) -> None:
        """Answer START; lines that came meanwhile are handled next."""
        self._loading = None
        self._send(Ok())

    def _seated(self, rules: Game) -> Thinker | None:
        """Return a player's thread that is free to answer questions in a game.

        If the present player still thinks after its time, a new one is made.

        Args:
            rules: rules of the game.

        Returns:
            The thread; None if `MOST_RUNAWAYS` players still think.
        """
        folder = self._table.info.folder
        self._runaways = [thinker for thinker in self._runaways if thinker.is_running]
        if self._late is not None and not self._late.is_done:
            self._let_run()
        self._late = None
        if self._thinker is not None and self._sits == (rules, folder):
            return self._thinker
        if len(self._runaways) >= MOST_RUNAWAYS:
            return None
        if self._thinker is not None:
            self._thinker.end()
        make = self._spec.make_player
        self._thinker = Thinker(
            lambda: prepared(make(rules), rules, folder), self._inbox.put_thought
        )
        self._sits = (rules, folder)
        return self._thinker

    def _leave_table(self) -> None:
        """Close the players at the end of the conversation.

        Idle ones are closed now. Those that still think end with the process.
        """
        self._pondering.set()
        for thinker in (self._thinker, *self._runaways):
            if thinker is not None:
                thinker.end()
        if self._thinker is not None and self._thinking is None:
            self._thinker.join(CLOSE_SECONDS)
        self._thinker = None

    # -- thinking -----------------------------------------------------------------------------

    def _think_of_move(self, position: Position) -> None:
        deadline, rng = self._deadline(position), self._draw()
        fallback = Coordinates((point_of(quick_move(position), position.rules),))
        asked = position.copy()

        def choose(player: Player) -> Reply:
            choice = player.choose(asked, _limit(deadline, player), rng)
            return Coordinates((point_of(choice.move, asked.rules),))

        self._think(choose, deadline, fallback, position)

    def _think_of_opening(self, position: Position) -> None:
        deadline, rng = self._deadline(position), self._draw()
        fallback = swap2.answer(
            swap2.QuickPlayer(), position.copy(), lambda share: Limit(nodes=1), rng
        )

        def choose(player: Player) -> Reply:
            def budget(share: float) -> Limit:
                return _limit(deadline, player, share)

            return swap2.answer(player, position.copy(), budget, rng)

        self._think(choose, deadline, fallback, None)

    def _think(
        self,
        job: Callable[[Player], Reply],
        deadline: Deadline,
        fallback: Reply,
        position: Position | None,
    ) -> None:
        rules = self._table.position.rules if self._table.position is not None else None
        is_quick = deadline.search_seconds < LEAST_THOUGHT
        thinker = self._seated(rules) if rules is not None and not is_quick else None
        thought = None if thinker is None else thinker.ask(job)
        self._thinking = _Thinking(thought, deadline, fallback, position)
        if thought is None:
            self._answer(fallback)

    def _deadline(self, position: Position) -> Deadline:
        free = position.rules.points - position.ply
        info = self._table.info
        return Deadline.within(info.budget(free, self._clock.left(info)))

    def _draw(self) -> np.random.Generator:
        """Return a new random generator for one answer."""
        return np.random.default_rng(int(self._rng.integers(2**63)))

    def _handle_thought(self, thought: Thought) -> None:
        if self._loading is not None and thought is self._loading.thought:
            self._welcome()
            return
        waiting = self._thinking
        if waiting is None or thought is not waiting.thought:
            return  # it belongs to an earlier game, or comes too late
        if thought.error is not None:
            self._send(Message(f"the player failed: {thought.error}"))
        self._memory.note()
        reply = thought.reply or waiting.fallback
        if waiting.position is not None and not _is_legal(reply, waiting.position):
            self._send(Message(f"the player wants to play {write_reply(reply)}, which is illegal"))
            reply = waiting.fallback
        self._answer(reply)
        self._keep_memory_small()

    def _send_if_late(self) -> None:
        """Send the best answer found so far if the time is over or too much memory is used."""
        waiting = self._thinking
        if waiting is None:
            return
        is_late = time.monotonic() >= waiting.deadline.sends
        if is_late or self._memory.is_over(self._table.info.max_memory):
            answer = self._best_now(waiting)
            self._drop_thinking()
            if not is_late:
                self._let_run()
            self._thinking = waiting
            self._answer(answer)

    def _answer(self, reply: Reply) -> None:
        """Send an answer, and place its stone on the brain's board if it is a move.

        Args:
            reply: the answer.
        """
        waiting, self._thinking = self._thinking, None
        if waiting is not None and waiting.position is not None and isinstance(reply, Coordinates):
            waiting.position.push(move_of(reply.points[0], waiting.position.rules))
        self._send(reply)
        if waiting is not None:
            self._clock.spend(time.monotonic() - waiting.deadline.began)
            self._ponder(waiting)

    def _ponder(self, answered: _Thinking) -> None:
        """Let the player think on until the next line, if it can and has finished its answer.

        Args:
            answered: the answer that was just sent.
        """
        thought, position, thinker = answered.thought, answered.position, self._thinker
        if not self._spec.is_pondering or thought is None or not thought.is_done:
            return
        if thinker is None or position is None or position.outcome() is not None:
            return
        asked, stop = position.copy(), Stop()
        self._pondering = stop

        def ponder(player: Player) -> Reply:
            if isinstance(player, Ponders):
                player.ponder(asked, stop)
            return Ok()

        thinker.ask(ponder)

    def _best_now(self, waiting: _Thinking) -> Reply:
        """Return the best move that the player has found so far.

        Args:
            waiting: the answer that the player works on.

        Returns:
            The move; if there is none yet, the fallback.
        """
        thought, position = waiting.thought, waiting.position
        if thought is None or position is None or not thought.is_begun or self._thinker is None:
            return waiting.fallback
        move = self._thinker.best_now
        if move is None or move not in position.legal_moves:
            return waiting.fallback
        return Coordinates((point_of(move, position.rules),))

    def _drop_thinking(self) -> None:
        """Do not wait for the answer in progress any more; the player may finish it meanwhile."""
        waiting, self._thinking = self._thinking, None
        if waiting is None or waiting.thought is None:
            return
        waiting.thought.is_dropped = True
        if waiting.thought.is_begun:
            self._late = waiting.thought

    def _let_run(self) -> None:
        """Give up a player that does not stop thinking; the next question makes a new one."""
        if self._thinker is not None:
            self._thinker.end()
            self._runaways.append(self._thinker)
            self._thinker = None

    def _keep_memory_small(self) -> None:
        """Replace the player by a new one if it uses more memory than allowed."""
        if self._thinker is not None and self._memory.is_over(self._table.info.max_memory):
            self._thinker.end()
            self._thinker = None

    def _send(self, reply: Reply) -> None:
        self._write(write_reply(reply))


def _limit(deadline: Deadline, player: Player, share: float = 1.0) -> Limit:
    """Return the budget of a search that gets a share of an answer's time.

    The search ends at the deadline at the latest. A player that plans its time gets the hard and
    the soft limit. Another player gets the soft limit only.

    Args:
        deadline: deadline of the answer.
        player: the player to search.
        share: fraction of the deadline's seconds, 0 to 1.
    """

    def left(seconds: float) -> float:
        return max(0.001, min(deadline.left(seconds), seconds * share))

    soft = left(deadline.soft_seconds)
    if deadline.is_planned and isinstance(player, PlansTime) and player.plans_time:
        return Limit(seconds=left(deadline.search_seconds), soft_seconds=soft)
    return Limit(seconds=soft)


def _is_legal(reply: Reply, position: Position) -> bool:
    if not isinstance(reply, Coordinates):
        return False
    point, rules = reply.points[0], position.rules
    is_inside = 0 <= point.x < rules.size and 0 <= point.y < rules.rows
    return is_inside and move_of(point, rules) in position.legal_moves

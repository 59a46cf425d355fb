"""`Rewind`: records the last seconds of a scene, shows them and continues from any moment."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from base.errors import EditError
from base.storage.card_file import CardFileError
from sim.core.reporting.console import ConsoleRecord
from sim.core.rewind.episode_file import SUFFIX, KeptEpisode, free_path, load, save
from sim.core.rewind.restoring import Continuation, PastView, stateless
from sim.core.rewind.tape import ConsoleLine, Mark, Moment, Tape

if TYPE_CHECKING:
    from sim.core.host.agents import Agents, Standing
    from sim.core.reporting.console import Console
    from sim.core.rewind.recorder import TapeRecorder
    from sim.core.scene.scene import Scene
    from sim.core.tasks.clock import Clock

FASTEST: Final = 1024.0
MOST_BYTES: Final = 256 << 20
MOST_LINES: Final = 200  # of the console, in one frame
SHORTEST: Final = 1e-9
FOLDER: Final = "episodes"
PAST: Final = "edit: expected the present, found the past: F10 goes back, or continue from here"


class Rewind:
    """Keeps the last seconds of a scene in memory, shows any of their moments, and continues there.

    While a past moment is shown, the scene's time stands still.

    Args:
        scene: the scene to record.
        clock: the scene's clock.
        console: its lines are recorded too.
        agents: the scene's agents; the ends of their episodes are marked in the recording.
        make_recorder: called without arguments to start recording the scene.
        continue_from: called with a moment to continue the scene from it.
        folder: folder for files of saved episodes.
        name: beginning of the names of these files.

    Attributes:
        tape: the recording that is shown: the last seconds, or a saved episode; None if there is
            none.
        speed: speed of playback, in scene seconds per second; negative for backwards.
        is_playing: whether the recording is being played back.
        title: title of the saved episode that is shown; "" for the last seconds.
        most_bytes: maximum memory of the recording in bytes. When it is reached, less than
            `seconds` are kept.
        revision: increases whenever what is shown changes.
    """

    def __init__(
        self,
        scene: Scene,
        clock: Clock,
        console: Console,
        agents: Agents,
        *,
        make_recorder: Callable[[], TapeRecorder],
        continue_from: Callable[[Moment], object],
        folder: Path,
        name: str,
    ) -> None:
        self._scene, self._clock, self._agents = scene, clock, agents
        self._make_recorder, self._continue_from = make_recorder, continue_from
        self._name = name
        self.folder = folder / FOLDER
        self.tape: Tape | None = None
        self.speed = 1.0
        self.is_playing = False
        self.title = ""
        self.most_bytes = MOST_BYTES
        self.revision = 0
        self.on_continue: Callable[[Continuation, float], object] | None = None
        self._seconds = 0.0
        self._recorder: TapeRecorder | None = None
        self._live_tape: Tape | None = None
        self._showing: PastView | None = None
        self._index = 0
        self._time = 0.0
        self._marks: list[Mark] = []
        self._lines: list[ConsoleLine] = []
        self._episode = 0
        self._begun = 0.0
        self._files: dict[int, Path] = {}
        console.subscribe(self._hear)
        agents.keep_episodes(self._end_episode, self.show_episode)

    # -- keeping ------------------------------------------------------------------------------

    @property
    def seconds(self) -> float:
        """How many seconds of scene time are kept; 0 is off. Assign to change it.

        Raises:
            ValueError: the assigned number is negative or not finite.
        """
        return self._seconds

    @seconds.setter
    def seconds(self, value: float) -> None:
        if not (math.isfinite(value) and value >= 0.0):
            raise ValueError(f"rewind: expected 0 or more seconds, found {value!r}")
        self._seconds = float(value)
        self.revision += 1
        if value == 0.0:
            self.close()

    @property
    def is_on(self) -> bool:
        """Whether recording is switched on."""
        return self._seconds > 0.0

    def record(self) -> None:
        """Record what changed in the frame that has just run.

        Nothing is recorded for a frame without scene time or while the past is shown.
        """
        clock, agents = self._clock, self._agents
        if self._seconds == 0.0 or clock.is_stopped or self.is_past:
            return
        tick = clock.tick
        if tick.dt == 0.0 and tick.fixed_steps == 0:
            return
        if agents.episodes != self._episode:
            self._episode, self._begun = agents.episodes, clock.time
        tape, recorder = self._live_tape, self._recorder
        if recorder is None:
            recorder = self._recorder = self._make_recorder()
        if tape is None or clock.time < tape.end:
            self._start(recorder.moment())
            return
        step = recorder.step()
        step.marks, step.lines = tuple(self._marks), tuple(self._lines)
        self._marks.clear()
        self._lines.clear()
        tape.append(step)
        old = tape.index_at(tape.end - self._seconds)
        if old:
            tape.drop(old)
        while tape.bytes > self.most_bytes and len(tape) > 2:
            tape.drop(max(1, len(tape) // 64))

    def _start(self, moment: Moment) -> None:
        """Start a new recording, because the previous one does not lead up to the present moment.

        Args:
            moment: the scene's present state, which becomes the first moment.
        """
        self._live_tape = self.tape = Tape(moment)
        self._marks.clear()
        self._lines.clear()
        self._begun = min(self._begun, moment.time)
        self.revision += 1

    def clear(self) -> None:
        """Return to the present and delete the recording in memory."""
        self.live()
        self._live_tape = self.tape = None
        self.revision += 1

    def close(self) -> None:
        """Delete the recording and stop recording until `seconds` is set again."""
        self.clear()
        if self._recorder is not None:
            self._recorder.close()
            self._recorder = None

    def _hear(self, record: ConsoleRecord) -> None:
        if self._live_tape is None or self.is_past or len(self._lines) >= MOST_LINES:
            return
        time = self._clock.time
        self._lines.append(ConsoleLine(time, record.level, str(record)))
        if record.level == "warning" or record.level == "error":
            self._marks.append(Mark(record.level, time, str(record), time))

    def _end_episode(self) -> None:
        if self._live_tape is None:
            return
        agents, now = self._agents, self._clock.time
        seats = agents.running
        gains = ", ".join(
            f"{seat.total:.4g}" if len(seats) == 1 else f"{seat.slot.object.name} {seat.total:.4g}"
            for seat in seats
        )
        ending = "cut off" if all(seat.is_truncated for seat in seats) else "ended"
        count = max(seat.decisions for seat in seats)
        begun = self._begun if self._episode == agents.episodes else now
        text = f"Episode {agents.episodes}: return {gains}, {ending} after {count} decisions"
        self._marks.append(Mark("episode", now, text, begun, agents.episodes))

    # -- looking back -------------------------------------------------------------------------

    @property
    def is_past(self) -> bool:
        """Whether a moment of the past is shown."""
        return self._showing is not None

    def refusal(self) -> str:
        """Return why the scene cannot be edited now; "" if it can.

        It cannot be edited while a past moment is shown.
        """
        return PAST if self.is_past else ""

    @property
    def index(self) -> int:
        """Number of the moment that is shown, 0 for the oldest."""
        return self._index if self.is_past else max(0, len(self) - 1)

    @property
    def time(self) -> float:
        """Scene time of the moment that is shown, seconds."""
        return 0.0 if self.tape is None else self.tape.time_of(self.index)

    @property
    def ago(self) -> float:
        """Seconds of scene time from the moment that is shown to the latest."""
        return 0.0 if self.tape is None else self.tape.end - self.time

    def __len__(self) -> int:
        return 0 if self.tape is None else len(self.tape)

    def seek(self, index: int) -> None:
        """Show a recorded moment.

        Args:
            index: index of the moment, 0 for the oldest; values out of range are clamped.

        Raises:
            LookupError: nothing is recorded.
        """
        if self.tape is None:
            raise LookupError("rewind: expected seconds that were kept, found none")
        if self._showing is None:
            if self._recorder is None:
                self._recorder = self._make_recorder()
            self._showing = PastView(self._scene, self._recorder.moment())
        self._index = min(max(0, int(index)), len(self.tape) - 1)
        self._time = self.tape.time_of(self._index)
        self._showing.show(self.tape.moment(self._index))
        self.revision += 1

    def seek_time(self, time: float) -> None:
        """Show the latest recorded moment at or before a scene time.

        Args:
            time: scene time, seconds.

        Raises:
            LookupError: nothing is recorded.
        """
        self.seek(0 if self.tape is None else self.tape.index_at(time))

    def live(self) -> None:
        """Show the present again, exactly as it was left; the scene goes on."""
        self.is_playing = False
        if self._showing is not None:
            showing, self._showing = self._showing, None
            showing.end()
            self.revision += 1
        if self.tape is not self._live_tape:
            self.tape, self.title = self._live_tape, ""
        if self.tape is not None:
            self.tape.settle()

    def play(self, speed: float | None = None) -> None:
        """Play the recording from the shown moment; if that is the last one, from the other end.

        Args:
            speed: scene seconds per second, negative for backwards; None for the attribute `speed`.

        Raises:
            LookupError: nothing is recorded.
            ValueError: the speed is 0, not finite, or its absolute value is above 1024.
        """
        if speed is not None:
            if not SHORTEST <= abs(speed) <= FASTEST:
                raise ValueError(f"speed: expected up to {FASTEST:g}, not 0, found {speed!r}")
            self.speed = float(speed)
        last = max(0, len(self) - 1)
        if self.index == (last if self.speed > 0 else 0):
            self.seek(0 if self.speed > 0 else last)
        elif not self.is_past:
            self.seek(self.index)
        self.is_playing = True
        self.revision += 1

    def pause(self) -> None:
        """Stop the playback at the moment that is shown."""
        self.is_playing = False
        self.revision += 1

    def advance(self, wall: float) -> None:
        """Advance the playback.

        Args:
            wall: seconds of real time since the last call.
        """
        if not self.is_playing or self.tape is None or not self.is_past:
            return
        time = self._time + wall * self.speed
        index = self.tape.index_at(time)
        if index != self._index:
            self.seek(index)
        self._time = min(max(time, self.tape.begin), self.tape.end)
        if self._time != time:
            self.pause()

    @property
    def marks(self) -> list[Mark]:
        """Events in the recording, oldest first: warnings, errors and ends of episodes."""
        return [] if self.tape is None else self.tape.marks()

    def console(self) -> list[ConsoleLine]:
        """Return the console lines of the recording up to the shown moment."""
        return [] if self.tape is None else self.tape.lines(self.index)

    def metrics(self) -> dict[str, float]:
        """Return the values that the metrics had at the moment that is shown, by name."""
        if self.tape is None:
            return {}
        values = self.tape.moment(self.index).values
        return {
            key[1]: value
            for key, value in values.items()
            if key[0] == "metric" and isinstance(value, float)
        }

    def seat(self, component: str) -> Standing | None:
        """Return the numbers of an agent's episode at the shown moment.

        Args:
            component: id of the agent's component.

        Returns:
            The numbers, in the order of `AgentEpisode.snapshot`; None if none are recorded.
        """
        found = None if self.tape is None else self.tape.moment(self.index).values
        return cast("Standing | None", (found or {}).get(("seat", component)))

    # -- going on -----------------------------------------------------------------------------

    @property
    def can_continue(self) -> bool:
        """Whether the scene can continue from the shown moment.

        It cannot if the present or a saved episode is shown.
        """
        return self.is_past and self.tape is self._live_tape

    def stateless(self) -> list[str]:
        """Return the classes of the scripts that `continue_here` would leave as they are now."""
        return stateless(self._scene)

    def continue_here(self) -> Continuation:
        """Continue the scene from the shown moment and delete the recording after it.

        Transforms, bodies, recorded fields, and scripts with `save_state` and `load_state` are
        restored. Other scripts stay as they are.

        Returns:
            The change, already made, for the undo history.

        Raises:
            EditError: the present or a saved episode is shown.
            LimitError: the scene's limit of objects is reached.
        """
        if not self.can_continue or self.tape is None or self._recorder is None:
            raise EditError("continue: expected a moment of the last seconds, found none shown")
        index, ago = self._index, self.ago
        after = self.tape.moment(index).copy()
        self.live()
        before = self._recorder.moment()
        self.tape.cut(index)
        self._continue_from(after)
        self._recorder.step()
        self._clock.resume()
        self.revision += 1
        change = Continuation(self._continue_from, before, after, self.clear)
        if self.on_continue is not None:
            self.on_continue(change, ago)
        return change

    # -- episodes -----------------------------------------------------------------------------

    def keep(self, mark: Mark) -> Path:
        """Save the recorded episode that ended at a mark to a file.

        The part of the episode that is no longer in memory is left out.

        Args:
            mark: mark of the episode's end, one of `marks`.

        Returns:
            Path of the file.

        Raises:
            LookupError: the mark is no longer in the recording.
            OSError: the file cannot be written.
        """
        tape = self.tape
        if tape is None or not any(mark is known for known in tape.marks()):
            raise LookupError(f"keep: expected an episode on the timeline, found {mark.text!r:.80}")
        begin, end = tape.index_at(mark.begun), tape.index_at(mark.time)
        part = tape.part(max(0, min(begin, end)), end)
        path = free_path(self.folder, f"{self._stem} {mark.text.partition(',')[0]}")
        save(path, KeptEpisode(self._scene.id, mark.text, part))
        if mark.episode:
            self._files[mark.episode] = path
        self.revision += 1
        return path

    def show_episode(self, episode: int) -> None:
        """Show an episode of this run from its beginning, from memory or from its file.

        Args:
            episode: number of the episode, from 1.

        Raises:
            LookupError: the episode is in neither, or its file is damaged.
        """
        tape = self._live_tape
        for mark in () if tape is None else tape.marks():
            if mark.episode == episode:
                self.live()
                self.seek_time(mark.begun)
                return
        path = self._files.get(episode)
        if path is None or not path.is_file():
            raise LookupError(
                f"expected an episode of the last {self._seconds:g} s, or one that was kept, "
                f"found episode {episode}"
            )
        try:
            self.open(path)
        except CardFileError as error:
            raise LookupError(str(error)) from error

    def kept(self) -> list[Path]:
        """Return the paths of this scene's saved episodes, the newest first."""
        found = self.folder.glob(f"*{SUFFIX}") if self.folder.is_dir() else ()
        own = [path for path in found if path.name.startswith(self._stem)]
        return sorted(own, key=lambda path: path.stat().st_mtime, reverse=True)

    def open(self, path: Path) -> None:
        """Show a saved episode from its beginning.

        Args:
            path: path of the episode file.

        Raises:
            CardFileError: the file holds no episode, or one of another scene.
        """
        episode = load(path)
        if episode.scene != self._scene.id:
            raise CardFileError(
                f"{path.name}: expected an episode of this scene ({self._scene.id}), "
                f"found one of {episode.scene}"
            )
        self.live()
        self.tape, self.title = episode.tape, episode.text
        self.seek(0)

    @property
    def _stem(self) -> str:
        return free_path(Path(), self._name).name.removesuffix(SUFFIX)

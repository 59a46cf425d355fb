"""The recorder: videos of the display, in real time or frame by frame, and screenshots."""

from __future__ import annotations

import contextlib
import datetime
import math
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from base.errors import GoishiError
from sim.core.audio.sound_track import RecordingAudio
from sim.core.canvas.painter import Picture
from sim.core.project.run_context import Mode, RecordingSettings, recording_path
from sim.core.reporting.console import Console
from sim.core.script.panels import StatusBoard
from sim.core.tasks.clock import MAX_SPEED, Clock
from sim.render.capture.capture import VideoWriter, fitted_size, save_image
from sim.render.window.display import Display

RATE = 30
STATUS = "recording"
LONGEST_STANDSTILL = 2.0  # seconds: after a longer one (a sleeping computer) time is left out


class VideoRecorder:
    """Records the display into video files of one folder.

    In the mode "real-time" a video keeps pace with the wall clock and may skip frames. In the mode
    "exact" each frame drawn becomes one frame of the video, however long drawing takes.

    Attributes:
        settings: settings of the next recording; panels change them.
        path: file of the present or latest recording; None before the first one.
        last: file saved last, a video or a screenshot; None before the first one.
        has_failed: whether a recording ended early because of an error.
    """

    def __init__(
        self,
        display: Display,
        *,
        clock: Clock,
        console: Console,
        status: StatusBoard,
        folder: Path,
        sound: RecordingAudio | None = None,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.settings = RecordingSettings()
        self.display = display
        self.clock = clock
        self.console = console
        self.status = status
        self.folder = folder
        self.path: Path | None = None
        self.last: Path | None = None
        self.has_failed = False
        self._sound = sound
        self._mixing: threading.Thread | None = None
        self._now = now
        self._writer: VideoWriter | None = None
        self._ending: VideoWriter | None = None
        self._mode: Mode = "real-time"
        self._has_panels = True
        self._longest = math.inf
        self._begun = 0.0
        self._picture: Picture | None = None
        self._mixed = (False, "")
        self._clock_before: tuple[float | None, float] = (None, 1.0)

    @property
    def is_recording(self) -> bool:
        """Whether a recording is running."""
        return self._writer is not None

    @property
    def is_exact(self) -> bool:
        """Whether a frame-exact recording is running: every frame must be drawn."""
        return self._writer is not None and self._mode == "exact"

    @property
    def seconds(self) -> float:
        """Length of the running recording in seconds; 0 if none is running."""
        return 0.0 if self._writer is None else self._writer.frames / RATE

    # -- begin and end ------------------------------------------------------------------------

    def open(self, path: Path, mode: Mode = "exact", *, longest: float | None = None) -> None:
        """Start a recording.

        Args:
            path: the video file.
            mode: "exact" or "real-time".
            longest: the recording stops after so many seconds; None for the limit of the settings.

        Raises:
            GoishiError: the file cannot be written, or a recording is running.
        """
        if self._writer is not None:
            raise GoishiError(f"expected no recording, found one into {self.path}")
        if self._ending is not None:
            self._ending.close()
            self._report()
        self._has_panels = self.settings.has_panels
        size = self.display.size if self._has_panels else self.display.viewport[2:]
        chosen = self.settings.size or fitted_size(size, self.settings.width)
        self._writer = VideoWriter(path, chosen, RATE)
        self.path = path
        self._mode = mode
        self._longest = self.settings.longest if longest is None else longest
        self._begun = self._now()
        self._picture = None
        if mode == "exact":
            self._clock_before = (self.clock.frame_step, self.clock.speed)
            self.clock.frame_step = 1.0 / RATE
            if self.clock.speed == MAX_SPEED:
                self.clock.speed = 1.0
        if self._sound is not None and path.suffix.lower() != ".gif":
            self._sound.begin(lambda: self.seconds)
        self.status.set(STATUS, "Recording", busy=True)

    def start(self, path: Path | None = None, mode: Mode | None = None) -> bool:
        """Start a recording and return whether it started; an error is written to the console.

        Args:
            path: the video file; None for a new file in the folder.
            mode: "exact" or "real-time"; None for the mode of the settings.
        """
        try:
            chosen = path or self._free_path("goishi", self.settings.suffix)
            chosen.parent.mkdir(parents=True, exist_ok=True)
            self.open(chosen, mode or self.settings.mode)
        except (GoishiError, OSError) as error:
            self.console.error(f"recording: {error}")
            return False
        return True

    def stop(self) -> None:
        """Stop the recording; the file is finished in the background."""
        if self._writer is None:
            return
        self._writer.finish()
        self._mix(self._writer.path, self.seconds)
        self._ending, self._writer = self._writer, None
        self._picture = None
        self.display.rest_image()
        if self._mode == "exact":
            self.clock.frame_step, speed = self._clock_before
            if speed == MAX_SPEED:
                self.clock.speed = speed
        self.status.clear(STATUS)

    def toggle(self) -> None:
        """Start a recording with the present settings; stop it if one is running."""
        if self.is_recording:
            self.stop()
        else:
            self.start()

    def _mix(self, path: Path, seconds: float) -> None:
        """Write the sound track next to the video, in a thread; no file if nothing was heard.

        Args:
            path: the video file.
            seconds: length of the video.
        """
        track = self._sound.end() if self._sound is not None else None
        if track is None:
            return
        for name in sorted(track.left_out):
            expected = "expected a WAV file of whole numbers"
            self.console.warning(f"recording: {name} is not in the sound: {expected}")
        if not track.parts:
            return
        file = sound_path(path)

        def write() -> None:
            try:
                track.write(file, seconds)
            except OSError as error:
                self._mixed = (True, f"{file}: {error.strerror or error}")
            else:
                self._mixed = (False, f"saved {file} ({seconds:.1f} s)")

        self._finish_mixing()
        self._mixing = threading.Thread(target=write, name="sound", daemon=True)
        self._mixing.start()

    def _finish_mixing(self) -> None:
        """Wait until the sound track is written and report the result in the console."""
        if self._mixing is None:
            return
        self._mixing.join()
        self._mixing = None
        is_fault, text = self._mixed
        if is_fault:
            self.console.error(f"recording: {text}")
        else:
            self.console.info(text)

    def close(self) -> None:
        """Stop everything; the files are closed on return."""
        self.stop()
        self._finish_mixing()
        if self._ending is not None:
            self._ending.close()
            self._report()

    @contextlib.contextmanager
    def record_game(self, name: str) -> Iterator[Path | None]:
        """Record frame by frame while the block runs.

        Args:
            name: start of the file's name.

        Yields:
            Path of the video file; None if the recording could not start.
        """
        path = self._free_path(name, self.settings.suffix)
        is_started = self.start(path, "exact")
        try:
            yield path if is_started else None
        finally:
            if is_started and self.path == path:
                self.stop()

    def screenshot(self, path: Path | None = None, *, has_panels: bool | None = None) -> bool:
        """Save the frame presented last and return whether it was saved; errors go to the console.

        Args:
            path: the image file; None for a new file in the folder.
            has_panels: whether the panels are in the picture; None for the value of the settings.
        """
        with_panels = self.settings.has_panels if has_panels is None else has_panels
        try:
            chosen = path or self._free_path("goishi", ".png")
            chosen.parent.mkdir(parents=True, exist_ok=True)
            self.save_picture(chosen, has_panels=with_panels)
        except (GoishiError, OSError) as error:
            self.console.error(f"screenshot: {error}")
            return False
        return True

    def save_picture(self, path: Path, *, has_panels: bool) -> None:
        """Save the frame presented last.

        Args:
            path: the image file.
            has_panels: whether the panels are in the picture.

        Raises:
            GoishiError: the file cannot be written.
        """
        try:
            save_image(path, self.display.image() if has_panels else self.display.scene_image())
        finally:
            if not self.is_recording:
                self.display.rest_image()
        self.last = path
        self.console.info(f"saved {path}")

    def _free_path(self, name: str, suffix: str) -> Path:
        return recording_path(self.folder, name, suffix, datetime.datetime.now().astimezone())

    # -- each frame ---------------------------------------------------------------------------

    def update(self, *, is_new: bool) -> None:
        """Process the presented frame; call it once after each frame of the app.

        Args:
            is_new: whether the picture differs from that of the last frame.
        """
        if self._ending is not None and self._ending.is_done:
            self._report()
        if self._mixing is not None and not self._mixing.is_alive():
            self._finish_mixing()
        writer = self._writer
        if writer is None:
            return
        if writer.error:
            self.stop()
            return
        if self._mode == "exact":
            writer.add(self._capture(is_new=is_new))
        else:
            self._keep_time(writer, is_new=is_new)
        if writer.frames >= self._longest * RATE:
            self.console.info(f"recording ended after {self.seconds:.0f} s, the longest allowed")
            self.stop()

    def _keep_time(self, writer: VideoWriter, *, is_new: bool) -> None:
        """Write as many frames as are due since the last call, to keep pace with the wall clock.

        If more than two seconds have passed, for example because the computer slept, the gap is
        left out.

        Args:
            writer: the video.
            is_new: whether the picture differs from that of the last frame.
        """
        if is_new:
            self._picture = None
        passed = self._now() - self._begun
        due = int(passed * RATE) + 1 - writer.frames
        if due <= 0:
            return
        if due > LONGEST_STANDSTILL * RATE:
            self._begun += due / RATE
            return
        writer.add(self._capture(is_new=False), times=due, waits=False)

    def _capture(self, *, is_new: bool) -> Picture:
        if self._picture is None or is_new:
            image = self.display.image if self._has_panels else self.display.scene_image
            self._picture = image()
        return self._picture

    def _report(self) -> None:
        """Report in the console, once, whether the closed recording was saved."""
        writer, self._ending = self._ending, None
        if writer is None:
            return
        if writer.error:
            self.has_failed = True
            self.console.error(f"recording {writer.path} ended: {writer.error}")
        else:
            self.last = writer.path
            self.console.info(f"saved {writer.path} ({writer.frames / RATE:.1f} s)")


def sound_path(video: Path) -> Path:
    """Return the path of a video's sound file, in the same folder: `film.sound.wav`."""
    return video.with_name(f"{video.stem}.sound.wav")

"""Export of a run's charts and tables in a separate process."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from ai import RunSeries
from ai.messages import ExportRun, RunExported
from sim import Script, WorkerError

EXPORTER = "ai.workers.exporter:main"


class Tell(Protocol):
    """Reports the result of an export to the user."""

    def __call__(self, text: str, *, is_error: bool = False) -> None:
        """Report a text to the user."""


class RunExport:
    """Runs exports for a script, one at a time.

    Attributes:
        is_under_way: whether one is running.
    """

    def __init__(self, script: Script, tell: Tell) -> None:
        self.is_under_way = False
        self._script = script
        self._tell = tell

    def start(self, run: RunSeries, game: int) -> None:
        """Start the export of a run up to a game; does nothing if one is running."""
        if not self.is_under_way:
            self._script.start_coroutine(self._write(run, game))

    async def _write(self, run: RunSeries, game: int) -> None:
        script = self._script
        self.is_under_way = True
        folder = self._new_folder(game)
        # A new process is sent its first request from a thread: the view does not wait.
        link = script.workers.open("export", EXPORTER, {}, owner=script.slot)
        script.status.set("export", "writing charts and tables", busy=True)
        try:
            answer: RunExported = await script.background(
                link.request(ExportRun(str(folder), run), retry=False)
            )
        except WorkerError as error:
            self._tell(f"not exported: {error}", is_error=True)
        else:
            self._tell_end(folder, answer)
        finally:
            link.say_goodbye()
            script.status.clear("export")
            self.is_under_way = False

    def _tell_end(self, folder: Path, answer: RunExported) -> None:
        if answer.error:
            self._tell(f"not all is exported to {folder}: {answer.error}", is_error=True)
        else:
            self._tell(f"exported {len(answer.files)} files to {folder}")
        run = self._script.run
        if run.temporary_data and run.out is None:
            self._script.log.warning(
                "this folder is deleted when the run ends: --out or --data-dir keeps it"
            )

    def _new_folder(self, game: int) -> Path:
        """Return a folder for an export, by game, that is not there yet."""
        run = self._script.run
        above = (run.out or run.data_dir) / "exports"
        name = f"{run.scene_path.name.split('.')[0]}-game-{game:06d}"
        folders = (above / name, *(above / f"{name}-{number}" for number in range(2, 1000)))
        return next((folder for folder in folders if not folder.exists()), folders[-1])

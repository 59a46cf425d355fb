"""The export worker: writes the exports of a run in the background.

The process is started for one export: pictures and TensorFlow's event files take seconds, in which
neither the view nor a training should wait.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ai.messages.learner import ExportRun, RunExported
from ai.runs.export import export_run
from ai.workers.settings import LEARNER_NICE, WorkerSettings, settle
from base.worker.process import Pipe
from base.worker.service import Report, WorkerRequestError, serve

if TYPE_CHECKING:
    from ai.runs.export import RunSeries


def main(connection: Pipe, settings: WorkerSettings) -> None:
    """Run the worker until the pipe closes."""
    settle(settings, LEARNER_NICE)
    serve(connection, handle)


def handle(payload: object, report: Report) -> RunExported:
    """Write a run's pictures, tables and TensorBoard event file.

    Args:
        payload: an `ExportRun` message.
        report: not used.

    Raises:
        WorkerRequestError: `payload` is another message.
    """
    from ai.nets.event_files import write_events

    if not isinstance(payload, ExportRun):
        raise WorkerRequestError(f"expected ExportRun, found {type(payload).__name__}")

    def events(run: RunSeries, folder: Path) -> Path:
        texts = tuple((int(place), label) for place, label in run.marks)
        return write_events(run.series, folder, texts=texts)

    folder = Path(payload.folder)
    files, error = export_run(payload.run, folder, write_events=events)
    return RunExported(tuple(path.relative_to(folder).as_posix() for path in files), error)

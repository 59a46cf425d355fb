"""Export of a run's charts and tables in a separate process."""

from __future__ import annotations

from pathlib import Path

from ai import RunSeries
from ai.messages import ExportRun, RunExported
from sim import Script, WorkerError

EXPORTER = "ai.workers.exporter:main"


async def export_run(script: Script, run: RunSeries, game: int) -> tuple[str, bool]:
    """Write a run's charts and tables; return what to tell, and whether something failed.

    Args:
        script: whose worker writes them.
        run: what to write.
        game: the run's present game, which names the folder.
    """
    folder = _new_folder(script, game)
    # A new process is sent its first request from a thread: the view does not wait.
    link = script.workers.open("export", EXPORTER, {}, owner=script.slot)
    script.status.set("export", "writing charts and tables", busy=True)
    try:
        answer: RunExported = await script.background(
            link.request(ExportRun(str(folder), run), retry=False)
        )
    except WorkerError as error:
        return f"not exported: {error}", True
    finally:
        link.say_goodbye()
        script.status.clear("export")
    if script.run.temporary_data and script.run.out is None:
        script.log.warning("this folder is deleted when the run ends: --out or --data-dir keeps it")
    if answer.error:
        return f"not all is exported to {folder}: {answer.error}", True
    return f"exported {len(answer.files)} files to {folder}", False


def _new_folder(script: Script, game: int) -> Path:
    """Return a folder for an export, by game, that is not there yet."""
    run = script.run
    above = (run.out or run.data_dir) / "exports"
    name = f"{run.scene_path.name.split('.')[0]}-game-{game:06d}"
    folders = (above / name, *(above / f"{name}-{number}" for number in range(2, 1000)))
    return next((folder for folder in folders if not folder.exists()), folders[-1])

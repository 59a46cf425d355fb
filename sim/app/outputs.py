"""Output files of a run: folders are created at the start, statistics written at the end."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from base.errors import GoishiError, UsageError
from base.files import atomic_write
from base.storage.run_folder import RUN_FILE, claim
from sim.core.assets.assets import IMPORT_SECONDS
from sim.core.project.run_options import RunOptions

if TYPE_CHECKING:
    from sim.app.app import App


@contextlib.contextmanager
def output_folders(options: RunOptions) -> Iterator[None]:
    """Create the output folders at the start, so that errors show at once; hold that of `--out`.

    Raises:
        UsageError: a folder cannot be created or written, or holds another run, or another
            process writes there.
    """
    with contextlib.ExitStack() as stack:
        if options.out is not None:
            stack.enter_context(claim(options.out.absolute(), _keeps_trainings))
        for flag, path in (
            ("--video", options.video),
            ("--screenshot", options.screenshot),
            ("--stats", options.stats),
            ("--profile", options.profile),
        ):
            if path is not None:
                _make_folder(flag, path.absolute().parent)
        yield


def _keeps_trainings(folder: Path) -> bool:
    """Whether a folder holds no run's games but trainings, each in a folder of its own.

    A scene goes on with those that it finds.
    """
    return not any((folder / name).exists() for name in (RUN_FILE, "games.jsonl")) and any(
        folder.glob(f"*/{RUN_FILE}")
    )


def _make_folder(flag: str, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError("not writable")
    except OSError as error:
        raise UsageError(f"{flag}: expected a folder that can be written, found {folder}: "
                         f"{error.strerror or error}") from error  # fmt: skip


def write_json(path: Path, data: dict[str, object]) -> None:
    """Write the statistics as JSON, atomically.

    Raises:
        GoishiError: the file cannot be written, or a script's value is not JSON: the text names
            its key, and all others are written.
    """
    sound, faults = {}, []
    for key, value in data.items():
        try:
            sound[key] = _plain(key, value)
        except (TypeError, ValueError, RecursionError) as error:
            faults.append(f"{key!r:.80}: expected numbers, texts, lists and maps, found: {error}")
    try:
        atomic_write(path, json.dumps(sound, indent=2) + "\n")
    except OSError as error:
        raise GoishiError(f"--stats: expected to write {path}, found: {error.strerror}") from error
    if faults:
        raise GoishiError(f"--stats: {'; '.join(faults)}")


def _plain(key: object, value: object) -> object:
    """Return a value of the statistics as JSON takes it."""
    if not isinstance(key, str):
        raise TypeError("the key is no text")
    return json.loads(json.dumps(value, default=_as_json, allow_nan=False))


def _as_json(value: object) -> object:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return list(value)
    raise TypeError(f"{value!r:.80}")


def finish_outputs(app: App) -> None:
    """Write the requested screenshot and statistics."""
    options = app.options
    if app.display is not None and app.view is not None and options.screenshot is not None:
        from sim.render.capture.capture import save_image

        app.assets.poll(IMPORT_SECONDS)  # no picture without its models
        app.scene.animator.advance(0.0, instant=app.clock.instant)
        app.draw_now()
        save_image(options.screenshot, app.display.image())
    if options.stats is not None:
        write_json(options.stats, statistics_of(app))


def statistics_of(app: App) -> dict[str, object]:
    """Return the content of the stats file."""
    run = app.run_context
    startup: dict[str, object] = {"window": None, "first_move": None, "first_white_move": None}
    startup.update(run.startup_seconds)
    return {
        "scene": app.options.scene.name,
        "seed": run.seed,
        "quality": app.view.quality if app.view is not None else "none",
        **run.stats,
        **app.frame_stats.summary(),
        "script_errors": app.host.error_count,
        "worker_restarts": app.links.restarts,
        "startup_seconds": startup,
    }

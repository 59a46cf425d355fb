"""Faults beside the main thread: one line in the console, and the scene goes on."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from sim.commands.cli import entry
from sim.core.host.reload import FileWatch
from sim.core.reporting.background import print_in_one_line
from sim.core.reporting.metrics import MetricStore
from tests.sim.core.stage import Stage


class FullFile:
    """A file on a full disk."""

    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")

    def close(self) -> None:
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize("is_logging", [True, False])
def test_a_full_disk_costs_the_file_of_metrics_and_not_the_script(
    tmp_path: Path, is_logging: bool
) -> None:
    told: list[str] = []
    metrics = MetricStore(tmp_path / "metrics.jsonl", warn=told.append)
    assert metrics._file is not None
    metrics._file.close()
    metrics._file = FullFile()  # type: ignore[assignment]
    if is_logging:
        metrics.log("loss", 1.0)
        metrics.log("loss", 2.0)
        assert metrics.series("loss")[1].tolist() == [1.0, 2.0]
    metrics.close()
    assert told == [
        f"{tmp_path / 'metrics.jsonl'}: expected to write metrics, found: No space left on device"
    ]


def test_a_watch_that_ends_is_told_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def ends(*folders: Path, **options: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr("watchfiles.watch", ends)
    stage.script("one", "class One(Script):\n    pass\n")
    stage.open_one("scripts.one:One")
    stage.app.world.reloader.watch()
    thread = stage.app.world.reloader._files._thread
    assert thread is not None
    thread.join(10.0)
    stage.frames(3)
    assert len(stage.lines()) == 1
    assert stage.lines()[0].startswith("saved scripts are no longer reloaded: OSError")
    assert FileWatch("other", (".py",)).pop_fault() == ""


def test_faults_in_threads_and_finalizers_are_lines_with_counts(stage: Stage) -> None:
    slot = stage.script(
        "loud",
        """
        import threading

        class Echo:
            def __del__(self):
                raise ValueError("gone")

        class Loud(Script):
            def start(self):
                threads = [threading.Thread(target=self.shout, name="shouter") for _ in range(5)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                for _ in range(7):
                    Echo()

            def shout(self):
                raise OSError("in a thread")
        """,
    )
    assert slot.exists()
    before = threading.excepthook, sys.unraisablehook
    stage.open_one("scripts.loud:Loud")
    stage.frames(2)
    assert sorted(map(str, stage.app.console.records)) == [
        "ERROR Echo.__del__  scripts/loud.py:7  ValueError: gone  (x7)",
        "ERROR thread shouter  scripts/loud.py:20  OSError: in a thread  (x5)",
    ]
    assert stage.errors() == 12
    stage.close()
    assert (threading.excepthook, sys.unraisablehook) == before


def test_what_is_raised_when_the_scene_closes_is_told_too(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.script("late", """
        class Late(Script):
            def destroy(self):
                class Last:
                    def __del__(self):
                        raise KeyError(3)
                Last()
        """)  # fmt: skip
    stage.open_one("scripts.late:Late")
    stage.frames(1)
    stage.close()
    error = capsys.readouterr().err
    assert error.count("KeyError: 3") == 1
    assert "Last.__del__" in error
    assert "Traceback" not in error


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise KeyboardInterrupt


def test_a_finalizer_that_fails_as_the_process_ends_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "unraisablehook", None)
    entry._print_last_errors()
    assert sys.unraisablehook is print_in_one_line

    class Falls:
        def __del__(self) -> None:
            raise ValueError("two\nlines")

    for error in (ValueError("two\nlines"), Unspeakable(), None):
        print_in_one_line(SimpleNamespace(exc_value=error, object=Falls.__del__))  # type: ignore[arg-type]
    assert capsys.readouterr().err.splitlines() == [
        f"ERROR {Falls.__del__.__qualname__}  ValueError: two lines"
    ]
    Falls.__del__ = lambda self: None  # type: ignore[method-assign]

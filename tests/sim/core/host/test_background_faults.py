"""Faults beside the main thread: one line in the console, and the scene goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sim.core.files.file_watch import FileWatch
from sim.core.reporting.metrics import MetricStore
from tests.sim.core.stage import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    made.close()


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
    stage.app.reloader.watch()
    thread = stage.app.reloader._files._thread
    assert thread is not None
    thread.join(10.0)
    stage.frames(3)
    assert len(stage.lines()) == 1
    assert stage.lines()[0].startswith("saved scripts are no longer seen: OSError")
    assert FileWatch("other", (".py",)).take_fault() == ""

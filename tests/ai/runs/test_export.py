"""What is exported is read again: tables, pictures, and TensorBoard's files by TensorFlow."""

from __future__ import annotations

import csv
import os
from types import SimpleNamespace

import numpy as np
import pytest

from ai.messages import ExportRun
from ai.runs import export
from ai.runs.export import RunSeries, export_run
from ai.workers.exporter import handle
from base.worker.service import WorkerRequestError
from tests.common import silent

PNG = b"\x89PNG\r\n"


def run_series(games: int = 20) -> RunSeries:
    steps = np.arange(1.0, games + 1)
    won = (np.arange(games) % 3 > 0).astype(float)
    change = {"game": 7, "key": "alpha", "from": 0.5, "to": 5.0}
    return RunSeries(
        title="cnn-ann-plus against genetic, seed 1",
        series={"white_won": (steps, won), "loss": (steps[::2], 1.0 / steps[::2])},
        changes=(change,),
        marks=((7.0, "alpha 0.5 → 5"),),
        ranks=(5, 2, 0, 1, 0),
    )


def scalars(path) -> dict[str, list[tuple[int, float]]]:
    from ai.nets.backend import tf

    found: dict[str, list[tuple[int, float]]] = {}
    for event in tf.compat.v1.train.summary_iterator(str(path)):
        for value in event.summary.value:
            if value.HasField("simple_value"):
                found.setdefault(value.tag, []).append((event.step, value.simple_value))
    return found


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_all_files_are_there_and_say_what_the_series_say(tmp_path):
    run = run_series()
    answer = handle(ExportRun(str(tmp_path / "new"), run), silent)
    assert answer.error is None
    files = {name: tmp_path / "new" / name for name in answer.files}
    pictures = {name for name in files if name.endswith(".png")}
    assert pictures == {"wins.png", "elo.png", "loss.png", "ranks.png"}
    assert all(files[name].read_bytes().startswith(PNG) for name in pictures)
    with files["series.csv"].open(encoding="utf-8") as file:
        rows = [
            (row["series"], float(row["step"]), float(row["value"])) for row in csv.DictReader(file)
        ]
    expected = [
        (name, step, value)
        for name, (steps, values) in run.series.items()
        for step, value in zip(steps, values, strict=True)
    ]
    assert rows == expected
    assert files["changes.csv"].read_text() == "game,key,from,to\n7,alpha,0.5,5.0\n"
    (events,) = (path for name, path in files.items() if "tfevents" in name)
    read = scalars(events)
    assert read.keys() == run.series.keys()
    for name, (steps, values) in run.series.items():
        assert [step for step, _ in read[name]] == steps.tolist()
        assert [value for _, value in read[name]] == pytest.approx(values.tolist())


def test_a_run_without_games_exports_its_empty_tables(tmp_path):
    files, error = export_run(RunSeries("nothing yet", {}), tmp_path)
    assert error is None
    assert sorted(path.name for path in files) == ["changes.csv", "ranks.csv", "series.csv"]


@pytest.mark.skipif(os.name == "nt", reason="a file stands where the folder should")
def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "taken").write_text("a file")
    files, error = export_run(run_series(), tmp_path / "taken")
    assert files == []
    assert "taken" in error


def test_other_requests_are_refused():
    with pytest.raises(WorkerRequestError, match="expected ExportRun, found str"):
        handle("hello", silent)


def test_a_bar_for_each_rank_up_to_the_last_that_was_taken(monkeypatch, tmp_path):
    bars = []
    panel = SimpleNamespace(
        bar=lambda places, heights, color: bars.append((list(places), list(heights))),
        set_xlabel=lambda *words, **options: None,
    )
    figure = SimpleNamespace(savefig=lambda path: None)
    monkeypatch.setattr(export, "_figure", lambda title, text: (figure, panel))
    export._draw_ranks(run_series(), tmp_path / "ranks.png")
    assert bars == [([1, 2, 3, 4], [5, 2, 0, 1])]

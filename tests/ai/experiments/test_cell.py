from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ai.experiments import cell
from ai.experiments.cell import prepare_folder, run_cell
from ai.experiments.configuration import CellConfiguration
from ai.experiments.figures import cell_figures
from ai.experiments.grid import cell_folder, run_grid
from ai.experiments.held_out import first_weights, shuffle
from ai.game import Rules, centre_points
from ai.runs.reading import read_games
from ai.session.game import move_seed, opening_move
from base.locks import FolderBusyError, FolderLock
from base.storage.json_file import read_lines
from base.storage.run_folder import RunFolderError
from tests.command_line import run_here

ROOT = Path(__file__).resolve().parents[3]
FAST = {"epochs": 1, "least_steps": 20, "steps": 1, "hidden": "4,16,32", "rate": 0.01}
FAST_PLUS = {
    "steps": 3, "epochs": 1, "least_steps": 2, "hidden": "4,8,8", "branch": 0,
    "kernel_sizes": "3,3,3", "variations": 1,
}  # fmt: skip


def small(games: int = 8, player: str = "cnn-ann", **settings: object) -> CellConfiguration:
    given = {**(FAST_PLUS if player == "cnn-ann-plus" else FAST), **settings}
    return CellConfiguration(player=player, games=games, seed=5, settings=given)


def lines(folder: Path) -> bytes:
    return (folder / "games.jsonl").read_bytes()


def test_a_cell_writes_its_files_and_adds_up(tmp_path):
    told = []
    summary = run_cell(small(11), tmp_path / "cell", progress=told.append)
    games = read_lines(tmp_path / "cell" / "games.jsonl")
    assert json.loads((tmp_path / "cell" / "summary.json").read_text()) == summary
    assert [line["game"] for line in games] == list(range(1, 12))
    assert [step.game for step in told] == list(range(1, 12))
    assert summary["losses"] == sum(line["winner"] == "black" for line in games)
    assert len(summary["wins_per_group"]) == 2
    assert sum(summary["rank_counts"]) == sum(line["plies"] // 2 for line in games)
    assert all(len(line["ranks"]) == line["plies"] // 2 for line in games)
    assert summary["relearn_records"] == 4 * summary["losses"]
    assert 0 < summary["ann_nodes"] <= summary["relearn_records"]
    assert len(read_lines(tmp_path / "cell" / "timings.jsonl")) == 11


@pytest.mark.nightly
def test_the_rule_stands_in_the_summary_and_is_resumed(tmp_path):
    def exact(games):
        return replace(small(games), rule="standard")

    run_cell(exact(1), tmp_path)
    summary = run_cell(exact(2), tmp_path, resume=True)
    assert (summary["config"]["rule"], summary["games"]) == ("standard", 2)
    with pytest.raises(RunFolderError, match="found another in"):
        run_cell(small(2), tmp_path, resume=True)


def test_without_merging_every_record_is_a_node(tmp_path):
    summary = run_cell(small(6, alpha=None), tmp_path / "cell")
    assert summary["ann_nodes"] == summary["relearn_records"] > 0


def test_the_same_seed_gives_the_same_file_and_another_does_not(tmp_path):
    run_cell(small(4), tmp_path / "a")
    run_cell(small(4), tmp_path / "b")
    assert lines(tmp_path / "a") == lines(tmp_path / "b")
    other = CellConfiguration(games=4, seed=6, settings=FAST)
    run_cell(other, tmp_path / "c")
    assert lines(tmp_path / "a") != lines(tmp_path / "c")


@pytest.mark.parametrize("player", ["cnn-ann", "cnn-ann-plus"])
@pytest.mark.parametrize("stop_after", [pytest.param(1, marks=pytest.mark.nightly), 4])
def test_going_on_gives_what_an_unbroken_run_gives(tmp_path, player, stop_after):
    run_cell(small(6, player), tmp_path / "whole")

    class Killed(Exception):
        pass

    def kill(step):
        if step.game == stop_after:
            raise Killed

    with pytest.raises(Killed):
        run_cell(small(6, player), tmp_path / "broken", progress=kill)
    with (tmp_path / "broken" / "games.jsonl").open("a") as file:
        file.write('{"game": 99, "wi')  # a line that was cut
    run_cell(small(6, player), tmp_path / "broken", resume=True)
    assert lines(tmp_path / "broken") == lines(tmp_path / "whole")


def test_more_games_go_on_after_the_last(tmp_path):
    run_cell(small(2), tmp_path / "grown")
    run_cell(small(4), tmp_path / "grown", resume=True)
    run_cell(small(4), tmp_path / "whole")
    assert lines(tmp_path / "grown") == lines(tmp_path / "whole")


@pytest.mark.nightly
def test_a_killed_process_goes_on_with_the_same_games(tmp_path):
    words = [
        sys.executable, str(ROOT / "main.py"), "experiment", "--player", "cnn-ann-plus",
        "--games", "9", "--seed", "2",
        *(word for item in FAST_PLUS.items() for word in ("--set", "{}={}".format(*item))),
        "--out",
    ]  # fmt: skip
    whole = CellConfiguration(player="cnn-ann-plus", games=9, seed=2, settings=FAST_PLUS)
    run_cell(whole, tmp_path / "whole")
    broken = tmp_path / "broken"
    process = subprocess.Popen(
        [*words, str(broken)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 100
    while process.poll() is None and time.monotonic() < deadline:
        if (broken / "games.jsonl").exists() and lines(broken).count(b"\n") >= 2:
            os.kill(process.pid, signal.SIGKILL)
            break
        time.sleep(0.01)
    process.wait(timeout=60)
    assert not (broken / "summary.json").exists()
    done = subprocess.run(
        [*words, str(broken), "--resume"], check=True, capture_output=True, text=True, timeout=100
    )
    assert "9 games" in done.stdout
    assert lines(broken) == lines(tmp_path / "whole")


def test_a_folder_with_another_run_is_left_alone(tmp_path):
    folder = tmp_path / "cell"
    run_cell(small(3), folder)
    before = sorted((path.name, path.stat().st_mtime_ns) for path in folder.iterdir())
    for configuration, resume in ((small(3), False), (small(3, records=2), True)):
        with pytest.raises(RunFolderError, match="--out"):
            run_cell(configuration, folder, resume=resume)
    with pytest.raises(RunFolderError, match="--games"):
        run_cell(small(2), folder, resume=True)
    assert sorted((path.name, path.stat().st_mtime_ns) for path in folder.iterdir()) == before
    other = tmp_path / "photos"
    other.mkdir()
    (other / "cat.jpg").write_bytes(b"x")
    with pytest.raises(RunFolderError, match="empty folder"):
        run_cell(small(3), other)


@pytest.mark.parametrize("command", ["experiment", "grid"])
@pytest.mark.parametrize("more", [[], ["--resume"]])
def test_a_second_run_on_a_folder_is_refused_and_told_the_firsts_process(
    tmp_path, capsys, monkeypatch, command, more
):
    monkeypatch.setattr("sim.commands.experiment.warm_up", lambda: pytest.fail("it ran"))
    with FolderLock(tmp_path):
        code, _, error = run_here(capsys, command, "--out", str(tmp_path), *more)
    assert code == 2
    assert error == (
        f"goishi: {tmp_path}: expected a folder that no other run writes, found it in use by "
        f"process {os.getpid()}\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_cell_is_not_run_where_another_process_runs_it(tmp_path):
    cell = small(2)
    with FolderLock(tmp_path / "one"), pytest.raises(FolderBusyError):
        run_cell(cell, tmp_path / "one", resume=True)
    with FolderLock(cell_folder(tmp_path, cell)), pytest.raises(FolderBusyError):
        run_grid([cell], tmp_path, resume=True)
    assert not list(tmp_path.rglob("games.jsonl"))


def test_what_a_killed_start_left_is_no_other_run(tmp_path):
    for name in (".run.json.999999999.tmp", "run.lock"):
        (tmp_path / name).write_text("{", encoding="utf-8")
    prepare_folder(small(1), tmp_path, resume=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.json", "run.lock"]


def test_a_damaged_run_is_one_line_that_names_file_and_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("sim.commands.experiment.warm_up", lambda: None)
    prepare_folder(CellConfiguration(), tmp_path, resume=False)
    games = tmp_path / "games.jsonl"
    games.write_text('{"game": 1, "winner": "nobody"}\n', encoding="utf-8")
    code, _, error = run_here(capsys, "experiment", "--resume", "--out", str(tmp_path))
    assert code == 1
    assert error == f"goishi: {games}:1: expected the key 'reason', found none\n"


def test_held_out_games_and_guards(tmp_path):
    summary = run_cell(small(3), tmp_path / "cell", held_out_games=4)
    assert set(summary["held_out"]) == {"10x10", "50x30"}
    for result in summary["held_out"].values():
        assert set(result["guards"]) == {"before training", "shuffled weights", "pattern"}
        for values in (result, *result["guards"].values()):
            assert 0 <= values["wins"] <= values["games"] == 4
            assert values["low"] <= values["wins"] / 4 <= values["high"]


def test_what_was_judged_is_kept_until_more_is_learnt(tmp_path):
    judged = run_cell(small(3), tmp_path, held_out_games=2, with_oracle=True)
    again = run_cell(small(3), tmp_path, resume=True)
    assert (again["held_out"], again["oracle"]) == (judged["held_out"], judged["oracle"])
    assert again["oracle"] is not None
    grown = run_cell(small(4), tmp_path, resume=True)
    assert (grown["held_out"], grown["oracle"]) == ({}, None)


def test_the_oracle_judges_every_game(tmp_path):
    summary = run_cell(small(4), tmp_path / "cell", with_oracle=True)
    oracle = summary["oracle"]
    assert oracle["positions"] == oracle["proven"] + oracle["unknown"] > 0
    assert oracle["games_with_losing_moves"] <= min(4, oracle["losing_moves"])
    assert oracle["losing_moves"] <= summary["plies"] // 2


def test_shuffling_keeps_the_numbers_of_each_layer():
    weights = first_weights(small())
    other = shuffle(weights, np.random.default_rng(1))
    assert set(other) == set(weights)
    for name, array in weights.items():
        assert np.array_equal(np.sort(array.ravel()), np.sort(other[name].ravel()))
    assert any(not np.array_equal(array, other[name]) for name, array in weights.items())


def test_openings_are_centre_points_and_all_of_them_come():
    rules = Rules(7, 5)
    found = {opening_move(rules, seed=1, game=game) for game in range(1, 200)}
    assert found == set(centre_points(7))
    assert move_seed(1, 2, 3) != move_seed(1, 3, 2)


def test_a_run_that_was_written_before_goes_on_with_the_same_games(tmp_path):
    """Six games and their checkpoint, of a version whose learners wrote their files themselves."""
    here = Path(__file__).parent
    shutil.copytree(here / "written_before", tmp_path / "cell")
    settings = {"records": 2}
    configuration = CellConfiguration(player="ann", games=10, seed=5, settings=settings)
    told = []
    run_cell(configuration, tmp_path / "cell", resume=True, progress=told.append)
    assert [step.stage for step in told] == ["games"] * 4, "the checkpoint is taken up"
    assert lines(tmp_path / "cell") == (here / "written_before_whole.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("key", "value", "error"),
    [
        ("walk_back", "plies", "walk_back: expected stones, as ann no longer has another, found 'plies'"),
        ("distance", "label", "distance: expected state-vector, as ann no longer has another"),
    ],
)  # fmt: skip
def test_a_run_of_a_reading_that_is_gone_is_shown_but_not_continued(tmp_path, key, value, error):
    here = Path(__file__).parent
    shutil.copytree(here / "written_before", tmp_path / "cell")
    stored = json.loads((tmp_path / "cell" / "run.json").read_text())
    stored["config"]["settings"][key] = value
    (tmp_path / "cell" / "run.json").write_text(json.dumps(stored))
    assert [record.game for record in read_games(tmp_path / "cell")] == [1, 2, 3, 4, 5, 6]
    summary = json.loads((tmp_path / "cell" / "summary.json").read_text())
    assert cell_figures(tmp_path / "cell", summary)
    configuration = CellConfiguration(player="ann", games=10, seed=5, settings={"records": 2})
    with pytest.raises(RunFolderError, match=re.escape(error)):
        run_cell(configuration, tmp_path / "cell", resume=True)


def test_a_removed_setting_may_say_what_all_go_by_now():
    settings = {"records": 2, "walk_back": "stones", "distance": "state-vector"}
    configuration = CellConfiguration(player="ann", settings=settings)
    assert configuration.settings == {"records": 2}
    assert "walk_back" not in configuration.as_dict()["settings"]


def test_the_summary_is_of_the_games_that_are_there(tmp_path, monkeypatch):
    """A power cut can leave timings of games that are lost."""
    (tmp_path / cell.TIMINGS_FILE).write_text('{"game": 1}\n{"game": 2}\n{"game": 3}\n')
    seen = []
    monkeypatch.setattr(
        cell, "summarise", lambda words, lines, timings, points: seen.append((lines, timings)) or {}
    )
    lines = [{"game": 1}, {"game": 2}]
    measures = SimpleNamespace(variety=None, agrees=0.123456)
    learner = SimpleNamespace(weights=lambda: SimpleNamespace(measures=measures))
    fake = SimpleNamespace(
        out=tmp_path, _lines=lambda: lines, learner=learner, rules=Rules(7, 5),
        configuration=SimpleNamespace(as_dict=dict),
    )  # fmt: skip
    assert cell.ExperimentCell.summary(fake) == {"variety": None, "agrees": 0.1235}
    assert seen == [(lines, lines)]

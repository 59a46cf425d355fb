from __future__ import annotations

import json
import shutil
import sys
from importlib.util import find_spec

import pytest

from ai.experiments.cell import prepare_folder
from ai.experiments.configuration import CellConfiguration, ConfigurationError
from ai.experiments.figures import (
    RANK_COUNTS,
    WHITE_MOVES_A_GAME,
    cell_figures,
    grid_figures,
)
from ai.experiments.grid import CONDITIONS, cell_folder, cells_of, condition_of, run_grid
from base.storage.run_folder import RunFolderError

FAST = {"epochs": 1, "least_steps": 20, "steps": 1, "hidden": "4,16,32", "rate": 0.01}
BASE = CellConfiguration(games=3, settings=FAST)


def test_the_papers_table_has_each_cell_once():
    cells = cells_of(BASE, seeds=(0, 1))
    assert len({cell.condition for cell in cells}) == 4 * len(CONDITIONS) * 2 == 64
    assert {condition_of(cell) for cell in cells} == set(CONDITIONS)


def test_nothing_to_run_is_refused():
    with pytest.raises(ConfigurationError, match="grid"):
        cells_of(BASE, seeds=())
    with pytest.raises(ConfigurationError, match="r2_a5_s0 twice"):
        cells_of(BASE, records=(2,), conditions=("5", "5.0"))


def test_a_single_run_is_no_grid(tmp_path):
    prepare_folder(BASE, tmp_path, resume=False)
    with pytest.raises(RunFolderError, match="expected an empty folder, found files in"):
        run_grid([BASE], tmp_path, resume=True)
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


@pytest.fixture(
    scope="module",
    # by night the paper's player, too: each process of its grid loads TensorFlow first
    params=["ann", pytest.param("cnn-ann", marks=pytest.mark.nightly)],
)
def finished(request, tmp_path_factory):
    out = tmp_path_factory.mktemp("grid")
    base = BASE if request.param == BASE.player else CellConfiguration(player="ann", games=3)
    cells = cells_of(base, records=(2, 4), conditions=("no-relearn", "5"), seeds=(0,))
    seen = []
    grid = run_grid(cells, out, jobs=2, report=lambda *numbers: seen.append(numbers))
    return out, cells, grid, seen


def test_all_cells_run_beside_each_other(finished):
    out, cells, grid, seen = finished
    assert len(grid["cells"]) == 4
    assert seen[-1] == (12, 12, 4)
    assert json.loads((out / "grid.json").read_text()) == grid
    for cell in cells:
        assert (cell_folder(out, cell) / "summary.json").exists()


def test_one_process_gives_the_same_games(finished, tmp_path):
    out, cells, _, _ = finished
    run_grid(cells[:1], tmp_path, jobs=1)
    name = "games.jsonl"
    mine = (cell_folder(tmp_path, cells[0]) / name).read_bytes()
    assert mine == (cell_folder(out, cells[0]) / name).read_bytes()


def test_a_finished_grid_is_not_run_again(finished):
    out, cells, grid, _ = finished
    with pytest.raises(RunFolderError, match="--resume"):
        run_grid(cells, out)
    folder = cell_folder(out, cells[0])
    before = (folder / "summary.json").stat().st_mtime_ns
    assert run_grid(cells, out, resume=True) == grid
    assert (folder / "summary.json").stat().st_mtime_ns == before


def test_held_out_games_are_made_up_for(finished, tmp_path):
    out, cells, grid, _ = finished
    assert all(cell["held_out"] == {} for cell in grid["cells"])
    shutil.copytree(cell_folder(out, cells[0]), cell_folder(tmp_path, cells[0]))
    games = (cell_folder(out, cells[0]) / "games.jsonl").read_bytes()
    again = run_grid(cells[:1], tmp_path, resume=True, held_out_games=1)
    assert again["cells"][0]["held_out"]["10x10"]["games"] == 1
    assert (cell_folder(tmp_path, cells[0]) / "games.jsonl").read_bytes() == games


def test_the_figures_have_the_papers_numbers(finished):
    out, cells, grid, _ = finished
    names = [path.relative_to(out).as_posix() for path in grid_figures(out, grid)]
    player = cells[0].player
    assert names == [f"figures/{player}/fig{n:02}.png" for n in (6, 10, 8, 12, 14)]
    folder = cell_folder(out, cells[0])
    drawn = cell_figures(folder, json.loads((folder / "summary.json").read_text()))
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in drawn)


def test_ray_is_named_where_it_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigurationError, match="pip install"):
        run_grid([BASE], tmp_path, backend="ray")


def test_what_the_paper_states():
    assert sum(RANK_COUNTS) == 8098
    assert pytest.approx(13.5, abs=0.01) == WHITE_MOVES_A_GAME


@pytest.mark.nightly  # a cluster takes half a minute to start; jobs of one machine show the same
@pytest.mark.skipif(find_spec("ray") is None, reason="needs the optional package ray")
@pytest.mark.filterwarnings("ignore")
def test_a_local_ray_cluster_gives_the_same_games(finished, tmp_path):
    out, cells, _, _ = finished
    run_grid(cells[:1], tmp_path, backend="ray")
    for cell in cells[:1]:
        mine = (cell_folder(tmp_path, cell) / "games.jsonl").read_bytes()
        assert mine == (cell_folder(out, cell) / "games.jsonl").read_bytes()

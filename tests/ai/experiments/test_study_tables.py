"""The page's tables are those of the studies, and its words say what their numbers say."""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.experiments.files import read_json, table_text, write_json
from ai.experiments.readings import READINGS
from ai.experiments.statistics import mean_interval
from benchmarks.arguments import at_least_one
from benchmarks.other_games import Curve
from benchmarks.study_rows import (
    AS_IT_IS,
    TABLES,
    cells_by_condition,
    difference,
    folded_ranks,
    frozen_share,
    last_loss,
    losses_of,
    mean_losses,
    node_share,
)
from benchmarks.study_tables import DOCS, NAMES, StudyError, main, read_studies, rewrite

STUDIES = read_studies(DOCS / "studies")
PAGE = (DOCS / "self_teaching.md").read_text(encoding="utf-8")
MEMORY = ("none", "5", "10", "15", "20", "25", "30")


def lost(condition: str, records: int = 4) -> float:
    return mean_losses(STUDIES, records, condition)


def reading_losses(name: str, condition: str) -> list[int]:
    (row,) = (row for row in STUDIES["readings"]["readings"] if row["name"] == name)
    return losses_of([cell for cell in row["cells"] if cell["condition"] == condition])


def row_of(table: str, begin: str) -> list[str]:
    (line,) = (line for line in table.splitlines() if line.startswith(f"| {begin} |"))
    return [item.strip() for item in line.strip("|").split("|")]


def test_the_page_holds_the_tables_of_the_studies():
    assert rewrite(PAGE, STUDIES) == PAGE, "run: python -m benchmarks.study_tables"


def test_studies_are_written_a_line_a_row():
    for name in NAMES:
        text = (DOCS / "studies" / f"{name}.json").read_text(encoding="utf-8")
        assert text == table_text(json.loads(text)) + "\n", name


def test_tables_against_plain_arithmetic():
    own = [cell for cell in STUDIES["sigmoid"]["cells"]
           if (cell["records"], cell["condition"]) == (4, "5")]  # fmt: skip
    row = row_of(TABLES["conditions"](STUDIES), "(c) α = 5")
    values = [cell["losses"] for cell in own]
    assert row[1] == str(len(own))
    assert row[2] == f"{statistics.mean(values):.0f} ({min(values)}–{max(values)})"
    assert row[3] == f"{statistics.median(cell['all_wins_from_game'] for cell in own):.0f}"
    shares = [cell["ann_nodes"] / cell["relearn_records"] for cell in own]
    assert float(row[4]) == pytest.approx(statistics.mean(shares), abs=5e-4)
    assert all(cell["losses"] == 600 - sum(cell["wins_per_group"]) for cell in own)
    (fresh,) = (cells for label, cells in STUDIES["plus"].items() if label == "10x10, fresh dice")
    wins = sum(cell["held_out"]["10x10"]["wins"] for cell in fresh)
    assert f"{wins / 2500:.1%}" in row_of(TABLES["plus"](STUDIES), "10x10, fresh dice")[5]


def test_what_is_said_of_the_papers_conditions():
    by = cells_by_condition(STUDIES)
    assert lost("no-relearn") > 4 * max(lost("none"), lost("5"))
    assert lost("no-relearn") > 2 * max(lost(condition) for condition in MEMORY)
    assert lost("no-relearn") == pytest.approx(0.8 * 600, abs=30)  # "four games of five"
    spread = mean_interval(losses_of(by[4, "none"]))[1]
    assert abs(lost("5") - lost("none")) < spread
    assert max(lost("10"), lost("15"), lost("30")) <= lost("5")  # "do as well"
    assert min(lost("20"), lost("25")) > 1.5 * lost("5")
    assert lost("5", 4) < min(lost("5", 2), lost("5", 1))
    assert lost("none", 4) > lost("none", 3)
    assert all(cell["all_wins_from_game"] < 525 for cell in by[4, "5"])
    runs = [cell for condition in MEMORY for cell in by[4, condition]]
    assert sum(cell["all_wins_from_game"] is not None for cell in runs) > 0.9 * len(runs)
    shares = [node_share(by[4, condition]) for condition in MEMORY]
    assert shares[0] == 1.0
    assert sorted(shares[:6], reverse=True) == shares[:6]
    assert shares[1] < 1.0 - 0.12
    assert max(max(losses_of(cells)) - min(losses_of(cells)) for cells in by.values()) > 300
    ranks, moves = folded_ranks(STUDIES)
    assert sorted(ranks, reverse=True) == ranks
    assert moves < 13.5


def test_what_is_said_of_the_readings():
    for reading in READINGS:
        for condition in ("none", "5", "25"):
            found = statistics.mean(reading_losses(reading.name, condition))
            assert (found < 100) == (reading.name == "sigmoid")
            assert found < 100 or found >= 160
        gain = statistics.mean(reading_losses(reading.name, "none")) - statistics.mean(
            reading_losses(reading.name, "5")
        )
        assert gain < 12, reading.name  # "no reading has (c) clearly better than (b)"


def test_what_is_said_of_cnn_ann_plus():
    fresh, strong, seeded = STUDIES["plus"].values()
    means = [statistics.mean(losses_of(cells)) for cells in (fresh, strong, seeded)]
    assert (round(means[0]), round(means[1])) == (26, 28)
    (small,) = (row for row in STUDIES["tried"]["rows"] if row["name"].endswith("other seeds"))
    assert round(statistics.mean(small["losses"])) == 63
    assert means[0] <= 40
    assert means[1] <= 60
    for cells in (fresh, strong):
        assert statistics.mean(sum(cell["wins_per_group"][-20:]) for cell in cells) >= 98
    for cells in (fresh, strong):
        for strength, goal in (("10x10", 0.98), ("50x30", 0.93)):
            wins, games = frozen_share(cells, strength)
            assert wins / games >= goal
    assert max(last_loss(cell) for cell in seeded) < 100
    assert frozen_share(seeded, "10x10") < frozen_share(fresh, "10x10")


def test_what_is_said_of_the_ablation():
    rows = {row["name"]: row for row in STUDIES["ablation"]["rows"]}
    more = {name: difference(row, rows[AS_IT_IS]) for name, row in rows.items()}
    clear = {name for name, (mean, half) in more.items() if mean > half}
    carrying = {"no symmetries", "no threat labels", "no rehearsal"}
    assert clear == carrying | {"no win records", "no warm start"}
    assert min(more[name][0] for name in carrying) > 3 * max(
        more[name][0] for name in clear - carrying
    )
    assert rows["alpha none"]["losses"] == rows[AS_IT_IS]["losses"]


TITLES = {"tic-tac-toe": "tic-tac-toe", "connect-four": "Connect Four"}


def test_the_rows_of_the_other_games_are_those_of_their_study():
    page = (DOCS / "other_games.md").read_text(encoding="utf-8")
    curves = [
        Curve(**values) for values in read_json(DOCS / "studies" / "other_games.json")["curves"]
    ]
    assert [(c.game, c.seed) for c in curves] == [(game, s) for game in TITLES for s in (1, 2, 3)]
    for curve in curves:
        shares = curve.shares((-1, 0))
        reached = next((i for i, share in enumerate(shares) if share >= 0.95), None)
        never = f"not within {len(curve.winners)}"
        one_ply, alpha_beta = curve.held_out["one-ply"], curve.held_out["alpha-beta"]
        kept = [100 - alpha_beta[name]["losses"] for name in ("trained", "untrained")]
        ends = [", ".join(str(one_ply[name][key]) for key in ("wins", "draws", "losses"))
                for name in ("trained", "untrained")]  # fmt: skip
        title = f"{TITLES[curve.game]}, {curve.seed}"
        assert row_of(page, title) == [
            title,
            never if reached is None else f"{25 * reached + 1} to {25 * reached + 25}",
            "-" if reached is None else str(curve.stable_from or never),
            *ends,
            f"{kept[0]} ({kept[1]})",
        ]


def test_a_page_without_its_marks_is_refused():
    with pytest.raises(StudyError, match="expected each of"):
        rewrite(PAGE.replace("<!-- made: claims -->", ""), STUDIES)
    with pytest.raises(StudyError, match="expected each of"):
        rewrite(PAGE + "<!-- made: other -->", STUDIES)
    cut = PAGE[: PAGE.rindex("<!-- end -->")]
    with pytest.raises(StudyError, match="<!-- end --> after tried"):
        rewrite(cut, STUDIES)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A copy of page and studies."""
    folder = tmp_path / "docs"
    (folder / "images").mkdir(parents=True)
    shutil.copytree(DOCS / "studies", folder / "studies")
    shutil.copy(DOCS / "self_teaching.md", folder)
    return folder


def make_cell(folder: Path, *, condition: str = "5", seed: int = 0, games: int = 10, **config):
    """Write a cell's summary and games as an experiment does: White loses every second game."""
    relearn = "last-game" if condition == "no-relearn" else "memory"
    alpha = None if condition in ("none", "no-relearn") else float(condition)
    own = folder / "cnn-ann" / f"{condition}_{seed}"
    own.mkdir(parents=True)
    part = {"no-relearn": "norelearn", "none": "anone"}.get(condition, f"a{condition}")
    drawn = folder / "cnn-ann" / f"r4_{part}_s{seed}"  # where the figures look for games
    drawn.mkdir(exist_ok=True)
    settings = {"records": 4, "alpha": alpha, "relearn": relearn, "output": "sigmoid"}
    values = {"player": "cnn-ann", "seed": seed, "ga": "10x10", "randomness": "board-seeded",
              "settings": settings, **config}  # fmt: skip
    summary = {
        "config": values, "games": games, "wins_per_group": [3, 2], "all_wins_from_game": 10,
        "losses": games // 2, "plies": 20 * games, "relearn_records": 2 * games, "ann_nodes": games,
        "rank_counts": [5, 4, 3, 2, 1] + [1] * 44, "seconds": {"total": 1.0}, "held_out": {},
    }  # fmt: skip
    write_json(own / "summary.json", summary)
    lines = [json.dumps({"ann_nodes": number}) for number in range(1, games + 1)]
    (drawn / "games.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def make_grid(folder: Path) -> None:
    for condition in ("no-relearn", *MEMORY):
        for seed in (0, 1):
            make_cell(folder, condition=condition, seed=seed)
    make_cell(folder, condition="5", seed=2, games=4)  # on the way


def test_a_new_run_is_taken_in(tmp_path, docs, capsys):
    make_grid(tmp_path / "paper")
    words = ["--docs", str(docs)]
    assert main([*words, "--check"]) == 0
    assert main([*words, "--sigmoid", str(tmp_path / "paper")]) == 0
    row = row_of((docs / "self_teaching.md").read_text(encoding="utf-8"), "(c) α = 5")
    assert row[1:5] == ["2", "5 (5–5)", "10", "0.500"]
    assert len(read_json(docs / "studies" / "sigmoid.json")["cells"]) == 16
    pictures = sorted(path.name for path in (docs / "images").iterdir())
    assert pictures == [f"self_teaching_fig{number}.png" for number in ("06", "10", "14")]
    assert main([*words, "--check"]) == 0
    page = docs / "self_teaching.md"
    page.write_text(page.read_text(encoding="utf-8").replace("5 (5–5)", "4 (4–4)"), "utf-8")
    capsys.readouterr()
    assert main([*words, "--check"]) == 1
    assert "5 (5–5)" in capsys.readouterr().out


@pytest.mark.parametrize("flag", ["--sigmoid", "--readings", "--plus", "--ablation"])
def test_a_run_that_is_none_changes_nothing(tmp_path, docs, capsys, flag):
    (tmp_path / "empty").mkdir()
    before = {path: path.read_bytes() for path in docs.rglob("*") if path.is_file()}
    assert main(["--docs", str(docs), flag, str(tmp_path / "empty")]) == 1
    assert capsys.readouterr().err.startswith("study_tables: ")
    assert {path: path.read_bytes() for path in docs.rglob("*") if path.is_file()} == before


def test_a_grid_without_all_conditions_is_refused(tmp_path, docs, capsys):
    make_cell(tmp_path / "paper")
    assert main(["--docs", str(docs), "--sigmoid", str(tmp_path / "paper")]) == 1
    assert "expected cells of records 4 in every condition" in capsys.readouterr().err
    assert read_json(docs / "studies" / "sigmoid.json") == STUDIES["sigmoid"]


def test_another_player_is_no_paper_grid(tmp_path, docs, capsys):
    make_cell(tmp_path / "other", settings={"output": "softmax"})
    assert main(["--docs", str(docs), "--sigmoid", str(tmp_path / "other")]) == 1
    assert "expected cells of cnn-ann with sigmoid" in capsys.readouterr().err
    assert main(["--docs", str(docs), "--plus", str(tmp_path / "other")]) == 1
    assert "expected cells of cnn-ann-plus" in capsys.readouterr().err


plain = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
values = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(values)
def test_a_table_is_read_as_it_was(value):
    assert json.loads(table_text(value)) == value


@given(st.lists(st.dictionaries(st.text("abc", max_size=2), plain, min_size=1), min_size=1))
def test_a_row_is_a_line(rows):
    lines = table_text({"rows": rows}).split("\n")
    assert [json.loads(line.strip().rstrip(",")) for line in lines[2:-2]] == rows


def test_counts_are_one_or_more():
    assert at_least_one("3") == 3
    for text in ("0", "-1", "1.5", "many"):
        with pytest.raises(argparse.ArgumentTypeError, match="1 or more"):
            at_least_one(text)

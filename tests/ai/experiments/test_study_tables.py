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

from ai.experiments.figures import RANK_COUNTS, WHITE_MOVES_A_GAME
from ai.runs.statistics import mean_interval
from base.storage.json_file import read_json, table_text, write_json
from benchmarks.console import at_least_one
from benchmarks.other_games import Curve, lines_table, read_curves
from benchmarks.study_rows import (
    AS_IT_IS,
    FRESH,
    TABLES,
    difference,
    folded_ranks,
    frozen_share,
    full_boards,
    last_loss,
    losses_of,
    losses_within,
    mean_losses,
    select,
    won_all_of_the_last_hundred,
)
from benchmarks.study_tables import (
    DOCS,
    NAMES,
    StudyError,
    made_anew,
    main,
    read_studies,
    rewrite,
)

STUDIES = read_studies(DOCS / "studies")
PAGE = (DOCS / "studies" / "self_teaching.md").read_text(encoding="utf-8")
MEMORY = ("none", "5", "10", "15", "20", "25", "30")


def lost(condition: str, study: str = "ann", **which: object) -> float:
    return mean_losses(select(STUDIES, study, condition=condition, **which))


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
    own = [
        cell for cell in STUDIES["ann"]["cells"]
        if (cell["records"], cell["condition"], cell["control"], cell["randomness"])
        == (4, "5", "none", "board-seeded")
    ]  # fmt: skip
    row = row_of(TABLES["ann"](STUDIES), "(c) α = 5")
    values = [cell["losses"] for cell in own]
    assert row[1] == str(len(own))
    assert row[2] == f"{statistics.mean(values):.0f} ({min(values)}–{max(values)})"
    assert row[3] == f"{statistics.median(last_loss(cell) for cell in own):.0f}"
    whole = sum(sum(cell["wins_per_group"][-20:]) == 100 for cell in own)
    full, fives = (
        sum(cell["win_reasons"]["white"][how] for cell in own) for how in ("full", "five")
    )
    assert row[4] == f"{whole} of {len(own)}"
    assert row[5] == f"{full / (full + fives):.1%}"
    assert int(row[6]) == round(statistics.mean(cell["ann_nodes"] for cell in own))
    assert all(cell["losses"] == 600 - sum(cell["wins_per_group"]) for cell in own)
    (fresh,) = (cells for label, cells in STUDIES["plus"].items() if label == "10x10, fresh dice")
    wins = sum(cell["held_out"]["10x10"]["wins"] for cell in fresh)
    assert f"{wins / 5000:.1%}" in row_of(TABLES["plus"](STUDIES), "10x10, fresh dice")[6]


def test_every_cell_of_a_network_holds_its_memory_or_is_said_not_to():
    """What nobody noticed once: outputs that fall to zero, games that are won all the same."""
    for study in ("cnn_ann", "kept"):
        cells = [cell for cell in STUDIES[study]["cells"] if cell["control"] == "none"]
        assert cells
        for cell in cells:
            assert cell["held"]["last"] >= 0.95, cell["cell"]
            assert cell["held"]["failed"] == 0, cell["cell"]
    for reading in STUDIES["readings"]["readings"]:
        row = row_of(TABLES["readings"](STUDIES), f"`{reading['name']}`")
        least = min(cell["held"]["last"] for cell in reading["cells"])
        assert ("does not hold" in row[-4]) == (least < 0.95)


def test_what_is_said_of_the_memory_alone():
    assert max(lost("none"), lost("5")) < 0.6 * 600 < min(lost("20"), lost("25"), lost("30"))
    assert lost("15") > lost("5")
    assert min(lost("25"), lost("30")) > 500
    nodes = [
        statistics.mean(cell["ann_nodes"] for cell in select(STUDIES, "ann", condition=condition))
        for condition in MEMORY
    ]
    assert nodes[2:] == sorted(nodes[2:], reverse=True)
    for condition in ("none", "5"):
        for cell in select(STUDIES, "ann", condition=condition):
            first, last = (
                sum(cell["wins_per_group"][part]) for part in (slice(20), slice(-20, 120))
            )
            assert first < 30 < 50 < last, cell["cell"]
        random = select(STUDIES, "ann", condition=condition, control="random-labels")
        assert min(losses_of(random)) > max(losses_of(select(STUDIES, "ann", condition=condition)))
    shuffled = [
        loss
        for condition in ("none", "5", "25")
        for loss in losses_of(
            select(STUDIES, "ann", condition=condition, control="shuffled-labels")
        )
    ]
    assert len(shuffled) == 9
    assert min(shuffled) > 575
    fresh = [cell for cell in STUDIES["ann"]["cells"]
             if cell["randomness"] == FRESH and cell["control"] == "none"]  # fmt: skip
    assert len(fresh) == 40
    assert all(572 <= cell["losses"] <= 594 for cell in fresh)


def test_what_is_said_of_the_memorys_labels_and_full_boards():
    for condition, times in (("none", 1.7), ("5", 1.7), ("25", 1.1)):
        own, random = (
            [cell for cell in select(STUDIES, "ann", condition=condition, control=control)
             if cell["seed"] < 3]
            for control in ("none", "random-labels")
        )  # fmt: skip
        assert len(own) == len(random) == 3
        assert round(mean_losses(random) / mean_losses(own), 1) == times
        if condition != "25":
            least = lost("no-relearn")
            share = (least - mean_losses(random)) / (least - mean_losses(own))
            assert 0.25 < share < 0.4, "a third of what is won more"
    full, won = full_boards(select(STUDIES, "ann", condition="5"))
    assert full / won == pytest.approx(0.34, abs=0.01)
    order = mean_losses(select(STUDIES, "cnn_ann", condition="5", control="one-order"))
    assert abs(lost("25") - order) < 20
    assert lost("30") > order


def test_what_is_said_of_the_network_of_the_text():
    cells = select(STUDIES, "cnn_ann")
    assert all(cell["losses"] > 0.85 * 600 for cell in cells)
    assert all(cell["all_wins_from_game"] is None or cell["all_wins_from_game"] > 590
               for cell in cells)  # fmt: skip
    order = select(STUDIES, "cnn_ann", condition="5", control="one-order")
    assert len(order) == 3
    assert max(losses_of(order)) < min(cell["losses"] for cell in cells), "counting does better"
    for control in ("untrained", "new-order"):
        others = select(STUDIES, "cnn_ann", condition="5", control=control)
        assert len(others) == 3
        assert min(losses_of(others)) > 585
    fresh = [cell for cell in STUDIES["cnn_ann"]["cells"]
             if cell["randomness"] == FRESH and cell["control"] == "none"]  # fmt: skip
    conditions = [cell["condition"] for cell in fresh]
    assert (conditions.count("30"), conditions.count("no-relearn")) == (5, 5)
    assert {cell["condition"] for cell in fresh} == {"30", "no-relearn"}, "the page names them"
    assert (min(losses_of(fresh)), max(losses_of(fresh))) == (585, 593)


def test_what_is_said_of_the_network_that_is_written_from_its_memory():
    """It wins by what it is taught: with random labels it loses more on every seed."""
    own, drawn = (
        select(STUDIES, "built", condition="5", control=control)
        for control in ("none", "random-labels")
    )
    assert [len(own), len(drawn)] == [5, 5]
    assert [round(mean_losses(cells)) for cells in (own, drawn)] == [250, 452]
    assert max(losses_of(own)) < min(losses_of(drawn))
    last = [sum(cell["wins_per_group"][-20:]) for cell in own]
    assert (min(last), max(last)) == (85, 100)
    assert round(statistics.mean(cell["ann_nodes"] for cell in own)) == 853
    by_seed = {
        condition: {
            cell["seed"]: cell["losses"] for cell in select(STUDIES, "built", condition=condition)
        }
        for condition in ("no-relearn", "none", "5", "10", "15", "20")
    }
    assert all(list(lost) == [0, 1, 2, 3, 4] for lost in by_seed.values())
    more = {
        condition: [lost[seed] - by_seed["5"][seed] for seed in range(5)]
        for condition, lost in by_seed.items()
    }
    assert more["none"] == [11, -101, 7, 72, -18]
    assert (min(more["20"]), max(more["20"])) == (253, 376)
    assert [round(statistics.mean(more[condition])) for condition in ("10", "15")] == [30, 138]
    assert min(by_seed["no-relearn"].values()) == 587
    rows = {row["name"]: row for row in STUDIES["built_tried"]["rows"]}
    assert all(row["seeds"] == [10, 11, 12, 13, 14] for row in rows.values())
    for row in rows.values():
        assert mean_interval([float(value) for value in row["losses"]])[0] >= 0.9 * 261.4, (
            "3 is best"
        )


def test_what_is_said_of_the_networks_that_win_and_are_none():
    """Alive, and yet no better than with random labels on the same seeds."""
    dead = select(STUDIES, "dead", condition="5")
    assert won_all_of_the_last_hundred(dead) == len(dead) == 5
    own, random = (
        select(STUDIES, "kept", condition="5", control=control)
        for control in ("none", "random-labels")
    )
    assert [len(own), len(random)] == [5, 5]
    assert (round(mean_losses(own)), round(mean_losses(random))) == (169, 163)
    frozen, drawn = (
        [frozen_share([cell], "10x10")[0] for cell in cells] for cells in (own, random)
    )
    assert (min(frozen), max(frozen), min(drawn), max(drawn)) == (40, 66, 36, 58)
    more, half = mean_interval([mine - its for mine, its in zip(frozen, drawn, strict=True)])
    assert (round(more), round(half)) == (9, 14)
    shuffled = [frozen_share([cell], "10x10", "shuffled weights")[0] for cell in (*own, *random)]
    assert max(shuffled) == 58


def test_what_is_said_of_the_ranks():
    """The memory's and a living network's come near the paper's, a dead one's do not."""
    stated = [count / sum(RANK_COUNTS) for count in RANK_COUNTS]
    (base,) = (row for row in STUDIES["readings"]["readings"] if row["name"] == "base")
    cells = {
        "memory": select(STUDIES, "ann", condition="5"),
        "network": [cell for cell in base["cells"] if cell["condition"] == "5"],
        "dead": select(STUDIES, "dead", condition="5"),
    }
    away = {}
    for name, own in cells.items():
        ranks, _ = folded_ranks(own)
        away[name] = max(abs(mine - its) for mine, its in zip(ranks, stated, strict=True))
    assert away["memory"] < 0.025
    assert away["network"] < 0.5 * away["dead"]
    moves = {name: folded_ranks(own)[1] for name, own in cells.items()}
    assert abs(moves["memory"] - WHITE_MOVES_A_GAME) < 1.5
    assert max(moves["network"], moves["dead"]) < WHITE_MOVES_A_GAME - 2.5
    assert [(cell["condition"], cell["losses"]) for cell in base["cells"]] == [
        ("5", 195), ("25", 193),
    ]  # fmt: skip


def test_what_is_said_of_the_readings():
    """All hold their memory; four of 27 lose fewer than 189 of 200 at α = 25."""
    rows = {row["name"]: row for row in STUDIES["readings"]["readings"]}
    lost = {name: cell["losses"] for name, row in rows.items() for cell in row["cells"]
            if cell["condition"] == "25"}  # fmt: skip
    assert len(lost) == 27
    fewer = {name: losses for name, losses in lost.items() if losses < 189}
    assert fewer == {"weak-ga": 176, "last-position": 164, "kept": 100, "kept-anew": 119}
    assert max(lost.values()) == 199
    assert min(cell["held"]["last"] for row in rows.values() for cell in row["cells"]) >= 0.977
    for condition, least, most in (("25", 191, 195), ("5", 150, 185)):
        alone = [losses_within(cell, 200) for cell in select(STUDIES, "ann", condition=condition)]
        assert (min(alone), max(alone)) == (least, most)
        assert f"{least} to {most}" in PAGE
    for name in ("raw-distance", "label-distance"):
        assert [cell["ann_nodes"] for cell in rows[name]["cells"]] == [1]


def test_what_is_said_of_cnn_ann_plus():
    fresh, strong, seeded = STUDIES["plus"].values()
    means = [mean_interval(losses_of(cells)) for cells in (fresh, strong, seeded)]
    assert [f"{mean:.1f} ± {half:.1f}" for mean, half in means[:2]] == ["6.4 ± 1.7", "11.2 ± 1.6"]
    assert "6.4 ± 1.7" in PAGE
    assert "11.2 ± 1.6" in PAGE
    assert [last_loss(cell) for cell in seeded] == [17, 9, 2, 6, 36]
    for cells, strength, said in (
        (fresh, "10x10", "99.9%"), (fresh, "50x30", "99.5%"),
        (strong, "10x10", "99.9%"), (strong, "50x30", "99.5%"),
        (seeded, "10x10", "98.1%"), (seeded, "50x30", "92.4%"),
    ):  # fmt: skip
        wins, games = frozen_share(cells, strength)
        assert f"{wins / games:.1%}" == said
        assert said.replace("%", " %") in PAGE
    weakest = min(cell["held_out"]["50x30"]["wins"] / 10 for cell in fresh)
    assert f"one seed of five at {weakest:.1f} %" in PAGE
    least = sorted(cell["held"]["least"] for cells in (fresh, strong, seeded) for cell in cells)
    assert least[0] == 0.973 < 0.98 < least[1]


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
    page = (DOCS / "studies" / "other_games.md").read_text(encoding="utf-8")
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


def test_the_table_of_games_by_lines_is_that_of_its_study():
    page = (DOCS / "studies" / "other_games.md").read_text(encoding="utf-8")
    curves = read_curves([DOCS / "studies" / "other_games_lines.json"])
    assert made_anew(page, {"lines": lines_table(curves)}) == page
    runs = {(c.game, c.player, c.control): 0 for c in curves}
    assert len(runs) == 8
    assert len(curves) == 24, "three seeds of two games, two players and one control"


def test_a_page_without_its_marks_is_refused():
    with pytest.raises(StudyError, match="expected each of"):
        rewrite(PAGE.replace("<!-- made: controls -->", ""), STUDIES)
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
    return folder


def make_cell(
    folder: Path, *, condition: str = "5", seed: int = 0, games: int = 10, player: str = "ann",
    **config: object,
) -> None:  # fmt: skip
    """Write a cell's summary and games as an experiment does: White loses every second game."""
    relearn = "last-game" if condition == "no-relearn" else "memory"
    alpha = None if condition in ("none", "no-relearn") else float(condition)
    part = {"no-relearn": "norelearn", "none": "anone"}.get(condition, f"a{condition}")
    own = folder / player / f"r4_{part}_s{seed}"
    own.mkdir(parents=True)
    settings = {"records": 4, "alpha": alpha, "relearn": relearn}
    values = {"player": player, "seed": seed, "ga": "10x10", "randomness": "board-seeded",
              "settings": settings, **config}  # fmt: skip
    summary = {
        "config": values, "games": games, "wins_per_group": [3, 2], "all_wins_from_game": 10,
        "losses": games // 2, "plies": 20 * games, "relearn_records": 2 * games, "ann_nodes": games,
        "rank_counts": [5, 4, 3, 2, 1] + [1] * 44, "seconds": {"total": 1.0}, "held_out": {},
        "held": {"last": 1.0, "least": 1.0, "failed": 0}, "variety": 0.2, "agrees": None,
        "win_reasons": {"white": {"five": 5, "full": 0}, "black": {"five": 5}},
        "versions": {"goishi": "0123abc"},
    }  # fmt: skip
    write_json(own / "summary.json", summary)
    lines = [json.dumps({"ann_nodes": number}) for number in range(1, games + 1)]
    (own / "games.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def table_of(docs: Path, name: str) -> str:
    """Return a table as it stands on the page."""
    page = (docs / "studies" / "self_teaching.md").read_text(encoding="utf-8")
    begun = page.index(f"<!-- made: {name} -->")
    return page[begun : page.index("<!-- end -->", begun)]


def make_grid(folder: Path) -> None:
    for condition in ("no-relearn", *MEMORY):
        for seed in (0, 1):
            make_cell(folder, condition=condition, seed=seed)
    make_cell(folder, condition="5", seed=2, games=4)  # on the way


def test_a_new_run_is_taken_in(tmp_path, docs, capsys):
    make_grid(tmp_path / "memory")
    words = ["--docs", str(docs)]
    assert main([*words, "--check"]) == 0
    assert main([*words, "--ann", str(tmp_path / "memory")]) == 0
    row = row_of(table_of(docs, "ann"), "(c) α = 5")
    assert row[1:7] == ["2", "5 (5–5)", "9", "0 of 2", "0.0%", "10"]
    taken = read_json(docs / "studies" / "ann.json")["cells"]
    assert len(taken) == 16
    assert {cell["commit"] for cell in taken} == {"0123abc"}
    pictures = sorted(path.name for path in (docs / "images").iterdir())
    assert pictures == [f"self_teaching_fig{number}.png" for number in ("06", "10", "14")]
    assert main([*words, "--check"]) == 0
    page = docs / "studies" / "self_teaching.md"
    page.write_text(page.read_text(encoding="utf-8").replace("5 (5–5)", "4 (4–4)", 1), "utf-8")
    capsys.readouterr()
    assert main([*words, "--check"]) == 1
    assert "5 (5–5)" in capsys.readouterr().out


@pytest.mark.parametrize("flag", ["--ann", "--memory", "--plus", "--ablation"])
def test_a_run_that_is_none_changes_nothing(tmp_path, docs, capsys, flag):
    (tmp_path / "empty").mkdir()
    before = {path: path.read_bytes() for path in docs.rglob("*") if path.is_file()}
    assert main(["--docs", str(docs), flag, str(tmp_path / "empty")]) == 1
    assert capsys.readouterr().err.startswith("study_tables: ")
    assert {path: path.read_bytes() for path in docs.rglob("*") if path.is_file()} == before


def test_a_cell_that_was_not_run_is_said_to_be_missing(tmp_path, docs):
    make_cell(tmp_path / "memory")
    assert main(["--docs", str(docs), "--ann", str(tmp_path / "memory")]) == 0
    assert row_of(table_of(docs, "ann"), "(d) α = 10")[1] == "not run"


def test_cells_that_are_stored_stay_beside_new_ones(tmp_path, docs):
    before = read_json(docs / "studies" / "ann.json")["cells"]
    make_cell(tmp_path / "more", condition="5", seed=0)
    make_cell(tmp_path / "more", condition="5", seed=77)
    assert main(["--docs", str(docs), "--keep", "--ann", str(tmp_path / "more")]) == 0
    cells = {cell["cell"]: cell for cell in read_json(docs / "studies" / "ann.json")["cells"]
             if cell["randomness"] == "board-seeded"}  # fmt: skip
    stored = [cell for cell in before if cell["randomness"] == "board-seeded"]
    assert set(cells) == {cell["cell"] for cell in stored} | {"ann/r4_a5_s77"}
    assert cells["ann/r4_a5_s0"]["commit"] == "0123abc", "the new one stands for its kind"
    assert not list((docs / "images").iterdir())


def test_the_built_networks_cells_make_its_tables_and_its_curve(tmp_path, docs):
    for condition in ("no-relearn", *MEMORY):
        make_cell(tmp_path / "large", condition=condition, player="cnn-ann")
    make_cell(tmp_path / "small", condition="5", player="cnn-ann")
    folders = ["--built", str(tmp_path / "large"), "--built-published", str(tmp_path / "small")]
    assert main(["--docs", str(docs), *folders]) == 0
    assert row_of(table_of(docs, "built"), "(c) α = 5")[1:4] == ["5 (5)", "not run", "5"]
    assert "| 516, the newest nodes | 4 | 5 (5) |" in table_of(docs, "built_sizes")
    assert [path.name for path in (docs / "images").iterdir()] == ["self_teaching_built_fig06.png"]


def test_a_cell_that_comes_twice_is_refused(tmp_path, docs, capsys):
    for name in ("a", "b"):
        make_cell(tmp_path / name)
    folders = [str(tmp_path / name) for name in ("a", "b")]
    assert main(["--docs", str(docs), "--ann", *folders]) == 1
    assert "expected each cell once, found" in capsys.readouterr().err


def test_another_player_is_no_study_of_plus(tmp_path, docs, capsys):
    make_cell(tmp_path / "other", player="cnn-ann")
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

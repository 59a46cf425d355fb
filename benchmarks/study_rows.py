"""The tables of docs/self_teaching.md as text, each from the studies in docs/studies.

What a table's words claim beside its numbers is held against the numbers by
tests/ai/experiments/test_study_tables.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ai.experiments import paper
from ai.experiments.configuration import CONDITIONS
from ai.experiments.readings import SCREENED_CONDITIONS
from ai.experiments.statistics import mean_interval, wilson

Studies = Mapping[str, Mapping[str, Any]]
Cells = Sequence[Mapping[str, Any]]

MOST_RECORDS: Final = 4
LAST_GROUPS: Final = 20
"""Groups of five games that are the last hundred."""
STRENGTHS: Final = ("10x10", "50x30")
GUARDS: Final = {
    "before training": "before the first training",
    "shuffled weights": "weights shuffled in each layer",
    "pattern": "`pattern`, one ply ahead",
}
AS_IT_IS: Final = "all on"
"""The ablation's first row, which the others are compared with."""


def cells_by_condition(studies: Studies) -> dict[tuple[int, str], list[Mapping[str, Any]]]:
    """Return the paper's grid by (records, condition)."""
    found: dict[tuple[int, str], list[Mapping[str, Any]]] = {}
    for cell in studies["sigmoid"]["cells"]:
        found.setdefault((cell["records"], cell["condition"]), []).append(cell)
    return found


def losses_of(cells: Cells) -> list[int]:
    """Return the lost games of each cell."""
    return [int(cell["losses"]) for cell in cells]


def mean_losses(studies: Studies, records: int, condition: str) -> float:
    """Return the mean over seeds of a condition's lost games."""
    return float(np.mean(losses_of(cells_by_condition(studies)[records, condition])))


def node_share(cells: Cells) -> float:
    """Return the mean over seeds of nodes a record."""
    return float(np.mean([cell["ann_nodes"] / max(1, cell["relearn_records"]) for cell in cells]))


def folded_ranks(studies: Studies) -> tuple[list[float], float]:
    """Return how often each best answer was played in (c), and White's moves a game.

    Returns:
        The first to fifth best and all others, means over seeds; then the moves.
    """
    cells = cells_by_condition(studies)[MOST_RECORDS, "5"]
    counts = np.array([cell["rank_counts"] for cell in cells], np.float64)
    folded = np.concatenate([counts[:, :5], counts[:, 5:].sum(axis=1, keepdims=True)], axis=1)
    moves = folded.sum(axis=1) / [cell["games"] for cell in cells]
    return [float(value) for value in folded.mean(axis=0)], float(moves.mean())


def frozen_share(cells: Cells, strength: str, guard: str | None = None) -> tuple[int, int]:
    """Return wins and games of the frozen player, or of a guard, against a strength."""
    found = [cell["held_out"][strength] for cell in cells]
    counts = [item["guards"][guard] if guard else item for item in found]
    return sum(item["wins"] for item in counts), sum(item["games"] for item in counts)


def claims(studies: Studies) -> str:
    """Return what the paper says beside what came out here.

    Raises:
        ValueError: a condition with four records has no cell.
    """
    by = cells_by_condition(studies)
    missing = [condition for condition in CONDITIONS if (MOST_RECORDS, condition) not in by]
    if missing:
        raise ValueError(f"sigmoid: expected cells of records 4 in every condition, not {missing}")

    def lost(condition: str, records: int = MOST_RECORDS) -> str:
        is_there = (records, condition) in by
        return f"{mean_losses(studies, records, condition):.0f}" if is_there else "not run"

    def with_interval(condition: str) -> str:
        mean, half = mean_interval(losses_of(by[MOST_RECORDS, condition]))
        return f"{mean:.0f} ± {half:.0f}"

    def down(condition: str, first: int) -> str:
        return ", ".join(lost(condition, count) for count in range(first, 0, -1))

    seeds = len(by[MOST_RECORDS, "5"])
    from_games = [cell["all_wins_from_game"] for cell in by[MOST_RECORDS, "5"]]
    ranks, moves = folded_ranks(studies)
    fewer = 1.0 - node_share(by[MOST_RECORDS, "5"])
    rows = (
        ("(a) without relearning the win rate is low", f"{lost('no-relearn')} lost", "yes"),
        ("(b) relearning raises it", f"{lost('none')} lost", "yes"),
        (
            "(c) merging at α = 5 is better than (b)",
            f"{with_interval('5')} lost, (b) {with_interval('none')}; with 3, 2, 1 records "
            f"(c) {down('5', 3)}, (b) {down('none', 3)}",
            "no: within the spread of seeds",
        ),
        (
            "(c) wins every game from about 525 on",
            f"from game {min(from_games)} to {max(from_games)}, in each of {seeds} seeds",
            "yes, earlier",
        ),
        (
            "α = 5 is the best distance",
            f"{with_interval('5')} lost; {with_interval('10')} at 10, {with_interval('15')} at 15",
            "no: 10 and 15 do as well",
        ),
        (
            "a larger α hinders, 25 and 30 most",
            f"{lost('20')} lost at 20, {lost('25')} at 25, but {lost('30')} at 30",
            "in part",
        ),
        (
            "(h), α = 30, is below (a)",
            f"{lost('30')} lost against {lost('no-relearn')}",
            "no",
        ),
        (
            "fewer records, fewer wins",
            f"lost with 4, 3, 2, 1 records: (c) {down('5', 4)}; (b) {down('none', 4)}",
            "in (c) with 2 and 1, not in (b)",
        ),
        (
            "nodes fall with α, by 12 % at α = 5",
            f"by {fewer:.0%} at 5; {node_share(by[MOST_RECORDS, '25']):.0%} are left at 25, "
            f"{node_share(by[MOST_RECORDS, '30']):.0%} at 30",
            "yes, by more",
        ),
        (
            "answers by rank: " + " / ".join(str(count) for count in paper.RANK_COUNTS)
            + f" (the last: all others), {paper.WHITE_MOVES_A_GAME:.1f} White moves a game",
            " / ".join(f"{count:.0f}" for count in ranks) + f", {moves:.1f} White moves a game",
            "the order of the first five only: our games are shorter",
        ),
    )  # fmt: skip
    heads = ("the paper says", f"here: games lost of 600, mean of {seeds} seeds", "reproduces")
    return _table(heads, rows)


def conditions(studies: Studies) -> str:
    """Return the paper's conditions with four records: losses, first game of all wins, nodes."""
    by = cells_by_condition(studies)
    rows = []
    for condition in CONDITIONS:
        cells = by.get((MOST_RECORDS, condition), [])
        if not cells:
            continue
        lost = losses_of(cells)
        spread = f"{np.mean(lost):.0f} ({min(lost)}–{max(lost)})"
        nodes = ("–", "–", "–")
        if condition in paper.ANN_NODES:
            ends = np.mean([cell["ann_nodes"] for cell in cells])
            nodes = (
                f"{node_share(cells):.3f}",
                f"{paper.node_share(condition):.3f}",
                f"{ends:.0f} ({paper.ANN_NODES[condition]})",
            )
        rows.append((_title(condition), str(len(cells)), spread, _all_won(cells), *nodes))
    heads = (
        "condition", "seeds", "losses of 600, mean (range)", "all won from game, median",
        "nodes a record", "paper's nodes, as a share", "nodes at the end, mean (paper)",
    )  # fmt: skip
    return _table(heads, rows)


def records(studies: Studies) -> str:
    """Return the mean losses by records walked back and condition."""
    by = cells_by_condition(studies)
    rows = []
    for count in sorted({count for count, _ in by}, reverse=True):
        own = {condition: by.get((count, condition), []) for condition in CONDITIONS}
        means = [f"{np.mean(losses_of(cells)):.0f}" if cells else "not run"
                 for cells in own.values()]  # fmt: skip
        rows.append((str(count), *means, _seeds(own)))
    return _table(("records", *(_title(condition) for condition in CONDITIONS), "seeds"), rows)


def readings(studies: Studies) -> str:
    """Return the mean losses of each reading of the paper."""
    rows = []
    for reading in studies["readings"]["readings"]:
        own = {
            condition: [cell for cell in reading["cells"] if cell["condition"] == condition]
            for condition in SCREENED_CONDITIONS
        }
        if all(own.values()):
            means = [f"{np.mean(losses_of(cells)):.0f}" for cells in own.values()]
            rows.append((f"`{reading['name']}`", reading["question"], *means, _seeds(own)))
    letters = [f"({paper.LETTERS[condition]})" for condition in SCREENED_CONDITIONS]
    return _table(("reading", "what it changes", *letters, "seeds"), rows)


def plus(studies: Studies) -> str:
    """Return how cnn-ann-plus learns and how its frozen player fares."""
    rows = []
    for label, cells in studies["plus"].items():
        lost = losses_of(cells)
        mean, half = mean_interval(lost)
        last = np.mean([sum(cell["wins_per_group"][-LAST_GROUPS:]) for cell in cells])
        ends = ", ".join(str(last_loss(cell)) for cell in cells)
        frozen = [_frozen(cells, strength) for strength in STRENGTHS]
        rows.append((label, _list(lost), f"{mean:.1f} ± {half:.1f}", f"{last:.1f}", ends, *frozen))
    heads = (
        "opponent while learning", "losses of 600 by seed", "mean ± 95 %",
        "wins in the last 100, mean", "last loss (game), by seed",
        *(f"frozen against {strength}" for strength in STRENGTHS),
    )  # fmt: skip
    return _table(heads, rows)


def guards(studies: Studies) -> str:
    """Return how players fare that are not the trained net."""
    cells = [cell for cells in studies["plus"].values() for cell in cells]
    rows = [
        (text, *(_percent(*frozen_share(cells, strength, name)) for strength in STRENGTHS))
        for name, text in GUARDS.items()
    ]
    return _table(("guard", *(f"against {strength}" for strength in STRENGTHS)), rows)


def ablation(studies: Studies) -> str:
    """Return what each improvement of cnn-ann-plus changes, seed by seed."""
    whole = next(row for row in studies["ablation"]["rows"] if row["name"] == AS_IT_IS)
    rows = []
    for row in studies["ablation"]["rows"]:
        is_whole = row is whole
        name = "the player as it is" if is_whole else row["name"]
        lost = f"{row['losses_mean']} ± {row['losses_half_width']}"
        more = "–" if is_whole else "{:.1f} ± {:.1f}".format(*difference(row, whole))
        more = more.replace("-", "\N{MINUS SIGN}")
        last = f"{np.mean(row['wins_of_last_100']):.1f}"
        rows.append((name, _list(row["losses"]), lost, more, last))
    heads = (
        "variant", "losses of 300 by seed", "mean ± 95 %", "more than the player as it is, "
        "seed by seed ± 95 %", "wins in the last 100, mean",
    )  # fmt: skip
    return _table(heads, rows)


def difference(row: Mapping[str, Any], whole: Mapping[str, Any]) -> tuple[float, float]:
    """Return mean and half width of how many more games a variant lost, seed by seed."""
    pairs = zip(row["losses"], whole["losses"], strict=True)
    return mean_interval([float(mine - its) for mine, its in pairs])


def tried(studies: Studies) -> str:
    """Return single trials, some of them by code that is no more."""
    rows = []
    for row in studies["tried"]["rows"]:
        mean = f"{np.mean(row['losses']):.1f}"
        games = f"{_list(row['losses'])} of {row['games']}"
        rows.append((row["name"], row["against"], games, mean, _flags(row["flags"])))
    return _table(("player", "against", "losses by seed", "mean", "flags"), rows)


def _flags(flags: str | None) -> str:
    if flags is None:
        return "not kept"
    return f"`{flags}`" if flags else "none"


TABLES: Final[Mapping[str, Callable[[Studies], str]]] = {
    "claims": claims,
    "conditions": conditions,
    "records": records,
    "readings": readings,
    "plus": plus,
    "guards": guards,
    "ablation": ablation,
    "tried": tried,
}
"""By the name that stands in the page's marks."""


def last_loss(cell: Mapping[str, Any]) -> int:
    """Return the number of the last game that was lost."""
    first = cell["all_wins_from_game"]
    return int(cell["games"] if first is None else first - 1)


def _all_won(cells: Cells) -> str:
    found = [cell["all_wins_from_game"] for cell in cells]
    known = [game for game in found if game is not None]
    if not known:
        return "never"
    some = f" ({len(known)} of {len(found)} seeds)" if len(known) < len(found) else ""
    return f"{np.median(known):.0f}{some}"


def _frozen(cells: Cells, strength: str) -> str:
    wins, games = frozen_share(cells, strength)
    low, high = wilson(wins, games)
    seeds = [100.0 * item["wins"] / item["games"]
             for item in (cell["held_out"][strength] for cell in cells)]  # fmt: skip
    return (
        f"{_percent(wins, games)} ({low:.1%}–{high:.1%} of {games}; "
        f"seeds {min(seeds):.1f}–{max(seeds):.1f})"
    )


def _seeds(own: Mapping[str, Cells]) -> str:
    """Return the number of seeds of a row, and which conditions have others."""
    counts = {condition: len(cells) for condition, cells in own.items()}
    most = max(counts.values())
    others = [
        f"({paper.LETTERS[condition]}) {count}"
        for condition, count in counts.items()
        if count != most
    ]
    return ", ".join((str(most), *others))


def _title(condition: str) -> str:
    names = {"no-relearn": "no relearning", "none": "no merging"}
    return f"({paper.LETTERS[condition]}) {names.get(condition, f'α = {condition}')}"


def _list(values: Iterable[int]) -> str:
    return ", ".join(str(value) for value in values)


def _percent(wins: int, games: int) -> str:
    return f"{wins / games:.1%}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return text.replace("| " + " | ".join(lines[1]) + " |", "|" + "---|" * len(heads))

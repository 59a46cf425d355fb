"""The tables of docs/studies/self_teaching.md as text, each from the studies beside it.

What a table's words claim beside its numbers is held against the numbers by
tests/ai/experiments/test_study_tables.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ai.experiments.configuration import CONDITIONS
from ai.experiments.figures import ANN_NODES, LETTERS, RANK_COUNTS, WHITE_MOVES_A_GAME
from ai.runs.statistics import mean_interval, wilson
from benchmarks.console import table

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
SEEDED: Final = "board-seeded"
FRESH: Final = "fresh"
NO_CONTROL: Final = "none"
CONTROL_WORDS: Final = {
    NO_CONTROL: "as it is",
    "random-labels": "labels drawn at random, once for each record",
    "shuffled-labels": "labels shuffled among the nodes, after each loss",
    "one-order": "one order of points, by label frequency",
    "new-order": "an order drawn anew after each loss",
    "untrained": "weights drawn anew, not trained",
}
MISSING: Final = "not run"


def select(
    studies: Studies,
    study: str,
    *,
    condition: str | None = None,
    records: int = MOST_RECORDS,
    randomness: str = SEEDED,
    control: str = NO_CONTROL,
) -> list[Mapping[str, Any]]:
    """Return the cells of a study that fit; of older studies, which have no control, too."""
    return [
        cell
        for cell in studies[study]["cells"]
        if cell["records"] == records
        and (condition is None or cell["condition"] == condition)
        and cell.get("randomness", SEEDED) == randomness
        and cell.get("control", NO_CONTROL) == control
    ]


def losses_of(cells: Cells) -> list[int]:
    """Return the lost games of each cell."""
    return [int(cell["losses"]) for cell in cells]


def mean_losses(cells: Cells) -> float:
    """Return the mean over cells of the lost games."""
    return float(np.mean(losses_of(cells)))


def node_share(cells: Cells) -> float:
    """Return the mean over cells of nodes a record."""
    return float(np.mean([cell["ann_nodes"] / max(1, cell["relearn_records"]) for cell in cells]))


def folded_ranks(cells: Cells) -> tuple[list[float], float]:
    """Return the shares of the first to fifth best answers and all others, and moves a game."""
    counts = np.array([cell["rank_counts"] for cell in cells], np.float64)
    folded = np.concatenate([counts[:, :5], counts[:, 5:].sum(axis=1, keepdims=True)], axis=1)
    totals = folded.sum(axis=1)
    shares = folded / totals[:, None]
    moves = totals / [cell["games"] for cell in cells]
    return [float(value) for value in shares.mean(axis=0)], float(moves.mean())


def frozen_share(cells: Cells, strength: str, guard: str | None = None) -> tuple[int, int]:
    """Return wins and games of the frozen player, or of a guard, against a strength."""
    found = [cell["held_out"][strength] for cell in cells if cell.get("held_out")]
    counts = [item["guards"][guard] if guard else item for item in found]
    return sum(item["wins"] for item in counts), sum(item["games"] for item in counts)


def won_all_of_the_last_hundred(cells: Cells) -> int:
    """Return how many cells won every one of their last hundred games."""
    return sum(sum(cell["wins_per_group"][-LAST_GROUPS:]) == 5 * LAST_GROUPS for cell in cells)


def full_boards(cells: Cells) -> tuple[int, int]:
    """Return how many of White's wins were full boards, and how many wins there were."""
    won = [cell["win_reasons"]["white"] for cell in cells]
    return sum(item["full"] for item in won), max(1, sum(sum(item.values()) for item in won))


def losses_within(cell: Mapping[str, Any], games: int) -> int:
    """Return how many of the first games a cell lost, a multiple of five."""
    return games - int(sum(cell["wins_per_group"][: games // 5]))


def ann(studies: Studies) -> str:
    """Return the paper's conditions, four records, played by the memory alone."""
    return _conditions(studies, "ann")


def network(studies: Studies) -> str:
    """Return the paper's conditions, four records, played by the paper's network."""
    return _conditions(studies, "cnn_ann")


def _conditions(studies: Studies, study: str) -> str:
    """Return losses, last losses, nodes and frozen wins by condition and Black."""
    rows = []
    for condition in CONDITIONS:
        own = select(studies, study, condition=condition)
        fresh = select(studies, study, condition=condition, randomness=FRESH)
        lost = losses_of(own)
        ends = [last_loss(cell) for cell in own]
        nodes = ("–", "–")
        if condition in ANN_NODES and own:
            mean = np.mean([cell["ann_nodes"] for cell in own])
            nodes = (f"{mean:.0f}", str(ANN_NODES[condition]))
        won_all = f"{won_all_of_the_last_hundred(own)} of {len(own)}"
        row = {
            "condition": _title(condition),
            "seeds": str(len(own)) if own else MISSING,
            "losses of 600, mean (range)": _spread(lost) if own else "",
            "last loss, median": f"{np.median(ends):.0f}" if own else "",
            "runs that won all of the last 100": won_all if own else "",
            "of its wins by a full board": _percent(*full_boards(own)) if own else "",
            "nodes": nodes[0],
            "paper's nodes": nodes[1],
            "held, last (least)": _held(own),
            "frozen, won against fresh dice": _plain_share(own, "10x10"),
            "losses of 600, learning against fresh dice (seeds)": (
                f"{mean_losses(fresh):.0f} ({len(fresh)})" if fresh else MISSING
            ),
        }
        rows.append(row)
    return _table_of(rows)


def built(studies: Studies) -> str:
    """Return the paper's conditions, played by the network whose weights are the nodes."""
    rows = []
    for condition in CONDITIONS:
        own, drawn, fresh, fresh_drawn = (
            select(studies, "built", condition=condition, randomness=randomness, control=control)
            for randomness in (SEEDED, FRESH)
            for control in (NO_CONTROL, "random-labels")
        )
        last = [sum(cell["wins_per_group"][-LAST_GROUPS:]) for cell in own]
        mean = f"{np.mean([cell['ann_nodes'] for cell in own]):.0f}" if own else MISSING
        row = {
            "condition": _title(condition),
            "losses of 600, mean (by seed)": _means(own),
            "with labels drawn at random": _means(drawn),
            "won of the last 100, by seed": _list(last) or MISSING,
            "nodes": mean if condition in ANN_NODES else "–",
            "paper's nodes": str(ANN_NODES.get(condition, "–")),
            "held, last (least)": _held(own),
            "against fresh dice": _means(fresh),
            "… with labels drawn at random": _means(fresh_drawn),
        }
        rows.append(row)
    return _table_of(rows)


def built_sizes(studies: Studies) -> str:
    """Return the built network at α = 5 by its size and by the records walked back."""
    rows = []
    for study, units in (("built", "1,600"), ("built_published", "516, the newest nodes")):
        for count in range(MOST_RECORDS, 0, -1):
            own, drawn = (
                select(studies, study, condition="5", records=count, control=control)
                for control in (NO_CONTROL, "random-labels")
            )
            if own:
                row = {
                    "neurons of the last hidden layer": units,
                    "records": str(count),
                    "losses of 600, mean (by seed)": _means(own),
                    "with labels drawn at random": _means(drawn),
                    "won of the last 100, by seed": _list(
                        sum(cell["wins_per_group"][-LAST_GROUPS:]) for cell in own
                    ),
                    "nodes": f"{np.mean([cell['ann_nodes'] for cell in own]):.0f}",
                    "held, last (least)": _held(own),
                }
                rows.append(row)
    return _table_of(rows)


def built_tried(studies: Studies) -> str:
    """Return what was tried with the built network on seeds that no other table reports."""
    rows = []
    for row in studies["built_tried"]["rows"]:
        lost = row["losses"]
        mean, half = mean_interval([float(value) for value in lost])
        agrees = [value for value in row["agrees"] if value is not None]
        row = {
            "variant": row["name"],
            "seeds": f"{row['seeds'][0]}–{row['seeds'][-1]}",
            "losses of 600, by seed": _list(lost),
            "mean ± 95 %": f"{mean:.0f} ± {half:.0f}",
            "won of the last 100, by seed": _list(row["wins_of_last_100"]),
            "held at the end, mean": f"{np.mean(row['held']):.2f}",
            "agrees": f"{np.mean(agrees):.2f}" if agrees else "–",
        }
        rows.append(row)
    return _table_of(rows)


def _means(cells: Cells) -> str:
    """Return mean and single losses of cells."""
    return f"{mean_losses(cells):.0f} ({_list(losses_of(cells))})" if cells else MISSING


def controls(studies: Studies) -> str:
    """Return what does as well without learning what the board says."""
    rows = []
    for study, title in (("ann", "`ann`"), ("cnn_ann", "`cnn-ann`"), ("kept", "`cnn-ann`, kept")):
        for control, words in CONTROL_WORDS.items():
            own = {
                condition: select(studies, study, condition=condition, control=control)
                for condition in ("none", "5", "25")
            }
            if any(own.values()):
                rows.append((title, words, *(_means(found) for found in own.values())))
    heads = ("player", "in place of learning", "(b) no merging", "(c) α = 5", "(g) α = 25")
    return table(heads, rows)


def kept(studies: Studies) -> str:
    """Return the networks that keep their own answers, with Black's stones and drawn labels."""
    rows = []
    for condition in CONDITIONS:
        for control in (NO_CONTROL, "random-labels"):
            own = select(studies, "kept", condition=condition, control=control)
            if own:
                last = (sum(cell["wins_per_group"][-LAST_GROUPS:]) for cell in own)
                row = {
                    "condition": _title(condition),
                    "labels": CONTROL_WORDS[control],
                    "losses of 600 by seed": _list(losses_of(own)),
                    "won of the last 100": _list(last),
                    "frozen, won of 100 against 10x10 with fresh dice": _each(own, STRENGTHS[0]),
                    "against 50x30": _each(own, STRENGTHS[1]),
                    "its weights shuffled, against 10x10": _each(own, "10x10", "shuffled weights"),
                }
                rows.append(row)
    return _table_of(rows)


def fingerprints(studies: Studies) -> str:
    """Return how often the n-th best answer was played, and how long games last."""
    stated = [count / sum(RANK_COUNTS) for count in RANK_COUNTS]
    moves_stated = f"{WHITE_MOVES_A_GAME:.1f}"
    rows = [("the paper", *(f"{share:.2f}" for share in stated), moves_stated, "≥ 219")]
    for title, study, control in (
        ("`ann`", "ann", NO_CONTROL),
        ("`ann`, width 2", "width", NO_CONTROL),
        ("`cnn-ann`: holds its nodes", "cnn_ann", NO_CONTROL),
        ("`cnn-ann`, built", "built", NO_CONTROL),
        ("`cnn-ann`, kept answers", "kept", NO_CONTROL),
        ("a dead network", "dead", NO_CONTROL),
        ("never trained", "cnn_ann", "untrained"),
    ):
        cells = select(studies, study, condition="5", control=control)
        if cells:
            ranks, moves = folded_ranks(cells)
            shares = [f"{share:.2f}" for share in ranks]
            rows.append((title, *shares, f"{moves:.1f}", f"{mean_losses(cells):.0f}"))
    places = ("1st", "2nd", "3rd", "4th", "5th", "others")
    return table(("at α = 5", *places, "White moves a game", "lost of 600"), rows)


def records(studies: Studies) -> str:
    """Return the mean losses of the memory alone by records walked back and condition."""
    rows = []
    for count in range(MOST_RECORDS, 0, -1):
        own = {item: select(studies, "ann", condition=item, records=count) for item in CONDITIONS}
        if any(own.values()):
            means = [f"{mean_losses(cells):.0f}" if cells else MISSING for cells in own.values()]
            rows.append((str(count), *means, _seeds(own)))
    return table(("records", *(_title(condition) for condition in CONDITIONS), "seeds"), rows)


def kernels(studies: Studies) -> str:
    """Return the memory alone by its distance and the width of its kernel."""
    rows = []
    for row in studies["kernels"]["rows"]:
        means = [
            f"{row['losses'][condition]:.0f} / {row['nodes'][condition]:.0f}"
            if condition in row["losses"]
            else MISSING
            for condition in CONDITIONS[1:]
        ]
        rows.append((row["name"], *means, str(row["seeds"])))
    heads = ("kernel of f1, width", *(_title(condition) for condition in CONDITIONS[1:]), "seeds")
    return table(heads, rows)


def dice(studies: Studies) -> str:
    """Return the memory alone by the share of Black's moves that are drawn anew."""
    rows = [
        (row["share"], _list(row["losses"]), f"{np.mean(row['losses']):.0f}")
        for row in studies["dice"]["rows"]
    ]
    return table(("Black's moves with fresh dice", "lost of 600, by seed", "mean"), rows)


def readings(studies: Studies) -> str:
    """Return the mean losses of each reading of the paper, and whether it holds its memory."""
    screened = studies["readings"]["conditions"]
    alone: dict[str, Cells] = {}
    for condition in screened:
        cells = select(studies, "ann", condition=condition)
        alone[condition] = [cell for cell in cells if cell["games"] >= SCREENED]
    kept_least = [cell["held"]["last"] for found in alone.values() for cell in found]
    least = min((held for held in kept_least if held is not None), default=None)
    means = [
        f"{np.mean([losses_within(cell, SCREENED) for cell in found]):.0f}" if found else MISSING
        for found in alone.values()
    ]
    words = "no network: the memory alone, its first 200 games"
    held = "–" if least is None else f"{least:.2f}"
    rows = [("`ann`", words, *means, held, "–", "–", _seeds(alone))]
    for reading in studies["readings"]["readings"]:
        own = {
            condition: [cell for cell in reading["cells"] if cell["condition"] == condition]
            for condition in screened
        }
        if any(own.values()):
            cells = [cell for found in own.values() for cell in found]
            means = [f"{mean_losses(found):.0f}" if found else MISSING for found in own.values()]
            least = min(cell["held"]["last"] for cell in cells)
            held = f"{least:.2f}" if least >= HOLDS else f"{least:.2f}: does not hold"
            about = (held, _agrees(own), f"{folded_ranks(cells)[1]:.1f}", _seeds(own))
            rows.append((f"`{reading['name']}`", reading["question"], *means, *about))
    letters = [f"({LETTERS[condition]})" for condition in screened]
    last = ("held at the end, least", "agrees", "White moves a game", "seeds")
    return table(("reading", "what it changes", *letters, *last), rows)


SCREENED: Final = 200
"""Games of each reading."""
HOLDS: Final = 0.95
"""A reading whose network holds less of its memory at the end of a run does not hold."""


def black(studies: Studies) -> str:
    """Return how long games last against a White that plays an order drawn for each game."""
    rows = [
        (row["fitness"], row["ga"], f"{row['moves']:.1f}", f"{row['lost']:.0%}")
        for row in studies["black"]["rows"]
    ]
    return table(("fitness", "population x generations", "White moves a game", "lost"), rows)


def plus(studies: Studies) -> str:
    """Return how cnn-ann-plus learns and how its frozen player fares."""
    rows = []
    for label, cells in studies["plus"].items():
        lost = losses_of(cells)
        mean, half = mean_interval(lost)
        last = np.mean([sum(cell["wins_per_group"][-LAST_GROUPS:]) for cell in cells])
        row = {
            "opponent while learning": label,
            "losses of 600 by seed": _list(lost),
            "mean ± 95 %": f"{mean:.1f} ± {half:.1f}",
            "wins in the last 100, mean": f"{last:.1f}",
            "last loss (game), by seed": _list(last_loss(cell) for cell in cells),
            "held, last (least)": _held(cells),
            **{f"frozen against {strength}": _frozen(cells, strength) for strength in STRENGTHS},
        }
        rows.append(row)
    return _table_of(rows)


def guards(studies: Studies) -> str:
    """Return how players fare that are not the trained net."""
    cells = [cell for cells in studies["plus"].values() for cell in cells if cell.get("held_out")]
    rows = [
        (text, *(_percent(*frozen_share(cells, strength, name)) for strength in STRENGTHS))
        for name, text in GUARDS.items()
    ]
    return table(("guard", *(f"against {strength}" for strength in STRENGTHS)), rows)


def ablation(studies: Studies) -> str:
    """Return what each improvement of cnn-ann-plus changes, seed by seed."""
    whole = next(row for row in studies["ablation"]["rows"] if row["name"] == AS_IT_IS)
    rows = []
    for row in studies["ablation"]["rows"]:
        is_whole = row is whole
        more = "–" if is_whole else "{:.1f} ± {:.1f}".format(*difference(row, whole))
        more = more.replace("-", "\N{MINUS SIGN}")
        row = {
            "variant": "the player as it was" if is_whole else row["name"],
            "losses of 300 by seed": _list(row["losses"]),
            "mean ± 95 %": f"{row['losses_mean']} ± {row['losses_half_width']}",
            "more than the player as it was, seed by seed ± 95 %": more,
            "wins in the last 100, mean": f"{np.mean(row['wins_of_last_100']):.1f}",
        }
        rows.append(row)
    return _table_of(rows)


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
    return table(("player", "against", "losses by seed", "mean", "flags"), rows)


def _flags(flags: str | None) -> str:
    if flags is None:
        return "not kept"
    return f"`{flags}`" if flags else "none"


TABLES: Final[Mapping[str, Callable[[Studies], str]]] = {
    "ann": ann,
    "network": network,
    "built": built,
    "built_sizes": built_sizes,
    "built_tried": built_tried,
    "controls": controls,
    "fingerprints": fingerprints,
    "records": records,
    "kernels": kernels,
    "dice": dice,
    "kept": kept,
    "readings": readings,
    "black": black,
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


def _held(cells: Cells) -> str:
    """Return the share of the memory held after the last trainings, and after the worst."""
    known = [cell["held"] for cell in cells if cell.get("held", {}).get("last") is not None]
    if not known:
        return "–"
    last = np.mean([held["last"] for held in known])
    return f"{last:.2f} ({min(held['least'] for held in known):.2f})"


def _plain_share(cells: Cells, strength: str) -> str:
    wins, games = frozen_share(cells, strength)
    return _percent(wins, games) if games else MISSING


def _frozen(cells: Cells, strength: str) -> str:
    wins, games = frozen_share(cells, strength)
    if not games:
        return MISSING
    low, high = wilson(wins, games)
    seeds = [
        100.0 * item["wins"] / item["games"]
        for item in (cell["held_out"][strength] for cell in cells)
    ]
    return (
        f"{_percent(wins, games)} ({low:.1%}–{high:.1%} of {games}; "
        f"seeds {min(seeds):.1f}–{max(seeds):.1f})"
    )


def _each(cells: Cells, strength: str, guard: str | None = None) -> str:
    """Return the frozen wins of each cell that has some."""
    held = [cell for cell in cells if cell.get("held_out")]
    return _list(frozen_share([cell], strength, guard)[0] for cell in held) or MISSING


def _agrees(own: Mapping[str, Cells]) -> str:
    """Return by condition in how many positions network and memory answer alike."""
    known = {
        condition: [cell["agrees"] for cell in cells if cell["agrees"] is not None]
        for condition, cells in own.items()
    }
    words = [
        f"({LETTERS[condition]}) {np.mean(found):.2f}"
        for condition, found in known.items()
        if found
    ]
    return ", ".join(words) or "–"


def _spread(values: Sequence[int]) -> str:
    """Return the mean, and the range of several."""
    mean = f"{np.mean(values):.0f}"
    return f"{mean} ({min(values)}–{max(values)})" if len(values) > 1 else mean


def _seeds(own: Mapping[str, Cells]) -> str:
    """Return the number of seeds of a row, by condition where they differ."""
    counts = {condition: len(cells) for condition, cells in own.items()}
    if len(set(counts.values())) == 1:
        return str(max(counts.values()))
    words = [f"({LETTERS[condition]}) {count}" for condition, count in counts.items() if count]
    return ", ".join(words)


def _title(condition: str) -> str:
    names = {"no-relearn": "no relearning", "none": "no merging"}
    return f"({LETTERS[condition]}) {names.get(condition, f'α = {condition}')}"


def _list(values: Iterable[int]) -> str:
    return ", ".join(str(value) for value in values)


def _percent(wins: int, games: int) -> str:
    return f"{wins / games:.1%}"


def _table_of(rows: Sequence[Mapping[str, str]]) -> str:
    """Return a table of rows whose cells are named by the heads."""
    return table(list(rows[0]), [list(row.values()) for row in rows])

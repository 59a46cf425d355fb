"""What the memory costs as it grows: recall, add, query and memory of its indexes, on one thread.

    python -m benchmarks.memory_index --out runs/memory_index
    python -m benchmarks.memory_index --points 49 --most 200 --queries 20 --out DIR    a trial
    python -m benchmarks.memory_index --only-draw    the page's table and chart from docs/studies

Nodes are the positions in which White is to move, and their eight symmetries, in games of `pattern`
against itself on 7x7 and 15x15. In each game a move is drawn at random with a chance of 10, 25 or
50 %. Each position is there once, as a memory without merging would hold it after many games.
Queries are positions of other games. They are not mirrored, and those that the memory holds too are
not left out: the table counts them, and gives the recall of the others beside that of all.

A query is a hit if the node found is as near as the nearest one; several may be equally near. The
reference is a comparison with every node. `add` is the mean over the last tenth of the nodes, and
`query` the mean of all queries, in processor time. `memory` is what the process grew by: vectors,
stones, labels and index. Each index has a process of its own. The second table says what a memory
of that size costs the learner `ann`, which remembers a lost game, and its player, which answers.

Writes OUT/rows.jsonl; an index that is finished is not measured again. The exit code is 0 if at the
largest size hnsw took at most 1 ms a query and found at least 99 %.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

import matplotlib as mpl
import numpy as np
import psutil  # type: ignore[import-untyped]
from numpy.typing import NDArray

from ai import WHITE, Board, GameRecord, Limit, Player, Rules, create_player
from ai.learning.ann import AnnLearner
from ai.memory import AUTO, EXACT, HNSW, SituationMemory
from ai.nets.features import StateEncoder, learner_stones
from ai.players.ann import AnnPlayer
from ai.runs.statistics import wilson
from base.files import SHIPPED_ROOT
from base.storage.json_file import LinesFile, read_json, read_lines, write_table
from benchmarks.console import machine, parser_of, table, verdict
from benchmarks.study_tables import made_anew

Stones = NDArray[np.int8]
Vectors = NDArray[np.float32]

SIDES: Final[Mapping[int, int]] = {49: 7, 225: 15}
"""Sides of the boards by their points, which are the numbers of a vector."""
SIZES: Final = (*(step * 10**power for power in (3, 4, 5) for step in (1, 2, 5)), 10**6)
TABLED: Final = (10**3, 10**4, 10**5, 10**6)
WANDERING: Final = (0.1, 0.25, 0.5)
"""Chances of a random move, one drawn for each game."""
NODE_GAMES, QUERY_GAMES, CHOICE = range(11, 14)
SPREAD: Final = 80
"""Positions of other games for each one that becomes a query."""
CHUNK: Final = 4096
ROWS: Final = "rows.jsonl"
SLOW_QUERIES: Final = 60
"""Queries that are timed where each is compared with every node."""
MOST_OF_LEARNER: Final = 10**8
"""Numbers in the memory up to which the learner is measured; its copies take several GB more."""
MOST_SECONDS, LEAST_RECALL = 1e-3, 0.99
STORED: Final = SHIPPED_ROOT / "docs" / "studies" / "memory_size.json"
PAGE: Final = SHIPPED_ROOT / "docs" / "studies" / "memory_size.md"
CHART: Final = SHIPPED_ROOT / "docs" / "images" / "memory_size.png"
MIB: Final = 2.0**20


@dataclass(frozen=True)
class Situations:
    """Positions and the move that White made in each."""

    stones: Stones
    moves: NDArray[np.int64]


@dataclass(frozen=True)
class Cell:
    """One index that is measured while it grows."""

    points: int
    index: str
    sizes: tuple[int, ...]
    most: int
    queries: int
    out: Path


# -- the situations ------------------------------------------------------------------------------


def play_game(rules: Rules, player: Player, rng: np.random.Generator) -> list[tuple[Stones, int]]:
    """Play a game of a player against itself; return White's positions and moves."""
    board, share, found = Board(rules), rng.choice(WANDERING), []
    while board.outcome() is None:
        if rng.random() < share:
            move = int(rng.choice(np.flatnonzero(np.array(board.stones) == 0)))
        else:
            move = player.choose(board, Limit(), rng).move
        if board.to_move == WHITE:
            found.append((learner_stones(board, WHITE), move))
        board.push(move)
    return found


def situations(rules: Rules, count: int, stream: int, *, mirrored: bool = True) -> Situations:
    """Return different positions in the order in which they came up.

    Args:
        rules: rules of the games.
        count: number of positions.
        stream: seed of the games.
        mirrored: whether the symmetries of each position follow it.
    """
    player, rng = create_player("pattern", rules), np.random.default_rng(stream)
    images = rules.symmetries() if mirrored else rules.symmetries()[:1]
    backwards = np.argsort(images, axis=1)
    stones, moves = np.zeros((count, rules.points), np.int8), np.zeros(count, np.int64)
    seen: set[bytes] = set()
    while True:
        for position, move in play_game(rules, player, rng):
            for image, back in zip(images, backwards, strict=True):
                turned = position[image]
                key = turned.tobytes()
                if key in seen:
                    continue
                stones[len(seen)], moves[len(seen)] = turned, back[move]
                seen.add(key)
                if len(seen) == count:
                    return Situations(stones, moves)


def drawn(rules: Rules, cell: Cell) -> tuple[Situations, Stones]:
    """Return nodes and queries of a cell, kept in its folder once they were drawn."""
    file = cell.out / f"situations_{cell.points}_{cell.most}_{cell.queries}.npz"
    if not file.exists():
        nodes = situations(rules, cell.most, NODE_GAMES)
        others = situations(rules, SPREAD * cell.queries, QUERY_GAMES, mirrored=False)
        chosen = np.random.default_rng(CHOICE).choice(len(others.moves), cell.queries, False)
        half = file.with_suffix(".part.npz")
        np.savez(half, stones=nodes.stones, moves=nodes.moves, queries=others.stones[chosen])
        half.replace(file)
    with np.load(file) as kept:
        return Situations(kept["stones"], kept["moves"]), kept["queries"]


# -- what is measured ----------------------------------------------------------------------------


def measure_cell(cell: Cell) -> None:
    """Fill a memory and append a row at each size; run in a process of its own."""
    with closing(LinesFile(cell.out / ROWS)) as lines:
        for row in measured(cell):
            lines.append(row)


def measured(cell: Cell) -> Iterator[dict[str, Any]]:
    """Fill a memory and yield a row at each size, the last one twice: then with the learner."""
    rules = Rules(SIDES[cell.points], 5)
    nodes, queries = drawn(rules, cell)
    encoder, process = StateEncoder(rules.size), psutil.Process()
    vectors = encoder.vectors(queries)
    memory = SituationMemory(cell.points, alpha=None, index=cell.index)
    warm_up(memory, vectors[0])
    nearest, begun = np.full(len(queries), np.inf), 0
    before, row = process.memory_info().rss, {}
    for size in cell.sizes:
        seconds = fill(memory, encoder, nodes, begun, size)
        grown = process.memory_info().rss - before
        nearest = np.minimum(nearest, nearest_distances(encoder, nodes.stones[begun:size], vectors))
        begun, row = size, {
            "points": cell.points, "index": cell.index, "nodes": size, "add_us": seconds * 1e6,
            "memory_mib": grown / MIB, **searched(memory, vectors, nearest, cell.index),
        }  # fmt: skip
        yield row
    is_small = len(memory) * cell.points <= MOST_OF_LEARNER
    if cell.index != EXACT and is_small:  # last, as its remains would count as the memory's
        yield row | learner_row(rules, memory)


def warm_up(memory: SituationMemory, vector: Vectors) -> None:
    """Load what a first search loads, so that it is not counted."""
    label = np.eye(len(vector), dtype=np.float32)[0]
    memory.combine(vector, label, np.zeros(len(vector), np.int8))
    memory.nearest(vector)
    memory.clear()


def fill(
    memory: SituationMemory, encoder: StateEncoder, nodes: Situations, begun: int, end: int
) -> float:
    """Add the nodes from `begun` to `end`; return seconds for each of the last tenth of them all.

    Args:
        memory: the memory.
        encoder: computes the state vectors.
        nodes: all nodes.
        begun: number of the first one that is added.
        end: number behind the last one.
    """
    timed_from, taken = max(begun, end - end // 10), 0.0
    labels = np.eye(encoder.points, dtype=np.float32)
    for first in range(begun, end, CHUNK):
        stones = nodes.stones[first : min(first + CHUNK, end)]
        for number, vector in enumerate(encoder.vectors(stones), first):
            started = time.process_time() if number >= timed_from else 0.0
            memory.combine(vector, labels[nodes.moves[number]], stones[number - first])
            if number >= timed_from:
                taken += time.process_time() - started
    return taken / (end - timed_from)


def nearest_distances(
    encoder: StateEncoder, stones: Stones, queries: Vectors
) -> NDArray[np.float64]:
    """Return each query's distance to the nearest of some positions; infinity if there are none."""
    found = np.full(len(queries), np.inf)
    squares = np.square(queries.astype(np.float64)).sum(axis=1)
    for first in range(0, len(stones), CHUNK):
        vectors = encoder.vectors(stones[first : first + CHUNK])
        own = np.square(vectors.astype(np.float64)).sum(axis=1)
        all_squares = own[:, None] + squares[None, :] - 2.0 * (vectors @ queries.T)
        found = np.minimum(found, np.sqrt(np.maximum(all_squares.min(axis=0), 0.0)))
    return found


def searched(
    memory: SituationMemory, queries: Vectors, nearest: NDArray[np.float64], index: str
) -> dict[str, Any]:
    """Search each query; return recall and time.

    Args:
        memory: the memory.
        queries: `[Q, A]` the queries.
        nearest: `[Q]` distance to the nearest node, by comparison with all of them.
        index: kind of the memory's index.
    """
    timed = queries[:SLOW_QUERIES] if index == EXACT and len(memory) > 10_000 else queries
    seconds, distances = [], []
    for query in timed:
        started = time.process_time()
        found = memory.nearest(query)
        seconds.append(time.process_time() - started)
        distances.append(np.inf if found is None else found[1])
    expected = nearest[: len(timed)]
    hits, known = np.array(distances) <= expected + 1e-3, expected < 1e-3
    return {
        "queries": len(timed), "hits": int(hits.sum()), "known": int(known.sum()),
        "known_hits": int(hits[known].sum()), "query_us": float(np.mean(seconds)) * 1e6,
        "query_99_us": float(np.percentile(seconds, 99)) * 1e6,
    }  # fmt: skip


def learner_row(rules: Rules, memory: SituationMemory) -> dict[str, Any]:
    """Measure what a memory of this size costs the learner `ann` and its player.

    A lost game is observed and learnt with a copy of the learner's usual settings, and then the
    player that got the memory chooses its moves in the positions of that game.
    """
    learner = AnnLearner("ann", rules, {})
    size, learner.memory = len(memory), memory
    memory.alpha = learner.settings.alpha
    record = lost_game(rules)
    observed = clocked(lambda: learner.observe(record))
    trained = clocked(learner.train)
    player = create_player("ann", rules)
    nodes = learner.weights().memory
    if nodes is None or not isinstance(player, AnnPlayer):
        raise TypeError("expected the learner and the player of `ann`")
    loaded = clocked(lambda: player.load_memory(nodes))
    boards = [Board.from_moves(list(record.moves[:ply]), rules) for ply in range(1, 8, 2)]
    rng = np.random.default_rng(0)
    answered = clocked(lambda: [player.choose(board, Limit(), rng) for board in boards])
    memory.alpha = None
    return {
        "learner_nodes": size, "observe_ms": observed * 1e3, "train_ms": trained * 1e3,
        "load_ms": loaded * 1e3, "answer_ms": answered * 1e3 / len(boards),
    }  # fmt: skip


def lost_game(rules: Rules) -> GameRecord:
    """Return the first game of other seeds that White lost."""
    player, rng = create_player("pattern", rules), np.random.default_rng(QUERY_GAMES)
    while True:
        board = Board(rules)
        while board.outcome() is None:
            is_random = rng.random() < WANDERING[1]
            free = np.flatnonzero(np.array(board.stones) == 0)
            chosen = rng.choice(free) if is_random else player.choose(board, Limit(), rng).move
            board.push(int(chosen))
        outcome = board.outcome()
        if outcome is not None and outcome.winner == -WHITE:
            return GameRecord.from_board(board, 1)


def clocked(work: Callable[[], object]) -> float:
    """Return the processor seconds of a call."""
    started = time.process_time()
    work()
    return time.process_time() - started


# -- rows, table, chart --------------------------------------------------------------------------


def run(cells: Sequence[Cell], out: Path) -> list[dict[str, Any]]:
    """Measure the cells that are not known yet, each in a process of its own; return all rows."""
    for cell in cells:
        known = {row["nodes"] for row in rows_in(out) if is_of(row, cell.points, cell.index)}
        if known >= set(cell.sizes):
            continue
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            pool.submit(measure_cell, cell).result()
        print(f"{cell.index}, {cell.points} numbers, {cell.sizes[-1]:,}: done", flush=True)
    return rows_in(out)


def rows_in(out: Path) -> list[dict[str, Any]]:
    """Return the rows of a folder; of several of the same kind and size the last one."""
    file = out / ROWS
    lines = read_lines(file) if file.exists() else []
    return list({(row["points"], row["index"], row["nodes"]): row for row in lines}.values())


def is_of(row: Mapping[str, Any], points: int, index: str) -> bool:
    """Return whether a row is one of an index and a board."""
    return (row["points"], row["index"]) == (points, index)


def table_rows(rows: Sequence[Mapping[str, Any]], sizes: Sequence[int]) -> Iterator[list[str]]:
    """Return the rows of the table of recall and costs: each size once, exact beside hnsw."""
    found = {(row["points"], row["nodes"], row["index"]): row for row in rows}
    for points, size in sorted({key[:2] for key in found if key[1] in sizes}):
        graph, exact = found.get((points, size, HNSW)), found.get((points, size, EXACT))
        costs = [
            f"{side[key]:,.0f}" if side else "–"
            for key in ("add_us", "query_us", "memory_mib")
            for side in (graph, exact)
        ]
        if graph or exact:
            yield [str(points), f"{size:,}", *recall_cells(graph), *costs]


def recall_cells(row: Mapping[str, Any] | None) -> tuple[str, str]:
    """Return recall with its interval, and the recall of queries that no node is equal to."""
    if row is None:
        return "–", "–"
    hits, count, known = row["hits"], row["queries"], row["known"]
    low, high = wilson(hits, count)
    return (
        f"{hits / count:.3f} ({low:.3f}–{high:.3f})",
        f"{hits - row['known_hits']} of {count - known}",
    )


def learner_rows(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    """Return the rows of the table of what the learner pays."""
    keys = ("observe_ms", "train_ms", "load_ms", "answer_ms")
    for row in sorted(rows, key=lambda row: (row["points"], row["nodes"])):
        if "answer_ms" in row:
            cells = [f"{row[key]:,.1f}" for key in keys]
            yield [str(row["points"]), f"{row['nodes']:,}", *cells]


def crossover(rows: Sequence[Mapping[str, Any]], points: int) -> int | None:
    """Return from how many nodes on hnsw answers sooner, between the sizes that were measured.

    None if it is not known: it is slower, or sooner, at every size.
    """
    exact, hnsw = (
        {row["nodes"]: row["query_us"] for row in rows if is_of(row, points, index)}
        for index in (EXACT, HNSW)
    )
    sizes = sorted(set(exact) & set(hnsw))
    for below, above in pairwise(sizes):
        before, after = (np.log(exact[size] / hnsw[size]) for size in (below, above))
        if before < 0.0 <= after:
            part = before / (before - after)
            return int(round(below * (above / below) ** part, -2))
    return None


def texts(rows: Sequence[Mapping[str, Any]], sizes: Sequence[int]) -> dict[str, str]:
    """Return the tables by their names on the page."""
    sides = [f"{cost}: {index}" for cost in ("add, µs", "query, µs", "MiB")
             for index in (HNSW, EXACT)]  # fmt: skip
    heads = ("numbers", "nodes", "recall at 1 (95 %)", "of new ones", *sides)
    learner = ("numbers", "nodes", "remember, ms", "train, ms", "load, ms", "answer, ms")
    return {
        "indexes": table(heads, table_rows(rows, sizes)),
        "learner": table(learner, learner_rows(rows)),
    }


def draw(rows: Sequence[Mapping[str, Any]], file: Path) -> None:
    """Draw query, add and memory over the number of nodes."""
    mpl.use("Agg")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 3.4), layout="constrained")
    axes = figure.subplots(1, 3)
    for axis, key, title in zip(
        axes, ("query_us", "add_us", "memory_mib"),
        ("query, µs", "add, µs", "memory, MiB"), strict=True,
    ):  # fmt: skip
        for points, color in ((49, "#4c8fd0"), (225, "#d08a3c")):
            for index, style in ((EXACT, "--"), (HNSW, "-")):
                own = [row for row in rows if is_of(row, points, index)]
                values = [row[key] for row in own]
                name = f"{index}, {points} numbers"
                axis.plot([row["nodes"] for row in own], values, style, color=color, label=name)
        axis.set(xscale="log", yscale="log", xlabel="nodes", title=title)
        axis.grid(alpha=0.3)
    axes[0].axhline(MOST_SECONDS * 1e6, color="#888888", linestyle=":", linewidth=1.0)
    axes[0].legend(fontsize=8)
    figure.savefig(file, dpi=100)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is missing, print the tables, and say whether the goal is met."""
    options = parser_of(
        __doc__, out=Path("runs/memory_index"), points=list(SIDES), most=SIZES[-1], queries=1000,
        keep=(False, "copy the rows to docs/studies, make the page's tables and chart"),
        only_draw=(False, "make the page's tables and chart from the stored rows"),
    ).parse_args(arguments)  # fmt: skip
    if options.only_draw:
        rows = read_json(STORED)["rows"]
        sizes: tuple[int, ...] = TABLED
    else:
        sizes = (*(size for size in SIZES if size < options.most), options.most)
        options.out.mkdir(parents=True, exist_ok=True)
        tabled = tuple(size for size in sizes if size in TABLED or size == options.most)
        cells = [
            Cell(points, index, own, options.most, options.queries, options.out)
            for kinds in (
                [(HNSW, sizes), (EXACT, sizes)],
                [(AUTO, (size,)) for size in tabled[:-1]],
            )
            for points in options.points
            for index, own in kinds
        ]
        rows = run(cells, options.out)
        sizes = tabled
    on = machine("one thread")
    if options.keep:
        write_table(STORED, {"machine": on, "rows": rows})
    if options.keep or options.only_draw:
        draw(rows, CHART)
        PAGE.write_text(made_anew(PAGE.read_text("utf-8"), texts(rows, TABLED)), "utf-8")
    print(on, *texts(rows, sizes).values(), sep="\n\n")
    for points in options.points:
        if (sooner := crossover(rows, points)) is not None:
            print(f"\n{points} numbers: hnsw answers sooner from {sooner:,} nodes on")
    return judged(rows, options.points, sizes[-1])


def judged(rows: Sequence[Mapping[str, Any]], boards: Sequence[int], size: int) -> int:
    """Print whether hnsw met the goal at a size, on each board; return the exit code."""
    found = {row["points"]: row for row in rows if (row["index"], row["nodes"]) == (HNSW, size)}
    is_met = True
    for points in boards:
        asked = f"{size:,} nodes of {points} numbers, at most 1 ms and at least {LEAST_RECALL}"
        if points not in found:
            print(f"{asked}: not measured")
            is_met = False
            continue
        recall = found[points]["hits"] / found[points]["queries"]
        seconds = found[points]["query_us"] / 1e6
        is_own = seconds <= MOST_SECONDS and recall >= LEAST_RECALL
        print(f"{asked}: {seconds * 1e3:.2f} ms, {recall:.3f}: {verdict(is_own)}")
        is_met = is_met and is_own
    return 0 if is_met else 1


if __name__ == "__main__":
    raise SystemExit(main())

"""How fast the kernels of the searches are.

    python -m benchmarks.search [--parts core,tree,fours,alpha-beta] [--rounds 15] [--json OUT.json]

- `core`: pairs of a stone placed and taken back by the pattern core, against the same loop in C
  (`benchmarks/make_unmake.c`, built by `gcc -O3`; without gcc it is skipped). Both work on the same
  memory in turns, in one process. The sums of what each stone made must be equal.
- `tree`: rollouts and iterations of the tree search near the first stones of a 15x15 board.
- `fours`: wins by continuous fours of both sides in random positions of 15x15 and 22x22. Positions
  and fours a second, and the shares that are won, and that are settled within the limit of fours.
- `alpha-beta`: positions a second of the search on the pattern core, and the depth that it reaches.

Rates are for a second of this process's CPU time, the best of the rounds: what others do on the
machine is not the kernels'. The exit code is 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from ai.evaluators.base import UniformEvaluator
from ai.game import BLACK, WHITE, Board, Rules
from ai.kernels import layout
from ai.kernels.jit import INT, TABLE, ArrayType, Record, Table, fields_of, kernel
from ai.kernels.layout import CLASSES, OPEN_FOUR, OPEN_TWO, POSITION
from ai.kernels.moves import place, take_back
from ai.kernels.position import KernelPosition
from ai.kernels.randomness import new_random, seed_random
from ai.kernels.tree.layout import cell_of, new_tree_board
from ai.kernels.tree.rollout import roll_out_often
from ai.kernels.tree.stones import put_stone
from ai.search.base import Limit
from ai.search.fours import FourSearch, FoursResult
from ai.search.pattern_alpha_beta import PatternAlphaBeta
from ai.search.uct import REGION, Uct
from base.storage.json_file import write_json
from benchmarks.console import machine, parser_of, verdict
from benchmarks.games import any_point, with_stones
from benchmarks.programs import build_c
from benchmarks.timing import quickest, timed

C_SHARE: Final = 0.85
"""Goal: pairs a second, as a share of those in C."""
ITERATIONS: Final = 300_000
"""Goal: iterations of the tree search in a CPU second."""
STONES: Final = (1, 20, 60, 120)
"""Stones on the boards of the pairs."""
FOURS_LIMIT: Final = 10_000
"""Fours that a position may cost."""
CROWDED: Final = 100
"""Positions of stones that lie close together."""
POSITIONS: Final = 200_000
"""Positions of an alpha-beta search."""
OPENINGS: Final = {
    "1 stone": "h8",
    "4 stones": "h8 i9 h9 i8",
    "10 stones": "h8 i9 h9 i8 g7 j10 h7 h6 g9 j8",
}
QUIET: Final = {
    "1 stone": "h8",
    "4 stones": "h8 i9 h9 i8",
    "10 stones": "h8 i9 h9 i8 h7 h10 i7 i10 h6 h5",
}
"""Positions of the alpha-beta search: none is won at once."""
C_CONSTANTS: Final = (
    *("STRIDE", "POINTS", "CLASSES", "EMPTY_CELL", "BORDER"),
    *("OPEN_TWO", "OPEN_FOUR"),
)


@dataclass(frozen=True)
class Measure:
    """One figure, and the least that it is to be."""

    name: str
    value: float
    unit: str = ""
    goal: float | None = None

    @property
    def is_met(self) -> bool:
        """Whether the goal, if there is one, is reached."""
        return self.goal is None or self.value >= self.goal

    def __str__(self) -> str:
        digits = 2 if abs(self.value) < 100 else 0
        text = f"{self.name:<52}{self.value:>14,.{digits}f} {self.unit:<14}"
        if self.goal is None:
            return text
        return f"{text}  goal {self.goal:,.{digits}f}: {verdict(self.is_met)}"


@kernel(POSITION, TABLE, ArrayType("int64"), INT, returns=INT)
def pairs(positions: Record, table: Table, moves: Any, rounds: int) -> int:
    """Place and take back each move in turn; return the sum that the C loop returns."""
    position = positions[0]
    total = 0
    for _ in range(rounds):
        for number in range(len(moves)):
            place(positions, table, moves[number])
            total += position.points[OPEN_FOUR] + 3 * position.stones[CLASSES + OPEN_TWO]
            total += position.key & 7
            take_back(positions, table)
    return total


def c_header() -> str:
    """Return the C declaration of the record of a position."""
    lines = [f"#define {name} {getattr(layout, name)}" for name in C_CONSTANTS]
    lines.append("struct position {")
    for name in POSITION.names or ():
        field = POSITION[name]
        count = f"[{field.shape[0]}]" if field.shape else ""
        lines.append(f"    {field.base.name}_t {name}{count};")
    return "\n".join([*lines, "};", ""])


def c_pairs(folder: Path) -> Any:
    """Build the loop in C and return its function; None, with the reason printed, without gcc."""
    (folder / "position.h").write_text(c_header(), encoding="utf-8")
    source = Path(__file__).with_name("make_unmake.c")
    flags = ("-O3", "-shared", "-fPIC", f"-I{folder}")
    library = build_c(source, folder / "make_unmake.so", *flags)
    if library is None:
        print("core: not compared with C: there is no gcc on the PATH")
        return None
    loaded = ctypes.CDLL(str(library))
    loaded.size_of_position.restype = ctypes.c_int64
    if loaded.size_of_position() != POSITION.itemsize:
        raise RuntimeError(
            f"expected a position of {POSITION.itemsize} bytes in C, "
            f"found {loaded.size_of_position()}"
        )
    loaded.pairs.restype = ctypes.c_int64
    return loaded.pairs


def random_board(rules: Rules, stones: int) -> Board:
    """Return a board of random moves without a row."""
    board = Board(rules)
    return with_stones(board, stones, any_point(board, np.random.default_rng(stones)))


def measure_core(rounds: int) -> Iterator[Measure]:
    """Compare pairs of the pattern core with those of the same loop in C."""
    with tempfile.TemporaryDirectory() as folder:
        in_c = c_pairs(Path(folder))
        found = [compare(random_board(Rules(15), stones), in_c, rounds) for stones in STONES]
    count, seconds, seconds_in_c = (sum(column) for column in zip(*found, strict=True))
    for stones, one in zip(STONES, found, strict=True):
        yield Measure(f"pairs, {stones} stones", one[0] / one[1], "/CPU s")
    yield Measure("pairs of the pattern core", count / seconds, "/CPU s")
    if in_c is not None:
        yield Measure("pairs in C (gcc -O3)", count / seconds_in_c, "/CPU s")
        yield Measure("pairs: share of those in C", seconds_in_c / seconds, "", C_SHARE)


def compare(board: Board, in_c: Any, rounds: int) -> tuple[int, float, float]:
    """Return the pairs of a position, their CPU seconds and those in C, each the best of all."""
    moves = np.array(list(board.legal_moves), np.int64)
    repeats = 60_000 // len(moves)
    position = KernelPosition(board.rules)
    position.follow(board)
    record, table = position.record, position.table
    addresses = [ctypes.c_void_p(item.ctypes.data) for item in (record, table, moves)]
    sizes = [ctypes.c_int64(size) for size in (len(moves), repeats)]
    best, best_in_c = float("inf"), float("inf")
    for _ in range(rounds):
        spent, total = timed(lambda: pairs(record, table, moves, repeats))
        best = min(best, spent)
        if in_c is not None:
            spent, total_in_c = timed(lambda: in_c(*addresses, *sizes))
            best_in_c = min(best_in_c, spent)
            if total != total_in_c:
                raise RuntimeError(f"the sums differ: {total}, in C {total_in_c}")
    return len(moves) * repeats, best, best_in_c


def measure_tree(rounds: int) -> Iterator[Measure]:
    """Count rollouts and iterations of the tree search."""
    for size, text, reach in ((15, "h8 i9 h9 i8", 1), (15, "h8 i9 h9 i8", 2), (7, "d4", 2)):
        yield rollouts(Board.from_moves(text, Rules(size)), reach, rounds)
    for reach in (1, 2, 3):
        for name, text in OPENINGS.items():
            board = Board.from_moves(text, Rules(15))
            yield iterations(board, reach, rounds, f"iterations, 15x15, {name}, region {reach}")


def rollouts(board: Board, reach: int, rounds: int) -> Measure:
    """Count the rollouts of a position."""
    record, random, count = new_tree_board(board.rules, reach), new_random(), 40_000
    for move in board.moves:
        put_stone(record, cell_of(move, board.size))
    seed_random(random, 1)
    best, _ = quickest(lambda: roll_out_often(record, random, count), rounds)
    spots = int(fields_of(record).count)
    name = f"rollouts, {board.size}x{board.size}, {spots} points, region {reach}"
    return Measure(name, count / best, "/CPU s")


def iterations(board: Board, reach: int, rounds: int, name: str) -> Measure:
    """Count the iterations of a search from nothing, its memory touched for the first time."""
    tree, count, best = Uct(board.rules, region=reach), 100_000, float("inf")
    for seed in range(rounds):
        given = board, UniformEvaluator(), Limit(nodes=count), np.random.default_rng(seed)
        spent, found = timed(partial(tree.search, *given))
        if found.nodes != count:
            raise RuntimeError(f"expected {count} iterations, found {found.nodes}")
        best = min(best, spent)
    goal = ITERATIONS if reach <= max(REGION, 2) else None
    return Measure(name, count / best, "/CPU s", goal)


def measure_fours(rounds: int) -> Iterator[Measure]:
    """Search random positions for continuous fours of both sides."""
    for size in (15, 22):
        rules = Rules(size)
        boards = [random_board(rules, size * size * share // 100) for share in range(10, 60, 2)]
        boards += [crowded_board(rules, seed) for seed in range(CROWDED)]
        search = FourSearch(rules)
        best, found = quickest(partial(all_fours, search, boards), min(rounds, 5))
        name, count = f"fours, {size}x{size}", len(found)
        yield Measure(f"{name}: positions", count / best, "/CPU s")
        yield Measure(f"{name}: fours played", sum(one.nodes for one in found) / best, "/CPU s")
        yield Measure(f"{name}: share won", sum(bool(one.line) for one in found) / count, "")
        settled = sum(bool(one.line) or one.is_complete for one in found)
        yield Measure(f"{name}: share settled in {FOURS_LIMIT} fours", settled / count, "")


def crowded_board(rules: Rules, seed: int) -> Board:
    """Return 16 to 35 stones among the middle 9x9 points, without a row."""
    rng, middle = np.random.default_rng(seed), rules.size // 2

    def draw() -> int:
        row, column = (middle + int(rng.integers(-4, 5)) for _ in range(2))
        return row * rules.size + column

    return with_stones(Board(rules), 16 + seed % 20, draw)


def all_fours(search: FourSearch, boards: Sequence[Board]) -> list[FoursResult]:
    """Search each board for a win by fours of each side, from nothing."""
    found = []
    for board in boards:
        for color in (BLACK, WHITE):
            search.forget()
            found.append(search.find(board, Limit(nodes=FOURS_LIMIT), color=color))
    return found


def measure_alpha_beta(rounds: int) -> Iterator[Measure]:
    """Search the openings on the pattern core."""
    for name, text in QUIET.items():
        board, best = Board.from_moves(text, Rules(15)), float("inf")
        for _ in range(min(rounds, 3)):
            search, rng = PatternAlphaBeta(board.rules), np.random.default_rng(0)
            spent, found = timed(partial(search.search, board, Limit(nodes=POSITIONS), rng))
            best = min(best, spent / found.nodes)
        yield Measure(f"alpha-beta, 15x15, {name}: positions", 1.0 / best, "/CPU s")
        yield Measure(f"alpha-beta, 15x15, {name}: depth", found.depth, "plies")


PARTS: Final[dict[str, Callable[[int], Iterator[Measure]]]] = {
    "core": measure_core,
    "tree": measure_tree,
    "fours": measure_fours,
    "alpha-beta": measure_alpha_beta,
}


def parts_of(text: str) -> list[str]:
    """Read names of parts.

    Raises:
        ArgumentTypeError: one is unknown.
    """
    names = text.split(",")
    for name in names:
        if name not in PARTS:
            raise argparse.ArgumentTypeError(f"expected some of {','.join(PARTS)}, found {name!r}")
    return names


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return 1 where a goal is missed."""
    parser = parser_of(__doc__, rounds=15, json=Path)
    parser.add_argument("--parts", type=parts_of, default=list(PARTS))
    options = parser.parse_args(arguments)
    found = []
    for name in options.parts:
        for measure in PARTS[name](options.rounds):
            print(measure, flush=True)
            found.append(measure)
    if options.json:
        write_json(options.json, {"machine": machine(), "measures": list(map(asdict, found))})
    missed = [measure.name for measure in found if not measure.is_met]
    print(f"missed: {', '.join(missed)}" if missed else "every goal met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Training positions for alpha-beta's evaluation: playing games, storing and reading positions.

`alpha-beta` plays against itself; a game ends once a win is certain. Each position of a game is
stored with the search's score and the game's result, unless it is settled (see `is_settled`). For
each of them another position is stored: one or two random moves are added to the board, and the
search gives it a score. It has no result. A search visits such positions far more often than good
ones, therefore they are included.

Even games begin from openings that a search finds even, and explore only at first. So they last
longer, and their results say more about the middle of the game.

A file `games_FIRST.npz` holds the positions of a batch of games; its card says how they were played
(`base/storage/card_file.py`). All positions of a folder are of one kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game import Board, Move, Rules
from ai.game.lines import DIRECTIONS
from ai.kernels.jit import get_field
from ai.kernels.layout import BORDER, CLASSES, FIVE, OPEN_FOUR
from ai.kernels.line_codes import REACH
from ai.kernels.patterns import class_table
from ai.kernels.position import KernelPosition
from ai.nets.evaluation import LearnedEvaluation
from ai.search.base import Limit
from ai.search.pattern_alpha_beta import PatternAlphaBeta
from base.storage.card_file import Arrays, CardFile
from base.storage.run_folder import RunFolderError, difference_of, require_empty
from base.values import JsonObject

FEWEST: Final = 3
MOST: Final = 7
"""Largest number of random stones in an opening; `FEWEST` is the smallest."""
EVEN_STONES: Final = (2, 6)
"""Smallest and largest number of stones in the opening of an even game."""
EVEN: Final = 0.2
"""Largest value of an even opening for the side to move, and the negative of the smallest."""
LOOK: Final = 2_000
"""Number of positions visited by the search that finds an opening even."""
EXPLORES: Final = 16
"""Number of stones from which on an even game has no moves drawn at random."""
CLOSE: Final = 150
"""Points that a move drawn in an even game may lie below the best one, as far as is known."""
NEAR: Final = 3
"""Maximum distance of the opening's stones from the centre, in rows and in columns."""
WANDERS: Final = 0.15
"""Probability that a move is drawn at random, from the `BEST` best ones."""
BEST: Final = 6
ASIDE: Final = 2
"""Largest number of random moves that are added to a game's position to get a further one."""
PLIES: Final = 100
"""Number of moves after which a game ends as a draw."""
UNKNOWN: Final = 2
"""Value of `result` for a position that was not part of a game."""
WON: Final = 900_000
"""If a score is above this, or below its negative, the game is decided."""
SIDE_MEMORY: Final = 1
"""Size in MiB of the transposition table for searching positions that are not part of a game.

The table is cleared for each position.
"""


@dataclass(frozen=True, slots=True)
class ScoredPosition:
    """A position, what a search found in it (score and best move), and the game's result."""

    stones: tuple[int, ...]
    """Stone of each point: 0 none, 1 Black, 2 White."""
    side: int
    """Side to move: 0 Black, 1 White."""
    score: int
    """Score for the side to move; 300 points are one logit."""
    move: Move
    """The best move."""
    result: int
    """Result of the game for the side to move: 1 won, 0 drawn, -1 lost, or `UNKNOWN`."""


def is_settled(position: KernelPosition) -> bool:
    """Return whether the position is too clear to learn from.

    It is if either side can make a five with one stone, or the side to move an open four.
    """
    side = get_field(position.record, "side")
    counted = ((side, OPEN_FOUR), (side, FIVE), (1 - side, FIVE))
    return any(position.count_points(*each) > 0 for each in counted)


def opening(
    rules: Rules, rng: np.random.Generator, fewest: int = FEWEST, most: int = MOST
) -> Board:
    """Return a board with a few random stones near the centre.

    Args:
        rules: rules of the game.
        rng: random generator; its state advances.
        fewest: smallest number of stones.
        most: largest number of stones.
    """
    board, middle = Board(rules), rules.size // 2
    count = int(rng.integers(fewest, most + 1))
    while board.ply < count:
        row, col = (int(number) for number in rng.integers(-NEAR, NEAR + 1, 2))
        move = (middle + row) * rules.size + middle + col
        if board.stones[move] == 0:
            board.push(move)
    return board


class GamePlayer:
    """Lets the search play games against itself.

    Each game depends only on the seed and on the game's number.
    """

    def __init__(
        self,
        rules: Rules,
        nodes: int,
        seed: int,
        teacher: LearnedEvaluation | None = None,
        *,
        is_even: bool = False,
    ) -> None:
        """Create two searches: one for the games, one for positions that are not part of a game.

        Args:
            rules: rules of the games.
            nodes: maximum number of positions that a search visits for a move.
            seed: random seed of the games.
            teacher: learned evaluation that both searches add to the patterns; None for patterns
                only.
            is_even: whether the games are even, see the module.
        """
        self._rules, self._limit, self._seed = rules, Limit(nodes=nodes), seed
        self._is_even = is_even
        self._teacher = teacher
        self._position = KernelPosition(rules)
        self._beside = PatternAlphaBeta(rules, memory=SIDE_MEMORY, evaluation=teacher)

    def play(self, number: int) -> list[ScoredPosition]:
        """Play game `number`; return its positions that are not settled, with scores and results.

        They are followed by positions that are one or two random moves away from those, with scores
        only.
        """
        rng = np.random.default_rng((self._seed, number))
        search = PatternAlphaBeta(self._rules, evaluation=self._teacher)
        board = self._opening(rng)
        found: list[ScoredPosition] = []
        beside: list[ScoredPosition] = []
        winner = 0
        while board.outcome() is None and board.ply < PLIES:
            result = search.search(board, self._limit, rng)
            score, move = result.scores[result.move], result.move
            is_open = not self._is_settled(board)
            if is_open:
                found.append(_sample(board, score, move))
            if abs(score) > WON:
                winner = board.to_move if score > 0 else -board.to_move
                break
            if is_open:
                beside += self._look_aside(board, rng)
                if rng.random() < WANDERS and (not self._is_even or board.ply < EXPLORES):
                    best = sorted(result.scores, key=lambda one: -result.scores[one])[:BEST]
                    if self._is_even:
                        best = [one for one in best if result.scores[one] >= score - CLOSE]
                    move = best[int(rng.integers(len(best)))]
            board.push(move)
        outcome = board.outcome()
        if outcome is not None:
            winner = outcome.winner
        return [replace(one, result=winner * (1 - 2 * one.side)) for one in found] + beside

    def _opening(self, rng: np.random.Generator) -> Board:
        """Return the board with which a game begins.

        Args:
            rng: random generator; its state advances.
        """
        if not self._is_even:
            return opening(self._rules, rng)
        while True:
            board = opening(self._rules, rng, *EVEN_STONES)
            self._beside.forget()
            if abs(self._beside.search(board, Limit(nodes=LOOK), rng).value) <= EVEN:
                return board

    def _look_aside(self, board: Board, rng: np.random.Generator) -> list[ScoredPosition]:
        """Add one or two random moves to a copy of the board, and search that position.

        Args:
            board: a position of a game; not changed.
            rng: random generator; its state advances.

        Returns:
            A list with the position; empty if it is settled or the game is over.
        """
        aside = board.copy()
        for _ in range(int(rng.integers(1, ASIDE + 1))):
            aside.push(_near(aside, rng))
            if aside.outcome() is not None:
                return []
        if self._is_settled(aside):
            return []
        self._beside.forget()
        result = self._beside.search(aside, self._limit, rng)
        return [_sample(aside, result.scores[result.move], result.move)]

    def _is_settled(self, board: Board) -> bool:
        self._position.follow(board)
        return is_settled(self._position)


def _near(board: Board, rng: np.random.Generator) -> Move:
    """Return a random empty point within two points of a stone."""
    size = board.rules.size
    stones = np.array(board.stones, np.int8).reshape(size, size)
    padded = np.pad(stones != 0, 2)
    near = np.zeros((size, size), np.bool_)
    for row in range(5):
        for col in range(5):
            near |= padded[row : row + size, col : col + size]
    points = np.flatnonzero(near & (stones == 0))
    return int(points[int(rng.integers(len(points)))])


def _sample(board: Board, score: int, move: Move) -> ScoredPosition:
    stones = tuple(stone if stone >= 0 else 2 for stone in board.stones)
    return ScoredPosition(stones, board.ply % 2, score, move, UNKNOWN)


FILE: Final = CardFile("goishi.positions/1", "positions of games", most_bytes=256 << 20)
RULES: Final = Rules(15)
LOT: Final = 8
"""Games per file."""
COLUMNS: Final = {
    "stones": np.uint8,
    "side": np.uint8,
    "score": np.int32,
    "move": np.int16,
    "result": np.int8,
    "game": np.int32,
}
_CHUNK: Final = 2048


class PositionsError(ValueError):
    """A folder holds no positions to learn from."""


@dataclass(frozen=True, slots=True)
class Positions:
    """`N` positions as arrays; see `ScoredPosition`."""

    card: JsonObject
    """How the positions were played: settings by name. All files of a folder share them."""
    stones: NDArray[np.uint8]
    """`[N, A]` stone on each point: 0 none, 1 Black, 2 White."""
    side: NDArray[np.uint8]
    score: NDArray[np.int32]
    move: NDArray[np.int16]
    result: NDArray[np.int8]
    game: NDArray[np.int32]
    """`[N]` number of the game that each position was taken from."""

    def __len__(self) -> int:
        return len(self.side)

    def only(self, rows: NDArray[np.bool_]) -> Positions:
        """Return only the positions that are True in `rows`, `[N]`."""
        return Positions(self.card, *(getattr(self, name)[rows] for name in COLUMNS))

    def held_out(self, share: int) -> NDArray[np.bool_]:
        """Return `[N]` whether each position belongs to a held-out game.

        Args:
            share: one game in this many is held out.

        Raises:
            PositionsError: there is no game to learn from, or none to hold out.
        """
        is_held: NDArray[np.bool_] = self.game % share == 0
        if is_held.all() or not is_held.any():
            raise self.too_few()
        return is_held

    def too_few(self) -> PositionsError:
        """Return the error to raise if there are too few games to hold some out."""
        found = len(set(self.game))
        return PositionsError(f"expected positions of at least 2 games, found those of {found}")

    def chunks(self) -> Iterator[Positions]:
        """Yield the positions a few thousand at a time."""
        for first in range(0, len(self), _CHUNK):
            span = slice(first, first + _CHUNK)
            yield Positions(self.card, *(getattr(self, name)[span] for name in COLUMNS))


def play_batches(
    folder: Path,
    games: int,
    nodes: int,
    seed: int,
    report: Callable[[int], None],
    teacher: LearnedEvaluation | None = None,
    *,
    is_even: bool = False,
) -> None:
    """Play games and write their positions into a folder; existing files are kept.

    Args:
        folder: folder of the files; created if missing.
        games: total number of games in the folder, rounded up to whole files.
        nodes: maximum number of positions that a search visits for a move.
        seed: random seed; it determines the games.
        report: called with the number of finished games after each file.
        teacher: learned evaluation that the searches add to the patterns; None for patterns only.
        is_even: whether the games are even, see the module.

    Raises:
        RunFolderError: the folder holds positions of another kind, or other files.
        CardFileError: a file is damaged.
        OSError: a file cannot be written.
    """
    card: JsonObject = {
        "size": RULES.size,
        "nodes": nodes,
        "seed": seed,
        "opening": [FEWEST, MOST],
        "teacher": "patterns" if teacher is None else teacher.digest,
    }
    if is_even:
        card |= {"opening": list(EVEN_STONES), "even": True}
    require_room(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for path in files_of(folder)[:1]:
        if differing := difference_of(read_positions(path).card, card):
            raise RunFolderError(
                f"--data: expected games of this kind, found others in {path}: {differing}"
            )
    player = GamePlayer(RULES, nodes, seed, teacher, is_even=is_even)
    for first in range(0, games, LOT):
        path = folder / f"games_{first:06d}.npz"
        if not path.exists():
            numbered = [
                (one, each) for one in range(first, first + LOT) for each in player.play(one)
            ]
            samples, games_of = [each for _, each in numbered], [one for one, _ in numbered]
            save_positions(path, _gathered(samples, games_of, card))
        report(min(first + LOT, games))


def require_room(folder: Path) -> None:
    """Check that positions may be written into a folder: it is missing, empty or holds positions.

    Raises:
        RunFolderError: it holds other files.
    """
    require_empty(folder, "--data", holds=lambda there: bool(files_of(there)))


def files_of(folder: Path) -> list[Path]:
    """Return a folder's files with positions, in order."""
    return sorted(folder.glob("games_*.npz"))


def load_positions(folder: Path) -> Positions:
    """Read all positions of a folder.

    Raises:
        PositionsError: the folder is missing or empty, or its files are of different kinds.
        CardFileError: a file is damaged.
    """
    if not folder.is_dir():
        raise PositionsError(f"expected a folder with positions, found {folder}")
    files = [read_positions(path) for path in files_of(folder)]
    if not files:
        raise PositionsError(f"{folder}: expected files games_*.npz, found none")
    for path, part in zip(files_of(folder), files, strict=True):
        if part.card != files[0].card:
            raise PositionsError(f"{path}: expected games of {files[0].card}, found {part.card}")
    columns = [np.concatenate([getattr(part, name) for part in files]) for name in COLUMNS]
    return Positions(files[0].card, *columns)


def _gathered(
    samples: Sequence[ScoredPosition], games: Sequence[int], card: JsonObject
) -> Positions:
    """Convert searched positions to arrays.

    Args:
        samples: the positions.
        games: number of the game of each position.
        card: metadata that says how the positions were played.
    """
    values = {
        name: np.array(games if name == "game" else [getattr(one, name) for one in samples], kind)
        for name, kind in COLUMNS.items()
    }
    values["stones"] = values["stones"].reshape(len(samples), RULES.points)
    return Positions(card, *(values[name] for name in COLUMNS))


def save_positions(path: Path, positions: Positions) -> None:
    """Write a file of positions, replacing an existing one atomically.

    Raises:
        OSError: it cannot be written.
    """
    FILE.save(path, {name: getattr(positions, name) for name in COLUMNS}, positions.card)


def read_positions(path: Path) -> Positions:
    """Read a file of positions.

    Raises:
        CardFileError: the file is of another kind, or damaged.
    """
    return FILE.load(path, _positions_of)


def _positions_of(arrays: Arrays, card: JsonObject) -> Positions:
    """Build the positions from the arrays and the card of a file.

    Raises:
        ValueError: the arrays do not fit each other or the board.
    """
    if card["size"] != RULES.size:
        raise ValueError(f"boards of {card['size']!r:.60} points, not {RULES.size}")
    count = len(arrays["side"])
    for name, kind in COLUMNS.items():
        wanted = (count, RULES.points) if name == "stones" else (count,)
        if arrays[name].shape != wanted or arrays[name].dtype != kind:
            raise ValueError(f"{name}: {arrays[name].dtype} {arrays[name].shape}, not {wanted}")
    if arrays["stones"].max(initial=0) > 2 or arrays["side"].max(initial=0) > 1:
        raise ValueError("stones of other sides than two")
    return Positions(card, *(arrays[name] for name in COLUMNS))


def line_keys(stones: NDArray[np.uint8], reach: int = REACH) -> NDArray[np.int32]:
    """Return `[N, A, 4]` the line key of every point in each of the four directions.

    A line key is a number that holds the contents of the points on both sides of a point in one
    direction: empty, black, white or off the board, two bits each. The kernels use the same
    numbers.

    Args:
        stones: `[N, A]` 0 none, 1 Black, 2 White.
        reach: how many points are included on each side.
    """
    count, size = len(stones), RULES.size
    board = np.full((count, size + 2 * reach, size + 2 * reach), BORDER, np.int32)
    board[:, reach:-reach, reach:-reach] = stones.reshape(count, size, size)
    found = np.zeros((count, size, size, 4), np.int32)
    for direction, (row, col) in enumerate(DIRECTIONS):
        for distance in range(1, reach + 1):
            for sign, slot in ((-1, reach - distance), (1, reach + distance - 1)):
                top = reach + sign * distance * row
                left = reach + sign * distance * col
                seen = board[:, top : top + size, left : left + size]
                found[..., direction] |= seen << (2 * slot)
    return found.reshape(count, size * size, 4)


def count_classes(positions: Positions) -> NDArray[np.int32]:
    """Return `[N, 2, CLASSES]` how often each pattern class can be made.

    An empty point counts once for each direction in which a stone on it would make the class, as in
    `KernelPosition`. The second axis is the side to move, then the other side.
    """
    parts = [_count_chunk(chunk) for chunk in positions.chunks()]
    return np.concatenate([np.zeros((0, 2, CLASSES), np.int32), *parts])


def _count_chunk(positions: Positions) -> NDArray[np.int32]:
    classes = class_table(5, exact=False)[line_keys(positions.stones)]
    is_empty = (positions.stones == 0)[:, :, None]
    is_white = positions.side[:, None, None].astype(np.bool_)
    black, white = classes & 15, classes >> 4
    views = (np.where(is_white, white, black), np.where(is_white, black, white))
    counted = [
        np.stack([((view == kind) & is_empty).sum(axis=(1, 2)) for kind in range(CLASSES)], axis=1)
        for view in views
    ]
    return np.stack(counted, axis=1).astype(np.int32)

"""Levels of strength: ten for a player, from a beginner's to the player at its best.

A level fixes what a move may cost, and how much less than the best move found the played one may be
worth. The move is drawn among those by the seed. So a level plays the same moves for the same seed
on every machine. The ratings come from a file that `python -m benchmarks.levels` writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from base.files import SHIPPED_ROOT
from base.language.wording import tr, tr_many, wording
from base.schema import Option, OptionValue
from base.storage.json_file import read_json

if TYPE_CHECKING:
    import numpy as np

    from ai.game import Move
    from ai.search.base import Limit

MEASURED: Final = SHIPPED_ROOT / "assets" / "players" / "levels.json"
"""The file with the levels' measured ratings."""
FORMAT: Final = "goishi.levels/1"
HIGHEST: Final = 10
KEY: Final = "level"
"""Key of the setting."""
OPTION: Final = Option(
    KEY,
    0,
    0,
    HIGHEST,
    help=tr(
        "strength, from 1 (a beginner's) to 10; it fixes what a move may cost and all settings "
        "but those that name a file; 0: full strength"
    ),
)
"""The setting of a player that has levels."""
WORDS: Final = (
    *(tr("beginner"), tr("novice"), tr("easy"), tr("casual"), tr("steady")),
    *(tr("good"), tr("strong"), tr("very strong"), tr("expert"), tr("best")),
)
"""Word of each level, from 1."""
SIGHTS: Final[Mapping[int, str]] = {
    2: tr("Makes a five, or stops one."),
    3: tr("Makes a five, or stops one, and makes an open four."),
    4: tr("Misses no five and no open four, to make or to stop."),
}
"""What a level never misses, by the plies of its exact sight (`ai.search.needed`)."""
VERBS: Final[Mapping[str, str]] = {
    "positions": tr("Judges"),
    "random games": tr("Plays"),
    "simulations": tr("Runs"),
}
"""What a level does with that which its `nodes` count."""


class MeasuredElo(NamedTuple):
    """A measured rating and the ends of its 95 % interval, in Elo points."""

    elo: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a player: what a move may cost, and which moves are good enough."""

    player: str
    """Name of the player in the registry."""
    number: int
    """From 1, the weakest, to 10."""
    nodes: int
    """What a move may cost at most, counted in `unit`."""
    margin: float
    """How much less than the best move a move may be worth, in values from -1 to 1."""
    sight: int = 4
    """Plies in which the level misses nothing.

    2 for fives, 3 also for open fours of its own, 4 also for those that it must stop.
    """
    depth: int = 0
    """Plies looked ahead at most, for alpha-beta; 0: it judges its own moves only."""
    fours: int = 0
    """Fours tried at most at the root in search of a win; 0: no such search."""
    exploration: float = 0.0
    """Weight of the networks' shares, for a search by networks."""
    noise: float = 0.0
    """Share of random noise in the networks' shares, so that more moves are compared, 0 to 1."""
    unit: str = tr("positions")
    """What `nodes` counts, in words."""

    @property
    def word(self) -> str:
        """A short word for the level, such as "beginner"."""
        return WORDS[self.number - 1]

    @property
    def description(self) -> str:
        """What the level does, in plain words."""
        ahead = tr(", up to {moves} ahead").format(moves=_moves(self.depth)) if self.depth else ""
        costs = tr("{verbs} at most {nodes:,} {unit}{ahead}.").format(
            verbs=VERBS[self.unit], nodes=self.nodes, unit=wording(self.unit), ahead=ahead
        )
        drawn = tr(
            "Its move is worth up to {margin:.2f} less than the best that it finds, "
        ).format(margin=self.margin)
        of = tr("of values from -1 to 1.")
        best = tr("It plays the best move that it finds.")
        return wording(" ").join([SIGHTS[self.sight], costs, drawn + of if self.margin else best])

    @property
    def elo(self) -> MeasuredElo | None:
        """The measured rating, among all levels of all players; None if it is not measured."""
        found = measured_levels().get("elo", {}).get(self.label)
        return None if found is None else MeasuredElo(*found)

    @property
    def label(self) -> str:
        """The player at this level as the arena names it, such as `mcts@level=3`."""
        return f"{self.player}@{KEY}={self.number}"

    def limits(self) -> dict[str, object]:
        """Return what the level is declared to do, as plain values."""
        return {key: value for key, value in asdict(self).items() if key != "player"}

    def as_dict(self) -> dict[str, object]:
        """Return plain values for JSON: the entry of `players --json`."""
        elo = self.elo
        return {
            "number": self.number,
            "word": self.word,
            "description": self.description,
            "nodes": self.nodes,
            "depth": self.depth,
            "margin": self.margin,
            "elo": None if elo is None else elo._asdict(),
        }

    def within(self, limit: Limit, own: int | None) -> Limit:
        """Return the limit of a move: the level's, unless one that is asked for is tighter.

        Args:
            limit: limit of the move.
            own: limit by the player's own setting; None for none.
        """
        asked = (self.nodes, limit.nodes, own)
        return replace(
            limit, nodes=min(nodes for nodes in asked if nodes is not None), soft_seconds=None
        )


@cache
def measured_levels() -> Mapping[str, dict[str, tuple[float, float, float]]]:
    """Return what was measured of all levels; empty if nothing is stored."""
    return read_json(MEASURED) if MEASURED.is_file() else {}


def level_of(settings: Mapping[str, OptionValue], levels: Sequence[Level]) -> Level | None:
    """Return the level that a player's settings choose; None for full strength.

    Args:
        settings: values of all settings.
        levels: the player's levels, from 1.
    """
    number = cast("int", settings.get(KEY, 0))
    return levels[number - 1] if number else None


def allowed(values: Mapping[Move, float], margin: float) -> list[Move]:
    """Return the moves that are at most `margin` worse than the best one, the best first.

    If the best one is won, it stands alone. Lost moves are left out, unless all are lost.

    Args:
        values: value of each move for the side to move, from -1 (lost) to 1 (won).
        margin: from 0 to 2.
    """
    best = max(values.values())
    kept = [move for move, value in values.items() if best - margin <= value and value > -1.0]
    if best >= 1.0 or not kept:
        kept = [move for move, value in values.items() if value == best]
    return sorted(kept, key=lambda move: -values[move])


def draw(moves: Sequence[Move], rng: np.random.Generator) -> Move:
    """Draw one of some moves, all equally likely.

    Args:
        moves: at least one.
        rng: draws the move; its state changes, even for one move.
    """
    return moves[int(rng.integers(len(moves)))]


def _moves(count: int) -> str:
    """Return a number of moves in words."""
    return tr_many("{count} move", "{count} moves", count)


def _numbered(first: Level, *rows: Level) -> tuple[Level, ...]:
    """Return levels with their numbers, from 1."""
    return tuple(replace(level, number=number) for number, level in enumerate((first, *rows), 1))


_BY_SEARCH: Final = partial(Level, "alpha-beta", 0)
_BY_GAMES: Final = partial(Level, "mcts", 0, unit=tr("random games"))
_BY_NETWORKS: Final = partial(Level, "alphagomoku", 0, unit=tr("simulations"))
ALPHA_BETA: Final = _numbered(
    _BY_SEARCH(100, 0.5, 2),
    _BY_SEARCH(100, 0.45, 3),
    _BY_SEARCH(100, 0.03, 3),
    _BY_SEARCH(200, 0.15),
    _BY_SEARCH(300, 0.24, depth=1),
    _BY_SEARCH(600, 0.17, depth=2, fours=20),
    _BY_SEARCH(1200, 0.09, depth=3, fours=100),
    _BY_SEARCH(2500, 0.06, depth=4, fours=300),
    _BY_SEARCH(5000, 0.03, depth=8, fours=1000),
    _BY_SEARCH(20_000, 0.0, depth=40, fours=3000),
)
"""Levels of `alpha-beta`."""
MCTS: Final = _numbered(
    _BY_GAMES(60, 0.8, 2),
    _BY_GAMES(200, 0.35, 2),
    _BY_GAMES(400, 0.3, 3),
    _BY_GAMES(400, 0.35),
    _BY_GAMES(800, 0.22),
    _BY_GAMES(2000, 0.12),
    _BY_GAMES(4500, 0.09),
    _BY_GAMES(10_000, 0.05),
    _BY_GAMES(22_000, 0.02),
    _BY_GAMES(50_000, 0.0),
)
"""Levels of `mcts`."""
ALPHAGOMOKU: Final = _numbered(
    _BY_NETWORKS(24, 1.5, 2, exploration=50.0, noise=0.95),
    _BY_NETWORKS(24, 0.8, 3, exploration=50.0, noise=0.9),
    _BY_NETWORKS(24, 0.4, 3, exploration=30.0, noise=0.8),
    _BY_NETWORKS(24, 0.5, exploration=30.0, noise=0.8),
    _BY_NETWORKS(24, 0.45, exploration=25.0, noise=0.72),
    _BY_NETWORKS(24, 0.37, exploration=18.0, noise=0.62),
    _BY_NETWORKS(24, 0.3, exploration=15.0, noise=0.5),
    _BY_NETWORKS(40, 0.2, exploration=8.0, noise=0.3),
    _BY_NETWORKS(180, 0.03, exploration=2.0, fours=50),
    _BY_NETWORKS(600, 0.0, exploration=2.0, fours=100),
)
"""Levels of `alphagomoku`."""

"""A tournament: its players, rules, openings, and the list of its games."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np

from ai.game import (
    PASS,
    Game,
    Move,
    OpeningKind,
    OpeningPhase,
    Outcome,
    Position,
    Rules,
    RulesError,
    balanced_stones,
    board_of,
    game_of,
)
from ai.game.opening import BALANCED_COUNT
from ai.players.base import Player
from ai.registry.engines import PREFIX
from ai.registry.info import open_project
from ai.registry.players import (
    PLAYERS,
    UnknownPlayerError,
    create_player,
    find_player_info,
    get_player_info,
    resolve_settings,
    split_label,
)
from ai.search.base import Limit
from ai.session.game import opening_move
from base.errors import UsageError
from base.manifest import ProjectError
from base.schema import OptionError, OptionValue, check_fields, setting
from base.storage.run_folder import difference_of
from base.values import JsonObject

log = logging.getLogger(__name__)

STONES: Final = 3
"""Number of random stones of an opening on boards too small for the list of openings.

The stones are Black, White, Black. `LEAST_LISTED` is the smallest size of a board for the list.
"""
LEAST_LISTED: Final = 9
"""Smallest board size for which the list of balanced openings is used."""
TRIES: Final = 200
TURNS: Final = 8
"""Number of rotations and reflections in which the list holds each opening."""

PLAYED: Final[Mapping[str, OpeningKind]] = MappingProxyType(
    {
        kind.value: kind
        for kind in (OpeningKind.PRO, OpeningKind.LONG_PRO, OpeningKind.SWAP, OpeningKind.SWAP2)
    }
)
"""Openings by name in which the players place the stones and choose their colours themselves."""


def opening_positions(
    name: str, rules: Game, count: int, *, seed: int = 0
) -> list[tuple[Move, ...]]:
    """Return the initial moves of each of `count` openings.

    Args:
        name: one of `OPENINGS`.
        rules: rules of the game.
        count: number of openings.
        seed: random seed; with a larger `count` the first openings stay the same.
    """
    return OPENINGS[name](rules, count, seed)


def _empty(rules: Game, count: int, seed: int) -> list[tuple[Move, ...]]:
    return [()] * count


def _first_stone(rules: Game, count: int, seed: int) -> list[tuple[Move, ...]]:
    if not isinstance(rules, Rules):
        return _played(rules, 1, count, seed)
    return [(opening_move(rules, seed, number + 1),) for number in range(count)]


def _balanced(rules: Game, count: int, seed: int) -> list[tuple[Move, ...]]:
    """Draw openings from the balanced list; return the stones of each.

    A shape is an opening without regard to rotations and reflections. No shape comes again before
    all shapes have come.

    A game that is not m,n,k has no list: its openings are three random moves.

    Args:
        rules: rules of the game.
        count: number of openings.
        seed: random seed.
    """
    if not isinstance(rules, Rules):
        return _played(rules, STONES, count, seed)
    if min(rules.size, rules.rows) < LEAST_LISTED:
        return _drawn(rules, count, seed)
    rng = np.random.default_rng(seed)
    shapes = BALANCED_COUNT // TURNS
    found: list[tuple[Move, ...]] = []
    while len(found) < count:
        turns = rng.integers(TURNS, size=shapes)
        order = rng.permutation(shapes)
        found += [
            balanced_stones(rules, int(turn) * shapes + int(shape))
            for turn, shape in zip(turns, order, strict=True)
        ]
    return found[:count]


def _drawn(rules: Rules, count: int, seed: int) -> list[tuple[Move, ...]]:
    """Draw openings of three random stones near the centre; return the stones of each.

    Shapes, that is openings without regard to rotations and reflections, are all different. They
    repeat only when many draws in a row have found no new shape.

    Args:
        rules: rules of the game.
        count: number of openings.
        seed: random seed.
    """
    rng = np.random.default_rng(seed)
    near = rules.size // 2 - 1
    middle = (rules.rows // 2, rules.size // 2)
    rows, columns = (range(centre - near, centre + near + 1) for centre in middle)
    points = [row * rules.size + column for row in rows for column in columns]
    seen: set[bytes] = set()
    found: list[tuple[Move, ...]] = []
    tries = 0
    while len(found) < count:
        moves = tuple(points[int(place)] for place in rng.choice(len(points), STONES, False))
        shape = _shape(board_of(rules, moves))
        tries += 1
        if shape not in seen or tries >= TRIES:
            found.append(moves)
            seen.add(shape)
            tries = 0
    return found


def _played(rules: Game, plies: int, count: int, seed: int) -> list[tuple[Move, ...]]:
    """Draw openings of random moves of any game; none of them ends it.

    They are all different, as those of `_drawn` are. Of a `StoredGame` only their number of moves
    is known; the moves are passes.

    Args:
        rules: rules of the game.
        plies: number of moves of an opening.
        count: number of openings.
        seed: random seed.
    """
    if isinstance(rules, StoredGame):
        return [(PASS,) * plies] * count
    rng = np.random.default_rng(seed)
    seen: set[bytes] = set()
    found: list[tuple[Move, ...]] = []
    tries = 0
    while len(found) < count:
        position = board_of(rules)
        for _ in range(plies):
            moves = list(position.legal_moves)
            position.push(moves[int(rng.integers(len(moves)))])
            if position.outcome() is not None:
                position.pop()
                break
        shape = _shape(position)
        tries += 1
        if shape not in seen or tries >= TRIES:
            found.append(tuple(position.moves))
            seen.add(shape)
            tries = 0
    return found


def _shape(position: Position) -> bytes:
    """Return a key that is the same for a position and its rotations and reflections.

    Args:
        position: the position.
    """
    stones = np.array(position.stones, np.int8)
    turned: list[bytes] = [stones[turn].tobytes() for turn in position.rules.symmetries()]
    return min(turned)


OPENINGS: Final[Mapping[str, Callable[[Game, int, int], list[tuple[Move, ...]]]]] = (
    MappingProxyType(
        {
            "balanced": _balanced,
            "first": _first_stone,
            "none": _empty,
            **dict.fromkeys(PLAYED, _empty),
        }
    )
)
"""Function that returns the initial stones, by kind of opening.

`balanced`: from a list of balanced openings. `first`: one stone near the centre. `none` and the
openings in `PLAYED`: no stones.
"""


FORMAT: Final = "goishi.arena/1"
DEFAULT_SECONDS: Final = 0.5
PERSON: Final = "human"


class TournamentError(UsageError):
    """A tournament's configuration is invalid."""


@dataclass(frozen=True)
class Entrant:
    """One player of a tournament, with its settings."""

    label: str
    """The player's name in all results: its text form, such as `alpha-beta@depth=2`."""
    player: str
    """Name of the player in the registry of players."""
    settings: dict[str, OptionValue] = field(default_factory=dict)
    """Settings that differ from the player's defaults."""
    project: Path | None = None
    """Folder of a project that may define the player."""

    @classmethod
    def parse(cls, text: str, project: Path | None = None) -> Entrant:
        """Read an entrant from text: `NAME` or `NAME@KEY=VALUE,KEY=VALUE`.

        Args:
            text: the text to parse.
            project: folder of a project that may define players; None for none.

        Raises:
            TournamentError: there is no such player or setting, or the player is a person.
        """
        try:
            name, given = split_label(text)
            if name == PERSON:
                raise TournamentError(f"{text}: expected a player that computes, found a person")
            resolve_settings(get_player_info(name, project), given)
        except (UnknownPlayerError, OptionError, ProjectError) as error:
            raise TournamentError(f"{text}: {error}") from None
        return cls(text, name, dict(given), project)

    def seat(self, rules: Game) -> Player:
        """Create the entrant's player for a game.

        Raises:
            TournamentError: the player does not play these rules.
        """
        try:
            return create_player(self.player, rules, self.settings, project=self.project)
        except (OptionError, RulesError, UnknownPlayerError) as error:
            text = str(error).removeprefix(f"{self.player}: ")
            raise TournamentError(f"{self.label}: {text}") from None

    @property
    def title(self) -> str:
        """Title of the player, for display."""
        return find_player_info(self.player, self.project).title


@dataclass(frozen=True)
class Pairing:
    """One game of a tournament that is to be played."""

    number: int
    """Number of the game, from 1, in the order of play."""
    black: str
    """Label of the entrant that plays Black.

    If the opening can swap colors, it is the entrant that begins the opening.
    """
    white: str
    """Label of the other entrant."""
    opening: int
    """Number of the opening, from 0; each pair of entrants plays it with both colors."""
    moves: tuple[Move, ...]
    """The opening's moves, which are on the board at the start."""


@dataclass(frozen=True)
class Tournament:
    """Configuration of a tournament: players, rules, openings, budget of a move, and seed.

    Raises:
        TournamentError: on creation, if a value is invalid.
    """

    players: tuple[str, ...]
    """Labels of the players, each `NAME` or `NAME@KEY=VALUE,…`."""
    games: int = setting(20, 2, key="--games", help="Games of each pair, an even number.")
    """Number of games of each pair; it is even, since an opening is played with both colors."""
    rules: Game = field(default_factory=lambda: Rules(15, 5))
    """Rules of all games."""
    opening: str = setting(
        "balanced",
        key="--opening",
        choices=tuple(OPENINGS),
        help="How games begin: balanced (three stones), first (one near the centre), none, pro, "
        "long-pro, swap or swap2. Each with both colours.",
    )
    """Kind of opening, one of `ai.arena.tournament.OPENINGS`."""
    seconds: float | None = setting(
        None, 0.001, 3600.0, key="--move-seconds", help="Thinking time [0.5]."
    )
    """Seconds per move; if this and `nodes` are None, `DEFAULT_SECONDS`, or none by `clock`."""
    nodes: int | None = setting(
        None, 1, key="--nodes", help="Positions a move, in place of a time: repeatable.", kind=int
    )
    """Positions searched per move; None to limit the time instead.

    With this limit the games are repeatable.
    """
    seed: int = setting(0, key="--seed", help="The tournament's seed.")
    """Random seed of openings and players."""
    first_only: bool = False
    """Whether the first entrant plays all others, and these do not play each other (a gauntlet)."""
    project: Path | None = None
    """Folder of a project that may define players and the game; None for none.

    It is left out of `as_dict`.
    """
    clock: str = setting(
        "wall",
        key="--clock",
        choices=("wall", "cpu", "none"),
        help="Seconds by the wall, or of the processor (cpu): then a busy machine takes nothing "
        "from a player. none: each player ends a move by its own settings.",
    )
    """Clock that measures `seconds`: "wall", "cpu" or "none".

    "wall" is real time; "cpu" is CPU time of the game's process. With "cpu", other work on the
    machine costs no player time. With "none" a move has no limit but the player's settings, such as
    `iterations`, so that players can have different ones; the games are repeatable.
    """

    def __post_init__(self) -> None:
        """Check the values of the fields; the players are checked later, in `entrants`."""
        if len(self.players) < 2:
            raise TournamentError(f"arena: expected two or more players, found {len(self.players)}")
        twice = sorted({name for name in self.players if self.players.count(name) > 1})
        if twice:
            raise TournamentError(
                f"arena: expected each player once, found {twice[0]} twice; settings tell two "
                f"apart, as in {twice[0]}@KEY=VALUE"
            )
        try:
            check_fields(self)
        except OptionError as error:
            raise TournamentError(str(error)) from None
        if self.games % 2:
            raise TournamentError(
                f"--games: expected an even number (each opening with both colours), "
                f"found {self.games}"
            )
        if self.opening in PLAYED:
            try:
                if not isinstance(self.rules, Rules):
                    found = f"{self.opening} for {self.rules!r}"
                    raise RulesError(f"expected balanced, first or none, found {found}")
                OpeningPhase(self.rules, PLAYED[self.opening])
            except RulesError as error:
                raise TournamentError(f"--opening: {error}") from None
        if self.seconds is not None and self.nodes is not None:
            raise TournamentError("expected --move-seconds or --nodes, found both")
        self._check_clock()

    def _check_clock(self) -> None:
        if self.clock == "none" and (self.seconds is not None or self.nodes is not None):
            raise TournamentError("--clock none: expected no --move-seconds or --nodes, found one")
        outside = [name for name in self.players if name.startswith(PREFIX)]
        if self.clock != "wall" and outside:
            raise TournamentError(
                f"--clock {self.clock}: expected players of this program, found {outside[0]}, "
                f"which keeps its own time"
            )

    @property
    def limit(self) -> Limit:
        """Budget of each move."""
        if self.nodes is not None:
            return Limit(nodes=self.nodes)
        if self.clock == "none":
            return Limit()
        seconds = DEFAULT_SECONDS if self.seconds is None else self.seconds
        return Limit(seconds=seconds, on_processor=self.on_processor)

    @property
    def on_processor(self) -> bool:
        """Whether `seconds` are CPU time."""
        return self.clock == "cpu"

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of entrants that play each other, by label."""
        if self.first_only:
            return [(self.players[0], other) for other in self.players[1:]]
        return list(itertools.combinations(self.players, 2))

    @property
    def uses_project(self) -> bool:
        """Whether the code of a player, or of the game, comes from a project.

        Built-in players and outside engines do not count.
        """
        if not isinstance(self.rules, Rules):
            return True
        names = [label.partition("@")[0] for label in self.players]
        return any(name not in PLAYERS and not name.startswith(PREFIX) for name in names)

    def entrants(self) -> dict[str, Entrant]:
        """Return the entrants by label; each player is created once to check it.

        Raises:
            TournamentError: an entrant does not exist or does not play these rules.
        """
        found = {label: Entrant.parse(label, self.project) for label in self.players}
        for entrant in found.values():
            entrant.seat(self.rules).close()
        return found

    def pairings(self) -> list[Pairing]:
        """Return all games in order of play: per opening all pairs, and per pair both colours.

        All pairs play the same openings. After an interruption, all pairs have played about the
        same number of games.
        """
        positions = opening_positions(self.opening, self.rules, self.games // 2, seed=self.seed)
        found: list[Pairing] = []
        for number, moves in enumerate(positions):
            for one, other in self.pairs:
                for black, white in ((one, other), (other, one)):
                    found.append(Pairing(len(found) + 1, black, white, number, moves))
        return found

    def as_dict(self) -> JsonObject:
        """Return the configuration as plain values for JSON; `from_dict` reads them."""
        return {
            "players": list(self.players),
            "games": self.games,
            "rules": self.rules.as_dict(),
            "opening": self.opening,
            "seconds": self.seconds,
            "nodes": self.nodes,
            "seed": self.seed,
            "first_only": self.first_only,
            "clock": self.clock,
        }

    def __reduce__(self) -> tuple[object, ...]:
        """Return how another process makes it again: there the project is opened first."""
        return _tournament_of, (self.as_dict(), self.project)

    @classmethod
    def from_dict(
        cls, values: JsonObject, project: Path | None = None, *, is_read_only: bool = False
    ) -> Tournament:
        """Create a tournament from the result of `as_dict`.

        Args:
            values: the result of `as_dict`.
            project: folder of a project that may define players and the game; None for none.
            is_read_only: whether no more games are played, so that a project's game is not loaded.

        Raises:
            TournamentError: a key is missing or a value is invalid.
        """
        try:
            rules = _rules_of(values["rules"], project, is_read_only=is_read_only)
            return cls(
                players=tuple(str(name) for name in values["players"]),
                games=values["games"],
                rules=rules,
                opening=values["opening"],
                seconds=values["seconds"],
                nodes=values["nodes"],
                seed=values["seed"],
                first_only=values["first_only"],
                clock=values.get("clock", "wall"),
                project=project,
            )
        except (KeyError, TypeError, RulesError) as error:
            raise TournamentError(f"arena: expected a tournament, found {error}") from None

    def difference(self, found: JsonObject) -> str:
        """Describe how a stored tournament differs from this one.

        The stored tournament may have fewer games.

        Args:
            found: the stored tournament, as its `as_dict` returned it.

        Returns:
            The description; "" if the stored tournament can be resumed as this one.

        Raises:
            TournamentError: the values describe no tournament.
        """
        before = self.from_dict(found, self.project).as_dict()
        games = max(before["games"], self.games)
        return difference_of({**before, "games": games}, self.as_dict())

    def is_extension_of(self, before: Tournament) -> bool:
        """Return whether this tournament is another one, perhaps with more games.

        This is the former name of `difference`; it logs a warning.

        Args:
            before: the other tournament.
        """
        log.warning("Tournament.is_extension_of is now difference; the old name still works")
        return self.games >= before.games and not self.difference(before.as_dict())


@dataclass(frozen=True)
class StoredGame(Game):
    """The name and fields of a project's game, for the results of a tournament that was played."""

    described: JsonObject
    """What `Game.as_dict` returned."""
    size: int = 0

    def outcome(self, position: Position) -> Outcome | None:
        """Refuse: the rules are not loaded.

        Raises:
            RulesError: always.
        """
        raise RulesError(f"expected the rules of {self!r}, found only its name")

    def as_dict(self) -> JsonObject:
        """Return the description, as it was stored."""
        return self.described

    def __repr__(self) -> str:
        values = {key: value for key, value in self.described.items() if key != "create"}
        fields = ", ".join(f"{key}={value!r}" for key, value in values.items())
        return f"{str(self.described['create']).rpartition(':')[2]}({fields})"


def _rules_of(described: JsonObject, project: Path | None, *, is_read_only: bool) -> Game:
    """Return the rules that a stored tournament describes; see `Tournament.from_dict`."""
    if "create" not in described:
        return game_of(described)
    if is_read_only:
        return StoredGame(described, int(described.get("size", 0)))
    if project is not None:
        open_project(project)
    return game_of(described)


def _tournament_of(values: JsonObject, project: Path | None) -> Tournament:
    """Make a tournament in another process; see `Tournament.__reduce__`.

    Args:
        values: the result of `Tournament.as_dict`.
        project: folder of its project; None for none.
    """
    return Tournament.from_dict(values, project)

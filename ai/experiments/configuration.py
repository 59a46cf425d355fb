"""Configuration of one cell (one run) of the paper's table, and its opponents, who play Black."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Final

from ai.game import RULE_NAMES, WHITE, Rules, RulesError
from ai.memory import EXACT
from ai.nets.features import has_network
from ai.players.base import Player
from ai.players.genetic_settings import BOARD_SEEDED, FRESH
from ai.registry.players import (
    UnknownPlayerError,
    check_game,
    create_player,
    get_player_info,
    resolve_settings,
)
from ai.session import league
from ai.session.league import LEAGUE, MEMBERS, OPPONENTS, STRENGTH, member_of, player_of
from base.schema import OptionError, OptionValue, check_fields, setting
from base.storage.run_folder import difference_of
from base.values import JsonObject

LEARNER: Final = "cnn-ann"
OPPONENT: Final = league.GENETIC
CONDITIONS: Final = ("no-relearn", "none", "5", "10", "15", "20", "25", "30")
"""Conditions (a) to (h) of the paper's figures 6 to 9: how the learner's memory merges positions.

"no-relearn" trains on the last game only, "none" merges no positions. A number is the distance
alpha up to which similar positions are merged.
"""


MEMORY_CONTROLS: Final = ("none", "shuffled-labels", "random-labels")
CONTROLS: Final = (*MEMORY_CONTROLS, "untrained", "one-order", "new-order")
"""Names of the control conditions, which put something else in place of learning.

See `ai.experiments.controls`.
"""


def controls_of(settings: Mapping[str, OptionValue]) -> tuple[str, ...]:
    """Return the controls that a learner can have.

    A memory alone has no weights to leave untrained. A network of lines can not rank the points of
    the board in one order.

    Args:
        settings: all settings of the learner.
    """
    if "hidden" in settings:
        return CONTROLS
    return (*MEMORY_CONTROLS, "untrained") if has_network(settings) else MEMORY_CONTROLS


class ConfigurationError(ValueError):
    """A value of an experiment is invalid."""


@dataclass(frozen=True)
class CellConfiguration:
    """One cell: a learner plays White against the genetic algorithm or a league of opponents.

    Attributes:
        player: name of the learner in the registry.
        games: games to play.
        seed: seeds openings, nets and, with fresh randomness, the opponent.
        ga: strength of the genetic algorithm, "population x generations".
        randomness: randomness of the opponent, "board-seeded" or "fresh".
        settings: the learner's settings that differ from the player's defaults.
        opponent: further settings of the opponent.
        size: points along a side of the board.
        win_length: stones in a row that win.
        control: control condition in place of learning, see `ai.experiments.controls`.
        opponents: "genetic", or "league": several in turn, see `ai.session.league`.
        rule: name of the rule of all its games, one that its players support.
    """

    player: str = setting(
        LEARNER,
        key="--player",
        help="The learner: cnn-lines, ann-lines, cnn-ann, cnn-ann-plus or ann.",
    )
    games: int = setting(600, 1, key="--games", help="Games to play.")
    seed: int = setting(0, 0, 2**63 - 1, key="--seed", help="The run's seed.")
    ga: str = setting("10x10", key="--ga", help="Black's population x generations.")
    randomness: str = setting(
        BOARD_SEEDED,
        key="--randomness",
        choices=(BOARD_SEEDED, FRESH),
        help="Black's randomness: board-seeded (the same board, the same move) or fresh.",
    )
    """Randomness of the opponent: "board-seeded", as in the paper, or "fresh".

    The paper randomises the first stone "to prevent the same moves" (section 4.1). So the paper's
    opponent, too, must answer the same board with the same move.
    """
    settings: Mapping[str, OptionValue] = field(default_factory=dict)
    opponent: Mapping[str, OptionValue] = field(default_factory=dict)
    size: int = 7
    win_length: int = 5
    control: str = setting(
        "none",
        key="--control",
        choices=CONTROLS,
        help="In place of learning: random-labels, shuffled-labels, untrained, one-order or "
        "new-order.",
    )
    opponents: str = setting(
        OPPONENT,
        key="--opponents",
        choices=OPPONENTS,
        help="Who plays Black: genetic, or league: in turn genetic 10x10 and 50x30, pattern, "
        "alpha-beta and oracle.",
    )
    rule: str = setting(
        RULE_NAMES[0],
        key="--rule",
        choices=RULE_NAMES,
        help="Which rows win: freestyle, or standard (exactly five); others where the players "
        "know them.",
    )

    def __post_init__(self) -> None:
        """Check every value, and drop settings that the learner does not have.

        Raises:
            ConfigurationError: a value is invalid, or the players do not support the game.
        """
        try:
            check_fields(self)
        except OptionError as error:
            raise ConfigurationError(str(error)) from None
        if not STRENGTH.fullmatch(self.ga):
            raise ConfigurationError(
                f"--ga: expected population x generations as in 10x10, found {self.ga!r}"
            )
        self._check_players()

    def _check_players(self) -> None:
        """Check the players' names and settings, and that they support the game.

        Raises:
            ConfigurationError: a player or setting is unknown, or the player does not learn.
        """
        try:
            info = get_player_info(self.player)
            if info.learner is None:
                raise ConfigurationError(
                    f"--player: expected a player that learns, found {self.player!r}"
                )
            resolved = resolve_settings(info, self.settings)
            controls = controls_of(resolved)
            if self.control not in controls:
                raise ConfigurationError(
                    f"--control: expected {', '.join(controls)} for {self.player}, "
                    f"found {self.control!r}"
                )
            mine = {key: resolved[key] for key in self.settings if key in resolved}
            object.__setattr__(self, "settings", mine)
            resolve_settings(get_player_info(OPPONENT), self.opponent_settings)
            for name in (self.player, *self.opponent_names):
                check_game(get_player_info(name), self.rules)
        except UnknownPlayerError as error:
            raise ConfigurationError(f"--player: {error}") from None
        except (OptionError, RulesError) as error:
            raise ConfigurationError(str(error)) from None

    @property
    def rules(self) -> Rules:
        """The rules: a full board is White's win (the paper, section 3.2)."""
        return Rules(self.size, self.win_length, self.rule, full_board_winner=WHITE)

    @property
    def opponent_names(self) -> tuple[str, ...]:
        """Registry names of the players that play Black."""
        named = (name for name in MEMBERS if not STRENGTH.fullmatch(name))
        return (OPPONENT, *named) if self.is_league else (OPPONENT,)

    @property
    def resolved(self) -> dict[str, OptionValue]:
        """All settings of the learner, defaults included."""
        return resolve_settings(get_player_info(self.player), self.settings)

    @property
    def opponent_settings(self) -> dict[str, OptionValue]:
        """The opponent's settings: strength, randomness and further ones."""
        return {**strength(self.ga), "randomness": self.randomness, **self.opponent}

    @property
    def is_league(self) -> bool:
        """Whether Black is played by a league of opponents in turn."""
        return self.opponents == LEAGUE

    @property
    def condition(self) -> str:
        """The cell's name, for example `r4_a5_s0`: 4 records, alpha 5, seed 0.

        The names of the control and of the rule follow if they are not the defaults.
        """
        settings = self.resolved
        if settings.get("relearn", "memory") != "memory":
            part = str(settings["relearn"]).replace("-", "")
            part = "norelearn" if part == "lastgame" else part
        else:
            alpha = settings["alpha"]
            part = "anone" if alpha is None else f"a{float(alpha):g}"
        control = "" if self.control == "none" else f"_{self.control}"
        rule = "" if self.rule == RULE_NAMES[0] else f"_{self.rule}"
        return f"r{settings['records']}_{part}_s{self.seed}{control}{rule}"

    def as_dict(self) -> JsonObject:
        """Return plain values for JSON, every setting of the learner among them."""
        values = {
            **asdict(self),
            "settings": self.resolved,
            "opponent": dict(self.opponent),
        }
        if self.control == "none":
            del values["control"]
        if not self.is_league:
            del values["opponents"]
        if self.rule == RULE_NAMES[0]:
            del values["rule"]
        return values

    @classmethod
    def from_dict(cls, values: JsonObject) -> CellConfiguration:
        """Create a configuration from the values of `as_dict`; the default rule is freestyle.

        Raises:
            ConfigurationError: a key is unknown or a value does not fit.
        """
        try:
            return cls(**values)
        except TypeError as error:
            raise ConfigurationError(f"expected a cell's configuration: {error}") from None

    def difference(self, found: JsonObject) -> str:
        """Describe how a stored cell differs from this one, apart from `games`; "" if they agree.

        Older versions stored the memory's `index` as "exact". That is no difference from today's
        default, which is exact as long as the memory is small (see `ai.memory.index_kinds`).

        Args:
            found: the values of the stored cell's `as_dict`.

        Raises:
            ConfigurationError: the values describe no cell.
        """
        before = {**self.from_dict(found).as_dict(), "games": self.games}
        if "index" not in self.settings and before["settings"].get("index") == EXACT:
            before["settings"]["index"] = self.resolved["index"]
        return difference_of(before, self.as_dict())


def strength(text: str) -> dict[str, OptionValue]:
    """Return the opponent's settings for a strength such as "10x10".

    Raises:
        ConfigurationError: the text is no population x generations.

    >>> strength("50x30")
    {'population': 50, 'generations': 30}
    """
    try:
        return league.strength(text)
    except ValueError as error:
        raise ConfigurationError(str(error)) from None


def parse_alpha(text: str) -> dict[str, OptionValue]:
    """Return the learner's settings for a condition: "none", "no-relearn" or the distance alpha.

    Raises:
        ConfigurationError: the text is none of these.

    >>> parse_alpha("no-relearn")
    {'relearn': 'last-game'}
    """
    if text == "no-relearn":
        return {"relearn": "last-game"}
    settings = get_player_info(LEARNER).settings
    alpha = next(item for item in settings if item.key == "alpha")
    try:
        return {"alpha": replace(alpha, key="--alpha").resolve(text)}
    except OptionError as error:
        raise ConfigurationError(str(error)) from None


def parse_pairs(pairs: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Parse KEY=VALUE texts to the settings of the learner and those of the opponent.

    Keys that begin with `ga.` are the opponent's; the prefix is removed.

    Raises:
        ConfigurationError: a text has no equals sign or no key.
    """
    own: dict[str, str] = {}
    opponent: dict[str, str] = {}
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator or not key:
            raise ConfigurationError(f"--set: expected KEY=VALUE, found {pair!r}")
        if key.startswith("ga."):
            opponent[key.removeprefix("ga.")] = value
        else:
            own[key] = value
    return own, opponent


def create_member(configuration: CellConfiguration, member: str) -> Player:
    """Create an opponent: a member of the league, or the genetic algorithm.

    The genetic algorithm gets the opponent's settings of the run. A league member that is another
    player has its default settings.

    Args:
        configuration: configuration of the run.
        member: one of `MEMBERS`, or a strength of the genetic algorithm such as "10x10".
    """
    name, settings = player_of(member, configuration.opponent_settings)
    return create_player(name, configuration.rules, settings)


class Opponents:
    """The opponents of a run: one player for all games, or the members of a league.

    A league's member is created anew for each game and remembers nothing of earlier games. So a
    resumed run meets the same moves as an uninterrupted one.
    """

    def __init__(self, configuration: CellConfiguration) -> None:
        self._configuration = configuration
        self._seated: tuple[int, Player] | None = None

    def name_of(self, game: int) -> str | None:
        """Return the name of the league member that plays a game; None without a league.

        Args:
            game: number of the game.
        """
        if not self._configuration.is_league:
            return None
        return member_of(self._configuration.seed, game)

    def of(self, game: int) -> Player:
        """Return the opponent for a game.

        Args:
            game: number of the game.
        """
        number = game if self._configuration.is_league else 0
        if self._seated is None or self._seated[0] != number:
            name = self.name_of(game) or self._configuration.ga
            self._seated = (number, create_member(self._configuration, name))
        return self._seated[1]

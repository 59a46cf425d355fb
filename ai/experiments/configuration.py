"""Configuration of one cell of the paper's table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Final

from ai.game import WHITE, Rules, RulesError
from ai.registry.players import UnknownPlayerError, get_player_info, resolve_settings
from base.schema import OptionError, OptionValue
from base.values import JsonObject

OPPONENT: Final = "genetic"
LEAGUE: Final = "league"
OPPONENTS: Final = (OPPONENT, LEAGUE)
STRENGTH: Final = re.compile(r"([1-9]\d{0,3})x([1-9]\d{0,3})")
RANDOMNESS: Final = ("board-seeded", "fresh")
DEFAULT_RANDOMNESS: Final = "board-seeded"
"""As the paper: it randomises the first stone "to prevent the same moves" (section 4.1), which
says that its opponent, too, answers the same board with the same move."""


MOST_ALPHA: Final = 1e6
CONDITIONS: Final = ("no-relearn", "none", "5", "10", "15", "20", "25", "30")
"""Conditions (a) to (h) of the paper's figures 6 to 9."""


CONTROLS: Final = (
    "none", "shuffled-labels", "random-labels", "untrained", "one-order", "new-order",
)  # fmt: skip
"""What a learner's wins are compared with; `ai.experiments.controls` says what each does."""


class ConfigurationError(ValueError):
    """A value of an experiment is invalid; the text names it, what was expected and found."""


@dataclass(frozen=True)
class CellConfiguration:
    """One cell: a learner on White against the genetic algorithm, `games` games.

    Attributes:
        player: name of the learner in the registry.
        games: games to play.
        seed: seeds openings, nets and, with fresh randomness, the opponent.
        ga: "population x generations" of the opponent.
        randomness: randomness of the opponent, "board-seeded" or "fresh".
        settings: the learner's settings that differ from the player's defaults.
        opponent: further settings of the opponent.
        size: points along a side; win_length: stones in a row that win.
        control: control condition in place of learning, see `ai.experiments.controls`.
        opponents: "genetic", or "league": several in turn, see `ai.experiments.league`.
    """

    player: str = "cnn-ann"
    games: int = 600
    seed: int = 0
    ga: str = "10x10"
    randomness: str = DEFAULT_RANDOMNESS
    settings: Mapping[str, OptionValue] = field(default_factory=dict)
    opponent: Mapping[str, OptionValue] = field(default_factory=dict)
    size: int = 7
    win_length: int = 5
    control: str = "none"
    opponents: str = OPPONENT

    def __post_init__(self) -> None:
        """Check every value.

        Raises:
            ConfigurationError: one does not fit.
        """
        if self.games < 1:
            raise ConfigurationError(f"--games: expected 1 or more, found {self.games}")
        if not 0 <= self.seed < 2**63:
            raise ConfigurationError(f"--seed: expected 0 to 2^63 - 1, found {self.seed}")
        if not STRENGTH.fullmatch(self.ga):
            raise ConfigurationError(
                f"--ga: expected population x generations as in 10x10, found {self.ga!r}"
            )
        self._check_choices()
        self._check_players()

    def _check_players(self) -> None:
        """Check what the players' own settings say."""
        try:
            info = get_player_info(self.player)
            if info.learner is None:
                raise ConfigurationError(
                    f"--player: expected a player that learns, found {self.player!r}"
                )
            resolved = resolve_settings(info, self.settings)
            if "records" in resolved and int(resolved["records"] or 0) < 1:
                raise ConfigurationError(
                    f"--records: expected 1 or more, found {resolved['records']}"
                )
            if self.control not in (CONTROLS if "layout" in resolved else CONTROLS[:3]):
                raise ConfigurationError(
                    f"--control: expected {', '.join(CONTROLS[:3])} for {self.player}, which has "
                    f"no network, found {self.control!r}"
                )
            object.__setattr__(self, "settings", {key: resolved[key] for key in self.settings})
            resolve_settings(get_player_info(OPPONENT), self.opponent_settings)
            _ = self.rules
        except UnknownPlayerError as error:
            raise ConfigurationError(f"--player: {error}") from None
        except (OptionError, RulesError) as error:
            raise ConfigurationError(str(error)) from None

    def _check_choices(self) -> None:
        """Refuse words that are none of those known."""
        for flag, value, choices in (
            ("--randomness", self.randomness, RANDOMNESS),
            ("--opponents", self.opponents, OPPONENTS),
        ):
            if value not in choices:
                expected = " or ".join(choices)
                raise ConfigurationError(f"{flag}: expected {expected}, found {value!r}")
        if self.control not in CONTROLS:
            raise ConfigurationError(
                f"--control: expected one of {', '.join(CONTROLS)}; found {self.control!r}"
            )

    @property
    def rules(self) -> Rules:
        """The rules: a full board is White's win (the paper, section 3.2)."""
        return Rules(self.size, self.win_length, full_board_winner=WHITE)

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
        """The cell's name: records, condition, seed and control, as in `r4_a5_s0`."""
        settings = self.resolved
        if settings.get("relearn", "memory") != "memory":
            part = str(settings["relearn"]).replace("-", "")
            part = "norelearn" if part == "lastgame" else part
        else:
            alpha = settings["alpha"]
            part = "anone" if alpha is None else f"a{float(alpha):g}"
        control = "" if self.control == "none" else f"_{self.control}"
        return f"r{settings['records']}_{part}_s{self.seed}{control}"

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
        return values

    @classmethod
    def from_dict(cls, values: JsonObject) -> CellConfiguration:
        """Read what `as_dict` wrote.

        Raises:
            ConfigurationError: a key is unknown or a value does not fit.
        """
        try:
            return cls(**values)
        except TypeError as error:
            raise ConfigurationError(f"expected a cell's configuration: {error}") from None

    def is_same_run(self, other: CellConfiguration) -> bool:
        """Return whether the other cell continues this one: all equal but `games`."""
        mine, its = self.as_dict(), other.as_dict()
        return {**mine, "games": 0} == {**its, "games": 0}


def strength(text: str) -> dict[str, OptionValue]:
    """Return the opponent's settings for a strength such as "10x10".

    Raises:
        ConfigurationError: the text is no population x generations.

    >>> strength("50x30")
    {'population': 50, 'generations': 30}
    """
    match = STRENGTH.fullmatch(text)
    if match is None:
        raise ConfigurationError(f"expected population x generations as in 10x10, found {text!r}")
    return {"population": int(match[1]), "generations": int(match[2])}


def parse_alpha(text: str) -> dict[str, OptionValue]:
    """Return the learner's settings for a condition: "none", "no-relearn" or a distance.

    Raises:
        ConfigurationError: the text is none of these.

    >>> parse_alpha("no-relearn")
    {'relearn': 'last-game'}
    """
    if text == "no-relearn":
        return {"relearn": "last-game"}
    if text == "none":
        return {"alpha": None}
    try:
        alpha = float(text)
    except ValueError:
        alpha = -1.0
    if not 0.0 <= alpha <= MOST_ALPHA:
        raise ConfigurationError(
            f"--alpha: expected 'none' or a distance from 0 to {MOST_ALPHA:g}, found {text!r}"
        )
    return {"alpha": alpha}


def parse_pairs(pairs: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Parse KEY=VALUE texts to settings of learner and opponent (`ga.KEY`).

    Raises:
        ConfigurationError: a text has no equals sign.
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

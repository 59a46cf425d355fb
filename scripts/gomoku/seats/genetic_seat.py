"""The seat of the genetic algorithm, or of a league: several opponents that play in turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from ai import (
    BLACK,
    LEAGUE,
    MEMBERS,
    OPPONENTS,
    Game,
    OptionValue,
    PlayerInfo,
    find_player_info,
    get_player_info,
    league_refusal,
    member_of,
    player_of,
)
from scripts.gomoku.seats.seat import Seat
from sim import FieldError, field, option, tr

PLAYER = get_player_info("genetic")
OPTIONS = {item.key: item for item in PLAYER.settings}
STRENGTH_KEYS = ("population", "generations")
"""Names of the fields that have no effect in a league.

There, each opponent of the league brings its own values.
"""
UNSEATED = tr("five opponents in turn")


class GeneticSeat(Seat, title="Genetic player"):
    """Seat of a genetic algorithm, which evolves seven-stone sequences anew for each move.

    If `opponents` is "league", the members of a league play instead. They alternate from game to
    game, in an order drawn from the run's random seed.
    """

    setting_keys: ClassVar[tuple[str, ...]] = (
        "population",
        "generations",
        "elite",
        "mutation",
        "patience",
        "randomness",
        "fitness",
        "default_policy",
    )

    asked_opponents: str | None = option(
        name="opponents",
        metavar="KIND",
        choices=("genetic", "league"),
        excludes=("player-black",),
        help=(
            "Who plays Black: genetic, or league: in turn genetic 10x10 and 50x30, pattern, "
            "alpha-beta and oracle."
        ),
    )
    opponents: str = field(
        OPPONENTS[0],
        choices=OPPONENTS,
        help=tr(
            "genetic: the same in every game. league: in turn genetic 10x10 and 50x30, pattern, "
            "alpha-beta and oracle, in an order drawn from the seed; takes effect at the next game"
        ),
    )
    population: int = field(OPTIONS["population"])
    generations: int = field(OPTIONS["generations"])
    elite: float = field(OPTIONS["elite"])
    mutation: float = field(OPTIONS["mutation"])
    patience: int = field(OPTIONS["patience"])
    randomness: str = field(OPTIONS["randomness"])
    fitness: str = field(OPTIONS["fitness"])
    default_policy: bool = field(OPTIONS["default_policy"])

    _game = 0
    """Number of the game that the seat was last prepared for."""
    _member: str | None = None
    """Opponent of the league for which the seat was last prepared; None without a league."""

    def player_name(self) -> str:
        return PLAYER.name

    def settings(self) -> dict[str, OptionValue]:
        return {name: getattr(self, name) for name in self.setting_keys}

    def shown_keys(self, changed: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of the genetic algorithm's fields that have an effect.

        Args:
            changed: values by field name, which count instead of the present values of those
                fields.
        """
        is_league = changed.get("opponents", self.opponents) == LEAGUE
        return tuple(key for key in self.setting_keys if not (is_league and key in STRENGTH_KEYS))

    def take_side(self, color: int) -> None:
        super().take_side(color)
        if color == BLACK and self.asked_opponents:
            self.opponents = self.asked_opponents
            self._asked_for = self.player_name()  # a flag goes before the scene's guest

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == "opponents" and value == LEAGUE:
            self._asked_for = ""  # who is chosen while it runs goes before the flag

    # -- the league ---------------------------------------------------------------------------

    @property
    def is_league(self) -> bool:
        """Whether the members of the league play from the next game on.

        It is False while another player has been chosen for the seat.
        """
        return self.opponents == LEAGUE and self.chosen_player() == self.player_name()

    @property
    def member(self) -> str | None:
        return self._member

    def prepare_game(self, game: int) -> None:
        member = member_of(self.run.seed, game) if self.is_league else None
        if member is not None and game != self._game and self.worker is not None:
            self.worker.stand_up()  # a member remembers nothing of earlier games
        self._game, self._member = game, member

    def sitting(self) -> tuple[str, dict[str, Any]]:
        if self._member is None:
            return super().sitting()
        return player_of(self._member, self.settings())

    def played_as(self, opponent: str | None) -> tuple[str, dict[str, Any]] | None:
        if opponent in MEMBERS:
            return player_of(str(opponent), self.settings())
        return None if self._member is None else (self.player_name(), self.settings())

    def noted_settings(self) -> dict[str, Any]:
        return {**super().noted_settings(), "opponents": OPPONENTS[self.is_league]}

    async def prepare(self, color: int, rules: Game) -> None:
        if self._member is not None:
            self._check_league(rules)
        await super().prepare(color, rules)

    def refuses(self, key: str, value: OptionValue) -> str:
        """Return why a field may not have a value; empty if it may.

        Args:
            key: name of the field.
            value: the value.
        """
        if key != "opponents" or value != LEAGUE or self.rules is None:
            return ""
        return league_refusal(self.rules)

    def validate(self) -> None:
        super().validate()
        if self.opponents == LEAGUE and self.rules is not None:
            self._check_league(self.rules)

    @property
    def info(self) -> PlayerInfo:
        """Entry of the seat's player in the list of players.

        In a league its title names the opponent that plays this game.
        """
        known = super().info
        if self.is_human:
            return known
        if self._member is None:
            return replace(known, title=UNSEATED) if self.is_league and not self.player else known
        return replace(known, title=member_title(self._member))

    def _check_league(self, rules: Game) -> None:
        """Check that every member of the league can play a game.

        Raises:
            FieldError: a member cannot play it.
        """
        if refusal := league_refusal(rules):
            raise FieldError("opponents", expected="a game that all of them play", found=refusal)


def member_title(member: str) -> str:
    """Return the title of one of the league's opponents: "genetic algorithm 50x30".

    Args:
        member: name of the opponent.
    """
    name = player_of(member, {})[0]
    title = find_player_info(name).title
    return (title + " " + member) if name == PLAYER.name else title


def short_title(member: str) -> str:
    """Return the short title of one of the league's opponents, for a table: "genetic 50x30".

    Args:
        member: name of the opponent.
    """
    name = player_of(member, {})[0]
    return f"{name} {member}" if name == PLAYER.name else name

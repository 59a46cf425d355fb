"""What a user chooses for a new game: who plays, how strong, by which rules and which clock."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ai import (
    OPENING_NAMES,
    RULE_NAMES,
    Game,
    OpeningPhase,
    PlayerInfo,
    ProjectError,
    Rules,
    RulesError,
    UnknownPlayerError,
    get_player_info,
    opening_of,
    refusal_of,
    set_aside,
    write_json,
)
from scripts.gomoku.game.game_clock import TimeControl
from sim import FieldError, tr

FILE = "new_game.json"
"""Name of the file with a user's choices, in the data folder of the scene."""
LARGEST = 1 << 16  # bytes of the file
YOU = "you"
LEVEL = "level"
"""Name of the setting of players whose strength can be chosen, from 1 to `MOST_LEVEL`."""
MOST_LEVEL = 10
SIZES = (3, 22)
COLORS = ("chosen", "lot", "changed")
"""How the colors are given: as chosen, by lot, or changed after each game."""
MOST_THINKING = 3600.0
EXPECTED = MappingProxyType(
    {
        "size": tr("{sizes} to {sizes2}").format(sizes=SIZES[0], sizes2=SIZES[1]),
        "seconds": tr("0 to {most_thinking:g}").format(most_thinking=MOST_THINKING),
    }
)
"""What is expected of the numbers, by name."""


@dataclass(frozen=True)
class SeatChoice:
    """Who plays a side.

    Attributes:
        player: name of the player; "you" for a person.
        level: its strength from 1 to 10; 0 for full strength.
    """

    player: str = YOU
    level: int = 0

    @property
    def is_person(self) -> bool:
        """Whether a person plays."""
        return self.player == YOU

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the player."""
        return {LEVEL: self.level} if self.level else {}

    @property
    def words(self) -> str:
        """The player in words, such as "mcts, level 3"."""
        return (
            tr("{player}, level {level}").format(player=self.player, level=self.level)
            if self.level
            else self.player
        )


@dataclass(frozen=True)
class GameChoices:
    """The choices of a new game.

    Attributes:
        black: who plays Black, or begins an opening.
        white: who plays White.
        size: points along a side of the board.
        rule: which rows win.
        opening: how the game begins.
        seconds: thinking time of a player's move; 0 for the player's own.
        clock: time of both sides.
        colors: how the colors are given; one of `COLORS`.
        takes_back: whether moves may be taken back.
        hints: whether hints may be asked for.
    """

    black: SeatChoice = field(default_factory=SeatChoice)
    white: SeatChoice = field(default_factory=SeatChoice)
    size: int = 15
    rule: str = "freestyle"
    opening: str = "none"
    seconds: float = 0.0
    clock: TimeControl = field(default_factory=TimeControl)
    colors: str = COLORS[0]
    takes_back: bool = True
    hints: bool = True

    @property
    def changed(self) -> GameChoices:
        """The same game with changed colors."""
        return replace(self, black=self.white, white=self.black)

    def rules(self, base: Game) -> Game:
        """Return the rules of the game.

        Args:
            base: rules of the scene's match. Where they are not those of stones in a row on a
                square, they are the rules.

        Raises:
            FieldError: the rule does not fit the board.
        """
        if not isinstance(base, Rules) or not has_choices(base):
            return base
        is_same = self.size == base.size
        try:
            return Rules(
                size=self.size,
                win_length=min(base.win_length, self.size),
                rule=self.rule,
                full_board_winner=base.full_board_winner if is_same else 0,
            )
        except RulesError as error:
            raise FieldError(
                "rule", expected=str(error).partition("expected ")[2], found=""
            ) from None

    def faults(self, base: Game, project: Path) -> dict[str, str]:
        """Return why the game cannot be played, by the name of the field to which it belongs.

        Args:
            base: rules of the scene's match.
            project: folder of the project, whose own players are known.
        """
        found: dict[str, str] = {}
        try:
            rules = self.rules(base)
        except FieldError as error:
            return {error.field: tr("expected {expected}").format(expected=error.expected)}
        try:
            OpeningPhase(rules, opening_of(self.opening))
        except RulesError as error:
            found["opening"] = str(error)
        for side, choice in (("black", self.black), ("white", self.white)):
            fault = fault_of(choice, rules, project)
            if fault:
                found[side] = fault
        return found

    def with_value(self, key: str, value: Any) -> GameChoices:
        """Return these choices with another value.

        Args:
            key: name of a field of the choices, of a seat's (`black_level`), or of the clock's.
            value: the new value; of `clock` its four numbers.

        Raises:
            FieldError: the value is out of its bounds, or there is no such field.
        """
        side, _, of_seat = key.partition("_")
        if key == "black":
            found = replace(self, black=replace(self.black, player=str(value)))
        elif key == "white":
            found = replace(self, white=replace(self.white, player=str(value)))
        elif side in ("black", "white") and of_seat == LEVEL:
            found = replace(self, **{side: replace(getattr(self, side), level=value)})
        elif key == "clock":
            found = replace(self, clock=TimeControl(*value))
            found.clock.check()
        elif key in TimeControl.__dataclass_fields__:
            found = replace(self, clock=replace(self.clock, **{key: value}))
            found.clock.check()
        elif key in GameChoices.__dataclass_fields__:
            found = replace(self, **{key: value})
        else:
            raise FieldError(key, expected="a field of a new game", found="none")
        if not found._is_sound():
            raise FieldError(key, expected=EXPECTED.get(key, "a known value"), found=repr(value))
        return found

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; the inverse of `from_dict`."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> GameChoices:
        """Read the result of `as_dict`.

        Raises:
            ValueError: a value has another type or is not known.
        """
        known = dict(values)
        try:
            black, white = (SeatChoice(**known.pop(side)) for side in ("black", "white"))
            clock = TimeControl(**known.pop("clock"))
            found = cls(black, white, clock=clock, **known)
            clock.check()
        except (KeyError, TypeError, AttributeError, FieldError) as error:
            raise ValueError(f"expected the choices of a game, found {error}") from None
        if not found._is_sound():
            raise ValueError("expected the choices of a game, found a value that none has")
        return found

    def _is_sound(self) -> bool:
        """Return whether each value has its type and is a known one."""
        numbers = (self.size, self.black.level, self.white.level, self.clock.periods)
        texts = (self.black.player, self.white.player)
        return (
            all(type(number) is int for number in numbers)
            and all(0 <= level <= MOST_LEVEL for level in numbers[1:3])
            and SIZES[0] <= self.size <= SIZES[1]
            and all(isinstance(text, str) and 0 < len(text) <= 200 for text in texts)
            and isinstance(self.seconds, int | float)
            and 0.0 <= self.seconds <= MOST_THINKING
            and self.rule in RULE_NAMES
            and self.opening in OPENING_NAMES
            and self.colors in COLORS
            and isinstance(self.takes_back, bool)
            and isinstance(self.hints, bool)
        )


def has_choices(base: Game) -> bool:
    """Return whether size and rule can be chosen: for stones in a row on a square, no gravity."""
    return isinstance(base, Rules) and base.is_plain


def has_levels(info: PlayerInfo) -> bool:
    """Return whether a player has the setting `level`, without importing its module."""
    declared = any(option.key == LEVEL for option in info.own_settings)
    return declared or bool(info.levels)


def fault_of(choice: SeatChoice, rules: Game, project: Path) -> str:
    """Return why a player cannot play by some rules; empty if it can.

    Args:
        choice: the player.
        rules: rules of the game.
        project: folder of the project, whose own players are known.
    """
    if choice.is_person:
        return ""
    try:
        info = get_player_info(choice.player, project)
    except (UnknownPlayerError, ProjectError) as error:
        return str(error)
    return refusal_of(info, rules, choice.settings).removeprefix(f"{info.name}: ")


class KeptChoices:
    """The choices of a scene's user, in a file of the scene's data folder.

    Attributes:
        fault: why the file could not be read or written; empty if it could.
    """

    def __init__(self, folder: Path) -> None:
        """Remember the folder; nothing is read yet."""
        self.fault = ""
        self._path = folder / FILE
        self._is_whole = True

    def read(self) -> GameChoices | None:
        """Return the kept choices; None if there are none.

        A file that cannot be read is kept aside by the next `write`, with `.bad` after its name.
        """
        self._is_whole = not os.path.lexists(self._path)
        try:
            if not self._path.is_file() or self._path.stat().st_size > LARGEST:
                return None
            found = GameChoices.from_dict(json.loads(self._path.read_text(encoding="utf-8")))
        except (OSError, ValueError, AttributeError, RecursionError) as error:
            self.fault = f"{self._path}: the scene's default is used: {error}"
            return None
        self._is_whole = True
        return found

    def write(self, choices: GameChoices) -> None:
        """Keep choices."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if not self._is_whole and os.path.lexists(self._path):
                kept = set_aside(self._path)
                self.fault = tr("{path}: it could not be read; it is kept as {kept}").format(
                    path=self._path, kept=kept
                )
            self._is_whole = True
            write_json(self._path, choices.as_dict())
        except OSError as error:
            self.fault = f"{self._path}: expected to keep the choices, found: {error.strerror}"

    def forget(self) -> None:
        """Delete the kept choices."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)


PORTRAITS = MappingProxyType(
    {
        "network": ("brain", "blue"),
        "memory": ("book", "green"),
        "plans": ("dna", "green"),
        "proof": ("scale-balanced", "red"),
        "patterns": ("table-cells", "muted"),
        "field": ("border-all", "muted"),
        "scores": ("ranking-star", "blue"),
        "search": ("chess-knight", "amber"),
        "guided search": ("sitemap", "amber"),
        "rule": ("ruler", "muted"),
        "": ("circle-question", "muted"),
        "choice": ("puzzle-piece", "muted"),
    }
)
"""Icon and colour of a player's portrait, by the kind of its explanations."""
ENGINE_PORTRAIT = ("plug", "blue")
PERSON_PORTRAIT = ("user", "amber")


def portrait_of(info: PlayerInfo | None) -> tuple[str, str]:
    """Return icon and colour of a player's portrait.

    Args:
        info: the player; None for a person.
    """
    if info is None:
        return PERSON_PORTRAIT
    if info.name.startswith("gomocup:"):
        return ENGINE_PORTRAIT
    return info.portrait or PORTRAITS.get(info.explains, PORTRAITS["choice"])

"""The seat of any player by name, including a project's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ai import (
    Option,
    OptionError,
    PlayerInfo,
    ProjectError,
    UnknownPlayerError,
    get_player_info,
    resolve_settings,
)
from scripts.gomoku.seats.pending import read_pairs
from scripts.gomoku.seats.seat import Seat
from sim import FieldError, field, tr


class PlayerSeat(Seat, title="Player"):
    """Seat of any player: a shipped one, or one that a function of the project creates."""

    has_own_fields: ClassVar[bool] = False

    player_kind: str = field(
        "random",
        title=tr("Player"),
        help=tr("A name that `players` lists, or scripts.my_player:create of your own"),
    )
    more: str = field(
        "",
        title=tr("More settings"),
        help=tr("KEY=VALUE, separated by spaces; the fields below go before them"),
    )

    def player_name(self) -> str:
        return self.player_kind

    def settings(self) -> dict[str, Any]:
        return {**{item.key: item.default for item in self.own_settings()}, **self.given({})}

    def given(self, changed: Mapping[str, Any]) -> dict[str, str]:
        """Return the settings written in the field `more`, as texts by name.

        Args:
            changed: values by field name, which count instead of the present values of those
                fields.
        """
        return read_pairs(str(changed.get("more", self.more)))

    @property
    def player_options(self) -> Mapping[str, tuple[Option, ...] | None]:
        """Settings that can be edited, by name of the player that they belong to.

        Those written in the field `more` are left out. The value is None while a worker is asked
        for the settings.
        """
        given = self.given({})
        return {
            name: options and tuple(item for item in options if item.key not in given)
            for name, options in super().player_options.items()
        }

    def own_settings(self) -> tuple[Option, ...]:
        """Return the settings that the player declares, if it is a project's own.

        For a shipped player the result is empty, because reading its settings would import its
        module.
        """
        info = self._info()
        return () if info is None else info.own_settings

    def validate(self) -> None:
        super().validate()
        self.check_player("player_kind", self.player_kind)
        info = self._info()
        try:
            if info is not None and info.project is not None:
                resolve_settings(info, self.given({}))
        except OptionError as error:
            raise FieldError("more", expected="settings of the player", found=str(error)) from None

    def _info(self) -> PlayerInfo | None:
        """Return the entry of the player in the list of players; None if it is unknown."""
        try:
            return get_player_info(self.player_kind, self.run.offering)
        except (UnknownPlayerError, ProjectError):
            return None

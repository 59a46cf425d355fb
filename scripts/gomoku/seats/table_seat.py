"""A seat whose player, settings and time are set by a script: for games of the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ai import Game, Limit, PlayerInfo, find_player_info
from ai.messages import LoadCheckpoint, LoadWeights
from scripts.gomoku.seats.seat import STAND_IN, Seat


class TableSeat(Seat, title="Seat of an own game"):
    """Seat of a game of the user's own; it is not part of the scene's file.

    Attributes:
        allowed: limit of the next move.
    """

    has_own_fields: ClassVar[bool] = False

    def awake(self) -> None:
        super().awake()
        self.allowed = Limit()
        self._name = STAND_IN
        self._own: dict[str, Any] = {}
        self._lent: LoadWeights | LoadCheckpoint | None = None

    def seat_player(
        self,
        name: str,
        settings: Mapping[str, Any],
        network: LoadWeights | LoadCheckpoint | None = None,
    ) -> None:
        """Choose the player of the next game.

        Args:
            name: name of the player.
            settings: those of its settings that are not the defaults.
            network: the learner's network that it plays with; None for its own.
        """
        self.is_human = False
        self._name, self._own, self._lent = name, dict(settings), network

    def seat_person(self) -> None:
        """Let a person play the next game."""
        self.is_human = True

    @property
    def info(self) -> PlayerInfo:
        """Entry of the chosen player, which may not have started yet; "you" for a person."""
        return super().info if self.is_human else find_player_info(self._name, self.run.offering)

    def player_name(self) -> str:
        return self._name

    def settings(self) -> dict[str, Any]:
        return dict(self._own)

    @property
    def limit(self) -> Limit:
        """Limit of a move: what the clock and the chosen thinking time allow."""
        return self.allowed

    async def prepare(self, color: int, rules: Game) -> None:
        """Create the player for the next game; a person needs none.

        Args:
            color: color that the seat plays.
            rules: rules of the game.

        Raises:
            WorkerError: the player cannot be created.
            UnknownPlayerError: no player has the chosen name.
        """
        if self.is_human:
            self.color, self.rules, self.player = color, rules, ""
            return
        await super().prepare(color, rules)
        if self._lent is not None and self.worker is not None and self.seated is not None:
            await self.worker.sit_down(self.seated, self._lent)

    def abandon(self) -> None:
        """End the worker's thinking about a game that is over; its player is created anew."""
        if self.worker is not None and self.worker.link is not None:
            self.worker.restart()

"""The player `gomocup:NAME`: an outside engine that sits at the board like any other player."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

import numpy as np

from ai.game import PASS, Game, GameOverError, Position, RulesError
from ai.players.base import Limit, MoveChoice, PlayerError
from ai.protocol.hosting.engine import Engine
from ai.protocol.hosting.faults import EngineFaultError
from ai.protocol.rule_bits import rule_name
from ai.registry.engines import PREFIX, get_engine
from base.schema import OptionError, OptionValue


class EnginePlayer:
    """Plays an engine's moves; where the engine fails, it gives the game up and says why.

    The engine is started by `start` or the first move, and again after each failure.
    """

    def __init__(self, engine: Engine, rules: Game) -> None:
        """Take a seat.

        Args:
            engine: not started yet; the player's own from now on.
            rules: what is played.

        Raises:
            OptionError: the engine does not play this game.
        """
        entry = engine.entry
        self.name = PREFIX + entry.name
        try:
            named = rule_name(rules)
        except RulesError as error:
            raise OptionError(f"{self.name}: {error}") from None
        if named not in entry.rules:
            raise OptionError(f"{self.name}: expected {' or '.join(entry.rules)}, found {named}")
        self.engine = engine
        self._rules = rules

    def start(self) -> None:
        """Start the engine now; what fails is told by the first move."""
        with contextlib.suppress(EngineFaultError):
            self.engine.open(self._rules)

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Ask the engine; see `Player.choose`. `limit.nodes` cannot be told to it."""
        if board.outcome() is not None:
            raise GameOverError(f"expected a game that goes on, found {board.outcome()}")
        try:
            return MoveChoice(self.engine.choose(board, limit.seconds))
        except EngineFaultError as error:
            return MoveChoice(PASS, forfeit=str(error))

    def close(self) -> None:
        """End the engine."""
        self.engine.close()


def create(rules: Game, settings: Mapping[str, OptionValue]) -> EnginePlayer:
    """Create the player and start its engine; called by the registry, which names a declared one.

    Raises:
        PlayerError: no engine is named.
        UnknownPlayerError: nobody has declared it.
        OptionError: it does not play this game.
    """
    name = settings.get("engine")
    if not isinstance(name, str):
        raise PlayerError(f"expected a player {PREFIX}NAME, found no name of an engine")
    player = EnginePlayer(Engine(get_engine(name)), rules)
    player.start()
    return player


__all__ = ["EnginePlayer", "create"]

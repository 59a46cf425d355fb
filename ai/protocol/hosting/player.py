"""The player `gomocup:NAME`: an outside engine that plays like any other player."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Mapping

import numpy as np

from ai.game import (
    PASS,
    Choice,
    Game,
    Move,
    OpeningKind,
    OpeningPhase,
    Position,
    RulesError,
    Said,
    require_open,
)
from ai.players.base import Limit, MoveChoice, PlayerError
from ai.protocol.hosting.engine import Engine
from ai.protocol.hosting.process import EngineFault, EngineFaultError
from ai.protocol.messages import Coordinates, Swap
from ai.protocol.table import move_of, rule_name
from ai.registry.engines import PREFIX, get_engine
from ai.session.opening import plan_by_value
from base.schema import OptionError, OptionValue

log = logging.getLogger(__name__)


class _Valueless:
    """Player that takes an engine's place where the value of a position is asked for.

    Engines give no values.
    """

    name = PREFIX

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Return a pass without a value, whatever the position.

        Args:
            board: the position.
            limit: ignored.
            rng: ignored.
        """
        return MoveChoice(PASS)

    def close(self) -> None:
        """Do nothing."""


class EnginePlayer:
    """Player that plays an engine's moves; if the engine fails, it resigns with the reason.

    The engine is started by `start`, or else by the first move. After a failure it is started again
    by the next move.
    """

    def __init__(self, engine: Engine, rules: Game) -> None:
        """Create the player for a game.

        Args:
            engine: an engine that is not started yet; used by this player only.
            rules: rules of the game.

        Raises:
            OptionError: the engine does not play these rules.
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
        self._said: dict[tuple[Move, ...], tuple[Move, ...]] = {}
        """Stones that the engine has sent together with a choice in the opening.

        They are kept by the moves before them, for the next question.
        """
        self._fault = ""
        """Why the engine has lost in the opening; its first move reports this."""

    def start(self) -> None:
        """Start the engine now; the first move reports a failure."""
        with contextlib.suppress(EngineFaultError):
            self.engine.open(self._rules)

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Ask the engine for a move; see `Player.choose`.

        A limit in nodes is not supported.

        Args:
            board: the position.
            limit: seconds for the move.
            rng: random generator; its state changes.
        """
        require_open(board)
        if self._fault:
            fault, self._fault = self._fault, ""
            return MoveChoice(PASS, forfeit=fault)
        named = self._said.pop(tuple(board.moves), ())
        if named:
            return MoveChoice(named[0])
        try:
            return MoveChoice(self.engine.choose(board, limit.seconds))
        except EngineFaultError as error:
            return MoveChoice(PASS, forfeit=str(error))

    def choose_opening(
        self, phase: OpeningPhase, board: Position, limit: Limit, rng: np.random.Generator
    ) -> tuple[Said, ...]:
        """Ask the engine in the opening swap2; see `ChoosesOpenings.choose_opening`.

        In other openings, a plan of this program answers instead of the engine. The same holds if
        the engine does not know the command SWAP2BOARD. If the engine fails in another way, it
        loses the game at its first move.

        Args:
            phase: state of the opening.
            board: the position.
            limit: budget of the answer.
            rng: random generator; its state changes.
        """
        named = self._said.pop(tuple(board.moves), ())
        if named and not phase.choices:
            return named
        if phase.kind is OpeningKind.SWAP2 and not self._fault:
            try:
                return self._read_swap2(self.engine.swap2(board, limit.seconds), board)
            except EngineFaultError as error:
                if error.fault is not EngineFault.REFUSED:
                    self._fault = str(error)
                log.warning("%s; the opening swap2 is answered for it", error)
        has_moves = phase.kind in (OpeningKind.PRO, OpeningKind.LONG_PRO)
        return plan_by_value(self if has_moves else _Valueless(), phase, board, limit, rng)

    def _read_swap2(self, reply: Coordinates | Swap, board: Position) -> tuple[Said, ...]:
        """Convert an engine's reply to SWAP2BOARD to an answer in the opening.

        An engine may send its choice and its next stones at once. Then the stones are kept for the
        next question.

        Args:
            reply: points or SWAP.
            board: the position.
        """
        if isinstance(reply, Swap):
            return (Choice.BLACK,)
        stones = tuple(move_of(point, self._rules) for point in reply.points)
        if not board.ply:
            self._said.clear()
            return stones
        self._said = {tuple(board.moves): stones}
        return (Choice.TWO_MORE if len(stones) > 1 else Choice.WHITE,)

    def close(self) -> None:
        """End the engine."""
        self.engine.close()


def create(rules: Game, settings: Mapping[str, OptionValue]) -> EnginePlayer:
    """Create the player and start its engine; called by the registry of players.

    Args:
        rules: rules of the game.
        settings: settings of the player; the entry `engine` is the name of a declared engine.

    Raises:
        PlayerError: `settings` names no engine.
        UnknownPlayerError: there is no declaration of the engine.
        OptionError: the engine does not play these rules.
    """
    name = settings.get("engine")
    if not isinstance(name, str):
        raise PlayerError(f"expected a player {PREFIX}NAME, found no name of an engine")
    player = EnginePlayer(Engine(get_engine(name)), rules)
    player.start()
    return player

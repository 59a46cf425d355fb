"""The oracle player: plays a proven win where it finds one, else the genetic player's move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import numpy as np

from ai.game import BLACK, Board, GameOverError, Rules, RulesError
from ai.players import genetic
from ai.players.base import Limit, MoveChoice
from ai.players.settings import Setting, SettingError, SettingValue
from ai.search.oracle import TABLE_BITS, Oracle

SETTINGS: Final = (
    *genetic.SETTINGS,
    Setting("nodes", 20_000, 1, 10_000_000, help="positions that the proof of one move may cost"),
)


class OraclePlayer:
    """Plays either color; the genetic player's settings, and `nodes`.

    The explanation of a choice holds the genetic player's where the move is that
    player's, and always `result` ("black", "white" or "unknown": who wins, as far as
    proven before the move), `nodes` (visited) and `is_proven` (the move wins).
    """

    name = "oracle"

    def __init__(self, rules: Rules, settings: Mapping[str, SettingValue]) -> None:
        """Build the oracle and the genetic player.

        Raises:
            SettingError: the oracle does not know these rules.
        """
        own = {item.key: settings[item.key] for item in genetic.SETTINGS}
        self._genetic = genetic.create(rules, own)
        try:
            nodes = cast("int", settings["nodes"])
            bits = min(max(nodes.bit_length(), TABLE_BITS[0]), TABLE_BITS[1])
            self._oracle = Oracle(rules, node_limit=nodes, table_bits=bits)
        except RulesError as error:
            raise SettingError(f"{self.name}: {error}") from error

    def choose(self, board: Board, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Look for a proven win, then ask the genetic player; see `Player.choose`.

        Of the limit, only the nodes are looked at; they can only lower the setting.
        """
        if board.outcome() is not None:
            raise GameOverError(f"expected a game that goes on, found {board.outcome()}")
        nodes = self._oracle.node_limit
        if limit.nodes is not None:
            nodes = max(1, min(nodes, limit.nodes))
        verdict = self._oracle.solve(board, node_limit=nodes)
        found = {
            "result": verdict.result,
            "nodes": verdict.nodes,
            "is_proven": verdict.best_move is not None,
        }
        if verdict.best_move is not None:
            return MoveChoice(verdict.best_move, value=1.0, explanation=found)
        choice = self._genetic.choose(board, limit, rng)
        is_lost = verdict.result == ("white" if board.to_move == BLACK else "black")
        return MoveChoice(
            choice.move,
            value=-1.0 if is_lost else choice.value,
            policy=choice.policy,
            explanation={**choice.explanation, **found},
        )

    def close(self) -> None:
        """Nothing is held."""


def create(rules: Rules, settings: Mapping[str, SettingValue]) -> OraclePlayer:
    """Build the player: the registry's factory.

    Raises:
        SettingError: the oracle does not know these rules.
    """
    return OraclePlayer(rules, settings)

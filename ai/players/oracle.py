"""The oracle player: plays a proven win if it finds one, else the genetic player's move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import numpy as np

from ai.evaluators.base import UniformEvaluator
from ai.game import Position, Rules, RulesError, open_board
from ai.players import genetic, genetic_settings
from ai.players.base import Limit, MoveChoice
from ai.players.explanation import Proof
from ai.search.base import SearchClock
from ai.search.oracle import TABLE_BITS, Oracle
from base.schema import Option, OptionError, OptionValue

SETTINGS: Final = (
    *genetic_settings.SETTINGS,
    Option("nodes", 20_000, 1, 10_000_000, help="positions that the proof of one move may cost"),
)


class OraclePlayer:
    """Plays either color with an exact solver; has the genetic player's settings and `nodes`."""

    name = "oracle"

    def __init__(self, rules: Rules, settings: Mapping[str, OptionValue]) -> None:
        """Create the solver and the genetic player.

        Raises:
            OptionError: the oracle does not support these rules.
        """
        own = {item.key: settings[item.key] for item in genetic_settings.SETTINGS}
        self._genetic = genetic.create(rules, own)
        self._evaluator = UniformEvaluator()
        try:
            nodes = cast("int", settings["nodes"])
            bits = min(max(nodes.bit_length(), TABLE_BITS[0]), TABLE_BITS[1])
            self._oracle = Oracle(rules, node_limit=nodes, table_bits=bits)
        except RulesError as error:
            raise OptionError(f"{self.name}: {error}") from error

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Search for a proven win, and play it; without one, play the genetic player's move.

        See `Player.choose`. The solver may use half of the limit, and search at most as many
        positions as the setting `nodes` says.
        """
        board = open_board(board)
        clock = SearchClock(limit)
        found = self._oracle.search(board, self._evaluator, clock.remaining(0.5), rng)
        result = found.verdict.result
        if found.is_proven:
            proof = Proof(result=result, nodes=found.nodes, is_proven=True)
            return MoveChoice(found.move, value=found.value, explanation=proof)
        clock.nodes += found.nodes
        choice = self._genetic.choose(board, clock.remaining(), rng)
        proof = Proof(result, found.nodes, is_proven=False, instead=choice.explanation)
        is_lost = result != "unknown"
        return MoveChoice(
            choice.move,
            value=-1.0 if is_lost else choice.value,
            policy=choice.policy,
            explanation=proof,
        )

    def close(self) -> None:
        """Do nothing: no resources are held."""


create: Final = OraclePlayer
"""Creates the player; the registry calls it with the rules and the values of all settings."""

"""The genetic player: evolves sequences of seven stones and plays the fittest one's first move.

It follows a report on a Gomoku engine that cites Wang and Huang, "Evolving Gomoku Solver by Genetic
Algorithm" (IEEE WARTIA 2014). A genome has seven genes, each a point for one stone. The points lie
in the bounding rectangle of all stones plus a margin of one. Pattern values are the fitness, and
the fittest genomes are the parents. Crossover and mutation happen at random places until the
population is stable. Nothing is kept between moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

import numpy as np
from numpy.typing import NDArray

from ai.game import Move, Position, Rules, open_board, random_centre_point
from ai.kernels import evolution as kernels
from ai.kernels.jit import fields_of, new_record, set_field
from ai.kernels.position import KernelPosition
from ai.kernels.randomness import new_random, seed_random
from ai.kernels.values import FIVE_VALUE, stone_values, value_scale
from ai.players.base import Limit, MoveChoice
from ai.players.explanation import Evolution, ForcedMove, Opening
from ai.players.genetic_settings import FITNESS, FRESH
from ai.search.base import SearchClock
from base.schema import OptionValue

if TYPE_CHECKING:
    from ai.players.published.default_policy import DefaultPolicy

_READINGS: Final = (kernels.FIRST_FIVE, kernels.FINAL_POSITION, kernels.SUM_OF_STEPS)
"""The kernel's constants for the kinds of fitness, in the order of `FITNESS`."""
_DISCOUNT: Final = 0.9
"""Factor by which a five counts less for each step that it comes later."""
_EVEN_FITNESS: Final = 400.0
"""Fitness that gives the value 0.5: the fitness of two open threes."""


class GeneticPlayer:
    """Plays by a genetic algorithm that runs in one compiled function (kernel)."""

    name = "genetic"

    def __init__(self, rules: Rules, settings: Mapping[str, OptionValue]) -> None:
        self.rules = rules
        self._randomness = cast("str", settings["randomness"])
        self._fresh_share = cast("float", settings["fresh_share"])
        self._scale = value_scale(rules.win_length)
        self._position = KernelPosition(rules)
        self._random = new_random()
        self._record = new_record(kernels.EVOLUTION)
        self._fields = fields_of(self._record)
        self._population = cast("int", settings["population"])
        self._default_policy = _default_policy(rules) if settings["default_policy"] else None
        self._set_parameters(settings)

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Evolve a population for the side to move; see `Player.choose`.

        Without a limit all generations are run; each gene of a genome counts as one position of the
        limit. On an empty board one of the nine centre points is chosen with `rng`, whatever the
        setting `randomness`. With the setting `default_policy`, a forced move is played without
        evolution.
        """
        board = open_board(board)
        clock = SearchClock(limit)
        if board.stone_count == 0:
            return MoveChoice(random_centre_point(self.rules, rng), explanation=Opening())
        self._position.follow(board)
        forced = self._forced()
        if forced is not None:
            return MoveChoice(forced[0], explanation=forced[1])
        is_fresh = self._randomness == FRESH or (
            self._fresh_share > 0.0 and rng.random() < self._fresh_share
        )
        seed_random(self._random, int(rng.integers(1 << 63)) if is_fresh else board.key)
        position = self._position
        set_field(self._record, "population", self._population)
        with clock.record() as spent:
            move = int(
                kernels.evolve(position.record, position.table, self._record, self._random, spent)
            )
        explanation = self._explain()
        return MoveChoice(
            move=move,
            value=_to_value(explanation.fitness[0]),
            policy=self._policy(explanation.population),
            explanation=explanation,
        )

    def _forced(self) -> tuple[Move, ForcedMove] | None:
        """Return the forced move and its explanation; None if no move is forced.

        It is None also if the setting `default_policy` is off.
        """
        return None if self._default_policy is None else self._default_policy.find(self._position)

    def close(self) -> None:
        """Do nothing: no resources are held."""

    def _set_parameters(self, settings: Mapping[str, OptionValue]) -> None:
        """Write the settings and the pattern values where the kernel reads its parameters.

        Args:
            settings: values of all settings.
        """
        fields = self._fields
        population = self._population
        fields.generations = cast("int", settings["generations"])
        elites = round(cast("float", settings["elite"]) * population)
        fields.elites = min(max(elites, 1), population)
        fields.mutation_threshold = round(cast("float", settings["mutation"]) * (1 << 32))
        fields.patience = cast("int", settings["patience"])
        fields.reading = _READINGS[FITNESS.index(cast("str", settings["fitness"]))]
        fields.five_value = FIVE_VALUE * self._scale
        fields.stone_values[:] = stone_values(self.rules.win_length)
        fields.discounts[:] = [
            round(_DISCOUNT**step * kernels.DISCOUNT_UNIT) for step in range(kernels.GENES)
        ]

    def _explain(self) -> Evolution:
        """Return the explanation of the last move, from the results that the kernel has written."""
        fields = self._fields
        population, length = int(fields.population), int(fields.length)
        genes = np.array(fields.genomes[: population * kernels.GENES])
        genomes = genes.reshape(population, kernels.GENES)[:, :length].tolist()
        generations = int(fields.generation)
        return Evolution(
            population=tuple(map(tuple, genomes)),
            fitness=self._to_fitness(fields.fitness[:population]),
            best=self._to_fitness(fields.best_history[: generations + 1]),
            mean=self._to_fitness(fields.mean_history[: generations + 1]),
            generations=generations,
            has_stabilised=bool(fields.has_stabilised),
            box=tuple(int(edge) for edge in fields.box),
            randomness=self._randomness,
        )

    def _to_fitness(self, scaled: Sequence[int]) -> tuple[float, ...]:
        """Convert the kernel's integers to fitness in units of the pattern values.

        Args:
            scaled: the kernel's integers; each is a fitness times `value_scale`.
        """
        return tuple((np.array(scaled, np.float64) / self._scale).tolist())

    def _policy(self, population: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return the share of genomes that begin with each point: `[points]`."""
        policy = np.zeros(self.rules.points, np.float32)
        for genome in population:
            policy[genome[0]] += 1.0 / len(population)
        return policy


def _default_policy(rules: Rules) -> DefaultPolicy:
    """Return the default policy: fixed rules for forced moves.

    Its module is imported only here, so that other players do not load it.

    Args:
        rules: rules of the game.
    """
    from ai.players.published.default_policy import DefaultPolicy

    return DefaultPolicy(rules)


def _to_value(fitness: float) -> float:
    """Return the value in [-1, 1] that corresponds to a fitness."""
    return fitness / (abs(fitness) + _EVEN_FITNESS)


create: Final = GeneticPlayer
"""Creates the player; the registry calls it with the rules and the values of all settings."""

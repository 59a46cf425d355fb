"""The genetic player: evolves seven-stone continuations and plays the fittest one's first move.

As a report on a Gomoku engine describes it, which cites Wang and Huang, "Evolving Gomoku
Solver by Genetic Algorithm" (IEEE WARTIA 2014) for it: seven genes inside the box of the stones
grown by one, pattern values as fitness, the fittest as parents, crossover and mutation at random
points, until the population stabilises. It keeps nothing between moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from ai.game import Board, GameOverError, Rules, random_centre_point
from ai.kernels import evolution as kernels
from ai.kernels.jit import fields_of, new_record, set_field
from ai.kernels.position import Position
from ai.kernels.randomness import new_random, seed_random
from ai.kernels.values import FIVE_VALUE, stone_values, value_scale
from ai.players.base import Limit, MoveChoice
from ai.players.explanation import Evolution, Opening
from ai.search.clock import Clock
from base.schema import Option, OptionValue

BOARD_SEEDED: Final = "board-seeded"
FRESH: Final = "fresh"

_READINGS: Final = {
    "first-five": kernels.FIRST_FIVE,
    "final-position": kernels.FINAL_POSITION,
    "sum-of-steps": kernels.SUM_OF_STEPS,
}
_DISCOUNT: Final = 0.9
"""Worth of a five one step later, against the same five now."""
_EVEN_FITNESS: Final = 400.0
"""Fitness that is shown as the value 0.5: two open threes."""

SETTINGS: Final = (
    Option("population", 10, 2, kernels.MAX_POPULATION, help="genomes in a generation"),
    Option("generations", 10, 0, kernels.MAX_GENERATIONS, help="generations bred at most"),
    Option("elite", 0.2, 0.0, 1.0, help="share of the population that lives on and breeds"),
    Option("mutation", 0.2, 0.0, 1.0, help="probability that a child has one gene exchanged"),
    Option(
        "randomness",
        FRESH,
        choices=(BOARD_SEEDED, FRESH),
        help="board-seeded: the same position always gets the same move; fresh: drawn anew",
    ),
    Option(
        "fresh_share",
        0.0,
        0.0,
        1.0,
        help="share of moves that are drawn anew where the others are board-seeded",
    ),
    Option(
        "fitness",
        "first-five",
        choices=tuple(_READINGS),
        help="what a genome is worth: its first five, discounted, else its last position; "
        "its last position alone; or the sum over its steps",
    ),
    Option(
        "patience",
        5,
        1,
        kernels.MAX_GENERATIONS,
        help="generations without a better genome after which the population counts as stable",
    ),
)


class GeneticPlayer:
    """Plays by a genetic algorithm that runs in one kernel."""

    name = "genetic"

    def __init__(self, rules: Rules, settings: Mapping[str, OptionValue]) -> None:
        self.rules = rules
        self._randomness = cast("str", settings["randomness"])
        self._fresh_share = cast("float", settings["fresh_share"])
        self._scale = value_scale(rules.win_length)
        self._position = Position(rules)
        self._random = new_random()
        self._record = new_record(kernels.EVOLUTION)
        self._fields = fields_of(self._record)
        self._population = cast("int", settings["population"])
        self._set_parameters(settings)

    def choose(self, board: Board, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Evolve a population for the side to move; see `Player.choose`.

        Without a limit all generations are run; a gene of a genome counts as a node.
        On an empty board one of the nine centre points is drawn from `rng`,
        whatever the randomness setting says.
        """
        clock = Clock(limit)
        if board.outcome() is not None:
            raise GameOverError(f"expected a game that goes on, found {board.outcome()}")
        if board.ply == 0:
            return MoveChoice(random_centre_point(self.rules, rng), explanation=Opening())
        is_fresh = self._randomness == FRESH or (
            self._fresh_share > 0.0 and rng.random() < self._fresh_share
        )
        seed_random(self._random, int(rng.integers(1 << 63)) if is_fresh else board.key)
        self._position.follow(board)
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

    def close(self) -> None:
        """Do nothing: no resources are held."""

    def _set_parameters(self, settings: Mapping[str, OptionValue]) -> None:
        """Write the settings and the pattern values into the kernel's record."""
        fields = self._fields
        population = self._population
        fields.generations = cast("int", settings["generations"])
        elites = round(cast("float", settings["elite"]) * population)
        fields.elites = min(max(elites, 1), population)
        fields.mutation_threshold = round(cast("float", settings["mutation"]) * (1 << 32))
        fields.patience = cast("int", settings["patience"])
        fields.reading = _READINGS[cast("str", settings["fitness"])]
        fields.five_value = FIVE_VALUE * self._scale
        fields.stone_values[:] = stone_values(self.rules.win_length)
        fields.discounts[:] = [
            round(_DISCOUNT**step * kernels.DISCOUNT_UNIT) for step in range(kernels.GENES)
        ]

    def _explain(self) -> Evolution:
        """Read what the kernel left in its record."""
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
        """Return the kernel's whole numbers in the pattern table's unit."""
        return tuple((np.array(scaled, np.float64) / self._scale).tolist())

    def _policy(self, population: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return `[A]`: the share of genomes that begin with each point."""
        policy = np.zeros(self.rules.points, np.float32)
        for genome in population:
            policy[genome[0]] += 1.0 / len(population)
        return policy


def _to_value(fitness: float) -> float:
    """Squash a fitness into [-1, 1]."""
    return fitness / (abs(fitness) + _EVEN_FITNESS)


def create(rules: Rules, settings: Mapping[str, OptionValue]) -> GeneticPlayer:
    """Create the player; called by the registry."""
    return GeneticPlayer(rules, settings)

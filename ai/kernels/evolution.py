"""The genetic algorithm in one kernel.

A genome is a continuation of the game: up to seven moves of both sides in turn, beginning with the
side to move. Its fitness is the value of the resulting position for that side: the pattern values
of its own stones minus those of the opponent's.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ai.kernels.clock import CLOCK, may_go_on
from ai.kernels.jit import INT, TABLE, Record, Table, kernel
from ai.kernels.layout import (
    CLASSES,
    EMPTY_CELL,
    FIVE,
    MAX_GENERATIONS,
    MAX_POPULATION,
    POINTS,
    POSITION,
)
from ai.kernels.moves import best_class, place, take_back
from ai.kernels.randomness import RANDOM, next_below, next_bits

GENES: Final = 7

# What fitness looks at.
FIRST_FIVE: Final = 0
FINAL_POSITION: Final = 1
SUM_OF_STEPS: Final = 2

DISCOUNT_UNIT: Final = 1 << 20
"""Integer that stands for the discount 1.0."""

EVOLUTION: Final = np.dtype(
    [
        ("population", np.int64),
        ("generations", np.int64),
        ("elites", np.int64),
        ("patience", np.int64),
        ("mutation_threshold", np.int64),  # probability times 2^32
        ("reading", np.int64),
        ("length", np.int64),  # genes in use
        ("candidate_count", np.int64),
        ("generation", np.int64),  # generations bred
        ("has_stabilised", np.int64),
        ("stone_values", np.int64, CLASSES),
        ("five_value", np.int64),
        ("discounts", np.int64, GENES),  # times DISCOUNT_UNIT
        ("candidates", np.int16, POINTS),
        ("genomes", np.int16, MAX_POPULATION * GENES),  # [individual, gene], fittest first
        ("sorted_genomes", np.int16, MAX_POPULATION * GENES),
        ("fitness", np.int64, MAX_POPULATION),
        ("sorted_fitness", np.int64, MAX_POPULATION),
        ("order", np.int64, MAX_POPULATION),
        ("best_history", np.int64, MAX_GENERATIONS + 1),
        ("mean_history", np.int64, MAX_GENERATIONS + 1),
        ("box", np.int64, 4),  # first row, first column, last row, last column
    ],
    align=True,
)


@kernel(POSITION, EVOLUTION)
def find_box(positions: Record, evolutions: Record) -> None:
    """Find the rectangle around all stones, one point wider on each side, within the board.

    The record's `box` receives its first row, first column, last row and last column.

    Args:
        positions: the position.
        evolutions: record of the evolution.
    """
    position = positions[0]
    box = evolutions[0].box
    size = position.size
    box[0], box[1], box[2], box[3] = size, size, -1, -1
    for ply in range(position.ply):
        row = position.moves[ply] // size
        col = position.moves[ply] % size
        box[0] = min(box[0], max(row - 1, 0))
        box[1] = min(box[1], max(col - 1, 0))
        box[2] = max(box[2], min(row + 1, size - 1))
        box[3] = max(box[3], min(col + 1, size - 1))


@kernel(POSITION, EVOLUTION)
def find_candidates(positions: Record, evolutions: Record) -> None:
    """List the empty points near the stones as `candidates`, and set the number of genes.

    These are the points in the rectangle of `find_box`. The record's `length` receives the number
    of genes in each genome: that of the candidates, but at most `GENES`.

    Args:
        positions: the position.
        evolutions: record of the evolution.
    """
    position = positions[0]
    evolution = evolutions[0]
    find_box(positions, evolutions)
    count = 0
    for row in range(evolution.box[0], evolution.box[2] + 1):
        for col in range(evolution.box[1], evolution.box[3] + 1):
            move = row * position.size + col
            if position.board[position.cells[move]] == EMPTY_CELL:
                evolution.candidates[count] = move
                count += 1
    evolution.candidate_count = count
    evolution.length = min(GENES, count)


@kernel(EVOLUTION, RANDOM, INT)
def draw_genome(evolutions: Record, random: Record, individual: int) -> None:
    """Fill a genome with random candidates, all different.

    The order of `candidates` changes.

    Args:
        evolutions: record of the evolution.
        random: state of the random generator.
        individual: number of the genome in the population.
    """
    evolution = evolutions[0]
    for gene in range(evolution.length):
        other = gene + next_below(random, evolution.candidate_count - gene)
        drawn = evolution.candidates[other]
        evolution.candidates[other] = evolution.candidates[gene]
        evolution.candidates[gene] = drawn
        evolution.genomes[individual * GENES + gene] = drawn


@kernel(EVOLUTION, INT, INT, INT, returns=INT)
def holds(evolutions: Record, individual: int, move: int, count: int) -> int:
    """Return 1 if a move is among the first `count` genes of a genome, else 0.

    Args:
        evolutions: record of the evolution.
        individual: number of the genome in the population.
        move: the move to look for.
        count: number of genes to look at.
    """
    evolution = evolutions[0]
    for gene in range(count):
        if evolution.genomes[individual * GENES + gene] == move:
            return 1
    return 0


@kernel(EVOLUTION, RANDOM, INT, INT, returns=INT)
def draw_unused(evolutions: Record, random: Record, individual: int, count: int) -> int:
    """Return a random candidate that is not among the first `count` genes of a genome.

    There must be such a candidate.

    Args:
        evolutions: record of the evolution.
        random: state of the random generator.
        individual: number of the genome in the population.
        count: number of genes to look at.
    """
    evolution = evolutions[0]
    while True:
        move: int = evolution.candidates[next_below(random, evolution.candidate_count)]
        if holds(evolutions, individual, move, count) == 0:
            return move


@kernel(EVOLUTION, RANDOM, INT)
def breed(evolutions: Record, random: Record, individual: int) -> None:
    """Replace a genome by a child of two random genomes of the elite, the fittest ones.

    The child has the first parent's genes up to a random place, then those of the second. Genes
    that the child already has are replaced by random candidates.

    Args:
        evolutions: record of the evolution, its population sorted by fitness.
        random: state of the random generator.
        individual: number of the genome to replace.
    """
    evolution = evolutions[0]
    mother = next_below(random, evolution.elites)
    father = mother
    if evolution.elites > 1:
        father = (mother + 1 + next_below(random, evolution.elites - 1)) % evolution.elites
    point = 1 + next_below(random, max(1, evolution.length - 1))
    for gene in range(evolution.length):
        parent = mother if gene < point else father
        move = evolution.genomes[parent * GENES + gene]
        if holds(evolutions, individual, move, gene) == 1:
            move = draw_unused(evolutions, random, individual, gene)
        evolution.genomes[individual * GENES + gene] = move


@kernel(EVOLUTION, RANDOM, INT)
def mutate(evolutions: Record, random: Record, individual: int) -> None:
    """Replace one gene of a genome, at a random place, by a candidate that it does not have.

    If the genome has all candidates, two genes are exchanged instead.

    Args:
        evolutions: record of the evolution.
        random: state of the random generator.
        individual: number of the genome in the population.
    """
    evolution = evolutions[0]
    first = individual * GENES
    gene = next_below(random, evolution.length)
    if evolution.candidate_count > evolution.length:
        move = draw_unused(evolutions, random, individual, evolution.length)
        evolution.genomes[first + gene] = move
    else:
        other = next_below(random, evolution.length)
        kept = evolution.genomes[first + gene]
        evolution.genomes[first + gene] = evolution.genomes[first + other]
        evolution.genomes[first + other] = kept


@kernel(POSITION, EVOLUTION, INT, returns=INT)
def value_position(positions: Record, evolutions: Record, side: int) -> int:
    """Return the value of a position for `side`: its patterns' values minus the opponent's.

    Args:
        positions: the position.
        evolutions: record of the evolution.
        side: 0 for Black, 1 for White.
    """
    stones = positions[0].stones
    values = evolutions[0].stone_values
    value = 0
    for line_class in range(1, FIVE + 1):
        own = stones[side * CLASSES + line_class]
        others = stones[(1 - side) * CLASSES + line_class]
        value += values[line_class] * (own - others)
    return value


@kernel(POSITION, TABLE, EVOLUTION, INT, returns=INT)
def find_fitness(positions: Record, table: Table, evolutions: Record, individual: int) -> int:
    """Play the moves of a genome and return its fitness for the side to move.

    The field `reading` of the record says what counts. FIRST_FIVE: only the first five in a row,
    worth the value of a five times its discount, negative if the opponent made it. If there is
    none, the last position counts. FINAL_POSITION: only the last position. SUM_OF_STEPS: the
    discounted sum over all positions up to the first five.

    Args:
        positions: the position; unchanged afterwards.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        evolutions: record of the evolution.
        individual: number of the genome in the population.
    """
    position = positions[0]
    evolution = evolutions[0]
    mover = position.side
    fitness = 0
    placed = 0
    is_decided = False
    for gene in range(evolution.length):
        move = evolution.genomes[individual * GENES + gene]
        side = position.side
        makes_five = best_class(positions, move, side) == FIVE
        if makes_five and evolution.reading == FIRST_FIVE:
            value = evolution.five_value * evolution.discounts[gene] // DISCOUNT_UNIT
            fitness = value if side == mover else -value
            is_decided = True
            break
        place(positions, table, move)
        placed += 1
        if evolution.reading == SUM_OF_STEPS:
            value = value_position(positions, evolutions, mover)
            fitness += value * evolution.discounts[gene] // DISCOUNT_UNIT
            if makes_five:
                break
    if evolution.reading != SUM_OF_STEPS and not is_decided:
        fitness = value_position(positions, evolutions, mover)
    for _ in range(placed):
        take_back(positions, table)
    return fitness


@kernel(EVOLUTION)
def rank_population(evolutions: Record) -> None:
    """Sort the population by fitness, the fittest first; equally fit ones keep their order."""
    evolution = evolutions[0]
    for individual in range(evolution.population):
        place_at = individual
        while (
            place_at > 0
            and evolution.fitness[evolution.order[place_at - 1]] < evolution.fitness[individual]
        ):
            evolution.order[place_at] = evolution.order[place_at - 1]
            place_at -= 1
        evolution.order[place_at] = individual
    for rank in range(evolution.population):
        individual = evolution.order[rank]
        evolution.sorted_fitness[rank] = evolution.fitness[individual]
        for gene in range(GENES):
            moved = evolution.genomes[individual * GENES + gene]
            evolution.sorted_genomes[rank * GENES + gene] = moved
    for rank in range(evolution.population):
        evolution.fitness[rank] = evolution.sorted_fitness[rank]
        for gene in range(GENES):
            moved = evolution.sorted_genomes[rank * GENES + gene]
            evolution.genomes[rank * GENES + gene] = moved


@kernel(EVOLUTION)
def note_generation(evolutions: Record) -> None:
    """Add the best and the mean fitness of this generation to the record's history.

    Args:
        evolutions: record of the evolution, its population sorted by fitness.
    """
    evolution = evolutions[0]
    total = 0
    for rank in range(evolution.population):
        total += evolution.fitness[rank]
    evolution.best_history[evolution.generation] = evolution.fitness[0]
    evolution.mean_history[evolution.generation] = total // evolution.population


@kernel(EVOLUTION, returns=INT)
def is_stable(evolutions: Record) -> int:
    """Return 1 if the evolution has become stable, else 0.

    It is stable when all genomes are equally fit, or when the best fitness is the same as
    `patience` generations before.

    Args:
        evolutions: record of the evolution, its population sorted by fitness.
    """
    evolution = evolutions[0]
    if evolution.fitness[0] == evolution.fitness[evolution.population - 1]:
        return 1
    earlier = evolution.generation - evolution.patience
    if earlier >= 0 and evolution.best_history[earlier] == evolution.fitness[0]:
        return 1
    return 0


@kernel(POSITION, TABLE, EVOLUTION, INT, CLOCK)
def weigh_genome(
    positions: Record, table: Table, evolutions: Record, individual: int, clocks: Record
) -> None:
    """Compute a genome's fitness and count one searched position for each of its genes.

    Args:
        positions: the position; unchanged afterwards.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        evolutions: record of the evolution; its `fitness` receives the result.
        individual: number of the genome in the population.
        clocks: the budget of the move, in which the positions are counted.
    """
    evolution = evolutions[0]
    evolution.fitness[individual] = find_fitness(positions, table, evolutions, individual)
    clocks[0].nodes += evolution.length


@kernel(POSITION, TABLE, EVOLUTION, RANDOM, CLOCK, returns=INT)
def evolve(
    positions: Record, table: Table, evolutions: Record, random: Record, clocks: Record
) -> int:
    """Evolve a population for the side to move and return the fittest genome's first move.

    If the budget ends, only the genomes evaluated so far count; there is at least one. If that
    happens in the first generation, `population` is reduced to their number.

    Args:
        positions: the position; unchanged afterwards.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        evolutions: record of the evolution.
        random: state of the random generator.
        clocks: the budget of the move.
    """
    evolution = evolutions[0]
    find_candidates(positions, evolutions)
    for individual in range(evolution.population):
        if individual > 0 and may_go_on(clocks, evolution.length) == 0:
            evolution.population = individual
            break
        draw_genome(evolutions, random, individual)
        weigh_genome(positions, table, evolutions, individual, clocks)
    evolution.generation = 0
    evolution.has_stabilised = 0
    rank_population(evolutions)
    note_generation(evolutions)
    while evolution.generation < evolution.generations:
        if is_stable(evolutions) == 1:
            evolution.has_stabilised = 1
            break
        if may_go_on(clocks, evolution.length) == 0:
            break
        for individual in range(evolution.elites, evolution.population):
            if may_go_on(clocks, evolution.length) == 0:
                break
            breed(evolutions, random, individual)
            if next_bits(random) < evolution.mutation_threshold:
                mutate(evolutions, random, individual)
            weigh_genome(positions, table, evolutions, individual, clocks)
        evolution.generation += 1
        rank_population(evolutions)
        note_generation(evolutions)
    chosen: int = evolution.genomes[0]
    return chosen

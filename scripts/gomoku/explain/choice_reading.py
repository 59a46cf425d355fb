"""What can be seen in a choice, whoever made it: the parts of its explanation, checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from ai import (
    BLACK,
    WHITE,
    Board,
    Evolution,
    Explanation,
    MemoryReading,
    MoveChoice,
    NetworkAnswer,
    PlayerInfo,
    RecalledNode,
    Rules,
    Threat,
    ThreatKind,
    find_threats,
)

SIDES = {BLACK: "Black", WHITE: "White"}


class ChoiceReading:
    """One move with the position before it and what its player said.

    What a player did not say, or said in another form, reads as nothing: None or empty.
    """

    def __init__(
        self,
        rules: Rules,
        moves: Sequence[int],
        ply: int,
        choice: MoveChoice | None,
        player: PlayerInfo,
    ) -> None:
        """Read a choice.

        Args:
            rules: of the game.
            moves: the game's moves, at least up to this one.
            ply: how many had been played before it.
            choice: None where the move was not chosen by the player.
            player: who moved.
        """
        self.rules = rules
        self.ply = ply
        self.move = moves[ply]
        self.color = BLACK if ply % 2 == 0 else WHITE
        self.player = player
        self.choice = choice
        self.before = tuple(_stones(rules, moves[:ply]))
        self.after = tuple(_stones(rules, moves[: ply + 1]))

    @property
    def side(self) -> str:
        """Black or White."""
        return SIDES[self.color]

    @cached_property
    def explanation(self) -> Explanation:
        """What the player said."""
        return self.choice.explanation if self.choice is not None else Explanation()

    @cached_property
    def is_net(self) -> bool:
        """Whether a network, or the memory alone, answered: occupied points included."""
        return len(self._probabilities) == self.rules.points

    @property
    def is_memory_alone(self) -> bool:
        """Whether the memory answered, without a network."""
        return self.is_net and self.player.explains == "memory"

    @cached_property
    def shares(self) -> tuple[float, ...]:
        """`[A]` share of each point in the choice; empty where the player has none."""
        if self.is_net:
            return self._probabilities
        policy = self.choice.policy if self.choice is not None else None
        if policy is None or len(policy) != self.rules.points:
            return ()
        return tuple(float(share) for share in policy)

    @cached_property
    def ranking(self) -> tuple[int, ...]:
        """The points a net answers, or those with a share: the best first, then by number."""
        held = [point for point, share in enumerate(self.shares) if self.is_net or share > 0.0]
        return tuple(sorted(held, key=lambda point: (-self.shares[point], point)))

    @cached_property
    def rank(self) -> int | None:
        """Where the move stood in the ranking, from 1."""
        return self.ranking.index(self.move) + 1 if self.move in self.ranking else None

    @cached_property
    def masked(self) -> tuple[int, ...]:
        """Occupied points that ranked better than the move."""
        better = self.ranking[: (self.rank or 1) - 1]
        return tuple(point for point in better if self.before[point])

    @cached_property
    def memory(self) -> MemoryReading | None:
        """What a situation memory recalled; None where none was asked."""
        said = self.explanation
        return said.memory if isinstance(said, NetworkAnswer) else None

    @property
    def nearest(self) -> RecalledNode:
        """The nearest node that the memory holds; one that knows nothing where it holds none."""
        nearest = self.memory.nearest if self.memory is not None else None
        return nearest or RecalledNode()

    @property
    def has_recalled(self) -> bool:
        """Whether the memory holds this situation: a node nearer than its merge distance."""
        distance = self.nearest.distance
        if distance is None or self.memory is None:
            return False
        return distance < self.memory.alpha if self.memory.alpha else distance < 1e-6

    @cached_property
    def recalled_shares(self) -> tuple[float, ...]:
        """`[A]` the combined vector of the nearest node; empty without one."""
        labels = self.nearest.labels
        return labels if len(labels) == self.rules.points else ()

    @cached_property
    def recalled_stones(self) -> tuple[int, ...]:
        """`[A]` the situation of the nearest node; empty without one."""
        stones = self.nearest.stones
        return stones if len(stones) == self.rules.points else ()

    @cached_property
    def recalled(self) -> tuple[RecalledNode, ...]:
        """The nodes that were recalled, the heaviest first; with as many points as the board."""
        nodes = self.memory.recalled if self.memory is not None else ()
        kept = [item for item in nodes if len(item.labels) == self.rules.points]
        return tuple(sorted(kept, key=lambda item: -item.weight))

    @cached_property
    def answer_shares(self) -> tuple[float, ...]:
        """`[A]` what the recalled nodes say together, each with its weight; empty without one."""
        if not self.recalled:
            return self.recalled_shares
        parts = [[item.weight * share for share in item.labels] for item in self.recalled]
        return tuple(map(sum, zip(*parts, strict=True)))

    @cached_property
    def population(self) -> tuple[tuple[int, ...], ...]:
        """The lines of a population, the fittest first."""
        evolution = self.evolution
        return tuple(filter(None, evolution.population)) if evolution is not None else ()

    @cached_property
    def evolution(self) -> Evolution | None:
        """How a genetic algorithm bred its lines, where one chose the move."""
        basis = self.explanation.basis
        return basis if isinstance(basis, Evolution) else None

    @cached_property
    def first_genes(self) -> dict[int, float]:
        """How large a share of the population begins with each point."""
        counts = Counter(line[0] for line in self.population)
        return {point: count / len(self.population) for point, count in counts.items()}

    @property
    def best_line(self) -> tuple[int, ...]:
        """The fittest line: this side's stone, the other's, and so on."""
        return self.population[0] if self.population else ()

    @cached_property
    def threats_before(self) -> tuple[Threat, ...]:
        """What both sides threatened before the move."""
        return find_threats(self.before, self.rules)

    @cached_property
    def threats_after(self) -> tuple[Threat, ...]:
        """What both sides threaten after the move; nothing where it has won."""
        return () if self.has_won else find_threats(self.after, self.rules)

    @cached_property
    def has_won(self) -> bool:
        """Whether the move made a row that wins."""
        own = (item for item in self.threats_before if item.color == self.color)
        return any(item.point == self.move and item.kind is ThreatKind.FIVE for item in own)

    @property
    def _probabilities(self) -> tuple[float, ...]:
        said = self.explanation
        return said.probabilities if isinstance(said, NetworkAnswer) else ()


def read_choices(
    board: Board | None,
    choices: Mapping[int, tuple[int, MoveChoice]],
    players: Mapping[int, PlayerInfo],
) -> dict[int, ChoiceReading]:
    """Return what can be seen in the last move of each side, by color.

    Args:
        board: the game as it stands; None before the first.
        choices: (ply, choice) by color, of moves that players chose.
        players: who sits there, by color.
    """
    found: dict[int, ChoiceReading] = {}
    if board is None:
        return found
    for ply in range(max(0, board.ply - 2), board.ply):
        color = BLACK if ply % 2 == 0 else WHITE
        chosen_ply, choice = choices.get(color, (-1, None))
        own = choice if chosen_ply == ply else None
        found[color] = ChoiceReading(board.rules, board.moves, ply, own, players[color])
    return found


def latest(readings: Mapping[int, ChoiceReading]) -> list[ChoiceReading]:
    """Return readings, that of the last move first."""
    return sorted(readings.values(), key=lambda reading: -reading.ply)


def _stones(rules: Rules, moves: Sequence[int]) -> list[int]:
    stones = [0] * rules.points
    for ply, move in enumerate(moves):
        stones[move] = BLACK if ply % 2 == 0 else WHITE
    return stones

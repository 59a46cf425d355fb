"""A checked, uniform view of an explained move, whoever chose it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from ai import (
    BLACK,
    PASS,
    WHITE,
    Evolution,
    Explanation,
    Game,
    MemoryReading,
    MoveChoice,
    NetworkAnswer,
    PlayerInfo,
    Position,
    RecalledNode,
    RootScores,
    Rules,
    SearchedMoves,
    Threat,
    ThreatKind,
    TreeVisits,
    ValueField,
    find_threats,
)

SIDES = {BLACK: "Black", WHITE: "White"}


class ChoiceReading:
    """A move with the position before it and its player's explanation.

    Missing or malformed parts of the explanation read as None or empty.
    """

    def __init__(
        self,
        rules: Game,
        moves: Sequence[int],
        ply: int,
        choice: MoveChoice | None,
        player: PlayerInfo,
    ) -> None:
        """Read a choice.

        Args:
            rules: of the game.
            moves: the game's moves, at least up to this one.
            ply: number of moves played before it.
            choice: None if no player chose the move.
            player: the player that moved.
        """
        self.rules = rules
        self.ply = ply
        self.move = moves[ply]
        self.color = BLACK if ply % 2 == 0 else WHITE
        self.player = player
        self.choice = choice
        self.before = tuple(rules.stones_after(moves[:ply]).tolist())
        self.after = tuple(rules.stones_after(moves[: ply + 1]).tolist())

    @property
    def side(self) -> str:
        """Side that moved, "Black" or "White"."""
        return SIDES[self.color]

    @cached_property
    def explanation(self) -> Explanation:
        """The player's explanation."""
        return self.choice.explanation if self.choice is not None else Explanation()

    @cached_property
    def is_net(self) -> bool:
        """Whether a network or the memory decided; their answers include occupied points."""
        return len(self._probabilities) == self.rules.points

    @property
    def other_move(self) -> int | None:
        """The move that the player takes when asked again, None if it is the one that was played.

        A network's answer explains any move by its share and rank, so that it has no other.
        """
        if self.choice is None or self.choice.move == self.move or self.is_net:
            return None
        return self.choice.move

    @property
    def is_memory_alone(self) -> bool:
        """Whether the memory decided without a network."""
        return self.is_net and self.player.explains == "memory"

    @cached_property
    def shares(self) -> tuple[float, ...]:
        """`[A]` policy of the choice; empty if the player has none."""
        if self.is_net:
            return self._probabilities
        policy = self.choice.policy if self.choice is not None else None
        if policy is None or len(policy) != self.rules.points:
            return ()
        return tuple(float(share) for share in policy)

    @cached_property
    def scores(self) -> dict[int, float]:
        """Value of each point that a value field or a search scored; empty for other players."""
        said = self.explanation.basis
        if isinstance(said, ValueField) and len(said.field_values) == self.rules.points:
            values = enumerate(said.field_values)
            return {point: value for point, value in values if not self.before[point]}
        return dict(said.root_scores) if isinstance(said, RootScores) else {}

    @cached_property
    def score_parts(self) -> dict[int, float]:
        """How the scored points are coloured, 0 to 1, on logarithmic scales.

        A value field's by what is above its least value, a search's by what lacks to its best.
        """
        if not self.scores:
            return {}
        low, high = min(self.scores.values()), max(self.scores.values())
        whole = math.log1p(high - low) or 1.0
        if isinstance(self.explanation.basis, ValueField):
            return {at: math.log1p(value - low) / whole for at, value in self.scores.items()}
        return {at: 1.0 - math.log1p(high - value) / whole for at, value in self.scores.items()}

    @cached_property
    def ranking(self) -> tuple[int, ...]:
        """The points by share, the best first, then by number."""
        held = [point for point, share in enumerate(self.shares) if self.is_net or share > 0.0]
        return tuple(sorted(held, key=lambda point: (-self.shares[point], point)))

    @cached_property
    def rank(self) -> int | None:
        """Rank of the move in the ranking, from 1; None if it is not in it."""
        return self.ranking.index(self.move) + 1 if self.move in self.ranking else None

    @cached_property
    def masked(self) -> tuple[int, ...]:
        """Occupied points with a better rank than the move."""
        better = self.ranking[: (self.rank or 1) - 1]
        return tuple(point for point in better if self.before[point])

    @cached_property
    def memory(self) -> MemoryReading | None:
        """The situation memory's reading; None without a memory."""
        said = self.explanation
        return said.memory if isinstance(said, NetworkAnswer) else None

    @property
    def nearest(self) -> RecalledNode:
        """The nearest node of the memory; an empty one if there is none."""
        nearest = self.memory.nearest if self.memory is not None else None
        return nearest or RecalledNode()

    @property
    def has_recalled(self) -> bool:
        """Whether the memory knows this situation: its nearest node is within merge distance."""
        distance = self.nearest.distance
        if distance is None or self.memory is None:
            return False
        return distance < self.memory.alpha if self.memory.alpha else distance < 1e-6

    @cached_property
    def recalled_shares(self) -> tuple[float, ...]:
        """`[A]` the nearest node's combined vector; empty without one."""
        labels = self.nearest.labels
        return labels if len(labels) == self.rules.points else ()

    @cached_property
    def recalled_stones(self) -> tuple[int, ...]:
        """`[A]` the nearest node's situation; empty without one."""
        stones = self.nearest.stones
        return stones if len(stones) == self.rules.points else ()

    @cached_property
    def recalled(self) -> tuple[RecalledNode, ...]:
        """The recalled nodes of this board size, the largest weight first."""
        nodes = self.memory.recalled if self.memory is not None else ()
        kept = [item for item in nodes if len(item.labels) == self.rules.points]
        return tuple(sorted(kept, key=lambda item: -item.weight))

    @cached_property
    def answer_shares(self) -> tuple[float, ...]:
        """`[A]` weighted mean of the recalled nodes' labels; empty without nodes."""
        if not self.recalled:
            return self.recalled_shares
        parts = [[item.weight * share for share in item.labels] for item in self.recalled]
        return tuple(map(sum, zip(*parts, strict=True)))

    @cached_property
    def population(self) -> tuple[tuple[int, ...], ...]:
        """The population's genomes, the fittest first."""
        evolution = self.evolution
        return tuple(filter(None, evolution.population)) if evolution is not None else ()

    @cached_property
    def evolution(self) -> Evolution | None:
        """The genetic algorithm's explanation, None for other players."""
        basis = self.explanation.basis
        return basis if isinstance(basis, Evolution) else None

    @cached_property
    def tree(self) -> TreeVisits | None:
        """A tree search's explanation if it has visits and lines on this board, else None."""
        basis = self.explanation.basis
        if not isinstance(basis, TreeVisits) or not basis.visits:
            return None
        points = {move for move, _ in basis.visits}.union(*basis.lines)
        return basis if all(0 <= point < self.rules.points for point in points) else None

    @cached_property
    def searched(self) -> SearchedMoves | None:
        """A look-ahead's explanation if its moves and line are on this board, else None."""
        basis = self.explanation.basis
        if not isinstance(basis, SearchedMoves) or not basis.scores:
            return None
        points = {move for move, _ in basis.scores}.union(basis.principal_variation)
        return basis if all(0 <= point < self.rules.points for point in points) else None

    @cached_property
    def first_genes(self) -> dict[int, float]:
        """Share of the population that begins with each point."""
        counts = Counter(line[0] for line in self.population)
        return {point: count / len(self.population) for point, count in counts.items()}

    @property
    def best_line(self) -> tuple[int, ...]:
        """The fittest genome: moves of this side and the other in turn."""
        return self.population[0] if self.population else ()

    @cached_property
    def threats_before(self) -> tuple[Threat, ...]:
        """Threats of both sides before the move."""
        return self._threats(self.before)

    @cached_property
    def threats_after(self) -> tuple[Threat, ...]:
        """Threats of both sides after the move; none if it has won."""
        return () if self.has_won else self._threats(self.after)

    @cached_property
    def has_won(self) -> bool:
        """Whether the move completed a winning row."""
        own = (item for item in self.threats_before if item.color == self.color)
        return any(item.point == self.move and item.kind is ThreatKind.FIVE for item in own)

    @property
    def win_length(self) -> int:
        """Stones in a row that win; 0 where the game is no m,n,k."""
        return self.rules.win_length if isinstance(self.rules, Rules) else 0

    def _threats(self, stones: Sequence[int]) -> tuple[Threat, ...]:
        return find_threats(stones, self.rules) if isinstance(self.rules, Rules) else ()

    @property
    def _probabilities(self) -> tuple[float, ...]:
        said = self.explanation
        return said.probabilities if isinstance(said, NetworkAnswer) else ()


def read_choices(
    board: Position | None,
    choices: Mapping[int, tuple[int, MoveChoice]],
    players: Mapping[int, PlayerInfo],
) -> dict[int, ChoiceReading]:
    """Return the reading of each side's last move, by color.

    Args:
        board: present position of the game; None before the first.
        choices: (ply, choice) of the last chosen moves, by color.
        players: those at the seats, by color.
    """
    found: dict[int, ChoiceReading] = {}
    if board is None:
        return found
    for ply in range(max(0, board.ply - 2), board.ply):
        if board.moves[ply] == PASS:
            continue
        color = BLACK if ply % 2 == 0 else WHITE
        chosen_ply, choice = choices.get(color, (-1, None))
        own = choice if chosen_ply == ply else None
        found[color] = ChoiceReading(board.rules, board.moves, ply, own, players[color])
    return found


def latest(readings: Mapping[int, ChoiceReading]) -> list[ChoiceReading]:
    """Return readings, the last move's first."""
    return sorted(readings.values(), key=lambda reading: -reading.ply)

"""A move with the position before it, its player's explanation, and the threats around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from ai import (
    BLACK,
    PASS,
    WHITE,
    ExplainedMove,
    Explanation,
    ExplanationView,
    Game,
    MoveChoice,
    PlayerInfo,
    Position,
    Rules,
    Threat,
    ThreatKind,
    find_threats,
)

SIDES = {BLACK: "Black", WHITE: "White"}


class ChoiceReading:
    """A move of any player; `view` has the known reason."""

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

    @property
    def explanation(self) -> Explanation:
        """The player's explanation."""
        return self.choice.explanation if self.choice is not None else Explanation()

    @cached_property
    def explained_move(self) -> ExplainedMove:
        """The move as its explanation needs it."""
        policy = self.choice.policy if self.choice is not None else None
        is_of_board = policy is not None and len(policy) == self.rules.points
        return ExplainedMove(
            self.rules,
            self.before,
            self.move,
            self.color,
            policy=tuple(map(float, policy)) if policy is not None and is_of_board else (),
            explains=self.player.explains,
            description=self.player.description,
        )

    @cached_property
    def view(self) -> ExplanationView:
        """How the player's explanation draws and describes the move."""
        return self.explanation.view(self.explained_move)

    @property
    def other_move(self) -> int | None:
        """The move that the player chooses when asked again; None if it is the played one.

        None also for answers that rate all points: they explain any move by its share and rank.
        """
        if self.choice is None or self.choice.move == self.move or self.view.is_any_point_rated:
            return None
        return self.choice.move

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
    """Return the readings, starting with the last move."""
    return sorted(readings.values(), key=lambda reading: -reading.ply)

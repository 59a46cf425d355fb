"""What is known about one move: its position, its player's explanation and the threats."""

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
from scripts.gomoku.board.names import SIDES


class ChoiceReading:
    """One move of any player, with all that explains it.

    Attributes:
        rules: rules of the game.
        ply: number of moves before this one.
        move: the point played.
        color: side that moved.
        player: the player that moved.
        choice: the player's answer; None if it is not known.
        before: `[A]` color of each point before the move.
        after: `[A]` color of each point after the move.
    """

    def __init__(
        self,
        rules: Game,
        moves: Sequence[int],
        ply: int,
        choice: MoveChoice | None,
        player: PlayerInfo,
    ) -> None:
        """Collect what is known about a move.

        Args:
            rules: rules of the game.
            moves: the game's moves, at least up to the move to explain.
            ply: number of moves before the move to explain.
            choice: the player's answer; None if no player chose the move.
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
        """The player's explanation of the move; an empty one if its answer is not known."""
        return self.choice.explanation if self.choice is not None else Explanation()

    @cached_property
    def explained_move(self) -> ExplainedMove:
        """The move in the form that the methods of an explanation take.

        Its policy is empty unless the answer has one value for each point of the board.
        """
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
        """The explanation of the move in drawable form: texts, boards, shares and charts."""
        return self.explanation.view(self.explained_move)

    @property
    def other_move(self) -> int | None:
        """The move that the player's answer names; None if it is the move played.

        They can differ if the player was asked again later. The result is also None if the
        explanation rates every point, because such an explanation describes any move by its share
        and rank.
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
        """Number of stones in a row that win; 0 for a game without such a rule."""
        return self.rules.win_length if isinstance(self.rules, Rules) else 0

    def _threats(self, stones: Sequence[int]) -> tuple[Threat, ...]:
        return find_threats(stones, self.rules) if isinstance(self.rules, Rules) else ()


def read_choices(
    board: Position | None,
    choices: Mapping[int, tuple[int, MoveChoice]],
    players: Mapping[int, PlayerInfo],
) -> dict[int, ChoiceReading]:
    """Return what is known about each side's last move, by color.

    A side whose last move was a pass is left out, and so is a side that has not moved.

    Args:
        board: present position of the game; None if there is none yet.
        choices: for each color the number of moves before its player's last answer, and that
            answer.
        players: the player of each color.
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
    """Return the explained moves as a list, the latest move first.

    Args:
        readings: what is known about each side's last move, by color.
    """
    return sorted(readings.values(), key=lambda reading: -reading.ply)

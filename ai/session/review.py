"""Review of a game: what each move lost, a better move, and the reason in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ai.game import (
    BLACK,
    EMPTY,
    Color,
    Foul,
    Move,
    Rules,
    ThreatKind,
    find_threats,
    move_name,
    replayed,
)
from ai.session.evaluation import PositionEvaluator
from ai.session.position_value import (
    DROP,
    JudgedMove,
    PositionValue,
    SideSummary,
    judge_moves,
)
from base.language.wording import tr

WON: Final = 0.99
"""Value from which on it is assumed that a player has seen a forced win."""
SIDES: Final = {BLACK: tr("Black"), -BLACK: tr("White")}
FOULS: Final = {
    Foul.OVERLINE: tr("overline"),
    Foul.DOUBLE_FOUR: tr("double four"),
    Foul.DOUBLE_THREE: tr("double three"),
}
"""The fouls of renju, in words of the window."""

Values = Mapping[int, PositionValue]


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """One move of a reviewed game."""

    ply: int
    """Number of moves played before it."""
    move: Move
    before: float | None
    """Value in [-1, 1] before the move, for the side that moved; None if unknown."""
    after: float | None
    """Value in [-1, 1] after the move, for the side that moved; None if unknown."""
    best: Move | None
    """A better move; None if none is known."""
    why: str
    """What the move does and what it loses, in words; "" if there is nothing to say."""
    better: str
    """What the better move does, in words; "" if there is no better move or nothing to say."""
    loss: float | None
    """Value that the move lost, 0 to 2; None if unknown."""
    is_blunder: bool
    """Whether the move lost at least `DROP`."""

    @property
    def side(self) -> str:
        """Side that moved: "Black" or "White"."""
        return SIDES[side_of(self.ply)]


def foul_words(foul: Foul) -> str:
    """Return the end of a game of renju by a foul, in words."""
    return tr("{side}'s foul ({foul}), {side2} wins").format(
        side=SIDES[BLACK], foul=FOULS[foul], side2=SIDES[-BLACK]
    )


def side_of(ply: int) -> Color:
    """Return the color that moves after `ply` moves."""
    return BLACK if ply % 2 == 0 else -BLACK


def evaluate_game(
    evaluator: PositionEvaluator,
    moves: Sequence[Move],
    *,
    nodes: int,
    seconds: float | None = None,
    tell: Callable[[int], None] = lambda done: None,
) -> dict[int, PositionValue]:
    """Evaluate each position of a game, from the last one to the first.

    Args:
        evaluator: evaluator for the game's rules.
        moves: the moves from the empty board.
        nodes: budget of each position, see `PositionEvaluator.evaluate`.
        seconds: time limit of each position instead of `nodes`; None for none.
        tell: called with the number of positions done.

    Returns:
        The values by the number of moves before the position.
    """
    values = {}
    for done, ply in enumerate(range(len(moves), -1, -1), start=1):
        values[ply] = evaluator.evaluate(moves[:ply], nodes=nodes, seconds=seconds)
        tell(done)
    return values


def review_game(rules: Rules, moves: Sequence[Move], values: Values) -> list[ReviewedMove]:
    """Return every move of a game with its loss and the reason in words.

    Args:
        rules: rules of the game.
        moves: the moves from the empty board.
        values: value of every position by the number of moves before it, see `evaluate_game`.
    """
    return [
        _reviewed(rules, moves[: judged.ply + 1], values[judged.ply], judged)
        for judged in judge_moves(values, moves)
    ]


def _reviewed(
    rules: Rules, moves: Sequence[Move], seen: PositionValue, judged: JudgedMove
) -> ReviewedMove:
    """Return the review of the last of the given moves.

    Args:
        rules: rules of the game.
        moves: the moves from the empty board to the reviewed one.
        seen: value of the position before that move, as the search found it.
        judged: the move, and the value that it gave away, computed from corrected values.
    """
    ply, move, before, after = judged.ply, moves[-1], judged.before, judged.after
    is_known = judged.loss is not None
    words = [*deeds(rules, moves[:-1], move, seen)]
    if is_known:
        words += _fault(rules, moves, before, after)
    return ReviewedMove(
        ply,
        move,
        before.value if is_known else None,
        -after.value if is_known else None,
        judged.best,
        "; ".join(words),
        "; ".join(deeds(rules, moves[:-1], judged.best, seen)) if judged.best is not None else "",
        judged.loss,
        judged.is_blunder,
    )


def deeds(rules: Rules, moves: Sequence[Move], move: Move, value: PositionValue) -> list[str]:
    """Describe what a move does on the board, the most important first; [] for a quiet move.

    Args:
        rules: rules of the game.
        moves: the moves before the move.
        move: the move to describe.
        value: value of the position before the move.
    """
    board, own = replayed(rules, moves), side_of(len(moves))
    before = find_threats(board.stones, rules)
    board.push(move)
    foul = board.foul_made()
    if foul is not None:
        return [foul_words(foul)]
    outcome = board.outcome()
    if outcome is not None:
        return [tr("makes {row}").format(row=_row(rules))] if outcome.winner == own else []
    said = []
    stopped = [item for item in before if item.color == -own and item.kind is ThreatKind.FIVE]
    if value.is_only and value.best == move:
        is_alone = {item.point for item in stopped} == {move}
        said.append(tr("the only defence") if is_alone else tr("the only defence found"))
    elif any(item.point == move for item in stopped):
        said.append(tr("stops {row}").format(row=_row(rules)))
    known = {(item.kind, item.point) for item in before if item.color == own}
    now = [item for item in find_threats(board.stones, rules) if item.color == own]
    new = [item.kind for item in now if (item.kind, item.point) not in known]
    row = rules.win_length - 1
    if new.count(ThreatKind.FIVE) >= 2:
        said.append(
            tr("makes an open four") if row == 4 else tr("makes an open {row}").format(row=row)
        )
    elif ThreatKind.FIVE in new:
        said.append(tr("makes a four") if row == 4 else tr("makes {row} in a row").format(row=row))
    elif ThreatKind.OPEN_FOUR in new and not any(kind is ThreatKind.FIVE for kind, _ in known):
        said.append(
            tr("makes an open three") if row == 4 else tr("makes an open {row}").format(row=row - 1)
        )
    return said


def _fault(
    rules: Rules, moves: Sequence[Move], before: PositionValue, after: PositionValue
) -> list[str]:
    """Describe what the last move lost, in at most two phrases; [] if it lost nothing.

    Args:
        rules: rules of the game.
        moves: the moves from the empty board to the described one.
        before: value of the position before the last move.
        after: value of the position after the last move, for the opponent.
    """
    loss = before.value + after.value
    if after.best is None and after.is_proven and after.value >= 0.0:
        return []  # the game is over
    found = []
    if before.value >= WON and loss > 1.0 - WON:
        how = _win_words(rules, moves[:-1], before)
        found.append(tr("misses a win{how}").format(how=how))
    if after.value >= WON:
        other = SIDES[side_of(len(moves))]
        how = _win_words(rules, moves, after)
        open_at = "" if after.best is None else f"{move_name(after.best, rules)} "
        left = (
            tr("leaves {open_at}open: ").format(open_at=open_at) if open_at and loss >= DROP else ""
        )
        found.append(tr("{left}{other} wins{how}").format(left=left, other=other, how=how))
    elif not found and loss >= DROP:
        found.append(
            tr("falls from {value:+.2f} to {value2:+.2f}").format(
                value=before.value, value2=-after.value
            )
        )
    return found


def _win_words(rules: Rules, moves: Sequence[Move], value: PositionValue) -> str:
    """Describe how the side to move wins: " at once", " by fours in 5", " in 3", or "".

    Args:
        rules: rules of the game.
        moves: the moves before the position.
        value: value of the position.
    """
    if value.plies is None:
        return ""
    if value.plies <= 1:
        return tr(" at once")
    stones = (value.plies + 1) // 2
    if _is_by_fours(rules, moves, value.line):
        return tr(" by fours in {stones}").format(stones=stones)
    return tr(" in {stones}").format(stones=stones)


def _is_by_fours(rules: Rules, moves: Sequence[Move], line: Sequence[Move]) -> bool:
    """Return whether every second move of a line makes a four, a threat to win with the next stone.

    Args:
        rules: rules of the game.
        moves: the moves before the line.
        line: the moves of the line, beginning with the attacker's.
    """
    if rules.win_length != 5 or not line:
        return False
    board, own = replayed(rules, moves), side_of(len(moves))
    for place, move in enumerate(line):
        if board.outcome() is not None or board.stones[move] != EMPTY:
            return False
        board.push(move)
        if place % 2 == 0 and board.outcome() is None:
            threats = find_threats(board.stones, rules)
            if not any(item.color == own and item.kind is ThreatKind.FIVE for item in threats):
                return False
    return True


def _row(rules: Rules) -> str:
    return (
        tr("five", "a row of stones")
        if rules.win_length == 5
        else tr("{win_length} in a row").format(win_length=rules.win_length)
    )


def summary(reviewed: Sequence[ReviewedMove], side: str) -> str:
    """Return a one-line summary of a side's moves: number, mistakes by kind and mean loss.

    Args:
        reviewed: all reviewed moves of the game.
        side: "Black" or "White".
    """
    losses = [item.loss for item in reviewed if item.side == side]
    return side + ": " + SideSummary.of(losses).text

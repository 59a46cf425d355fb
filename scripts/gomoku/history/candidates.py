"""Compared moves on the board: their chance to win and visits, and one's line as ghost stones."""

from __future__ import annotations

from collections.abc import Sequence

from ai import PASS, chance_of, kind_of
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.board.mark_layers import Ghost, MarkLayers, draw_number
from scripts.gomoku.board.overlay_picture import OverlayPicture, Rgb, ink_on
from scripts.gomoku.history.evaluation import Candidate
from sim import tr

BEST: Rgb = (0.16, 0.39, 0.81)
COLORS: dict[str, Rgb] = {
    "": (0.13, 0.61, 0.47),
    "inaccuracy": (0.93, 0.80, 0.25),
    "mistake": (0.90, 0.50, 0.10),
    "blunder": (0.76, 0.16, 0.14),
}
"""Colour of a compared move by the kind of mistake that it would be.

The colour-blind tell them apart, and from `BEST`.
"""
PLAYED: Rgb = (0.98, 0.98, 0.96)
RADIUS = 0.47  # metres
MOST_STONES = 12  # of a line
NUMBER = 0.25  # metres: radius of its numbers
SAME = 0.005  # of a value: moves that lose less are as good as the best


def short_count(number: int) -> str:
    """Return a number of positions in at most four characters.

    >>> [short_count(number) for number in (0, 950, 1234, 20000, 1_500_000)]
    ['0', '950', '1.2k', '20k', '1.5M']
    """
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            share = number / size
            return f"{share:.1f}{letter}" if share < 10.0 else f"{share:.0f}{letter}"
    return str(number)


def color_of(candidate: Candidate) -> Rgb:
    """Return the colour of a compared move: blue for the best ones, red for a blunder."""
    return BEST if candidate.loss < SAME else COLORS[kind_of(candidate.loss)]


class CandidateMarks:
    """Draws compared moves on a board, or the line of one of them."""

    def __init__(self) -> None:
        """Create the marks; nothing is drawn yet."""
        self._layers: MarkLayers | None = None
        self._seen: object = None

    def show(
        self,
        board: BoardView,
        candidates: Sequence[Candidate],
        to_move: int,
        *,
        played: int | None = None,
        hovered: Candidate | None = None,
    ) -> None:
        """Draw the moves, or the line of the hovered one; do nothing if that is what is drawn.

        Args:
            board: the board.
            candidates: the compared moves, the best first.
            to_move: side that would play them, 1 or -1.
            played: the move that was played in the game; None for none.
            hovered: the move whose line is drawn instead of the moves; None for none.
        """
        seen = (board.size, board.rows, tuple(candidates), to_move, played, hovered)
        if seen == self._seen:
            return
        self._seen = seen
        if self._layers is None:
            self._layers = MarkLayers(board, tr("Candidate"))
        if hovered is None:
            ground = OverlayPicture(board.size, board.rows)
            draw_moves(ground, candidates, played)
            self._layers.show(ground=ground)
        else:
            top = OverlayPicture(board.size, board.rows)
            ghosts = draw_line(top, hovered.line, to_move)
            self._layers.show(top=top, ghosts=ghosts)

    def hide(self) -> None:
        """Remove the marks from the board."""
        self._seen = None
        if self._layers is not None:
            self._layers.hide()

    def destroy(self) -> None:
        """Remove the marks' objects from the scene."""
        if self._layers is not None:
            self._layers.destroy()
            self._layers = None
        self._seen = None


def draw_moves(
    picture: OverlayPicture, candidates: Sequence[Candidate], played: int | None
) -> None:
    """Draw each compared move as a disc with its chance to win and its visits.

    Args:
        picture: picture below the stones.
        candidates: the compared moves.
        played: the move of the game, which has a ring around it; None for none.
    """
    for item in candidates:
        if item.move == PASS:
            continue
        color = color_of(item)
        if item.move == played:
            picture.disc(item.move, RADIUS + 0.03, PLAYED)
        inner = RADIUS - (0.04 if item.move == played else 0.0)
        picture.disc(item.move, inner, color, opacity=0.95)
        chance = f"{chance_of(item.value):.0f}{'?' if item.is_provisional else ''}"
        picture.letters(item.move, chance, 0.34, ink_on(color), at=(0.0, -0.1))
        if item.visits:
            picture.letters(item.move, short_count(item.visits), 0.2, ink_on(color), at=(0.0, 0.24))


def draw_line(picture: OverlayPicture, line: Sequence[int], to_move: int) -> list[Ghost]:
    """Draw the numbers of a line's moves, and return its ghost stones.

    Args:
        picture: picture above the stones.
        line: the moves; of a long line the first ones are drawn.
        to_move: side that plays the first of them.
    """
    ghosts = []
    for index, point in enumerate(line[:MOST_STONES]):
        if point == PASS:
            continue
        color = to_move * (-1) ** index
        ghosts.append(Ghost(point, color, 0.85))
        draw_number(picture, point, index + 1, color, NUMBER)
    return ghosts

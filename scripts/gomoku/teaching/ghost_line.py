"""A line of moves on a board as numbered, transparent stones."""

from __future__ import annotations

from collections.abc import Sequence

from ai import PASS
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.board.mark_layers import Ghost, MarkLayers, draw_number
from scripts.gomoku.board.overlay_picture import OverlayPicture, Rgb

OPACITY = 0.62
TOLD: Rgb = (0.88, 0.20, 0.16)
RADIUS = 0.23  # metres


class GhostLine:
    """Shows a line of moves over the stones of a board; costs nothing while none is shown."""

    def __init__(self, board: BoardView) -> None:
        self._board = board
        self._layers: MarkLayers | None = None
        self.moves: tuple[int, ...] = ()
        """The moves that are shown; () for none."""

    def show(self, moves: Sequence[int], color: int, *, told: int | None = None) -> None:
        """Show moves, numbered from 1, which the sides make in turn.

        Args:
            moves: the moves; they end before a point that has a stone.
            color: color of the first move.
            told: a point with an unnumbered stone of the other color, the move that is answered;
                None for none.
        """
        size = self._board.size
        zoom = 1.0 if size <= 9 else 1.3
        top, ghosts = OverlayPicture(size, self._board.rows), []
        taken = set(self._board.stones)
        if told is not None:
            ghosts.append(Ghost(told, -color, OPACITY))
            top.ring(told, 0.36, 0.09, TOLD)
            taken.add(told)
        shown = []
        for number, move in enumerate(moves, start=1):
            own = color if number % 2 else -color
            if move == PASS:
                continue
            if move in taken:
                break
            taken.add(move)
            shown.append(move)
            ghosts.append(Ghost(move, own, OPACITY))
            draw_number(top, move, number, own, RADIUS * zoom)
        self.moves = tuple(shown)
        if self._layers is None:
            self._layers = MarkLayers(self._board, "GhostLine")
        self._layers.show(top=top, ghosts=ghosts)

    def hide(self) -> None:
        """Remove the line from the board."""
        self.moves = ()
        if self._layers is not None:
            self._layers.hide()

    def destroy(self) -> None:
        """Remove its objects from the scene."""
        if self._layers is not None:
            self._layers.destroy()
            self._layers = None

"""Moves tried by hand: a click on the board of a review plays on from the position shown."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from scripts.gomoku.board.board_view import NoPointError
from scripts.gomoku.history.game_viewer import GameViewer
from scripts.gomoku.history.review import GameReview
from sim import Task


class TriedMoves:
    """Takes clicks on the board while a review is shown, and plays them in it."""

    def __init__(self, start: Callable[[Coroutine[Any, Any, None]], Task]) -> None:
        """Create it; nothing is asked for yet.

        Args:
            start: starts a coroutine of the script that shows the review.
        """
        self._start = start
        self._task: Task | None = None
        self._asked: object = None

    def follow(self, viewer: GameViewer, review: GameReview | None) -> None:
        """Ask for a click in the position on the board; called in every frame.

        Args:
            viewer: viewer of the game.
            review: the review that is shown; None for none.
        """
        wanted = _asked_of(viewer, review)
        if wanted == self._asked:
            return
        self.stop()
        self._asked = wanted
        if wanted is not None and review is not None:
            self._task = self._start(self._serve(viewer, review))

    def stop(self) -> None:
        """Ask for nothing any more."""
        self._asked = None
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _serve(self, viewer: GameViewer, review: GameReview) -> None:
        """Take one click, which shows another position."""
        position = viewer.position
        if position is None:
            return
        points = frozenset(move for move in position.legal_moves if move >= 0)
        try:
            point = await viewer.board.ask_point(
                points,
                position.to_move,
                may_use=lambda: (
                    self._asked is not None and self._asked == _asked_of(viewer, review)
                ),
            )
        except NoPointError:
            return
        review.by_hand("try_move", point)


def _asked_of(viewer: GameViewer, review: GameReview | None) -> object:
    """Return what identifies the position in which a click is asked for; None for no click."""
    position, record = viewer.position, viewer.record
    if review is None or review.tree is None or position is None or record is None:
        return None
    if viewer.is_locked or viewer.is_playing or position.outcome() is not None:
        return None
    return (id(review.tree), record.moves[: viewer.ply])

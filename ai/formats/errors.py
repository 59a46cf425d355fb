"""The one error of game files: which file, where in it, what was expected, what was found."""

from __future__ import annotations

from ai.game import NotationError


class GameFileError(NotationError):
    """A game file cannot be read, or a game cannot be held by a format."""

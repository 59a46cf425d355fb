"""Errors of the rules: each says what was expected and what was found."""

from __future__ import annotations


class RulesError(ValueError):
    """The rules of a game are inconsistent (size, win length, winner of a full board)."""


class CoordinateError(ValueError):
    """A point's text or number is not on the board."""


class NotationError(ValueError):
    """A written game or diagram cannot be read."""


class RecordError(ValueError):
    """A stored game is malformed or breaks its own rules."""


class IllegalMoveError(ValueError):
    """A move is off the board or on an occupied point."""


class GameOverError(IllegalMoveError):
    """A move was played on, or asked for in, a game that is already decided."""

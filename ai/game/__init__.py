"""Rules of m,n,k games such as Gomoku: pure, without clock, files or randomness of their own."""

from __future__ import annotations

from ai.game.board import Board, LegalMoves
from ai.game.coords import from_text, to_text
from ai.game.errors import (
    CoordinateError,
    GameOverError,
    IllegalMoveError,
    NotationError,
    RecordError,
    RulesError,
)
from ai.game.notation import format_diagram, format_moves, parse_diagram, parse_moves
from ai.game.openings import centre_points, opening_points, random_centre_point
from ai.game.outcome import Outcome, Termination
from ai.game.playable import landing_points, playable
from ai.game.record import GameRecord
from ai.game.rules import BLACK, EMPTY, WHITE, Color, Move, Rules, color_name
from ai.game.symmetry import SYMMETRY_COUNT, compose, invert, symmetries, symmetries_of
from ai.game.threats import Threat, ThreatKind, find_threats

__all__ = [
    "BLACK",
    "EMPTY",
    "SYMMETRY_COUNT",
    "WHITE",
    "Board",
    "Color",
    "CoordinateError",
    "GameOverError",
    "GameRecord",
    "IllegalMoveError",
    "LegalMoves",
    "Move",
    "NotationError",
    "Outcome",
    "RecordError",
    "Rules",
    "RulesError",
    "Termination",
    "Threat",
    "ThreatKind",
    "centre_points",
    "color_name",
    "compose",
    "find_threats",
    "format_diagram",
    "format_moves",
    "from_text",
    "invert",
    "landing_points",
    "opening_points",
    "parse_diagram",
    "parse_moves",
    "playable",
    "random_centre_point",
    "symmetries",
    "symmetries_of",
    "to_text",
]

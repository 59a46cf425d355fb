"""Rules of games: five in a row, its relatives, and the protocol of others; no clock, no file."""

from __future__ import annotations

from ai.game.board import Board, as_board, board_of
from ai.game.errors import (
    CoordinateError,
    GameOverError,
    IllegalMoveError,
    NotationError,
    RecordError,
    RulesError,
)
from ai.game.game import Game, LegalMoves, Outcome, Position, Termination, landing_points, playable
from ai.game.lines import SYMMETRY_COUNT, compose, grid_symmetries, invert, symmetries
from ai.game.move import (
    BLACK,
    EMPTY,
    PASS,
    WHITE,
    Color,
    Move,
    format_diagram,
    format_moves,
    from_text,
    parse_diagram,
    parse_moves,
    to_text,
)
from ai.game.opening import (
    FIRST,
    OPENING_NAMES,
    SECOND,
    Choice,
    OpeningKind,
    OpeningPhase,
    Person,
    Said,
    balanced_stones,
    centre_points,
    opening_of,
    opening_points,
    random_centre_point,
)
from ai.game.record import GameRecord
from ai.game.renju import Foul
from ai.game.rule import RULE_NAMES, Rule, rule_of
from ai.game.rules import Rules, color_name, game_of
from ai.game.threats import Threat, ThreatKind, find_threats

__all__ = [
    "BLACK",
    "EMPTY",
    "FIRST",
    "OPENING_NAMES",
    "PASS",
    "RULE_NAMES",
    "SECOND",
    "SYMMETRY_COUNT",
    "WHITE",
    "Board",
    "Choice",
    "Color",
    "CoordinateError",
    "Foul",
    "Game",
    "GameOverError",
    "GameRecord",
    "IllegalMoveError",
    "LegalMoves",
    "Move",
    "NotationError",
    "OpeningKind",
    "OpeningPhase",
    "Outcome",
    "Person",
    "Position",
    "RecordError",
    "Rule",
    "Rules",
    "RulesError",
    "Said",
    "Termination",
    "Threat",
    "ThreatKind",
    "as_board",
    "balanced_stones",
    "board_of",
    "centre_points",
    "color_name",
    "compose",
    "find_threats",
    "format_diagram",
    "format_moves",
    "from_text",
    "game_of",
    "grid_symmetries",
    "invert",
    "landing_points",
    "opening_of",
    "opening_points",
    "parse_diagram",
    "parse_moves",
    "playable",
    "random_centre_point",
    "rule_of",
    "symmetries",
    "to_text",
]

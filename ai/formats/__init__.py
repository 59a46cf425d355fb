"""Reads and writes game files of other programs: one module per format, one common game record."""

from __future__ import annotations

from ai.formats.game_tree import GameTree, TreeNode
from ai.formats.registry import (
    FORMATS,
    GAME_SUFFIXES,
    GameFormat,
    format_named,
    is_game_file,
    read_game_file,
    read_games_text,
    write_game_file,
)
from ai.formats.sgf import variation_moves
from ai.formats.source import GameFileError, check_shown_size
from ai.formats.written import ColorChoice, LeftOut, Ply, WrittenGame, written_of

__all__ = [
    "FORMATS",
    "GAME_SUFFIXES",
    "ColorChoice",
    "GameFileError",
    "GameFormat",
    "GameTree",
    "LeftOut",
    "Ply",
    "TreeNode",
    "WrittenGame",
    "check_shown_size",
    "format_named",
    "is_game_file",
    "read_game_file",
    "read_games_text",
    "variation_moves",
    "write_game_file",
    "written_of",
]

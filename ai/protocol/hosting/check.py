"""Checks an outside engine: starts it, asks who it is, and lets it make two moves of a game."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from ai.game import Board, Move, Rules
from ai.protocol.hosting.engine import Engine, EngineLimits
from ai.protocol.hosting.process import EngineFaultError
from ai.registry.engines import EngineEntry

ABOUT_SECONDS: Final = 2.0
"""Seconds to wait for the answer to ABOUT; an engine that does not answer may still be sound."""
MOVE_SECONDS: Final = 2.0
"""Seconds that the engine is given for each of the two moves."""
USUAL_SIZE: Final = 15
WIN_LENGTH: Final = 5
SHOWN: Final = 60
"""Maximum number of characters that are shown of the engine's own name."""


@dataclass(frozen=True)
class EngineCheck:
    """Result of a check of an engine."""

    is_sound: bool
    """Whether the engine answered all questions as it should."""
    text: str
    """One line: what the engine answered, or what was expected and found."""


def check_engine(entry: EngineEntry, *, seconds: float = MOVE_SECONDS) -> EngineCheck:
    """Start an engine and a game, ask ABOUT, and let it make two moves: after BEGIN and TURN.

    The engine's process is ended in any case, with all processes that it has started. The check
    takes at most the engine's `start_seconds`, `ABOUT_SECONDS`, the seconds of two moves and two
    seconds more for each.

    Args:
        entry: declaration of the engine.
        seconds: seconds that the engine is given for a move.
    """
    rules = _rules_for(entry)
    engine = Engine(entry, EngineLimits(turn_seconds=seconds))
    try:
        engine.open(rules)
        facts = engine.about(ABOUT_SECONDS)
        board = Board(rules)
        started = time.monotonic()
        first = engine.choose(board)
        took = time.monotonic() - started
        board.push(first)
        board.push(_answer_to(board))
        second = engine.choose(board)
    except EngineFaultError as error:
        return EngineCheck(is_sound=False, text=str(error).removeprefix(f"{entry.name}: "))
    finally:
        engine.close()
    words = " ".join(
        facts[key].strip() for key in ("name", "version") if facts.get(key, "").strip()
    )
    called = f"It calls itself {words[:SHOWN]}" if words else "It does not say its name"
    moves = f"{board.to_text(first)} and {board.to_text(second)}"
    size = f"{rules.size}x{rules.rows}"
    return EngineCheck(
        is_sound=True, text=f"{called}; on {size} it played {moves}, the first after {took:.1f} s"
    )


def _rules_for(entry: EngineEntry) -> Rules:
    """Return the rules of the check: the engine's first rule, on 15x15 if it plays that board."""
    smallest, largest = entry.sizes
    return Rules(min(max(USUAL_SIZE, smallest), largest), WIN_LENGTH, entry.rules[0])


def _answer_to(board: Board) -> Move:
    """Return a reply to the engine's first move: the first free point from the top left corner."""
    return next(move for move in board.legal_moves if board.stones[move] == 0)

"""What an outside engine can do wrong, and the error that says so."""

from __future__ import annotations

from enum import StrEnum

from ai.players.base import PlayerError


class Fault(StrEnum):
    """Why an engine loses a game."""

    START = "start"
    """It could not be started, or did not answer START in time."""
    TURN_TIME = "turn time"
    """No move within the time of a move."""
    MATCH_TIME = "match time"
    """The time of the match is used up."""
    MEMORY = "memory"
    """It used more memory than it may."""
    EXITED = "exited"
    """Its process ended."""
    FLOOD = "flood"
    """It wrote more than anybody can read."""
    DEAF = "deaf"
    """It does not read what it is told."""
    ILLEGAL = "illegal move"
    """Its move is off the board or on a stone."""
    GARBAGE = "garbage"
    """What it wrote is no reply."""
    REFUSED = "refused"
    """It answered ERROR or UNKNOWN to what every brain must know."""


class EngineFaultError(PlayerError):
    """An engine has done something that loses the game; its process is ended.

    Attributes:
        fault: what.
        engine: its name.
    """

    def __init__(self, engine: str, fault: Fault, text: str) -> None:
        super().__init__(f"{engine}: {fault}: {text}")
        self.engine = engine
        self.fault = fault


__all__ = ["EngineFaultError", "Fault"]

"""One game of a tournament, to its end: a fault of a player loses it."""

from __future__ import annotations

import time
from typing import Final, NamedTuple

from ai.arena.tournament import Entrant, Pairing, Tournament
from ai.game import BLACK, WHITE, Color, IllegalMoveError
from ai.players.base import Player
from ai.session.game import GameSession
from base.values import JsonObject

TOLERANCE: Final = 1.0
"""Wall seconds over its time that a move may take, the rule of the Gomocup."""
LONGEST_TEXT: Final = 400
COLORS: Final = ((BLACK, "black"), (WHITE, "white"))


class Fault(NamedTuple):
    """Why a side lost without the board's decision."""

    reason: str
    """"time", "illegal move", "error", or "gave up" of a player that says so itself."""
    text: str


class FaultError(Exception):
    """A player lost by a fault; carries the `Fault`."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(fault.text)


def play_game(tournament: Tournament, pairing: Pairing) -> JsonObject:
    """Play one game and return its line of `games.jsonl`.

    A player that raises, plays an illegal move or overruns its time by more than `TOLERANCE`
    loses this game; the line says why.

    Returns:
        `game`, `black`, `white`, `opening`, `winner` ("black", "white" or "draw"), `reason` (of
        the board, or "resigned" where there was a fault), `fault` (None or a text with reason),
        `plies`, `moves` and `seconds` (thinking, by colour).
    """
    session = GameSession(
        tournament.rules, pairing.number, seed=tournament.seed, moves=pairing.moves
    )
    players: dict[Color, Player] = {}
    fault: Fault | None = None
    try:
        for color, side in COLORS:
            players[color] = _seated(tournament, getattr(pairing, side), side)
        while not session.is_over:
            if not session.play_pass():
                _play_move(tournament, pairing, session, players[session.board.to_move])
    except FaultError as error:
        fault = error.fault
        session.resign(session.board.to_move if len(players) == len(COLORS) else _absent(players))
    finally:
        for player in players.values():
            _close(player)
    return _line(pairing, session, fault)


def _absent(players: dict[Color, Player]) -> Color:
    """Return the side whose player could not be made."""
    return BLACK if BLACK not in players else WHITE


def _seated(tournament: Tournament, label: str, side: str) -> Player:
    try:
        return Entrant.parse(label, tournament.project).seat(tournament.rules)
    except Exception as error:
        raise FaultError(Fault("error", f"{side}: {label}: {_said(error)}")) from error


def _play_move(
    tournament: Tournament, pairing: Pairing, session: GameSession, player: Player
) -> None:
    board, limit = session.board, tournament.limit
    color = board.to_move
    name = pairing.black if color == BLACK else pairing.white
    started = time.perf_counter()
    try:
        choice = player.choose(board, limit, tournament.generator(pairing, board.ply))
    except Exception as error:  # whatever a player raises is its fault, not the tournament's
        raise FaultError(Fault("error", f"{name}: {_said(error)}")) from error
    seconds = time.perf_counter() - started
    session.seconds[color] += seconds
    if choice.forfeit:
        raise FaultError(Fault("gave up", f"{name}: {choice.forfeit}"[:LONGEST_TEXT]))
    if limit.seconds is not None and seconds > limit.seconds + TOLERANCE:
        text = f"{name}: expected a move within {limit.seconds:g} s, found {seconds:.1f} s"
        raise FaultError(Fault("time", text))
    try:
        session.take(choice)
    except IllegalMoveError as error:
        raise FaultError(Fault("illegal move", f"{name}: {error}")) from error


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:LONGEST_TEXT]


def _close(player: Player) -> None:
    try:
        player.close()
    except Exception:  # the game is over: how a player leaves changes nothing
        return


def _line(pairing: Pairing, session: GameSession, fault: Fault | None) -> JsonObject:
    record = session.record()
    winner = {BLACK: "black", WHITE: "white"}.get(record.winner, "draw")
    return {
        "game": pairing.number,
        "black": pairing.black,
        "white": pairing.white,
        "opening": pairing.opening,
        "winner": winner,
        "reason": record.termination,
        "fault": None if fault is None else {"reason": fault.reason, "text": fault.text},
        "plies": len(record.moves),
        "moves": [int(move) for move in record.moves],
        "seconds": {side: round(session.seconds[color], 3) for color, side in COLORS},
        # what a run's file has as well, so that `replay` shows it
        "ranks": [],
        "ann_nodes": 0,
        "relearn_records": 0,
    }

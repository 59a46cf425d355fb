"""Moves in sentences: who took which point, why, and what it does on the board."""

from __future__ import annotations

import logging

import ai
from ai import Opening, PlayerInfo, ThreatKind, joined
from scripts.gomoku.board.names import SIDES
from scripts.gomoku.explain.choice_reading import ChoiceReading
from sim import tr, wording

log = logging.getLogger(__name__)


def why(reading: ChoiceReading, *, is_asking: bool = False) -> str:
    """Return one to three sentences about a move: the move, its reason and its effect.

    Args:
        reading: what is known about the move.
        is_asking: whether the explanation may still arrive. Then a missing one is not mentioned.
    """
    took = tr("{side} took {text}").format(
        side=reading.side, text=reading.explained_move.text(reading.move)
    )
    reason = took if is_asking and reading.choice is None else _reason(reading, took)
    deed = effect(reading)
    said = (
        tr("{reason}; {deed}.").format(reason=reason, deed=deed)
        if deed
        else tr("{reason}.").format(reason=reason)
    )
    return (
        wording("{said} {afterword}").format(said=said, afterword=reading.view.afterword)
        if reading.view.afterword
        else said
    )


def _reason(reading: ChoiceReading, took: str) -> str:
    view, at = reading.view, reading.explained_move
    if reading.choice is None and reading.ply == 0:
        view = Opening().view(at)  # the match drew it: nobody chose
    if reading.other_move is not None:
        other = at.text(reading.other_move)
        return tr("{took}; asked again, its player ({name}) takes {other}").format(
            took=took, name=reading.player.name, other=other
        )
    if view.reason:
        return took + view.reason
    if reading.player.name == "you":
        return tr("You put {side}'s stone on {text}").format(
            side=reading.side, text=at.text(reading.move)
        )
    if is_unknown(reading.player):
        who = reading.player.title  # of a file: nobody here can be asked
        return (
            took
            if who == reading.side
            else tr("{who} took {text}").format(who=who, text=at.text(reading.move))
        )
    return tr("{took}; its player ({name}) gave no explanation").format(
        took=took, name=reading.player.name
    )


def is_unknown(player: PlayerInfo) -> bool:
    """Return whether nobody can be asked why a player moved, as one of a game file."""
    return not player.factory and not player.explains


def effect(reading: ChoiceReading) -> str:
    """Return the effect of a move as text: what it wins, stops or threatens; empty if nothing."""
    own, other = reading.color, -reading.color
    if reading.has_won:
        return tr("it makes {win_length} in a row and wins").format(win_length=reading.win_length)
    deeds = []
    before = reading.threats_before
    stopped = [item.kind for item in before if item.point == reading.move and item.color == other]
    if stopped:
        what = _plain_name(stopped[0], reading.win_length)
        deeds.append(tr("stops {side}'s {what}").format(side=SIDES[other], what=what))
    threats = [item for item in reading.threats_after if item.color == own]
    if threats:
        what = _name(threats[0].kind, reading.win_length)
        points = joined(reading.explained_move.text(item.point) for item in threats)
        deeds.append(tr("threatens {what} at {points}").format(what=what, points=points))
    return tr("it {deeds}").format(deeds=tr(" and ").join(deeds)) if deeds else ""


def threat_words(reading: ChoiceReading) -> list[tuple[int, str, str]]:
    """Return a text for each side and kind of threat after a move, the most urgent first.

    Returns:
        A list of (color, side, text), for example (BLACK, "Black", "can make five at d4").
    """
    grouped: dict[tuple[int, ThreatKind], list[int]] = {}
    for threat in reading.threats_after:
        grouped.setdefault((threat.color, threat.kind), []).append(threat.point)
    lines = []
    for (color, kind), points in grouped.items():
        where = joined(map(reading.explained_move.text, points))
        text = tr("can make {name} at {where}").format(
            name=_name(kind, reading.win_length), where=where
        )
        lines.append((color, SIDES[color], text))
    return lines


def _plain_name(kind: ThreatKind, win_length: int) -> str:
    """Return the name of a threat without an article."""
    if kind is not ThreatKind.OPEN_FOUR:
        return _name(kind, win_length)
    if win_length == 5:
        return tr("open four")
    return tr("open {win_length}").format(win_length=win_length - 1)


def _name(kind: ThreatKind, win_length: int) -> str:
    if kind is ThreatKind.OPEN_FOUR:
        return (
            tr("an open four")
            if win_length == 5
            else tr("an open {win_length}").format(win_length=win_length - 1)
        )
    return (
        tr("five", "a row of stones")
        if win_length == 5
        else tr("{win_length} in a row").format(win_length=win_length)
    )


FORMER = {"percent": "percent", "short": "short_number", "count": "counted", "join": "joined"}


def __getattr__(name: str) -> object:
    """Return a function that was moved from this module to `ai`, and log its new name.

    Args:
        name: name that the function had in this module.

    Raises:
        AttributeError: this module had no function with this name.
    """
    if name not in FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    log.warning("choice_words.%s is now ai.%s; the old name still works", name, FORMER[name])
    return globals().setdefault(name, getattr(ai, FORMER[name]))

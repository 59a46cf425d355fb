"""Reads and writes `.psq` files of the program Piskvork, as Gomocup keeps them: one game a file.

Piskvorky 20x20, 11:11, 0        board, levels of the two players, which player began (0 or 1)
11,10,0                          column, row (from 1, row 1 is the far one), milliseconds
…
ENGINE1.zip                      the players; only in files of tournaments
ENGINE2.zip
-1                               code of the manager for the ending; 15: on time
1,Freestyle                      winning player (0: not stated) and rule; not in all files
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ai.formats.builder import GameBuilder, StatedResult, StatedRules, check_size, side_to_move
from ai.formats.source import GameFileError, SourceText, decode, quoted
from ai.formats.written import (
    AGREED,
    DECLARED,
    FORFEIT,
    ON_TIME,
    RESIGNED,
    UNFINISHED,
    VOID,
    Ply,
    Property,
    WrittenGame,
    is_full_board_lost,
    lost_parts,
)
from ai.game import BLACK, EMPTY, RULE_NAMES, WHITE, Color, Rule

BEGIN: Final = re.compile(r"\s*Piskvorky\b", re.IGNORECASE)
LEVELS: Final = "psq.levels"
CODE: Final = "psq.code"
RULE: Final = "psq.rule"
USUAL: Final = {LEVELS: "0:0", CODE: "-1", RULE: ""}
"""Usual values of the format's own properties; written for games that do not state them."""
OWN_RULES: Final = {rule: rule.value.capitalize() for rule in Rule}
"""Name of each rule in the file.

When such a name is read, the game gets that rule. Any other name is kept as a property.
"""
TIMEOUT: Final = "15"
UNKNOWN: Final = "?"
_HEAD: Final = re.compile(
    r"Piskvorky\s+(\d{1,4})x(\d{1,4})(?:\s*,\s*(\d{1,4}:\d{1,4}))?(?:\s*,\s*([01]))?\s*,?",
    re.IGNORECASE,
)
_MOVE: Final = re.compile(r"(-?\d{1,6})\s*,\s*(-?\d{1,6})(?:\s*,\s*(-?\d{1,12}))?\s*,?")
_ALMOST_A_MOVE: Final = re.compile(r"-?\d+\s*[,;].*")
_CODE: Final = re.compile(r"-?\d{1,9}")
_RESULT: Final = re.compile(r"([0-2])\s*,\s*(\D.*)")
_MOVES: Final = "a move as 'column,row,milliseconds'"


def read(name: str, content: bytes) -> list[WrittenGame]:
    """Return the one game of a file, in a list.

    Args:
        name: name of the file, for error messages.
        content: the file's bytes.

    Raises:
        GameFileError: the file cannot be read; the message says where and why.
    """
    source = decode(name, content)
    lines = [(line.start(), line[0].strip()) for line in re.finditer(r"[^\r\n]+", source.text)]
    lines = [(at, text) for at, text in lines if text]
    head = _HEAD.fullmatch(lines[0][1]) if lines else None
    if head is None:
        found = quoted(lines[0][1]) if lines else "an empty file"
        source.fail(lines[0][0] if lines else 0, "'Piskvorky 15x15, 0:0, 0'", found)
    columns, rows = int(head[1]), int(head[2])
    check_size(source, lines[0][0] + head.start(1), columns, rows)
    moves = 1
    while moves < len(lines) and _looks_like_a_move(lines[moves][1]):
        moves += 1
    tail = _Tail(source, lines[moves:])
    builder = GameBuilder(source, columns, rows, tail.stated)
    for number, (at, text) in enumerate(lines[1:moves]):
        builder.play(_ply(source, at, text, (columns, rows), side_to_move(number)), at)
    untimed = sum(ply.seconds is None for ply in builder.plies)
    if untimed:
        source.note(lines[1][0], f"{untimed} of {len(builder.plies)} moves have no time")
    game = _finished(builder, tail, int(head[4] or 0), head[3] or USUAL[LEVELS])
    return [replace(game, notes=tuple(source.notes))]


def _looks_like_a_move(line: str) -> bool:
    """Return whether a line is meant as a move and not as a closing line."""
    return re.fullmatch(r"[\d\s,-]*,[\d\s,-]*", line) is not None


def _ply(source: SourceText, at: int, text: str, size: tuple[int, int], color: Color) -> Ply:
    found = _MOVE.fullmatch(text)
    if found is None:
        source.fail(at, _MOVES, quoted(text))
    place = []
    for group, (word, most) in enumerate(zip(("column", "row"), size, strict=True), start=1):
        value = int(found[group])
        if not 1 <= value <= most:
            source.fail(at + found.start(group), f"a {word} from 1 to {most}", str(value))
        place.append(value - 1)
    if found[3] is not None and int(found[3]) < 0:
        source.fail(at + found.start(3), "milliseconds from 0", found[3])
    seconds = None if found[3] is None else int(found[3]) / 1000.0
    return Ply(place[1] * size[0] + place[0], color, seconds)


class _Tail:
    """The lines after the moves: names of the players, code of the ending, result with the rule."""

    def __init__(self, source: SourceText, lines: Sequence[tuple[int, str]]) -> None:
        rest = list(lines)
        self.at = rest[-1][0] if rest else len(source.text)
        result = _RESULT.fullmatch(rest[-1][1]) if rest else None
        self.winner = 0
        self.rule = ""
        if result is not None:
            self.winner, self.rule = int(result[1]), result[2].strip()
            rest.pop()
        if rest and _CODE.fullmatch(rest[-1][1]):
            self.code = rest.pop()[1]
        else:
            self.code = USUAL[CODE]
            source.note(self.at, "no line with the manager's code such as '-1'")
        for at, text in rest:
            if _ALMOST_A_MOVE.fullmatch(text):
                source.fail(at, f"{_MOVES}, or a code such as '-1'", quoted(text))
        if len(rest) not in (0, 2):
            told = f"{len(rest)} line{'s' * (len(rest) > 1)} for the names of two players"
            source.note(rest[0][0], told)
        names = ["" if text == UNKNOWN else text for _, text in rest[:2]]
        self.names = [*names, "", ""][:2]
        first = self.rule.lower().partition(" ")[0]
        self.stated = StatedRules(rule=Rule(first) if first in RULE_NAMES else None)


def _finished(builder: GameBuilder, tail: _Tail, began: int, levels: str) -> WrittenGame:
    colors = {began + 1: BLACK, 2 - began: WHITE}  # of players 1 and 2
    winner, termination = colors.get(tail.winner, EMPTY), DECLARED
    if not tail.winner:
        is_late = tail.code == TIMEOUT
        winner = -side_to_move(len(builder.plies)) if is_late else EMPTY
        termination = ON_TIME if is_late else UNFINISHED
    elif tail.code == TIMEOUT:
        termination = ON_TIME
    rules, winner, termination = builder.finish(StatedResult(winner, termination, tail.at))
    black, white = tail.names if began == 0 else tail.names[::-1]
    code = USUAL[CODE] if termination == ON_TIME else tail.code
    said = {LEVELS: levels, CODE: code, RULE: tail.rule}
    other: tuple[Property, ...] = tuple(
        (key, (value,))
        for key, value in said.items()
        if value not in (USUAL[key], *OWN_RULES.values())
    )
    plies = tuple(builder.plies)
    return WrittenGame(rules, plies, winner, termination, black, white, other=other)


def write(games: Sequence[WrittenGame], name: str) -> str:
    """Return the one game as text.

    Args:
        games: a list with one game.
        name: name of the file, for error messages.

    Raises:
        GameFileError: there are several games, or the format cannot hold the game.
    """
    if len(games) != 1:
        raise GameFileError(f"{name}: expected one game for a .psq file, found {len(games)}")
    game, rules = games[0], games[0].rules
    if rules.win_length != 5 or rules.gravity:
        raise GameFileError(f"{name}: expected five in a row, found {rules.win_length} in a row")
    game.check_turns(name)
    said = USUAL | {key: values[0] for key, values in game.other if key in USUAL}
    if game.termination == ON_TIME:
        said[CODE] = TIMEOUT
    seconds = [None] * len(game.setup) + [ply.seconds for ply in game.plies]
    lines = [f"Piskvorky {rules.size}x{rules.rows}, {said[LEVELS]}, 0"]
    for move, spent in zip(game.moves, seconds, strict=True):
        row, col = divmod(move, rules.size)
        lines.append(f"{col + 1},{row + 1},{round((spent or 0.0) * 1000)}")
    if game.black or game.white:
        lines += [_name(player, name) for player in (game.black, game.white)]
    winner = {BLACK: 1, WHITE: 2}.get(game.winner, 0)
    rule = said[RULE] or OWN_RULES[rules.rule]
    lines.append(said[CODE])
    if winner or rules.rule is not Rule.FREESTYLE or said[RULE]:
        lines.append(f"{winner},{rule}")
    return "".join(f"{line}\n" for line in lines)


def _name(player: str, file: str) -> str:
    text = " ".join(player.split()) or UNKNOWN
    if _looks_like_a_move(text) or _CODE.fullmatch(text) or _RESULT.fullmatch(text):
        raise GameFileError(f"{file}: expected a name that is no move and no code, found {text!r}")
    return text


def lost(game: WrittenGame) -> tuple[str, ...]:
    """Return the names of the parts of a game that the format cannot hold."""
    is_drawn = game.termination == DECLARED and game.winner == EMPTY
    return lost_parts(
        (
            ("who wins a full board", is_full_board_lost(game)),
            ("how it ended", is_drawn or game.termination in (RESIGNED, AGREED, FORFEIT, VOID)),
            ("comments", game.comment or any(ply.comment for ply in game.plies)),
            ("the opening's choices", game.opening),
            ("which stones were set up", game.setup),
            ("variations", game.variations),
        )
    )

"""Reads and writes the game text of a thesis (Muzika 2017, section 5.2).

Example: `1. h8 g7 2. e11 white 3. - i7 … 0-1`. A round has two actions, first of player 1, then of
player 2. An action is a point, a color or a dash. `white` and `black` choose a color; a dash means
that the player has no action. The result names players, not colors.

The thesis shows one choice only: player 2 keeps White after three stones. The other branches of the
swap2 opening are written in the same way. Player 2 takes `black`; or player 2 adds two stones, `2.
e11 i7 3. - h6`, and player 1 chooses. The board has 15x15 points. The format cannot hold rules,
names, times and comments.

A file that lists only points, as `h13h11j13`, is read, too: five or more in a row win.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ai.formats.builder import GameBuilder, StatedResult, StatedRules, side_to_move
from ai.formats.source import GameFileError, SourceText, decode, quoted
from ai.formats.written import (
    AGREED,
    DECLARED,
    FORFEIT,
    FOUL,
    ON_TIME,
    RESIGNED,
    UNFINISHED,
    VOID,
    ColorChoice,
    Ply,
    WrittenGame,
    is_full_board_lost,
    lost_parts,
)
from ai.game import BLACK, EMPTY, WHITE, Color, CoordinateError, Rule, from_text, to_text
from ai.game.rules import MAX_SIZE

SIZE: Final = 15
BEGIN: Final = re.compile(r"\s*(?:1\.(?!\d)|(?:[a-z]\d{1,2}[\s,;]*){2})", re.IGNORECASE)
_LISTED: Final = re.compile(r"\s*(?:[a-z]\d{1,2}[\s,;]*)+", re.IGNORECASE)
_LISTED_POINT: Final = re.compile(r"[a-z]\d{1,2}", re.IGNORECASE)
OPENING: Final = 3
"""Number of stones that player 1 places before player 2 chooses a color."""
LONG_OPENING: Final = 5
"""Number of stones before player 1 chooses, after player 2 has added two stones."""
_TOKEN: Final = re.compile(r"\d+\.(?!\d)|[^\s.]+(?:\.\d\S*)?|\S")
_ROUND: Final = re.compile(r"(\d{1,4})\.")
_COLORS: Final = {"white": WHITE, "black": BLACK}
_DASHES: Final = frozenset("-–—")
_DRAWN: Final = dict.fromkeys(("1/2-1/2", "½-½", "0.5-0.5"), 0)
_RESULTS: Final[Mapping[str, int | None]] = {"1-0": 1, "0-1": 2, "*": None, **_DRAWN}
_RESULT_OF: Final = {1: "1-0", 2: "0-1", 0: "1/2-1/2"}
_NOT_TOLD: Final = (RESIGNED, ON_TIME, AGREED, FORFEIT, VOID, FOUL)
_POINT: Final = "a point such as 'h8', 'white', 'black', '-' or a result such as '0-1'"


def read(name: str, content: bytes) -> list[WrittenGame]:
    """Return the games of a file.

    Args:
        name: name of the file, for error messages.
        content: the file's bytes.

    Raises:
        GameFileError: the file cannot be read; the message says where and why.
    """
    source = decode(name, content)
    if _LISTED.fullmatch(source.text):
        return _listed(source)
    games = _games(source)
    games[0] = replace(games[0], notes=tuple(source.notes))
    return games


def _listed(source: SourceText) -> list[WrittenGame]:
    """Return the games of a file that lists only points, such as `h13h11j13`.

    It is one game, or one a line if a point is listed twice.
    """
    points = list(_LISTED_POINT.finditer(source.text))
    lines = [points]
    if len({found[0].lower() for found in points}) < len(points):
        by_line: dict[int, list[re.Match[str]]] = {}
        for found in points:
            by_line.setdefault(source.text.count("\n", 0, found.start()), []).append(found)
        lines = list(by_line.values())
    size = _size_of(points)
    source.note(0, f"points without rules; read as five or more in a row on {size}x{size}")
    games = []
    for line in lines:
        builder = GameBuilder(source, size, size, StatedRules())
        for number, found in enumerate(line):
            try:
                move = from_text(found[0], size)
            except CoordinateError:
                source.fail(found.start(), "a point of a board", quoted(found[0]))
            builder.play(Ply(move, side_to_move(number)), found.start())
        rules, winner, termination = builder.finish(StatedResult())
        games.append(WrittenGame(rules, tuple(builder.plies), winner, termination))
    games[0] = replace(games[0], notes=tuple(source.notes))
    return games


def _size_of(points: Sequence[re.Match[str]]) -> int:
    """Return the size of the smallest usual board that has all points."""
    needed = max(
        max(ord(found[0][0].lower()) - ord("a") + 1, int(found[0][1:])) for found in points
    )
    return next((size for size in (SIZE, 19, 20) if size >= needed), MAX_SIZE)


def _games(source: SourceText) -> list[WrittenGame]:
    games: list[WrittenGame] = []
    reader: _Reader | None = None
    for token in _TOKEN.finditer(source.text):
        word, at = token[0].lower(), token.start()
        if reader is None:
            reader = _Reader(source)
        if word in _RESULTS:
            games.append(reader.finish(_RESULTS[word], at))
            reader = None
        elif number := _ROUND.fullmatch(word):
            reader.begin_round(int(number[1]), at)
        else:
            reader.read_action(word, at)
    if reader is not None or not games:
        found = "the end of the file"
        source.fail(len(source.text), "a result such as '1-0', '0-1' or '*'", found)
    return games


class _Reader:
    """Reads the actions of one game."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._builder = GameBuilder(source, SIZE, SIZE, StatedRules())
        self._round = 0
        self._actions = 0  # dashes and choices included
        self._dashes = 0
        self._choice: ColorChoice | None = None

    @property
    def _player(self) -> int:
        return 1 + self._actions % 2

    def begin_round(self, number: int, at: int) -> None:
        """Check the number of a round and begin the round.

        Args:
            number: the number that the file gives.
            at: offset of the number in the text, for error messages.
        """
        wanted = self._actions // 2 + 1
        if self._actions % 2 or number != wanted or self._round == wanted:
            missing = self._actions % 2 or self._round == wanted
            expected = f"an action of round {wanted}" if missing else f"'{wanted}.'"
            self._source.fail(at, expected, f"'{number}.'")
        self._round = number

    def read_action(self, word: str, at: int) -> None:
        """Parse an action: a point, a color or a dash.

        Args:
            word: text of the action.
            at: offset of the word in the text, for error messages.
        """
        if self._actions // 2 + 1 != self._round:
            self._source.fail(at, f"'{self._actions // 2 + 1}.' or a result", quoted(word))
        if word in _COLORS:
            self._choose(_COLORS[word], word, at)
        elif word in _DASHES:
            self._skip(word, at)
        else:
            self._place(word, at)
        self._actions += 1

    def _choose(self, color: Color, word: str, at: int) -> None:
        stones = len(self._builder.plies)
        chooser = {OPENING: 2, LONG_OPENING: 1}.get(stones)
        if self._choice is not None or chooser != self._player:
            self._source.fail(at, "a point or '-'", quoted(word))
        self._choice = ColorChoice(stones, self._player, color)

    def _skip(self, word: str, at: int) -> None:
        stones = len(self._builder.plies)
        if self._choice is None:
            if not OPENING <= stones <= LONG_OPENING:
                self._source.fail(at, "a point", quoted(word))
        elif self._owner(side_to_move(stones)) == self._player:
            self._source.fail(at, f"a point of player {self._player}", quoted(word))
        self._dashes += 1

    def _place(self, word: str, at: int) -> None:
        try:
            move = from_text(word, SIZE)
        except CoordinateError:
            move = -1
        if move < 0:
            self._source.fail(at, _POINT, quoted(word))
        stones = len(self._builder.plies)
        if self._choice is not None and self._owner(side_to_move(stones)) != self._player:
            self._source.fail(at, f"'-': player {self._player} has no action here", quoted(word))
        if self._choice is None and self._dashes and stones >= LONG_OPENING:
            self._source.fail(at, "the choice of a color, 'white' or 'black'", quoted(word))
        self._builder.play(Ply(move, side_to_move(stones)), at)

    def _owner(self, color: Color) -> int:
        """Return the player, 1 or 2, who plays a color."""
        if self._choice is None:
            return 1 if color == BLACK else 2
        own = self._choice.player
        return own if color == self._choice.color else 3 - own

    def finish(self, winner: int | None, at: int) -> WrittenGame:
        """Check the end of a game and return the game.

        Args:
            winner: player 1 or 2; 0 for a draw, None for an unfinished game.
            at: offset of the result in the text, for error messages.
        """
        if self._actions == 0:
            self._source.fail(at, "'1.' and a game", "a result")
        if self._actions % 2 == 0 and self._round > self._actions // 2:
            self._source.fail(at, f"an action of round {self._round}", "a result")
        colors = {self._owner(color): color for color in (BLACK, WHITE)}
        said = StatedResult(
            colors.get(winner or 0, EMPTY),
            UNFINISHED if winner is None else DECLARED,
            at,
            is_open=winner is None,
        )
        rules, color, termination = self._builder.finish(said)
        opening = () if self._choice is None else (self._choice,)
        return WrittenGame(rules, tuple(self._builder.plies), color, termination, opening=opening)


def write(games: Sequence[WrittenGame], name: str) -> str:
    """Return games as text, one game per line.

    Args:
        games: the games.
        name: name of the file, for error messages.

    Raises:
        GameFileError: the format cannot hold one of the games.
    """
    return "".join(f"{_line(game, name)}\n" for game in games)


def _line(game: WrittenGame, name: str) -> str:
    rules = game.rules
    if (rules.size, rules.rows, rules.win_length, rules.gravity) != (SIZE, SIZE, 5, False):
        size = f"{rules.win_length} in a row on {rules.size}x{rules.rows}"
        raise GameFileError(f"{name}: expected five in a row on {SIZE}x{SIZE}, found {size}")
    game.check_turns(name)
    words: list[str] = []
    for number, action in enumerate(_actions(game, name)):
        if number % 2 == 0:
            words.append(f"{number // 2 + 1}.")
        words.append(action)
    if not words:
        raise GameFileError(f"{name}: expected a game with a move, found none")
    result = "*"
    if game.termination not in (UNFINISHED, "void"):
        result = _RESULT_OF[_owners(game)[game.winner] if game.winner else 0]
    return " ".join((*words, result))


def _owners(game: WrittenGame) -> dict[Color, int]:
    """Return for each color the player, 1 or 2, who plays it after the opening."""
    if not game.opening:
        return {BLACK: 1, WHITE: 2}
    choice = game.opening[0]
    return {choice.color: choice.player, -choice.color: 3 - choice.player}


def _actions(game: WrittenGame, name: str) -> Iterator[str]:
    """Yield the actions of both players in order: points, a choice of color, and dashes.

    Args:
        game: the game.
        name: name of the file, for error messages.

    Raises:
        GameFileError: the format cannot hold the choices of the opening.
    """
    points = [to_text(move, SIZE) for move in game.moves]
    if not game.opening:
        yield from points
        return
    choice = game.opening[0]
    place = (choice.stones, choice.player)
    is_known = place in ((OPENING, 2), (LONG_OPENING, 1)) and len(points) >= choice.stones
    if len(game.opening) > 1 or not is_known:
        raise GameFileError(
            f"{name}: expected one choice, of player 2 after {OPENING} stones or of player 1 "
            f"after {LONG_OPENING}, found {len(game.opening)} after {choice.stones}"
        )
    yield from points[:OPENING]
    if choice.stones == LONG_OPENING:
        yield from (points[3], "-", points[4])
    yield "white" if choice.color == WHITE else "black"
    owners, player = _owners(game), 3 - choice.player
    for number, point in enumerate(points[choice.stones :], start=choice.stones):
        owner = owners[side_to_move(number)]
        if owner != player:
            yield "-"
            player = 3 - player
        yield point
        player = 3 - player


def lost(game: WrittenGame) -> tuple[str, ...]:
    """Return the names of the parts of a game that the format cannot hold."""
    return lost_parts(
        (
            ("the rule", game.rules.rule is not Rule.FREESTYLE),
            ("who wins a full board", is_full_board_lost(game)),
            ("how it ended", game.termination in _NOT_TOLD),
            ("names", game.black or game.white),
            ("times", any(ply.seconds is not None for ply in game.plies)),
            ("comments", game.comment or any(ply.comment for ply in game.plies)),
            ("which stones were set up", game.setup),
            ("variations", game.variations),
        )
    )

"""Reads and writes SGF files (FF[4]) of Gomoku and Renju (GM[4]); the syntax is in `sgf_tree`.

`aa` is the far left point. The main line is the game; variations are kept as text. Properties that
we do not use are kept and written again. We write the rules to `RU` in the words of `words_of`, and
two properties of our own. `MS` is the time of a move in milliseconds. `OC` is a choice of color in
the opening: number of stones, player, color.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from ai.formats.builder import GameBuilder, StatedResult, StatedRules, check_size
from ai.formats.sgf_tree import Node, PropertyValue, Tree, decode_sgf, escaped, parse
from ai.formats.source import MOST_SHOWN, GameFileError, SourceText, quoted
from ai.formats.written import (
    DECLARED,
    FORFEIT,
    ON_TIME,
    RESIGNED,
    UNFINISHED,
    VOID,
    ColorChoice,
    LeftOut,
    Ply,
    Property,
    WrittenGame,
    turns,
)
from ai.game import (
    BLACK,
    EMPTY,
    PASS,
    RULE_NAMES,
    WHITE,
    Color,
    CoordinateError,
    Move,
    Rule,
    Rules,
    color_name,
    from_text,
)

GRAVITY: Final = "gravity"
_LENGTH: Final = re.compile(r"(\d{1,2}) in a row")
_FULL: Final = {
    "Black wins a full board": BLACK,
    "White wins a full board": WHITE,
    "a full board is a draw": EMPTY,
}


def words_of(rules: Rules) -> str:
    """Return rules as words, such as "standard" or "freestyle, 4 in a row, gravity"."""
    words = [rules.rule.value]
    if rules.win_length != 5:
        words.append(f"{rules.win_length} in a row")
    if rules.full_board_winner != EMPTY:
        words += [name for name, winner in _FULL.items() if winner == rules.full_board_winner]
    if rules.gravity:
        words.append(GRAVITY)
    return ", ".join(words)


def stated_by(text: str, longest: int) -> StatedRules | None:
    """Parse rules in the words of `words_of`; return None for any other text.

    Args:
        text: the words.
        longest: points along the longer side of the board.
    """
    first, *rest = (word.strip() for word in text.split(","))
    if first.lower() not in RULE_NAMES:
        return None
    length, winner, gravity = 5, EMPTY, False
    for word in rest:
        number = _LENGTH.fullmatch(word)
        if number and 3 <= int(number[1]) <= longest:
            length = int(number[1])
        elif word in _FULL:
            winner = _FULL[word]
        elif word == GRAVITY:
            gravity = True
        else:
            return None
    return StatedRules(length, Rule(first.lower()), winner if len(rest) else None, gravity)


def _rule_meant(text: str) -> Rule | None:
    """Return the rule that another program's words or number for it probably mean; None if none."""
    number = _RULE_NUMBERS.get(text.strip())
    if number is not None:
        return number
    return next((rule for rule, words in _RULE_WORDS.items() if words.search(text)), None)


BEGIN: Final = re.compile(r"\s*\(\s*;")
GAME: Final = "4"
_HEAD: Final = (("FF", ("4",)), ("GM", (GAME,)), ("CA", ("UTF-8",)))
USUAL_SIZE: Final = 15
USUAL_SIZES: Final = (USUAL_SIZE, 19, 20)
"""Points along a side if the property SZ is missing."""
_COLORS: Final = {"B": BLACK, "W": WHITE}
_LETTERS: Final = {BLACK: "B", WHITE: "W"}
_SETUP: Final = {"AB": BLACK, "AW": WHITE}
_REASONS: Final = {
    "": DECLARED,
    **dict.fromkeys(("R", "RESIGN"), RESIGNED),
    **dict.fromkeys(("T", "TIME"), ON_TIME),
    **dict.fromkeys(("F", "FORFEIT"), FORFEIT),
}
_ENDS: Final = {RESIGNED: "R", ON_TIME: "T", FORFEIT: "F"}
_WITHOUT: Final = {"?": UNFINISHED, "": UNFINISHED, "VOID": VOID, "0": DECLARED, "DRAW": DECLARED}
_ROOT_ONLY: Final = frozenset({"FF", "GM", "CA", "SZ", "RE", "PB", "PW", "PL", "OC"})
_MOST_SIDE: Final = 99
_SIZE: Final = re.compile(r"(\d{1,3})(?::(\d{1,3}))?")
_RESULT: Final = re.compile(r"([BW])\+(.*)")
_CHOICE: Final = re.compile(r"(\d{1,2}) ([12]) ([BW])")
_POINT: Final = re.compile(r"[a-zA-Z]{2}")
_OLD_PASS: Final = "tt"
_OLD_SIDE: Final = 19
_OF_GO: Final = frozenset({"KM", "HA"})
"""Properties of the root that only games of Go have: komi and handicap."""
_RULE_NUMBERS: Final = {
    "0": Rule.FREESTYLE,
    "1": Rule.STANDARD,
    "4": Rule.RENJU,
    "8": Rule.CARO,
    "9": Rule.CARO,
}
"""The numbers of Gomocup's protocol."""
_RULE_WORDS: Final = {
    Rule.RENJU: re.compile(
        r"renju|\brif\b|soos[oõy]|taraguchi|yamaguchi|sakata|tarannikov", re.IGNORECASE
    ),
    Rule.CARO: re.compile(r"caro", re.IGNORECASE),
    Rule.STANDARD: re.compile(r"standard|exact", re.IGNORECASE),
    Rule.FREESTYLE: re.compile(r"free|five or more", re.IGNORECASE),
}
"""Words that other programs have for a rule, its federation (RIF) or its openings."""
_ALGEBRAIC: Final = re.compile(r"[a-zA-Z]\d{1,2}")
_PLAIN_NAME: Final = re.compile(r"[A-Z]{1,30}")


def read(name: str, content: bytes) -> list[WrittenGame]:
    """Return the games of a file, which SGF calls a collection.

    Args:
        name: name of the file, for error messages.
        content: the file's bytes.

    Raises:
        GameFileError: the file cannot be read; the message says where and why.
    """
    source = decode_sgf(name, content)
    trees, games = parse(source), []
    of_file, fault = tuple(source.notes), None
    for tree in trees:
        source.notes.clear()
        try:
            game = _GameReader(source, tree).game()
        except GameFileError as error:
            fault = fault or error
            of_file = (*of_file, f"{error}; this game is left out")
            continue
        games.append(replace(game, notes=tuple(source.notes)))
    if fault is not None and (len(trees) == 1 or not games):
        raise fault
    games[0] = replace(games[0], notes=(*of_file, *games[0].notes))
    return games


class _PointReader:
    """Reads the points of a board of some size."""

    def __init__(self, source: SourceText, columns: int, rows: int) -> None:
        self._source = source
        self._columns, self._rows = columns, rows

    def point(self, text: str, at: int) -> Move:
        """Parse a point: two letters as in SGF, or a letter and a number such as "h8".

        An empty text is a pass; on boards of up to 19 points a side, so is "tt", as in old files.

        Args:
            text: text of the point, without blanks around it.
            at: offset of the text in the file, for error messages.
        """
        is_small = self._columns <= _OLD_SIDE and self._rows <= _OLD_SIDE
        if text.lower() in ("", "pass") or (is_small and text == _OLD_PASS):
            return PASS
        if _ALGEBRAIC.fullmatch(text):
            try:
                return from_text(text, self._columns, self._rows)
            except CoordinateError:
                self._source.fail(at, self._range(), quoted(text))
        if not _POINT.fullmatch(text):
            self._source.fail(at, "a point such as 'hh'", quoted(text))
        col, row = (ord(letter) - ord("a") for letter in text)
        if not (0 <= col < self._columns and 0 <= row < self._rows):
            self._source.fail(at, self._range(), quoted(text))
        return row * self._columns + col

    def _range(self) -> str:
        last = chr(ord("a") + self._columns - 1) + chr(ord("a") + self._rows - 1)
        return f"a point from 'aa' to '{last}'"

    def points(self, value: PropertyValue) -> list[Move]:
        """Return the points of a value, which may be a rectangle such as 'aa:cc'."""
        first, colon, last = value.text.strip().partition(":")
        begin = self.point(first, value.at)
        if begin == PASS:
            self._source.fail(value.at, "a point such as 'hh'", "a pass")
        if not colon:
            return [begin]
        end = self.point(last, value.at + value.raw.find(":") + 1)
        if end == PASS:
            self._source.fail(value.at, "two corners such as 'aa:cc'", quoted(value.text))
        rows = sorted(move // self._columns for move in (begin, end))
        cols = sorted(move % self._columns for move in (begin, end))
        return [
            row * self._columns + col
            for row in range(rows[0], rows[1] + 1)
            for col in range(cols[0], cols[1] + 1)
        ]


class _GameReader:
    """Reads one game of an SGF file."""

    def __init__(self, source: SourceText, tree: Tree) -> None:
        self._source = source
        self._tree = tree
        self._root = tree.nodes[0].properties
        self._columns, self._rows = self._size()
        self._reader = _PointReader(source, self._columns, self._rows)
        self._rules_are_ours = True
        self._builder = GameBuilder(source, self._columns, self._rows, self._stated())
        self._comments: list[list[str]] = [[]]  # of the game, then of each ply
        self._other: list[dict[str, list[str]]] = [{}]
        self._plies_after: list[int] = []  # by node

    def game(self) -> WrittenGame:
        """Read all nodes and return the game.

        Raises:
            GameFileError: the game cannot be played by these rules; the message says where and why.
        """
        self._check_game()
        for node in self._tree.nodes:
            self._read_node(node)
        if not self._builder.plies:
            self._note_set_up()
        rules, winner, termination = self._builder.finish(self._ending())
        plies = tuple(
            Ply(ply.move, ply.color, ply.seconds, "\n".join(comment), _kept(other))
            for ply, comment, other in zip(
                self._builder.plies, self._comments[1:], self._other[1:], strict=True
            )
        )
        return WrittenGame(
            rules,
            plies,
            winner,
            termination,
            black=self._line("PB"),
            white=self._line("PW"),
            opening=self._opening(),
            setup=tuple(self._builder.setup),
            first=self._first(),
            comment="\n".join(self._comments[0]),
            variations=self._variations(),
            other=_kept(self._other[0]),
        )

    # -- the root ------------------------------------------------------------------------------

    def _value(self, name: str) -> PropertyValue | None:
        values = self._root.get(name)
        return values[0] if values else None

    def _line(self, name: str) -> str:
        value = self._value(name)
        return "" if value is None else value.line

    def _check_game(self) -> None:
        game = self._value("GM")
        at = self._tree.nodes[0].at if game is None else game.at
        if game is None and not _OF_GO & self._root.keys():
            self._source.note(at, f"no GM is stated; read as GM[{GAME}], Gomoku or Renju")
        elif game is None or game.line != GAME:
            found = "none, which means Go" if game is None else f"GM[{game.line[:8]}]"
            self._source.fail(at, f"GM[{GAME}], Gomoku or Renju", found)

    def _size(self) -> tuple[int, int]:
        value = self._value("SZ")
        if value is None:
            side = self._size_by_points()
            return side, side
        found = _SIZE.fullmatch(value.line)
        if found is None:
            self._source.fail(value.at, "a size such as '15' or '9:7'", quoted(value.line))
        size = int(found[1]), int(found[2] or found[1])
        check_size(self._source, value.at, *size)
        return size

    def _size_by_points(self) -> int:
        """Return the usual size of a board, or the next one on which the moves have room."""
        points = [
            value.text.strip().lower()
            for node in self._tree.nodes
            for name in (*_COLORS, *_SETUP)
            for value in node.properties.get(name, ())
        ]
        letters = "".join(text for text in points if _POINT.fullmatch(text) and text != _OLD_PASS)
        needed = ord(max(letters, default="a")) - ord("a") + 1
        size = next((size for size in USUAL_SIZES if size >= needed), USUAL_SIZE)
        if size != USUAL_SIZE:
            self._source.note(self._tree.nodes[0].at, f"no SZ is stated; the moves need {size}")
        return size

    def _stated(self) -> StatedRules:
        value = self._value("RU")
        if value is None or not value.line:
            return StatedRules()
        stated = stated_by(value.line, max(self._columns, self._rows))
        if stated is None and (rule := _rule_meant(value.line)) is not None:
            self._source.note(value.at, f"RU[{value.line[:MOST_SHOWN]}] is read as {rule}")
            stated = StatedRules(rule=rule)
        if stated is None:
            told = f"RU[{value.line[:MOST_SHOWN]}] is not known; five or more in a row win"
            self._source.note(value.at, told)
        self._rules_are_ours = stated is not None
        return stated or StatedRules()

    def _first(self) -> Color:
        value = self._value("PL")
        if value is None:
            return EMPTY
        color = _COLORS.get(value.line.upper()[:1])
        if color is None:
            self._source.fail(value.at, "'B' or 'W'", quoted(value.line))
        return color

    def _opening(self) -> tuple[ColorChoice, ...]:
        choices = []
        for value in self._root.get("OC", ()):
            found = _CHOICE.fullmatch(value.line)
            if found is None:
                self._source.fail(value.at, "a choice such as '3 2 W'", quoted(value.line))
            choices.append(ColorChoice(int(found[1]), int(found[2]), _COLORS[found[3]]))
        return tuple(choices)

    def _ending(self) -> StatedResult:
        value = self._value("RE")
        if value is None:
            return StatedResult(at=self._tree.nodes[0].at)
        text = value.line.upper()
        won = _RESULT.fullmatch(text)
        if won is not None:
            return StatedResult(_COLORS[won[1]], _REASONS.get(won[2], DECLARED), value.at)
        if text not in _WITHOUT:
            told = "is no result such as 'B+', 'W+R' or '0'; read as unfinished"
            self._source.note(value.at, f"RE[{value.line[:MOST_SHOWN]}] {told}")
        return StatedResult(EMPTY, _WITHOUT.get(text, UNFINISHED), value.at)

    # -- nodes ---------------------------------------------------------------------------------

    def _read_node(self, node: Node) -> None:
        moves = [(name, value) for name in _COLORS for value in node.properties.get(name, ())]
        self._read_setup(node, is_move=bool(moves))
        if len(moves) > 1:
            self._source.fail(moves[1][1].at, "one move in a node", "two")
        for name, value in moves:
            move = self._reader.point(value.text.strip(), value.at)
            self._note_turn(_COLORS[name], value.at)
            before = len(self._builder.plies)
            self._builder.play(Ply(move, _COLORS[name], _seconds_of(node)), value.at)
            if len(self._builder.plies) > before:
                self._comments.append([])
                self._other.append({})
        self._plies_after.append(len(self._builder.plies))
        self._comments[-1] += [value.text for value in node.properties.get("C", ())]
        for name, values in node.properties.items():
            if not self._is_known(name, node, is_move=bool(moves)):
                self._other[-1].setdefault(name, []).extend(value.raw for value in values)

    def _read_setup(self, node: Node, *, is_move: bool) -> None:
        for name, color in _SETUP.items():
            for value in node.properties.get(name, ()):
                if is_move or self._builder.plies:
                    self._source.fail(value.at, "set-up stones before the first move", name)
                for move in self._reader.points(value):
                    self._builder.add_setup_stone(move, color, value.at)
        if "AE" in node.properties:
            self._source.fail(node.properties["AE"][0].at, "no stone taken away", "AE")

    def _note_set_up(self) -> None:
        """Make a note of a set-up without a move in which turns are missing."""
        setup = self._builder.setup
        if any(move == PASS for move, _ in turns(setup, (), self._first())):
            black = sum(own == BLACK for _, own in setup)
            told = f"the set-up has {black} black and {len(setup) - black} white stones"
            self._source.note(self._tree.nodes[0].at, f"{told}; passes stand between")

    def _note_turn(self, color: Color, at: int) -> None:
        """Make a note of a move, or of set-up stones, after which a turn is missing."""
        plies, setup = self._builder.plies, self._builder.setup
        if plies and plies[-1].color == color:
            told = f"move {len(plies) + 1} is of the same side as the one before"
            self._source.note(at, f"{told}; a pass stands between")
        black = sum(own == BLACK for _, own in setup)
        more = 2 * black - len(setup)
        if not plies and (more, color) not in ((0, BLACK), (1, WHITE)):
            told = f"after {black} black and {len(setup) - black} white stones of the set-up"
            self._source.note(at, f"{color_name(color)} moves {told}; passes stand between")

    def _is_known(self, name: str, node: Node, *, is_move: bool) -> bool:
        if name in _COLORS or name in _SETUP or name == "C":
            return True
        if name == "MS":
            return is_move and _seconds_of(node) is not None
        is_root = node is self._tree.nodes[0]
        return is_root and (name in _ROOT_ONLY or (name == "RU" and self._rules_are_ours))

    def _variations(self) -> tuple[LeftOut, ...]:
        return named_variations(
            (self._plies_after[nodes - 1], first, text)
            for nodes, text, first in self._tree.variations
        )


def named_variations(branches: Iterable[tuple[int, Node, str]]) -> tuple[LeftOut, ...]:
    """Return variations with their names.

    Args:
        branches: number of the game's moves before each variation, its first node and its text.
    """
    found: list[LeftOut] = []
    counts: Counter[int] = Counter()
    for ply, first, text in branches:
        counts[ply] += 1
        own = first.properties.get("N", ())
        named = f"variation {counts[ply]} after move {ply}"
        found.append(LeftOut(ply, own[0].line if own and own[0].line else named, text))
    return tuple(found)


def _seconds_of(node: Node) -> float | None:
    values = node.properties.get("MS", ())
    text = "".join(value.raw for value in values[:2])
    is_number = len(values) == 1 and re.fullmatch(r"\d{1,12}", text)
    return int(text) / 1000.0 if is_number else None


def _kept(other: dict[str, list[str]]) -> tuple[Property, ...]:
    return tuple((name, tuple(values)) for name, values in other.items())


# -- writing -----------------------------------------------------------------------------------


def write(games: Sequence[WrittenGame], name: str) -> str:
    """Return games as the text of one file, which SGF calls a collection.

    Args:
        games: the games.
        name: name of the file, for error messages.

    Raises:
        GameFileError: `games` is empty.
    """
    if not games:
        raise GameFileError(f"{name}: expected a game, found none")
    return "".join(f"{_tree_text(game)}\n" for game in games)


def _tree_text(game: WrittenGame) -> str:
    nodes = [_root_text(game), *(ply_text(game.rules, ply) for ply in game.plies)]
    parts, closing = ["("], [")"]
    for number, node in enumerate(nodes):
        leaving = [item.text for item in game.variations if item.ply == number - 1]
        if leaving:
            parts.append("\n(")
            closing.append("".join((")", *(f"\n{text}" for text in leaving))))
        parts.append(node)
    late = [item.text for item in game.variations if item.ply == len(game.plies)]
    if late:  # the first of several would count as the main line: an empty node takes that place
        parts.append("(;)")
    return "".join((*parts, *late, *reversed(closing)))


def variation_moves(game: WrittenGame, item: LeftOut) -> tuple[Move, ...]:
    """Return all points from the empty board to the end of a variation, in order.

    First come the set-up stones, then the moves of the game up to the variation, then its own
    moves.

    Args:
        game: the game.
        item: one of its variations.

    Raises:
        GameFileError: the variation cannot be played.
    """
    before = replace(
        game, plies=game.plies[: item.ply], variations=(), winner=EMPTY, termination=UNFINISHED
    )
    text = _tree_text(before).removesuffix(")") + item.text.removeprefix("(")
    (line,) = read(item.name, text.encode())
    return line.moves


def branch_reader(rules: Rules) -> Callable[[Node], Ply | None]:
    """Return a function that reads the nodes of variations.

    It returns the node's move with comment and other properties: PASS with the color EMPTY for a
    node without a move, None for a node that lays or removes stones. It raises `GameFileError` if
    there are two moves, or if a point is none of the board.

    Args:
        rules: rules of the game.
    """
    points = _PointReader(SourceText("variation", ""), rules.size, rules.rows)

    def read_node(node: Node) -> Ply | None:
        names = node.properties
        if not names.keys().isdisjoint((*_SETUP, "AE")):
            return None
        moves = [(name, value) for name in _COLORS for value in names.get(name, ())]
        if len(moves) > 1:
            raise GameFileError("variation: expected one move in a node, found two")
        color, move = EMPTY, PASS
        for name, value in moves:
            color, move = _COLORS[name], points.point(value.text.strip(), 0)
        seconds = _seconds_of(node) if moves else None
        known = {*_COLORS, "C", *(("MS",) if seconds is not None else ())}
        kept = tuple(
            (name, tuple(value.raw for value in values))
            for name, values in names.items()
            if name not in known
        )
        comment = "\n".join(value.text for value in names.get("C", ()))
        return Ply(move, color, seconds, comment, kept)

    return read_node


def raw_text(node: Node) -> str:
    """Return a node as it was written, without blanks between its properties."""
    values = ((name, tuple(item.raw for item in own)) for name, own in node.properties.items())
    return _node_text((), tuple(values))


def _root_text(game: WrittenGame) -> str:
    rules = game.rules
    is_square = rules.size == rules.rows
    properties: list[tuple[str, Iterable[str]]] = [
        *_HEAD,
        ("SZ", (str(rules.size) if is_square else f"{rules.size}:{rules.rows}",)),
        ("PB", _text_values(game.black)),
        ("PW", _text_values(game.white)),
        ("RE", _text_values(_result(game))),
        ("OC", (f"{item.stones} {item.player} {_LETTERS[item.color]}" for item in game.opening)),
        ("PL", _text_values(_LETTERS.get(game.first, ""))),
    ]
    if all(key != "RU" for key, _ in game.other):
        properties.append(("RU", (words_of(rules),)))
    for key, color in _SETUP.items():
        points = [_letters(rules, move) for move, own in game.setup if own == color]
        properties.append((key, points))
    properties.append(("C", _text_values(game.comment)))
    return _node_text(properties, game.other)


def ply_text(rules: Rules, ply: Ply) -> str:
    """Return a node with a move as SGF has it."""
    spent = "" if ply.seconds is None else str(round(ply.seconds * 1000))
    properties = [
        (_LETTERS[ply.color], (_letters(rules, ply.move),)),
        ("MS", _text_values(spent)),
        ("C", _text_values(ply.comment)),
    ]
    return _node_text(properties, ply.other)


def _text_values(text: str) -> tuple[str, ...]:
    return (escaped(text),) if text else ()


def _node_text(properties: Iterable[tuple[str, Iterable[str]]], other: Sequence[Property]) -> str:
    ours = ((key, values) for key, values in other if _PLAIN_NAME.fullmatch(key))
    parts = [";"]
    for key, values in (*properties, *ours):
        written = "".join(f"[{value}]" for value in values)
        parts.append(f"{key}{written}" if written else "")
    return "".join(parts)


def _letters(rules: Rules, move: Move) -> str:
    if move == PASS:
        return ""
    row, col = divmod(move, rules.size)
    return chr(ord("a") + col) + chr(ord("a") + row)


def _result(game: WrittenGame) -> str:
    if game.termination in (UNFINISHED, VOID):
        return "Void" if game.termination == VOID else ""
    if game.winner == EMPTY:
        return "0"
    return f"{_LETTERS[game.winner]}+{_ENDS.get(game.termination, '')}"


def lost(game: WrittenGame) -> tuple[str, ...]:
    """Return the parts of a game that the format cannot hold: none, so always ()."""
    return ()

"""`GameTree`: a game with all its variations, and with what is said about each position.

It is made of a game in a file or of a record, and converted back to a `WrittenGame`. Branches of a
file that cannot be played on its board are kept as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ai.formats.sgf import branch_reader, named_variations, ply_text, raw_text
from ai.formats.sgf_tree import Node, PropertyValue, escaped, first_node, parse_branch
from ai.formats.source import GameFileError
from ai.formats.written import LeftOut, Ply, Property, WrittenGame, turns, written_of
from ai.game import (
    BLACK,
    EMPTY,
    PASS,
    WHITE,
    GameRecord,
    IllegalMoveError,
    Move,
    Position,
    Rules,
    replayed,
)

MOST_NODES: Final = 6_000
"""Greatest number of positions in a tree; further ones of a file are kept as text."""
MOST_TEXT: Final = 200_000
"""Greatest number of characters of variations that are read; further ones are kept as text."""
NAME: Final = "N"
_UNWANTED: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")
_LINE_END: Final = re.compile(r"\r\n|\n\r|\r")

Marks = tuple[Property, ...]
"""Properties of a node that judge its move or its position, as SGF has them."""


@dataclass(slots=True)
class TreeNode:
    """A position of a game tree: the move that leads to it, and what is said about it."""

    parent: int
    """Index of the position before the move; -1 for the first one."""
    move: Move
    """The move that leads here; PASS in the first position."""
    ply: int
    """Number of moves from the start, passes included."""
    is_written: bool = True
    """Whether a file has a node for it: not for set-up stones and turns that are missing."""
    comment: str = ""
    seconds: float | None = None
    """Thinking time of the move in seconds; None if unknown."""
    other: tuple[Property, ...] = ()
    """Its further properties as a file has them, such as its name N."""
    children: list[int] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    """Branches that cannot be shown, as text."""

    @property
    def name(self) -> str:
        """Its name, property N; empty for none."""
        values = dict(self.other).get(NAME, ())
        return PropertyValue(values[0], 0).line if values else ""

    @property
    def color(self) -> int:
        """Side that made the move; EMPTY in the first position."""
        return EMPTY if not self.ply else BLACK if self.ply % 2 else WHITE


class GameTree:
    """A game and its variations as a tree of positions.

    Attributes:
        record: the game itself.
        game: the same as it stands in a file; None for a game that no file can hold.
        nodes: the positions; the first one is that before the first move.
        main: index of each position of the game itself, by number of moves.
        is_whole: whether all variations of the file were read; not if they are very long.
    """

    def __init__(self, record: GameRecord, game: WrittenGame | None) -> None:
        """Create the tree of a game, with the variations of its file.

        Args:
            record: the game.
            game: the game as it is written in a file; None if no file can hold it.
        """
        self.record, self.game = record, game
        self.nodes = [TreeNode(-1, PASS, 0, comment="" if game is None else game.comment)]
        self.main = [0]
        self.is_whole = True
        self._room = MOST_TEXT
        plies = () if game is None else game.plies
        order: Sequence[tuple[Move, int | None]] = [(move, None) for move in record.moves]
        if game is not None:
            order = turns(game.setup, plies, game.first)
        for move, index in order:
            own = None if index is None else plies[index]
            is_written = own is not None or game is None
            self.main.append(self.add_move(self.main[-1], move, own, is_written=is_written))
        for item in () if game is None else game.variations:
            self._read_branch(item)

    @classmethod
    def of(
        cls,
        record: GameRecord,
        *,
        black: str = "",
        white: str = "",
        other: tuple[Property, ...] = (),
    ) -> GameTree:
        """Return the tree of a game that was not read from a file.

        Args:
            record: the game.
            black: name of the player of Black, for files.
            white: name of the player of White.
            other: further properties of SGF for files, such as the date.
        """
        try:
            game = replace(written_of(record, black=black, white=white), other=other)
        except GameFileError:
            return cls(record, None)
        return cls(record, game if game.moves == record.moves else None)

    # -- reading -------------------------------------------------------------------------------

    def add_move(self, parent: int, move: Move, ply: Ply | None, *, is_written: bool = True) -> int:
        """Add a position, or find it in the tree; add what is said of it, and return its index.

        Args:
            parent: index of the position before the move.
            move: the move.
            ply: the move as a file has it, with its comment; None if no file has it.
            is_written: whether a file has a node for it.
        """
        found = self.child(parent, move)
        if found is None:
            found = len(self.nodes)
            self.nodes.append(TreeNode(parent, move, self.nodes[parent].ply + 1, is_written))
            self.nodes[parent].children.append(found)
        node = self.nodes[found]
        if ply is not None:
            node.comment = _joined(node.comment, ply.comment)
            node.seconds = ply.seconds if node.seconds is None else node.seconds
            known = {name for name, _ in node.other}
            node.other += tuple(item for item in ply.other if item[0] not in known)
        return found

    def _read_branch(self, item: LeftOut) -> None:
        """Add the positions of a variation; what cannot be played stays text."""
        game = self.game
        if game is None or not isinstance(game.rules, Rules):
            return
        begin = self._after_plies(item.ply)
        self._room -= len(item.text)
        if self._room < 0:
            self.is_whole = False
            self.nodes[begin].hidden.append(item.text)
            return
        try:
            raw = parse_branch(item.text)
        except GameFileError:
            self.nodes[begin].hidden.append(item.text)
            return
        _BranchReader(self, game, raw, begin, item.ply).read()

    def _after_plies(self, plies: int) -> int:
        """Return the position after some of the file's moves; the first one for none.

        Args:
            plies: number of moves, without set-up stones and missing turns.
        """
        written = [index for index in self.main if self.nodes[index].is_written]
        return written[min(plies, len(written) - 1)]

    # -- what is there -------------------------------------------------------------------------

    def child(self, parent: int, move: Move) -> int | None:
        """Return the position after a move; None if the tree has none."""
        found = (index for index in self.nodes[parent].children if self.nodes[index].move == move)
        return next(found, None)

    def path(self, index: int) -> list[int]:
        """Return the positions from the first one to this one, both included."""
        found = [index]
        while self.nodes[found[-1]].parent >= 0:
            found.append(self.nodes[found[-1]].parent)
        return found[::-1]

    def moves(self, index: int) -> tuple[Move, ...]:
        """Return the moves from the start to a position."""
        return tuple(self.nodes[item].move for item in self.path(index)[1:])

    def find(self, moves: Sequence[Move]) -> int | None:
        """Return the position after these moves from the start; None if the tree has none."""
        found: int | None = 0
        for move in moves:
            found = None if found is None else self.child(found, move)
        return found

    def is_main(self, index: int) -> bool:
        """Return whether a position is of the game itself."""
        ply = self.nodes[index].ply
        return ply < len(self.main) and self.main[ply] == index

    def line(self, index: int) -> tuple[Move, ...]:
        """Return the moves from the start through a position to the end of its line."""
        if self.is_main(index):
            return self.moves(self.main[-1])
        last = index
        while self.nodes[last].children:
            last = self.nodes[last].children[0]
        return self.moves(last)

    def commented(self, index: int) -> int:
        """Return the position that keeps the comment on a position.

        Set-up stones are laid at once, and a turn that is missing is no node of a file. So their
        comment is that of the position before.
        """
        while index and not self.nodes[index].is_written:
            index = self.nodes[index].parent
        return index

    # -- changes -------------------------------------------------------------------------------

    def add(self, moves: Sequence[Move], *, name: str = "") -> int:
        """Add a line of moves from the start and return its last position.

        Args:
            moves: the moves; those that the tree has already are shared.
            name: name of the first new position.
        """
        index, is_new = 0, False
        for move in moves:
            before = len(self.nodes)
            index = self.add_move(index, move, None, is_written=move != PASS or self.game is None)
            if name and not is_new and len(self.nodes) > before and move != PASS:
                is_new = True
                self.nodes[index].other = ((NAME, (escaped(plain_text(name)),)),)
        return index

    def set_comment(self, index: int, text: str) -> None:
        """Set the comment on a position; characters that no file can hold are left out."""
        self.nodes[self.commented(index)].comment = plain_text(text)

    # -- writing -------------------------------------------------------------------------------

    def written(self, marks: Mapping[int, Marks] | None = None) -> WrittenGame:
        """Return the game with its variations and comments, as a file holds it.

        Args:
            marks: judgements to add, by index of the position. They replace a value V that is
                there, and no other property.

        Raises:
            GameFileError: no file can hold the game.
        """
        game = self.game
        if game is None:
            game = written_of(self.record)  # says why it cannot be written
        marked = marks or {}
        order = [index for index in self.main[1:] if self.nodes[index].is_written]
        plies = tuple(
            replace(ply, comment=self.nodes[index].comment, other=self._other(index, marked))
            for ply, index in zip(game.plies, order, strict=True)
        )
        root = dict(game.other) | dict(marked.get(0, ()))
        return replace(
            game,
            plies=plies,
            comment=self.nodes[0].comment,
            other=tuple(root.items()),
            variations=named_variations(self._branches(marked)),
        )

    def _other(self, index: int, marks: Mapping[int, Marks]) -> tuple[Property, ...]:
        own = self.nodes[index].other
        known = {name for name, _ in own}
        added = {name: values for name, values in marks.get(index, ()) if name not in known}
        value = {name: values for name, values in marks.get(index, ()) if name == "V"}
        return (*((name, value.get(name, values)) for name, values in own), *added.items())

    def _branches(self, marks: Mapping[int, Marks]) -> Iterator[tuple[int, Node, str]]:
        """Yield the variations of the game: its moves before each, the first node and the text."""
        plies, laid = -1, () if self.game is None else self.game.setup
        set_up = {move for move, _ in laid}
        for index in self.main:
            node = self.nodes[index]
            plies += node.is_written
            texts = [
                self._branch_text(child, marks)
                for child in self._written_children(index)
                if not self.is_main(child) and set_up.issubset(self.moves(child)[:-1])
            ]
            for text in (*texts, *node.hidden):
                yield plies, first_node(text), text

    def _written_children(self, index: int) -> list[int]:
        """Return the next positions that are nodes of a file, in order."""
        found = []
        for child in self.nodes[index].children:
            if self.nodes[child].is_written:
                found.append(child)
            elif not self.is_main(child):
                found += self._written_children(child)
        return found

    def _branch_text(self, begin: int, marks: Mapping[int, Marks]) -> str:
        """Return a variation as text; without recursion, since lines are long."""
        parts: list[str] = []
        left: list[int | str] = [")", begin, "("]
        while left:
            item = left.pop()
            if isinstance(item, str):
                parts.append(item)
                continue
            node = self.nodes[item]
            other = self._other(item, marks)
            ply = Ply(node.move, node.color, node.seconds, node.comment, other)
            parts.append(ply_text(self.rules, ply))
            below: list[int | str] = list(self._written_children(item))
            passed = self._with_passes(item)
            hidden = [text for place in passed for text in self.nodes[place].hidden]
            if len(below) == 1 and not hidden:
                left.append(below[0])
                continue
            left += reversed(hidden)
            for child in reversed(below):
                left += [")", child, "("]
        return "".join(parts)

    def _with_passes(self, index: int) -> list[int]:
        """Return a position and those after it by turns that are missing."""
        found = [index]
        for item in found:
            children = self.nodes[item].children
            found += [child for child in children if not self.nodes[child].is_written]
        return found

    @property
    def rules(self) -> Rules:
        """Rules of the game.

        Raises:
            GameFileError: it is no game of stones in a row, so that no file can hold it.
        """
        rules = self.record.rules
        if not isinstance(rules, Rules):
            raise GameFileError(f"expected a game of stones in a row, found {type(rules).__name__}")
        return rules

    def plain(self) -> list[object]:
        """Return all that the tree says, as nested lists, to compare it with another one."""
        made: list[list[object]] = []
        for node in self.nodes:
            own = [node.move, node.comment, node.seconds, sorted(node.other), node.hidden, []]
            made.append(own)
            if node.parent >= 0:
                children = made[node.parent][-1]
                if isinstance(children, list):
                    children.append(own)
        return made[0]


class _BranchReader:
    """Adds the nodes of one variation of a file to a tree."""

    def __init__(
        self,
        tree: GameTree,
        game: WrittenGame,
        raw: Sequence[tuple[int, Node]],
        begin: int,
        plies: int,
    ) -> None:
        """Prepare the reading.

        Args:
            tree: the tree.
            game: the game of which it is a variation.
            raw: the nodes, each with the index of its parent.
            begin: position at which the variation leaves the game.
            plies: number of the file's moves before the variation.
        """
        self._tree, self._game, self._raw = tree, game, raw
        self._begin, self._plies = begin, plies
        self._node_of = branch_reader(tree.rules)
        self._below: list[list[int]] = [[] for _ in raw]
        for number, (parent, _) in enumerate(raw):
            if parent >= 0:
                self._below[parent].append(number)

    def read(self) -> None:
        """Add all nodes; branches that cannot be played are kept as text."""
        board = replayed(self._tree.record.rules, self._tree.moves(self._begin))
        left: list[tuple[int, int, int, str]] = [(0, self._begin, board.ply, "")]
        while left:
            number, parent, ply, said = left.pop()
            while board.ply > ply:
                board.pop()
            place = self._read_node(number, parent, board, said)
            if place is None:
                text = branch_text(self._raw, self._below, number)
                self._tree.nodes[parent].hidden.append(text)
                continue
            index, kept = place
            left += [(item, index, board.ply, kept) for item in reversed(self._below[number])]

    def _read_node(
        self, number: int, parent: int, board: Position, said: str
    ) -> tuple[int, str] | None:
        """Add a node to the tree.

        Args:
            number: index of the node in the variation.
            parent: position before the node.
            board: the position before the node on a board; the node's move is played on it.
            said: comment of nodes without a move before it, which it takes over.

        Returns:
            The position, and a comment that the next node takes over; None if the node cannot be
            shown.
        """
        tree, node = self._tree, self._raw[number][1]
        try:
            ply = self._node_of(node)
        except GameFileError:
            return None
        if len(tree.nodes) >= MOST_NODES:
            tree.is_whole = False
        if ply is None or not tree.is_whole:
            return None
        if ply.color == EMPTY:
            return self._read_moveless(number, parent, _joined(said, ply.comment), ply)
        start = board.ply
        try:
            for move, is_own in self._turns_to(ply, parent, board):
                board.replay(move)
                own = replace(ply, comment=_joined(said, ply.comment)) if is_own else None
                parent = tree.add_move(parent, move, own, is_written=is_own)
        except IllegalMoveError:
            while board.ply > start:
                board.pop()
            return None
        return parent, ""

    def _turns_to(self, ply: Ply, parent: int, board: Position) -> Iterator[tuple[Move, bool]]:
        """Yield the passes for turns that are missing, and the move itself.

        Args:
            ply: the move.
            parent: position before it.
            board: the same position on a board.
        """
        is_first = parent == self._begin and not self._plies and bool(self._game.setup)
        if is_first:
            order = turns(self._game.setup, (ply,))[board.ply :]
            yield from ((move, index is not None) for move, index in order)
            return
        if board.to_move != ply.color:
            yield PASS, False
        yield ply.move, True

    def _read_moveless(
        self, number: int, parent: int, said: str, ply: Ply
    ) -> tuple[int, str] | None:
        """Read a node without a move: its comment joins the move before or after it.

        Args:
            number: index of the node in the variation.
            parent: position before the node.
            said: the comment, with those that it has taken over.
            ply: what the node says.
        """
        above, below = self._raw[number][0], self._below[number]
        if above >= 0 and len(self._below[above]) == 1 and not self._is_moveless(above):
            node = self._tree.nodes[parent]
            node.comment = _joined(node.comment, said)
            known = {name for name, _ in node.other}
            node.other += tuple(item for item in ply.other if item[0] not in known)
            return parent, ""
        return (parent, said) if len(below) == 1 and not ply.other else None

    def _is_moveless(self, number: int) -> bool:
        return self._raw[number][1].properties.keys().isdisjoint(("B", "W"))


def branch_text(raw: Sequence[tuple[int, Node]], below: Sequence[Sequence[int]], begin: int) -> str:
    """Return a part of a variation as text: a node with all that comes after it.

    Args:
        raw: nodes of the variation, each with the index of its parent.
        below: indices of the nodes after each node.
        begin: index of the first node of the part.
    """
    parts: list[str] = []
    left: list[int | str] = [")", begin, "("]
    while left:
        item = left.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        parts.append(raw_text(raw[item][1]))
        if len(below[item]) == 1:
            left.append(below[item][0])
            continue
        for child in reversed(below[item]):
            left += [")", child, "("]
    return "".join(parts)


def plain_text(text: str) -> str:
    r"""Return a text as files can hold it: lines end with a line feed, no control characters.

    >>> plain_text("a\r\nb\x00")
    'a\nb'
    """
    return _UNWANTED.sub("", _LINE_END.sub("\n", text))


def _joined(one: str, other: str) -> str:
    return "\n".join(filter(None, (one, other)))

"""The syntax of SGF FF[4]: game trees, nodes, properties, and their values."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NoReturn

from ai.formats.encoding import encoding_named
from ai.formats.source import SourceText, decode, quoted

MOST_NODES: Final = 1_000_000
MOST_NAME: Final = 30
"""Maximum length of a property's name, in characters."""
_CHARSET: Final = re.compile(rb"(?<![A-Z])CA\s*\[([^\]\\]{1,40})\]")
_CHARSET_WITHIN: Final = 4096  # bytes
_BLANK: Final = re.compile(r"\s*")
_NAME: Final = re.compile(r"[A-Za-z]+")
_VALUE: Final = re.compile(r"\[((?:[^\]\\]++|\\.)*+)\]", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)
_BREAK: Final = re.compile(r"\r\n|\n\r|\r")


@dataclass(frozen=True, slots=True)
class PropertyValue:
    """A property's value as written in the file, and its offset in the text."""

    raw: str
    at: int

    @property
    def text(self) -> str:
        """The value as text: escapes resolved, line breaks as one character."""
        breaks = ("\n", "\r", "\r\n", "\n\r")
        plain = _ESCAPE.sub(lambda found: "" if found[1] in breaks else found[1], self.raw)
        return _BREAK.sub("\n", plain)

    @property
    def line(self) -> str:
        """The value as text on one line, line breaks replaced by blanks."""
        return " ".join(self.text.split("\n")).strip()


@dataclass(slots=True)
class Node:
    """A node of an SGF game: its properties by name, in the file's order.

    Attributes:
        at: offset of the node in the text.
        properties: values of each property, by its name.
    """

    at: int
    properties: dict[str, list[PropertyValue]] = field(default_factory=dict)


@dataclass(slots=True)
class Tree:
    """A game: the nodes of its main line, and the variations as text."""

    nodes: list[Node] = field(default_factory=list)
    variations: list[tuple[int, str, Node]] = field(default_factory=list)
    """The variations, each as a tuple of three.

    It holds the number of main-line nodes before the variation, its text, and its first node.
    """


def escaped(text: str) -> str:
    """Return text escaped for use as a value of a property."""
    return text.replace("\\", "\\\\").replace("]", "\\]")


def property_text(raw: str) -> str:
    r"""Return a property's value as text on one line.

    >>> property_text(r"World\: \[2015\]")
    'World: [2015]'
    """
    return PropertyValue(raw, 0).line


def decode_sgf(name: str, content: bytes) -> SourceText:
    """Decode a file with the encoding that its property CA (character set) names.

    Args:
        name: name of the file, for error messages.
        content: the file's bytes.

    If it is unknown or does not fit the bytes, another one is guessed, and a note says so.

    Raises:
        GameFileError: there are control characters.
    """
    found = _CHARSET.search(content[:_CHARSET_WITHIN])
    word = "" if found is None else found[1].decode("latin-1").strip()
    encoding = encoding_named(word)
    source = decode(name, content, encoding)
    if word and not encoding:
        source.notes.insert(0, f"{name}: CA[{word}] is no known encoding")
    return source


_TREE: Final = re.compile(r"\(\s*;")


def parse(source: SourceText) -> list[Tree]:
    """Return the games of an SGF file.

    Text before, between and after the games is left out. Of text after the first one, and of a last
    parenthesis that is missing, a note is made.

    Raises:
        GameFileError: the syntax is wrong; the message says where.
    """
    found = _TREE.search(source.text)
    if found is None:
        source.fail(0, "'(;' and a game", "no game")
    parser, trees = _Parser(source, found.start()), []
    while found is not None:
        parser.at = found.start()
        trees.append(parser.tree())
        end = parser.at
        found = _TREE.search(source.text, end)
        rest = source.text[end : len(source.text) if found is None else found.start()].strip()
        if rest:
            source.note(end, f"text after the game is left out: {quoted(rest)}")
    return trees


def parse_branch(text: str) -> list[tuple[int, Node]]:
    """Return all nodes of one variation as a tree, each after its parent.

    Args:
        text: the variation in parentheses, as `Tree.variations` keeps it.

    Returns:
        For each node the index of its parent in the list, -1 for the first one, and the node.

    Raises:
        GameFileError: the syntax is wrong.
    """
    return _Parser(SourceText("variation", text), 0).branch()


def first_node(text: str) -> Node:
    """Return the first node of a variation; what comes after it is not read.

    Args:
        text: the variation in parentheses.

    Raises:
        GameFileError: the syntax is wrong.
    """
    return _Parser(SourceText("variation", text), 0).first()


class _Parser:
    """Parses SGF text in one pass without recursion, so that nesting may be of any depth."""

    def __init__(self, source: SourceText, at: int) -> None:
        self.at = at
        self._source = source
        self._text = source.text
        self._nodes = 0
        self._missing: set[int] = set()

    def peek(self) -> str:
        """Skip blanks and return the next character without consuming it; "" at the end."""
        blank = _BLANK.match(self._text, self.at)
        self.at = self.at if blank is None else blank.end()
        return self._text[self.at : self.at + 1]

    def tree(self) -> Tree:
        """Parse a game; where the line branches, the first branch is the main line.

        The other branches are variations and kept as text.
        """
        tree = Tree()
        begins: list[int] = []  # node counts before the open parts of the main line
        fork: int | None = None  # node count before the last closed part; None: main line
        branch: int | None = None  # where the branch begins whose first node comes next
        self._open()
        begins.append(0)
        while begins:
            sign = self.peek()
            if not sign:
                self._note_missing()
                break
            if sign == ";" and fork is None:
                node = self._node()
                if "GM" in node.properties and branch is not None:
                    self.at = branch
                    self._note_missing()  # a game of its own begins here
                    break
                tree.nodes.append(node)
                branch = None
            elif sign == "(" and fork is None:
                branch = self.at
                self._open()
                begins.append(len(tree.nodes))
            elif sign == "(" and fork is not None:
                tree.variations.append((fork, *self._variation()))
            elif sign == ")":
                self.at += 1
                fork = begins.pop()
            else:
                self._fail("';', '(' or ')'" if fork is None else "'(' or ')'")
        tree.variations.sort(key=lambda item: item[0])
        return tree

    def first(self) -> Node:
        """Parse the beginning of a variation; return its first node."""
        self._open()
        return self._node()

    def branch(self) -> list[tuple[int, Node]]:
        """Parse a variation; return its nodes, each with the index of its parent or -1."""
        nodes: list[tuple[int, Node]] = []
        begun: list[int] = []  # the last node before each open part
        last = -1
        while begun or not nodes:
            sign = self.peek()
            if sign == "(":
                self._open()
                begun.append(last)
            elif sign == ";":
                nodes.append((last, self._node()))
                last = len(nodes) - 1
            elif sign == ")":
                self.at += 1
                last = begun.pop()
            else:
                self._fail("';', '(' or ')'")
        return nodes

    def _variation(self) -> tuple[str, Node]:
        """Parse a variation outside of the main line; return its text and its first node."""
        begin, depth = self.at, 0
        nodes: list[Node] = []
        while depth or not nodes:
            sign = self.peek()
            if not sign and nodes:
                self._note_missing()
                return self._text[begin:] + ")" * depth, nodes[0]
            if sign == "(":
                self._open()
                depth += 1
            elif sign == ")":
                self.at += 1
                depth -= 1
            elif sign == ";":
                node = self._node()
                nodes = nodes or [node]
            else:
                self._fail("';', '(' or ')'")
        return self._text[begin : self.at], nodes[0]

    def _note_missing(self) -> None:
        if self.at not in self._missing:
            self._missing.add(self.at)
            self._source.note(self.at, "')' is missing; the game is taken to end here")

    def _open(self) -> None:
        """Consume '(' and check that a node follows."""
        self.at += 1
        if self.peek() != ";":
            self._fail("';'")

    def _node(self) -> Node:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            self._source.fail(self.at, f"at most {MOST_NODES:,} nodes", "more")
        node = Node(self.at)
        self.at += 1
        while self.peek().isalpha():
            found = _NAME.match(self._text, self.at)
            if found is None or len(found[0]) > MOST_NAME:
                self._fail("a property such as 'B[hh]'")
            name = "".join(filter(str.isupper, found[0]))
            if not name:
                self._fail("a property such as 'B[hh]'")
            self.at = found.end()
            if self.peek() != "[":
                self._fail(f"'[' and a value of {name}")
            node.properties.setdefault(name, []).extend(self._values(name))
        return node

    def _values(self, name: str) -> list[PropertyValue]:
        values = []
        while self.peek() == "[":
            found = _VALUE.match(self._text, self.at)
            if found is None:
                begun = f"{name}[ without an end"
                self._source.fail(self.at, f"']' after the value of {name}", begun)
            values.append(PropertyValue(found[1], self.at + 1))
            self.at = found.end()
        return values

    def _fail(self, expected: str) -> NoReturn:
        sign = self.peek()
        self._source.fail(self.at, expected, repr(sign) if sign else "the end of the file")

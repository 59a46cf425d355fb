"""The syntax of SGF FF[4]: game trees, nodes, properties, and their values."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from typing import Final, NoReturn

from ai.formats.source import GameFileError, SourceText, decode

MOST_NODES: Final = 1_000_000
MOST_NAME: Final = 30
"""Maximum length of a property's name, in characters."""
_PLAIN: Final = ("utf-8", "ascii", "koi8-r", "koi8-u")
_ASIAN: Final = ("gb2312", "gbk", "gb18030", "big5", "euc_jp", "shift_jis", "euc_kr")
_ISO: Final = tuple(f"iso8859-{part}" for part in (1, 2, 5, 15))
_CODE_PAGES: Final = tuple(f"cp{page}" for page in (932, 949, 1250, 1251, 1252))
ENCODINGS: Final = frozenset((*_PLAIN, *_ASIAN, *_ISO, *_CODE_PAGES))
"""Python's names of the encodings that the property CA (character set) may name."""
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


def decode_sgf(name: str, content: bytes) -> SourceText:
    """Decode a file with the encoding that its property CA (character set) names.

    Args:
        name: name of the file, for error messages.
        content: the file's bytes.

    Raises:
        GameFileError: the encoding is unknown, or does not fit the bytes.
    """
    found = _CHARSET.search(content[:_CHARSET_WITHIN])
    if found is None or content.startswith(codecs.BOM_UTF8):
        return decode(name, content, ("utf-8-sig", "latin-1"))
    word = found[1].decode("latin-1").strip()
    try:
        encoding = codecs.lookup(word).name
    except LookupError:
        encoding = ""
    if encoding not in ENCODINGS:
        line = content.count(b"\n", 0, found.start(1)) + 1
        column = found.start(1) - content.rfind(b"\n", 0, found.start(1))
        raise GameFileError(
            f"{name}:{line}:{column}: expected an encoding such as 'UTF-8' or 'GB18030', "
            f"found {word!r}"
        )
    return decode(name, content, (encoding,))


def parse(source: SourceText) -> list[Tree]:
    """Return the games of an SGF file; text before the first game is skipped.

    Raises:
        GameFileError: the syntax is wrong; the message says where.
    """
    found = re.search(r"\(\s*;", source.text)
    if found is None:
        source.fail(0, "'(;' and a game", "no game")
    parser = _Parser(source, found.start())
    trees = [parser.tree()]
    while parser.peek() == "(":
        trees.append(parser.tree())
    if parser.peek():
        source.fail(parser.at, "'(' or the end of the file", repr(parser.peek()))
    return trees


class _Parser:
    """Parses SGF text in one pass without recursion, so that nesting may be of any depth."""

    def __init__(self, source: SourceText, at: int) -> None:
        self.at = at
        self._source = source
        self._text = source.text
        self._nodes = 0

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
        self._open()
        begins.append(0)
        while begins:
            sign = self.peek()
            if sign == ";" and fork is None:
                tree.nodes.append(self._node())
            elif sign == "(" and fork is None:
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

    def _variation(self) -> tuple[str, Node]:
        """Parse a variation outside of the main line; return its text and its first node."""
        begin, depth = self.at, 0
        nodes: list[Node] = []
        while depth or not nodes:
            sign = self.peek()
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

"""Small edits of a source: each changes what the code does, none its words or its types.

They are found in the syntax tree and made in the text, so that all else of the file stays. Left
alone are: docstrings, annotations, decorators, what is raised, logged or helps a user, `__repr__`,
numbers that tune or paint (every float, every whole number above two, and those that stand outside
of a function): no test should hold a look to the digit.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

WORDS = frozenset({
    "log", "debug", "info", "warning", "error", "exception", "say", "print", "echo", "notice",
    "muted_text", "text", "tooltip", "heading", "help", "field", "option", "signal", "cast",
    "TypeVar", "ParamSpec", "Final", "Literal", "getLogger",
})  # fmt: skip
"""Names of calls that make words or describe; they are not edited."""
WORD_KEYS = frozenset({"help", "unit", "doc", "description", "label", "title"})
UNSEEN = frozenset({"__repr__", "__str__", "__hash__", "__dir__"})

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
EXCHANGED = {"min": "max", "max": "min", "any": "all", "all": "any",
             "sorted": "list", "floor": "ceil", "ceil": "floor"}  # fmt: skip
N = TypeVar("N", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of one file.

    Attributes:
        path: of the file, below the root, in POSIX form.
        kind: what is done, in a word.
        line: where, from 1.
        start: first character that is replaced.
        end: the character after the last one.
        old: what stands there.
        new: what stands there afterwards.
    """

    path: str
    kind: str
    line: int
    start: int
    end: int
    old: str
    new: str

    def apply(self, source: str) -> str:
        """Return the source with this edit.

        Raises:
            ValueError: the source is another one.
        """
        if source[self.start : self.end] != self.old:
            raise ValueError(f"{self.path}:{self.line}: expected {self.old!r}")
        return source[: self.start] + self.new + source[self.end :]

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.kind}: {_short(self.old)} -> {_short(self.new)}"


def _short(text: str) -> str:
    return " ".join(text.split())[:70]


def edits_of(path: str, source: str) -> list[Edit]:
    """Return every edit of a source, in the order of the text."""
    finder = _Finder(path, source)
    finder.visit(ast.parse(source))
    return sorted(finder.found, key=lambda edit: (edit.start, edit.end, edit.kind, edit.new))


class _Finder(ast.NodeVisitor):
    """Walks a tree and keeps the edits of its nodes."""

    def __init__(self, path: str, source: str) -> None:
        self.found: list[Edit] = []
        self._path = path
        self._source = source
        self._lines = _line_starts(source)
        self._depth = 0  # of functions
        self._columns = [line.encode() for line in source.splitlines()]

    def visit(self, node: ast.AST) -> None:
        name = type(node).__name__
        if isinstance(node, (ast.JoinedStr, ast.Raise, ast.Assert, ast.Import, ast.ImportFrom)):
            return
        for kind, edited in self._edited(node):
            self._keep(kind, node, edited)
        walk = getattr(self, f"walk_{name}", None)
        if walk is not None:
            walk(node)
        else:
            self.generic_visit(node)

    # What is walked into: bodies and values, never types or words.

    def walk_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if node.name in UNSEEN:
            return
        self._depth += 1
        self._walk_all(node.args.defaults, node.args.kw_defaults, node.body)
        self._depth -= 1

    walk_AsyncFunctionDef = walk_FunctionDef

    def walk_ClassDef(self, node: ast.ClassDef) -> None:
        if not any("Protocol" in ast.unparse(base) for base in node.bases):  # which runs nowhere
            self._walk_all(node.body)

    def walk_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._walk_all([node.value])

    def walk_Call(self, node: ast.Call) -> None:
        if _called(node) not in WORDS:
            self._walk_all([node.func], node.args)
            self._walk_all([key.value for key in node.keywords if key.arg not in WORD_KEYS])

    def walk_If(self, node: ast.If) -> None:
        words = ast.unparse(node.test)
        if "TYPE_CHECKING" not in words and "__name__" not in words:
            self.generic_visit(node)

    def _walk_all(self, *parts: list) -> None:  # type: ignore[type-arg]
        for node in (node for part in parts for node in part if node is not None):
            self.visit(node)

    # What is made of a node.

    def _edited(self, node: ast.AST) -> Iterator[tuple[str, ast.AST | str]]:
        """Yield the kinds of edits of a node, each with what takes its place."""
        if isinstance(node, ast.Compare):
            yield from _comparisons(node)
        elif isinstance(node, ast.BoolOp):
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield "and/or", _changed(node, lambda new: setattr(new, "op", other))
        elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS and not _is_text(node):
            other_op = OPERATORS[type(node.op)]()
            yield "operator", _changed(node, lambda new: setattr(new, "op", other_op))
        elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Invert):
            is_not = isinstance(node.op, ast.Not)
            yield ("condition" if is_not else "sign"), node.operand
        elif isinstance(node, ast.Constant) and self._depth:
            yield from _constants(node)
        elif isinstance(node, ast.Call):
            yield from _calls(node)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            yield from _indices(node)
        else:
            yield from self._of_statement(node)

    def _of_statement(self, node: ast.AST) -> Iterator[tuple[str, ast.AST | str]]:
        if isinstance(node, ast.Return) and node.value is not None and not _is_plain(node.value):
            yield "return", "return None"
        elif isinstance(node, (ast.If, ast.While)) and "TYPE_CHECKING" not in ast.unparse(
            node.test
        ):
            self._keep("condition", node.test, ast.UnaryOp(ast.Not(), node.test))
        elif isinstance(node, ast.IfExp):
            test = ast.UnaryOp(ast.Not(), node.test)
            yield "condition", _changed(node, lambda new: setattr(new, "test", test))
        elif isinstance(node, ast.AugAssign):
            other = OPERATORS.get(type(node.op))
            if other is not None:
                yield "operator", _changed(node, lambda new: setattr(new, "op", other()))
            yield "deleted", "pass"
        elif isinstance(node, ast.Expr) and isinstance(node.value, (ast.Call, ast.Await)):
            call = node.value.value if isinstance(node.value, ast.Await) else node.value
            name = _called(call) if isinstance(call, ast.Call) else ""
            if name not in WORDS and name != "__init__":
                yield "deleted", "pass"
        elif (isinstance(node, ast.Assign) and self._depth
              and isinstance(node.targets[0], (ast.Attribute, ast.Subscript))):  # fmt: skip
            yield "deleted", "pass"

    def _keep(self, kind: str, node: ast.AST, edited: ast.AST | str) -> None:
        """Keep an edit of a node that stands in the text."""
        if not isinstance(node, (ast.expr, ast.stmt)) or node.end_lineno is None:
            return
        start = self._place(node.lineno, node.col_offset)
        end = self._place(node.end_lineno, node.end_col_offset or 0)
        new = edited if isinstance(edited, str) else ast.unparse(ast.fix_missing_locations(edited))
        if isinstance(node, ast.expr) and not isinstance(node, (ast.Constant, ast.Name)):
            new = f"({new})"
        old = self._source[start:end]
        if new != old:
            self.found.append(Edit(self._path, kind, node.lineno, start, end, old, new))

    def _place(self, line: int, column: int) -> int:
        """Return the character at a line, and a column that is counted in bytes."""
        return self._lines[line - 1] + len(self._columns[line - 1][:column].decode())


def _line_starts(source: str) -> list[int]:
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _changed(node: N, change: Callable[[N], None]) -> N:
    """Return a copy of a node with a change made to it."""
    new = copy.deepcopy(node)
    change(new)
    return new


def _called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is_text(node: ast.BinOp) -> bool:
    """Whether texts or types are joined: `"%d" % x`, `a + "b"`, `int | None`."""
    sides = (node.left, node.right)
    return any(isinstance(part, ast.JoinedStr) or (isinstance(part, ast.Constant)
               and (part.value is None or isinstance(part.value, (str, bytes)))) for part in sides)  # fmt: skip


def _is_plain(node: ast.expr) -> bool:
    """Whether nothing is lost without the value: None, or a text."""
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, str))
    )


def _comparisons(node: ast.Compare) -> Iterator[tuple[str, ast.AST]]:
    for place, operator in enumerate(node.ops):
        other = COMPARISONS[type(operator)]()

        def exchange(new: ast.Compare, place: int = place, other: ast.cmpop = other) -> None:
            new.ops[place] = other

        yield "comparison", _changed(node, exchange)


def _constants(node: ast.Constant) -> Iterator[tuple[str, ast.AST]]:
    value = node.value
    if isinstance(value, bool):
        yield "constant", ast.Constant(not value)
    elif isinstance(value, int) and value <= 2:
        yield "constant", ast.Constant(value + 1)


def _calls(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    name = _called(node)
    if name in WORDS or name in ("isinstance", "getattr", "setattr", "hasattr", "range"):
        return
    if isinstance(node.func, ast.Name) and name in EXCHANGED:
        other = ast.Name(EXCHANGED[name], ast.Load())
        yield "min/max", _changed(node, lambda new: setattr(new, "func", other))
    first = node.args[:2]
    if name not in ("min", "max") and len(first) == 2:
        if any(isinstance(part, ast.Starred) for part in first):
            return
        if ast.dump(first[0]) != ast.dump(first[1]):
            yield "arguments", _changed(node, _swap)


def _swap(node: ast.Call) -> None:
    node.args[0], node.args[1] = node.args[1], node.args[0]


def _indices(node: ast.Subscript) -> Iterator[tuple[str, ast.AST]]:
    """Yield a slice whose bounds are off by one; constants are edited as such."""
    if not isinstance(node.slice, ast.Slice):
        return
    for name in ("lower", "upper"):
        bound = getattr(node.slice, name)
        if bound is not None and not isinstance(bound, ast.Constant):
            moved = ast.BinOp(bound, ast.Add(), ast.Constant(1))

            def move(new: ast.Subscript, name: str = name, moved: ast.expr = moved) -> None:
                setattr(new.slice, name, moved)

            yield "index", _changed(node, move)

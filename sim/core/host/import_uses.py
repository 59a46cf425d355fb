"""What a module of scripts takes from another one when it is imported.

Some names are only bound: `from scripts.tuning import SPEED`. From others a module computes values:
`TABLE = make(SPEED)`. When the other module is saved, the former are bound anew, and for the latter
the module has to run again.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

STAR = "*"
"""Name that stands for all names of a module."""
WHOLE = ""
"""Name that stands for the module itself."""
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class ImportUse:
    """What a module takes from one other module.

    Attributes:
        names: names in the other module, by the names that they have here; `WHOLE` for the module.
        computed: names here whose values are used while this module is imported.
        bases: names here that are bases of classes.
        annotated: names here that annotate attributes, such as fields.
    """

    names: Mapping[str, str]
    computed: frozenset[str]
    bases: frozenset[str]
    annotated: frozenset[str]


class ImportedSource:
    """The source of a module, read for what it imports.

    Args:
        source: the source.
        package: dotted name of the package that relative imports start from.

    Raises:
        SyntaxError: it is no Python.
    """

    def __init__(self, source: bytes, package: str) -> None:
        self._package = package
        self._tree = ast.parse(source)
        self._executed = list(_executed(self._tree))
        self._imports = [
            node for node in self._executed if isinstance(node, ast.Import | ast.ImportFrom)
        ]

    def use_of(self, targets: Iterable[str]) -> ImportUse | None:
        """Return what the module takes from another one; None for nothing.

        Args:
            targets: the dotted names under which the other module can be imported.
        """
        names = dict(self._taken(frozenset(targets)))
        if not names:
            return None
        loaded, bases, annotated = set[str](), set[str](), set[str]()
        for node in self._executed:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                loaded.add(node.id)
            elif isinstance(node, ast.ClassDef):
                bases |= {name for base in node.bases for name in _loaded(base)}
            elif isinstance(node, ast.AnnAssign):
                annotated |= set(_loaded(node.annotation))
        called = {
            node.func.id
            for node in self._executed
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        computed = (loaded | self._used_by(called)) & names.keys()
        taken = names.keys()
        return ImportUse(
            names, frozenset(computed), frozenset(bases & taken), frozenset(annotated & taken)
        )

    def _taken(self, targets: frozenset[str]) -> Iterator[tuple[str, str]]:
        """Yield the names that imports bind: (name here, name there)."""
        for node in self._imports:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name in targets:
                        yield alias.asname or alias.name.partition(".")[0], WHOLE
                continue
            home = node.module or ""
            if node.level:
                home = importlib.util.resolve_name("." * node.level + home, self._package)
            for alias in node.names:
                if home in targets:
                    yield alias.asname or alias.name, alias.name
                elif f"{home}.{alias.name}" in targets:
                    yield alias.asname or alias.name, WHOLE

    def _used_by(self, called: set[str]) -> set[str]:
        """Return the names that functions and classes of the module use when they are called.

        Args:
            called: names of functions and classes; those that they name themselves count, too.
        """
        known = {node.name: node for node in self._tree.body if isinstance(node, Definition)}
        found, open_names = set[str](), list(called)
        while open_names:
            name = open_names.pop()
            if name in known:
                names = set(_loaded(known.pop(name)))
                found |= names
                open_names += names
        return found


def _loaded(node: ast.AST) -> Iterator[str]:
    for item in ast.walk(node):
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load):
            yield item.id


def _executed(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the parts of a module that run when it is imported.

    The bodies of functions, annotations and the bases of classes are left out.
    """
    open_parts: list[ast.AST] = [tree]
    while open_parts:
        part: Any = open_parts.pop()
        yield part
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            open_parts += [*part.decorator_list, *_defaults(part.args)]
        elif isinstance(part, ast.Lambda):
            open_parts += _defaults(part.args)
        elif isinstance(part, ast.ClassDef):
            keywords = [keyword.value for keyword in part.keywords]
            open_parts += [*part.decorator_list, *keywords, *part.body]
        elif isinstance(part, ast.AnnAssign):
            open_parts += [part.target] if part.value is None else [part.target, part.value]
        elif isinstance(part, ast.If) and "TYPE_CHECKING" in set(_loaded(part.test)):
            open_parts += part.orelse
        else:
            open_parts += ast.iter_child_nodes(part)


def _defaults(arguments: ast.arguments) -> list[ast.AST]:
    return [*arguments.defaults, *(item for item in arguments.kw_defaults if item is not None)]

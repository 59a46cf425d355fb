"""Finds the modules that a script may import, from the sources; nothing is run.

Imports inside functions count, those below `if TYPE_CHECKING:` do not: they never run. A package
may look its names up when they are first used (as `sim` and `ai` do); then the imports below
`if TYPE_CHECKING:` in its `__init__.py` say where a name lives, and are followed for the names
that are asked for. `goishi.scripts.…` are the scripts that ship with Goishi, in which `scripts.…`
are those, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from base.modules import read_moved
from sim.export.bridge import SHIPPED, SHIPPED_SCRIPTS


@dataclass(slots=True)
class ImportGraph:
    """The modules reachable by imports from those given to `follow`; empty at first."""

    roots: Sequence[Path]
    """Folders whose modules are followed; the first match wins, `goishi` comes last."""
    own: dict[str, Path] = field(default_factory=dict)
    """File by module name."""
    others: set[str] = field(default_factory=set)
    """Names of modules outside of the roots."""

    def follow(self, name: str) -> None:
        """Add a module, its parent packages, and everything that they import."""
        waiting = [name]
        while waiting:
            wanted = waiting.pop()
            if wanted in self.own:
                continue
            found = self.find(wanted)
            if found is None:
                if not self._is_folder(wanted):
                    self.others.add(wanted)
                continue
            self.own[wanted] = found
            parent = wanted.rpartition(".")[0]
            waiting += [parent] if parent else []
            waiting += self._imports(wanted, found)

    def find(self, name: str) -> Path | None:
        """Return the file of a module below one of the folders, None where there is none.

        A shipped script that moved is found under its former name, too, and copied under it.
        """
        inside, roots = self._place(name)
        found = find_module(inside, roots)
        if found is None and is_shipped(name):
            found = find_module(read_moved(roots[0]).get(inside, inside), roots)
        return found

    @property
    def has_shipped(self) -> bool:
        """Whether one of the modules is a shipped script, `goishi.scripts.…`."""
        return any(is_shipped(name) for name in self.own)

    def _place(self, name: str) -> tuple[str, Sequence[Path]]:
        if is_shipped(name):
            return name.removeprefix(f"{SHIPPED}."), self.roots[-1:]
        return name, self.roots

    def _imports(self, name: str, path: Path) -> Iterator[str]:
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        prefix = f"{SHIPPED}." if is_shipped(name) else ""

        def meant(wanted: str) -> str:
            is_script = wanted == "scripts" or wanted.startswith("scripts.")
            return f"{prefix}{wanted}" if is_script else wanted

        for node in _running_nodes(parse(path)):
            if isinstance(node, ast.Import):
                yield from (meant(alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = meant(_base(node, package))
                yield from self._from(base, [alias.name for alias in node.names])
            elif isinstance(node, ast.Call):
                yield from map(meant, _import_by_text(node))

    def _from(self, base: str, names: list[str]) -> Iterator[str]:
        """Yield what `from base import names` may import."""
        yield base
        path = self.find(base)
        homes = lazy_homes(path, base) if path and path.name == "__init__.py" else {}
        for name in names:
            inner = f"{base}.{name}"
            if self.find(inner) is not None:
                yield inner
            elif name in homes:
                yield homes[name]
            elif name == "*":
                yield from homes.values()

    def _is_folder(self, name: str) -> bool:
        inside, roots = self._place(name)
        is_top = name == SHIPPED
        return is_top or any(root.joinpath(*inside.split(".")).is_dir() for root in roots)


def is_shipped(name: str) -> bool:
    """Return whether a module name is that of a shipped script, `goishi.scripts.…`."""
    return name == SHIPPED_SCRIPTS or name.startswith(f"{SHIPPED_SCRIPTS}.")


def find_module(name: str, roots: Sequence[Path]) -> Path | None:
    """Return the file of a module below one of the folders, None where there is none."""
    for root in roots:
        base = root.joinpath(*name.split("."))
        for path in (base / "__init__.py", base.with_name(f"{base.name}.py")):
            if path.is_file():
                return path
    return None


def lazy_homes(path: Path, package: str) -> dict[str, str]:
    """Return the module of each name that a package imports below `if TYPE_CHECKING:` only."""
    homes: dict[str, str] = {}
    for node in ast.walk(parse(path)):
        if not (isinstance(node, ast.If) and _is_type_checking(node.test)):
            continue
        for inner in node.body:
            if isinstance(inner, ast.ImportFrom):
                base = _base(inner, package)
                homes.update({alias.asname or alias.name: base for alias in inner.names})
    return homes


def parse(path: Path) -> ast.Module:
    """Parse a file to a syntax tree, empty if it cannot be read."""
    try:
        return ast.parse(path.read_bytes(), str(path))
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _running_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes but those that only type checkers see."""
    children = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and _is_type_checking(node.test):
        children = iter(node.orelse)
    for child in children:
        yield child
        yield from _running_nodes(child)


def _is_type_checking(test: ast.expr) -> bool:
    return getattr(test, "id", getattr(test, "attr", "")) == "TYPE_CHECKING"


def _base(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    kept = parts[: len(parts) - node.level + 1]
    return ".".join([*kept, *([node.module] if node.module else [])])


def _import_by_text(node: ast.Call) -> Iterator[str]:
    function = getattr(node.func, "id", getattr(node.func, "attr", ""))
    if function in ("import_module", "__import__") and node.args:
        target = node.args[0]
        if isinstance(target, ast.Constant) and isinstance(target.value, str):
            yield target.value.lstrip(".")

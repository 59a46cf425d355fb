"""Which modules a script may import, read from the sources; nothing is run.

Imports inside functions count, those below `if TYPE_CHECKING:` do not: they never run. A package
may look its names up when they are first used (as `sim` and `ai` do); then the imports below
`if TYPE_CHECKING:` in its `__init__.py` say where a name lives, and are followed for the names
that are asked for.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class ImportGraph:
    """The modules below some folders that one module leads to, and the others by name."""

    roots: Sequence[Path]
    """Folders whose modules are followed, the first found wins."""
    own: dict[str, Path] = field(default_factory=dict)
    """By module name, the file."""
    others: set[str] = field(default_factory=set)
    """Names of modules that lie elsewhere."""

    def follow(self, name: str) -> None:
        """Add a module, the packages it lies in, and all that they import."""
        waiting = [name]
        while waiting:
            wanted = waiting.pop()
            if wanted in self.own:
                continue
            found = find_module(wanted, self.roots)
            if found is None:
                if not self._is_folder(wanted):
                    self.others.add(wanted)
                continue
            self.own[wanted] = found
            parent = wanted.rpartition(".")[0]
            waiting += [parent] if parent else []
            waiting += self._imports(wanted, found)

    def _imports(self, name: str, path: Path) -> Iterator[str]:
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node in _running_nodes(parse(path)):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield from self._from(_base(node, package), [alias.name for alias in node.names])
            elif isinstance(node, ast.Call):
                yield from _import_by_text(node)

    def _from(self, base: str, names: list[str]) -> Iterator[str]:
        """Yield what `from base import names` may import."""
        yield base
        path = find_module(base, self.roots)
        homes = lazy_homes(path, base) if path and path.name == "__init__.py" else {}
        for name in names:
            inner = f"{base}.{name}"
            if find_module(inner, self.roots) is not None:
                yield inner
            elif name in homes:
                yield homes[name]
            elif name == "*":
                yield from homes.values()

    def _is_folder(self, name: str) -> bool:
        return any(root.joinpath(*name.split(".")).is_dir() for root in self.roots)


def find_module(name: str, roots: Sequence[Path]) -> Path | None:
    """Return the file of a module below one of the folders, None where there is none."""
    for root in roots:
        base = root.joinpath(*name.split("."))
        for path in (base / "__init__.py", base.with_name(f"{base.name}.py")):
            if path.is_file():
                return path
    return None


def lazy_homes(path: Path, package: str) -> dict[str, str]:
    """Return where a package's names live that it imports below `if TYPE_CHECKING:` only."""
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
    """Return the syntax tree of a file, an empty one where it cannot be read."""
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

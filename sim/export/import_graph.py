"""The modules that given modules import, read from their sources; nothing is imported."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from base.modules import read_moved
from sim.export.bridge import SHIPPED, SHIPPED_SCRIPTS

KEPT_FILES: Final = 4096
"""Source files whose imports stay in memory, at most: each is a few small tuples."""


class Import(NamedTuple):
    """A statement or a call that imports, as it stands in a source file."""

    base: str | None
    """Name after the word "from", relative to `level`; None for `import names` and for calls."""
    level: int
    """Number of dots before `base`."""
    names: tuple[str, ...]
    is_deep: bool
    """Whether it stands in a function."""
    is_lazy: bool
    """Whether it stands below `if TYPE_CHECKING:`, where only type checkers see it."""


@dataclass(slots=True)
class ImportGraph:
    """The modules that given modules import, directly or indirectly; `follow` adds them."""

    roots: Sequence[Path]
    """Folders whose modules belong to the script or to Goishi; only these are read for imports.

    If several folders have a module, the earlier folder counts. Goishi's own folder is last.
    """
    own: dict[str, Path] = field(default_factory=dict)
    """File of each found module that lies in one of the `roots`, by module name."""
    others: set[str] = field(default_factory=set)
    """Names of the found modules that lie in none of the `roots`."""
    is_deep: Callable[[str], bool] = lambda name: True
    """Returns whether imports in functions of a module count, by the module's name."""
    _found: dict[str, Path | None] = field(default_factory=dict, repr=False)

    def follow(self, name: str) -> None:
        """Add a module, its parent packages, and all modules that they import.

        Args:
            name: name of the module.
        """
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
        """Return the file of a module in the roots; None if there is none.

        A script of Goishi that has moved is found by its former name, too. It is then copied under
        that name. What was found once is not looked for again.

        Args:
            name: name of the module.
        """
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def _find(self, name: str) -> Path | None:
        inside, roots = self._place(name)
        found = find_module(inside, roots)
        if found is None and is_shipped(name):
            found = find_module(read_moved(roots[0]).get(inside, inside), roots)
        return found

    @property
    def has_shipped(self) -> bool:
        """Whether one of the modules is a script of Goishi, `goishi.scripts.…`."""
        return any(is_shipped(name) for name in self.own)

    def _place(self, name: str) -> tuple[str, Sequence[Path]]:
        if is_shipped(name):
            return name.removeprefix(f"{SHIPPED}."), self.roots[-1:]
        return name, self.roots

    def _imports(self, name: str, path: Path) -> Iterator[str]:
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        prefix = f"{SHIPPED}." if is_shipped(name) else ""
        is_deep = self.is_deep(name)

        def meant(wanted: str) -> str:
            is_script = wanted == "scripts" or wanted.startswith("scripts.")
            return f"{prefix}{wanted}" if is_script else wanted

        for found in imports_of(path):
            if found.is_lazy or (found.is_deep and not is_deep):
                continue
            if found.base is None:
                yield from map(meant, found.names)
            else:
                yield from self._from(meant(_base(found, package)), found.names)

    def _from(self, base: str, names: Sequence[str]) -> Iterator[str]:
        """Yield the names of the modules that a statement `from base import names` may import.

        Args:
            base: name of the module after the word "from".
            names: the imported names; each may be a module.
        """
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
    """Return whether a module name is that of a script of Goishi, `goishi.scripts.…`."""
    return name == SHIPPED_SCRIPTS or name.startswith(f"{SHIPPED_SCRIPTS}.")


def find_module(name: str, roots: Sequence[Path]) -> Path | None:
    """Return the file of a module in the first folder that has it; None if there is none."""
    for root in roots:
        base = root.joinpath(*name.split("."))
        for path in (base / "__init__.py", base.with_name(f"{base.name}.py")):
            if path.is_file():
                return path
    return None


def lazy_homes(path: Path, package: str) -> dict[str, str]:
    """Return where a package's names come from that it imports only when they are used.

    The package imports these names below `if TYPE_CHECKING:`, where only type checkers see them.

    Args:
        path: the package's `__init__.py`.
        package: name of the package.

    Returns:
        The module of each name, by name.
    """
    return {
        name: _base(found, package)
        for found in imports_of(path)
        if found.is_lazy
        for name in found.names
    }


def imports_of(path: Path) -> tuple[Import, ...]:
    """Return what a file imports; nothing if it has errors.

    A file that has not changed is not read again.
    """
    state = path.stat()
    return _read_imports(path, state.st_mtime_ns, state.st_size)


@functools.lru_cache(maxsize=KEPT_FILES)
def _read_imports(path: Path, changed: int, size: int) -> tuple[Import, ...]:
    """Read a file's imports.

    Args:
        path: the file.
        changed: time of its last change, in nanoseconds.
        size: its size in bytes. With the time it tells whether what is kept still holds.
    """
    return tuple(_imports_below(parse(path)))


def parse(path: Path) -> ast.Module:
    """Parse a file to a syntax tree; the tree is empty if the file has errors."""
    try:
        return ast.parse(path.read_bytes(), str(path))
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _imports_below(node: ast.AST, *, is_deep: bool = False) -> Iterator[Import]:
    """Yield what imports below a node of a syntax tree.

    Args:
        node: the node.
        is_deep: whether it stands in a function.
    """
    children = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and _is_type_checking(node.test):
        for inner in node.body:
            if isinstance(inner, ast.ImportFrom):
                names = tuple(alias.asname or alias.name for alias in inner.names)
                yield Import(inner.module or "", inner.level, names, is_deep, is_lazy=True)
        children = iter(node.orelse)
    for child in children:
        if isinstance(child, ast.Import):
            names = tuple(alias.name for alias in child.names)
            yield Import(None, 0, names, is_deep, is_lazy=False)
        elif isinstance(child, ast.ImportFrom):
            names = tuple(alias.name for alias in child.names)
            yield Import(child.module or "", child.level, names, is_deep, is_lazy=False)
        elif isinstance(child, ast.Call) and (names := _names_by_text(child)):
            yield Import(None, 0, names, is_deep, is_lazy=False)
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from _imports_below(child, is_deep=is_deep or is_function)


def _is_type_checking(test: ast.expr) -> bool:
    return getattr(test, "id", getattr(test, "attr", "")) == "TYPE_CHECKING"


def _base(found: Import, package: str) -> str:
    base = found.base or ""
    if not found.level:
        return base
    parts = package.split(".")
    kept = parts[: len(parts) - found.level + 1]
    return ".".join([*kept, *([base] if base else [])])


def _names_by_text(node: ast.Call) -> tuple[str, ...]:
    """Return the name of the module that a call such as `import_module("x")` imports."""
    function = getattr(node.func, "id", getattr(node.func, "attr", ""))
    if function in ("import_module", "__import__") and node.args:
        target = node.args[0]
        if isinstance(target, ast.Constant) and isinstance(target.value, str):
            return (target.value.lstrip("."),)
    return ()

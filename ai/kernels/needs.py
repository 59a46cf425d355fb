"""Which kernels a module needs, read from the sources: nothing is imported.

The first game needs only the kernels of its players. They are compiled before all others.

To parse the sources takes a fifth of a second, in each worker that begins before all kernels are
compiled. So what was found is kept beside the compiled kernels, for as long as no source changes.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from ai.kernels.cache import KernelCompilationError, cache_directory, kernel_modules
from base.files import SHIPPED_ROOT, atomic_write, read_regular

TOP: Final = "ai"
KEPT: Final = "needs.json"
"""File in the cache folder: the stamp of the sources, and the kernels of each module asked for."""


@cache
def kernels_of(module: str) -> tuple[str, ...]:
    """Return the modules with kernels that a module needs, in the order to compile them.

    They are those that it imports, directly or through others, in functions, too.

    Args:
        module: full name of the module. One outside of Goishi's players, such as a script, may
            need all kernels.
    """
    if module.partition(".")[0] != TOP:
        return kernel_modules()
    try:
        file = cache_directory() / KEPT
    except KernelCompilationError:
        return _read_of(module)
    stamp = sources_stamp()
    kept = _kept(file, stamp)
    if module not in kept:
        kept[module] = _read_of(module)
        with contextlib.suppress(OSError):
            atomic_write(file, json.dumps({"stamp": stamp, "kernels": kept}))
    return kept[module]


def sources_stamp() -> str:
    """Return a hash of where the sources lie, of their sizes and of when they were written."""
    digest = hashlib.sha256()
    for path in sorted((SHIPPED_ROOT / TOP).rglob("*.py")):
        found = path.stat()
        digest.update(f"{path} {found.st_mtime_ns} {found.st_size}\n".encode())
    return digest.hexdigest()[:20]


def _kept(file: Path, stamp: str) -> dict[str, tuple[str, ...]]:
    """Return what is kept of sources with this stamp: kernels by module; empty if nothing is."""
    try:
        found = json.loads(read_regular(file))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict) or found.get("stamp") != stamp:
        return {}
    kernels = found.get("kernels")
    if not isinstance(kernels, dict):
        return {}
    return {
        module: tuple(names)
        for module, names in kernels.items()
        if isinstance(names, list) and all(isinstance(name, str) for name in names)
    }


def _read_of(module: str) -> tuple[str, ...]:
    """Read from the sources which modules with kernels a module needs; see `kernels_of`."""
    needed: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += _imports_of(name)
    return tuple(name for name in kernel_modules() if name in needed)


@cache
def _imports_of(module: str) -> tuple[str, ...]:
    """Return the modules of Goishi's players that a module imports."""
    path = SHIPPED_ROOT.joinpath(*module.split("."))
    sources = (path.with_suffix(".py"), path / "__init__.py")
    source = next((item for item in sources if item.is_file()), None)
    if source is None:  # a name in a module
        return ()
    return tuple(dict.fromkeys(_names(ast.parse(source.read_bytes()).body)))


def _names(nodes: list[ast.stmt] | list[ast.AST]) -> Iterator[str]:
    """Yield the names of imported modules, and of what is imported from them.

    Those for type checkers are left out.
    """
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == TOP:
            yield str(node.module)
            yield from (f"{node.module}.{item.name}" for item in node.names)
        elif isinstance(node, ast.Import):
            yield from (item.name for item in node.names if item.name.startswith(f"{TOP}."))
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _names(node.orelse)
        else:
            yield from _names(list(ast.iter_child_nodes(node)))

"""Which kernels a module needs, read from the sources: nothing is imported.

The first game needs only the kernels of its players. They are compiled before all others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from typing import Final

from ai.kernels.cache import kernel_modules
from base.files import SHIPPED_ROOT

TOP: Final = "ai"


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

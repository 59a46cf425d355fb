"""The import rules of the tree, read from the sources with `ast`; nothing is imported.

Layers, from the top: main and sim.commands; sim.app.app; sim.ui; sim.render; sim.core; base. Beside
the engine ai, on base too; and scripts, which reach sim and ai through their public doors only.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

OWN = frozenset({"main", "base", "sim", "ai", "scripts", "tests", "benchmarks"})
CHECKED = ("main", "base", "sim", "ai", "scripts")
COMMANDS = "sim.commands"
"""main's layer: beside the engine it may import ai; nothing of the engine imports it."""
DEEP_LEARNING = frozenset({"tensorflow", "keras"})
DEEP_LEARNING_HOMES = ("ai.nets", "ai.learning")
DRAWING = frozenset({"panda3d", "direct", "imgui_bundle"})
STANDARD = frozenset(sys.stdlib_module_names)
CORE_PACKAGES = frozenset(
    {
        "numpy", "numba", "pyrr", "platformdirs", "tomli_w", "psutil", "watchfiles", "debugpy",
        "jedi", "packaging",
    }
)  # fmt: skip
FLOOR_PACKAGES = frozenset({"numpy"})
"""Of base and ai.game."""
SIM_LAYERS = ("sim.core", "sim.render", "sim.ui")
"""From the bottom; every other module under sim belongs to the top one, sim.app.app."""

FILE_LINES = 400
FUNCTION_LINES = 60


@dataclass(frozen=True)
class Import:
    """One import: who, what, and whether it stands in a script's `@job` function."""

    importer: str
    imported: str
    line: int
    is_in_job: bool = False


def modules_of(root: Path) -> dict[str, Path]:
    """Return the checked modules of a tree by dotted name."""
    found: dict[str, Path] = {}
    for top in CHECKED:
        single = root / f"{top}.py"
        files = [single] if single.is_file() else sorted((root / top).rglob("*.py"))
        for path in files:
            parts = list(path.relative_to(root).with_suffix("").parts)
            if parts[-1] == "__init__":
                parts.pop()
            found[".".join(parts)] = path
    return found


def breaches(root: Path) -> list[str]:
    """Return every breach of the rules in a tree: "module X must not import Y (file:line)"."""
    modules = modules_of(root)
    lines: list[str] = []
    for path in modules.values():
        for one in imports_of(path, root, modules):
            if not is_allowed(one):
                place = f"{path.relative_to(root).as_posix()}:{one.line}"
                lines.append(f"module {one.importer} must not import {one.imported} ({place})")
    return sorted(set(lines))


def imports_of(path: Path, root: Path, modules: dict[str, Path]) -> Iterator[Import]:
    """Yield every import of a file: also in functions, and by `import_module("literal")`."""
    parts = list(path.relative_to(root).with_suffix("").parts)
    is_package = parts[-1] == "__init__"
    importer = ".".join(parts[:-1] if is_package else parts)
    package = importer if is_package else importer.rpartition(".")[0]
    for node, is_in_job in _walk(ast.parse(path.read_text(encoding="utf-8")), in_job=False):
        for name in _names(node, package, modules):
            yield Import(importer, name, getattr(node, "lineno", 0), is_in_job)


def is_allowed(one: Import) -> bool:
    """Whether the rules allow an import."""
    top = one.imported.partition(".")[0]
    if top in DEEP_LEARNING:
        is_job = one.is_in_job and one.importer.startswith("scripts")
        return is_job or _is_under(one.importer, *DEEP_LEARNING_HOMES)
    if _is_under(one.importer, "base"):
        return top == "base" or top in STANDARD or top in FLOOR_PACKAGES
    if _is_under(one.importer, COMMANDS):
        return top not in ("tests", "benchmarks", "scripts")
    if _is_under(one.importer, "sim"):
        return _is_allowed_in_sim(one, top)
    if _is_under(one.importer, "ai"):
        return _is_allowed_in_ai(one, top)
    if _is_under(one.importer, "scripts"):
        return top not in OWN or top == "scripts" or one.imported in ("sim", "ai")
    return top not in ("tests", "benchmarks", "scripts")


def _is_allowed_in_sim(one: Import, top: str) -> bool:
    layer = _sim_layer(one.importer)
    if _is_under(one.imported, COMMANDS):
        return False
    if top == "sim":
        if one.importer == "sim":
            return _is_under(one.imported, "sim.core")
        return one.imported == one.importer or _sim_layer(one.imported) <= layer
    if top in OWN:
        return top == "base"
    if layer == 0 or one.importer == "sim":
        return top in STANDARD or top in CORE_PACKAGES
    return True


def _is_allowed_in_ai(one: Import, top: str) -> bool:
    if _is_under(one.importer, "ai.game"):
        return _is_under(one.imported, "ai.game") or top in STANDARD or top in FLOOR_PACKAGES
    return top not in DRAWING and (top not in OWN or top in ("ai", "base"))


def _sim_layer(module: str) -> int:
    """Return 0 for sim.core, 1 for sim.render, 2 for sim.ui, 3 for sim.app.app and its like."""
    for number, layer in enumerate(SIM_LAYERS):
        if _is_under(module, layer):
            return number
    return len(SIM_LAYERS)


def _is_under(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def _walk(node: ast.AST, *, in_job: bool) -> Iterator[tuple[ast.AST, bool]]:
    for child in ast.iter_child_nodes(node):
        inside = in_job or _is_job(child)
        yield child, inside
        yield from _walk(child, in_job=inside)


def _is_job(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    targets = [item.func if isinstance(item, ast.Call) else item for item in node.decorator_list]
    return any(getattr(target, "id", getattr(target, "attr", "")) == "job" for target in targets)


def _names(node: ast.AST, package: str, modules: dict[str, Path]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = _base(node, package)
        for alias in node.names:
            inner = f"{base}.{alias.name}"
            yield inner if inner in modules or _is_folder_of(inner, modules) else base
    elif isinstance(node, ast.Call) and node.args:
        function = getattr(node.func, "id", getattr(node.func, "attr", ""))
        target = node.args[0]
        if function in ("import_module", "__import__") and isinstance(target, ast.Constant):
            yield str(target.value)


def _base(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    kept = package.split(".")[: len(package.split(".")) - node.level + 1]
    return ".".join([*kept, *([node.module] if node.module else [])])


def _is_folder_of(name: str, modules: dict[str, Path]) -> bool:
    return any(module.startswith(f"{name}.") for module in modules)


def large_ones(root: Path) -> list[str]:
    """Return the files and functions that are longer than the house style wants."""
    found: list[str] = []
    for path in modules_of(root).values():
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(root).as_posix()
        count = len(text.splitlines())
        if count > FILE_LINES:
            found.append(f"{name}: {count} lines, {FILE_LINES} wanted at most")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > FUNCTION_LINES:
                    place = f"{name}:{node.lineno}"
                    found.append(
                        f"{place}: {node.name} has {length} lines, {FUNCTION_LINES} wanted"
                    )
    return found

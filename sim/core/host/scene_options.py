"""Command-line options declared by a scene's scripts: reading them.

The command line needs them before a window opens and before any script may run, so they are parsed
from the scripts' files: from each class that the scene names, and its base classes in the project
and the shipped scripts. When the scene is open, the given values are checked again against the
loaded classes.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from base.errors import ScriptLoadError
from base.files import SHIPPED_ROOT, read_regular
from base.modules import SHIPPED_TOP, ScriptPackage, check_size
from sim.core.files.scene_file import SceneDocument, load
from sim.core.host.script_loader import ScriptLoader
from sim.core.project.run_options import Flag
from sim.core.script.options import collect_options, declared_option

if TYPE_CHECKING:
    from sim.core.scene.scene import Scene

DECLARES = "option"
"""Name of the function with which a script class declares an option of the command line."""


def options_of_scene(scene: Scene) -> dict[str, Flag]:
    """Return the options that the scripts of an open scene declare, by name."""
    found: dict[str, Flag] = {}
    for slot in scene.components():
        if slot.instance is not None:
            found = {**collect_options(type(slot.instance)), **found}
    return found


def read_options(scene: Path) -> dict[str, Flag]:
    """Read the options that a scene file's scripts declare, by name; none of their code is run.

    Raises:
        SceneFileError: the scene file is invalid.
    """
    document = load(scene, allows_missing=True)
    reader = _Reader(ScriptLoader(document.project, SHIPPED_ROOT))
    found: dict[str, Flag] = {}
    for type_name in dict.fromkeys(_types(document)):
        found = {**reader.of_type(type_name), **found}
    return found


def _types(document: SceneDocument) -> Iterator[str]:
    """Yield the type of each component of a scene, including those of its prefabs."""
    for entry in (*document.data["objects"].values(), *document.prefabs.values()):
        for component in entry.get("components", {}).values():
            if not component["type"].startswith("sim:"):
                yield component["type"]


class _Reader:
    """Parses classes from the files of scripts, each file once.

    Args:
        loader: finds the files of modules.
    """

    def __init__(self, loader: ScriptLoader) -> None:
        self._loader = loader
        self._trees: dict[Path, ast.Module | None] = {}

    def of_type(self, type_name: str) -> dict[str, Flag]:
        """Return the options of a component type, by name; empty if there is no such class."""
        try:
            package, module, name = self._loader.locate(type_name)
        except ScriptLoadError:
            return {}
        return self._of_class(package, module, name, ())

    def _of_class(
        self, package: ScriptPackage, module: str, name: str, seen: tuple[str, ...]
    ) -> dict[str, Flag]:
        path, tree = self._tree(package, module)
        where = f"{path}:{name}"
        if tree is None or where in seen:
            return {}
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                found: dict[str, Flag] = {}
                for base in node.bases:
                    if isinstance(base, ast.Name):
                        found |= self._of_class(package, module, base.id, (*seen, where))
                return found | {option.key: option for option in _declared(node)}
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        origin = _origin(node, package, module, path)
                        if origin is not None:
                            return self._of_class(*origin, alias.name, (*seen, where))
        return {}

    def _tree(self, package: ScriptPackage, module: str) -> tuple[Path, ast.Module | None]:
        base = package.root.joinpath(*module.split("."))
        path = base.with_suffix(".py")
        if not path.is_file():
            path = base / "__init__.py"
        if path not in self._trees:
            try:
                check_size(path)
                self._trees[path] = ast.parse(read_regular(path))
            except (OSError, ScriptLoadError, ValueError, SyntaxError, RecursionError, MemoryError):
                self._trees[path] = None  # reported when the script is loaded
        return path, self._trees[path]


def _origin(
    node: ast.ImportFrom, package: ScriptPackage, module: str, path: Path
) -> tuple[ScriptPackage, str] | None:
    """Return the package and module that a script imports from.

    Args:
        node: the import statement, from … import ….
        package: package of the script.
        module: name of the script's module.
        path: path of the script.

    Returns:
        Script package and module name; None if the imported module is no script.
    """
    name = node.module or ""
    if node.level:
        here = module if path.name == "__init__.py" else module.rpartition(".")[0]
        try:
            name = importlib.util.resolve_name("." * node.level + name, here)
        except ImportError:
            return None
    elif name.startswith(f"{SHIPPED_TOP}."):
        package, name = package.shipped or package, name.removeprefix(f"{SHIPPED_TOP}.")
    return (package, package.present_name(name)) if name.startswith("scripts") else None


def _declared(node: ast.ClassDef) -> Iterator[Flag]:
    """Yield the options that are declared in the body of a class."""
    for line in node.body:
        if not (
            isinstance(line, ast.AnnAssign)
            and isinstance(line.target, ast.Name)
            and isinstance(line.value, ast.Call)
            and ast.unparse(line.value.func).rpartition(".")[2] == DECLARES
        ):
            continue
        call = line.value
        try:
            default = ast.literal_eval(call.args[0]) if call.args else None
            given = {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg}
            yield declared_option(line.target.id, ast.unparse(line.annotation), default, given)
        except (TypeError, ValueError):
            continue  # reported when the script is loaded

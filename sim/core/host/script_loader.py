"""Loads script classes: from a project, from the shipped scripts, from the engine itself."""

from __future__ import annotations

import builtins
import functools
import importlib
import importlib.util
import linecache
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from base.errors import ScriptLoadError
from sim.core.host.moved import read_moved
from sim.core.scene.fields import declaration_faults
from sim.core.script.script import Script
from sim.core.script.script_checks import near_misses

SHIPPED_PREFIX = "goishi:"
SHIPPED_PACKAGE = "goishi"
"""`from goishi.scripts.… import …` in a project's script: the shipped scripts."""
ENGINE_PREFIX = "sim:"
SHIPPED_PRIVATE = "goishi_shipped"
FORBIDDEN_HERE = ("tensorflow", "keras")


class _WorkerOnly(Loader):
    """Finds packages that crash beside an OpenGL context, and refuses to run them."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Take TensorFlow and Keras, know nothing of the rest. Asking for them is no import."""
        if name.partition(".")[0] in FORBIDDEN_HERE:
            return ModuleSpec(name, self)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Raise: here they must not run."""
        raise ImportError(
            f"{spec.name} cannot be imported in the window's process (it would crash OpenGL); "
            "run it in a worker: import it in the body of a @job function "
            "(docs/background_jobs.md)"
        )

    def exec_module(self, module: ModuleType) -> None:
        """Never reached."""


def install_tensorflow_guard() -> None:
    """Make `import tensorflow` and `import keras` fail with a clear text in this process."""
    if not any(isinstance(finder, _WorkerOnly) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WorkerOnly())


class ScriptPackage:
    """The modules of one folder that holds `scripts/`, under a private name.

    Inside them `import scripts.…` means this folder's own, `from goishi.scripts.… import …` the
    shipped ones.

    Attributes:
        shipped: the package of the shipped scripts, None where there is none beside this one.
        on_moved: called once for each former name that something still uses, with both names.
    """

    def __init__(self, root: Path, private: str) -> None:
        self.root = root.resolve()
        self.private = private
        self.modules: dict[str, ModuleType] = {}
        self.shipped: ScriptPackage | None = None
        self.on_install: Callable[[], object] | None = None
        self.on_moved: Callable[[str, str], object] | None = None
        self._told: set[str] = set()
        self.builtins: dict[str, Any] = {**vars(builtins), "__import__": self._import}

    def module(self, name: str) -> ModuleType:
        """Return the module `scripts.…`, run it first if need be.

        Raises:
            ScriptLoadError: there is no such file.
        """
        present = self.present_name(name)
        if present != name:
            module = self.module_within(present)
            self._bind(name, module)
            return module
        if name not in self.modules:
            self.install(name, self.run(name))
        return self.modules[name]

    def module_within(self, name: str) -> ModuleType:
        """Return a module after those that it lies in, from the outermost."""
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            module = self.module(".".join(parts[:end]))
        return module

    def present_name(self, name: str) -> str:
        """Return where a module stands now; `name` itself where it never moved."""
        if name in self.modules or self.has(name):
            return name
        present = self._moved.get(name)
        if present is None:
            return name
        if name not in self._told and self.on_moved is not None:
            self._told.add(name)
            self.on_moved(name, present)
        return present

    @functools.cached_property
    def _moved(self) -> Mapping[str, str]:
        return read_moved(self.root)

    def run(self, name: str) -> ModuleType:
        """Compile and run the file of a module in a fresh namespace, which is returned."""
        path, is_package = self._find(name)
        private = f"{self.private}.{name}"
        module = ModuleType(private)
        module.__file__ = str(path)
        module.__package__ = private if is_package else private.rpartition(".")[0]
        if is_package:
            module.__path__ = [str(path.parent if path.suffix else path)]
        module.__dict__["__builtins__"] = self.builtins
        known = sys.modules.get(private)
        sys.modules[private] = module  # annotations are resolved through it
        try:
            if path.suffix:
                linecache.checkcache(str(path))
                exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
        except BaseException:
            if known is None:
                del sys.modules[private]
            else:
                sys.modules[private] = known
            raise
        return module

    def install(self, name: str, module: ModuleType) -> None:
        """Make `module` the one that `name` means from now on."""
        self.modules[name] = module
        sys.modules[module.__name__] = module
        self._bind(name, module)
        if self.on_install is not None:
            self.on_install()

    def _bind(self, name: str, module: ModuleType) -> None:
        """Make a module an attribute of the one that it lies in."""
        parent, _, child = name.rpartition(".")
        if parent in self.modules:
            setattr(self.modules[parent], child, module)

    def close(self) -> None:
        """Let go of the modules: what they hold, to the window's picture, is freed with them."""
        for module in self.modules.values():
            if sys.modules.get(module.__name__) is module:
                del sys.modules[module.__name__]

    def name_of(self, path: Path) -> str | None:
        """Return the module name of a file, None when it is no script of this folder."""
        try:
            inside = path.resolve().relative_to(self.root)
        except ValueError:
            return None
        if inside.suffix != ".py" or inside.parts[0] != "scripts":
            return None
        parts = list(inside.with_suffix("").parts)
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def has(self, name: str) -> bool:
        """Whether there is a file or a folder for the module `scripts.…`; nothing is run."""
        base = self.root.joinpath(*name.split("."))
        return base.with_suffix(".py").is_file() or base.is_dir()

    def had(self, name: str) -> bool:
        """Whether the module is here, or was before it moved."""
        return self.has(name) or name in self._moved

    def _find(self, name: str) -> tuple[Path, bool]:
        base = self.root.joinpath(*name.split("."))
        if base.with_suffix(".py").is_file():
            return base.with_suffix(".py"), False
        if (base / "__init__.py").is_file():
            return base / "__init__.py", True
        if base.is_dir():
            return base, True
        text = f"expected the file {base.with_suffix('.py')}, found none"
        if self.shipped is not None and self.shipped is not self and self.shipped.had(name):
            text += f"; what ships with Goishi: from {SHIPPED_PACKAGE}.{name} import ..."
        raise ScriptLoadError(text)

    def _import(
        self,
        name: str,
        module_globals: Mapping[str, Any] | None = None,
        module_locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        wanted = name
        if level and module_globals is not None:
            package = str(module_globals.get("__package__", ""))
            wanted = importlib.util.resolve_name("." * level + name, package)
            wanted = wanted.removeprefix(f"{self.private}.")
        if not level and wanted.startswith(f"{SHIPPED_PACKAGE}.scripts"):
            return self._import_shipped(wanted, fromlist)
        if wanted != "scripts" and not wanted.startswith("scripts."):
            return builtins.__import__(name, module_globals, module_locals, fromlist or (), level)
        module = self.module_within(wanted)
        if not fromlist:
            return self.modules["scripts"]
        for item in fromlist:
            if not hasattr(module, item) and hasattr(module, "__path__"):
                self.module(f"{wanted}.{item}")
        return module

    def _import_shipped(self, name: str, fromlist: Sequence[str] | None) -> ModuleType:
        """Import a shipped script for one of this folder."""
        package = self.shipped or self
        module = package._import(name.removeprefix(f"{SHIPPED_PACKAGE}."), None, None, fromlist)
        if fromlist:
            return module
        top = ModuleType(SHIPPED_PACKAGE)  # what `import goishi.scripts.x` binds
        top.__dict__["scripts"] = module
        return top


class ScriptLoader:
    """Finds the class that a component's type names."""

    def __init__(self, project: Path, shipped: Path) -> None:
        project_package = ScriptPackage(project, f"goishi_project_{abs(hash(project)):x}")
        same = project.resolve() == shipped.resolve()
        self.project = project_package
        self.shipped = project_package if same else ScriptPackage(shipped, SHIPPED_PRIVATE)
        project_package.shipped = self.shipped

    def load(self, type_name: str) -> type[Script]:
        """Return the class of `scripts.x:Class`, `goishi:scripts.x:Class` or `sim:Class`.

        Raises:
            ScriptLoadError: there is no such file or class, or its hooks are wrong.
            Exception: whatever the script's module raises when it runs.
        """
        if type_name.startswith(ENGINE_PREFIX):
            return self._engine_class(type_name.removeprefix(ENGINE_PREFIX))
        package, module_name, class_name = self.locate(type_name)
        return pick_class(package.module_within(module_name), class_name)

    def locate(self, type_name: str) -> tuple[ScriptPackage, str, str]:
        """Return the package, module name and class name that a type means."""
        is_shipped = type_name.startswith(SHIPPED_PREFIX)
        package = self.shipped if is_shipped else self.project
        module_name, _, class_name = type_name.removeprefix(SHIPPED_PREFIX).rpartition(":")
        parts = module_name.split(".")
        if parts[0] != "scripts" or not all(part.isidentifier() for part in (*parts, class_name)):
            raise ScriptLoadError(f"expected a type like scripts.x:Class, found {type_name!r}")
        return package, package.present_name(module_name), class_name

    def packages(self) -> tuple[ScriptPackage, ...]:
        """Return the packages in use."""
        same = self.project is self.shipped
        return (self.project,) if same else (self.project, self.shipped)

    def close(self) -> None:
        """Let go of all modules that were loaded; the classes that are in use go on."""
        for package in self.packages():
            package.close()

    def _engine_class(self, class_name: str) -> type[Script]:
        components = importlib.import_module("sim.core.components.components")
        found = getattr(components, class_name, None)
        if isinstance(found, type) and issubclass(found, Script) and found is not Script:
            return found
        raise ScriptLoadError(f"expected a component of the engine, found sim:{class_name}")


def name_of_class(kind: type, packages: Sequence[ScriptPackage]) -> str:
    """Return `module:Class`, the module of a script as scripts import it.

    The name is the same in every process; see `class_of_name`.
    """
    module = kind.__module__
    for package in packages:
        module = module.removeprefix(f"{package.private}.")
    return f"{module}:{kind.__qualname__}"


def class_of_name(name: str, packages: Sequence[ScriptPackage]) -> type:
    """Return the class that `name_of_class` named.

    Raises:
        LookupError: there is no such class here.
    """
    module_name, _, class_name = name.partition(":")
    found: Any = None
    for package in packages:
        if module_name in package.modules:
            found = package.modules[module_name]
            break
    else:
        found = sys.modules.get(module_name)
    for part in class_name.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type):
        raise LookupError(f"expected the class {name}, found none")
    return found


def pick_class(module: ModuleType, class_name: str) -> type[Script]:
    """Return the script class `class_name` of a module.

    Raises:
        ScriptLoadError: it is not there, is no Script, or its hooks are wrong.
    """
    file = module.__file__ or ""
    found = getattr(module, class_name, None)
    if not (isinstance(found, type) and issubclass(found, Script)):
        there = [
            name
            for name, value in vars(module).items()
            if isinstance(value, type)
            and issubclass(value, Script)
            and value.__module__ == module.__name__
        ]
        raise ScriptLoadError(
            f"expected the class {class_name}, found {', '.join(there) or 'no script class'}",
            file=file,
            line=1,
        )
    faults = [*near_misses(found), *declaration_faults(found)]
    if faults:
        raise ScriptLoadError("; ".join(faults), file=file, line=1)
    return found

"""Loads script classes from a project, the shipped scripts or the engine, and checks them."""

from __future__ import annotations

import inspect
import sys
import unicodedata
import warnings
from collections.abc import Callable, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from base.errors import ScriptLoadError
from base.internal_modules import import_internal
from base.modules import ScriptPackage
from base.spelling import hint_of, near_names
from sim.core.scene.fields import Field, declaration_faults
from sim.core.script.agent import agent_faults
from sim.core.script.script import HOOKS, Script
from sim.core.script.signals import Signal


def overridden_hooks(cls: type[Script]) -> frozenset[str]:
    """Return the hooks that a class overrides."""
    return frozenset(name for name in HOOKS if getattr(cls, name) is not getattr(Script, name))


def near_misses(cls: type[Script]) -> list[str]:
    """Return warnings about a class's hooks and signal handlers, such as misspelt names."""
    faults: list[str] = []
    by_plain_name = {name.replace("_", ""): name for name in HOOKS}
    for name, value in vars(cls).items():
        if not inspect.isfunction(value):
            continue
        plain = name.lower().removeprefix("on_").replace("_", "")
        if name not in HOOKS and plain in by_plain_name and not name.startswith("_"):
            faults.append(f"{cls.__name__}.{name} is no hook; did you mean {by_plain_name[plain]}?")
        is_late = inspect.iscoroutinefunction(value) or inspect.isgeneratorfunction(value)
        if name in HOOKS and is_late:
            faults.append(
                f"{cls.__name__}.{name}: expected a plain function, found one with await or yield; "
                "start that by self.start_coroutine(...)"
            )
        elif name in HOOKS:
            faults.extend(_wrong_parameters(cls, name, value))
        for target in getattr(value, "signal_targets", ()):
            faults.extend(_wrong_target(cls, name, target))
    return faults


def _wrong_parameters(cls: type, name: str, function: Callable[..., object]) -> list[str]:
    try:
        inspect.signature(function).bind(*range(1 + HOOKS[name]))
    except TypeError:
        arguments = {"reloaded": "(self, old)"}.get(name, "(self, dt)" if HOOKS[name] else "(self)")
        found = inspect.signature(function)
        return [f"{cls.__name__}.{name}: expected the parameters {arguments}, found {found}"]
    return []


def _wrong_target(cls: type, method: str, target: str) -> list[str]:
    field_name, _, signal_name = target.rpartition(".")
    owner: type = cls
    if field_name:
        declared = getattr(cls, field_name, None)
        if not isinstance(declared, Field):
            return [f"{cls.__name__}.{method}: @on({target!r}): {field_name} is no field"]
        kind = declared.annotation
        if not (isinstance(kind, type) and issubclass(kind, Script)) or kind is Script:
            return []
        owner = kind
    if not isinstance(getattr(owner, signal_name, None), Signal):
        return [f"{cls.__name__}.{method}: @on({target!r}): {owner.__name__} has no such signal"]
    return []


SHIPPED_PREFIX = "goishi:"
ENGINE_PREFIX = "sim:"
SHIPPED_PRIVATE = "goishi_shipped"
FORBIDDEN_HERE = ("tensorflow", "keras")
DEEPEST = 20_000
"""Maximum recursion depth in the app's process."""


class _WorkerOnly(Loader):
    """Import hook that refuses TensorFlow and Keras, which crash in a process with OpenGL."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a module spec whose loader refuses the import; None for all other packages.

        `importlib.util.find_spec` still works, so that code can ask whether a package is installed.

        Args:
            name: full name of the module.
            path: ignored.
            target: ignored.
        """
        if name.partition(".")[0] in FORBIDDEN_HERE:
            return ModuleSpec(name, self)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Refuse the import.

        Raises:
            ImportError: always; the message explains how to use a worker process instead.
        """
        raise ImportError(
            f"{spec.name} cannot be imported in the window's process (it would crash OpenGL); "
            "run it in a worker: import it in the body of a @job function "
            "(docs/background_jobs.md)"
        )

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing; never called, because `create_module` raises."""


def install_tensorflow_guard() -> None:
    """Make `import tensorflow` and `import keras` raise an explanatory error in this process."""
    if not any(isinstance(finder, _WorkerOnly) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WorkerOnly())


def bound_recursion() -> None:
    """Cap the recursion limit that scripts can set at `DEEPEST`; a higher value gives a warning.

    Without the cap, endless recursion fills the memory before the watchdog interrupts it, and
    recursion through C code crashes the process.
    """
    if not isinstance(sys.setrecursionlimit, _BoundRecursion):
        sys.setrecursionlimit = _BoundRecursion(sys.setrecursionlimit)


class _BoundRecursion:
    """`sys.setrecursionlimit` with an upper bound."""

    def __init__(self, unbound: Callable[[int], None]) -> None:
        self._unbound = unbound

    def __call__(self, limit: int, /) -> None:
        if isinstance(limit, int) and limit > DEEPEST:
            warnings.warn(
                f"sys.setrecursionlimit: expected {DEEPEST} or less, found {limit}; "
                f"it is {DEEPEST} now",
                RuntimeWarning,
                stacklevel=2,
            )
            limit = DEEPEST
        self._unbound(limit)


class ScriptLoader:
    """Loads the class that a component's type name refers to.

    Args:
        project: the folder of the project.
        shipped: the folder of the scripts shipped with Goishi.
        is_safe: whether to refuse the project's scripts; no effect if the project is the shipped
            one.
    """

    def __init__(self, project: Path, shipped: Path, *, is_safe: bool = False) -> None:
        project_package = ScriptPackage(project, f"goishi_project_{abs(hash(project)):x}")
        same = project.resolve() == shipped.resolve()
        self.project = project_package
        self.shipped = project_package if same else ScriptPackage(shipped, SHIPPED_PRIVATE)
        project_package.shipped = self.shipped
        project_package.is_closed = is_safe and not same

    def load(self, type_name: str) -> type[Script]:
        """Return the class that a type name refers to.

        Args:
            type_name: `scripts.x:Class` in the project, `goishi:scripts.x:Class` in the shipped
                scripts or `sim:Class` in the engine.

        Raises:
            ScriptLoadError: there is no such file or class, or its hooks are wrong.
            Exception: whatever the script's module raises when it runs.
        """
        if type_name.startswith(ENGINE_PREFIX):
            return self._engine_class(type_name.removeprefix(ENGINE_PREFIX))
        package, module_name, class_name = self.locate(type_name)
        return pick_class(package.module_within(module_name), class_name)

    def locate(self, type_name: str) -> tuple[ScriptPackage, str, str]:
        """Return where the class of a type name is, without loading it.

        Args:
            type_name: type name such as `scripts.x:Class`; see `load`.

        Returns:
            The script package, the module name and the class name.

        Raises:
            ScriptLoadError: the type name has not the form `scripts.x:Class`.
        """
        is_shipped = type_name.startswith(SHIPPED_PREFIX)
        package = self.shipped if is_shipped else self.project
        module_name, _, class_name = type_name.removeprefix(SHIPPED_PREFIX).rpartition(":")
        parts = module_name.split(".")
        if parts[0] != "scripts" or not all(part.isidentifier() for part in (*parts, class_name)):
            engine = import_internal("sim.core.components.components").ENGINE_TYPES
            near = near_names(engine, type_name.rpartition(":")[2])[:1]
            hint = hint_of((f"{ENGINE_PREFIX}{name}" for name in near), type_name)
            text = f"expected a type like scripts.x:Class, found {type_name!r}{hint}"
            raise ScriptLoadError(text)
        return package, package.present_name(module_name), class_name

    def packages(self) -> tuple[ScriptPackage, ...]:
        """Return the script packages in use."""
        same = self.project is self.shipped
        return (self.project,) if same else (self.project, self.shipped)

    def close(self) -> None:
        """Drop all loaded modules; classes in use stay alive."""
        for package in self.packages():
            package.close()

    def _engine_class(self, class_name: str) -> type[Script]:
        components = import_internal("sim.core.components.components")
        found = getattr(components, class_name, None)
        if isinstance(found, type) and issubclass(found, Script) and found is not Script:
            return found
        hint = hint_of(
            (f"{ENGINE_PREFIX}{name}" for name in components.ENGINE_TYPES),
            f"{ENGINE_PREFIX}{class_name}",
        )
        raise ScriptLoadError(f"expected a component of the engine, found sim:{class_name}{hint}")


def pick_class(module: ModuleType, class_name: str) -> type[Script]:
    """Return the script class of a module by name.

    Raises:
        ScriptLoadError: the module has no such class, it is no `Script`, or its hooks are wrong.
    """
    file = module.__file__ or ""
    found = getattr(module, unicodedata.normalize("NFKC", class_name), None)  # as Python names it
    if not (isinstance(found, type) and issubclass(found, Script)):
        there = [
            name
            for name, value in vars(module).items()
            if issubclass(type(value), type)  # reading one of its globals may raise
            and issubclass(value, Script)
            and value.__module__ == module.__name__
        ]
        found = ", ".join(there) or "no script class"
        if near_names(there, class_name):
            found += hint_of(there, class_name)
        raise ScriptLoadError(f"expected the class {class_name}, found {found}", file=file, line=1)
    faults = [*near_misses(found), *declaration_faults(found), *agent_faults(found)]
    if faults:
        raise ScriptLoadError("; ".join(faults), file=file, line=1)
    return found

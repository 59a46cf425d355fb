"""The version of a script that a function belongs to: what a save replaces, it goes on with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import FunctionType, ModuleType
from typing import Any

from base.modules import SOURCE, ScriptPackage
from sim.core.script.job import JobFunction

Names = dict[str, Any]


class ScriptVersion:
    """The modules that a job's function can reach, as they were when it was loaded.

    Attributes:
        modules: their globals, by private name.
    """

    def __init__(self, function: JobFunction[..., object]) -> None:
        self.modules: dict[str, Names] = {}
        waiting = [function.function.__globals__]
        while waiting:
            names = waiting.pop()
            if SOURCE in names and names["__name__"] not in self.modules:
                self.modules[names["__name__"]] = names
                waiting.extend(_reached(names))

    def sources(self, packages: Sequence[ScriptPackage]) -> dict[str, dict[str, bytes]]:
        """Return the texts of the modules, by their package's private name and their own."""
        found: dict[str, dict[str, bytes]] = {package.private: {} for package in packages}
        for name, names in self.modules.items():
            for package in packages:
                if name.startswith(package.prefix):
                    found[package.private][name.removeprefix(package.prefix)] = names[SOURCE]
                    break
        return found

    def class_of(self, name: str, packages: Sequence[ScriptPackage]) -> type | None:
        """Return the class `module:Class` of this version; None for one of another module."""
        module, _, path = name.partition(":")
        for package in packages:
            names = self.modules.get(f"{package.prefix}{module}")
            if names is not None:
                first, *rest = path.split(".")
                found = names.get(first)
                for part in rest:
                    found = getattr(found, part, None)
                return found if isinstance(found, type) else None
        return None


def _reached(names: Names) -> Iterator[Names]:
    """Return the globals of the modules, functions and classes that a module knows."""
    for value in tuple(names.values()):
        kind = type(value)  # of a global that may raise when asked
        if issubclass(kind, ModuleType):
            yield vars(value)
        elif kind is FunctionType:
            yield value.__globals__
        elif kind is JobFunction:
            yield value.function.__globals__
        elif issubclass(kind, type):
            methods = (item for item in vars(value).values() if type(item) is FunctionType)
            method = next(methods, None)
            if method is not None:
                yield method.__globals__

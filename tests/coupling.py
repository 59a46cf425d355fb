"""How closely the classes and files of the product hang together, read from the sources with `ast`.

    python -m tests.architecture        prints them, behind the rules of the layers

Circles of files; functions that read or write the data of another class; parts that hold their
owner; modules that only one other needs; public classes that share a name. A type is known where it
is annotated: parameters, and attributes of `self` that are annotated or set from such a parameter.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from tests.architecture import graph_of, modules_of, parsed

LONE_LINES: Final = 40
"""A module with one importer and fewer lines belongs to that importer."""
ROOTS: Final = ("App", "World", "Match", "Shell", "ScriptHost")
"""The classes that own a whole: nobody else reads or writes their data."""
VALUES: Final = frozenset({"NamedTuple", "Protocol", "TypedDict", "Enum", "StrEnum", "IntEnum"})
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Owner:
    """A class of the product.

    Attributes:
        name: its name.
        module: where it stands.
        data: names of its attributes; None as the type where no annotation tells it.
        methods: names of methods and properties.
        is_value: it is frozen, an enum, a protocol or the like, and nothing can be reached into.
    """

    name: str
    module: str
    node: ast.ClassDef
    data: dict[str, str | None] = field(default_factory=dict)
    methods: set[str] = field(default_factory=set)
    is_value: bool = False

    @cached_property
    def is_bag(self) -> bool:
        """Whether it holds data and has no method of its own."""
        return bool(self.data) and not {name for name in self.methods if not _is_magic(name)}


@dataclass(frozen=True)
class Reach:
    """A function, the class it reaches into, and the names it uses there.

    Attributes:
        place: `file:line name`.
        owner: the class.
        data: attributes that it reads or writes, private ones included.
        members: all it uses, methods included.
    """

    place: str
    owner: str
    data: frozenset[str]
    members: frozenset[str]

    def __str__(self) -> str:
        return f"{self.place} {self.owner}: {', '.join(sorted(self.data))}"


class Coupling:
    """The measures of the tree at a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.modules = modules_of(root)
        self.graph = graph_of(root)
        self.owners = {owner.name: owner for owner in _owners(self.modules)}

    # -- files ----------------------------------------------------------------------------------

    def circles(self) -> list[list[str]]:
        """Return the groups of files that need each other, also for their types alone."""
        return sorted(_components(self.graph), key=lambda group: (-len(group), group))

    def lone(self) -> list[str]:
        """Return the short modules that one other imports, each as "module (lines): importer"."""
        importers: dict[str, set[str]] = defaultdict(set)
        for importer, imported in self.graph.items():
            for name in imported:
                importers[name].add(importer)
        found = []
        for name, path in sorted(self.modules.items()):
            lines = len(path.read_text(encoding="utf-8").splitlines())
            if path.name != "__init__.py" and len(importers[name]) == 1 and lines < LONE_LINES:
                found.append(f"{name} ({lines}): {min(importers[name])}")
        return found

    def namesakes(self) -> dict[str, list[str]]:
        """Return the public classes that several modules define, and those modules."""
        homes: dict[str, list[str]] = defaultdict(list)
        for name, path in self.modules.items():
            for node in parsed(path).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes[node.name].append(name)
        return {name: found for name, found in sorted(homes.items()) if len(found) > 1}

    # -- classes --------------------------------------------------------------------------------

    def reaches(self) -> list[Reach]:
        """Return every function that uses the data of a class of another module."""
        found = []
        for module, path in self.modules.items():
            for function, types in _functions(parsed(path)):
                place = (
                    f"{path.relative_to(self.root).as_posix()}:{function.lineno} {function.name}"
                )
                found += self._reaches_of(function, types, module, place)
        return found

    def _reaches_of(
        self, function: Function, types: Mapping[str, str], module: str, place: str
    ) -> Iterator[Reach]:
        used: dict[str, set[str]] = defaultdict(set)
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute):
                owner, bag = self._owner_of(node.value, types)
                if owner is not None and owner.module != module:
                    used[owner.name].add(f"{bag}{node.attr}")
        for name, members in used.items():
            owner = self.owners[name]
            data = {one for one in members if one in owner.data or "." in one or _is_private(one)}
            if data and not owner.is_value:
                yield Reach(place, name, frozenset(data), frozenset(members))

    def _owner_of(self, node: ast.expr, types: Mapping[str, str]) -> tuple[Owner | None, str]:
        """Return the class of what an expression names, and the bag of it that is used, as "bag."."""
        if isinstance(node, ast.Name):
            return self.owners.get(types.get(node.id, "")), ""
        if not isinstance(node, ast.Attribute):
            return None, ""
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return self.owners.get(types.get(f"self.{node.attr}", "")), ""
        holder, bag = self._owner_of(node.value, types)
        if holder is None or bag:
            return None, ""
        kind = self.owners.get(holder.data.get(node.attr) or "")
        if kind is not None and kind.is_bag and not kind.is_value:
            return holder, f"{node.attr}."
        return kind, ""

    def root_reaches(self) -> list[Reach]:
        """Return the functions that use the data of `App`, `Match` and the like from outside."""
        return [reach for reach in self.reaches() if reach.owner in ROOTS]

    def widest(self, count: int) -> list[Reach]:
        """Return the functions that use most data of one other class, widest first."""
        return sorted(self.reaches(), key=lambda one: (-len(one.data), one.place))[:count]

    def held_owners(self) -> list[str]:
        """Return the parts that are made with `self` and keep it: "Part holds Owner"."""
        keeps = {name: _kept(owner.node) for name, owner in self.owners.items()}
        found = set()
        for owner in self.owners.values():
            for node in ast.walk(owner.node):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    part = self.owners.get(node.func.id)
                    if part is not None and keeps[part.name] & _given_self(node, part.node):
                        found.add(f"{part.name} holds {owner.name} ({part.module})")
        return sorted(found)


def _owners(modules: Mapping[str, Path]) -> Iterator[Owner]:
    """Yield the classes of a tree; of those that share a name none can be told by it."""
    seen: dict[str, list[Owner]] = defaultdict(list)
    for module, path in modules.items():
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef):
                seen[node.name].append(_owner(node, module))
    yield from (found[0] for found in seen.values() if len(found) == 1)


def _owner(node: ast.ClassDef, module: str) -> Owner:
    owner = Owner(node.name, module, node, is_value=_is_value(node))
    for item in node.body:
        if isinstance(item, Function):
            owner.methods.add(item.name)
            owner.data |= _attributes_set(item)
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            owner.data[item.target.id] = _class_named(item.annotation)
    return owner


def _is_value(node: ast.ClassDef) -> bool:
    bases = {getattr(base, "id", getattr(base, "attr", "")) for base in node.bases}
    frozen = any(
        isinstance(item, ast.Call)
        and any(key.arg == "frozen" and getattr(key.value, "value", 0) for key in item.keywords)
        for item in node.decorator_list
    )
    return frozen or bool(bases & VALUES)


def _attributes_set(method: Function) -> dict[str, str | None]:
    """Return the attributes of `self` that a method sets, and their classes where they are told."""
    types = _parameters(method)
    found: dict[str, str | None] = {}
    for node in ast.walk(method):
        for target in _targets(node):
            if _is_self_attribute(target):
                found[target.attr] = _class_of_value(node, types)
    return found


def _targets(node: ast.AST) -> Iterator[ast.Attribute]:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        for target in targets:
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            yield from (part for part in parts if isinstance(part, ast.Attribute))


def _class_of_value(node: ast.AST, types: Mapping[str, str]) -> str | None:
    """Return the class that an assignment gives: annotated, of a parameter, or constructed."""
    if isinstance(node, ast.AnnAssign):
        return _class_named(node.annotation)
    value = getattr(node, "value", None)
    if isinstance(value, ast.Name):
        return types.get(value.id)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id
    return None


def _is_self_attribute(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _functions(module: ast.Module) -> Iterator[tuple[Function, dict[str, str]]]:
    """Yield the functions of a module, each with the classes of its names."""
    for node in module.body:
        if isinstance(node, Function):
            yield node, _parameters(node)
        elif isinstance(node, ast.ClassDef):
            held: dict[str, str] = {}
            methods = [item for item in node.body if isinstance(item, Function)]
            for method in methods:
                for name, kind in _attributes_set(method).items():
                    if kind:
                        held[f"self.{name}"] = kind
            yield from ((method, {**held, **_parameters(method)}) for method in methods)


def _parameters(function: Function) -> dict[str, str]:
    """Return the class of each parameter that has one."""
    arguments = function.args
    found = {}
    for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        kind = _class_named(item.annotation)
        if kind:
            found[item.arg] = kind
    return found


def _class_named(annotation: ast.expr | None) -> str | None:
    """Return the one class of an annotation: of `X`, `X | None`, `"X"`, `door.X`."""
    if annotation is None:
        return None
    text = ast.unparse(annotation).strip("'\"")
    kinds = [part.strip() for part in text.split("|") if part.strip() != "None"]
    last = kinds[0].rpartition(".")[2] if len(kinds) == 1 else ""
    return last if last.isidentifier() else None


def _kept(node: ast.ClassDef) -> frozenset[str]:
    """Return the parameters of a class's `__init__`, or its fields, that its objects keep."""
    names: set[str] = set()
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            names.add(item.target.id)
        elif isinstance(item, Function) and item.name == "__init__":
            for part in ast.walk(item):
                is_set = any(_is_self_attribute(target) for target in _targets(part))
                if is_set and isinstance(getattr(part, "value", None), ast.Name):
                    names.add(part.value.id)  # type: ignore[attr-defined]
    return frozenset(names)


def _given_self(call: ast.Call, part: ast.ClassDef) -> frozenset[str]:
    """Return the parameters of a class that a call gives `self`."""
    order = _order(part)
    found = {key.arg for key in call.keywords if key.arg and _is_self(key.value)}
    found |= {
        order[place]
        for place, item in enumerate(call.args)
        if _is_self(item) and place < len(order)
    }
    return frozenset(found)


def _order(node: ast.ClassDef) -> list[str]:
    for item in node.body:
        if isinstance(item, Function) and item.name == "__init__":
            return [argument.arg for argument in item.args.args[1:]]
    return [
        item.target.id
        for item in node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    ]


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _is_private(name: str) -> bool:
    return name.startswith("_") and not _is_magic(name)


def _is_magic(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _components(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Return the strongly connected components of more than one node (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(group) > 1:
                found.append(sorted(group))

    for node in graph:
        if node not in index:
            visit(node)
    return found


def report(root: Path) -> list[str]:
    """Return the lines of the report."""
    measured = Coupling(root)
    reaches, roots = measured.reaches(), measured.root_reaches()
    namesakes = measured.namesakes()
    return [
        f"circles of files: {len(measured.circles())}",
        *(f"  {', '.join(group)}" for group in measured.circles()),
        f"functions that use another class's data: {len(reaches)}",
        f"of {', '.join(ROOTS)}: {len(roots)}",
        *(f"  {reach}" for reach in roots),
        "the widest:",
        *(f"  {reach}" for reach in measured.widest(20)),
        "parts that keep their owner:",
        *(f"  {line}" for line in measured.held_owners()),
        f"modules under {LONE_LINES} lines with one importer:",
        *(f"  {line}" for line in measured.lone()),
        f"public classes that share a name: {len(namesakes)}",
        *(f"  {name}: {', '.join(found)}" for name, found in namesakes.items()),
    ]

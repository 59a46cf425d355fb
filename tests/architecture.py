"""The rules of the tree, read from the sources with `ast`; nothing is imported.

    python -m tests.architecture        rooms, homes of each concept, coupling, sizes, doors

`goishi`, for programs, stands above all: it imports base, sim and ai, and nobody imports it.
Layers, from the top: main and sim.commands; sim.app; sim.ui; sim.render; sim.core. Beside them ai,
and scripts, which reach sim and ai through their public doors only. Below all of them base. Inside
a layer, a room imports itself and the rooms that come before it in `ROOMS`, in annotations, too.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path

from base.door import homes_of

ROOT = Path(__file__).resolve().parents[1]
OWN = frozenset({"main", "base", "sim", "ai", "goishi", "scripts", "tests", "benchmarks"})
CHECKED = ("main", "base", "sim", "ai", "goishi", "scripts")
COMMANDS = "sim.commands"
"""main's layer: beside the engine it may import ai; nothing of the engine imports it."""
DEEP_LEARNING = frozenset({"tensorflow", "keras"})
DEEP_LEARNING_HOMES = ("ai.nets", "ai.learning")
DRAWING = frozenset({"panda3d", "direct", "imgui_bundle"})
STANDARD = frozenset(sys.stdlib_module_names)
BASE_PACKAGES = frozenset({"numpy", "platformdirs"})
CORE_PACKAGES = frozenset(
    {
        "numpy", "numba", "pyrr", "platformdirs", "tomli_w", "psutil", "watchfiles", "debugpy",
        "jedi", "packaging",
    }
)  # fmt: skip
GAME_PACKAGES = frozenset({"numpy"})
PUBLIC_DOORS = ("sim", "ai", "ai.messages")
"""What scripts import of the product."""
SIM_LAYERS = ("sim.core", "sim.render", "sim.ui")
"""From the bottom; every other module under sim belongs to the top one, sim.app."""
ROOMS = {
    "sim.core": (
        "geometry", "reporting", "profiling", "tasks", "hangs", "workers", "canvas", "files", "audio",
        "input", "project", "assets", "scene", "script", "components", "host", "native", "rewind",
        "editing",
    ),
    "sim.render": (
        "lettering", "materials", "models", "window", "passes", "importing", "audio", "view",
        "capture",
    ),
    "sim.ui": ("theme", "widgets", "panels", "shell"),
    "scripts.gomoku": ("board", "seats", "game", "explain", "history", "training", "teaching"),
    "ai": (
        "game", "formats", "kernels", "memory", "nets", "evaluators", "search", "players", "store",
        "registry", "exchange", "samples", "learning", "session", "runs", "experiments", "protocol", "arena",
        "bench", "teaching", "curriculum", "messages", "workers",
    ),
}  # fmt: skip
"""The rooms of each house, bottom first. A file imports its own room and lower ones."""

FUNCTION_LINES = 60
ANY_PER_THOUSAND = 5
"""Words `Any` in a thousand lines of base, sim and ai, at most."""
INNER_REASONS = (
    ("sim.app", "sim.render", "a run without graphics loads no graphics"),
    ("sim.app", "sim.remote", "a run without remote control opens no door"),
    ("sim.app.serving", "sim.app", "a worker without a picture loads no app"),
    ("sim.app", "sim.ui", "a run without panels loads none"),
    ("sim.app.app", "sim.app.window_features", "a run without panels loads none"),
    ("sim.app.app", "sim.app.rescue", "a run without panels loads none"),
    ("sim.app", "sim.core.editing", "a run without panels loads no editor"),
    ("sim.app", "sim.export", "a run that exports nothing loads no exporter"),
    ("sim.app", "sim.physics", "a scene without bodies loads no physics"),
    ("scripts", "scripts.hall.painter", "a run without graphics loads no OpenCV"),
    ("scripts", "scripts.gomoku.board.board_painter", "a run without graphics loads no OpenCV"),
    ("scripts", "scripts.pieces.board_picture", "a run without graphics loads no OpenCV"),
    ("main", "sim.commands", "the version of Python is looked at before anything is loaded"),
    ("sim.commands", "", "each command loads what it needs, so that the others begin at once"),
    ("sim.core.host", "sim.core.components", "found by name when a scene asks for one"),
    ("sim.core.project", "sim.core.project.requirements", "only a project with requirements"),
    ("sim.render.importing.child", "sim.render", "the process sets limits before it loads"),
    ("ai.workers", "", "the environment of threads and kernels is set before they are loaded"),
    ("ai.registry", "ai.game", "after the worker has set the environment that numpy reads"),
    ("base", "base.windows", "ctypes only on Windows, where its functions are"),
    ("ai.protocol.hosting", "base.windows", "ctypes only on Windows, where its functions are"),
    ("ai.exchange.sources", "ai.nets.weights_file", "HDF5 only where a learnt file is read"),
    ("ai.exchange.sources", "ai.players.published", "kernels only where a player has a network"),
    ("ai.kernels.cache", "ai.kernels.jit", "numba only where kernels are compiled"),
    ("ai.search.base", "ai.kernels", "numba only where kernels run"),
    ("ai.learning.learner", "ai.nets.trainer", "TensorFlow only where something is trained"),
    ("ai.learning.alphagomoku.training", "ai.nets", "TensorFlow only where one trains"),
    ("ai.learning.ppo.ppo", "ai.nets", "TensorFlow only where one trains"),
    ("ai.learning.sac.sac", "ai.nets", "TensorFlow only where one trains"),
    ("sim.render.capture.capture", "sim.render.capture.gif", "Pillow only where a GIF is made"),
    ("ai.learning.evaluation", "ai.nets", "TensorFlow only where an evaluation is trained"),
    ("ai.nets.event_files", "ai.nets.backend", "TensorFlow only where event files are written"),
    ("ai.nets.policy_value", "ai.nets.backend", "TensorFlow only where a model is built"),
    ("ai.players.genetic", "ai.players.published", "its kernels only where it has the policy"),
    ("ai.search.pattern_alpha_beta", "ai.search.threes", "its kernels only where it is asked for"),
    ("ai.nets.move_net", "ai.kernels.guided.layout", "kernels only where a network is read"),
    ("ai.players.cnn_ann", "ai.nets.weights_file", "HDF5 only where a checkpoint is read"),
    ("ai.experiments.move_net", "ai.experiments.decisions", "kernels only where a network plays"),
    (
        "ai.learning.self_teaching",
        "ai.samples.proofs",
        "the solver only where proofs are asked for",
    ),
)
"""Why an import stands in a function: importer and imported begin so; the first that fits counts."""
CONCEPTS = {
    "resumable run folder": r"^class RunFolder",
    "file of arrays with a card": r"np\.savez|np\.load\(|zipfile\.ZipFile",
    "HDF5 weights": r"h5py\.File",
    "training step": r"GradientTape|apply_gradients|_fused_adam",
    "composing the engine": r" ScriptHost\(",
    "copies of a scene in arrays": r"^class WorldBatch",
    "calls to a process that waits": r"^class CallTable",
    "messages to workers": r"^class WorkerLink",
    "reading an explanation by its class": r"isinstance\([^)]*(?:NetworkAnswer|Evolution|Recall|Proof)\b",
    "declaring an option": r"^class Option\b",
    "state of an object": r"^class ObjectState|^ABSENT",
    "breaking a call off": r"PyThreadState_SetAsyncExc",
    "undo": r"^class PropertyChange",
    "showing a board": r"^class ViewState",
}
"""What tells each concept, as a pattern in the text of its home; one module is to hold it."""
EXEMPT_BASES = frozenset({"NamedTuple", "Protocol", "TypedDict", "Enum", "StrEnum", "IntEnum"})


@dataclass(frozen=True)
class Import:
    """One import: who, what, and where it stands."""

    importer: str
    imported: str
    line: int
    is_in_job: bool = False
    is_in_function: bool = False


def modules_of(root: Path, tops: Iterable[str] = CHECKED) -> dict[str, Path]:
    """Return the checked modules of a tree by dotted name."""
    found: dict[str, Path] = {}
    for top in tops:
        single = root / f"{top}.py"
        files = [single] if single.is_file() else sorted((root / top).rglob("*.py"))
        for path in files:
            parts = list(path.relative_to(root).with_suffix("").parts)
            if parts[-1] == "__init__":
                parts.pop()
            found[".".join(parts)] = path
    return found


# -- imports ------------------------------------------------------------------------------------


def breaches(root: Path) -> list[str]:
    """Return every breach of the rules in a tree: "module X must not import Y (file:line)"."""
    modules = modules_of(root)
    names = names_of(modules)
    lines: list[str] = []
    for path in modules.values():
        for one in imports_of(path, root, names):
            if not is_allowed(one):
                place = f"{path.relative_to(root).as_posix()}:{one.line}"
                lines.append(f"module {one.importer} must not import {one.imported} ({place})")
    return sorted(set(lines))


def graph_of(root: Path) -> dict[str, set[str]]:
    """Return the modules that each module imports, also for their types alone."""
    modules = modules_of(root)
    names = names_of(modules)
    graph: dict[str, set[str]] = {module: set() for module in modules}
    for module, path in modules.items():
        for one in imports_of(path, root, names):
            target = one.imported
            while target and target not in modules:
                target = target.rpartition(".")[0]
            if target not in ("", module):
                graph[module].add(target)
    return graph


def imports_of(path: Path, root: Path, names: frozenset[str]) -> tuple[Import, ...]:
    """Return every import of a file: also in functions, and by `import_module("literal")`."""
    return _imports(path, path.stat().st_mtime_ns, root, names)


@cache
def _imports(path: Path, changed: int, root: Path, names: frozenset[str]) -> tuple[Import, ...]:
    parts = list(path.relative_to(root).with_suffix("").parts)
    is_package = parts[-1] == "__init__"
    importer = ".".join(parts[:-1] if is_package else parts)
    package = importer if is_package else importer.rpartition(".")[0]
    return tuple(
        Import(importer, name, getattr(node, "lineno", 0), is_in_job, is_in_function)
        for node, is_in_job, is_in_function in _walk(_parsed(path, changed))
        for name in _names(node, package, names)
    )


def is_allowed(one: Import) -> bool:
    """Whether the rules allow an import."""
    top = one.imported.partition(".")[0]
    if top == "goishi" and not _is_under(one.importer, "goishi"):
        return False
    if top in DEEP_LEARNING:
        is_job = one.is_in_job and one.importer.startswith("scripts")
        return is_job or _is_under(one.importer, *DEEP_LEARNING_HOMES)
    if _is_under(one.importer, "base"):
        return top in STANDARD or top in BASE_PACKAGES or top == "base"
    if top == "base":
        return not _is_under(one.importer, "scripts")
    if _is_under(one.importer, COMMANDS):
        return top not in ("tests", "benchmarks", "scripts")
    if _is_under(one.importer, "sim"):
        return _is_allowed_in_sim(one, top) and is_downwards(one)
    if _is_under(one.importer, "ai"):
        return _is_allowed_in_ai(one, top) and is_downwards(one)
    if _is_under(one.importer, "goishi"):
        return top in ("base", "sim", "ai", "goishi") or top not in OWN | DRAWING
    if _is_under(one.importer, "scripts"):
        is_known = top not in OWN or top == "scripts" or one.imported in PUBLIC_DOORS
        return is_known and is_downwards(one)
    return top not in ("tests", "benchmarks", "scripts")


def is_downwards(one: Import) -> bool:
    """Whether an import stays in its room or goes to a lower one of the same house."""
    for house, rooms in ROOMS.items():
        own, other = _room(one.importer, house), _room(one.imported, house)
        if own and other:
            is_known = own in rooms and other in rooms
            return is_known and rooms.index(other) <= rooms.index(own)
    return True


def _room(module: str, house: str) -> str:
    """Return the room of a house that a module stands in; empty where in none."""
    return module.removeprefix(f"{house}.").partition(".")[0] if _is_in(module, house) else ""


def _is_in(module: str, house: str) -> bool:
    return module.startswith(f"{house}.")


def _is_allowed_in_sim(one: Import, top: str) -> bool:
    layer = _sim_layer(one.importer)
    if _is_under(one.imported, COMMANDS):
        return False
    if top == "sim":
        if one.importer == "sim":
            return _is_under(one.imported, "sim.core")
        return one.imported == one.importer or _sim_layer(one.imported) <= layer
    if top in OWN:
        return False
    if layer == 0 or one.importer == "sim":
        return top in STANDARD or top in CORE_PACKAGES
    return True


def _is_allowed_in_ai(one: Import, top: str) -> bool:
    if _is_under(one.importer, "ai.game"):
        return _is_under(one.imported, "ai.game") or top in STANDARD or top in GAME_PACKAGES
    return top not in DRAWING and (top not in OWN or top == "ai")


def _sim_layer(module: str) -> int:
    """Return 0 for sim.core, 1 for sim.render, 2 for sim.ui, 3 for sim.app and its like."""
    for number, layer in enumerate(SIM_LAYERS):
        if _is_under(module, layer):
            return number
    return len(SIM_LAYERS)


def _is_under(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return _parsed(path, path.stat().st_mtime_ns)


@cache
def _parsed(path: Path, changed: int) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a file's syntax tree."""
    return _nodes(path, path.stat().st_mtime_ns)


@cache
def _nodes(path: Path, changed: int) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(_parsed(path, changed)))


def _walk(
    node: ast.AST, *, in_job: bool = False, in_function: bool = False
) -> Iterator[tuple[ast.AST, bool, bool]]:
    for child in ast.iter_child_nodes(node):
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        inside = in_job or _is_job(child)
        yield child, inside, in_function
        yield from _walk(child, in_job=inside, in_function=in_function or is_function)


def _is_job(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    targets = [item.func if isinstance(item, ast.Call) else item for item in node.decorator_list]
    return any(getattr(target, "id", getattr(target, "attr", "")) == "job" for target in targets)


def _names(node: ast.AST, package: str, names: frozenset[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = _base(node, package)
        for alias in node.names:
            inner = f"{base}.{alias.name}"
            yield inner if inner in names else base
    elif isinstance(node, ast.Call) and node.args:
        function = getattr(node.func, "id", getattr(node.func, "attr", ""))
        target = node.args[0]
        if function in ("import_module", "import_internal", "__import__") and isinstance(
            target, ast.Constant
        ):
            yield str(target.value)


def _base(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    kept = package.split(".")[: len(package.split(".")) - node.level + 1]
    return ".".join([*kept, *([node.module] if node.module else [])])


def names_of(modules: Iterable[str]) -> frozenset[str]:
    """Return the dotted names of modules and of the folders that they stand in."""
    parts = [module.split(".") for module in modules]
    return frozenset(".".join(item[:end]) for item in parts for end in range(1, len(item) + 1))


def inner_imports(root: Path) -> dict[str, list[str]]:
    """Return the imports of the tree's own modules that stand in functions, by their reason.

    Each as "X in Y (file:line)"; those for which no reason is given stand under an empty one.
    """
    modules = modules_of(root)
    names = names_of(modules)
    found: dict[str, set[str]] = {}
    for path in modules.values():
        for one in imports_of(path, root, names):
            if one.is_in_function and one.imported.partition(".")[0] in OWN:
                place = f"{path.relative_to(root).as_posix()}:{one.line}"
                line = f"{one.imported} in {one.importer} ({place})"
                found.setdefault(_reason_of(one), set()).add(line)
    return {reason: sorted(lines) for reason, lines in sorted(found.items())}


def _reason_of(one: Import) -> str:
    for importer, imported, reason in INNER_REASONS:
        if one.importer.startswith(importer) and one.imported.startswith(imported):
            return reason
    return ""


# -- sizes --------------------------------------------------------------------------------------


def long_functions(root: Path) -> list[str]:
    """Return the functions that are longer than the house style wants."""
    found: list[str] = []
    for path in modules_of(root).values():
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > FUNCTION_LINES:
                    place = f"{path.relative_to(root).as_posix()}:{node.lineno}"
                    found.append(
                        f"{place}: {node.name} has {length} lines, {FUNCTION_LINES} wanted"
                    )
    return found


@dataclass(frozen=True)
class Size:
    """How much there is of something, in lines.

    Attributes:
        modules: files.
        lines: all of them.
        code: without comments, docstrings and blank lines.
        imports: of import statements.
        layouts: that say `# fmt: skip`.
    """

    modules: int = 0
    lines: int = 0
    code: int = 0
    imports: int = 0
    layouts: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def __str__(self) -> str:
        share = 1000 * self.imports / max(1, self.lines)
        return (
            f"{self.modules} modules, {self.lines} lines, {self.code} of code, "
            f"{self.imports} of imports ({share:.0f} in a thousand), {self.layouts} fmt: skip"
        )


def size_of(root: Path, tops: Iterable[str] = CHECKED) -> Size:
    """Return the size of the modules below some folders."""
    return sum((_size(path) for path in modules_of(root, tops).values()), Size())


def _size(path: Path) -> Size:
    return _size_of(path, path.stat().st_mtime_ns)


@cache
def _size_of(path: Path, changed: int) -> Size:
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    words, imports, texts = set[int](), set[int](), set[int]()
    for node in _nodes(path, changed):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.update(_lines_of(node))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            words.update(_lines_of(node))
        elif isinstance(node, ast.Constant | ast.JoinedStr):
            texts.update(_lines_of(node))  # blank lines and # in them are code
    code = texts | {
        number for number, line in enumerate(lines, 1) if line.strip() and line.lstrip()[0] != "#"
    }
    return Size(1, len(lines), len(code - words), len(imports), text.count("# fmt: skip"))


def _lines_of(node: ast.stmt | ast.expr) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def homes(root: Path) -> dict[str, list[str]]:
    """Return for each concept the modules that hold what tells it."""
    texts = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in modules_of(root).values()
    }
    return {
        concept: sorted(name for name, text in texts.items() if re.search(pattern, text, re.M))
        for concept, pattern in CONCEPTS.items()
    }


def any_words(root: Path) -> tuple[int, int]:
    """Return how often `Any` stands in base, sim and ai, imports counted, and their lines."""
    words = lines = 0
    for path in modules_of(root, ("base", "sim", "ai")).values():
        text = path.read_text(encoding="utf-8")
        lines += len(text.splitlines())
        for node in nodes_of(path):
            if (
                (isinstance(node, ast.Name) and node.id == "Any")
                or (isinstance(node, ast.alias) and node.name == "Any")
                or (isinstance(node, ast.Constant) and _is_annotation(node, "Any"))
            ):
                words += 1
    return words, lines


def _is_annotation(node: ast.Constant, word: str) -> bool:
    """Whether a text is an annotation in quotes that names a word, as in `cast("Any", x)`."""
    return isinstance(node.value, str) and node.value == word


def door_names(root: Path) -> dict[str, int]:
    """Return how many names each public door exports."""
    return {door: len(homes_of(root / door / "__init__.py")) for door in ("sim", "ai")}


# -- friends ------------------------------------------------------------------------------------


def friends(root: Path) -> list[str]:
    """Return the functions that reach into an object of another module.

    A friend takes, as a parameter, an object of a class that another module of the product
    defines, and reads one of its private attributes or writes any of its attributes. Frozen
    dataclasses, NamedTuples, enums and protocols hold nothing that could be reached into.
    """
    modules = modules_of(root)
    homes = {
        f"{module}.{node.name}"
        for module, path in modules.items()
        for node in parsed(path).body
        if isinstance(node, ast.ClassDef) and not _is_exempt(node)
    }
    found: list[str] = []
    for path in modules.values():
        nodes = nodes_of(path)
        foreign = _foreign_classes(nodes, homes)
        for node in nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                names = _parameters_of(node, foreign)
                if not names:
                    continue
                place = f"{path.relative_to(root).as_posix()}:{node.lineno}"
                found += [f"{place}: {node.name} {what}" for what in _reached(node, names)]
    return sorted(set(found))


def _is_exempt(node: ast.ClassDef) -> bool:
    bases = {getattr(base, "id", getattr(base, "attr", "")) for base in node.bases}
    frozen = any(
        isinstance(item, ast.Call)
        and any(key.arg == "frozen" and getattr(key.value, "value", 0) for key in item.keywords)
        for item in node.decorator_list
    )
    return frozen or bool(bases & EXEMPT_BASES)


def _foreign_classes(nodes: Iterable[ast.AST], homes: set[str]) -> set[str]:
    """Return the names in a module that are classes of other modules."""
    return {
        alias.asname or alias.name
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if f"{node.module}.{alias.name}" in homes
    }


def _parameters_of(
    node: ast.FunctionDef | ast.AsyncFunctionDef, foreign: set[str]
) -> dict[str, str]:
    """Return the class of each parameter that is an object of another module."""
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    found = {}
    for argument in arguments:
        if argument.annotation is not None:
            text = ast.unparse(argument.annotation).strip("'\"")
            kinds = [part.strip() for part in text.split("|")]
            known = [kind for kind in kinds if kind in foreign]
            if known:
                found[argument.arg] = known[0]
    return found


def _reached(node: ast.FunctionDef | ast.AsyncFunctionDef, names: dict[str, str]) -> Iterator[str]:
    for item in ast.walk(node):
        if not isinstance(item, ast.Attribute) or not isinstance(item.value, ast.Name):
            continue
        kind = names.get(item.value.id)
        if kind is None:
            continue
        if isinstance(item.ctx, ast.Store):
            yield f"writes {kind}.{item.attr}"
        elif item.attr.startswith("_") and not item.attr.startswith("__"):
            yield f"reads {kind}.{item.attr}"


def report(root: Path) -> list[str]:
    """Return the lines of the report on the layers and the sizes."""
    words, lines = any_words(root)
    found, inner = friends(root), inner_imports(root)
    return [
        *(f"rooms of {house}: {' < '.join(rooms)}" for house, rooms in ROOMS.items()),
        f"breaches: {len(breaches(root))}",
        *(f"home of {what}: {', '.join(names)}" for what, names in homes(root).items()),
        f"friend functions: {len({line.partition(':')[0] + line.split(' ')[1] for line in found})}",
        f"`Any`: {words} in {lines} lines, {1000 * words / lines:.1f} per 1,000",
        f"names at the doors: {', '.join(f'{k} {v}' for k, v in door_names(root).items())}",
        f"imports in functions: {sum(map(len, inner.values()))}",
        *(f"  {len(lines):2} {reason or lines}" for reason, lines in inner.items()),
        f"product: {size_of(root)}",
        f"product and benchmarks: {size_of(root, (*CHECKED, 'benchmarks'))}",
        *long_functions(root),
        *found,
    ]


if __name__ == "__main__":
    from tests import coupling

    sys.stdout.write("\n".join([*report(ROOT), *coupling.report(ROOT)]) + "\n")

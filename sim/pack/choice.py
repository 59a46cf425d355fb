"""What a packed game needs: the scenes it can reach, its scripts, and the installed packages.

The scene that opens first names components. Their modules are read, never imported. In scripts
every import counts. In Goishi's own modules only imports at the top count: an import in a function
is for something that a game may do without, such as panels or films.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from base.errors import UsageError
from base.files import SHIPPED_ROOT, read_regular, resolve_in_project
from base.manifest import TARGET, entries_of, read_tables
from base.missing_package import missing_package
from base.spelling import one_of
from base.storage.json_file import read_json
from sim.app.game_window import GAME_MODULES
from sim.core.assets.formats import FORMATS, ROBOTS, suffix_of
from sim.core.files.scene_file import SceneDocument, load
from sim.core.project.game_table import read_game
from sim.core.project.scene_path import SUFFIX
from sim.export.bridge import SHIPPED
from sim.export.import_graph import ImportGraph, parse

COMPILED: Final = "sim.core.native.compiled"
PLAYERS_TRAINER: Final = "ai.workers.trainer"
TRAINERS: Final = frozenset(
    {PLAYERS_TRAINER, "ai.workers.hall", "ai.workers.curriculum", "ai.workers.ppo"}
)
LEARNING: Final = ("tensorflow", "keras", "h5py", "usearch")
"""Packages of a game that trains."""
RARE_PICTURES: Final = (".dds", ".tga", ".psd", ".sgi", ".pcx")
"""Suffixes of pictures that Pillow reads."""
DRACO: Final = b"KHR_draco_mesh_compression"
OURS: Final = frozenset({"base", "sim", "ai", "scripts", "goishi"})
PREFAB: Final = ".prefab.json"
GAME_FILE: Final = "game.json"
"""File that says what a packed game is; it lies beside its executable."""
NOT_PACKED: Final = frozenset({"tests", "runs", "recordings", "build", "dist", "node_modules"})
"""Folders at the top of a project that a player does not need."""


@dataclass(frozen=True)
class Choice:
    """What a packed game needs.

    Attributes:
        scene: the scene that opens first, relative to the project.
        scenes: all scenes that can be reached, relative to the project.
        packages: import names of installed packages.
        modules: all modules that are not Goishi's and not the project's, by full name.
        uses_players: whether game players run in worker processes.
        trains: whether networks are trained.
        notes: lines about what the game will not have.
        missing: lines about packages that scripts import at their top, and that are not here.
    """

    scene: str
    scenes: tuple[str, ...]
    packages: tuple[str, ...]
    modules: frozenset[str]
    uses_players: bool = False
    trains: bool = False
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def first_scene(project: Path, asked: str | None) -> str:
    """Return the scene that a game opens first, relative to its project.

    Args:
        project: folder of the project.
        asked: path of `--scene`, from the project or from the current folder, or the scene's name;
            None for the one of `goishi.toml`, or the only one.

    Raises:
        UsageError: there is no such scene, or there are several and none was named.
    """
    names = {path.name.removesuffix(SUFFIX): path for path in sorted(_scenes_of(project))}
    if not names:
        raise UsageError(f"PROJECT: expected a folder with scenes/NAME{SUFFIX}, found {project}")
    wanted = asked or read_game(project).scene
    if not wanted:
        if len(names) > 1:
            listed = ", ".join(names)
            raise UsageError(f"--scene: expected one of {listed}, or game.scene in goishi.toml")
        return next(iter(names.values())).relative_to(project).as_posix()
    places = (project / wanted, Path(wanted).absolute(), names.get(wanted, project))
    found = next((place.resolve() for place in places if place.is_file()), None)
    if found is None or not found.is_relative_to(project) or not found.name.endswith(SUFFIX):
        raise UsageError(
            f"--scene: expected {one_of(names, wanted)} of the project, found {wanted!r}"
        )
    return found.relative_to(project).as_posix()


def choose(
    project: Path,
    scene: str,
    more: Sequence[str] = (),
    learns: Callable[[str], bool] = lambda word: False,
) -> Choice:
    """Find what a game needs; nothing of the project is imported.

    Args:
        project: folder of the project, with links resolved.
        scene: the scene that opens first, relative to the project.
        more: names of packages to add.
        learns: returns whether a text in a scene names a player that learns.

    Raises:
        GoishiError: a scene that can be reached is invalid.
    """
    graph = _graph(project)
    reached = _Reached(project, graph)
    reached.open(scene)
    reached.take_entries()
    reached.follow_texts()
    played = ImportGraph((SHIPPED_ROOT,), is_deep=lambda name: False)
    for name in GAME_MODULES:
        played.follow(name)
    extra = [*_for_files(project), *more]
    trains = _trains(reached, learns) or bool({"tensorflow", "keras"} & {*graph.others, *extra})
    extra += LEARNING if trains else ()
    extra += ("numba",) if COMPILED in graph.own or reached.uses_players else ()
    modules = graph.others | played.others | set(extra)
    tops = {name.partition(".")[0] for name in modules}
    packages = tops - set(sys.stdlib_module_names) - OURS - {"__main__", "__mp_main__"}
    return Choice(
        scene,
        tuple(reached.documents),
        tuple(sorted(packages)),
        frozenset(modules),
        uses_players=reached.uses_players or any(name.startswith("ai.") for name in graph.own),
        trains=trains,
        notes=tuple(_notes(graph)),
        missing=tuple(_missing(graph, project)),
    )


def _graph(project: Path) -> ImportGraph:
    roots = (SHIPPED_ROOT,) if project == SHIPPED_ROOT else (project, SHIPPED_ROOT)
    return ImportGraph(roots, is_deep=_is_script)


def _is_script(name: str) -> bool:
    return name.partition(".")[0] not in ("base", "sim", "ai")


def _scenes_of(project: Path) -> list[Path]:
    return [path for path in files_of(project) if path.name.endswith(SUFFIX)]


def files_of(project: Path) -> Iterator[Path]:
    """Yield the files of a project that are packed, in order of their names.

    Hidden files, virtual environments and `NOT_PACKED` are left out.
    """
    for path in sorted(project.iterdir()):
        if path.name.startswith(".") or path.name in NOT_PACKED or _is_game_zip(path):
            continue
        if path.is_file():
            yield path
        elif path.is_dir() and not path.is_symlink() and not _is_no_part(path):
            yield from _below(path)


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.suffix == ".pyc" or _is_game_zip(path):
            continue
        if path.is_file():
            yield path
        elif path.is_dir() and not path.is_symlink() and not _is_no_part(path):
            yield from _below(path)


def _is_game_zip(path: Path) -> bool:
    return path.suffix == ".zip" and (path.with_suffix("") / GAME_FILE).is_file()


def _is_no_part(folder: Path) -> bool:
    """Whether a folder is a cache, a virtual environment or a packed game."""
    marks = ("pyvenv.cfg", GAME_FILE)
    return folder.name == "__pycache__" or any((folder / name).is_file() for name in marks)


class _Reached:
    """Follows scenes, and the modules of their components.

    Attributes:
        documents: the scenes by their paths relative to the project.
        words: all texts in them.
        uses_players: whether a worker of game players is named.
        trainers: the named workers that train.
    """

    def __init__(self, project: Path, graph: ImportGraph) -> None:
        self.documents: dict[str, SceneDocument] = {}
        self.words: set[str] = set()
        self.uses_players = False
        self.trainers: set[str] = set()
        self._project = project
        self._graph = graph
        self._done: set[str] = set()

    def open(self, scene: str) -> None:
        """Take a scene and all that it names."""
        waiting = [scene]
        while waiting:
            name = waiting.pop()
            if name in self._done:
                continue
            self._done.add(name)
            document = load(self._project / name, project=self._project, allows_missing=True)
            self.documents[name] = document
            for data in (document.data, *document.prefabs.values()):
                self._take_words(data)
            waiting += self._named(SUFFIX)

    def take_entries(self) -> None:
        """Take the makers of models and sounds, and the players and games, of `goishi.toml`."""
        tables = read_tables(self._project)
        for table in ("models", "sounds", "players", "games"):
            for entry in entries_of(tables, table, lambda name: "").values():
                targets = entry.values() if isinstance(entry, dict) else (entry,)
                self._follow_all(text for text in targets if isinstance(text, str))

    def follow_texts(self) -> None:
        """Follow what scripts name as texts: workers, components, prefabs, scenes."""
        known: set[str] = set()
        while new := set(self._graph.own) - known:
            known |= new
            for name in filter(_is_script, new):
                self._take_script(name, self._graph.own[name])
            for prefab in self._named(PREFAB):
                self._take_prefab(prefab)
            for scene in self._named(SUFFIX):
                self.open(scene)

    def _take_script(self, name: str, path: Path) -> None:
        tree = parse(path)
        texts = {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        self.words |= {text for text in texts if text.endswith((SUFFIX, PREFAB))}
        for method, suffix in (("open", SUFFIX), ("instantiate", PREFAB)):
            if _names_any(tree, method):
                every = (file for file in files_of(self._project) if file.name.endswith(suffix))
                self.words |= {file.relative_to(self._project).as_posix() for file in every}
        is_ours = name.startswith(f"{SHIPPED}.")
        self._follow_all(f"{SHIPPED}:{text}" if is_ours else text for text in texts)
        for text in texts:
            module = text.partition(":")[0]
            if module.startswith("ai.workers.") and TARGET.fullmatch(text):
                self.uses_players = True
                self.trainers |= {module} & TRAINERS

    def _take_prefab(self, path: str) -> None:
        self._done.add(path)
        with contextlib.suppress(OSError, ValueError):  # the game tells it
            self._take_words(read_json(self._project / path))

    def _named(self, suffix: str) -> list[str]:
        """Return the files of the project with a suffix that are named and not taken yet."""
        named = sorted(word for word in self.words if word.endswith(suffix))
        return [word for word in named if word not in self._done and self._is_file(word)]

    def _is_file(self, path: str) -> bool:
        try:
            return resolve_in_project(self._project, path).is_file()
        except ValueError:
            return False

    def _take_words(self, value: object) -> None:
        words = set(_texts(value))
        self.words |= words
        self._follow_all(words)

    def _follow_all(self, texts: Iterable[str]) -> None:
        for text in texts:
            target = text.removeprefix(f"{SHIPPED}:")
            module = target.partition(":")[0]
            if not TARGET.fullmatch(target) or not module.startswith("scripts."):
                continue
            is_shipped = text != target and self._project != SHIPPED_ROOT
            self._graph.follow(f"{SHIPPED}.{module}" if is_shipped else module)


def _texts(value: object) -> Iterator[str]:
    """Yield all texts of a JSON value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _names_any(tree: ast.Module, method: str) -> bool:
    """Whether a script calls `….scene.open` or the like with a path that its text does not say.

    Args:
        tree: the script.
        method: name of the scene's method.
    """
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner = getattr(node.func.value, "attr", getattr(node.func.value, "id", ""))
        is_meant = node.func.attr == method and owner == "scene"
        if is_meant and not (node.args and isinstance(node.args[0], ast.Constant)):
            return True
    return False


def _for_files(project: Path) -> list[str]:
    """Return the packages that read the project's models, robots and rare pictures."""
    graph = ImportGraph((SHIPPED_ROOT,), is_deep=lambda name: name in readers)
    readers: set[str] = set()
    found: list[str] = []
    above = project / "assets" if project == SHIPPED_ROOT else project
    for path in files_of(above):
        suffix = suffix_of(path.name)
        reader = FORMATS.get(suffix) or (ROBOTS.get(suffix) if "assets" in path.parts else None)
        if reader and reader not in readers:
            readers.add(reader)
            graph.follow(reader)
        if suffix in RARE_PICTURES:
            found.append("PIL")
        if suffix in (".glb", ".gltf") and DRACO in read_regular(path, None):
            found.append("DracoPy")
    tops = {name.partition(".")[0] for name in graph.others}
    return [*found, *sorted(tops - {"DracoPy", "PIL"})]


def _trains(reached: _Reached, learns: Callable[[str], bool]) -> bool:
    """Whether a game trains networks: a scene has a learning player, or another kind of trainer.

    Args:
        reached: what the game can reach.
        learns: returns whether a text names a player that learns.
    """
    if reached.trainers - {PLAYERS_TRAINER}:
        return True
    return bool(reached.trainers) and any(map(learns, reached.words))


def _missing(graph: ImportGraph, project: Path) -> Iterator[str]:
    """Yield a line for each package that a script imports whatever happens, and that is not here.

    Imports below `if` or `try` and in functions are left to the game.

    Args:
        graph: what the game imports.
        project: folder of the project.
    """
    found = importlib.util.find_spec
    for name, path in sorted(graph.own.items()):
        if not _is_script(name) or not path.is_relative_to(project):
            continue
        for node in parse(path).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for top in dict.fromkeys(name.partition(".")[0] for name in names):
                if top in OURS or top in sys.stdlib_module_names or top in sys.modules:
                    continue
                if graph.find(top) is None and not (project / top).is_dir() and found(top) is None:
                    place = f"{path.relative_to(project).as_posix()}:{node.lineno}"
                    yield f"{place}: {missing_package(top)}"


def _notes(graph: ImportGraph) -> Iterator[str]:
    """Yield a line for each script that shows panels, which a packed game does not have."""
    for name, path in sorted(graph.own.items()):
        if not _is_script(name):
            continue
        calls = {
            node.func.attr
            for node in ast.walk(parse(path))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and getattr(node.func.value, "id", "") == "self"
        }
        if calls & {"panel", "dialog"}:
            yield f"{name} shows panels: a packed game has its view and HUD alone"

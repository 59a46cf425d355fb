"""Hot reload: replaces saved scripts, models, pictures and sounds in a running scene."""

from __future__ import annotations

import enum
import queue
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from base.errors import ScriptLoadError, ScriptTimeout
from base.interruption import Interruption
from base.modules import SHIPPED_TOP, SOURCE, ScriptPackage
from sim.core.assets.animation.animator import asset_paths
from sim.core.assets.assets import AssetLibrary, stamp
from sim.core.assets.formats import FORMATS
from sim.core.audio.sound_bank import SUFFIXES as SOUNDS
from sim.core.audio.sound_bank import SoundError, sound_seconds
from sim.core.components.sound_source import Sound
from sim.core.host.import_uses import STAR, WHOLE, ImportedSource, ImportUse
from sim.core.host.renewal import Renewal, is_class, is_script, module_of
from sim.core.host.script_loader import (
    ENGINE_PREFIX,
    ScriptLoader,
    overridden_hooks,
    pick_class,
)
from sim.core.reporting.failure_text import is_kind
from sim.core.scene.fields import collect_fields, migrate
from sim.core.scene.scene import ComponentSlot, SlotState
from sim.core.script.script import Script

if TYPE_CHECKING:
    from sim.core.hangs.watchdog import Watchdog
    from sim.core.host.declared import DeclaredKinds
    from sim.core.host.script_host import ScriptHost
    from sim.core.project.run_context import RunContext
    from sim.core.reporting.console import Console
    from sim.core.scene.scene import Scene, SceneObject
    from sim.core.script.hud import HudBoard
    from sim.core.script.user_code import ScriptGuard


DEBOUNCE, STEP = 50, 20  # milliseconds
WALK_SECONDS = 10.0  # in which what scripts hold is looked through; it calls methods of theirs


class FileWatch:
    """Watches folders and their subfolders for saved and deleted files, in a separate thread.

    A folder that was deleted or renamed is reported itself.

    Args:
        name: name of the thread.
        suffixes: suffixes of the files to report, such as ".py".
    """

    def __init__(self, name: str, suffixes: Iterable[str]) -> None:
        self._name = name
        self._suffixes = tuple(suffixes)
        self._saved: queue.SimpleQueue[Path] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._fault = ""

    def start(self, folders: Iterable[Path]) -> None:
        """Start watching those of the folders that exist."""
        found = [folder for folder in folders if folder.is_dir()]
        if found:
            self._thread = threading.Thread(
                target=self._watch, args=(found,), name=self._name, daemon=True
            )
            self._thread.start()

    def saved(self) -> list[Path]:
        """Return the files saved or deleted since the last call, each once."""
        if self._saved.empty():  # in nearly every frame
            return []
        paths: dict[Path, None] = {}
        while True:
            try:
                paths[self._saved.get_nowait()] = None
            except queue.Empty:
                return list(paths)

    def pop_fault(self) -> str:
        """Return why watching has stopped, and forget it; empty if watching works."""
        fault, self._fault = self._fault, ""
        return fault

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=2.0)

    def _watch(self, folders: list[Path]) -> None:
        try:
            from watchfiles import Change, watch

            for changes in watch(*folders, stop_event=self._stop, debounce=DEBOUNCE, step=STEP):
                for kind, name in changes:
                    is_folder_gone = kind is Change.deleted and not Path(name).suffix
                    if is_folder_gone or name.lower().endswith(self._suffixes):
                        self._saved.put(Path(name))
        except Exception as error:  # watching has stopped, such as when a limit is reached
            self._fault = f"{type(error).__name__}: {error}"


Swaps = dict[type, type]


@dataclass(frozen=True)
class Reloaded:
    """A module that was run again.

    Attributes:
        package: its package.
        name: its name, `scripts.…`.
        old: the module before; None if it was not loaded.
        new: the module now.
        users: slots of the components whose classes it defines.
        swaps: maps each class of scripts that it defined to its new version.
    """

    package: ScriptPackage
    name: str
    old: ModuleType | None
    new: ModuleType
    users: list[ComponentSlot]
    swaps: Swaps

    @property
    def path(self) -> Path:
        """Path of its file."""
        return Path(self.new.__file__ or "")


@dataclass(eq=False)
class Reloader:
    """Reloads script files, on demand or when they are saved.

    Args:
        host: starts and resumes the components whose classes are replaced.
        scene: scene of these components.
        loader: runs the files.
        guard: quarantines components whose reloaded code fails.
        hud: redraws the canvases of scripts whose class was replaced.
        console: receives a line about each reload.
        watchdog: interrupts files that do not end.
        kinds: the models and sounds of the project, which are made anew by reloaded modules.
        is_safe: whether the run is safe (`--safe`); then nothing is reloaded.
    """

    host: ScriptHost
    scene: Scene
    loader: ScriptLoader
    guard: ScriptGuard
    hud: HudBoard
    console: Console
    watchdog: Watchdog
    kinds: DeclaredKinds
    is_safe: bool

    _files: FileWatch = field(
        default_factory=lambda: FileWatch("script-watch", (".py",)), init=False
    )
    _failed: dict[Path, str] = field(default_factory=dict, init=False)
    """For each script that failed to reload (path): short path of the file with the error."""
    _renewing: set[str] = field(default_factory=set, init=False)
    """Modules under way in `_reload_makers`."""
    _sources: dict[str, tuple[bytes, ImportedSource | None]] = field(
        default_factory=dict, init=False
    )
    """Each module's source, as bytes and read (None if it is no Python), by its full name."""

    def watch(self) -> None:
        """Watch the folders of all scripts, in a separate thread."""
        self._files.start(package.root / "scripts" for package in self.loader.packages())

    def poll(self) -> None:
        """Reload the files saved since the last call. On the main thread, once a frame."""
        for path in self._files.saved():
            if path.exists():
                self.reload(path)
            elif not self.is_safe:
                self._tell_gone(path)
        if fault := self._files.pop_fault():
            self.console.error(f"saved scripts are no longer reloaded: {fault}")

    def close(self) -> None:
        """Stop watching."""
        self._files.close()

    def reload(self, path: Path) -> bool:
        """Run a saved script file and replace its classes in the scene.

        The new module runs in a new namespace first. If it fails, or a class that is in use is
        missing, the old code stays. Running coroutines continue with the old code. Under `--safe`
        nothing is run.

        Returns:
            Whether anything was reloaded.
        """
        if self.is_safe:
            return False
        begun = time.perf_counter()
        for package in self.loader.packages():
            name = package.name_of(path)
            if name is not None:
                break
        else:
            return False
        users = self._users(package, name)
        old = package.modules.get(name)
        if old is None and not users and not self.kinds.modules_using(package, name):
            return self._retry_failed(path)
        saved = self._run_again(package, name, users, path)
        if saved is None:
            return False
        done = [saved, *self._run_dependents(saved)]
        notes = self._renew_state(done)
        note = self._swap_all(done)
        note += _of_others([self.console.short_path(str(item.path)) for item in done[1:]])
        self.host.invalidate()
        self.host.retry_drawings()
        duration = (time.perf_counter() - begun) * 1000.0
        short = self.console.short_path(str(path))
        classes = len(saved.swaps) or len({slot.class_name for slot in users})
        instances = len(users)
        self.console.info(
            f"reloaded {short}: {classes} class{'es' if classes != 1 else ''}, "
            f"{instances} instance{'s' if instances != 1 else ''}{note}, {duration:.0f} ms"
        )
        for text in notes:
            self.console.write("warning", f"{short}: {text}")
        self._reload_makers(done)
        return True

    def _run_again(
        self, package: ScriptPackage, name: str, users: list[ComponentSlot], path: Path
    ) -> Reloaded | None:
        """Run the file of a module anew and install the new module.

        Args:
            package: package of the module.
            name: name of the module.
            users: slots of the components whose classes it defines.
            path: path of its file.

        Returns:
            The new module; None if it failed, which is reported.
        """
        old = package.modules.get(name)
        try:
            swaps, module = self._load(package, name, old, users)
        except Interruption:
            raise
        except BaseException as error:
            self.watchdog.end()
            self._failed[path] = self._report_failure(error, path, users)
            return None
        self._failed.pop(path, None)
        package.install(name, module)
        if old is not None:
            _swap_helpers(package, old, module)
        return Reloaded(package, name, old, module, users, swaps)

    # -- modules that have imported from it ----------------------------------------------------

    def _run_dependents(self, saved: Reloaded) -> list[Reloaded]:
        """Let all other modules follow a saved one, and return those that were run again.

        A module is run again if it computes something from the saved module when it is imported.
        In all others, the names that they have imported are bound to the new values.

        Args:
            saved: the saved module.
        """
        done: list[Reloaded] = []
        failed: set[str] = set()
        changed = [saved]
        while changed:
            source = changed.pop(0)
            if source.old is None:
                continue
            for package, name, module, use in self._uses_of(source):
                is_done = any(module is item.new for item in (saved, *done))
                if is_done or module.__name__ in failed:
                    continue
                if not _is_computed(use, source):
                    before = _copy_of(module)
                    if self._bind_names(module, use, source):
                        changed.append(Reloaded(package, name, before, module, [], {}))
                    continue
                path = Path(module.__file__ or "")
                again = self._run_again(package, name, self._users(package, name), path)
                if again is None:
                    failed.add(module.__name__)
                else:
                    done.append(again)
                    changed.append(again)
        return done

    def _uses_of(self, source: Reloaded) -> list[tuple[ScriptPackage, str, ModuleType, ImportUse]]:
        """Return which loaded modules have imported from a module: package, name, module, what.

        A module comes behind those that it has imported itself.

        Args:
            source: the module.
        """
        found: list[tuple[ScriptPackage, str, ModuleType, ImportUse]] = []
        for package in self.loader.packages():
            top = "" if package is source.package else f"{SHIPPED_TOP}."
            for name, module in list(package.modules.items()):
                if module is source.new:
                    continue
                use = self._use_of(package, module, f"{top}{source.name}")
                if use is not None:
                    found.append((package, name, module, use))
        return found

    def _use_of(self, package: ScriptPackage, module: ModuleType, target: str) -> ImportUse | None:
        """Return what a module has imported from another one; None for nothing.

        Args:
            package: package of the module.
            module: the module.
            target: name under which it imports the other one.
        """
        source = vars(module).get(SOURCE, b"")
        if target.rpartition(".")[2].encode() not in source:
            return None
        known = self._sources.get(module.__name__)
        if known is None or known[0] != source:
            home = str(module.__package__ or "").removeprefix(package.prefix)
            known = self._sources[module.__name__] = (source, _read(source, home))
        return None if known[1] is None else known[1].use_of([target])

    def _bind_names(self, module: ModuleType, use: ImportUse, source: Reloaded) -> bool:
        """Bind the names that a module has imported to the values of now; return whether any is.

        Args:
            module: the module.
            use: what it has imported.
            source: the module that it has imported from.
        """
        before = {**vars(source.old), WHOLE: source.old}
        now = {**vars(source.new), WHOLE: source.new}
        is_bound = False
        for name, there in use.names.items():
            if vars(module).get(name, self) is not before.get(there):
                continue
            if there in now:
                is_bound = is_bound or now[there] is not before[there]
                setattr(module, name, now[there])
            else:
                self.console.write(
                    "warning",
                    f"{self.console.short_path(str(module.__file__))}: {there} is gone from "
                    f"{self.console.short_path(str(source.path))}: the value of before is kept",
                )
        return is_bound

    # -- state ---------------------------------------------------------------------------------

    def _renew_state(self, done: list[Reloaded]) -> list[str]:
        """Move what scripts hold to the new versions of modules.

        Args:
            done: the modules.

        Returns:
            What could not be moved and why, a line each.
        """
        packages = self.loader.packages()
        renewal = Renewal(package.prefix for package in packages)
        for item in done:
            if item.old is not None:
                renewal.add(item.old, item.new)
        new = [item.new for item in done]
        roots: list[object] = []
        for slot in self.scene.components():
            if slot.instance is not None and not slot.type_name.startswith(ENGINE_PREFIX):
                roots += [slot.instance, slot.runtime.tasks]
        for package in packages:
            roots += [vars(module) for module in package.modules.values() if module not in new]
        try:
            with self.watchdog.watching(WALK_SECONDS):
                renewal.walk(roots)
        except Interruption:
            raise
        except BaseException as error:  # of a method of a script's class, such as __hash__
            renewal.notes[f"{type(error).__name__}: {error}"] += 1
        renewal.close()
        notes = [
            f"{text}: {count} value{'s stay' if count > 1 else ' stays'} as before"
            for text, count in renewal.notes.items()
        ]
        if renewal.is_cut:
            notes.append("the scripts hold more than is looked at: some values may be of before")
        return notes

    def _swap_all(self, done: list[Reloaded]) -> str:
        """Change the classes of the components of modules, show their models, resume what failed.

        Args:
            done: the modules.

        Returns:
            Text for the console line about fields and models; empty if there are none.
        """
        shown = set[str]()
        swaps = {old: new for item in done for old, new in item.swaps.items()}
        for package in dict.fromkeys(item.package for item in done):
            _swap_names(package, swaps)
        note = self._swap(swaps)
        for item in done:
            shown |= self._renew_models(item.package, item.name)
            for slot in item.users:
                if slot.state in (SlotState.QUARANTINED, SlotState.PLACEHOLDER):
                    self.host.retry(slot)
        return note + (f", {len(shown)} model{'s' if len(shown) != 1 else ''}" if shown else "")

    def _renew_models(self, package: ScriptPackage, name: str) -> set[str]:
        """Show the models of a reloaded module anew; return the ids of the objects that have one.

        Args:
            package: package of the module.
            name: name of the module.
        """
        names = self.kinds.renew(package, name)
        shown = [
            obj for obj in self.scene.objects.values() if (obj.model or {}).get("builtin") in names
        ]
        for obj in shown:
            self.scene.visual_changed(obj)
            for slot in list(obj.components):
                if slot.state is SlotState.QUARANTINED:
                    self.host.retry(slot)
        return {obj.id for obj in shown}

    def _reload_makers(self, done: list[Reloaded]) -> None:
        """Reload the modules of models and sounds that have imported from reloaded modules.

        Args:
            done: the reloaded modules.
        """
        names = {item.name for item in done} - self._renewing
        self._renewing |= names
        for item in done:
            for home in self.kinds.modules_using(item.package, item.name) - self._renewing:
                self.reload(item.package.root / (home.replace(".", "/") + ".py"))
        self._renewing -= names

    def _tell_gone(self, path: Path) -> None:
        """Report that scripts which are in use were deleted; their components go on.

        Args:
            path: a script or a folder that is no longer there.
        """
        for package in self.loader.packages():
            for name in list(package.modules):
                file = Path(package.modules[name].__file__ or "")
                is_below = file.suffix == ".py" and (path == file or path in file.parents)
                if is_below and not file.exists():
                    users = len(self._users(package, name))
                    goes = f"{users} component{'s go' if users != 1 else ' goes'} on"
                    self.console.write(
                        "warning",
                        f"{self.console.short_path(str(file))} was deleted or renamed: {goes} with "
                        "what it held; the scene cannot be opened again without it",
                    )

    def _retry_failed(self, path: Path) -> bool:
        """Reload the scripts whose last reload failed because of an error in a file.

        Args:
            path: path of this file, which has been saved again.

        Returns:
            Whether any script was reloaded.
        """
        short = self.console.short_path(str(path))
        failed = [script for script, file in self._failed.items() if file == short]
        for slot in self.scene.components():
            if slot.instance is None and slot.error is not None and slot.error.file == short:
                package, name, _ = self.loader.locate(slot.type_name)
                failed.append(package.root / (name.replace(".", "/") + ".py"))
        done = [self.reload(script) for script in dict.fromkeys(failed) if script != path]
        return any(done)

    def _load(
        self, package: ScriptPackage, name: str, old: ModuleType | None, users: list[ComponentSlot]
    ) -> tuple[Swaps, ModuleType]:
        self.watchdog.begin()
        before = sys.modules.get(f"{package.prefix}{name}")
        module = package.run(name)
        self.watchdog.end()
        try:
            for class_name in sorted({slot.class_name for slot in users}):
                pick_class(module, class_name)
        except ScriptLoadError:
            if before is not None:
                sys.modules[before.__name__] = before
            raise
        swaps: Swaps = {}
        for key, value in vars(old).items() if old is not None else ():
            new = getattr(module, key, None)
            is_own = is_script(value) and module_of(value) == module.__name__
            if is_own and is_class(new):
                swaps[value] = new
        return swaps, module

    def _swap(self, swaps: Swaps) -> str:
        """Change the class of all affected components to its new version.

        Args:
            swaps: maps each old class to its new version.

        Returns:
            Text about added and removed fields, for the console line; empty if there are none.
        """
        added: set[str] = set()
        removed: set[str] = set()
        for slot in self.scene.components():
            instance = slot.instance
            if not isinstance(instance, Script) or type(instance) not in swaps:
                continue
            old, new = type(instance), swaps[type(instance)]
            before, after = collect_fields(old), collect_fields(new)
            added |= set(after) - set(before)
            removed |= set(before) - set(after)
            values, parsed = dict(slot.values), dict(slot.parsed)
            try:
                slot.values, notes = migrate(slot.values, after)
                slot.parsed.clear()
                instance.__class__ = new
                slot.runtime.hooks = overridden_hooks(new)
                self.hud.reloaded(slot)
                for text in self.host.panels.prune(slot):
                    self.console.write("warning", text, source=slot.object.path)
                if slot.state is SlotState.READY:
                    with self.watchdog.watching():
                        instance.reloaded(old)
            except Interruption:
                raise
            except BaseException as error:
                instance.__class__ = old
                slot.values, slot.parsed = values, parsed
                slot.runtime.hooks = overridden_hooks(old)
                self.guard.fail(slot, "reloaded", error)
                continue
            for note in notes:
                self.console.write("warning", note, source=slot.object.path)
        return _field_note("+", added) + _field_note("-", removed)

    def _users(self, package: ScriptPackage, name: str) -> list[ComponentSlot]:
        found: list[ComponentSlot] = []
        for slot in self.scene.components():
            if slot.type_name.startswith("sim:"):
                continue
            try:
                owner, module_name, _ = self.loader.locate(slot.type_name)
            except ScriptLoadError:
                continue
            if owner is package and module_name == name:
                found.append(slot)
        return found

    def _report_failure(self, error: BaseException, path: Path, users: list[ComponentSlot]) -> str:
        """Report why a script was not loaded.

        Args:
            error: the exception.
            path: path of the saved script.
            users: slots of the components that use it.

        Returns:
            Short path of the file in which the error was raised.
        """
        console = self.console
        if is_kind(error, ScriptTimeout):
            error = ScriptTimeout("did not finish in time").with_traceback(error.__traceback__)
        record = console.failure(
            error,
            source=console.short_path(str(path)),
            component="reload",
            hook="",
            slot_id=users[0].id if users else "",
            watch=self.watchdog.watching,
        )
        self.guard.error_count += 1
        for slot in users:
            if slot.state in (SlotState.QUARANTINED, SlotState.PLACEHOLDER):
                slot.error = record
        return record.file


def _read(source: bytes, package: str) -> ImportedSource | None:
    """Return the read source of a module; None if it is no Python.

    Args:
        source: the source.
        package: name of the package that relative imports start from.
    """
    try:
        return ImportedSource(source, package)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _is_computed(use: ImportUse, source: Reloaded) -> bool:
    """Return whether a module has to run again, since it computes something from another one.

    Numbers and texts that are equal to those of before change nothing. Classes of scripts that are
    only bases need no run, since their subclasses get the new base. Of annotations, enums count:
    the fields of scripts read their members.

    Args:
        use: what the module has imported.
        source: the other module.
    """
    before, now = vars(source.old), vars(source.new)

    def is_other(name: str) -> bool:
        there = use.names[name]
        if there == WHOLE or there not in now:
            return True
        old, new = before.get(there), now[there]
        is_equal = type(old) is type(new) and type(old) in PLAIN and old == new
        return not is_equal and old is not new

    def is_enum(name: str) -> bool:
        there = use.names[name]
        values = before.values() if there == WHOLE else [before.get(there)]
        return any(is_class(value) and issubclass(value, enum.Enum) for value in values)

    bases = {name for name in use.bases if not is_script(before.get(use.names[name]))}
    annotated = set(filter(is_enum, use.annotated))
    return STAR in use.names.values() or any(map(is_other, use.computed | bases | annotated))


PLAIN = frozenset({int, float, bool, str, bytes, type(None)})


def _copy_of(module: ModuleType) -> ModuleType:
    """Return a module with the same global names, which keeps their present values."""
    found = ModuleType(module.__name__)
    vars(found).update(vars(module))
    return found


def _of_others(files: list[str]) -> str:
    """Return text about modules that were run again, for the console line.

    Args:
        files: their short paths.
    """
    return f", with {', '.join(files)}" if files else ""


def _swap_names(package: ScriptPackage, swaps: Swaps) -> None:
    """Make all modules of a package use the new versions of reloaded classes.

    This replaces the modules' global names and the base classes of their scripts.

    Args:
        package: package of the reloaded module.
        swaps: maps each old class to its new version.
    """
    for module in package.modules.values():
        for key, value in list(vars(module).items()):
            if is_class(value) and value in swaps:
                setattr(module, key, swaps[value])
            elif is_script(value):
                bases = tuple(swaps.get(base, base) for base in value.__bases__)
                if bases != value.__bases__:
                    value.__bases__ = bases


def _swap_helpers(package: ScriptPackage, old: ModuleType, new: ModuleType) -> None:
    """Make all other modules use a reloaded module and its functions.

    Args:
        package: package of the module.
        old: the module before the reload.
        new: the module after the reload.
    """
    swaps: dict[int, object] = {id(old): new}
    for key, value in vars(old).items():
        is_own = module_of(value) == old.__name__
        if is_own and callable(value) and not is_script(value) and hasattr(new, key):
            swaps[id(value)] = getattr(new, key)
    for module in package.modules.values():
        if module is new:
            continue
        for key, value in list(vars(module).items()):
            if id(value) in swaps:
                setattr(module, key, swaps[id(value)])


def _field_note(sign: str, names: set[str]) -> str:
    if not names:
        return ""
    fields = "field" if len(names) == 1 else "fields"
    return f", {sign}{len(names)} {fields} ({', '.join(sorted(names))})"


PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff")
BESIDE = (".mtl", ".bin")  # what models name
FOLDERS = ("assets", "scenes", "scripts")
CALM_SECONDS = 0.1  # that a file must stay unchanged: programs write large ones in pieces


@dataclass(eq=False)
class AssetReloader:
    """Replaces saved assets in the running scene; an invalid file changes nothing.

    Args:
        scene: the scene, whose objects and components use the assets.
        library: the models that have been loaded.
        console: receives a line about each reload.
        run: the run, whose sounds are reloaded too.
    """

    scene: Scene
    library: AssetLibrary
    console: Console
    run: RunContext

    _files: FileWatch = field(init=False)
    _unsettled: dict[Path, tuple[list[int] | None, float]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._files = FileWatch("asset-watch", (*PICTURES, *FORMATS, *BESIDE, *SOUNDS))

    def watch(self) -> None:
        """Watch the project's folders, in a separate thread."""
        self._files.start(self.library.project / name for name in FOLDERS)

    def poll(self) -> None:
        """Reload the saved files that no longer change, and show the reloaded models.

        Call it once a frame.
        """
        now = time.perf_counter()
        if fault := self._files.pop_fault():
            self.console.error(f"saved assets are no longer reloaded: {fault}")
        for file in self._files.saved():
            self._unsettled[file] = (stamp(file), now)
        for file, (known, since) in list(self._unsettled.items()):
            present = stamp(file)
            if present != known:
                self._unsettled[file] = (present, now)
            elif now - since >= CALM_SECONDS:
                del self._unsettled[file]
                self.reload(file)
        for path in self.library.drain_renewed():
            shown = [obj for obj in self._objects() if path in asset_paths(obj.model or {})]
            self._show(shown)
            self._report(path, len(shown))

    def reload(self, file: Path) -> bool:
        """Reload a saved asset file.

        A model is loaded in the background and shown by a later `poll`.

        Returns:
            Whether anything in the scene uses the file; False too if it was deleted.
        """
        file = file.resolve()
        try:
            path = file.relative_to(self.library.project.resolve()).as_posix()
        except ValueError:
            return False
        if not file.is_file():
            return False  # it was deleted: its last content is kept
        self.scene.missing_files.discard(path)
        is_used = bool(self.library.renew(file))
        if file.suffix.lower() in SOUNDS:
            return self._renew_sounds(file, path) or is_used
        shown = [obj for obj in self._objects() if obj.texture == path]
        self._show(shown)  # the view reads it, says so, or keeps what it has
        return is_used or bool(shown)

    def close(self) -> None:
        """Stop watching."""
        self._files.close()

    def _objects(self) -> list[SceneObject]:
        return list(self.scene.objects.values())

    def _show(self, objects: list[SceneObject]) -> None:
        for obj in objects:
            self.scene.visual_changed(obj)

    def _renew_sounds(self, file: Path, path: str) -> bool:
        slots = [
            slot
            for slot in self.scene.components()
            if isinstance(slot.instance, Sound) and slot.instance.clip == path
        ]
        if not slots:
            return False
        try:
            sound_seconds(self.library.project, path)
        except SoundError as error:
            self.console.error(f"{path}: {error}; the one before is kept")
            return True
        self.run.sound.forget(file)
        for slot in slots:
            if slot.state is SlotState.QUARANTINED:
                slot.host.retry(slot)
            elif isinstance(slot.instance, Sound):
                slot.call("renew", slot.instance.renew)
        self._report(path, len(slots))
        return True

    def _report(self, path: str, count: int) -> None:
        self.console.info(f"reloaded {path}: {count} object{'s' if count != 1 else ''}")

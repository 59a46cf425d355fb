"""Model and robot files: imported in a child process; models are cached and load in the background.

A file may come from an untrusted source and is read by native code, which may crash or hang.
Therefore a separate process reads it. For a model, this process writes two files: `model.bam` (what
is drawn) and `rig.npz` (joints and clips). Their folder is named by a hash of the model's content.
For a robot, the process returns plain data.
"""

from __future__ import annotations

import contextlib
import enum
import hashlib
import json
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import psutil  # type: ignore[import-untyped]

from base.errors import GoishiError, SceneFileError
from base.files import SHIPPED_ROOT, rename, resolve_in_project
from base.spelling import project_file
from base.values import JsonObject
from base.worker.starting import usual_environment
from sim.core.assets.animation.rig import Rig, RigError, read_rig
from sim.core.assets.formats import FORMATS, suffix_of
from sim.core.geometry.rotations import FloatArray
from sim.core.project.data_dir import user_cache_dir

if TYPE_CHECKING:
    from sim.core.reporting.console import Console


VERSION: Final = 4  # version of the importer; raise it to import all models again
IMPORTER: Final = "sim.render.importing.child"
PROCESSOR_SECONDS: Final = 10.0
"""Largest processor time of the importer's process for one file.

On a machine that is busy with other things it may take long until the process has had it.
"""
IMPORT_SECONDS: Final = 10.0 * PROCESSOR_SECONDS
"""Largest time for one file in all, for a reader that waits and uses no processor."""
LOOK_SECONDS: Final = 0.25  # between two looks at how much the process has used
LARGEST_FILE: Final = 512 * 2**20  # bytes
MODEL_NAME: Final = "model.bam"
RIG_NAME: Final = "rig.npz"
REPORT_NAME: Final = "report.json"
Loaded = tuple[Rig, object, JsonObject, Path]  # rig, content, report, folder


class AssetError(GoishiError, ValueError):
    """A model's file cannot be used; the message says what was expected and found."""


class AssetState(enum.Enum):
    """Loading state of a model."""

    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


class Asset:
    """One model file of the project and its loaded content.

    Attributes:
        path: path within the project.
        state: whether it is loading, ready or failed.
        rig: joints and clips; None until it is ready.
        content: data for the renderer; None until it is ready, and always without graphics.
        error: why it failed to load; empty if it did not.
        folder: its cache folder; None until it is ready.
        triangles: corners of its collision triangles, `[m, 3, 3]` metres; None until requested.
        warnings: messages of the importer.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.state = AssetState.LOADING
        self.rig: Rig | None = None
        self.content: Any = None
        self.error = ""
        self.folder: Path | None = None
        self.triangles: FloatArray | None = None
        self.warnings: tuple[str, ...] = ()

    @property
    def is_ready(self) -> bool:
        """Whether the model is loaded and can be used."""
        return self.state is AssetState.READY


class AssetLibrary:
    """The model files of a project; each is loaded once and shared.

    Attributes:
        project: folder of the project.
        read_content: function that reads the renderer's data from a model's cache folder; called in
            a background thread. None without graphics.
        shown_by: returns the path of an object that shows a model, given the model's path; "" for
            none. Errors name it.
        told: paths of models whose absence the user knows of; nothing more is said about it.
    """

    def __init__(self, project: Path, console: Console | None = None) -> None:
        self.project = project
        self.read_content: Callable[[Path], object] | None = None
        self.shown_by: Callable[[str], str] = lambda path: ""
        self.told: set[str] = set()
        self.console = console
        self._assets: dict[str, Asset] = {}
        self._done: queue.SimpleQueue[tuple[Asset, Loaded | Exception]] = queue.SimpleQueue()
        self._threads: ThreadPoolExecutor | None = None
        self._children: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._is_closed = False
        self._waiting = 0
        self._renewing: dict[str, Asset] = {}  # the present ones stay in use meanwhile
        self._renewed: list[str] = []

    def get(self, path: str) -> Asset:
        """Return a model by its path; the first call starts loading it in the background."""
        asset = self._assets.get(path)
        if asset is None:
            asset = self._assets[path] = Asset(path)
            self._start(asset)
        return asset

    def is_loading(self, path: str) -> bool:
        """Return whether a model has been asked for and is still being read."""
        asset = self._assets.get(path)
        return asset is not None and asset.state is AssetState.LOADING

    def renew(self, file: Path) -> list[str]:
        """Reload the models that depend on a saved file; return their paths.

        The present models stay in use until the new ones are loaded, and permanently if loading
        fails.

        Args:
            file: absolute path of the file: a model, or a file that a model refers to.
        """
        paths = [path for path, asset in self._assets.items() if self._is_made_of(asset, file)]
        for path in paths:
            asset = self._renewing[path] = Asset(path)
            self._start(asset)
        return paths

    def drain_renewed(self) -> list[str]:
        """Return the paths of the models that were reloaded since the last call."""
        paths, self._renewed = self._renewed, []
        return paths

    def _start(self, asset: Asset) -> None:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(2, thread_name_prefix="assets")
        self._waiting += 1
        self._threads.submit(self._load, asset)

    def _is_made_of(self, asset: Asset, file: Path) -> bool:
        """Return whether a model is made from `file`: its own file, or one that it refers to."""
        try:
            source = resolve_in_project(self.project, asset.path)
        except ValueError:
            return False
        if source == file:
            return True
        report = read_report(asset.folder) if asset.folder is not None else None
        names = (report or {}).get("beside", {})
        return any((source.parent / name).resolve() == file for name in names)

    def poll(self, wait: float = 0.0) -> bool:
        """Take over models whose loading has ended and print their messages to the console.

        Args:
            wait: seconds to wait for each model still loading; 0 to return at once.

        Returns:
            Whether loading of any model has ended, also by failure.
        """
        is_any = False
        while self._waiting:
            try:
                asset, result = self._done.get(block=wait > 0.0, timeout=wait or None)
            except queue.Empty:
                break
            self._waiting -= 1
            is_any = True
            self._finish(asset, result)
        return is_any

    def close(self) -> None:
        """Stop the importer processes and background threads; calling it again does nothing."""
        with self._lock:
            self._is_closed = True
            children = list(self._children)
        for child in children:
            child.kill()
        if self._threads is not None:
            self._threads.shutdown(wait=True, cancel_futures=True)

    def _finish(self, asset: Asset, result: Loaded | Exception) -> None:
        before = self._assets.get(asset.path)
        if before is not asset:  # a renewal: only the last one is used
            if self._renewing.get(asset.path) is not asset:
                return
            del self._renewing[asset.path]
        if isinstance(result, Exception):
            asset.state, asset.error = AssetState.FAILED, str(result)
            is_kept = before is not None and before.is_ready
            note = "; the one before is kept" if is_kept else ""
            if asset.path not in self.told:
                shown_by = self.shown_by(asset.path)
                where = f"{shown_by}: model.asset: " if shown_by else ""
                self._report("error", f"{where}{asset.path}: {asset.error}{note}")
            return
        if before is not asset:
            self._assets[asset.path] = asset
            self._renewed.append(asset.path)
        asset.rig, asset.content, report, asset.folder = result
        asset.warnings = tuple(map(str, report.get("warnings", ())))
        asset.state = AssetState.READY
        for line in asset.warnings:
            self._report("warning", f"{asset.path}: {line}")
        for line in report.get("notes", ()):
            self._report("info", f"{asset.path}: {line}")

    def _report(self, level: str, text: str) -> None:
        if self.console is not None:
            getattr(self.console, level)(text)

    # -- in a thread --------------------------------------------------------------------------

    def _load(self, asset: Asset) -> None:
        result: Loaded | Exception
        try:
            folder, report = self._imported(asset.path)
            content = None if self.read_content is None else self.read_content(folder)
            result = (read_rig(folder / RIG_NAME), content, report, folder)
        except (GoishiError, OSError) as error:
            result = error
        except Exception as error:  # whatever it is, the scene goes on without the model
            result = AssetError(f"expected a model, found {type(error).__name__}: {error}")
        self._done.put((asset, result))

    def _imported(self, path: str) -> tuple[Path, JsonObject]:
        """Return a model's cache folder and import report; import the model if necessary."""
        try:
            source = resolve_in_project(self.project, path)
        except ValueError as error:
            raise AssetError(f"expected {error}") from None
        folder = user_cache_dir() / "models" / cache_key(source)
        report = read_report(folder)
        if report is None or not _is_fresh(source.parent, report):
            report = self._import(source, folder)
        return folder, report

    def _import(self, source: Path, folder: Path) -> JsonObject:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
        try:
            report = self._run_child(source, made)
            (made / REPORT_NAME).write_text(json.dumps(report), encoding="utf-8")
            shutil.rmtree(folder, ignore_errors=True)
            with contextlib.suppress(OSError):  # another window was faster
                rename(made, folder)
        finally:
            shutil.rmtree(made, ignore_errors=True)
        return report

    def _run_child(self, source: Path, target: Path) -> JsonObject:
        words = [sys.executable, "-m", IMPORTER, str(source), str(target)]
        words.append(str(self.project.resolve()))
        with self._lock:
            if self._is_closed:
                raise AssetError("the scene is closed")
            child = subprocess.Popen(
                words,
                cwd=SHIPPED_ROOT,
                env=usual_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._children.add(child)
        try:
            return wait_for_report(child, "a model")
        finally:
            with self._lock:
                self._children.discard(child)


def wait_for_report(child: subprocess.Popen[bytes], kind: str) -> JsonObject:
    """Wait until the importer's process has ended, and return its report.

    A process that exceeds `PROCESSOR_SECONDS` or `IMPORT_SECONDS` is ended.

    Args:
        child: the process; its output is a pipe.
        kind: what the file should hold, for the error message: "a model" or "a robot".

    Raises:
        AssetError: the importer reported a failure, crashed, or took too long.
    """
    begun = time.monotonic()
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                output, _ = child.communicate(timeout=LOOK_SECONDS)
                return report_of(output, child.returncode)
            if processor_seconds(child.pid) > PROCESSOR_SECONDS:
                limit = f"{PROCESSOR_SECONDS:g} s of processor time"
            elif time.monotonic() - begun > IMPORT_SECONDS:
                limit = f"{IMPORT_SECONDS:g} s"
            else:
                continue
            raise AssetError(f"expected {kind}, found a file that takes more than {limit} to read")
    finally:
        if child.poll() is None:
            child.kill()
            child.communicate()


def processor_seconds(process: int) -> float:
    """Return how much processor time a process has used, in seconds; 0 if it is gone.

    Args:
        process: its id.
    """
    with contextlib.suppress(psutil.Error):
        times = psutil.Process(process).cpu_times()
        return float(times.user + times.system)
    return 0.0


def report_of(output: bytes, code: int) -> JsonObject:
    """Return the report that the importer process printed, its last line of output.

    Args:
        output: standard output of the process.
        code: exit status of the process.

    Raises:
        AssetError: the importer reported a failure, or crashed.
    """
    try:
        report = json.loads(output.decode("utf-8").splitlines()[-1])
    except (ValueError, IndexError, RecursionError):
        report = None
    if not isinstance(report, dict):
        raise AssetError(f"expected a model, found a file at which its reader crashed ({code})")
    if "error" in report:
        raise AssetError(str(report["error"]))
    return report


def cache_key(source: Path) -> str:
    """Return the name of a model's cache folder, a hash of its content and path.

    Raises:
        AssetError: the format is unknown, or the file is missing or too large.
    """
    suffix = suffix_of(source.name)
    if suffix not in FORMATS:
        raise AssetError(f"expected a file of {', '.join(FORMATS)}, found {source.name}")
    try:
        size = source.stat().st_size
        if size > LARGEST_FILE:
            raise AssetError(f"expected at most {LARGEST_FILE} bytes, found {size}")
        with source.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256")
    except OSError as error:
        raise AssetError(f"expected a file of the project, found {error.strerror}") from error
    digest.update(f"{VERSION}/{suffix}/{source.parent}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:40]


def read_report(folder: Path) -> JsonObject | None:
    """Return the import report of a cached model, None if it is not cached."""
    try:
        report = json.loads((folder / REPORT_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    is_whole = (folder / MODEL_NAME).is_file() and (folder / RIG_NAME).is_file()
    return report if is_whole and isinstance(report, dict) else None


def stamp(path: Path) -> list[int] | None:
    """Return a file's size and modification time, to detect changes; None if it is missing."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # ValueError: a name that no file can have
        return None
    return [status.st_size, status.st_mtime_ns]


def _is_fresh(beside: Path, report: JsonObject) -> bool:
    """Return whether the files that a model refers to are unchanged since its import.

    Args:
        beside: folder of the model's file.
        report: import report of the model.
    """
    sides = report.get("beside", {})
    is_sound = isinstance(sides, dict)
    return is_sound and all(stamp(beside / name) == known for name, known in sides.items())


__all__ = [
    "Asset",
    "AssetError",
    "AssetLibrary",
    "AssetState",
    "RigError",
    "cache_key",
    "read_robot",
    "report_of",
]


def read_robot(project: Path, path: str) -> JsonObject:
    """Read a robot's file in a child process.

    Args:
        project: the project's folder.
        path: path of the URDF or MJCF file within the project.

    Returns:
        A dict with the robot's `name`, its `objects` (each with the index of its parent object) and
        `left_out`: a line of text for each part of the file that was ignored.

    Raises:
        SceneFileError: there is no such file in the project, or it holds no valid robot.
    """
    try:
        source = resolve_in_project(project, path)
    except ValueError as error:
        raise SceneFileError(path, "", "", expected=str(error), found=repr(path)) from None
    if not source.is_file():
        raise SceneFileError(path, "", "", expected=project_file(project, path), found="none")
    words = [sys.executable, "-m", IMPORTER, str(source), "", str(project.resolve())]
    try:
        child = subprocess.Popen(
            words,
            cwd=SHIPPED_ROOT,
            env=usual_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        return wait_for_report(child, "a robot")
    except AssetError as error:
        expected, _, found = str(error).removeprefix("expected ").partition(", found")
        found = found.removeprefix(":").strip()
        raise SceneFileError(path, "", "", expected=expected, found=found) from None

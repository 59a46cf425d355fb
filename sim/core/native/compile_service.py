"""Compiles the `@compiled` functions of scripts in the background.

A worker process compiles a function and stores the code in numba's file cache, below the user's
cache folder. The app only loads the code, in a separate thread. The cache folder is named by a hash
of the function's source, so code is reused in the next session and after a reload that did not
change the function.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from base.files import atomic_write, first_writable, private_temporary_folder
from base.garbage import collector_waits
from sim.core.native.compile_source import ModuleSource, source_of
from sim.core.native.compile_worker import (
    ENVIRONMENT,
    Compiled,
    CompileFunction,
    load_machine,
    reason_of,
)
from sim.core.native.compiled import CompiledFunction, Kinds, NotCompilable
from sim.core.project.data_dir import user_cache_dir
from sim.core.reporting.console import Console, ConsoleRecord
from sim.core.workers.link import Pending, WorkerLink
from sim.core.workers.pool import Links

if TYPE_CHECKING:
    from base.modules import ScriptPackage

Function = CompiledFunction[..., Any]
Made = Callable[..., object] | Exception

MODULE_FILE = "module.py"
KINDS_FILE = "kinds.json"
MOST_FOLDERS = 200
SWITCH_SECONDS = 0.0005  # how soon the main thread gets its turn while a thread loads code


@dataclass(eq=False)
class _Order:
    """Request to compile one function for one tuple of argument types."""

    function: Function
    source: ModuleSource
    kinds: Kinds
    folder: Path
    answer: Pending | None = None
    begun: float = field(default_factory=time.perf_counter)


class CompileService:
    """Compiles and loads functions without blocking the main thread.

    Args:
        links: opens the compile worker when it is first needed.
        console: receives a line for each function that cannot be compiled, with the reason.
        packages: the script packages whose functions are compiled.
        cache: folder for the machine code; None for the user's cache folder.
    """

    def __init__(
        self,
        links: Links,
        console: Console,
        packages: tuple[ScriptPackage, ...],
        cache: Path | None = None,
    ) -> None:
        self.links = links
        self.console = console
        self.cache = cache
        self._packages = packages
        self._functions: dict[tuple[str, str], Function] = {}
        self._orders: list[_Order] = []
        self._reported: set[tuple[str, str]] = set()
        self._loads: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._loaded: queue.SimpleQueue[tuple[_Order, Made]] = queue.SimpleQueue()
        self._loading: list[_Order] = []
        self._thread: threading.Thread | None = None
        self._link: WorkerLink | None = None
        self._is_new = True
        self._is_wanting = False
        for package in packages:
            package.on_install = self._installed

    @property
    def is_busy(self) -> bool:
        """Whether anything is being compiled or loaded, or is queued."""
        return self._is_new or self._is_wanting or bool(self._orders or self._loading)

    def poll(self) -> None:
        """Register new functions, start compilations, install loaded code. Once a frame."""
        if self._is_new:
            self._is_new = False
            self._find_functions()
        if self._is_wanting:
            self._is_wanting = False
            for function in self._functions.values():
                self._start(function)
        for order in list(self._orders):
            if order.answer and order.answer.done:
                self._orders.remove(order)
                self._compiled(order)
        while not self._loaded.empty():
            self._install_loaded(*self._loaded.get())

    def settle(self, longest: float) -> None:
        """Wait until everything is compiled and loaded, at most `longest` seconds."""
        deadline = time.perf_counter() + longest
        while self.is_busy and (left := deadline - time.perf_counter()) > 0:
            self.poll()
            if self._orders:
                self.links.settle(left)
            elif self._loading:
                with contextlib.suppress(queue.Empty):
                    self._install_loaded(*self._loaded.get(timeout=left))

    def close(self) -> None:
        """Stop loading code; the worker process is ended by `links`, not here."""
        for package in self._packages:
            package.on_install = None
        if self._thread is not None:
            self._loads.put(None)
            self._thread.join(timeout=2.0)

    # -- inside -------------------------------------------------------------------------------

    def _installed(self) -> None:
        self._is_new = True

    def _wanted(self) -> None:
        self._is_wanting = True

    def _find_functions(self) -> None:
        """Find the `@compiled` functions in loaded scripts and decide what must be compiled again.

        A function whose source hash is unchanged keeps its machine code.
        """
        found = dict(self._found())
        for key, function in found.items():
            old = self._functions.get(key)
            function.on_wanted = self._wanted
            try:
                source = source_of(function)
            except NotCompilable as fault:
                function.machine = {}
                function.refused[None] = fault
                continue
            if source.fingerprint != function.fingerprint:
                function.fingerprint = source.fingerprint
                function.wanted |= set(function.machine)
                function.machine = {}
            if old is not None and old is not function:
                function.wanted |= old.wanted | set(old.machine)
                if old.fingerprint == function.fingerprint:
                    function.machine.update(old.machine)
                    function.refused.update(old.refused)
            function.wanted |= self._kinds_of(self._folder(source.fingerprint))
        self._functions = found
        self._is_wanting = bool(found)

    def _found(self) -> Iterator[tuple[tuple[str, str], Function]]:
        for package in self._packages:
            for name, module in list(package.modules.items()):
                for value in list(vars(module).values()):
                    is_compiled = issubclass(type(value), CompiledFunction)  # runs no user code
                    if is_compiled and value.__module__ == module.__name__:
                        yield (f"{package.prefix}{name}", value.__name__), value

    def _start(self, function: Function) -> None:
        self._report(function)
        if None in function.refused:
            return
        if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
            self._refuse(function, None, NotCompilable("numba is switched off: NUMBA_DISABLE_JIT"))
            return
        under_way = (*self._orders, *self._loading)
        ordered = {order.kinds for order in under_way if order.function is function}
        for kinds in function.wanted - ordered - set(function.machine) - set(function.refused):
            try:
                source = source_of(function)
                folder = self._prepare(source)
            except (NotCompilable, OSError) as error:
                fault = error if isinstance(error, NotCompilable) else NotCompilable(str(error))
                self._refuse(function, None, fault)
                return
            order = _Order(function, source, kinds, folder)
            if kinds in self._kinds_of(folder):
                self._load(order)
            else:
                self._order(order)

    def _order(self, order: _Order) -> None:
        if self._link is None:
            target, settings = "sim.core.native.compile_worker:main", {"environment": ENVIRONMENT}
            self._link = self.links.open("compiler", target, settings, is_optional=True)
        file = order.folder / MODULE_FILE
        order.answer = self._link.request(CompileFunction(file, order.source.name, order.kinds))
        self._orders.append(order)

    def _compiled(self, order: _Order) -> None:
        pending = order.answer
        if pending is None:
            return
        if pending.error is not None:
            self._refuse(order.function, order.kinds, NotCompilable(str(pending.error)))
            return
        compiled: Compiled = pending.answer
        if compiled.reason:
            fault = _fault(order, compiled.reason, compiled.line)
            self._refuse(order.function, order.kinds, fault)
            return
        known = self._kinds_of(order.folder) | {order.kinds}
        try:
            atomic_write(order.folder / KINDS_FILE, json.dumps(sorted(known, key=repr)))
        except OSError as error:  # it is compiled again at the next start
            self.console.warning(f"{order.folder}: expected to write, found: {error.strerror}")
        self._load(order)

    def _load(self, order: _Order) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="compiled-loader", daemon=True)
            self._thread.start()
        self._loading.append(order)
        self._loads.put(order)

    def _run(self) -> None:
        """Load code until `close`; runs in a separate thread."""
        while (order := self._loads.get()) is not None:
            before = sys.getswitchinterval()
            sys.setswitchinterval(SWITCH_SECONDS)
            try:
                file = order.folder / MODULE_FILE
                with collector_waits():  # it would free what the main thread draws with
                    made: Made = load_machine(file, order.source.name, order.kinds)
            except Exception as error:  # numba raises what it likes
                made = error
            finally:
                sys.setswitchinterval(before)
            self._loaded.put((order, made))

    def _install_loaded(self, order: _Order, made: Made) -> None:
        """Install loaded machine code in its function.

        If cached code cannot be loaded, its folder is deleted and the function is compiled again.

        Args:
            order: the request that was loaded.
            made: the machine code as a callable, or the exception that loading raised.
        """
        self._loading.remove(order)
        function = order.function
        if isinstance(made, Exception) and order.answer is None:
            shutil.rmtree(order.folder, ignore_errors=True)
            self._wanted()
            return
        if function.fingerprint != order.source.fingerprint:
            self._wanted()
            return
        if isinstance(made, Exception):
            fault = _fault(order, *reason_of(made, order.folder / MODULE_FILE))
            self._refuse(function, order.kinds, fault)
            return
        function.machine[order.kinds] = made
        function.wanted.discard(order.kinds)
        file, line = function.place
        milliseconds = (time.perf_counter() - order.begun) * 1000.0
        text = f"{function.__name__} is compiled, {milliseconds:.0f} ms"
        place = self.console.short_path(file)
        self.console.add(ConsoleRecord("debug", text, file=place, line=line))

    def _refuse(self, function: Function, kinds: Kinds | None, fault: NotCompilable) -> None:
        function.refused[kinds] = fault
        function.wanted.discard(kinds or ())
        self._report(function)

    def _report(self, function: Function) -> None:
        """Report once why a function is not compiled."""
        for fault in function.refused.values():
            file, line = fault.file or function.place[0], fault.line or function.place[1]
            key = (f"{file}:{function.__name__}:{function.fingerprint}", str(fault))
            if key in self._reported:
                continue
            self._reported.add(key)
            text = f"{function.__name__} is not compiled, Python runs it: {fault}"
            short = self.console.short_path(file)
            self.console.add(ConsoleRecord("warning", text, file=short, line=line))

    # -- the cache ----------------------------------------------------------------------------

    def _folder(self, fingerprint: str) -> Path:
        if self.cache is None:
            self.cache = cache_folder()
        return self.cache / fingerprint

    def _prepare(self, source: ModuleSource) -> Path:
        """Write a generated module into the folder for its machine code, and return the folder.

        Args:
            source: the module.
        """
        folder = self._folder(source.fingerprint)
        file = folder / MODULE_FILE
        if not file.is_file():
            folder.mkdir(parents=True, exist_ok=True)
            atomic_write(file, source.text)
        os.utime(folder)
        return folder

    def _kinds_of(self, folder: Path) -> set[Kinds]:
        """Return the argument types for which a folder holds machine code."""
        try:
            stored = json.loads((folder / KINDS_FILE).read_text(encoding="utf-8"))
            return {_tuples(kinds) for kinds in stored}
        except (OSError, ValueError, TypeError):
            return set()


def _tuples(value: object) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def _fault(order: _Order, reason: str, line: int) -> NotCompilable:
    origins = order.source.lines
    file, at = origins[line - 1] if 0 < line <= len(origins) else ("", 0)
    return NotCompilable(reason, file=file, line=at)


def cache_folder() -> Path:
    """Return the cache folder of machine code, after removing entries unused for long.

    Falls back on the temporary folder if the user's cache cannot be written.

    Raises:
        OSError: no temporary folder can be made.
    """
    folder = first_writable([user_cache_dir() / "compiled"])
    if folder is None:
        try:
            folder = private_temporary_folder() / "compiled"
        except OSError:  # somebody else's: one for this run
            folder = Path(tempfile.mkdtemp(prefix="goishi-"))
    _forget_old(folder)
    return folder


def _forget_old(folder: Path) -> None:
    def used_at(path: Path) -> float:
        try:
            return path.stat().st_mtime
        except OSError:
            return 0.0

    folders = sorted(folder.iterdir(), key=used_at) if folder.is_dir() else []
    for old in folders[:-MOST_FOLDERS]:
        shutil.rmtree(old, ignore_errors=True)

"""Runs the `@job` calls of scripts in worker processes and returns their results.

A call that is running keeps the version of its script; a saved file is used from the next call.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from base.errors import WorkerError
from base.modules import SOURCE, ScriptPackage, class_of_name, name_of_class
from base.worker.failure import TaskState
from sim.core.reporting.plain_values import SerializationError, pack, unpack
from sim.core.script.job import JobCall, JobError, JobFunction, JobProgress, JobRequest, Report
from sim.core.workers.link import Pending, WorkerLink

if TYPE_CHECKING:
    from base.modules import ScriptPackage
    from sim.core.scene.scene import ComponentSlot
    from sim.core.script.panels import StatusBoard
    from sim.core.script.user_code import ScriptGuard
    from sim.core.workers.pool import Links


Names = dict[str, Any]


class ScriptVersion:
    """The modules that a job's function uses, as they were when the job started.

    Attributes:
        modules: the global names of each module, with their values, by the module's `__name__`.
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
        """Return the source texts of the modules, by internal package name and then module name.

        Args:
            packages: the script packages to look in; each has an entry in the result.
        """
        found: dict[str, dict[str, bytes]] = {package.private: {} for package in packages}
        for name, names in self.modules.items():
            for package in packages:
                if name.startswith(package.prefix):
                    found[package.private][name.removeprefix(package.prefix)] = names[SOURCE]
                    break
        return found

    def class_of(self, name: str, packages: Sequence[ScriptPackage]) -> type | None:
        """Return the class called `module:Class` in this version; None if it is not part of it.

        Args:
            name: module name, a colon and the class; a nested class is `module:Outer.Inner`.
            packages: the script packages in which the module may be.
        """
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
    """Yield the global names of every module that a module uses.

    These are the imported modules, and the modules of imported functions and classes.

    Args:
        names: global names of the module, with their values.
    """
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


TARGET = "sim.core.host.job_worker:main"
MOST_IDLE = 2
"""Number of idle workers kept for the next job: importing Keras takes seconds."""


class JobRun:
    """One running job: its call, its worker and the component that started it."""

    def __init__(
        self, slot: ComponentSlot, call: JobCall[object], on_progress: Report | None
    ) -> None:
        self.slot, self.call, self.on_progress = slot, call, on_progress
        self.version = ScriptVersion(call.function)
        self.name = call.function.__name__
        self.key = f"job {slot.id} {self.name} {id(call)}"
        self.link: WorkerLink | None = None
        self.pending: Pending | None = None


@dataclass(eq=False)
class Jobs:
    """All running jobs of an app.

    Args:
        guard: calls the scripts' functions that receive progress reports.
        links: starts the worker processes.
        status: status bar that shows the running jobs.
        packages: the script packages whose functions are run.
    """

    guard: ScriptGuard
    links: Links
    status: StatusBoard
    packages: tuple[ScriptPackage, ...]
    running: list[JobRun] = field(default_factory=list, init=False)
    _idle: list[WorkerLink] = field(default_factory=list, init=False)

    def start(
        self, slot: ComponentSlot, call: JobCall[object], on_progress: Report | None = None
    ) -> JobCall[object]:
        """Start a job for a component; a job that was started already is returned unchanged.

        Args:
            slot: slot of the component that owns the job; removing the component cancels the job.
            call: the function and its arguments.
            on_progress: called with the fraction (0 to 1) and the values of each report; None for
                no call.

        Raises:
            JobError: the function is not in a script, or an argument cannot be sent; the message
                names it.
        """
        if call.state is not TaskState.PENDING:
            return call
        run = JobRun(slot, call, on_progress)
        request = self._request(call, run.version)
        call.state = TaskState.RUNNING
        call.on_cancel = lambda: self._cancel(run)
        link = self._claim_worker()
        link.name = f"job {run.name}"
        link.owner = slot
        run.link = link
        run.pending = link.request(request, retry=False)
        run.pending.on_progress = lambda report: self._progress(run, report)
        run.pending.on_done = lambda: self._done(run)
        self.running.append(run)
        self.status.set(run.key, run.name, busy=True)
        return call

    def close_owned(self, slot: ComponentSlot) -> None:
        """End the jobs of a component."""
        for run in [run for run in self.running if run.slot is slot]:
            run.call.cancel()

    # -- inside -------------------------------------------------------------------------------

    def _request(self, call: JobCall[object], version: ScriptVersion) -> JobRequest:
        function, packages = call.function, self.packages
        name, module = function.__name__, function.__module__
        own = next((item for item in packages if module.startswith(item.prefix)), None)
        if own is None:
            raise JobError(f"job {name}: expected a function of a script of the scene")

        def packed(key: str, value: object) -> object:
            where = f"job {name}, argument {key}"
            return pack(value, where, lambda kind: name_of_class(kind, packages))

        try:
            arguments = {key: packed(key, value) for key, value in call.arguments.items()}
        except SerializationError as error:
            raise JobError(str(error)) from None
        roots = {package.private: str(package.root) for package in packages}
        digest = hashlib.sha256()
        for path in sorted(path for root in roots.values() for path in _files(Path(root))):
            status = path.stat()
            digest.update(os.fsencode(path) + f" {status.st_mtime_ns} {status.st_size}\n".encode())
        sources = version.sources(packages)
        digest.update(repr(sources).encode())
        inside = module.removeprefix(own.prefix)
        return JobRequest(roots, own.private, inside, name, arguments, digest.hexdigest(), sources)

    def _claim_worker(self) -> WorkerLink:
        while self._idle:
            link = self._idle.pop()
            if not link.is_closed and not link.failure:
                return link
        return self.links.open("job", TARGET, {}, revives=False)

    def _progress(self, run: JobRun, report: JobProgress) -> None:
        if run.call.done:
            return
        values = report.values
        shown = ", ".join(
            f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}"
            for key, value in values.items()
            if isinstance(value, int | float | str)
        )
        text = f"{run.name} {report.fraction:.0%}" + (f", {shown}" if shown else "")
        self.status.set(run.key, text, busy=True)
        if run.on_progress is not None:
            unpacked = unpack(values, functools.partial(self._class_of, run))
            self.guard.call(run.slot, "on_progress", run.on_progress, report.fraction, unpacked)

    def _done(self, run: JobRun) -> None:
        """End a job: pass its result, or an error, to the script that started it.

        This is called when the worker has answered, or when its process has ended.

        Args:
            run: the job.
        """
        self._forget(run)
        pending, call = run.pending, run.call
        if call.done or pending is None or run.link is None:
            return
        run.link.owner = None
        if run.link.failure or len(self._idle) >= MOST_IDLE:
            self.links.end(run.link)
        else:
            self._idle.append(run.link)
        if pending.error is not None:
            call.finish(error=_as_job_error(pending.error))
            return
        try:
            call.finish(unpack(pending.answer, functools.partial(self._class_of, run)))
        except (LookupError, WorkerError) as fault:
            call.finish(error=JobError(f"job {run.name}, result: {fault}"))

    def _cancel(self, run: JobRun) -> None:
        self._forget(run)
        if run.link is not None:
            self.links.end(run.link)

    def _forget(self, run: JobRun) -> None:
        if run in self.running:
            self.running.remove(run)
        self.status.clear(run.key)

    def _class_of(self, run: JobRun, name: str) -> type:
        return run.version.class_of(name, self.packages) or class_of_name(name, self.packages)


def _as_job_error(error: WorkerError) -> JobError:
    names = ("file", "line", "worker_traceback", "package")
    return JobError(str(error), **{name: getattr(error, name) for name in names})


def _files(root: Path) -> list[Path]:
    return list((root / "scripts").rglob("*.py"))

"""Job worker: the process that runs `@job` functions of scripts, one at a time."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path

from base.modules import ScriptPackage, class_of_name, name_of_class
from base.values import JsonObject
from sim.core.host.script_loader import SHIPPED_PRIVATE
from sim.core.reporting.console import ENGINE_FOLDERS
from sim.core.reporting.missing_package import package_of
from sim.core.reporting.plain_values import SerializationError, pack, unpack
from sim.core.script.job import JobFailure, JobFunction, JobProgress, JobRequest, run_in_worker
from sim.core.workers.worker_main import WorkerPipe, be_nice

NICE = 5


def main(connection: WorkerPipe, settings: JsonObject) -> None:
    """Run jobs until the pipe closes. A request is a `JobRequest`.

    Sends `JobProgress` messages, then `("result", packed value)` or a `JobFailure`.
    """
    be_nice(NICE)
    host = _JobHost()
    while True:
        request_id, _, request = connection.recv()

        def report(fraction: float, values: dict[str, object], number: int = request_id) -> None:
            packed = pack(values, "job.progress, values", host.name_of)
            connection.send((number, False, JobProgress(fraction, packed)))

        try:
            answer: object = ("result", host.run(request, report))
        except (EOFError, BrokenPipeError, ConnectionResetError):
            raise
        except BaseException as error:
            answer = failure_of(error, request.name)
        connection.send((request_id, True, answer))


class _JobHost:
    """The scripts as this worker has loaded them."""

    def __init__(self) -> None:
        self.digest = ""
        self.packages: dict[str, ScriptPackage] = {}

    def run(self, request: JobRequest, report: Callable[..., object]) -> object:
        """Load the requested function, call it, and return its packed result."""
        if request.digest != self.digest:
            self.forget()
            self.packages = {
                private: ScriptPackage(Path(root), private)
                for private, root in request.roots.items()
            }
            for package in self.packages.values():
                package.shipped = self.packages.get(SHIPPED_PRIVATE)
            self.digest = request.digest
        package = self.packages[request.package]
        function = getattr(package.module_within(request.module), request.name, None)
        if not isinstance(function, JobFunction):
            raise LookupError(f"expected the @job function {request.name}, found {function!r:.60}")
        arguments = unpack(request.arguments, self.class_of)
        value = run_in_worker(function, arguments, report)
        return pack(value, f"job {request.name}, result", self.name_of)

    def forget(self) -> None:
        """Drop the modules of scripts that were changed."""
        for package in self.packages.values():
            package.close()

    def name_of(self, kind: type) -> str:
        return name_of_class(kind, tuple(self.packages.values()))

    def class_of(self, name: str) -> type:
        return class_of_name(name, tuple(self.packages.values()))


def failure_of(error: BaseException, name: str) -> JobFailure:
    """Return the failure message for an exception, with the innermost line of a script."""
    frames = [
        (frame.f_code.co_filename, line, frame.f_code.co_name)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not frame.f_code.co_filename.startswith((*ENGINE_FOLDERS, "<"))
    ]
    file, line = next(
        ((file, line) for file, line, _ in reversed(frames) if "/lib/python" not in file), ("", 0)
    )
    if isinstance(error, SyntaxError) and error.filename:
        file, line = error.filename, error.lineno or 0
    kind = type(error).__name__
    try:
        text = str(error)
    except Exception:
        text = ""
    if isinstance(error, SerializationError):
        kind = ""
    details = "\n".join(f"  {file}:{line} in {function}" for file, line, function in frames)
    package = package_of(error)
    return JobFailure(kind, text, file, line, package, f"in the worker of job {name}:\n{details}")

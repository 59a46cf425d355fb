"""Job worker: the process that runs `@job` functions of scripts, one at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from base.modules import ScriptPackage, class_of_name, name_of_class
from base.values import JsonObject
from base.worker.failure import failure_of
from base.worker.process import Pipe, be_nice
from base.worker.service import Report, serve
from sim.core.host.display_guard import install_display_guard
from sim.core.host.script_loader import SHIPPED_PRIVATE
from sim.core.reporting.plain_values import SerializationError, pack, unpack
from sim.core.script.job import JobFunction, JobProgress, JobRequest, run_in_worker

NICE = 5


def main(connection: Pipe, settings: JsonObject) -> None:
    """Run jobs until the connection closes; the entry point of the worker process.

    Each `JobRequest` is answered with any number of `JobProgress` messages and then the packed
    result.

    Args:
        connection: connection to the process that sends the requests.
        settings: ignored; every worker receives some.
    """
    be_nice(NICE)
    install_display_guard()
    serve(connection, _JobHost().handle)


class _JobHost:
    """Loads the scripts of requests and runs their job functions; loaded scripts are kept."""

    def __init__(self) -> None:
        self.digest = ""
        self.packages: dict[str, ScriptPackage] = {}

    def handle(self, request: JobRequest, report: Report) -> object:
        """Run the job of a request and return its result, packed as plain data.

        Args:
            request: the function and its packed arguments.
            report: sends progress messages while the job runs.

        Returns:
            The packed result; a failure message if the result cannot be packed.
        """

        def tell(fraction: float, values: dict[str, object]) -> None:
            packed = pack(values, "job.progress, values", self.name_of)
            report(JobProgress(fraction, packed))

        try:
            return self.run(request, tell)
        except SerializationError as error:
            return replace(failure_of(error), kind="")  # its text says where

    def run(self, request: JobRequest, report: Callable[..., object]) -> object:
        """Load the requested function, call it, and return its result, packed as plain data.

        Args:
            request: the function and its packed arguments.
            report: called with the finished fraction (0 to 1) and the values of each progress
                report.
        """
        if request.digest != self.digest:
            for package in self.packages.values():
                package.close()
            self.packages = {
                private: ScriptPackage(Path(root), private)
                for private, root in request.roots.items()
            }
            for package in self.packages.values():
                package.shipped = self.packages.get(SHIPPED_PRIVATE)
                package.sources = request.sources.get(package.private, {})
            self.digest = request.digest
        package = self.packages[request.package]
        function = getattr(package.module_within(request.module), request.name, None)
        if not isinstance(function, JobFunction):
            raise LookupError(f"expected the @job function {request.name}, found {function!r:.60}")
        arguments = unpack(request.arguments, self.class_of)
        value = run_in_worker(function, arguments, report)
        return pack(value, f"job {request.name}, result", self.name_of)

    def name_of(self, kind: type) -> str:
        return name_of_class(kind, tuple(self.packages.values()))

    def class_of(self, name: str) -> type:
        return class_of_name(name, tuple(self.packages.values()))

"""`@job`: functions of scripts that run in a worker process, where TensorFlow may be imported.

    @job
    def train(images, labels):
        import keras                       # in the body: never at the top of a script
        job.progress(0.4, {"loss": 0.3})

    weights = await self.background(train(images, labels))

The worker receives the script's path, the function's name and the arguments, which must be plain
values.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, ParamSpec, TypeVar

from base.errors import WorkerError
from base.worker.failure import TaskState
from sim.core.workers.link import Answer

P = ParamSpec("P")
R = TypeVar("R")
Report = Callable[[float, dict[str, Any]], object]


class JobError(WorkerError):
    """A job failed, was cancelled, or its worker process ended.

    `file` and `line` say where the error arose in the script.
    """


@dataclass(frozen=True)
class JobRequest:
    """Message that asks a worker to call a function of a script file.

    Attributes:
        roots: folders that hold `scripts`, by the private name of their package in `sys.modules`.
        package: private name of the function's package.
        module: name of the function's module.
        name: name of the function.
        arguments: encoded arguments by parameter name.
        digest: hash of the scripts; when it changes, the worker reloads the scripts.
        sources: source texts of the modules, by package name and then module name. They are as the
            sender loaded them, since the files on disk may be newer.
    """

    roots: dict[str, str]
    package: str
    module: str
    name: str
    arguments: dict[str, object]
    digest: str
    sources: dict[str, dict[str, bytes]] = field(default_factory=dict)


@dataclass(frozen=True)
class JobProgress:
    """Progress report of a job: a fraction from 0 to 1, and values to show by name."""

    fraction: float
    values: dict[str, object] = field(default_factory=dict)


class JobCall(Answer, Generic[R]):
    """A prepared call of a `@job` function; `self.background(...)` starts it in a worker."""

    def __init__(self, function: JobFunction[..., R], arguments: dict[str, object]) -> None:
        super().__init__(TaskState.PENDING)
        self.function = function
        self.arguments = arguments
        self.on_cancel: Callable[[], object] | None = None

    def ready(self, now: float, instant: bool) -> bool:
        """Return whether the job has ended.

        Args:
            now: scene time, seconds; ignored.
            instant: whether the scene runs at maximum speed; ignored.

        Raises:
            JobError: the call was awaited directly, without `self.background(...)`.
        """
        if self.state is TaskState.PENDING:
            name = self.function.__name__
            raise JobError(f"job {name}: expected await self.background({name}(...))")
        return self.done

    def result(self) -> R:
        """Return what the job's function returned.

        Raises:
            JobError: the job failed, was cancelled or its worker ended.
        """
        answer: R = super().result()
        return answer

    def cancel(self) -> None:
        """Cancel the job at once by ending its worker."""
        if self.done:
            return
        self.state = TaskState.CANCELLED
        self.error = JobError(f"job {self.function.__name__}: cancelled")
        if self.on_cancel is not None:
            self.on_cancel()


class JobFunction(Generic[P, R]):
    """A function marked with `@job`; calling it in a script prepares a `JobCall`.

    In a worker, calling it runs the function directly, so that jobs can call other jobs.
    """

    __name__: str
    __module__: str

    def __init__(self, function: Callable[P, R]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self._signature = inspect.signature(function)

    def __call__(self, *arguments: P.args, **keywords: P.kwargs) -> Any:
        """Prepare a call for a worker: `await self.background(train(images))`.

        Returns:
            A `JobCall[R]`; inside a worker, the function's own result.

        Raises:
            TypeError: the arguments do not fit the function's parameters.
        """
        if _Running.report is not None:
            return self.function(*arguments, **keywords)
        try:
            bound = self._signature.bind(*arguments, **keywords)
        except TypeError as error:
            raise TypeError(f"job {self.__name__}: {error}") from None
        return JobCall(self, dict(bound.arguments))


class _Running:
    """State of this process: whether a job runs in it.

    Attributes:
        report: function that receives the running job's progress; None if no job runs.
    """

    report: Report | None = None


class _Job:
    """Type of `job`: the decorator `@job`, with the method `job.progress` for running jobs."""

    def __call__(self, function: Callable[P, R]) -> JobFunction[P, R]:
        """Mark a module-level function of a script, so that its calls run in a worker process.

        Raises:
            TypeError: it is no plain function at module level, or it has `*` or `**` parameters.
        """
        if not inspect.isfunction(function) or inspect.iscoroutinefunction(function):
            raise TypeError(f"@job: expected a plain function, got {function!r}")
        if "." in function.__qualname__:
            raise TypeError(
                f"@job {function.__qualname__}: expected a function at the top of its module, "
                "found one inside a class or function"
            )
        kinds = {item.kind for item in inspect.signature(function).parameters.values()}
        if kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}:
            raise TypeError(f"@job {function.__name__}: expected named parameters, found * or **")
        return JobFunction(function)

    def progress(self, fraction: float, values: Mapping[str, object] | None = None) -> None:
        """Report how far the running job is; outside a job it does nothing.

        Args:
            fraction: completed part of the work, from 0 to 1.
            values: numbers to show, such as `{"loss": 0.3}`.
        """
        if _Running.report is not None:
            _Running.report(min(1.0, max(0.0, float(fraction))), dict(values or {}))


job = _Job()
"""Decorator for a function that runs in a worker; in its body `job.progress` reports progress."""


def run_in_worker(function: JobFunction[..., R], arguments: dict[str, object], report: Report) -> R:
    """Run a job's function in this worker process and return its result.

    Args:
        function: the job's function.
        arguments: its arguments by parameter name.
        report: called with a fraction from 0 to 1 and a dict of values when the job reports
            progress.
    """
    before, _Running.report = _Running.report, report
    try:
        return function.function(**arguments)
    finally:
        _Running.report = before

"""Parallel computations: in processes of this machine, or on a Ray cluster that is joined and left.

Ray is an optional package: it is imported only when a cluster is used.
"""

from __future__ import annotations

import multiprocessing
import os
import socket
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final, TypeVar

from base.errors import UsageError
from base.worker.chatter import hide_chatter
from base.worker.starting import OURS, VARIABLE, safe_start, started_safely

REACHABLE = 5.0
"""Seconds within which a cluster must accept a connection."""

NO_RAY: Final = (
    "--backend ray: expected the package ray, found none; run: python -m pip install 'ray~=2.60.0'"
)

T = TypeVar("T")


def import_ray(error: type[Exception] = UsageError) -> ModuleType:
    """Import and return the package ray.

    Args:
        error: class of the error to raise.

    Raises:
        Exception: an instance of `error` if ray is not installed.
    """
    try:
        return import_module("ray")
    except ImportError:
        raise error(NO_RAY) from None


def require_ray() -> None:
    """Check that the package ray is installed, without importing it.

    Raises:
        UsageError: it is not; the message says how to install it.
    """
    if sys.modules.get("ray") is None and find_spec("ray") is None:
        raise UsageError(NO_RAY)


@contextmanager
def joined(
    address: str | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    error: type[Exception] = UsageError,
) -> Iterator[ModuleType]:
    """Context manager that joins a Ray cluster, yields the package ray, and leaves at the end.

    Args:
        address: address of a running cluster. None uses the one in the variable RAY_ADDRESS;
            without this, a cluster is started on this machine and stopped at the end.
        environment: environment variables of the cluster's processes; None for none.
        error: class of the errors to raise.

    Raises:
        Exception: an instance of `error` if ray is not installed, or there is no such cluster.
    """
    ray = import_ray(error)
    if address is not None:
        _reach(address, error)
    settings: dict[str, Any] = {}
    if environment:
        settings["runtime_env"] = {"env_vars": dict(environment)}
    where = address or os.environ.get("RAY_ADDRESS") or "local"
    if where == "local":
        settings["include_dashboard"] = False
    try:
        ray.init(address=where, log_to_driver=False, **settings)
    except (ConnectionError, RuntimeError, ValueError) as fault:
        reason = str(fault).splitlines()[0] if str(fault) else type(fault).__name__
        raise error(f"--backend ray: expected a cluster at {where!r}, found: {reason}") from None
    try:
        yield ray
    finally:
        ray.shutdown()


def each_as_done(
    function: Callable[..., T],
    calls: Sequence[Sequence[object]],
    *,
    jobs: int = 1,
    backend: str = "local",
    address: str | None = None,
    error: type[Exception] = UsageError,
) -> Generator[tuple[int, T], None, None]:
    """Call a function several times; yield the index and the result of each call as it ends.

    Args:
        function: the function; other processes must be able to import it.
        calls: the arguments of each call.
        jobs: calls at a time, each in a process of its own; 1: all in this process, in order.
        backend: "local", or "ray" to use one core of a cluster for each call.
        address: address of the Ray cluster, see `joined`.
        error: class of the errors to raise.

    Raises:
        Exception: an instance of `error` if the cluster cannot be joined.
    """
    if not calls:
        return
    if backend == "ray":
        with joined(address, error=error) as ray:
            remote = ray.remote(num_cpus=1)(function)
            waiting = {remote.remote(*call): number for number, call in enumerate(calls)}
            while waiting:
                done, _ = ray.wait(list(waiting), num_returns=1)
                yield waiting.pop(done[0]), ray.get(done[0])
    elif jobs == 1:
        for number, call in enumerate(calls):
            yield number, function(*call)
    else:
        _check_semaphores()
        from joblib import Parallel, delayed
        from joblib._parallel_backends import LokyBackend
        from joblib.externals.loky import get_reusable_executor

        class SafeBackend(LokyBackend):  # type: ignore[misc]  # joblib has no types
            """Processes that ignore the current folder's modules, also those started later."""

            def _prepare_worker_env(self, n_jobs: int) -> dict[str, str]:
                return {**super()._prepare_worker_env(n_jobs), VARIABLE: OURS}

        parallel = Parallel(
            n_jobs=jobs, backend=SafeBackend(), batch_size=1, return_as="generator_unordered"
        )
        try:
            with safe_start():
                done = parallel(
                    delayed(_numbered)(number, function, call) for number, call in enumerate(calls)
                )
            yield from done
        finally:
            # The next parallel computation would reuse these processes, and joblib would restart
            # them for a memory leak if it needs more memory than this one.
            get_reusable_executor().shutdown(wait=True)


def _check_semaphores() -> None:
    """Check that processes can be started beside each other: they share semaphores.

    Raises:
        UsageError: the system has no room for them.
    """
    try:
        with safe_start():  # the first one starts a process that keeps account of them
            multiprocessing.get_context("spawn").Lock()
    except OSError as error:
        raise UsageError(
            "--jobs: expected room in the system's shared memory (/dev/shm on Linux), found: "
            f"{error.strerror or error}; --jobs 1 needs none"
        ) from None


def _numbered(number: int, function: Callable[..., T], call: Sequence[object]) -> tuple[int, T]:
    started_safely()
    hide_chatter()
    return number, function(*call)


def _reach(address: str, error: type[Exception]) -> None:
    """Raise an error if nothing accepts connections at an address HOST:PORT.

    Ray itself would try to connect for minutes.

    Args:
        address: address of the cluster; names of Ray's own, such as auto, are not checked.
        error: class of the error to raise.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return  # a name of Ray's own, such as auto
    try:
        socket.create_connection((host, int(port)), timeout=REACHABLE).close()
    except OSError as fault:
        raise error(
            f"--address: expected a Ray cluster that runs, found none at {address!r}: {fault}"
        ) from None

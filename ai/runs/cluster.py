"""Joins a Ray cluster and leaves it again.

Ray is an optional package: it is imported only when a cluster is used.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

from base.errors import UsageError

REACHABLE = 5.0
"""Seconds in which a cluster must answer."""


def import_ray(error: type[Exception] = UsageError) -> ModuleType:
    """Import and return the package ray.

    Raises:
        Exception: an instance of `error` if ray is not installed.
    """
    try:
        return import_module("ray")
    except ImportError:
        raise error(
            "--backend ray: expected the package ray, found none; "
            "run: python -m pip install 'ray~=2.50'"
        ) from None


@contextmanager
def joined(
    address: str | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    error: type[Exception] = UsageError,
) -> Iterator[ModuleType]:
    """Join a cluster and leave it at the end; yield the package ray.

    Args:
        address: address of a running cluster; None for the one in the variable RAY_ADDRESS, else a
            cluster is started on this machine and stopped at the end.
        environment: environment variables of its processes.
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


def _reach(address: str, error: type[Exception]) -> None:
    """Raise `error` at once if nothing answers at HOST:PORT; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return  # a name of Ray's own, such as auto
    try:
        socket.create_connection((host, int(port)), timeout=REACHABLE).close()
    except OSError as fault:
        raise error(
            f"--address: expected a Ray cluster that runs, found none at {address!r}: {fault}"
        ) from None

"""The flags of commands that also run on a Ray cluster."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from base.errors import UsageError

RAY: Final = "ray"
BACKENDS: Final = ("local", RAY)

Backend = Annotated[
    str, typer.Option("--backend", metavar="NAME", help="local, or ray for a Ray cluster.")
]
Address = Annotated[
    str | None,
    typer.Option("--address", metavar="ADDRESS", help="Address of the Ray cluster [a local one]."),
]


def check_cluster(backend: str, address: str | None) -> None:
    """Check the flags.

    Raises:
        UsageError: the backend is unknown, or an address goes with another one than ray.
    """
    if backend not in BACKENDS:
        raise UsageError(f"--backend: expected {' or '.join(BACKENDS)}, found {backend!r}")
    if address is not None and backend != RAY:
        raise UsageError(f"--address: expected --backend ray with it, found {backend!r}")

"""Where a training computes: the flags of a Ray cluster, and the choice of a device."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from base.errors import UsageError
from sim.commands.cli.ending import echo

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


def use_device(name: str) -> None:
    """Let TensorFlow train on the device of `--device`, and print which.

    Raises:
        UsageError: there is no such device here.
    """
    from ai.learning.alphagomoku.training import DeviceError, open_device

    try:
        used = open_device(name)
    except DeviceError as error:
        raise UsageError(str(error)) from None
    echo(f"training on the {'graphics card' if used == 'gpu' else 'processor'}")

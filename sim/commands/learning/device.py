"""What a training computes on, chosen and said."""

from __future__ import annotations

from base.errors import UsageError
from sim.commands.cli.ending import say


def use_device(name: str) -> None:
    """Let TensorFlow train on a device of the choice `--device`, and say which.

    Raises:
        UsageError: there is no such device here.
    """
    from ai.learning.alphagomoku.training import DeviceError, open_device

    try:
        used = open_device(name)
    except DeviceError as error:
        raise UsageError(str(error)) from None
    say(f"training on the {'graphics card' if used == 'gpu' else 'processor'}")

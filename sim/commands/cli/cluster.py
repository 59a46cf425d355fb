"""What the training commands share: flags, a Ray cluster, and the choice of a device."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from base.errors import UsageError
from base.schema import Option
from sim.commands.cli.ending import echo
from sim.commands.cli.flags import flag, switch

RAY: Final = "ray"
BACKENDS: Final = ("local", RAY)
BACKEND: Final = flag("local", "--backend NAME", "local, or ray for a Ray cluster.")
ADDRESS: Final = flag(None, "--address ADDRESS", "Address of the Ray cluster [a local one].")
TRAINING_SEED: Final = flag(0, "--seed N", "The training's seed.", 0)
TRAINING_RESUME: Final = switch("--resume", "Go on with the training in the folder.")
SETTINGS: Final = flag(
    None, "--set KEY=VALUE", "Change a setting; repeatable. --set help lists them all."
)


def check_cluster(backend: str, address: str | None) -> None:
    """Check the options `--backend` and `--address`.

    Raises:
        UsageError: the backend is unknown, the package ray is missing, or an address is given for
            a backend other than ray.
    """
    if backend not in BACKENDS:
        raise UsageError(f"--backend: expected {' or '.join(BACKENDS)}, found {backend!r}")
    if address is not None and backend != RAY:
        raise UsageError(f"--address: expected --backend ray with it, found {backend!r}")
    if backend == RAY:
        from ai.runs.cluster import require_ray

        require_ray()


def use_device(name: str) -> None:
    """Make TensorFlow train on the device of `--device`, and print the kind of device.

    Args:
        name: value of the option.

    Raises:
        UsageError: this machine has no such device.
    """
    from ai.learning.alphagomoku.training import DeviceError, open_device

    try:
        used = open_device(name)
    except DeviceError as error:
        raise UsageError(str(error)) from None
    echo(f"training on the {'graphics card' if used == 'gpu' else 'processor'}")


def check_device(name: str) -> None:
    """Check the option `--device`, before anything is loaded.

    Raises:
        UsageError: there is no such kind of device.
    """
    from ai.learning.alphagomoku.training import DEVICES

    if name not in DEVICES:
        raise UsageError(
            f"--device: expected {', '.join(DEVICES[:-1])} or {DEVICES[-1]}, found {name!r}"
        )


def check_hours(hours: float | None) -> None:
    """Check the flag `--hours`.

    Raises:
        UsageError: the number is out of range.
    """
    if hours is not None and not 0.0 < hours <= 1e6:
        raise UsageError(f"--hours: expected a number above 0, found {hours:g}")


def print_settings(options: Iterable[Option], key_width: int, default_width: int) -> None:
    """Write a table of the settings of a training, for `--set help`.

    Args:
        options: the settings; each gets a line with key, default and description.
        key_width: width of the first column, characters.
        default_width: width of the second column, characters.
    """
    for item in options:
        echo(f"{item.key:<{key_width}} {item.default!s:<{default_width}} {item.help}")

"""Creates the encoder and the architecture from a player's settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ai.game import Game
from ai.nets.architecture import (
    NO_NETWORK,
    PAPER,
    Architecture,
    ArchitectureError,
    parse_hidden,
    parse_kernel_sizes,
)
from ai.nets.features import STATE_VECTOR, KernelError, StateEncoder
from base.schema import OptionError, OptionValue


def build_encoder(rules: Game, settings: Mapping[str, OptionValue]) -> StateEncoder:
    """Create the state encoder (stage 1) for a board from the settings `kernel` and `input`.

    Raises:
        OptionError: the text of the kernel is invalid.
    """
    try:
        return StateEncoder(
            rules.size,
            rows=rules.rows,
            kernel=cast("str", settings["kernel"]),
            encoding=cast("str", settings.get("input", STATE_VECTOR)),
        )
    except KernelError as error:
        raise OptionError(str(error)) from error


def played_images(rules: Game, settings: Mapping[str, OptionValue]) -> NDArray[np.intp]:
    """Return `[S, A]` the symmetries over which a player averages its network.

    All symmetries with the setting `play_symmetries`, else the identity.
    """
    images = rules.symmetries()
    return images if settings.get("play_symmetries") else images[:1]


def build_architecture(
    rules: Game, settings: Mapping[str, OptionValue], *, channels: int
) -> Architecture:
    """Create the network's architecture for a board from a player's settings.

    The settings are `hidden`, `layout`, `branch` and `kernel_sizes`; the paper's player has the
    first alone. A player without `hidden` layers has no network.

    Raises:
        OptionError: the text of the hidden layers or of the kernel sizes is invalid.
    """
    if "hidden" not in settings:
        return Architecture(rules.size, channels, NO_NETWORK, height=rules.height)
    try:
        return Architecture(
            size=rules.size,
            height=rules.height,
            channels=channels,
            layout=cast("str", settings.get("layout", PAPER)),
            hidden=parse_hidden(cast("str", settings["hidden"])),
            branch=cast("int", settings.get("branch", 0)),
            kernel_sizes=parse_kernel_sizes(cast("str", settings.get("kernel_sizes", "3,3,3"))),
        )
    except ArchitectureError as error:
        raise OptionError(str(error)) from error

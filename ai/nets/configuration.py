"""Builds the encoder and the architecture that a player's settings describe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ai.game import Rules, symmetries_of
from ai.nets.architecture import (
    CROSS_ENTROPY,
    NO_NETWORK,
    Architecture,
    ArchitectureError,
    parse_hidden,
    parse_kernel_sizes,
)
from ai.nets.features import STATE_VECTOR, KernelError, StateEncoder
from base.schema import OptionError, OptionValue


def build_encoder(rules: Rules, settings: Mapping[str, OptionValue]) -> StateEncoder:
    """Build stage 1 for a board from the settings `kernel` and `input`.

    Raises:
        OptionError: the kernel's text is wrong.
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


def played_images(rules: Rules, settings: Mapping[str, OptionValue]) -> NDArray[np.intp]:
    """Return `[S, A]` the images of a state over which a player's answer is the mean.

    All symmetries where the setting `play_symmetries` is on, else the state alone.
    """
    images = symmetries_of(rules)
    return images if settings.get("play_symmetries") else images[:1]


def build_architecture(
    rules: Rules, settings: Mapping[str, OptionValue], *, channels: int
) -> Architecture:
    """Build the network's description for a board from its settings.

    Those are `layout`, `hidden`, `output`, `loss`, `branch` and `kernel_sizes`; the paper's player
    has neither of the last two. A player without a `layout` has no network.

    Raises:
        OptionError: the text of the hidden layers or of the kernels' sides is wrong.
    """
    if "layout" not in settings:
        return Architecture(rules.size, channels, NO_NETWORK, height=rules.height)
    try:
        return Architecture(
            size=rules.size,
            height=rules.height,
            channels=channels,
            layout=cast("str", settings["layout"]),
            hidden=parse_hidden(cast("str", settings["hidden"])),
            branch=cast("int", settings.get("branch", 0)),
            output=cast("str", settings["output"]),
            loss=cast("str", settings.get("loss", CROSS_ENTROPY)),
            kernel_sizes=parse_kernel_sizes(cast("str", settings.get("kernel_sizes", "3,3,3"))),
        )
    except ArchitectureError as error:
        raise OptionError(str(error)) from error

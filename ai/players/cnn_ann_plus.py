"""Our improvement of the self-teaching player: the same stages and memory, other settings.

Like the paper's player it chooses by the network's answer and the free points alone, without a
search for threats. All differences are in the network and in the learning after a game. Each
difference is a setting. With all of them off, the player equals `cnn-ann` bit by bit; a test checks
this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ai.game import Game
from ai.nets.architecture import HYBRID
from ai.nets.features import THREE_PLANES
from ai.players.cnn_ann import CnnAnnPlayer
from ai.players.learning_settings import LearningSettings
from base.schema import OptionValue, options_of

# The walk-back's first record always holds a threat; the quiet states further back cost more
# games than they win once threats are labelled (31 against 43 losses of 300, three seeds each).
_DEFAULTS: Final[dict[str, OptionValue]] = {
    "records": 1,
    "alpha": 0.5,
    "input": THREE_PLANES,
    "hidden": "32,32,32",
    "capacity": 4000,
    "steps": 1280,
    "epochs": 18,
    "least_steps": 120,
    "rate": 0.004,
    "enough": 0.97,
    "layout": HYBRID,
    "branch": 128,
    "kernel_sizes": "5,5,5",
    "warm_start": True,
    "symmetries": True,
    "mask_occupied": True,
    "threat_labels": True,
    "win_records": True,
    "near_losses": True,
    "cycle": 20,
    "variations": 16,
    "play_symmetries": True,
}

# A row of five reaches four points from its end, but three 3x3 kernels see three points far. Losses
# of 600 games against 50x30, seeds 300 and 301: 56; with kernels 5,3,3: 50; 5,5,3 and the third
# plane: 40; 5,5,5: 36. Training after won games, too, did harm (94).
# Losses of 300, five seeds, 10x10, fresh dice: 23.8; with hard examples 28.0.
# Seeds 300 to 302, 10x10, fresh dice, losses of 300 and their mean: without variations and with
# one answer 24.7; the mean over the symmetries 17.0; 16 variations 9.0; both 6.7; in cycles until
# 97 % are held 5.7. The solver's proofs did not help beyond the spread of seeds.
SETTINGS: Final = tuple(
    replace(option, default=_DEFAULTS.get(name, option.default))
    for name, option in options_of(LearningSettings).items()
)


def create(rules: Game, settings: Mapping[str, OptionValue]) -> CnnAnnPlayer:
    """Create the player; the registry calls this function.

    Args:
        rules: rules of the game.
        settings: values of all settings, defaults included.

    Raises:
        OptionError: the text of the kernel sizes or of the hidden layers is invalid.
    """
    return CnnAnnPlayer("cnn-ann-plus", rules, settings)

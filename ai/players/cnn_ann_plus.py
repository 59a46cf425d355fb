"""Our improvement of the self-teaching player: the same stages and memory, other settings.

Like the paper's player it chooses by the network's answer and the free points alone, without a
search for threats. All differences are in the network and in the learning after a game, and each is
a setting. A test checks that with all of them off it equals `cnn-ann` bit by bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ai.game import Game
from ai.nets.architecture import HYBRID, PAPER
from ai.nets.features import THREE_PLANES
from ai.players import cnn_ann
from ai.players.cnn_ann import CnnAnnPlayer
from base.schema import Option, OptionValue

# The walk-back's first record always holds a threat; the quiet states further back cost more
# games than they win once threats are labelled (31 against 43 losses of 300, three seeds each).
_OTHER_DEFAULTS: Final[dict[str, OptionValue]] = {
    "records": 1,
    "alpha": 0.5,
    "input": THREE_PLANES,
    "hidden": "32,32,32",
    "capacity": 4000,
    "steps": 1280,
    "samples": "nodes",
    "redraw": "new",
    "epochs": 18,
    "least_steps": 120,
    "rate": 0.004,
    "enough": 0.97,
}

# A row of five reaches four points from its end, but three 3x3 kernels see three points far. Losses
# of 600 games against 50x30, seeds 300 and 301: 56; with kernels 5,3,3: 50; 5,5,3 and the third
# plane: 40; 5,5,5: 36. Training after won games, too, did harm (94).
# Without hard examples: 27 losses of 300, with them 34 (five seeds each, 10x10, fresh dice).
# Seeds 300 to 302, 10x10, fresh dice, losses of 300 and their mean: without variations and with
# one answer 24.7; the mean over the symmetries 17.0; 16 variations 9.0; both 6.7; in cycles until
# 97 % are held 5.7. The solver's proofs did not help beyond the spread of seeds.
_OWN: Final = (
    Option(
        "layout",
        HYBRID,
        choices=(PAPER, HYBRID),
        help="the three hidden layers: a 3x3 convolution and two dense, or three convolutions "
        "beside a dense branch",
    ),
    Option("branch", 128, 0, 4096, help="neurons of the hybrid net's dense branch; 0: none"),
    Option("kernel_sizes", "5,5,5", help="sides of the three convolutions' kernels"),
    Option("warm_start", True, help="go on from the last weights instead of re-creating the net"),
    Option("symmetries", True, help="turn and mirror each sample at random"),
    Option("mask_occupied", True, help="leave occupied points out of the loss"),
    Option(
        "threat_labels",
        True,
        help="label states of a lost game with the points where the opponent could make a five, "
        "else an open four",
    ),
    Option("own_threats", False, help="label one's own fives and open fours, too"),
    Option("win_records", True, help="remember the threat states of won games, too"),
    Option(
        "near_losses",
        True,
        help="train after a won game, too, in which a threat went unanswered (with win_records)",
    ),
    Option("rehearsal", True, help="mix remembered situations into each training"),
    Option("hard_examples", False, help="take those more often that the net still gets wrong"),
    Option(
        "cycle",
        20,
        1,
        100_000,
        help="steps of a warm start after which it ends where `enough` is held, variations "
        "included; else it goes on as long again, and so on; none: all steps at once",
        optional=True,
    ),
    Option(
        "variations",
        16,
        0,
        64,
        help="imagined variations of each remembered threat: shifted, thinned out and cluttered",
    ),
    Option(
        "proofs",
        None,
        1,
        10_000_000,
        help="positions that an exact solver may visit for each position of a lost or nearly lost "
        "game, to find the losing moves and label them with all proven defences; none: no solver",
        optional=True,
        kind=int,
    ),
    Option("prove_wins", False, help="ask the solver about every won game, too: slow"),
    Option(
        "play_symmetries",
        True,
        help="answer with the mean over all symmetries of the board",
    ),
)


def _settings() -> tuple[Option, ...]:
    """Return the paper's settings with our defaults, then our own."""
    shared = []
    for setting in cnn_ann.SETTINGS:
        default = _OTHER_DEFAULTS.get(setting.key, setting.default)
        shared.append(replace(setting, default=default))
    return (*shared, *_OWN)


SETTINGS: Final = _settings()


def create(rules: Game, settings: Mapping[str, OptionValue]) -> CnnAnnPlayer:
    """Create the player; called by the registry with every setting resolved.

    Raises:
        OptionError: the text of the kernel or of the hidden layers is invalid.
    """
    return CnnAnnPlayer("cnn-ann-plus", rules, settings)

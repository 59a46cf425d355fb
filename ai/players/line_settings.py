"""Settings of the players that learn line situations, `ann-lines` and `cnn-lines`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from ai.memory.line_memory import DEFAULT_LINE_WIDTH, DEFAULT_PRIOR
from ai.nets.architecture import LINES as LINE_LAYOUT
from ai.nets.features import LINES
from ai.players.learning_settings import LearningSettings, PaperSettings
from base.schema import Option, OptionValue, options_of, setting

MISSED: Final = "missed"
RANDOM: Final = "random"
"""Values of the setting `labels`."""


@dataclass(frozen=True, slots=True)
class LineSettings:
    """Settings of the memory of line situations."""

    alpha: float | None = setting(
        None,
        0.0,
        1e6,
        optional=True,
        help="line situations nearer than this to a remembered one are combined with it; a cell "
        "that differs is a distance of 1 or 2; none: only equal ones are",
    )
    width: float = setting(
        DEFAULT_LINE_WIDTH,
        0.0,
        1000.0,
        help="kernel width: what is learnt of a line counts for one at distance d, too, by "
        "exp(-d^2 / 2w^2); 0: only for the line itself",
    )
    prior: float = setting(
        DEFAULT_PRIOR,
        0.001,
        1e6,
        help="imagined observations of each line; with more, rare lines are worth less",
    )
    own: float = setting(
        0.0,
        0.0,
        10.0,
        help="how much the player's own lines count in play: a line is worth as much to make as it "
        "was learnt to be worth stopping, times this; 0: only the opponent's lines are seen",
    )
    labels: str = setting(
        MISSED,
        choices=(MISSED, RANDOM),
        help="what a record teaches: the point that was missed; or a random free point, a control "
        "that learns nothing about the board",
    )


_PAPER: Final = options_of(PaperSettings)
_LEARNING: Final = options_of(LearningSettings)
_LINE: Final = options_of(LineSettings)
_RELEARN: Final = replace(
    _PAPER["relearn"],
    choices=("memory", "last-game"),
    help="what answers: all remembered lines, or those of the last lost game",
)

ANN_LINES: Final = (_PAPER["records"], _RELEARN, *_LINE.values())
"""Settings of `ann-lines`."""


def _changed(name: str, default: OptionValue, **changes: Any) -> Option:
    option: Option = replace(_LEARNING[name], default=default, **changes)
    return option


CNN_LINES: Final = (
    _LEARNING["records"],
    _changed("relearn", "memory", choices=("memory", "never"), help="train after a loss, or never"),
    _changed("input", LINES, choices=(LINES,), help="the network sees the lines of each point"),
    _changed("layout", LINE_LAYOUT, choices=(LINE_LAYOUT,), help="filters along the lines"),
    _changed("steps", 40, help="training steps after each loss"),
    *(_LEARNING["epochs"], _LEARNING["least_steps"]),
    _LEARNING["batch"],
    _changed("rate", 0.05),
    _changed("warm_start", default=True),
    _LEARNING["rehearsal"],
    _changed("mask_occupied", default=True),
    _changed("enough", None),
    *_LINE.values(),
)  # fmt: skip
"""Settings of `cnn-lines`.

The last three are those of the memory with which the network is compared. `steps`: losses of 600
games, seeds 10 and 11 (not among those reported), see the study.
"""

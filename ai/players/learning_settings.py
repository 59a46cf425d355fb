"""Settings of the self-teaching players and of their learner, each declared once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Self

from ai.memory import AUTO, DEFAULT_WIDTH, INDEX_KINDS
from ai.nets.architecture import HYBRID, PAPER
from ai.nets.built import CHOICES, NEWEST
from ai.nets.features import DEFAULT_KERNEL, PLANES, STATE_VECTOR, THREE_PLANES
from base.schema import OptionValue, setting

NODES: Final = "nodes"
KEPT: Final = "kept"
CARRIED: Final = "carried"
BUILT: Final = "built"


@dataclass(frozen=True, slots=True)
class PaperSettings:
    """Settings of `cnn-ann`, the player of the paper."""

    records: int = setting(
        4, 1, 50, help="relearn records: moves to look back after a loss; the paper used 1 to 4"
    )
    alpha: float | None = setting(
        5.0,
        0.0,
        1e6,
        optional=True,
        help="situations nearer than this are merged in the memory; the paper's best is 5; none: "
        "nothing is merged",
    )
    relearn: str = setting(
        "memory",
        choices=("memory", "last-game", "never"),
        help="what is trained on after a loss: the whole memory; the lost game alone, without "
        "the memory (the paper's condition a); nothing",
    )
    kernel: str = setting(DEFAULT_KERNEL, help="convolution f1 that makes the state vector")
    input: str = setting(
        STATE_VECTOR,
        choices=(STATE_VECTOR, PLANES, THREE_PLANES),
        help="what the network sees: f1(s), the raw board as two planes, or with a third "
        "one of the empty points",
    )
    hidden: str = setting("49,128,516", help="neurons of the three hidden layers")
    samples: str = setting(
        NODES,
        choices=(NODES, KEPT),
        help="what the network is trained on: the nodes alone; or with them its own answers in "
        "all other positions it met, so that it does not forget them",
    )
    steps: int = setting(600, 1, 100_000, help="training steps at most, where not by epochs")
    redraw: str = setting(
        "new",
        choices=("new", "same", CARRIED, BUILT),
        help="weights that a training begins with: drawn anew (the paper's text), always the "
        "same, those of the training before, so that it is one network all along, or written from "
        "the nodes of the memory (with input=planes)",
    )
    reach: float = setting(
        3.0,
        0.01,
        10_000.0,
        help="redraw=built: squared distance between boards from which on a node has no part in an "
        "answer; a stone more or less is 1, a stone elsewhere is 2",
    )
    chosen_nodes: str = setting(
        NEWEST,
        choices=CHOICES,
        help="redraw=built: which nodes are written where the last hidden layer is too small for "
        "all: the newest, those met most often, or those farthest from each other",
    )
    gradient_steps: int = setting(
        0, 0, 100_000, help="redraw=built: training steps after the nodes are written; 0: none"
    )
    epochs: int = setting(50, 1, 1000, help="times each node is trained on, where not by steps")
    least_steps: int = setting(400, 1, 100_000, help="training steps at least, for a small memory")
    batch: int = setting(64, 1, 4096, help="samples in a training step")
    rate: float = setting(0.002, 1e-6, 1.0, help="highest learning rate")
    enough: float | None = setting(
        1.0,
        0.5,
        1.0,
        optional=True,
        help="share of the memory held at which a training ends early; none: never",
    )
    width: float = setting(
        DEFAULT_WIDTH,
        0.01,
        1000.0,
        help="kernel width by which the memory answers, to be compared with the network; one stone "
        "is a distance of about 9",
    )
    index: str = setting(
        AUTO,
        choices=INDEX_KINDS,
        help="neighbour search of the memory: exact compares with every node; hnsw walks through "
        "a graph and may miss one; auto is exact up to 1,500,000 numbers (30,612 nodes on 7x7), "
        "then hnsw",
        former_values=(("projection", AUTO),),
    )
    capacity: int | None = setting(
        None,
        1,
        optional=True,
        kind=int,
        help="most nodes remembered, the oldest gives way; none: no bound",
    )


@dataclass(frozen=True, slots=True)
class LearningSettings(PaperSettings):
    """Settings of the learner. Those that `cnn-ann` does not have are off by default."""

    layout: str = setting(
        PAPER,
        choices=(PAPER, HYBRID),
        help="the three hidden layers: a 3x3 convolution and two dense, or three convolutions "
        "beside a dense branch",
    )
    branch: int = setting(0, 0, 4096, help="neurons of the hybrid net's dense branch; 0: none")
    kernel_sizes: str = setting("3,3,3", help="sides of the three convolutions' kernels")
    warm_start: bool = setting(
        False, help="go on from the last weights instead of re-creating the net"
    )
    symmetries: bool = setting(False, help="turn and mirror each sample at random")
    mask_occupied: bool = setting(False, help="leave occupied points out of the loss")
    threat_labels: bool = setting(
        False,
        help="label states of a lost game with the points where the opponent could make a five, "
        "else an open four",
    )
    own_threats: bool = setting(False, help="label one's own fives and open fours, too")
    win_records: bool = setting(False, help="remember the threat states of won games, too")
    near_losses: bool = setting(
        False,
        help="train after a won game, too, in which a threat went unanswered (with win_records)",
    )
    rehearsal: bool = setting(True, help="mix remembered situations into each training")
    hard_examples: bool = setting(False, help="take those more often that the net still gets wrong")
    cycle: int | None = setting(
        None,
        1,
        100_000,
        optional=True,
        kind=int,
        help="steps of a warm start after which it ends where `enough` is held, variations "
        "included; else it goes on as long again, and so on; none: all steps at once",
    )
    variations: int = setting(
        0,
        0,
        64,
        help="imagined variations of each remembered threat: shifted, thinned out and cluttered",
    )
    proofs: int | None = setting(
        None,
        1,
        10_000_000,
        optional=True,
        kind=int,
        help="positions that an exact solver may visit for each position of a lost or nearly lost "
        "game, to find the losing moves and label them with all proven defences; none: no solver",
    )
    prove_wins: bool = setting(False, help="ask the solver about every won game, too: slow")
    play_symmetries: bool = setting(
        False, help="answer with the mean over all symmetries of the board"
    )

    @classmethod
    def from_settings(cls, settings: Mapping[str, OptionValue]) -> Self:
        """Pick the learner's settings out of all settings of a player.

        Settings that the player does not have keep their defaults.

        Args:
            settings: values of all settings of the player.
        """
        known = {item.name for item in fields(cls)}
        chosen: dict[str, Any] = {key: settings[key] for key in settings if key in known}
        return cls(**chosen)

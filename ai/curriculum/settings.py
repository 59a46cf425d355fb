"""Settings of a training run: game, seed, and all numbers of its three phases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from ai.game import Rules
from ai.learning.alphagomoku.basic_rules import COUNT
from ai.learning.alphagomoku.training import OptimizerConfig
from ai.nets.policy_value import BLOCKS, FILTERS, PolicyValueArchitecture
from ai.search.puct import DECAY, C, PuctSettings
from base.schema import Option, OptionError, OptionValue, resolve
from base.values import JsonObject

BASIC: Final = "basic"
MENTOR: Final = "mentor"
SELF_PLAY: Final = "self-play"
PHASES: Final = (BASIC, MENTOR, SELF_PLAY)
"""The phases in the order of the curriculum."""
TREE_MEMORY: Final = 24
"""MiB of each game's search tree."""
_USUAL: Final = OptimizerConfig()

OPTIONS: Final = (
    Option("filters", FILTERS, 1, 512, help="width of the networks' tower"),
    Option("blocks", BLOCKS, 0, 40, help="residual blocks"),
    Option("pooled", False, help="networks without a layer that sees single points: one set of "
           "weights plays on boards of every size; wants a rate of 0.005"),
    Option("double", True, help="one network for each colour; false: one for both"),
    Option("optimizer", _USUAL.optimizer, choices=("momentum", "adam"),
           help="how the loss is lowered"),
    Option("rate", _USUAL.learning_rate, 1e-6, 10.0, help="learning rate"),
    Option("rate_end", 1.0, 1e-4, 1.0, help="share of the rate that is left when phase 2 ends, "
           "falling evenly in its logarithm; phase 3 goes on with it"),
    Option("momentum", _USUAL.momentum, 0.0, 0.999, help="of the optimiser"),
    Option("penalty", _USUAL.weight_decay, 0.0, 1.0, help="c, of the squares of the weights"),
    Option("batch", _USUAL.batch, 2, 8192, help="positions in a training step"),
    Option("decay", DECAY, 0.5, 1.0, help="winning value decay for each ply"),
    Option("basic_positions", COUNT, 20, 10_000_000, help="generated positions of phase 1"),
    Option("basic_steps", 300, 1, 1_000_000, help="training steps of phase 1"),
    Option("basic_values", False, help="whether the heads that give the value stay as phase 1 left "
           "them, where each colour sees one value alone; false: drawn anew"),
    Option("rehearsal", 0.0, 0.0, 0.9, help="share of phase 1's positions in the batches of the "
           "later phases, which else forget them"),
    Option("mentor_nodes", 1000, 1, help="positions that alpha-beta looks at for a move"),
    Option("mentor_games", 64, 2, 100_000, help="its games in a generation of phase 2"),
    Option("mentor_wanders", 0.0, 0.0, 1.0, help="share of its moves that are drawn from its six "
           "best ones, for variety; its best one is learnt"),
    Option("mentor_values", 0.0, 0.0, 1.0, help="share of its own value of a position, beside the "
           "game's result, in the value that is learnt"),
    Option("mentor_empty", 0, 0, 100_000, help="one of so many of its games begins with the empty "
           "board and drawn moves; 0: none"),
    Option("mentor_steps", 200, 1, 1_000_000, help="training steps of such a generation"),
    Option("mentor_match", 20, 2, 10_000, help="games against it after each generation; even"),
    Option("mentor_margin", 0.6, 0.0, 1.0, help="score at which the mentor is beaten"),
    Option("mentor_most", 12, 1, 100_000, help="generations of phase 2, at most"),
    Option("games", 64, 1, 100_000, help="games in a generation of phase 3"),
    Option("balanced", 0.0, 0.0, 1.0, help="share of its games that begin with a balanced opening; "
           "the others begin with the empty board"),
    Option("lot", 16, 1, 256, help="games that are searched together: their leaves share batches"),
    Option("window", 600, 1, 1_000_000, help="last games that are learnt from"),
    Option("steps", 100, 1, 1_000_000, help="training steps of such a generation"),
    Option("simulations", 100, 2, 1_000_000, help="of the search for each move"),
    Option("c", C, 0.0, 100.0, help="weight of the priors in the search"),
    Option("temperature", 1.0, 0.01, 10.0, help="of the visits, where moves are drawn"),
    Option("stochastic_plies", 0, 0, 500, help="first plies that are drawn; 0: a twentieth of "
           "the points, at least 4"),
    Option("noise", 0.25, 0.0, 1.0, help="share of the root's noise in self-play"),
    Option("discards", False, help="whether a pair that the gate rejects is discarded, as in the "
           "document; false: it learns on"),
    Option("gate_pairs", 10, 1, 10_000, help="pairs of games of a gate match, at most"),
    Option("gate_elo", 100.0, 1.0, 2000.0, help="Elo that the new pair is tested to have gained"),
)  # fmt: skip

Settings: TypeAlias = Mapping[str, OptionValue]


class CurriculumError(OptionError):
    """A training's settings or checkpoints are invalid; the text is one line for the user."""


@dataclass(frozen=True)
class Curriculum:
    """Settings of a training run, without its budget."""

    rules: Rules
    seed: int = 0
    settings: Settings = field(default_factory=dict)
    """Value of every option in `OPTIONS`, by key."""

    @classmethod
    def of(
        cls, rules: Rules, seed: int = 0, given: Mapping[str, object] | None = None
    ) -> Curriculum:
        """Return checked settings, with defaults for missing ones.

        Args:
            rules: rules of the game.
            seed: random seed of the run.
            given: values that replace the defaults, by key; None for none.

        Raises:
            OptionError: a setting is unknown or invalid.
            CurriculumError: phase 1 does not support the rules.
        """
        if not rules.is_plain or rules.exact or rules.has_fouls or rules.size <= rules.win_length:
            raise CurriculumError(
                "--board, --win-length: expected a side longer than the row that wins, found "
                f"{rules.size} and {rules.win_length}"
            )
        return cls(rules, seed, resolve(OPTIONS, given or {}, owner="--set"))

    def number(self, key: str) -> float:
        """Return a setting that is a number."""
        return float(str(self.settings[key]))

    def count(self, key: str) -> int:
        """Return a setting that is a whole number."""
        return int(str(self.settings[key]))

    @property
    def architecture(self) -> PolicyValueArchitecture:
        """Architecture of the networks."""
        return PolicyValueArchitecture(
            self.rules.size,
            self.count("filters"),
            self.count("blocks"),
            is_pooled=bool(self.settings["pooled"]),
        )

    @property
    def optimizer(self) -> OptimizerConfig:
        """Settings of the optimiser."""
        rate, momentum, penalty = map(self.number, ("rate", "momentum", "penalty"))
        name = str(self.settings["optimizer"])
        return OptimizerConfig(rate, momentum, penalty, self.count("batch"), name)

    def learning_rate_scale(self, done: int | None) -> float:
        """Return the factor by which the learning rate is multiplied in a generation.

        It falls during phase 2 from 1 to the setting `rate_end`, and keeps that value in phase 3.

        Args:
            done: number of finished generations of phase 2; None for phase 3.
        """
        last = self.count("mentor_most") - 1
        way = 1.0 if done is None or last == 0 else min(done / last, 1.0)
        return float(self.number("rate_end") ** way)

    def search(self, *, noise: float) -> PuctSettings:
        """Return the settings of the tree search that plays the games.

        It draws the first moves of a game at random, the more visited ones more often. This is
        called the semi-stochastic policy.

        Args:
            noise: share of random noise in the prior probabilities of the root's moves.
        """
        plies = self.count("stochastic_plies") or max(4, self.rules.points // 20)
        return PuctSettings(
            c=self.number("c"),
            decay=self.number("decay"),
            policy="semi-stochastic",
            temperature=self.number("temperature"),
            stochastic_plies=plies,
            noise=noise,
            memory=TREE_MEMORY,
        )

    def as_dict(self) -> JsonObject:
        """Return plain values for JSON."""
        return {
            "rules": self.rules.as_dict(),
            "size": self.rules.size,
            "win_length": self.rules.win_length,
            "seed": self.seed,
            "settings": dict(self.settings),
        }


def with_defaults(settings: Settings) -> Settings:
    """Add defaults for missing options to the settings of an older training."""
    return {**{option.key: option.default for option in OPTIONS}, **settings}


def phases_of(names: Sequence[str]) -> tuple[str, ...]:
    """Return the named phases in the order of the curriculum; all if no name is given.

    Raises:
        CurriculumError: a name is unknown.
    """
    for name in names:
        if name not in PHASES:
            raise CurriculumError(f"--phase: expected one of {', '.join(PHASES)}, found {name!r}")
    return tuple(phase for phase in PHASES if phase in names) if names else PHASES

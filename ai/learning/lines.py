"""The learners of `ann-lines` and `cnn-lines`: they learn from lost games which lines are urgent.

Both store the records of lost games, as the paper's learner does: the position and the point where
the learner should have placed its stone. `ann-lines` counts in them which line situations were
missed (`ai.memory.line_memory`). `cnn-lines` trains a network on them whose convolutions run along
lines. Nothing else is taught: no threats, no won games, no search.

A record further from the end of its game has several good answers, of which its label is one. So a
training counts as successful here if the label is among the best points, see `BEST`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from ai.learning.ann import AnnLearner
from ai.learning.learner import LearnerError, TrainedWeights, Trainers
from ai.learning.measures import HeldTest, MemoryAnswer
from ai.learning.self_teaching import SelfTeachingLearner
from ai.memory import LineMemory
from ai.players.ann_lines import LineKnowledge
from ai.players.line_settings import RANDOM
from ai.registry.players import get_player_info, resolve_settings
from ai.samples.one_hot import relabelled
from base.schema import OptionError

if TYPE_CHECKING:
    from ai.game import Game, GameRecord
    from ai.learning.enhanced_training import NodeSamples
    from ai.samples.one_hot import Sample
    from ai.store.checkpoints import LearnerState

_STREAM: Final = 9
"""Part of the random seed of the control's labels; it separates them from other draws."""
BEST: Final = 5
"""Number of best points among which a record's label must be to count as held.

The paper's figure 7 counts the ranks of the moves one by one up to the fifth, too.
"""
ORIGINS: Final = "origins"
"""Name of the array in a checkpoint that says where the records come from."""


class _LineRecords(SelfTeachingLearner):
    """A learner whose memory holds the records of lost games, each with its origin.

    Equal positions are not combined: what is combined are lines, see `LineMemory`. A failed
    training is not repeated from new weights, which would forget what is learnt of lines.
    """

    repeats_failed = False

    def __init__(
        self,
        name: str,
        rules: Game,
        settings: Mapping[str, object],
        seed: int = 0,
        *,
        threads: int = 1,
        share: float = 1.0,
        trainers: Trainers | None = None,
    ) -> None:
        """Start with an empty memory; see `SelfTeachingLearner`.

        Args:
            name: name of the player in the registry.
            rules: rules of the game, which names its lines (`Game.lines`).
            settings: the player's settings; defaults for missing ones.
            seed: random seed of the weights and of the order of training.
            threads: number of processor threads that a training uses.
            share: share of the time that a training computes, above 0 to 1.
            trainers: training loops shared with other learners; None to create own ones.

        Raises:
            OptionError: a setting is unknown or invalid, or the game has no lines.
        """
        if rules.lines() is None:
            raise OptionError(f"{name}: expected a game that names its lines, found {rules!r}")
        self._line_settings = resolve_settings(get_player_info(name), settings)
        self._known = LineKnowledge(rules, self._line_settings)
        self._origins: list[tuple[int, int]] = []
        super().__init__(
            name, rules, settings, seed, threads=threads, share=share, trainers=trainers
        )

    @property
    def board_alpha(self) -> float | None:
        """None: positions are not merged; the setting `alpha` is about lines."""
        return None

    def reset(self) -> None:
        """Forget everything learnt."""
        self._origins = []
        super().reset()

    def line_memory(self) -> LineMemory:
        """Return the memory of the lines in all records."""
        self._known.remember(self.memory.stones, self.memory.labels)
        return self._known.lines

    def memory_answer(self) -> MemoryAnswer:
        """Return a function that answers from the remembered lines alone."""
        return self.line_memory().scores

    def held_test(self, samples: NodeSamples) -> HeldTest:
        """Return a test that measures how many labels are among the best points; see `BEST`."""
        return HeldTest.of(samples.stones, samples.labels, self.rules, best=BEST)

    def change_settings(self, settings: Mapping[str, object]) -> None:
        """Change the settings, keeping the network and the records.

        Raises:
            OptionError: a setting is unknown or does not fit; nothing is changed.
            LearnerError: the settings describe another network; nothing is changed.
        """
        resolved = resolve_settings(get_player_info(self.name), settings)
        super().change_settings(settings)
        self._line_settings = resolved
        self._known = self._known.emptied(resolved)

    def weights(self) -> TrainedWeights:
        """Return what was learnt, and the records with their origins."""
        found = super().weights()
        if found.memory is None:
            return found
        origins = np.array(self._origins, np.float32).reshape(-1, 2)
        return replace(found, memory=replace(found.memory, origins=origins))

    def state(self) -> LearnerState:
        """Return the complete state, for a checkpoint."""
        found = super().state()
        origins = np.array(self._origins, np.int64).reshape(-1, 2)
        return replace(found, memory={**found.memory, ORIGINS: origins})

    def restore(self, state: LearnerState) -> None:
        """Replace the learner's state by that of a checkpoint.

        Raises:
            KeyError: a counter is missing; nothing is changed.
            LearnerError: the origins do not fit the records; nothing is changed.
            MemoryFileError: the memory's arrays do not fit; nothing is changed.
        """
        origins = np.asarray(state.memory.get(ORIGINS, np.zeros((0, 2))))
        records = len(state.memory.get("counts", ()))
        if origins.shape != (records, 2):
            raise LearnerError(f"origins: expected the shape {(records, 2)}, found {origins.shape}")
        super().restore(state)
        self._origins = [(int(game), int(ply)) for game, ply in origins]

    def advice(self) -> str:
        """Return a warning about a failed training, with a remedy."""
        held = self._trained.measures.held or 0.0
        return (
            f"the training failed: of {held:.0%} of its records it has the point among its "
            f"{BEST} best (expected {self.least_held:.0%} or more); lower `rate` or raise `steps`"
        )

    def _lessons_of_loss(self, record: GameRecord) -> list[Sample]:
        """Return the records of a lost game, with random points as the setting `labels` says."""
        lessons = super()._lessons_of_loss(record)
        if self._line_settings["labels"] != RANDOM:
            return lessons
        return relabelled(lessons, record, np.random.default_rng([self.seed, _STREAM, record.game]))

    def _remember(self, lessons: Sequence[Sample]) -> list[int]:
        """Add records and their origins; return their indices."""
        # The learner's move and then the opponent's stone follow on the position's stones.
        plies = [int(np.count_nonzero(lesson.stones)) + 1 for lesson in lessons]
        self._origins += [(self.games_learnt, ply) for ply in plies]
        return super()._remember(lessons)


class LineMemoryLearner(AnnLearner, _LineRecords):
    """The learner of `ann-lines`: stores the records; their lines are counted, nothing is trained.

    With the setting `relearn` = "last-game" it holds only the records of the last lost game.
    """

    def _store_samples(self, lessons: Sequence[Sample]) -> None:
        """Store the records of a lost game; with `relearn` "last-game" earlier ones are dropped."""
        if self.settings.relearn != "memory":
            self._origins = []
        super()._store_samples(lessons)


class LineNetworkLearner(_LineRecords):
    """The learner of `cnn-lines`: trains a network along lines on the records of lost games."""


create_ann = partial(LineMemoryLearner, "ann-lines")
"""Create the learner of `ann-lines`; the arguments are those of its class but `name`."""
create_cnn = partial(LineNetworkLearner, "cnn-lines")
"""Create the learner of `cnn-lines`; the arguments are those of its class but `name`."""

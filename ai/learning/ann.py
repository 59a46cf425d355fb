"""The learner of the player `ann`: stores lost games in its memory and trains no network."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game import Game, GameRecord
from ai.learning.learner import LearnerError, Progress, TrainedWeights
from ai.learning.measures import (
    Answer,
    HeldTest,
    Measures,
    measure,
    positions_of,
)
from ai.learning.self_teaching import SelfTeachingLearner
from ai.samples.one_hot import Sample, relabelled
from base.schema import OptionError
from base.values import JsonObject

CONTROLS: Final = ("none", "shuffled-labels", "random-labels")
_STREAM: Final = 9
_EXAMINED_PAIRS: Final = 2**27
"""Comparisons of a position with a node that measuring the memory may take.

A memory of up to 32,768 positions is measured in full; see `ai.learning.measures`.
"""
_LEAST_EXAMINED: Final = 128


class AnnLearner(SelfTeachingLearner):
    """Learner that only stores the positions of lost games; its memory chooses the moves, too.

    With the setting `relearn` = "last-game" the memory holds only the positions of the last lost
    game.
    """

    def __init__(
        self,
        name: str,
        rules: Game,
        settings: Mapping[str, object],
        seed: int = 0,
        *,
        control: str = "none",
        threads: int = 1,
        share: float = 1.0,
    ) -> None:
        """Start with an empty memory.

        Args:
            name: the player's name in the registry.
            rules: rules of the game.
            settings: the player's settings; defaults for missing ones.
            seed: random seed of the control.
            control: "none", or a deliberately spoilt memory for comparison. "shuffled-labels"
                exchanges the labels among the remembered positions. "random-labels" labels each
                position with a random free point.
            threads: unused, since nothing is trained.
            share: unused.

        Raises:
            OptionError: a setting is invalid, or the control needs a network.
        """
        if control not in CONTROLS:
            raise OptionError(
                f"--control: expected {', '.join(CONTROLS)} for {name}, found {control!r}"
            )
        self.control = control
        super().__init__(name, rules, settings, seed, threads=threads, share=share)

    def train(self, progress: Progress | None = None) -> TrainedWeights:
        """Measure the memory and return it under a new network id; no network is trained.

        Args:
            progress: called once at the end with (1, 1, 0.0, share of remembered positions answered
                right); None for no calls.

        Returns:
            The memory, in the form in which other learners return a network.

        Raises:
            LearnerError: the memory is empty.
        """
        if not len(self.memory):
            raise LearnerError("expected a lost game to learn from, found none")
        started = time.perf_counter()
        self.network_id += 1
        self.retrains += 1
        recalled = self.memory_answer()

        def answer(stones: NDArray[np.int8]) -> NDArray[np.float32]:
            return recalled(stones).astype(np.float32)

        most = max(_EXAMINED_PAIRS // len(self.memory), _LEAST_EXAMINED)  # each costs more
        measures = self.measure(answer, self.held_test(self._samples()).at_most(most))
        self.failed += self.has_failed(measures)
        if progress is not None:
            progress(1, 1, 0.0, measures.held or 0.0)
        seconds = time.perf_counter() - started
        self._trained = TrainedWeights(self.network_id, {}, seconds=seconds, measures=measures)
        return self.weights()

    def measure(self, answer: Answer, test: HeldTest) -> Measures:
        """Measure the memory; `agrees` is None, as there is no network to agree with it.

        Args:
            answer: the memory's answer.
            test: test of the memory.
        """
        positions = positions_of(self._recent, self.rules.points)
        return measure(answer, test, positions, self.rules, None)

    def advice(self) -> str:
        """Return a warning that the memory answers its own positions wrongly, and what to do."""
        held = self._trained.measures.held or 0.0
        return (
            f"the memory answers {held:.0%} of its own situations as it was taught "
            f"(expected {self.least_held:.0%} or more): their neighbours weigh too much; "
            "lower `width` or `alpha`"
        )

    def weights(self) -> TrainedWeights:
        """Return the memory in the form in which other learners return a network.

        With the control "shuffled-labels" its labels are exchanged at random among the positions.
        """
        found = super().weights()
        if self.control != "shuffled-labels" or found.memory is None:
            return found
        rng = np.random.default_rng([self.seed, _STREAM, found.network_id])
        labels = rng.permutation(self.memory.labels)
        return replace(found, memory=replace(found.memory, labels=labels))

    def statistics(self) -> JsonObject:
        """Return plain numbers for charts, by name."""
        return {**super().statistics(), "nodes": len(self.memory)}

    def prepare(self) -> None:
        """Do nothing: there is nothing to load."""

    def _lessons_of_loss(self, record: GameRecord) -> list[Sample]:
        """Return the samples of a lost game, with random labels if the control asks for them."""
        lessons = super()._lessons_of_loss(record)
        if self.control != "random-labels":
            return lessons
        return relabelled(lessons, record, np.random.default_rng([self.seed, _STREAM, record.game]))

    def _store_samples(self, lessons: Sequence[Sample]) -> None:
        """Store the samples of a lost game; with `relearn` "last-game" earlier ones are dropped."""
        if self.settings.relearn != "memory":
            self.memory.clear()
        self._latest = self._remember(lessons)


create = partial(AnnLearner, "ann")
"""Create the learner of the player `ann`; it takes the arguments of `AnnLearner` but `name`."""

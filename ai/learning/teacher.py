"""Extracts samples from finished games: walk-back, threats, the solver's proofs, variations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ai.game import Game, GameRecord, Rules
from ai.learning.configuration import LearningSettings
from ai.learning.enhanced_training import Variations
from ai.samples.one_hot import Sample, missed_lessons, walk_back
from ai.samples.threats import threat_label, threat_lessons
from ai.samples.variations import vary

if TYPE_CHECKING:
    from ai.samples.proofs import Prover


class Teacher:
    """Extracts samples from games, by the learner's settings; keeps only caches.

    Threats, their variations and proofs are those of m,n,k games; other games have the walk-back.
    """

    def __init__(self, rules: Game, settings: LearningSettings) -> None:
        """Set what is played and by which settings samples are made."""
        self._rules = rules if isinstance(rules, Rules) else None
        self._settings = settings
        self._prover: Prover | None = None
        self._varied: dict[bytes, list[Sample]] = {}

    def of_loss(self, record: GameRecord) -> list[Sample]:
        """Return stage 4's samples of a lost game, with improved labels if these are on."""
        settings, rules = self._settings, self._rules
        better = _together(self._threats(record), self._proven(record))
        known = {lesson.stones.tobytes() for lesson in better}
        walked = walk_back(record, settings.records)
        quiet = [lesson for lesson in walked if lesson.stones.tobytes() not in known]
        if settings.threat_labels and rules is not None:
            with_own = settings.own_threats
            quiet = [
                lesson
                for lesson in quiet
                if threat_label(lesson.stones, rules, with_own=with_own) is None
            ]
        return quiet + better

    def of_win(self, record: GameRecord) -> tuple[list[Sample], bool]:
        """Return the samples of a won game, and whether it was nearly lost.

        Nearly lost: a threat went unanswered, or a move is proven to lose. The solver analyses
        near losses, with `prove_wins` every game.
        """
        settings = self._settings
        threats = self._threats(record)
        is_near_loss = settings.near_losses and bool(missed_lessons(record, threats))
        proven = self._proven(record) if is_near_loss or settings.prove_wins else []
        return _together(threats, proven), is_near_loss or (settings.near_losses and bool(proven))

    def variations(self, states: NDArray[np.int8]) -> Variations | None:
        """Return the variations of states `[N, A]`; None for none.

        Those of states that the last call had, too, are computed no more; the others' are dropped:
        a memory of any capacity takes in new states for ever.
        """
        count = self._settings.variations
        if not count or self._rules is None:
            return None
        before, self._varied = self._varied, {}
        lessons: list[Sample] = []
        first = [0]
        for stones in states:
            key = stones.tobytes()
            if key not in self._varied:
                known = before.get(key)
                with_own = self._settings.own_threats
                self._varied[key] = (
                    vary(stones, self._rules, count, with_own=with_own) if known is None else known
                )
            lessons += self._varied[key]
            first.append(len(lessons))
        if not lessons:
            return None
        return Variations(
            np.stack([lesson.stones for lesson in lessons]),
            np.stack([lesson.label for lesson in lessons]),
            np.array(first),
        )

    def _threats(self, record: GameRecord) -> list[Sample]:
        """Return the states of a game with a threat in them."""
        if not self._settings.threat_labels:
            return []
        return threat_lessons(record, with_own=self._settings.own_threats)

    def _proven(self, record: GameRecord) -> list[Sample]:
        """Return what the exact solver says of a game, where it is asked."""
        if self._settings.proofs is None or self._rules is None:
            return []
        if self._prover is None:
            from ai.samples.proofs import Prover

            self._prover = Prover(self._rules, self._settings.proofs)
        return self._prover.lessons(record)


def _together(lessons: list[Sample], better: list[Sample]) -> list[Sample]:
    """Return both, but of those with the same state only the better one."""
    known = {lesson.stones.tobytes() for lesson in better}
    return [lesson for lesson in lessons if lesson.stones.tobytes() not in known] + better

"""What the tests of players and learners share."""

from __future__ import annotations

import pytest

from ai.learning.learner import Trainers

LOOPS: dict = {}
"""The training loops of the whole session: to build and trace one takes more than most tests."""


BUILD = Trainers.of


@pytest.fixture(autouse=True, scope="session")
def shared_loops():
    """Let learners of one network take turns with one loop, as those of a hall do.

    That they learn what they learn alone is
    `test_learners_that_share_a_loop_learn_what_they_learn_alone`, which asks for `own_loops`.
    """

    def of(self, architecture, batch):
        if architecture not in self._trainers:
            if architecture not in LOOPS:
                LOOPS[architecture] = BUILD(Trainers(), architecture, batch)
            self._trainers[architecture] = LOOPS[architecture]
        return self._trainers[architecture]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trainers, "of", of)
        yield


@pytest.fixture
def own_loops(monkeypatch):
    """Let each learner build a loop of its own, as outside of the tests."""
    monkeypatch.setattr(Trainers, "of", BUILD)

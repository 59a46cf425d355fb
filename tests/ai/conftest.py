"""What the tests of players and learners share."""

from __future__ import annotations

import pytest

from ai.learning.trainers import Trainers

LOOPS: dict = {}
"""The training loops of the whole session: to build and trace one takes more than most tests."""


@pytest.fixture(autouse=True)
def shared_loops(request, monkeypatch):
    """Let learners of one network take turns with one loop, as those of a hall do.

    That they learn what they learn alone is
    `test_learners_that_share_a_loop_learn_what_they_learn_alone`, which asks for `own_loops`.
    """
    if "own_loops" in request.fixturenames:
        return
    build = Trainers.of

    def of(self, architecture, batch, optimizer="adam"):
        key = architecture, optimizer
        if key not in self._trainers:
            if key not in LOOPS:
                LOOPS[key] = build(Trainers(), architecture, batch, optimizer)
            self._trainers[key] = LOOPS[key]
        return self._trainers[key]

    monkeypatch.setattr(Trainers, "of", of)


@pytest.fixture
def own_loops():
    """Let each learner build a loop of its own, as outside of the tests."""

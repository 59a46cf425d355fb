"""Which samples are made of a lost game when threats are labelled."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from ai.game import BLACK, GameRecord, Rules, from_text
from ai.learning import self_teaching
from ai.learning.self_teaching import Teacher
from ai.players.learning_settings import LearningSettings
from ai.registry.players import get_player_info, resolve_settings
from ai.samples.one_hot import Sample, walk_back
from ai.samples.threats import threat_label

ROOT = Path(__file__).parents[3]
RULES = Rules(7, 5)
MOVES = ["b4", "a1", "c4", "g1", "d4", "a7", "e4", "g7", "f4"]


def test_states_with_a_threat_are_labelled_anew_and_the_others_as_walked():
    record = GameRecord(RULES, tuple(from_text(text, 7) for text in MOVES), BLACK, "five", 1)
    given = resolve_settings(get_player_info("cnn-ann-plus"), {"threat_labels": True, "records": 4})
    settings = LearningSettings.from_settings(given)
    walked = walk_back(record, settings.records)
    quiet = [item for item in walked if threat_label(item.stones, RULES) is None]
    assert 0 < len(quiet) < len(walked)
    found = Teacher(RULES, settings).of_loss(record)
    for stones, label in found:
        wanted = threat_label(stones, RULES, with_own=settings.own_threats)
        if wanted is not None:
            assert np.array_equal(label, wanted)
    told = {item.stones.tobytes() for item in found}
    assert {item.stones.tobytes() for item in quiet} <= told


def test_variations_are_kept_for_the_states_of_the_last_call_alone(monkeypatch):
    asked = []

    def varied(stones, rules, count, *, with_own):
        asked.append(int(stones[0]))
        return [Sample(stones, np.zeros(49, np.float32))] * count

    monkeypatch.setattr(self_teaching, "vary", varied)
    given = resolve_settings(get_player_info("cnn-ann-plus"), {"variations": 2})
    taught = Teacher(RULES, LearningSettings.from_settings(given))
    for first in range(100):  # a memory of three, whose oldest gives way
        states = np.zeros((3, 49), np.int8)
        states[:, 0] = range(first, first + 3)
        found = taught.variations(states)
        assert [int(item[0]) for item in found.stones] == [
            state for state in states[:, 0] for _ in range(2)
        ]
        assert list(found.first) == [0, 2, 4, 6]
    assert asked == list(range(102)), "each once"
    assert len(taught._varied) == 3


def test_a_learner_opens_without_the_solver_and_without_what_writes_weights():
    code = (
        "import sys, ai.workers.trainer, ai.learning.self_teaching, ai.learning.ann\n"
        "heavy = {'numba', 'h5py', 'ai.search.oracle', 'ai.kernels.proof.search'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

"""Which samples are made of a lost game when threats are labelled."""

from __future__ import annotations

import numpy as np

from ai.game import BLACK, GameRecord, Rules, from_text
from ai.learning.configuration import LearningSettings
from ai.learning.teacher import Teacher
from ai.registry.players import get_player_info, resolve_settings
from ai.samples.one_hot import walk_back
from ai.samples.threats import threat_label

RULES = Rules(7, 5)
MOVES = ["b4", "a1", "c4", "g1", "d4", "a7", "e4", "g7", "f4"]


def test_states_with_a_threat_are_labelled_anew_and_the_others_as_walked():
    record = GameRecord(RULES, tuple(from_text(text, 7) for text in MOVES), BLACK, "five", 1)
    given = resolve_settings(get_player_info("cnn-ann-plus"), {"threat_labels": True, "records": 4})
    settings = LearningSettings.from_settings(given)
    walked = walk_back(record, settings.records, by=settings.walk_back)
    quiet = [item for item in walked if threat_label(item.stones, RULES) is None]
    assert 0 < len(quiet) < len(walked)
    found = Teacher(RULES, settings).of_loss(record)
    for stones, label in found:
        wanted = threat_label(stones, RULES, with_own=settings.own_threats)
        if wanted is not None:
            assert np.array_equal(label, wanted)
    told = {item.stones.tobytes() for item in found}
    assert {item.stones.tobytes() for item in quiet} <= told

from __future__ import annotations

import numpy as np
import pytest

from ai.nets.architecture import Architecture, draw_weights
from ai.nets.weights_file import CHECKPOINT_WEIGHTS, read_weights, weights_bytes
from base.storage.card_file import CardFileError

ARCHITECTURE = Architecture(3, 1, hidden=(2, 3, 4))


def test_weights_come_back_bit_for_bit(tmp_path):
    weights = draw_weights(ARCHITECTURE, np.random.default_rng(0))
    (tmp_path / "a.weights.h5").write_bytes(weights_bytes(ARCHITECTURE, weights))
    again = read_weights(tmp_path / "a.weights.h5", ARCHITECTURE)
    assert again.keys() == weights.keys()
    assert all((again[name] == weights[name]).all() for name in weights)


def test_the_name_in_a_checkpoint_is_one_that_keras_reads():
    assert CHECKPOINT_WEIGHTS.endswith(".weights.h5")


def test_the_file_of_another_network_is_refused(tmp_path):
    weights = draw_weights(ARCHITECTURE, np.random.default_rng(0))
    (tmp_path / "a.weights.h5").write_bytes(weights_bytes(ARCHITECTURE, weights))
    with pytest.raises(CardFileError, match="not the shape"):
        read_weights(tmp_path / "a.weights.h5", Architecture(4, 1, hidden=(2, 3, 4)))
    with pytest.raises(CardFileError, match="expected"):
        read_weights(tmp_path / "a.weights.h5", Architecture(3, 1, "hybrid", hidden=(2, 3, 4)))

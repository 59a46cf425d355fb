from __future__ import annotations

import numpy as np
import pytest

from ai.nets.architecture import Architecture
from ai.nets.initial import WeightsError, draw_weights
from ai.nets.weights_file import read_weights, write_weights

ARCHITECTURE = Architecture(3, 1, hidden=(2, 3, 4))


def test_weights_come_back_bit_for_bit(tmp_path):
    weights = draw_weights(ARCHITECTURE, np.random.default_rng(0))
    write_weights(tmp_path / "a.weights.h5", ARCHITECTURE, weights)
    again = read_weights(tmp_path / "a.weights.h5", ARCHITECTURE)
    assert again.keys() == weights.keys()
    assert all((again[name] == weights[name]).all() for name in weights)


def test_another_ending_is_refused_as_keras_would(tmp_path):
    weights = draw_weights(ARCHITECTURE, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"\.weights\.h5"):
        write_weights(tmp_path / "a.h5", ARCHITECTURE, weights)


def test_the_file_of_another_network_is_refused(tmp_path):
    weights = draw_weights(ARCHITECTURE, np.random.default_rng(0))
    write_weights(tmp_path / "a.weights.h5", ARCHITECTURE, weights)
    with pytest.raises(WeightsError, match="expected the shape"):
        read_weights(tmp_path / "a.weights.h5", Architecture(4, 1, hidden=(2, 3, 4)))
    with pytest.raises(WeightsError, match="expected the weights"):
        read_weights(tmp_path / "a.weights.h5", Architecture(3, 1, "all-dense", hidden=(2, 3, 4)))

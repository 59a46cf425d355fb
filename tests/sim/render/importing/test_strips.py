"""Strips and fans of a glTF file become triangles that face one way."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from sim.render.importing.gltf import FAN, STRIP, TRIANGLES, GltfReader
from sim.render.importing.model_data import fitted


@pytest.mark.parametrize(
    ("mode", "triangles"),
    [
        (TRIANGLES, [[4, 5, 6]]),
        (FAN, [[4, 5, 6], [4, 6, 7], [4, 7, 8]]),
        (STRIP, [[4, 5, 6], [6, 5, 7], [6, 7, 8]]),
    ],
)
def test_corners_in_a_row(mode, triangles):
    file = SimpleNamespace(accessor=lambda index: np.array([[4], [5], [6], [7], [8]]))
    found = GltfReader._triangles(SimpleNamespace(file=file), {"mode": mode, "indices": 0})
    assert found.tolist() == triangles
    few = SimpleNamespace(accessor=lambda index: np.array([[4], [5]]))
    none = GltfReader._triangles(SimpleNamespace(file=few), {"mode": mode, "indices": 0})
    assert none.shape == (0, 3)


def test_every_kind_of_number_becomes_a_byte():
    shape = (1, 3, 3)
    assert (fitted(np.full(shape, 0.5, np.float32)) == 127).all()
    assert (fitted(np.full(shape, np.nan)) == 0).all()
    assert (fitted(np.full(shape, 9.0)) == 255).all()
    assert (fitted(np.full(shape, 0x7FFF, np.uint16)) == 0x7F).all()
    assert fitted(np.full((1, 3), 7, np.uint8)).shape == shape
    assert fitted(
        np.dstack([np.full((1, 3), 7, np.uint8), np.full((1, 3), 9, np.uint8)])
    ).tolist() == [[[7, 7, 7, 9]] * 3]

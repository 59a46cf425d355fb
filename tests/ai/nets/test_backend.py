"""What TensorFlow and Keras are loaded with."""

from __future__ import annotations

import gc
import importlib
import sys

import pytest

backend = pytest.importorskip("ai.nets.backend")


def test_a_package_is_hidden_only_while_it_is_said(monkeypatch):
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    with backend._not_to_be_had("colorsys"), pytest.raises(ModuleNotFoundError):
        importlib.import_module("colorsys")
    assert importlib.import_module("colorsys").rgb_to_hsv


def test_what_was_loaded_is_there_again():
    import colorsys

    with backend._not_to_be_had("colorsys"), pytest.raises(ModuleNotFoundError):
        importlib.import_module("colorsys")
    assert importlib.import_module("colorsys") is colorsys


def test_keras_came_without_matplotlib():
    assert sys.modules["keras.src.visualization.plot_image_gallery"].plt is None


@pytest.mark.parametrize("was_enabled", [True, False])
def test_the_collector_waits_and_is_as_before(was_enabled):
    before = gc.isenabled()
    try:
        (gc.enable if was_enabled else gc.disable)()
        with backend._collector_waits():
            assert not gc.isenabled()
        assert gc.isenabled() == was_enabled
    finally:
        (gc.enable if before else gc.disable)()

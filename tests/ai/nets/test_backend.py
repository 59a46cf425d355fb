"""What TensorFlow and Keras are loaded with."""

from __future__ import annotations

import importlib
import sys

import pytest

backend = pytest.importorskip("ai.nets.backend")


def test_a_package_is_hidden_only_while_it_is_said(monkeypatch):
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    with backend._unimportable("colorsys"), pytest.raises(ModuleNotFoundError):
        importlib.import_module("colorsys")
    assert importlib.import_module("colorsys").rgb_to_hsv


def test_what_was_loaded_is_there_again():
    import colorsys

    with backend._unimportable("colorsys"), pytest.raises(ModuleNotFoundError):
        importlib.import_module("colorsys")
    assert importlib.import_module("colorsys") is colorsys


def test_keras_came_without_matplotlib():
    assert sys.modules["keras.src.visualization.plot_image_gallery"].plt is None

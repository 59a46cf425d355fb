"""Which network is compared: with fakes, without an app."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from scripts.gomoku.explain.comparison import Comparison


@pytest.mark.parametrize(
    ("played", "number", "found"),
    [
        ("with memory", 7, "with memory"),
        ("with memory", 5, "kept"),
        (None, 7, None),
        (None, 5, "kept"),
    ],
)
def test_the_network_that_plays_is_taken_with_its_memory(played, number, found):
    kept = [SimpleNamespace(network_id=5, message="kept")]
    panel = SimpleNamespace(
        match=SimpleNamespace(white=SimpleNamespace(network=played, network_id=7)),
        networks=lambda: kept,
    )
    assert Comparison.network(panel, number) == found
    panel.match = None
    assert Comparison.network(panel, 5) == "kept"

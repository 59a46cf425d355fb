"""What the Inspector shows of an agent."""

from __future__ import annotations

import numpy as np
import pytest

from sim.app.episodes import Episodes
from sim.ui.panels.inspector import lines_of, short_value
from tests.goishi.conftest import CART_POLE


def test_an_agent_is_shown_with_what_it_sees_does_and_gains() -> None:
    episodes = Episodes.of_scene(CART_POLE)
    episodes.reset(1)
    for _ in range(3):
        episodes.step([1])
    agents = episodes.world.agents
    (seat,) = agents.running
    assert agents.episode_of(seat.slot) is seat
    shown = {name: value for name, value, _ in lines_of(seat)}
    assert shown["Observation"].split() == [f"{item:.3g}" for item in seat.observation.tolist()]
    assert (shown["Action"], shown["Reward"], shown["Return"]) == ("1", "1", "3")
    assert shown["Decisions"] == "3"
    episodes.close()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "none"), (3, "3"), (np.array([1.0, 0.12345]), "1  0.123"),
        (np.arange(48, dtype=np.uint8).reshape(4, 4, 3), "[4x4x3] from 0 to 47"),
        ({"a": 1, "b": np.zeros(2)}, "a: 1, b: 0  0"),
    ],
)  # fmt: skip
def test_values_are_shown_in_a_few_words(value, text) -> None:
    assert short_value(value) == text

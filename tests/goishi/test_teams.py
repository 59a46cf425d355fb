"""Copies of a scene with several agents, as a learner steps them, in this and other processes."""

from __future__ import annotations

import numpy as np
import pytest

from base.errors import WorldError
from sim.app.vector_world import VectorWorld
from tests.goishi.conftest import AGENT

MATCH = AGENT.replace(
    "self.done = abs(self.x) > 5",
    """self.done = abs(self.x) > 5 or (self.object.name == "agent_1" and self.x > 2)
        if self.object.name == "agent_0":
            self.info["score"] = 7

    def decide(self, observation):
        return 1""",
)


def course(world: VectorWorld, steps: int = 40) -> list[list[object]]:
    """Return what some steps by the same actions come to."""
    rng, told = np.random.default_rng(1), []
    world.begin(3)
    for _ in range(steps):
        for number in (0, 1):
            world.arrays[f"action.{number}"][...] = rng.integers(0, 2, world.count)
        world.advance()
        told.append([array.tolist() for array in world.arrays.values()])
    return told


@pytest.fixture
def worlds(scene_of, opened):
    """Return a world of the match with so many workers."""
    return lambda workers=0: opened(VectorWorld, scene_of(MATCH, 2), 3, workers, {})


def test_several_agents_are_stepped_the_same_in_other_processes(worlds) -> None:
    here, there = worlds(), worlds(2)
    assert here.names == there.names == ["agent_0", "agent_1"]
    assert here.spaces[0][1] == ("discrete", 2, 0)
    assert course(here) == course(there)


def test_one_whose_episode_is_over_waits_and_then_all_begin(worlds) -> None:
    world = worlds()
    world.begin(3)
    arrays, history = world.arrays, []
    for number in (0, 1):
        arrays[f"action.{number}"][...] = 1
    for _ in range(14):
        world.advance()
        names = ("terminated", "reward", "outcome")
        history.append(tuple(arrays[name][0].tolist() for name in names))
    over = [item[0] for item in history]
    first, both = over.index([False, True]), over.index([True, True])
    assert both > first + 1
    assert over[first : both + 2] == [[False, True]] * (both - first) + [[True, True], [False] * 2]
    assert all(item[1][1] == 0.0 for item in history[first + 1 : both + 2])
    assert history[both][2][0] == 7.0, "what it told is its score"
    gained = sum(item[1][1] for item in history[: first + 1])
    assert history[both][2][1] == pytest.approx(gained), "who tells none has the return"


def test_where_it_is_asked_the_script_decides(worlds) -> None:
    world = worlds()
    world.begin(3)
    before = world.arrays["observation.0"][:, 0].copy()
    world.arrays["decides"][1, 0] = True
    world.advance()
    moved = world.arrays["observation.0"][:, 0] - before
    assert moved.tolist() == pytest.approx([-0.25, 0.75, -0.25])


def test_a_script_that_raises_is_one_error_and_the_copy_begins_anew(scene_of, opened) -> None:
    script = MATCH.replace(
        "self.x += action - 0.25", "self.x += 1 / (action - 1) if action else -0.25"
    )
    world = opened(VectorWorld, scene_of(script, 2), 2, 0, {})
    world.begin(3)
    world.arrays["action.1"][1] = 1
    with pytest.raises(WorldError, match=r"copy 1: agent_1 > Walker\.act"):
        world.advance()
    assert world.arrays["truncated"].tolist() == [[False, False], [True, True]]
    world.arrays["action.1"][1] = 0
    world.advance()
    assert not world.arrays["truncated"].any()

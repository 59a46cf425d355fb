"""Environments of scenes: the shipped one, and small ones in a folder of the test."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import goishi
from base.files import SHIPPED_ROOT

CART_POLE = SHIPPED_ROOT / "scenes" / "cart_pole.scene.json"
AGENT = """
from sim import Agent, Box, Discrete

class Walker(Agent):
    '''Goes left or right on a line; an episode ends at 5.'''

    action_space = Discrete(2)
    observation_space = Box(-9.0, 9.0, (2,))

    def awake(self):
        self.x = 0.0

    def reset(self, rng):
        self.x = float(rng.uniform(-1, 1))

    def act(self, action):
        self.x += action - 0.25
        self.info["x"] = self.x

    def observe(self):
        return [self.x, self.run.seed % 9]

    def compute_reward(self):
        self.reward = -abs(self.x)
        self.done = abs(self.x) > 5
"""


@pytest.fixture
def scene_of(tmp_path: Path) -> Callable[..., Path]:
    """Write a scene of so many agents of one script, and return its file."""

    def made(script: str = AGENT, count: int = 1, fields: dict[str, Any] | None = None) -> Path:
        for name in ("scenes", "scripts"):
            (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / "scripts" / "a.py").write_text(textwrap.dedent(script), encoding="utf-8")
        objects = {
            f"obj_agent{number}": {
                "name": f"agent_{number}",
                "components": {
                    f"cmp_agent{number}": {"type": "scripts.a:Walker", "fields": fields or {}}
                },
            }
            for number in range(count)
        }
        data = {"format": "goishi.scene/1", "id": "scn_agents", "objects": objects}
        path = tmp_path / "scenes" / "a.scene.json"
        path.write_text(json.dumps(data), encoding="utf-8")
        return path

    return made


@pytest.fixture
def opened() -> Any:
    """Open environments that are closed after the test: `opened(goishi.make, scene)`."""
    made: list[Any] = []

    def open_one(maker: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        made.append(maker(*arguments, **named))
        return made[-1]

    yield open_one
    for one in made:
        one.close()


__all__ = ["AGENT", "CART_POLE", "goishi", "opened", "scene_of"]

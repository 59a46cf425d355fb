"""The tutorial on agents: the files that its page shows make a scene that a learner can step."""

from __future__ import annotations

from pathlib import Path

import goishi
from base.files import SHIPPED_ROOT
from sim.commands.new import new_project
from tests.command_line import run_main
from tests.project_page import files_of_page

PAGE = SHIPPED_ROOT / "docs" / "train_your_agent.md"


def built(folder: Path) -> Path:
    """Do what the page says; return the scene."""
    new_project(folder)
    for name, text in files_of_page(PAGE).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "scenes" / "seeker.scene.json"


def test_the_scene_of_the_page_is_sound(tmp_path: Path) -> None:
    code, out, err = run_main("check", str(built(tmp_path / "my_agents")))
    assert (code, out, err) == (0, "", "")


def test_the_agent_of_the_page_is_paid_for_coming_near(tmp_path: Path) -> None:
    env = goishi.make(str(built(tmp_path / "my_agents")))
    try:
        observation, _ = env.reset(seed=1)
        place, post = observation
        towards = [1.0] if post > place else [-1.0]
        _, near, *_ = env.step(towards)
        env.reset(seed=1)
        _, away, *_ = env.step([-towards[0]])
        steps = 1
        while True:
            _, _, terminated, truncated, _ = env.step([-towards[0]])
            steps += 1
            if terminated or truncated:
                break
        assert near > away
        assert (steps, truncated) == (100, True)
        env.reset(seed=1)
        steps = 0
        while not env.step(towards)[2]:
            steps += 1
        assert 0 < steps < 100
    finally:
        env.close()

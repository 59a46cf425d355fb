"""The options of a scene's scripts are those of its environments."""

from __future__ import annotations

import pytest

import goishi
from tests.goishi.conftest import AGENT

LAPS = AGENT.replace("import Agent, Box", "import option, Agent, Box").replace(
    "    def awake", "    most_laps: int = option(2, min=1, help='So many')\n\n    def awake"
).replace("self.run.seed % 9", "self.most_laps")  # fmt: skip


def test_an_option_reaches_the_script_and_is_checked(scene_of, opened) -> None:
    scene = scene_of(LAPS)
    assert opened(goishi.make, scene).reset(seed=1)[0][1] == 2
    assert opened(goishi.make, scene, most_laps=5).reset(seed=1)[0][1] == 5
    vector = opened(goishi.make_vec, scene, 2, most_laps=7)
    assert vector.reset(seed=1)[0][:, 1].tolist() == [7, 7]
    for named in ({"most_laps": 0}, {"laps": 3}, {"most_laps": "many"}):
        with pytest.raises(goishi.UsageError):
            goishi.make(scene, **named)
    with pytest.raises(goishi.UsageError, match=r"one of its options \(most-laps\), found laps"):
        goishi.make(scene, laps=3)


@pytest.mark.parametrize("size", [5, (1, 2, 3), (8, 64), (64.0, 64), None])
def test_a_size_that_is_none_is_refused(scene_of, size) -> None:
    with pytest.raises(goishi.UsageError, match="size: expected two sides from 16 to 4096"):
        goishi.make(scene_of(), render_mode="rgb_array", size=size)


def test_a_closed_environment_opens_nothing_again(scene_of) -> None:
    for count in (1, 2):
        environment = goishi.make(scene_of(count=count))
        environment.reset(seed=1)
        environment.close()
        environment.close()
        for seed in (None, 3):
            with pytest.raises(goishi.UsageError, match="expected an open environment"):
                environment.reset(seed=seed)


@pytest.mark.nightly
def test_an_option_reaches_workers_and_pictures(scene_of, opened) -> None:
    scene = scene_of(LAPS)
    vector = opened(goishi.make_vec, scene, 2, workers=1, most_laps=7)
    assert vector.reset(seed=1)[0][:, 1].tolist() == [7, 7]
    drawn = opened(goishi.make, scene, render_mode="rgb_array", size=(32, 32), most_laps=4)
    assert drawn.reset(seed=1)[0][1] == 4


@pytest.mark.parametrize(("scene", "meant"), [
    ("goishi/CartPol-v0", "goishi/CartPole-v0"), ("cart_pol", "cart_pole"),
])  # fmt: skip
def test_the_name_of_an_environment_is_hinted_at(scene, meant):
    with pytest.raises(goishi.UsageError, match=f"did you mean '{meant}'"):
        goishi.make(scene)

"""`run --policy`: a file that does not fit ends the run with one line."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from base.files import SHIPPED_ROOT
from tests.command_line import run_here

SCENES, POLICIES = SHIPPED_ROOT / "scenes", SHIPPED_ROOT / "assets" / "policies"


@pytest.mark.parametrize(
    ("scene", "policy", "code", "said"),
    [
        ("cart_pole", "pendulum", 1, "pendulum.npz: expected"),
        ("bouncing_balls", "pendulum", 2, "--policy: expected a scene with an agent, found none"),
        ("cart_pole", "cart_pole", 0, ""),
    ],
)
def test_a_policy_for_other_spaces_ends_the_run(
    scene: str,
    policy: str,
    code: int,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("run", str(SCENES / f"{scene}.scene.json"), "--no-graphics", "--for", "1")
    file = POLICIES / f"{policy}.npz"
    found, _, err = run_here(capsys, *words, "--policy", str(file), "--data-dir", str(tmp_path))
    assert found == code
    assert said in err
    assert len(err.splitlines()) == bool(said)


@pytest.mark.parametrize("door", ["goishi", "sim"])
def test_a_policy_is_read_at_both_doors_and_acts_with_numpy_alone(door: str) -> None:
    load_policy = import_module(door).load_policy
    for path in (POLICIES / "cart_pole.npz", str(POLICIES / "cart_pole.npz")):
        policy = load_policy(path)
        assert policy.act(np.zeros(4)) in (0, 1)
        assert policy.best(np.zeros((3, 4))).shape == (3,)
        assert policy.card
    with pytest.raises(
        Exception, match=r"README.md: expected a policy that `train ppo` or `train sac` has written"
    ):
        load_policy(SHIPPED_ROOT / "README.md")

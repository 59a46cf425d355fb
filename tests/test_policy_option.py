"""`run --policy`: a file that does not fit ends the run with one line."""

from __future__ import annotations

from pathlib import Path

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

"""Outside learners learn a scene: the examples of docs/learners, where their packages are there."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys

import pytest

from base.files import SHIPPED_ROOT

NEEDS = {
    "sb3_cart_pole": ("stable_baselines3", "torch"),
    "rllib_cart_pole": ("ray", "gymnasium", "torch"),
}


def test_each_example_is_tried():
    examples = (SHIPPED_ROOT / "docs" / "learners").glob("*.py")
    assert sorted(path.stem for path in examples) == sorted(NEEDS)


@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", NEEDS)
def test_an_outside_learner_learns(name):
    missing = [one for one in NEEDS[name] if importlib.util.find_spec(one) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}: pip install -e .[{name.split('_')[0]}]")
    done = subprocess.run(
        [sys.executable, f"docs/learners/{name}.py", "--steps", "40000"],
        cwd=SHIPPED_ROOT, capture_output=True, text=True, timeout=840, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    returns = [float(one) for one in re.findall(r"return[ a-z]*: (\S+)", done.stdout)]
    assert returns[0] < 60.0
    assert returns[-1] > 4 * returns[0]

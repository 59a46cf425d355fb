"""A training whose process is killed, again and again, plays the games of an unbroken one."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest

from ai.nets.policy_value import load_pair
from ai.runs.reading import read_games
from tests.command_line import MAIN

KILLS = 10
WORDS = (
    "train", "alphagomoku", "--board", "4", "--win-length", "3", "--phase", "basic", "--phase",
    "self-play", "--games", "24", "--jobs", "2", "--seed", "3", "--device", "cpu",
)  # fmt: skip
TINY = (
    "filters=2", "blocks=0", "batch=4", "steps=2", "basic_positions=40", "basic_steps=2", "games=4",
    "lot=2", "simulations=8", "gate_pairs=1", "window=8",
)  # fmt: skip


def start(out, *more):
    sets = [word for text in TINY for word in ("--set", text)]
    with out.with_suffix(".log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, str(MAIN), *WORDS, *sets, "--out", str(out), *more],
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip


def said(out):
    return out.with_suffix(".log").read_text()


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_kills_at_random_moments_change_no_game(tmp_path):
    started = time.monotonic()
    process = start(tmp_path / "unbroken")
    assert process.wait() == 0, said(tmp_path / "unbroken")
    took = time.monotonic() - started
    rng = np.random.default_rng(0)
    out = tmp_path / "killed"
    for _ in range(KILLS):
        process = start(out, "--resume")
        try:
            process.wait(timeout=rng.uniform(0.3, 1.1) * took)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if (out / "pair.npz").exists():
            assert load_pair(out / "pair.npz")
    process = start(out, "--resume")
    assert process.wait() == 0, said(out)
    for name in ("games.jsonl", "pair.npz"):
        assert (out / name).read_bytes() == (tmp_path / "unbroken" / name).read_bytes()
    assert len(read_games(out)) == 24

"""Workers that begin warm are forks of a process that has loaded what they need; others are not."""

from __future__ import annotations

import multiprocessing
import os

import psutil
import pytest

from ai.kernels.cache import is_compiled
from sim.testing import Pilot
from tests.warm_workers import begin, start_loading

pytestmark = pytest.mark.skipif(
    not is_compiled(), reason="needs compiled kernels: python main.py warm"
)
MATCH = {"graphics": False, "player_white": "random", "seed": 1}


def parents(pilot: Pilot) -> set[int]:
    """Return who started the workers of an app that has played a game."""
    match = pilot.component("Match")
    pilot.wait_until(lambda: match.played >= 1)
    links = pilot.app.world.links.opened
    return {psutil.Process(link.process_id).ppid() for link in links}


def test_the_workers_of_a_match_are_forks_of_one_process():
    with Pilot(**MATCH) as pilot:
        (parent,) = parents(pilot)
    assert parent != os.getpid()
    assert psutil.Process(parent).ppid() == os.getpid()


def test_cold_workers_are_started_by_the_app(cold_workers):
    with Pilot(**MATCH) as pilot:
        assert parents(pilot) == {os.getpid()}


def test_the_environment_is_that_of_the_process_that_asks():
    seen: dict[str, str] = {}
    before = dict(os.environ)
    try:
        begin({"ONLY": "1"}, lambda: seen.update(os.environ), ())
    finally:
        os.environ.clear()
        os.environ.update(before)
    assert seen == {"ONLY": "1"}


@pytest.mark.parametrize(
    ("target", "settings", "variable", "is_warm"),
    [
        ("ai.workers.player:main", {}, "", True),
        ("ai.workers.player:main", {"jit": True}, "GOISHI_ANY", True),
        ("ai.workers.player:main", {"jit": False}, "", False),
        ("ai.workers.player:main", {}, "NUMBA_DISABLE_JIT", False),
        ("ai.workers.trainer:main", {}, "XDG_CACHE_HOME", False),
        ("scripts.mine:main", {}, "", False),
    ],
)
def test_what_would_load_otherwise_is_not_warm(
    warm_context, monkeypatch, tmp_path, target, settings, variable, is_warm
):
    if variable:
        monkeypatch.setenv(variable, str(tmp_path))
    process = warm_context.Process(target=print, args=(None, target, settings))
    kind = multiprocessing.get_context("forkserver" if is_warm else "spawn").Process
    assert type(process) is kind


def test_the_loading_process_is_started_once():
    start_loading()
    known = {child.pid for child in psutil.Process().children()}
    start_loading()
    assert {child.pid for child in psutil.Process().children()} <= known

"""Which kernels a player needs is read from the sources, and is what it imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from ai.kernels.cache import kernel_modules
from ai.kernels.needs import kernels_of
from ai.registry.players import PLAYERS

FACTORIES = {info.name: info.factory.partition(":")[0] for info in PLAYERS.values()}
EVALUATION = "ai.session.evaluation"
IN_TURN = """
import json, sys
from importlib import import_module
from ai.kernels.cache import kernel_modules
known = set(kernel_modules())
found = []
for name in json.loads(sys.argv[1]):
    import_module(name)
    found.append(sorted(known & set(sys.modules)))
print(json.dumps(found))
"""


def test_players_import_no_kernels_but_those_that_they_need():
    modules = [*FACTORIES.values(), EVALUATION]
    done = subprocess.run(
        [sys.executable, "-c", IN_TURN, json.dumps(modules)],
        capture_output=True,
        check=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    needed: set[str] = set()
    for module, loaded in zip(modules, json.loads(done.stdout), strict=True):
        needed |= set(kernels_of(module))
        assert set(loaded) <= needed, module


def test_the_first_game_of_a_player_waits_for_its_own_kernels_alone():
    alpha_beta, mcts = kernels_of(FACTORIES["alpha-beta"]), kernels_of(FACTORIES["mcts"])
    assert "ai.kernels.alpha_beta.root" in alpha_beta
    assert not [name for name in alpha_beta if ".tree." in name or ".evolution" in name]
    assert "ai.kernels.tree.growth" in mcts
    assert "ai.kernels.alpha_beta.root" not in mcts
    assert set(alpha_beta) < set(kernels_of(EVALUATION)) < set(kernel_modules())


@pytest.mark.parametrize("module", [*FACTORIES.values(), EVALUATION])
def test_callees_come_first(module):
    order = kernel_modules()
    needed = kernels_of(module)
    assert list(needed) == sorted(needed, key=order.index)


def test_a_script_may_need_them_all():
    assert kernels_of("scripts.pebble") == kernel_modules()

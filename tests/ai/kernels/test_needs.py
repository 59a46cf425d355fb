"""Which kernels a player needs is read from the sources, and is what it imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from ai.kernels import needs
from ai.kernels.cache import kernel_modules
from ai.kernels.needs import kernels_of
from ai.registry.players import PLAYERS

FACTORIES = {info.name: info.factory.partition(":")[0] for info in PLAYERS.values()}
EVALUATION = "ai.session.evaluation"
IMPORTS = needs._imports_of
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


def found_again(monkeypatch, folder, module=EVALUATION):
    """Return the kernels of a module as another process would find them, and the modules parsed."""
    parsed = []
    monkeypatch.setattr(needs, "cache_directory", lambda: folder)
    monkeypatch.setattr(needs, "_imports_of", lambda name: parsed.append(name) or IMPORTS(name))
    return kernels_of.__wrapped__(module), parsed


def test_what_was_read_from_the_sources_is_kept_for_other_processes(monkeypatch, tmp_path):
    first, parsed = found_again(monkeypatch, tmp_path)
    assert first == kernels_of(EVALUATION)
    assert EVALUATION in parsed
    assert found_again(monkeypatch, tmp_path) == (first, [])
    other, parsed = found_again(monkeypatch, tmp_path, FACTORIES["mcts"])
    assert parsed
    assert found_again(monkeypatch, tmp_path, FACTORIES["mcts"]) == (other, [])
    assert found_again(monkeypatch, tmp_path) == (first, [])


def test_sources_that_changed_are_read_anew(monkeypatch, tmp_path):
    found_again(monkeypatch, tmp_path)
    monkeypatch.setattr(needs, "sources_stamp", lambda: "another")
    again, parsed = found_again(monkeypatch, tmp_path)
    assert again == kernels_of(EVALUATION)
    assert parsed


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[1]", b"\xff", b'{"stamp": 1}', b'{"kernels": {}}', b"[" * 100_000],
)
def test_a_damaged_file_is_written_anew(monkeypatch, tmp_path, content):
    (tmp_path / needs.KEPT).write_bytes(content)
    again, parsed = found_again(monkeypatch, tmp_path)
    assert again == kernels_of(EVALUATION)
    assert parsed
    assert found_again(monkeypatch, tmp_path) == (again, [])


@pytest.mark.parametrize("kernels", [[], {EVALUATION: "all"}, {EVALUATION: [1]}])
def test_what_is_no_list_of_names_is_not_believed(monkeypatch, tmp_path, kernels):
    content = {"stamp": needs.sources_stamp(), "kernels": kernels}
    (tmp_path / needs.KEPT).write_text(json.dumps(content), encoding="utf-8")
    again, parsed = found_again(monkeypatch, tmp_path)
    assert again == kernels_of(EVALUATION)
    assert parsed


def test_a_folder_that_cannot_be_written_costs_time_alone(monkeypatch, tmp_path):
    (tmp_path / needs.KEPT).mkdir()
    again, _ = found_again(monkeypatch, tmp_path)
    assert again == kernels_of(EVALUATION)

"""A player's words stand in its registry entry: nothing else is keyed by players' names."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from ai.registry.players import PLAYERS
from base.files import SHIPPED_ROOT
from tests.architecture import nodes_of

HOME = "ai/registry/players.py"
ELSEWHERE = {
    ("ai/experiments/cell.py", "oracle"): "a part of a cell's summary",
    ("ai/experiments/held_out.py", "pattern"): "who is played against, by the summary's keys",
    ("ai/learning/ppo/run.py", "random"): "actions drawn at random, a control",
    ("ai/exchange/sources.py", "alpha-beta"): "why it has no network to export",
    ("ai/exchange/sources.py", "ann"): "why it has no network to export",
    ("ai/exchange/sources.py", "ann-lines"): "why it has no network to export",
    ("ai/exchange/sources.py", "human"): "why there is no network to export",
    ("ai/exchange/sources.py", "alphagomoku"): "whose networks are a pair",
    ("ai/runs/results.py", "oracle"): "a part of a cell's summary",
    ("scripts/tournament/table.py", "human"): "who is left out of a list of players",
    ("sim/commands/cli/application.py", "alphagomoku"): "the second word of a command",
    ("sim/commands/cli/application.py", "move-net"): "the second word of a command",
    ("sim/commands/experiment.py", "oracle"): "a part of a cell's summary",
    ("sim/app/drawn_world.py", "human"): "Gymnasium's word for a window",
    ("sim/core/native/compile_source.py", "random"): "Python's module",
}
"""Words that are players' names and mean something else there, or are data."""


def product_files() -> Iterator[Path]:
    """Yield the product's files, but for examples, which are as a user's."""
    for top in ("base", "sim", "ai", "scripts"):
        for path in sorted((SHIPPED_ROOT / top).rglob("*.py")):
            if path.relative_to(SHIPPED_ROOT).parts[:2] != ("scripts", "examples"):
                yield path


def keys_in(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the players' names by which a source looks something up or tells cases apart."""
    for node in nodes:
        found: list[ast.AST | None] = []
        if isinstance(node, ast.Dict):
            found = [*node.keys]
        elif isinstance(node, ast.Subscript):
            found = [node.slice]
        elif isinstance(node, ast.Compare):
            found = [item for part in (node.left, *node.comparators) for item in ast.walk(part)]
        elif isinstance(node, ast.MatchValue):
            found = [node.value]
        for item in found:
            if isinstance(item, ast.Constant) and item.value in PLAYERS:
                yield str(item.value)


def test_no_table_outside_the_registry_is_keyed_by_players() -> None:
    found = {
        (path.relative_to(SHIPPED_ROOT).as_posix(), name)
        for path in product_files()
        for name in keys_in(nodes_of(path))
    }
    assert {place for place in found if place[0] != HOME} == set(ELSEWHERE)


@pytest.mark.parametrize(
    "source",
    [
        'WORDS = {"ann": "memory"}', 'x = words["cnn-ann"]', 'if name == "genetic": pass',
        'if name in ("random", ""): pass', 'match name:\n    case "oracle":\n        pass',
    ],
)  # fmt: skip
def test_each_kind_of_key_is_found(source: str) -> None:
    assert len(list(keys_in(ast.walk(ast.parse(source))))) == 1


def test_every_player_has_words_for_people() -> None:
    for info in PLAYERS.values():
        assert info.title
        assert info.short_name
        assert info.description.endswith(".")
        assert bool(info.after_loss) == (info.learner is not None), info.name
    assert {name for name, info in PLAYERS.items() if not info.explains} == {"random", "human"}

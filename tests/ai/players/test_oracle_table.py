"""How large the solver's table is made for the positions it may look at."""

from __future__ import annotations

import pytest

from ai.game import Rules
from ai.players import oracle
from ai.registry.players import get_player_info, resolve_settings
from ai.search.oracle import TABLE_BITS


@pytest.mark.parametrize(
    ("nodes", "bits"),
    [(1, TABLE_BITS[0]), (1 << (TABLE_BITS[0] + 1), TABLE_BITS[0] + 2), (1 << 60, TABLE_BITS[1])],
)
def test_the_table_has_an_entry_a_position_within_its_bounds(monkeypatch, nodes, bits):
    made = []

    class Solver:
        def __init__(self, rules, *, node_limit, table_bits):
            made.append((node_limit, table_bits))

    monkeypatch.setattr(oracle, "Oracle", Solver)
    settings = {**resolve_settings(get_player_info("oracle"), {}), "nodes": nodes}
    oracle.OraclePlayer(Rules(7, 5), settings)
    assert made == [(nodes, bits)]

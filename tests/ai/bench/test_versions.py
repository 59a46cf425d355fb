"""Today's search beside earlier versions: rates in turn, and games at equal time."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ai.bench import versions
from ai.game import Rule, Rules
from ai.players.alpha_beta import evaluation_of
from ai.search.base import Limit
from ai.search.pattern_alpha_beta import VERSION, VERSIONS
from sim.commands.bench import BEFORE, OLDEST

NINE = Rules(9)


def test_pairs_of_games_are_repeatable():
    limits, both = [Limit(nodes=20)] * 2, ({}, {"null_depth": 0})
    first = versions.play_pair(both, NINE, (40, 41, 49), limits)
    assert first == versions.play_pair(both, NINE, (40, 41, 49), limits)
    assert len(first) == 2
    same = versions.play_pair(({}, {}), NINE, (40, 41, 49), limits)
    assert sum(same) == 1.0, "two equal versions get as much with either colour"


def test_each_version_has_its_own_limit_and_evaluation(monkeypatch):
    played = []

    class Player:
        def __init__(self, rules, *, tuning, evaluation, threads):
            self.rules, self.tuning, self.evaluation = rules, tuning, evaluation
            assert threads == 1

        def search(self, board, limit, rng):
            played.append((board.ply % 2, self.tuning["learned"], limit.nodes, self.evaluation))
            return SimpleNamespace(move=next(iter(board.legal_moves)))

    monkeypatch.setattr(versions, "PatternAlphaBeta", Player)
    both, limits = ({"learned": 1}, {"learned": 0}), [Limit(nodes=7), Limit(nodes=10)]
    versions.play_pair(both, NINE, (), limits, ("new", "old"))
    assert set(played) == {
        (0, 1, 7, "new"), (1, 0, 10, "old"), (0, 0, 10, "old"), (1, 1, 7, "new"),
    }  # fmt: skip


def test_rates_are_compared_in_turn(monkeypatch):
    order = []
    rates = {"new": 300.0, "old": 100.0}

    def rate(version, rules):
        order.append(version)
        return rates[version]

    monkeypatch.setattr(versions, "_rate", rate)
    assert versions.rate_ratio("new", "old", 3) == 3.0
    assert order == ["new", "old", "old", "new", "new", "old"]


def test_a_rate_is_that_of_a_search(monkeypatch):
    monkeypatch.setattr(versions, "RATED_NODES", 2_000)
    old = versions.EARLIER[versions.BEFORE](None)
    assert versions.rate_ratio(old, old, 1) > 0.0


@pytest.mark.parametrize("ratio", [2.0, 0.5])
def test_the_faster_one_has_more_positions_in_the_same_time(ratio, monkeypatch):
    under, renju = [], Rules(15, 5, Rule.RENJU)
    monkeypatch.setattr(
        versions, "rate_ratio", lambda one, other, rules: under.append(rules) or ratio
    )
    monkeypatch.setattr(versions, "MATCH_NODES", 100)
    asked = []

    def pair(tunings, rules, opening, limits, evaluations):
        under.append(rules)
        asked.append((opening, [limit.nodes for limit in limits], evaluations))
        return [1.0, 0.5]

    monkeypatch.setattr(versions, "play_pair", pair)
    told, learned = [], evaluation_of("shipped")
    found = versions.compare(versions.BEFORE, learned, 6, told.append, renju)
    assert under == [renju] * 4
    assert [nodes for _, nodes, _ in asked] == [[round(100 * ratio), 100]] * 3
    assert len({opening for opening, _, _ in asked}) == 3
    assert [evaluations for _, _, evaluations in asked] == [[learned, learned]] * 3
    assert (found.counts, told) == ((3, 3, 0), [2, 4, 6])
    assert found.elo.low == found.elo.elo == found.elo.high > 0


def test_the_fourth_version_has_no_evaluation():
    learned = evaluation_of("shipped")
    assert versions.EARLIER[4](learned).evaluation is None
    assert versions.EARLIER[5](learned).evaluation is learned
    assert versions.EARLIER[6](learned) == (VERSIONS[6], learned)


def test_without_games_only_the_speed_is_compared(monkeypatch):
    monkeypatch.setattr(versions, "RATED_NODES", 500)
    found = versions.compare(versions.BEFORE, None, 0)
    assert (found.counts, found.rate_ratio > 0.0) == ((0, 0, 0), True)


def test_the_command_offers_every_earlier_version():
    assert list(versions.EARLIER) == list(range(OLDEST, BEFORE + 1))
    assert BEFORE == versions.BEFORE == VERSION - 1

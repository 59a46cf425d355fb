"""The kinds of explanation, and that each survives its plain form."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from ai import PLAYERS, Board, Limit, MoveChoice, Rules, create_player
from ai.players.explanation import (
    DrawnMove,
    Evolution,
    Explanation,
    ForcedMove,
    MemoryReading,
    NetworkAnswer,
    Opening,
    PatternScores,
    Proof,
    RecalledNode,
    RootScores,
    SearchedMoves,
    TreeVisits,
    ValueField,
)

NODE = RecalledNode(4, 0.5, 2, (0.25, 0.75), (0, -1), 0.9)
SAID = [
    ({}, Explanation()),
    ({"opening": True}, Opening()),
    (
        {"probabilities": [0.5, 0.5], "rank": 2, "masked": 1, "network_id": 7,
         "memory": {"nodes": 0, "alpha": None}},
        NetworkAnswer((0.5, 0.5), 2, 1, 7, MemoryReading(0, None)),
    ),
    (
        {"rank": 1, "memory": {
            "nodes": 9, "alpha": 5.0, "node": 4, "distance": 0.5, "count": 2,
            "labels": [0.25, 0.75], "stones": [0, -1], "width": 3.0,
            "recalled": [{"node": 4, "distance": 0.5, "count": 2, "labels": [0.25, 0.75],
                          "stones": [0, -1], "weight": 0.9}]}},
        NetworkAnswer(rank=1, memory=MemoryReading(
            9, 5.0, RecalledNode(4, 0.5, 2, (0.25, 0.75), (0, -1)), 3.0, (NODE,))),
    ),
    (
        {"population": [[1, 2], [2, 1]], "fitness": [3.0, 1.5], "best": [3.0], "mean": [2.25],
         "generations": 0, "has_stabilised": False, "box": [0, 0, 2, 2], "randomness": "fresh"},
        Evolution(((1, 2), (2, 1)), (3.0, 1.5), (3.0,), (2.25,), 0, False, (0, 0, 2, 2), "fresh"),
    ),
    ({"result": "black", "nodes": 31, "is_proven": True}, Proof("black", 31, True)),
    (
        {"result": "unknown", "nodes": 31, "is_proven": False, "population": [[5]]},
        Proof("unknown", 31, False, instead=Evolution(((5,),))),
    ),
    (
        {"scores": [[3, 10], [4, -2]], "nodes": 12, "depth": 2, "principal_variation": [3, 4]},
        SearchedMoves(((3, 10), (4, -2)), 12, 2, (3, 4)),
    ),
    (
        {"visits": [[3, 10], [4, 2]], "means": [0.5, -1.0], "lines": [[3, 4, 5], [4]],
         "iterations": 12, "kept": 0, "depth": 3},
        TreeVisits(((3, 10), (4, 2)), (0.5, -1.0), ((3, 4, 5), (4,)), 12, 0, 3),
    ),
    ({"best": [[24, 1200], [3, 5]]}, PatternScores(((24, 1200), (3, 5)))),
    ({"reason": "stop", "points": [4]}, DrawnMove("stop", (4,))),
    ({"field_values": [14.5, 0.0]}, ValueField((14.5, 0.0))),
    (
        {"root_scores": [[3, 10.0], [4, -2.5]], "first_scores": [[3, 12.0], [4, 1.0]], "nodes": 12,
         "finished": 2},
        RootScores(((3, 10.0), (4, -2.5)), ((3, 12.0), (4, 1.0)), 12, 2),
    ),
    ({"forced_by": "five", "forced_points": [4]}, ForcedMove("five", (4,))),
    ({"reason": "a project's own"}, Explanation(extra={"reason": "a project's own"})),
]  # fmt: skip


def same(first, second):
    return type(first) is type(second) and repr(first) == repr(second)


@pytest.mark.parametrize(("plain", "typed"), SAID)
def test_plain_and_typed_are_one_thing(plain, typed):
    assert typed.to_plain() == plain
    assert same(Explanation.from_plain(json.loads(json.dumps(plain))), typed)
    assert same(pickle.loads(pickle.dumps(typed)), typed)
    assert typed == plain, "it reads as the mapping"
    assert bool(typed) == bool(plain)


def test_what_does_not_fit_is_kept_and_not_understood():
    plain = {"probabilities": "none", "rank": 2, "memory": 3, "population": [], "note": "x"}
    said = Explanation.from_plain(plain)
    assert isinstance(said, NetworkAnswer)
    assert (said.rank, said.probabilities, said.memory) == (2, (), None)
    assert said.extra == {"probabilities": "none", "memory": 3, "population": [], "note": "x"}
    assert said.to_plain() == plain


def test_a_mapping_of_a_projects_player_is_taken():
    choice = MoveChoice(3, explanation={"rank": 4, "why": "so"})
    assert isinstance(choice.explanation, NetworkAnswer)
    assert (choice.rank, choice.explanation["why"]) == (4, "so")
    assert MoveChoice(3, explanation={"why": "so"}).rank is None
    assert not MoveChoice(3).explanation


def test_what_decided_is_told_apart_from_what_was_tried():
    bred = Evolution(((5,),))
    assert bred.basis is bred
    assert Proof("unknown", 3, False, instead=bred).basis is bred
    proof = Proof("black", 3, True)
    assert proof.basis is proof


@pytest.mark.parametrize("name", [name for name in PLAYERS if name not in ("human", "random")])
def test_every_player_says_why_in_a_kind_that_survives(name):
    rules = Rules(7, 5, full_board_winner=-1)
    board = Board.from_moves("d4 d5 e5", rules)
    player = create_player(name, rules)
    said = player.choose(board, Limit(nodes=200), np.random.default_rng(0)).explanation
    assert type(said) is not Explanation
    assert not said.extra
    again = Explanation.from_plain(json.loads(json.dumps(said.to_plain())))
    assert same(again, said)

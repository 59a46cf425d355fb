"""Several agents: who shares a policy, who plays whom, and what counts as won."""

from __future__ import annotations

import numpy as np
import pytest

from ai.learning.ppo.agents import AgentRows, Players, TeamPlan, drawn_actions, groups_of
from ai.learning.ppo.ppo import SpaceError
from ai.learning.ppo.run import SCRIPT, match_of, play
from base.policies.policy import Policy
from base.schema import OptionError
from tests.ai.learning.ppo.seats import ACTS, SEES, TWO, Seats


def plan(policies="shared", is_self_play=False, **given) -> TeamPlan:
    return TeamPlan.of(policies, given, is_self_play=is_self_play)


def always(number: int) -> Policy:
    """Return a policy that says this number, whatever it sees."""
    bias = 9.0 * np.eye(3, dtype=np.float32)[number]
    return Policy(SEES, ACTS, np.zeros(3, np.float32), np.ones(3, np.float32),
                  ((np.zeros((3, 3), np.float32), bias),))  # fmt: skip


def right(observations) -> np.ndarray:
    return observations[:, :3].argmax(1)


def wrong(observations) -> np.ndarray:
    return (right(observations) + 1) % 3


@pytest.mark.parametrize(
    ("policies", "members"),
    [
        ("shared", {"": (0, 1, 2, 3)}),
        ("teams", {"red": (0, 1), "blue": (2, 3)}),
        ("agents", {"red 0": (0,), "red 1": (1,), "blue 2": (2,), "blue 3": (3,)}),
    ],
)
def test_agents_share_a_policy_by_scene_team_or_not(policies, members) -> None:
    assert {group.name: group.members for group in groups_of(Seats(), plan(policies))} == members


@pytest.mark.parametrize(
    ("env", "wanted", "text"),
    [
        (Seats(wide=(2,)), plan(), r"a shared policy: expected the same spaces, found Box \[3\].* "
         r"of red 0 and Box \[4\].* of blue 2; --policies agents gives each its own"),
        (Seats(teams=("", "")), plan("teams"),
         r"--policies teams: expected agents of two teams, found none for  0"),
        (Seats(teams=("red", "red")), plan(is_self_play=True),
         "--self-play: expected agents of two teams, found red"),
    ],
)  # fmt: skip
def test_agents_that_cannot_share_are_one_line(env, wanted, text) -> None:
    with pytest.raises(SpaceError, match=text):
        groups_of(env, wanted)


def test_plans_that_are_none_are_one_line() -> None:
    with pytest.raises(SpaceError, match="--policies: expected shared, teams, agents, found 'all'"):
        plan("all")
    with pytest.raises(SpaceError, match="--self-play: expected --policies shared"):
        plan("teams", is_self_play=True)
    with pytest.raises(OptionError, match="opponents"):
        plan(opponents="2")


def test_mixed_spaces_learn_with_policies_of_their_own() -> None:
    env = Seats(wide=(2, 3))
    assert [group.members for group in groups_of(env, plan("teams"))] == [(0, 1), (2, 3)]


def test_cells_see_and_act_where_they_stand() -> None:
    env = Seats(count=3, wide=(2,))
    env.begin(1)
    cells = AgentRows(env, np.array([(2, 0), (0, 3), (1, 0)]))
    assert (cells.look().argmax(1) == env.lit[[2, 0, 1], [0, 3, 0]]).all()
    cells.put(np.array([5, 6, 7]))
    assert env.arrays["action.0"].tolist() == [0, 7, 5]
    assert env.arrays["action.3"].tolist() == [6, 0, 0]


def test_in_matches_one_team_learns_and_the_past_plays_the_other() -> None:
    env = Seats(count=4)
    wanted = plan(is_self_play=True, opponents=0.5)
    seated = Players(env, groups_of(env, wanted), wanted)
    (learning,) = seated.learners
    # in copies 0 and 1 red, then blue, learns; in 2 and 3 all four
    assert sorted(map(tuple, learning.cells.tolist())) == sorted(
        [(0, 0), (0, 1), (1, 2), (1, 3), *((row, k) for row in (2, 3) for k in range(4))]
    )
    for number in (0, 1):
        seated.begin(3, [always(number)], np.random.default_rng(1))
        seated.act([np.full(learning.count, 1 - number)])
        assert env.arrays["action.2"].tolist() == [number, *[1 - number] * 3]
        assert env.arrays["action.0"].tolist() == [1 - number, number, *[1 - number] * 2]


def test_opponents_are_drawn_from_the_whole_pool_and_the_same_with_the_same_numbers() -> None:
    env = Seats(count=16)
    wanted = plan(is_self_play=True, opponents=1.0)
    seated, seen = Players(env, groups_of(env, wanted), wanted), []
    for _ in range(2):
        seated.begin(3, [always(0), always(1)], np.random.default_rng(4))
        seated.act([np.zeros(32, int)])
        seen.append([env.arrays[f"action.{k}"].tolist() for k in range(4)])
    assert seen[0] == seen[1]
    past = [seen[0][2][row] for row in range(0, 16, 2)]
    assert set(past) == {0, 1}


def test_actions_are_drawn_by_their_chances() -> None:
    even = Policy(SEES, ACTS, np.zeros(3, np.float32), np.ones(3, np.float32),
                  ((np.zeros((3, 3), np.float32), np.zeros(3, np.float32)),))  # fmt: skip
    drawn = drawn_actions(even, np.zeros((600, 3), np.float32), np.random.default_rng(1))
    assert all(150 < count < 250 for count in np.bincount(drawn))


def test_what_is_won_is_known_from_both_sides_and_the_script_plays_where_it_is_asked() -> None:
    env, players = Seats(), {"right": right, "wrong": wrong}
    assert match_of(env, "right", "wrong", players, 8, 1) == {
        "won": 1.0, "drawn": 0.0, "episodes": 8,
    }  # fmt: skip
    assert match_of(env, "wrong", "right", players, 8, 1)["won"] == 0.0
    assert match_of(env, SCRIPT, "wrong", players, 8, 1)["won"] == 1.0
    assert match_of(env, "right", ["right", "wrong"], players, 8, 1) == {
        "won": 0.5, "drawn": 0.5, "episodes": 8,
    }  # fmt: skip
    even = match_of(Seats(teams=TWO), "wrong", "wrong", players, 8, 1)
    assert (even["won"], even["drawn"]) == (0.0, 1.0)


def test_each_copy_plays_as_many_episodes_and_returns_are_of_one_each() -> None:
    env = Seats(count=2)
    games = play(env, np.full((2, 4), "right"), {"right": right}, 3, 5)
    assert [row for row, _, _ in games] == [0, 0, 0, 1, 1, 1]
    assert all(returns.tolist() == [6, 4, 6, 6] for _, _, returns in games)

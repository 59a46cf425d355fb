"""How the agents of a scene are to learn, one or several: for the command and for the trainer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ai.learning.ppo.ppo import Settings, check_spaces
from ai.learning.ppo.teams import OPTIONS, Spaces, TeamEnv, TeamPlan, groups_of

TEAM_KEYS: Final = frozenset(option.key for option in OPTIONS)
"""Settings of several agents."""


def single_settings(spaces: Spaces, given: Mapping[str, object]) -> Settings:
    """Return how one agent is to learn.

    Raises:
        SpaceError: PPO cannot learn its spaces.
        OptionError: a setting is unknown or does not fit.
    """
    check_spaces(*spaces)
    return Settings.of(spaces[1], given)


def team_settings(
    one: TeamEnv, policies: str, given: Mapping[str, object], *, is_self_play: bool
) -> tuple[Settings, TeamPlan]:
    """Return how several agents are to learn.

    Args:
        one: a copy of their scene.
        policies: who shares a policy, one of `teams.POLICIES`.
        given: settings, of each learner and of all together.
        is_self_play: whether the policy plays its own past.

    Raises:
        SpaceError: PPO cannot learn their spaces, or not so.
        OptionError: a setting is unknown or does not fit.
    """
    own = {key: value for key, value in given.items() if key in TEAM_KEYS}
    rest = {key: value for key, value in given.items() if key not in TEAM_KEYS}
    teams = TeamPlan.of(policies, own, is_self_play=is_self_play)
    groups_of(one, teams)
    return single_settings(one.all_spaces[0], rest), teams


__all__ = ["TEAM_KEYS", "single_settings", "team_settings"]

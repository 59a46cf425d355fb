"""`--project DIR`: a scene that ships with Goishi has the players of that project, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from base.errors import UsageError
from sim.app import navigation
from sim.commands.cli.project_option import words_for
from sim.commands.run import check_names, options_from, scene_options
from sim.core.project.run_options import DEFAULT_SCENE, offering_project, options_of_next
from sim.core.project.trust import Trust, TrustError, remember
from sim.testing import Pilot, run_options

PLAYER = """
from ai import MoveChoice


class First:
    name = "first"

    def choose(self, board, limit, rng):
        return MoveChoice(min(board.legal_moves))


def create(rules, settings):
    return First()
"""


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "mine"
    for name in ("scenes", "scripts"):
        (root / name).mkdir(parents=True)
    (root / "scripts" / "first.py").write_text(PLAYER, encoding="utf-8")
    (root / "goishi.toml").write_text('[players]\nmine = "scripts.first:create"\n', "utf-8")
    return root


def parsed(words):
    """The options that `run` makes of its words, each a flag with a value."""
    _, declared = scene_options(words)
    given = {}
    for flag, value in zip(words[::2], words[1::2], strict=True):
        name = flag.removeprefix("--").replace("-", "_")
        given[f"scene_option_{name}" if flag.removeprefix("--") in declared else name] = value
    options = options_from({**given, "for": None}, declared)
    check_names(options, declared)
    return options


def test_the_names_of_the_projects_players_are_known(project):
    words = words_for(project, ["run", "--player-black", "mine"])
    options = parsed(words[1:])
    assert options.scene == DEFAULT_SCENE
    assert offering_project(options) == project
    with pytest.raises(UsageError, match=r"random.*mine; found 'nobody'"):
        parsed(words_for(project, ["run", "--player-black", "nobody"])[1:])
    with pytest.raises(UsageError, match="found 'mine'"):
        parsed(["--player-black", "mine"])


def test_its_players_run_only_where_it_is_trusted(project):
    options = run_options(project=project, scene=DEFAULT_SCENE)
    with pytest.raises(TrustError, match="add --trust after --project DIR"):
        navigation.admit(options)
    assert not remember(project, Trust.TRUSTED)
    assert navigation.admit(options) == (options, False)
    remember(project, Trust.SAFE)
    safe = run_options(project=project, scene=DEFAULT_SCENE, safe=True)
    assert navigation.admit(safe) == (safe, False)
    assert offering_project(safe) != project, "safely there are the shipped ones alone"


def test_the_next_shipped_scene_has_them_and_that_of_another_project_has_not(project, tmp_path):
    options = run_options(project=project, scene=DEFAULT_SCENE)
    beside = DEFAULT_SCENE.with_name("hello.scene.json")
    assert options_of_next(options, beside).project == project
    other = tmp_path / "other" / "scenes"
    other.mkdir(parents=True)
    assert options_of_next(options, other / "a.scene.json").project is None


@pytest.mark.nightly
def test_it_plays_in_a_shipped_scene(project):
    with Pilot(project=project, player_black="mine", player_white="random", speed=1.0,
               graphics=False, seed=1) as pilot:  # fmt: skip
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.current is not None and match.current.ply >= 3, frames=600)
        first, answer, own = map(int, match.current.moves[:3])
        assert own == min({0, 1, 2} - {first, answer}), "the first free point; the game opens it"
        assert pilot.app.host.error_count == 0
        assert Path(pilot.app.run_context.offering) == project

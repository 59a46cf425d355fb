"""Players that a project's goishi.toml adds: listed without code, checked, loaded when used."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from ai import (
    PLAYERS,
    Board,
    ExplainedMove,
    Limit,
    OptionError,
    ProjectError,
    Rules,
    UnknownPlayerError,
    create_player,
    find_player_info,
    get_player_info,
    list_players,
)
from ai.messages import Configure, OpenLearner, PlayRequest, Ready
from ai.registry.info import load_target, open_project
from ai.registry.players import describe_players
from ai.workers import player
from ai.workers.player import PlayerService
from ai.workers.trainer import TrainerService
from base.errors import MakerError
from base.worker.service import WorkerRequestError
from tests.ai.workers.worker_processes import ask, running
from tests.project_page import build_project, own_scripts


@pytest.fixture
def project(tmp_path):
    (tmp_path / "scripts").mkdir()
    return tmp_path


@pytest.fixture(autouse=True)
def _restore_scripts():
    with own_scripts():
        yield


def write(project, text):
    (project / "goishi.toml").write_text(text, encoding="utf-8")


def test_listing_runs_nothing_of_the_project(project):
    (project / "scripts" / "loud.py").write_text(
        'raise SystemExit("imported")\n\n\ndef create(rules, settings):\n'
        '    """Shouts,\n    aloud.\n\n    And more.\n    """\n',
        encoding="utf-8",
    )
    write(project, '[players]\nloud = "scripts.loud:create"\ngone = "scripts.gone:create"\n')
    loud, gone = list_players(project)[len(PLAYERS) :]
    assert (loud.name, loud.description) == ("loud", "Shouts, aloud.")
    assert gone.description
    entry = describe_players(project)[-2]
    assert (entry["name"], entry["project"]) == ("loud", str(project.resolve()))
    with pytest.raises(
        MakerError, match=r"player loud: SystemExit: imported \(scripts/loud.py:1\)"
    ):
        create_player("loud", Rules(7), project=project)
    with pytest.raises(UnknownPlayerError, match=r"scripts\.gone"):
        create_player("gone", Rules(7), project=project)


def test_without_the_project_its_players_are_unknown(project):
    write(project, '[players]\nmine = "scripts.mine:create"\n')
    with pytest.raises(UnknownPlayerError, match="found 'mine'"):
        get_player_info("mine")
    with pytest.raises(UnknownPlayerError, match=r"expected one of .*human, mine; found 'yours'"):
        get_player_info("yours", project)
    assert get_player_info("mine", project).factory == "scripts.mine:create"
    assert get_player_info("genetic", project) is PLAYERS["genetic"]


def test_a_project_gives_the_words_that_people_are_shown(tmp_path, project):
    pebble = get_player_info("pebble", build_project(tmp_path / "four"))
    assert (pebble.title, pebble.short_name, pebble.explains) == (
        "pebble player", "pebble", "choice",
    )  # fmt: skip
    write(
        project,
        '[players.x]\ncreate = "scripts.a:b"\nshort_name = "X"\nexplains = ""\nafter_loss = "weeps"\n',
    )
    info = find_player_info("x", project)
    assert (info.title, info.short_name, info.explains, info.after_loss) == ("x", "X", "", "weeps")
    assert find_player_info("y", project).title == "y"
    write(project, "[players.x]\ntitle = 3\n")
    assert find_player_info("x", project).title == "x"
    with pytest.raises(ProjectError, match=r"players.x.title: expected .*str, found 3"):
        get_player_info("x", project)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("players = 3", "goishi.toml:players: expected a table, found 3"),
        ("[players", "goishi.toml: expected a TOML file, found"),
        ('[players]\ngenetic = "a:b"', "players.genetic: expected a name that no shipped player"),
        ('[players]\nBig = "a:b"', "players.Big: expected a name of small letters"),
        ("[players]\nx = 3", "players.x: expected module:name or a table, found 3"),
        ('[players]\nx = "a.b"', r"players.x: expected module:name, .*found 'a.b'"),
        ("[players.x]", "players.x.create: expected module:name, .*found 'nothing'"),
        (
            '[players.x]\ncreate = "scripts.a:b"\nsize = 3',
            "players.x.size: expected one of sizes, create, ",
        ),
        (
            '[players.x]\ncreate = "scripts.a:b"\nsizes = [3, 30]',
            r"players.x.sizes: .*found \[3, 30\]",
        ),
        ('[players.x]\ncreate = "scripts.a:b"\nsizes = [9, 3]', r"found \[9, 3\]"),
        (
            '[players.x]\ncreate = "scripts.a:b"\nother_games = 1',
            "other_games: expected .*bool, found 1",
        ),
        ('[players.x]\ncreate = "scripts.a:b"\nlearner = "no"', "players.x.learner: .*found 'no'"),
        (
            '[players.x]\ncreate = "scripts.a:b"\nsettings.depth = 3',
            "players.x.settings.depth: expected a table with a default, found 3",
        ),
        (
            '[players.x]\ncreate = "scripts.a:b"\nsettings.depth = {default = 9, maximum = 5}',
            "settings.depth.default: depth: expected a whole number of at most 5, found 9",
        ),
        (
            '[players.x]\ncreate = "scripts.a:b"\nsettings.depth = {default = 1, least = 5}',
            "settings.depth.least: expected one of default, .*found 'least'",
        ),
        (
            '[players.x]\ncreate = "scripts.a:b"\nsettings.depth = {default = 1, minimum = "a"}',
            "settings.depth.minimum: expected a number, found 'a'",
        ),
    ],
)
def test_a_mistake_names_file_key_expected_and_found(project, text, fault):
    write(project, text)
    with pytest.raises(ProjectError, match=fault):
        list_players(project)


def test_settings_and_sizes_hold(tmp_path):
    project = build_project(tmp_path / "four")
    info = get_player_info("pebble", project)
    assert [(item.key, item.default, item.help != "") for item in info.settings] == [
        ("reach", 1, True)
    ]
    with pytest.raises(OptionError, match="reach: expected a whole number from 1 to 5, found 9"):
        create_player("pebble", Rules(7), {"reach": 9}, project=project)
    with pytest.raises(OptionError, match="expected a board from 3 to 15, found 19"):
        create_player("pebble", Rules(19), project=project)


def test_a_worker_seats_them_and_others_are_refused(tmp_path):
    project = build_project(tmp_path / "vier gewinnt ö")
    rules = Rules(6, 4)
    service = PlayerService(project)
    assert service.handle(Configure("pebble", rules, {"reach": "1"}), print).compiled
    moves = (14,)
    answer = service.handle(
        PlayRequest(session=1, game=1, ply=1, moves=moves, limit=Limit(), seed=1), print
    )
    row, column = divmod(answer.choice.move, 6)
    assert max(abs(row - 2), abs(column - 2)) == 1
    with pytest.raises(UnknownPlayerError, match="found 'pebble'"):
        PlayerService().handle(Configure("pebble", rules), print)


def test_two_projects_do_not_mix(tmp_path):
    for name in ("one", "two"):
        scripts = tmp_path / name / "scripts"
        scripts.mkdir(parents=True)
        (scripts / "part.py").write_text(f"NAME = {name!r}\n", encoding="utf-8")
        (scripts / "who.py").write_text("from scripts.part import NAME\n", encoding="utf-8")
    (tmp_path / "two" / "scripts" / "__init__.py").write_text("KIND = 'package'\n")
    for name in ("one", "two", "two", "one"):
        open_project(tmp_path / name)
        from scripts.who import NAME

        assert name == NAME
        assert hasattr(sys.modules["scripts"], "KIND") == (name == "two")


def test_a_target_may_name_a_shipped_script_by_its_former_name(tmp_path, caplog, monkeypatch):
    finders = [item for item in sys.meta_path if type(item).__module__ != open_project.__module__]
    monkeypatch.setattr(sys, "meta_path", finders)
    for name in [name for name in sys.modules if name.startswith("goishi")]:
        monkeypatch.delitem(sys.modules, name)
    (tmp_path / "scripts").mkdir()
    open_project(tmp_path)
    why = load_target("goishi.scripts.gomoku.choice_words:why")
    assert why is load_target("goishi.scripts.gomoku.explain.choice_words:why")
    assert [record.getMessage() for record in caplog.records] == [
        "scripts.gomoku.choice_words is now scripts.gomoku.explain.choice_words; "
        "the old name still works"
    ]


def test_the_scripts_that_were_there_before_are_there_again(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "who.py").write_text("NAME = 'mine'\n", encoding="utf-8")
    with own_scripts():
        open_project(tmp_path)
        assert load_target("scripts.who:NAME") == "mine"
    assert load_target("scripts.common.spin:__name__") == "scripts.common.spin"
    open_project(tmp_path)
    assert load_target("scripts.who:NAME") == "mine"


PLAYER = """
from ai import MoveChoice


class Named:
    def __init__(self, name):
        self.name = name

    def choose(self, board, limit, rng):
        return MoveChoice(min(board.legal_moves), explanation={"reason": self.name})

    def close(self):
        pass
"""


def write_script(project, name, text):
    path = project / "scripts" / f"{name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_a_player_imports_its_neighbours_and_shipped_scripts_in_its_worker(project):
    write_script(project, "common/parts", PLAYER)
    write_script(project, "common/spin", "NAME = 'own spin'\n")
    write_script(
        project,
        "mine",
        "import scripts.common.spin as own\n"
        "from .common import parts\n"
        "from scripts.common.parts import Named\n"
        "import goishi.scripts.common.orbit\n"
        "import goishi.scripts.common.follow as follow\n"
        "from goishi.scripts.common import orbit\n"
        "from goishi.scripts.common.spin import Spin\n"
        "from goishi.scripts.gomoku.choice_words import why\n\n\n"
        "def create(rules, settings):\n"
        "    assert goishi.scripts.common.orbit is orbit and parts.Named is Named\n"
        "    names = (own.NAME, Spin.__module__, orbit.Orbit.__name__, follow.__name__,\n"
        "             why.__module__)\n"
        "    return Named('; '.join(names))\n",
    )
    write(project, '[players]\nmine = "scripts.mine:create"\n')
    rules = Rules(6, 4)
    with running(player.main, project=str(project)) as (connection, _):
        (ready,) = ask(connection, Configure("mine", rules, {}))
        assert isinstance(ready, Ready), ready
        request = PlayRequest(session=1, game=1, ply=0, moves=(), limit=Limit(), seed=1)
        (answer,) = ask(connection, request, 2)
    assert answer.choice.move == 0
    assert answer.choice.explanation["reason"] == (
        "own spin; goishi.scripts.common.spin; Orbit; goishi.scripts.common.follow; "
        "goishi.scripts.gomoku.explain.choice_words"
    )


OWN_EXPLANATION = """
from dataclasses import dataclass

from ai import BoardView, Explanation, ExplanationView, MoveChoice


@dataclass(frozen=True, eq=False)
class Dream(Explanation):
    plain_keys = ("dreamt",)

    dreamt: str | None = None

    def caption(self, explains=""):
        return f"dreamt {self.dreamt}"

    def view(self, at):
        shares = tuple(float(point == at.move) for point in range(at.rules.points))
        return ExplanationView(
            reason=f", dreamt {self.dreamt}", shares=shares, ranking=(at.move,),
            boards=(BoardView("Dream", at.stones, shares),), values=(("Dreamt", self.dreamt),),
        )


class Dreamer:
    name = "dreamer"

    def choose(self, board, limit, rng):
        return MoveChoice(min(board.legal_moves), explanation=Dream("last night"))

    def close(self):
        pass


def create(rules, settings):
    return Dreamer()
"""


def test_a_players_own_kind_of_explanation_is_shown_outside_its_worker(project):
    write_script(project, "dreams", OWN_EXPLANATION)
    write(project, '[players]\ndreamer = "scripts.dreams:create"\n')
    rules = Rules(6, 4)
    with running(player.main, project=str(project)) as (connection, _):
        ask(connection, Configure("dreamer", rules, {}))
        request = PlayRequest(session=1, game=1, ply=0, moves=(), limit=Limit(), seed=1)
        (answer,) = ask(connection, request, 2)
    said = answer.choice.explanation
    view = said.view(ExplainedMove(rules, (0,) * 36, 0, 1))
    assert said.caption() == "dreamt last night"
    assert (view.reason, view.values) == (", dreamt last night", (("Dreamt", "last night"),))
    assert view.boards[0].shares == view.shares == (1.0, *[0.0] * 35)
    assert dict(said) == {"dreamt": "last night"}, "as the run database keeps it"


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (
            "from scripts.gomoku.board.mini_board import MiniBoard",
            r"scripts/mine.py:1: expected the file .*[/\\]scripts[/\\]gomoku.py, found none; "
            r"what ships with Goishi: from goishi.scripts.gomoku import \.\.\.$",
        ),
        (
            "import scripts.helper",
            r"scripts/mine.py:1: expected the file \S*helper.py, found none$",
        ),
        (
            "from goishi.scripts.common.nothing import X",
            r"scripts/mine.py:1: expected the file \S*[/\\]scripts[/\\]common[/\\]nothing.py, found none$",
        ),
        (
            "import no_such_pebbles.inner",
            "scripts/mine.py:1: expected the package no_such_pebbles, found none: "
            "python main.py pip install no_such_pebbles$",
        ),
    ],
)
def test_what_a_player_imports_in_vain_is_told_with_its_place(project, line, fault):
    write_script(project, "mine", f"{line}\n\n\ndef create(rules, settings):\n    return None\n")
    write(project, '[players]\nmine = "scripts.mine:create"\n')
    with pytest.raises(UnknownPlayerError, match=f"^'scripts.mine:create': {fault}"):
        create_player("mine", Rules(7), project=project)


def test_an_error_of_a_player_names_its_line(project):
    write_script(
        project, "mine",
        f"{PLAYER}\n\nclass Wrong(Named):\n    def choose(self, board, limit, rng):\n"
        "        return 1 // 0\n\n\ndef create(rules, settings):\n    return Wrong('wrong')\n",
    )  # fmt: skip
    write(project, '[players]\nmine = "scripts.mine:create"\n')
    with running(player.main, project=str(project)) as (connection, _):
        assert isinstance(ask(connection, Configure("mine", Rules(6, 4), {}))[0], Ready)
        request = PlayRequest(session=1, game=1, ply=0, moves=(), limit=Limit(), seed=1)
        (failure,) = ask(connection, request, 2)
    assert (failure.kind, failure.text) == (
        "ZeroDivisionError", "integer division or modulo by zero"
    )  # fmt: skip
    place = project / "scripts" / "mine.py"
    assert (failure.file, failure.line) == (str(place), 18)
    assert failure.frames == (f"{place}:18 in choose",)


LEARNER = """
from ai.learning.self_teaching import SelfTeachingLearner


def learn(rules, settings, seed, *, threads, share):
    return SelfTeachingLearner("cnn-ann", rules, settings, seed, threads=threads, share=share)
"""


def opening(name):
    return OpenLearner(name, Rules(5, 4), {}, seed=1, directory=None, fresh=True)


def test_a_learner_of_the_project_is_opened(project):
    (project / "scripts" / "pupil.py").write_text(LEARNER, encoding="utf-8")
    write(
        project,
        '[players.pupil]\ncreate = "ai.players.cnn_ann:create"\nlearner = "scripts.pupil:learn"\n'
        '[players.idler]\ncreate = "scripts.pupil:learn"\n',
    )
    service = TrainerService(project=project)
    opened = service.handle(opening("pupil"), print)
    assert opened.games_learnt == 0
    with pytest.raises(WorkerRequestError, match="expected a player that learns, found 'idler'"):
        service.handle(opening("idler"), print)


def test_the_generator_decides_and_the_board_is_left_alone(tmp_path):
    project = build_project(tmp_path / "four")
    board = Board.from_moves([0, 35], Rules(6, 4))
    player = create_player("stray", Rules(6, 4), project=project)
    first, second = (player.choose(board, Limit(), np.random.default_rng(4)) for _ in range(2))
    assert first.move == second.move
    assert board.moves == [0, 35]


@pytest.mark.parametrize(
    "target", ["os:system", "subprocess:run", "pip.thing:main", "runpy:run_path"]
)
@pytest.mark.parametrize("key", ["x", "x.create", "x.learner"])
def test_what_is_not_the_projects_own_is_refused(target, key, project):
    table = f'x = "{target}"'
    if "." in key:
        first = "" if key == "x.create" else 'create = "scripts.a:b", '
        table = f'x = {{{first}{key.partition(".")[2]} = "{target}"}}'
    write(project, f"[players]\n{table}\n")
    with pytest.raises(ProjectError, match=f"^goishi.toml:players.{key}: expected module:name, as"):
        list_players(project)


def test_a_module_of_the_project_outside_of_its_scripts_is_its_own(project):
    (project / "mine").mkdir()
    write(project, '[players]\nx = "mine.player:create"\n')
    assert get_player_info("x", project).factory == "mine.player:create"


@pytest.mark.parametrize("target", ["os:system", "webbrowser:open", "importlib.util:find_spec"])
def test_a_scene_cannot_name_python_itself_as_a_player(target, project):
    with pytest.raises(UnknownPlayerError, match="expected a player or its module:callable"):
        create_player(target, Rules(7), project=project)

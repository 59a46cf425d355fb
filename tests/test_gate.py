"""No command imports a module of a project that is not trusted, in whatever way it is named."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import pytest

from ai.messages import Configure
from ai.registry.info import load_target, open_project
from ai.registry.players import confined_settings, create_player, get_player_info
from ai.registry.project_games import get_game
from ai.workers.player import PlayerService
from base.errors import TrustError, UsageError
from base.modules import ScriptPackage
from base.schema import OptionError
from base.trust import Trust, guard_imports, may_import, trust_for_this_run, trust_of
from sim.commands.cli.application import COMMANDS, Group
from sim.core.host.script_loader import ScriptLoader
from sim.core.project.run_context import RunContext
from sim.core.project.trust import remember, trust_own
from tests.command_line import ROOT, run_here
from tests.project_page import own_scripts

RAN = "from pathlib import Path\n(Path({folder!r}) / 'ran').write_text(__file__)\n"
PLAYER = "\n\ndef create(rules, settings):\n    from ai.players.uniform import create\n    return create\n"
MANIFEST = """
[players]
p = "scripts.p:create"
q = "q:create"
[games.g]
create = "scripts.p:Game"
size = 3
[commands]
own = "scripts.p:create"
"""
SCENE = {
    "format": "goishi.scene/1", "id": "scn_one", "objects": {
        "obj_one": {"name": "One", "components": {"cmp_one": {"type": "scripts.p:P"}}},
    },
}  # fmt: skip
LINE = {
    "format": "goishi.game/1", "game": 1, "rules": {"create": "scripts.p:Game", "size": 3},
    "moves": [0, 1],
}  # fmt: skip
PYTHON = "Scripts/python.exe" if os.name == "nt" else "bin/python"
SHORT = ("--for", "0.01", "--no-graphics")
HELP = ("--help",)
WAYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "run": (("scenes/a.scene.json", *SHORT), ("--player-black", "p", *SHORT)),
    "players": ((), ("--json",)),
    "games": ((), ("--json",)),
    "check": (("scenes/a.scene.json",),),
    "experiment": (("--player", "p", "--games", "1", "--out", "runs/e"),),
    "grid": (("--player", "scripts.p:create", "--seeds", "1", "--out", "runs/g"),),
    "arena": (("p", "random", "--games", "2", "--board", "7"), ("scripts.p:create", "random")),
    "arena-table": (("run",),),
    "bench": (HELP,),
    "train move-net": (("--records", "run", "--out", "n.npz"),),
    "train alphagomoku": (HELP,),
    "train ppo": (("--scene", "scenes/a.scene.json", "--steps", "1"),),
    "train sac": (("--scene", "scenes/a.scene.json", "--steps", "1"),),
    "train patterns": (HELP,),
    "train evaluation": (HELP,),
    "brain": (("p",), ("q",), ("q:create",), ("scripts.p:create",), ("p", "--package", "out")),
    "replay": (("run", "--headless"), ("run", "--export", "out.sgf")),
    "review": (("run", "--nodes", "1"),),
    "export": (("scripts/p.py", "--out", "built"),),
    "export-scene": (
        ("scenes/a.scene.json", "--out", "a.glb"),
        ("scenes/a.scene.json", "--no-graphics", "--out", "a.glb"),
    ),
    "export-policy": (("cart_pole", "--scene", "scenes/a.scene.json", "--out", "p.onnx"),),
    "export-net": (("p", "--out", "p.onnx"), ("scripts.p:create", "--out", "p.onnx")),
    "new script": (("leaf",),),
    "new project": (HELP,),
    "warm": (HELP,),
    "forget": (HELP,),
    "learnt save": (("w.learnt", "--player", "p"),),
    "learnt load": (("w.learnt",),),
    "pack": ((".", "--out", "game"), ("--out", "game", ".", "--target", "linux")),
    "pip": (("list",),),
    "test": ((), (".",)),
    "own": ((),),
}
"""Words after each command, with names of a hostile project's own things in them."""

seen: list[str] = []
watched: list[str] = []


def listen(event: str, arguments: tuple[object, ...]) -> None:
    """Note code of the watched folder that is run in this process."""
    if watched and event == "exec" and isinstance(arguments[0], CodeType):
        file = arguments[0].co_filename
        seen.extend(file for folder in watched if file.startswith(folder))


@pytest.fixture(scope="module", autouse=True)
def ears() -> None:
    sys.addaudithook(listen)


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project whose modules each leave the file `ran`; no code of it may run."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", str(tmp_path / "config"))
    root = tmp_path / "hostile"
    code = RAN.format(folder=str(root)) + PLAYER
    modules = ("scripts/p.py", "scripts/__init__.py", "q.py", "pickle.py", "sitecustomize.py",
               "conftest.py", "tests/test_p.py", "tests/conftest.py")  # fmt: skip
    files = {
        **dict.fromkeys(modules, code),
        "goishi.toml": MANIFEST,
        "scenes/a.scene.json": json.dumps(SCENE),
        "run/games.jsonl": json.dumps(LINE) + "\n",
        f".venv/{PYTHON}": f"#!/bin/sh\ntouch {root / 'ran'}\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    (root / ".venv" / PYTHON).chmod(0o755)
    watched.append(str(root))
    seen.clear()
    monkeypatch.chdir(root)
    with own_scripts():
        yield root
    watched.clear()


def commands() -> set[str]:
    """Return all commands, those of groups with both words."""
    return {
        f"{name} {second}" if second else name
        for name, entry in COMMANDS.items()
        for second in (entry.members if isinstance(entry, Group) else ("",))
    }


def test_every_command_is_tried() -> None:
    assert commands() == WAYS.keys() - {"own"}


@pytest.mark.parametrize("command", WAYS)
def test_no_command_runs_code_of_a_project_that_is_not_trusted(
    command: str, hostile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in WAYS[command]:
        for way in (
            (*command.split(), *words),
            (*command.split(), *words, "--project", str(hostile)),
            ("--project", str(hostile), *command.split(), *words),
        ):
            code, _, error = run_here(capsys, *way)
            assert seen == [], way
            assert not (hostile / "ran").exists(), way
            assert "Traceback" not in error, way
            one_line = ("brain", "export", "test", "pip", "train ppo", "train sac", "own")
            if command in one_line and code == 2:
                assert error.count("\n") <= 4, way
            assert error.isprintable() or code or "goishi" in error or not error, way


def test_the_brain_says_in_one_line_how_it_is_allowed(
    hostile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for way in (
        ("brain", "p"),
        ("brain", "p", "--project", str(hostile)),
        ("--project", str(hostile), "brain", "p"),
        ("brain", "p", "--package", "out"),
    ):
        code, out, error = run_here(capsys, *way)
        assert (code, out) == (2, "")
        assert error.startswith(f"goishi: {hostile}: expected a project that you trust")
        assert "add --trust" in error
        assert error.count("\n") == 1
    assert not (hostile / "out").exists()
    code, out, _ = run_here(capsys, "brain", "q", "--package", "out", "--trust")
    assert code == 0
    assert Path(out.splitlines()[0]).read_text().rstrip().endswith(f"{hostile} --trust")


def test_modules_are_refused_where_they_are_imported(hostile: Path) -> None:
    guard_imports()
    for load in (
        lambda: ScriptPackage(hostile, "goishi_gate_test").module("scripts.p"),
        lambda: ScriptLoader(hostile, ROOT).load("scripts.p:P"),
        lambda: open_project(hostile),
        lambda: get_player_info("p", hostile).load("scripts.p:create"),
        lambda: get_player_info("q:create", hostile).load("q:create"),
        lambda: get_game("g", hostile).rules,
    ):
        with pytest.raises(TrustError, match="expected a project that you trust, found a folder"):
            load()
    assert str(hostile) not in sys.path
    assert seen == []
    trust_for_this_run(hostile)
    assert ScriptPackage(hostile, "goishi_gate_test").module("scripts.p").create
    assert (hostile / "ran").exists()


def test_a_folder_that_seemed_to_hold_no_code_runs_none(tmp_path: Path, hostile: Path) -> None:
    bare = tmp_path / "bare"
    (bare / "deep" / "inner").mkdir(parents=True)
    (bare / "deep" / "inner" / "m.py").write_text(RAN.format(folder=str(hostile)))
    assert trust_of(bare) is Trust.TRUSTED, "nobody is asked about it"
    guard_imports()
    assert not may_import(bare)
    open_project(bare)
    assert str(bare) not in sys.path
    with pytest.raises(TrustError):
        create_player("deep.inner.m:create", get_game("tic-tac-toe").rules, project=bare)
    assert trust_own(bare) == ""
    assert trust_of(bare) is Trust.TRUSTED
    assert not may_import(bare), "a first script of one's own trusts no code that was there"
    assert load_target("ai.players.human:create")
    assert not (hostile / "ran").exists()


def test_scripts_that_appear_later_are_refused_until_they_are_trusted(
    tmp_path: Path, hostile: Path
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    guard_imports()
    loader = ScriptLoader(bare, ROOT)
    (bare / "scripts").mkdir()
    (bare / "scripts" / "late.py").write_text(
        "from sim import Script\n\n\nclass L(Script):\n    pass\n"
    )
    with pytest.raises(TrustError, match="Trust this project"):
        loader.load("scripts.late:L")
    remember(bare, Trust.TRUSTED)
    assert loader.load("scripts.late:L").__name__ == "L"


def test_a_scene_from_elsewhere_names_no_file_outside_of_its_project(hostile: Path) -> None:
    guard_imports()
    service, rules = PlayerService(hostile), get_game("gomoku").rules
    for file in ("/etc/passwd", "../other.npz", "~/x.npz/../../y"):
        with pytest.raises(OptionError, match="network: expected a path inside the project, or"):
            service.handle(Configure("move-net", rules, {"network": file}), print)
    info = get_player_info("move-net")
    for given in ({"network": "shipped"}, {"network": "earlier"}, {}):
        assert confined_settings(info, given, hostile) == given
    assert confined_settings(info, {"network": "a.npz"}, hostile) == {
        "network": str(hostile / "a.npz")
    }
    for name, key in (("alphagomoku", "weights"), ("alpha-beta", "evaluation")):
        with pytest.raises(OptionError, match=f"{key}: expected a path inside the project"):
            confined_settings(get_player_info(name), {key: "/etc/passwd"}, hostile)
    scene = hostile / "scenes" / "a.scene.json"
    run = RunContext(scene_path=scene, project=hostile, data_dir=hostile)
    with pytest.raises(UsageError, match="expected a path inside the project, or any once"):
        run.file_named("/etc/passwd")
    assert run.file_named("run") == hostile / "run"
    remember(hostile, Trust.TRUSTED)
    assert confined_settings(info, {"network": "/x"}, hostile) == {"network": "/x"}
    assert run.file_named("/etc/passwd") == Path("/etc/passwd")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are of POSIX alone")
@pytest.mark.parametrize(
    ("name", "key"),
    [("move-net", "network"), ("alphagomoku", "weights"), ("alpha-beta", "evaluation")],
)
def test_a_pipe_in_place_of_a_network_is_one_line_and_no_wait(
    name: str, key: str, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OptionError, match="found a pipe, no file"):
        create_player(name, get_game("gomoku").rules, {key: str(tmp_path / "pipe")})


def test_a_program_that_imports_goishi_is_the_users_own(hostile: Path) -> None:
    assert may_import(hostile)
    trust_for_this_run(hostile)
    assert "GOISHI_TRUSTED" not in os.environ

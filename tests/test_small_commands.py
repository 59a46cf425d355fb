"""The commands beside `run`: players, check, new, forget."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sim.commands import preflight
from sim.commands.cli import ending
from tests.command_line import MAIN, ROOT, install_fake_app, run_here


def test_players_lists_the_shipped_ones(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run_here(capsys, "players", "--json")
    assert code == 0
    described = json.loads(out)
    names = {player["name"] for player in described}
    assert {"cnn-ann", "cnn-ann-plus", "genetic", "random", "human"} <= names
    wanted = {"name", "description", "source", "rules", "board_sizes", "settings"}
    assert all(wanted <= set(player) for player in described)
    for setting in (item for player in described for item in player["settings"]):
        assert {"key", "default", "help"} <= set(setting)
    code, out, _ = run_here(capsys, "players")
    assert code == 0
    assert names <= set(out.splitlines())


@pytest.mark.parametrize(
    "scene", sorted((ROOT / "scenes").glob("*.scene.json")), ids=lambda p: p.name
)
def test_the_shipped_scenes_are_sound(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, error = run_here(capsys, "check", str(scene))
    assert (code, out, error) == (0, "", "")


def test_check_knows_the_former_names_of_fields(capsys: pytest.CaptureFixture[str]) -> None:
    scene = ROOT / "tests/drive/project_written_before/scenes/match.scene.json"
    code, out, _ = run_here(capsys, "check", str(scene), "--trust")
    assert (code, out) == (0, "")


def test_check_writes_a_line_for_each_fault(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    scene = write_project(tmp_path, fields={"height": "tall", "width": 3})
    code, out, _ = run_here(capsys, "check", str(scene), "--trust")
    assert code == 1
    lines = out.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("x.scene.json:obj_aaa:cmp_aaa.fields.height: expected a number")
    assert lines[1].startswith("x.scene.json:obj_aaa:cmp_aaa.fields.width: expected a field of")


@pytest.mark.parametrize(
    "text",
    ["import sys\nsys.exit(3)\n", "def broken(:\n", "import no_such_package\n", "x = 1\n"],
)
def test_check_reports_a_script_that_does_not_load(
    text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    scene = write_project(tmp_path, script=text)
    code, out, _ = run_here(capsys, "check", str(scene), "--trust")
    assert code == 1
    assert out.count("\n") == 1
    assert out.startswith("x.scene.json:obj_aaa:cmp_aaa.type: expected a script class that loads")


def test_check_runs_no_hooks(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = SCRIPT + "    def awake(self):\n        raise SystemExit\n"
    scene = write_project(tmp_path, script=text)
    assert run_here(capsys, "check", str(scene), "--trust")[0] == 0


def test_check_names_faults_of_the_file_itself(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    scene = write_project(tmp_path)
    scene.write_text(scene.read_text(encoding="utf-8").replace("goishi.scene/1", "other/1"))
    code, out, _ = run_here(capsys, "check", str(scene))
    assert code == 1
    assert "x.scene.json::format: expected" in out


SCRIPT = "from sim import Script, field\nclass Thing(Script):\n    height: float = field(1.0)\n"


def write_project(root: Path, *, script: str = SCRIPT, fields: dict | None = None) -> Path:
    (root / "scenes").mkdir()
    (root / "scripts").mkdir()
    (root / "scripts" / "thing.py").write_text(script, encoding="utf-8")
    component = {"type": "scripts.thing:Thing", "fields": fields or {}}
    scene = {
        "format": "goishi.scene/1",
        "id": "scn_aaa",
        "objects": {"obj_aaa": {"name": "Thing", "components": {"cmp_aaa": component}}},
    }
    path = root / "scenes" / "x.scene.json"
    path.write_text(json.dumps(scene), encoding="utf-8")
    return path


def test_a_new_project_is_sound_and_grows(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    project = tmp_path / "my_games"
    assert run_here(capsys, "new", "project", str(project))[0] == 0
    names = {path.name for path in project.iterdir()}
    assert names == {
        "scenes", "scripts", "assets", "tests", "requirements.txt", "goishi.toml", "README.md",
        ".gitignore", ".vscode",
    }  # fmt: skip
    scene = project / "scenes" / "main.scene.json"
    assert run_here(capsys, "check", str(scene)) == (0, "", "")
    assert run_here(capsys, "new", "project", str(project))[0] == 2


def test_a_new_script_loads_and_is_never_overwritten(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "scenes").mkdir()
    words = ("new", "script", "games/falling_leaf", "--project", str(tmp_path))
    code, out, _ = run_here(capsys, *words)
    assert code == 0
    assert '{"type": "scripts.games.falling_leaf:FallingLeaf"}' in out
    text = (tmp_path / "scripts" / "games" / "falling_leaf.py").read_text(encoding="utf-8")
    assert "class FallingLeaf(Script):" in text
    assert "Template" not in text
    assert run_here(capsys, *words)[0] == 2


def test_a_new_script_wants_a_project(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, error = run_here(capsys, "new", "script", "leaf", "--project", str(tmp_path))
    assert code == 2
    assert "scenes/" in error


def test_a_closed_pipe_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [sys.executable, str(MAIN), "players", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(1) == b"["
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.parametrize(
    ("system", "error", "code"),
    [
        ("posix", BrokenPipeError(errno.EPIPE, "broken"), 0),
        ("posix", OSError(errno.EINVAL, "invalid"), 1),
        ("nt", OSError(errno.EINVAL, "invalid"), 0),
        ("nt", OSError(errno.EINVAL, "invalid", "a:b"), 1),
    ],
)
def test_a_closed_pipe_is_known_by_what_each_system_calls_it(
    system: str, error: OSError, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dropped: list[bool] = []
    monkeypatch.setattr(ending, "_drop_output", lambda: dropped.append(True))

    def fail() -> None:
        raise error

    command = ending.ending_code(fail)
    with monkeypatch.context() as patched:
        patched.setattr(os, "name", system)
        found = command()
    assert (found, dropped) == (code, [True] * (code == 0))


def test_forget_without_yes_asks_only_people(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, data_home: Path
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    folder = learnt_folder(data_home / "goishi")
    code, _, error = run_here(capsys, "forget")
    assert code == 2
    assert "--yes" in error
    assert any(folder.iterdir())


def test_forget_deletes_what_was_learnt(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = learnt_folder(tmp_path / "data")
    code, out, _ = run_here(capsys, "forget", "--yes", "--data-dir", str(folder))
    assert code == 0
    assert "deleted" in out
    code, out, _ = run_here(capsys, "forget", "--yes", "--data-dir", str(folder))
    assert (code, out) == (0, f"nothing learnt in {folder}\n")


def test_forget_refuses_while_somebody_runs_on_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from sim.core.project.data_dir import DataDirLock

    folder = learnt_folder(tmp_path / "data")
    with DataDirLock(folder):
        code, _, error = run_here(capsys, "forget", "--yes", "--data-dir", str(folder))
    assert code == 2
    assert f"in use by process {os.getpid()}" in error
    assert run_here(capsys, "forget", "--yes", "--data-dir", str(folder))[0] == 0


def learnt_folder(folder: Path) -> Path:
    from sim.core.project.data_dir import open_data_dir

    with open_data_dir(folder):
        (folder / "scn_5k2q9w1m7c" / "learner").mkdir(parents=True)
    return folder


def test_warm_compiles_and_draws_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[bool] = []
    drawn: list = []
    monkeypatch.setattr("sim.commands.warm.is_compiled", lambda: bool(compiled))
    monkeypatch.setattr(
        "sim.commands.warm.compile_all", lambda report: compiled.append(True) or 1.5
    )
    monkeypatch.setattr("sim.commands.warm.require_libraries", lambda: None)
    install_fake_app(monkeypatch, lambda options: drawn.append(options) or 0)
    code, out, _ = run_here(capsys, "warm")
    assert code == 0
    assert "kernels: compiled in 1.5 s" in out
    assert "textures: ready" in out
    assert [(options.headless, options.safe) for options in drawn] == [(True, True)]
    assert "kernels: compiled already" in run_here(capsys, "warm")[1]


def test_warm_without_opengl_compiles_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise preflight.PreflightError("libGL not found")

    monkeypatch.setattr("sim.commands.warm.is_compiled", lambda: True)
    monkeypatch.setattr("sim.commands.warm.require_libraries", refuse)
    code, out, _ = run_here(capsys, "warm")
    assert code == 0
    assert "textures: not needed here" in out


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["experiment", "--alpha", "-1"], "--alpha"),
        (["experiment", "--alpha", "near"], "--alpha"),
        (["experiment", "--records", "0"], "--records"),
        (["experiment", "--games", "0"], "--games"),
        (["experiment", "--player", "genetic"], "--player"),
        (["experiment", "--set", "epochs"], "--set"),
        (["experiment", "--set", "bogus=1"], "bogus"),
        (["experiment", "--held-out", "-1"], "--held-out"),
        (["experiment", "--seed", "9" * 30], str(2**63 - 1)),
        (["experiment", "--alpha", "2e6"], "from 0 to 1000000"),
        (["grid", "--held-out", "-1"], "--held-out"),
        (["grid", "--alpha", "5,5.0"], "r1_a5_s0 twice"),
        (["grid", "--address", "10.0.0.1:6379"], "--address"),
        (["grid", "--records", "1,x"], "--records"),
        (["grid", "--alpha", "5,-2"], "--alpha"),
        (["grid", "--seeds", "0"], "--seeds"),
        (["grid", "--jobs", "0"], "--jobs"),
        (["grid", "--backend", "cloud"], "--backend"),
        (["arena", "random"], "two or more players, found 1"),
        (["arena", "random", "nobody"], "nobody"),
        (["arena", "random", "human"], "found a person"),
        (["arena", "random", "one-ply", "--games", "3"], "an even number"),
        (["arena", "random", "one-ply", "--board", "99"], "--board"),
        (["arena", "random", "one-ply", "--win-length", "2"], "--win-length"),
        (["arena", "random", "one-ply", "--rule", "gomoku"], "--rule"),
        (["arena", "random", "genetic", "--rule", "renju"], "freestyle or standard, found renju"),
        (["arena", "random", "one-ply", "--opening", "sharp"], "--opening"),
        (["arena", "random", "one-ply", "--nodes", "0"], "--nodes"),
        (["arena", "random", "one-ply", "--nodes", "9", "--move-seconds", "1"], "found both"),
        (["arena", "random", "one-ply", "--jobs", "0"], "--jobs"),
        (["arena", "random", "one-ply", "--sprt", "50,0"], "--sprt"),
        (["arena", "random", "one-ply", "--sprt", "many"], "--sprt"),
        (["arena", "random", "one-ply", "--backend", "cloud"], "--backend"),
        (["arena", "random", "one-ply", "--address", "10.0.0.1:6379"], "--address"),
    ],
)
def test_a_bad_parameter_of_an_experiment_writes_nothing(
    words: list[str], named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    code, _, error = run_here(capsys, *words, "--out", str(out))
    assert code == 2
    assert len(error.splitlines()) == 1
    assert named in error
    assert "expected" in error
    assert not out.exists()


def test_the_arena_tells_its_table_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["arena", "one-ply", "random", "--board", "7", "--win-length", "4", "--nodes", "5"]
    words += ["--opening", "first", "--out", str(tmp_path)]
    code, out, _ = run_here(capsys, *words, "--games", "4")
    assert code == 0
    assert re.search(r"1\. one-ply +\d+ +\(\d+ to \d+\)\n +2\. random", out)
    assert re.search(r"one-ply – random: [34] won, 0 drawn, [01] lost", out)
    assert str(tmp_path / "index.html") in out
    code, _, error = run_here(capsys, *words, "--games", "6")
    assert code == 2
    assert error.endswith("add --resume\n")
    code, out, _ = run_here(capsys, *words, "--games", "6", "--resume", "--sprt", "0,300")
    assert code == 0
    assert re.search(r"one-ply is \w+ by log-likelihood ratio", out)
    code, out, _ = run_here(capsys, "arena-table", str(tmp_path), "--player", "random")
    assert code == 0
    assert re.search(r"\| one-ply \| [01] : [56] \| 0 \|", out)
    assert (tmp_path / "table.md").read_text() in out
    code, _, error = run_here(capsys, "arena-table", str(tmp_path), "--player", "x")
    assert (code, "expected one of one-ply, random" in error) == (2, True)
    code, _, error = run_here(capsys, "arena-table", str(tmp_path / "none"))
    assert (code, "expected a tournament's folder" in error) == (2, True)


def test_a_projects_player_plays_in_the_arena_once_it_is_trusted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "others"
    (project / "scenes").mkdir(parents=True)
    (project / "scripts").mkdir()
    (project / "goishi.toml").write_text('[players]\nfirst = "scripts.first:First"\n')
    (project / "scripts" / "first.py").write_text(
        "from ai import MoveChoice\n\n\n"
        "class First:\n    name = 'first'\n\n"
        "    def __init__(self, rules, settings):\n        pass\n\n"
        "    def choose(self, board, limit, rng):\n"
        "        return MoveChoice(next(iter(board.legal_moves)))\n\n"
        "    def close(self):\n        pass\n"
    )
    words = ["arena", "first", "one-ply", "--project", str(project), "--board", "5", "--games"]
    words += ["2", "--opening", "none", "--nodes", "5", "--out", str(tmp_path / "out")]
    code, _, error = run_here(capsys, *words)
    assert code == 2
    assert "--trust" in error
    assert not (tmp_path / "out").exists()
    code, out, _ = run_here(capsys, *words, "--trust")
    assert code == 0
    assert "first – one-ply: 0 won" in out


def test_a_grid_without_ray_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    code, _, error = run_here(capsys, "grid", "--backend", "ray", "--out", str(tmp_path / "out"))
    assert code == 2
    assert "pip install" in error
    assert not (tmp_path / "out").exists()


def test_a_grid_in_a_single_runs_folder_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run.json").write_text("{}", encoding="utf-8")
    code, _, error = run_here(capsys, "grid", "--out", str(tmp_path))
    assert code == 2
    assert "--out: expected an empty folder, found files in" in error
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_an_experiments_folder_must_be_writable_and_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_text("x", encoding="utf-8")
    for folder in ("file/below", "photos"):
        for command in (["experiment"], ["grid"]):
            if command == ["grid"] and folder == "photos":
                continue  # a grid's cells have folders of their own
            code, _, error = run_here(capsys, *command, "--out", str(tmp_path / folder))
            assert code == 2
            assert error.count("\n") == 1
            assert "--out" in error
    assert [path.name for path in (tmp_path / "photos").iterdir()] == ["cat.jpg"]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"model": {"builtin": "sphere", "radius": -1}}, ":model: .*radius"),
        ({"model": {"builtin": "sphere", "radius": 1e9}}, ":model: .*radius"),
        ({"model": {"builtin": "spere"}}, ":model: expected one of .*found 'spere'"),
        ({"model": {"builtin": "box", "sise": 1}}, ":model: expected the keys .*found 'sise'"),
        (
            {"model": {"builtin": "box"}, "material": {"color": "red"}},
            ":material.color: expected three numbers from 0 to 1, found 'red'",
        ),
        ({"model": {"builtin": "box"}, "material": {"opacity": 3}}, ":material.opacity: expected"),
        ({"model": {"asset": "assets/broken.glb"}}, ":model.asset: expected .*broken.glb"),
        ({"model": {"builtin": "box"}, "texture": "assets/broken.png"}, ":texture: expected"),
    ],
)
def test_check_names_the_looks_that_a_run_names(
    values: dict, told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "assets").mkdir()
    for name in ("broken.glb", "broken.png"):
        (tmp_path / "assets" / name).write_bytes(b"glTF and no more")
    (tmp_path / "scenes").mkdir()
    scene = tmp_path / "scenes" / "x.scene.json"
    scene.write_text(
        json.dumps({
            "format": "goishi.scene/1", "id": "scn_one",
            "objects": {"obj_one": {"name": "One", **values}},
        })
    )  # fmt: skip
    code, out, _ = run_here(capsys, "check", str(scene))
    assert code == 1
    assert out.count("\n") == 1
    assert re.search(told, out)
    assert out.startswith("x.scene.json:obj_one:")

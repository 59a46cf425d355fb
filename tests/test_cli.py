"""The command line as a user meets it: exit codes, one-line messages, what is missing."""

from __future__ import annotations

import ast
import io
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from sim.commands import application, preflight
from sim.commands.entry import with_default_command
from sim.commands.run import options_from
from sim.core.errors import UsageError
from sim.core.run_options import DEFAULT_SCENE, FLAGS

ROOT = Path(__file__).resolve().parents[1]
MAIN = ROOT / "main.py"


def run_main(*words: str, python: tuple[str, ...] = (), **changes: str | None) -> tuple:
    """Run main.py in a process of its own; a change to None takes a variable away."""
    environment = {**os.environ, **{key: value for key, value in changes.items() if value}}
    for key in [key for key, value in changes.items() if value is None]:
        environment.pop(key, None)
    done = subprocess.run(
        [sys.executable, *python, str(MAIN), *words],
        capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, timeout=120,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def run_here(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run a command in this process."""
    code = application.run_application(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def is_one_line(text: str) -> bool:
    return text.endswith("\n") and text.count("\n") == 1 and text.startswith("goishi: ")


# -- before anything runs ------------------------------------------------------------------------


def test_main_parses_under_old_pythons() -> None:
    tree = ast.parse(MAIN.read_text(encoding="utf-8"), feature_version=(3, 6))
    futures = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert futures == [], "from __future__ import annotations is a syntax error in Python 3.6"


def test_main_imports_nothing_heavy_when_a_worker_imports_it_again() -> None:
    probe = (
        f"import sys; text = open({str(MAIN)!r}, encoding='utf-8').read();"
        "before = set(sys.modules); exec(text, {'__name__': '__mp_main__'});"
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", probe], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("version", [(3, 6, 9), (3, 10, 14), (3, 14, 0), (4, 0, 0)])
def test_an_unsupported_python_is_told_what_to_do(
    version: tuple[int, int, int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    module = runpy.run_path(str(MAIN))
    monkeypatch.setattr(sys, "version_info", version)
    assert module["main"]() == 1
    error = capsys.readouterr().err
    assert is_one_line(error)
    assert "Python 3.11 to 3.13 needed" in error
    assert f"this is {version[0]}.{version[1]}" in error
    assert "venv" in error


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 12, 5), (3, 13, 1)])
def test_supported_pythons_pass(version: tuple[int, int, int]) -> None:
    assert runpy.run_path(str(MAIN))["version_problem"](version) == ""


def test_before_pip_install_one_line_names_the_command() -> None:
    code, out, error = run_main("players", python=("-S",))
    assert code == 1
    assert out == ""
    assert is_one_line(error)
    assert "python -m pip install -r requirements.txt" in error
    assert "panda3d" in error
    assert "typer" in error


def test_a_single_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = preflight.find_spec
    monkeypatch.setattr(
        preflight, "find_spec", lambda name: None if name == "pyrr" else found(name)
    )
    with pytest.raises(preflight.PreflightError, match=r"^missing packages: pyrr; run: python -m"):
        preflight.require_packages()


def test_every_package_that_is_required_is_in_requirements() -> None:
    names = {"cv2": "opencv-python", "imgui_bundle": "imgui-bundle"}
    required = {names.get(name, name) for name in preflight.REQUIRED_PACKAGES}
    assert required <= set(pins())


def test_every_pin_has_its_reason_and_a_compatible_range() -> None:
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert all("~=" in line and line.partition("#")[2].strip() for line in lines)
    assert "development" in text


def pins() -> list[str]:
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    return [line.partition("~=")[0].strip() for line in text.splitlines() if "~=" in line]


@pytest.mark.skipif(sys.platform != "linux", reason="displays are X displays on Linux")
def test_no_display_is_one_line() -> None:
    code, _, error = run_main("run", DISPLAY=None)
    assert code == 1
    assert error == "goishi: no display found: set DISPLAY or use --headless --games N\n"


@pytest.mark.skipif(sys.platform != "linux", reason="displays are X displays on Linux")
def test_a_display_that_does_not_answer_is_one_line() -> None:
    code, _, error = run_main("run", DISPLAY=":987")
    assert code == 1
    assert is_one_line(error)
    assert "nothing answers at DISPLAY=:987" in error


@pytest.mark.skipif(sys.platform != "linux", reason="shared libraries of Linux")
def test_missing_libraries_are_named_with_the_apt_line() -> None:
    def load(name: str) -> object:
        if name.startswith(("libGL.", "libEGL.")):
            raise OSError(f"{name}: cannot open shared object file")
        return object()

    with pytest.raises(preflight.PreflightError) as caught:
        preflight.require_libraries(load)
    text = str(caught.value)
    assert text.startswith("libGL, libEGL not found: sudo apt-get install libgl1 libegl1 ")
    assert "\n" not in text


@pytest.mark.skipif(sys.platform != "linux", reason="shared libraries of Linux")
def test_missing_libgl_ends_run_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(preflight, "_can_load", lambda name, load: name != "libGL.so.1")
    scene = tmp_path / "x.scene.json"
    scene.write_text("{}", encoding="utf-8")
    code, _, error = run_here(capsys, "run", str(scene), "--headless", "--games", "1")
    assert code == 1
    assert is_one_line(error)
    assert error.startswith("goishi: libGL not found: sudo apt-get install libgl1 libegl1")


# -- the words -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], ["run"]),
        (["--headless", "--games", "3"], ["run", "--headless", "--games", "3"]),
        (["run", "x"], ["run", "x"]),
        (["--version"], ["--version"]),
        (["-h"], ["-h"]),
        (["players", "--json"], ["players", "--json"]),
    ],
)
def test_run_is_the_command_where_none_is_named(words: list[str], expected: list[str]) -> None:
    assert with_default_command(words) == expected


def test_flags_without_the_command_word_reach_run() -> None:
    code, _, error = run_main("--headless")
    assert code == 2
    assert "--games N or --for SECONDS" in error


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run_here(capsys, "--version")
    assert code == 0
    assert out.startswith(f"goishi {application.version()} ")


COMMANDS = [
    "run",
    "experiment",
    "grid",
    "replay",
    "export",
    "players",
    "games",
    "check",
    "new script",
    "new project",
    "warm",
    "forget",
    "pip",
    "test",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run_here(capsys, *command.split(), "--help")
    assert code == 0
    assert f"Example:\n    python main.py {command}" in out


def test_only_commands_that_exist_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run_here(capsys, "--help")
    listed = [line.split()[0] for line in out.partition("Commands:\n")[2].splitlines() if line]
    assert set(listed[: listed.index("Example:")]) == {word.split()[0] for word in COMMANDS}


def test_run_help_lists_every_flag(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run_here(capsys, "run", "--help")
    assert [flag.name for flag in FLAGS.values() if f"{flag.name} " not in out] == []


@pytest.mark.parametrize(
    "words",
    [
        ["bogus"],
        ["run", "--bogus"],
        ["run", "--games"],
        ["run", "--games", "many"],
        ["run", "--games", "0"],
        ["run", "--headless"],
        ["run", "--no-graphics"],
        ["run", "--speed", "100"],
        ["run", "--speed", "fast"],
        ["run", "--window", "big"],
        ["run", "--quality", "ultra"],
        ["run", "--on-error", "cry"],
        ["run", "--for", "0"],
        ["run", "--for", "nan"],
        ["run", "--seed", "-1"],
        ["run", "--video", "film.txt"],
        ["run", "--screenshot", "film.mp4"],
        ["run", "--debug-port", "80"],
        ["run", "no/such.scene.json"],
        ["run", "--games", "1", "--no-graphics", "--screenshot", "x.png"],
        ["export"],
        ["export", "no/such.py", "--out", "x"],
        ["export", "main.py"],
        ["check"],
        ["check", "no/such.scene.json"],
        ["new", "script", "not-a-name"],
        ["new", "script", "class"],
        ["new", "script", "../up"],
    ],
)
def test_wrong_usage_is_exit_code_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, error = run_here(capsys, *words)
    assert code == 2
    assert out == ""
    assert error


def test_interruption_is_exit_code_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr("sim.commands.warm.is_compiled", interrupt)
    code, _, _ = run_here(capsys, "warm")
    assert code == 130


def test_an_unwritable_place_is_exit_code_1(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    code, _, error = run_here(capsys, "new", "project", str(tmp_path / "file" / "inside"))
    assert code == 1
    assert is_one_line(error)


# -- from flags to options -----------------------------------------------------------------------


def test_flags_become_options(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = run_with(
        monkeypatch,
        "--no-graphics", "--games", "3", "--speed", "1/4", "--window", "800x600", "--no-ui",
        "--seed", "5", "--player-white", "random", "--stats", "o.json", "--on-error", "abort",
    )  # fmt: skip
    assert seen.scene == DEFAULT_SCENE
    assert (seen.graphics, seen.headless, seen.panels) == (False, True, False)
    assert (seen.games, seen.speed, seen.window, seen.seed) == (3, 0.25, (800, 600), 5)
    assert seen.script_options == {"player-white": "random"}
    assert (seen.stats, seen.on_error, seen.wants_temporary_data) == (Path("o.json"), "abort", True)


def test_the_exit_code_of_the_run_is_that_of_the_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for expected in (0, 1, 130):
        install_fake_app(monkeypatch, lambda options, started=None, code=expected: code)
        words = ("run", existing_scene(), "--no-graphics", "--games", "1")
        assert run_here(capsys, *words)[0] == expected


def test_a_missing_scene_is_named() -> None:
    with pytest.raises(UsageError, match=r"SCENE: expected a scene file, found no file 'x\.json'"):
        options_from({"scene": Path("x.json")})


def run_with(monkeypatch: pytest.MonkeyPatch, *words: str):
    seen: list = []

    def run(options: object, started: float | None = None) -> int:
        seen.append(options)
        return 0

    install_fake_app(monkeypatch, run)
    monkeypatch.setattr(Path, "is_file", lambda self: True)
    assert application.run_application(["run", *words]) == 0
    return seen[0]


def install_fake_app(monkeypatch: pytest.MonkeyPatch, run: object) -> None:
    fake = type(sys)("sim.app")
    fake.run = run  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sim.app", fake)


def existing_scene() -> str:
    return str(ROOT / "scenes" / "hello.scene.json")


# -- players, check, new, forget -----------------------------------------------------------------


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


def test_check_writes_a_line_for_each_fault(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    scene = write_project(tmp_path, fields={"height": "tall", "width": 3})
    code, out, _ = run_here(capsys, "check", str(scene))
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
    code, out, _ = run_here(capsys, "check", str(scene))
    assert code == 1
    assert out.count("\n") == 1
    assert out.startswith("x.scene.json:obj_aaa:cmp_aaa.type: expected a script class that loads")


def test_check_runs_no_hooks(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = SCRIPT + "    def awake(self):\n        raise SystemExit\n"
    scene = write_project(tmp_path, script=text)
    assert run_here(capsys, "check", str(scene))[0] == 0


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
        ".gitignore",
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
    command = f"{sys.executable} {MAIN} players --json | head -c 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=120)
    assert done.stderr == ""


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
    from sim.core.data_dir import DataDirLock

    folder = learnt_folder(tmp_path / "data")
    with DataDirLock(folder):
        code, _, error = run_here(capsys, "forget", "--yes", "--data-dir", str(folder))
    assert code == 2
    assert f"in use by process {os.getpid()}" in error
    assert run_here(capsys, "forget", "--yes", "--data-dir", str(folder))[0] == 0


def learnt_folder(folder: Path) -> Path:
    from sim.core.data_dir import open_data_dir

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
        (["grid", "--records", "1,x"], "--records"),
        (["grid", "--alpha", "5,-2"], "--alpha"),
        (["grid", "--seeds", "0"], "--seeds"),
        (["grid", "--jobs", "0"], "--jobs"),
        (["grid", "--backend", "cloud"], "--backend"),
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

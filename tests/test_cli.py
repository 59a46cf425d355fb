"""The command line as a user meets it: exit codes, one-line messages, what is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from base.errors import GoishiError, UsageError
from sim.commands.cli import application
from sim.commands.cli.entry import with_default_command
from sim.commands.run import options_from, run_plainly
from sim.core.project.run_options import DEFAULT_SCENE, FLAGS
from sim.core.project.scene_path import find_scene, require_scene
from tests.command_line import ROOT, install_fake_app, is_one_line, run_here, run_main

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


@pytest.mark.parametrize(
    ("words", "unneeded"),
    [
        (("--version",), ("ai.kernels.guided", "tensorflow")),
        (("--help",), ("ai.kernels.guided", "tensorflow")),
    ],
)
def test_what_only_prints_words_loads_no_kernels(
    words: tuple[str, ...], unneeded: tuple[str, ...]
) -> None:
    code, _, error = run_main(*words, python=("-X", "importtime"))
    loaded = {line.rpartition("|")[2].strip() for line in error.splitlines()}
    assert code == 0
    assert "sim.commands.cli.application" in loaded
    assert not loaded.intersection(unneeded)


COMMANDS = [
    "run",
    "experiment",
    "grid",
    "arena",
    "arena-table",
    "bench",
    "train",
    "train move-net",
    "train alphagomoku",
    "train patterns",
    "train evaluation",
    "brain",
    "replay",
    "review",
    "export",
    "pack",
    "export-policy",
    "export-net",
    "export-scene",
    "players",
    "games",
    "check",
    "new script",
    "new project",
    "warm",
    "forget",
    "learnt save",
    "learnt load",
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
    assert [flag.flag for flag in FLAGS.values() if f"{flag.flag} " not in out] == []


def test_run_help_lists_the_options_of_the_scene(capsys: pytest.CaptureFixture[str]) -> None:
    _, plain, _ = run_here(capsys, "run", "--help")
    own = plain.partition("Options, where the scene has them:\n")[2]
    for usage in ("--games N", "--player-white NAME", "--player-black NAME"):
        assert usage in own
    scene = "scenes/training_hall.scene.json"
    _, hall, _ = run_here(capsys, "run", scene, "--help")
    assert "--games N" in hall.partition(f"Options of {scene}:\n")[2]
    assert "--player-black" not in hall
    _, hello, _ = run_here(capsys, "run", existing_scene(), "-h")
    assert "--games" not in hello.partition("Example:")[0]


@pytest.mark.parametrize(
    "words",
    [
        ("run", "scenes/hello.scene.json", "--games", "3"),
        ("run", "--player-white", "random", "scenes/hello.scene.json"),
        ("run", "scenes/training_hall.scene.json", "--player-black", "random"),
    ],
)
def test_an_option_that_the_scene_has_not_is_one_line(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, error = run_here(capsys, *words)
    assert code == 2
    assert is_one_line(error)
    assert "expected a scene that has this option, found " in error


def test_a_switch_of_the_scene_may_stand_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = "from sim import Script, option\nclass A(Script):\n    loud: bool = option(False)\n"
    for name in ("scripts", "scenes"):
        (tmp_path / name).mkdir()
    (tmp_path / "scripts" / "a.py").write_text(script, encoding="utf-8")
    scene = tmp_path / "scenes" / "a.scene.json"
    scene.write_text(
        '{"format": "goishi.scene/1", "id": "scn_one", "objects": {"obj_one": {"name": "One", '
        '"components": {"cmp_one": {"type": "scripts.a:A"}}}}}', encoding="utf-8",
    )  # fmt: skip
    seen: list = []
    install_fake_app(monkeypatch, lambda options, **given: seen.append(options) or 0)
    assert run_here(capsys, "run", "--loud", str(scene), "--no-graphics", "--for", "1")[0] == 0
    assert (seen[0].scene, seen[0].script_options) == (scene, {"loud": True})


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
        ["pack"],
        ["pack", "no/such", "--out", "x"],
        ["export", "no/such.py", "--out", "x"],
        ["export", "main.py"],
        ["export-scene", "scenes/hello.scene.json"],
        ["export-scene", "no/such.scene.json", "--out", "x.glb"],
        ["export-scene", "scenes/hello.scene.json", "--out", "x.obj"],
        ["export-policy", "cart_pole"],
        ["export-policy", "cart_pole", "--out", "cart_pole.txt"],
        ["export-net", "alphagomoku", "--out", "x.onnx", "--board", "2"],
        ["export-net", "alphagomoku", "--out", "x.onnx", "--color", "red"],
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


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RuntimeError("can't start new thread"),
         "expected the system to start a thread, found that it allows no more (ulimit -u)"),
        (BlockingIOError(11, "Resource temporarily unavailable"),
         "expected the system to start a process, found that it allows no more (ulimit -u)"),
        (OSError(28, "No space left on device"),
         "expected the system to allow it, found: No space left on device"),
        (OSError(28, "No space left on device", "a.json"),
         "a.json: expected the system to allow it, found: No space left on device"),
    ],
)  # fmt: skip
def test_what_the_system_refuses_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    def refuse() -> bool:
        raise error

    monkeypatch.setattr("sim.commands.warm.is_compiled", refuse)
    code, _, told = run_here(capsys, "warm")
    assert (code, told) == (1, f"goishi: {said}\n")


def test_a_game_file_too_large_to_show_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "games.sgf"
    path.write_text(f"(;GM[4]FF[4]SZ[15]C[{'x' * 6_000_000}];B[hh])", encoding="ascii")
    code, _, error = run_here(capsys, "replay", str(path), "--headless")
    assert code == 2
    assert error == (
        f"goishi: {path}: expected a game file of at most 1 MB to show, found 6.0 MB; "
        "replay --export with --game takes one game out of it\n"
    )
    assert run_here(capsys, "replay", str(path), "--export", str(tmp_path / "o.txt"))[0] == 0


# -- from flags to options -----------------------------------------------------------------------


def test_flags_become_options(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = run_with(
        monkeypatch,
        "--no-graphics", "--games", "3", "--speed", "1/4", "--window", "800x600", "--no-ui",
        "--seed", "5", "--player-white", "random", "--stats", "o.json", "--on-error", "abort",
    )  # fmt: skip
    assert seen.scene == DEFAULT_SCENE
    assert (seen.graphics, seen.headless, seen.panels) == (False, True, False)
    assert (seen.speed, seen.window, seen.seed) == (0.25, (800, 600), 5)
    assert seen.script_options == {"games": 3, "player-white": "random"}
    assert (seen.stats, seen.on_error) == (Path("o.json").absolute(), "abort")
    assert seen.wants_temporary_data


def test_the_exit_code_of_the_run_is_that_of_the_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for expected in (0, 1, 130):
        install_fake_app(monkeypatch, lambda options, code=expected, **given: code)
        words = ("run", existing_scene(), "--no-graphics", "--for", "1")
        assert run_here(capsys, *words)[0] == expected


def test_a_missing_scene_is_named() -> None:
    with pytest.raises(UsageError, match=r"SCENE: expected a scene file, found no file 'x\.json'"):
        options_from({"scene": Path("x.json")})


def test_a_scene_is_found_in_the_current_folder_or_by_the_name_it_ships_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shipped = ROOT / "scenes" / "car.scene.json"
    assert find_scene("car") == find_scene("scenes/car.scene.json") == shipped
    own = Path("scenes/car.scene.json")
    own.parent.mkdir()
    own.write_text("{}", encoding="utf-8")
    assert find_scene(own) == own
    assert find_scene("car") == shipped
    with pytest.raises(UsageError, match=r"such as car, found no file 'caar'"):
        require_scene("caar")
    with pytest.raises(UsageError, match=f"such as {re.escape(str(own))}"):
        require_scene("scenes/cat.scene.json", "--scene")


def run_with(monkeypatch: pytest.MonkeyPatch, *words: str):
    seen: list = []

    def run(options: object, **given: object) -> int:
        seen.append(options)
        return 0

    install_fake_app(monkeypatch, run)
    monkeypatch.setattr(Path, "is_file", lambda self: True)
    assert application.run_application(["run", *words]) == 0
    return seen[0]


def existing_scene() -> str:
    return str(ROOT / "scenes" / "hello.scene.json")


PLAIN = (
    (),
    ("scenes/sandbox.scene.json",),
    ("--headless", "--speed", "1", "--for", "7", "--stats", "x.json"),
    ("--no-graphics", "--for=0.5", "--seed", "3", "--speed=max"),
    ("scenes/sandbox.scene.json", "--window", "800x600", "--quality", "low", "--paused"),
    ("--seed", "0", "--fresh", "--out", "runs/a", "--safe"),
)


@pytest.mark.parametrize("words", PLAIN, ids=" ".join)
def test_plain_words_are_read_as_the_library_reads_them(words, monkeypatch):
    read = []

    def stop(options) -> None:
        read.append(options)
        raise GoishiError("enough")

    monkeypatch.setattr("sim.commands.run.require_what_is_needed", stop)
    assert run_plainly(words) == 1
    assert application.run_application(["run", *words]) == 1
    assert len(read) == 2
    assert read[0] == read[1]


@pytest.mark.parametrize(
    "words",
    [
        ("--headless",), ("--help",), ("--games", "3"), ("a", "b"), ("--seed", "-1"), ("--for",),
        ("--for", "x"), ("--seed", "1", "--seed", "2"), ("--headless=yes", "--for", "1"), ("-h",),
        ("--stats=", "--for", "1"), ("--engine", "a=b"), ("--seed", "1_0"), ("--", "a"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_other_words_are_left_to_the_library(words, monkeypatch):
    monkeypatch.setattr("sim.commands.run.require_what_is_needed", pytest.fail)
    assert run_plainly(words) is None

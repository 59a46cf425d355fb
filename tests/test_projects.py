"""A project as a user meets it: made, checked, listed, its commands run, in any folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from base.files import SHIPPED_ROOT
from sim.commands.cli.application import run_application
from tests.project_page import SCENE, build_project, own_scripts

MAIN = SHIPPED_ROOT / "main.py"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    built = build_project(tmp_path / "vier gewinnt ö")
    monkeypatch.chdir(built / "scripts")
    with own_scripts():
        yield built


def run_here(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = run_application(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_everything_works_inside_a_new_project_of_any_name(tmp_path: Path) -> None:
    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, str(MAIN), *words], cwd=folder, capture_output=True, text=True,
            timeout=120, env={**os.environ, "PYTHONIOENCODING": "utf-8"}, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    folder = tmp_path
    assert "test it: python main.py test 'my spiel ö'" in run("new", "project", "my spiel ö")
    folder = tmp_path / "my spiel ö"
    assert run("check", "scenes/main.scene.json") == ""
    run("run", "scenes/main.scene.json", "--no-graphics", "--for", "1", "--on-error", "abort")
    assert "1 passed" in run("test")
    assert "pip" in run("pip", "--version")
    readme = (folder / "README.md").read_text("utf-8")
    assert readme.startswith("# my spiel ö\n")


def test_a_script_of_a_project_of_any_name_is_exported(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("libraries are written for Linux without a compiler")
    folder = tmp_path / "my spiel ö"
    assert run_application(["new", "project", str(folder)]) == 0
    (folder / "scripts" / "sums.py").write_text(
        "from sim import exported\n\n\n@exported\ndef double(x: float) -> float:\n"
        '    """Double a number."""\n    return 2.0 * x\n',
        encoding="utf-8",
    )
    out = folder / "build" / "sums"
    assert run_application(["export", str(folder / "scripts/sums.py"), "--out", str(out)]) == 0
    assert (out / "libsums.so").is_file()


def test_a_coroutine_that_nobody_runs_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    assert run_application(["new", "project", str(folder)]) == 0
    (folder / "scripts" / "hello.py").write_text(
        "from sim import Script\n\n\nclass Hello(Script):\n    def start(self):\n"
        "        self.hop()\n\n    async def hop(self):\n        await self.seconds(1)\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, str(MAIN), "run", str(folder / "scenes/main.scene.json"),
         "--no-graphics", "--for", "0.2"],
        capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr == (
        "WARNING  scripts/hello.py:6  coroutine 'Hello.hop' was never awaited: "
        "self.start_coroutine(...) runs it, or await in another one\n"
    )


def test_its_players_and_games_are_listed(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = run_here(capsys, "players", "--json")
    pebble = json.loads(out)[-1]
    assert (code, pebble["name"], pebble["project"]) == (0, "pebble", str(project))
    assert pebble["settings"][0]["key"] == "reach"
    monkeypatch.chdir(project.parent)
    assert "pebble" not in run_here(capsys, "players")[1]
    listed = run_here(capsys, "players", "--project", str(project / "scenes"))[1]
    assert "Plays beside the last stone" in listed
    assert "reach=1" in listed
    assert "four-on-six" in run_here(capsys, "games", "--project", str(project))[1]
    code, _, error = run_here(capsys, "players", "--project", str(project.parent))
    assert code == 2
    assert "expected a folder inside a project" in error


def test_its_commands_stand_under_their_own_heading_and_run(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = run_here(capsys, "--help")[1]
    shipped, _, own = out.partition("Commands of this project:\n")
    assert "tournament  Let two players play some games" in own
    assert "  run " in shipped
    assert "tournament" not in shipped
    code, out, _ = run_here(capsys, "tournament", "--games", "3", "--white", "pebble")
    assert code == 0
    words = out.replace(",", "").split()
    assert sum(int(word) for word in words if word.isdigit()) == 3
    code, out, _ = run_here(capsys, "tournament", "--help")
    assert (code, "--games" in out) == (0, True)
    assert run_here(capsys, "tournament", "--games", "many")[0] == 2


def test_everything_works_from_another_folder_by_the_project_flag(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    flag = ("--project", str(project / "scenes"))
    code, out, _ = run_here(capsys, *flag, "tournament", "--games", "2")
    assert (code, out.split()[0]) == (0, "pebble")
    assert "pebble" in run_here(capsys, *flag, "players")[1]
    assert "four-on-six" in run_here(capsys, f"--project={project}", "games")[1]
    assert "tournament" in run_here(capsys, *flag)[1], "without a command: the help of all"
    assert run_here(capsys, *flag, "check", SCENE) == (0, "", "")
    words = ("run", "scenes/main.scene.json", "--no-graphics", "--for", "0.1", "--stats", "s.json")
    assert run_here(capsys, *flag, *words)[0] == 0
    assert (tmp_path / "s.json").is_file(), "what is written lies where one is"
    assert run_here(capsys, *flag, "new", "script", "leaf")[0] == 0
    assert (project / "scripts" / "leaf.py").is_file()
    seen: list[tuple[Path, list[str]]] = []
    monkeypatch.setattr(
        "sim.commands.project_tests.run_tests", lambda folder, words: seen.append((folder, words))
    )
    monkeypatch.setattr(
        "sim.commands.pip.run_pip", lambda words, folder: seen.append((folder, words)) or 0
    )
    assert run_here(capsys, *flag, "test", "-k", "hops")[0] == 0
    assert run_here(capsys, *flag, "pip", "list", "--outdated")[0] == 0
    assert seen == [(project, ["-k", "hops"]), (project, ["list", "--outdated"])]


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("--project",), "--project: expected a folder, found nothing"),
        (("--project", "gone", "players"), "--project: expected a folder inside a project"),
        (("--project", ".", "--games", "3"), "--project: expected a command after "),
        (("--project", ".", "warm"), "expected a command that works on a project, found warm"),
        (("--project", ".", "new", "project", "x"), "found new project"),
        (("--project", ".", "tournamint"), "Did you mean 'tournament'"),
    ],
)
def test_a_project_flag_that_does_not_fit_is_wrong_usage(
    project: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...],
    fault: str, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path if "gone" in words else project)
    code, _, error = run_here(capsys, *words)
    assert code == 2
    assert fault in error


def test_a_command_of_no_project_is_told_how_to_find_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, error = run_here(capsys, "tournament")
    assert code == 2
    assert error.endswith("python main.py --project DIR tournament\n")


def test_an_error_in_a_command_is_one_line_with_its_place(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, error = run_here(capsys, "tournament", "--black", "nobody")
    assert code == 1
    assert error.startswith("goishi: command tournament: UnknownPlayerError: expected one of ")
    assert error.endswith("found 'nobody' (scripts/tournament.py:13)\n")
    script = project / "scripts" / "tournament.py"
    for text, fault in (
        ("def tournament(:\n", "SyntaxError"),
        ("import no_such_pebbles\n", "python main.py pip install no_such_pebbles"),
        ("tournament = 3\n", "goishi.toml:commands.tournament: expected a function or a Typer"),
        ("def tournament():\n    raise SystemExit('stones are gone')\n", "stones are gone"),
    ):
        script.write_text(text, encoding="utf-8")
        code, _, error = run_here(capsys, "tournament")
        assert (code, error.count("\n")) == (1, 1), error
        assert fault in error
    script.unlink()
    assert "expected the file" in run_here(capsys, "tournament")[2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def tournament():\n    return 7\n", 7),
        ("import typer\n\ndef tournament():\n    raise typer.Exit(4)\n", 4),
        (
            "import typer\n\ntournament = typer.Typer()\n\n@tournament.command()\ndef one():\n"
            "    raise SystemExit(5)\n\n@tournament.command()\ndef two():\n    pass\n",
            5,
        ),
    ],
)
def test_a_command_gives_its_exit_code(
    project: Path, capsys: pytest.CaptureFixture[str], text: str, expected: int
) -> None:
    (project / "scripts" / "tournament.py").write_text(text, encoding="utf-8")
    words = ("one",) if "Typer()" in text else ()
    assert run_here(capsys, "tournament", *words)[0] == expected


def test_a_name_of_goishis_own_is_refused_and_all_else_works(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = project / "goishi.toml"
    file.write_text('[commands]\nrun = "scripts.tournament:tournament"\n', encoding="utf-8")
    code, out, error = run_here(capsys, "--help")
    assert code == 0
    assert error == (
        "goishi: goishi.toml:commands.run: expected a name that no command of Goishi has, "
        "found 'run'\n"
    )
    assert "Commands of this project" not in out
    file.write_text('[players]\ngenetic = "scripts.pebble:create"\n', encoding="utf-8")
    code, out, error = run_here(capsys, "players")
    assert (code, out) == (1, "")
    assert "players.genetic: expected a name that no shipped player has" in error
    code, out, _ = run_here(capsys, "check", str(project / SCENE))
    assert code == 1
    assert "goishi.toml:players.genetic: expected" in out


def test_check_warns_of_packages_and_finds_the_scene_sound(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "requirements.txt").write_text("no-such-pebbles>=2\n", encoding="utf-8")
    code, out, error = run_here(capsys, "check", str(project / SCENE))
    assert (code, out) == (0, "")
    assert error == (
        "goishi: warning: requirements.txt:1: expected no-such-pebbles>=2, found no "
        "no-such-pebbles; to install: python main.py pip install -r "
        f"'{project / 'requirements.txt'}'\n"
    )


def test_a_player_that_nobody_knows_is_wrong_usage(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("run", str(project / SCENE), "--no-graphics", "--games", "1", "--player-black")
    code, _, error = run_here(capsys, *words, "pebbel")
    assert code == 2
    assert error.startswith("goishi: --player-black: expected one of ")
    assert error.startswith("goishi: --player-black: expected one of pebble, ")
    assert error.endswith("human, stray; found 'pebbel'\n")
    (project / "goishi.toml").write_text("players = 3\n", encoding="utf-8")
    code, _, error = run_here(capsys, *words, "pebble")
    assert (code, "goishi.toml:players: expected a table, found 3" in error) == (1, True)


def test_side_games_offer_its_players(project: Path) -> None:
    from scripts.gomoku.history.side_game import choices_of

    assert choices_of(project)[-2:] == ("stray", "pebble")
    (project / "goishi.toml").write_text("players = 3\n", encoding="utf-8")
    assert "pebble" not in choices_of(project)
    assert "genetic" in choices_of(project)


def test_tests_are_missed_in_one_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "tests" / "test_main.py").unlink()
    (project / "tests").rmdir()
    code, _, error = run_here(capsys, "test")
    assert code == 1
    assert "expected a folder tests" in error

"""Projects that the user has not trusted: asked about in a window, refused headless, shown safely."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from base.errors import UsageError
from base.trust import Trust, guard_imports, trust_file, trust_of
from sim.app.app import App, run
from sim.app.navigation import admit
from sim.commands.run import asked_about_trust
from sim.core.project.run_options import RunOptions, options_of_next
from sim.core.project.trust import TrustError, remember
from sim.testing import Pilot
from tests.command_line import ROOT, run_here

HELLO = ROOT / "scenes" / "hello.scene.json"
RAN = "from pathlib import Path\n(Path(__file__).parents[{up}] / 'ran').write_text(__file__)\n"
SCRIPT = "from sim import Script, option\n\n\nclass Bad(Script):\n    laps: int = option(1)\n"
HOOKS = ("awake", "enable", "start", "update", "validate", "destroy")
MANIFEST = """
[models]
trap = "scripts.trap:TRAP"
[sounds]
trap = "scripts.trap:TRAP"
[players]
trap = "scripts.trap:TRAP"
[games.trap]
create = "scripts.trap:TRAP"
size = 3
[commands]
trap = "scripts.trap:TRAP"
[panels]
Trap = "scripts.trap:Trap"
[components]
Trap = "scripts.trap:Trap"
"""


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of settings for this test alone."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", str(tmp_path / "config"))


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """A project of which each part leaves the file `ran` when it runs."""
    root = tmp_path / "hostile"
    hooks = "".join(
        f"    def {name}(self, *_):\n        {RAN.format(up=1).splitlines()[1]}\n" for name in HOOKS
    )
    files = {
        "scripts/bad.py": RAN.format(up=1) + SCRIPT + hooks,
        "scripts/trap.py": RAN.format(up=1),
        "scripts/__init__.py": RAN.format(up=1),
        "numpy.py": RAN.format(up=0),
        "sitecustomize.py": RAN.format(up=0),
        "goishi.toml": MANIFEST,
        "assets/p.prefab.json": json.dumps({
            "format": "goishi.prefab/1", "name": "P",
            "components": {"cmp_inside": {"type": "scripts.bad:Bad"}},
        }),
        "scenes/a.scene.json": json.dumps({
            "format": "goishi.scene/1", "id": "scn_one", "objects": {
                "obj_one": {"name": "One", "model": {"builtin": "trap"},
                            "components": {"cmp_one": {"type": "scripts.bad:Bad"}}},
                "obj_two": {"prefab": "assets/p.prefab.json"},
            },
        }),
    }  # fmt: skip
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root / "scenes" / "a.scene.json"


def ran(scene: Path) -> bool:
    return (scene.parents[1] / "ran").exists()


def test_the_traps_of_this_test_run_where_the_project_is_trusted(scene: Path) -> None:
    options = RunOptions(scene=scene, graphics=False, seconds=0.01, trust=True)
    run(options)
    assert ran(scene)


def test_safe_runs_nothing_of_the_project_whatever_is_tried(scene: Path) -> None:
    with Pilot(scene=scene, safe=True, quality="low", window=(640, 360)) as pilot:
        host = pilot.app.host
        slot = pilot.app.scene.component("cmp_one")
        assert slot is not None
        host.retry(slot)
        host.set_field(slot, "laps", 3)
        obj = slot.object
        obj.add("scripts.trap:Trap")
        obj.clone()
        pilot.app.world.reloader.reload(scene.parents[1] / "scripts" / "bad.py")
        pilot.app.host.input.pressed("a")
        pilot.step(3)
        pilot.picture()
        assert pilot.app.shell is not None
        assert pilot.app.shell.project_panels.offered == ()
        assert "trap" not in pilot.app.scene.models.names
        pilot.app.shell.studio.save()
        assert host.error_count == 0
    assert not ran(scene)


def test_headless_it_is_refused_in_one_line_that_says_what_to_do(
    scene: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = scene.parents[1] / "scripts" / "bad.py"
    python = (
        scene.parents[1] / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    )
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\ntouch {scene.parents[1] / 'ran'}\n", encoding="utf-8")
    python.chmod(0o755)
    for words in (
        ("run", str(scene), "--no-graphics", "--for", "0.01"),
        ("export", str(script), "--out", str(tmp_path / "out")),
        ("replay", str(scene.parents[1] / "scripts"), "--headless"),
        ("--project", str(scene.parents[1]), "trap"),
        ("--project", str(scene.parents[1]), "test"),
        ("--project", str(scene.parents[1]), "pip", "list"),
    ):
        code, _, error = run_here(capsys, *words)
        assert code == 2
        assert error.startswith(f"goishi: {scene.parents[1]}: expected a project that you trust")
        assert "--trust" in error
        assert error.count("\n") == 1
    assert not ran(scene)
    remember(scene.parents[1], Trust.SAFE)
    with pytest.raises(TrustError, match="one that you opened safely"):
        run(RunOptions(scene=scene, graphics=False, seconds=0.01))


def test_check_compiles_what_is_not_trusted_and_runs_none(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, error = run_here(capsys, "check", str(scene))
    assert (code, out) == (0, "")
    assert "its scripts were compiled, not loaded; --trust loads them" in error
    (scene.parents[1] / "scripts" / "bad.py").write_text("def broken(:\n", encoding="utf-8")
    code, out, _ = run_here(capsys, "check", str(scene))
    assert code == 1
    assert out.count("expected a script class that loads, found scripts.bad:Bad (SyntaxError") == 2
    assert not ran(scene)
    run_here(capsys, "--project", str(scene.parents[1]), "--trust", "check", str(scene))
    assert ran(scene)


def test_options_of_a_scene_are_read_where_its_scripts_do_not_run(scene: Path) -> None:
    code = run_here_safely(scene, {"laps": 2})
    assert code == 0
    assert not ran(scene)


def run_here_safely(scene: Path, options: dict[str, object]) -> int:
    opened, is_asked = admit(RunOptions(scene=scene, graphics=False, safe=True, seconds=1))
    assert (opened.safe, is_asked) == (True, False)
    app = App(opened)
    try:
        app.frame()
        return app.run_context.exit_code or 0
    finally:
        app.close()


def test_in_a_window_an_unknown_project_is_shown_without_its_scripts_and_asked_about(
    scene: Path,
) -> None:
    options = RunOptions(scene=scene, out=scene.parent / "out", script_options={"laps": 2})
    opened, is_asked = admit(options)
    assert is_asked
    assert opened.safe
    assert opened.out is None, "nothing is written while it is asked about"
    assert opened.script_options == {}, "its scripts, which would take them, do not run"
    remember(scene.parents[1], Trust.SAFE)
    opened, is_asked = admit(options)
    assert (opened.safe, is_asked, opened.out) == (True, False, options.out)
    remember(scene.parents[1], Trust.TRUSTED)
    assert admit(options) == (options, False)
    assert f'"{scene.parents[1]}" = "trusted"' in trust_file().read_text(encoding="utf-8")


@pytest.fixture
def asked(scene: Path):
    """An app that asks about the scene's project, drawn offscreen."""
    options = RunOptions(
        scene=scene, headless=True, safe=True, seconds=99.0, quality="low", window=(640, 400)
    )
    app = App(options, asks_trust=True)
    yield app
    app.close()
    assert not ran(scene)


def test_each_answer_is_kept_or_not_and_opens_the_scene_anew(asked: App, scene: Path) -> None:
    question = asked.trust_question
    assert question is not None
    assert question.is_open
    assert question.folder == scene.parents[1]
    for _ in range(3):
        asked.frame()
    asked.draw_now()
    assert question.cancel()
    assert asked.run_context.exit_code == 0
    assert (trust_of(scene.parents[1]), asked.navigation.is_again) == (Trust.UNKNOWN, False)
    for answer, expected in ((question.open_safely, Trust.SAFE), (question.trust, Trust.TRUSTED)):
        answer()
        assert trust_of(scene.parents[1]) is expected
        assert asked.navigation.is_again
        again = asked.navigation.options_again(RunOptions(scene=scene))
        assert (again.trust, again.safe) == (expected is Trust.TRUSTED, expected is Trust.SAFE)


def test_opening_a_strange_scene_from_another_asks_and_a_cancel_stays(scene: Path) -> None:
    with Pilot(scene=HELLO, quality="low", window=(640, 400)) as pilot:
        app = pilot.app
        app.navigation.open_scene(scene)
        assert app.trust_question is not None
        assert app.trust_question.is_open
        pilot.press("escape")
        assert not app.trust_question.is_open
        assert not app.run_context.stop_requested
        app.navigation.open_scene(scene)
        app.trust_question.open_safely()
        assert app.run_context.next_scene == scene
        following = options_of_next(app.options, scene)
    remember(scene.parents[1], Trust.TRUSTED)
    assert not following.safe, "another project: its own answer counts"


def test_a_trust_that_the_command_line_gives_is_for_one_project_alone(scene: Path) -> None:
    given = RunOptions(scene=HELLO, trust=True)
    assert options_of_next(given, HELLO.with_name("sandbox.scene.json")).trust
    assert not options_of_next(given, scene).trust
    with pytest.raises(UsageError, match="--trust: expected it or --safe, found both"):
        RunOptions(scene=scene, trust=True, safe=True)


def test_an_answer_that_cannot_be_kept_is_one_line(scene: Path, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a file where the folder should be", encoding="utf-8")
    assert "expected to keep your answer" in remember(scene.parents[1], Trust.TRUSTED)


def test_new_projects_are_trusted_and_a_first_script_of_ones_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], scene: Path
) -> None:
    assert run_here(capsys, "new", "project", str(tmp_path / "mine"))[0] == 0
    assert trust_of(tmp_path / "mine") is Trust.TRUSTED
    (tmp_path / "bare" / "scenes").mkdir(parents=True)
    run_here(capsys, "new", "script", "leaf", "--project", str(tmp_path / "bare"))
    assert trust_of(tmp_path / "bare") is Trust.TRUSTED
    run_here(capsys, "new", "script", "leaf", "--project", str(scene.parents[1]))
    assert trust_of(scene.parents[1]) is Trust.UNKNOWN


def test_scripts_that_appear_in_a_folder_without_code_are_refused_on_retry(
    tmp_path: Path, scene: Path
) -> None:
    bare = tmp_path / "bare" / "scenes" / "a.scene.json"
    bare.parent.mkdir(parents=True)
    data = json.loads(scene.read_text())
    del data["objects"]["obj_two"], data["objects"]["obj_one"]["model"]
    bare.write_text(json.dumps(data))
    with Pilot(scene=bare, graphics=False) as pilot:
        guard_imports()  # as the command `run` does
        slot, told = pilot.app.scene.component("cmp_one"), list[str]()
        pilot.app.console.subscribe(lambda record: told.append(record.text))
        assert slot is not None
        (bare.parents[1] / "scripts").mkdir()
        text = (scene.parents[1] / "scripts" / "bad.py").read_text()
        script = bare.parents[1] / "scripts" / "bad.py"
        script.write_text(text)
        pilot.app.host.retry(slot)
        pilot.app.world.reloader.reload(script)
        pilot.step(2)
        said = "\n".join(told)
        assert "expected a project that you trust, found a folder that was never opened" in said
        assert "Trust this project" in said
        assert not ran(bare)
        remember(bare.parents[1], Trust.TRUSTED)
        pilot.app.host.retry(slot)
        assert ran(bare)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that lets a user at a terminal type a line."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    def types(line: str) -> None:
        monkeypatch.setattr("sys.stdin", Terminal(line))
        monkeypatch.setattr("sys.stderr", Terminal())

    return types


@pytest.mark.parametrize(
    ("line", "answer", "is_safe"),
    [
        ("t\n", Trust.TRUSTED, False),
        (" Yes\n", Trust.TRUSTED, False),
        ("s\n", Trust.SAFE, True),
        ("\n", Trust.UNKNOWN, False),
        ("", Trust.UNKNOWN, False),
        ("what\n", Trust.UNKNOWN, False),
    ],
)
def test_without_panels_the_terminal_asks(
    scene: Path, terminal: Callable[[str], None], line: str, answer: Trust, is_safe: bool
) -> None:
    project = scene.parents[1]
    terminal(line)
    given = RunOptions(scene=scene, panels=False)
    if answer is Trust.UNKNOWN:
        with pytest.raises(TrustError, match="add --trust"):
            asked_about_trust(given)
    else:
        options = asked_about_trust(given)
        assert options.safe == is_safe
        assert admit(options) == (options, False)
    said = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert str(project) in said
    assert "with all your rights" in said
    assert trust_of(project) is answer
    assert not ran(scene)


@pytest.mark.parametrize(
    "more",
    [{}, {"panels": False, "headless": True}, {"panels": False, "trust": True},
     {"panels": False, "safe": True}],
)  # fmt: skip
def test_the_terminal_asks_about_nothing_else(
    scene: Path, terminal: Callable[[str], None], more: dict[str, bool]
) -> None:
    terminal("t\n")
    options = RunOptions(scene=scene, seconds=1.0, **more)
    assert asked_about_trust(options) is options
    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]


def test_without_a_terminal_a_line_names_the_option(scene: Path) -> None:
    options = RunOptions(scene=scene, panels=False)
    for found in ("a folder that was never opened", "one that you opened safely"):
        with pytest.raises(TrustError, match=f"{found}.*add --trust"):
            asked_about_trust(options)
        remember(scene.parents[1], Trust.SAFE)

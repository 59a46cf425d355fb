"""What a developer may leave out amid a change: the tests that cannot reach what has changed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import changed, check

FILES = {
    "main.py": "",
    "ai/__init__.py": "if TYPE_CHECKING:\n    from ai.game.board import Board\n",
    "ai/game/board.py": "'''See ai.nets.keras.'''\n",
    "ai/nets/keras.py": "",
    "ai/registry.py": "PLAYERS = {'net': 'ai.nets.player:create'}\n",
    "ai/nets/player.py": "from ai.nets import keras\n",
    "sim/__init__.py": "",
    "sim/core/host/script_loader.py": "",
    "sim/app.py": "def run():\n    from sim.core.host.script_loader import load\n",
    "scripts/hello.py": "from ai import Board\n",
    "goishi/__init__.py": "",
    "tests/conftest.py": "",
    "tests/helper.py": "import sim.app\n",
    "tests/ai/test_board.py": "from ai import Board\n",
    "tests/ai/test_registry.py": "from ai.registry import PLAYERS\n",
    "tests/test_app.py": "from tests.helper import app\n",
    "tests/test_command.py": "import subprocess\n",
    "tests/test_alone.py": "'''Like sim.app.'''\n",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ("ai/game/board.py", "ai/test_board.py test_app.py test_command.py"),
        ("ai/nets/keras.py", "ai/test_registry.py test_command.py"),
        ("scripts/hello.py", "test_app.py test_command.py"),
        ("tests/helper.py", "test_app.py"),
        ("tests/test_alone.py main.py", "test_alone.py test_command.py"),
        ("", ""),
    ],
)
def test_those_are_chosen_that_can_reach_a_change(files, found, tree):
    chosen = changed.test_files(tree, {Path(name) for name in files.split()})
    assert chosen == {Path("tests", name) for name in found.split()}


@pytest.mark.parametrize(
    "name", ["scenes/hello.scene.json", "tests/conftest.py", "ai/__init__.py", "gone.py"]
)
def test_what_is_no_module_or_under_all_chooses_every_one(name, tree):
    assert changed.test_files(tree, {Path("ai/game/board.py"), Path(name)}) is None


def test_what_differs_from_a_commit_and_what_is_new_has_changed(tmp_path):
    def git(*words: str) -> None:
        named = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(("git", *named, *words), cwd=tmp_path, check=True, capture_output=True)

    git("init")
    for name in ("kept.py", "edited.py", "gone.py"):
        (tmp_path / name).write_text("1\n")
    git("add", ".")
    git("commit", "-m", "first")
    (tmp_path / "edited.py").write_text("2\n")
    (tmp_path / "new ä.py").write_text("1\n")
    (tmp_path / "gone.py").unlink()
    names = {Path(name) for name in ("edited.py", "gone.py", "new ä.py")}
    assert changed.since(tmp_path, "HEAD") == names
    with pytest.raises(subprocess.CalledProcessError):
        changed.since(tmp_path, "no-such-commit")


@pytest.mark.parametrize(
    ("words", "commit", "left"),
    [
        (["-x"], None, ["-x"]),
        (["--changed"], "HEAD", []),
        (["--changed", "-k", "goban"], "HEAD", ["-k", "goban"]),
        (["-x", "--changed", "main", "-q"], "main", ["-x", "-q"]),
    ],
)
def test_a_commit_may_stand_after_the_option(words, commit, left):
    assert changed.taken(words) == (commit, left)


def test_each_group_runs_the_chosen_files_of_its_own():
    chosen = {Path("tests/ai/game/test_board.py"), Path("tests/base/test_files.py")}
    jobs = {job.name: job.words for job in check.jobs_of(["-x"], chosen=frozenset(chosen))}
    assert jobs.keys() == {"pytest players", "pytest engine"}
    assert jobs["pytest players"][-2:] == ("tests/ai/game/test_board.py", "-x")


def test_a_change_of_a_panel_reaches_its_tests_and_no_players():
    chosen = changed.test_files(check.ROOT, {Path("sim/ui/panels/inspector.py")})
    assert Path("tests/sim/ui/panels/test_inspector.py") in chosen
    assert Path("tests/ai/game/test_board.py") not in chosen
    assert Path("tests/sim/core/geometry/test_transform.py") not in chosen

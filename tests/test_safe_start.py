"""No child process takes a module from the folder in which Goishi is started."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from base.worker import starting
from base.worker.calls import CallProcess
from sim.core.assets.assets import AssetLibrary
from tests.architecture import nodes_of
from tests.command_line import MAIN, ROOT

RAN = "open({ran!r}, 'a').write(__file__ + '\\n')\nraise SystemExit('a trap ran')\n"
TRAPS = (
    "pickle", "multiprocessing", "importlib", "signal", "struct", "socket", "json", "numpy",
    "joblib", "runpy", "typing", "tempfile", "base", "sim", "ai", "numba", "pip", "threading",
    "copyreg", "selectors", "subprocess", "logging", "random", "queue",
)  # fmt: skip
HOME = """
import ast
import os
from ai.runs.cluster import each_as_done
from ai.curriculum.actors import LocalActors
from base.worker.starting import VARIABLE

class Order:
    def play(self):
        return os.environ.get(VARIABLE)

if __name__ == "__main__":
    print(sorted(value for _, value in each_as_done(os.getenv, [("VARIABLE_X", "1")] * 2, jobs=2)))
    actors = LocalActors(1)
    print(list(actors.played([Order()])))
    actors.close()
    from ai.kernels.cache import compile_elsewhere
    print(compile_elsewhere(["base.values"]).wait())
"""


@pytest.fixture
def trapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder holds a module for each of many names; none may run."""
    folder, ran = tmp_path / "trap", tmp_path / "ran"
    folder.mkdir()
    for name in TRAPS:
        (folder / f"{name}.py").write_text(RAN.format(ran=str(ran)), encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    yield folder
    assert not ran.exists(), sorted(set(ran.read_text().split()))


def run(*words: str, **more: str) -> str:
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, timeout=110,
        env={**os.environ, **more}, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_traps_run_where_a_process_is_started_as_usual(tmp_path: Path, trapped: Path) -> None:
    with pytest.raises(AssertionError, match="a trap ran"):
        run("-c", "import pickle")
    assert (tmp_path / "ran").read_text().startswith(str(trapped))
    (tmp_path / "ran").unlink()


def test_workers_of_a_shipped_scene_take_no_module_of_the_current_folder(trapped: Path) -> None:
    run(str(MAIN), "run", str(ROOT / "scenes" / "tic_tac_toe.scene.json"), "--games", "1",
        "--seed", "1", "--no-graphics", "--for", "60")  # fmt: skip


def test_pools_and_compilers_take_none_and_their_programs_start_as_usual(
    tmp_path: Path, trapped: Path
) -> None:
    program = tmp_path / "home.py"
    program.write_text(f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{HOME}", encoding="utf-8")
    lines = run(str(program), VARIABLE_X="1").splitlines()
    assert lines == ["['1', '1']", "[(0, None)]", "0"]


def test_environments_and_pip_take_none(trapped: Path) -> None:
    process = CallProcess("test", "sim.app.serving:main", "nothing")
    with pytest.raises(Exception, match="KeyError"):
        _ = process.about
    assert run(str(MAIN), "pip", "--version").startswith("pip ")


def test_a_setting_of_the_users_own_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(starting.VARIABLE, raising=False)
    with starting.safe_start():
        assert os.environ[starting.VARIABLE]
        starting.started_safely()
        assert starting.VARIABLE not in os.environ
    monkeypatch.setenv(starting.VARIABLE, "1")
    with starting.safe_start():
        starting.started_safely()
        assert os.environ[starting.VARIABLE] == "1"
    assert os.environ[starting.VARIABLE] == "1"


def product() -> Iterator[tuple[Path, str]]:
    for top in ("base", "sim", "ai", "goishi", "scripts"):
        for path in (ROOT / top).rglob("*.py"):
            yield path.relative_to(ROOT), path.read_text(encoding="utf-8")


def test_every_place_that_starts_python_says_where_modules_come_from() -> None:
    found = []
    for path, text in product():
        for node in nodes_of(ROOT / path):
            if isinstance(node, ast.List) and len(node.elts) > 1:
                first, second = map(ast.unparse, node.elts[:2])
                is_open = first == "sys.executable" and second in ("'-c'", "'-m'")
                if is_open and not (second == "'-m'" and "cwd=SHIPPED_ROOT" in text):
                    found.append(f"{path}:{node.lineno}")
    assert found == [], "put SAFE of base.worker.starting before -c"


def test_every_pool_is_started_safely() -> None:
    makers = ("get_context(", "ProcessPoolExecutor(", "Parallel(")
    users = [path for path, text in product() if any(maker in text for maker in makers)]
    texts = dict(product())
    assert len(users) == 4
    assert [path for path in users if "with safe_start()" not in texts[path]] == []


def test_a_program_started_meanwhile_has_its_own_folder_on_the_path(tmp_path: Path) -> None:
    """Another thread may be amid a safe start: a model is read, an app is launched all the same."""
    with starting.safe_start():
        assert os.environ[starting.VARIABLE] == starting.OURS
        assert starting.VARIABLE not in starting.usual_environment()
        library = AssetLibrary(ROOT)
        try:
            report = library._run_child(ROOT / "assets/models/figure.glb", tmp_path)
        finally:
            library.close()
    assert "error" not in report

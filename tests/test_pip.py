"""`pip`: a missing package is offered once, and installing it leaves Goishi's own alone."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from base.missing_package import package_of
from sim.commands.cli.application import run_application
from sim.commands.pip import constraints, environment_python, run_pip


def wheel(folder: Path, name: str, version: str, requires: str = "") -> Path:
    """Write a small wheel, as a package index would hold it."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    needs = f"Requires-Dist: {requires}\n" if requires else ""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(f"{name}.py", "ANSWER = 42\n")
        file.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}"
        )
        file.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
            "Tag: py3-none-any\n",
        )  # fmt: skip
        file.writestr(f"{info}/RECORD", "")
    return path


def install(folder: Path, *names: str) -> int:
    return run_application(
        [
            "pip", "install", "--disable-pip-version-check", "--no-index",
            "--find-links", str(folder), "--target", str(folder / "installed"), *names,
        ]
    )  # fmt: skip


def test_a_package_is_installed_and_the_exit_code_is_pips(tmp_path):
    wheel(tmp_path, "pebbles", "1.0")
    assert install(tmp_path, "pebbles") == 0
    code = "import pebbles; print(pebbles.ANSWER)"
    output = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(tmp_path / "installed")}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert output.stdout == "42\n"
    assert install(tmp_path, "no_such_pebbles") == 1


def test_what_goishi_needs_is_not_replaced(tmp_path, capfd):
    wheel(tmp_path, "numpy", "0.1")
    wheel(tmp_path, "breaker", "1.0", requires="numpy<1")
    assert install(tmp_path, "breaker") == 1
    assert "numpy~=" in capfd.readouterr().out, "pip names the constraint"
    assert "numpy~=" in constraints()
    assert "#" not in constraints()


def test_the_environment_of_the_project_is_taken_where_there_is_one(tmp_path):
    project = tmp_path / "project"
    (project / "scenes").mkdir(parents=True)
    inner = project / "scripts"
    inner.mkdir()
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("")
    assert environment_python(inner) is None, "that one lies outside the project"
    own = project / ".venv" / "bin" / "python"
    own.parent.mkdir(parents=True)
    own.write_text("#!/bin/sh\nexit 7\n")
    own.chmod(0o755)
    assert environment_python(inner) == own
    assert run_pip(["list"], inner) == 7


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("cv2", "opencv-python"), ("sklearn.svm", "scikit-learn"), ("PIL.Image", "pillow"),
        ("pebbles", "pebbles"), ("json.nothing", ""), ("scripts.mine", ""), ("goishi_x.y", ""),
    ],
)  # fmt: skip
def test_the_package_has_its_own_name(name, package, monkeypatch):
    monkeypatch.delitem(sys.modules, name.partition(".")[0], raising=False)
    assert package_of(ModuleNotFoundError("none", name=name)) == package
    assert package_of(ImportError("none", name=name)) == ""


def test_the_console_offers_the_line_once(stage):
    text = "import no_such_pebbles\n\nclass Stony(Script):\n    pass\n"
    stage.script("stony", text)
    slot = stage.open_one("scripts.stony:Stony")
    stage.frames(1)
    stage.save("stony", text + "\n# still\n")
    stage.app.host.retry(slot)
    stage.frames(1)
    records = [record for record in stage.app.console.records if record.level == "warning"]
    assert [(record.text, record.line, record.count) for record in records] == [
        (
            "scripts/stony.py needs the package no_such_pebbles: "
            "python main.py pip install no_such_pebbles",
            2,
            1,
        )
    ]


def test_a_job_that_lacks_a_package_offers_it_too(stage):
    stage.script(
        "stony",
        "@job\ndef dig():\n    import no_such_pebbles\n\nclass Stony(Script):\n"
        "    def start(self):\n        self.start_coroutine(self.go())\n"
        "    async def go(self):\n        await self.background(dig())\n",
    )
    slot = stage.open_one("scripts.stony:Stony")
    stage.frames(1)
    stage.app.world.links.settle(30.0)
    stage.frames(1)
    assert slot.error is not None
    (line,) = stage.lines("warning")
    assert line.endswith("python main.py pip install no_such_pebbles")

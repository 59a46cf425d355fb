"""What exported libraries say: the documents, the manifest, and the errors of an export."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ai import FrozenPlayer
from base.errors import UsageError
from sim import ExportError
from sim.commands.cli import application
from sim.export import exporter
from sim.export.exporter import ExportRequest, export
from sim.export.library import ERROR_CODES
from tests.sim.export.hosts import (
    ROOT,
    build_host,
    link_words,
    needs_compiler,
    run_host,
)

pytestmark = pytest.mark.skipif(
    not exporter.is_writable_here(), reason="libraries are written without a compiler on Linux x86"
)
PLAYER = ROOT / "scripts" / "export" / "gomoku_player.py"


def documented(language: str) -> str:
    """Return the first block of a language in the document."""
    text = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")
    block = re.search(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert block is not None
    return block[1]


@needs_compiler
def test_the_documents_callers_work(player: Path, tmp_path: Path) -> None:
    (tmp_path / "game.c").write_text(documented("c"), encoding="utf-8")
    words = link_words(player, "gomoku_player")
    host = build_host(str(tmp_path / "game.c"), tmp_path / "game", *words)
    network = FrozenPlayer.load(PLAYER.with_suffix(".npz"))
    stones = np.zeros(49, np.int8)
    stones[24] = 1
    assert run_host(str(host)).stdout == f"White plays {network.choose(stones, -1)}\n"
    if shutil.which("g++") is None:
        pytest.skip("needs g++ for the caller in C++")
    caller = "int main() { std::array<std::int8_t, 49> s{}; s[24] = 1; return GomokuPlayer().choose(s, -1); }"
    (tmp_path / "game.cpp").write_text(documented("cpp") + caller, encoding="utf-8")
    command = ["g++", "-std=c++14", "-Wall", "-Wextra", "-Werror", str(tmp_path / "game.cpp")]
    subprocess.run([*command, "-o", str(tmp_path / "game++"), *words], check=True, timeout=120)
    assert run_host(str(tmp_path / "game++")).returncode == network.choose(stones, -1)


def test_the_document_names_every_code_and_its_example_can_be_exported() -> None:
    text = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (-?\d+) \| `GOISHI_(\w+)` \|", text, re.MULTILINE)
    assert {name: int(number) for number, name in rows} == {
        name: number for name, (number, _) in ERROR_CODES.items()
    }
    names: dict = {"__name__": "example"}
    exec(documented("python"), names)
    assert str(names["brightest"].exported) == (
        "brightest(picture: uint8[*, *, 3], threshold: float) -> int"
    )


# -- what is said --------------------------------------------------------------------------------


def test_the_manifest_says_what_is_inside(player: Path) -> None:
    manifest = json.loads((player / "export.json").read_text(encoding="utf-8"))
    assert manifest["script"] == "scripts.export.gomoku_player"
    assert manifest["functions"][0] == "choose(stones: int8[49], to_move: int) -> int"
    assert list(manifest["packages"]) == ["numpy"]


def test_only_what_the_script_needs_is_copied(player: Path) -> None:
    script = player / "python" / "script"
    assert (script / "scripts" / "export" / "gomoku_player.npz").is_file()
    assert {path.name for path in script.iterdir() if path.name != "__pycache__"} == {
        "ai", "base", "scripts", "sim",
    }  # fmt: skip
    assert not (script / "ai" / "kernels").exists()
    assert not (script / "sim" / "core" / "scene" / "scene.py").exists()
    packages = next((player / "python").rglob("site-packages"))
    tops = {path.name.partition("-")[0] for path in packages.iterdir()}
    assert tops == {"numpy", "numpy.libs"}


FAULTS = {
    "def f(): ...": "expected a function marked @exported, found none",
    "from sim import exported\n@exported\ndef f(a) -> int: ...": (
        "bad.py:2: f, a: expected int, float, str, bool or NDArray[...], found no annotation"
    ),
    "from sim import exported\n@exported\ndef init() -> None: ...": "expected a name other than init",
    "from sim import exported\n@exported\ndef f(result: int) -> int: ...": "found result twice",
    "import nothing_of_this_name": "bad.py:1: ModuleNotFoundError: No module named 'nothing_of",
    "def f(:": "bad.py:1: SyntaxError",
    "from goishi.scripts.common.none import X": (
        "bad.py:1: ModuleNotFoundError: No module named 'goishi.scripts.common.none'"
    ),
    "from goishi.sim import X": "bad.py:1: ModuleNotFoundError: No module named 'goishi.sim'",
    "raise SystemExit(4)": "bad.py:1: SystemExit: 4",
    "import os\nos._exit(7)": "bad: its process ended with code 7",
}


@pytest.mark.parametrize("text", FAULTS, ids=list(FAULTS.values()))
def test_a_script_that_cannot_be_exported_is_one_line_and_leaves_nothing(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "bad.py"
    script.write_text(text, encoding="utf-8")
    words = ["export", str(script), "--out", str(tmp_path / "x"), "--trust"]
    assert application.run_application(words) == 1
    error = capsys.readouterr().err
    assert FAULTS[text] in error
    assert error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["bad.py"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"script": Path("no.py")}, "SCRIPT: expected a Python file, found no such file no.py"),
        ({"name": "7up"}, "--name: expected a C name such as player, found '7up'"),
        ({"packages": ("no-such-thing",)}, "--packages: expected an installed package, found none"),
        ({"files": (Path("/no/such/file"),)}, "--data: expected a file or a folder, found none at"),
        ({"files": (Path("/etc/passwd"),)}, "--data: expected a file below "),
        ({"out": ROOT / "docs"}, "--out: expected an empty folder, found files in"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_request_is_wrong_usage(change: dict, expected: str, tmp_path: Path) -> None:
    request = {"script": PLAYER, "out": tmp_path / "x", "name": "player", **change}
    with pytest.raises(UsageError) as caught:
        export(ExportRequest(**request))
    assert expected in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_script_that_lacks_something_is_found_out_and_the_old_export_stays(
    tmp_path: Path,
) -> None:
    script = tmp_path / "lazy.py"
    script.write_text("from sim import exported\n@exported\ndef f() -> int: return 1\n")
    out = tmp_path / "out"
    export(ExportRequest(script, out, "lazy"))
    before = (out / "lazy.h").read_bytes()
    assert not list(out.rglob("numpy")), "what passes no arrays needs no NumPy"
    # numpy is imported in a way that neither the source nor a first import gives away.
    script.write_text(
        "import os, sys\nfrom sim import exported\n"
        "if 'PYTHONHOME' in os.environ: __import__('num' + 'py')\n"
        "@exported\ndef f(a: int) -> int: return 1\n"
    )
    with pytest.raises(ExportError, match=r"No module named 'numpy'.*--packages"):
        export(ExportRequest(script, out, "lazy"))
    assert (out / "lazy.h").read_bytes() == before
    export(ExportRequest(script, out, "lazy", packages=("numpy",)))
    assert (out / "lazy.h").read_bytes() != before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lazy.py", "out"]


def test_what_does_not_run_alone_is_told_by_its_last_six_lines(monkeypatch):
    done = SimpleNamespace(returncode=1, stderr="\n".join(f"line {number}" for number in range(9)))
    monkeypatch.setattr(exporter.subprocess, "run", lambda *words, **options: done)
    library = SimpleNamespace(module="scripts.a", functions=())
    with pytest.raises(ExportError) as told:
        exporter._check_alone(Path("home"), library)
    lines = " | ".join(f"line {number}" for number in range(3, 9))
    assert str(told.value).startswith(f"scripts.a does not run on its own: {lines}; name what is")


def test_a_project_with_a_script_behind_a_link_is_not_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    outside = tmp_path / "outside.py"
    outside.write_text("", encoding="utf-8")
    project = tmp_path / "mine"
    (project / "scripts").mkdir(parents=True)
    (project / "scenes").mkdir()
    script = project / "scripts" / "player.py"
    script.write_text("", encoding="utf-8")
    link = project / "scripts" / "linked.py"
    link.symlink_to(outside)
    out = tmp_path / "out"
    code = application.run_application(["export", str(script), "--out", str(out), "--trust"])
    assert code == 2
    assert f"expected scripts inside the project, found a link {link}" in "".join(
        capsys.readouterr().err.split("\n")
    )
    assert not out.exists()

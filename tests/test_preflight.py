"""What the command line finds missing before anything runs, and what a crash tells."""

from __future__ import annotations

import ast
import ctypes
import io
import os
import runpy
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer

from sim.commands import preflight
from sim.commands.cli.ending import INTERRUPTED, ending_code, report_errors
from tests.command_line import MAIN, ROOT, is_one_line, run_here, run_main


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
    names = {"PIL": "pillow", "cv2": "opencv-python", "imgui_bundle": "imgui-bundle"}
    names["bidi"] = "python-bidi"
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
    assert error == "goishi: no display found: set DISPLAY or use --headless --for SECONDS\n"


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
    code, _, error = run_here(capsys, "run", str(scene), "--headless", "--for", "1")
    assert code == 1
    assert is_one_line(error)
    assert error.startswith("goishi: libGL not found: sudo apt-get install libgl1 libegl1")


def test_a_crash_in_machine_code_says_where_python_was() -> None:
    crash = "import ctypes\ndef careless():\n    ctypes.string_at(1)\ncareless()\n"
    start = f"import sys; sys.path.insert(0, {str(ROOT)!r}); sys.argv = ['main.py']\n"
    version = "from sim.commands.cli.entry import main\ntry:\n    main(['--version'])\nexcept SystemExit:\n    pass\n"
    done = subprocess.run(
        [sys.executable, "-c", start + version + crash], capture_output=True, text=True
    )
    assert done.returncode == -signal.SIGSEGV
    assert "Fatal Python error: Segmentation fault" in done.stderr
    assert "in careless" in done.stderr


def test_ctrl_c_while_packages_are_loaded_is_130_without_a_word(tmp_path: Path) -> None:
    """A package that is loaded first presses it, and catches all that Python raises for it."""
    (tmp_path / "typer.py").write_text(
        "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\n    print('went on')\n"
        "except BaseException:\n    raise ImportError('caught') from None\n"
    )
    assert run_main("players", PYTHONPATH=str(tmp_path)) == (130, "", "")


def test_ctrl_c_before_the_first_import_is_130_without_a_word() -> None:
    probe = (
        "import builtins, runpy, sys\nsys.argv = ['main.py', 'games']\nbefore = builtins.__import__\n"
        "def pressed(name, *rest):\n    if name.startswith('sim'):\n        raise KeyboardInterrupt\n"
        "    return before(name, *rest)\n"
        f"builtins.__import__ = pressed\nrunpy.run_path({str(MAIN)!r}, None, '__main__')"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes the streams")
@pytest.mark.parametrize(
    ("closing", "code", "told"),
    [(">&-", 0, ""), (">&- 2>&-", 0, ""), (">/dev/full", 1, "No space left on device")],
)
def test_a_stdout_that_takes_nothing(closing: str, code: int, told: str) -> None:
    if "full" in closing and not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    buffered = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        ["sh", "-c", f'"$0" "$1" games {closing}', sys.executable, str(MAIN)],
        capture_output=True, text=True, timeout=60, env=buffered,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr
    assert done.stderr.count("\n") <= 1


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be deleted there")
def test_a_current_folder_that_was_deleted_is_named(tmp_path: Path) -> None:
    probe = (
        f"import os, runpy, sys\nsys.path[0] = {str(ROOT)!r}\nsys.argv = ['main.py', 'games']\n"
        "os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')\n"
        f"runpy.run_path({str(MAIN)!r}, None, '__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert done.returncode == 1
    assert is_one_line(done.stderr)
    assert "the current folder: expected one that exists" in done.stderr


def test_a_command_whose_script_closes_stdout_ends_as_any(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO()))
    sys.stdout.close()
    with pytest.raises(typer.Exit) as ended:
        report_errors(lambda: None)()
    assert ended.value.exit_code == 0


def test_a_display_is_asked_with_whole_pointers() -> None:
    """Python takes what C returns for 32 bits where nobody says more."""
    asked: list[object] = []

    class Function:
        restype: object = ctypes.c_int

        def __call__(self, word: object) -> int:
            asked.append(word)
            return 2**40 if self.restype is ctypes.c_void_p else 0

    library = SimpleNamespace(XOpenDisplay=Function(), XCloseDisplay=Function())
    assert preflight._answers(":7", lambda name: library)
    assert asked == [b":7", 2**40]
    assert library.XCloseDisplay.argtypes == [ctypes.c_void_p]


def test_a_library_that_is_interrupted_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    """A compiler may answer a signal by an error of its own."""

    def compile_something() -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise RuntimeError("no compiled object yet")  # noqa: B904

    assert ending_code(compile_something)() == INTERRUPTED
    assert capsys.readouterr().err == ""
    with pytest.raises(ValueError, match="a fault"):
        ending_code(lambda: int("a fault"))()

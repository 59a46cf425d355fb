"""Every signal that asks for the end writes the statistics and leaves no temporary folder."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 120.0
BY_DAY = ("SIGINT", "SIGTERM", "SIGHUP")
AT_NIGHT = ("SIGQUIT", "SIGUSR1", "SIGXCPU")  # one handler serves all: a run each shows no more
SIGNALS = (*BY_DAY, *AT_NIGHT)
CART_POLE = ROOT / "scenes" / "cart_pole.scene.json"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs signals")


def _by_default() -> None:
    """Take signals as usual, also where whoever runs the tests ignores some, as `nohup` does."""
    for name in SIGNALS:
        signal.signal(getattr(signal, name), signal.SIG_DFL)


def wait_for(process: subprocess.Popen[str], found) -> None:
    end = time.monotonic() + LONGEST
    while not found():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture(scope="module")
def ended(request, tmp_path_factory):
    """Start a run for each signal, send it, and return exit codes, texts and folders."""
    started = {}
    tests = (getattr(item, "callspec", None) for item in request.session.items)
    asked = {test.params.get("name") for test in tests if test is not None}
    for name in (name for name in SIGNALS if name in asked):
        root = tmp_path_factory.mktemp(name)
        words = ["run", "scenes/hello.scene.json", "--no-graphics", "--for", "600"]
        process = subprocess.Popen(
            [sys.executable, "main.py", *words, "--stats", str(root.with_suffix(".json"))],
            cwd=ROOT, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(root)},
            preexec_fn=_by_default,
        )  # fmt: skip
        started[name] = root, process
    found = {}
    for name, (root, process) in started.items():
        wait_for(process, lambda root=root: list(root.iterdir()))
        time.sleep(1.0)  # the folder is there while the run still opens
        process.send_signal(getattr(signal, name))
    for name, (root, process) in started.items():
        _, said = process.communicate(timeout=LONGEST)
        found[name] = (process.returncode, said, root)
    return found


@pytest.mark.parametrize(
    "name", [*BY_DAY, *(pytest.param(name, marks=pytest.mark.nightly) for name in AT_NIGHT)]
)
def test_a_signal_ends_a_run_in_order(ended, name):
    code, said, root = ended[name]
    assert (code, said) == (130, "")
    assert root.with_suffix(".json").is_file()
    assert list(root.iterdir()) == []


def test_a_program_with_many_environments_that_is_ended_leaves_nothing(tmp_path):
    before = set(Path("/dev/shm").iterdir())
    text = (
        "import goishi, time\n"
        f"crowd = goishi.make_vec({str(CART_POLE)!r}, 4, workers=1)\n"
        f"alone = goishi.make_vec({str(CART_POLE)!r}, 4)\n"
        "print('ready', flush=True)\n"
        "time.sleep(600)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", text], cwd=ROOT, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert process.stdout.readline() == "ready\n"
    process.terminate()
    process.communicate(timeout=LONGEST)
    assert list(tmp_path.iterdir()) == []
    assert not [path for path in set(Path("/dev/shm").iterdir()) - before if "goishi" in path.name]


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs an X server of its own")
def test_a_display_that_dies_ends_the_run_with_one_line_and_its_statistics(tmp_path):
    files = tmp_path / "files"
    files.mkdir()
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", "800x600x24"],
        pass_fds=(writer,), stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(writer)
    with os.fdopen(reader) as told:
        display = f":{told.readline().strip()}"
    words = ["run", "scenes/hello.scene.json", "--for", "600", "--seed", "1", "--no-ui"]
    process = subprocess.Popen(
        [sys.executable, "main.py", *words, "--window", "640x400",
         "--stats", str(tmp_path / "stats.json")],
        cwd=ROOT, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TMPDIR": str(files), "DISPLAY": display},
    )  # fmt: skip
    wait_for(process, lambda: list(files.iterdir()))
    time.sleep(3.0)
    server.kill()
    server.wait()
    _, said = process.communicate(timeout=LONGEST)
    lines = [line for line in said.splitlines() if not line.startswith("Xlib:")]
    assert lines == ["ERROR the display has gone: the run ends"]
    assert process.returncode == 1
    assert (tmp_path / "stats.json").is_file()
    assert list(files.iterdir()) == []

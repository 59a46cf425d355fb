"""Runs that are over while their process would stand: what holds it is named, and it is ended."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.corpus_scripts import write_project

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 120.0
CASES = {
    "atexit": (
        "import atexit, time\n\ndef sleep():\n    time.sleep(1e6)\n\natexit.register(sleep)",
        "its process still stands in sleep  scripts/one.py:5  blocks in time.sleep(1e6)",
    ),
    "a value's __del__": (
        "import sys, time\n\nclass Keeper:\n    def __del__(self, sleep=time.sleep):\n"
        "        sleep(1e6)\n\nsys.kept_to_the_end = Keeper()",
        "its process still stands in Keeper.__del__  scripts/one.py:6  blocks in sleep(1e6)",
    ),
    "a child": (
        "import multiprocessing, time\n"
        "multiprocessing.get_context('fork').Process(target=time.sleep, args=(1e6,)).start()",
        "its process waits for the process ",
    ),
    "Python's lock": (
        "import atexit, itertools\n\ndef count():\n    all(itertools.repeat(1))\n\n"
        "atexit.register(count)",
        "its process still stands in count  scripts/one.py:5  blocks in all(itertools.repeat(1))",
    ),
}
STDERR = (
    "import logging, threading, time\n\ndef hold():\n"
    "    logging.getLogger().handlers[0].acquire()\n    time.sleep(1e6)\n\n"
    "threading.Thread(target=hold, daemon=True).start()"
)


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """Start all cases at once, and return their exit codes and what they said."""
    started = {}
    for name, (top, _) in {**CASES, "stderr's lock": (STDERR, "")}.items():
        root = tmp_path_factory.mktemp("p") / "p"
        body = f"\n\n{top}\n\nclass One(Script):\n    pass\n"
        scene = write_project(root, body.lstrip("\n"), timeout=2.0, ending=1.0)
        words = ["run", str(scene), "--headless", "--no-graphics", "--for", "60", "--trust"]
        started[name] = subprocess.Popen(
            [sys.executable, "main.py", *words, "--stats", str(root / "stats.json")],
            cwd=ROOT, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        started[name].stats = root / "stats.json"
    found = {}
    for name, process in started.items():
        _, said = process.communicate(timeout=LONGEST)
        found[name] = (process.returncode, said.splitlines(), process.stats.is_file())
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="the exit door needs the C library of Linux")
@pytest.mark.parametrize("name", CASES)
def test_what_holds_the_process_is_named_and_ended_with_the_runs_code(ended, name):
    code, said, has_stats = ended[name]
    assert len(said) == 1, said
    assert said[0].startswith(f"WARNING the run is over, but {CASES[name][1]}")
    assert said[0].endswith("; after 1 s (setting exit_timeout) it is ended")
    assert (code, has_stats) == (0, True)


@pytest.mark.skipif(sys.platform != "linux", reason="the exit door needs the C library of Linux")
def test_a_thread_that_holds_the_lock_of_the_log_holds_no_process(ended):
    code, said, has_stats = ended["stderr's lock"]
    assert (code, len(said), has_stats) == (0, 1, True), said


def test_what_ends_by_itself_says_nothing(tmp_path):
    scene = write_project(tmp_path / "p", "class One(Script):\n    pass\n", timeout=2.0, ending=0.5)
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "main.py", "run", str(scene), "--no-graphics", "--for", "60", "--trust"],
        cwd=ROOT, capture_output=True, text=True, timeout=LONGEST,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert time.monotonic() - begun < 60.0


@pytest.mark.skipif(sys.platform != "linux", reason="needs the C library of Linux")
def test_a_byte_to_the_exit_door_ends_a_process_that_holds_pythons_lock():
    text = (
        "import os, re, sys, time\n"
        "from sim.core.hangs.exit_watch import exit_door\n"
        "door = exit_door(7)\n"
        "if os.fork() == 0:\n"
        "    time.sleep(0.3)\n"
        "    os.write(door, b'x')\n"
        "    os._exit(0)\n"
        "re.match('(a*)*b', 'a' * 60)\n"
    )
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, timeout=LONGEST, check=False)
    assert done.returncode == 7
    assert os.name == "posix"


def test_a_script_that_changes_the_folder_moves_no_output(tmp_path):
    text = (
        "import os\n\nos.chdir('/')\n\nclass One(Script):\n    def start(self):\n"
        "        os.chdir(os.path.expanduser('~'))\n"
    )
    write_project(tmp_path / "p", text, timeout=2.0)
    words = ["run", "p/scenes/main.scene.json", "--no-graphics", "--for", "60", "--trust"]
    outputs = ["--stats", "stats.json", "--profile", "profile.json", "--out", "out"]
    done = subprocess.run(
        [sys.executable, str(ROOT / "main.py"), *words, *outputs, "--data-dir", "data"],
        cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    made = {path.name for path in tmp_path.iterdir()}
    assert made == {"p", "stats.json", "profile.json", "out", "data"}

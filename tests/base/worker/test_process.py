"""How a worker process begins."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys

import pytest

from base.files import SHIPPED_ROOT
from base.worker.process import run_worker


def test_the_environment_is_set_before_the_module_is_imported(tmp_path, monkeypatch):
    package = tmp_path / "crew"
    package.mkdir()
    (package / "__init__.py").write_text(
        "import os\nBEFORE = os.environ.get('CREW_A')\n"
        "ENVIRONMENT = {'CREW_A': 'package', 'CREW_B': 'package'}\n"
    )
    (package / "one.py").write_text(
        "import os, crew\nFOUND = crew.BEFORE, os.environ['CREW_A'], os.environ['CREW_B']\n"
        "def main(pipe, settings):\n    pipe.send(FOUND)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    settings = {"environment": {"CREW_A": "settings"}}
    process = context.Process(target=run_worker, args=(there, "crew.one:main", settings))
    process.start()
    assert here.recv() == ("settings", "settings", "package")
    process.join()
    assert process.exitcode == 0


@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="needs Linux's idle class")
@pytest.mark.parametrize(("level", "gives_way_at_once"), [(10, False), (19, True)])
def test_at_the_least_priority_a_process_gives_way_at_once(level, gives_way_at_once):
    program = (
        "import os, threading\nfrom base.worker.process import be_nice\n"
        "end = threading.Event()\nthreading.Thread(target=end.wait).start()\n"
        f"be_nice({level})\nthreads = map(int, os.listdir('/proc/self/task'))\n"
        "idle = {os.sched_getscheduler(thread) == os.SCHED_IDLE for thread in threads}\n"
        "end.set()\nprint(os.nice(0), *idle)"
    )
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=SHIPPED_ROOT)
    niceness, is_idle = done.stdout.split()
    assert int(niceness) >= level
    assert (is_idle == "True") == gives_way_at_once

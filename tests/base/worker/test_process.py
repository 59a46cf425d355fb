"""How a worker process begins."""

from __future__ import annotations

import multiprocessing

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

"""Workers that begin as copies of a process that has loaded what they need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from base.files import SHIPPED_ROOT
from base.worker.loaded import LoadedWorkers
from sim.commands.run import DEFAULT_SCENE, WorkersAhead

PROGRAM = """
import json, multiprocessing, os, sys

def main(connection, settings):
    loaded = "wave" in sys.modules
    connection.send((os.getppid(), loaded, os.environ.get("ONLY"), settings["number"]))

if __name__ == "__main__":
    from base.worker.loaded import LoadedWorkers
    sys.modules["pack.work"] = sys.modules["__main__"]
    workers = LoadedWorkers("pack", "wave", lambda settings: settings["number"] < 2)
    workers.begin()
    os.environ["ONLY"] = "here"
    found = []
    unfit = {"number": 0, "environment": {"A": "b"}}
    for settings in ({"number": 0}, {"number": 1}, {"number": 2}, unfit):
        ours, theirs = multiprocessing.get_context("spawn").Pipe()
        process = workers.process_of(theirs, "pack.work:main", settings, "worker")
        found.append(None if process is None else ours.recv())
        if process is not None:
            process.join(10)
            found[-1] = (*found[-1], process.exitcode)
    other = workers.process_of(theirs, "other.work:main", {"number": 0}, "worker")
    print(json.dumps([os.getpid(), found, other is None, workers.was_used]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="copies are made on Linux alone")
def test_workers_are_copies_of_one_process_that_has_loaded_the_module(tmp_path):
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "work.py").write_text(PROGRAM)
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "program.py")],
        env={"PYTHONPATH": f"{SHIPPED_ROOT}:{tmp_path}"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert not done.stderr
    own, (first, second, *unfit), is_other_none, was_used = json.loads(done.stdout)
    assert first == [first[0], True, "here", 0, 0]
    assert second == [first[0], True, "here", 1, 0], "of the same process, in today's environment"
    assert first[0] != own
    assert unfit == [None, None], "these start as new interpreters"
    assert is_other_none
    assert was_used


def test_elsewhere_no_worker_is_a_copy(monkeypatch):
    monkeypatch.setattr("base.worker.loaded.sys.platform", "win32")
    workers = LoadedWorkers("pack", "wave")
    assert workers.process_of(None, "pack.work:main", {}, "worker") is None
    assert workers.was_used, "so that it is remembered that the scene has workers"


def test_where_the_process_cannot_be_started_no_worker_is_a_copy(monkeypatch):
    def refuse() -> None:
        raise OSError("AF_UNIX path too long")

    monkeypatch.setattr("base.worker.loaded.forkserver.ensure_running", refuse)
    monkeypatch.setattr("base.worker.loaded.multiprocessing.set_forkserver_preload", print)
    workers = LoadedWorkers("pack", "wave")
    assert workers.process_of(None, "pack.work:main", {}, "worker") is None


def test_a_scene_that_had_workers_loads_them_ahead(monkeypatch, tmp_path):
    monkeypatch.setattr("sim.commands.run.user_cache_dir", lambda: tmp_path / "cache")
    begun: list[Path] = []

    def ahead(scene: Path, *, used: bool = False) -> bool:
        found = WorkersAhead(scene)
        monkeypatch.setattr(found.workers, "begin", lambda: begun.append(scene))
        found.begin()
        found.workers.was_used = used
        found.remember()
        return scene in begun

    assert ahead(DEFAULT_SCENE), "at the first start, too"
    scene = tmp_path / "a.scene.json"
    assert not ahead(scene)
    assert not ahead(scene, used=True)
    assert ahead(scene, used=True)
    assert ahead(scene)
    begun.clear()
    assert not ahead(scene), "it has none any more"
    (tmp_path / "cache" / "scenes_with_workers.json").write_text("[[")
    assert not ahead(scene)

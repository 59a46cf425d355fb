"""A folder whose name is no UTF-8: what can work there works, and the rest is one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import corpus_made
from sim.core.assets.assets import AssetLibrary
from sim.render.capture.capture import VideoFile
from sim.render.models.figures import read_figure
from tests.command_line import run_here
from tests.sim.core.stage import Stage

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the names of files are text on this system"
)
SCRIPT = """
@job
def twice(x):
    return 2 * x

class One(Script):
    answer = None

    def start(self):
        self.start_coroutine(self.go())

    async def go(self):
        self.answer = await self.background(twice(3))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / os.fsdecode(b"gart\xffen")
    found.mkdir()
    return found


@pytest.fixture
def stage(folder: Path) -> Iterator[Stage]:
    stage = Stage(folder)
    yield stage
    stage.close()


def test_a_job_runs_there(stage: Stage) -> None:
    stage.script("one", SCRIPT)
    slot = stage.open_one("scripts.one:One")
    stage.frames(1)
    assert stage.lines() == []
    assert len(stage.app.host.jobs.running) == 1
    assert slot.instance.answer is None


def test_a_project_and_a_tournament_are_made_there(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_here(capsys, "new", "project", str(folder / "new"))[0] == 0
    named = folder.parent / os.fsdecode(b"n\xff")
    assert run_here(capsys, "new", "project", str(named))[0] == 0
    made = "".join(path.read_text("utf-8") for path in named.rglob("*.*") if path.is_file())
    assert "# n?\n" in made
    words = ("arena", "random", "one-ply", "--games", "2", "--out", str(folder / "arena"))
    assert run_here(capsys, *words)[0] == 0
    assert "gart?en" in (folder / "arena" / "index.html").read_text(encoding="utf-8")


def test_a_film_there_is_one_line_and_no_crash(folder: Path) -> None:
    with pytest.raises(OSError, match="the path is no UTF-8, as OpenCV needs it"):
        VideoFile(folder / "a.mp4", (64, 64), 10.0)


def test_a_model_there_is_read_or_is_one_line(folder: Path) -> None:
    (folder / "assets").mkdir()
    (folder / "assets" / "a.glb").write_bytes(corpus_made.small_glb())
    (folder / "assets" / "a.obj").write_bytes(corpus_made.small_obj())
    library = AssetLibrary(folder)
    library.read_content = read_figure
    try:
        assets = [library.get(f"assets/a.{kind}") for kind in ("glb", "obj")]
        library.poll(60.0)
    finally:
        library.close()
    assert [asset.error for asset in assets] == [
        "", "expected a path in UTF-8, which this format needs, found another",
    ]  # fmt: skip

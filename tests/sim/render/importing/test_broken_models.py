"""Broken, cut and random files: one console error each, no crash, no hang, nothing lost."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.core.assets import assets
from sim.core.assets.animation.poses import Pose
from sim.core.assets.animation.rig import Rig
from sim.core.assets.assets import Asset, AssetLibrary, AssetState
from sim.core.reporting.console import Console
from sim.render.importing.build import write_model
from sim.render.importing.model_data import MeshData, ModelData
from sim.render.materials.surface import Surface
from sim.render.models.figures import read_figure
from tests.sim.render.importing.fbx_files import write
from tests.sim.render.importing.gltf_files import small_glb
from tests.sim.render.importing.model_files import Model, imported, run
from tests.sim.render.importing.test_fbx import arm

CORRUPTIONS = 500
BATCH = 50


def load(library: AssetLibrary, path: str, seconds: float = 60.0) -> Asset:
    asset = library.get(path)
    end = time.monotonic() + seconds
    while asset.state is AssetState.LOADING and time.monotonic() < end:
        library.poll(0.05)
    return asset


def lines(console: Console, level: str) -> list[str]:
    return [record.text for record in console.records if record.level == level]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    return tmp_path


def test_a_broken_file_is_one_console_error_and_a_sound_one_beside_it_loads(project: Path) -> None:
    (project / "assets" / "cut.fbx").write_bytes(write(arm(), 7400, binary=True)[:900])
    (project / "assets" / "text.fbx").write_text("hello")
    (project / "assets" / "empty.glb").write_bytes(b"")
    (project / "assets" / "sound.fbx").write_bytes(write(arm(), 7400))
    console = Console()
    library = AssetLibrary(project, console)
    names = ["cut.fbx", "text.fbx", "empty.glb", "gone.fbx", "sound.fbx"]
    for name in names:
        library.get(f"assets/{name}")
    states = {name: load(library, f"assets/{name}").state for name in names}
    library.close()
    assert states.pop("sound.fbx") is AssetState.READY
    assert set(states.values()) == {AssetState.FAILED}
    errors = lines(console, "error")
    assert len(errors) == len(states)
    for name in states:
        (line,) = [line for line in errors if line.startswith(f"assets/{name}: ")]
        assert "expected" in line
        assert "found" in line or "file of the project" in line


@pytest.mark.parametrize("path", ["../outside.fbx", "/etc/passwd", "assets/model.exe"])
def test_paths_outside_and_other_kinds_of_files_are_refused(project: Path, path: str) -> None:
    console = Console()
    library = AssetLibrary(project, console)
    asset = load(library, path)
    library.close()
    assert asset.state is AssetState.FAILED
    assert len(lines(console, "error")) == 1


def test_a_reader_that_hangs_is_ended_and_told_once(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "assets" / "slow.fbx").write_bytes(b"x")
    monkeypatch.setattr(assets, "IMPORTER", "tests.sim.render.importing.hanging_importer")
    monkeypatch.setattr(assets, "IMPORT_SECONDS", 0.5)
    console = Console()
    library = AssetLibrary(project, console)
    asset = load(library, "assets/slow.fbx")
    library.close()
    assert "takes more than 0.5 s" in asset.error
    assert len(lines(console, "error")) == 1


@pytest.mark.parametrize(
    ("processor", "wall", "said"), [(0.3, 60.0, "of processor"), (60.0, 0.3, "")]
)
def test_a_reader_may_use_so_much_of_the_processor_and_wait_ten_times_as_long(
    project: Path, monkeypatch: pytest.MonkeyPatch, processor: float, wall: float, said: str
) -> None:
    assert assets.IMPORT_SECONDS == 10.0 * assets.PROCESSOR_SECONDS
    (project / "assets" / "a.fbx").write_bytes(b"busy" if said else b"waits")
    monkeypatch.setattr(assets, "IMPORTER", "tests.sim.render.importing.hanging_importer")
    monkeypatch.setattr(assets, "PROCESSOR_SECONDS", processor)
    monkeypatch.setattr(assets, "IMPORT_SECONDS", wall)
    library = AssetLibrary(project)
    asset = load(library, "assets/a.fbx")
    library.close()
    limit = "0.3 s of processor time" if said else "0.3 s"
    assert asset.error == f"expected a model, found a file that takes more than {limit} to read"


def test_a_reader_that_crashes_is_told_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "assets" / "crash.fbx").write_bytes(b"crash")
    monkeypatch.setattr(assets, "IMPORTER", "tests.sim.render.importing.hanging_importer")
    console = Console()
    library = AssetLibrary(project, console)
    asset = load(library, "assets/crash.fbx")
    library.close()
    assert "crashed" in asset.error
    assert len(lines(console, "error")) == 1


def test_closing_ends_a_child_that_is_still_reading(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "assets" / "slow.fbx").write_bytes(b"x")
    monkeypatch.setattr(assets, "IMPORTER", "tests.sim.render.importing.hanging_importer")
    library = AssetLibrary(project)
    library.get("assets/slow.fbx")
    end = time.monotonic() + 30.0
    while not library._children and time.monotonic() < end:
        time.sleep(0.01)
    (child,) = library._children
    library.close()
    assert child.poll() is not None


def test_a_model_is_read_once_until_it_or_a_file_beside_it_changes(project: Path) -> None:
    source = project / "assets" / "a.obj"
    source.write_text("mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n")
    runs: list[str] = []

    def count() -> Asset:
        library = AssetLibrary(project)
        child = library._run_child
        library._run_child = lambda *words: runs.append("run") or child(*words)  # type: ignore
        asset = load(library, "assets/a.obj")
        library.close()
        return asset

    assert "a.mtl" in count().warnings[0]
    count()
    assert len(runs) == 1
    (project / "assets" / "a.mtl").write_text("newmtl m\nKd 1 0 0\n")
    assert count().warnings == ()
    assert len(runs) == 2
    source.write_text(source.read_text() + "v 2 2 2\n")
    count()
    assert len(runs) == 3


def corrupted(rng: np.random.Generator, content: bytes) -> bytes:
    """Return a file with a few random changes: bytes, cuts, copies, huge numbers."""
    data = bytearray(content)
    for _ in range(int(rng.integers(1, 6))):
        place = int(rng.integers(0, max(1, len(data))))
        length = int(rng.integers(1, 64))
        kind = int(rng.integers(0, 6))
        if kind == 0:
            data[place : place + 1] = bytes([int(rng.integers(0, 256))])
        elif kind == 1:
            del data[place : place + length]
        elif kind == 2:
            data[place:place] = data[place : place + length]
        elif kind == 3:
            data[place : place + 4] = b"\xff\xff\xff\x7f"
        elif kind == 4:
            data[place : place + length] = rng.bytes(length)
        else:
            data = data[: max(1, place)]
    return bytes(data)


@pytest.mark.slow
def test_random_corruptions_never_crash_or_hang(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    sources = [write(arm(), version, binary=kind)
               for version in (5800, 6100, 7400, 7700) for kind in (False, True)]  # fmt: skip
    kinds = [(".fbx", content) for content in sources] + [(".glb", small_glb())] * 2
    files = []
    for number in range(CORRUPTIONS):
        suffix, content = kinds[number % len(kinds)]
        files.append(tmp_path / f"file{number}{suffix}")
        files[-1].write_bytes(corrupted(rng, content))
    outcomes: list[dict[str, Any]] = []
    for begin in range(0, CORRUPTIONS, BATCH):
        outcomes += batch(files[begin : begin + BATCH], tmp_path / f"made{begin}")
    assert len(outcomes) == CORRUPTIONS
    broken = [report for report in outcomes if "error" in report]
    assert len(broken) > CORRUPTIONS / 10  # the corruptions do something
    assert all(report["error"].startswith("expected ") for report in broken)
    assert all("\n" not in report["error"] for report in broken)


def batch(files: list[Path], target: Path) -> list[dict[str, Any]]:
    """Import files together; where the process ended early, go on behind the one that ended it."""
    found: list[dict[str, Any]] = []
    while len(found) < len(files):
        left = files[len(found) :]
        folder = target / str(len(found))
        pairs = [[str(file), str(folder / file.stem)] for file in left]
        for _, made in pairs:
            Path(made).mkdir(parents=True)
        job = {"project": str(left[0].parent), "files": pairs}
        reports = run("tests.sim.render.importing.import_batch", job, timeout=10.0 * len(left))
        for report, (_, made) in zip(reports, pairs, strict=False):
            if "error" not in report:
                Model(Path(made)).points()  # what was made of it can be read
        found += reports
        if len(reports) < len(left):  # a crash: in the app, one console error of a child
            found.append({"error": f"expected a model, crashed at {left[len(reports)].name}"})
    return found


def test_what_is_no_json_is_a_crash_and_what_is_an_error_is_told() -> None:
    with pytest.raises(assets.AssetError, match="crashed"):
        assets.report_of(b"Fatal Python error", -11)
    with pytest.raises(assets.AssetError, match="expected x"):
        assets.report_of(json.dumps({"error": "expected x"}).encode(), 1)


def test_a_file_of_the_wrong_kind_inside_is_refused(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.egg", "b.bam", "c.gltf")]
    for file in files:
        file.write_bytes(b"\x00\x01 this is no model")
    for report, _ in imported(files, tmp_path / "made"):
        assert report["error"].startswith("expected ")


def test_a_huge_model_is_read_while_the_app_goes_on(tmp_path: Path) -> None:
    """Who reads it must let Python go on: else no frame is drawn for as long as it takes."""
    side = 300
    rows, columns = np.divmod(np.arange(side * side), side)
    points = np.stack([rows, columns, rows * columns % 7], axis=1).astype(np.float64)
    corners = np.arange(side * side).reshape(side, side)
    first = np.stack([corners[:-1, :-1], corners[1:, :-1], corners[1:, 1:]], axis=-1)
    second = np.stack([corners[:-1, :-1], corners[1:, 1:], corners[:-1, 1:]], axis=-1)
    triangles = np.concatenate([first.reshape(-1, 3), second.reshape(-1, 3)])
    mesh = MeshData("huge", 0, points, points, points[:, :2], triangles, 0)
    mesh.flatten()
    rest = Pose(np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]]), np.ones((1, 3)), np.zeros(0))
    rig = Rig(("root",), np.array([-1]), rest)
    write_model(ModelData(rig, [mesh], [Surface("plain")]), tmp_path)
    spans: list[float] = []

    def read() -> None:
        begun = time.perf_counter()
        read_figure(tmp_path)
        spans.append(time.perf_counter() - begun)

    thread = threading.Thread(target=read)
    longest, last = 0.0, time.perf_counter()
    thread.start()
    is_on = True
    while is_on:
        is_on = thread.is_alive()
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
        time.sleep(0.001)
    assert longest < spans[0] * 0.6

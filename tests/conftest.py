"""What every test stands on: no window, and nothing of the user's own folders."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tests.check import CACHE  # noqa: E402
from tests.examples import use_profile  # noqa: E402

if TYPE_CHECKING:
    from sim.testing import Pilot
    from tests.sim.core.stage import Stage

_HOME = tempfile.TemporaryDirectory(prefix="goishi-tests-", ignore_cleanup_errors=True)

# Set at import, before any module asks for a folder, and inherited by every child process.
for _name in ("DATA", "CONFIG", "STATE"):
    os.environ[f"XDG_{_name}_HOME"] = str(Path(_HOME.name) / _name.lower())
os.environ["XDG_CACHE_HOME"] = str(CACHE)
os.environ["XDG_RUNTIME_DIR"] = _HOME.name
for _name in ("LOCAL_APPDATA", "APPDATA"):
    os.environ[f"WIN_PD_OVERRIDE_{_name}"] = _HOME.name
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["GOISHI_LANGUAGE"] = "en"  # whoever runs the tests; some tests choose another
os.environ["BROWSER"] = "true"  # a press on Documentation opens none

use_profile()
gc.set_threshold(50_000, 20, 100)  # a tenth of the tests' time went into looking for garbage


NOT_TO_BE_HAD = (
    "needs another Python", "needs a graphics card", "drawn by a graphics card", "no browser",
    "may not",  # what the machine forbids even to root
    "only root", "shared library",
)  # fmt: skip
"""What a reason says where a test may be skipped in CI. Of packages, `.ci/run` says which."""


def is_allowed_skip(reason: str) -> bool:
    """Whether a test may be skipped for this reason: anywhere but in CI, else few."""
    packages = os.environ.get("GOISHI_NOT_TO_BE_HAD", "").split()
    return not os.environ.get("CI") or any(name in reason for name in (*NOT_TO_BE_HAD, *packages))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """Turn a skip into a failure in CI, unless what it needs cannot be had there."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        _, _, reason = report.longrepr
        if not is_allowed_skip(reason):
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid}: expected it to run in CI, found {reason}"
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a window where there is no display, and what needs a graphics card."""
    has_display = bool(os.environ.get("DISPLAY")) or sys.platform != "linux"
    has_card = os.environ.get("GOISHI_TEST_GPU") == "1"
    is_ai = {(ROOT / "tests" / "ai") in item.path.parents for item in items}
    if len(is_ai) > 1:
        raise pytest.UsageError(
            "tests/ai imports TensorFlow, other tests open OpenGL, and one process cannot hold "
            "both: run `python -m tests.check`, or name tests/ai or the others"
        )
    for item in items:
        if not has_display and item.get_closest_marker("window"):
            item.add_marker(pytest.mark.skip(reason="needs an X display: set DISPLAY"))
        if not has_card and item.get_closest_marker("gpu"):
            item.add_marker(pytest.mark.skip(reason="needs a graphics card: GOISHI_TEST_GPU=1"))


def pytest_unconfigure() -> None:
    """Remove the session's folders."""
    _HOME.cleanup()


def scene_times() -> dict[str, int]:
    """Return when each shipped scene was last written."""
    with os.scandir(ROOT / "scenes") as found:
        return {entry.name: entry.stat().st_mtime_ns for entry in found}


@pytest.fixture(autouse=True)
def shipped_scenes() -> Iterator[None]:
    """Fail the test that writes a shipped scene: it has to save a copy."""
    before = scene_times()
    yield
    assert scene_times() == before, "expected the shipped scenes as they were, found one written"


@pytest.fixture(autouse=True)
def open_gate() -> Iterator[None]:
    """Take back what a command of the test did in this process: a test is a program of its own."""
    yield
    os.environ.pop("GOISHI_TRUSTED", None)


@pytest.fixture
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty user data folder of this test alone; Goishi's own lies in it."""
    home = tmp_path / "data-home"
    home.mkdir()
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", str(home))
    return home


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A small project in the test's folder and the app that runs it without a picture."""
    from tests.sim.core.stage import Stage  # only where asked for: tests/ai loads no engine

    made = Stage(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="module")
def project_scripts() -> Iterator[None]:
    """Give `scripts` back as it was: a project of the module's tests has its own."""
    from tests.project_page import own_scripts

    with own_scripts():
        yield


@pytest.fixture
def pilot(request: pytest.FixtureRequest) -> Iterator[Pilot]:
    """An app of this test alone, opened with the module's options `PILOT`."""
    from sim.testing import Pilot

    with Pilot(**request.module.PILOT) as made:
        yield made


@pytest.fixture(scope="module")
def module_pilot(request: pytest.FixtureRequest) -> Iterator[Pilot]:
    """An app that the tests of a module share, opened with its options `PILOT`."""
    from sim.testing import Pilot

    with Pilot(**request.module.PILOT) as made:
        yield made

"""The part of the tests that runs in the Windows Python, and what is left out of it and why."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.windows.wine import Wine

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
PLUGIN: Final = "tests.windows.suite"
POSIX: Final = "POSIX"
"""The test is of what only POSIX systems have."""
WINE: Final = "Wine"
"""Wine 8 fails there, not Windows."""
PACKAGE: Final = "package"
"""A package for Windows is wrong there."""
LONG: Final = "long"
"""It trains or plays for minutes."""


@dataclass(frozen=True)
class Group:
    """Tests that one process runs.

    Attributes:
        name: what it is called.
        what: what is tested, for the table.
        paths: files and folders below tests/.
        minutes: after which it is ended.
    """

    name: str
    what: str
    paths: tuple[str, ...]
    minutes: float


GROUPS: Final = (
    Group("base", "tests of files, trust, options and workers", ("base",), 10),
    Group("ai", "tests of games, their files, memories and engines",
          ("ai/game", "ai/formats", "ai/memory", "ai/registry", "ai/protocol"), 20),
    Group("sim core", "tests of scenes, projects and coroutines",
          ("sim/core/files", "sim/core/geometry", "sim/core/tasks", "sim/core/scene",
           "sim/core/project"), 25),
    Group("render", "tests of pictures that are drawn without a window",
          ("sim/render/materials", "sim/render/models", "sim/render/passes"), 15),
    Group("drive", "tests that drive three scenes",
          ("drive/test_bouncing_balls.py", "drive/test_hot_swap.py", "drive/test_file_menu.py"), 20),
    Group("command line", "tests of commands",
          ("test_cli.py", "test_brain_command.py", "test_odd_paths.py", "test_small_commands.py"),
          20),
)  # fmt: skip
LEFT_OUT: Final[tuple[tuple[str, str, str], ...]] = (
    ("drive/test_bouncing_balls.py::test_all_balls_come_to_rest", PACKAGE,
     "Bullet rounds otherwise there: two balls of ten still roll after half a minute"),
)  # fmt: skip
"""(beginning of a test's name, kind, why), as they were found."""
COUNTS: Final = re.compile(r"(\d+) (passed|failed|error|skipped|deselected)")


def reason_of(name: str) -> str:
    """Return why a test is left out; "" for one that runs.

    Args:
        name: its name, with `/`.
    """
    for begin, kind, why in LEFT_OUT:
        if name.startswith(begin):
            return f"{kind}: {why}"
    return ""


class AtOnce:
    """Writes the name of a test as soon as it has failed: a process that is ended lists none.

    Args:
        config: pytest's, whose terminal is written to.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what pytest reports of a test."""
        if report.failed:
            last = report.longreprtext.strip().splitlines()[-1:]
            self._config.get_terminal_writer().line(f" {report.nodeid}: {''.join(last)}")


def pytest_configure(config: pytest.Config) -> None:
    """Skip each test as soon as it makes a link, and judge no times.

    Pytest calls this in the Windows Python.
    """
    import pytest

    from sim.core.assets import assets

    assets.PROCESSOR_SECONDS = 3600.0  # type: ignore[misc]  # no limit: Wine tells a parent's for a child's
    config.pluginmanager.register(AtOnce(config))

    def refuse(source: object, link: object, *words: object, **options: object) -> None:
        if str(link).endswith("current"):  # pytest's own, which it can do without
            raise OSError("no links")
        pytest.skip(f"{WINE}: it says that it has made a symbolic link, and there is none")

    os.symlink = refuse  # type: ignore[assignment]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what is left out; pytest calls this in the Windows Python."""
    import pytest

    for item in items:
        reason = reason_of(item.nodeid.replace("\\", "/").removeprefix("tests/"))
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))


def failures(found: Mapping[str, int]) -> int:
    """Return how many tests failed, of a group's counts."""
    return sum(found.get(kind, 0) for kind in ("failed", "error", "late"))


def run(wine: Wine, group: Group, told: Callable[[str], None]) -> tuple[dict[str, int], str]:
    """Run a group of tests.

    Args:
        wine: the Windows Python.
        group: the tests.
        told: is called with each line.

    Returns:
        How many passed, failed and were skipped; what pytest wrote.
    """
    paths = [f"tests/{path}" for path in group.paths]
    words = ["-X", "utf8", "-m", "pytest", "-q", "-rfEs", "-p", PLUGIN, "-p", "no:cacheprovider",
             "-m", "not nightly and not slow", "--timeout", "0", *paths]  # fmt: skip
    done = wine.run(words, ROOT, group.minutes * 60.0, told=told)
    found = {kind: int(number) for number, kind in COUNTS.findall(done.text[-400:])}
    if done.code is None:
        found["late"] = 1
    elif done.code not in (0, 1) or not found:
        found["error"] = found.get("error", 0) + 1
    return found, done.text

"""The one verb for all checks: its groups of tests run side by side, and none is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import check, conftest, nightly

WAITS = """
import pathlib, time

def test_waits():
    (pathlib.Path(__file__).parent / "{own}").touch()
    end = time.monotonic() + 60
    while not (pathlib.Path(__file__).parent / "{other}").exists():
        assert time.monotonic() < end, "{other} did not begin meanwhile"
        time.sleep(0.05)
"""


@pytest.fixture
def group(tmp_path: Path, monkeypatch):
    """Make a group of one test that ends when that of another group has begun."""

    def make(own: str, other: str) -> check.Group:
        file = tmp_path / f"test_{own}.py"
        file.write_text(WAITS.format(own=own, other=other), encoding="utf-8")
        return own, ("-q", "-c", str(tmp_path / "none.ini"), "-p", "no:cacheprovider", str(file))

    (tmp_path / "none.ini").write_text("[pytest]\n", encoding="utf-8")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return make


def test_groups_run_beside_the_first_one_and_all_are_told(group, monkeypatch, capfd):
    groups = (group("first", "third"), group("second", "first"), group("third", "second"))
    monkeypatch.setattr(check, "GROUPS", groups)
    found = check.run_jobs(check.jobs_of([]), 2)
    assert sorted((result.name, result.is_passed) for result in found) == [
        ("pytest first", True), ("pytest second", True), ("pytest third", True),
    ]  # fmt: skip
    said = capfd.readouterr().out
    assert [said.count(f"=== pytest {name}\n") for name, _ in groups] == [1, 1, 1]
    assert said.count("1 passed") == 3


def test_a_group_that_fails_is_told_and_stops_no_other(group, monkeypatch, capfd):
    groups = (group("first", "second"), ("broken", ("no_such_file.py",)), group("second", "first"))
    monkeypatch.setattr(check, "GROUPS", groups)
    found = check.run_jobs(check.jobs_of([]), 2)
    assert {result.name: result.is_passed for result in found} == {
        "pytest first": True, "pytest broken": False, "pytest second": True,
    }  # fmt: skip
    assert "no_such_file.py" in capfd.readouterr().out


def job(name: str, text: str = "", *needs: str, is_check: bool = False) -> check.Job:
    return check.Job(name, ("-c", text), {}, frozenset(needs), is_check=is_check)


def test_a_job_begins_when_those_that_it_needs_are_through(capfd):
    told = "print('{}', flush=True)"
    jobs = [job("last", told.format("last"), "slow"), job("quick", told.format("quick")),
            job("slow", "import time; time.sleep(1); " + told.format("slow"))]  # fmt: skip
    assert [result.name for result in check.run_jobs(jobs, 3)] == ["quick", "slow", "last"]
    assert all(result.is_passed for result in check.run_jobs(jobs, 1))


def test_where_a_check_fails_nothing_more_is_begun():
    jobs = [job("bad", "exit(3)", is_check=True), job("needy", "", "bad"), job("later")]
    assert [(result.name, result.is_passed) for result in check.run_jobs(jobs)] == [("bad", False)]
    long = job("long", "import time; time.sleep(1)")
    found = check.run_jobs([jobs[0], long, *jobs[1:]], 2)
    assert "needy" not in {result.name for result in found}
    assert {"bad": False, "long": True}.items() <= {
        result.name: result.is_passed for result in found
    }.items()


def test_modules_are_compiled_once_whatever_the_shell_says(monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    (found,) = check.run_jobs([job("compiles", "import sys; sys.exit(sys.dont_write_bytecode)")])
    assert found.is_passed


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ([], ["-m", "not nightly"]),
        (["-k", "goban"], ["-m", "not nightly", "-k", "goban"]),
        (["-m", nightly.ALL_TESTS], ["-m", nightly.ALL_TESTS]),
        (["--nightly", "-k", "goban"], ["-k", "goban"]),
        (["-m", "window"], ["-m", "window"]),
    ],
)
def test_what_repeats_at_length_runs_by_night(words, given, monkeypatch):
    asked: list[list[str]] = []
    monkeypatch.setattr(check, "run_jobs", lambda jobs, count=1: [])
    monkeypatch.setattr(check, "jobs_of", lambda arguments, *_: asked.append(list(arguments)) or [])
    assert check.main(words) == 0
    assert asked == [given]


@pytest.mark.parametrize(
    ("words", "given"),
    [(["--nightly"], []), (["--nightly", "kills", "--resume"], ["kills", "--resume"])],
)
def test_parts_run_by_night(words, given, monkeypatch):
    asked: list[list[str]] = []
    monkeypatch.setattr(nightly, "main", lambda arguments: asked.append(list(arguments)) or 3)
    monkeypatch.setattr(check, "run_jobs", lambda *_: pytest.fail("the parts check for themselves"))
    assert check.main(words) == 3
    assert asked == [given]


@pytest.mark.parametrize(
    ("first", "types", "kernels", "is_run"),
    [("exit()", "exit()", "exit()", True), ("exit(3)", "exit()", "exit()", False),
     ("exit()", "exit(3)", "exit()", False), ("exit()", "exit()", "exit(3)", False)],
)  # fmt: skip
def test_no_test_is_run_where_a_check_fails(first, types, kernels, is_run, monkeypatch, tmp_path):
    told = f"import pathlib; pathlib.Path({str(tmp_path / 'ran')!r}).touch()"
    monkeypatch.setattr(check, "lanes", lambda: 1)
    monkeypatch.setattr(check, "FIRST", (job("first", first, is_check=True),))
    monkeypatch.setattr(
        check, "CHECKS",
        (job("types", types, is_check=True), job(check.KERNELS, kernels, is_check=True)),
    )  # fmt: skip
    monkeypatch.setattr(check, "jobs_of", lambda *_: [job("tests", told, check.KERNELS)])
    assert check.main([]) == (0 if is_run else 1)
    assert (tmp_path / "ran").exists() == is_run


def test_groups_that_ask_players_wait_for_their_kernels():
    waiting = {one.name for one in check.jobs_of([]) if check.KERNELS in one.needs}
    assert {"pytest players", "pytest matches", "pytest views"} <= waiting
    assert set(check.WITHOUT_KERNELS) <= {name for name, _ in check.GROUPS}


def test_each_test_is_in_one_group_and_windows_are_in_one():
    files = {path.relative_to(check.ROOT) for path in (check.ROOT / "tests").rglob("test_*.py")}
    found = [file for _, words in check.GROUPS for file in check.files_of(words)]
    assert sorted(found) == sorted(files)
    on_screen = {
        str(file) for file in files if "mark.window" in (check.ROOT / file).read_text("utf-8")
    }
    assert on_screen - {"tests/test_check.py"} == set(check.WINDOWS)


def test_a_test_that_hangs_is_told_by_its_name(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    file = tmp_path / "test_hangs.py"
    file.write_text("import time\ndef test_that_hangs():\n    time.sleep(60)\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "pytest_timeout", "-c", "pyproject.toml",
         "-o", "timeout=0.5", "--rootdir", str(tmp_path), str(file)],
        cwd=check.ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert "test_that_hangs" in done.stdout
    assert "Timeout" in done.stdout


def test_a_test_that_hears_no_signal_is_told_by_its_name(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    file = tmp_path / "test_hangs.py"
    file.write_text("def test_that_hears_nothing():\n    sum(range(10**13))\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", "pyproject.toml",
         "-W", "ignore", "-o", "faulthandler_timeout=0.5", "--rootdir", str(tmp_path), str(file)],
        cwd=check.ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert "test_that_hears_nothing" in done.stderr


@pytest.mark.parametrize(
    ("reason", "lacking", "is_failure"),
    [("needs xdotool", "", True), ("needs xdotool", "gcc xdotool", False),
     ("needs another Python from 3.11 to 3.13", "", False), ("no display", "xdotool", True)],
)  # fmt: skip
def test_a_skip_is_a_failure_in_ci_but_for_what_cannot_be_had(
    reason, lacking, is_failure, tmp_path, monkeypatch
):
    monkeypatch.setenv("GOISHI_NOT_TO_BE_HAD", lacking)
    monkeypatch.delenv("CI", raising=False)
    assert conftest.is_allowed_skip(reason)
    monkeypatch.setenv("CI", "true")
    assert conftest.is_allowed_skip(reason) != is_failure


def test_a_skipped_test_fails_in_ci_with_its_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("CI", "true")
    file = tmp_path / "test_skips.py"
    file.write_text(
        "import pytest\ndef test_lazy():\n    pytest.skip('no wish')\n"
        "@pytest.mark.xfail\ndef test_known():\n    assert False\n", encoding="utf-8"
    )  # fmt: skip
    (tmp_path / "none.ini").write_text("[pytest]\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", "-p", "no:cacheprovider",
         "-c", str(tmp_path / "none.ini"), str(file)],
        cwd=check.ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert "test_lazy: expected it to run in CI, found Skipped: no wish" in done.stdout
    assert "1 failed, 1 xfailed" in done.stdout


FAKES = {
    "apt-get": 'echo "$@" >> "$LOG"',
    "dpkg-query": '[[ " $MISSING " == *" ${@: -2:1} "* ]] || echo "install ok installed"',
    "id": "echo 0",
    "python3": '[ "$1" != -m ]',  # there the script ends
}


@pytest.mark.parametrize(
    ("missing", "expected"),
    [("", []),
     ("xdotool", ["update", "install -y --no-install-recommends xdotool"]),
     ("libgl1", ["update", "install -y --no-install-recommends libgl1"])],
)  # fmt: skip
@pytest.mark.skipif(sys.platform != "linux", reason="packages of Debian")
def test_lists_of_packages_are_fetched_before_any_is_installed(missing, expected, tmp_path):
    log = tmp_path / "log"
    log.touch()
    for name, text in FAKES.items():
        (tmp_path / name).write_text(f"#!/usr/bin/env bash\n{text}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    environment = {
        **os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "LOG": str(log),
        "MISSING": missing, "TMPDIR": str(tmp_path),
    }  # fmt: skip
    done = subprocess.run([check.ROOT / ".ci" / "run"], env=environment, capture_output=True)
    assert done.returncode == 1
    assert log.read_text(encoding="utf-8").splitlines() == expected
    log.write_text("")
    words = [check.ROOT / ".ci" / "run", "packages"]
    done = subprocess.run(words, env=environment, capture_output=True)
    assert done.returncode == 0, "who may install packages, and no more"
    assert log.read_text(encoding="utf-8").splitlines() == expected

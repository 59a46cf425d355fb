"""The nightly part `windows`, as far as it goes without Wine."""

from __future__ import annotations

import ctypes
import platform
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from ai.protocol.packaging import find_starter
from tests import nightly
from tests.windows import kept, suite
from tests.windows.c_runtime import ENVIRONMENT, FLAGS, MATHEMATICS, RUNTIME, imports
from tests.windows.hand import Hand, HandError, read_picture, shows_something
from tests.windows.setting_up import NOT_TRIED, wanted
from tests.windows.tries import (
    TRIES,
    Place,
    TryError,
    checked,
    count_games,
    expect,
    is_other,
    reddish,
)
from tests.windows.wine import Finished, Wine, windows_path


def test_what_is_not_tried_is_left_out_of_the_requirements(tmp_path: Path) -> None:
    lines = tmp_path / "requirements.txt"
    lines.write_text(
        "# for a cluster\nray~=2.60.0  # one\nnumpy~=2.4.6 # arrays\nraylib\nmypy~=2\n"
    )
    assert wanted(lines) == ["numpy~=2.4.6", "raylib", "pip"]
    assert not NOT_TRIED.match("buildings")


def test_what_a_program_for_windows_imports_is_read() -> None:
    starter = find_starter()
    if starter is None:
        pytest.skip("needs another Python: this one has no pip")
    found = imports(starter)
    assert "CreateProcessW" in found["kernel32.dll"]
    assert imports(Path(__file__)) == {}


@pytest.mark.parametrize(
    ("library", "function", "code"),
    [
        (MATHEMATICS, "cabsf", "float goishi_cabsf(float _Complex z) { return cabsf(z); }"),
        (MATHEMATICS, "cpow", "double _Complex goishi_cpow(double _Complex z, double _Complex w)"
         " { return cpow(z, w); }"),
        (MATHEMATICS, "truncl", "double goishi_truncl(double a) { return trunc(a); }"),
        (MATHEMATICS, "sin", ""),
        (RUNTIME, "fetestexcept",
         "int goishi_fetestexcept(int e) { return told(_mm_getcsr()) & e; }"),
        (RUNTIME, "_initialize_onexit_table", ""),
    ],
)  # fmt: skip
def test_functions_that_wine_lacks_are_in_c(library: object, function: str, code: str) -> None:
    assert library.in_c(function) == code  # type: ignore[attr-defined]


PROBES = """
static volatile double zero = 0.0, one = 1.0, small = 1e-308, large = 1e308;
int flags(int which) {
    volatile double found = 0.0;
    goishi_feclearexcept(31);
    if (which == 0) found = zero / zero;
    if (which == 1) found = one / zero;
    if (which == 2) found = large * large;
    if (which == 3) found = small * small;
    if (which == 4) found = one / 3.0;
    (void)found;
    return goishi_fetestexcept(31);
}
int raised(int which) { goishi_feclearexcept(31); goishi_feraiseexcept(which); return goishi_fetestexcept(31); }
int held(void) {
    Environment before;
    goishi_feclearexcept(31);
    goishi_feraiseexcept(8);
    goishi_feholdexcept(&before);
    if (goishi_fetestexcept(31)) return -1;
    goishi_feraiseexcept(16);
    goishi_feupdateenv(&before);
    return goishi_fetestexcept(31);
}
double third(int way) {
    Environment before;
    goishi_fegetenv(&before);
    double found = goishi_fesetround(way) || goishi_fegetround() != way ? -1.0 : one / 3.0;
    goishi_fesetenv(&before);
    return goishi_fegetround() ? -2.0 : found;
}
"""


@pytest.mark.skipif(
    shutil.which("gcc") is None or platform.machine() not in ("x86_64", "AMD64"),
    reason="needs a C compiler: install gcc; and an x86 processor",
)
def test_the_floating_point_environment_has_windows_numbers(tmp_path: Path) -> None:
    code = "\n".join((FLAGS, *(RUNTIME.in_c(name) for name in ENVIRONMENT), PROBES))
    (tmp_path / "probe.c").write_text(code)
    words = ["gcc", "-Wall", "-Werror", "-O2", "-shared", "-fPIC", "-o"]
    library = tmp_path / "probe.so"
    subprocess.run([*words, str(library), str(tmp_path / "probe.c")], check=True)
    probe = ctypes.CDLL(str(library))
    invalid, divided, overflow, underflow, inexact = 16, 8, 4, 2, 1  # fenv.h of Windows' own SDK
    assert [probe.flags(which) for which in range(5)] == [
        invalid, divided, overflow | inexact, underflow | inexact, inexact
    ]  # fmt: skip
    assert [probe.raised(1 << bit) for bit in range(5)] == [1 << bit for bit in range(5)]
    assert probe.held() == invalid | divided
    probe.third.restype = ctypes.c_double
    near, down, up, chopped = (probe.third(way) for way in (0, 0x100, 0x200, 0x300))
    assert near == down == chopped == 1.0 / 3.0
    assert up == np.nextafter(1.0 / 3.0, 1.0)
    assert probe.third(1) == -1.0


def test_our_libraries_have_names_of_the_same_length() -> None:
    assert [len(one.name) == len(one.own) for one in (MATHEMATICS, RUNTIME)] == [True, True]


def test_the_page_has_the_table_of_what_is_kept() -> None:
    assert kept.table(kept.read()) in kept.PAGE.read_text(encoding="utf-8")
    assert kept.plain("a | b\n<c>") == "a / b &lt;c&gt;"


def test_a_try_fails_by_its_code_and_by_a_traceback() -> None:
    assert checked(Finished(0, "fine"), 0) == "fine"
    for done in (
        Finished(1, "no"),
        Finished(None, "late"),
        Finished(0, "Traceback (most recent call last)"),
    ):
        with pytest.raises(TryError):
            checked(done, 0)
    with pytest.raises(TryError, match="expected two, found 3"):
        expect(False, "two", 3)


def test_names_of_tries_and_groups_differ() -> None:
    names = [*(one.name for one in TRIES), *(group.name for group in suite.GROUPS)]
    assert len(set(names)) == len(names)


def test_each_group_runs_in_one_nightly_part_and_all_of_them_end_in_time() -> None:
    parts = [part.commands[0][1:] for part in nightly.PARTS if part.name.startswith("windows")]
    tries, *groups = parts
    assert tries == ("tries",)
    known = {group.name: group.minutes for group in suite.GROUPS}
    assert sorted(name for part in groups for name in part) == sorted(known)
    for part in groups:
        assert sum(known[name] for name in part) * 60.0 < nightly.LONGEST
    assert sum(one.minutes for one in TRIES) * 60.0 < nightly.LONGEST


def test_the_groups_and_what_is_left_out_are_there() -> None:
    places = [*(path for group in suite.GROUPS for path in group.paths)]
    places += [begin.partition("::")[0] for begin, _, _ in suite.LEFT_OUT]
    assert [place for place in places if not (suite.ROOT / "tests" / place).exists()] == []


def test_windows_gets_none_of_this_systems_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/here")
    wine = Wine(Path("python.exe"), Path("prefix"), {"OMP_NUM_THREADS": "1"}).on(":7")
    found = wine.environment()
    assert "XDG_CACHE_HOME" not in found
    assert (found["DISPLAY"], found["OMP_NUM_THREADS"]) == (":7", "1")
    assert windows_path(Path("/tmp/a b")) == r"Z:\tmp\a b"
    assert Place(wine, Path(), Path()).wine is wine


def test_pictures_of_the_screen_are_judged(tmp_path: Path) -> None:
    empty = np.zeros((40, 40, 3), np.uint8)
    half = empty.copy()
    half[:, :20] = (0, 0, 255)
    assert (shows_something(empty), shows_something(half)) == (False, True)
    assert (is_other(half, empty), is_other(half, half), is_other(empty, half)) == (
        True, False, False)  # fmt: skip
    assert reddish(half) == pytest.approx(127.5)
    assert read_picture(tmp_path / "none.png") is None
    (tmp_path / "empty.png").touch()
    assert read_picture(tmp_path / "empty.png") is None


def test_a_hand_waits_no_more_for_a_program_that_is_over() -> None:
    with pytest.raises(HandError, match="expected a window 'Cave', found none"):
        Hand(":0").focus("Cave", is_over=lambda: True)


def test_games_are_counted_in_what_is_there(tmp_path: Path) -> None:
    assert count_games(tmp_path) == 0
    (tmp_path / "games.db").write_bytes(b"no database at all, but as long as a page needs to be")
    assert count_games(tmp_path) == 0

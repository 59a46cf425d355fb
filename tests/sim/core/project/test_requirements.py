"""A project's requirements.txt: what is missing is named with its line and what mends it."""

from __future__ import annotations

import sys
from importlib.metadata import version

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from base.files import SHIPPED_ROOT
from sim.core.project.manifest import look_at_project, package_warnings
from sim.core.project.requirements import requirement_faults
from sim.core.reporting.console import Console
from tests.examples import examples

NUMPY = version("numpy")


def faults(project, text):
    (project / "requirements.txt").write_text(text, encoding="utf-8")
    return requirement_faults(project)


@pytest.mark.parametrize(
    "text",
    [
        "", "# none\n\n", "numpy", "numpy>=1.0  # arrays", f"NumPy=={NUMPY}", "numpy[extra]>=1",
        "no-such-pebbles; python_version < '3'", "-c other.txt", "--index-url https://x.test/simple",
        "./stones.whl", "git+https://x.test/stones.git", "-e .", "numpy \\\n  >= 1.0",
        "\ufeffnumpy", "numpy @ https://x.test/numpy.whl",
        "numpy>=1.0 --hash=sha256:00",
    ],
)  # fmt: skip
def test_what_is_there_or_pips_alone_is_quiet(tmp_path, text):
    assert faults(tmp_path, text) == []


def test_what_is_missing_names_line_and_command(tmp_path):
    folder = tmp_path / "my spiel ö"
    folder.mkdir()
    missing, old = faults(folder, "# packages\nno-such-pebbles>=1.2\nnumpy>=999\n")
    quote = '"' if sys.platform == "win32" else "'"
    install = f"python main.py pip install -r {quote}{folder / 'requirements.txt'}{quote}"
    assert str(missing) == (
        "requirements.txt:2: expected no-such-pebbles>=1.2, found no no-such-pebbles; "
        f"to install: {install}"
    )
    assert str(old) == (
        f"requirements.txt:3: expected numpy>=999, found numpy {NUMPY}; to install: {install}"
    )


@pytest.mark.parametrize("line", ["scipy>>1", "two words", "=1.0", "scipy>=", "!?"])
def test_a_line_that_is_none_is_named(tmp_path, line):
    (fault,) = faults(tmp_path, f"numpy\n{line}\n")
    assert str(fault) == (
        f"requirements.txt:2: expected a requirement such as scipy>=1.10, found {line!r}"
    )


def test_included_files_are_read_once(tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "tests.txt").write_text("no-such-pebbles\n-r ../requirements.txt\n")
    found = faults(tmp_path, "-r more/tests.txt\n-r requirements.txt\n--requirement=gone.txt\n")
    assert [(fault.file, fault.line) for fault in found] == [("more/tests.txt", 1), ("gone.txt", 0)]
    assert str(found[1]) == "gone.txt: expected a requirements file, found no such file"


def test_a_file_that_is_no_text_is_one_fault(tmp_path):
    (tmp_path / "requirements.txt").write_bytes(b"\xff\xfe\xff")
    (fault,) = requirement_faults(tmp_path)
    assert fault.expected == "a requirements file"


@settings(max_examples=examples(30, 60), deadline=None)
@given(st.text(max_size=60))
def test_no_text_makes_it_fail(tmp_path_factory, text):
    folder = tmp_path_factory.getbasetemp() / "law"
    folder.mkdir(exist_ok=True)
    for fault in faults(folder, text.replace("\x00", "").encode("utf-8", "ignore").decode()):
        assert "\n" not in str(fault)


def test_it_is_a_warning_and_goishis_own_is_left_to_the_start(tmp_path):
    (tmp_path / "requirements.txt").write_text("no-such-pebbles\n")
    console = Console()
    look_at_project(tmp_path, console)
    (record,) = console.records
    assert record.level == "warning"
    assert "no-such-pebbles" in record.text
    assert package_warnings(SHIPPED_ROOT) == []

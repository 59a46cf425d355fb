"""Libraries without Python, made by a C compiler: the same results, one line for what is wrong."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from base.errors import GoishiError, UsageError
from sim.commands.cli import application
from sim.export.build import CompilerError
from sim.export.exporter import ExportRequest
from sim.export.native import linking
from sim.export.native.c_source import NativeLibrary as Contents
from sim.export.native.c_source import c_text, header_text
from sim.export.native.exporter import export_native
from sim.export.native.linking import Linker, universal
from sim.export.native.targets import HERE as HERE_NAME
from sim.export.native.targets import LINUX, TARGETS, here, target_of
from tests.sim.export import native_sample as sample
from tests.sim.export.hosts import COMPILER, HERE, ROOT, needs_compiler
from tests.sim.export.native_library import ExportError, NativeLibrary

SAMPLE = HERE / "native_sample.py"
is_linux = pytest.mark.skipif(here() is not LINUX, reason="the C compiler of x86-64 Linux is used")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, exported with the C compiler of this machine."""
    if COMPILER is None or here() is not LINUX:
        pytest.skip("needs x86-64 Linux and a C compiler: install gcc")
    out = tmp_path_factory.mktemp("native") / "with ä space"
    words = [
        "export",
        str(SAMPLE),
        "--out",
        str(out),
        "--native",
        "--compiler",
        COMPILER,
        "--trust",
    ]
    assert application.run_application(words) == 0
    return out


@pytest.fixture(scope="module")
def library(folder: Path) -> NativeLibrary:
    return NativeLibrary(folder / "libnative_sample.so", "native_sample")


def signature(function):
    return function.exported


finite = st.floats(-1e3, 1e3, width=32)


@settings(deadline=None)
@given(arrays(np.float32, 3, elements=finite), st.floats(0.1, 10.0))
def test_numbers_are_those_of_python(library, x, scale):
    found = library(signature(sample.layer), x, scale)
    np.testing.assert_allclose(found, sample.layer(x, scale), rtol=1e-5, atol=1e-5)


@settings(deadline=None)
@given(
    arrays(np.float64, st.tuples(st.integers(0, 5), st.just(3)), elements=st.floats(-2, 2)),
    st.floats(-1, 1),
    st.booleans(),
)
def test_an_array_is_changed_where_it_lies(library, places, by, twice):
    mine = places.copy()
    assert library(signature(sample.move), places, by, twice) == sample.move.function(
        mine, by, twice
    )
    np.testing.assert_allclose(places, mine, rtol=1e-12)


@settings(deadline=None)
@given(st.integers(-100, 100), st.integers(-9, 9))
def test_whole_numbers_divide_as_in_python_and_errors_are_told(library, a, b):
    for function, numbers in ((sample.quotient, (a, b)), (sample.step_of, (a, b))):
        fault = None
        try:
            wanted = function(*numbers)
        except Exception as error:
            fault = error
        if fault is None:
            assert library(signature(function), *numbers) == wanted
            continue
        with pytest.raises(ExportError) as caught:
            library(signature(function), *numbers)
        code, text = caught.value.args
        assert (code, text.partition(":")[0]) == (-7, type(fault).__name__)
        if "seven" in str(fault):
            assert re.fullmatch(r"ValueError: seven .*\(native_sample.py:\d+\)", text)


@settings(deadline=None)
@given(arrays(np.uint8, st.tuples(st.integers(0, 6), st.integers(0, 6))))
def test_an_array_comes_back_with_its_sizes(library, picture):
    np.testing.assert_array_equal(
        library(signature(sample.corner), picture), sample.corner(picture)
    )


def test_an_array_is_read_in_another_shape(library):
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(library(signature(sample.turned), x), sample.turned(x))


def test_nothing_comes_back_from_nothing(library):
    assert library(signature(sample.nothing)) is None


def test_what_is_wrong_is_a_code_with_a_line_and_leaves_the_result(library):
    x, picture = np.zeros(3, np.float32), np.zeros((2, 2), np.uint8)
    wrong = np.zeros(4, np.float32)
    cases = [
        (lambda: library(signature(sample.layer), wrong, 1.0), -5, "x: expected size 3 in dim"),
        (lambda: library(signature(sample.corner), picture, capacity=5), -9, "does not fit"),
        (lambda: library(signature(sample.corner), picture, capacity=-1), -9, "0 or more"),
        (lambda: library(signature(sample.step_of), 0, 3), -7, "IndexError: "),
    ]
    for call, code, text in cases:
        with pytest.raises((ExportError, ValueError)) as caught:
            call()
        if isinstance(caught.value, ExportError):
            assert caught.value.args[0] == code
            assert text in caught.value.args[1]
    layer = library.library.native_sample_layer
    place, size = (ctypes.c_float * 4)(7, 7, 7, 7), ctypes.c_int64(7)
    one = ctypes.c_double(1.0)
    assert layer(None, ctypes.c_int64(3), one, place, ctypes.c_int64(4), None) == -4
    given = x.ctypes.data_as(ctypes.c_void_p)
    assert layer(given, ctypes.c_int64(3), one, None, ctypes.c_int64(4), None) == -4
    small = ctypes.c_int64(3)
    assert layer(given, ctypes.c_int64(3), one, place, small, ctypes.byref(size)) == -9
    assert (list(place), size.value) == ([7.0] * 4, 4)


def test_the_folder_holds_a_library_without_python_and_its_header(folder):
    assert sorted(path.name for path in folder.iterdir()) == [
        "export.json", "libnative_sample.so", "native_sample.h",
    ]  # fmt: skip
    code = (folder / "libnative_sample.so").read_bytes()
    assert len(code) < 300_000
    assert b"NRT_" not in code
    assert b"Py_" not in code
    assert b"/tmp/" not in code


@pytest.mark.nightly
def test_the_same_script_gives_the_same_bytes(folder, tmp_path):
    export_native(
        ExportRequest(SAMPLE, tmp_path / "b", "native_sample", compiler=COMPILER), ["here"]
    )
    for path in folder.iterdir():
        assert (tmp_path / "b" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.skipif(shutil.which("objdump") is None, reason="needs objdump: install binutils")
def test_the_code_runs_on_the_oldest_processor_of_its_kind(folder):
    words = ["objdump", "-d", str(folder / "libnative_sample.so")]
    code = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "xmm" in code
    assert not re.search(r"%[yz]mm|\tv[a-z]+[sp][sd]\b", code), "AVX"


def test_the_header_says_what_is_read_and_what_is_written(folder):
    text = (folder / "native_sample.h").read_text(encoding="utf-8")
    assert "int32_t native_sample_layer(const float *x, int64_t x_size0, double scale," in text
    assert "int32_t native_sample_move(double *places, int64_t places_size0," in text
    assert " * @param places  items, read and written, any x 3 float64, row by row" in text
    assert " * @param x  numbers. (items, 3 float32)" in text
    assert "_init" not in text
    assert "GOISHI_NO_PYTHON" not in text


@needs_compiler
@pytest.mark.parametrize("standard", ["c99", "c17", "c++11"])
def test_compilers_take_the_header_and_the_source(standard, tmp_path):
    functions = tuple(signature(one) for one in (sample.layer, sample.corner, sample.nothing))
    contents = Contents("art", "scripts.art", functions)
    (tmp_path / "art.h").write_text(header_text(contents), encoding="utf-8")
    text = '#include "art.h"\n#include "art.h"\nint code = GOISHI_OK;\n'
    if standard == "c17":
        text = c_text(contents)
    tool, language = ("g++", "c++") if "++" in standard else (str(COMPILER), "c")
    if shutil.which(tool) is None:
        pytest.skip(f"needs {tool}")
    done = subprocess.run(
        [tool, "-x", language, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
         f"-I{tmp_path}", "-fsyntax-only", "-"],
        input=text, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_what_needs_python_is_one_line_that_says_why(tmp_path):
    program = HERE / "native_refused.py"
    done = subprocess.run(
        [sys.executable, "-B", "-m", "tests.sim.export.native_refused", str(tmp_path)],
        capture_output=True, text=True, cwd=ROOT, timeout=120,
    )  # fmt: skip
    rows = [line.split("|", 2) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    names = re.findall(r"^@exported\ndef (\w+)", program.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, _, _ in rows] == names
    from tests.sim.export.native_refused import SAID

    for (name, line, said), (function, expected) in zip(rows, SAID.items(), strict=True):
        assert name == function.__name__
        assert said.startswith(f"{name}: "), said
        assert expected in said
        assert 0 <= int(line) <= 2


def test_a_refused_function_is_one_line_with_its_place_and_leaves_nothing(tmp_path, capsys):
    script = tmp_path / "bad.py"
    script.write_text("from sim import exported\n@exported\ndef f(a: str) -> int: return 1\n")
    out = tmp_path / "out"
    words = ["export", str(script), "--out", str(out), "--native", "--trust"]
    if COMPILER is None and not linking.has_zig():
        pytest.skip("needs a C compiler: install gcc")
    assert application.run_application(words) == 1
    error = capsys.readouterr().err
    assert "bad.py:2: f: a: expected numbers and arrays of numbers, found str" in error
    assert error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["bad.py"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["--native", "--target", "amiga"],
            "--target: expected one of linux, windows, macos, wasm",
        ),
        (["--native", "--name", "7up"], "--name: expected a C name such as player, found '7up'"),
        (["--target", "linux"], "--target: expected --native beside it, found none"),
        (["--native", "--packages", "numpy"], "--native: expected no --packages and no --data"),
    ],
)
def test_a_wrong_request_is_one_line(words, expected, tmp_path, capsys):
    command = ["export", str(SAMPLE), "--out", str(tmp_path / "x"), "--trust", *words]
    assert application.run_application(command) == 2
    error = capsys.readouterr().err
    assert expected in " ".join(error.split())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["cart_pole.npz"],
            "expected a Python file, found cart_pole.npz: a policy file (.npz) needs",
        ),
        (["other.npz", "--native"], "other.npz: expected "),
    ],
)
def test_a_policy_file_is_one_and_goes_with_native(words, expected, tmp_path, capsys):
    if COMPILER is None and not linking.has_zig():
        pytest.skip("needs a C compiler: install gcc")
    (tmp_path / "other.npz").write_bytes(b"nothing")
    shutil.copy2(ROOT / "assets" / "policies" / "cart_pole.npz", tmp_path)
    script = str(tmp_path / words[0])
    command = ["export", script, "--out", str(tmp_path / "x"), "--trust", *words[1:]]
    assert application.run_application(command) in (1, 2)
    error = " ".join(capsys.readouterr().err.split())
    assert expected in error
    assert len(list(tmp_path.iterdir())) == 2


def test_without_ziglang_other_systems_are_refused_in_one_line(monkeypatch):
    monkeypatch.setattr(linking, "has_zig", lambda: False)
    for target in TARGETS.values():
        if target is not here():
            with pytest.raises(
                CompilerError, match=f"--target {target.name}: expected the package"
            ):
                Linker(target, "a", None)
    monkeypatch.setattr(linking, "find_compiler", lambda wanted: _none(wanted))
    if here() is LINUX:
        with pytest.raises(CompilerError, match=r"expected the package ziglang .* found neither"):
            Linker(LINUX, "a", None)


def _none(wanted: str | None) -> str:
    raise CompilerError(f"none of {wanted}")


def test_a_target_is_a_name():
    assert target_of("linux") is LINUX
    with pytest.raises(
        UsageError, match="expected one of linux, windows, macos, wasm, here, found"
    ):
        target_of("dos")
    assert target_of(HERE_NAME) is here()


def test_a_universal_file_holds_its_parts():
    head = (0xFEEDFACF).to_bytes(4, "little")
    parts = [head + bytes([kind, 0, 0, 1, 3, 0, 0, 0]) + b"x" * 20_000 for kind in (7, 12)]
    found = universal(parts)
    assert found[:8] == bytes.fromhex("cafebabe00000002")
    for number, part in enumerate(parts):
        words = [int.from_bytes(found[8 + 20 * number + 4 * i :][:4], "big") for i in range(5)]
        assert words[0] == 0x01000007 + 5 * number
        assert found[words[2] : words[2] + words[3]] == part
        assert words[2] % (1 << words[4]) == 0
    with pytest.raises(GoishiError, match="expected a library of macOS"):
        universal([b"\0" * 100])

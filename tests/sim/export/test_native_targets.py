"""Exported libraries of four systems, called by programs that are not ours: the figures agree.

All but the first tests need the package `ziglang`, which takes minutes where it has never linked for
a system; those of the `.dll` need Wine, those of the `.wasm` the package `wasmtime`, those of C# Mono.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from ai.evaluators.pattern import PatternEvaluator
from ai.game import Board, Rules
from base.policies.policy import load_policy
from scripts.export import pattern_player
from sim.commands.cli import application
from sim.export.native.linking import has_zig
from sim.export.native.targets import LINUX, here
from tests.sim.export import native_sample as sample
from tests.sim.export import sample_caller
from tests.sim.export.hosts import COMPILER, HERE, ROOT
from tests.windows import setting_up

PLAYER = ROOT / "scripts" / "export" / "pattern_player.py"
SAMPLE_CALLER = HERE / "sample_caller.py"
UNITY = ROOT / "docs" / "plugins" / "unity"
POLICIES = {name: ROOT / "assets" / "policies" / f"{name}.npz" for name in ("cart_pole", "reacher")}
MINGW = shutil.which("x86_64-w64-mingw32-gcc")
WINDOWS = setting_up.folder()
"""Folder with a Python for Windows and a Wine prefix, where they have been set up."""
WINDOWS_PYTHON = WINDOWS / "python" / "python.exe"
needs_zig = pytest.mark.skipif(not has_zig(), reason="needs the package ziglang")
needs_wine = pytest.mark.skipif(shutil.which("wine") is None, reason="needs wine")
needs_wasmtime = pytest.mark.skipif(
    importlib.util.find_spec("wasmtime") is None, reason="needs the package wasmtime"
)
needs_mono = pytest.mark.skipif(
    shutil.which("mcs") is None or shutil.which("mono") is None,
    reason="needs Mono: install mono-mcs and mono-runtime",
)
linux_only = pytest.mark.skipif(here() is not LINUX, reason="needs x86-64 Linux")
pytestmark = [pytest.mark.timeout(1800), pytest.mark.slow]
Answer = Callable[[Sequence[str]], list[str]]


@st.composite
def positions(draw: Any) -> str:
    """A line for a position: size, side to move, seed, points; some have long rows."""
    size = draw(st.sampled_from([5, 6, 7, 9, 15, 19]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    stones = rng.choice([0, 0, 0, 1, -1], (size, size))
    for _ in range(draw(st.integers(0, 3))):
        row, column, side = rng.integers(size), rng.integers(size), rng.choice([1, -1])
        stones[row, column : column + 5] = side * (rng.random(min(5, size - column)) < 0.8)
    side, number = draw(st.sampled_from([1, -1])), draw(st.integers(-5, 10**9))
    if draw(st.integers(0, 9)) == 0:
        stones[:] = 0
    return f"p {size} {side} {number} {' '.join(map(str, stones.ravel()))}"


def seen(count: int, kind: str):
    numbers = st.lists(st.floats(-20, 20, width=32), min_size=count, max_size=count)
    return numbers.map(lambda values: f"{kind} {' '.join(f'{value:.9g}' for value in values)}")


def count_of(name: str) -> int:
    return int(np.size(load_policy(POLICIES[name]).observation_space[1]))


def wanted(line: str) -> list[float]:
    """Return what the Python functions answer to a line."""
    kind, *words = line.split()
    if kind != "p":
        name = "cart_pole" if kind == "c" else "reacher"
        policy = load_policy(POLICIES[name])
        given_numbers = np.array(words, np.float32)
        action = policy.act(given_numbers)
        if kind == "c":
            return [action, *policy.scores(given_numbers[None])[0]]
        return [action.size, *action]
    size, side, number, *points = map(int, words)
    board = np.array(points, np.int8).reshape(size, size)
    scores = [
        pattern_player.point_score(board, *divmod(point, size), side) for point in range(size**2)
    ]
    total = sum((point + 1) * score for point, score in enumerate(scores))
    return [pattern_player.choose(board, side, number), total]


LINES = st.lists(
    st.one_of(positions(), seen(count_of("cart_pole"), "c"), seen(count_of("reacher"), "r")),
    min_size=20, max_size=30,
)  # fmt: skip
few = settings(
    deadline=None, max_examples=4, derandomize=True, suppress_health_check=list(HealthCheck)
)


def agree(lines: Sequence[str], answers: Sequence[str]) -> None:
    """Check that answers are those of the Python functions."""
    assert len(answers) == len(lines), answers
    for line, answer in zip(lines, answers, strict=True):
        found = [float(word) for word in answer.split()]
        expected = wanted(line)
        assert found[0] == expected[0], (line, answer, expected)
        if line[0] == "p":
            assert found == expected, line
        np.testing.assert_allclose(found[1:], expected[1:], rtol=1e-5, atol=1e-5, err_msg=line)


def export_all(folder: Path, *words: str) -> dict[str, Path]:
    """Export the player and the policies; return the folder of each."""
    made = {}
    for name, source in {"pattern_player": PLAYER, **POLICIES}.items():
        made[name] = folder / name
        line = ["export", str(source), "--native", "--out", str(made[name]), *words]
        assert application.run_application(line) == 0
    return made


def asked(command: Sequence[str], lines: Sequence[str], **more: Any) -> list[str]:
    """Give lines to a program, and return the lines that it writes."""
    done = subprocess.run(
        list(command), input="".join(f"{line}\n" for line in lines), capture_output=True,
        text=True, timeout=600, **more,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if line.strip()]


def host_of(compiler: str, made: dict[str, Path], target: Path, libraries: Sequence[str]) -> Path:
    """Compile the host with the headers; every warning is an error."""
    flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"]
    words = [compiler, *flags, str(HERE / "native_host.c"), "-o", str(target)]
    words += [f"-I{folder}" for folder in made.values()] + list(libraries)
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return target


def gathered(made: dict[str, Path], suffix: str, target: Path) -> Path:
    """Copy the libraries into one folder."""
    target.mkdir(exist_ok=True)
    for folder in made.values():
        for path in folder.glob(f"*{suffix}"):
            assert path.stat().st_size <= 300_000
            shutil.copy2(path, target)
    return target


def export_sample(folder: Path, *words: str) -> Path:
    """Export the functions that have every kind of value; return the folder."""
    line = ["export", str(HERE / "native_sample.py"), "--native", "--trust", "--out", str(folder)]
    assert application.run_application([*line, *words]) == 0
    return folder


def outcome(function: Callable[..., Any], *numbers: int) -> tuple[int, list[Any] | None, str]:
    """Return code, result and kind of error that a library has where Python has these."""
    try:
        return 0, [function(*numbers)], ""
    except (IndexError, ValueError, ZeroDivisionError) as error:
        return -7, None, type(error).__name__


def agree_on_the_sample(found: Sequence[Any]) -> None:
    """Check what `sample_caller.answers` wrote against the Python functions."""
    said = {what: (code, numbers, error) for what, code, numbers, error in found}
    moved = np.array(sample_caller.PLACES).reshape(2, 3)
    picture = np.array(sample_caller.PICTURE, np.uint8).reshape(3, 4)
    layer = sample.layer(np.array(sample_caller.X, np.float32), sample_caller.SCALE)
    expected: dict[str, list[Any]] = {
        "layer 3 4": [layer, [4]],
        "corner": [sample.corner(picture).ravel(), [3], [2]],
        "turned": [sample.turned(np.array(sample_caller.TABLE).reshape(2, 3)).ravel(), [3], [2]],
        "nothing": [],
    }
    for twice in (0, 1):
        places = moved.copy()
        beyond = sample.move.function(places, sample_caller.BY, bool(twice))
        expected[f"move {twice}"] = [places.ravel(), [int(beyond)]]
    for what, numbers in expected.items():
        code, answered, error = said.pop(what)
        assert (code, error, len(answered)) == (0, "", len(numbers)), what
        for one, other in zip(answered, numbers, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5, err_msg=what)
    assert said.pop("layer 2 4")[0] == -5
    assert said.pop("layer 3 2")[0] == -9
    for function, pairs in (
        (sample.step_of, sample_caller.STEPS), (sample.quotient, sample_caller.QUOTIENTS),
    ):  # fmt: skip
        for pair in pairs:
            code, numbers, text = said.pop(f"{function.__name__} {pair}")
            assert (code, numbers, text.partition(":")[0]) == outcome(function, *pair), pair
    assert said == {}


# -- Linux -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def linux(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    words = ("--target", "linux") if has_zig() else ("--compiler", str(COMPILER))
    return export_all(tmp_path_factory.mktemp("linux"), *words)


@pytest.mark.nightly  # exports three libraries
@linux_only
def test_a_program_in_c_gets_the_figures_of_python(linux, tmp_path):
    if COMPILER is None:
        pytest.skip("needs a C compiler: install gcc")
    folder = gathered(linux, ".so", tmp_path / "libraries")
    names = [f"-l{name}" for name in linux]
    host = host_of(COMPILER, linux, tmp_path / "host", [f"-L{folder}", *names])
    command = [str(host), str(count_of("reacher"))]

    @few
    @given(LINES)
    def same(lines: list[str]) -> None:
        agree(lines, asked(command, lines, env={"LD_LIBRARY_PATH": str(folder)}, cwd="/"))

    same()


@pytest.mark.nightly
@linux_only
def test_ctypes_gets_the_figures_of_python(linux, tmp_path):
    folder = gathered(linux, ".so", tmp_path / "libraries")
    command = [sys.executable, str(HERE / "native_caller.py"), str(folder), "lib{}.so"]

    @few
    @given(LINES)
    def same(lines: list[str]) -> None:
        agree(lines, asked(command, lines))

    same()


@linux_only
def test_every_kind_of_value_agrees_in_a_python_without_packages(tmp_path):
    if COMPILER is None:
        pytest.skip("needs a C compiler: install gcc")
    folder = export_sample(tmp_path / "sample", "--compiler", str(COMPILER))
    words = [sys.executable, "-I", "-S", str(SAMPLE_CALLER), str(folder / "libnative_sample.so")]
    agree_on_the_sample(json.loads(asked(words, [])[0]))


@pytest.mark.nightly
@linux_only
def test_a_policy_that_sees_pictures_agrees(tmp_path):
    source = ROOT / "assets" / "policies" / "ball_tracker.npz"
    out = tmp_path / "out"
    words = ["export", str(source), "--native", "--out", str(out)]
    words += ["--target", "linux"] if has_zig() else ["--compiler", str(COMPILER)]
    assert application.run_application(words) == 0
    assert (out / "libball_tracker.so").stat().st_size <= 300_000
    policy = load_policy(source)
    shape = np.shape(policy.observation_space[1])
    library = ctypes.CDLL(str(out / "libball_tracker.so"))
    sizes = list(map(ctypes.c_int64, shape))
    rng = np.random.default_rng(1)
    for _ in range(20):
        picture = rng.integers(0, 256, shape, np.uint8)
        scores = policy.scores(picture[None])[0]
        found, place = np.zeros_like(scores), ctypes.c_int64(len(scores))
        at = picture.ctypes.data_as(ctypes.c_void_p), *sizes
        to = found.ctypes.data_as(ctypes.c_void_p), place, None
        assert library.ball_tracker_scores(*at, *to) == 0
        np.testing.assert_allclose(found, scores, rtol=1e-5, atol=1e-5)


@pytest.mark.nightly
@linux_only
@needs_mono
def test_the_unity_package_compiles_and_its_half_without_unity_plays(linux, tmp_path):
    folder = gathered(linux, ".so", tmp_path / "libraries")
    sources = [*(HERE / "unity").glob("*.cs"), *UNITY.rglob("*.cs")]
    assert len(sources) == 4
    program = folder / "program.exe"
    words = ["mcs", "-warnaserror", f"-out:{program}", *map(str, sources)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    rng = np.random.default_rng(2)
    lines = []
    for size in (5, 9, 15):
        points = " ".join(map(str, rng.choice([0, 0, 1, -1], size * size)))
        lines.append(f"{size} {rng.choice([1, -1])} {rng.integers(9)} {points}")
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder)}
    said = asked(["mono", str(program)], [*lines, ""], env=environment)
    for line, answer in zip(lines, said, strict=False):
        size, side, number, *points = map(int, line.split())
        board = np.array(points, np.int8).reshape(size, size)
        scores = [
            pattern_player.point_score(board, *divmod(point, size), side)
            for point in range(size * size)
        ]
        expected = [pattern_player.choose(board, side, number), *scores]
        assert list(map(int, answer.split())) == expected
    assert said[3:6] == [
        "ArgumentException: expected 2 x 2 points, found 3",
        "InvalidOperationException: IndexError: index is out of bounds",
        "True False False",
    ]
    board = np.zeros((7, 7), np.int8)
    board[3, 3] = 1
    assert said[6] == f"answered {pattern_player.choose(board, -1, 1)}"


# -- Windows ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def windows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    if not has_zig():
        pytest.skip("needs the package ziglang")
    return export_all(tmp_path_factory.mktemp("windows"), "--target", "windows")


@pytest.fixture(scope="module")
def wine(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of programs for Windows."""
    if shutil.which("wine") is None:
        pytest.skip("needs wine")
    is_set_up = WINDOWS_PYTHON.is_file()
    prefix = WINDOWS / "prefix" if is_set_up else tmp_path_factory.mktemp("wine")
    quiet = {"WINEDEBUG": "-all", "WINEDLLOVERRIDES": "winedbg.exe=;mscoree=;mshtml="}
    return {**os.environ, **quiet, "WINEPREFIX": str(prefix)}


@pytest.mark.nightly
@needs_wine
def test_a_program_in_c_for_windows_gets_the_figures_of_python(windows, wine, tmp_path):
    if MINGW is None:
        pytest.skip("needs x86_64-w64-mingw32-gcc: install gcc-mingw-w64-x86-64")
    folder = gathered(windows, ".dll", tmp_path / "libraries")
    names = [str(folder / f"{name}.dll") for name in windows]
    host = host_of(MINGW, windows, folder / "host.exe", names)

    @few
    @given(LINES)
    def same(lines: list[str]) -> None:
        agree(lines, asked(["wine", str(host), str(count_of("reacher"))], lines, env=wine))

    same()


@pytest.mark.nightly
@needs_wine
@pytest.mark.skipif(
    not WINDOWS_PYTHON.is_file(),
    reason="needs a Python for Windows: `python -m tests.check --nightly windows` sets it up",
)
def test_a_python_for_windows_gets_the_figures_of_python(windows, wine, tmp_path):
    folder = gathered(windows, ".dll", tmp_path / "libraries")
    command = ["wine", str(WINDOWS_PYTHON), str(HERE / "native_caller.py"), f"Z:{folder}", "{}.dll"]

    @few
    @given(LINES)
    def same(lines: list[str]) -> None:
        agree(lines, asked(command, lines, env=wine))

    same()


@pytest.mark.nightly
@needs_zig
@needs_wine
@pytest.mark.skipif(
    not WINDOWS_PYTHON.is_file(),
    reason="needs a Python for Windows: `python -m tests.check --nightly windows` sets it up",
)
def test_every_kind_of_value_agrees_in_a_python_for_windows(wine, tmp_path):
    folder = export_sample(tmp_path / "sample", "--target", "windows")
    library = folder / "native_sample.dll"
    assert library.stat().st_size <= 300_000
    words = ["wine", str(WINDOWS_PYTHON), "-I", "-S", f"Z:{SAMPLE_CALLER}", f"Z:{library}"]
    agree_on_the_sample(json.loads(asked(words, [], env=wine)[0]))


# -- WebAssembly and macOS -------------------------------------------------------------------------


class Wasm:
    """A module of WebAssembly, called with numbers and arrays.

    Args:
        path: the module.
    """

    def __init__(self, path: Path) -> None:
        import wasmtime

        self.store = wasmtime.Store()
        module = wasmtime.Module(self.store.engine, path.read_bytes())
        assert list(module.imports) == [], "it asks its host for nothing"
        exports = wasmtime.Instance(self.store, module, []).exports(self.store)
        self.exports = exports
        self.memory = exports["memory"]
        if "_initialize" in exports:
            exports["_initialize"](self.store)

    def __call__(self, name: str, *values: Any) -> int:
        return int(self.exports[name](self.store, *values))

    def put(self, data: bytes) -> int:
        place = int(self.exports["malloc"](self.store, max(len(data), 1)))
        self.memory.write(self.store, data, place)
        return place

    def take(self, place: int, size: int) -> bytes:
        return bytes(self.memory.read(self.store, place, place + size))


class WasmCaller:
    """Answers lines by modules of WebAssembly."""

    def __init__(self, made: dict[str, Path]) -> None:
        self.modules = {name: Wasm(folder / f"{name}.wasm") for name, folder in made.items()}

    def answer(self, line: str) -> str:
        kind, *words = line.split()
        if kind == "p":
            return self.play(list(map(int, words)))
        name = "cart_pole" if kind == "c" else "reacher"
        wasm = self.modules[name]
        place = wasm.put(np.array(words, np.float32).tobytes())
        to, size = wasm.put(bytes(400)), wasm.put(bytes(8))
        if kind == "c":
            assert wasm("cart_pole_act", place, len(words), size) == 0
            assert wasm("cart_pole_scores", place, len(words), to, 100, 0) == 0
            count, first = 2, struct.unpack("<q", wasm.take(size, 8))[0]
        else:
            assert wasm("reacher_act", place, len(words), to, 100, size) == 0
            count = first = struct.unpack("<q", wasm.take(size, 8))[0]
        numbers = np.frombuffer(wasm.take(to, 4 * count), np.float32)
        return " ".join(map(str, [first, *map(float, numbers)]))

    def play(self, numbers: list[int]) -> str:
        size, side, number, *points = numbers
        wasm = self.modules["pattern_player"]
        place, to = wasm.put(np.array(points, np.int8).tobytes()), wasm.put(bytes(8))
        found: list[int] = []
        assert wasm("pattern_player_choose", place, size, size, side, number, to) == 0
        found += struct.unpack("<q", wasm.take(to, 8))
        for row in range(size):
            for column in range(size):
                given_numbers = (place, size, size, row, column, side, to)
                assert wasm("pattern_player_score", *given_numbers) == 0
                found += struct.unpack("<q", wasm.take(to, 8))
        total = sum((point + 1) * score for point, score in enumerate(found[1:]))
        return f"{found[0]} {total}"


@pytest.mark.nightly
@needs_zig
@needs_wasmtime
def test_wasmtime_gets_the_figures_of_python(tmp_path):
    made = export_all(tmp_path, "--target", "wasm")
    gathered(made, ".wasm", tmp_path / "libraries")
    caller = WasmCaller(made)

    @few
    @given(LINES)
    def same(lines: list[str]) -> None:
        agree(lines, [caller.answer(line) for line in lines])

    same()


class WasmSample(Wasm):
    """The sample's functions, as `sample_caller.answers` calls them."""

    def __call__(self, name: str, *values: Any) -> Any:
        words = [self.put(value) if isinstance(value, bytes) else value for value in values]
        code = super().__call__(f"native_sample_{name}", *words)
        pairs = zip(words, values, strict=True)
        return code, [self.take(at, len(was)) for at, was in pairs if isinstance(was, bytes)]

    def error(self) -> str:
        at = super().__call__("native_sample_last_error")
        return self.take(at, 200).partition(b"\0")[0].decode()


@pytest.mark.nightly
@needs_zig
@needs_wasmtime
def test_every_kind_of_value_agrees_in_wasmtime(tmp_path):
    folder = export_sample(tmp_path / "sample", "--target", "wasm")
    agree_on_the_sample(list(sample_caller.answers(WasmSample(folder / "native_sample.wasm"))))


@pytest.mark.nightly
@needs_zig
def test_a_library_for_macos_is_made(tmp_path):
    """It is looked at alone: nothing here can run it."""
    made = export_all(tmp_path, "--target", "macos")
    for name, folder in made.items():
        data = (folder / f"lib{name}.dylib").read_bytes()
        assert data[:8] == bytes.fromhex("cafebabe00000002")
        assert len(data) <= 300_000
        assert data.count(f"_{name}_last_error".encode()) >= 2


@pytest.mark.nightly
@needs_zig
@pytest.mark.parametrize("target", ["linux", "windows", "wasm", "macos"])
def test_a_library_has_the_same_bytes_twice(target, tmp_path):
    found = []
    for number in range(2):
        out = tmp_path / str(number)
        words = ["export", str(PLAYER), "--native", "--target", target, "--out", str(out)]
        assert application.run_application(words) == 0
        found.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert found[0] == found[1]


# -- the player ------------------------------------------------------------------------------------


@seed(45)
@settings(deadline=None, max_examples=25)
@given(st.sampled_from([5, 7, 9]), st.integers(0, 40), st.integers(0, 2**32), st.integers(0, 99))
def test_the_player_is_goishis_pattern_player(size, stones, number, draw):
    rules = Rules(size=size, win_length=5)
    board = Board(rules)
    rng = np.random.default_rng(number)
    for _ in range(stones):
        if board.outcome() is not None:
            return
        board.push(int(rng.choice(list(board.legal_moves))))
    if board.outcome() is not None:
        return
    side = 1 if board.ply % 2 == 0 else -1
    points = np.zeros((size, size), np.int8)
    for ply, move in enumerate(board.moves):
        points.flat[move] = 1 if ply % 2 == 0 else -1
    scores = PatternEvaluator(rules).point_scores(board)
    mine = [
        pattern_player.point_score(points, *divmod(point, size), side) for point in range(size**2)
    ]
    assert mine == scores.tolist()
    chosen = pattern_player.choose(points, side, draw)
    if board.stone_count:
        assert scores[chosen] == scores.max()
    else:
        assert chosen == size // 2 * size + size // 2

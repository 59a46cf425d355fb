"""Exported libraries as C programs meet them: right and wrong calls, threads, other machines."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from ai import FrozenPlayer
from sim.commands.cli import application
from sim.export import exporter
from sim.export.build import build_shim
from sim.export.exporter import ExportRequest, export
from sim.export.stubs import SHIM
from tests.sim.export.hosts import (
    HERE,
    ROOT,
    build_host,
    copy_by_links,
    link_words,
    needs_compiler,
    run_host,
)

pytestmark = pytest.mark.skipif(
    not exporter.is_writable_here(), reason="libraries are written without a compiler on Linux x86"
)
PLAYER = ROOT / "scripts" / "export" / "gomoku_player.py"


def answers(text: str) -> dict[str, tuple[int, str, str]]:
    """Return by name: code, message, and what was printed after it."""
    found: dict[str, tuple[int, str, str]] = {}
    for line in text.splitlines():
        if line.startswith("="):
            name = list(found)[-1]
            found[name] = (*found[name][:2], line[1:])
        elif "|" in line:
            name, code, message = line.split("|", 2)
            found[name] = (int(code), message, "")
    return found


# -- calls ---------------------------------------------------------------------------------------


@needs_compiler
def test_every_call_answers_with_a_code_and_a_text(sample: Path, sample_host: Path) -> None:
    done = run_host(str(sample_host), SAMPLE_LIBRARY=str(sample / "libsample_script.so"))
    assert (done.returncode, done.stderr) == (0, "")
    found = answers(done.stdout)
    assert found["before init"] == (
        -1, "divide: expected sample_script_init() to be called first", "77",
    )  # fmt: skip
    assert found["shutdown before init"][0] == 0
    assert found["missing home"][:2] == (
        -2, "init: expected Python's folder (the argument of init), found no folder /no/such/folder",
    )  # fmt: skip
    assert found["empty home"][0] == -2
    assert re.search(r"expected lib/libpython3\.\d+\.so\S* in Python's fo", found["empty home"][1])
    well = ("init", "init again", "twice", "no rows", "sizes not wanted", "silent", "count",
            "clean", "of this thread", "shutdown", "third init", "fourth init", "count anew")  # fmt: skip
    assert [name for name in well if found[name][:2] != (0, "")] == []
    check_scalars(found)
    check_texts(found)
    check_arrays(found)
    assert "naps=together" in done.stdout
    assert found["inside"] == (0, "", "-10")
    assert found["count"][2] == "2"
    assert found["after shutdown"][0] == -1
    assert found["count anew"][2] == "1", "the script is opened anew after a shutdown"
    assert found["shutdown under way"] == (0, "", "-1"), "later calls are refused, none crashes"


def check_scalars(found: dict[str, tuple[int, str, str]]) -> None:
    expected = (
        -1, 0.5, True, "four", 1.5, 2.5, 7, -(2**63), 9, 3.5, 4.5, 5.5, 6.5, 7.5, 2**63 - 1, 8.5,
        -9.5, "eighteen", False, 20,
    )  # fmt: skip
    assert found["mixed"] == (0, "", repr(expected))
    assert found["divide"] == (0, "", "3.5")
    code, message, kept = found["by zero"]
    assert (code, kept) == (-7, "3.5"), "the caller's number stays as it was"
    assert message.startswith("divide: ZeroDivisionError: division by zero~  sample_script.py:")
    assert message.endswith("in divide")
    assert found["null number"][:2] == (-4, "divide: result: expected a pointer, found NULL")
    assert (found["even"][2], found["odd"][2]) == ("1", "0")
    wrong = "misbehave: expected the result a whole number"
    assert found["text"][:2] == (-8, f"{wrong}, found 'four'")
    assert found["huge"][:2] == (-8, f"{wrong} of 64 bits, found {2**70}")
    assert found["none"][:2] == (-8, f"{wrong}, found None")
    assert found["float"][:2] == (-8, f"{wrong}, found 4.0")
    assert found["exit"][0] == found["interrupt"][0] == found["unheard"][0] == -7
    assert found["exit"][1].startswith("misbehave: SystemExit: 3~")
    assert found["long"][1].rstrip("ä") == "misbehave: ValueError: "
    assert 4000 < len(found["long"][1].encode()) < 4096
    assert found["unheard"] == (-7, found["unheard"][1], "77")


def check_texts(found: dict[str, tuple[int, str, str]]) -> None:
    length = len("Grüß dich, Zoë".encode())
    assert found["greet"] == (0, "", f"Grüß dich, Zoë {length}")
    small = f"greet: result_capacity: expected {length + 1} or more, found 4"
    assert found["small text"] == (-9, small, f"before {length}")
    assert found["null text"][:2] == (-4, "greet: name: expected a pointer, found NULL")
    assert found["not utf-8"][0] == -6
    assert "can't decode byte 0xff" in found["not utf-8"][1]


def check_arrays(found: dict[str, tuple[int, str, str]]) -> None:
    assert found["twice"] == (0, "", "2 12 6 2 3"), "the caller's array stays as it was"
    assert found["no rows"] == (0, "", "0 3")
    expected = "twice: vectors: expected size 3 in dimension 1, found 2"
    assert found["wrong shape"][:2] == (-5, expected)
    assert found["negative"][0] == found["enormous"][0] == -5
    assert found["null array"][:2] == (-4, "twice: vectors: expected a pointer, found NULL")
    assert found["null result"][:2] == (-4, "twice: result: expected a pointer, found NULL")
    small = "twice: result_capacity: expected 6 or more, found 5"
    assert found["small buffer"] == (-9, small, "2 3")
    assert found["capacity"][0] == -9
    assert found["invert"] == (0, "", "1 0 0")
    assert found["total"] == (0, "", "65537")
    expected = "shapeless: expected the result int8[2, 2], found int64[4]"
    assert found["shapeless"][:2] == (-8, expected)


def test_a_process_that_runs_python_is_told(player: Path) -> None:
    library = ctypes.CDLL(str(player / "libgomoku_player.so"))
    library.gomoku_player_last_error.restype = ctypes.c_char_p
    assert library.gomoku_player_init(None) == -11
    text = library.gomoku_player_last_error()
    assert text == b"init: expected a process without Python, found one that runs it"


TWO_LIBRARIES = """
#include <stdio.h>
#include "gomoku_player.h"
#include "sample_script.h"
int main(void) {
    int64_t whole = 0;
    printf("%d ", gomoku_player_init(NULL));
    printf("%d %s\\n", sample_script_init(NULL), sample_script_last_error());
    printf("%d ", sample_script_count(&whole));
    printf("%d ", gomoku_player_shutdown());
    printf("%d %s\\n", sample_script_init(NULL), sample_script_last_error());
    return 0;
}
"""


@needs_compiler
def test_two_exported_scripts_in_one_process_are_told(
    player: Path, sample: Path, tmp_path: Path
) -> None:
    (tmp_path / "two.c").write_text(TWO_LIBRARIES, encoding="utf-8")
    words = (*link_words(player, "gomoku_player"), *link_words(sample, "sample_script"))
    host = build_host(str(tmp_path / "two.c"), tmp_path / "two", *words)
    first, second = run_host(str(host)).stdout.splitlines()
    assert first.startswith("0 -11 init: expected no other exported script in this process, found ")
    assert second.startswith("-1 0 -11 init: expected Python's folder ")


@needs_compiler
def test_two_threads_play_the_frozen_networks_games(player: Path, tmp_path: Path) -> None:
    host = build_host("game_host.c", tmp_path / "game_host")
    done = run_host(str(host), str(player / "libgomoku_player.so"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [expected_game(11), expected_game(22)]


def expected_game(seed: int) -> str:
    """Play the host's game here, without the library."""
    network = FrozenPlayer.load(PLAYER.with_suffix(".npz"))
    stones, state, moves, winner = np.zeros(49, np.int8), seed, [], 0
    while winner == 0 and len(moves) < 49:
        color = -1 if len(moves) % 2 else 1
        move = network.choose(stones, -1) if color == -1 else -1
        while move < 0 or stones[move]:
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            move = (state >> 33) % 49
        stones[move] = color
        moves.append(move)
        winner = color if has_five(stones.reshape(7, 7), move, color) else 0
    assert winner == -1, "the trained network beats random points"
    return f"{seed} 0 {winner} {' '.join(map(str, moves))}"


def has_five(board: np.ndarray, move: int, color: int) -> bool:
    row, column = divmod(move, 7)
    for step in ((0, 1), (1, 0), (1, 1), (1, -1)):
        run = 0
        for distance in range(-4, 5):
            r, c = row + distance * step[0], column + distance * step[1]
            inside = 0 <= r < 7 and 0 <= c < 7
            run = run + 1 if inside and board[r, c] == color else 0
            if run == 5:
                return True
    return False


SHIPPED_HOST = """
#include <stdio.h>
#include "asker.h"
int main(void) {
    char text[256];
    for (int round = 0; round < 2; round++) {
        printf("%d ", asker_init(NULL));
        printf("%d %s|", asker_ask(0.5, text, 256, NULL), text);
        printf("%d\\n", asker_shutdown());
    }
    return 0;
}
"""


@needs_compiler
def test_a_projects_script_takes_shipped_scripts_along(tmp_path: Path) -> None:
    """They import each other as `scripts.…`, which means the project's own in the project's."""
    (tmp_path / "scripts" / "gomoku").mkdir(parents=True)
    script = tmp_path / "scripts" / "asker.py"
    script.write_text(
        "import goishi.scripts.gomoku.choice_words\n"
        "from goishi.scripts.gomoku import choice_words as words\n"
        "from scripts.gomoku.choice_reading import SIDES as mine\n"
        "from sim import exported\n"
        "@exported\n"
        "def ask(share: float) -> str:\n"
        "    assert goishi.scripts.gomoku.choice_words is words\n"
        "    theirs = words.SIDES\n"
        "    return f'{mine} {len(theirs)} {words.joined([str(share), chr(120)])} {words.why.__module__}'\n"
    )
    (tmp_path / "scripts" / "gomoku" / "choice_reading.py").write_text("SIDES = 'my own'\n")
    out = tmp_path / "out"
    words = ["export", str(script), "--out", str(out), "--trust"]
    assert application.run_application(words) == 0
    own = out / "python" / "script"
    assert (own / "goishi" / "scripts" / "gomoku" / "explain" / "choice_reading.py").is_file()
    assert not (own / "goishi" / "scripts" / "gomoku" / "game" / "match.py").exists()
    (tmp_path / "host.c").write_text(SHIPPED_HOST)
    script.unlink()
    host = build_host(str(tmp_path / "host.c"), tmp_path / "host", *link_words(out, "asker"))
    line = "0 0 my own 2 0.5 and x goishi.scripts.gomoku.choice_words|0"
    assert run_host(str(host)).stdout.splitlines() == [line, line]


# -- places --------------------------------------------------------------------------------------


@needs_compiler
def test_pythons_folder_is_found_by_argument_and_by_variable(sample: Path, tmp_path: Path) -> None:
    moved = copy_by_links(sample, tmp_path / "moved")
    (moved / "python").rename(tmp_path / "elsewhere")
    library = {"SAMPLE_LIBRARY": str(moved / "libsample_script.so")}
    host = build_host("faults_host.c", tmp_path / "host", *link_words(moved, "sample_script"))
    lost = answers(run_host(str(host), **library).stdout)["init"]
    assert lost[:2] == (
        -2, f"init: expected Python's folder (beside the library), found no folder {moved}/python",
    )  # fmt: skip
    there = str(tmp_path / "elsewhere")
    found = run_host(str(host), **library, SAMPLE_SCRIPT_HOME=there)
    assert (found.returncode, answers(found.stdout)["divide"][2]) == (0, "3.5")
    found = run_host(str(host), there, **library, SAMPLE_SCRIPT_HOME="/nowhere")
    assert (found.returncode, answers(found.stdout)["divide"][2]) == (0, "3.5")


SYSTEM_FILES = re.compile(
    r"(/usr)?/lib(64|/[\w-]+)?/(ld-linux|lib(c|m|dl|pthread|rt|util|gcc_s|stdc\+\+)\.so)"
    r"|/etc/(ld\.so\.|localtime|passwd|nsswitch\.conf)|/proc/|/sys/|/dev/|/usr/lib/locale/"
)


@needs_compiler
def test_no_file_outside_the_folder_is_opened(player: Path, tmp_path: Path) -> None:
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("needs strace to see which files are opened")
    host = build_host("game_host.c", tmp_path / "game_host")
    trace = tmp_path / "trace"
    done = run_host(
        strace, "-f", "-o", str(trace), "-e", "trace=open,openat",
        str(host), str(player / "libgomoku_player.so"),
        PYTHONHOME="/nowhere", PYTHONPATH="/nowhere", PATH="/nowhere",
    )  # fmt: skip
    if "ptrace" in done.stderr:
        pytest.skip(f"strace may not trace here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    text = trace.read_text(encoding="utf-8", errors="replace")
    opened = re.findall(r'open(?:at)?\(.*?"(.*?)",.*\) = \d+', text)
    inside = [path for path in opened if path.startswith(str(player))]
    assert len(inside) > 100
    others = {path for path in opened if path not in inside and not SYSTEM_FILES.match(path)}
    assert others == set()


@needs_compiler
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change the root folder")
def test_it_runs_where_there_is_nothing_but_the_c_library(player: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    copy_by_links(player, root / "player")
    host = build_host("game_host.c", root / "host")
    listed = subprocess.run(["ldd", str(host)], capture_output=True, text=True).stdout
    core = next((player / "python").rglob("_multiarray_umath*.so"))
    listed += subprocess.run(["ldd", str(core)], capture_output=True, text=True).stdout
    listed += "\n".join(f" {path} " for path in Path("/lib/x86_64-linux-gnu").glob("lib[cmdpru]*.so.*")
                        if re.match(r"lib(c|m|dl|pthread|rt|util)\.so", path.name))  # fmt: skip
    for path in re.findall(r"\s(/(?:usr/)?lib\S*)", listed):
        if SYSTEM_FILES.match(path):
            target = root / path[1:]
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            target.chmod(0o755)
    done = run_host("/usr/sbin/chroot", str(root), "/host", "/player/libgomoku_player.so")
    if "Operation not permitted" in done.stderr:
        pytest.skip("this root may not change the root folder")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [expected_game(11), expected_game(22)]


@needs_compiler
def test_a_folder_that_cannot_be_written_is_enough(player: Path, tmp_path: Path) -> None:
    host = build_host("game_host.c", tmp_path / "game_host")
    before = sorted(path for path in player.rglob("*"))
    assert run_host(str(host), str(player / "libgomoku_player.so")).returncode == 0
    assert sorted(path for path in player.rglob("*")) == before


def test_no_place_of_this_machine_is_in_what_we_write(player: Path) -> None:
    files = [player / "export.json", player / "gomoku_player.h", player / "libgomoku_player.so",
             player / SHIM, *(player / "python" / "script").rglob("*.pyc")]  # fmt: skip
    assert [path for path in files if str(ROOT).encode() in path.read_bytes()] == []
    compiled = next((player / "python" / "lib").rglob("os.*.pyc"))
    assert str(Path(os.__file__).parent).encode() not in compiled.read_bytes()


# -- the other ways ------------------------------------------------------------------------------


@needs_compiler
def test_the_shim_we_ship_behaves_as_one_built_here(
    sample: Path, sample_host: Path, tmp_path: Path
) -> None:
    copy = copy_by_links(sample, tmp_path / "copy")
    (copy / SHIM).unlink()
    build_shim(copy / SHIM)
    host = build_host("faults_host.c", tmp_path / "host", *link_words(copy, "sample_script"))
    shipped = run_host(str(sample_host), SAMPLE_LIBRARY=str(sample / "libsample_script.so"))
    built = run_host(str(host), SAMPLE_LIBRARY=str(copy / "libsample_script.so"))
    assert built.returncode == 0
    assert built.stdout.replace(str(copy), str(sample)) == shipped.stdout


@needs_compiler
def test_a_compiled_library_behaves_as_a_written_one(
    sample: Path, sample_host: Path, tmp_path: Path
) -> None:
    out = tmp_path / "compiled"
    export(ExportRequest(HERE / "sample_script.py", out, "sample_script", compiler="cc"))
    assert sorted(path.name for path in out.iterdir()) == [
        "export.json", "libsample_script.so", "python", "sample_script.h",
    ]  # fmt: skip
    host = build_host("faults_host.c", tmp_path / "host", *link_words(out, "sample_script"))
    written = run_host(str(sample_host), SAMPLE_LIBRARY=str(sample / "libsample_script.so"))
    compiled = run_host(str(host), SAMPLE_LIBRARY=str(out / "libsample_script.so"))
    assert compiled.returncode == 0
    assert compiled.stdout.replace(str(out), str(sample)) == written.stdout


def test_a_compiler_that_is_not_there_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["export", str(PLAYER), "--out", str(tmp_path / "x"), "--compiler", "no-such-cc"]
    assert application.run_application(words) == 1
    assert capsys.readouterr().err == (
        "goishi: expected a C compiler (no-such-cc), found none: install gcc or clang\n"
    )
    assert list(tmp_path.iterdir()) == []


def other_pythons() -> list[str]:
    """Return the other supported Pythons of this machine, those of pyenv included."""
    folders = [*os.get_exec_path(), *map(str, Path.home().glob(".pyenv/versions/*/bin"))]
    found: dict[str, str] = {}
    for name in ("python3.11", "python3.12", "python3.13"):
        for path in filter(None, (shutil.which(name, path=folder) for folder in folders)):
            real = os.path.realpath(path)
            if name != f"python3.{sys.version_info[1]}" and "shims" not in Path(real).parts:
                found.setdefault(name, real)
    return sorted(found.values())


PURE_HOST = """
#include "pure.h"
#include <stdio.h>
int main(void) {
    char text[64];
    int32_t codes[] = {pure_init(NULL), pure_tell(2.5, text, 64, NULL), pure_shutdown(),
                       pure_init(NULL), pure_tell(1.5, text, 64, NULL)};
    for (int i = 0; i < 5; i++) printf("%d ", codes[i]);
    printf("%s %s\\n", text, pure_last_error());
    return 0;
}
"""


OTHERS = other_pythons() or [""]


@needs_compiler
@pytest.mark.parametrize(
    "python",  # by day the newest, which differs most
    [*(pytest.param(path, marks=pytest.mark.nightly) for path in OTHERS[:-1]), OTHERS[-1]],
)
def test_the_same_shim_serves_other_pythons(python: str, tmp_path: Path) -> None:
    if not python:
        pytest.skip("needs another Python from 3.11 to 3.13")
    script = tmp_path / "pure.py"
    script.write_text(
        "import sys, zlib, hashlib\nfrom sim import exported\n@exported\n"
        "def tell(x: float) -> str: return f'{sys.version_info[1]} {x} {zlib.crc32(b\"x\")}'\n"
    )
    program = (
        "import sys\nfrom pathlib import Path\n"
        "from sim.export.exporter import ExportRequest, export\n"
        "export(ExportRequest(Path(sys.argv[1]), Path(sys.argv[2]), 'pure'))\n"
    )
    out = tmp_path / "out"
    done = subprocess.run(
        [python, "-c", program, str(script), str(out)], capture_output=True, text=True, timeout=300,
        cwd=ROOT, env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
    )  # fmt: skip
    if "shared library" in done.stderr:
        pytest.skip(done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, done.stderr
    (tmp_path / "host.c").write_text(PURE_HOST)
    host = build_host(str(tmp_path / "host.c"), tmp_path / "host", *link_words(out, "pure"))
    minor = re.search(r"3\.(\d+)", Path(python).name)
    assert minor is not None
    assert run_host(str(host)).stdout == f"0 0 0 0 0 {minor[1]} 1.5 {zlib.crc32(b'x')} \n"

"""The header: true C and C++, and documented by the docstrings."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest
from numpy.typing import NDArray

from sim import Shape, exported
from sim.core.native.exported import Signature
from sim.export import bridge
from sim.export.build import HERE
from sim.export.library import ERROR_CODES, Library, PythonFiles, declaration, describe, header_text

FILES = PythonFiles("lib/libpython3.11.so.1.0", "lib/python3.11")


@exported
def blend(
    picture: Annotated[NDArray[np.uint8], Shape(None, None, 3)], default: bool, amount: float
) -> NDArray[np.float32]:
    """Blend a picture, and see that */ ends no comment.

    It takes a while.

    Args:
        picture: row by row,
            from the top.
        default: whether to use the usual colours.

    Returns:
        The brightness.
    """
    return picture.mean(axis=2).astype(np.float32).ravel() * amount


@exported
def nothing() -> None: ...


@exported
def say(text: str) -> str:
    return text


SIGNATURES: tuple[Signature, ...] = tuple(f.__dict__["exported"] for f in (blend, nothing, say))


def header() -> str:
    return header_text(Library("art", "scripts.art", SIGNATURES, FILES))


def test_declarations_have_real_types() -> None:
    blend_text, nothing_text, say_text = (
        re.sub(r"\s+", " ", declaration("art", one)) for one in SIGNATURES
    )
    assert blend_text == (
        "int32_t art_blend(const uint8_t *picture, int64_t picture_size0, int64_t picture_size1, "
        "int64_t picture_size2, int32_t default_, double amount, float *result, int64_t "
        "result_capacity, int64_t *result_size0)"
    )
    assert nothing_text == "int32_t art_nothing(void)"
    assert say_text == (
        "int32_t art_say(const char *text, char *result, int64_t result_capacity, "
        "int64_t *result_length)"
    )


def test_docstrings_become_comments() -> None:
    text = header()
    assert (
        "/** Blend a picture, and see that * / ends no comment.\n *\n * It takes a while." in text
    )
    assert " * @param picture  row by row, from the top. (items, any x any x 3 uint8," in text
    assert " * @param default_  whether to use the usual colours. (0: no, else yes)" in text
    assert " * @param amount\n" in text
    assert " * @param[out] result  The brightness. (buffer for the items, any float32)" in text
    assert "/** Call nothing of the script." in text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize(("tool", "standard"), [("gcc", "c99"), ("gcc", "c17"), ("g++", "c++11")])
def test_compilers_take_it(tool: str, standard: str, tmp_path: Path) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"needs {tool}")
    (tmp_path / "art.h").write_text(header())
    language = "c++" if "++" in standard else "c"
    source = '#include "art.h"\n#include "art.h"\nint code = GOISHI_BUSY;\n'
    done = subprocess.run(
        [tool, "-x", language, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
         f"-I{tmp_path}", "-fsyntax-only", "-"],
        input=source, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_header_shim_and_bridge_mean_the_same_codes() -> None:
    text = re.sub(r"\s+", " ", (HERE / "shim.h").read_text(encoding="utf-8"))
    codes = dict(re.findall(r"([A-Z_]+) = (-?\d+)", re.search(r"enum \{(.*?)\}", text)[1]))
    assert {name: int(number) for name, number in codes.items()} == {
        name: number for name, (number, _) in ERROR_CODES.items()
    }
    for name in ("OK", "SCRIPT_FAILED", "WRONG_RESULT"):
        assert getattr(bridge, name) == ERROR_CODES[name][0]


def test_the_description_holds_every_text_once() -> None:
    data = describe(Library("art", "scripts.art", SIGNATURES, FILES))
    assert data.startswith(b"goishi/1")
    assert data.count(b"\0result\0") == data.count(b"\0ART_HOME\0") == 1
    assert b"blend(picture: uint8[*, *, 3], default: bool, amount: float) -> float32[*]\n" in data

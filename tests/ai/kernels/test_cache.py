"""Kernel modules are found by themselves, and each is compiled."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ai.kernels import cache

ROOT = Path(__file__).parents[3]

PLANTED = '''
"""Sums of products: a kernel with float arrays."""

import numpy as np

from ai.kernels.jit import FLOAT, INT, ArrayType, kernel

VECTOR = ArrayType("float32")
MATRIX = ArrayType("float64", 2)


@kernel(VECTOR, VECTOR, returns=FLOAT)
def product(first, second):
    """Return the sum of the products of two vectors' elements."""
    total = first[0] * second[0]
    for index in range(1, len(first)):
        total += first[index] * second[index]
    return total


@kernel(MATRIX, VECTOR, VECTOR, INT, FLOAT)
def transform(matrix, vector, result, rows, least):
    """Write a matrix times a vector, at least `least`, into `result`."""
    for row in range(rows):
        total = least * 0.0
        for column in range(len(vector)):
            total += matrix[row, column] * vector[column]
        result[row] = max(total, least)
'''

PROGRAM = """
import json, sys
from ai.kernels import cache
cache.configure_environment(jit=sys.argv[1] == "compiled")
import numpy as np
steps = []
if sys.argv[1] == "compiled":
    cache.kernel_modules = lambda names=cache.kernel_modules(): [
        name for name in names if name in ("ai.kernels.clock", "ai.kernels.planted")
    ]
    cache.compile_all(lambda step, steps_, name, seconds: steps.append(name))
from ai.kernels.jit import is_jit_enabled
from ai.kernels.planted import product, transform

rng = np.random.default_rng(0)
first, second = rng.standard_normal((2, 40)).astype(np.float32)
matrix = rng.standard_normal((5, 40))
result = np.zeros(5, np.float32)
transform(matrix, first, result, 5, -0.5)
compiled = [getattr(item, "nopython_signatures", None) is not None for item in (product, transform)]
files = [path.name for path in cache.cache_directory().rglob("planted.*")]
json.dump([
    is_jit_enabled(), compiled, steps, bool(files),
    float(product(first, second)).hex(), [float(item).hex() for item in result],
], sys.stdout)
"""


def test_the_modules_of_kernels_are_found_callees_first():
    names = cache.kernel_modules()
    folder = Path(cache.__file__).parent
    written = {
        "ai.kernels." + ".".join(path.relative_to(folder).with_suffix("").parts)
        for path in folder.rglob("*.py")
        if "\n@kernel(" in path.read_text(encoding="utf-8")
    }
    assert set(names) == written
    assert len(names) == len(written) >= 8
    for place, name in enumerate(names):
        path = folder.joinpath(*name.split(".")[2:]).with_suffix(".py")
        imported = {
            node.module
            for node in ast.walk(ast.parse(path.read_bytes()))
            if isinstance(node, ast.ImportFrom)
        }
        assert imported & set(names) <= set(names[:place])


def run(mode, folder):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, mode],
        capture_output=True,
        text=True,
        env=environment | {"PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(folder / "cache")},
        cwd=folder,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_new_module_of_kernels_is_compiled_and_equals_its_twin(tmp_path):
    shutil.copytree(ROOT / "ai", tmp_path / "ai", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "base", tmp_path / "base", ignore=shutil.ignore_patterns("__pycache__"))
    planted = tmp_path / "ai" / "kernels" / "planted.py"
    planted.write_text(PLANTED, encoding="utf-8")
    compiled, twin = run("compiled", tmp_path), run("twin", tmp_path)
    assert [*compiled[:2], sorted(compiled[2]), compiled[3]] == [
        True, [True, True], ["ai.kernels.clock", "ai.kernels.planted"], True,
    ]  # fmt: skip
    assert twin[:2] == [False, [False, False]]
    assert compiled[4:] == twin[4:], "to the last bit"


def test_two_processes_share_the_modules_and_no_half_compiles_the_others_again():
    names = cache.kernel_modules()
    others = cache.share_of_another(names)
    assert set(others) < set(names)
    assert len(others) >= len(names) / 4
    folder = Path(cache.__file__).parent
    for name in names:
        path = folder.joinpath(*name.split(".")[2:]).with_suffix(".py")
        called = {
            node.module
            for node in ast.walk(ast.parse(path.read_bytes()))
            if isinstance(node, ast.ImportFrom) and node.module in names
            if (node.module or "").count(".") > 2  # not those that serve everybody
        }
        assert {item in others for item in called} <= {name in others}, name


SHARED = """
import json, sys
from ai.kernels import cache
names = ("ai.kernels.clock", "ai.kernels.randomness")
cache.kernel_modules = lambda: names
cache.share_of_another = lambda given: names[1:]
if sys.argv[1] == "killed":
    begin = cache.compile_elsewhere
    def begin_and_kill(names):
        helper = begin(names)
        helper.kill()
        return helper
    cache.compile_elsewhere = begin_and_kill
steps = []
cache.compile_all(lambda *step: steps.append(step[:3]), processes=2)
from ai.kernels.randomness import __dict__ as found
hits = [sum(item.stats.cache_hits.values()) for item in found.values() if hasattr(item, "stats")]
files = sorted({path.name.split(".")[0] for path in cache.cache_directory().rglob("*.nbi")})
json.dump([steps, files, sum(hits), cache.is_compiled()], sys.stdout)
"""


@pytest.mark.parametrize("helper", ["whole", "killed"])
def test_what_the_second_process_did_not_compile_the_first_one_does(tmp_path, helper):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-c", SHARED, helper], capture_output=True, text=True, timeout=300,
        env=environment | {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")},
        cwd=tmp_path, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    steps, files, hits, is_compiled = json.loads(done.stdout)
    assert steps == [[1, 2, "ai.kernels.clock"], [2, 2, "ai.kernels.randomness"]]
    assert files == ["clock", "randomness"]
    assert is_compiled
    assert (hits > 0) == (helper == "whole")

"""Kernel modules are found by themselves, and each is compiled."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

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
    assert compiled[:4] == [True, [True, True], ["ai.kernels.clock", "ai.kernels.planted"], True]
    assert twin[:2] == [False, [False, False]]
    assert compiled[4:] == twin[4:], "to the last bit"

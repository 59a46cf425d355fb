"""Compiled kernels count no references to arrays: each count costs an atomic instruction."""

from __future__ import annotations

import importlib.util

import pytest

from ai.kernels.jit import is_jit_enabled

COUNTS = b"NRT_incref"
"""Name of the function of numba that counts, as compiled code calls it."""

PLANTED = '''
"""Kernels of a call in a loop that may end early: what numba itself would count references in."""

from ai.kernels.jit import INT, TABLE, kernel
from ai.kernels.layout import POSITION, STEPS


@kernel(POSITION, TABLE, INT, returns=INT)
def along(positions, table, cell):
    """Return the sum of a table's numbers at what a cell's neighbours hold."""
    position, total = positions[0], 0
    for direction in range(4):
        total += table[position.board[cell + STEPS[direction]]]
    return total


@kernel(POSITION, TABLE, returns=INT)
def everywhere(positions, table):
    """Return the sum over all points."""
    total = 0
    for move in range(positions[0].size * positions[0].size):
        total += along(positions, table, positions[0].cells[move])
    return total
'''


@pytest.mark.skipif(not is_jit_enabled(), reason="kernels are not compiled")
def test_compiled_kernels_count_no_references(tmp_path, monkeypatch):
    numba = pytest.importorskip("numba")
    compiled = tmp_path / "compiled"
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(compiled))
    source = tmp_path / "planted.py"
    source.write_text(PLANTED, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("planted", source)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    codes = [file.read_bytes() for file in compiled.rglob("*.nbc")]
    assert len(codes) == 2
    assert not [code for code in codes if COUNTS in code]

"""What tables take, and that the system has it back with them."""

from __future__ import annotations

import tracemalloc

import numpy as np
import psutil
import pytest

from ai.game import Rule
from ai.kernels.jit import OWN_PAGES, zeros
from ai.kernels.patterns import class_table, rule_table

MIB = 2**20
MAKERS = {
    "standard": lambda: class_table.__wrapped__(5, exact=True),
    "renju": lambda: rule_table.__wrapped__(Rule.RENJU),
    "caro": lambda: rule_table.__wrapped__(Rule.CARO),
}


@pytest.mark.parametrize("rule", MAKERS)
def test_a_table_of_lines_is_made_within_a_few_mebibytes(rule):
    """Each game of another rule makes one; at once it would take 40 to 67 MiB."""
    tracemalloc.start()
    try:
        table = MAKERS[rule]()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert table.nbytes <= peak < table.nbytes + 8 * MIB


def test_a_large_array_leaves_nothing_behind():
    held = psutil.Process().memory_info
    array = zeros(64 * MIB // 8, np.dtype(np.int64))
    assert not array.any()
    before = held().rss
    array[:] = 1
    assert held().rss > before + 48 * MIB
    del array
    assert held().rss < before + 16 * MIB


def test_a_small_array_is_an_usual_one():
    small, large = (zeros(count, np.dtype(np.uint8)) for count in (OWN_PAGES - 1, OWN_PAGES))
    assert (small.base, large.base is None) == (None, False)
    assert (small.flags.writeable, large.flags.writeable) == (True, True)

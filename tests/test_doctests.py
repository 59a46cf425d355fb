"""The examples in docstrings do what they say."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

from tests.architecture import modules_of

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = re.compile(r"^\s*>>> ", re.MULTILINE)
WITH_EXAMPLES = sorted(
    module
    for module, path in modules_of(ROOT).items()
    if EXAMPLE.search(path.read_text(encoding="utf-8"))
)


def test_there_are_examples() -> None:
    assert len(WITH_EXAMPLES) >= 10


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_the_examples_of_a_module(module: str) -> None:
    found = doctest.testmod(importlib.import_module(module))
    assert found.attempted
    assert found.failed == 0

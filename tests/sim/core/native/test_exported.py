"""What `@exported` takes, and what it says about the rest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sim import ExportError, Shape, exported

ROOT = Path(__file__).resolve().parents[4]


def test_a_signature_is_read_and_the_function_stays_what_it_was() -> None:
    def choose(
        stones: Annotated[NDArray[np.int8], Shape(7, None)],
        depth: int,
        noise: float,
        name: str,
        loud: bool,
    ) -> NDArray[np.float32]:
        """Choose."""
        return np.zeros(1, np.float32)

    assert exported(choose) is choose
    signature = choose.__dict__["exported"]
    assert str(signature) == (
        "choose(stones: int8[7, *], depth: int, noise: float, name: str, loud: bool) -> float32[*]"
    )
    assert signature.document == "Choose."


def test_none_is_a_result() -> None:
    def tell(text: str) -> None: ...

    assert str(exported(tell).__dict__["exported"]) == "tell(text: str) -> None"


@pytest.mark.parametrize(
    ("dtype", "name"),
    [(np.int16, "int16"), (np.uint64, "uint64"), (np.float64, "float64"), (np.bool_, "bool")],
)
def test_dtypes_have_their_numpy_names(dtype: Any, name: str) -> None:
    def f(a: Any) -> None: ...

    f.__annotations__["a"] = NDArray[dtype]
    assert exported(f).__dict__["exported"].parameters[0].dtype == name


def unannotated(a) -> int: ...
def no_result(a: int): ...
def listed(a: list[int]) -> int: ...
def by_keyword(*, a: int) -> int: ...
def many(*a: int) -> int: ...
def complex_items(a: NDArray[np.complex64]) -> int: ...
def any_items(a: NDArray[Any]) -> int: ...
def in_pairs() -> tuple[int, int]: ...
def unknown(a: Missing) -> int: ...  # noqa: F821
def größe(a: int) -> int: ...
def shapeless(a: Annotated[NDArray[np.int8], Shape(0)]) -> int: ...
async def later() -> int: ...


def each() -> int:
    yield 1


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (unannotated, "unannotated, a: expected int, float, str, bool or NDArray[...], "
         "found no annotation"),
        (no_result, "no_result, result: expected int, float, str, bool or NDArray[...] or None, "
         "found no annotation"),
        (listed, "listed, a: expected int, float, str, bool or NDArray[...], found list[int]"),
        (by_keyword, "by_keyword, a: expected a positional parameter, found a: 'int'"),
        (many, "many, a: expected a positional parameter, found *a: 'int'"),
        (complex_items, "complex_items, a: expected an array of int8, int16, "),
        (any_items, "any_items, a: expected an array of int8, int16, "),
        (in_pairs, "in_pairs, result: expected int, float, str, bool or NDArray[...] or None, "
         "found tuple[int, int]"),
        (unknown, "unknown: expected annotations whose names are imported outside "
         "`if TYPE_CHECKING:`, found NameError: name 'Missing' is not defined"),
        (größe, "größe: expected a name of ASCII letters, digits and _, found 'größe'"),
        (shapeless, "Shape: expected sizes from 1, or None, found 0"),
        (later, "later: expected a plain function, found one that is async or a generator"),
        (each, "each: expected a plain function, found one that is async or a generator"),
        (print, "@exported: expected a function, found <built-in function print>"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)  # fmt: skip
def test_what_cannot_be_exported_is_said_at_decoration(function: Any, expected: str) -> None:
    with pytest.raises(ExportError) as caught:
        exported(function)
    assert expected in str(caught.value)
    if function is not print:
        assert caught.value.file == __file__
        assert caught.value.line > 0


def test_the_mark_needs_numpy_only_for_arrays() -> None:
    probe = (
        "from sim import exported\nimport sys\n@exported\ndef f(a: int) -> str: return str(a)\n"
        "assert 'numpy' not in sys.modules, 'numpy was imported'"
    )
    subprocess.run([sys.executable, "-c", probe], check=True, cwd=ROOT, timeout=60)

"""`@compiled`: the machine code agrees with Python, comes without a stop, or one line says why."""

from __future__ import annotations

import gc
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, TypeVar

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sim.core.native import compile_service
from sim.core.native.compile_source import source_of
from sim.core.native.compile_worker import load_machine
from sim.core.native.compiled import (
    CompiledFunction,
    NotCompilable,
    _kind_of_annotation,
    compiled,
    kinds_of,
)
from sim.core.native.exported import Shape
from tests.sim.core.stage import Stage, thing

SCRIPT = """
import numpy as np

GAIN = 3

def scaled(x):
    return x * GAIN

@compiled
def total(values, bias=1):
    result = bias
    for value in values:
        result += scaled(value)
    return result

class Summing(Script):
    def update(self, dt):
        self.answer = total(np.arange(5.0), 2.0)
"""


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A folder of machine code of this test alone."""
    folder = tmp_path / "machine code"
    folder.mkdir()
    monkeypatch.setattr("sim.core.native.compile_service.cache_folder", lambda: folder)
    return folder


@pytest.fixture
def stage(tmp_path):
    made = Stage(tmp_path / "first")
    yield made
    made.close()


@pytest.fixture(scope="module")
def machine_of(tmp_path_factory):
    """Return a function's machine code for the types of some arguments."""

    def make(function, *arguments):
        source = source_of(compiled(function))
        file = tmp_path_factory.mktemp("compiled") / "module.py"
        file.write_text(source.text, encoding="utf-8")
        return load_machine(file, source.name, kinds_of(arguments))

    return make


def settle(stage):
    """Run frames until nothing is compiled any more."""
    stage.frames(1)
    stage.app.world.compiling.settle(60.0)
    assert not stage.app.world.compiling.is_busy


def function_of(stage, module, name):
    package = stage.app.host.loader.project
    found = getattr(package.modules[f"scripts.{module}"], name)
    assert isinstance(found, CompiledFunction)
    return found


# -- laws ------------------------------------------------------------------------------------------


def pull(points, strength, steps):
    """Pull points to the middle, in place; return how far they moved in all."""
    moved = 0.0
    for step in range(steps):
        for i in range(points.shape[0]):
            away = math.sqrt(points[i, 0] ** 2 + points[i, 1] ** 2) + 0.5
            for k in range(2):
                change = strength * points[i, k] / away
                points[i, k] -= change
                moved += abs(change)
        if moved > 1e6:
            return moved, step
    return moved, steps


def digits(number, base):
    """Return the digit sum and the number of digits."""
    total = count = 0
    while number > 0:
        total += number % base
        number //= base
        count += 1
    return total, count


numbers = st.floats(-1e3, 1e3)


@pytest.fixture(scope="module")
def pull_machine(machine_of):
    return machine_of(pull, np.zeros((2, 2)), 0.5, 3)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    rows=st.lists(st.tuples(numbers, numbers), min_size=0, max_size=6),
    strength=st.floats(-1.0, 1.0),
    steps=st.integers(0, 4),
)
def test_machine_code_gives_what_python_gives(pull_machine, rows, strength, steps):
    start = np.array(rows, dtype=np.float64).reshape(-1, 2)
    first, second = start.copy(), start.copy()
    assert pull_machine(first, strength, steps) == pytest.approx(pull(second, strength, steps))
    np.testing.assert_allclose(first, second, rtol=1e-12, atol=1e-12)


@pytest.fixture(scope="module")
def digits_machine(machine_of):
    return machine_of(digits, 10, 10)


@settings(max_examples=60, deadline=None)
@given(number=st.integers(-(2**63), 2**63 - 1), base=st.integers(2, 2**40))
def test_whole_numbers_are_exact(digits_machine, number, base):
    assert digits_machine(number, base) == digits(number, base)


def test_faults_are_those_of_python(machine_of):
    def check(function, error, *arguments):
        machine = machine_of(function, *arguments)
        for code in (function, machine):
            with pytest.raises(error):
                code(*arguments)

    check(divide, ZeroDivisionError, 1.0, 0.0)
    check(element, IndexError, np.zeros(3), 3)


def slide(x, ö):
    x[1:4] += x[0:3]
    ö[:, 1:] -= ö[:, :-1]
    x += x[::-1]
    x[2:5] *= x[1:4]
    ö *= ö.T
    x[0:2] += x[0:2]
    x[0] += x[1]
    x[1:] += 2.0 * x[:-1]


def test_an_array_that_is_read_while_it_is_changed_is_read_first(machine_of):
    x, square = np.arange(1.0, 7.0), np.arange(9.0).reshape(3, 3) + 1.0
    code = machine_of(slide, x, square)
    mine, other = x.copy(), square.copy()
    slide(mine, other)
    code(x, square)
    np.testing.assert_array_equal(x, mine)
    np.testing.assert_array_equal(square, other)
    source = source_of(compiled(slide))
    assert source.text.count(".copy()") == 5, "and no other"
    assert source.lines[-1][1] - source.lines[-2][1] == 1, "lines stay those of the script"


def divide(a, b):
    return a / b


def element(values, index):
    return values[index]


scalars = st.one_of(
    st.booleans(), st.floats(), st.complex_numbers(), st.integers(-(2**63), 2**63 - 1)
)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.recursive(scalars, lambda inner: st.tuples(inner, inner), max_leaves=4))
def test_each_type_has_its_own_machine_code(value):
    (kind,) = kinds_of((value,))
    assert (kind[0] == "tuple") == isinstance(value, tuple)
    if not isinstance(value, tuple):
        assert kind == ("scalar", np.dtype(type(value)).name)


# -- what there is for whom ------------------------------------------------------------------------


def test_the_python_function_serves_until_the_machine_code_is_there(stage):
    stage.script("summing", SCRIPT)
    slot = stage.open_one("scripts.summing:Summing")
    stage.frames(1)
    function = function_of(stage, "summing", "total")
    assert not function.is_compiled
    assert slot.instance.answer == 32.0
    settle(stage)
    assert function.is_compiled
    stage.frames(1)
    assert slot.instance.answer == 32.0
    assert function(values=np.arange(3)) == 10  # other types: Python, at once
    assert stage.lines("warning") == []

    # a change of layout leaves it as it is, a change of what it calls does not
    machine = dict(function.machine)
    assert stage.save("summing", SCRIPT.replace("return x * GAIN", "return x * GAIN  # more"))
    settle(stage)
    same = function_of(stage, "summing", "total")
    assert same is not function
    assert set(machine.values()) <= set(same.machine.values())

    assert stage.save("summing", SCRIPT.replace("GAIN = 3", "GAIN = 5"))
    stage.frames(1)
    changed = function_of(stage, "summing", "total")
    assert slot.instance.answer == 52.0
    settle(stage)
    assert changed.is_compiled
    stage.frames(1)
    assert slot.instance.answer == 52.0
    assert not set(machine.values()) & set(changed.machine.values())


def test_while_code_is_loaded_no_garbage_is_collected_beside_the_drawing(stage, monkeypatch):
    load, collects = compile_service.load_machine, []

    def loaded(*arguments):
        collects.append(gc.isenabled())
        return load(*arguments)

    monkeypatch.setattr(compile_service, "load_machine", loaded)
    stage.script("summing", SCRIPT.replace("GAIN = 3", "GAIN = 9"))
    stage.open_one("scripts.summing:Summing")
    settle(stage)
    assert collects
    assert not any(collects)
    assert gc.isenabled()


def test_what_was_compiled_once_is_loaded_without_a_worker(stage, tmp_path):
    stage.script("summing", SCRIPT.replace("GAIN = 3", "GAIN = 7"))
    stage.open_one("scripts.summing:Summing")
    settle(stage)
    again = Stage(tmp_path / "again")
    try:
        again.script("summing", SCRIPT.replace("GAIN = 3", "GAIN = 7"))
        again.open_one("scripts.summing:Summing")
        settle(again)
        assert function_of(again, "summing", "total").is_compiled
        assert again.app.world.links.opened == ()
        machine_cache = again.app.world.compiling.cache
        for file in machine_cache.glob("*/__pycache__/*.nbc"):
            file.write_bytes(b"damaged")
    finally:
        again.close()
    third = Stage(tmp_path / "third")
    try:
        third.script("summing", SCRIPT.replace("GAIN = 3", "GAIN = 7"))
        third.open_one("scripts.summing:Summing")
        settle(third)
        assert function_of(third, "summing", "total").is_compiled
        assert third.lines("warning") == []
    finally:
        third.close()


ANNOTATED = """
from typing import Annotated
import numpy as np
from numpy.typing import NDArray

@compiled
def half(values: Annotated[NDArray[np.float32], Shape(None)], by: int) -> None:
    for i in range(values.size):
        values[i] /= by

class Idle(Script):
    pass
"""


REFUSED = {
    "an object": ("    return THING", "THING = object()", "global THING: expected a number"),
    "a global that is set": ("    global N\n    N = x\n    return x", "N = 1", "sets the global N"),
    "randomness": ("    return x + np.random.random()", "", "draws random numbers"),
    "a text": ("    return str(open('x'))", "", None),
    "a dict": ("    return {1: x}", "", "returns DictType: expected numbers, NumPy arrays or"),
}


@pytest.fixture(scope="module")
def refusing(tmp_path_factory):
    """A scene of which one worker compiles all: annotated types, and each case that is refused."""
    made = Stage(tmp_path_factory.mktemp("refusing") / "project")
    made.script("idle", ANNOTATED)
    for number, (body, head, _) in enumerate(REFUSED.values()):
        made.script(
            f"odd{number}",
            f"import numpy as np\n{head}\n\n@compiled\ndef odd{number}(x):\n{body}\n\n"
            "class Odd(Script):\n    def update(self, dt):\n"
            f"        try:\n            odd{number}(1.5)\n        except OSError: pass\n",
        )
    slots = {f"cmp_odd{number}": f"scripts.odd{number}:Odd" for number in range(len(REFUSED))}
    machine = tmp_path_factory.mktemp("machine code")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sim.core.native.compile_service.cache_folder", lambda: machine)
        made.open({"obj_odd": thing("Odd", {"cmp_idle": "scripts.idle:Idle", **slots})})
        for _ in range(3):
            settle(made)
    yield made
    made.close()


def test_annotated_types_are_compiled_before_the_first_call(refusing):
    function = function_of(refusing, "idle", "half")
    assert function.is_compiled
    values = np.arange(4, dtype=np.float32)
    function(values, 2)
    assert values.tolist() == [0.0, 0.5, 1.0, 1.5]


@pytest.mark.parametrize("case", REFUSED)
def test_one_line_says_why_python_goes_on(refusing, case):
    name, reason = f"odd{list(REFUSED).index(case)}", REFUSED[case][2]
    warnings = [item for item in refusing.app.console.records if item.level == "warning"]
    assert len(warnings) == len(REFUSED)
    (record,) = (item for item in warnings if item.file == f"scripts/{name}.py")
    assert record.text.startswith(f"{name} is not compiled, Python runs it: ")
    assert (reason or "") in record.text
    assert 5 <= record.line <= 10
    assert record.count == 1
    assert refusing.errors() == 0


def test_an_argument_without_a_machine_form_is_named_once(stage):
    stage.script(
        "odd",
        "@compiled\ndef first(values, n):\n    return values[n]\n\n"
        "class Odd(Script):\n    def update(self, dt):\n        self.x = first([4, 5], 1)\n",
    )
    slot = stage.open_one("scripts.odd:Odd")
    settle(stage)
    stage.frames(3)
    assert slot.instance.x == 5
    assert stage.lines("warning") == [
        "first is not compiled, Python runs it: argument values: expected numbers, NumPy arrays "
        "or tuples of them, found list"
    ]


def test_a_method_is_no_function():
    class Thing:
        def method(self, x):
            return x

    with pytest.raises(NotCompilable, match="top of its module"):
        source_of(compiled(Thing.method))

    class Other:
        @compiled
        def method(self, x):
            return x

    with pytest.raises(TypeError, match=r"Other.method: expected a function at the top"):
        Other().method(1)
    with pytest.raises(TypeError, match="expected a function, got 3"):
        compiled(3)


def test_the_module_for_the_compiler_keeps_the_lines_of_the_script():
    source = source_of(compiled(pull))
    number = next(i for i, line in enumerate(source.text.splitlines()) if "away = " in line)
    file, line = source.lines[number]
    assert Path(file) == Path(__file__)
    assert "away = " in Path(file).read_text(encoding="utf-8").splitlines()[line - 1]


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (Annotated[NDArray[np.float32], Shape(None, 3)], ("array", "float32", 2, "C", True)),
        (Annotated[NDArray[np.int64], Shape(4)], ("array", "int64", 1, "C", True)),
        (Annotated[NDArray[np.str_], Shape(4)], None),
        (Annotated[np.ndarray[Any, np.dtype[Any]], Shape(4)], None),
        (Annotated[np.ndarray[Any, np.dtype[bool]], Shape(4)], None),
        (Annotated[np.ndarray[Any, np.dtype[TypeVar("T")]], Shape(4)], None),
        (Annotated[list[int], Shape(4)], None),
        (NDArray[np.float32], None),
        (str, None),
    ],
)
def test_which_annotations_say_what_is_compiled(annotation, kind):
    assert _kind_of_annotation(annotation) == kind


@pytest.mark.parametrize(
    ("error", "file"), [(NotCompilable("no", file="a.py", line=3), "a.py"), (OSError("disk"), "")]
)
def test_what_cannot_be_prepared_is_refused_with_its_reason_and_place(monkeypatch, error, file):
    def raising(function):
        raise error

    refused = []
    function = SimpleNamespace(refused={}, wanted={()}, machine={})
    service = SimpleNamespace(
        _orders=(), _loading=(), _report=lambda function: None,
        _refuse=lambda function, kinds, fault: refused.append(fault),
    )  # fmt: skip
    monkeypatch.setattr(compile_service, "source_of", raising)
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    compile_service.CompileService._start(service, function)
    (fault,) = refused
    assert (type(fault), str(fault), fault.file) == (NotCompilable, str(error), file)

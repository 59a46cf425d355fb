"""What a failure in a worker says: which exception, where, and what else is known of it."""

from __future__ import annotations

import json
import pickle

import pytest

from base.files import SHIPPED_ROOT
from base.worker.failure import Failure, failure_of
from sim.core.reporting.failure_text import describe

MINE = "/home/me/scripts/mine.py"


def caught(text, file, **names):
    """Return what running a text as this file raises."""
    try:
        exec(compile(text, str(file), "exec"), names)
    except BaseException as error:
        return error
    raise AssertionError("expected an exception")


def test_the_place_is_the_innermost_that_is_somebodys_own():
    engine = SHIPPED_ROOT / "ai" / "workers" / "player.py"
    mine = "def choose():\n    return dumps({1: object()})\nbegin(choose)"
    begin = caught("def begin(f): f()\nraise KeyError(begin)", engine).args[0]
    failure = failure_of(caught(mine, MINE, dumps=json.dumps, begin=begin))
    assert (failure.stage, failure.kind) == ("request", "TypeError")
    assert (failure.file, failure.line) == (MINE, 2)
    assert failure.frames[-2:] == (f"{MINE}:3 in <module>", f"{MINE}:2 in choose")
    assert not any("player.py" in place or "json" in place for place in failure.frames)


def test_an_error_that_was_raised_from_another_has_its_place_too():
    inner = caught("1 / 0", MINE)
    outer = ValueError("no move")
    outer.__cause__ = inner
    failure = failure_of(outer)
    assert (failure.kind, failure.file, failure.line) == ("ValueError", MINE, 1)
    outer.__cause__, outer.__context__, outer.__suppress_context__ = None, inner, True
    assert MINE not in failure_of(outer).file, "raised from None"


def test_a_syntax_error_stands_where_it_says():
    failure = failure_of(caught("import ast\nast.parse('1 +', '/home/me/other.py')", MINE))
    assert (failure.file, failure.line) == ("/home/me/other.py", 1)


@pytest.mark.parametrize(
    ("error", "package"),
    [(ModuleNotFoundError("no", name="sklearn"), "scikit-learn"), (OSError(), "")],
)
def test_the_package_that_is_missing_is_told(error, package):
    assert failure_of(error).package == package
    assert failure_of(error).as_error("worker a").package == package


def test_an_exception_that_cannot_say_what_it_is_is_told_all_the_same():
    class Broken(Exception):
        def __str__(self):
            raise RuntimeError

    assert (failure_of(Broken()).text, failure_of(Broken()).kind) == ("", "Broken")


def test_as_an_error_it_names_the_worker_and_the_place_once():
    failure = Failure("'x' (scripts/mine.py:12)", "KeyError", file=MINE, line=12, frames=("a", "b"))
    error = failure.as_error("worker a")
    assert (str(error), error.reason) == ("worker a: KeyError: 'x'", "'x'")
    assert (error.file, error.line) == (MINE, 12)
    assert error.worker_traceback == "in the worker a:\n  a\n  b"
    assert str(Failure("'x' (scripts/mine.py:12)", "KeyError").as_error("w")).endswith(
        "mine.py:12)"
    )
    assert str(Failure("job a, result: expected numbers").as_error("job a")).startswith("job a, ")


def test_python_s_words_about_child_processes_are_said_clearly():
    job = failure_of(AssertionError("daemonic processes are not allowed to have children"))
    assert job.text == (
        "expected joblib or subprocess to start processes in a job, found multiprocessing "
        "(docs/background_jobs.md)"
    )
    text = (
        "Can't pickle <function work at 0x7f>: import of module 'goishi_project_5.scripts.a' failed"
    )
    said = describe(pickle.PicklingError(text))
    assert said.startswith("PicklingError: expected a function that a child process can import")
    assert describe(ValueError("x")) == "ValueError: x"

"""What a child process answers, over streams of the test's own."""

from __future__ import annotations

import io
import pickle

from base.errors import FieldError
from base.worker.calls import serve_calls
from sim.app.serving import METHODS_OF


def asked(*requests: tuple[str, tuple[object, ...]], cut: bytes = b"") -> list[tuple]:
    """Return the answers to requests; the last may be cut off."""

    def refuse() -> None:
        raise FieldError("here", expected="much", found="little")

    def fail() -> None:
        raise ZeroDivisionError("by zero")

    closed: list[int] = []
    methods = {
        "about": lambda: "about it", "add": lambda a, b: a + b, "refuse": refuse, "fail": fail,
        "close": lambda: closed.append(1),
    }  # fmt: skip
    sent = io.BytesIO(b"".join(pickle.dumps(item) for item in requests) + cut)
    answers = io.BytesIO()
    serve_calls(sent, answers, lambda *_: methods)
    assert len(closed) == 1
    answers.seek(0)
    found = []
    while answers.tell() < len(answers.getvalue()):
        found.append(pickle.load(answers))
    return found


def test_each_request_is_answered_and_faults_do_not_end_it() -> None:
    found = asked(
        ("open", ("toy",)), ("add", (1, 2)), ("refuse", ()), ("fail", ()), ("add", (3, 4)),
        cut=pickle.dumps(("add", (5, 6)))[:-4],
    )  # fmt: skip
    assert found == [
        ("ok", "about it"), ("ok", 3),
        ("error", "FieldError", {"field": "here", "expected": "much", "found": "little"},
         "here: expected much, found little"),
        ("error", "GoishiError", {}, "ZeroDivisionError: by zero"),
        ("ok", 7),
    ]  # fmt: skip


def test_scenes_with_and_without_a_picture_are_served() -> None:
    assert set(METHODS_OF) == {"batch", "drawn"}

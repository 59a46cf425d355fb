"""The prompt: what it knows, that nothing gets out of it, its history and its completion."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.editing.interpreter import (
    HISTORY_NAME,
    LONGEST_OUTPUT,
    LONGEST_REPR,
    MOST_LINES,
    Interpreter,
    PromptHistory,
    _escaped,
    _is_sound,
    _unescaped,
)
from tests.sim.core.stage import thing

SPINNER = """
class Spinner(Script):
    speed: float = field(3.0)
    def update(self, dt): self.turned = getattr(self, "turned", 0) + 1
"""


@pytest.fixture
def stage(stage):
    stage.script("spinner", SPINNER)
    stage.open(
        {
            "obj_one": thing("Board", {"cmp_one": "scripts.spinner:Spinner"}),
            "obj_two": {**thing("Stone", {}), "parent": "obj_one"},
        },
        {"script_timeout": 0.3},
    )
    stage.frames(2)
    return stage


def opened(stage, **names):
    """Return a prompt on the scene, as the app has one."""
    app = stage.app
    history = app.run_context.data_dir / HISTORY_NAME
    names["host"] = app.host
    return Interpreter(app.scene, app.console, app.world.watchdog, history, names)


@pytest.fixture
def prompt(stage):
    return opened(stage)


def test_it_knows_the_scene(stage, prompt):
    assert prompt.run("scene is host.scene").output == "True\n"
    assert prompt.run("find('Board/Stone').id").output == "'obj_two'\n"
    assert prompt.run("component('Spinner') is component('cmp_one')").output == "True\n"
    assert prompt.run("component('Spinner').turned").output == "2\n"
    assert prompt.run("find('Board').transform.position = (1, 2, 3)").error is None
    assert stage.app.scene.find("Board").transform.position.tolist() == [1, 2, 3]
    assert stage.lines("info")[-1] == ">>> find('Board').transform.position = (1, 2, 3)"
    assert "expected a component's id or class" in prompt.run("component('Nobody')").error.text


def test_what_is_selected_is_asked_at_each_input(stage):
    chosen = ["first"]
    prompt = opened(stage, selected=lambda: chosen[0])
    assert prompt.run("selected").output == "'first'\n"
    chosen[0] = "second"
    assert prompt.run("selected").output == "'second'\n"

    class Editor:
        selected = "third"

    assert opened(stage, editor=Editor()).run("selected").output == "'third'\n"
    assert opened(stage).run("print(selected, editor)").output == "None None\n"


def test_lines_are_kept_until_they_are_a_statement(stage, prompt):
    begun = stage.app.console.revision
    for source in ("def f(x):", "for i in range(3):\n    print(i)", "(1 +", "'''"):
        assert prompt.run(source).is_incomplete, source
    assert stage.app.console.revision == begun
    assert prompt.run("def f(x):\n    return x * 2\n\nf(4)\nf(5)").output == "8\n10\n"
    assert prompt.run("_ + 1").output == "11\n"
    assert prompt.run("for i in range(2):\n    print(i)\n    ").output == "0\n1\n"
    assert prompt.run("   \n").output == ""


def test_output_is_cut_where_it_is_long(stage, prompt):
    output = prompt.run("'x' * 100_000").output
    assert output.startswith("'xxx")
    assert LONGEST_REPR < len(output) < LONGEST_REPR + 60
    output = prompt.run("for i in range(20_000): print(i)\n1 + 1").output
    assert LONGEST_OUTPUT < len(output) < LONGEST_OUTPUT + 60
    assert "more characters" in output
    assert len(stage.app.console.records) < 2_000


BAD = {
    "division": ("1 / 0", "ZeroDivisionError: division by zero", 1),
    "line": ("x = 1\nraise KeyError('k')", "KeyError: 'k'", 2),
    "exit": ("import sys; sys.exit(3)", "SystemExit: 3", 1),
    "quit": ("quit()", "SystemExit", 1),
    "interrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt", 1),
    "base": ("class Odd(BaseException): pass\nraise Odd('x')", "Odd: x", 2),
    "generator": ("raise GeneratorExit", "GeneratorExit", 1),
    "no text": (
        "class Mute(Exception):\n    def __str__(self): return 1 / 0\n    __repr__ = __str__\nraise Mute",
        "Mute: <str raised ZeroDivisionError>",
        4,
    ),
    "mean text": (
        "class Mean(BaseException):\n    def __str__(self): raise SystemExit\nraise Mean",
        "Mean: <str raised SystemExit>",
        3,
    ),
    "value without repr": (
        "class Mute:\n    def __repr__(self): raise SystemExit('no')\nMute()",
        "SystemExit: no",
        2,
    ),
    "syntax": ("x = 1\ny = = 2", "SyntaxError: invalid syntax", 2),
    "null byte": ("x = '\0'", "SyntaxError: source code string cannot contain null bytes", 1),
    "surrogate": ("x = '\ud800'", "UnicodeEncodeError", 1),
    "deep": ("(" * 500 + ")" * 500, "SyntaxError: too many nested parentheses", 1),
    "recursion": ("def f(): f()\nf()", "RecursionError: maximum recursion depth exceeded", 1),
    "endless": ("while True: pass\n", "ScriptTimeout: did not finish within 0.3 s", 1),
    "keyboard": ("input()", "EOFError", 1),
}


@pytest.mark.parametrize(("source", "text", "line"), BAD.values(), ids=BAD)
def test_nothing_gets_out(stage, prompt, source, text, line):
    streams = sys.stdout, sys.stdin, sys.displayhook
    error = prompt.run(source).error
    assert error.text.startswith(text)
    assert error.place == f"<prompt>:{line}"
    assert error.level == "error"
    assert error.details
    assert stage.app.console.records[-1] is error
    assert (sys.stdout, sys.stdin, sys.displayhook) == streams
    assert prompt.run("1 + 1").output == "2\n"
    stage.frames(1)
    assert not stage.app.run_context.stop_requested
    assert stage.app.host.scene.component("cmp_one").instance.turned == 3


def test_details_show_frames_and_locals(prompt):
    error = prompt.run("def f(depth):\n    return 1 / depth\nf(0)").error
    assert error.line == 2
    assert "<prompt>:2 in f" in error.details
    assert "depth = 0" in error.details
    assert "interpreter.py" not in error.details


def test_an_input_inside_a_watched_call_leaves_the_call_watched(stage, prompt):
    slot = stage.slot("cmp_one")

    def hook():
        prompt.run("while True: pass\n")
        while True:
            pass

    stage.app.host.call(slot, "update", hook)
    assert "did not finish" in slot.error.text


def test_history_outlives_the_prompt(stage, prompt):
    two_lines = "def f():\n    return '\\n'"
    for source in ("1", "1", f"{two_lines}\n", "bad ="):
        prompt.run(source)
    assert opened(stage).history.entries == ["1", two_lines, "bad ="]


@given(st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"])))
def test_an_entry_is_read_back_as_it_was(entry):
    assert "\n" not in _escaped(entry)
    assert _unescaped(_escaped(entry)) == entry


@pytest.mark.parametrize("content", [b"", b"\0\0\xff\xfe", b"ok\n\xff\xfe\n\x1b[2J\n", None])
def test_a_damaged_history_is_no_error(tmp_path, content):
    path = tmp_path / "history.txt"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    history = PromptHistory(path)
    assert history.entries == (["ok"] if content and b"ok" in content else [])
    history.add("next")
    assert history.entries[-1] == "next"


def test_history_is_bounded(tmp_path):
    path = tmp_path / "history.txt"
    path.write_text("".join(f"line {n}\n" for n in range(3 * MOST_LINES)), encoding="utf-8")
    history = PromptHistory(path)
    assert len(history.entries) == MOST_LINES
    history.add("newest")
    assert PromptHistory(path).entries[-2:] == [f"line {3 * MOST_LINES - 1}", "newest"]
    assert len(path.read_text(encoding="utf-8").splitlines()) == MOST_LINES
    assert [item.name for item in tmp_path.iterdir()] == ["history.txt"]


def test_completion_knows_the_scene_and_what_was_typed(prompt):
    prompt.run("board = find('Board')")
    assert "transform" in prompt.complete("board.tra", 9)
    assert "fixed_dt" in prompt.complete("x = 1\nscene.settings.fi", 23)
    assert prompt.complete("board.tra", 5) == ["board"]


@pytest.mark.parametrize(
    "source", ["", "(((", "x = '\0", "import ", "1 +", "mean.", "mean.attribute.", "\ud800"]
)
def test_completion_never_raises(stage, prompt, source):
    prompt.run(
        "class Mean:\n"
        "    def __getattr__(self, name): raise SystemExit\n"
        "    def __dir__(self): raise KeyboardInterrupt\n"
        "mean = Mean()"
    )
    before = stage.errors()
    assert isinstance(prompt.complete(source, len(source)), list)
    assert isinstance(prompt.complete(source, len(source) + 99), list)
    assert isinstance(prompt.complete(source, -5), list)
    assert stage.errors() == before


@pytest.mark.parametrize(
    ("entry", "is_sound"),
    [("a = 1", True), ("for x in y:\n\tprint(x)", True), ("  ", False), ("a\x00b", False),
     ("a = 1\ufffd", False), ("\x1b[A", False)],
)  # fmt: skip
def test_of_the_kept_lines_only_those_that_may_have_been_typed_count(entry, is_sound):
    assert _is_sound(entry) == is_sound


def test_what_is_found_is_completed_by_what_it_is(prompt):
    name = "Board"
    for quote in "\"'":
        source = f"find({quote}{name}{quote}).transform."
        assert {"position", "rotation", "scale"} <= set(prompt.complete(source, len(source)))
    source = f'x = find("{name}").trans'
    assert prompt.complete(source, len(source)) == ["transform"]
    source = f'find("{name}").'
    found = prompt.complete(source, len(source))
    assert {"name", "visible", "transform"} <= set(found)
    assert not [item for item in found if item.startswith("_")]


@pytest.mark.parametrize("source", ['find("nobody").', 'find("nobody").transform.', "find(1).",
                                    'component("Nobody").', 'find("' + "x" * 999])  # fmt: skip
def test_what_is_not_found_completes_nothing_and_says_nothing(stage, prompt, source):
    count = len(stage.app.console.records)
    assert isinstance(prompt.complete(source, len(source)), list)
    assert len(stage.app.console.records) == count


def test_the_console_gets_as_many_lines_as_it_may_and_how_many_more_there_are(stage, prompt):
    records = stage.app.console.records
    before = len(records)
    prompt._show("\n".join(map(str, range(MOST_LINES + 3))))
    assert [record.text for record in list(records)[before:]] == [
        *map(str, range(MOST_LINES)), "… 3 more lines"
    ]  # fmt: skip

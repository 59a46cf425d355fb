"""A script that opens files: a drop, a command of its label, and questions for a file."""

from __future__ import annotations

from types import SimpleNamespace

from sim.core.script.panels import FileOpener
from sim.core.script.script import Script


def test_the_command_of_its_label_asks_for_a_file():
    asked, commands = [], []
    panels = SimpleNamespace(add_opener=lambda *opener: opener[1:], ask_file=asked.append)
    script = SimpleNamespace(
        panels=panels, slot=None, _followed=lambda function: function,
        command=lambda *words, **more: commands.append((*words, more)),
    )  # fmt: skip
    Script.opens_files(script, [".sgf", ".psq"], str, "Open a game")
    ((name, label, function, more),) = commands
    assert (name, label) == ("open_file", "Open a game")
    assert more == {"key": "control+shift+o", "icon": "folder-open"}
    function()
    assert asked == [((".sgf", ".psq"), "Open a game", str)]


def test_a_question_takes_the_files_of_its_suffixes_or_any_file():
    asked = []
    panels = SimpleNamespace(ask_file=asked.append, can_ask=True)
    script = SimpleNamespace(panels=panels, slot=None, _followed=lambda function: function)
    Script.ask_file(script, str, "Choose a program")
    Script.ask_file(script, str, "Choose a game", [".SGF"])
    Script.ask_save(script, None, "Save", [".SGF"], name="a.sgf")
    program, game, saved = asked
    assert (program.label, program.callback, program.is_save) == ("Choose a program", str, False)
    assert program.takes("anything")
    assert game.takes("a.Sgf")
    assert not game.takes("a.psq")
    assert (saved.callback, saved.is_save, saved.is_folder, saved.name) == (
        None, True, False, "a.sgf")  # fmt: skip
    assert not FileOpener(None, (), "of no suffix", str).takes("anything")

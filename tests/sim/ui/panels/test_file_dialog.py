"""The file dialog, driven by keys and clicks: what a person opens and where one saves."""

from __future__ import annotations

import errno
import json
import os
from types import SimpleNamespace

import pytest
from imgui_bundle import imgui

from sim.core.script.file_question import FileAnswer, FileQuestion
from sim.core.script.panels import PanelRegistry
from sim.testing import Pilot
from sim.ui.panels.file_dialog import FileDialog, unsavable

SCRIPT = """from sim import Script


class Saver(Script):
    saved = ()
    answers = ()

    def save(self, path):
        if self.is_full:
            raise OSError(28, "No space left on device")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write("(;)")
        self.saved = (*self.saved, path)

    is_full = False

    async def wait_for_one(self):
        path = await self.ask_file(None, "Choose a game", [".sgf"])
        self.answers = (*self.answers, path)
"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    root = tmp_path_factory.mktemp("project")
    for name in ("scenes", "scripts"):
        (root / name).mkdir()
    (root / "scripts" / "saver.py").write_text(SCRIPT, encoding="utf-8")
    component = {"type": "scripts.saver:Saver", "fields": {}}
    objects = {"obj_one": {"name": "A", "components": {"cmp_one": component}}}
    data = {"format": "goishi.scene/1", "id": "scn_saver", "objects": objects}
    scene = root / "scenes" / "a.scene.json"
    scene.write_text(json.dumps(data), encoding="utf-8")
    with Pilot(scene=scene, speed=1.0, window=(1280, 720), quality="low",
               data_dir=root / "data") as made:  # fmt: skip
        made.draw_panels(4)
        yield made


@pytest.fixture
def places(shared, monkeypatch):
    found = {}

    def noted(name, plain):
        def drawn(label, *more):
            result = plain(label, *more)
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            found[label.strip()] = ((low.x + high.x) / 2, (low.y + high.y) / 2)
            return result

        return drawn

    for name in ("button", "selectable", "checkbox"):
        monkeypatch.setattr(imgui, name, noted(name, getattr(imgui, name)))
    return found


@pytest.fixture
def home(shared, tmp_path):
    """A folder with some files, in which the dialog begins."""
    for name in ("games", "notes", ".hidden"):
        (tmp_path / name).mkdir()
    for name in ("apple.sgf", "本因坊 秀策.sgf", "other.txt", "games/deep.sgf"):
        (tmp_path / name).write_text("(;)", encoding="utf-8")
    script = shared.component("Saver")
    script.saved, script.answers, script.is_full = (), (), False
    for suffix in (".sgf", ""):
        dialog_of(shared).memory.keep_folder(tmp_path, suffix)
    yield tmp_path
    shared.app.host.panels.ask_file(None)
    shared.draw_panels(2)


def ask_save(pilot, name="apple.sgf", suffixes=(".sgf", ".psq"), **options):
    script = pilot.component("Saver")
    answer = script.ask_save(script.save, "Save the game", suffixes, name=name, **options)
    pilot.draw_panels(4)
    return answer


def press(pilot, *keys):
    for key in keys:
        pilot.press(key)
        pilot.draw_panels(2)


def type_name(pilot, text):
    pilot.press("a", "control")
    pilot.type_text(text)
    pilot.draw_panels(2)


def label_of(places, part):
    return next(place for label, place in places.items() if part in label)


def is_open(pilot):
    return pilot.app.host.panels.asked_file is not None


def test_a_name_is_typed_and_enter_saves_with_the_suffix(shared, home):
    answer = ask_save(shared)
    type_name(shared, "丙午 game")
    press(shared, "enter")
    assert shared.component("Saver").saved == (str(home / "丙午 game.sgf"),)
    assert (home / "丙午 game.sgf").read_text() == "(;)"
    assert answer.path == str(home / "丙午 game.sgf")
    assert not is_open(shared)


def test_what_is_there_is_replaced_only_after_a_yes(shared, home, places):
    (home / "apple.sgf").write_text("kept")
    ask_save(shared)
    press(shared, "enter")
    assert (home / "apple.sgf").read_text() == "kept"
    press(shared, "enter")  # the answer that is in front keeps it
    assert is_open(shared)
    assert (home / "apple.sgf").read_text() == "kept"
    press(shared, "enter", "escape")
    assert is_open(shared), "Escape leaves the question only"
    press(shared, "enter")
    shared.click(*label_of(places, "Replace"))
    assert (home / "apple.sgf").read_text() == "(;)"
    assert not is_open(shared)


def test_a_full_disk_is_one_line_and_the_dialog_stays(shared, home):
    answer = ask_save(shared, "new.sgf")
    shared.component("Saver").is_full = True
    before = shared.app.host.error_count
    press(shared, "enter")
    assert is_open(shared)
    assert not answer.is_given
    dialog = dialog_of(shared)
    assert dialog.message == f"{home / 'new.sgf'}: No space left on device"
    assert shared.app.host.error_count == before
    press(shared, "escape")
    assert answer.is_given
    assert answer.path is None


def dialog_of(pilot):
    drawn = (getattr(draw, "__self__", None) for draw in pilot.app.shell.windows)
    return next(item for item in drawn if isinstance(item, FileDialog))


def test_arrow_keys_walk_through_folders_and_files(shared, home):
    answer = shared.component("Saver").ask_file(None, "Choose a game", [".sgf"])
    shared.draw_panels(4)
    press(shared, "arrow_down")
    assert dialog_of(shared).typed == ""
    press(shared, "enter")
    assert dialog_of(shared).folder == home / "games"
    press(shared, "arrow_down")
    assert dialog_of(shared).typed == "deep.sgf"
    press(shared, "enter")
    assert answer.path == str(home / "games" / "deep.sgf")
    ask_save(shared)
    assert dialog_of(shared).folder == home / "games", "the last folder of such files"


def test_clicks_open_folders_and_choose_files(shared, home, places):
    answer = shared.component("Saver").ask_file(None, "Choose a game", [".sgf"])
    shared.draw_panels(4)
    dialog = dialog_of(shared)
    assert dialog._files.found.names == ("games", "notes", "apple.sgf", "本因坊 秀策.sgf")
    shared.click(*label_of(places, "###0"))
    shared.draw_panels(2)
    assert dialog.folder == home / "games"
    shared.click(*label_of(places, "##up"))
    shared.draw_panels(2)
    assert dialog.folder == home
    shared.click(*places["Hidden"])
    shared.draw_panels(2)
    assert ".hidden" in dialog._files.found.folders
    shared.click(*places["Hidden"])
    shared.draw_panels(2)
    shared.click(*label_of(places, "###3"))
    shared.draw_panels(2)
    assert dialog.typed == "本因坊 秀策.sgf"
    shared.double_click(*label_of(places, "###3"))
    shared.draw_panels(2)
    assert answer.path == str(home / "本因坊 秀策.sgf")


def test_a_coroutine_gets_the_path_or_none(shared, home):
    script = shared.component("Saver")
    for typed, keys, path in (("apple.sgf", ("enter",), home / "apple.sgf"),
                              ("nothing.sgf", ("enter", "escape"), None)):  # fmt: skip
        script.answers = ()
        script.start_coroutine(script.wait_for_one())
        shared.draw_panels(4)
        type_name(shared, typed)
        press(shared, *keys)
        shared.step(2)
        assert script.answers == (path and str(path),)


def test_a_new_folder_is_made_and_entered(shared, home, places):
    ask_save(shared, "new.sgf")
    shared.click(*label_of(places, "##new"))
    shared.draw_panels(2)
    shared.type_text("older games")
    press(shared, "enter")
    assert (home / "older games").is_dir()
    press(shared, "enter")
    assert shared.component("Saver").saved == (str(home / "older games" / "new.sgf"),)


def test_a_folder_that_cannot_be_read_says_so(shared, home, monkeypatch):
    def refuse(path):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    ask_save(shared)
    dialog = dialog_of(shared)
    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", refuse)
        dialog.go_to(home / "notes")
        shared.draw_panels(2)
        assert dialog._files.found.fault == f"{home / 'notes'}: Permission denied"
    type_name(shared, str(home / "nowhere" / "a.sgf"))
    press(shared, "enter")
    assert dialog.message == f"{home / 'nowhere'}: expected a folder, found none"
    assert is_open(shared)


def test_names_that_are_no_valid_text_are_shown_and_chosen(shared, home):
    raw = os.fsdecode(b"bad\xff.sgf")
    (home / raw).write_text("(;)")
    answer = shared.component("Saver").ask_file(None, "Choose a game", [".sgf"])
    shared.draw_panels(4)
    press(shared, *["arrow_down"] * 4)
    assert dialog_of(shared).typed == "bad?.sgf"
    press(shared, "enter")
    assert answer.path == str(home / raw)


def test_the_folder_of_a_kind_is_known_afterwards(shared, home):
    ask_save(shared, "kept.psq")
    type_name(shared, f"{home / 'games' / 'kept.psq'}")
    press(shared, "enter")
    memory = dialog_of(shared).memory
    assert memory.folder_of((".psq",)) == home / "games"
    assert memory.folder_of((".sgf", ".psq")) == home
    assert memory.recent_folders()[:2] == [home / "games", home]


def test_without_a_window_the_answer_is_none_and_the_console_says_so(shared, home):
    panels = shared.app.host.panels
    panels.can_ask = False
    answer = ask_save(shared)
    panels.can_ask = True
    assert (answer.is_given, answer.path) == (True, None)
    assert not is_open(shared)
    assert "Save the game: expected a window to ask in" in str(shared.app.console.records[-1])


def test_a_question_that_is_replaced_is_answered_by_none():
    panels, first = PanelRegistry(), FileQuestion("First")
    panels.ask_file(first)
    panels.ask_file(FileQuestion("Second"))
    assert (first.answer.is_given, first.answer.path) == (True, None)
    slot = SimpleNamespace(call=lambda hook, call: call())
    mine = FileQuestion("Third", slot=slot, is_save=True)
    panels.ask_file(mine)
    panels.unregister(slot)
    assert panels.asked_file is None
    assert mine.answer.is_given
    answer = FileAnswer()
    answer.give("a")
    answer.give(None)
    assert answer.path == "a"


def test_where_nothing_can_be_saved(tmp_path):
    (tmp_path / "file").write_text("")
    assert unsavable(tmp_path / "new") == ""
    assert "found a file" in unsavable(tmp_path / "file" / "new")
    assert "found none" in unsavable(tmp_path / "no" / "new")
    assert "expected a folder, found a file" in unsavable(tmp_path / "file", is_for_folder=True)


@pytest.mark.parametrize("is_save", [True, False])
def test_where_a_folder_is_chosen_an_empty_list_says_what_to_do(shared, home, monkeypatch, is_save):
    said = []
    monkeypatch.setattr(imgui, "text_wrapped", said.append)
    (home / "notes" / "plan.txt").write_text("no folder", encoding="utf-8")
    question = FileQuestion("New project", is_save=is_save, is_folder=True, folder=home / "notes")
    shared.app.host.panels.ask_file(question)
    shared.draw_panels(4)
    (line,) = {str(text) for text in said}
    assert line.startswith("No folders here. " + ("Type a name below" if is_save else "Choose"))


@pytest.mark.parametrize(
    ("typed", "found"),
    [("cave", "cave.scene.json"), ("te", "test_level.scene.json"), ("cave 2", "cave 2.scene.json"),
     ("no", None), ("c", None), ("notes", None)],
)  # fmt: skip
def test_what_is_opened_needs_no_suffix(shared, home, typed, found):
    for name in ("cave", "cave 2", "test_level", "deeper/cave"):
        (home / f"{name}.scene.json").parent.mkdir(exist_ok=True)
        (home / f"{name}.scene.json").write_text("{}", encoding="utf-8")
    opened = []
    question = FileQuestion(
        "Open a scene", suffixes=(".scene.json",), folder=home, callback=opened.append
    )
    shared.app.host.panels.ask_file(question)
    shared.draw_panels(4)
    type_name(shared, typed)
    press(shared, "enter")
    assert opened == ([str(home / found)] if found else [])
    assert dialog_of(shared).folder == (home / "notes" if typed in ("no", "notes") else home)

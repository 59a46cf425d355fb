"""Unsaved edits: written each minute, left behind by a kill, found once, deleted when they are saved."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from base.files import SHIPPED_ROOT
from sim.core.editing import Editor
from sim.core.editing import autosave as module
from sim.core.editing.autosave import PERIOD, Autosave, delete
from sim.core.files.scene_file import load
from sim.core.reporting.console import Console
from sim.core.scene.scene import Scene

OBJECTS = {"obj_one": {"name": "One", "position": [1, 0, 0]}}


class Text:
    """A script in the editor."""

    def __init__(self, path: Path, text: str, *, is_unsaved: bool = True) -> None:
        self.path, self.text, self.is_unsaved = path, text, is_unsaved


class Window:
    """What one window has: an editor of a scene file, and its autosave."""

    def __init__(self, scene: Path, folder: Path) -> None:
        self.scene = scene
        live = Scene()
        live.load_document(load(scene))
        self.editor = Editor(live, Console())
        self.texts: list[Text] = []
        self.warnings: list[str] = []
        self.autosave = Autosave(
            folder, scene, self.editor, lambda: self.texts, self.warnings.append
        )

    def move(self, x: float) -> None:
        self.editor.set_transform(self.editor.scene.find("One"), position=(x, 0, 0))

    def place(self) -> list[float]:
        return list(self.editor.authored.find("One").transform.position)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "scenes").mkdir()
    scene = tmp_path / "scenes" / "a.scene.json"
    scene.write_text(
        json.dumps({"format": "goishi.scene/1", "id": "scn_autosave", "objects": OBJECTS})
    )
    return scene, tmp_path / "data" / "autosaves"


@pytest.fixture
def window(files):
    return Window(*files)


def left(files):
    folder = files[1]
    return sorted(folder.iterdir()) if folder.is_dir() else []


def test_edits_are_written_a_minute_after_the_first_and_deleted_when_saved(files, window):
    window.autosave.update(0.0)
    window.move(5.0)
    window.autosave.update(1.0)
    window.autosave.update(PERIOD)
    assert left(files) == []
    window.autosave.update(PERIOD + 1.0)
    (folder,) = left(files)
    written = json.loads((folder / module.SCENE_NAME).read_text())
    assert written["objects"]["obj_one"]["position"] == [5.0, 0.0, 0.0]
    assert load(files[0]).data["objects"] == OBJECTS, "the scene's own file is untouched"
    window.editor.save(files[0])
    window.autosave.update(PERIOD + 2.0)
    assert left(files) == []


def test_a_scene_saved_as_another_file_keeps_its_edits_there(files, window):
    window.move(5.0)
    window.autosave.write()
    copy = files[0].with_name("b.scene.json")
    window.editor.save_as(copy)
    window.autosave.follow(copy)
    assert left(files) == []
    window.move(6.0)
    window.autosave.write()
    window.autosave.close()
    assert Window(*files).autosave.find() is None
    found = Window(copy, files[1]).autosave.find()
    assert found.scene is not None
    assert not found.is_outdated
    assert load(copy).id != load(files[0]).id
    delete(found.lock)


def test_what_was_undone_to_the_end_is_no_edit(files, window):
    window.move(5.0)
    window.autosave.write()
    assert len(left(files)) == 1
    window.editor.undo()
    window.autosave.update(0.0)
    assert left(files) == []


def test_a_window_that_ends_without_an_answer_keeps_the_edits_and_a_discard_deletes_them(files):
    for is_discarded in (False, True):
        window = Window(*files)
        window.move(5.0)
        window.autosave.write()
        window.move(6.0)
        if is_discarded:
            window.autosave.discard()
        window.autosave.close()
        assert len(left(files)) == (0 if is_discarded else 1)
        found = Window(*files).autosave.find()
        assert (found is None) == is_discarded
        if found is not None:
            assert json.loads(found.scene.read_text())["objects"]["obj_one"]["position"][0] == 6.0
            delete(found.lock)


def test_found_edits_are_restored_as_one_step_and_stay_until_they_are_saved(files, window):
    window.texts = [Text(files[0].parent / "a.py", "x = 1\n"), Text(files[0], "", is_unsaved=False)]
    window.move(5.0)
    window.autosave.close()
    after = Window(*files)
    recovery = after.autosave.find()
    assert recovery.scripts == ((files[0].parent / "a.py", "x = 1\n"),)
    assert not recovery.is_outdated
    after.editor.restore(load(recovery.scene, project=files[0].parent.parent))
    after.autosave.adopt(recovery)
    assert after.place() == [5.0, 0.0, 0.0]
    assert after.editor.is_changed
    after.autosave.update(0.0)
    assert len(left(files)) == 1, "another crash loses nothing"
    assert Window(*files).autosave.find() is None, "it is this window's now"
    after.editor.undo()
    assert after.place() == [1.0, 0.0, 0.0]
    after.editor.redo()
    after.editor.save(files[0])
    after.autosave.update(1.0)
    assert left(files) == []
    assert load(files[0]).data["objects"]["obj_one"]["position"] == [5.0, 0.0, 0.0]


def test_two_windows_on_one_scene_keep_their_own_and_neither_is_offered_the_others(files):
    one, two = Window(*files), Window(*files)
    for number, window in enumerate((one, two)):
        window.move(10.0 + number)
        window.autosave.write()
    assert len(left(files)) == 2
    assert one.autosave.find() is None
    assert two.autosave.find() is None
    one.editor.save(files[0])
    one.autosave.update(0.0)
    assert len(left(files)) == 1
    two.autosave.close()
    third = Window(*files)
    recovery = third.autosave.find()
    assert recovery.is_outdated, "the other has saved since"
    assert Window(*files).autosave.find() is None, "one window alone offers it"
    recovery.lock.release()
    assert Window(*files).autosave.find() is not None


def test_a_scene_saved_since_is_told(files, window):
    window.move(5.0)
    window.autosave.write()
    window.autosave._lock.release()
    other = Window(*files)
    other.move(3.0)
    other.editor.save(files[0])
    assert other.autosave.find().is_outdated


def test_a_full_disk_is_one_warning_and_it_is_tried_again(files, window, monkeypatch):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    window.move(5.0)
    with monkeypatch.context() as patch:
        patch.setattr(module, "atomic_write", full)
        for number in range(4):
            window.autosave.update(number * (PERIOD + 1.0))
    (line,) = window.warnings
    assert line.startswith("unsaved edits are not kept for a crash: ")
    assert line.endswith("No space left on device")
    assert window.autosave.find() is None
    window.autosave.write()
    assert (left(files)[0] / module.ENTRY_NAME).is_file()
    assert len(window.warnings) == 1


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "goishi.autosave/9"}'])
def test_a_damaged_one_is_not_offered(files, window, content):
    window.move(5.0)
    window.autosave.close()
    (folder,) = left(files)
    (folder / module.ENTRY_NAME).write_text(content)
    assert Window(*files).autosave.find() is None


EDITS = """
import sys, time
from pathlib import Path
from tests.sim.core.editing.test_autosave import Window
window = Window(Path(sys.argv[1]), Path(sys.argv[2]))
window.move(7.0)
window.autosave.update(0.0)
window.autosave.update(61.0)
print("written", flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_a_killed_process_leaves_its_edits_and_a_living_one_does_not(files):
    words = [sys.executable, "-c", EDITS, *map(str, files)]
    with subprocess.Popen(words, cwd=SHIPPED_ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "written\n"
        window = Window(*files)
        assert window.autosave.find() is None
        os.kill(child.pid, signal.SIGKILL)
    recovery = window.autosave.find()
    window.editor.restore(load(recovery.scene, project=files[0].parent.parent))
    window.autosave.adopt(recovery)
    assert window.place() == [7.0, 0.0, 0.0]

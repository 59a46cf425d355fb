"""The File menu by mouse and keys: scenes, projects, scripts, prefabs, assets, pictures."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import cv2
import numpy as np
import pytest
from imgui_bundle import imgui

from base import files
from base.errors import GoishiError
from sim.core.editing import new_files
from sim.core.editing.asset_import import import_asset
from sim.core.files import scene_file
from sim.core.files.scene_file import check
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot
from sim.ui.panels.file_dialog import FileDialog


class Mouse:
    """Knows where buttons and lines of menus were drawn last, and clicks on them."""

    def __init__(self, pilot, patch):
        self.pilot, self.places = pilot, {}
        for name in ("button", "menu_item", "selectable", "invisible_button"):
            patch.setattr(imgui, name, self._noted(getattr(imgui, name)))

    def _noted(self, plain):
        def drawn(label, *more):
            result = plain(label, *more)
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            self.places[label] = ((low.x + high.x) / 2, (low.y + high.y) / 2)
            return result

        return drawn

    def lay_out(self):
        """Lay out the panels alone, without the picture of the scene."""
        self.pilot.app.shell.layer.lay_out(least=4)

    def place(self, part):
        self.places.clear()
        self.lay_out()
        return next(place for label, place in self.places.items() if part in label)

    def click(self, part):
        self.pilot.click(*self.place(part))
        self.lay_out()

    def choose(self, entry):
        self.click("File##menu")
        self.click(entry)

    def drag(self, start, end):
        app = self.pilot.app
        self.pilot.move(*start)
        app.inject(InputEvent("button_down", key="mouse1", x=start[0], y=start[1]))
        self.pilot.step(2)
        for share in (0.1, 0.4, 0.8, 1.0):
            self.pilot.move(*(a + (b - a) * share for a, b in zip(start, end, strict=True)))
            self.pilot.step(2)
        app.inject(InputEvent("button_up", key="mouse1", x=end[0], y=end[1]))
        self.pilot.step(3)

    def answer(self, text):
        """Write over what the dialog offers, and press Enter."""
        self.pilot.press("a", "control")
        self.pilot.type_text(text)
        self.lay_out()
        self.pilot.press("enter")
        self.lay_out()


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    root = tmp_path_factory.mktemp("mine") / "garden"
    new_files.make_project(root)
    scene = root / "scenes" / "main.scene.json"
    with Pilot(scene=scene, speed=1.0, window=(1280, 720), quality="low",
               data_dir=root.parent / "data") as made:  # fmt: skip
        made.app.clock.pause()
        made.app.shell.preferences.arrange("studio")
        made.draw_panels(6)
        yield made


@pytest.fixture
def pilot(window):
    yield window
    app = window.app
    app.host.panels.ask_file(None)
    app.question.stay()
    while app.editor.can_undo:
        app.editor.undo()
    app.editor.mark_saved()
    app.run_context.next_scene = app.run_context.exit_code = None
    app.shell.layer.lay_out(least=4)
    assert app.host.error_count == 0


@pytest.fixture
def mouse(pilot, monkeypatch):
    return Mouse(pilot, monkeypatch)


def root_of(pilot):
    return pilot.app.run_context.project


def dialog_of(pilot):
    drawn = (getattr(draw, "__self__", None) for draw in pilot.app.shell.windows)
    return next(item for item in drawn if isinstance(item, FileDialog))


def is_asking(pilot):
    return pilot.app.host.panels.asked_file is not None


def said(pilot):
    return [item.text for item in pilot.app.console.records if item.level == "debug"]


def test_goishis_own_examples_are_left_alone_and_saved_into_a_project(tmp_path):
    before = sorted(Path("scripts").glob("*"))
    new_files.make_project(tmp_path / "mine")
    copy = tmp_path / "mine" / "scenes" / "hello.scene.json"
    with Pilot(scene="scenes/hello.scene.json", speed=1.0, quality="low") as pilot:
        app = pilot.app
        app.shell.choose(next(iter(app.scene.objects.values())))
        for ask in (app.files.ask_new_script, app.files.ask_prefab, app.files.ask_import):
            ask()
            assert not is_asking(pilot)
            assert "expected a project of your own" in app.console.records[-1].text
        app.files.save_as(copy)
        assert app.run_context.next_scene == copy
    assert sorted(Path("scripts").glob("*")) == before
    with Pilot(scene=copy, graphics=False) as pilot:
        pilot.step(5)
        assert pilot.app.host.error_count == 0
        assert all(slot.instance is not None for slot in pilot.app.scene.components())


def test_an_installed_goishi_stays_as_it_is_and_asks_where_to_save(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "IS_INSTALLED", True)
    example = Path("scenes/character.scene.json").resolve()
    copy = tmp_path / "mine ö" / "scenes" / "character.scene.json"
    copy.parent.mkdir(parents=True)
    with Pilot(scene=example, speed=1.0, quality="low") as pilot:
        app, mouse = pilot.app, Mouse(pilot, monkeypatch)
        before = {path: path.read_bytes() for path in example.parent.iterdir()}
        first = next(iter(app.scene.objects.values()))
        app.editor.rename(first, "Renamed")
        assert not app.shell.save_all()
        assert is_asking(pilot)
        app.navigation.close_window()
        assert app.question.is_open
        mouse.click("Save all")
        assert not app.question.is_open
        assert is_asking(pilot)
        line = "character.scene.json belongs to Goishi: save it as a scene of your own"
        assert [item.text for item in app.console.records if line in item.text]
        with pytest.raises(OSError, match="belongs to Goishi"):
            app.editor.save(example)
        with pytest.raises(GoishiError, match=r"belongs to Goishi|project of your own"):
            app.editor.make_prefab(first, "assets/first.prefab.json")
        app.shell.script.open("scripts/examples/walker.py")
        assert app.shell.script.current.editor.is_read_only_enabled()
        assert not app.shell.script.save()
        mouse.answer(str(copy))
        assert app.run_context.next_scene == copy
        assert not app.question.is_open
        assert before == {path: path.read_bytes() for path in example.parent.iterdir()}
    assert [path.name for path in (copy.parents[1] / "assets" / "models").iterdir()] == [
        "figure.glb"
    ]
    assert check(copy) == []
    assert not Path("assets/first.prefab.json").exists()


def test_each_command_has_its_key_in_the_list_and_its_line(pilot, mouse):
    keys = pilot.app.shell.keys
    names = {action.name for action in keys.groups()["File"]}
    chords = {keys.chord(name) for name in names} - {""}
    assert chords == {"control+shift+n", "control+o", "control+shift+s", "control+w"}
    assert keys.action_of("control+s") == "studio.save"
    mouse.click("File##menu")
    [menu] = pilot.app.shell.playback.menus
    in_menu = {entry.name for entry in menu.entries} - {""}
    assert in_menu == {*names, "studio.save"}
    assert {entry.label for entry in menu.entries if not entry.more} <= set(mouse.places)
    mouse.click("New scene…")
    assert '>>> do("file.new_scene")' in said(pilot)


def test_a_new_scene_is_sound_and_opened_and_takes_no_name_that_is_there(pilot, mouse):
    pilot.press("n", "control", "shift")
    mouse.lay_out()
    assert dialog_of(pilot).typed == "scene.scene.json"
    mouse.answer("main.scene.json")
    assert "expected a new name" in dialog_of(pilot).message
    mouse.answer("cave")
    cave = root_of(pilot) / "scenes" / "cave.scene.json"
    assert check(cave) == []
    assert pilot.app.run_context.next_scene == cave
    assert '>>> app.files.new_scene("scenes/cave.scene.json")' in said(pilot)


def test_unsaved_work_is_asked_about_and_staying_loses_nothing(pilot, mouse):
    app = pilot.app
    app.files.new_scene("scenes/other.scene.json")
    app.run_context.next_scene = app.run_context.exit_code = None
    app.editor.rename(app.scene.find("Table"), "Desk")
    pilot.press("o", "control")
    mouse.lay_out()
    mouse.answer("other.scene.json")
    assert app.question.is_open
    assert app.run_context.next_scene is None
    mouse.click("Stay")
    assert app.scene.find("Desk") is not None
    assert app.editor.is_changed


@pytest.mark.parametrize("content", ["{", '{"format": "goishi.prefab/1", "name": "A"}', None])
def test_what_is_no_scene_is_one_line_in_the_dialog(pilot, mouse, content):
    bad = root_of(pilot) / "scenes" / "bad.scene.json"
    if content is not None:
        bad.write_text(content, encoding="utf-8")
    mouse.choose("Open…")
    mouse.answer("bad.scene.json")
    message = dialog_of(pilot).message
    assert is_asking(pilot)
    assert "expected" in message
    assert "\n" not in message
    assert pilot.app.run_context.next_scene is None
    bad.unlink(missing_ok=True)


def test_save_as_goes_on_in_the_copy_and_undo_goes_on(pilot, mouse):
    app, root = pilot.app, root_of(pilot)
    first = app.run_context.scene_path
    before = first.read_bytes()
    app.editor.rename(app.scene.find("Table"), "Desk")
    pilot.press("s", "control", "shift")
    mouse.lay_out()
    assert dialog_of(pilot).typed == "main.scene.json"
    mouse.answer("copy")
    copy = root / "scenes" / "copy.scene.json"
    assert app.run_context.scene_path == copy
    assert first.read_bytes() == before
    assert not app.editor.is_changed
    assert check(copy) == []
    ids = {json.loads(path.read_text("utf-8"))["id"] for path in (first, copy)}
    assert len(ids) == 2
    assert app.editor.undo()
    pilot.press("s", "control")
    assert "Desk" not in copy.read_text("utf-8")
    with pytest.raises(GoishiError, match="expected a folder of the project"):
        app.files.save_as(root.parent / "far.scene.json")
    assert not (root.parent / "far.scene.json").exists()
    app.files.save_as(first)


def test_a_script_is_written_and_opened_and_taken_names_are_refused(pilot, mouse):
    app, root = pilot.app, root_of(pilot)
    mouse.choose("New script…")
    assert dialog_of(pilot).typed == "new_script.py"
    for name, fault in (("hello", "expected a new name"), ("2 leaves", "expected a Python name"),
                        ("../leaf", "expected a file in"), ("../assets/leaf", "expected a file"),
                        ):  # fmt: skip
        mouse.answer(name)
        assert fault in dialog_of(pilot).message, name
    mouse.answer("leaf")
    assert not is_asking(pilot)
    script = app.shell.script
    assert script.current.path == root / "scripts" / "leaf.py"
    assert "class Leaf(Script)" in script.current.text
    assert '>>> app.files.new_script("scripts/leaf.py")' in said(pilot)
    pilot.press("a", "control")
    for letter in 'print(f"{[1]}")':
        pilot.type_text(letter)
        mouse.lay_out()
    assert script.current.text.strip() == 'print(f"{[1]}")'
    script.save()
    pilot.press("w", "control")
    mouse.lay_out()
    assert script.tabs == []
    assert not app.run_context.stop_requested


def test_an_object_dragged_into_the_assets_is_a_prefab_and_back_an_instance(pilot, mouse):
    app, root = pilot.app, root_of(pilot)
    studio = app.shell.studio
    app.shell.panel_windows.open_front("Assets")
    before = json.dumps(app.editor.data(), sort_keys=True)
    start = mouse.place(" Board")
    corner = imgui.internal.dock_builder_get_node(app.shell.layout.nodes["bottom"]).pos
    mouse.drag(start, (corner.x + 120, corner.y + 130))
    file = root / "assets" / "board.prefab.json"
    board = app.scene.find("Board")
    assert json.loads(file.read_text("utf-8"))["name"] == "Board"
    assert (board.authored or {})["prefab"] == "assets/board.prefab.json"
    left, top, width, height = app.shell.viewport
    mouse.drag(mouse.place("board.prefab.json"), (left + width / 2, top + height * 0.7))
    copy = studio.selection.object
    assert copy is not board
    assert [child.name for child in copy.children] == ["Stone"]
    assert copy.children[0].get("Hello") is not board.children[0].get("Hello")
    app.editor.undo()
    app.editor.undo()
    assert json.dumps(app.editor.data(), sort_keys=True) == before
    file.unlink()
    pilot.click(*mouse.place(" Board"), button="mouse3")
    mouse.lay_out()
    mouse.click("Make prefab…")
    asked = app.host.panels.asked_file
    assert asked is not None
    assert asked.label == "Make a prefab of Board"
    pilot.press("escape")
    mouse.lay_out()
    assert app.host.panels.asked_file is None


def test_assets_are_copied_with_what_they_refer_to(pilot, tmp_path, mouse):
    root = root_of(pilot)
    cv2.imwrite(str(tmp_path / "clay.png"), np.full((8, 8, 3), 120, np.uint8))
    (tmp_path / "cup.mtl").write_text("newmtl a\nmap_Kd clay.png\n", encoding="utf-8")
    (tmp_path / "cup.obj").write_text(
        "mtllib cup.mtl\nusemtl a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n",
        encoding="utf-8",
    )
    mouse.choose("Import asset…")
    mouse.answer(str(tmp_path / "cup.obj"))
    assert not is_asking(pilot)
    folder = root / "assets" / "cup"
    assert sorted(path.name for path in folder.iterdir()) == ["clay.png", "cup.mtl", "cup.obj"]
    assert import_asset(tmp_path / "cup.obj", root) == "assets/cup/cup.obj"
    assert import_asset(tmp_path / "clay.png", root) == "assets/clay.png"
    assert import_asset(tmp_path / "clay.png", root) == "assets/clay.png"
    cv2.imwrite(str(tmp_path / "clay.png"), np.full((8, 8, 3), 20, np.uint8))
    assert import_asset(tmp_path / "clay.png", root) == "assets/clay_2.png"
    assert "assets/cup/cup.obj" in pilot.app.shell.studio.assets.listed()
    (tmp_path / "broken.glb").write_bytes(b"no model")
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    for name, fault in (("broken.glb", "expected"), ("notes.txt", "expected a file ("),
                        ("gone.png", "found no")):  # fmt: skip
        with pytest.raises(GoishiError, match=fault.replace("(", r"\(")):
            import_asset(tmp_path / name, root)
    assert not (root / "assets" / "broken.glb").exists()


def test_a_dropped_picture_is_imported_and_a_dropped_project_opened(pilot, tmp_path):
    cv2.imwrite(str(tmp_path / "moss.png"), np.full((8, 8, 3), 90, np.uint8))
    new_files.make_project(tmp_path / "next")
    pilot.app.inject(InputEvent("drop", text=str(tmp_path / "moss.png")))
    pilot.step()
    assert (root_of(pilot) / "assets" / "moss.png").is_file()
    assert pilot.app.run_context.next_scene is None
    pilot.app.inject(InputEvent("drop", text=str(tmp_path / "next")))
    pilot.step()
    assert pilot.app.run_context.next_scene == tmp_path / "next" / "scenes" / "main.scene.json"


def test_a_picture_of_the_view_is_exported(pilot, mouse, tmp_path):
    mouse.choose("Export picture…")
    mouse.answer(str(tmp_path / "view"))
    picture = cv2.imread(str(tmp_path / "view.png"))
    assert picture.shape[1::-1] == pilot.app.shell.viewport[2:]
    assert picture.std() > 5


def test_the_scene_and_the_chosen_object_are_exported_for_other_programs(pilot, mouse, tmp_path):
    app = pilot.app
    app.shell.choose(None)
    mouse.choose("Export object…")  # grey, as none is chosen
    assert not is_asking(pilot)
    pilot.press("escape")
    mouse.choose("Export scene…")
    assert app.host.panels.asked_file.name == "main.glb"
    mouse.answer(str(tmp_path / "garden"))
    assert (tmp_path / "garden.glb").read_bytes()[:4] == b"glTF"
    assert app.console.records[-2].text.startswith(f"exported {tmp_path / 'garden.glb'}: ")
    shown = next(obj for obj in app.scene.objects.values() if obj.model is not None)
    app.shell.choose(shown)
    mouse.choose("Export object…")
    mouse.answer(str(tmp_path / "one.gltf"))
    names = [node["name"] for node in json.loads((tmp_path / "one.gltf").read_text())["nodes"]]
    assert names == [obj.name for obj in shown.subtree()]
    with pytest.raises(GoishiError, match=r"Export scene: expected .*\.glb or \.gltf"):
        app.files.export_scene(tmp_path / "garden.obj")
    app.shell.choose(None)


def test_a_project_is_that_of_the_command_line_and_only_into_an_empty_folder(
    pilot, mouse, tmp_path
):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("x")
    mouse.choose("New project…")
    mouse.answer(str(tmp_path / "full"))
    assert "found one that is taken" in dialog_of(pilot).message
    mouse.answer(str(tmp_path / "fresh"))
    new_files.make_project(tmp_path / "other")
    files = [
        sorted(path.relative_to(root).as_posix() for path in root.rglob("*"))
        for root in (tmp_path / "fresh", tmp_path / "other")
    ]
    assert files[0] == files[1]
    main = tmp_path / "fresh" / "scenes" / "main.scene.json"
    assert pilot.app.run_context.next_scene == main
    pilot.app.run_context.next_scene = pilot.app.run_context.exit_code = None
    mouse.choose("Open project…")
    mouse.answer(str(tmp_path / "full"))
    assert "expected a folder that holds scenes/" in dialog_of(pilot).message
    mouse.answer(str(tmp_path / "fresh"))
    assert pilot.app.run_context.next_scene == main


def test_the_disk_is_full_or_closed_and_nothing_is_lost(pilot, monkeypatch):
    files, root = pilot.app.files, root_of(pilot)
    pilot.app.shell.choose(pilot.app.scene.find("Table"))
    before = sorted(root.rglob("*"))

    def refuse(*words, **more):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(scene_file, "write_synced", refuse)
        patch.setattr(new_files, "write_new", refuse)
        patch.setattr("sim.core.editing.asset_import.shutil.copyfile", refuse)
        (root.parent / "a.png").write_bytes(b"x")
        for command, path in (
            (files.new_scene, "scenes/x.scene.json"), (files.save_as, "scenes/x.scene.json"),
            (files.new_script, "scripts/x.py"), (files.make_prefab, "assets/x.prefab.json"),
            (files.new_project, root.parent / "x"), (files.import_asset, root.parent / "a.png"),
        ):  # fmt: skip
            with pytest.raises(GoishiError, match="No space left on device") as found:
                command(path)
            assert "\n" not in str(found.value)
    assert sorted(root.rglob("*")) == before
    assert not (root.parent / "x").exists()
    assert not pilot.app.editor.is_changed
    assert not (pilot.app.scene.find("Table").authored or {}).get("prefab")


def test_ctrl_w_closes_the_window_and_a_dialog_ends_the_presentation(pilot):
    app = pilot.app
    pilot.press("f11")
    assert app.host.panels.is_presenting
    app.files.ask_open()
    assert not app.host.panels.is_presenting
    app.host.panels.ask_file(None)
    pilot.draw_panels(2)
    app.editor.rename(app.scene.find("Table"), "Desk")
    pilot.press("w", "control")
    assert app.question.is_open
    app.question.stay()
    app.editor.undo()
    pilot.press("w", "control")
    assert app.run_context.stop_requested


def test_recent_scenes_are_cards_that_open(pilot, mouse):
    app, root = pilot.app, root_of(pilot)
    app.files.new_scene("scenes/seen.scene.json")
    app.run_context.next_scene = app.run_context.exit_code = None
    recent = app.files._recent
    recent.add(root / "scenes" / "seen.scene.json")
    recent.add(app.run_context.scene_path)
    app.files.keep_picture()
    assert recent.picture_of(app.run_context.scene_path).is_file()
    mouse.choose("Open…")
    mouse.click("recent 0")
    assert app.run_context.next_scene == root / "scenes" / "seen.scene.json"


def test_empty_panels_say_what_to_do_next(pilot, mouse):
    app = pilot.app
    app.shell.choose(None)
    app.console.clear()
    app.shell.panel_windows.open_front("Script")
    mouse.click("New script")
    assert is_asking(pilot)
    app.host.panels.ask_file(None)
    mouse.click("Create an object")
    assert imgui.is_popup_open("", int(imgui.PopupFlags_.any_popup))
    pilot.press("escape")
    app.shell.panel_windows.open_front("Console")
    app.console.clear()
    mouse.click("Type Python")
    assert app.shell.backend.io.want_text_input
    pilot.press("escape")
    for obj in list(app.scene.roots):
        app.editor.delete(obj)
    mouse.place("Create an object")


def test_a_menu_is_seen_although_nothing_happens_after_the_click(pilot):
    pilot.move(22, 85)  # the button that creates objects
    pilot.step(30)
    for kind in ("button_down", "button_up"):
        pilot.app.inject(InputEvent(kind, key="mouse1", x=22, y=85))
    pilot.step(3)
    menus = [item for item in pilot.app.shell.backend.context.windows if "Popup" in item.name]
    assert [(item.active, item.hidden) for item in menus if item.active] == [(True, False)]
    pilot.press("escape")

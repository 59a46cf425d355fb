"""Everything that is done in the window by hand says the Python line that does the same."""

from __future__ import annotations

import pytest

from sim.core.editing.external_editor import ExternalEditor
from sim.core.input.input_actions import InputEvent
from sim.core.reporting.console import ConsoleRecord
from sim.testing import Pilot
from tests.sim.ui.shell.sweeping_hand import Sweep, Widget

HELLO = "scenes/hello.scene.json"
SAYS_NOTHING = {
    "Copy": "the clipboard is no part of the app",
    "copy all": "the clipboard is no part of the app",
    "prompt": "it is Python itself",
    "arrow": "what is unfolded in the tree",
    "row": "what is marked in the console",
    "end": "where the console is scrolled to",
    "create": "opens a menu",
    "Add a component": "opens a menu",
    "Panels": "opens a menu",
    "more": "opens a menu",
    "##menu": "opens a menu",
    "##letter": "it is pulled; the number says its line",
    "New script…": "asks for a name",
    "Make prefab…": "asks for a file; the prefab says its line",
    "##name": "the name is said when the script is there",
    "Create": "opens a menu, or says its line once the script is there",
    "Rename": "begins to edit; the name is said when it is there",
    "Play on": "shuts a question",
    "Folder …": "asks; the folder that is chosen is said",
    "flame": "how far a frame is magnified",
    "##whole": "how far a frame is magnified",
}


def is_exempt(widget: Widget) -> bool:
    return (
        any(word in widget.label for word in SAYS_NOTHING)
        or (
            "keys_panel" in widget.site[0] and widget.kind == "small_button"  # waits for a key
        )
        or ("add_component" in widget.site[0] and widget.label == "##search")
        or "assets_panel" in widget.site[0]  # a double click says the edit
    )


def open_every_panel(pilot) -> None:
    shell = pilot.app.shell
    shell.preferences.arrange("studio")
    for panel in shell.panels:
        shell.open(panel.title)
    pilot.draw_panels(4)


def refusals(pilot):
    shell = pilot.app.shell

    def found():
        studio = shell.studio
        return (
            dict(studio.inspector.form.messages),
            studio.hierarchy.message,
            studio.inspector.adding.message,
            shell.key_list.message,
        )

    return found


@pytest.fixture
def pilot(tmp_path, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda address: True)
    with Pilot(scene=HELLO, speed=1.0, quality="low", data_dir=tmp_path / "data") as made:
        made.app.recorder.folder = tmp_path
        made.app.editor.save = lambda path: None  # the shipped scene stays as it is
        made.app.shell.script.editors.editors = [ExternalEditor("Ed", ("true",), lambda f, n: ())]
        made.app.console._stderr = False
        made.app.clock.pause()
        yield made


class Desk:
    """The panels of an app, one in front, as they are put in order again after each use."""

    def __init__(self, pilot, chosen):
        self.pilot, self.title = pilot, ""
        self.chosen = pilot.app.scene.find(chosen)

    def bring(self, title):
        self.title = title
        self.pilot.app.shell.panel_windows.open_front(title)
        self.pilot.draw_panels(2)

    def tidy(self):
        app = self.pilot.app
        shell = app.shell
        app.host.panels.present(False)
        while app.scene.get(self.chosen.id) is None and app.editor.undo():
            pass  # it was cut or deleted
        is_away = shell.layout.name != "studio" or not shell.is_open(self.title)
        shell.studio.hierarchy.search = shell.studio.inspector.adding.search = ""
        shell.console.search = shell.key_list.search = ""
        shell.studio.selection.choose(app.scene.get(self.chosen.id))
        if is_away:
            shell.preferences.arrange("studio")
            self.bring(self.title)

    def sweep(self, sweep, titles):
        for title in titles:
            self.bring(title)
            sweep.run()


def test_every_widget_of_the_engines_panels_says_a_line_that_does_the_same(pilot):
    shell = pilot.app.shell
    open_every_panel(pilot)
    console = pilot.app.console
    shell.console.levels["debug"] = True
    console.add(ConsoleRecord("error", "oh", file="scripts/common/spin.py", line=4, details="why"))
    shell.open_at("scripts/common/spin.py", 3)
    desk = Desk(pilot, "Board")
    sweep = Sweep(pilot, refusals(pilot), desk.tidy, untyped=("app.welcome.choose(",))
    desk.sweep(sweep, [panel.title for panel in shell.panels])
    shell.do("app.welcome")
    sweep.run()
    assert sweep.silent(is_exempt) == []
    assert len(sweep.used) > 80, "the hand has been everywhere"
    lines = {line for said in sweep.used.values() for line in said}
    begins = ("shell.choose(", "recorder.settings.size = ", "shell.open(", "shell.console.levels",
              "app.welcome.choose(", "editor.set_material(", "shell.script.open_outside(")  # fmt: skip
    for begin in begins:
        assert any(line.startswith(begin) for line in lines), begin
    assert sweep.faults == []


def test_every_action_of_the_key_map_says_itself_and_can_be_typed(pilot):
    shell, console = pilot.app.shell, pilot.app.console
    said = []
    console.subscribe(lambda record: said.append(record.text))
    shell.studio.selection.choose(pilot.app.scene.find("Board"))
    names = [*shell.keys.actions]
    assert len(names) > 30
    for name in names:
        said.clear()
        assert shell.keys.run(name)
        pilot.app.host.panels.present(False)
        assert [line for line in said if line.startswith(">>> ")] or name == "studio.rename", name
        assert shell.interpreter.run(f'do("{name}")').error is None
        pilot.app.host.panels.present(False)
        if pilot.app.scene.get("obj_board00001") is None:
            pilot.app.editor.undo()
        shell.studio.selection.choose(pilot.app.scene.find("Board"))


def test_what_is_typed_is_not_said_again(pilot):
    console = pilot.app.console
    pilot.app.shell.interpreter.run('editor.rename(find("Board"), "Table")')
    pilot.app.shell.interpreter.run('shell.choose(find("Table"))')
    assert [item.text for item in console.records if item.level == "debug"] == []


def test_a_hand_on_the_mouse_says_where_it_has_led_the_view(pilot):
    app = pilot.app
    left, top, width, height = app.shell.viewport
    x, y = left + width / 2, top + height / 2
    pilot.move(x, y)
    app.inject(InputEvent("button_down", key="mouse3", x=x, y=y))
    pilot.step()
    for step in range(5):
        pilot.move(x + 12 * step, y + 4 * step)
    app.inject(InputEvent("button_up", key="mouse3", x=x + 48, y=y + 16))
    pilot.step(3)
    lines = [item.text[4:] for item in app.console.records if "view.camera.show" in item.text]
    assert len(lines) == 1, "once, when it lets go"
    led = app.view.camera._goal.copy()
    app.view.camera.reset()
    assert app.shell.interpreter.run(lines[0]).error is None
    assert app.view.camera._goal == pytest.approx(led, abs=1e-3)


def test_a_button_over_the_view_says_how_to_press_it():
    with Pilot(scene="scenes/chart_wall.scene.json", speed=1.0, quality="low") as pilot:
        console = pilot.app.console
        pilot.step(3)
        board = pilot.app.host.hud
        label = [item.label for canvas in board.shown() for item in canvas.buttons][-1]
        pilot.click_button(label)
        said = [item.text for item in console.records if item.level == "debug"]
        assert f'>>> host.hud.press("{label}")' in said
        assert pilot.app.shell.interpreter.run(f'host.hud.press("{label}")').error is None
        failed = pilot.app.shell.interpreter.run('host.hud.press("nowhere")').error
        assert "expected a button over the view, one of [" in failed.text


def test_a_key_that_is_bound_in_the_list_is_said(pilot):
    shell = pilot.app.shell
    shell.key_list.waiting = "studio.theme"
    pilot.press("t", "control")
    assert shell.keys.chord("studio.theme") == "control+t"
    line = '>>> shell.key_list.bind("studio.theme", "control+t")'
    assert line in [item.text for item in pilot.app.console.records]
    shell.key_list.reset()
    shell.interpreter.run(line[4:])
    assert shell.keys.chord("studio.theme") == "control+t"


GAME_PANELS = ("Training", "Insight", "Games", "Review")
TABS = ("Progress", "Network", "Black", "Settings", "Checkpoints")
TYPED_IN_FORMS = ("##name", "##note", "##search")  # said with the button beside them


@pytest.mark.nightly
def test_every_widget_of_the_games_panels_says_a_line_that_does_the_same(tmp_path):
    with Pilot(seed=1, quality="low", data_dir=tmp_path, window=(1600, 1200)) as pilot:
        match, coach, panel, viewer = (
            pilot.component(name)
            for name in ("Match", "LearnerClient", "TrainingPanel", "GameViewer")
        )
        pilot.wait_until(lambda: match.played >= 1 and coach.link is not None)
        pilot.app.console._stderr = False
        coach.checkpoint("first", "")
        pilot.wait_until(lambda: coach.checkpoints)
        pilot.component("Timeline").open_game(1)
        pilot.app.clock.pause()
        open_every_panel(pilot)
        desk = Desk(pilot, "Board")

        def refused():
            return (dict(panel.controls.editor.refusals), *refusals(pilot)())

        side = pilot.component("SideGame")

        def tidy():
            has_left = any(".leave()" in line for said in sweep.used.values() for line in said)
            if side.is_running and has_left:  # else its panel hides what begins a game
                side.break_off()
            desk.tidy()

        sweep = Sweep(pilot, refused, tidy, untyped=("app.welcome.choose(",))
        sweep.only = ("scripts/",)
        sweep.bars = ("scripts/gomoku/history/game_viewer.py",)
        for tab in TABS:
            panel.tab = tab
            desk.sweep(sweep, ["Training"])
        timeline = pilot.component("Timeline")
        for title in (*GAME_PANELS, "Games"):
            if viewer.record is None:  # the hand has left it
                timeline.open_game(1)
                pilot.draw_panels(2)
            desk.sweep(sweep, [title])
        timeline.selected = (0, 0)
        timeline.show_only("All")  # the hand has filtered and searched: no row may be left
        timeline.search.text = ""
        desk.sweep(sweep, ["Games"])

        def is_typed(widget):
            return widget.label in TYPED_IN_FORMS

        assert sweep.silent(is_typed) == []
        assert sweep.faults == []
        lines = {line for said in sweep.used.values() for line in said}
        for part in (".checkpoint(", ".ask_roll_back(", ".keeping.export()", ".is_training_on = ",
                     ".choose(component(", ".show_only(", ".select(", ".seat(", ".play_on()",
                     ".film()", ".jump(", ".leave()", ".toggle("):  # fmt: skip
            assert any(part in line for line in lines), part
        errors = [str(item) for item in pilot.app.console.records if item.level == "error"]
        assert errors == []

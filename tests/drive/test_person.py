"""A person at the real window: chooses, edits, breaks and mends a script, pauses, looks at a past
game, sits down as White and places a stone."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from sim.core.project.trust import Trust, remember
from tests.drive.x_person import Person

ROOT = Path(__file__).resolve().parents[2]
ROWS = {"Board": (60, 168)}
GAMES_TAB = (185, 54)
DROP_HEIGHT = (1167, 280)
PICTURE = (300, 80)

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(not os.environ.get("DISPLAY"), reason="needs an X display: set DISPLAY"),
    pytest.mark.skipif(shutil.which("xdotool") is None, reason="needs xdotool"),
]


@pytest.fixture
def project(tmp_path):
    for name in ("scenes", "scripts", "assets"):
        shutil.copytree(ROOT / name, tmp_path / "project" / name)
    assert remember(tmp_path / "project", Trust.TRUSTED) == ""
    return tmp_path / "project"


@pytest.fixture
def person(project, tmp_path):
    made = Person(
        str(project / "scenes/self_teaching.scene.json"), "--data-dir", str(tmp_path / "data"),
        "--seed", "1", "--quality", "low", "--speed", "16", "--player-white", "pattern",
    )  # fmt: skip
    yield made
    made.close()


def test_a_person_uses_the_studio(person, project):
    match = 'component("Match")'
    person.do(f'{match}.game_over.connect(lambda r: host.console.info(f"over {{r.game}}"))')
    person.do(f'{match}.stone_placed.connect(lambda m, c: host.console.info(f"stone {{m}} {{c}}"))')

    person.press("F4")
    person.ask_until("view.camera.viewport[0] > 200")  # the panels stand at their places
    person.click(*ROWS["Board"])
    assert person.ask("selected.name") == "Board"

    person.click(*DROP_HEIGHT, holding="Control_L")
    person.press("ctrl+a")
    person.type("5")
    person.press("Return")
    assert person.ask('component("BoardView").drop_height') == "5.0"

    script = project / "scripts/gomoku/game/scoreboard.py"
    good = script.read_text(encoding="utf-8")
    script.write_text(good.replace("def draw(self, ui: Ui) -> None:\n",
                                   "def draw(self, ui: Ui) -> None:\n        1 / 0\n"))  # fmt: skip
    person.wait_for("ERROR Board > Scoreboard", "scoreboard.py", "ZeroDivisionError")
    script.write_text(good, encoding="utf-8")
    person.wait_for("reloaded scripts/gomoku/game/scoreboard.py")

    person.click(*PICTURE)
    person.press("space")
    assert person.ask("host.clock.paused") == "True"
    person.click(*PICTURE)
    person.press("space")
    assert person.ask("host.clock.paused") == "False"

    person.click(*GAMES_TAB)
    person.wait_for(" over ")
    person.do(f"{match}.show_game({match}.records[-1].game)")
    person.ask_until("shell.is_open('Review')")  # its panel has its place
    person.click(*PICTURE)
    person.press("Home", "Right", "Right")
    assert person.ask("component('GameViewer').ply") == "2"
    assert person.ask(f"{match}.is_paused") == "True"
    person.click(*PICTURE)
    person.press("Escape")
    assert person.ask(f"{match}.is_paused") == "False"

    person.click(*PICTURE)
    person.press("w")
    person.wait_for("White is played by")
    person.ask_until(f"bool({match}.white._legal)")
    move = person.ask(f"min({match}.white._legal)")
    place = f"view.camera.project(component('BoardView').position_of({move}))"
    before, where = "", person.ask(place)
    while where != before:  # the view makes room for what stands over it
        before, where = where, person.ask(place)
    x, y = (float(number) for number in re.findall(r"-?\d+\.\d+", where)[-2:])
    person.click(x, y)
    person.wait_for(f"stone {move} -1")
    assert not [line for line in person.lines if "Traceback" in line]
    errors = [line for line in person.lines if line.startswith("ERROR")]
    assert len(errors) == 1, errors

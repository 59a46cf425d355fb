"""A person at the real window: chooses, edits, breaks and mends a script, pauses, looks at a past
game, sits down as White and places a stone."""

from __future__ import annotations

import os
import re
import shutil
import time
from pathlib import Path

import pytest

from tests.drive.x_person import Person

ROOT = Path(__file__).resolve().parents[2]
PROMPT = (500, 672)
ROWS = {"Board": (60, 168)}
GAMES_TAB = (185, 54)
HIERARCHY_TAB = (62, 54)
DROP_HEIGHT = (1167, 280)
PICTURE = (430, 120)

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(not os.environ.get("DISPLAY"), reason="needs an X display"),
    pytest.mark.skipif(
        "GOISHI_PERSON" not in os.environ, reason="takes minutes; GOISHI_PERSON=1 runs it"
    ),
    pytest.mark.skipif(shutil.which("xdotool") is None, reason="needs xdotool"),
]


@pytest.fixture
def project(tmp_path):
    for name in ("scenes", "scripts", "assets"):
        shutil.copytree(ROOT / name, tmp_path / "project" / name)
    return tmp_path / "project"


@pytest.fixture
def person(project, tmp_path):
    made = Person(
        str(project / "scenes/self_teaching.scene.json"), "--data-dir", str(tmp_path / "data"),
        "--seed", "1", "--quality", "low", "--speed", "16", "--player-white", "pattern",
    )  # fmt: skip
    yield made
    made.close()


def ask(person, expression):
    """Type a question at the prompt; return what is printed after the mark."""
    person.click(*PROMPT)
    person.type(f'print("=" * 3, {expression})')
    person.press("Return")
    return person.wait_for("=== ").partition("=== ")[2].strip()


def wait_until(person, expression):
    deadline = time.monotonic() + 120
    while ask(person, expression) != "True":
        assert time.monotonic() < deadline, expression
        time.sleep(1.0)


def test_a_person_uses_the_studio(person, project):
    wait_until(person, 'component("Match").game > 0')
    person.press("F4")
    time.sleep(2.0)
    person.click(*ROWS["Board"])
    assert ask(person, "selected.name") == "Board"

    person.click_holding("Control_L", *DROP_HEIGHT)
    person.press("ctrl+a")
    person.type("5")
    person.press("Return")
    assert ask(person, 'component("BoardView").drop_height') == "5.0"

    script = project / "scripts/gomoku/scoreboard.py"
    good = script.read_text(encoding="utf-8")
    script.write_text(good.replace("def draw(self, ui: Any) -> None:\n",
                                   "def draw(self, ui: Any) -> None:\n        1 / 0\n"))  # fmt: skip
    person.wait_for("ERROR Board > Scoreboard", "scoreboard.py", "ZeroDivisionError")
    script.write_text(good, encoding="utf-8")
    person.wait_for("reloaded scripts/gomoku/scoreboard.py")

    wait_until(person, 'component("Match").played > 0')
    person.click(*PICTURE)
    person.press("space")
    assert ask(person, "host.clock.paused") == "True"
    person.click(*PICTURE)
    person.press("space")
    assert ask(person, "host.clock.paused") == "False"

    person.click(*GAMES_TAB)
    first = int(ask(person, "max(r.game for r in component('Match').records)"))
    ask(person, f"component('Match').show_game({first})")
    person.click(*PICTURE)
    person.press("Home", "Right", "Right")
    assert ask(person, "component('GameViewer').ply") == "2"
    assert ask(person, "component('Match').is_held") == "True"
    person.click(*PICTURE)
    person.press("Escape")
    assert ask(person, "component('Match').is_held") == "False"

    person.click(*PICTURE)
    person.press("w")
    assert ask(person, "component('Match').white.is_human") == "True"
    wait_until(person, "bool(component('Match').white._legal)")
    before = int(ask(person, "len(component('Match').current.moves)"))
    for row in (1, 2, 3, 1, 2):  # a click may meet a panel that floats there
        where = ask(person, f"view.camera.project(component('BoardView').position_of(min("
                            f"m for m in component('Match').white._legal if m >= {7 * row + 2})))")  # fmt: skip
        x, y = (float(number) for number in re.findall(r"-?\d+\.\d+", where)[-2:])
        person.click(x, y)
        time.sleep(2.0)
        if int(ask(person, "len(component('Match').current.moves)")) > before:
            break
    else:
        raise AssertionError("no click placed a stone")
    assert not [line for line in person.lines if "Traceback" in line]
    errors = [line for line in person.lines if line.startswith("ERROR")]
    assert len(errors) == 1, errors

"""A real window that is killed: the next one offers its edits; a missing model refuses neither."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from base.files import SHIPPED_ROOT

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(not os.environ.get("DISPLAY"), reason="needs an X display: set DISPLAY"),
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here"),
]
WINDOW = """
import sys
from pathlib import Path
from base.trust import trust_for_this_run
from sim.app.app import App
from sim.core.project.run_options import RunOptions
scene, data = map(Path, sys.argv[1:])
trust_for_this_run(scene.parent.parent)
app = App(RunOptions(scene=scene, data_dir=data, window=(800, 600), quality="low"))
app.frame()
lamp = app.scene.find("Lamp")
"""
EDITED = """
app.editor.set_transform(lamp, position=(2, 3, 0))
app.shell.script.open("scripts/one.py")
app.shell.script.tabs[0].bring_back("ONE = 2  # not saved")
app.shell.playback.toggle()
app.shell.playback.toggle()  # plays again
print("played", flush=True)
while True:
    app.frame()
"""
OFFERED = """
import json
question = app.restore_question
found = [question.is_open, list(question.lines)]
question.restore()
app.frame()
lamp = app.scene.find("Lamp")
found += [list(lamp.transform.position), app.shell.script.tabs[0].text, app.shell.unsaved()]
found.append([record.text for record in app.console.records if record.level == "error"])
app.shell.save_all()
app.frame()
found.append(len(list((data / "autosaves").iterdir())))
app.close()
print(json.dumps(found), flush=True)
"""


def test_the_edits_of_a_killed_window_are_offered_by_the_next_one(tmp_path):
    for name in ("scenes", "scripts"):
        (tmp_path / name).mkdir()
    scene = tmp_path / "scenes" / "a.scene.json"
    lamp = {"name": "Lamp", "model": {"asset": "assets/lamp.glb"}}
    data = {"format": "goishi.scene/1", "id": "scn_rescue", "objects": {"obj_lamp": lamp}}
    scene.write_text(json.dumps(data))
    (tmp_path / "scripts" / "one.py").write_text("ONE = 1\n")
    words = [sys.executable, "-c", WINDOW + EDITED, str(scene), str(tmp_path / "data")]
    with subprocess.Popen(words, cwd=SHIPPED_ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "played\n"
        os.kill(child.pid, signal.SIGKILL)
    words[2] = WINDOW + OFFERED
    done = subprocess.run(words, cwd=SHIPPED_ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    is_open, lines, place, text, unsaved, errors, left = json.loads(done.stdout.splitlines()[-1])
    assert is_open
    assert [line.partition(",")[0] for line in lines] == ["scenes/a.scene.json", "scripts/one.py"]
    assert place == [2.0, 3.0, 0.0]
    assert text.strip() == "ONE = 2  # not saved"
    assert sorted(unsaved) == ["scenes/a.scene.json", "scripts/one.py"]
    assert errors == [
        "Lamp: model.asset: expected a file of the project, found no assets/lamp.glb; "
        "a placeholder stands there"
    ]
    assert left == 0
    written = json.loads(scene.read_text())["objects"]["obj_lamp"]
    assert written["position"] == [2.0, 3.0, 0.0]
    assert written["model"] == lamp["model"], "the path, not the placeholder"

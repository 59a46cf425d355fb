"""The tutorial's code is taken from the page, built in an empty folder, and does what it says."""

from __future__ import annotations

import contextlib
import json
import math
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from ai import Board, Limit, Rules, create_player
from base.errors import FieldError
from benchmarks.tutorial_pictures import (
    MATCH,
    MOST_BYTES,
    PAGE,
    SCENE,
    Step,
    click_firefly,
    open_world,
    read_steps,
)
from benchmarks.tutorial_words import at_breakpoint, run_commands
from sim.app.vector_world import VectorWorld
from sim.core.input.input_actions import InputEvent
from sim.core.project.run_options import RunOptions
from sim.export.exporter import is_writable_here
from sim.pack.choice import choose, first_scene
from sim.testing import Pilot
from tests.command_line import run_here, run_main
from tests.common import errors, place
from tests.project_page import own_scripts

STEPS = {step.number: step for step in read_steps()}
World = Callable[..., Pilot]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Build the steps up to a number in an empty folder, and open the world."""
    opened: list[Pilot] = []

    def open_step(
        number: int, scene: str = SCENE, *, graphics: bool = False, **options: Any
    ) -> Pilot:
        project = build(tmp_path / f"garden{len(opened)}", number)
        opened.append(open_world(project, scene, graphics=graphics, quality="low",
                                 window=(640, 360), **options))  # fmt: skip
        return opened[-1]

    yield open_step
    for pilot in opened:
        pilot.app.close()


def build(project: Path, number: int) -> Path:
    """Do what the page says up to a step."""
    for step in STEPS.values():
        if step.number <= number:
            step.build(project)
    return project


def hold(pilot: Pilot, key: str) -> None:
    pilot.app.inject(InputEvent("key_down", key=key))
    pilot.step()


def let_go(pilot: Pilot, key: str) -> None:
    pilot.app.inject(InputEvent("key_up", key=key))
    pilot.step()


def test_the_page_has_eleven_steps_each_with_code_and_a_picture_that_is_light() -> None:
    assert list(STEPS) == list(range(1, 12))
    words = "script, field, event, coroutine, animation, texture, player, train, debug, C, friend"
    for step, word in zip(STEPS.values(), words.split(", "), strict=True):
        assert word.lower() in step.title.lower()
        assert step.edits
    pictures = re.findall(r"!\[[^\]]+\]\((images/tutorial/[^)]+)\)", PAGE.read_text("utf-8"))
    assert pictures == [f"images/tutorial/{number:02}.png" for number in STEPS]
    for name in pictures:
        file = PAGE.parent / name
        assert file.stat().st_size <= MOST_BYTES
        assert cv2.imread(str(file)).std() > 5.0


def test_what_stands_before_no_file_is_told(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("## 1. One\n\nSome words:\n\n```python\npass\n```\n", "utf-8")
    with pytest.raises(ValueError, match="Some words"):
        read_steps(page)


def test_1_the_garden_is_seen_and_its_firefly_flies(world: World) -> None:
    pilot = world(1, graphics=True)
    x, y = (int(value) for value in pilot.pixel_of(place(pilot.app.scene.find("Post/Lantern"))))
    blue, green, red = pilot.picture()[y, x].astype(int)
    assert red > green > blue
    fly = pilot.app.scene.find("Firefly")
    before = place(fly)
    pilot.step(15)
    assert 0.1 < np.linalg.norm(place(fly) - before) < 1.0
    assert errors(pilot) == []


def test_2_the_fields_come_while_the_world_runs(world: World) -> None:
    pilot = world(1)
    fly = pilot.app.scene.find("Firefly")
    pilot.step(10)
    before = place(fly)
    pilot.app.world.reloader.reload(STEPS[2].edits[0].apply(pilot.app.scene.project))
    pilot.step(10)
    assert fly.get("Firefly").reach == 0.6
    assert 0.05 < np.linalg.norm(place(fly) - before) < 1.0
    assert errors(pilot) == []


def test_2_fields_say_how_a_firefly_flies_and_a_mistake_leads_to_its_place(world: World) -> None:
    pilot = world(2)
    project = pilot.app.scene.project
    high, low = pilot.app.scene.find_all("Firefly")
    pilot.step(30)
    assert abs(place(high)[2] - 1.2) <= 0.151
    assert abs(place(low)[2] - 0.7) <= 0.151
    pilot.app.host.set_field(high.components[0], "color", [0.0, 1.0, 0.0])
    pilot.step()
    assert high.material["color"] == [0.0, 1.0, 0.0]
    code, _, wrong, right = STEPS[2].edits
    pilot.app.world.reloader.reload(code.apply(project))
    pilot.app.world.reloader.reload(wrong.apply(project))
    pilot.step(3)
    said = re.search(r"^ERROR .+$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert said is not None
    assert errors(pilot) == [said[0]]
    record = next(item for item in pilot.app.console.records if item.level == "error")
    lines = (project / wrong.path).read_text("utf-8").splitlines()
    assert "raech" in lines[record.line - 1]
    stands = place(high)
    pilot.app.world.reloader.reload(right.apply(project))
    pilot.step(10)
    assert 0.05 < np.linalg.norm(place(high) - stands) < 1.0
    assert len(errors(pilot)) == 1


def test_3_a_key_holds_them_still_and_a_click_lights_the_lantern(world: World) -> None:
    pilot = world(3, graphics=True)
    flies = pilot.app.scene.find_all("Firefly")
    hold(pilot, "c")
    before = [place(fly) for fly in flies]
    pilot.step(5)
    assert np.allclose(before, [place(fly) for fly in flies])
    let_go(pilot, "c")
    pilot.step(5)
    assert not np.allclose(before, [place(fly) for fly in flies])
    lantern = pilot.app.scene.find("Post/Lantern")
    assert lantern.material.get("emission", 0.0) == 0.0
    click_firefly(pilot)
    pilot.step(2)
    assert len(pilot.app.scene.find_all("Firefly")) == 1
    assert pilot.component("Swarm").total == 1
    glow = lantern.material["emission"]
    assert 0.6 < glow <= 0.8
    assert lantern.get("Light").intensity == pytest.approx(8.0 * glow)
    pilot.step(120)
    assert 0.0 < lantern.material["emission"] < 0.75 * glow
    assert errors(pilot) == []


def test_4_the_swarm_comes_and_who_is_caught_flies_home(world: World) -> None:
    pilot = world(4)
    swarm = pilot.component("Swarm")
    pilot.step(60)
    assert 4 <= len(swarm.object.children) < 12
    pilot.step(150)
    assert len(swarm.object.children) == 12
    flies = swarm.object.children[0], swarm.object.children[-1]
    lantern = place(pilot.app.scene.find("Post/Lantern"))
    for fly in flies:
        fly.get("Firefly").catch()
    pilot.step(20)
    assert swarm.total == 0, "they are on their way"
    assert all(np.linalg.norm(place(fly) - lantern) < 1.5 for fly in flies)
    pilot.step(10)
    assert swarm.total == 2
    assert errors(pilot) == []


def test_5_the_keeper_hushes_is_glad_and_holds_a_lamp(world: World) -> None:
    pilot = world(5)
    figure = pilot.app.scene.find("Keeper")
    animation = figure.animation
    pilot.wait_until(lambda: animation.is_ready)
    pilot.step(5)
    assert (animation.clip, animation.is_playing) == ("idle", True)

    def hand_height() -> float:
        return float(np.asarray(animation.joint("hand_r"))[3, 2])

    low = hand_height()
    lamp, hand = pilot.app.scene.find("Lamp"), np.asarray(animation.joint("hand_r"))[3, :3]
    assert 0.1 < np.linalg.norm(place(lamp) - hand) < 0.4
    hold(pilot, "c")
    pilot.step(2)
    assert (animation.clip, animation.is_playing) == ("wave", False)
    assert hand_height() > low + 0.4, "the hand is up"
    let_go(pilot, "c")
    pilot.step(2)
    assert animation.clip == "idle"
    pilot.app.scene.find("Swarm/Firefly").get("Firefly").catch()
    pilot.step(26)
    assert animation.clip == "cheer"
    pilot.step(round(30 * animation.duration("cheer")) + 5)
    assert animation.clip == "idle"
    assert errors(pilot) == []


def test_6_the_sign_counts_and_draws(world: World) -> None:
    pilot = world(6, graphics=True, panels=True)
    pilot.step(60)
    sign = pilot.app.scene.find("Board/Sign")
    before = sign.canvas.pixels.copy()
    count = len(pilot.app.scene.find("Swarm").children)
    pilot.press("x")
    pilot.step(40)
    seconds, caught = pilot.app.world.metrics.series("caught")
    assert caught.tolist() == list(range(1, count + 1))
    assert (seconds > 2.0).all()
    assert pilot.component("Sign").total == count
    red = sign.canvas.pixels[120:330, 70:610].astype(int) - before[120:330, 70:610]
    assert (red > 60).any(axis=2).sum() > 200, "the line goes up"
    x, y = (int(value) for value in pilot.pixel_of(place(sign)))
    assert pilot.picture()[y - 25 : y + 25, x - 25 : x + 25].astype(int).std() > 5.0
    types = pilot.app.shell.studio.inspector.component_types()
    assert {"scripts.sign:Sign", "goishi:scripts.common.spin:Spin"} <= set(types)
    assert errors(pilot) == []


def test_7_the_own_player_is_short_and_beats_the_genetic_algorithm(world: World) -> None:
    code = next(edit.code for edit in STEPS[7].edits if edit.path.endswith(".py"))
    body = code.partition("class Rows")[2].splitlines()
    assert sum(bool(line.strip()) for line in body) <= 30
    pilot = world(7, MATCH, seed=4, games=2, speed=math.inf, frame_step=None)
    match = pilot.component("Match")
    pilot.wait_until(lambda: match.played == 2, frames=4000)
    assert match.black.label == "scripts.my_player:create"
    assert match.white.label == "genetic"
    assert [(record.winner, record.termination) for record in match.records] == [(1, "five")] * 2
    assert errors(pilot) == []


def test_8_the_own_learner_learns_live_and_is_steered(world: World) -> None:
    pilot = world(8, MATCH, seed=1, games=40, speed=math.inf, frame_step=None)
    match, coach, panel = (pilot.component(k) for k in ("Match", "LearnerClient", "TrainingPanel"))
    pilot.wait_until(lambda: match.played >= 20, frames=20_000)
    records, steps = match.white.own_settings()
    editor = panel.controls.editor
    assert not editor.set(match.white, records, "99")
    assert (
        editor.refusal(match.white, "records") == "expected a whole number from 1 to 30, found '99'"
    )
    assert editor.set(match.white, steps, "100")
    assert editor.set(match.white, steps, "60")
    assert len(coach.pending) == 0, "as it is"
    assert editor.set(match.white, steps, "100")
    assert match.white.more == ""
    match.white.more = "stepz=1"
    with pytest.raises(FieldError, match=r"more: .*expected one of steps, records; found 'stepz'"):
        match.white.validate()
    match.white.more = ""
    pilot.wait_until(lambda: match.white.more == "steps=100")
    assert ("steps", 60, "100") in [(c["key"], c["from"], c["to"]) for c in coach.changes]
    pilot.wait_until(lambda: match.played >= 40, frames=20_000)
    won = [record.winner == -1 for record in match.records]
    assert not won[0]
    assert sum(won[:5]) < 5
    assert sum(won[-20:]) >= 14
    assert coach.retrains == won.count(False)
    assert coach.statistics["network_id"] == coach.retrains
    assert len(pilot.app.world.metrics.series("loss")[1]) == coach.retrains
    assert errors(pilot) == []


def test_8_a_mistake_in_the_learner_is_a_line_that_leads_to_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = next(edit for edit in STEPS[8].edits if edit.path == "scripts/pupil.py")
    wrong = replace(right, code=right.code.replace("arrays[", "arrayz["))
    monkeypatch.setattr(STEPS[8], "edits", [wrong if e is right else e for e in STEPS[8].edits])
    pilot = world(8, MATCH, seed=1, games=40, speed=math.inf, frame_step=None)
    pilot.wait_until(lambda: errors(pilot), frames=20_000)
    line = next(n for n, text in enumerate(wrong.code.splitlines(), 1) if "arrayz" in text)
    assert errors(pilot) == [
        f"ERROR White > LearnerClient._train  scripts/pupil.py:{line}  WorkerError: worker trainer: "
        "NameError: name 'arrayz' is not defined"
    ]


def test_9_a_debugger_stops_where_the_page_says(tmp_path: Path) -> None:
    project = build(tmp_path / "garden", 9)
    launch = json.loads((project / ".vscode" / "launch.json").read_text("utf-8"))
    assert launch["configurations"][0]["connect"]["port"] == RunOptions().debug_port
    step = STEPS[9]
    with at_breakpoint(step.text, step.commands[0], project) as stopped:
        assert stopped.frame["name"] == "hover"
        assert float(stopped.value("self.pace")) > 1.5
        assert stopped.value("self.object.name") == "'Firefly'"
        phase, dt = (float(stopped.value(words)) for words in ("self.phase", "dt"))
        for words in stopped.typed.split("; "):
            stopped.debugger.ask(
                "evaluate", expression=words, frameId=stopped.frame["id"], context="repl"
            )
        assert stopped.value("list(self.color)") == "[0.4, 0.8, 1.0]"
        assert stopped.value("self.object.material['color']") == "[0.4, 0.8, 1.0]"
        stopped.debugger.send("continue", threadId=stopped.thread)
        _, frame = stopped.debugger.stop()
        later = float(stopped.debugger.value(frame["id"], "self.phase"))
        assert later == pytest.approx(phase + 1.6 * dt), "one frame later"


@pytest.mark.skipif(not is_writable_here(), reason="libraries are written on x86-64 Linux")
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a C compiler: install gcc")
def test_10_c_calls_the_player_and_gets_pythons_moves(tmp_path: Path) -> None:
    project = build(tmp_path / "garden", 10)
    answers = run_commands(STEPS[10].commands, project)
    found = answers[-1][1].split()
    rules = Rules(11, 5)
    with own_scripts():
        player = create_player("scripts.my_player:create", rules, project=project)
        board = Board(rules)
        board.push(rules.points // 2)
        while board.outcome() is None:
            board.push(player.choose(board, Limit(), np.random.default_rng(0)).move)
    assert found == ["O.X"[stone + 1] for stone in board.stones]
    assert board.outcome().winner != 0


def test_an_edit_that_finds_no_place_is_told(tmp_path: Path) -> None:
    step: Step = STEPS[4]  # it changes one line
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "firefly.py").write_text("pass\n")
    with pytest.raises(ValueError, match="once"):
        step.build(tmp_path)


def teach_it() -> tuple[dict[str, str], list[str]]:
    """Return the files and the commands of the chapter "Teach it"."""
    body = PAGE.read_text("utf-8").partition("## Teach it\n")[2].partition("\n## ")[0]
    found = re.findall(r"`(\w+/[\w.]+)`:\n\n```\w+\n(.+?)```", body, re.DOTALL)
    (typed,) = re.findall(r"```sh\n(.+?)```", body, re.DOTALL)
    return dict(found), re.sub(r"\\\n\s*", "", typed).splitlines()


def build_moth(folder: Path) -> Path:
    files, _ = teach_it()
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder / "scenes" / "moth.scene.json"


def test_teach_it_needs_sixty_lines_and_its_agent_can_be_learnt(tmp_path: Path) -> None:
    files, commands = teach_it()
    assert sum(len(text.splitlines()) for text in files.values()) <= 60
    assert [words.split()[2] for words in commands] == ["run", "train", "run"]
    with contextlib.closing(VectorWorld(build_moth(tmp_path), 2)) as world:
        world.begin(1)
        seen = world.arrays["observation.0"]
        lamps = seen[:, 2:].copy()
        for _ in range(60):
            world.arrays["action.0"][...] = np.clip((lamps - seen[:, :2]) / 0.15, -1.0, 1.0)
            world.advance()
        assert (abs(seen[:, :2] - lamps) < 0.05).all()
        assert world.arrays["truncated"].all()
        assert not world.arrays["terminated"].any()


@pytest.mark.nightly
def test_teach_it_trains_the_moth_by_the_commands_of_the_page(tmp_path: Path) -> None:
    build_moth(tmp_path)
    *_, train, _ = teach_it()[1]
    words = train.replace("~/garden", str(tmp_path)).split()[2:]
    code, said, error = run_main(*words, "--trust")
    assert code == 0
    assert [line for line in error.splitlines() if not line.startswith("goishi: ppo: ")] == []
    card = json.loads((tmp_path / "moth" / "policy.json").read_text("utf-8"))
    trained, untrained, by_chance = (
        card["frozen"][name]["mean"] for name in ("trained", "untrained", "random")
    )
    assert trained > 0.6 * max(untrained, by_chance)  # they are costs
    assert "policy in" in said


def test_strange_scripts_are_trained_with_trust_only(tmp_path: Path, capsys: Any) -> None:
    scene = build_moth(tmp_path)
    code, out, error = run_here(capsys, "train", "ppo", "--scene", str(scene))
    assert (code, out) == (2, "")
    assert "--trust" in error
    assert len(error.splitlines()) == 1


def test_11_the_garden_is_paused_saved_and_has_all_that_a_friend_needs(world: World) -> None:
    pilot = world(11)
    pilot.step(5)
    pause, clock = pilot.component("Pause"), pilot.app.clock
    pause.swarm.total = 3
    pilot.press("p")
    assert clock.paused
    pilot.app.host.hud.press("Save")
    pilot.step(2)
    assert not clock.paused
    assert pause.saves.read("garden") == 3
    assert errors(pilot) == []
    project = pilot.app.scene.project.resolve()
    found = choose(project, first_scene(project, "main"))
    assert found.scenes == ("scenes/main.scene.json",)
    assert not found.trains
    assert not {"numba", "matplotlib", "imgui_bundle"} & set(found.packages)

"""Steers a training from the window, as a person would. No sleeps: workers are awaited."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ai import member_of, read_changes, read_games
from ai.store.learnt_file import LearntFile, write_learnt
from base.files import SHIPPED_ROOT
from sim.app.app import run
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot, run_options
from tests.common import errors, same
from tests.drive.own_scene import QUICK, quick_scene
from tests.drive.test_file_menu import Mouse, is_asking
from tests.warm_workers import WarmContext, run_commands

TABS = ("Progress", "Network", "Black", "Settings", "Checkpoints")
NONSENSE = ("nan", "1e300", "🙂", "", "-1", "five")


def parts(pilot):
    return tuple(pilot.component(name) for name in ("Match", "LearnerClient", "TrainingPanel"))


def mid_game(pilot, match, game: int) -> None:
    pilot.wait_until(
        lambda: match.game >= game and match.current is not None and 3 <= match.current.ply < 15
    )


@pytest.fixture(scope="module")
def steered(tmp_path_factory):
    """A run whose alpha and opponent were changed in the middle of game 2."""
    folder = tmp_path_factory.mktemp("runs")
    out = folder / "steered"
    with Pilot(scene=quick_scene(folder), seed=1, graphics=False, out=out) as pilot:
        match, coach, panel = parts(pilot)
        editor = panel.controls.editor
        mid_game(pilot, match, 2)
        game = match.game
        assert editor.propose(coach.seat, "alpha", "10")
        assert editor.propose(match.black, "population", "20")
        assert editor.propose(coach.seat, "records", "4")
        editor.withdraw(coach.seat, "records")
        pilot.step(3)
        assert (coach.seat.alpha, match.black.population) == (0.5, 10), (
            "this game goes on as it was"
        )
        nodes, link = coach.statistics.get("nodes", 0), coach.link
        pilot.wait_until(lambda: match.game > game)
        assert (coach.seat.alpha, match.black.population, coach.seat.records) == (10.0, 20, 1)
        pilot.wait_until(lambda: match.played >= game + 1)
        pilot.wait_until(lambda: match.game > game + 1)
        assert coach.link is link
        assert coach.statistics["nodes"] >= nodes
        assert coach._opening.settings["alpha"] == 10.0
        assert panel._chart_marks() == [(game + 1.0, "alpha 0.5 → 10 (+1)")]
        assert errors(pilot) == []
    return out, game + 1


def test_a_change_is_in_the_runs_files_at_the_game_it_took_effect(steered):
    out, game = steered
    expected = [
        {"game": game, "key": "alpha", "from": 0.5, "to": 10.0},
        {"game": game, "key": "ga.population", "from": 10, "to": 20},
    ]
    values = json.loads((out / "run.json").read_text())
    assert values["changes"] == expected
    assert values["config"]["white"]["alpha"] == 0.5, "what the run began with"
    assert read_changes(out) == expected
    assert read_changes(out / "runs.sqlite3") == expected
    assert len(read_games(out)) >= game


@pytest.mark.nightly
def test_the_replay_says_so_at_that_game(steered):
    out, game = steered
    scene = SHIPPED_ROOT / "scenes" / "replay.scene.json"
    with Pilot(scene=scene, graphics=False, speed=1.0, replay=str(out), replay_game=game) as pilot:
        lines = pilot.app.host.status.lines
        pilot.wait_until(lambda: "replay" in lines)
        assert lines["changes"].text == "alpha 0.5 → 10, ga.population 10 → 20 from this game"
        pilot.component("Replay").go(-1)
        pilot.step()
        assert lines["changes"].text == ""
        assert errors(pilot) == []


def test_training_is_paused_started_repeated_and_rolled_back(tmp_path):
    options = {"scene": quick_scene(tmp_path), "graphics": False, "data_dir": tmp_path / "data"}
    with Pilot(seed=1, **options) as pilot:
        match, coach, panel = parts(pilot)
        pilot.wait_until(lambda: coach.retrains >= 1 and match.game > coach.trained_game)

        coach.is_training_on = False
        pilot.wait_until(lambda: not coach.is_training)
        pilot.wait_until(lambda: coach._newest is None)
        coach.checkpoint("the good one", "first loss")
        pilot.wait_until(lambda: coach.checkpoints)
        (kept,) = coach.checkpoints
        assert (kept.name, kept.note, kept.nodes) == (
            "the good one",
            "first loss",
            coach.statistics["nodes"],
        )

        retrains, weights, played = coach.retrains, coach.seat.network.weights, match.played
        pilot.wait_until(lambda: any(record.winner == 1 for record in match.records[played:]))
        pilot.wait_until(lambda: coach.skipped >= 3)
        assert coach.retrains == retrains, "a lost game was not learnt"
        assert same(coach.seat.network.weights, weights), "the player is frozen"

        network = coach.statistics["network_id"]
        coach.retrain()
        assert coach.is_training
        pilot.wait_until(lambda: coach.seat.network_id == network + 1)
        assert coach.retrains == retrains + 1
        assert not same(coach.seat.network.weights, weights)

        coach.is_training_on = True
        pilot.wait_until(lambda: coach.retrains >= retrains + 2)
        mid_game(pilot, match, match.game + 1)
        game, playing = match.game, coach.seat.network_id
        nodes = {}
        coach.noted.connect(lambda change: nodes.update({change["key"]: coach.statistics["nodes"]}))
        coach.roll_back_to = kept
        pilot.step(3)
        assert coach.seat.network_id == playing, "this game goes on with the network it began with"
        pilot.wait_until(lambda: match.game > game and coach.seat.network_id == kept.network_id)
        assert same(coach.seat.network.weights, weights)
        assert nodes["roll back"] == kept.nodes
        assert match.game == game + 1, "the games go on counting"
        pilot.wait_until(lambda: match.played > game + 1)
        keys = [change["key"] for change in coach.changes]
        assert Counter(keys) == {"training": 2, "retrain": 1, "roll back": 1}
        rolled = coach.changes[-1]
        assert (rolled["game"], rolled["from"], rolled["to"]) == (game + 1, game, kept.game)
        assert errors(pilot) == []
        marks = panel._chart_marks()
    with Pilot(**options) as pilot:
        match, coach, panel = parts(pilot)
        pilot.wait_until(lambda: match.current is not None)
        assert panel._chart_marks() == marks, "the marks are there again"
        pilot.wait_until(lambda: coach.checkpoints)
        assert coach.checkpoints[0] == kept


@pytest.mark.nightly
def test_what_was_learnt_is_saved_and_loaded_by_mouse_and_a_foreign_file_says_why_not(
    tmp_path, monkeypatch
):
    path, foreign = tmp_path / "mine.learnt", tmp_path / "hall.learnt"
    write_learnt(foreign, LearntFile("cnn-ann", "cnn-ann-7", {"games_learnt": 3}, {}))
    options = {"seed": 1, "quality": "low", "window": (1280, 720)}
    with Pilot(data_dir=tmp_path / "data", **options) as pilot:
        match, coach, panel = parts(pilot)
        pilot.wait_until(lambda: match.played >= 1 and coach.games_learnt >= 1, frames=30_000)
        mouse = Mouse(pilot, monkeypatch)
        for label, file, word in (
            ("Save to a file", path, "saved "), ("Load from a", path, "loaded "),
            ("Load from a", foreign, "not loaded: "),
        ):  # fmt: skip
            panel.tab = "Checkpoints"
            pilot.app.shell.panel_windows.open_front("Training")
            pilot.draw_panels(2)
            mouse.click(label)
            assert is_asking(pilot)
            mouse.answer(str(file))
            pilot.wait_until(lambda word=word: coach.notice.startswith(word), frames=30_000)
        assert coach.notice == (
            f"not loaded: {foreign}: expected what cnn-lines has learnt, found what cnn-ann has; "
            "choose that player first"
        )
        said = [item.text for item in pilot.app.console.records if "_learnt(" in item.text]
        assert said == [
            '>>> component("LearnerClient").ask_save_learnt()',
            f'>>> component("LearnerClient").save_learnt("{path}")',
            '>>> component("LearnerClient").ask_load_learnt()',
            f'>>> component("LearnerClient").load_learnt("{path}")',
            '>>> component("LearnerClient").ask_load_learnt()',
            f'>>> component("LearnerClient").load_learnt("{foreign}")',
        ]


def test_an_export_is_written_beside_the_match(tmp_path):
    with Pilot(seed=1, graphics=False, player_white="random", out=tmp_path) as pilot:
        match, coach, panel = parts(pilot)
        pilot.wait_until(lambda: match.played >= 5)  # wins are drawn per five games
        coach.export(panel.keeping.run_series())
        assert coach.is_exporting
        played = match.played
        pilot.wait_until(lambda: not coach.is_exporting)
        assert match.played > played, "the match goes on meanwhile"
        (folder,) = (tmp_path / "exports").iterdir()
        names = {path.name for path in folder.iterdir()}
        assert {"wins.png", "plies.png", "series.csv", "ranks.csv", "changes.csv"} <= names
        assert any(name.startswith("events.out.tfevents.") for name in names)
        told = [item.text for item in pilot.app.console.records if "exported" in item.text]
        assert told == [f"exported {len(names)} files to {folder}"]
        assert errors(pilot) == []


def test_nonsense_is_refused_beside_the_widget_and_nothing_changes():
    with Pilot(graphics=False, player_white="random") as pilot:
        match, coach, panel = parts(pilot)
        editor = panel.controls.editor
        for owner, key in (
            (coach.seat, "alpha"),
            (coach.seat, "records"),
            (match.black, "population"),
        ):
            before = getattr(owner, key)
            for text in NONSENSE:
                assert not editor.propose(owner, key, text)
                assert editor.refusal(owner, key).startswith("expected a")
                assert (getattr(owner, key), editor.shown(owner, key)) == (before, before)
            assert len(coach.pending) == 0
            assert editor.propose(owner, key, "7")
            assert editor.refusal(owner, key) == ""
            assert editor.propose(owner, key, str(before)), "the present value withdraws the change"
            assert len(coach.pending) == 0


def test_what_more_sets_is_not_changed_behind_its_back():
    with Pilot(graphics=False, player_white="random") as pilot:
        _, coach, panel = parts(pilot)
        coach.seat.more = "steps=9"
        assert not panel.controls.editor.propose(coach.seat, "steps", "20")
        assert panel.controls.editor.refusal(coach.seat, "steps") == "set in More: steps=9"
        assert coach.seat.settings()["steps"] == "9"


def test_the_paper_player_is_shown_its_own_fields():
    with Pilot(graphics=False, player_white="random") as pilot:
        seat = pilot.component("CnnAnnSeat")
        assert {"steps", "rate"} <= set(seat.shown_keys({}))
        assert "epochs" not in seat.shown_keys({})
        assert "epochs" in seat.shown_keys({"warm_start": False})
        seat.player_kind = "cnn-ann"
        assert seat.shown_keys({}) == ("epochs", "least_steps", "batch", "rate")
        assert "warm_start" not in seat.settings()


def test_a_number_is_typed_refused_and_typed_again(monkeypatch):
    """Through keys and clicks: the widget's place is watched, all else is as people do it."""
    with Pilot(speed=1.0, player_white="random", window=(1280, 720), quality="low") as pilot:
        _match, coach, panel = parts(pilot)
        imgui = pilot.app.shell.ui.imgui
        places = []
        real = imgui.input_text

        def watched(label, text, *rest):
            answer = real(label, text, *rest)
            places.append((imgui.get_item_rect_min(), imgui.get_item_rect_max()))
            return answer

        monkeypatch.setattr(imgui, "input_text", watched)
        panel.tab = "Settings"
        pilot.wait_until(lambda: places)

        def type_alpha(text: str) -> None:
            pilot.app.shell.draw(0.1, force=True)
            places.clear()
            pilot.app.shell.draw(0.1, force=True)
            low, high = places[0]
            pilot.click((low.x + high.x) / 2, (low.y + high.y) / 2)
            for kind, held in (("key_down", {"control"}), ("key_up", set())):
                pilot.app.inject(InputEvent(kind, key="a", modifiers=frozenset(held)))
                pilot.step(2)
            pilot.app.inject(InputEvent("text", text=text))
            pilot.step(2)
            pilot.press("enter")
            pilot.app.shell.draw(0.1, force=True)

        editor, seat = panel.controls.editor, coach.seat
        type_alpha("1e300")
        assert editor.refusal(seat, "alpha") == "expected a number from 0 to 1000000, found '1e300'"
        assert (seat.alpha, len(coach.pending)) == (0.5, 0)
        type_alpha("12.5")
        assert editor.refusal(seat, "alpha") == ""
        assert editor.shown(seat, "alpha") == 12.5
        assert seat.alpha == 0.5
        assert errors(pilot) == []


@pytest.mark.parametrize("size", [(1280, 720), (800, 600)])
def test_every_tab_is_drawn_empty_and_full(size):
    with Pilot(window=size, player_white="random", games=40, quality="low") as pilot:
        match, coach, panel = parts(pilot)
        for games in (0, 11):
            pilot.wait_until(lambda games=games: match.played >= games)
            for tab in TABS:
                panel.tab = tab
                pilot.step(2)
                pilot.app.shell.draw(0.1, force=True)
                assert (panel.tab, panel._in_front) == ("", tab)
            assert panel._is_list == (size[0] < 1000), "where five titles have no room"
            coach._note({"game": 5, "key": "alpha", "from": 0.5, "to": 5.0})
        assert "left" in panel.time_left()
        assert len(panel.fitness.plies) <= 25
        assert len(pilot.app.world.metrics.series("ga_best")[0]) == match.played
        assert pilot.app.host.error_count == 0


def test_curves_are_worked_out_anew_only_after_something_was_logged():
    with Pilot(graphics=False, player_white="random") as pilot:
        panel = pilot.component("TrainingPanel")
        pilot.app.clock.pause()
        metrics = pilot.app.world.metrics
        for game in range(5000):
            metrics.log("nodes", float(game % 7), step=game)
        x, y = panel.curves.line("nodes")
        assert len(x) <= 600
        assert {y.min(), y.max()} == {0.0, 6.0}
        assert panel.curves.line("nodes")[0] is x
        metrics.log("nodes", 99.0, step=5000)
        assert panel.curves.line("nodes")[1].max() == 99.0
        assert np.isfinite(panel.curves.line("nodes")[1]).all()


LEAGUE = ("--opponents", "league")
CASES = {"genetic": ((), 2), "league": (LEAGUE, 3), "league-again": (LEAGUE, 7)}


def experiment(out: Path, cases: Iterable[str], warm: WarmContext) -> None:
    """Run the cell of each case, its folder below `out`, in a process that has TensorFlow."""
    lines = [
        [
            "experiment", "--player", "cnn-ann-plus", "--randomness", "fresh", "--records", "1",
            "--alpha", "0.5", "--games", str(CASES[case][1]), "--seed", "3",
            "--out", str(out / case), *CASES[case][0],
            *(word for item in QUICK.items() for word in ("--set", "{}={}".format(*item))),
        ]
        for case in cases
    ]  # fmt: skip
    process = warm.fork(run_commands, (lines,))
    process.start()
    process.join(240)
    assert process.exitcode == 0


@pytest.fixture(scope="module")
def cells(tmp_path_factory) -> Path:
    """The folder of the experiments: each is run by the test that compares with it."""
    return tmp_path_factory.mktemp("cells")


def run_live(scene: Path, out: Path, case: str) -> None:
    """Run a match: by its command in a process of its own, that of a league in this one."""
    words, games = CASES[case]
    if words:
        options = run_options(
            scene=scene, headless=True, graphics=False, games=games, seed=3, out=out,
            opponents="league",
        )  # fmt: skip
        assert run(options) == 0
        return
    line = [
        "run", str(scene), "--headless", "--no-graphics", "--games", str(games), "--seed", "3",
        "--out", str(out),
    ]  # fmt: skip
    subprocess.run(
        [sys.executable, "main.py", *line], cwd=SHIPPED_ROOT, check=True, timeout=240,
        capture_output=True,
    )  # fmt: skip


@pytest.mark.timeout(500)  # two runs, each with its 240 s
@pytest.mark.parametrize(
    "case",
    [
        pytest.param("genetic", marks=pytest.mark.nightly),
        "league",
        pytest.param("league-again", marks=pytest.mark.nightly),
    ],
)
def test_a_run_that_nobody_steers_is_the_experiment_to_the_byte(
    tmp_path, cells, case, warm_context
):
    words, games = CASES[case]
    if not (cells / case).exists():
        experiment(cells, (case,), warm_context)
    run_live(quick_scene(tmp_path), tmp_path / "live", case)
    name = "games.jsonl"
    lines = [json.loads(line) for line in (tmp_path / "live" / name).read_text().splitlines()]
    played = [member_of(3, game) if words else None for game in range(1, games + 1)]
    assert [line.get("opponent") for line in lines] == played
    assert (tmp_path / "live" / name).read_bytes() == (cells / case / name).read_bytes()
    assert "changes" not in json.loads((tmp_path / "live" / "run.json").read_text())


def test_a_training_that_fails_is_one_warning_and_orange_until_one_holds(monkeypatch):
    """The learner is faked to fail at first: what it says of a training is all that is shown."""
    advice = "the training failed: the network answers 62% of what it was taught; lower `rate`"
    told = {"held": 0.62, "agrees": 0.5, "failed": 0, "advice": advice}
    with Pilot(seed=1, window=(1280, 720), player_white="ann", quality="low") as pilot:
        match, coach, panel = parts(pilot)
        take, shown = coach._apply_training, []

        def fake(done):
            told["failed"] += done.retrained and told["advice"] is not None
            take(replace(done, statistics={**done.statistics, **told}))

        monkeypatch.setattr(coach, "_apply_training", fake)
        imgui = pilot.app.shell.ui.imgui
        text_colored = imgui.text_colored

        def watched(color, text):
            shown.append((text, (color.x, color.y, color.z)))
            text_colored(color, text)

        monkeypatch.setattr(imgui, "text_colored", watched)

        def warnings() -> list[str]:
            return [item.text for item in pilot.app.console.records if item.level == "warning"]

        def look() -> dict[str, object]:
            panel.tab = "Network"
            pilot.draw_panels(2)
            shown.clear()
            pilot.draw_panels(1)
            return dict(shown)

        pilot.wait_until(lambda: told["failed"] >= 2)
        pilot.app.clock.pause()
        pilot.wait_until(lambda: not coach.is_training)
        words, failed = look(), told["failed"]
        amber = pytest.approx(pilot.app.shell.theme.color("amber")[:3])
        said = next(text for text in words if text.startswith("The training failed"))
        assert said.endswith(f"lower rate. {failed} trainings failed so far.")
        assert words[said] == words["has learnt 62 % of its memory"] == amber
        told |= {"held": 0.98, "advice": None}
        pilot.app.clock.resume()
        pilot.wait_until(lambda: not coach.advice and coach.statistics["held"] == 0.98)
        words = look()
        assert not any(text.startswith("The training failed") for text in words)
        assert words["has learnt 98 % of its memory"] != amber
        lost = [record.game for record in match.records if record.winner == 1]
        assert warnings() == [f"game {game}: {advice}" for game in lost[: told["failed"]]]
        assert pilot.app.world.metrics.series("held")[1].tolist()[:2] == [0.62, 0.62]
        assert pilot.app.world.metrics.series("agrees")[1].tolist()[:2] == [0.5, 0.5]
        assert pilot.app.host.error_count == 0


def test_what_is_held_is_kept_with_the_run_and_drawn_again(tmp_path):
    out = tmp_path / "out"
    with Pilot(seed=1, graphics=False, player_white="ann", out=out) as pilot:
        match, coach, panel = parts(pilot)
        pilot.wait_until(lambda: coach.retrains >= 3 and match.played > coach.trained_game)
        held = coach.held
        assert {"held", "variety"} <= set(panel.keeping.run_series().series)
        assert match.archive.store.measures()
        names = {name for _, name, _ in match.archive.store.measures()}
        assert {"held", "variety", "nodes"} <= names
        assert "loss" not in names, "nothing is trained"
    lines = [json.loads(line) for line in (out / "timings.jsonl").read_text().splitlines()]
    found = [line["held"] for line in lines if line["held"] is not None]
    assert found[:3] == [round(share, 4) for share in held[:3]]

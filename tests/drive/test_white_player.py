"""Whoever plays White brings settings of its own, to the board and to the trainer alike."""

from __future__ import annotations

import psutil
import pytest

from ai import get_player_info, resolve_settings
from sim.core.files import scene_file as scene_writer
from sim.testing import Pilot
from tests.drive.own_scene import SCENE, scene_with

PAPER = {"records": 4, "alpha": 5.0, "epochs": 50, "least_steps": 400, "rate": 0.002}
OURS = {"records": 1, "alpha": 0.5, "steps": 1280, "warm_start": True}
MEMORY = {"records": 4, "alpha": 5.0, "width": 1.0, "relearn": "memory"}
LINES = {"records": 4, "steps": 40, "width": 1.0, "rate": 0.05, "warm_start": True}
OWN = {"cnn-ann": PAPER, "cnn-ann-plus": OURS, "ann": MEMORY, "cnn-lines": LINES}


def studio(**options) -> Pilot:
    """Return an app whose scene can be edited; nothing is trained, so that games are quick."""
    pilot = Pilot(quality="low", window=(400, 300), **options)
    pilot.component("LearnerClient").is_training_on = False
    return pilot


def settings_in_force(pilot) -> tuple[str, dict, dict]:
    """Return White's player, its settings at the board, and those of its learner."""
    coach = pilot.component("LearnerClient")
    seated, learner = coach.seat.seated, coach._opening
    assert seated.player == learner.player
    info = get_player_info(seated.player)
    return (
        seated.player,
        resolve_settings(info, seated.settings),
        resolve_settings(info, learner.settings),
    )


def check(pilot, name: str, **changed: object) -> None:
    """Check that a player sits there, and learns, by its own defaults, but for some changed."""
    match, coach = pilot.component("Match"), pilot.component("LearnerClient")
    game = match.game
    pilot.wait_until(
        lambda: match.game > game and coach.seat.player == name and match.current.ply > 1
    )
    player, at_the_board, learnt = settings_in_force(pilot)
    expected = resolve_settings(get_player_info(name), {})
    assert (player, at_the_board) == (name, {**expected, **changed})
    assert learnt == at_the_board
    assert at_the_board.items() >= {**OWN[name], **changed}.items()
    for key in OWN[name]:
        assert getattr(coach.seat, key) == at_the_board[key], "the fields show what is in force"
    assert pilot.app.host.error_count == 0


def by_the_panel(pilot, name: str) -> None:
    editor = pilot.component("TrainingPanel").controls.editor
    editor.choose(pilot.component("CnnAnnSeat"), "player_kind", name)


def by_the_inspector(pilot, name: str) -> None:
    pilot.app.editor.set_field(pilot.component("CnnAnnSeat").slot, "player_kind", name)


def by_a_script(pilot, name: str) -> None:
    pilot.component("CnnAnnSeat").player_kind = name


@pytest.mark.parametrize("name", ["cnn-ann", "ann", "cnn-ann-plus", "cnn-lines"])
def test_the_flag_seats_a_player_with_its_own_settings(name):
    with Pilot(graphics=False, seed=1, player_white=name) as pilot:
        check(pilot, name)
        readings = pilot.component("Match").last_choices
        memory = readings[-1][1].explanation["memory"]
        assert memory["alpha"] == OWN[name].get("alpha"), "Insight compares with what is in force"


def test_the_memory_alone_learns_live_without_tensorflow(cold_workers):
    with Pilot(graphics=False, seed=1, player_white="ann") as pilot:
        coach = pilot.component("LearnerClient")
        pilot.wait_until(lambda: coach.retrains >= 2 and coach.seat.network_id >= 1)
        assert coach.statistics["nodes"] >= 4
        assert coach.statistics["loss"] is None
        links = pilot.app.world.links.opened
        workers = [psutil.Process(link.process_id) for link in links]
        assert len(workers) >= 3
        mapped = {item.path for worker in workers for item in worker.memory_maps()}
        assert any("numpy" in path for path in mapped)
        assert not any("tensorflow" in path for path in mapped)
        assert pilot.app.host.error_count == 0


def test_what_the_memory_alone_has_learnt_is_taken_up(tmp_path):
    with Pilot(graphics=False, seed=1, player_white="ann", data_dir=tmp_path) as pilot:
        coach = pilot.component("LearnerClient")
        pilot.wait_until(lambda: coach.retrains >= 2)
        learnt, nodes = coach.games_learnt, coach.statistics["nodes"]
    with Pilot(graphics=False, player_white="ann", data_dir=tmp_path) as pilot:
        coach, match = pilot.component("LearnerClient"), pilot.component("Match")
        pilot.wait_until(lambda: match.current is not None)
        assert coach.games_learnt >= learnt
        assert coach.statistics["nodes"] >= nodes
        pilot.wait_until(lambda: -1 in match.last_choices)
        memory = match.last_choices[-1][1].explanation["memory"]
        assert memory["nodes"] >= nodes
        assert memory["recalled"]
        assert pilot.app.host.error_count == 0


WAYS = (by_the_panel, by_the_inspector, by_a_script)
ALONE = [  # each way to every player: by day they take turns
    pytest.param((way,) * 4, marks=pytest.mark.nightly, id=way.__name__) for way in WAYS
]


@pytest.mark.parametrize("ways", [pytest.param((*WAYS, by_the_panel), id="in_turn"), *ALONE])
def test_another_white_comes_with_its_own_settings_and_goes_with_them(ways):
    with studio(seed=1) as pilot:
        check(pilot, "cnn-lines")
        names = ("cnn-ann", "ann", "cnn-ann-plus", "cnn-lines")
        for choose, name in zip(ways, names, strict=True):
            choose(pilot, name)
            check(pilot, name)


def test_a_scene_that_names_another_player_has_its_settings(tmp_path):
    path = scene_with(tmp_path, {"player_kind": "cnn-ann", "alpha": 3.0})
    with Pilot(scene=path, graphics=False, seed=1) as pilot:
        check(pilot, "cnn-ann", alpha=3.0)


def test_the_flags_player_gives_way_to_one_that_is_chosen():
    with Pilot(graphics=False, seed=1, player_white="ann") as pilot:
        check(pilot, "ann")
        by_the_panel(pilot, "cnn-ann-plus")
        check(pilot, "cnn-ann-plus")


def test_a_choice_goes_before_a_flag_that_names_a_player_of_another_kind():
    with Pilot(graphics=False, seed=1, player_white="pattern") as pilot:
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.records)
        assert match.white.player == "pattern"
        by_the_panel(pilot, "ann")
        check(pilot, "ann")
        changes = pilot.component("LearnerClient").changes
        assert ("pattern", "ann") in [(item["from"], item["to"]) for item in changes]


def test_what_was_set_for_a_player_is_there_when_it_comes_back():
    with Pilot(graphics=False, seed=1, player_white="ann") as pilot:
        editor, coach = (
            pilot.component("TrainingPanel").controls.editor,
            pilot.component("LearnerClient"),
        )
        check(pilot, "ann")
        assert editor.propose(coach.seat, "alpha", "2")
        check(pilot, "ann", alpha=2.0)
        by_the_panel(pilot, "cnn-ann")
        assert editor.shown(coach.seat, "alpha") == 5.0, "that of the player that waits"
        assert editor.propose(coach.seat, "records", "3")
        assert coach.seat.alpha == 2.0
        check(pilot, "cnn-ann", records=3)
        by_the_panel(pilot, "ann")
        assert editor.shown(coach.seat, "alpha") == 2.0
        check(pilot, "ann", alpha=2.0)
        assert {"player": ("cnn-ann", "ann")}.items() <= {
            change["key"]: (change["from"], change["to"]) for change in coach.changes
        }.items()


def test_a_choice_that_waits_takes_back_what_waited_for_the_one_before():
    with Pilot(graphics=False, player_white="random") as pilot:
        panel, coach = pilot.component("TrainingPanel"), pilot.component("LearnerClient")
        editor, seat = panel.controls.editor, coach.seat
        assert editor.propose(seat, "alpha", "7")
        by_the_panel(pilot, "ann")
        assert coach.pending.of(seat) == {"player_kind": "ann"}
        assert editor.propose(seat, "width", "4")
        assert seat.shown_memory_keys(coach.pending.of(seat))[-1] == "width"
        assert not seat.shown_keys(coach.pending.of(seat)), "it trains nothing"
        editor.choose(seat, "relearn", "never")
        assert "'never'" in editor.refusal(seat, "relearn")
        editor.withdraw(seat, "player_kind")
        assert not coach.pending


def test_the_scene_file_keeps_what_was_authored_for_its_own_player(tmp_path):
    path = scene_with(tmp_path, {"player_kind": "cnn-ann", "records": 2})
    with studio(scene=path, seed=1, player_white="ann") as pilot:
        editor, seat = pilot.app.editor, pilot.component("CnnAnnSeat")
        before = editor.data()
        kept = seat.slot.id
        check(pilot, "ann")
        by_a_script(pilot, "cnn-ann")
        check(pilot, "cnn-ann", records=2)
        assert editor.data() == before, "nothing of it is an edit"
        by_the_inspector(pilot, "cnn-ann-plus")
        now = editor.data()["objects"]["obj_white00001"]["components"][kept]["fields"]
        assert now == {"board": {"$ref": "cmp_boardview1"}, "player_kind": "cnn-ann-plus"}
        editor.undo()
        assert editor.data() == before
        assert (seat.player_kind, seat.records, seat.alpha) == ("cnn-ann", 2, 5.0)


def test_the_fields_defaults_are_those_of_the_player_they_stand_beside():
    with Pilot(graphics=False, player_white="random") as pilot:
        seat = pilot.component("CnnAnnSeat")
        info = get_player_info("cnn-lines")
        assert resolve_settings(info, seat.settings()) == resolve_settings(info, {})


def test_the_shipped_scene_is_saved_to_the_byte(tmp_path):
    with studio(player_white="cnn-ann") as pilot:
        check(pilot, "cnn-ann")
        scene_writer.save(tmp_path / "saved.json", pilot.app.editor.data())
    assert (tmp_path / "saved.json").read_bytes() == SCENE.read_bytes()

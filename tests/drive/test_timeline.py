"""The list of all games, a past game on the board, side games, and networks compared."""

from __future__ import annotations

import json

import pytest

from ai import GameRecord
from ai.messages import LoadCheckpoint
from sim.app.app import run
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot, run_options
from tests.drive.own_scene import quick_scene


def listed(timeline, wanted="ALL"):
    network_id = timeline.match.white.network_id
    return timeline.games.shown(type(timeline.wanted)[wanted], network_id)


def numbers(timeline, wanted="ALL"):
    return [game.game for game in listed(timeline, wanted)]


def stones_shown(board):
    """Return the points of the board with the color of the stone that is seen there."""
    colors = {"black": 1, "white": -1}
    return {move: colors[stone.model["color"]] for move, stone in board.stones.items()}


def stones_of(moves):
    return {move: -1 if ply % 2 else 1 for ply, move in enumerate(moves)}


def test_all_games_of_the_data_directory_are_listed_newest_first(tmp_path):
    options = {"graphics": False, "data_dir": tmp_path, "player_white": "random"}
    assert run(run_options(headless=True, games=2, seed=1, **options)) == 0
    with Pilot(seed=2, **options) as pilot:
        match, timeline = pilot.component("Match"), pilot.component("Timeline")
        pilot.wait_until(lambda: match.played >= 2)
        games = listed(timeline)
        keys = [(game.run_id, game.game) for game in games]
        assert keys[-2:] == [(1, 2), (1, 1)]
        assert [run_id for run_id, _ in keys][: match.played] == [2] * match.played
        assert all(game.finished.startswith("20") for game in games)
        lost, won = numbers(timeline, "LOST"), numbers(timeline, "WON")
        assert sorted(lost + won) == sorted(game.game for game in games)
        assert lost == [game.game for game in games if game.winner == 1]
        before = timeline.games.find(1, run_id=1)
        timeline.open(before)
        assert pilot.component("GameViewer").record.game == 1
        assert pilot.app.host.error_count == 0


def test_since_the_last_training_lists_what_the_present_network_has_played():
    with Pilot(seed=1, graphics=False, player_white="ann") as pilot:
        match, timeline = pilot.component("Match"), pilot.component("Timeline")
        pilot.wait_until(
            lambda: match.trainer.retrains >= 1 and match.played > match.trainer.retrains
        )
        recent = numbers(timeline, "RECENT")
        assert all(number > match.trainer.trained_game for number in recent)
        assert len(recent) == match.played - match.trainer.trained_game


def test_without_a_database_the_games_of_this_run_are_listed_and_shown(tmp_path):
    with Pilot(seed=1, graphics=False, player_white="random") as pilot:
        match, timeline = pilot.component("Match"), pilot.component("Timeline")
        timeline.archive.destroy()
        pilot.wait_until(lambda: match.played >= 2)
        assert numbers(timeline)[-2:] == [2, 1]
        match.show_game(1)
        assert pilot.component("GameViewer").record == match.records[0]
        path = tmp_path / "other.sgf"
        path.write_text("(;GM[4]SZ[15];B[hh];W[ii])")
        pilot.app.inject(InputEvent("drop", text=str(path)))
        pilot.step(2)
        assert (timeline.viewer.title, timeline.viewer.board.size) == ("other.sgf", 15)
        pilot.press("escape")
        assert (timeline.viewer.record, timeline.viewer.board.size) == (None, 7)


def test_a_past_game_is_scrubbed_by_keys_and_the_live_game_is_back_as_it_was():
    with Pilot(
        seed=3, player_white="random", speed=64.0, window=(400, 300), quality="low"
    ) as pilot:
        match, board = pilot.component("Match"), pilot.component("BoardView")
        viewer, timeline = pilot.component("GameViewer"), pilot.component("Timeline")
        shown = []
        timeline.game_opened.connect(shown.append)
        pilot.wait_until(lambda: match.game >= 2 and match.current.ply >= 4)
        match.show_game(1)
        record, live = match.records[0], tuple(match.current.moves)
        assert shown == [1]
        pilot.step(20)
        assert stones_shown(board) == stones_of(record.moves)
        for key, expected in (
            ("home", 0), ("arrow_right", 1), ("arrow_right", 2), ("arrow_left", 1),
            ("end", len(record.moves)), ("arrow_right", len(record.moves)),
        ):  # fmt: skip
            pilot.press(key)
            assert viewer.ply == expected
            assert stones_shown(board) == stones_of(record.moves[:expected])
        viewer.play()
        pilot.wait_until(lambda: not viewer.is_playing)
        assert viewer.ply == len(record.moves)
        assert tuple(match.current.moves) == live, "the live game waits"
        pilot.press("escape")
        assert viewer.record is None
        assert stones_shown(board) == stones_of(match.current.moves)
        assert match.current.moves[: len(live)] == list(live)
        pilot.wait_until(lambda: match.played >= 2)
        assert match.records[1].moves[: len(live)] == live
        assert pilot.app.host.error_count == 0


def test_a_person_at_the_live_board_is_not_disturbed_by_clicks_on_a_past_game():
    with Pilot(seed=3, player_black="human", player_white="random", graphics=False) as pilot:
        match, board = pilot.component("Match"), pilot.component("BoardView")
        talk = pilot.component("HumanControls")
        pilot.wait_until(lambda: match.black._legal)
        talk.resign()
        talk.resign()
        pilot.wait_until(lambda: match.played == 1 and match.black._legal)
        match.show_game(1)
        pilot.step(2)
        assert not talk.is_at_table
        board.clicked.emit(24)
        pilot.step(3)
        assert match.current.moves == []
        pilot.component("GameViewer").close()
        board.clicked.emit(24)
        pilot.wait_until(lambda: match.current.ply >= 2)
        assert match.current.moves[0] == 24


@pytest.mark.nightly
def test_the_same_seed_gives_the_same_moves_with_the_timeline_opened_in_the_middle(tmp_path):
    path = tmp_path / "plain.json"
    options = run_options(headless=True, seed=1, games=3, graphics=False, stats=path)
    assert run(options) == 0
    plain = json.loads(path.read_text())
    with Pilot(seed=1, games=3, graphics=False) as pilot:
        match, viewer = pilot.component("Match"), pilot.component("GameViewer")
        side_game, comparison = pilot.component("SideGame"), pilot.component("Comparison")
        wanted = [(2, 3), (2, 8), (3, 1)]

        def open_in_the_middle(move, color):
            if wanted and (match.game, match.current.ply) == wanted[0]:
                wanted.pop(0)
                match.show_game(1)

        match.stone_placed.connect(open_in_the_middle)
        for left in (2, 1, 0):
            pilot.wait_until(lambda: viewer.record is not None)
            assert len(wanted) == left
            record, live = viewer.record, list(match.current.moves)
            viewer.go_to(2)
            comparison.compare(record, 2, comparison.networks()[:2])
            side_game.begin(record, 2, black="genetic", white="cnn-ann-plus")
            pilot.wait_until(lambda: not side_game.is_running and comparison._task.done)
            assert match.current.moves == live
            viewer.close()
        pilot.wait_until(lambda: match.played == 3)
        pilot.wait_until(lambda: pilot.app.run_context.stop_requested)
        assert [list(record.moves) for record in match.records] == plain["moves"]
        assert match.results.rank_counts == plain["rank_counts"]
        assert pilot.app.host.error_count == 0


@pytest.fixture(scope="module")
def learnt(tmp_path_factory):
    """Hold the live scene open with two networks and a waiting match."""
    scene = quick_scene(tmp_path_factory.mktemp("project"))
    with Pilot(scene=scene, seed=1, graphics=False) as pilot:
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.trainer.retrains >= 2 and match.played > 2)
        pilot.wait_until(lambda: match.current.outcome() is None and match.current.ply >= 2)
        match.show_game(1)
        yield pilot
        assert pilot.app.host.error_count == 0


def test_two_networks_are_compared_on_a_position(learnt):
    comparison, viewer = learnt.component("Comparison"), learnt.component("GameViewer")
    networks = comparison.networks()
    by_id = {network.network_id: network for network in networks}
    assert {0, 1, 2} <= set(by_id)
    assert by_id[0].label == "0, this run"
    comparison.compare(viewer.record, 3, [by_id[0], by_id[2]])
    learnt.wait_until(lambda: comparison.columns)
    (first, before), (second, after) = comparison.columns
    assert (first, second) == (by_id[0].label, by_id[2].label)
    for choices in (before, after):
        assert len(choices) == 5
        shares = [share for _, share in choices]
        assert shares == sorted(shares, reverse=True)
        assert 0 < sum(shares) <= 1
    assert before != after, "what was learnt changes the answer"
    coach = learnt.component("LearnerClient")
    coach.network_cache.__init__()
    kept = [item for item in comparison.networks() if item.source == "checkpoint"]
    assert kept
    before = {item.place for item in coach.checkpoints}
    coach.checkpoint("my own")
    learnt.wait_until(lambda: {item.place for item in coach.checkpoints} - before)
    assert "my own" in {item.source for item in comparison._checkpoints()}
    assert learnt.component("Match").white.network_id in {
        item.network_id for item in comparison.networks()
    }
    comparison.compare(viewer.record, 3, [kept[0], kept[-1]])
    learnt.wait_until(lambda: comparison.columns)
    assert comparison.message == ""


def test_a_checkpoint_that_is_gone_is_one_message(learnt):
    comparison, viewer = learnt.component("Comparison"), learnt.component("GameViewer")
    gone = type(comparison.networks()[0])("checkpoint", LoadCheckpoint(9, "/nowhere/at/all"))
    comparison.compare(viewer.record, 3, [gone, gone])
    learnt.wait_until(lambda: comparison.message)
    assert "/nowhere/at/all" in comparison.message
    assert comparison.columns == []


def test_a_side_game_with_a_person_is_played_and_not_counted(learnt):
    match, side_game = learnt.component("Match"), learnt.component("SideGame")
    viewer, board = learnt.component("GameViewer"), learnt.component("BoardView")
    played, stats = match.played, json.dumps(learnt.app.run_context.stats, default=list)
    record = viewer.record
    side_game.begin(record, 4, black="you", white="pattern")
    while side_game.is_running:
        learnt.wait_until(lambda: side_game._legal or not side_game.is_running)
        if side_game._legal:
            taken = side_game.current.moves[0]
            board.clicked.emit(taken)
            learnt.step(2)
            assert side_game._legal, "an occupied point is no move"
            board.clicked.emit(max(side_game._legal))
            learnt.step(2)
    result = viewer.record
    assert result.moves[:4] == record.moves[:4]
    assert result.winner in (-1, 1)
    assert "Side game of game 1" in viewer.title
    assert stones_shown(board) == stones_of(result.moves)
    assert match.played == played
    assert json.dumps(learnt.app.run_context.stats, default=list) == stats
    assert match.side_games == []


def test_a_side_game_of_players_is_broken_off_without_a_trace(learnt):
    side_game, viewer = learnt.component("SideGame"), learnt.component("GameViewer")
    record = viewer.record
    side_game.begin(record, 2, black="you", white="random")
    learnt.wait_until(lambda: side_game._legal)
    viewer.go_to(5)
    assert viewer.ply != 5, "the side game has the board"
    side_game.stop()
    viewer.go_to(1)
    assert stones_shown(learnt.component("BoardView")) == stones_of(record.moves[:1])
    side_game.begin(record, len(record.moves), black="you", white="random")
    assert not side_game.is_running
    assert side_game.message == "The game is already decided here"


def test_insight_and_overlays_explain_the_position_that_is_reviewed(learnt):
    match, viewer = learnt.component("Match"), learnt.component("GameViewer")
    insight, overlays = learnt.component("Insight"), learnt.component("Overlays")
    match.show_game(1)
    record = viewer.record
    viewer.go_to(6)
    before = insight.sentences()
    assert before[1].startswith(f"Black took {record.board(0).to_text(record.moves[4])}")
    assert "explains nothing" not in before[1], "it is being asked"
    learnt.wait_until(lambda: not match.shown.is_asking)
    said = insight.sentences()
    assert "the best of 10 plans" in said[1], "the same seed gives the same plans"
    assert said[-1].startswith(
        f"White took {record.board(0).to_text(record.moves[5])}: the network's "
    )
    assert "White's network is " in match.shown.note, "and whose it is"
    drawn = overlays.drawings
    overlays.toggle("heat_map")
    assert overlays.drawings == drawn + 1
    viewer.go_to(record.board().ply)
    learnt.wait_until(lambda: not match.shown.is_asking)
    assert overlays.drawings > drawn + 1
    assert insight.sentences()[record.winner].endswith("wins.")
    overlays.toggle("heat_map")


def test_insight_warns_of_what_threatens_in_the_position_that_is_reviewed(learnt):
    match, viewer = learnt.component("Match"), learnt.component("GameViewer")
    insight = learnt.component("Insight")
    row = (0, 7, 1, 8, 2, 9, 3, 20, 4)
    viewer.open(GameRecord(match.rules, row, 1, "five", 1), ply=7)
    insight.sentences()
    assert ("Black", "can make five at e7") in [line[1:] for line in insight._threats]
    viewer.go_to(2)
    insight.sentences()
    assert insight._threats == []


def test_what_the_networks_choose_is_shown_on_the_board_until_another_position(learnt):
    match, viewer = learnt.component("Match"), learnt.component("GameViewer")
    comparison = learnt.component("Comparison")
    match.show_game(1)
    viewer.go_to(3)
    comparison.compare(viewer.record, 3, comparison.networks()[:2])
    learnt.wait_until(lambda: comparison.columns)
    assert comparison._marks.is_shown
    for _, choices in comparison.columns:
        assert all(share > 0 for _, share in choices)
    viewer.go_to(4)
    assert not comparison._marks.is_shown


def test_a_side_game_has_the_seat_panel_and_escape_asks_and_keeps_it(learnt):
    match, side_game = learnt.component("Match"), learnt.component("SideGame")
    viewer, board = learnt.component("GameViewer"), learnt.component("BoardView")
    talk, timeline = learnt.component("HumanControls"), learnt.component("Timeline")
    match.show_game(2)
    record = viewer.record
    viewer.go_to(2)
    kept = len(timeline.lines())
    side_game.begin(record, 2, black="you", white="pattern")
    learnt.wait_until(lambda: side_game._legal and talk.is_at_table)
    assert (talk.is_at_table, talk.people, talk.is_persons_turn) == (True, [1], True)
    assert "Your seat" in [panel.title for panel in learnt.app.host.panels.panels]
    talk.undo()
    assert talk.notice == "You have no move to take back"
    board.clicked.emit(max(side_game._legal))
    learnt.wait_until(lambda: side_game.current.ply == 4 and side_game._legal)
    assert match.shown.board is side_game.current, "Insight is about the side game"
    talk.undo()
    learnt.wait_until(lambda: side_game.current.ply == 2 and side_game._legal)
    board.clicked.emit(min(side_game._legal))
    learnt.wait_until(lambda: side_game.current.ply == 4 and side_game._legal)
    talk.swap_sides()
    learnt.wait_until(lambda: side_game.current.ply == 5 and side_game._legal)
    assert talk.people == [-1]
    moves = tuple(side_game.current.moves)
    viewer.leave()
    assert side_game.is_running, "it is asked first"
    viewer.leave()
    assert not side_game.is_running
    assert viewer.record == record, "back in the review"
    learnt.step(2)
    assert not talk.is_at_table
    assert [line.moves for line in timeline.lines()[kept:]] == [moves]
    timeline.show_variation(kept)
    assert (viewer.record.moves, viewer.main, viewer.ply) == (moves, record, 2)
    timeline.show_main()
    assert viewer.record == record
    viewer.leave()
    assert viewer.record is None, "a second step leads to the live game"
    assert "Review" not in [panel.title for panel in learnt.app.host.panels.panels]


def test_a_resigned_side_game_is_a_variation_that_is_over(learnt):
    match, side_game = learnt.component("Match"), learnt.component("SideGame")
    viewer, timeline = learnt.component("GameViewer"), learnt.component("Timeline")
    talk = learnt.component("HumanControls")
    match.show_game(1)
    main = viewer.record
    side_game.begin(main, 3, black="pattern", white="you")
    learnt.wait_until(lambda: side_game._legal and talk.is_at_table)
    talk.resign()
    talk.resign()
    learnt.wait_until(lambda: not side_game.is_running)
    assert (viewer.record.winner, viewer.record.termination) == (1, "resigned")
    assert viewer.main == main
    assert timeline.lines()[-1].termination == "resigned"
    assert match.played == len(match.records)


@pytest.mark.nightly
def test_a_reviewed_game_is_evaluated_in_a_worker(learnt):
    match, viewer = learnt.component("Match"), learnt.component("GameViewer")
    timeline = learnt.component("Timeline")
    match.show_game(1)
    evaluation, record = timeline.review.evaluation, viewer.record
    evaluation.begin(record)
    learnt.wait_until(lambda: not evaluation.is_running, frames=20_000)
    assert sorted(evaluation.values) == list(range(len(record.moves) + 1))
    assert evaluation.values[len(record.moves)].is_proven
    assert evaluation.message == ""
    evaluation.begin(record)
    assert not evaluation.is_running, "it is known already"


def test_a_ticked_side_game_is_learnt_before_the_next_game_and_kept_apart(tmp_path):
    options = {"player_white": "ann", "seed": 1, "graphics": False, "data_dir": tmp_path / "data"}
    with Pilot(**options) as pilot:
        match, side_game = pilot.component("Match"), pilot.component("SideGame")
        viewer, timeline = pilot.component("GameViewer"), pilot.component("Timeline")
        pilot.wait_until(lambda: match.played >= 1)
        match.show_game(1)
        side_game.begin(viewer.record, 1, black="genetic", white="random", learns=True)
        pilot.wait_until(lambda: match.side_games)
        played, records = viewer.record, len(match.records)
        viewer.close()
        pilot.wait_until(lambda: len(match.records) >= records + 2)
        counted = {record.game for record in match.records}
        (number,) = set(range(1, max(counted) + 1)) - counted  # the side game's own
        assert match.trainer.games_learnt >= number
        beside = next(game for game in listed(timeline) if game.game == number)
        assert beside.is_beside
        assert match.archive.record(beside.run_id, number).moves == played.moves
    with Pilot(**options) as pilot:
        match, scoreboard = pilot.component("Match"), pilot.component("Scoreboard")
        seen = []
        match.resumed.connect(seen.extend)
        pilot.wait_until(lambda: match.is_restored and match.game > number)
        assert number not in {record.game for record in seen}
        assert len(scoreboard.results) >= len(seen)


def test_every_panel_is_drawn_in_every_state(tmp_path):
    drawn = []

    def watch(pilot):
        """Let each panel of this file's scripts float, and note what is drawn."""
        pilot.app.shell.open("Games")
        for entry in pilot.app.host.panels.panels:
            if entry.title in ("Games", "Past game", "Your seat", "Review"):
                entry.dock = "overlay-left"
        for title, draw in (
            ("Games", timeline.draw),
            ("Past game", viewer.draw),
            ("Review", timeline.draw_review),
        ):
            for entry in pilot.app.host.panels.panels:
                if entry.title == title:
                    entry.draw = lambda ui, t=title, d=draw: (drawn.append(t), d(ui))
        drawn.clear()
        pilot.picture()
        return set(drawn)

    with Pilot(scene=quick_scene(tmp_path), seed=1, window=(900, 600), quality="low") as pilot:
        match, timeline = pilot.component("Match"), pilot.component("Timeline")
        viewer, side_game = pilot.component("GameViewer"), pilot.component("SideGame")
        comparison = pilot.component("Comparison")
        assert "Games" in watch(pilot), "while there is no game"
        pilot.wait_until(lambda: match.played >= 2)
        for wanted in type(timeline.wanted):
            timeline.wanted = wanted
            assert watch(pilot) == {"Games"}
        match.show_game(1)
        comparison.compare(viewer.record, 4, comparison.networks()[:2])
        viewer.go_to(4)
        pilot.wait_until(lambda: comparison.columns)
        assert watch(pilot) == {"Games", "Past game", "Review"}
        side_game.begin(viewer.record, 4, black="you", white="random")
        pilot.wait_until(lambda: side_game._legal)
        assert watch(pilot) == {"Games", "Past game", "Review"}
        viewer.close()
        match.take_over(1)
        pilot.wait_until(lambda: pilot.component("HumanControls").is_at_table)
        pilot.component("HumanControls").resign()
        assert watch(pilot) == {"Games"}
        assert pilot.app.host.error_count == 0

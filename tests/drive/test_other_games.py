"""The scenes of the other games: played, learnt from, and a person sits down. No sleeps."""

from __future__ import annotations

import numpy as np

from ai import WHITE
from scripts.gomoku.board.view_state import ViewState
from sim.testing import Pilot


def test_white_loses_learns_and_the_chart_shows_it():
    with Pilot(scene="scenes/tic_tac_toe.scene.json", graphics=False, seed=1) as pilot:
        match, coach = pilot.component("Match"), pilot.component("LearnerClient")
        chart = pilot.component("LearningChart")
        pilot.wait_until(lambda: coach.retrains >= 1 and match.white.network_id >= 1)
        assert match.records[0].rules == match.rules
        assert chart.winners == [record.winner for record in match.records]
        kept, won = chart.shares()
        assert kept[-1] == np.mean([winner != 1 for winner in chart.winners[-25:]])
        assert won[-1] == np.mean([winner == WHITE for winner in chart.winners[-25:]])
        assert pilot.app.host.error_count == 0


def test_a_click_in_a_column_drops_a_disc_there():
    with Pilot(
        scene="scenes/connect_four.scene.json", speed=64.0, panels=False, window=(640, 360)
    ) as pilot:
        match, board = pilot.component("Match"), pilot.component("ConnectFourBoard")
        pilot.wait_until(lambda: match.current is not None and match.current.ply >= 1)
        pilot.press("w")
        pilot.wait_until(lambda: match.white._legal)
        for column in (0, 6):
            pilot.wait_until(lambda: match.white._legal)
            ply, drop = match.current.ply, [m for m in match.white._legal if m % 7 == column]
            x, _, z = board.object.transform.to_world(board.position_of(column))  # its top hole
            pilot.click_at((x, -0.2, z))
            pilot.wait_until(lambda: match.current.ply > ply)  # noqa: B023
            assert (
                match.current.moves[ply]
                == drop[0]
                == max(
                    move for move in range(column, 42, 7) if move not in match.current.moves[:ply]
                )
            )
        stone = board.stones[drop[0]]
        assert stone.transform.position[1] == 0.0, "in the rack"
        assert pilot.app.host.error_count == 0


def test_the_chart_in_the_scene_shows_both_curves():
    with Pilot(
        scene="scenes/connect_four.scene.json", speed=64.0, panels=False, window=(640, 360)
    ) as pilot:
        chart = pilot.component("LearningChart")
        chart.winners = [1] * 10 + [0] * 10 + [-1] * 10
        chart.paint()
        shown = chart.canvas.picture[90:346, 74:620].astype(int)
        green = (shown[..., 1] > shown[..., 2] + 40) & (shown[..., 1] > shown[..., 0] + 40)
        amber = (shown[..., 2] > shown[..., 1] + 40) & (shown[..., 2] > shown[..., 0] + 100)
        ends = [np.argwhere(color[:, -20:])[:, 0].mean() for color in (green, amber)]
        assert ends[0] < ends[1], "it was not beaten more often than it won"


def test_the_learning_panel_is_filled_before_the_first_game_and_after_some(monkeypatch):
    with Pilot(scene="scenes/tic_tac_toe.scene.json", speed=1.0, quality="low") as pilot:
        chart, shell = pilot.component("LearningChart"), pilot.app.shell
        pilot.component("Match").pause()
        said, charts = {}, {}
        draw = shell.ui.chart
        monkeypatch.setattr(shell.ui, "key_value", lambda key, value: said.update({key: value}))

        def noted(title, series, **more):
            charts[title] = ([len(item[2]) for item in series], more)
            return draw(title, series, **more)

        monkeypatch.setattr(shell.ui, "chart", noted)
        shell.layer.lay_out(least=9)
        assert said["Ring won · drew · lost"] == "0 · 0 · 0"
        assert all(more["empty"] for _, more in charts.values())
        chart.winners, chart.lengths = [1] * 3 + [0] * 4 + [-1] * 5, [9] * 12
        chart.metrics.log("nodes", 4.0, step=3)
        shell.layer.lay_out(least=2)
        assert said["Ring won · drew · lost"] == "5 · 4 · 3"
        assert {title: count for title, (count, _) in charts.items()} == {
            "Ring's last 25 games, %": [12, 12], "Remembered positions": [1],
            "Moves in each game": [12],
        }  # fmt: skip
        assert {more["x_limits"] for _, more in charts.values()} == {(0.0, 13.0)}
        assert charts["Ring's last 25 games, %"][1]["y_limits"] == (0.0, 106.0)
        heights = sum(more["height"] + 30.0 for _, more in charts.values())
        assert heights > 0.7 * shell.viewport[3], "the column is filled"
        assert pilot.app.host.error_count == 0


def test_a_disc_falls_from_above_the_rack_bounces_and_rests_in_its_hole():
    with Pilot(scene="scenes/connect_four.scene.json", graphics=False, speed=1.0) as pilot:
        board = pilot.component("ConnectFourBoard")
        pilot.app.clock.frame_step = 1 / 60
        pilot.component("Match").pause()
        board.show(ViewState.empty(7, 6))
        heights = {}
        for move in (38, 3):  # the bottom and the top of the middle column
            falling = board.start_coroutine(board.drop(move, 1))
            heights[move] = []
            while not falling.done:
                pilot.step()
                heights[move].append(float(board.stones[move].transform.position[2]))
            assert heights[move][-1] == board.position_of(move)[2]
            assert max(heights[move]) > 3.0, "above the rack's upper edge"
            assert np.any(np.diff(heights[move]) > 0.02), "it bounces"
        assert len(heights[38]) > len(heights[3]), "a longer way takes longer"


def test_what_a_ray_meets_is_the_lowest_free_hole_of_its_column():
    with Pilot(scene="scenes/connect_four.scene.json", graphics=False, speed=1.0) as pilot:
        board = pilot.component("ConnectFourBoard")
        pilot.component("Match").pause()
        board.show(ViewState.empty(7, 6))
        x, _, z = board.object.transform.to_world((-3.0, 0.0, 2.0))
        for moves, expected in (((), 35), ((35, 28), 21), (tuple(range(35, -1, -7)), None)):
            stones = [0] * 42
            for ply, move in enumerate(moves):
                stones[move] = (-1) ** ply
            board.show(ViewState(7, 6, tuple(stones), moves))
            assert board.point_under((x, -10.0, z), (0.0, 1.0, 0.0)) == expected
        board.clear()
        assert board.point_under((x, -10.0, z), (0.0, -1.0, 0.0)) is None, "behind one's back"
        assert board.point_under((x - 1.0, -10.0, z), (0.0, 1.0, 0.0)) is None, "beside the rack"
        assert board.point_under((x, -10.0, z), (1.0, 0.0, 0.0)) is None, "along it"


def test_crosses_and_rings_are_told_apart_and_a_person_places_one():
    with Pilot(
        scene="scenes/tic_tac_toe.scene.json", speed=64.0, panels=False, window=(640, 360)
    ) as pilot:
        match, board = pilot.component("Match"), pilot.component("TicTacToeBoard")
        pilot.wait_until(lambda: match.current is not None and match.current.ply >= 1)
        pilot.press("w")
        pilot.wait_until(lambda: match.white._legal)
        pilot.component("HumanControls").ask_hint()
        pilot.wait_until(lambda: board.hint is not None)
        move, ply = min(match.white._legal), match.current.ply
        pilot.click_at(board.object.transform.to_world(board.position_of(move)))
        pilot.wait_until(lambda: match.current.ply > ply)
        assert match.current.moves[ply] == move
        assert board.stones[move].model["builtin"] == "torus"
        assert board.stones[match.current.moves[0]].model["builtin"] == "cross"
        assert board.hint is None
        assert pilot.app.host.error_count == 0

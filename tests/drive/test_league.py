"""The live match against a league: who plays, results, the switch, restarts, people, errors."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys

import pytest

from ai import MEMBERS, member_of
from base.files import SHIPPED_ROOT
from sim import FieldError
from sim.testing import Pilot
from tests.common import errors
from tests.drive.own_scene import scene_with

SEED = 4
PLAYERS = {"10x10": "genetic", "50x30": "genetic"}
QUICK = {"seed": SEED, "player_white": "random", "graphics": False}


def members(first: int, last: int) -> list[str]:
    return [member_of(SEED, game) for game in range(first, last + 1)]


def lines(folder) -> list[dict]:
    return [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]


def test_each_game_is_played_by_the_next_member_and_told_everywhere(tmp_path):
    out = tmp_path / "out"
    with Pilot(opponents="league", games=11, out=out, **QUICK) as pilot:
        match, seated = pilot.component("Match"), {}
        match.game_over.connect(
            lambda record: seated.update(
                {record.game: (match.black.player, dict(match.black.seated_settings))}
            )
        )
        pilot.wait_until(lambda: pilot.app.run_context.stop_requested)
        played = members(1, 11)
        assert [seated[game][0] for game in range(1, 12)] == [PLAYERS.get(m, m) for m in played]
        for game, member in enumerate(played, start=1):
            if member in PLAYERS:
                size, generations = map(int, member.split("x"))
                assert seated[game][1]["population"] == size
                assert seated[game][1]["generations"] == generations
                assert seated[game][1]["randomness"] == "fresh", "as the scene's seat says"
        stats = pilot.app.run_context.stats
        assert list(stats["opponents"]) == played
        won = [record.winner == -1 for record in match.records]
        assert stats["league"] == {
            name: {
                "games": played.count(name),
                "white": (white := sum(w for w, m in zip(won, played, strict=True) if m == name)),
                "black": played.count(name) - white,
                "draw": 0,
                "last": played.count(name),
                "last_white": white,
            }
            for name in MEMBERS
        }
        assert errors(pilot) == []
    assert [line["opponent"] for line in lines(out)] == played
    config = json.loads((out / "run.json").read_text())["config"]
    assert config["opponents"] == "league"
    assert config["black"]["population"] == 10, "the seat's own fields, whoever began"
    assert "changes" not in json.loads((out / "run.json").read_text())
    summary = json.loads((out / "summary.json").read_text())["opponents"]
    assert {name: found["games"] for name, found in summary.items()} == {
        name: played.count(name) for name in MEMBERS
    }
    with sqlite3.connect(out / "runs.sqlite3") as database:
        kept = database.execute("SELECT json_extract(details, '$.opponent') FROM games").fetchall()
    assert [row[0] for row in kept] == played


def test_the_same_member_twice_in_a_row_begins_anew():
    seed = next(s for s in range(100) if member_of(s, 5) == member_of(s, 6) == "alpha-beta")
    with Pilot(opponents="league", **{**QUICK, "seed": seed}) as pilot:
        match, sat = pilot.component("Match"), []
        pilot.wait_until(lambda: match.game >= 4)
        real = match.black.worker.sit_down

        async def watched(player, network=None):
            sat.append((match.game + 1, match.black.worker.player is None, player.player))
            await real(player, network)

        match.black.worker.sit_down = watched
        pilot.wait_until(lambda: match.game >= 7)
        assert (6, True, "alpha-beta") in sat


def test_the_switch_waits_for_the_next_game_and_is_noted(tmp_path):
    out = tmp_path / "out"
    with Pilot(games=4, out=out, **QUICK) as pilot:
        match, panel = pilot.component("Match"), pilot.component("TrainingPanel")
        editor, black, seen = panel.controls.editor, match.black, {}

        def see(game: int) -> None:  # at the first stone of each game
            seen[game] = (black.opponents, black.member, black.player, panel._chart_marks())
            if game == 2:
                seen["chosen"] = editor.choose(black, "opponents", "league")
                seen["shown"] = editor.shown(black, "opponents")
                editor.withdraw(black, "opponents")
                seen["withdrawn"] = (editor.shown(black, "opponents"), len(editor.pending))
                editor.choose(black, "opponents", "league")
                seen["then"] = (black.opponents, black.member)
            if game == 3:
                editor.choose(black, "opponents", "genetic")

        match.game_started.connect(see)
        pilot.wait_until(lambda: match.game >= 4)
        assert (seen["chosen"], seen["shown"]) == (True, "league")
        assert seen["withdrawn"] == ("genetic", 0)
        assert seen["then"] == ("genetic", None), "this game goes on as it was"
        mark = (3.0, "ga.opponents genetic → league")
        third = member_of(SEED, 3)
        assert seen[3] == ("league", third, PLAYERS.get(third, third), [mark])
        assert seen[4][:3] == ("genetic", None, "genetic")
        said = [item.text for item in pilot.app.console.records if "opponents" in item.text]
        choose = '>>> component("TrainingPanel").controls.editor.'
        assert said[:2] == [
            f'{choose}choose(component("GeneticSeat"), "opponents", \'league\')',
            f'{choose}withdraw(component("GeneticSeat"), "opponents")',
        ]
        pilot.wait_until(lambda: pilot.app.run_context.stop_requested)
        assert list(pilot.app.run_context.stats["opponents"]) == [
            None, None, member_of(SEED, 3), None,
        ]  # fmt: skip
        assert errors(pilot) == []
    assert [line.get("opponent") for line in lines(out)] == [None, None, member_of(SEED, 3), None]
    changes = json.loads((out / "run.json").read_text())["changes"]
    assert changes == [
        {"game": 3, "key": "ga.opponents", "from": "genetic", "to": "league"},
        {"game": 4, "key": "ga.opponents", "from": "league", "to": "genetic"},
    ]


def test_a_restart_goes_on_with_the_right_member_and_the_results(tmp_path):
    options = {**QUICK, "data_dir": tmp_path / "data", "opponents": "league"}
    with Pilot(games=6, **options) as pilot:
        match = pilot.component("Match")
        pilot.wait_until(lambda: pilot.app.run_context.stop_requested)
        before = match.results.league.as_dict()
    assert sum(found["games"] for found in before.values()) == 6
    with Pilot(games=1, **options) as pilot:
        match, score = pilot.component("Match"), pilot.component("Scoreboard")
        assert match.game < 7
        begun = []  # a quick game may be over in the frame in which it began
        match.game_started.connect(
            lambda game: begun.append((game, match.results.league.as_dict(), match.black.member))
        )
        pilot.wait_until(lambda: begun)
        member = member_of(SEED, 7)
        assert begun[0] == (7, before, member)
        pilot.wait_until(lambda: score.shown_wins == match.results.league.of(member).wins)
        pilot.wait_until(lambda: pilot.app.run_context.stop_requested)
        assert sum(found["games"] for found in match.results.league.as_dict().values()) == 7
        assert list(pilot.app.run_context.stats["opponents"]) == [member], "of this run alone"
        assert sum(f["games"] for f in pilot.app.run_context.stats["league"].values()) == 1


def test_a_person_sits_down_as_black_and_the_league_goes_on_after(tmp_path):
    out = tmp_path / "out"
    with Pilot(opponents="league", games=3, out=out, speed=64.0, **QUICK) as pilot:
        match = pilot.component("Match")
        match.game_started.connect(lambda game: match.take_over(1) if game == 2 else None)
        pilot.wait_until(lambda: match.black.is_human)
        assert match.black.info.title == "you"
        pilot.wait_until(lambda: match.black._legal)
        assert match.resign(1)
        pilot.wait_until(lambda: match.played == 2)
        match.take_over(1)
        pilot.wait_until(lambda: match.game >= 3)
        assert match.black.member == member_of(SEED, 3)
        pilot.wait_until(lambda: pilot.app.run_context.stop_requested)
        assert sum(found["games"] for found in match.results.league.as_dict().values()) == 2
        assert errors(pilot) == []
    assert [line["opponent"] for line in lines(out)] == [
        member_of(SEED, 1), "human", member_of(SEED, 3),
    ]  # fmt: skip


def test_a_player_of_the_command_line_goes_before_the_scenes_league(tmp_path):
    data = json.loads((path := scene_with(tmp_path, {})).read_text())
    seat = data["objects"]["obj_black00001"]["components"]["cmp_black00001"]
    seat["fields"]["opponents"] = "league"
    path.write_text(json.dumps(data))
    with Pilot(scene=path, player_black="pattern", **QUICK) as pilot:
        match, panel = pilot.component("Match"), pilot.component("TrainingPanel")
        pilot.wait_until(lambda: match.game >= 2)
        assert (match.black.player, match.black.member) == ("pattern", None)
        assert panel.controls.editor.choose(match.black, "opponents", "genetic")
        pilot.wait_until(lambda: match.black.opponents == "genetic")
        assert (match.black.player, match.black.member) == ("pattern", None)
        assert panel.controls.editor.choose(match.black, "opponents", "league")
        pilot.wait_until(lambda: match.black.member is not None and match.is_playing)
        assert match.black.member == member_of(SEED, match.game), "chosen while it runs"
    with Pilot(scene=path, opponents="genetic", **QUICK) as pilot:
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.game >= 2)
        assert (match.black.player, match.black.member) == ("genetic", None)
    with Pilot(scene=path, **QUICK) as pilot:
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.game >= 1)
        assert match.black.member == member_of(SEED, match.game)


def test_a_game_that_a_member_does_not_play_is_refused_in_words():
    with Pilot(rule="standard", **QUICK) as pilot:
        match, panel = pilot.component("Match"), pilot.component("TrainingPanel")
        pilot.wait_until(lambda: match.game >= 1)
        editor, why = panel.controls.editor, "oracle: expected the rule freestyle, found standard"
        assert not editor.choose(match.black, "opponents", "league")
        assert editor.refusal(match.black, "opponents") == why
        assert len(editor.pending) == 0
        with pytest.raises(FieldError, match=why):
            match.black._check_league(match.rules)


def test_fields_that_the_league_goes_before_are_not_shown():
    with Pilot(**QUICK) as pilot:
        black = pilot.component("Match").black
        assert {"population", "elite"} <= set(black.shown_keys({}))
        assert not {"population", "generations"} & set(black.shown_keys({"opponents": "league"}))


@pytest.mark.parametrize(
    "size",  # what has room in the smaller window has it in the larger one, too
    [pytest.param((1280, 720), marks=pytest.mark.nightly), (800, 600)],
)
def test_who_plays_and_the_results_are_drawn(size, monkeypatch):
    options = {**QUICK, "graphics": True, "opponents": "league"}
    with Pilot(window=size, games=40, **options) as pilot:
        match, panel = pilot.component("Match"), pilot.component("TrainingPanel")
        imgui, shown = pilot.app.shell.ui.imgui, []
        texts = imgui.text_colored, imgui.text, imgui.progress_bar
        monkeypatch.setattr(
            imgui, "text_colored", lambda color, text: (shown.append(text), texts[0](color, text))
        )
        monkeypatch.setattr(imgui, "text", lambda text: (shown.append(text), texts[1](text)))
        monkeypatch.setattr(
            imgui,
            "progress_bar",
            lambda share, where, text: (shown.append(text), texts[2](share, where, text)),
        )

        def look(tab: str) -> list[str]:
            panel.tab = tab
            pilot.draw_panels(2)
            shown.clear()
            pilot.draw_panels(1)
            return shown

        pilot.wait_until(lambda: match.game >= 1)
        assert "Black now" in look("Black")
        pilot.wait_until(lambda: match.played >= 7)
        pilot.app.clock.pause()
        title = match.black.info.title
        words = look("Black")
        assert title in words
        assert title[0].upper() + title[1:] in words, "the scoreboard"
        assert {"genetic 10x10", "genetic 50x30", "pattern", "alpha-beta", "oracle"} <= set(words)
        assert f"League, round {(match.game - 1) // 5 + 1}" in words
        recent = match.results.league.of("pattern").recent
        assert f"{sum(recent)} of {len(recent)}" in words
        assert any("all opponents" in text for text in words)
        assert "Opponents" in look("Settings")
        caption = pilot.component("Presentation").caption
        assert f"Black: {title}" in caption.heading
        assert pilot.app.host.error_count == 0


def test_a_past_game_is_explained_by_the_member_that_played_it():
    with Pilot(opponents="league", **{**QUICK, "graphics": True, "window": (400, 300)}) as pilot:
        match, timeline = pilot.component("Match"), pilot.component("Timeline")
        pilot.wait_until(lambda: match.played >= 5)
        for summary in match.archive.summaries((0, 0))[:5]:
            found = timeline._played_by(summary)
            member = member_of(SEED, summary.game)
            assert found.names[1] == PLAYERS.get(member, member)
            if member in PLAYERS:
                assert f"{found.settings[1]['population']}x" in member


def test_games_unseen_and_a_game_beside_do_not_disturb_the_league():
    options = {**QUICK, "graphics": True, "window": (400, 300), "quality": "low"}
    with Pilot(opponents="league", speed=1.0, **options) as pilot:
        match, side = pilot.component("Match"), pilot.component("SideGame")
        pilot.wait_until(lambda: match.current is not None)
        pilot.press("f")
        pilot.app.clock.speed = 64.0
        pilot.wait_until(lambda: match.played >= 6)
        ended = []
        side.ended.connect(lambda *_: ended.append(dict(side._players[1].player.settings)))
        side.begin(match.records[0], 4, black="genetic", white="random")
        pilot.wait_until(lambda: ended)
        assert ended[0]["population"] == 10, "the seat's own, whoever of the league sits there"
        match.resume()
        pilot.wait_until(lambda: match.played >= 8)
        assert list(match.records.opponents)[:8] == members(1, 8)
        assert (
            sum(found["games"] for found in match.results.league.as_dict().values()) == match.played
        )
        assert errors(pilot) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--player-black", "pattern", "--opponents", "league"),
         "--opponents: expected no --player-black beside it, found both"),
        (("--opponents", "everyone"),
         "--opponents: expected one of genetic, league, found 'everyone'"),
    ],
)  # fmt: skip
def test_words_that_contradict_are_one_error(words, said):
    done = subprocess.run(
        [sys.executable, "main.py", "run", "--headless", "--games", "1", *words],
        cwd=SHIPPED_ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr.strip()) == (2, "", f"goishi: {said}")

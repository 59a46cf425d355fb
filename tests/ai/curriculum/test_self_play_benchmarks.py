"""What self-play and each modification are worth: runs that are resumed, and their tables."""

from __future__ import annotations

import json
from argparse import Namespace

import pytest

from ai.curriculum import run as run_module
from ai.curriculum.actors import OwnProcess
from ai.curriculum.settings import Curriculum
from ai.game import Rules
from ai.learning.alphagomoku.training import PairTrainer, new_pair
from ai.nets.policy_value import load_pair, save_pair
from base.storage.json_file import read_lines
from benchmarks import alphagomoku_modifications as modifications
from benchmarks import alphagomoku_self_play as self_play
from benchmarks import alphagomoku_tables as tables
from benchmarks.alphagomoku_modifications import NOT_RUN, VARIANTS, WHOLE
from benchmarks.games import KeptResults
from benchmarks.study_tables import StudyError

TINY = {
    "filters": 2, "blocks": 0, "batch": 4, "steps": 2, "basic_positions": 40, "basic_steps": 2,
    "games": 2, "lot": 2, "simulations": 4, "gate_pairs": 1, "window": 6, "mentor_games": 2,
    "mentor_nodes": 20, "mentor_steps": 2, "mentor_match": 2, "mentor_most": 1,
}  # fmt: skip
SETS = [word for key, value in TINY.items() for word in ("--set", f"{key}={value}")]
SMALL = ["--simulations", "4", "--iterations", "8", "--against-mcts", "2", "--match", "2", *SETS]


@pytest.fixture(scope="module")
def loops():
    """Traced training loops, which all tests share."""
    return {}


@pytest.fixture(autouse=True)
def here(monkeypatch, loops):
    """Games are played in this process."""
    monkeypatch.setattr(
        run_module, "PairTrainer",
        lambda *words: loops.get(words) or loops.setdefault(words, PairTrainer(*words)),
    )  # fmt: skip
    for module in (modifications, self_play):
        monkeypatch.setattr(module, "LocalActors", lambda jobs: OwnProcess())
        monkeypatch.setattr(module, "open_device", lambda name, threads: "cpu")


# -- what self-play adds --------------------------------------------------------------------------


@pytest.fixture
def pair(tmp_path):
    """A pair with its card, as it ships."""
    path = tmp_path / "pair.npz"
    plan = Curriculum.of(Rules(5, 4), 3, TINY)
    save_pair(path, new_pair(plan.architecture, 3, shares=False))
    path.with_suffix(".json").write_text(json.dumps({"win_length": 4, "settings": TINY}))
    return path


def test_a_pair_that_ships_goes_on_with_self_play_and_plays_the_pair_as_it_was(
    pair, tmp_path, capsys
):
    out = tmp_path / "run"
    words = [str(out), "--board", "5", "--pair", str(pair), "--simulations", "4", "--games", "2"]
    self_play.main([*words, "--core-hours", "1e-9"])
    begun = load_pair(out / self_play.START)
    for name, array in load_pair(pair).black.items():
        assert (begun.black[name] == array).all()
    (line,) = read_lines(out / "metrics.jsonl")
    assert (line["phase"], line["generation"], line["games"]) == ("self-play", 1, 2)
    kept = read_lines(out / "matches.jsonl")
    assert [len(match["points"]) for match in kept] == [2, 2, 2]
    said = capsys.readouterr().out
    assert all(f"| 1e-09 | {search} | " in said for search in self_play.MATCHES)

    self_play.main([*words, "--core-hours", "1e-9"])
    assert len(read_lines(out / "metrics.jsonl")) == 1
    assert read_lines(out / "matches.jsonl") == kept, "nothing is trained or played again"
    later = 1.0001 * self_play.core_hours(out)
    self_play.main([*words, "--core-hours", "1e-9", str(later)])
    assert len(read_lines(out / "metrics.jsonl")) == 2, "the same training went on"
    assert len(read_lines(out / "matches.jsonl")) == 6
    study = json.loads((out / "study.json").read_text())
    assert (study["generations"], study["games"], len(study["matches"])) == (2, 4, 6)


def test_the_settings_are_those_of_the_card_unless_others_are_given(pair):
    given = Namespace(pair=pair, board=5, seed=9, set=["games=6"])
    plan = self_play.plan_of(given)
    assert plan.rules == Rules(5, 4)
    assert (plan.count("games"), plan.count("filters"), plan.count("window")) == (6, 2, 2000)
    assert plan.number("balanced") == 0.5
    assert self_play.shipped(9).is_file()


def test_a_match_is_told_with_its_interval_and_elo():
    assert self_play.words_of(15.0, 20) == ("15 of 20", "53% to 89%", "+191", "+22 to +360")
    assert self_play.words_of(2.0, 2)[2:] == ("no bound", "-113 to no bound")


# -- what each modification is worth --------------------------------------------------------------


def test_trainings_and_matches_are_resumed_and_the_study_grows(tmp_path, capsys):
    words = [str(tmp_path), "--board", "5", "--games", "4", "--seeds", "1", *SMALL]
    modifications.main([*words, "--variants", "no_mentor"])
    assert read_lines(tmp_path / "no_mentor_1" / "metrics.jsonl")[-1]["games"] == 4
    assert [line["phase"] for line in read_lines(tmp_path / "whole_1" / "metrics.jsonl")] == [
        "basic", "mentor", "self-play",
    ]  # fmt: skip
    kept = read_lines(tmp_path / "matches.jsonl")
    assert [len(match["points"]) for match in kept] == [2, 2, 2]
    modifications.main([*words, "--variants", "no_mentor", "untrained"])
    assert read_lines(tmp_path / "matches.jsonl")[:3] == kept
    study = json.loads((tmp_path / "study.json").read_text())
    assert [cell["variant"] for cell in study["cells"]] == ["whole", "no_mentor", "untrained"]
    assert [list(cell["points"]) for cell in study["cells"]] == [
        ["mcts"], ["whole", "mcts"], ["whole", "mcts"],
    ]  # fmt: skip
    assert [len(cell["plies"]) for cell in study["cells"]] == [1, 2, 0]
    capsys.readouterr()
    modifications.main([*words, "--table"])
    said = capsys.readouterr().out
    assert said.count(NOT_RUN) == len(VARIANTS) - 3 - len(modifications.SMALL.left_out)


def test_a_training_ends_after_its_minutes_of_a_core(tmp_path):
    words = [str(tmp_path), "--board", "5", "--games", "400", "--minutes", "1e-9", *SMALL]
    given = modifications.arguments(words)
    modifications.train(WHOLE, 1, given, OwnProcess())
    assert len(read_lines(tmp_path / "whole_1" / "metrics.jsonl")) == 1


def test_one_network_makes_as_many_steps_as_two():
    given = modifications.arguments(["runs", "--board", "9"])
    assert (given.games, given.seeds, given.win_length) == (4000, 2, 5)
    of = {one.folder: modifications.plan_of(one, 1, given) for one in given.variants}
    assert set(of) == {one.folder for one in VARIANTS} - set(modifications.LARGE.left_out)
    one, two = of["one_network_equal"], of["whole"]
    assert (one.settings["double"], two.settings["double"]) == (False, True)
    for name in ("basic_steps", "mentor_steps", "steps"):
        assert one.count(name) == 2 * two.count(name)
    changed = {
        folder: {key for key, value in plan.settings.items() if value != two.settings[key]}
        for folder, plan in of.items()
    }
    assert changed["no_values"] == {"mentor_values"}
    assert changed["no_decay"] == {"decay"}
    assert changed["no_mentor"] == changed["no_basic"] == set()


def test_who_may_be_as_strong_as_the_whole_method_gets_another_seed(tmp_path):
    words = [str(tmp_path), "--seeds", "2", "--open-seeds", "1"]
    given = modifications.arguments([*words, "--variants", "no_decay", "untrained"])
    matches = KeptResults(None)
    for variant, points in ((given.variants[1], 0.5), (given.variants[2], 0.0)):
        for seed in (1, 2):
            key = modifications.key_of(variant, seed, "whole", given)
            matches.add({"key": key, "points": [points] * 100})
    found = [(one.folder, seed) for one, seed in modifications.work(given, matches)]
    first = [(folder, seed) for seed in (1, 2) for folder in ("whole", "no_decay", "untrained")]
    assert found == [*first, ("whole", 3), ("no_decay", 3)]


# -- the page's tables ----------------------------------------------------------------------------


def test_the_page_has_the_tables_of_what_is_stored(capsys):
    assert tables.main(["--check"]) == 0
    assert capsys.readouterr().out == "nothing would change\n"


def test_a_run_is_stored_beside_the_page_and_put_between_its_marks(tmp_path, monkeypatch, capsys):
    page, stored = tmp_path / "page.md", tmp_path / "page.json"
    monkeypatch.setattr(tables, "PAGE", page)
    monkeypatch.setattr(tables, "STORED", stored)
    marks = "".join(f"<!-- made: {name} -->\n<!-- end -->\n" for name in tables.PARTS)
    page.write_text(f"# Page\n{marks}")
    stored.write_text("{}")
    match = {"hours": 1.0, "search": "any", "points": 15.0, "games": 20}
    (tmp_path / "study.json").write_text(json.dumps({"matches": [match]}))
    assert tables.main(["--check"]) == 1
    assert tables.main(["--nine", str(tmp_path)]) == 0
    text = page.read_text()
    assert text.count(NOT_RUN) == len(tables.PARTS) - 1
    assert "| 1 | any | 15 of 20 | 53% to 89% | +191 | +22 to +360 |" in text
    assert tables.main([]) == 0
    assert page.read_text() == text
    assert tables.main(["--fifteen", str(tmp_path / "none")]) == 2
    page.write_text("# Page\n")
    assert tables.main([]) == 2
    assert "marks: expected" in capsys.readouterr().err
    with pytest.raises(StudyError):
        tables.rewritten("", {})

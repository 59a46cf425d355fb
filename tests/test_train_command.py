"""`train`: which files it learns from, and one line for what does not fit.

What the training does is in tests/ai/learning, how files are read in tests/ai/runs.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ai.experiments import move_net
from ai.learning.evaluation import network
from ai.nets.architecture import initial_weights
from ai.nets.evaluation import (
    NAMES,
    LearnedEvaluation,
    load_evaluation,
    shapes_of,
    shipped_evaluation,
)
from ai.nets.move_net import load_move_net, move_net_architecture
from base.locks import FolderLock
from tests.ai.runs.test_learnt_games import database, record, run_folder
from tests.command_line import ROOT, run_here

CART = ("--scene", str(ROOT / "scenes" / "cart_pole.scene.json"))
BALL = ("--scene", str(ROOT / "scenes/ball_game.scene.json"))
GAME = "(;GM[4]FF[4]SZ[7];B[aa];W[bb];B[cc])"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (
            ("pattern", "--records", "a.sgf"),
            "train: expected patterns or move-net or alphagomoku or ppo or sac or evaluation, "
            "found 'pattern'",
        ),
        (("move-net",), "--records: expected files with games, found none"),
        (("move-net", "--records", "a.sgf", "--held", "1"), "--held: expected a number from 0 to"),
        (("move-net", "--records", "a.sgf", "--epochs", "0"), "--epochs: expected a whole number"),
        (
            ("move-net", "--records", "a.sgf", "--out", "net.txt"),
            "--out: expected a name that ends",
        ),
        (("move-net", "--records", "a.sgf", "--out", "no/net.npz"), "--out: expected a file in a"),
        (("move-net", "--records", "none.sgf"), "--records: "),
        (("move-net", "--records", "a.sgf", "folder"), "expected a folder with games.jsonl or"),
        (("move-net", "--records", "a.sgf"), "expected at least 2 games, one to hold out, found 1"),
        (("move-net", "--records", "bad.sgf"), "bad.sgf"),
    ],
)
def test_what_does_not_fit_is_one_line(
    words: tuple[str, ...],
    text: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.sgf").write_text(GAME)
    (tmp_path / "bad.sgf").write_text(GAME.replace("bb", "aa"))
    (tmp_path / "folder").mkdir()
    code, out, error = run_here(capsys, "train", *words)
    assert code != 0
    assert out == ""
    assert text in error
    assert len(error.splitlines()) <= 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.sgf", "bad.sgf", "folder"]


def test_runs_and_run_databases_are_learnt_from_beside_game_files(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []

    def no_training(samples, plan, trainers, progress=None, *, shuffles=False):
        given.append(samples)
        return initial_weights(move_net_architecture(9), plan.seed)

    monkeypatch.setattr(move_net, "train_move_net", no_training)
    sgf = tmp_path / "a.sgf"
    sgf.write_text(GAME.replace("SZ[7]", "SZ[9]"))
    folder = run_folder(tmp_path / "run")
    file = database(tmp_path / "data" / "runs.sqlite3", record(1), record(2))
    out = tmp_path / "net.npz"
    words = ("--records", str(sgf), str(folder), str(file.parent), "--held", "0", "--out", str(out))
    code, said, error = run_here(capsys, "train", "move-net", *words)
    assert (code, error) == (0, "goishi: move-net: 0 of 1,000, loading TensorFlow\n")
    assert said.startswith("6 games, 18 positions, 8 of them different; 0 games held out")
    assert [samples.occurrences for samples in given] == [18, 18]  # and of the control
    card = json.loads(out.with_suffix(".json").read_text())
    assert card["files"] == ["a.sgf", "run", "data"]
    assert (card["games"], card["positions"], card["board"]) == (6, 18, 9)
    assert load_move_net(out).weights.keys() == initial_weights(move_net_architecture(9), 0).keys()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--board", "2"), "--board, --win-length: size: expected an int from 3 to 22, found 2"),
        (("--board", "5"), "--board, --win-length: expected a side longer than the row that wins"),
        (("--phase", "rules"), "--phase: expected one of basic, mentor, self-play, found 'rules'"),
        (("--hours", "0"), "--hours: expected a number above 0, found 0"),
        (("--games", "0"), "--games: expected 1 or more, found 0"),
        (("--jobs", "0"), "--jobs: expected 1 or more, found 0"),
        (("--seed", "-1"), "--seed: expected a whole number of at least 0, found -1"),
        (("--set", "rate"), "--set: expected KEY=VALUE, found 'rate'"),
        (("--set", "rate=fast"), "rate: expected a number from"),
        (("--set", "speed=1"), "--set: expected one of filters, blocks, pooled, double, optimizer"),
    ],
)
def test_what_does_not_fit_a_training_is_one_line(
    words: tuple[str, ...],
    text: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, error = run_here(capsys, "train", "alphagomoku", *words)
    assert (code, out) == (2, "")
    assert text in error
    assert len(error.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_second_training_in_a_folder_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with FolderLock(tmp_path / "run"):
        code, out, error = run_here(capsys, "train", "alphagomoku", "--out", str(tmp_path / "run"))
    assert (code, out) == (2, "")
    assert "expected a folder that no other run writes, found it in use by process" in error
    assert len(error.splitlines()) == 1


def test_the_settings_of_a_training_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run_here(capsys, "train", "alphagomoku", "--set", "help")
    assert code == 0
    assert "simulations" in out
    assert "winning value decay for each ply" in out


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((), "--scene: expected a file such as scenes/cart_pole.scene.json, found none"),
        (("--scene", "no.json"), "--scene: expected a scene file, found no file 'no.json'"),
        ((*CART, "--steps", "0"), "--steps: expected a whole number of at least 1, found 0"),
        ((*CART, "--hours", "0"), "--hours: expected a number above 0, found 0"),
        ((*CART, "--jobs", "0"), "--jobs: expected a whole number of at least 1, found 0"),
        ((*CART, "--jobs", "9"), "--jobs: expected 1 to 8 (envs), found 9"),
        ((*CART, "--seed", "-1"), "--seed: expected a whole number of at least 0, found -1"),
        ((*CART, "--episodes", "0"), "--episodes: expected a whole number of at least 1"),
        ((*CART, "--set", "rate"), "--set: expected KEY=VALUE, found 'rate'"),
        ((*CART, "--set", "rate=2"), "rate: expected a number from 1e-07 to 1, found"),
        ((*CART, "--set", "speed=1"), "--set: expected one of envs, horizon, epochs"),
        ((*CART, "--set", "minibatches=999", "--set", "envs=2"), "minibatches: expected at most"),
        ((*CART, "--device", "abacus"), "--device: expected auto, cpu or gpu, found 'abacus'"),
        ((*CART, "--self-play"), "--self-play: expected agents of two teams, found none for"),
        (
            (*CART, "--policies", "agents"),
            "--policies: expected a scene with several agents, found",
        ),
        ((*BALL, "--policies", "all"), "--policies: expected shared, teams, agents, found 'all'"),
        ((*BALL, "--policies", "teams", "--self-play"), "--self-play: expected --policies shared"),
        ((*BALL, "--self-play", "--set", "opponents=2"), "opponents: expected a number from 0 to"),
        (("--scene", str(ROOT / "scenes/hello.scene.json")), "hello.scene.json: expected a script"),
    ],
)
def test_what_does_not_fit_a_training_by_ppo_is_one_line(
    words: tuple[str, ...],
    text: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, error = run_here(capsys, "train", "ppo", *words)
    assert (code, out) == (2, "")
    assert text in error
    assert len(error.splitlines()) == 1
    assert not list(tmp_path.rglob("run.json"))


def test_the_settings_of_ppo_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run_here(capsys, "train", "ppo", "--set", "help")
    assert code == 0
    assert "gamma           0.99     discount of later rewards" in out


def test_the_settings_of_sac_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run_here(capsys, "train", "sac", "--set", "help")
    assert code == 0
    assert "tau             0.005    share by which targets follow the values" in out


@pytest.mark.parametrize(
    ("scene", "words", "text"),
    [
        ("cart_pole", (), "cart_pole.scene.json: actions: expected a flat Box of float32, which "
         "SAC learns, found Discrete 2 from 0; train ppo learns more kinds"),
        ("ball_game", (), "ball_game.scene.json: agents: expected one, which SAC learns, found 4; "
         "train ppo learns several"),
        ("ball_tracker", (), "observations: expected a flat Box of float32, which SAC learns, "),
        ("pendulum", ("--set", "clip=0.1"), "clip"),
        ("pendulum", ("--steps", "0"), "--steps: expected a whole number of at least 1"),
    ],
)  # fmt: skip
def test_what_sac_cannot_learn_is_one_line_that_names_ppo(
    scene: str,
    words: tuple[str, ...],
    text: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    file = str(ROOT / "scenes" / f"{scene}.scene.json")
    code, out, error = run_here(capsys, "train", "sac", "--scene", file, *words)
    assert code != 0
    assert out == ""
    assert text in error
    assert len(error.splitlines()) == 1
    assert not list(tmp_path.rglob("run.json"))


@pytest.mark.parametrize("what", ["patterns", "evaluation"])
@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--data", "none"), "--data: expected a folder with positions, found none; --games N"),
        (("--data", "empty"), "--data: empty: expected files games_*.npz, found none; --games N"),
        (("--data", "bad"), "games_000000.npz: expected positions of games, found"),
        (("--data", "file", "--games", "1"), "--data: expected a folder, found the file file"),
        (("--games", "-1"), "--games: expected a whole number"),
        (("--nodes", "0"), "--nodes: expected a whole number"),
        (("--seed", "-1"), "--seed: expected a whole number"),
        (("--out", "weights.txt"), "--out: expected a name that ends in ."),
        (("--out", "no/evaluation"), "--out: expected a file in a folder that is there"),
    ],
)
def test_what_an_evaluation_cannot_learn_from_is_one_line(
    what: str,
    words: tuple[str, ...],
    text: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "games_000000.npz").write_bytes(b"nothing")
    suffix = ".json" if what == "patterns" else ".npz"
    words = tuple(word + suffix if word.startswith("no/") else word for word in words)
    before = sorted(tmp_path.rglob("*"))
    code, out, error = run_here(capsys, "train", what, *words)
    assert code != 0
    assert out == ""
    assert text in error
    assert len(error.splitlines()) == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_a_teacher_that_is_not_there_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("train", "evaluation", "--games", "8", "--teacher", "no.npz")
    code, out, error = run_here(capsys, *words)
    assert (code, out) == (2, "")
    assert (
        "--teacher: evaluation: no.npz: expected a learned evaluation, found No such file" in error
    )
    assert len(error.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_weights_and_evaluations_are_learned_from_played_games(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []

    def no_training(positions, plan, progress=None, start=None):
        given.append((len(positions), plan))
        losses = {"held_out_loss": 0.5, "patterns_held_out_loss": 0.6, "least_held_out_loss": 0.4}
        card = {"positions": 9, "games": 2, "held_out": 1, "epoch": 3, **losses}
        shapes = shapes_of(plan.features, plan.units)
        return LearnedEvaluation({name: np.zeros(shapes[name], int) for name in NAMES}, card)

    monkeypatch.setattr(network, "train_network", no_training)
    monkeypatch.setattr("sim.commands.learning.evaluation.warm_up", lambda: None)
    monkeypatch.chdir(tmp_path)
    words = ("--data", "positions", "--games", "8", "--nodes", "20")
    code, said, error = run_here(capsys, "train", "patterns", *words, "--out", "weights.json")
    assert (code, error) == (0, "goishi: games: 0 of 8, first games\n")
    assert "own points" in said
    assert "held out" in said
    weights = json.loads((tmp_path / "weights.json").read_text())
    assert [len(weights[name]) for name in ("own points", "other points")] == [5, 5]
    words = ("--data", "positions", "--out", "made.npz", "--epochs", "3", "--seed", "4")
    code, said, error = run_here(capsys, "train", "evaluation", *words)
    assert code == 0
    assert error.startswith(
        "goishi: evaluation: 0 of 1,000, loading TensorFlow\n"
        "goishi: order: 0 of 1,000, first epoch\n"
    )
    assert "of the patterns alone, at their best scale, 0.6000" in said
    assert [plan for _, plan in given] == [network.NetworkPlan(3, 0.003, 4)]
    assert given[0][0] > weights["positions"]  # those beside the games, too
    assert load_evaluation(tmp_path / "made.npz").card["games"] == 2
    card = json.loads((tmp_path / "made.json").read_text())
    assert card["command"].endswith("--seed 4 --epochs 3 --rate 0.003")
    sizes = ("--features", "12", "--units", "5", "--stages")
    assert run_here(capsys, "train", "evaluation", *words, *sizes)[0] == 0
    assert given[-1][1] == network.NetworkPlan(3, 0.003, 4, 12, 5, has_stages=True)
    wide = json.loads((tmp_path / "made.json").read_text())
    assert wide["command"].endswith("--rate 0.003 --features 12 --units 5 --stages")
    assert {"hours", "machine"} <= card.keys()
    more = ("--middle", "2", "--results", "0.5", "--start", "shipped")
    assert run_here(capsys, "train", "evaluation", *words, *more)[0] == 0
    assert given[-1][1] == network.NetworkPlan(3, 0.003, 4, middle=2.0, results=0.5)
    begun = json.loads((tmp_path / "made.json").read_text())
    made, shipped = load_evaluation(tmp_path / "made.npz"), shipped_evaluation()
    assert (made.order.lines == shipped.order.lines).all()
    assert begun["order"] == shipped.card["order"]
    assert begun["command"].endswith("--rate 0.003 --middle 2 --results 0.5 --start FILE")
    for wrong, words_of_error in (
        (("--start", "patterns"), "--start: expected a learned evaluation, found 'patterns'"),
        (("--start", "shipped", "--keep", "shipped"), "--start: expected no --keep"),
    ):
        code, _, error = run_here(capsys, "train", "evaluation", *words, *wrong)
        assert code == 2
        assert words_of_error in error

"""What other programs get: ONNX models answer as our own networks do, in onnxruntime, to 1e-5."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.evaluators.move_net import MoveNetEvaluator
from ai.evaluators.network import NetworkEvaluator
from ai.evaluators.policy_value import PolicyValueEvaluator, planes_of
from ai.exchange import graph as graphs
from ai.exchange.board_networks import move_net_graph, self_teaching_graph
from ai.exchange.graph import OPERATORS, ExchangeError, OnnxGraph
from ai.exchange.pairs import pair_graph
from ai.exchange.policies import AgentWords, policy_graph
from ai.exchange.sources import (
    NO_NETWORKS,
    SELF_TEACHING,
    Wish,
    network_of_source,
    policy_of_source,
    shipped_policies,
)
from ai.game import WHITE, Board, Game, Position, Rules, lines_of_rows, playable
from ai.game.lines import symmetries
from ai.nets.architecture import DENSE, initial_weights
from ai.nets.move_net import (
    OUTPUTS,
    MoveNetwork,
    load_move_net,
    move_net_architecture,
    save_move_net,
)
from ai.nets.policy_value import (
    NetworkPair,
    PolicyValueArchitecture,
    initial_arrays,
)
from ai.players.cnn_lines import CnnLinesPlayer
from ai.players.published.alphagomoku import shipped_pair
from ai.players.published.move_net import NETWORK_FILE
from ai.registry.players import get_player_info, resolve_settings
from ai.store.learnt_file import LearntFile, write_learnt
from base.files import SHIPPED_ROOT
from base.policies.policy import Policy, bounds_of, load_policy, save_policy
from base.storage.card_file import CardFileError

pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

CLOSE = {"rtol": 1e-5, "atol": 1e-5}
FACTS = {"version": "1"}


def answers(graph: OnnxGraph, **inputs: np.ndarray) -> dict[str, np.ndarray]:
    """Return the outputs of a model, computed by onnxruntime, by their names."""
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    content = graph.model().SerializeToString()
    session = runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_outputs()]
    fed = {name: np.asarray(values, np.float32) for name, values in inputs.items()}
    return dict(zip(names, session.run(names, fed), strict=True))


def drawn(rng: np.random.Generator, *shape: int, spread: float = 0.5) -> np.ndarray:
    return rng.normal(0.0, spread, shape).astype(np.float32)


def positions(rules: Rules, count: int, seed: int) -> list[Board]:
    """Return positions of random games, from the empty board on."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        board = Board(rules)
        for _ in range(int(rng.integers(0, rules.points))):
            if board.outcome() is not None:
                break
            board.push(int(rng.choice(list(board.legal_moves))))
        if board.outcome() is None:
            found.append(board)
    return found


# -- policies --------------------------------------------------------------------------------------

BOXES = (
    ("box", np.float32([-1.0, 0.0]), np.float32([1.0, 9.0]), "float32"),
    ("box", np.float32([-np.inf, -3.0]), np.float32([np.inf, np.inf]), "float32"),
    ("box", np.float32([[0, 1], [2, 3]]), np.float32([[5, 6], [7, 8]]), "float64"),
    ("box", np.int64([-4, 0]), np.int64([4, 100]), "int64"),
    ("discrete", 3, 0),
    ("discrete", 4, -2),
)


def random_policy(rng: np.random.Generator, seen: tuple[int, ...], acts: tuple, **more: object):
    """Return a policy with random layers: dense ones, behind a convolution for pictures."""
    is_picture = len(seen) == 3
    kind = "uint8" if is_picture else "float32"
    sees = ("box", np.zeros(seen, kind), np.full(seen, 255 if is_picture else 9, kind), kind)
    outputs = acts[1] if acts[0] == "discrete" else np.size(acts[1])
    layers, numbers = [], int(np.prod(seen))
    if is_picture:
        high, wide = (seen[0] - 3) // 2 + 1, (seen[1] - 4) // 2 + 1
        layers.append((drawn(rng, 3, 4, seen[2], 5), drawn(rng, 5)))
        numbers = high * wide * 5
    for inputs, wide in ((numbers, 8), (8, outputs)):
        layers.append((drawn(rng, inputs, wide), drawn(rng, wide)))
    size = seen[2] if is_picture else numbers
    spread = None if acts[0] == "discrete" else drawn(rng, int(outputs))
    deviation = np.abs(drawn(rng, size)) + np.float32(0.1)
    return Policy(sees, acts, drawn(rng, size), deviation, tuple(layers), spread, **more)


def check_policy(graph: OnnxGraph, policy: Policy, observations: np.ndarray) -> None:
    """Check that a model answers observations as its policy does."""
    found = answers(graph, observation=observations)
    scores = policy.scores(observations)
    rounding = 1e-6 * np.abs(scores).max()  # a small score is the sum of large numbers
    np.testing.assert_allclose(found["scores"], scores, rtol=1e-5, atol=1e-5 + rounding)
    best = policy.best(observations)
    assert found["action"].shape == best.shape
    if policy.action_space[0] == "discrete":
        ordered = np.sort(scores, axis=1)
        is_clear = ordered[:, -1] - ordered[:, -2] > 1e-4
        assert np.array_equal(found["action"][is_clear], best[is_clear])
    elif np.dtype(policy.action_space[3]).kind == "i":
        low, high, middle, half = bounds_of(policy.action_space)
        raw = np.tanh(scores) if policy.is_squashed else scores
        numbers = np.clip(middle + half * raw, low, high)
        is_clear = np.abs(numbers - np.rint(numbers)) > 1e-3  # just below 5 is 4
        assert np.array_equal(found["action"][is_clear], best[is_clear])
    else:
        np.testing.assert_allclose(found["action"], best, **CLOSE)


@pytest.mark.parametrize("name", shipped_policies())
def test_a_shipped_policy_answers_as_ours(name: str) -> None:
    policy = load_policy(SHIPPED_ROOT / f"assets/policies/{name}.npz")
    rng = np.random.default_rng(3)
    shape = np.shape(policy.observation_space[1])
    if len(shape) == 3:
        seen = rng.integers(0, 256, (6, *shape)).astype(np.float32)
    else:
        scale = 10.0 ** rng.uniform(-3, 5, (300, 1))  # far beyond where the clipping begins
        seen = (rng.normal(size=(300, *shape)) * scale).astype(np.float32)
    check_policy(policy_of_source(name, "1", lambda scene: AgentWords()), policy, seen)


@given(
    seed=st.integers(0, 10**6),
    acts=st.sampled_from(BOXES),
    seen=st.sampled_from(((1,), (5,), (2, 3), (9, 8, 3))),
    activation=st.sampled_from(("tanh", "relu")),
    is_squashed=st.booleans(),
)
def test_any_policy_answers_as_ours(
    seed: int, acts: tuple, seen: tuple[int, ...], activation: str, is_squashed: bool
) -> None:
    rng = np.random.default_rng(seed)
    squashed = is_squashed and acts[0] == "box"
    policy = random_policy(rng, seen, acts, activation=activation, is_squashed=squashed)
    observations = (
        rng.integers(0, 256, (5, *seen)) if len(seen) == 3 else rng.normal(0.0, 30.0, (40, *seen))
    )
    graph = policy_graph(policy, "any", "any", FACTS)
    assert set(graph.operators) <= OPERATORS
    check_policy(graph, policy, observations.astype(np.float32))


def test_the_metadata_says_what_a_policys_numbers_are(tmp_path: Path) -> None:
    words = AgentWords("Sees.", ("x (m)", "speed (m/s)"), ("left", "right", "wait"))
    policy = random_policy(np.random.default_rng(0), (2,), ("discrete", 3, 1))
    graph = policy_graph(policy, "it", "What it is", {"version": "2.5", "source": "it.npz"}, words)
    path = tmp_path / "it.onnx"
    graph.write(path)
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    known = session.get_modelmeta()
    facts = known.custom_metadata_map
    assert (known.producer_name, known.description) == ("Goishi", "What it is")
    assert facts["goishi.version"] == "2.5"
    assert json.loads(facts["goishi.observation"])["names"] == ["x (m)", "speed (m/s)"]
    assert json.loads(facts["goishi.action"]) == {
        "kind": "discrete", "n": 3, "start": 1, "names": ["left", "right", "wait"],
    }  # fmt: skip
    assert json.loads(facts["goishi.normalisation"])["inside"] is True
    (seen,) = json.loads(facts["goishi.inputs"])
    assert (seen["name"], seen["shape"]) == ("observation", ["batch", 2])
    assert session.get_inputs()[0].shape == ["batch", 2]
    with pytest.raises(ExchangeError, match="names: expected 3, found 1: left"):
        policy_graph(policy, "it", "", {}, AgentWords(action=("left",)))


# -- networks of players ---------------------------------------------------------------------------


def check_pair(pair: NetworkPair, size: int, graph: OnnxGraph, *, averaged: bool = False) -> None:
    """Check that a model answers positions as a pair of networks does."""
    rules = Rules(size, 4 if size < 7 else 5)
    boards = positions(rules, 12, 5)
    ours = PolicyValueEvaluator(rules, pair, is_averaged=averaged).evaluate(boards)
    fed = {"planes": np.stack([planes_of(board) for board in boards])}
    if pair.white is not pair.black:
        fed["to_move"] = np.array([board.to_move for board in boards])
    found = answers(graph, **fed)
    np.testing.assert_allclose(found["policy"], ours.policy, **CLOSE)
    np.testing.assert_allclose(found["value"], ours.value, **CLOSE)


@pytest.mark.parametrize("size", [7, 9, 15])
def test_the_shipped_pairs_answer_as_ours(size: int) -> None:
    graph = network_of_source("alphagomoku", Wish("1", size))
    assert set(graph.operators) <= OPERATORS
    check_pair(shipped_pair(size), size, graph)


@pytest.mark.parametrize(("size", "is_pooled"), [(5, False), (6, True), (11, True)])
def test_pairs_of_every_form_answer_as_ours(size: int, is_pooled: bool) -> None:
    architecture = PolicyValueArchitecture(size, 8, 2, is_pooled)
    black, white = (initial_arrays(architecture, seed) for seed in (1, 2))
    rng = np.random.default_rng(0)
    for arrays in (black, white):  # as after a training: no layer is as it began
        for name, array in arrays.items():
            changed = array + drawn(rng, *array.shape, spread=0.2)
            arrays[name] = np.abs(changed) if name.endswith(".variance") else changed
    pair = NetworkPair(black, white)
    check_pair(pair, size, pair_graph({"black": black, "white": white}, size, "", FACTS))
    averaged = pair_graph({"both": black}, size, "", FACTS, images=symmetries(size))
    check_pair(NetworkPair(black, black), size, averaged, averaged=True)


def test_one_network_of_a_pair_needs_no_color() -> None:
    boards = [board for board in positions(Rules(9), 9, 1) if board.to_move == WHITE]
    planes = np.stack([planes_of(board) for board in boards])
    found = answers(network_of_source("alphagomoku", Wish("1", 9, "white")), planes=planes)
    ours = PolicyValueEvaluator(Rules(9), shipped_pair(9)).evaluate(boards)
    np.testing.assert_allclose(found["policy"], ours.policy, **CLOSE)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("views", [1, 2])
def test_the_move_network_answers_as_ours(views: int, output: str) -> None:
    shipped = load_move_net(SHIPPED_ROOT / NETWORK_FILE)
    rng = np.random.default_rng(1)
    weights = {
        name: array + drawn(rng, *array.shape, spread=0.3)
        for name, array in initial_weights(move_net_architecture(9, output=output), 0).items()
    }
    for network, size in ((shipped, 15), (MoveNetwork(weights, {"views": views}), 9)):
        rules = Rules(size)
        boards = [Board(rules), *positions(rules, 10, 2)]
        ours = MoveNetEvaluator(rules, network).evaluate(boards).policy
        stones = np.array([np.array(board.stones) * board.to_move for board in boards])
        graph = move_net_graph(network, size, "", FACTS)
        found = answers(graph, stones=stones.reshape(-1, size, size))
        np.testing.assert_allclose(found["policy"], ours, **CLOSE)
        assert found["move"][0] == size // 2 * (size + 1)


def test_a_network_of_one_board_has_a_model_of_that_board_alone(tmp_path: Path) -> None:
    weights = initial_weights(move_net_architecture(7, output=DENSE), 0)
    save_move_net(tmp_path / "net.npz", weights, {})
    graph = network_of_source(str(tmp_path / "net.npz"), Wish("1"))
    assert answers(graph, stones=np.zeros((1, 7, 7)))["move"][0] == 24
    with pytest.raises(ExchangeError, match="expected the board 7x7 of this network, found 9"):
        network_of_source(str(tmp_path / "net.npz"), Wish("1", 9))


GAMES = (
    Rules(7, 5),
    Rules(3, 3),
    Rules(7, 4, height=6, gravity=True),
    Rules(5, 4, height=8),
    Rules(9, 6),
)
PLAYERS = (
    ("cnn-ann", {}),
    ("cnn-ann", {"input": "planes", "hidden": "3,20,30"}),
    ("cnn-ann-plus", {"hidden": "6,5,4", "branch": 7}),
    ("cnn-ann-plus", {"layout": "conv-dense-dense", "play_symmetries": False}),
    ("cnn-ann-plus", {"branch": 0, "kernel_sizes": "3,1,5", "input": "planes"}),
    ("cnn-lines", {}),
    ("cnn-lines", {"own": 0.7, "width": 1.5}),
    ("cnn-lines", {"width": 0.0}),
)


@pytest.mark.parametrize("rules", GAMES, ids=str)
@pytest.mark.parametrize(("player", "given"), PLAYERS, ids=str)
def test_a_self_teaching_network_answers_as_ours(player: str, given: dict, rules: Rules) -> None:
    settings = resolve_settings(get_player_info(player), given)
    evaluator = NetworkEvaluator(rules, settings)
    rng = np.random.default_rng(8)
    weights = {
        name: array + drawn(rng, *array.shape, spread=0.1)
        for name, array in evaluator.weights.items()
    }
    evaluator.load_weights(weights)
    boards = positions(rules, 15, 4)
    stones = np.stack([np.array(board.stones, np.int8) * -board.to_move for board in boards])
    if player == "cnn-lines":
        own = CnnLinesPlayer(rules, settings)
        own.load_weights(1, weights)
        ours = np.stack([own.estimates(each, None) for each in stones])
    else:
        ours = evaluator.estimate(stones)
    graph = self_teaching_graph(rules, settings, weights, "", FACTS)
    assert set(graph.operators) <= OPERATORS
    found = answers(graph, stones=stones.reshape(-1, rules.rows, rules.size))
    np.testing.assert_allclose(found["policy"], ours, **CLOSE)
    can = playable(stones, rules)
    assert can[np.arange(len(can)), found["move"]].all()
    shares = np.where(can, ours, -1.0)
    assert (shares.max(axis=1) - shares[np.arange(len(can)), found["move"]] < 1e-5).all()


@dataclass(frozen=True)
class Levels(Game):
    """Three levels of three by three points, where any row of three up through the levels wins."""

    size: int = 3
    height: int = 9

    def outcome(self, position: Position) -> None:
        return None

    def lines(self) -> np.ndarray:
        steps = np.array([(0, 9, 18), (0, 10, 20), (2, 10, 18)])
        return lines_of_rows(np.concatenate([steps, steps + 3, steps + 6]), self.points)


class Corners(Levels):
    """The same, but stones can be placed on every second point alone."""

    def legal(self, stones: np.ndarray, color: int) -> np.ndarray:
        return (stones == 0) & (np.arange(stones.shape[-1]) % 2 == 0)


def test_a_network_of_lines_answers_as_ours_in_a_game_of_ones_own() -> None:
    rules, settings = Levels(), resolve_settings(get_player_info("cnn-lines"), {"own": 0.5})
    own = CnnLinesPlayer(rules, settings)
    rng = np.random.default_rng(8)
    weights = {
        name: array + drawn(rng, *array.shape, spread=0.5)
        for name, array in NetworkEvaluator(rules, settings).weights.items()
    }
    own.load_weights(1, weights)
    stones = rng.integers(-1, 2, (12, rules.points)).astype(np.int8)
    found = answers(
        self_teaching_graph(rules, settings, weights, "", FACTS), stones=stones.reshape(-1, 9, 3)
    )
    ours = np.stack([own.estimates(each, None) for each in stones])
    np.testing.assert_allclose(found["policy"], ours, **CLOSE)
    assert found["move"].tolist() == ours.argmax(axis=1).tolist()
    with pytest.raises(ExchangeError, match=r"a game without a method `legal` .* found Corners"):
        self_teaching_graph(Corners(), settings, weights, "", FACTS)


# -- what a name or a file stands for --------------------------------------------------------------


def test_files_of_networks_are_found_by_what_they_hold(tmp_path: Path) -> None:
    frozen = "scripts/export/gomoku_player.npz"
    for source, words in (
        (frozen, "self-teaching"),
        ("assets/players/move_net.npz", "move-net on 15x15"),
        ("assets/players/alphagomoku_7.npz", "on 7x7"),
        ("mcts-nn", "move-net"),
        ("alphagomoku@averaged=true", "15x15"),
    ):
        path = str(SHIPPED_ROOT / source) if source.endswith(".npz") else source
        assert words in network_of_source(path, Wish("1")).description
    with pytest.raises(ExchangeError, match="--board: expected no board"):
        network_of_source(str(SHIPPED_ROOT / frozen), Wish("1", 9))
    with pytest.raises(ExchangeError, match="--color: expected no color"):
        network_of_source(str(SHIPPED_ROOT / frozen), Wish("1", None, "black"))
    with pytest.raises(ExchangeError, match="found a policy: export-policy takes it"):
        network_of_source(str(SHIPPED_ROOT / "assets/policies/car.npz"), Wish("1"))
    with pytest.raises(ExchangeError, match="export-net takes it"):
        policy_of_source(str(SHIPPED_ROOT / frozen), "1", lambda scene: AgentWords())
    with pytest.raises(ExchangeError, match=r"found 'goishi\.evaluation/1'"):
        network_of_source(str(SHIPPED_ROOT / "assets/players/evaluation.npz"), Wish("1"))
    with pytest.raises(CardFileError, match="No such file"):
        network_of_source(str(tmp_path / "none.npz"), Wish("1"))


@pytest.mark.parametrize("name", [*NO_NETWORKS, "random", "mcts"])
def test_a_player_without_a_network_is_named(name: str) -> None:
    with pytest.raises(ExchangeError, match=rf"plays by a network .*found {name}, which"):
        network_of_source(name, Wish("1"))


def test_an_unknown_name_is_told_what_there_is() -> None:
    with pytest.raises(ExchangeError, match=r"expected one of alphagomoku, .*found 'alphagomok'"):
        network_of_source("alphagomok", Wish("1"))
    with pytest.raises(ExchangeError, match=r"cart_pole.*found 'cartpole'"):
        policy_of_source("cartpole", "1", lambda scene: AgentWords())


@pytest.mark.parametrize("player", SELF_TEACHING)
def test_what_was_learnt_is_exported(player: str, tmp_path: Path) -> None:
    from ai.nets.weights_file import CHECKPOINT_WEIGHTS, weights_bytes

    rules = Rules(7, 5)
    settings = resolve_settings(get_player_info(player), {})
    evaluator = NetworkEvaluator(rules, settings)
    content = weights_bytes(evaluator.architecture, evaluator.weights)
    learnt = LearntFile(
        player, "x", {"games_learnt": 3}, {CHECKPOINT_WEIGHTS: content}, rules.as_dict(), {}
    )
    path = tmp_path / "white.learnt"
    write_learnt(path, learnt)
    stones = np.zeros((1, 7, 7), np.int8)
    stones[0, 3, 2:5] = 1
    by_file = answers(network_of_source(str(path), Wish("1")), stones=stones)
    by_name = answers(
        network_of_source(player, Wish("1", learnt=lambda name: learnt)), stones=stones
    )
    assert np.array_equal(by_file["policy"], by_name["policy"])
    if player != "cnn-lines":
        ours = evaluator.estimate(stones.reshape(1, -1))
        np.testing.assert_allclose(by_file["policy"], ours, **CLOSE)
    memory = LearntFile("ann", "x", {}, {"memory.npz": b"x"}, rules.as_dict(), {})
    write_learnt(path, memory)
    with pytest.raises(ExchangeError, match="found what ann has learnt, which is its memory"):
        network_of_source(str(path), Wish("1"))


def test_the_folder_of_a_training_holds_its_policy(tmp_path: Path) -> None:
    describe = lambda scene: AgentWords()  # noqa: E731
    policy = random_policy(np.random.default_rng(0), (2,), ("discrete", 2, 0))
    with pytest.raises(ExchangeError, match=r"one policy, found no policy\.npz"):
        policy_of_source(str(tmp_path), "1", describe)
    save_policy(tmp_path / "policy.npz", policy)
    assert policy_of_source(str(tmp_path), "1", describe).name == "policy"
    save_policy(tmp_path / "policy_red.npz", policy)
    with pytest.raises(ExchangeError, match=r"found policy\.npz, policy_red\.npz"):
        policy_of_source(str(tmp_path), "1", describe)


def test_a_policy_is_exported_without_compiling_any_kernel() -> None:
    text = (
        "import sys; from ai.exchange.policies import AgentWords;"
        "from ai.exchange.sources import policy_of_source;"
        "policy_of_source('cart_pole', '1', lambda scene: AgentWords());"
        "print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", text], cwd=SHIPPED_ROOT, capture_output=True)
    assert (done.stdout.split(), done.stderr) == ([b"False"], b"")


def test_a_missing_package_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(ExchangeError, match=r"expected the package onnx.*goishi\[export\]"):
        graphs.OnnxGraph("x", "").model()


def test_no_operator_beyond_those_that_sentis_takes() -> None:
    with pytest.raises(ValueError, match="found If"):
        OnnxGraph("x", "").add("If", "a")

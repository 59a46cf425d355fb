"""The commands export-policy and export-net: what they say, write and refuse."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from sim.core.script.agent import Agent
from tests.test_cli import run_here

SHIPPED = ("ball_game", "ball_tracker", "car", "cart_pole", "pendulum", "reacher", "walker")


def facts_of(path: Path) -> dict[str, str]:
    onnx = pytest.importorskip("onnx")
    return {item.key: item.value for item in onnx.load(path).metadata_props}


def test_a_shipped_policy_tells_the_names_of_its_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("onnx")
    path = tmp_path / "cart.onnx"
    code, out, _ = run_here(capsys, "export-policy", "cart_pole", "--out", str(path))
    assert code == 0
    assert out.startswith(f"wrote {path} (")
    assert "output action: int64 [batch]: number of the most likely action, 0 to 1" in out
    facts = facts_of(path)
    assert json.loads(facts["goishi.action"])["names"] == ["push left", "push right"]
    assert json.loads(facts["goishi.observation"])["names"][2] == "angle (rad)"
    assert "turning speed; 0 pushes left, 1 right" in facts["goishi.description"]


def test_a_network_is_written_with_its_board(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("onnx")
    path = tmp_path / "seven.onnx"
    words = ("export-net", "alphagomoku", "--board", "7", "--color", "black", "--out", str(path))
    code, out, _ = run_here(capsys, *words)
    assert code == 0
    assert "input planes: float32 [batch, 7, 7, 3]" in out
    assert json.loads(facts_of(path)["goishi.plays"]) == ["black"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("export-net", "ann"), "found ann, which is its memory of situations, without a network"),
        (("export-net", "ann-lines"), "found ann-lines, which is its memory of lines"),
        (("export-net", "nobody"), "expected one of alphagomoku"),
        (("export-net", "cnn-ann"), "expected something that cnn-ann has learnt, found nothing"),
        (("export-net", "alphagomoku", "--board", "8"), "expected"),
        (("export-policy", "nothing"), "expected a file of a policy"),
        (("export-policy", "nothing.npz"), "No such file"),
    ],
)
def test_what_cannot_be_exported_is_one_line(
    words: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ("--data-dir", str(tmp_path / "data")) if words[0] == "export-net" else ()
    out = tmp_path / "x.onnx"
    code, told, error = run_here(capsys, *words, *more, "--out", str(out))
    assert code != 0
    assert (told, error.count("\n")) == ("", 1)
    assert said in error
    assert not out.exists()


def test_without_the_package_one_line_says_how_to_get_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    words = ("export-policy", "cart_pole", "--out", str(tmp_path / "x.onnx"))
    code, _, error = run_here(capsys, *words)
    assert code == 1
    assert error == (
        "goishi: expected the package onnx, which writes ONNX files "
        "(pip install onnx, or goishi[export]), found none\n"
    )


LONG = ("ball_game", "walker")
"""Agents whose files are as long as an example may be: their docstrings say what they observe."""


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_agent_names_as_many_numbers_as_it_has(name: str) -> None:
    module = __import__(f"scripts.examples.{name}", fromlist=["x"])
    (agent,) = (
        item
        for item in vars(module).values()
        if isinstance(item, type) and issubclass(item, Agent) and item.__module__ == module.__name__
    )
    acts, sees = agent.action_space, agent.observation_space
    count = acts.n if hasattr(acts, "n") else int(np.prod(acts.shape))
    if name in LONG:
        assert agent.action_names == agent.observation_names == ()
        return
    assert len(agent.action_names) == count
    if name != "ball_tracker":  # which sees a picture
        assert len(agent.observation_names) == int(np.prod(sees.shape))


def test_a_scene_is_exported_and_an_unknown_object_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "scenes").mkdir()
    scene = tmp_path / "scenes" / "a.scene.json"
    cube = {"name": "Würfel", "model": {"builtin": "box", "size": 1}}
    data = {"format": "goishi.scene/1", "id": "scn_acommand01", "objects": {"obj_cube000001": cube}}
    scene.write_text(json.dumps(data), encoding="utf-8")
    words = ("export-scene", str(scene), "--no-graphics", "--trust", "--out")
    code, out, error = run_here(capsys, *words, str(tmp_path / "a.glb"), "--object", "Wurfel")
    assert (code, out) == (2, "")
    assert "object: expected Würfel, found 'Wurfel'" in error.splitlines()[-1]
    assert not (tmp_path / "a.glb").exists()
    code, out, _ = run_here(capsys, *words, str(tmp_path / "a.glb"), "--object", "Würfel")
    assert code == 0
    assert out.startswith(f"wrote {tmp_path / 'a.glb'}: 1 object, 12 triangles, 0 clips, ")
    code, _, error = run_here(capsys, *words, str(tmp_path / "none" / "a.glb"))
    assert code == 1
    assert error.count("\n") == 1

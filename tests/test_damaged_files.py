"""Every kind of file with arrays, damaged in every way, is refused in one line by one error."""

from __future__ import annotations

import io
import json
import os
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.lib import format as npy

from ai.learning.evaluation import positions
from ai.nets import evaluation, move_net, policy_value
from ai.nets.architecture import Architecture, draw_weights
from ai.nets.policy_value import PolicyValueArchitecture
from ai.nets.weights_file import read_weights, weights_bytes
from ai.players import frozen
from ai.players.alpha_beta import evaluation_of
from ai.players.published.alphagomoku import pair_of
from ai.players.published.move_net import network_of
from base.files import SHIPPED_ROOT
from base.policies import policy
from base.schema import OptionError
from base.storage.card_file import CardFile, CardFileError, packed
from sim.core.assets.animation import rig
from sim.core.assets.animation.poses import Pose
from sim.core.rewind import episode_file
from sim.core.rewind.tape import Moment, Tape

TIMES = 400
NETWORK = Architecture(3, 1, hidden=(2, 3, 4))
PAIR = PolicyValueArchitecture(5, 2, 1)


@dataclass(frozen=True)
class Kind:
    """A kind of file: how it is read and written, and what its arrays must be."""

    load: Callable[[Path], object]
    save: Callable[[Path, object], None]
    made: Callable[[], object]
    file: CardFile | None = None
    is_float32: bool = False
    has_shapes: bool = True


def random_pair() -> policy_value.NetworkPair:
    rng = np.random.default_rng(3)
    sides = (
        {name: np.abs(rng.normal(size=shape)).astype(np.float32) + 0.1
         for name, shape in PAIR.shapes.items()}
        for _ in range(2)
    )  # fmt: skip
    return policy_value.NetworkPair(*sides, {"elo": 3})


def random_positions() -> positions.Positions:
    arrays = {
        name: np.zeros((3, 225) if name == "stones" else 3, kind)
        for name, kind in positions.COLUMNS.items()
    }
    return positions.Positions({"size": 15, "nodes": 20}, *arrays.values())


def made_rig() -> rig.Rig:
    turned = np.tile([0.0, 0.0, 0.0, 1.0], (2, 1))
    rest = Pose(np.zeros((2, 3)), turned, np.ones((2, 3)), np.zeros(0))
    return rig.Rig(("one", "two"), np.array([-1, 0]), rest)


def made_episode() -> episode_file.KeptEpisode:
    return episode_file.KeptEpisode(
        "scn_a", "text", Tape(Moment(1.0, {"positions": np.arange(6.0)}, {}))
    )


KINDS = {
    "weights": Kind(
        lambda path: read_weights(path, NETWORK),
        lambda path, found: path.write_bytes(weights_bytes(NETWORK, found)),
        lambda: draw_weights(NETWORK, np.random.default_rng(0)),
    ),
    "frozen": Kind(
        frozen.FrozenPlayer.load,
        lambda path, found: found.save(path),
        lambda: frozen.FrozenPlayer.load(SHIPPED_ROOT / "scripts/export/gomoku_player.npz"),
        frozen.FILE,
        is_float32=True,
    ),
    "move-net": Kind(
        move_net.load_move_net,
        lambda path, found: move_net.save_move_net(path, found.weights, found.card),
        lambda: move_net.load_move_net(SHIPPED_ROOT / "assets/players/move_net.npz"),
        move_net.FILE,
        is_float32=True,
    ),
    "pair": Kind(
        policy_value.load_pair,
        policy_value.save_pair,
        random_pair,
        policy_value.FILE,
        is_float32=True,
    ),
    "evaluation": Kind(
        evaluation.load_evaluation,
        evaluation.save_evaluation,
        lambda: evaluation.load_evaluation(SHIPPED_ROOT / evaluation.SHIPPED_FILE),
        evaluation.FILE,
    ),
    "policy": Kind(
        policy.load_policy,
        policy.save_policy,
        lambda: policy.load_policy(SHIPPED_ROOT / "assets/policies/cart_pole.npz"),
        policy.FILE,
    ),
    "positions": Kind(
        positions.read_positions,
        positions.save_positions,
        random_positions,
        positions.FILE,
    ),
    "rig": Kind(
        rig.read_rig,
        lambda path, found: rig.write_rig(path, found),
        made_rig,
        rig.FILE,
        has_shapes=False,
    ),
    "episode": Kind(
        episode_file.load, episode_file.save, made_episode, episode_file.FILE, has_shapes=False
    ),
}
CARDS = {name: kind for name, kind in KINDS.items() if kind.file is not None}
by_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
by_card = pytest.mark.parametrize("kind", CARDS.values(), ids=CARDS)


@pytest.fixture
def whole(kind: Kind, tmp_path: Path) -> bytes:
    path = tmp_path / "whole.npz"
    kind.save(path, kind.made())
    return path.read_bytes()


def refusal_of(kind: Kind, path: Path, content: bytes) -> str | None:
    """Return in how few words a file is refused; None where it is read."""
    path.write_bytes(content)
    try:
        kind.load(path)
    except CardFileError as error:
        said = str(error)
        assert said.startswith(f"{path}: expected ")
        assert ", found " in said
        assert len(said.splitlines()) == 1
        return said
    return None


def damaged(whole: bytes, rng: np.random.Generator) -> bytes:
    """Return a file with one random damage."""
    place, length = int(rng.integers(len(whole))), int(rng.integers(1, 200))
    kind = int(rng.integers(6))
    if kind == 0:  # a few bits
        content = bytearray(whole)
        for at in rng.integers(len(whole), size=int(rng.integers(1, 9))):
            content[at] ^= 1 << int(rng.integers(8))
        return bytes(content)
    return (
        whole[:place],  # cut
        whole[:place] + bytes(length) + whole[place + length :],  # zeroed
        whole[:place] + rng.bytes(length) + whole[place + length :],  # written over
        whole[:place] + rng.bytes(length) + whole[place:],  # put in
        whole[:place] + whole[place + length :],  # taken out
    )[kind - 1]


@by_kind
def test_random_damage_is_one_line_or_none_at_all(kind: Kind, whole: bytes, tmp_path: Path) -> None:
    path, again = tmp_path / "damaged.npz", tmp_path / "again.npz"
    rng = np.random.default_rng(7)
    refused = 0
    for _ in range(TIMES):
        content = damaged(whole, rng)
        said = refusal_of(kind, path, content)
        refused += said is not None
        if said is None and kind.file is not None:  # what is not looked at was hit
            kind.save(again, kind.load(path))
            assert again.read_bytes() == whole
    assert refused > TIMES * (0.3 if kind.file is None else 0.6)


@by_kind
def test_another_file_is_one_line(kind: Kind, tmp_path: Path) -> None:
    path, other = tmp_path / "a.npz", tmp_path / "other.npz"
    for content in (
        b"",
        b"text",
        b"PK\x05\x06" + bytes(18),
        b"\x89HDF\r\n\x1a\n",
        os.urandom(5000),
    ):
        assert refusal_of(kind, path, content)
    for its in KINDS.values():
        if its is not kind:
            its.save(other, its.made())
            assert refusal_of(kind, path, other.read_bytes())
    with pytest.raises(CardFileError, match="found No such file or directory"):
        kind.load(tmp_path / "none.npz")
    with pytest.raises(CardFileError, match="found Is a directory"):
        kind.load(tmp_path)


class Trap:
    """Makes a folder when it is unpickled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return os.mkdir, (str(self.folder),)


def wrong_arrays(kind: Kind, name: str, array: np.ndarray, trap: Trap) -> Iterator[np.ndarray]:
    """Return arrays that may not stand in the place of one."""
    yield array.astype(np.complex128)
    yield array.astype("U4")
    yield np.array([trap], object)
    yield np.zeros(array.shape, [("x", np.int32), ("y", np.float32)])
    yield np.zeros(array.shape, "datetime64[s]")
    if kind.has_shapes:
        yield array[None]
        if array.size > 1:
            yield array[..., :-1]
    if kind.is_float32:
        yield array.astype(np.float64)
        yield array.astype(np.int64)
    if array.dtype.kind == "f" and kind.has_shapes:
        for value in (np.nan, np.inf) if ".low" not in name and ".high" not in name else (np.nan,):
            other = array.copy()
            other.flat[0] = value
            yield other


@by_card
def test_each_array_must_be_there_and_fit(kind: Kind, whole: bytes, tmp_path: Path) -> None:
    assert kind.file is not None
    with np.load(io.BytesIO(whole)) as stored:
        arrays = {name: stored[name] for name in stored.files}
    trap = Trap(tmp_path / "trapped")
    for name, array in list(arrays.items())[:: 1 + len(arrays) // 12]:  # a dozen of a large one
        others = {key: value for key, value in arrays.items() if key != name}
        if (kind.has_shapes or name == kind.file.card) and not name.startswith("order_"):
            assert refusal_of(kind, tmp_path / "a.npz", packed(others)), name
        if name == kind.file.card:
            continue
        for wrong in wrong_arrays(kind, name, array, trap):
            memory = io.BytesIO()
            np.savez(memory, **others, **{name: wrong})
            assert refusal_of(kind, tmp_path / "a.npz", memory.getvalue()), (name, wrong.dtype)
    assert not trap.folder.exists()


@by_card
@pytest.mark.parametrize(
    "card",
    [b"", b"[]", b"3", b"{", b"{}", b'"text"', b'{"format": "other/1"}', b'{"format": 3}', b"\xff",
     b"[" * 100_000, "FORMAT"],
)  # fmt: skip
def test_a_card_must_be_of_the_format(
    kind: Kind, card: bytes | str, whole: bytes, tmp_path: Path
) -> None:
    assert kind.file is not None
    with np.load(io.BytesIO(whole)) as stored:
        arrays = {name: stored[name] for name in stored.files}
    if isinstance(card, str):  # nothing but the format
        card = json.dumps({"format": kind.file.format}).encode()
        if kind.file in (move_net.FILE, policy_value.FILE, evaluation.FILE):
            return  # nothing else is needed of these
    arrays[kind.file.card] = np.frombuffer(card, np.uint8)
    assert refusal_of(kind, tmp_path / "a.npz", packed(arrays))


def archive(**members: bytes) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return memory.getvalue()


def forged(shape: object, kind: str = "<f4", data: bytes = bytes(16)) -> bytes:
    """Return an array's file whose header says what it likes."""
    header = f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': {shape!r}, }}\n".encode()
    return npy.magic(1, 0) + struct.pack("<H", len(header)) + header + data


@by_card
def test_no_header_makes_room_for_what_is_not_there(kind: Kind, tmp_path: Path) -> None:
    assert kind.file is not None
    cases = [
        archive(x=content) for content in (
            forged((10**15,)), forged((2**63,)), forged((-4,)), forged((4, -1)), forged((2**40, 0)),
            forged((1,), "<U1000000000"), forged((4,), "|V1000000000"), forged((5,)), forged("text"),
            forged((3,)), forged((4,), "|O"), forged(((((((4,),),),),),)), b"\x93NUMPY", b"",
            npy.magic(9, 0), npy.magic(2, 0) + b"\xff\xff\xff\xff",
        )
    ]  # fmt: skip
    small = archive(x=forged((4,)))
    where = small.index(b"PK\x01\x02")
    cases += [  # the list at the end says how much is unpacked
        small[: where + 24] + struct.pack("<I", size) + small[where + 28 :]
        for size in (1 << 31, 5000)
    ]
    tracemalloc.start()
    try:
        for content in cases:
            assert refusal_of(kind, tmp_path / "a.npz", content)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_a_small_file_that_unpacks_to_a_large_one_is_not_unpacked(tmp_path: Path) -> None:
    small = CardFile("a/1", "a file", most_bytes=1 << 20)
    (tmp_path / "a.npz").write_bytes(archive(card=bytes(2 << 20)))
    with pytest.raises(CardFileError, match=r"2097152 bytes, more than 1048576"):
        small.load(tmp_path / "a.npz", lambda arrays, card: None)


@by_kind
def test_what_was_written_is_read_and_written_to_the_same_bytes(
    kind: Kind, whole: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "again.npz"
    kind.save(path, kind.load(tmp_path / "whole.npz"))
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "path",
    [path for folder in ("assets/players", "assets/policies", "scripts/export")
     for path in sorted((SHIPPED_ROOT / folder).glob("*.npz"))],
    ids=lambda path: path.stem,
)  # fmt: skip
def test_the_shipped_files_open(path: Path) -> None:
    loads = (
        policy_value.load_pair, evaluation.load_evaluation, move_net.load_move_net,
        policy.load_policy, frozen.FrozenPlayer.load,
    )  # fmt: skip
    refused = []
    for load in loads:
        try:
            load(path)
        except CardFileError as error:
            refused.append(str(error))
    assert len(refused) == len(loads) - 1
    assert all("the format" in said or "no array" in said for said in refused)


@pytest.mark.parametrize(
    ("name", "refuses"),
    [
        ("move-net", lambda path: network_of({"network": path})),
        ("pair", lambda path: pair_of({"weights": path}, 15)),
        ("evaluation", evaluation_of),
    ],
)
def test_a_player_with_a_damaged_file_is_one_line(
    name: str, refuses: Callable[[str], object], tmp_path: Path
) -> None:
    kind, path = KINDS[name], tmp_path / "own.npz"
    kind.save(path, kind.made())
    whole, rng, told = path.read_bytes(), np.random.default_rng(5), list[str]()
    for _ in range(20):
        path.write_bytes(damaged(whole, rng))
        try:
            refuses(str(path))
        except OptionError as error:
            told.append(str(error))
    assert len(told) > 10
    assert all(f"{path}: expected " in line and "\n" not in line for line in told)

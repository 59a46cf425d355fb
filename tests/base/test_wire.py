"""Messages between programs: what goes in comes out, and what is none is refused."""

from __future__ import annotations

import io
import json

import hypothesis.extra.numpy as arrays_of
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from base import wire

NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False)
PLAIN = st.none() | st.booleans() | NUMBERS | st.text(max_size=9)
ARRAYS = arrays_of.arrays(
    st.sampled_from(["<f4", ">f8", "|u1", "<i8", "|b1", "<c8"]).map(np.dtype),
    arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)
MESSAGES = st.recursive(
    PLAIN | ARRAYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def is_same(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray):
        return (
            isinstance(other, np.ndarray)
            and one.dtype == other.dtype
            and one.shape == other.shape
            and one.tobytes() == other.tobytes()
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    return type(one) is type(other) and one == other


@given(MESSAGES, MESSAGES)
def test_two_messages_arrive_as_they_were_sent(first, second):
    stream = io.BytesIO(wire.encode(first) + wire.encode(second))
    assert is_same(first, wire.read(stream))
    assert is_same(second, wire.read(stream))
    with pytest.raises(EOFError):
        wire.read(stream)


@given(st.binary(max_size=40), st.booleans())
def test_any_bytes_are_a_message_an_end_or_an_error(data, is_framed):
    header = wire.LENGTH.pack(len(data)) if is_framed else b""
    try:
        wire.read(io.BytesIO(header + data))
    except (EOFError, wire.WireError):
        pass


def header_of(about: object) -> bytes:
    header = json.dumps(about).encode()
    return wire.LENGTH.pack(len(header)) + header + bytes(64)


@pytest.mark.parametrize(
    "about",
    [
        {"message": 1},
        {"message": {"$array": 0}, "arrays": []},
        {"message": {"$array": "0"}, "arrays": [{"dtype": "<f4", "shape": [1]}]},
        {"message": 1, "arrays": [{"dtype": "|O", "shape": [1]}]},
        {"message": 1, "arrays": [{"dtype": "<f4", "shape": [-1]}]},
        {"message": 1, "arrays": [{"dtype": "<f4", "shape": [1.5]}]},
        {"message": 1, "arrays": [{"dtype": "<f8", "shape": [10**6, 10**6]}]},
        {"message": 1, "arrays": [{"dtype": "no type", "shape": []}]},
        {"message": 1, "arrays": [{"dtype": "(1,2", "shape": [1]}]},
        {"message": 1, "arrays": [{"dtype": "a", "shape": [1]}]},
        {"message": 1, "arrays": [{"dtype": "<f99", "shape": [1]}]},
        {"message": 1, "arrays": [{"dtype": "<f4", "shape": [0, 2**70]}]},
        {"message": 1, "arrays": [{"dtype": "<f4", "shape": [1] * 70}]},
        [1, 2],
    ],
)
def test_what_no_array_can_be_is_refused(about):
    with pytest.raises(wire.WireError, match="message: expected"):
        wire.read(io.BytesIO(header_of(about)))


def test_no_arrays_are_read_where_none_may_be():
    stream = io.BytesIO(wire.encode({"a": np.zeros(1)}))
    with pytest.raises(wire.WireError, match="arrays of at most 0 bytes, found 8"):
        wire.read(stream, largest_arrays=0)
    assert len(stream.read()) == 8


def test_a_long_header_is_not_read():
    stream = io.BytesIO(wire.LENGTH.pack(5000) + bytes(5000))
    with pytest.raises(wire.WireError, match="at most 4096 bytes, found 5000"):
        wire.read(stream, 4096)
    assert stream.tell() == wire.LENGTH.size


@pytest.mark.parametrize(
    ("value", "where"),
    [
        (object(), "x"),
        ({"a": [1, {2}]}, r"x\['a'\]\[1\]"),
        (np.array([None]), "x"),
        ({1: 2}, "x"),
        ({"$array": 3}, "x"),
    ],
)
def test_what_cannot_be_sent_is_named_with_its_place(value, where):
    with pytest.raises(wire.WireError, match=f"^{where}: expected"):
        wire.encode(value, "x")


def test_what_is_deep_is_refused():
    value: list[object] = []
    for _ in range(60):
        value = [value]
    with pytest.raises(wire.WireError, match="at most 50 levels"):
        wire.encode(value)

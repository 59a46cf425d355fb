"""The language: whatever is written is read as the same message, and nonsense is named."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.protocol import messages as m
from ai.protocol.messages import LONGEST_LINE, LineSplitter

POINTS = st.builds(m.Point, st.integers(0, 99), st.integers(0, 99))
WORDS = st.text("abcXYZ019 .:/-", max_size=30).map(m.plain)
COMMANDS = st.one_of(
    st.builds(m.Start, st.integers(0, 10**9)),
    st.builds(m.RectStart, st.integers(0, 99), st.integers(0, 99)),
    st.sampled_from([m.Restart(), m.Begin(), m.End(), m.AskAbout()]),
    st.builds(m.Turn, POINTS), st.builds(m.Takeback, POINTS), st.builds(m.Play, POINTS),
    st.lists(st.builds(m.Stone, POINTS, st.sampled_from(m.Owner)), max_size=9).map(tuple).map(m.SetBoard),
    st.lists(POINTS, max_size=5).map(tuple).map(m.Swap2Board),
    st.builds(m.Info, st.sampled_from(["rule", "folder", "time_left"]), WORDS),
)  # fmt: skip
REPLIES = st.one_of(
    st.sampled_from([m.Ok(), m.Swap()]),
    *(st.builds(kind, WORDS) for kind in (m.Error, m.Unknown, m.Message, m.Debug)),
    st.builds(m.Suggest, POINTS),
    st.lists(POINTS, min_size=1, max_size=3).map(tuple).map(m.Coordinates),
    st.dictionaries(st.sampled_from(["name", "version", "www"]), WORDS, min_size=1).map(m.About),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(COMMANDS, max_size=4), st.sampled_from(["\r\n", "\n", "\r"]), st.integers(1, 40))
def test_commands_are_read_as_they_were_written(commands, end, size) -> None:
    data = "".join(line + end for one in commands for line in m.write_command(one)).encode()
    splitter, reader = LineSplitter(), m.CommandReader()
    lines = [
        line for at in range(0, len(data), size) for line in splitter.feed(data[at : at + size])
    ]
    assert [read for line in lines if (read := reader.read(line)) is not None] == commands


@settings(max_examples=60, deadline=None)
@given(REPLIES)
def test_replies_are_read_as_they_were_written(reply) -> None:
    assert m.read_reply(m.write_reply(reply)) == reply


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("START", "START: expected a size, found nothing"),
        ("START x", "START: expected a size, found 'x'"),
        ("START -5", "found '-5'"),
        ("TURN 7", "TURN: expected x,y, found '7'"),
        ("TURN 7,8,9", "TURN: expected x,y"),
        ("TURN ٣,٤", "TURN: expected x,y"),
        ("BEGIN now", "BEGIN: expected nothing after it, found 'now'"),
        ("START " + "9" * 5000, f"expected at most {LONGEST_LINE} characters"),
    ],
)
def test_a_malformed_command_says_what_was_expected(line: str, expected: str) -> None:
    with pytest.raises(m.CommandError, match=expected.replace("٣", ".")):
        m.CommandReader().read(line)


@pytest.mark.parametrize("line", ["HELLO", "1,2", "DONE", "\x00\x01", "TURN7,7"])
def test_what_is_no_command_is_unknown(line: str) -> None:
    with pytest.raises(m.UnknownCommandError):
        m.CommandReader().read(line)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["BOARD", "1,2", "3,4,1"], "BOARD: expected lines such as x,y,owner, then DONE, found '1,2'"),
        (["BOARD", "1,2,7"], "BOARD: expected an owner 1, 2 or 3, found 7"),
        (["SWAP2BOARD", "a,b"], "SWAP2BOARD: expected lines such as x,y, then DONE"),
        (["BOARD", *["1,1,1"] * 1025], "BOARD: expected at most 1024 lines"),
    ],
)  # fmt: skip
def test_a_list_is_refused_at_its_end(lines: list[str], expected: str) -> None:
    reader = m.CommandReader()
    assert [reader.read(line) for line in lines] == [None] * len(lines)
    with pytest.raises(m.CommandError, match=expected):
        reader.read("DONE")
    assert reader.read("BEGIN") == m.Begin()


def test_a_list_that_never_ends_swallows_neither_end_nor_the_next_game() -> None:
    reader = m.CommandReader()
    reader.read("BOARD")
    assert reader.read("7,7,1") is None
    assert reader.read("END") == m.End()
    reader.read("SWAP2BOARD")
    assert reader.read("START 15") == m.Start(15)
    assert reader.read("BEGIN") == m.Begin()


@pytest.mark.parametrize(
    "line", ["7;7", "7,", "1,2 3,4 5,6 7,8", "SUGGEST", "swap it", "=", "-1,3"]
)
def test_what_is_no_reply_is_an_error(line: str) -> None:
    with pytest.raises(m.ReplyError, match="expected a reply"):
        m.read_reply(line)


def test_endless_lines_are_held_only_so_far() -> None:
    splitter = LineSplitter()
    for _ in range(50):
        assert splitter.feed(b"x" * 1000) == []
    (line,) = splitter.feed(b"yz\nOK")
    assert len(line) == LONGEST_LINE + 1
    assert splitter.rest() == "OK"

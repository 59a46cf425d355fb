"""What is sent arrives whole and in order, though nobody reads while it is sent."""

from __future__ import annotations

import multiprocessing
import os
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from base.worker.sender import LinkSender

NAME = "sender under test"


@pytest.fixture
def pipe():
    here, there = multiprocessing.Pipe()
    yield here, there
    here.close()
    there.close()


def threads():
    return [thread for thread in threading.enumerate() if thread.name == NAME]


lengths = st.lists(st.sampled_from([0, 1, 700, 2_040, 16_385, 60_000, 300_000]), max_size=20)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lengths, st.integers(0, 20))
def test_all_arrives_whole_and_in_order_when_nobody_reads_meanwhile(sizes, before):
    here, there = multiprocessing.Pipe()
    sender = LinkSender(NAME)
    contents = [bytes([number]) * size for number, size in enumerate(sizes)]
    for number, content in enumerate(contents):
        if number == before:
            sender.connect(here)
        sender.send(content)
    sender.connect(here)
    assert [there.recv_bytes() for _ in contents] == contents
    sender.close()
    assert threads() == []
    here.close()
    there.close()


@pytest.mark.skipif(os.name == "nt", reason="a pipe of Windows does not tell its room")
def test_small_messages_to_an_idle_reader_need_no_thread(pipe):
    here, there = pipe
    sender = LinkSender(NAME)
    sender.connect(here)
    for _ in range(20):
        sender.send(bytes(500))
        assert threads() == []
        there.recv_bytes()


def test_the_thread_ends_when_all_is_sent(pipe):
    here, there = pipe
    sender = LinkSender(NAME)
    sender.connect(here)
    sender.send(bytes(1_000_000))
    assert len(threads()) == 1
    assert len(there.recv_bytes()) == 1_000_000
    sender.flush(30.0)
    assert threads() == []


def test_closing_drops_what_waits_and_ends_the_thread(pipe):
    here, there = pipe
    sender = LinkSender(NAME)
    sender.connect(here)
    for _ in range(3):
        sender.send(bytes(1_000_000))
    sender.flush(0.01)
    assert len(threads()) == 1, "nobody reads"
    sender.close()
    assert threads() == []
    sender.send(b"too late")
    sender.connect(here)
    with pytest.raises((EOFError, OSError)):
        there.recv_bytes()


def test_a_reader_that_is_gone_is_no_error(pipe):
    here, there = pipe
    sender = LinkSender(NAME)
    sender.connect(here)
    there.close()
    sender.send(b"small")
    sender.send(bytes(1_000_000))
    sender.flush(30.0)
    assert threads() == []

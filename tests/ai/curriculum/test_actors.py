"""Actors give back what they found; those that die, or are amid their games, hold nobody up."""

from __future__ import annotations

import multiprocessing
import os
import time
from dataclasses import dataclass

import pytest

from ai.curriculum.actors import ONE_THREAD, ActorError, LocalActors


@dataclass(frozen=True)
class Asked:
    what: str

    def play(self):
        if self.what == "die":
            os._exit(3)
        if self.what == "hang":
            multiprocessing.Event().wait(600)
        return self.what, [os.environ[name] for name in ONE_THREAD]


def test_actors_have_one_thread_and_a_dead_one_is_one_line():
    before = dict(os.environ)
    actors = LocalActors(1)
    found = dict(actors.played([Asked("a"), Asked("b")]))
    assert found == {0: ("a", ["1"] * 4), 1: ("b", ["1"] * 4)}
    assert dict(os.environ) == before
    with pytest.raises(ActorError, match="an actor's process ended amid its games; go on with"):
        list(actors.played([Asked("die")]))
    actors.close()
    assert not multiprocessing.active_children()


@pytest.mark.nightly
def test_actors_amid_their_games_are_not_waited_for():
    actors = LocalActors(2)
    games = actors.played([Asked("a"), Asked("hang")])
    assert next(games)[0] == 0
    started = time.monotonic()
    actors.close()
    assert time.monotonic() - started < 60.0
    assert not multiprocessing.active_children()

"""Collects the input events that the scene's scripts get."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from sim.core.input.input_actions import InputActions, InputEvent


@contextmanager
def fed_events() -> Iterator[list[InputEvent]]:
    """Within the context, collect the events in the list that it yields."""
    seen: list[InputEvent] = []
    plain = InputActions.feed

    def feed(actions: InputActions, events: Sequence[InputEvent], **more: Any) -> Any:
        seen.extend(events)
        return plain(actions, events, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(InputActions, "feed", feed)
        yield seen

"""How many random examples of a law are tried: few and the same each time by day, many by night.

Where a law says no number, a check of a change tries `BY_DAY` examples, and `tests.laws` tries those
that Hypothesis tries by itself, drawn with seeds of its own.
"""

from __future__ import annotations

import os
from typing import Final

from hypothesis import settings

BY_NIGHT: Final = "GOISHI_TESTS_BY_NIGHT"
"""Variable that is set while every law is tried at length."""
BY_DAY: Final = 40


def examples(by_day: int, by_night: int) -> int:
    """Return how many examples a costly law tries in this process."""
    return by_night if os.environ.get(BY_NIGHT) else by_day


def use_profile() -> None:
    """Let laws that say no number try as many examples as this process is for.

    No law has a deadline: no test asserts on how long the machine takes.
    """
    settings.register_profile("night", settings.default, deadline=None)
    settings.register_profile(
        "day", settings.default, deadline=None, max_examples=BY_DAY, derandomize=True, database=None
    )
    settings.load_profile("night" if os.environ.get(BY_NIGHT) else "day")

"""Caches per class, stored on the class itself, so that a cache is freed with its class.

A cache that holds classes as keys would keep every script that was ever loaded, with the modules
and the scene behind it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

R = TypeVar("R")


def memo_of_class(function: Callable[[type], R]) -> Callable[[type], R]:
    """Cache the result of a function of a class on that class; the result must not be None."""
    name = f"_memo_{function.__name__.lstrip('_')}"

    @functools.wraps(function)
    def recall(cls: type) -> R:
        known: R | None = vars(cls).get(name)
        if known is None:
            known = function(cls)
            setattr(cls, name, known)
        return known

    return recall

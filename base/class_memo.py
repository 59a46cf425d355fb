"""Caches per class, stored on the class itself, so that a cache is freed with its class.

A global cache with classes as keys would never free a loaded script, nor its module and scene.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

R = TypeVar("R")


def memo_of_class(function: Callable[[type], R]) -> Callable[[type], R]:
    """Decorator that caches a function's result for each class, on the class itself.

    Args:
        function: called with the class; must not return None.
    """
    name = f"_memo_{function.__name__.lstrip('_')}"

    @functools.wraps(function)
    def recall(cls: type) -> R:
        known: R | None = vars(cls).get(name)
        if known is None:
            known = function(cls)
            setattr(cls, name, known)
        return known

    return recall

"""Caches of function results for classes; each cache is stored on the class and freed with it.

A global dict with classes as keys would keep every loaded script class, its module and its scene in
memory forever.
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

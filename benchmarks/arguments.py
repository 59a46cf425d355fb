"""What the measuring programs' flags have in common."""

from __future__ import annotations

import argparse


def at_least_one(text: str) -> int:
    """Read a count.

    Raises:
        ArgumentTypeError: it is no whole number, or less than 1.
    """
    try:
        count = int(text)
    except ValueError:
        count = 0
    if count < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of 1 or more, found {text!r}")
    return count

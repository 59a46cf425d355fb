"""Calls the exported player and policies by `ctypes`, in any Python; what is read is in native_host.c.

It is run as a program: `python native_caller.py FOLDER SUFFIX`, with the libraries in the folder. It
needs nothing but Python itself, so a Python for Windows runs it, too.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from pathlib import Path


class Caller:
    """The three libraries.

    Args:
        folder: where they are.
        pattern: name of a file, with `{}` for the name of the export.
    """

    def __init__(self, folder: Path, pattern: str) -> None:
        names = ("pattern_player", "cart_pole", "reacher")
        self.player, self.cart_pole, self.reacher = (
            ctypes.CDLL(str(folder / pattern.format(name))) for name in names
        )

    def answer(self, line: str) -> str:
        """Return what is answered to a line."""
        kind, *words = line.split()
        if kind == "p":
            return self.play([int(word) for word in words])
        seen = (ctypes.c_float * len(words))(*map(float, words))
        count = ctypes.c_int64(len(words))
        if kind == "c":
            action, scores = ctypes.c_int64(-7), (ctypes.c_float * 2)()
            codes = (
                self.cart_pole.cart_pole_act(seen, count, ctypes.byref(action)),
                self.cart_pole.cart_pole_scores(seen, count, scores, ctypes.c_int64(2), None),
            )
            assert codes == (0, 0)
            return " ".join(map(str, [action.value, *scores]))
        size, numbers = ctypes.c_int64(), (ctypes.c_float * 500)()
        most = ctypes.c_int64(500)
        assert self.reacher.reacher_act(seen, count, numbers, most, ctypes.byref(size)) == 0
        return " ".join(map(str, [size.value, *numbers[: size.value]]))

    def play(self, numbers: list[int]) -> str:
        """Return the chosen point, and a sum of all scores."""
        size, side, seed, *points = numbers
        board = (ctypes.c_int8 * len(points))(*points)
        shape = (ctypes.c_int64(size), ctypes.c_int64(size))
        sides = ctypes.c_int64(side)
        found = ctypes.c_int64(-7)
        place = ctypes.byref(found)
        choose = self.player.pattern_player_choose
        assert choose(board, *shape, sides, ctypes.c_int64(seed), place) == 0
        chosen, total = found.value, 0
        for point in range(len(points)):
            at = (ctypes.c_int64(point // size), ctypes.c_int64(point % size))
            assert self.player.pattern_player_score(board, *shape, *at, sides, place) == 0
            total += (point + 1) * found.value
        return f"{chosen} {total}"


def answers(lines: Iterator[str]) -> Iterator[str]:
    caller = Caller(Path(sys.argv[1]), sys.argv[2])
    return map(caller.answer, lines)


if __name__ == "__main__":
    for text in answers(line for line in sys.stdin if line.strip()):
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

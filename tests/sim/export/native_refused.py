"""Functions that cannot run without Python, each with what is said about it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sim import ExportError, exported
from sim.export.native.targets import LINUX
from sim.export.native.worker import Worker

Numbers = NDArray[np.float64]
NAMES: dict[str, int] = {"a": 1}
LARGE = np.zeros(200_000)


class Thing:
    x = 1


THING = Thing()


@exported
def text(name: str) -> int:
    return len(name)


@exported
def says() -> str:
    return "a"


@exported
def open_ended(n: int) -> float:
    return np.zeros(n).sum()


@exported
def doubled(x: Numbers) -> Numbers:
    return x * 2.0


@exported
def listed(x: Numbers) -> float:
    found = []
    for number in x:
        found.append(number)  # noqa: PERF402
    return found[0]


@exported
def of_object(n: int) -> int:
    return THING.x + n


@exported
def of_dict(n: int) -> int:
    return NAMES["a"] + n


@exported
def prints(n: int) -> int:
    print(n)  # noqa: T201
    return n


@exported
def opens(n: int) -> int:
    return len(open("a").read()) + n


@exported
def draws(n: int) -> float:
    return np.random.random() + n  # noqa: NPY002


@exported
def matrices(x: Numbers) -> float:
    return float(x @ x)


@exported
def wrong(n: int) -> int:
    return n / 2


@exported
def perhaps(n: int) -> int:
    if n > 3:
        return n
    return None


@exported
def too_large(n: int) -> float:
    return LARGE[n]


SAID = {
    text: "name: expected numbers and arrays of numbers, found str; it needs Python",
    says: "result: expected numbers and arrays of numbers, found str; it needs Python",
    open_ended: "uses an array whose size is not known when it is exported; it needs Python",
    doubled: "uses an array whose size is not known when it is exported; it needs Python",
    listed: "uses a list, as `np.sort` and `np.where` do, too; it needs Python: export it without",
    of_object: "global THING: expected a number, a module or a function, found Thing",
    of_dict: "global NAMES: expected a number, a module or a function, found dict",
    prints: "uses a Python object, a text or `print`; it needs Python",
    opens: "; it needs Python: export it without --native",
    draws: "draws random numbers: pass an array drawn",
    matrices: "uses linear algebra (`@`, `np.dot`, `np.linalg`): write its loops; it needs",
    wrong: "result: expected int, found float64",
    perhaps: "result: expected int, found int64 or None",
    too_large: "expected arrays of at most 1 MB, found 1.6 MB",
}


def main(folder: str) -> None:
    """Compile each function alone; write what is said, and how many lines below its mark that is."""
    worker = Worker(LINUX.machines[0], Path(folder))
    for function in SAID:
        said, line = "taken", 0
        try:
            worker.compile([function])
        except ExportError as error:
            said, line = str(error), error.line - function.__code__.co_firstlineno
        sys.stdout.write(f"{function.__name__}|{line}|{said}\n")


if __name__ == "__main__":
    main(sys.argv[1])

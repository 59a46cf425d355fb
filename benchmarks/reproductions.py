"""What reproduces each table and figure of the studies, as `benchmarks/studies.toml` says it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).with_name("studies.toml")
SEED: Final = "{seed}"
BY_HAND: Final = "The page's table is written by hand from what the commands print."


@dataclass(frozen=True)
class Reproduction:
    """One name of `python -m benchmarks.study`.

    Attributes:
        name: what it is called on the command line.
        makes: tables and pictures, as the head of the file says.
        hours: of one core, about.
        seeds: how often a command with `{seed}` is run.
        commands: that measure, in turn; none where today's code cannot.
        puts: that take what was measured into the page; none where that is done by hand.
        needs: names that are played before.
        by_hand: whether a table of the page is written by hand.
        note: what a reader has to know, such as why there is no command.
    """

    name: str
    makes: tuple[str, ...]
    hours: float = 0.0
    seeds: int = 0
    commands: tuple[str, ...] = ()
    puts: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    by_hand: bool = False
    note: str = ""

    def steps(self) -> Iterator[str]:
        """Yield the commands that measure, one for each seed."""
        for command in self.commands:
            if SEED in command:
                yield from (command.replace(SEED, str(seed)) for seed in range(self.seeds))
            else:
                yield command

    def remarks(self) -> list[str]:
        """Return what is said after a run."""
        return [text for text in (self.note, BY_HAND if self.by_hand else "") if text]


@cache
def reproductions() -> Mapping[str, Reproduction]:
    """Return all by name, in the order of the file.

    Raises:
        TypeError: a block has a key that none has.
    """
    found = {}
    for name, block in tomllib.loads(FILE.read_text(encoding="utf-8")).items():
        values: dict[str, Any] = {
            key: tuple(item) if isinstance(item, list) else item for key, item in block.items()
        }
        found[name] = Reproduction(name, **values)
    return found

"""Reproduce a table or figure of the studies: one command each, with its seeds.

    python -m benchmarks.study                   all names, what each makes, and how long it takes
    python -m benchmarks.study NAME --dry-run    the commands, and nothing else
    python -m benchmarks.study NAME              play them in turn, then put it into the page
    python -m benchmarks.study NAME --check      play them, then say what would change in the page

What a name needs is played before it. A run is at low priority. It keeps what is done in
OUT/NAME/steps.json and what was printed in OUT/NAME/1.log and so on. So a run that was broken off
goes on where it stopped. `benchmarks/studies.toml` has the names. The exit code is 1 if a command
fails or today's code has none for the name, and with `--check` if the page would change.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from base.files import SHIPPED_ROOT
from base.storage.json_file import read_json, write_json
from benchmarks.console import parser_of, table
from benchmarks.reproductions import Reproduction, reproductions

JUDGES: Final = frozenset(
    f"benchmarks.{name}"
    for name in (
        *("alphagomoku_roster", "alphagomoku_weights", "live_ppo", "protocol_games"),
        *("published", "search", "soak"),
    )
)
"""Programs that end with 1 where a goal is missed, which is a result."""
CHECKS: Final = frozenset(("benchmarks.levels", "benchmarks.seeds", "benchmarks.study_tables"))
"""Programs that say with `--check` what they would change."""
COPY: Final = "copy"
LOWEST: Final = 19
STEPS: Final = "steps.json"


def in_turn(name: str) -> Iterator[Reproduction]:
    """Yield what a name needs, each once, and then itself."""
    seen: list[str] = []

    def visit(name: str) -> None:
        for other in reproductions()[name].needs:
            visit(other)
        if name not in seen:
            seen.append(name)

    visit(name)
    for found in seen:
        yield reproductions()[found]


def words_of(command: str, runs: Path, name: str) -> list[str]:
    """Return a command's words, its folders filled in."""
    return shlex.split(command.format(out=(runs / name).as_posix(), runs=runs.as_posix()))


def python_of(words: Sequence[str]) -> list[str]:
    """Return the words with Python before them."""
    program = [words[0]] if words[0].endswith(".py") else ["-m", words[0]]
    return [sys.executable, *program, *words[1:]]


def hours_of(item: Reproduction) -> str:
    """Return how long a reproduction takes, in words."""
    if not item.commands:
        return "–"
    return f"{item.hours:g} h" if item.hours >= 1 else f"{60 * item.hours:.0f} min"


def listed() -> str:
    """Return the table of all names."""
    rows = [
        (f"`{item.name}`", ", ".join(item.makes), hours_of(item))
        for item in reproductions().values()
    ]
    return table(("name", "makes", "one core, about"), rows)


def run_step(words: Sequence[str], log: Path) -> int:
    """Run a command, its output shown and kept; return its exit code."""
    print(f"$ {shlex.join(words)}", flush=True)
    if words[0] == COPY:
        shutil.copyfile(words[1], SHIPPED_ROOT / words[2])
        return 0
    with (
        log.open("w", encoding="utf-8") as kept,
        subprocess.Popen(
            python_of(words),
            cwd=SHIPPED_ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        ) as process,
    ):
        for line in process.stdout or ():
            sys.stdout.write(line)
            sys.stdout.flush()
            kept.write(line)
    return process.returncode


def measure(item: Reproduction, runs: Path) -> bool:
    """Run the commands that are not done yet; return whether all are done."""
    out = runs / item.name
    out.mkdir(parents=True, exist_ok=True)
    done: list[str] = read_json(out / STEPS)["done"] if (out / STEPS).exists() else []
    for number, command in enumerate(item.steps(), 1):
        words = words_of(command, runs, item.name)
        if shlex.join(words) in done:
            continue
        code = run_step(words, out / f"{number}.log")
        if code and not (code == 1 and words[0] in JUDGES):
            print(f"study: {item.name}: step {number} ended with {code}", file=sys.stderr)
            return False
        done.append(shlex.join(words))
        write_json(out / STEPS, {"done": done})
    return True


def put(item: Reproduction, runs: Path, *, is_check: bool) -> int:
    """Take what was measured into the page, or say what would change; return the exit code."""
    code = 0
    for command in item.puts:
        words = words_of(command, runs, item.name)
        if not is_check:
            code = max(code, run_step(words, runs / item.name / "put.log"))
        elif words[0] in CHECKS:
            code = max(code, run_step([*words, "--check"], runs / item.name / "put.log"))
        else:
            print(f"would run: {shlex.join(words)}")
    print("\n".join(item.remarks()))
    return code


def show(item: Reproduction, runs: Path) -> None:
    """Print the commands of a reproduction as a shell would have them."""
    print(f"# {item.name}: {', '.join(item.makes)}; {hours_of(item)}")
    for command in (*item.steps(), *item.puts):
        words = words_of(command, runs, item.name)
        print(shlex.join(words if words[0] == COPY else ["python", *python_of(words)[1:]]))
    for remark in item.remarks():
        print(f"# {remark}")


def main(words: Sequence[str] | None = None) -> int:
    """List, show or play; return the exit code."""
    parser = parser_of(
        __doc__,
        out=(Path("runs/study"), "the folder of all runs"),
        dry_run=(False, "print the commands"),
        check=(False, "write nothing into the page; 1 where it differs"),
    )
    parser.add_argument("name", nargs="?", metavar="NAME")
    options = parser.parse_args(words)
    if options.name is None:
        print(listed())
        return 0
    if options.name not in reproductions():
        parser.error(f"expected a name of python -m benchmarks.study, found {options.name!r}")
    runs, items = options.out.absolute(), list(in_turn(options.name))
    if options.dry_run:
        for item in items:
            show(item, options.out)
        return 0
    if not any(item.commands for item in items):
        print(f"study: {options.name}: {items[-1].note}", file=sys.stderr)
        return 1
    if hasattr(os, "nice"):
        os.nice(LOWEST)
    for item in items:
        if not measure(item, runs):
            return 1
    return max(put(item, runs, is_check=options.check) for item in items)


if __name__ == "__main__":
    sys.exit(main())

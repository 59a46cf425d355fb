"""What takes too long for each change: `python -m tests.check --nightly [PART …] [--resume]`.

Each part is a program with an exit code, runs at most 60 minutes and is dated on its own: its last
result (date, machine, figures, verdict) is kept in docs/quality.json, and the table of
docs/quality.md is made of it. Parts that are named are run, without names all; with `--resume` those
that have passed with the same files are left out.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "quality.json"
PAGE = ROOT / "docs" / "quality.md"
MADE = (RESULTS, PAGE, ROOT / "docs" / "windows.json", ROOT / "docs" / "windows.md")
"""What parts write themselves."""
FORMAT = "goishi.nightly/1"
RESUME = "--resume"
LONGEST = 3600.0
"""Seconds of one part."""
FIGURES = 400
"""Characters of a part's figures in the table."""
BEGIN, END = "<!-- made: nightly -->", "<!-- end -->"
PASSED, FAILED, LATE, MISSING = "passed", "FAILED", "FAILED: 60 minutes", "not there"
LAST_LINE = ""
ALL_TESTS = "nightly or not nightly"


@dataclass(frozen=True)
class Part:
    """One program, or several in turn.

    Attributes:
        name: what it is called on the command line.
        what: what it shows, for the table.
        commands: modules with their words; `{scratch}` is an empty folder.
        figures: which printed lines are its figures, as a pattern; the last line without one.
    """

    name: str
    what: str
    commands: tuple[tuple[str, ...], ...]
    figures: str = LAST_LINE


PARTS = (
    Part("tests", "every test, those that repeat at length included",
         (("tests.check", "-m", ALL_TESTS),), r"(?m)^=+ (.*(?:passed|failed|error).*?) =+$"),
    Part("laws", "Hypothesis with random seeds", (("tests.laws",),)),
    Part("mutations", "small faults planted in the product",
         (("tests.mutate", "--seed", "1", "--resume", "--minutes", "55"),)),
    Part("learning", "300 games of both players and their controls", (("benchmarks.learning",),)),
    Part("kills", "200 kills amid saving", (("benchmarks.kills",),),
         r"(?m)^(\w+: FAILED.*|\w+: \d+ kills|\d+ kills, seed .*)"),
    Part("soak", "5,000 games in a row: memory", (("benchmarks.soak",),),
         r"(?m)^(.+ MB per 1,000 games(?: MISSED)?$|\d+ games in \d+ s)"),
    Part("corpus-scripts", "faulty and nasty scripts", (("benchmarks.corpus_scripts",),),
         r"(?m)^(\w+: \d+ scripts: .+)$"),
    Part("corpus-files", "hostile scenes and assets", (("benchmarks.corpus_files",),),
         r"(?m)^(\w+: \d+; taken .+)$"),
    Part("steps", "fixed steps a second at max speed", (("benchmarks.steps",),),
         r"(?m)^ *(\w+ \w+: +\d+ fixed steps .+)$"),
    Part("retrain", "a training's cost, and what it holds", (("benchmarks.retrain",),),
         r"(?m)^(\S+: .+)$"),
    Part("golden", "the same games, scenes and files twice",
         (("benchmarks.golden", "--out", "{scratch}/golden.json"),
          ("benchmarks.golden", "--against", "{scratch}/golden.json"))),
    Part("genetic", "the genetic player, compiled and plain", (("benchmarks.genetic",),),
         r"(?m)^ *(\d+x\d+ .+)$"),
    Part("published", "costs and games of published players", (("benchmarks.published",),)),
    Part("search", "pattern core against C, playouts, tree search", (("benchmarks.search",),)),
    Part("puct", "guided tree search against its networks", (("benchmarks.puct",),)),
    Part("claims", "wins that alpha-beta claims, proven",
         (("benchmarks.claimed_wins", "--games", "6"),)),
    Part("oracle", "what the oracle proves", (("benchmarks.oracle",),)),
    Part("profiler", "what the profiler costs while it is off", (("benchmarks.profiler",),)),
    Part("many", "many objects beside bare Panda3D", (("benchmarks.many",),),
         r"(?m)^(\w+: .+ ratio .+)$"),
    Part("live-ppo", "frames of a window while PPO learns", (("benchmarks.live_ppo",),),
         r"(?m)^(.*p99 ratio .+)$"),
    Part("remote", "reading by remote control against a script's", (("benchmarks.remote",),),
         r"(?m)^(\d+ values beside .+|a value .+)$"),
    Part("walks", "the four walks through the code", (("benchmarks.walks",),),
         r"(?m)^(\w+: \d+ files .*)$"),
    Part("packed", "a packed game in an empty Linux, and one for Windows", (("benchmarks.packed",),),
         r"(?m)^(linux: .+|windows: .+|FAILED: .+)$"),
    Part("windows", "Windows, by Wine: programs", (("tests.windows", "tries"),),
         r"(?m)^(\d+ of \d+ tries work)$"),
    Part("windows-core", "Windows, by Wine: tests of what draws nothing",
         (("tests.windows", "base", "ai", "sim core"),), r"(?m)^(Windows: \d+ passed.*)$"),
    Part("windows-scenes", "Windows, by Wine: tests that draw or start scenes, and commands",
         (("tests.windows", "render", "drive", "command line"),), r"(?m)^(Windows: \d+ passed.*)$"),
    Part("study-tables", "the study's tables agree with its figures",
         (("benchmarks.study_tables", "--check"), ("benchmarks.seeds", "--check"))),
)  # fmt: skip
BY_HAND = {
    "benchmarks.levels": "plays all levels of strength against each other for an hour",
    "benchmarks.paired": "compares with another checkout",
    "benchmarks.inventory": "compares with what another checkout offers",
    "benchmarks.convolution_weights": "fits weights for hours, and writes what ships",
    "benchmarks.alphagomoku_roster": "plays for an hour; it goes on where it ended",
    "benchmarks.alphagomoku_tables": "takes runs of many hours into the page",
    "benchmarks.alphagomoku_weights": "plays what a training of hours has left, and writes what ships",
    "benchmarks.engine_match": "plays two versions of alpha-beta against each other for an hour",
    "benchmarks.outside_match": "plays a program from outside, which is not here",
    "benchmarks.turning_moves": "judges games lost to programs from outside, for minutes each",
    "benchmarks.evaluation_bands": "looks at positions that a training of hours has left",
    "benchmarks.engine_suite": "writes the tactical positions that ship",
    "benchmarks.move_net_games": "plays the games that the earlier network learnt from",
    "benchmarks.move_net_training": "plays games, trains on them for minutes, and writes what ships",
    "benchmarks.move_net": "plays for hours; `benchmarks.seeds` keeps what comes of it",
    "benchmarks.environments": "its goals are for a machine with two cores to itself",
    "benchmarks.protocol_games": "plays for hours over the protocol; it goes on where it ended",
    "benchmarks.study": "plays the tables and figures of the studies, for minutes to days",
    "benchmarks.memory_index": "fills graphs of a million nodes for hours",
    "benchmarks.learners": "trains for hours, by outside libraries, too; it goes on where it ended",
    "benchmarks.learners_outside": "is run by benchmarks.learners, in another Python",
    "benchmarks.lines": "plays for hours; it goes on where it ended",
    "benchmarks.wheels_there": "asks the package index what each Python and system would get",
    "benchmarks.swap2": "plays 800 games for what swap2 by value is worth; it goes on where it ended",
}
"""Benchmarks with an exit code that no part runs, and why."""


@dataclass(frozen=True)
class Result:
    """The last run of a part."""

    date: str
    """UTC, to the minute."""
    machine: str
    tree: str
    """Digest of the files that it was run with."""
    minutes: float
    figures: str
    verdict: str


def main(words: Sequence[str]) -> int:
    """Run parts; return 0 when all of them passed, 2 when there is none of a name."""
    names = [word for word in words if word != RESUME]
    known = {part.name: part for part in PARTS}
    wrong = [name for name in names if name not in known]
    if wrong:
        sys.stderr.write(f"expected parts of {', '.join(known)}, found {', '.join(wrong)}\n")
        return 2
    parts = [known[name] for name in names] or list(PARTS)
    kept, tree = read(), tree_digest()
    if RESUME in words:
        parts = [part for part in parts if not is_done(kept.get(part.name), tree)]
    verdicts = {}
    for part in parts:
        say(f"\n=== nightly {part.name}: {part.what}")
        result = run(part, tree)
        verdicts[part.name] = result.verdict
        if result.verdict != MISSING:
            kept[part.name] = result
            write(kept)
    for name, verdict in verdicts.items():
        say(f"{name:16} {verdict}")
    return 0 if all(verdict == PASSED for verdict in verdicts.values()) else 1


def is_done(result: Result | None, tree: str) -> bool:
    """Whether a part has passed with this tree."""
    return result is not None and result.verdict == PASSED and result.tree == tree


def run(part: Part, tree: str, longest: float = LONGEST) -> Result:
    """Run a part's commands one after the other, until one fails or the time is up."""
    begun = time.monotonic()
    said, verdict = "", PASSED
    with tempfile.TemporaryDirectory(prefix="goishi-nightly-") as scratch:
        for command in part.commands:
            if not is_there(command[0]):
                verdict = MISSING
                break
            words = [word.replace("{scratch}", scratch) for word in command]
            left = longest - (time.monotonic() - begun)
            code, text = watched([sys.executable, "-m", *words], left)
            said += text
            if code != 0:
                verdict = LATE if code is None else FAILED
                break
    return Result(
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        machine=machine(),
        tree=tree,
        minutes=round((time.monotonic() - begun) / 60.0, 1),
        figures=figures_of(said, part.figures),
        verdict=verdict,
    )


def watched(words: Sequence[str], seconds: float) -> tuple[int | None, str]:
    """Run a program in a session of its own, its output shown as it comes.

    Returns:
        Its exit code, None where the time was up and it was killed with all that it had started,
        and its output.
    """
    process = subprocess.Popen(
        words, cwd=ROOT, text=True, errors="replace", stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    is_late = threading.Event()

    def end() -> None:
        is_late.set()
        with contextlib.suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()

    timer = threading.Timer(max(0.0, seconds), end)
    timer.start()
    lines = []
    with process:
        try:
            for line in process.stdout or ():
                lines.append(line)
                sys.stdout.write(line)
                sys.stdout.flush()
            code = process.wait()
        finally:
            timer.cancel()
            if process.poll() is None:
                end()
    return None if is_late.is_set() else code, "".join(lines)


def is_there(module: str) -> bool:
    """Whether a module can be run."""
    return importlib.util.find_spec(module) is not None


def figures_of(said: str, pattern: str) -> str:
    """Return what a program printed that is worth a table: what fits, or the last line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    found = [" ".join(item.split()) for item in re.findall(pattern, said)] if pattern else []
    text = "; ".join(found or lines[-1:])
    return text if len(text) <= FIGURES else f"{text[: FIGURES - 1]}…"


def machine() -> str:
    """Return what a result depends on besides the tree."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}"


def tree_digest() -> str:
    """Return a digest of all files of the tree but what parts write; "none" outside of a repository."""
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return "none"
    digest = hashlib.sha256()
    for path in (ROOT / name for name in sorted(done.stdout.splitlines())):
        if path.is_file() and path not in MADE:
            digest.update(path.relative_to(ROOT).as_posix().encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12] if done.returncode == 0 else "none"


def read(path: Path = RESULTS) -> dict[str, Result]:
    """Return the last results by part; those of parts that there are no more are dropped."""
    if not path.exists():
        return {}
    parts = json.loads(path.read_text(encoding="utf-8"))["parts"]
    return {part.name: Result(**parts[part.name]) for part in PARTS if part.name in parts}


def write(results: Mapping[str, Result], path: Path = RESULTS, page: Path = PAGE) -> None:
    """Keep results, and make the page's table of them."""
    parts = {part.name: asdict(results[part.name]) for part in PARTS if part.name in results}
    text = json.dumps({"format": FORMAT, "parts": parts}, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    page.write_text(
        rewritten(page.read_text(encoding="utf-8"), results), encoding="utf-8", newline="\n"
    )


def rewritten(page: str, results: Mapping[str, Result]) -> str:
    """Return the page with the table of these results between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table(results)}\n\n{END}{after}"


def table(results: Mapping[str, Result]) -> str:
    """Return the table of the last results: a row for each part, those never run included."""
    rows: list[Iterable[str]] = [
        ("part", "what", "date (UTC)", "machine", "minutes", "figures", "verdict"),
        ("---",) * 7,
    ]
    for part in PARTS:
        result = results.get(part.name)
        if result is None:
            rows.append((f"`{part.name}`", part.what, "–", "–", "–", "–", "not run yet"))
            continue
        figures = result.figures.replace("|", "\\|").replace("<", "&lt;")
        rows.append((f"`{part.name}`", part.what, result.date, result.machine,
                     f"{result.minutes:g}", figures, result.verdict))  # fmt: skip
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def say(line: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()

"""Play games over the Gomocup protocol and count what a tournament would punish.

    python -m benchmarks.protocol_games [--games 1000] [--ms 100] [--rules freestyle,standard]
        [--memory 350] [--engine COMMAND] [--out runs/protocol_games.jsonl]

`python main.py brain alpha-beta` is started as a program and plays from drawn openings, with one
color and then with the other, against a weak search in this process. With `--engine`, the opponent
is a program of yours instead, which speaks the protocol and has as much time for a move. Every move
is timed from the command until its line. Beside every fourth move a control process sleeps for as
long as the move may take, so that the machine's own delays are known. Each game is a line of the
file, so an interrupted run is resumed. Prints illegal moves, moves over by 50 and 200 ms beside
those of the control, crashes, and the most memory that the program held. The exit code is 1 if a
game has a fault.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import psutil  # type: ignore[import-untyped]

from ai.game import Board, Rule, Rules, random_centre_point
from ai.players.base import Player
from ai.protocol.table import bits_of
from ai.registry.engines import PREFIX, declare_engines
from ai.registry.players import create_player
from ai.search.base import Limit
from base.errors import UsageError
from base.files import SHIPPED_ROOT
from base.schema import OptionError
from base.storage.json_file import LinesFile, read_lines
from benchmarks.console import parser_of
from benchmarks.games import with_stones
from benchmarks.programs import MAIN

SLEEPER: Final = """
import sys, time
for line in sys.stdin:
    if line.strip() == "END":
        break
    time.sleep(float(line))
    print(flush=True)
"""
"""The control process: it answers each line after as many seconds as the line says."""
EVERY: Final = 4
"""Of so many moves, one is timed beside the control process."""
OPENING: Final = 4
OTHER_NODES: Final = 400
"""Positions a move of the weak search."""
BRAIN: Final = (sys.executable, MAIN, "brain", "alpha-beta", "--seed", "1")
OUTSIDE: Final = "opponent"
"""Name under which the program of `--engine` is declared."""
FEWEST_MS: Final = 30_000
"""Time of the first answer, which may wait for kernels."""


class Program:
    """A program that answers lines."""

    def __init__(self, words: Sequence[str], folder: Path = SHIPPED_ROOT) -> None:
        pipe = subprocess.PIPE
        self.process: Any = subprocess.Popen(words, stdin=pipe, stdout=pipe, cwd=folder)

    def tell(self, line: str) -> None:
        """Write a line."""
        self.process.stdin.write(f"{line}\r\n".encode())
        self.process.stdin.flush()

    def ask(self, line: str) -> tuple[str, float]:
        """Write a line; return the answer, empty at the program's end, and the seconds it took."""
        began = time.perf_counter()
        try:
            self.tell(line)
            answer = "MESSAGE"
            while answer.startswith(("MESSAGE", "DEBUG")):
                answer = self.process.stdout.readline().decode().strip()
        except OSError:
            answer = ""
        return answer, time.perf_counter() - began

    def memory(self) -> int:
        """Return the bytes that it holds, 0 where it has ended."""
        try:
            return int(psutil.Process(self.process.pid).memory_info().rss)
        except psutil.Error:
            return 0

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *error: object) -> None:
        """End it: by END, or where it does not obey, at once."""
        try:
            self.tell("END")
            self.process.stdin.close()
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def play_game(
    brain: Program,
    control: Program,
    number: int,
    rules: Rules,
    ms: int,
    memory: int,
    outside: Player | None = None,
) -> dict[str, Any]:
    """Play a game; return its result, the overshoots in milliseconds, and what went wrong.

    Args:
        brain: the program whose moves are timed.
        control: the process that sleeps.
        number: number of the game.
        rules: rules of the game.
        ms: milliseconds of a move.
        memory: bytes that the brain is told it may hold.
        outside: the opponent, with the same time for a move; None for a weak search.
    """
    board, rng = _opening(rules, number // 2), np.random.default_rng(number)
    other = outside or create_player("alpha-beta", rules, {"memory": 1})
    limit = Limit(seconds=ms / 1000) if outside else Limit(nodes=OTHER_NODES)
    own = number % 2  # of the plies, which are the brain's
    found: dict[str, Any] = {"game": number, "rule": rules.rule.value, "fault": ""}
    found |= {"over": [], "control": []}
    settings = {"timeout_turn": ms, "timeout_match": 0, "max_memory": memory}
    settings["rule"] = bits_of(rules)
    if brain.ask(f"START {rules.size}")[0] != "OK":
        return {**found, "fault": "start"}
    for key, value in settings.items():
        brain.tell(f"INFO {key} {value}")
    is_told = False
    while board.outcome() is None:
        if board.ply % 2 != own:
            choice = other.choose(board, limit, rng)
            if choice.forfeit:  # the other program has lost: nothing of the brain's
                found["forfeit"] = choice.forfeit
                return {**found, "plies": board.ply, "is_won": True, "memory": brain.memory()}
            board.push(choice.move)
            continue
        text = _turn(board) if is_told else _board(board, own)
        answer, seconds = brain.ask(text)
        is_told = True
        found["over"].append(round(seconds * 1000 - ms, 1))
        move = _move(answer, rules)
        if move is None or move not in board.legal_moves:
            return {**found, "fault": f"illegal: {answer[:60]}" if answer else "crash"}
        board.push(move)
        if board.ply // 2 % EVERY == 0:
            found["control"].append(round(control.ask(str(ms / 1000))[1] * 1000 - ms, 1))
    outcome = board.outcome()
    is_own = outcome is not None and outcome.winner == (1, -1)[own]
    return {**found, "plies": board.ply, "is_won": is_own, "memory": brain.memory()}


def _opening(rules: Rules, number: int) -> Board:
    """Return some stones near the centre, the same for the same number."""
    rng = np.random.default_rng(number)

    def draw() -> int:
        row, column = divmod(int(random_centre_point(rules, rng)), rules.size)
        row, column = row + int(rng.integers(-2, 3)), column + int(rng.integers(-2, 3))
        return row * rules.size + column

    return with_stones(Board(rules), OPENING, draw)


def _turn(board: Board) -> str:
    row, column = divmod(board.moves[-1], board.rules.size)
    return f"TURN {column},{row}"


def _board(board: Board, own: int) -> str:
    """Return BOARD with all stones, 1 for those of the brain."""
    rows = []
    for ply, move in enumerate(board.moves):
        row, column = divmod(move, board.rules.size)
        rows.append(f"{column},{row},{1 if ply % 2 == own else 2}")
    return "\r\n".join(["BOARD", *rows, "DONE"])


def _move(answer: str, rules: Rules) -> int | None:
    try:
        column, row = (int(part) for part in answer.split(","))
    except ValueError:
        return None
    return row * rules.size + column if 0 <= column < rules.size else None


def summary(games: Sequence[dict[str, Any]]) -> str:
    """Return the counts as text, a line each."""
    over = [one for game in games for one in game["over"]]
    control = [one for game in games for one in game["control"]]
    faults = [game["fault"] for game in games if game["fault"]]
    memory = max((game.get("memory", 0) for game in games), default=0) / 2**20
    illegal = sum(fault.startswith("illegal") for fault in faults)
    crashes = len(faults) - illegal
    won = sum(game.get("is_won", False) for game in games)
    forfeits = sum("forfeit" in game for game in games)
    by_faults = f", {forfeits} by faults of the other program" if forfeits else ""
    lines = [
        f"{len(games)} games ({won} won{by_faults}), {len(over)} moves: {illegal} illegal, "
        f"{crashes} crashes, at most {memory:.0f} MiB"
    ]
    for name, times in (("moves", over), ("the sleeping control", control)):
        if times:
            late = [sum(one > limit for one in times) for limit in (0, 50, 200)]
            lines.append(
                f"{name}: {len(times)}, over the time {late[0]}, by 50 ms {late[1]}, by 200 ms "
                f"{late[2]}; median {np.median(times):+.1f} ms, latest {max(times):+.1f} ms"
            )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the games that are missing and print the counts; return 1 where one had a fault.

    Raises:
        SystemExit: the file's games are against another opponent.
    """
    parser = parser_of(
        __doc__,
        games=1000,
        ms=100,
        memory=(350, "MiB"),
        rules="freestyle,standard",
        engine=("", "command of the program that is the opponent"),
        out=Path("runs/protocol_games.jsonl"),
    )
    options = parser.parse_args(arguments)
    rules = [Rules(15, 5, Rule(name)) for name in options.rules.split(",")]
    games = read_lines(options.out)
    others = {game.get("engine", "") for game in games} - {options.engine}
    if others:
        raise SystemExit(
            f"{options.out}: expected games against {options.engine!r}, found {others}"
        )
    outside: dict[Rules, Player] = {}
    try:
        if options.engine:
            declare_engines([f"{OUTSIDE}={options.engine}"])
            outside = {rule: create_player(f"{PREFIX}{OUTSIDE}", rule) for rule in rules}
    except (OptionError, UsageError) as error:
        parser.error(str(error))
    subprocess.run([sys.executable, MAIN, "warm"], check=True, stdout=subprocess.DEVNULL)
    with contextlib.ExitStack() as opened:
        for player in outside.values():
            opened.callback(player.close)
        control = opened.enter_context(Program([sys.executable, "-c", SLEEPER]))
        file = opened.enter_context(LinesFile(options.out))
        brain = Program(BRAIN)
        prepare(brain)
        while len(games) < options.games:
            number = len(games)
            rule = rules[number // 2 % len(rules)]
            sizes = (options.ms, options.memory << 20)
            game = play_game(brain, control, number, rule, *sizes, outside.get(rule))
            game |= {"engine": options.engine} if options.engine else {}
            games.append(game)
            file.append(game)
            if game["fault"]:
                brain.__exit__()
                brain = Program(BRAIN)
                prepare(brain)
        brain.__exit__()
    print(summary(games))
    return int(any(game["fault"] for game in games))


def prepare(brain: Program) -> None:
    """Let a program load its kernels before its first timed move."""
    brain.ask("START 15")
    brain.tell(f"INFO timeout_turn {FEWEST_MS}")
    brain.ask(
        "BOARD\r\n7,7,1\r\n0,0,2\r\n7,8,1\r\n0,1,2\r\n7,9,1\r\n0,2,2\r\n7,10,1\r\n0,3,2\r\nDONE"
    )


if __name__ == "__main__":
    sys.exit(main())

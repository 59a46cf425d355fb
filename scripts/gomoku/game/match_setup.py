"""What happens beside the first game: kernels are compiled, what was learnt is taken up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ai import (
    WHITE,
    CompileDone,
    CompileKernels,
    ProjectError,
    Rules,
    StoredGame,
    UnknownGameError,
    get_game,
)
from sim import FieldError

if TYPE_CHECKING:
    from scripts.gomoku.game.match import Match

LEARNER = "a network that teaches itself"
MEMORY = "a memory of lost games, no network"
LEARNS = {LEARNER: ", remembers and retrains", MEMORY: " and remembers what it should have played"}
KINDS = {
    "one-ply": "a one-ply rule",
    "alpha-beta": "alpha-beta search",
    "genetic": "a genetic algorithm",
    "cnn-ann": LEARNER,
    "cnn-ann-plus": LEARNER,
    "ann": MEMORY,
}


def rules_of(match: Match) -> Rules:
    """Return the rules by the match's fields.

    Raises:
        FieldError: `game_name` is no game's, or the project's `goishi.toml` is unsound.
    """
    if match.game_name:
        try:
            return get_game(match.game_name, match.run.project).rules
        except (UnknownGameError, ProjectError) as error:
            raise FieldError("game_name", expected="a known game", found=str(error)) from None
    return Rules(
        size=match.size,
        win_length=min(match.win_length, max(match.size, match.height)),
        full_board_winner=WHITE if match.full_board_wins else 0,
        height=match.height if match.height >= 3 else None,
        gravity=match.gravity,
    )


def set_legend(match: Match) -> None:
    """Say in the first seconds who plays and what the keys do."""
    sides = match.board.sides
    who = {
        sides[color]: KINDS.get(seat.chosen_player(), seat.chosen_player())
        for color, seat in ((1, match.black), (WHITE, match.white))
    }
    lines = ["F fast-forward · L its losses · B / W sit down yourself · Space pause · F1 help"]
    learns = LEARNS.get(who[sides[WHITE]], "")
    if match.coach is not None and learns:
        lines.insert(0, f"When {sides[WHITE]} loses, it walks the game back{learns}")
    title = " · ".join(f"{side}: {name}" for side, name in who.items())
    match.panels.set_legend(match.slot, title, tuple(lines))


async def compile_kernels(match: Match) -> None:
    """Compile the kernels beside the match; players change to them between games."""
    link = match.workers.open("compiler", "ai.workers.compiler:main", {}, owner=match.slot)
    pending = link.request(CompileKernels())
    text = "preparing fast kernels (first start only)"
    match.status.set("kernels", text, busy=True)
    pending.on_progress = lambda done: match.status.set(
        "kernels", f"{text}: {done.step} of {done.steps}", busy=True
    )
    done: CompileDone = await match.background(pending)
    match.status.clear("kernels")
    match.has_fast_kernels = done.compiled
    if not done.compiled:
        match.log.warning(f"kernels cannot be compiled here, the slower twin plays: {done.reason}")
    link.close()


def _ranks_of(games: list[StoredGame], points: int) -> list[int]:
    """Return how often each rank was played in stored games."""
    counts = [0] * points
    for game in games:
        for rank in game.details.get("ranks", ()):
            if 1 <= rank <= points:
                counts[rank - 1] += 1
    return counts


async def resume(match: Match) -> None:
    """Go on after the last game that was kept; learn from those nobody learnt from yet."""
    learnt = match.coach.games_learnt
    kept = [] if match.run.fresh or match.archive is None else match.archive.earlier_games()
    known = [item.record for item in kept if "beside" not in item.details]
    missed = [item.record for item in kept if item.record.game > learnt]
    match.game = max([learnt, *(record.game for record in missed)])
    if match.game:
        for record in known:  # the charts and the scoreboard go on, too
            match.metrics.log("white_won", float(record.winner == WHITE), step=record.game)
        measures = [] if match.archive is None else match.archive.measures()
        for game, name, value in measures:
            if game <= learnt:  # what was not learnt yet is measured anew
                match.metrics.log(name, value, step=game)
        if learnt and not measures:  # kept by an older version: the last point alone is known
            match.coach.log_statistics(learnt)
        match.earlier_ranks = _ranks_of(kept, match.rules.points)
        match.resumed.emit(known)
    changes = match.archive.changes() if known and match.archive is not None else []
    match.coach.take_up(changes, match.game + 1)
    for record in missed:
        if record.rules == match.rules:
            match.coach.learn(record)
    if missed:
        await match.coach.finish_training()
    if match.game:
        match.log.info(f"resumed at game {match.game + 1}")

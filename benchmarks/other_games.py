"""What the self-teaching learner learns of other games than Gomoku.

    python -m benchmarks.other_games [--game tic-tac-toe connect-four] [--games N] [--seed 1 2 3]
        [--player cnn-ann-plus] [--opponent one-ply] [--control random-labels] [--set KEY=VALUE …]
        [--out FILE.json] [--figure FILE.png]
    python -m benchmarks.other_games --keep FILE.json …      take runs by lines into the page

The learner plays White, and the opponent plays Black after a first stone that is drawn. After these
games the network is frozen and plays others, with dice of their own. The network that no game has
changed plays the same ones. Prints both results and their ratio.

The cube is four in a row on 4x4x4 points, `docs/projects/cube`. There the opponent is `mcts` with
50 iterations. `FILE.json` keeps what was played; what is there already is not played again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from ai.experiments.controls import create_learner
from ai.game import BLACK, WHITE, Game, Rules
from ai.players.base import Player
from ai.registry.players import (
    create_player,
    get_player_info,
    resolve_settings,
    split_label,
)
from ai.registry.project_games import get_game
from ai.runs.statistics import wilson
from ai.session.game import GameSession
from ai.session.teaching import LearnerSession, TeachingRun
from base.files import SHIPPED_ROOT
from base.storage.json_file import read_json, write_table
from base.trust import trust_for_this_run
from benchmarks.console import machine, parser_of, settings_of, table
from benchmarks.games import Score
from benchmarks.study_tables import made_anew

STUDIES: Final = SHIPPED_ROOT / "docs" / "studies"
PAGE: Final = STUDIES / "other_games.md"
BY_LINES: Final = STUDIES / "other_games_lines.json"
CUBE: Final = "cube"
CUBE_PROJECT: Final = SHIPPED_ROOT / "docs" / "projects" / "cube"
GAMES: Final = {
    "tic-tac-toe": Rules(3, 3),
    "connect-four": Rules(7, 4, height=6, gravity=True),
    "gomoku": Rules(7, 5, full_board_winner=WHITE),
}
COUNTS: Final = {"tic-tac-toe": 300, "connect-four": 600, "gomoku": 300, CUBE: 100}
NEAR: Final = {"kernel_sizes": "3,3,3", "input": "planes"}
"""Three 3x3 kernels see as far as a row of three or four reaches."""
SETTINGS: Final[Mapping[str, Mapping[str, object]]] = {
    "tic-tac-toe": NEAR,
    "connect-four": {**NEAR, "own_threats": True},
}
"""Of `cnn-ann-plus`, as in the scenes; `--set` goes before them."""
OPPONENTS: Final = {CUBE: "mcts@iterations=50"}
"""Who plays Black where it is not `one-ply`, which knows m,n,k games alone."""
CONTROLS: Final = ("none", "random-labels")
HELD_OUT: Final[Mapping[str, Sequence[tuple[str, Mapping[str, object]]]]] = {
    "tic-tac-toe": (("one-ply", {}), ("alpha-beta", {"nodes": None})),
    "connect-four": (("one-ply", {}), ("alpha-beta", {"depth": 4, "nodes": None})),
    "gomoku": (("one-ply", {}),),
    CUBE: (("mcts", {"iterations": 50}),),
}
"""Against whom the frozen network plays."""
TITLES: Final = {"connect-four": "Connect Four", CUBE: "the cube"}
GROUP: Final = 25
LAST: Final = 50
"""Last games of a run that are counted apart."""
CONTROL_WORDS: Final = {"none": "the records'", "random-labels": "random"}
STABLE: Final = 0.95
WINDOW: Final = 50
HELD_OUT_SEED: Final = 1_000_000


@dataclass
class Curve:
    """One run of games."""

    game: str
    player: str
    opponent: str
    settings: Mapping[str, object]
    seed: int
    winners: list[int] = field(default_factory=list)
    """Of each game: 1 Black, -1 White (the learner), 0 a draw."""
    retrains: int = 0
    nodes: int = 0
    training_seconds: float = 0.0
    seconds: float = 0.0
    control: str = "none"
    held_out: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def key(self) -> tuple[object, ...]:
        """What tells this run from others."""
        settings = sorted((name, str(value)) for name, value in self.settings.items())
        return self.game, self.player, self.opponent, self.control, self.seed, *settings

    def shares(self, winners: Sequence[int], group: int = GROUP) -> list[float]:
        """Return the share of games that ended so, of each full group."""
        full = len(self.winners) // group
        return [
            sum(result in winners for result in self.winners[i * group : (i + 1) * group]) / group
            for i in range(full)
        ]

    @property
    def stable_from(self) -> int | None:
        """The first game from which every window of 50 games is lost at most one time in 20."""
        kept = [result != BLACK for result in self.winners]
        last = None
        for start in reversed(range(len(kept) - WINDOW + 1)):
            if sum(kept[start : start + WINDOW]) < STABLE * WINDOW:
                break
            last = start + 1
        return last


def rules_of(game: str) -> Game:
    """Return the rules of a game by its name."""
    if game != CUBE:
        return GAMES[game]
    trust_for_this_run(CUBE_PROJECT)
    return get_game(CUBE, CUBE_PROJECT).rules


def play_curve(curve: Curve, games: int) -> None:
    """Play `games` games, the learner on White, then the held-out ones with a frozen network.

    Args:
        curve: the run, without games; they are added to it.
        games: number of games.
    """
    rules, player, settings, seed = rules_of(curve.game), curve.player, curve.settings, curve.seed
    learner = create_learner(player, rules, settings, seed, control=curve.control)
    learner.prepare()
    white: Any = create_player(player, rules, resolve_settings(get_player_info(player), settings))
    first = learner.weights()
    name, chosen = split_label(curve.opponent)
    black = create_player(name, rules, chosen)
    run = TeachingRun(
        rules,
        LearnerSession(learner, None),
        seed=seed,
        opponent=lambda number: black,
        player=white,
        swap=lambda weights: weights.load_into(white),
    )
    run.swap()
    started = time.perf_counter()
    for _ in range(games):
        curve.winners.append(run.play().record().winner)
        curve.training_seconds += run.learn() or 0.0
    curve.seconds = round(time.perf_counter() - started, 1)
    curve.retrains, curve.nodes = learner.retrains, len(learner.memory)
    for other, strength in HELD_OUT[curve.game]:
        frozen: dict[str, Any] = {"trained": _count(rules, other, strength, white, seed)}
        first.load_into(white)
        frozen["untrained"] = _count(rules, other, strength, white, seed)
        learner.weights().load_into(white)
        curve.held_out[other] = frozen


def _count(
    rules: Game, name: str, settings: Mapping[str, object], white: Player, seed: int
) -> dict[str, Any]:
    """Return how 100 games end that nothing is learnt from."""
    black, games = create_player(name, rules, settings), 100
    results = [
        GameSession(rules, number, seed=seed + HELD_OUT_SEED).play_out(black, white).winner
        for number in range(1, games + 1)
    ]
    score = Score.of([(1 + WHITE * winner) / 2 for winner in results])
    low, high = wilson(games - score.losses, games)
    return {**asdict(score), "not_lost": [round(low, 3), round(high, 3)]}


def report(curve: Curve) -> None:
    """Print one run."""
    print(
        f"{curve.game}, {curve.player} against {curve.opponent}, control {curve.control}, "
        f"seed {curve.seed}: "
        f"{curve.seconds:.0f} s, of which {curve.training_seconds:.0f} s in {curve.retrains} "
        f"trainings; {curve.nodes} nodes"
    )
    print("  won per 25 games     ", *(f"{share:4.0%}" for share in curve.shares((WHITE,))))
    print("  not lost per 25 games", *(f"{share:4.0%}" for share in curve.shares((WHITE, 0))))
    print(f"  at least 95 % not lost for good from game {curve.stable_from or '(not reached)'}")
    for name, found in curve.held_out.items():
        pair = [found[kind] for kind in ("trained", "untrained")]
        trained, untrained = (
            f"won {item['wins']}, drawn {item['draws']}, lost {item['losses']}" for item in pair
        )
        kept = [100 - item["losses"] for item in pair]
        print(
            f"  frozen, 100 other games against {name}: {trained}; before learning: {untrained}; "
            f"not lost {kept[0] / max(kept[1], 1):.1f} times as often",
            flush=True,
        )


def draw(curves: Sequence[Curve], path: Path) -> None:
    """Write a chart of the curves, a panel a game, a line a seed."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    games = list(dict.fromkeys(curve.game for curve in curves))
    figure, panels = plt.subplots(1, len(games), figsize=(5.2 * len(games), 3.8), squeeze=False)
    for panel, game in zip(panels[0], games, strict=True):
        for curve in (item for item in curves if item.game == game):
            ends = [GROUP * (index + 1) for index in range(len(curve.winners) // GROUP)]
            kept, won = curve.shares((WHITE, 0)), curve.shares((WHITE,))
            (line,) = panel.plot(ends, kept, marker="o", ms=3, label=f"seed {curve.seed}")
            panel.plot(ends, won, ls="--", lw=1.2, color=line.get_color())
        panel.axhline(STABLE, color="0.6", lw=0.8, ls=":")
        panel.set(title=f"{game}, White against {curves[0].opponent}", ylim=(-0.03, 1.04))
        panel.set(xlabel="games", ylabel=f"share of {GROUP} games")
        panel.grid(alpha=0.25)
        legend = {"title": "not lost; dashed: won", "title_fontsize": 8, "fontsize": 8, "ncols": 3}
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), **legend)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def lines_table(curves: Sequence[Curve]) -> str:
    """Return the table of the page: players that learn by lines, beside random labels."""
    runs: dict[tuple[str, ...], list[Curve]] = {}
    for curve in sorted(curves, key=lambda item: item.key):
        runs.setdefault((curve.game, curve.opponent, curve.player, curve.control), []).append(curve)
    rows = []
    for (game, opponent, player, control), found in runs.items():
        frozen = next(iter(found[0].held_out), "")
        shown = [TITLES.get(game, game), f"`{opponent}`", f"`{player}`", CONTROL_WORDS[control]]
        shown += [str(len(found[0].winners)), _by_seed(found, lambda run: _lost(run.winners))]
        shown += [_by_seed(found, lambda run: _lost(run.winners[-LAST:]))]
        for kind in ("trained", "untrained"):
            lost = [str(run.held_out[frozen][kind]["losses"]) for run in found if run.held_out]
            shown.append(", ".join(lost))
        rows.append(shown)
    heads = ["game", "Black", "White", "labels", "games", "lost, by seed", f"of the last {LAST}"]
    return table([*heads, "frozen, of 100", "before learning"], rows)


def _by_seed(runs: Sequence[Curve], number: Callable[[Curve], int]) -> str:
    return ", ".join(str(number(run)) for run in runs)


def _lost(winners: Sequence[int]) -> int:
    return sum(winner == BLACK for winner in winners)


def read_curves(files: Sequence[Path]) -> list[Curve]:
    """Return the runs that some files hold."""
    return [Curve(**values) for file in files for values in read_json(file)["curves"]]


def keep(curves: Sequence[Curve]) -> None:
    """Write runs beside the page, and their table into it."""
    write_table(BY_LINES, {"curves": [asdict(curve) for curve in curves]})
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(made_anew(text, {"lines": lines_table(curves)}), encoding="utf-8")


def main() -> None:
    """Read the command line, play, print."""
    parser = parser_of(
        __doc__,
        games=(int, "default: 300, Connect Four 600, the cube 100"),
        seed=[1, 2, 3],
        player="cnn-ann-plus",
        opponent=(str, "default: one-ply; in the cube mcts with 50 iterations"),
        out=Path,
        figure=Path,
    )
    parser.add_argument(
        "--game", nargs="+", choices=(*GAMES, CUBE), default=["tic-tac-toe", "connect-four"]
    )
    parser.add_argument("--control", choices=CONTROLS, default="none")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--keep", nargs="+", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.keep:
        keep(read_curves(options.keep))
        return
    settings = settings_of(options.set)
    print(machine())
    curves = read_curves([options.out]) if options.out and options.out.exists() else []
    for game in options.game:
        usual = SETTINGS.get(game, {}) if options.player == "cnn-ann-plus" else {}
        opponent = options.opponent or OPPONENTS.get(game, "one-ply")
        for seed in options.seed:
            curve = Curve(game, options.player, opponent, {**usual, **settings}, seed)
            curve.control = options.control
            if any(known.key == curve.key for known in curves):
                continue
            play_curve(curve, options.games or COUNTS[game])
            report(curve)
            curves.append(curve)
            if options.out:
                write_table(options.out, {"curves": [asdict(item) for item in curves]})
    if options.figure:
        draw(curves, options.figure)


if __name__ == "__main__":
    main()

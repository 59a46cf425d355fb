"""Make the shipped network of `move-net`: play short, decisive games, train on them, measure.

    python -m benchmarks.move_net_training --out DIR [--games 6000] [--epochs 6] [--seed 0]
        [--views 2] [--decided 3] [--output convolution] [--own-games 0] [--no-controls]

`pattern` plays itself on 15x15, free style, and wanders: each game draws the share of its random
moves (`ai/experiments/wandering.py`). The network learns what `pattern` plays in each position. It
has the 609 weights of `ai/nets/move_net.py`, drawn at random at the start. Positions in which a
five can be made or stopped count `--decided` times. `--output dense` gives the network a dense
output layer in place of a third convolution. With `--own-games` a first network, trained
alike, plays so many more games in which `pattern` only answers, and the network is trained on all.
Its controls are a network not trained, one trained on shuffled answers, and the network shipped
before. Held-out games have a seed of their own. Equal arguments give equal weights. Writes
move_net.npz and its card move_net.json to DIR. The exit code is always 0.
"""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from ai import Rules, create_player
from ai.experiments.decisions import measure_decisions
from ai.experiments.move_net import ALONE, MoveNetData, MoveNetOrder, train
from ai.experiments.wandering import WanderingPlan, wandering_positions
from ai.learning.learner import Trainers
from ai.learning.move_net import MoveNetPlan, train_move_net
from ai.nets.move_net import OUTPUTS, save_move_net
from ai.players.published.move_net import earlier_network
from base.storage.json_file import write_json
from benchmarks.console import parser_of

RULES: Final = Rules(15, 5)
TEACHER: Final = "pattern"
HELD: Final = 600
"""Held-out games."""
OWN: Final = 1_000_003
"""Seed of the first network's games is this number more than twice the training's."""


def gathered(games: int, seed: int) -> MoveNetData:
    """Play the games to learn from, and those to measure on."""
    teacher = create_player(TEACHER, RULES)
    training = wandering_positions(RULES, teacher, WanderingPlan(games), 2 * seed)
    held = wandering_positions(RULES, teacher, WanderingPlan(HELD), 2 * seed + 1)
    return MoveNetData(RULES, games, HELD, training, held.without(training))


def with_own_games(data: MoveNetData, plan: MoveNetPlan, games: int) -> MoveNetData:
    """Train a first network, and add the positions of its games with `pattern`'s answers."""
    weights = train_move_net(data.training, plan, Trainers())
    kind, teacher = WanderingPlan(games, least=0.0, most=0.3), create_player(TEACHER, RULES)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "first.npz"
        save_move_net(file, weights, {"views": plan.views})
        mover = create_player("move-net", RULES, {"network": str(file)})
    own = wandering_positions(RULES, teacher, kind, 2 * plan.seed + OWN, mover)
    return replace(data, training=data.training.joined(own), games=data.games + games)


def main() -> int:
    """Play, train, measure and write."""
    parser = parser_of(__doc__, games=6000, epochs=6, batch=128, seed=0, views=2, decided=3.0)
    parser.add_argument("--output", choices=OUTPUTS, default=OUTPUTS[0], help="its last layer")
    parser.add_argument("--own-games", type=int, default=0)
    parser.add_argument("--no-controls", action="store_true")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    started = time.process_time()
    data = gathered(options.games, options.seed)
    print(f"{len(data.training)} positions, {time.process_time() - started:.0f} s", flush=True)
    plan = MoveNetPlan(
        options.epochs,
        options.batch,
        seed=options.seed,
        views=options.views,
        decided=options.decided,
        output=options.output,
    )
    if options.own_games:
        data = with_own_games(data, plan, options.own_games)
        print(f"{len(data.training)} positions with games of its own", flush=True)
    order = MoveNetOrder((), plan=plan, has_controls=not options.no_controls)
    weights, card = train(
        order, data, lambda what, step, steps: print(f"{what}: {step} of {steps}", flush=True)
    )
    earlier = measure_decisions(earlier_network(), RULES, ALONE, options.seed)
    card["by_itself"]["shipped before"] = earlier.as_dict()
    card["players"] = [TEACHER]
    card["made_by"] = [
        f"python -m benchmarks.move_net_training --out DIR --games {options.games} "
        f"--epochs {options.epochs} --batch {options.batch} --seed {options.seed} "
        f"--views {options.views} --decided {options.decided:g}"
        + (f" --output {options.output}" if options.output != OUTPUTS[0] else "")
        + (f" --own-games {options.own_games}" if options.own_games else "")
    ]
    save_move_net(options.out / "move_net.npz", weights, card)
    write_json(options.out / "move_net.json", card)
    print(json.dumps(card["by_itself"], indent=1))
    print(f"{time.process_time() - started:.0f} s of the processor")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

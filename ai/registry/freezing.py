"""Exports a run's trained player to a file: `python -m ai.registry.freezing RUN OUT.npz`.

RUN is the folder of an `experiment`; its newest checkpoint is used.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ai.game import Rules
from ai.nets.architecture import WeightsError
from ai.nets.features import build_architecture, build_encoder
from ai.nets.weights_file import read_weights
from ai.players.base import PlayerError
from ai.players.frozen import FrozenPlayer
from ai.registry.players import get_player_info, resolve_settings
from base.storage.card_file import CardFileError


def freeze(run: Path) -> FrozenPlayer:
    """Return the player that a run has trained, for use without its learner.

    Args:
        run: folder of an experiment.

    Raises:
        PlayerError: the folder holds no run, or a run without a trained network.
    """
    try:
        configuration = json.loads((run / "run.json").read_text(encoding="utf-8"))["config"]
        rules = Rules(size=configuration["size"], win_length=configuration["win_length"])
        info = get_player_info(configuration["player"])
        settings = resolve_settings(info, configuration["settings"])
    except (OSError, KeyError, TypeError, ValueError, LookupError) as error:
        raise PlayerError(
            f"{run}: expected the folder of an experiment, found {error!r}"
        ) from error
    found = sorted(run.glob("checkpoints/*/[0-9]*/network.weights.h5"))
    if not found:
        raise PlayerError(f"{run}: expected a checkpoint, found none: it has learnt nothing yet")
    channels = build_encoder(rules, settings).channels
    architecture = build_architecture(rules, settings, channels=channels)
    try:
        return FrozenPlayer(rules, settings, read_weights(found[-1], architecture))
    except (CardFileError, WeightsError) as error:
        raise PlayerError(str(error)) from error


def main() -> int:
    """Freeze the run named on the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m ai.registry.freezing", description=__doc__)
    parser.add_argument("run", type=Path, metavar="RUN")
    parser.add_argument("out", type=Path, metavar="OUT.npz")
    options = parser.parse_args()
    try:
        freeze(options.run).save(options.out)
    except (PlayerError, OSError) as error:
        sys.stderr.write(f"goishi: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

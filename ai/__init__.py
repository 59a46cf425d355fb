"""Players and learning: the public door of the package.

Names are looked up when first used, so that `import ai` costs nothing and a
worker can set its environment before numpy is loaded.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ai.experiments.play import (
        move_seed,
        opening_move,
    )
    from ai.experiments.reading import (
        RunReadError,
        read_games,
    )
    from ai.experiments.run_files import (
        RunFiles,
    )
    from ai.game import (
        BLACK,
        EMPTY,
        WHITE,
        Board,
        Color,
        GameOverError,
        GameRecord,
        IllegalMoveError,
        Move,
        Outcome,
        Rules,
        RulesError,
        Termination,
        centre_points,
        color_name,
        format_moves,
        from_text,
        parse_moves,
        symmetries,
        to_text,
    )
    from ai.kernels.cache import (
        compile_all,
        is_compiled,
    )
    from ai.players.base import (
        Limit,
        LoadsWeights,
        MoveChoice,
        Player,
    )
    from ai.players.frozen import (
        FrozenPlayer,
    )
    from ai.players.registry import (
        PLAYERS,
        PlayerInfo,
        Setting,
        SettingError,
        UnknownPlayerError,
        create_player,
        describe_players,
        get_player_info,
        resolve_settings,
    )
    from ai.store.runs import (
        RunStore,
        RunStoreError,
        StoredGame,
    )
    from ai.workers.messages import (
        CompileDone,
        CompileKernels,
        CompileProgress,
        Configure,
        LearnerOpened,
        LoadWeights,
        MoveChosen,
        OpenLearner,
        PlayRequest,
        Ready,
        ResetLearner,
        SaveLearner,
        TrainDone,
        TrainProgress,
        TrainRequest,
        WeightsLoaded,
    )

__all__ = [
    "BLACK",
    "EMPTY",
    "PLAYERS",
    "WHITE",
    "Board",
    "Color",
    "CompileDone",
    "CompileKernels",
    "CompileProgress",
    "Configure",
    "FrozenPlayer",
    "GameOverError",
    "GameRecord",
    "IllegalMoveError",
    "LearnerOpened",
    "Limit",
    "LoadWeights",
    "LoadsWeights",
    "Move",
    "MoveChoice",
    "MoveChosen",
    "OpenLearner",
    "Outcome",
    "PlayRequest",
    "Player",
    "PlayerInfo",
    "Ready",
    "ResetLearner",
    "Rules",
    "RulesError",
    "RunFiles",
    "RunReadError",
    "RunStore",
    "RunStoreError",
    "SaveLearner",
    "Setting",
    "SettingError",
    "StoredGame",
    "Termination",
    "TrainDone",
    "TrainProgress",
    "TrainRequest",
    "UnknownPlayerError",
    "WeightsLoaded",
    "centre_points",
    "color_name",
    "compile_all",
    "create_player",
    "describe_players",
    "format_moves",
    "from_text",
    "get_player_info",
    "is_compiled",
    "move_seed",
    "opening_move",
    "parse_moves",
    "read_games",
    "resolve_settings",
    "symmetries",
    "to_text",
]

_HOMES = {
    "ai.experiments.play": (
        "move_seed",
        "opening_move",
    ),
    "ai.experiments.reading": (
        "RunReadError",
        "read_games",
    ),
    "ai.experiments.run_files": ("RunFiles",),
    "ai.kernels.cache": (
        "compile_all",
        "is_compiled",
    ),
    "ai.players.base": (
        "Limit",
        "LoadsWeights",
        "MoveChoice",
        "Player",
    ),
    "ai.players.frozen": ("FrozenPlayer",),
    "ai.players.registry": (
        "PLAYERS",
        "PlayerInfo",
        "Setting",
        "SettingError",
        "UnknownPlayerError",
        "create_player",
        "describe_players",
        "get_player_info",
        "resolve_settings",
    ),
    "ai.store.runs": (
        "RunStore",
        "RunStoreError",
        "StoredGame",
    ),
    "ai.workers.messages": (
        "CompileDone",
        "CompileKernels",
        "CompileProgress",
        "Configure",
        "LearnerOpened",
        "LoadWeights",
        "MoveChosen",
        "OpenLearner",
        "PlayRequest",
        "Ready",
        "ResetLearner",
        "SaveLearner",
        "TrainDone",
        "TrainProgress",
        "TrainRequest",
        "WeightsLoaded",
    ),
}
"""Where the names live that are not in `ai.game`."""


def __getattr__(name: str) -> object:
    """Import the home of `name` when the name is first used."""
    if name not in __all__:
        raise AttributeError(f"module 'ai' has no attribute {name!r}")
    homes = (home for home, names in _HOMES.items() if name in names)
    value: object = getattr(import_module(next(homes, "ai.game")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)

"""Players and learning: the public door of the package.

Names are looked up when first used, so that `import ai` costs nothing and a
worker can set its environment before numpy is loaded.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
        Threat,
        ThreatKind,
        centre_points,
        color_name,
        find_threats,
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
    from ai.learning.array_learner import (
        ArrayLearner,
    )
    from ai.learning.measures import (
        FAILED_BELOW,
    )
    from ai.players.base import (
        Limit,
        LoadsWeights,
        MoveChoice,
        Player,
    )
    from ai.players.explanation import (
        Evolution,
        Explanation,
        MemoryReading,
        NetworkAnswer,
        Opening,
        PatternScores,
        Proof,
        RecalledNode,
    )
    from ai.players.frozen import (
        FrozenPlayer,
    )
    from ai.registry.players import (
        PLAYERS,
        PlayerInfo,
        Setting,
        SettingError,
        UnknownPlayerError,
        create_player,
        describe_players,
        get_player_info,
        list_players,
        resolve_settings,
    )
    from ai.registry.project_games import (
        GAMES,
        Game,
        UnknownGameError,
        get_game,
        list_games,
    )
    from ai.runs.export import (
        RunSeries,
    )
    from ai.runs.progress import (
        Curve,
        decimate,
        group_wins,
        rolling_elo,
    )
    from ai.runs.reading import (
        RunReadError,
        read_changes,
        read_games,
    )
    from ai.runs.run_files import (
        RunFiles,
    )
    from ai.runs.statistics import (
        wilson,
    )
    from ai.session.game import (
        GameSession,
        move_seed,
        opening_move,
    )
    from ai.store.checkpoints import (
        Checkpoint,
        CheckpointStore,
    )
    from ai.store.learner_checkpoints import (
        KeptCheckpoint,
    )
    from ai.store.runs import (
        GameSummary,
        RunStore,
        RunStoreError,
        StoredGame,
    )
    from ai.workers.hall_messages import (
        BoardOpened,
        BoardStopped,
        FinishHall,
        FollowBoard,
        GameFinished,
        GameLearnt,
        HallFinished,
        OpenBoard,
        PauseHall,
        PlayUntil,
        StonePlaced,
    )
    from ai.workers.messages import (
        ChangeSettings,
        CheckpointsListed,
        CompileDone,
        CompileKernels,
        CompileProgress,
        Configure,
        ExportRun,
        LearnerOpened,
        LearnerSaved,
        ListCheckpoints,
        LoadCheckpoint,
        LoadWeights,
        MoveChosen,
        OpenLearner,
        PlayRequest,
        Ready,
        ResetLearner,
        Retrain,
        RollBack,
        RunExported,
        SaveLearner,
        SkipGame,
        TrainDone,
        TrainProgress,
        TrainRequest,
        WeightsLoaded,
    )
    from base.manifest import ProjectError

__all__ = [
    "BLACK",
    "EMPTY",
    "FAILED_BELOW",
    "GAMES",
    "PLAYERS",
    "WHITE",
    "ArrayLearner",
    "Board",
    "BoardOpened",
    "BoardStopped",
    "ChangeSettings",
    "Checkpoint",
    "CheckpointStore",
    "CheckpointsListed",
    "Color",
    "CompileDone",
    "CompileKernels",
    "CompileProgress",
    "Configure",
    "Curve",
    "Evolution",
    "Explanation",
    "ExportRun",
    "FinishHall",
    "FollowBoard",
    "FrozenPlayer",
    "Game",
    "GameFinished",
    "GameLearnt",
    "GameOverError",
    "GameRecord",
    "GameSession",
    "GameSummary",
    "HallFinished",
    "IllegalMoveError",
    "KeptCheckpoint",
    "LearnerOpened",
    "LearnerSaved",
    "Limit",
    "ListCheckpoints",
    "LoadCheckpoint",
    "LoadWeights",
    "LoadsWeights",
    "MemoryReading",
    "Move",
    "MoveChoice",
    "MoveChosen",
    "NetworkAnswer",
    "OpenBoard",
    "OpenLearner",
    "Opening",
    "Outcome",
    "PatternScores",
    "PauseHall",
    "PlayRequest",
    "PlayUntil",
    "Player",
    "PlayerInfo",
    "ProjectError",
    "Proof",
    "Ready",
    "RecalledNode",
    "ResetLearner",
    "Retrain",
    "RollBack",
    "Rules",
    "RulesError",
    "RunExported",
    "RunFiles",
    "RunReadError",
    "RunSeries",
    "RunStore",
    "RunStoreError",
    "SaveLearner",
    "Setting",
    "SettingError",
    "SkipGame",
    "StonePlaced",
    "StoredGame",
    "Termination",
    "Threat",
    "ThreatKind",
    "TrainDone",
    "TrainProgress",
    "TrainRequest",
    "UnknownGameError",
    "UnknownPlayerError",
    "WeightsLoaded",
    "centre_points",
    "color_name",
    "compile_all",
    "create_player",
    "decimate",
    "describe_players",
    "find_threats",
    "format_moves",
    "from_text",
    "get_game",
    "get_player_info",
    "group_wins",
    "is_compiled",
    "list_games",
    "list_players",
    "move_seed",
    "opening_move",
    "parse_moves",
    "read_changes",
    "read_games",
    "resolve_settings",
    "rolling_elo",
    "symmetries",
    "to_text",
    "wilson",
]

_HOMES = {
    "ai.runs.export": ("RunSeries",),
    "ai.session.game": (
        "GameSession",
        "move_seed",
        "opening_move",
    ),
    "ai.runs.progress": (
        "Curve",
        "decimate",
        "group_wins",
        "rolling_elo",
    ),
    "ai.runs.reading": (
        "RunReadError",
        "read_changes",
        "read_games",
    ),
    "ai.runs.run_files": ("RunFiles",),
    "ai.runs.statistics": ("wilson",),
    "ai.kernels.cache": (
        "compile_all",
        "is_compiled",
    ),
    "ai.learning.array_learner": ("ArrayLearner",),
    "ai.learning.measures": ("FAILED_BELOW",),
    "ai.players.base": (
        "Limit",
        "LoadsWeights",
        "MoveChoice",
        "Player",
    ),
    "ai.players.explanation": (
        "Evolution",
        "Explanation",
        "MemoryReading",
        "NetworkAnswer",
        "Opening",
        "PatternScores",
        "Proof",
        "RecalledNode",
    ),
    "ai.players.frozen": ("FrozenPlayer",),
    "ai.registry.players": (
        "PLAYERS",
        "PlayerInfo",
        "Setting",
        "SettingError",
        "UnknownPlayerError",
        "create_player",
        "describe_players",
        "get_player_info",
        "list_players",
        "resolve_settings",
    ),
    "ai.registry.project_games": (
        "GAMES",
        "Game",
        "UnknownGameError",
        "get_game",
        "list_games",
    ),
    "base.manifest": ("ProjectError",),
    "ai.store.checkpoints": (
        "Checkpoint",
        "CheckpointStore",
    ),
    "ai.store.learner_checkpoints": ("KeptCheckpoint",),
    "ai.store.runs": (
        "GameSummary",
        "RunStore",
        "RunStoreError",
        "StoredGame",
    ),
    "ai.workers.hall_messages": (
        "BoardOpened",
        "BoardStopped",
        "FinishHall",
        "FollowBoard",
        "GameFinished",
        "GameLearnt",
        "HallFinished",
        "OpenBoard",
        "PauseHall",
        "PlayUntil",
        "StonePlaced",
    ),
    "ai.workers.messages": (
        "ChangeSettings",
        "CheckpointsListed",
        "CompileDone",
        "CompileKernels",
        "CompileProgress",
        "Configure",
        "ExportRun",
        "LearnerOpened",
        "LearnerSaved",
        "ListCheckpoints",
        "LoadCheckpoint",
        "LoadWeights",
        "MoveChosen",
        "OpenLearner",
        "PlayRequest",
        "Ready",
        "ResetLearner",
        "Retrain",
        "RollBack",
        "RunExported",
        "SaveLearner",
        "SkipGame",
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

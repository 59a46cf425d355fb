"""Public API of players and learning.

Names are looked up when first used, so that `import ai` costs nothing and a
worker can set its environment before numpy is loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from base.door import open_door

if TYPE_CHECKING:
    from ai.arena.ratings import Rating, cross_table, elo_table, results_of
    from ai.arena.tournament import Entrant, Pairing, Tournament, TournamentError
    from ai.bench.suite import SuiteTask, read_suite
    from ai.formats.game_tree import GameTree, TreeNode
    from ai.formats.position_text import read_position, sgf_text, write_position
    from ai.formats.registry import (
        GAME_SUFFIXES,
        is_game_file,
        read_game_file,
        write_game_file,
    )
    from ai.formats.sgf import variation_moves
    from ai.formats.sgf_tree import property_text
    from ai.formats.source import GameFileError, check_shown_size
    from ai.formats.written import LeftOut, WrittenGame, written_of
    from ai.game import (
        BLACK,
        EMPTY,
        FIRST,
        OPENING_NAMES,
        PASS,
        RULE_NAMES,
        SECOND,
        WHITE,
        Board,
        Choice,
        Color,
        Foul,
        Game,
        GameOverError,
        GameRecord,
        IllegalMoveError,
        Move,
        OpeningKind,
        OpeningPhase,
        Outcome,
        Person,
        Position,
        Rule,
        Rules,
        RulesError,
        Said,
        Termination,
        Threat,
        ThreatKind,
        color_name,
        find_threats,
        from_text,
        lines_of_rows,
        opening_of,
        replayed,
        symmetries,
        to_text,
    )
    from ai.kernels.cache import is_compiled
    from ai.learning.array_learner import ArrayLearner
    from ai.learning.measures import FAILED_BELOW
    from ai.players.base import Limit, MoveChoice, Player
    from ai.players.explanation import (
        Evolution,
        Explanation,
        ForcedMove,
        MemoryReading,
        NetworkAnswer,
        Opening,
        PatternScores,
        Proof,
        RecalledNode,
        RootScores,
        SearchedMoves,
        TreeVisits,
        ValueField,
    )
    from ai.players.frozen import FrozenPlayer
    from ai.players.levels import Level
    from ai.players.view import (
        BoardView,
        ChartView,
        ExplainedMove,
        ExplanationView,
        compact_number,
        counted,
        joined,
        ordinal,
        percent,
        scores_view,
        shares_view,
        short_number,
    )
    from ai.protocol.hosting.check import EngineCheck, check_engine
    from ai.protocol.time_control import ManagerInfo
    from ai.registry.engine_editing import (
        add_engine,
        engine_command,
        free_engine_name,
        remove_engine,
        rename_engine,
    )
    from ai.registry.engines import (
        EngineEntry,
        EngineFileError,
        declared_engines,
        engine_of,
        engines_file,
        get_engine,
    )
    from ai.registry.players import (
        PLAYERS,
        PlayerInfo,
        UnknownPlayerError,
        create_player,
        find_player_info,
        get_player_info,
        list_players,
        refusal_of,
        resolve_settings,
        split_label,
    )
    from ai.registry.project_games import GameInfo, UnknownGameError, get_game, open_games
    from ai.runs.export import RunSeries
    from ai.runs.reading import RunReadError, read_changes, read_games
    from ai.runs.results import RunFiles
    from ai.runs.statistics import Curve, decimate, group_wins, rolling_elo
    from ai.session.game import GameSession
    from ai.session.league import (
        LEAGUE,
        MEMBERS,
        OPPONENTS,
        league_refusal,
        member_of,
        place_of,
        player_of,
    )
    from ai.session.position_value import (
        LOSSES,
        JudgedMove,
        PositionValue,
        SideSummary,
        chance_of,
        judge_moves,
        kind_of,
    )
    from ai.store.checkpoints import CheckpointStore, KeptCheckpoint
    from ai.store.runs import GameSummary, RunStore, RunStoreError, StoredGame
    from ai.teaching.verdicts import AnswerVerdict, MoveVerdict
    from base.files import atomic_write, set_aside
    from base.manifest import ProjectError
    from base.schema import Option, OptionError, OptionValue
    from base.storage.json_file import write_json

__getattr__, __dir__, __all__ = open_door(
    __name__,
    __file__,
    former={"Setting": "Option", "SettingError": "OptionError"},
    inner=(
        "ai.messages", "ai.game", "ai.players.base", "ai.registry.players",
        "ai.registry.project_games", "ai.runs.statistics", "ai.session.game",
        "ai.store.checkpoints", "ai.kernels.cache",
    ),
)  # fmt: skip

"""Messages between the application and its workers: frozen, plain, picklable.

Names are imported when first used, so that a worker only creates the classes of its own messages.

On the pipe, messages travel as `(request_id, final, payload)` in both directions. A request is
answered by any number of payloads that are not final, and one that is. If a request fails, the
answer is a `base.worker.failure.Failure` and the worker lives on. Request id 0 means that no answer
is expected, or that the message answers no request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from base.door import open_door

if TYPE_CHECKING:
    from ai.messages.curriculum import (
        ChangeTraining,
        GenerationFinished,
        GrowSearch,
        OpenTraining,
        PauseTraining,
        SearchGrown,
        StageBegan,
        TrainingChanged,
        TrainingGame,
        TrainingOpened,
        TrainingStopped,
    )
    from ai.messages.hall import (
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
    from ai.messages.kernels import (
        CompileDone,
        CompileKernels,
        CompileProgress,
    )
    from ai.messages.learner import (
        ChangeSettings,
        CheckpointsListed,
        ExportRun,
        LearnerOpened,
        LearnerSaved,
        ListCheckpoints,
        OpenLearner,
        ResetLearner,
        Retrain,
        RollBack,
        RunExported,
        SaveLearner,
        SkipGame,
        TrainDone,
        TrainProgress,
        TrainRequest,
    )
    from ai.messages.player import (
        Configure,
        DescribePlayer,
        EvaluatePosition,
        LoadCheckpoint,
        LoadWeights,
        MoveChosen,
        OpeningAnswered,
        OpeningRequest,
        PlayerDescribed,
        PlayRequest,
        Ready,
        WeightsLoaded,
    )
    from ai.messages.ppo import (
        ChangePpo,
        OpenPpo,
        PausePpo,
        PolicyLearnt,
    )

__getattr__, __dir__, __all__ = open_door(__name__, __file__)

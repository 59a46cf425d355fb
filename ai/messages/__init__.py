"""Messages between the application and its worker processes: immutable, plain, picklable.

Names are imported when first used, so that a worker only loads the classes of its own messages.

On the pipe, messages have the form `(request_id, final, payload)` in both directions. The answer to
a request is any number of payloads with `final` False, and one with `final` True. If a request
fails, the answer is a `base.worker.failure.Failure`, and the worker keeps running. Request id 0
means that no answer is expected, or that the message answers no request.
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
        BoardLoaded,
        BoardOpened,
        BoardStopped,
        FinishHall,
        FollowBoard,
        GameFinished,
        GameLearnt,
        HallFinished,
        LoadBoard,
        OpenBoard,
        PauseHall,
        PlayUntil,
        SaveBoard,
        StonePlaced,
    )
    from ai.messages.kernels import (
        AskKernels,
        CompileDone,
        CompileKernels,
        CompileProgress,
        KernelState,
    )
    from ai.messages.learner import (
        ChangeSettings,
        CheckpointsListed,
        ExportRun,
        LearnerOpened,
        LearnerSaved,
        LearntSaved,
        ListCheckpoints,
        LoadLearnt,
        OpenLearner,
        ResetLearner,
        Retrain,
        RollBack,
        RunExported,
        SaveLearner,
        SaveLearnt,
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
    from ai.messages.teaching import (
        AnswerFound,
        FindAnswer,
        JudgeAnswer,
        JudgeMove,
        ValuePosition,
    )

__getattr__, __dir__, __all__ = open_door(__name__, __file__)

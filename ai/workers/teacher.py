"""The teacher worker: judges moves before they are played, and answers to puzzles.

It keeps nothing that matters, so it can be killed and restarted at any time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ai.messages.teaching import AnswerFound, FindAnswer, JudgeAnswer, JudgeMove, ValuePosition
from ai.workers.settings import WorkerSettings, choose_kernels, settle
from base.worker.process import Pipe
from base.worker.service import Report, WorkerRequestError, serve

if TYPE_CHECKING:
    from ai.game import Game, Rules
    from ai.teaching.answer_judge import AnswerJudge
    from ai.teaching.move_judge import MoveJudge


def main(connection: Pipe, settings: WorkerSettings) -> None:
    """Run the worker until the pipe closes."""
    settle(settings)
    choose_kernels(settings)
    serve(connection, TeacherService().handle)


class TeacherService:
    """Holds the judges of the latest rules and answers requests; `main` runs it in a process."""

    def __init__(self) -> None:
        self._moves: MoveJudge | None = None
        self._answers: AnswerJudge | None = None

    def handle(self, payload: object, report: Report) -> object:
        """Answer one request.

        Args:
            payload: the request, a message of `ai.messages.teaching`.
            report: not used.

        Raises:
            WorkerRequestError: the request is unknown.
        """
        if isinstance(payload, JudgeMove):
            return self._judge_of(payload.rules).judge(payload.moves, payload.move)
        if isinstance(payload, ValuePosition):
            return self._judge_of(payload.rules).analysis(payload.moves)
        if isinstance(payload, JudgeAnswer):
            judge = self._answers_of(payload.rules)
            return judge.judge(payload.moves, payload.kind, payload.move, payload.best)
        if isinstance(payload, FindAnswer):
            judge = self._answers_of(payload.rules)
            return AnswerFound(judge.hint(payload.moves, payload.kind, payload.best))
        raise WorkerRequestError(
            "expected JudgeMove, ValuePosition, JudgeAnswer or FindAnswer, "
            f"found {type(payload).__name__} {payload!r:.100}"
        )

    def _judge_of(self, rules: Game) -> MoveJudge:
        """Return the judge of moves for these rules."""
        from ai.teaching.move_judge import MoveJudge

        if self._moves is None or self._moves.rules != rules:
            self._moves = MoveJudge(rules)
        return self._moves

    def _answers_of(self, rules: Rules) -> AnswerJudge:
        """Return the judge of answers to puzzles for these rules."""
        from ai.teaching.answer_judge import AnswerJudge

        if self._answers is None or self._answers.rules != rules:
            self._answers = AnswerJudge(rules)
        return self._answers

"""The teacher's worker process, asked for a bounded time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim import Script, WorkerError

LONGEST = 120.0  # seconds that a question may take, unless said otherwise


class TeacherLink:
    """Asks the teacher's worker; the process starts with the first question.

    Attributes:
        fault: why the last question has no answer; empty if it has one, or took too long.
    """

    def __init__(self, script: Script) -> None:
        """Create the object; nothing starts yet.

        Args:
            script: owner of the worker and of the coroutines.
        """
        self.fault = ""
        self._script = script
        self._link: Any = None

    async def ask(
        self,
        message: object,
        *,
        is_wanted: Callable[[], bool] = lambda: True,
        longest: float = LONGEST,
    ) -> Any:
        """Return the answer to a message of `ai.messages`; None if there is none.

        Args:
            message: the message.
            is_wanted: called while waiting; returning False ends the wait.
            longest: wall time in seconds after which the wait ends.
        """
        script, answers = self._script, []
        self.fault = ""

        async def fetch() -> None:
            try:
                answers.append(await script.background(self._opened().request(message)))
            except WorkerError as error:
                self.fault = str(error)

        task, begun = script.start_coroutine(fetch()), script.run.elapsed
        await script.until(
            lambda: task.done or not is_wanted() or script.run.elapsed - begun > longest
        )
        task.cancel()
        return answers[0] if answers else None

    def _opened(self) -> Any:
        if self._link is None:
            self._link = self._script.workers.open(
                "teacher",
                "ai.workers.teacher:main",
                {"project": str(self._script.run.offering)},
                owner=self._script.slot,
                keeps_nothing=True,
                is_optional=True,
            )
        return self._link

"""How far something is that was asked of a worker."""

from __future__ import annotations

import enum


class TaskState(enum.Enum):
    """Not begun, under way, or how it ended."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

"""How far something asked of a worker is."""

from base.worker.state import TaskState


def test_it_is_over_however_it_ended():
    assert {state.name for state in TaskState if state.is_over} == {"DONE", "FAILED", "CANCELLED"}

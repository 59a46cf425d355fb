"""Checks of values before an edit: what was expected and what was found."""

from __future__ import annotations

import pytest

from base.errors import EditError
from sim.core.editing.checks import check_name


@pytest.mark.parametrize(
    ("name", "found"),
    [("  ", "'  '"), ("", "''"), (5, "5"), (None, "None"), ("x" * 201, "201 of them")],
)
def test_a_wrong_name_is_shown_and_a_long_one_is_counted(name, found):
    with pytest.raises(EditError, match=f"^name: expected 1 to 200 characters, found {found}$"):
        check_name(name)

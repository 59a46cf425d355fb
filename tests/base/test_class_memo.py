"""What is known of a class is found out once, and goes with the class."""

from __future__ import annotations

import gc
import weakref

from base.class_memo import memo_of_class

ASKED = []


@memo_of_class
def names_of(cls: type) -> tuple[str, ...]:
    ASKED.append(cls.__name__)
    return tuple(name for name in vars(cls) if not name.startswith("_"))


class Base:
    one = 1


class Child(Base):
    two = 2


def test_each_class_is_asked_once_and_a_child_is_another_class():
    ASKED.clear()
    assert [names_of(kind) for kind in (Base, Child, Base, Child)] == [("one",), ("two",)] * 2
    assert ASKED == ["Base", "Child"]


def test_a_class_goes_with_what_is_known_of_it():
    made = type("Made", (), {"three": 3})
    assert names_of(made) == ("three",)
    kept = weakref.ref(made)
    del made
    gc.collect()
    assert kept() is None

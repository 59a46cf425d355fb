from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.input.key_map import KeyAction, KeyMap, KeyMapError, chord_of, normal, shown


def keys(*pairs, changed=None):
    made, pressed = KeyMap(changed), []
    for name, chord in pairs:
        made.add(
            KeyAction(name, name.title(), chord, "All"), lambda name=name: pressed.append(name)
        )
    return made, pressed


def test_a_key_runs_its_action_and_no_other():
    made, pressed = keys(("undo", "control+z"), ("redo", "Shift+Control+Z"))
    assert made.press("control+shift+z")
    assert made.press("control+z")
    assert not made.press("z")
    assert not made.press("")
    assert pressed == ["redo", "undo"]


@pytest.mark.parametrize(("key", "held"), [("=", ["shift"]), ("+", ["shift"]), ("+", [])])
def test_plus_is_plus_on_every_keyboard(key, held):
    made, pressed = keys(("faster", "+"), ("larger", "control+="))
    assert made.press(chord_of(key, held))
    assert made.press(chord_of("=", ["control"]))
    assert pressed == ["faster", "larger"]


def test_binding_moves_an_action_to_another_key():
    made, pressed = keys(("undo", "control+z"))
    made.bind("undo", "f7")
    assert not made.press("control+z")
    assert made.press("f7")
    assert made.changed == {"undo": "f7"}
    made.reset("undo")
    assert made.chord("undo") == "control+z"
    assert pressed == ["undo"]


@pytest.mark.parametrize(("chord", "says"), [("control+y", "Ctrl+Y is taken already: Redo"),
                                             ("hyper+z", "expected a key"), ("a b", "expected a key")])  # fmt: skip
def test_a_bad_binding_says_why_and_changes_nothing(chord, says):
    made, _ = keys(("undo", "control+z"), ("redo", "control+y"))
    with pytest.raises(KeyMapError) as caught:
        made.bind("undo", chord)
    assert says in str(caught.value)
    assert made.chord("undo") == "control+z"
    assert made.changed == {}


def test_an_action_may_have_no_key():
    made, pressed = keys(("undo", "control+z"))
    made.bind("undo", "")
    assert not made.press("control+z")
    assert shown(made.chord("undo")) == "no key"
    assert pressed == []


def test_what_was_changed_waits_for_an_action_that_comes_later():
    made, pressed = keys(("fast", "f"), changed={"fast": "f6", "gone": "x"})
    assert made.press("f6")
    made.remove("fast")
    assert not made.press("f6")
    assert pressed == ["fast"]
    assert made.changed["gone"] == "x"


def test_conflicts_are_found_and_the_later_wins():
    made, pressed = keys(("one", "g"), ("two", "g"))
    assert made.conflicts() == [("one", "two")]
    made.press("g")
    assert pressed == ["two"]


@pytest.mark.parametrize(("key", "modifiers", "chord"), [
    ("Z", {"shift", "control"}, "control+shift+z"), ("+", set(), "+"), ("lshift", {"shift"}, ""),
    ("control", set(), ""), ("é", set(), "é")])  # fmt: skip
def test_chord_of_a_pressed_key(key, modifiers, chord):
    assert chord_of(key, modifiers) == chord


@given(st.sets(st.sampled_from(["alt", "control", "shift"])),
       st.sampled_from([*"abcxyz019+-./", "f1", "space", "escape", "arrow_left"]))  # fmt: skip
def test_a_chord_is_its_own_normal_form(modifiers, key):
    chord = chord_of(key, modifiers)
    assert normal(chord) == chord
    assert normal(chord.upper()) == chord
    assert shown(chord)


@given(st.text(max_size=20))
def test_any_text_is_a_chord_or_none(text):
    assert normal(normal(text)) == normal(text)


def test_an_action_is_run_by_its_name_and_told_about_before():
    made, pressed = keys(("undo", "control+z"))
    made.on_run.append(lambda name: pressed.append(f"told {name}"))
    assert made.run("undo")
    assert made.press("control+z")
    assert not made.run("no such action")
    assert pressed == ["told undo", "undo"] * 2


def test_a_lent_key_tells_to_whom():
    made, _ = keys(("home", "home"), ("first move", "home"), ("far", "f2"))
    assert made.taken_by("home").name == "first move"
    assert made.taken_by("first move") is None
    assert made.taken_by("far") is None
    made.remove("first move")
    assert made.taken_by("home") is None


@pytest.mark.parametrize(
    ("chord", "known"),
    [("Shift+Control+X", "control+shift+x"), ("control+foo+x", ""), ("foo+x", ""),
     ("control++", "control++"), ("control+a b", ""), ("", "")],
)  # fmt: skip
def test_a_chord_is_normal_only_where_all_its_modifiers_are_known(chord, known):
    assert normal(chord) == known


def test_the_space_bar_is_called_space():
    assert shown("space") == "Space"
    assert shown("control+space") == "Ctrl+Space"

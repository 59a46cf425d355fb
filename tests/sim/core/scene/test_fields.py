"""Fields: what each type takes and gives back, bounds, choices, references, and error texts."""

from __future__ import annotations

import enum
import math
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyrr import Vector3

from base.errors import FieldError
from sim.core.scene.fields import Asset, Color, Field, collect_fields, field, find_field, migrate
from sim.core.scene.scene import ComponentSlot, Scene, SceneObject
from sim.core.script.script import Script


class Mood(enum.Enum):
    CALM = "calm"
    WILD = "wild"


class Friend(Script):
    """What the host's references point to."""


class Host:
    """Stands where a script stands: its fields read and write the slot."""

    on: bool = field(True)
    count: int = field(3, min=0, max=10)
    ratio: float = field(0.5, min=0.0, max=1.0, unit="m", help="how much")
    label: str = field("hi")
    mode: Literal["fast", "slow"] = field("fast")
    mood: Mood = field(Mood.CALM)
    place: tuple[float, float, float] = field((0.0, 0.0, 0.0))
    colour: Color = field((1.0, 0.5, 0.0))
    picture: Asset = field("stone.png")
    maybe_picture: Asset | None = field(None)
    weights: list[float] = field([1.0])
    counts: list[int] = field([])
    table: dict[str, Any] = field({})
    picked: int = field(2, choices=(1, 2, 4))
    maybe: float | None = field(None)
    must: float = field()
    friend: Script | None = field(None)
    thing: SceneObject | None = field(None)
    friends: list[Script] = field([])
    guessed = field(2.5)

    def __init__(self, slot: ComponentSlot) -> None:
        self.slot = slot


FIELDS = collect_fields(Host)


@pytest.fixture
def host() -> Host:
    scene = Scene()
    return Host(scene.attach(scene.spawn("One"), "tests:Host", {}))


GOOD: list[tuple[str, Any, Any]] = [
    ("on", False, False),
    ("count", 7, 7),
    ("count", 7.0, 7),
    ("ratio", 1, 1.0),
    ("ratio", -0.0, 0.0),
    ("label", "", ""),
    ("mode", "slow", "slow"),
    ("mood", "wild", Mood.WILD),
    ("place", [1, 2.5, -3], (1.0, 2.5, -3.0)),
    ("colour", [0, 0, 1, 0.5], (0.0, 0.0, 1.0, 0.5)),
    ("picture", {"$asset": "a/b.png"}, "a/b.png"),
    ("maybe_picture", {"$asset": "a.png"}, "a.png"),
    ("maybe_picture", None, None),
    ("weights", [1, 2], [1.0, 2.0]),
    ("weights", [], []),
    ("counts", [1, 2], [1, 2]),
    ("table", {"a": [1, None]}, {"a": [1, None]}),
    ("picked", 4, 4),
    ("maybe", None, None),
    ("maybe", 2, 2.0),
    ("friend", {"$ref": "cmp_abc"}, "cmp_abc"),
    ("friend", None, None),
    ("friends", [{"$ref": "cmp_abc"}], ["cmp_abc"]),
    ("guessed", 1, 1.0),
]


@pytest.mark.parametrize(("name", "raw", "value"), GOOD)
def test_what_fits_is_parsed_to_its_type(name: str, raw: Any, value: Any) -> None:
    parsed = FIELDS[name].parse(raw)
    assert parsed == value
    assert type(parsed) is type(value)


BAD: list[tuple[str, Any, str]] = [
    ("on", 1, "Host.on: expected true or false, found 1"),
    ("count", True, "Host.count: expected a whole number from 0 to 10, found True"),
    ("count", 1.5, "Host.count: expected a whole number from 0 to 10, found 1.5"),
    ("count", "3", "Host.count: expected a whole number from 0 to 10, found '3'"),
    ("count", 11, "Host.count: expected a whole number from 0 to 10, found 11"),
    ("count", -1, "Host.count: expected a whole number from 0 to 10, found -1"),
    ("ratio", math.nan, "Host.ratio: expected a number from 0 to 1, found nan"),
    ("ratio", math.inf, "Host.ratio: expected a number from 0 to 1, found inf"),
    ("ratio", 1.0001, "Host.ratio: expected a number from 0 to 1, found 1.0001"),
    ("ratio", None, "Host.ratio: expected a number from 0 to 1, found None"),
    ("label", 5, "Host.label: expected a text, found 5"),
    ("mode", "medium", "Host.mode: expected one of fast, slow, found 'medium'"),
    ("mode", ["fast"], "Host.mode: expected one of fast, slow, found ['fast']"),
    ("mood", "odd", "Host.mood: expected one of calm, wild, found 'odd'"),
    ("mood", [], "Host.mood: expected one of calm, wild, found []"),
    ("place", [1, 2], "Host.place: expected 3 numbers, found [1, 2]"),
    ("place", [1, 2, math.nan], "Host.place: expected a number, found nan"),
    ("place", "abc", "Host.place: expected 3 numbers, found 'abc'"),
    ("colour", [0, 0], "Host.colour: expected 3 or 4 numbers, found [0, 0]"),
    ("colour", [0, 0, 2], "Host.colour: expected numbers from 0 to 1, found [0, 0, 2]"),
    ("picture", "a.png", "Host.picture: expected {\"$asset\": path}, found 'a.png'"),
    ("weights", 1, "Host.weights: expected a list, found 1"),
    ("weights", [1, "2"], "Host.weights: expected a number, found '2'"),
    ("counts", [1.5], "Host.counts: expected a whole number, found 1.5"),
    ("picked", 3, "Host.picked: expected one of 1, 2, 4, found 3"),
    ("friend", "cmp_abc", "Host.friend: expected {\"$ref\": id}, found 'cmp_abc'"),
    ("friend", {"$ref": 5}, "Host.friend: expected {\"$ref\": id}, found {'$ref': 5}"),
    ("friend", {"$ref": "obj_abc"}, "Host.friend: expected the id of a component Script, "
     "found 'obj_abc'"),
    ("friends", [{"$ref": "cmp_abc"}, {"$ref": "obj_abc"}],
     "Host.friends: expected the id of a component Script, found 'obj_abc'"),
    ("thing", {"$ref": "cmp_abc"}, "Host.thing: expected the id of an object, found 'cmp_abc'"),
    ("must", None, "Host.must: expected a number, found None"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "raw", "message"), BAD)
def test_what_does_not_fit_is_refused_in_so_many_words(name: str, raw: Any, message: str) -> None:
    with pytest.raises(FieldError) as caught:
        FIELDS[name].parse(raw)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["count", "ratio", "maybe", "guessed"])
def test_a_whole_number_beyond_all_floats_is_refused(name: str) -> None:
    with pytest.raises(FieldError, match="expected a") as caught:
        FIELDS[name].parse(10**400)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("name", [n for n in FIELDS if n not in ("must", "friend", "thing")])
def test_defaults_go_through_writing_and_reading(host: Host, name: str) -> None:
    declared = FIELDS[name]
    value = getattr(host, name)
    assert declared.parse(declared.dump(value)) == value
    assert value == declared.default
    assert host.slot.values == {}


def test_a_default_asset_can_be_read_first_of_all() -> None:
    class Fresh:
        picture: Asset = field("stone.png")

        def __init__(self, slot: ComponentSlot) -> None:
            self.slot = slot

    scene = Scene()
    fresh = Fresh(scene.attach(scene.spawn("One"), "tests:Fresh", {}))
    assert fresh.picture == "stone.png"
    fresh.picture = Asset("other.png")
    assert fresh.slot.values == {"picture": {"$asset": "other.png"}}
    assert fresh.picture == "other.png"


def test_values_are_written_as_plain_json(host: Host) -> None:
    host.mood = Mood.WILD
    host.place = (1.0, 2.0, 3.0)
    host.weights = [1.0, 2.0]
    host.picture = Asset("a.png")
    assert host.slot.values == {
        "mood": "wild",
        "place": [1.0, 2.0, 3.0],
        "weights": [1.0, 2.0],
        "picture": {"$asset": "a.png"},
    }
    assert host.mood is Mood.WILD


def test_numbers_and_arrays_of_numpy_and_pyrr_are_taken(host: Host) -> None:
    setattr(host, "ratio", np.float32(0.25))  # noqa: B010 - not the declared type
    setattr(host, "count", np.int64(4))  # noqa: B010
    setattr(host, "on", np.bool_(False))  # noqa: B010
    setattr(host, "place", Vector3([1.0, 2.0, 3.0]))  # noqa: B010
    setattr(host, "weights", np.arange(2.0))  # noqa: B010
    assert (host.ratio, host.count, host.on) == (0.25, 4, False)
    assert host.place == (1.0, 2.0, 3.0)
    assert host.weights == [0.0, 1.0]
    types = {type(item) for item in host.slot.values.values()}
    assert types == {float, int, bool, list}


def test_a_refused_value_changes_nothing(host: Host) -> None:
    host.count = 4
    revision = host.slot.revision
    with pytest.raises(FieldError):
        host.count = 99
    assert host.count == 4
    assert host.slot.revision == revision


def test_a_bad_stored_value_is_named_when_read(host: Host) -> None:
    host.slot.set_value("count", "many")
    with pytest.raises(
        FieldError, match=r"Host\.count: expected a whole number from 0 to 10, found 'many'"
    ):
        _ = host.count


def test_references_are_looked_up_at_each_reading(host: Host) -> None:
    scene = host.slot.object.scene
    host.slot.set_value("thing", {"$ref": "obj_later"})
    host.slot.set_value("friend", {"$ref": "cmp_later"})
    assert host.thing is None
    assert host.friend is None
    later = scene.spawn("Later", object_id="obj_later")
    slot = scene.attach(later, "tests:Host", {}, "cmp_later")
    assert host.thing is later
    assert host.friend is None
    for instance in (Friend(), Friend()):
        slot.instance = instance
        assert host.friend is instance
    scene.destroy(later)
    scene.flush()
    assert host.thing is None
    assert host.friend is None
    assert host.slot.values["thing"] == {"$ref": "obj_later"}


def test_objects_and_scripts_are_written_as_references(host: Host) -> None:
    host.thing = host.slot.object
    friend = Friend()
    friend.slot = host.slot
    host.friend = friend
    assert host.slot.values["thing"] == {"$ref": host.slot.object.id}
    assert host.slot.values["friend"] == {"$ref": host.slot.id}
    assert host.thing is host.slot.object
    host.thing = None
    assert host.slot.values["thing"] is None


def test_fields_come_in_the_order_of_declaration_bases_first() -> None:
    class More(Host):
        extra: int = field(1)
        count: int = field(5)

    assert list(collect_fields(More)) == [*FIELDS, "extra"]
    assert collect_fields(More)["count"].default == 5
    assert isinstance(More.extra, Field)


def test_an_unknown_option_is_an_error_of_the_script() -> None:
    with pytest.raises(TypeError, match=r"field: unknown options \['maximum'\]"):
        field(1, maximum=3)


def test_an_unsupported_type_is_named() -> None:
    class Odd:
        value: set[int] = field()

    with pytest.raises(FieldError, match=r"Odd\.value: expected a type that docs/scripting"):
        collect_fields(Odd)["value"].parse([1])


def test_an_unknown_type_name_is_named() -> None:
    class Odd:
        value: Nowhere = field()  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(FieldError, match=r"Odd\.value: expected a known type, found .*Nowhere"):
        collect_fields(Odd)["value"].parse(1)


def test_migration_keeps_the_unknown_and_replaces_what_no_longer_fits() -> None:
    values = {"count": 99, "label": "a", "gone": [1], "friend": {"$ref": "cmp_x"}}
    kept, notes = migrate(values, FIELDS)
    assert kept == {"label": "a", "gone": [1], "friend": {"$ref": "cmp_x"}}
    assert notes == [
        "Host.count: expected a whole number from 0 to 10, found 99; the default is used"
    ]  # fmt: skip


class Renamed(Host):
    pause: float = field(0.5, min=0.0, former=("wait", "delay"))


def test_a_value_under_a_former_name_gets_the_present_one() -> None:
    fields = collect_fields(Renamed)
    assert migrate({"wait": 2.0, "label": "a"}, fields)[0] == {"pause": 2.0, "label": "a"}
    assert migrate({"pause": 1.0, "delay": 2.0}, fields)[0] == {"pause": 2.0}, "the later counts"
    notes = migrate({"wait": -1.0}, fields)[1]
    assert notes == [
        "Renamed.pause: expected a number of at least 0, found -1.0; the default is used"
    ]  # fmt: skip
    assert find_field(Renamed, "delay") is fields["pause"]
    assert find_field(Renamed, "nowhere") is None


def test_scripts_use_a_field_by_its_former_name(host: Host) -> None:
    script: Any = Renamed(host.slot)
    script.wait = 1.5
    assert (script.pause, script.delay, script.slot.values) == (1.5, 1.5, {"pause": 1.5})
    assert Renamed.wait is Renamed.pause  # type: ignore[attr-defined]

    class Slow(Renamed):
        wait: float = field(3.0, max=9.0)

    fields = collect_fields(Slow)
    assert "wait" not in fields
    assert fields["pause"].default == 3.0
    assert migrate({"wait": 4.0}, fields)[0] == {"pause": 4.0}
    with pytest.raises(FieldError, match=r"Slow\.pause"):
        Slow(host.slot).wait = 10.0


@given(st.floats() | st.integers())
def test_bounds_hold_for_every_number(number: float) -> None:
    if 0 <= number <= 1:
        assert FIELDS["ratio"].parse(number) == number
    else:
        with pytest.raises(FieldError):
            FIELDS["ratio"].parse(number)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["$ref", "$asset", "a"]), inner, max_size=2)
    ),
)


@given(st.sampled_from(sorted(FIELDS)), anything)
def test_anything_is_parsed_or_refused_and_reads_back(name: str, raw: Any) -> None:
    declared = FIELDS[name]
    try:
        value = declared.parse(raw)
    except FieldError as error:
        message = str(error)
        value = None
    else:
        message = ""
    if message:
        assert message.startswith(f"Host.{name}: expected ")
        return
    if name not in ("friend", "thing", "friends", "table"):
        assert declared.parse(declared.dump(value)) == value


def test_a_field_with_choices_is_an_option_with_them():
    class Chosen(Script):
        """Has both kinds."""

        number = field(2, choices=(1, 2))
        free = field(0.5)

    declared = collect_fields(Chosen)
    assert declared["number"].option.choices == (1, 2)
    assert declared["free"].option.choices == ()

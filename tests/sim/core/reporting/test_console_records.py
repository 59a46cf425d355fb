"""The console's records: joined, bounded, with object and place."""

from __future__ import annotations

from sim.core.reporting.console import Console, ConsoleRecord


def test_equal_errors_are_one_record_and_plain_lines_are_not_joined(capsys):
    console = Console()
    seen = []
    console.subscribe(lambda record: seen.append(record.count))
    for _ in range(3):
        console.error("broken")
        console.info("hello")
    assert [str(record) for record in console.records if record.level == "error"] == [
        "ERROR broken  (x3)"
    ]
    assert console.counts == {"debug": 0, "info": 3, "warning": 0, "error": 3}
    assert capsys.readouterr().err.count("broken") == 1
    assert len(seen) == 6
    console.clear()
    console.error("broken")
    assert console.records[0].count == 1


def test_the_console_keeps_only_the_last():
    console = Console(stderr=False, capacity=3)
    for number in range(10):
        console.info(str(number))
    assert [record.text for record in console.records] == ["7", "8", "9"]


def test_a_record_names_object_component_hook_and_place():
    record = ConsoleRecord(
        "error", "bad", source="A/B", component="C", hook="update", file="scripts/c.py", line=3
    )
    assert str(record) == "ERROR A/B > C.update  scripts/c.py:3  bad"


def test_the_details_show_the_locals_of_the_user_alone(stage):
    stage.script(
        "odd",
        """
        class Odd(Script):
            def update(self, dt):
                number = 42
                class Nasty:
                    def __repr__(self): raise ValueError
                nasty = Nasty()
                raise RuntimeError("two\\nlines")
        """,
    )
    slot = stage.open_one("scripts.odd:Odd")
    stage.frames(1)
    assert slot.error.text == "RuntimeError: two"
    assert "number = 42" in slot.error.details
    assert "nasty = <repr raised ValueError>" in slot.error.details
    assert "script_host.py" not in slot.error.details


def test_a_long_message_is_shortened_wherever_it_comes_from(capsys):
    console = Console()
    console.info("x" * 2_000)
    console.error("x" * 1_000_000)
    record = console.failure(
        ValueError("y" * 50_000), source="A", component="B", hook="start", slot_id=""
    )
    assert len(console.records[0].text) == 2_000
    assert console.records[1].text == "x" * 2_000 + "… (1000000 characters)"
    assert len(record.text) < 2_100
    assert max(map(len, capsys.readouterr().err.splitlines())) < 2_100


def test_its_revision_is_another_after_whatever_changes_it(capsys):
    console = Console()
    seen = [console.revision]
    for change in (lambda: console.info("a"), console.clear, lambda: console.info("b")):
        change()
        assert console.revision not in seen
        seen.append(console.revision)

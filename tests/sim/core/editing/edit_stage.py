"""A scene with everything that edits may meet, and random programs of edits on it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from base.errors import EditError, GoishiError
from sim.core.editing import Editor
from sim.core.files.scene_checker import instance_id
from sim.core.files.scene_file import dumps
from sim.core.scene.scene import ComponentSlot, SceneObject
from sim.core.scene.scene_data import scene_data
from tests.sim.core.stage import Stage

SCRIPT = """
class Spin(Script):
    calls = []
    speed: float = field(1.0, min=-1000, max=1000)
    count: int = field(3)
    label: str = field("none")
    tint: Color = field((1.0, 0.5, 0.25))
    picture: Asset = field(None)
    target: SceneObject = field(None)
    friend: Script = field(None)
    many: list[int] = field([])
    choice: str = field("a", resets=("count",))

    def awake(self): Spin.calls.append(f"{self.object.name} awake {self.speed}")
    def start(self): Spin.calls.append(f"{self.object.name} start")
    def destroy(self): Spin.calls.append(f"{self.object.name} destroy")
    def validate(self): Spin.calls.append(f"{self.object.name} validate {self.speed}")


class Busy(Script):
    "Moves things, makes some, lets some go."

    def start(self): self.made = []

    def update(self, dt):
        self.object.transform.translate((0.5, 0.25, 0.0))
        self.object.name = self.object.name[:150] + "!"
        self.object.material["color"] = [0, 1, 0]
        self.made.append(self.scene.spawn("Stone", parent=self.object))
        self.made.append(self.scene.spawn("Stone"))
        if len(self.made) > 5:
            self.made.pop(0).destroy()
"""

PREFAB = {
    "format": "goishi.prefab/1",
    "name": "Lamp",
    "position": [0, 0, 5],
    "model": {"builtin": "sphere", "radius": 0.2},
    "material": {"color": [1, 1, 1]},
    "components": {
        "cmp_spin": {
            "type": "scripts.spin:Spin",
            "fields": {"speed": 2, "friend": {"$ref": "cmp_text"}},
        },
        "cmp_text": {"type": "sim:Text", "fields": {"text": "lamp", "size": 2}},
    },
}

LAMP = "assets/lamp.prefab.json"
SPIN = "scripts.spin:Spin"
IN_LAMP = instance_id("obj_lamp1", "cmp_spin")
TEXT_IN_LAMP = instance_id("obj_lamp2", "cmp_text")


def spin(**fields: Any) -> dict[str, Any]:
    return {"type": SPIN, "fields": fields}


OBJECTS: dict[str, Any] = {
    "obj_board": {
        "name": "Board", "position": [0, 0, 0], "rotation": [30, 0, 0], "scale": [2, 1, 1],
        "model": {"builtin": "goban", "size": 7}, "x-note": {"a": [1, {"b": 2}]},
        "components": {
            "cmp_board": {**spin(speed=5, old_field=[1, 2], target={"$ref": "obj_leaf"}), "x-part": 1},
            "cmp_light": {"type": "sim:Light", "enabled": False, "fields": {"intensity": 2}},
        },
    },
    "obj_leaf": {
        "name": "Leaf", "parent": "obj_twig", "position": [1.5, 0, -0.0], "visible": False,
        "components": {"cmp_leaf": spin(friend={"$ref": "cmp_board"}, count=4)},
    },
    "obj_twig": {"name": "Twig", "parent": "obj_board", "order": 0, "rotation": [0, 90, 0],
                 "material": {"color": [1, 0, 0], "roughness": 0.5}},
    "obj_bud": {"name": "Bud", "parent": "obj_board", "order": 0, "scale": [1, 1, -2]},
    "obj_root": {"name": "Root", "casts_shadow": False, "texture": "assets/a.png",
                 "components": {"cmp_lost": {"type": "scripts.gone:Gone", "fields": {"a": 1}}}},
    "obj_lamp1": {
        "prefab": LAMP, "parent": "obj_board", "order": 3, "name": "First lamp",
        "overrides": {"cmp_spin/speed": 7, "cmp_spin/target": {"$ref": "obj_root"}},
        "components": {"cmp_extra": spin(friend={"$ref": IN_LAMP})},
    },
    "obj_lamp2": {
        "prefab": LAMP, "order": 1, "x-more": True,
        "components": {TEXT_IN_LAMP: {"type": "sim:Text", "enabled": False, "fields": {"text": "own"}}},
    },
    "obj_child": {"name": "Child", "parent": "obj_lamp2", "order": 7},
}  # fmt: skip


class Ids:
    """Makes the same ids each time."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}_new{self.count:05d}"


class EditStage(Stage):
    """A project with the scene above, its editor, and what is saved."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        (root / "assets").mkdir()
        (root / LAMP).write_text(json.dumps(PREFAB))
        (root / "assets/a.png").write_bytes(b"no picture")
        (root / "assets/b.png").write_bytes(b"no picture")
        (root.parent / "secret.png").write_bytes(b"secret")
        self.script("spin", SCRIPT)
        self.editor: Any = None

    def start(self, objects: dict[str, Any] | None = None, **options: Any) -> Editor:
        self.open(OBJECTS if objects is None else objects, **options)
        self.editor = Editor(self.app.scene, self.app.console, make_id=Ids())
        return self.editor

    @property
    def bytes(self) -> bytes:
        return dumps(self.editor.data())

    @property
    def live_bytes(self) -> bytes:
        return dumps(scene_data(self.app.scene))

    def find(self, name: str) -> SceneObject:
        found = self.app.scene.find(name)
        assert found is not None, name
        return found

    def spins(self) -> list[str]:
        """Return what the scripts told since the last call."""
        calls = type(self.find_script()).calls
        told = list(calls)
        calls.clear()
        return told

    def find_script(self) -> Any:
        return next(
            slot.instance for slot in self.app.scene.components()
            if slot.class_name == "Spin" and slot.instance is not None
        )  # fmt: skip

    @contextlib.contextmanager
    def closed(self) -> Iterator[None]:
        """Close what was opened inside."""
        try:
            yield
        finally:
            self.close()
            self.opened.clear()


# -- random programs ----------------------------------------------------------------------------

Operation = tuple[int, int, int]
NUMBERS = (0.0, 1.0, -2.5, 0.1, 1e-3, 720.0, 123456.789)
REFUSED = (EditError, GoishiError)


class Program:
    """Does random edits; each operation is three numbers, read in the state that there is."""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self.refused = 0
        self.done = 0

    def run(self, operations: list[Operation]) -> None:
        for operation in operations:
            self.step(operation)

    def step(self, operation: Operation) -> None:
        kind, first, second = operation
        function = KINDS[kind % len(KINDS)]
        revision, before = self.editor.revision, self.bytes
        undoable, ids = self.editor.undo_label, self.editor.make_id
        count = getattr(ids, "count", 0)
        objects = [obj for obj in self.editor.scene.objects.values() if obj.is_alive]
        try:
            function(self.editor, Choice(objects, first, second))
        except REFUSED:
            self.refused += 1
            assert self.bytes == before
            assert self.editor.undo_label == undoable
            ids.__dict__["count"] = count  # so that pasted lines make the same ids
        else:
            self.done += self.editor.revision > revision

    @property
    def bytes(self) -> tuple[bytes, bytes]:
        scenes = (self.editor.authored, self.editor.scene)
        authored, live = (dumps(scene_data(scene)) for scene in scenes)
        return authored, live


class Choice:
    """What two numbers choose among what there is."""

    def __init__(self, objects: list[SceneObject], first: int, second: int) -> None:
        self.objects, self.first, self.second = objects, first, second

    @property
    def obj(self) -> SceneObject:
        if not self.objects:
            raise EditError("nothing is left")
        return self.objects[self.first % len(self.objects)]

    @property
    def other(self) -> SceneObject | None:
        choices = [None, *self.objects]
        return choices[self.second % len(choices)]

    @property
    def slot(self) -> ComponentSlot:
        slots = [slot for obj in self.objects for slot in obj.components]
        if not slots:
            raise EditError("nothing is left")
        return slots[self.first % len(slots)]

    @property
    def flag(self) -> bool:
        return bool(self.second % 2)

    @property
    def number(self) -> float:
        return NUMBERS[self.second % len(NUMBERS)]

    def pick(self, *values: Any) -> Any:
        return values[self.second % len(values)]


def _transform(editor: Editor, c: Choice) -> None:
    key = c.pick("position", "rotation", "scale")
    value = (c.number, 1.0, c.first % 5 - 2.0)
    editor.set_transform(c.obj, **{key: value})


def _place(editor: Editor, c: Choice) -> None:
    editor.set_transform(c.obj, position=(c.number, 0, 0), rotation=(0, c.number, 0))


def _field(editor: Editor, c: Choice) -> None:
    slot = c.slot
    name, value = c.pick(
        ("speed", c.first % 9), ("speed", 1e9), ("count", c.first), ("label", "é\n\""),
        ("tint", (1, 0, 0.5)), ("picture", {"$asset": "assets/b.png"}), ("intensity", 4.5),
        ("target", None if c.other is None else {"$ref": c.other.id}), ("many", [1, 2]),
        ("friend", {"$ref": slot.id}), ("text", "hello"), ("a", {"deep": [1, None]}),
    )  # fmt: skip
    editor.set_field(slot, name, value)


def _material(editor: Editor, c: Choice) -> None:
    key, value = c.pick(
        ("color", [1, 0, 0]), ("roughness", 0.25), ("opacity", 2.0), ("color", None),
        ("emission", 0.5), ("roughness", None),
    )  # fmt: skip
    editor.set_material(c.obj, key, value)


def _look(editor: Editor, c: Choice) -> None:
    if c.flag:
        editor.set_model(c.obj, c.pick(None, {"builtin": "box", "size": 2}, {"asset": "../x.obj"}))
    else:
        editor.set_texture(
            c.obj, c.pick(None, "assets/b.png", {"asset": "assets/a.png"}, "gone.png")
        )


def _create(editor: Editor, c: Choice) -> None:
    if len(c.objects) > 60:
        editor.delete(c.obj)
        return
    refers = (SPIN, {"target": {"$ref": c.obj.id}})
    editor.create(
        c.pick("New", "Box", ""), parent=c.other, position=(c.number, 0, 0),
        model=c.pick(None, {"builtin": "box"}), components=c.pick((), ["sim:Light"], [refers]),
    )  # fmt: skip


def _duplicate(editor: Editor, c: Choice) -> None:
    if len(c.objects) > 60:
        editor.delete(c.obj)
    else:
        editor.duplicate(c.obj)


def _revert(editor: Editor, c: Choice) -> None:
    found = [(obj, key) for obj in c.objects for key in sorted(editor.overridden(obj))]
    if found:
        editor.revert_to_prefab(*found[c.first % len(found)])


def _group(editor: Editor, c: Choice) -> None:
    with editor.group("several"):
        _transform(editor, c)
        _material(editor, c)
        _reparent(editor, c)
        _field(editor, c)


def _gesture(editor: Editor, c: Choice) -> None:
    with editor.gesture("pull"):
        for number in range(4):
            editor.set_transform(c.obj, position=(number, c.number, 0))
            editor.set_material(c.obj, "roughness", number / 8)


def _reparent(editor: Editor, c: Choice) -> None:
    editor.set_parent(c.obj, c.other, c.pick(None, 0, 1, 2, 99))


def _bad(editor: Editor, c: Choice) -> None:
    c.pick(
        lambda: editor.set_transform(c.obj, position=(float("nan"), 0, 0)),
        lambda: editor.set_transform(c.obj, position=(1, 1, 1), scale=(1, 0, 1)),
        lambda: editor.rename(c.obj, "a\x00b"),
        lambda: editor.set_parent(c.obj, c.obj),
        lambda: editor.instantiate("assets/none.prefab.json"),
        lambda: editor.set_field(c.slot, "speed", "fast"),
    )()


def _clipboard(editor: Editor, c: Choice) -> None:
    if len(c.objects) > 60:
        editor.cut(c.obj)
        return
    text = editor.copy(c.obj, *c.pick((), (c.other or c.obj,)))
    c.pick(
        lambda: editor.paste(text), lambda: editor.paste(text, c.other),
        lambda: editor.paste(text, c.obj.parent), lambda: editor.paste(text[:-9]),
    )()  # fmt: skip


def _component(editor: Editor, c: Choice) -> None:
    slot = c.slot
    text = editor.copy_component(slot)
    same = [
        item for obj in c.objects for item in obj.components if item.type_name == slot.type_name
    ]
    c.pick(
        lambda: editor.paste_component(c.obj, text),
        lambda: editor.paste_values(same[c.second % len(same)], text),
        lambda: editor.reset_component(slot),
        lambda: editor.move_component(slot, c.second // 4 % 4),
    )()  # fmt: skip


KINDS: tuple[Callable[[Editor, Choice], Any], ...] = (
    _transform, _place, _field, _field, _material, _look, _create, _duplicate, _reparent,
    _reparent, _group, _gesture, _revert, _bad, _clipboard, _clipboard, _component, _component,
    lambda e, c: e.rename(c.obj, c.pick("Plank", "Board", "x" * 200, "x" * 201, "é 2")),
    lambda e, c: e.set_visible(c.obj, c.flag),
    lambda e, c: e.set_enabled(c.obj, c.flag),
    lambda e, c: e.set_enabled(c.slot, c.flag),
    lambda e, c: e.set_casts_shadow(c.obj, c.flag),
    lambda e, c: e.instantiate(LAMP, c.other) if len(c.objects) < 60 else e.delete(c.obj),
    lambda e, c: e.delete(c.obj),
    lambda e, c: e.add_component(c.obj, c.pick("sim:Text", SPIN, "nonsense")),
    lambda e, c: e.remove_component(c.slot),
)  # fmt: skip

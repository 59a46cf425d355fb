"""The inspector of several objects at once: what they share, and where they differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from imgui_bundle import imgui

from sim.core.scene.fields import Field, collect_fields
from sim.core.scene.scene import ComponentSlot, SceneObject
from sim.ui.panels.edit_form import EditForm, ScriptLinks
from sim.ui.panels.look_section import MATERIAL, draw_material
from sim.ui.theme.theme import Theme
from sim.ui.widgets.field_widgets import MIXED, mixed_flag

MOST_NAMES = 6
SPEEDS = (("position", 0.02), ("rotation", 0.5), ("scale", 0.01))
FLAGS = (("enabled", "Enabled"), ("visible", "Visible"), ("casts_shadow", "Casts shadow"))


class SeveralObjects:
    """Draws and edits what several objects have in common; each edit is one step.

    Args:
        form: draws the rows and runs the edits.
        scripts: opens the script of a component.
    """

    def __init__(self, form: EditForm, scripts: ScriptLinks) -> None:
        self.form = form
        self.scripts = scripts

    def draw(self, theme: Theme, objects: Sequence[SceneObject]) -> None:
        """Draw the panel of several objects."""
        imgui.push_font(theme.bold, 0.0)
        imgui.text(f"{len(objects)} objects")
        imgui.pop_font()
        names = [obj.name for obj in objects[:MOST_NAMES]]
        more = f" and {len(objects) - MOST_NAMES} more" if len(objects) > MOST_NAMES else ""
        theme.wrapped(", ".join(names) + more, "muted")
        for key, label in FLAGS:
            self._draw_flag(theme, objects, key, label)
        if theme.section("Transform"):
            self._draw_transform(theme, objects)
        if theme.section("Look", is_open=False):
            for key, usual in MATERIAL.items():
                self._draw_material(theme, objects, key, usual)
        for slots in shared_slots(objects):
            self._draw_component(theme, slots)

    def edit_each(self, key: str, label: str, edits: Sequence[Callable[[], object]]) -> bool:
        """Run edits as one step; if one is refused none of them is kept, and it is said why."""

        def edit_all() -> None:
            with self.form.editor.group(label):
                for edit in edits:
                    edit()

        return self.form.attempt(key, edit_all)

    def _draw_flag(
        self, theme: Theme, objects: Sequence[SceneObject], key: str, label: str
    ) -> None:
        values = [bool(getattr(obj, key)) for obj in objects]
        setter = getattr(self.form.editor, f"set_{key}")
        self.form.label(theme, label)
        with mixed_flag(is_mixed=len(set(values)) > 1):
            changed, value = imgui.checkbox(f"##{key}", all(values))
        if changed:
            edits = [lambda obj=obj: setter(obj, value) for obj in objects]
            self.edit_each(key, f"{label} of {len(objects)} objects", edits)
        self.form.say(theme, key)

    def _draw_transform(self, theme: Theme, objects: Sequence[SceneObject]) -> None:
        for name, speed in SPEEDS:
            self.form.label(theme, name.capitalize())
            gap = imgui.get_style().item_inner_spacing.x
            width = (imgui.get_content_region_avail().x - 2.0 * gap) / 3.0
            for axis in range(3):
                if axis:
                    imgui.same_line(0, gap)
                imgui.set_next_item_width(width)
                self._draw_axis(objects, name, axis, speed)
            self.form.say(theme, name)

    def _draw_axis(
        self, objects: Sequence[SceneObject], name: str, axis: int, speed: float
    ) -> None:
        """Draw one number; a new one becomes that of all, their other numbers stay."""
        values = [float(getattr(obj.transform, name)[axis]) for obj in objects]
        is_mixed = any(value != values[0] for value in values)
        shown = MIXED if is_mixed else "%.3f"
        changed, new = imgui.drag_float(f"##{name}{axis}", values[-1], speed, 0.0, 0.0, shown)
        label = f"{name} of {len(objects)} objects"
        self.form.gesture(label)
        if changed:
            value = float(f"{new:.7g}")
            edits = [lambda obj=obj: self._place(obj, name, axis, value) for obj in objects]
            self.edit_each(name, label, edits)

    def _place(self, obj: SceneObject, name: str, axis: int, value: float) -> None:
        numbers = [float(item) for item in getattr(obj.transform, name)]
        numbers[axis] = value
        self.form.editor.set_transform(obj, **{name: tuple(numbers)})

    def _draw_material(
        self, theme: Theme, objects: Sequence[SceneObject], key: str, usual: object
    ) -> None:
        values = [obj.material.get(key, usual) for obj in objects]
        is_mixed = any(value != values[0] for value in values)
        imgui.push_id(key)
        self.form.label(theme, key.capitalize())
        imgui.set_next_item_width(-1)
        changed, new = draw_material(key, values[-1], is_mixed=is_mixed)
        label = f"{key} of {len(objects)} objects"
        self.form.gesture(label)
        if changed:
            editor = self.form.editor
            edits = [lambda obj=obj: editor.set_material(obj, key, new) for obj in objects]
            self.edit_each(key, label, edits)
        self.form.say(theme, key)
        imgui.pop_id()

    def _draw_component(self, theme: Theme, slots: Sequence[ComponentSlot]) -> None:
        lead, editor = slots[-1], self.form.editor
        imgui.push_id(lead.type_name)
        states = {slot.is_enabled for slot in slots}
        with mixed_flag(is_mixed=len(states) > 1):
            changed, value = imgui.checkbox("##on", all(states))
        title = f"{lead.class_name} of {len(slots)} objects"
        if changed:
            edits = [lambda slot=slot: editor.set_enabled(slot, value) for slot in slots]
            self.edit_each(lead.type_name, title, edits)
        imgui.same_line()
        is_open = theme.section(f"{lead.class_name}###header")
        self.scripts.open_by_double_click(lead)
        if is_open and lead.instance is not None:
            for name, item in collect_fields(type(lead.instance)).items():
                self._draw_field(theme, slots, name, item)
        self.form.say(theme, lead.type_name)
        imgui.pop_id()

    def _draw_field(
        self, theme: Theme, slots: Sequence[ComponentSlot], name: str, item: Field
    ) -> None:
        values = [slot.values.get(name, item.initial()) for slot in slots]
        key = f"{slots[-1].type_name}/{name}"
        imgui.push_id(name)
        self.form.label(theme, name.replace("_", " ").capitalize(), tip=item.help)
        imgui.begin_disabled(item.readonly)
        is_mixed = any(value != values[0] for value in values)
        changed, value = self.form.widgets.draw(slots[-1], item, values[-1], is_mixed=is_mixed)
        imgui.end_disabled()
        label = f"{slots[-1].class_name}.{name} of {len(slots)} objects"
        self.form.gesture(label)
        if changed and not item.readonly:
            edits = [lambda slot=slot: self._set_field(slot, name, value) for slot in slots]
            self.edit_each(key, label, edits)
        self.form.say(theme, key)
        imgui.pop_id()

    def _set_field(self, slot: ComponentSlot, name: str, value: object) -> None:
        """Set a field.

        Raises:
            FieldError: the field refuses it.
            ValueError: the script's own `validate` does.
        """
        was_whole = slot.error is None
        self.form.editor.set_field(slot, name, value)
        if was_whole and slot.error is not None and slot.error.hook == "validate":
            raise ValueError(slot.error.text)


def shared_slots(objects: Sequence[SceneObject]) -> list[tuple[ComponentSlot, ...]]:
    """Return the components whose type each object has, the first of it in each."""
    found = []
    for slot in objects[-1].components:
        same = [
            next((item for item in obj.components if item.type_name == slot.type_name), None)
            for obj in objects
        ]
        row = tuple(item for item in same if item is not None)
        if len(row) == len(objects) and row[-1] is slot:
            found.append(row)
    return found

"""The inspector panel: the properties of the selected object, or those that several share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from imgui_bundle import imgui

from base.class_memo import memo_of_class
from base.language.wording import capitalized, tr, wording
from base.schema import Option
from sim.core.canvas.painter import Picture
from sim.core.editing import Editor
from sim.core.editing.python_lines import expression
from sim.core.host.agents import AgentEpisode, Agents, Standing
from sim.core.project.manifest import Entry
from sim.core.reporting.console import Console
from sim.core.rewind.rewind import Rewind
from sim.core.scene.fields import Field, collect_fields
from sim.core.scene.scene import ComponentSlot, SceneObject
from sim.ui.panels.add_component import AddComponent
from sim.ui.panels.component_menu import ComponentMenu
from sim.ui.panels.edit_form import EditForm, ScriptLinks, tip_of_item
from sim.ui.panels.look_section import MATERIAL, LookSection, draw_material
from sim.ui.theme.theme import Theme, icons
from sim.ui.widgets.context import PanelUi
from sim.ui.widgets.field_widgets import MIXED, draw_options, mixed_flag, with_value
from sim.ui.widgets.selection import Selection
from sim.ui.widgets.set_aside import BROKEN, open_error, retry
from sim.ui.widgets.vector_fields import ANGLES, FORMATS, XYZ, begin_row, drag_axis, drag_numbers

MOST_NAMES = 6
SPEEDS = (("position", 0.02), ("rotation", 0.5), ("scale", 0.01))
VECTORS = {
    "position": tr("Position"),
    "rotation": tr("Rotation"),
    "scale": tr("Scale", "of an object"),
}
AXES = {"position": XYZ, "rotation": ANGLES, "scale": XYZ}
FLAGS = (
    ("enabled", tr("Enabled")),
    ("visible", tr("Visible")),
    ("casts_shadow", tr("Casts shadow")),
)


class SeveralObjects:
    """Draws and edits the properties that several objects share; each edit is one undo step.

    Args:
        form: draws the labels and runs the edits.
        scripts: opens the script of a component.
    """

    def __init__(self, form: EditForm, scripts: ScriptLinks) -> None:
        self.form = form
        self.scripts = scripts

    def draw(self, theme: Theme, objects: Sequence[SceneObject]) -> None:
        """Draw the properties that the objects share."""
        imgui.push_font(theme.bold, 0.0)
        imgui.text(tr("{objects} objects").format(objects=len(objects)))
        imgui.pop_font()
        names = [obj.name for obj in objects[:MOST_NAMES]]
        more = (
            tr(" and {objects} more").format(objects=len(objects) - MOST_NAMES)
            if len(objects) > MOST_NAMES
            else ""
        )
        theme.wrapped(", ".join(names) + more, "muted")
        for key, label in FLAGS:
            self._draw_flag(theme, objects, key, label)
        if theme.section(tr("Transform")):
            self._draw_transform(theme, objects)
        if theme.section(tr("Look"), is_open=False):
            for key, usual in MATERIAL.items():
                self._draw_material(theme, objects, key, usual)
        for slots in shared_slots(objects):
            self._draw_component(theme, slots)

    def edit_each(self, key: str, label: str, edits: Sequence[Callable[[], object]]) -> bool:
        """Run edits as one undo step; if one is refused, undo them all and show the error.

        Args:
            key: key of the row under which the error is shown.
            label: name of the undo step.
            edits: functions that make one edit each.

        Returns:
            Whether all edits succeeded.
        """

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
            self.edit_each(
                key,
                tr("{label} of {objects} objects").format(label=label, objects=len(objects)),
                edits,
            )
        self.form.say(theme, key)

    def _draw_transform(self, theme: Theme, objects: Sequence[SceneObject]) -> None:
        for name, speed in SPEEDS:
            self.form.label(theme, name.capitalize())
            gap = imgui.get_style().item_inner_spacing.x
            begin_row(theme, 3)
            width = (imgui.get_content_region_avail().x - 2.0 * gap) / 3.0
            for axis in range(3):
                if axis:
                    imgui.same_line(0, gap)
                self._draw_axis(theme, objects, name, axis, speed, width)
            self.form.say(theme, name)

    def _draw_axis(
        self,
        theme: Theme,
        objects: Sequence[SceneObject],
        name: str,
        axis: int,
        speed: float,
        width: float,
    ) -> None:
        """Draw one number of a vector; a change sets it in all objects.

        The objects' other numbers stay.

        Args:
            theme: colours and sizes.
            objects: the objects.
            name: "position", "rotation" or "scale".
            axis: index of the number, 0 to 2.
            speed: change per pixel that the mouse is dragged.
            width: its room, pixels.
        """
        values = [float(getattr(obj.transform, name)[axis]) for obj in objects]
        is_mixed = any(value != values[0] for value in values)
        shown = MIXED if is_mixed else FORMATS[0]
        imgui.push_id(name)
        changed, new = drag_axis(theme, AXES[name][axis], values[-1], speed, width, shown)
        imgui.pop_id()
        label = tr("{name} of {objects} objects").format(name=name, objects=len(objects))
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
        label = tr("{key} of {objects} objects").format(key=key, objects=len(objects))
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
        title = tr("{title} of {slots} objects").format(title=lead.title, slots=len(slots))
        if changed:
            edits = [lambda slot=slot: editor.set_enabled(slot, value) for slot in slots]
            self.edit_each(lead.type_name, title, edits)
        imgui.same_line()
        is_open = theme.section(lead.title + "###header")
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
        self.form.label(theme, wording(item.title), tip=wording(item.help))
        imgui.begin_disabled(item.readonly)
        is_mixed = any(value != values[0] for value in values)
        changed, value = self.form.widgets.draw(slots[-1], item, values[-1], is_mixed=is_mixed)
        imgui.end_disabled()
        label = tr("{class_name}.{name} of {slots} objects").format(
            class_name=slots[-1].class_name, name=name, slots=len(slots)
        )
        self.form.gesture(label)
        if changed and not item.readonly:
            edits = [lambda slot=slot: self._set_field(slot, name, value) for slot in slots]
            self.edit_each(key, label, edits)
        self.form.say(theme, key)
        imgui.pop_id()

    def _set_field(self, slot: ComponentSlot, name: str, value: object) -> None:
        """Set a field of a component.

        Raises:
            FieldError: the value is invalid for the field.
            ValueError: the script's own `validate` refused the value.
        """
        was_whole = slot.error is None
        self.form.editor.set_field(slot, name, value)
        if was_whole and slot.error is not None and slot.error.hook == "validate":
            raise ValueError(slot.error.text)


def shared_slots(objects: Sequence[SceneObject]) -> list[tuple[ComponentSlot, ...]]:
    """Return the components that all objects have.

    Returns:
        One tuple per component type, with one component per object. Of several components of one
        type, an object's first counts.
    """
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


ANY_POPUP = int(imgui.PopupFlags_.any_popup)
MOST_NUMBERS = 24  # of an observation, that are shown one by one
PAST_ALPHA = 0.8  # of what cannot be edited
NEAR = 0.25  # of the panel's height, above and below: the Tab key reaches what stands there


class InspectorPanel:
    """Shows and edits the selected object.

    Args:
        editor: makes all edits.
        selection: the selected objects.
        console: prints the Python code that is equivalent to the user's edits.
        agents: the scene's agents, whose observations, actions and rewards are shown.
        rewind: recording of the scene's last seconds. While the past is shown, nothing can be
            edited.
        scripts: opens the script of a component.
        offered: the components that the project lists in `goishi.toml`.
        theme: colours and scale.
        add_picture: uploads a picture and returns its ImGui texture id.
    """

    def __init__(
        self,
        editor: Editor,
        selection: Selection,
        console: Console,
        agents: Agents,
        rewind: Rewind,
        scripts: ScriptLinks,
        offered: tuple[Entry, ...],
        theme: Theme,
        add_picture: Callable[[Picture], int],
    ) -> None:
        self.selection = selection
        self._console, self._agents, self._rewind = console, agents, rewind
        self.form = EditForm(editor, console.project, theme)
        self.scripts = scripts
        self.look = LookSection(self.form, console.python, add_picture)
        self.several = SeveralObjects(self.form, self.scripts)
        self.menu = ComponentMenu(self.form, scripts, console.python, self.retry)
        self.adding = AddComponent(self.form, console.project, offered, console.python)
        self._heights: dict[str, float] = {}
        self._drawn: tuple[object, ...] = ()
        self._opens_look = False
        self.on_create: Callable[[], object] = bool

    # -- drawing ------------------------------------------------------------------------------

    def draw(self, ui: PanelUi) -> None:
        """Draw all properties of the selected object."""
        theme = ui.theme
        obj = self.selection.object
        if obj is None:
            text = tr("Select an object in the Hierarchy or the view.")
            if theme.next_step(text, (icons.ICON_FA_PLUS + "  " + tr("Create an object"))):
                self.on_create()
            return
        if self._rewind.is_past:
            self._draw_past(theme, obj)
            return
        objects = self.selection.objects
        if len(objects) > 1:
            imgui.push_id("several")
            self.several.draw(theme, objects)
            imgui.pop_id()
            self.form.end_gesture()
            return
        self._draw_one(theme, obj)

    def _draw_past(self, theme: Theme, obj: SceneObject) -> None:
        """Draw an object's values at an earlier time, read-only.

        Args:
            theme: colours and sizes.
            obj: the object, as it was at that time.
        """
        ago = self._rewind.ago
        theme.wrapped(
            (icons.ICON_FA_CLOCK_ROTATE_LEFT + " " + tr("Past: {ago:.2f} s ago").format(ago=ago)),
            "amber",
        )
        theme.wrapped(tr("Read-only. Fields that say (now) are not recorded."), "muted")
        imgui.push_style_var(imgui.StyleVar_.disabled_alpha, PAST_ALPHA)
        imgui.begin_disabled()
        self._draw_one(theme, obj)
        imgui.end_disabled()
        imgui.pop_style_var()

    def _draw_one(self, theme: Theme, obj: SceneObject) -> None:
        revision = self.form.editor.scene.structure_revision
        drawn = (obj.id, revision, theme.scale, imgui.get_window_width())
        if drawn != self._drawn:
            is_new = self._drawn[:1] != drawn[:1]
            self._drawn = drawn
            self._heights.clear()
            self.form.widgets.forget()
            self._opens_look = is_new and bool(obj.missing_file)
        imgui.push_id(obj.id)
        self._draw_head(theme, obj)
        if theme.section(tr("Transform")):
            self._draw_transform(theme, obj)
        if self._opens_look:  # there it can be mended
            imgui.set_next_item_open(True)
            self._opens_look = False
        if theme.section(tr("Look"), is_open=False):
            self.look.draw(theme, obj)
        is_busy = imgui.is_any_item_active() or imgui.is_popup_open("", ANY_POPUP)
        for slot in list(obj.components):
            if is_busy or not self._is_out_of_sight(slot.id):
                self._draw_whole(theme, slot)
        self.adding.draw(theme, obj)
        imgui.pop_id()
        self.form.end_gesture()

    def _is_out_of_sight(self, key: str) -> bool:
        """Skip a component that is scrolled far out of view.

        A blank space takes its place, as high as the component was when it was last drawn.

        Args:
            key: id of the component.

        Returns:
            Whether it was skipped.
        """
        height = self._heights.get(key)
        if height is None:
            return False
        top = imgui.get_cursor_screen_pos().y - imgui.get_window_pos().y
        inner = imgui.get_window_height()
        if top + height >= -inner * NEAR and top <= inner * (1.0 + NEAR):
            return False
        imgui.dummy(imgui.ImVec2(1.0, height))
        return True

    def _draw_whole(self, theme: Theme, slot: ComponentSlot) -> None:
        top = imgui.get_cursor_pos_y()
        self._draw_component(theme, slot)
        used = imgui.get_cursor_pos_y() - top - imgui.get_style().item_spacing.y
        self._heights[slot.id] = max(1.0, used)

    def _draw_head(self, theme: Theme, obj: SceneObject) -> None:
        is_on = imgui.checkbox("##enabled", obj.enabled)
        if is_on[0]:
            self.form.attempt("head", self.form.editor.set_enabled, obj, is_on[1])
        tip_of_item(tr("Enabled: its scripts run and it is drawn"))
        imgui.same_line()
        imgui.push_id("name")
        imgui.set_next_item_width(-1)
        changed, name = self.form.widgets.typed(f"{obj.id}/name", obj.name)
        imgui.pop_id()
        if changed:
            self.form.attempt("head", self.form.editor.rename, obj, name)
        self.form.say(theme, "head")
        if (obj.authored or {}).get("prefab"):
            theme.wrapped(
                tr("Instance of {authored}").format(authored=(obj.authored or {})["prefab"]),
                "muted",
            )

    def _draw_transform(self, theme: Theme, obj: SceneObject) -> None:
        transform = obj.transform
        overridden = self.form.editor.overridden(obj)
        for name, speed in (("position", 0.02), ("rotation", 0.5), ("scale", 0.01)):
            imgui.push_id(name)
            self.form.label(theme, VECTORS[name], is_changed=name in overridden)
            imgui.set_next_item_width(-1)
            values = [float(item) for item in getattr(transform, name)]
            changed, new = drag_numbers(theme, values, speed, axes=AXES[name])
            self.form.gesture(tr("{name} of {name2}").format(name=name, name2=obj.name))
            if changed:
                self.form.attempt(name, self.form.editor.set_transform, obj, **{name: tuple(new)})
            self._revert(obj, name, overridden)
            self.form.say(theme, name)
            imgui.pop_id()

    # -- components ---------------------------------------------------------------------------

    def _draw_component(self, theme: Theme, slot: ComponentSlot) -> None:
        imgui.push_id(slot.id)
        changed, value = imgui.checkbox("##on", slot.is_enabled)
        if changed:
            self.form.attempt(slot.id, self.form.editor.set_enabled, slot, value)
        tip_of_item(tr("Enabled: the component runs"))
        imgui.same_line()
        is_broken = slot.state in BROKEN
        if is_broken:
            imgui.push_style_color(imgui.Col_.text, theme.vector("red"))
        imgui.set_next_item_allow_overlap()
        is_open = theme.section(slot.title + "###header")
        if is_broken:
            imgui.pop_style_color()
        self.scripts.open_by_double_click(slot)
        self.menu.draw(theme, slot)
        if is_open:
            self._draw_fault(theme, slot)
            self._draw_fields(theme, slot)
            self._draw_agent(theme, slot)
            self._draw_actions(slot)
        imgui.pop_id()

    def retry(self, slot: ComponentSlot) -> None:
        """Run a component again that was stopped after an error, as the button "Retry" does."""
        retry(self._console, slot)

    def _draw_fault(self, theme: Theme, slot: ComponentSlot) -> None:
        if slot.state not in BROKEN or slot.error is None:
            return
        theme.wrapped(slot.error.text, "red")
        if slot.error.file and imgui.small_button(
            tr("Open at line {line}").format(line=slot.error.line)
        ):
            open_error(slot.error, self._console.project, self.scripts.open_at)
        imgui.same_line()
        if imgui.small_button(tr("Retry")):
            self.retry(slot)

    def _draw_fields(self, theme: Theme, slot: ComponentSlot) -> None:
        cls = type(slot.instance) if slot.instance is not None else None
        declared = collect_fields(cls) if cls is not None else {}
        overridden = self.form.editor.overridden(slot.object)
        plain = _plain_fields(cls) if cls is not None else ()
        is_past = self._rewind.is_past
        for item in plain:
            label = (tr("(now) ") + item.title) if is_past and not item.recorded else item.title
            self._draw_field(theme, slot, item, label, overridden)
        for name in (name for name, item in declared.items() if item.options_of):
            raw = _raw_value(slot, declared[name])
            self._draw_options(theme, slot, declared[name], raw)
        orphans = [name for name in slot.values if name not in declared]
        for name in orphans:
            self.form.label(
                theme,
                name,
                tip=tr("The script has no field of this name; its value stays in the scene"),
            )
            theme.wrapped(str(slot.values[name])[:200], "muted")
        if not declared and not orphans:
            theme.wrapped(tr("No fields."), "muted")
        self.form.say(theme, slot.id)

    def _draw_field(
        self,
        theme: Theme,
        slot: ComponentSlot,
        item: Field,
        label: str,
        overridden: frozenset[str],
    ) -> None:
        """Draw the label and the widget of a field.

        Args:
            theme: colours and sizes.
            slot: the component.
            item: declaration of the field.
            label: text of the label.
            overridden: names of the object's properties that differ from the prefab.
        """
        name = item.name
        imgui.push_id(name)
        is_own = bool(overridden) and f"{slot.prefab_id or slot.id}/{name}" in overridden
        self.form.label(theme, label, tip=wording(item.help), is_changed=is_own)
        if item.readonly:
            imgui.begin_disabled()
        changed, value = self.form.widgets.draw(slot, item, _raw_value(slot, item))
        if item.readonly:
            imgui.end_disabled()
        if imgui.is_item_active():
            self.form.gesture(f"{slot.class_name}.{name}")
        if changed and not item.readonly:
            self.form.attempt(f"{slot.id}/{name}", self._set_field, slot, name, value)
        if is_own:
            self._revert(slot, name, overridden)
        if self.form.messages:
            key = f"{slot.id}/{name}"
            self.form.say(
                theme, key, lambda text: self.form.attempt(key, self._set_field, slot, name, text)
            )
        imgui.pop_id()

    def _draw_options(self, theme: Theme, slot: ComponentSlot, item: Field, raw: object) -> None:
        """Draw the options stored in one field, each with a label and a widget of its own.

        Args:
            theme: colours and sizes.
            slot: the component.
            item: declaration of the field; its `options_of` names the options.
            raw: present value of the field.
        """

        def label(option: Option, is_changed: bool) -> None:
            text = option.key.replace("_", " ").capitalize()
            tip = capitalized(wording(option.help))
            self.form.label(theme, text, tip=tip, is_changed=is_changed)

        def change(group: str, option: Option, value: object) -> None:
            def edit() -> None:
                self._set_field(slot, item.name, with_value(raw, group, option, value))

            self.form.gesture(f"{group}: {option.key}")
            self.form.attempt(f"{slot.id}/{item.name}/{group}", edit)

        def say(group: str) -> None:
            self.form.say(theme, f"{slot.id}/{item.name}/{group}")

        draw_options(self.form.widgets, slot, item, raw, label=label, change=change, say=say)

    def _set_field(self, slot: ComponentSlot, name: str, value: object) -> None:
        """Set a field of a component; undo it if the script's own `validate` refuses the value.

        Raises:
            FieldError: the value is invalid for the field.
            ValueError: `validate` refused it, unless the user still holds the widget.
        """
        was_broken = slot.state in BROKEN
        self.form.editor.set_field(slot, name, value)
        error = slot.error
        if was_broken or slot.state not in BROKEN or error is None or error.hook != "validate":
            return
        if not self.form.is_in_gesture:
            self._console.python('do("studio.undo")')
            self.form.editor.undo()
            raise ValueError(error.text)

    def _draw_agent(self, theme: Theme, slot: ComponentSlot) -> None:
        """Draw an agent's present observation, action and reward."""
        seat = self._agents.episode_of(slot)
        if seat is None:
            return
        lines = lines_of(seat)
        if self._rewind.is_past:
            lines = past_lines_of(self._rewind.seat(slot.id))
        for name, text, tip in lines:
            self.form.label(theme, name, tip=tip)
            theme.wrapped(text, "text")

    def _draw_actions(self, slot: ComponentSlot) -> None:
        if slot.instance is None:
            return
        cls: type = type(slot.instance)
        for name in _actions_of(cls):
            label = name.replace("_", " ").capitalize()
            icon = icons.ICON_FA_STOP if name == "stop" else icons.ICON_FA_PLAY
            if imgui.button(icon + " " + label):
                self._console.python(f"{expression(slot)}.{name}()")
                slot.call(name, getattr(slot.instance, name))

    def component_types(self) -> list[str]:
        """Return the component types that can be added, found without importing the scripts."""
        return self.adding.component_types()

    # -- small things -------------------------------------------------------------------------

    def _revert(
        self, target: SceneObject | ComponentSlot, name: str, overridden: frozenset[str]
    ) -> None:
        own = name
        if isinstance(target, ComponentSlot):
            own = f"{target.prefab_id or target.id}/{name}"
        if own in overridden and imgui.begin_popup_context_item("revert"):
            if imgui.menu_item(tr("Reset to the prefab"), "", False)[0]:
                self.form.attempt(name, self.form.editor.revert_to_prefab, target, name)
            imgui.end_popup()


def lines_of(seat: AgentEpisode) -> list[tuple[str, str, str]]:
    """Return the lines that the inspector shows about an agent.

    Args:
        seat: the agent in its present episode.

    Returns:
        Name, value and tooltip of each line.
    """
    return [
        (tr("Observation"), short_value(seat.observation), tr("What the agent saw last")),
        (tr("Action"), short_value(seat.action), tr("What the agent did last")),
        (tr("Reward"), f"{seat.reward:.4g}", tr("Reward of the last decision")),
        (tr("Return"), f"{seat.total:.4g}", tr("Sum of the rewards of this episode so far")),
        (tr("Decisions"), str(seat.decisions), tr("Decisions in this episode so far")),
    ]


def past_lines_of(standing: Standing | None) -> list[tuple[str, str, str]]:
    """Return the lines that the inspector shows about an agent at an earlier moment.

    Args:
        standing: the agent's recorded numbers: reward, return, decisions. None if it had none then.

    Returns:
        Name, value and tooltip of each line; empty for None.
    """
    if standing is None:
        return []
    reward, total, decisions, *_ = standing
    return [
        (tr("Reward"), f"{reward:.4g}", tr("Reward of the decision before")),
        (tr("Return"), f"{total:.4g}", tr("Sum of the rewards of the episode until then")),
        (tr("Decisions"), str(decisions), tr("Decisions in the episode until then")),
    ]


def short_value(value: object) -> str:
    """Return an observation or an action in a few words: large arrays by shape and range."""
    if isinstance(value, dict):
        return ", ".join(f"{name}: {short_value(part)}" for name, part in value.items())
    if not isinstance(value, np.ndarray):
        return "none" if value is None else str(value)
    if value.size > MOST_NUMBERS:
        shape = "x".join(map(str, value.shape))
        return tr("[{shape}] from {min:.3g} to {max:.3g}").format(
            shape=shape, min=value.min(), max=value.max()
        )
    return "  ".join(f"{number:.3g}" for number in value.reshape(-1).tolist())


def _raw_value(slot: ComponentSlot, item: Field) -> object:
    """Return a field's value as in the scene's file; its default where none was set."""
    return slot.values[item.name] if item.name in slot.values else item.initial()


@memo_of_class
def _plain_fields(cls: type) -> tuple[Field, ...]:
    """Return the fields of a script class, except those that hold a list of options."""
    return tuple(item for item in collect_fields(cls).values() if not item.options_of)


@memo_of_class
def _actions_of(cls: type) -> tuple[str, ...]:
    """Return the names of a script class's `@action` methods, sorted."""
    return tuple(name for name in dir(cls) if getattr(getattr(cls, name, None), "is_action", False))

"""Help pages: the groups of commands, and of a command's options."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class CommandGroup(TyperGroup):
    """Lists a project's own commands under a separate heading of the help."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one help section for each heading."""
        sections: dict[str, list[tuple[str, str]]] = {}
        names = self.list_commands(ctx)
        limit = formatter.width - 6 - max((len(name) for name in names), default=0)
        for name in names:
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                heading = getattr(command, "rich_help_panel", None) or "Commands"
                row = (name, command.get_short_help_str(limit))
                sections.setdefault(heading, []).append(row)
        for heading, rows in sections.items():
            with formatter.section(heading):
                formatter.write_dl(rows)


class OptionGroups(TyperCommand):
    """Lists a scene's own options under a separate heading of the help."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write one help section for each heading."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
                heading = getattr(parameter, "rich_help_panel", None) or usual
                sections.setdefault(heading, []).append(record)
        for heading, rows in sections.items():
            with formatter.section(heading):
                formatter.write_dl(rows)


__all__ = ["CommandGroup", "OptionGroups"]

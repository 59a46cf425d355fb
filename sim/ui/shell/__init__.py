"""The shell around the panels: ImGui backend, menus, toolbar, keys."""

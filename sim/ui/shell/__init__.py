"""The shell around the panels: backend, menus, toolbar, keys."""

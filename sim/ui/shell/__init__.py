"""The shell: what surrounds the panels, such as ImGui backend, menus, toolbar and shortcuts."""

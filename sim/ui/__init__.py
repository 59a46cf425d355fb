"""Panels drawn with Dear ImGui. They know no game."""

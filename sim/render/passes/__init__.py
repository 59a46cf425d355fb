"""Render passes: sky, shadows, layers."""

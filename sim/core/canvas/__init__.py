"""Canvases: drawing commands for scripts, checked here and rasterised by a painter."""

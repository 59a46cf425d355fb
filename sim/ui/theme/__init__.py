"""Colours, fonts and texts of the panels."""

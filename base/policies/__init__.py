"""Trained policies: their networks and files."""

"""Trained policies: what they are made of, and their files."""

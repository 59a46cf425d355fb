"""Loudspeakers."""

"""Audio output."""

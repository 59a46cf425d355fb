"""Sounds as sample arrays: synthesis, durations and mixing; the audio output is elsewhere."""

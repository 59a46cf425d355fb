"""Sounds as sample arrays: synthesis, measuring, mixing. No audio output in here."""

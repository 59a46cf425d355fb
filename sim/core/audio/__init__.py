"""Sounds as numbers: made, measured, mixed. Makes no noise itself."""

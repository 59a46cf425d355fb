"""Output of a run: console records, metrics, texts of failures."""

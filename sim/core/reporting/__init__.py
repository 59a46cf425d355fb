"""What a run says: console records, metrics, the texts of failures."""

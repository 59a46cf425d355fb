"""Storage on disk: run folders, JSON files, and files of arrays with a JSON header (a card)."""

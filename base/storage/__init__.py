"""Storage on disk: run folders, JSON files and lines, arrays with a card."""

"""What is kept on the disk: run folders, JSON files, lines of JSON, arrays with a card."""

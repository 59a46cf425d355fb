"""Teaching: judges a person's move before it is played, and answers to tactical puzzles."""

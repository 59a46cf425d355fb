"""The game loop and the loop of games and trainings, with openings, evaluation and review."""

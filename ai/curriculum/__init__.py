"""AlphaGomoku's curriculum: basic rules, a mentor's games, self-play; resumable at any time."""

"""AlphaGomoku's curriculum: basic rules, the mentor's games, self-play; resumable at any moment."""

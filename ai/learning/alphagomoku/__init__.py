"""AlphaGomoku's samples, its training loop, and measures of its networks."""

"""Monte Carlo tree search: a bit-line board, random rollouts, and the tree."""

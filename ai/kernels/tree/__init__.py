"""Monte Carlo tree search: a board whose lines are bit sets, random rollouts, and the tree."""

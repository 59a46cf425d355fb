"""Tree search guided by a small network of moves: the network, its games, and the tree."""

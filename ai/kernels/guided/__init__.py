"""Tree search guided by a small policy network: the network, the games it plays, and the tree."""

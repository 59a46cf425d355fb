"""What explanations of moves are made of: words, views, plain values, the memory's reading."""

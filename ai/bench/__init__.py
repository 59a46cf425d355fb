"""How good and how fast the search `alpha-beta` is: tactical positions, rates, a signature."""

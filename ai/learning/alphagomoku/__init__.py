"""What AlphaGomoku learns from, how it trains, and what its networks hold afterwards."""

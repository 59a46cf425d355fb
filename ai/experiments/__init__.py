"""The paper's experiments: cells, grids of them, their figures, and what they prove."""

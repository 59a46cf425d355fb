"""Monte Carlo tree search guided by a policy-value network (PUCT): the tree, leaves in batches."""

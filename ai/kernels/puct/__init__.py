"""Monte Carlo tree search guided by a policy-value network (PUCT), with leaves in batches."""

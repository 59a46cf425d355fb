"""Proximal policy optimisation (PPO): a learner for any environment with flat observations."""

"""The Gomocup protocol in both roles: our players as engines, other engines as players.

The protocol calls an engine a brain, and the program that runs the game a manager.
"""

"""The game loop and the teaching run, shared by live scene, hall and experiments."""

"""The one game loop and the one self-teaching run: what live scene, hall and experiment share."""

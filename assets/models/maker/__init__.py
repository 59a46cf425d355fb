"""Makes `figure.glb`, the wooden figure: `python -m assets.models.maker`."""

"""Animation as pure data: rigs, clips, poses, and what plays them. Draws nothing."""

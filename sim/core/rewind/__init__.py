"""Looking back: the last seconds of a scene, kept in memory, shown, and gone on from."""

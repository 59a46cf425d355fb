"""Ids of objects and components: random ones, and deterministic ones by order of creation."""

from __future__ import annotations

import hashlib
import secrets

ID_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
ID_LENGTH = 10


def new_id(prefix: str) -> str:
    """Return a fresh random id such as `obj_3f9a1c77de`."""
    return f"{prefix}_" + "".join(secrets.choice(ID_LETTERS) for _ in range(ID_LENGTH))


def counted_id(scene: str, prefix: str, number: int) -> str:
    """Return the deterministic id of the `number`th item created in a running scene.

    >>> counted_id("scn_1", "obj", 1) == counted_id("scn_1", "obj", 1)
    True
    """
    text = f"{scene}/{prefix}/{number}".encode()
    return f"{prefix}_{hashlib.blake2b(text, digest_size=5).hexdigest()}"

"""What a body meets with and how its mass lies, where that is not its object's model."""

from __future__ import annotations

from base.errors import FieldError
from sim.core.components.physics import Vector
from sim.core.scene.fields import field
from sim.core.script.script import Script


class Collider(Script):
    """Lends its object's model, seen or not, to the nearest RigidBody above with shape "parts"."""


class Inertia(Script):
    """Where the mass of the RigidBody beside it lies; read when that body begins."""

    center: Vector = field(
        (0.0, 0.0, 0.0), unit="m", help="Of its mass, in the object's own coordinates"
    )
    moments: Vector = field(
        (1.0, 1.0, 1.0), unit="kg m²", help="Of inertia, around its principal axes"
    )
    axes: Vector = field(
        (0.0, 0.0, 0.0), unit="°", help="How those are turned: heading, pitch, roll"
    )

    def awake(self) -> None:
        """Check the fields."""
        self.validate()

    def validate(self) -> None:
        """Report moments that no body has."""
        if not min(self.moments) > 0.0:
            raise FieldError("Inertia.moments", expected="numbers above 0", found=f"{self.moments}")


__all__ = ["Collider", "Inertia"]

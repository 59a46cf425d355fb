"""Where the hall's camera flies: with fakes, without an app."""

from __future__ import annotations

from types import SimpleNamespace

from scripts.hall import front


def test_a_visit_looks_at_the_place_beside_the_board():
    flights = []
    place = SimpleNamespace(world_position=(1.0, 2.0, 3.0))
    board = SimpleNamespace(object=SimpleNamespace(transform=place))
    hall = SimpleNamespace(
        view=SimpleNamespace(stage=SimpleNamespace(fly_to=flights.append)),
        azimuth=10.0, elevation=20.0, distance=5.0, board=board,
    )  # fmt: skip
    front.FrontBoard.visit(hall, board)
    (view,) = flights
    assert view.target == (1 + front.AWAY[0], 2 + front.AWAY[1], 3 + front.AWAY[2])
    assert (view.azimuth, view.elevation, view.distance) == (10.0, 20.0, 5.0)

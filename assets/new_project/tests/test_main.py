"""The scene runs: `python GOISHI/main.py test`, or pytest with Goishi's folder on PYTHONPATH."""

from pathlib import Path

from sim.testing import Pilot

SCENE = Path(__file__).parents[1] / "scenes" / "main.scene.json"


def test_the_stone_hops_and_lands():
    with Pilot(scene=SCENE, graphics=False) as pilot:
        stone = pilot.app.scene.find("Board/Stone")
        ground = stone.transform.position[2]
        pilot.wait_until(lambda: stone.transform.position[2] > ground + 0.3)
        pilot.wait_until(lambda: pilot.component("Hello").landings >= 1)
        assert pilot.app.host.error_count == 0

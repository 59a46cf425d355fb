from goishi.scripts.gomoku.match import Match
from sim import Script, field, on


class Bow(Script):
    """Bows when a stone was placed."""

    match: Match = field(None)
    depth: float = field(0.25, min=0.0, max=2.0, unit="m", help="How deep")

    def start(self):
        self.bows = 0
        self.place = self.object.transform.position

    @on("match.stone_placed")
    def bow(self, move, color):
        self.bows += 1
        self.start_coroutine(self.go_down())

    async def go_down(self):
        x, y, z = self.place
        await self.move_to((x, y, z - self.depth), seconds=0.1, ease="quad_out")
        await self.move_to((x, y, z), seconds=0.2, ease="bounce_out")

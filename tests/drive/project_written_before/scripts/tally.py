from sim import Script


class Tally(Script):
    """Counts how often each side has won."""

    def start(self):
        self.panel("Tally", self.draw, dock="right", icon="list-ol")

    def draw(self, ui):
        match = self.scene.find("Board").get("Match")
        winners = [record.winner for record in match.records]
        for name, color in (("Black", 1), ("White", -1), ("Drawn", 0)):
            ui.key_value(name, str(winners.count(color)))

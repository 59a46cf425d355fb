"""The hero of a game of two scenes: walks, is saved, and pauses by a menu."""

from sim import HudCanvas, Script, field

SLOT = "slot 1"


class Hero(Script):
    """Walks along x; a door leads to the other scene; P pauses the game."""

    other: str = field("scenes/cave.scene.json", help="The scene behind the door")
    door: float = field(2.0, unit="m", help="Where the door stands, along x")

    def start(self) -> None:
        given = self.scene.given
        self.coins = given.get("coins", 0)
        self.walked = 0
        self.is_music_on = True
        if "at" in given:
            self.object.transform.position = given["at"]
        self.input.bind("walk", "d", "pad_right_trigger")
        self.hud.canvas("coins", size=(150, 40), anchor="top-left", draw=self.draw)
        self.pause = menu = self.hud.menu("Pause", keys=("escape", "p", "pad_start"))
        menu.item("Go on", menu.close)
        menu.item("Save", self.write, closes=True)
        menu.item("Load", self.load, is_enabled=self.saves.read(SLOT) is not None)
        settings = menu.submenu("Settings")
        settings.slider("Volume", lambda: self.sound.volume, self.set_volume)
        settings.slider("Coins", lambda: self.coins, self.set_coins, max=9, step=1)
        settings.toggle("Music", lambda: self.is_music_on, self.set_music)
        menu.item("Quit", self.run.finish)

    def update(self, dt: float) -> None:
        if self.input.down("walk"):
            self.walked += 1
            self.object.transform.translate((3.0 * dt, 0.0, 0.0))
        if self.object.transform.position.x > self.door:
            self.scene.open(self.other, given={"coins": self.coins + 1}, fade=0.2)

    def draw(self, canvas: HudCanvas) -> None:
        canvas.rectangle((0, 0, 150, 40), (0.07, 0.07, 0.06, 0.85), radius=8)
        canvas.text(f"{self.coins} coins", (14, 27))

    def write(self) -> None:
        place = self.object.transform.position
        self.saves.write(SLOT, {"scene": self.other, "coins": self.coins, "at": place})

    def load(self) -> None:
        game = self.saves.read(SLOT)
        self.scene.open("scenes/hall.scene.json", given=game, fade=0.2)

    def set_volume(self, volume: float) -> None:
        self.sound.volume = volume

    def set_coins(self, coins: float) -> None:
        self.coins = int(coins)

    def set_music(self, is_on: bool) -> None:
        self.is_music_on = is_on

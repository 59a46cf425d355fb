"""A player in a worker process of its own: a seat's, or one that is asked beside the match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ai import Limit, OpeningPhase, Option
from ai.messages import (
    CompileDone,
    CompileKernels,
    Configure,
    DescribePlayer,
    LoadCheckpoint,
    LoadWeights,
    MoveChosen,
    OpeningAnswered,
    OpeningRequest,
    PlayerDescribed,
    PlayRequest,
    Ready,
)
from sim import Script, WorkerError


@dataclass(frozen=True)
class LoadableNetwork:
    """A network that a player can load."""

    source: str
    message: LoadWeights | LoadCheckpoint
    """Message that loads it in a worker: its weights, or the folder of a checkpoint."""

    @property
    def network_id(self) -> int:
        """Its id; 0 before the first training."""
        return self.message.network_id

    @property
    def label(self) -> str:
        """Text in a list."""
        return f"{self.network_id}, {self.source}"


class PlayerWorker:
    """Becomes any player of the registry, with any network; does so again when its process dies."""

    def __init__(self, script: Script, title: str) -> None:
        """Start without a worker process.

        Args:
            script: owner of the worker, which is ended with it.
            title: name of the worker in the console.
        """
        self.player: Configure | None = None
        self.network: LoadWeights | LoadCheckpoint | None = None
        self.is_compiled = True
        self.link: Any = None
        self._script = script
        self._title = title

    async def sit_down(
        self, player: Configure, network: LoadWeights | LoadCheckpoint | None = None
    ) -> None:
        """Create this player with this network in the worker, unless it is already there.

        Raises:
            WorkerError: the worker cannot.
        """
        self._open()
        if player != self.player:
            ready: Ready = await self._script.background(self.link.request(player))
            self.player, self.network, self.is_compiled = player, None, ready.compiled
        if network is not None and network is not self.network:
            await self._script.background(self.link.request(network))
            self.network = network

    def stand_up(self) -> None:
        """Forget the player: the next one is created anew, even if it is the same."""
        self.player = None

    async def describe(self, name: str) -> tuple[Option, ...]:
        """Return what can be set of a player, whoever sits here.

        Raises:
            WorkerError: nobody has this name, or its module cannot be imported.
        """
        self._open()
        answer: PlayerDescribed = await self._script.background(
            self.link.request(DescribePlayer(name))
        )
        return answer.settings

    def _open(self) -> None:
        if self.link is None:
            self.link = self._script.workers.open(
                self._title,
                "ai.workers.player:main",
                {"project": str(self._script.run.offering)},
                on_restart=self._set_up,
                owner=self._script.slot,
                keeps_nothing=True,
            )

    async def choose(
        self,
        moves: tuple[int, ...],
        *,
        seed: int,
        session: int = 1,
        game: int = 0,
        limit: Limit | None = None,
        may_give_up: bool = False,
    ) -> MoveChosen:
        """Return the player's move in this position.

        Args:
            moves: all moves of the game so far.
            seed: random seed of the move.
            session: number of the match.
            game: number of the game.
            limit: what the move may cost; None: the player's own.
            may_give_up: whether the answer may be that the player gives the game up.

        Raises:
            WorkerError: the player failed, or gives up and may not.
        """
        request = PlayRequest(session, game, len(moves), moves, limit or Limit(), seed)
        while True:
            answer: MoveChosen = await self._script.background(self.link.request(request))
            if (answer.session, answer.game, answer.ply) == (session, game, len(moves)):
                if answer.choice.forfeit and not may_give_up:
                    raise WorkerError(answer.choice.forfeit)
                return answer

    async def answer_opening(
        self,
        phase: OpeningPhase,
        *,
        seed: int,
        session: int = 1,
        game: int = 0,
        limit: Limit | None = None,
    ) -> OpeningAnswered:
        """Return what the player says in an opening; the arguments are those of `choose`.

        Raises:
            WorkerError: the player failed.
        """
        request = OpeningRequest(session, game, phase, limit or Limit(), seed)
        while True:
            answer: OpeningAnswered = await self._script.background(self.link.request(request))
            known = (answer.session, answer.game, answer.steps)
            if known == (session, game, len(phase.said)):
                return answer

    def restart(self) -> None:
        """Start the process anew; the player sits down again when it is next asked to."""
        self.link.restart()
        self.player = None

    def _set_up(self, link: Any) -> None:
        """Set up a restarted process with the previous player and network."""
        if self.player is not None:
            link.send(self.player)
            if self.network is not None:
                link.send(self.network)


async def compile_kernels(script: Script) -> CompileDone:
    """Compile the kernels in a process, with a status line; return the result.

    Args:
        script: owner of the process, which is ended with it.
    """

    def show(done: str) -> None:
        text = f"One-time speed-up{done}; players are slower until then"
        script.status.set("kernels", text, busy=True)

    link = script.workers.open("compiler", "ai.workers.compiler:main", {}, owner=script.slot)
    pending = link.request(CompileKernels())
    show("")
    pending.on_progress = lambda done: show(f", {done.step} of {done.steps}")
    done: CompileDone = await script.background(pending)
    link.close()
    script.status.clear("kernels")
    return done

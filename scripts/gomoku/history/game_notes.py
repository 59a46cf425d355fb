"""What is noted of the game that is being played, and what people want of it."""

from __future__ import annotations

from ai import Board


class GameNotes:
    """Ranks of the network's moves, the plies that people made, and their wishes.

    >>> notes = GameNotes()
    >>> for rank, is_person in ((None, False), (None, True), (3, False)):
    ...     notes.add(rank=rank, is_person=is_person)
    >>> notes.wish_undo(), notes.wish_undo(), notes.ranks
    (True, False, [3])
    """

    def __init__(self) -> None:
        self.taken_back = 0
        """How often a person took a move back."""
        self.resigned = 0
        """The color that gave the game up, 0 while nobody has."""
        self._wishes = 0
        self._ranks: list[int | None] = []
        self._by_person: list[bool] = []

    @property
    def ranks(self) -> list[int]:
        """Ranks of the moves that have one, in order."""
        return [rank for rank in self._ranks if rank is not None]

    @property
    def people(self) -> list[str]:
        """The colors whose stones people placed."""
        sides = {ply % 2 for ply, is_person in enumerate(self._by_person) if is_person}
        return [name for side, name in enumerate(("black", "white")) if side in sides]

    @property
    def has_wish(self) -> bool:
        """Whether something is to be done before the next move."""
        return self._wishes > 0 or self.resigned != 0

    def add(self, *, rank: int | None, is_person: bool) -> None:
        """Note a ply."""
        self._ranks.append(rank)
        self._by_person.append(is_person)

    def wish_undo(self) -> bool:
        """Want a person's last move back; False where there is none."""
        if sum(self._by_person) <= self._wishes:
            return False
        self._wishes += 1
        return True

    def take_back(self, board: Board) -> list[int]:
        """Grant the wishes: take back people's moves with all that followed them.

        Returns:
            The ranks of the moves that went.
        """
        ranks: list[int | None] = []
        for _ in range(self._wishes):
            for _ in range(self._by_person[::-1].index(True) + 1):
                board.pop()
                self._by_person.pop()
                ranks.append(self._ranks.pop())
            self.taken_back += 1
        self._wishes = 0
        return [rank for rank in ranks if rank is not None]

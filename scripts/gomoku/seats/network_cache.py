"""Cache of networks that a learner has played with in this run, thinned out with age."""

from __future__ import annotations

from dataclasses import replace

from ai.messages import LoadWeights
from scripts.gomoku.seats.player_worker import Network

KEPT = 48
NEWEST = 12


class NetworkCache:
    """Keeps the first network, the newest ones, and ever fewer in between."""

    def __init__(self, kept: int = KEPT, newest: int = NEWEST) -> None:
        """Start empty.

        Args:
            kept: how many networks at most, above `newest` + 1.
            newest: how many of the newest stay in any case.
        """
        self._kept = kept
        self._newest = newest
        self._networks: dict[int, Network] = {}

    def keep(self, network: LoadWeights) -> None:
        """Add a network without its memory, or the memory if there is no network."""
        number = network.network_id
        if number in self._networks:
            return
        own = replace(network, memory=None) if network.weights else network
        self._networks[number] = Network("this run", own)
        if len(self._networks) > self._kept:
            del self._networks[self._least_missed()]

    def networks(self) -> list[Network]:
        """Return the networks, oldest first."""
        return [self._networks[number] for number in sorted(self._networks)]

    def _least_missed(self) -> int:
        """Return the network whose neighbours are nearest to each other."""
        numbers = sorted(self._networks)
        inner = range(1, len(numbers) - self._newest)
        return numbers[min(inner, key=lambda at: numbers[at + 1] - numbers[at - 1])]


NetworkShelf = NetworkCache
"""The class's former name, in scripts of before."""

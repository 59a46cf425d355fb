"""Cache of networks that a learner has played with in this run, thinned out with age."""

from __future__ import annotations

from dataclasses import replace

from ai.messages import LoadWeights
from scripts.gomoku.seats.player_worker import Network

KEPT = 48
NEWEST = 12
MOST_BYTES = 8_000_000
LEAST = 6
MEMORY_ARRAYS = ("vectors", "labels", "stones", "counts")


class NetworkCache:
    """Keeps the first network, the newest ones, and ever fewer in between; of large ones fewer."""

    def __init__(
        self, kept: int = KEPT, newest: int = NEWEST, most_bytes: int = MOST_BYTES
    ) -> None:
        """Start empty.

        Args:
            kept: how many networks at most, above `newest` + 1.
            newest: how many of the newest stay, or half of all where these are fewer.
            most_bytes: of all together, at most; six stay in any case.
        """
        self._kept = kept
        self._newest = newest
        self._most_bytes = most_bytes
        self._networks: dict[int, Network] = {}
        self._bytes: dict[int, int] = {}

    def keep(self, network: LoadWeights) -> None:
        """Add a network without its memory, or the memory if there is no network."""
        number = network.network_id
        if number in self._networks:
            return
        own = replace(network, memory=None) if network.weights else network
        self._networks[number] = Network("this run", own)
        self._bytes[number] = _bytes_of(own)
        while len(self._networks) > self._kept or (
            len(self._networks) > LEAST and sum(self._bytes.values()) > self._most_bytes
        ):
            least = self._least_missed()
            del self._networks[least], self._bytes[least]

    def networks(self) -> list[Network]:
        """Return the networks, oldest first."""
        return [self._networks[number] for number in sorted(self._networks)]

    def _least_missed(self) -> int:
        """Return the network whose neighbours are nearest to each other."""
        numbers = sorted(self._networks)
        inner = range(1, len(numbers) - min(self._newest, len(numbers) // 2))
        return numbers[min(inner, key=lambda at: numbers[at + 1] - numbers[at - 1])]


def _bytes_of(network: LoadWeights) -> int:
    """Return the size of a network's arrays, and of the memory that stands in for them."""
    nodes = [getattr(network.memory, name, None) for name in MEMORY_ARRAYS]
    return sum(getattr(item, "nbytes", 0) for item in (*network.weights.values(), *nodes))


NetworkShelf = NetworkCache
"""The class's former name, in scripts of before."""

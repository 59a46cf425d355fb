"""Players that stay near the last stone."""

from ai import GameOverError, MoveChoice


class Pebble:
    """Wins where it can, else plays at most `reach` points away from the last stone."""

    def __init__(self, name, reach):
        self.name = name
        self.reach = reach

    def choose(self, board, limit, rng):
        if board.outcome() is not None:
            raise GameOverError("expected a game that goes on")
        free = list(board.legal_moves)
        winning = [move for move in free if board.completes_row(move, board.to_move)]
        near = [move for move in free if board.moves and self.is_near(board, move)]
        moves = winning or near or free
        reason = "wins" if winning else "near the last stone" if near else "anywhere"
        return MoveChoice(moves[int(rng.integers(len(moves)))], explanation={"reason": reason})

    def is_near(self, board, move):
        row, column = divmod(move, board.size)
        last_row, last_column = divmod(board.moves[-1], board.size)
        return max(abs(row - last_row), abs(column - last_column)) <= self.reach

    def close(self):
        pass


def create(rules, settings):
    return Pebble("pebble", settings["reach"])


def create_stray(rules, settings):
    """Strays as far as three points from the last stone."""
    return Pebble("stray", 3)

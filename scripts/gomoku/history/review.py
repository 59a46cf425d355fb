"""The review of the game that is open: its tree, comments, mistakes and compared moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ai import (
    BLACK,
    LOSSES,
    PASS,
    WHITE,
    GameRecord,
    GameTree,
    PositionValue,
    SideSummary,
    WrittenGame,
)
from scripts.gomoku.history.candidates import CandidateMarks
from scripts.gomoku.history.comments import FILE as COMMENTS
from scripts.gomoku.history.comments import Comments
from scripts.gomoku.history.evaluation import (
    SOLVER,
    Candidate,
    GameEvaluation,
    Mistake,
    mistakes,
    side_summaries,
)
from scripts.gomoku.history.explained import PlayedBy, played_on
from scripts.gomoku.history.game_viewer import GameViewer
from scripts.gomoku.history.variations import FILE as VARIATIONS
from scripts.gomoku.history.variations import UNFINISHED, Variation, Variations, branch_words
from sim import Script, tr

REST_SECONDS = 0.4  # that a position is shown before its moves are compared
MOST_LINES = 60  # that are judged
SGF_MARKS = {
    "blunder": ("BM", ("2",)),
    "mistake": ("BM", ("1",)),
    "inaccuracy": ("DO", ("",)),
}
"""SGF's property for each kind of mistake: bad move, very or simply, and doubtful."""


@dataclass(frozen=True)
class ReviewedGame:
    """A game that is reviewed, and where its comments and variations are kept.

    Attributes:
        record: the game.
        key: name of the game in the files of comments and variations.
        title: title over the slider while the game itself is shown.
        written: the game as a file has it; None if it was not read from a file.
        played_by: its players.
        names: name of each color's player, as far as it is known.
        event: words about where and when it was played; empty if unknown.
        date: day on which it was played, as in 2026-05-31; empty if unknown.
    """

    record: GameRecord
    key: str
    title: str
    written: WrittenGame | None = None
    played_by: PlayedBy = field(default_factory=PlayedBy)
    names: Mapping[int, str] = field(default_factory=dict)
    event: str = ""
    date: str = ""

    @property
    def set_up_plies(self) -> int:
        """Number of moves that stand for stones set up before the game, which nobody has judged."""
        written = self.written
        if written is None or not written.setup:
            return 0
        count = len(written.moves)
        return next((ply for ply in range(count) if written.ply_at(ply + 1) is not None), count)

    def own_tree(self) -> GameTree:
        """Return the tree of a game that was played here, with what a file says of it."""
        black, white = (self.names.get(color, "") for color in (BLACK, WHITE))
        other = (("DT", (self.date,)),) if self.date else ()
        return GameTree.of(self.record, black=black, white=white, other=other)


class GameReview:
    """Reviews the game that is open in a viewer.

    Its methods without arguments that are plain values are called by buttons and keys.

    Attributes:
        evaluation: evaluates the positions.
        game: the game that is reviewed; None if none is.
        tree: the game with its variations and comments; None without a game.
        lines: variations of the game that were played here.
        level: kind of the smallest mistakes that are listed, a key of `LOSSES`.
        notice: what the last button had nothing to do for; empty for nothing.
        pointed: the compared move that is pointed at in the panel; None for none.
        shows_candidates: whether the moves that are compared are drawn on the board.
        draft: the comment as it is being edited; None while none is.
        draft_at: index in the tree of the position whose comment is edited.
    """

    def __init__(self, script: Script, viewer: GameViewer, *, name: str = "review") -> None:
        """Create the review, without a game.

        Args:
            script: script that owns the review and its workers.
            viewer: viewer in which the game and its variations are shown.
            name: attribute of the script that holds the review, for lines in the console.
        """
        self.evaluation = GameEvaluation(script)
        self.game: ReviewedGame | None = None
        self.tree: GameTree | None = None
        self.lines: list[Variation] = []
        self.level = "mistake"
        self.notice = ""
        self.pointed: Candidate | None = None
        self.shows_candidates = True
        self.draft: str | None = None
        self.draft_at = 0
        self._script, self._viewer, self._name = script, viewer, name
        self._marks = CandidateMarks()
        self._comments: Comments | None = None
        self._variations: Variations | None = None
        self._read: tuple[object, ...] = ()
        self._mistakes: list[Mistake] = []
        self._all_mistakes: list[Mistake] = []
        self._summaries: dict[int, SideSummary] = {}
        self._rested: tuple[object, ...] = ()
        self._since = 0.0

    # -- the game ------------------------------------------------------------------------------

    def open(self, game: ReviewedGame) -> None:
        """Begin the review of a game."""
        self.game, self.notice, self.pointed = game, "", None
        self.draft, self.draft_at = None, 0
        self.evaluation.stop()
        self.evaluation.since = game.set_up_plies
        self.tree = game.own_tree() if game.written is None else GameTree(game.record, game.written)
        if not self.tree.is_whole:
            self._script.log.info(
                f"{game.title}: its variations are too many to draw all; a saved file has them all"
            )
        self.lines = self._kept_variations().of(game.key)
        self._add_lines(self.lines)
        for moves, text in self._kept_comments().of(game.key).items():
            index = self.tree.find(moves)
            if index is not None:
                self.tree.set_comment(index, text)

        self._offer_keys()

    def _offer_keys(self) -> None:
        """Add the keys of the review to those of the viewer, with which they go again."""
        viewer = self._viewer
        if any(entry.name == "next_mistake" for entry in viewer.panels.commands):
            return
        keys = (
            ("next_mistake", tr("Next mistake"), "page_down"),
            ("previous_mistake", tr("Previous mistake"), "page_up"),
        )
        for name, label, key in keys:
            viewer.command(name, label, partial(self.by_hand, name), key=key)
        shows = partial(getattr, self, "shows_candidates")
        toggle = partial(self.by_hand, "toggle_candidates")
        viewer.command("candidates", tr("Compared moves"), toggle, key="c", checked=shows)

    def close(self) -> None:
        """End the review: stop evaluating, and remove the marks from the board."""
        self.evaluation.stop()
        self._marks.destroy()
        self.game = self.tree = self.pointed = None

    def keep_line(self, line: Variation) -> None:
        """Keep a variation that was played here, in the scene's data folder."""
        if self.game is None:
            return
        kept = self._kept_variations()
        kept.add(self.game.key, line)
        if kept.fault:
            self._script.log.warning(kept.fault)
        self.lines = kept.of(self.game.key)
        self._add_lines([line])

    def try_move(self, point: int) -> None:
        """Play a move in the position on the board: the next one of the line, or a variation.

        A variation is kept in the scene's data folder. A move at its end makes it longer.

        Args:
            point: the point of the move.
        """
        viewer, tree = self._viewer, self.tree
        record, position = viewer.record, viewer.position
        if record is None or position is None or tree is None:
            return
        if point == self.played():
            viewer.step(1)
            return
        moves = (*record.moves[: viewer.ply], point)
        if tree.find(moves) is None:
            after = position.copy()
            after.push(point)
            end = after.outcome()
            result = (0, UNFINISHED) if end is None else (end.winner, end.termination.value)
            self.keep_line(Variation(moves, *result))
        found = tree.find(moves)
        if found is not None:
            self.show_node(found)

    @property
    def own_line(self) -> Variation | None:
        """The variation on the board, if it was played here; None otherwise."""
        record, game = self._viewer.record, self.game
        if record is None or game is None or record == game.record:
            return None
        return next((item for item in self.lines if item.moves == record.moves), None)

    def remove_line(self) -> None:
        """Remove the variation on the board, which was played here, and show the game itself."""
        line, game = self.own_line, self.game
        if line is None or game is None:
            return
        kept, ply = self._kept_variations(), self._viewer.ply
        kept.remove(game.key, kept.of(game.key).index(line))
        if kept.fault:
            self._script.log.warning(kept.fault)
        own = game.record.moves
        pairs = zip(line.moves, own, strict=False)
        shared = next((at for at, (a, b) in enumerate(pairs) if a != b), len(own))
        self.open(game)
        self._viewer.open(
            game.record, ply=min(ply, shared), title=game.title, played_by=game.played_by
        )

    def _add_lines(self, lines: Iterable[Variation]) -> None:
        """Add variations to the tree, named by their players."""
        tree = self.tree
        if tree is None:
            return
        for line in lines:
            tree.add(line.moves, name=tr(" against ").join(filter(None, line.players.values())))

    @property
    def node(self) -> int:
        """Index of the position on the board in the tree; 0 without a game."""
        record = self._viewer.record
        if self.tree is None or record is None:
            return 0
        moves = record.moves[: self._viewer.ply]
        found = self.tree.find(moves)
        return self.tree.add(moves) if found is None else found

    def _kept_variations(self) -> Variations:
        if self._variations is None:
            run = self._script.run
            self._variations = Variations((run.out or run.scene_dir) / VARIATIONS)
        return self._variations

    def _kept_comments(self) -> Comments:
        if self._comments is None:
            run = self._script.run
            self._comments = Comments((run.out or run.scene_dir) / COMMENTS)
        return self._comments

    # -- what the panel calls ------------------------------------------------------------------

    def by_hand(self, method: str, *arguments: Any) -> None:
        """Call a method of the review for the user, and write the call to the console.

        Args:
            method: name of the method.
            arguments: its arguments.
        """
        words = ", ".join(map(repr, arguments))
        self._script.log.python(f"{self._script.expression}.{self._name}.{method}({words})")
        getattr(self, method)(*arguments)

    def show_node(self, index: int) -> None:
        """Show a position of the tree, in the line that it belongs to."""
        tree, game, viewer = self.tree, self.game, self._viewer
        if tree is None or game is None or not 0 <= index < len(tree.nodes):
            self._script.log.warning(f"position {index}: expected one of an open game's tree")
            return
        ply, shown = tree.nodes[index].ply, viewer.record
        moves = tree.moves(index)
        if shown is not None and shown.moves[:ply] == moves and not tree.is_main(index):
            viewer.jump(ply)
        elif tree.is_main(index):
            if shown == game.record:
                viewer.jump(ply)
                return
            viewer.open(game.record, ply=ply, title=game.title, played_by=game.played_by)
        else:
            self._show_line(index, game)

    def _show_line(self, index: int, game: ReviewedGame) -> None:
        """Show a position that is not of the game itself."""
        tree = self.tree
        if tree is not None:
            moves = tree.line(index)
            played = next((item for item in self.lines if item.moves == moves), None)
            self._open_line(played or Variation(moves), game, tree.nodes[index].ply)

    def _open_line(self, line: Variation, game: ReviewedGame, ply: int) -> None:
        """Open a variation in the viewer.

        Args:
            line: the variation.
            game: the game that it leaves.
            ply: number of moves before the position to show.
        """
        tree = self.tree
        if tree is None:
            return
        path = tree.path(tree.add(line.moves))
        own = [index for index in path if not tree.is_main(index)]
        begin = tree.nodes[own[0]].ply - 1 if own else len(line.moves)
        names = [line.name, *(tree.nodes[index].name for index in own)]
        words = branch_words(line, begin, game.record) if line in self.lines else ""
        usual = tr("{title}, variation {word}").format(
            title=game.title, word=words or tr("from move {begin}").format(begin=begin)
        )
        title = next(filter(None, names), usual)
        self._viewer.open(
            line.record(game.record),
            ply=ply,
            main=game.record,
            title=title,
            played_by=played_on(game.played_by, line.players, begin)
            if line.players
            else game.played_by,
        )

    def show_main(self) -> None:
        """Show the game itself again, at the same number of moves."""
        game = self.game
        if game is not None:
            ply, players = self._viewer.ply, game.played_by
            self._viewer.open(game.record, ply=ply, title=game.title, played_by=players)

    def show_mistake(self, ply: int) -> None:
        """Show a mistake of the line on the board, and mark a better point."""
        self.notice = ""
        self._viewer.jump(ply + 1)
        best = next((item.best for item in self.all_mistakes() if item.ply == ply), None)
        if best is not None and best != PASS:
            self._viewer.board.mark_hint(best)

    def next_mistake(self) -> None:
        """Show the next mistake after the position on the board."""
        later = [item.ply for item in self.mistakes() if item.ply >= self._viewer.ply]
        other = tr("; Page up shows the one before") if self.mistakes() else ""
        self._show_or_tell(later[:1], tr("No later mistake"), other)

    def previous_mistake(self) -> None:
        """Show the last mistake before the position on the board."""
        earlier = [item.ply for item in self.mistakes() if item.ply + 1 < self._viewer.ply]
        other = tr("; Page down shows the next one") if self.mistakes() else ""
        self._show_or_tell(earlier[-1:], tr("No earlier mistake"), other)

    def _show_or_tell(self, plies: Sequence[int], nothing: str, other: str) -> None:
        if plies:
            self.show_mistake(plies[0])
            return
        so_far = tr(" so far") if self.evaluation.is_running else ""
        self.notice = tr("{nothing} of this kind{so_far}{other}.").format(
            nothing=nothing, so_far=so_far, other=other
        )

    def set_level(self, kind: str) -> None:
        """Set which mistakes are listed.

        Args:
            kind: the smallest kind: "blunder", "mistake" or "inaccuracy".
        """
        if kind not in LOSSES:
            self._script.log.warning(f"level: expected one of {', '.join(LOSSES)}, found {kind!r}")
            return
        self.level, self.notice = kind, ""

    def toggle_candidates(self) -> None:
        """Draw the compared moves on the board, or remove them."""
        self.shows_candidates = not self.shows_candidates

    def set_comment(self, text: str, index: int | None = None) -> None:
        """Set the comment on a position, and keep it in the scene's data folder.

        Args:
            text: the comment; empty to remove it.
            index: the position; None for the one on the board.
        """
        tree, game = self.tree, self.game
        if tree is None or game is None:
            return
        place = tree.commented(self.node if index is None else index)
        if text == tree.nodes[place].comment:
            return
        tree.set_comment(place, text)
        kept = self._kept_comments()
        kept.keep(game.key, tree.moves(place), tree.nodes[place].comment)
        if kept.fault:
            self._script.log.warning(kept.fault)

    def edit_comment(self) -> None:
        """Begin to edit the comment on the position on the board."""
        tree = self.tree
        if tree is not None and self.draft is None:
            self.draft_at = tree.commented(self.node)
            self.draft = tree.nodes[self.draft_at].comment

    def draft_comment(self, text: str) -> None:
        """Set the text of the comment that is edited; it is not kept yet.

        Args:
            text: the text.
        """
        if self.tree is not None:
            self.edit_comment()
            self.draft = text

    def keep_comment(self) -> None:
        """Keep the comment that was edited, and end editing it."""
        text, self.draft = self.draft, None
        if text is not None:
            self.set_comment(text, self.draft_at)

    def leave_comment(self) -> None:
        """End editing the comment; it stays as it was."""
        self.draft = None

    def show_line(self, line: Variation) -> None:
        """Show a variation, at the position where it leaves the game or another variation."""
        tree, game = self.tree, self.game
        if tree is None or game is None:
            return
        self._add_lines([line])
        path = tree.path(tree.add(line.moves))
        shared = [index for index in path if tree.is_main(index)]
        self._open_line(line, game, tree.nodes[shared[-1]].ply)

    # -- what was found out --------------------------------------------------------------------

    def mistakes(self) -> list[Mistake]:
        """Return the mistakes found so far in the line on the board, down to the chosen kind."""
        self._look()
        return self._mistakes

    def all_mistakes(self) -> list[Mistake]:
        """Return the mistakes of every kind found so far in the line on the board."""
        self._look()
        return self._all_mistakes

    def summaries(self) -> dict[int, SideSummary]:
        """Return the mistakes by kind and the mean loss of each side, by color."""
        self._look()
        return self._summaries

    def _look(self) -> None:
        """Judge the line on the board again, if more values are known than before."""
        record = self._viewer.record
        if record is None:
            return
        self.evaluation.begin(record)
        values, seen = self.evaluation.values, (record, self.evaluation.revision, self.level)
        if seen == self._read:
            return
        self._read = seen
        least = min(LOSSES.values())
        moves, size = record.moves, record.rules.size
        self._all_mistakes = mistakes(values, moves, size, least=least)
        wanted = LOSSES[self.level]
        self._mistakes = [item for item in self._all_mistakes if (item.loss or 0.0) >= wanted]
        self._summaries = side_summaries(values, moves)

    def value(self) -> PositionValue | None:
        """Return the value of the position on the board; None if it is not known yet."""
        record = self._viewer.record
        return (
            None if record is None else self.evaluation.value_at(record.moves[: self._viewer.ply])
        )

    def played(self) -> int | None:
        """Return the move that follows in the line on the board; None at its end."""
        record, ply = self._viewer.record, self._viewer.ply
        return None if record is None or ply >= len(record.moves) else record.moves[ply]

    def candidates(self) -> list[Candidate]:
        """Return the moves compared so far in the position on the board, the best first."""
        record = self._viewer.record
        if record is None:
            return []
        return self.evaluation.candidates(record.moves[: self._viewer.ply], self.played())

    def kinds(self) -> dict[int, str]:
        """Return the kind of each mistake in the line on the board, by position in the tree."""
        record, tree = self._viewer.record, self.tree
        if record is None or tree is None:
            return {}
        found, index = {}, 0
        kinds = {item.ply: item.kind for item in self.all_mistakes()}
        for ply, move in enumerate(record.moves):
            child = tree.child(index, move)
            if child is None:
                break
            index = child
            if ply in kinds:
                found[index] = kinds[ply]
        return found

    # -- on the board --------------------------------------------------------------------------

    def follow(self, *, is_open: bool) -> None:
        """Draw the compared moves on the board; called in every frame.

        Args:
            is_open: whether the panel of the review is open.
        """
        viewer, record = self._viewer, self._viewer.record
        position = viewer.position
        is_free = not (viewer.is_locked or viewer.is_playing)
        if record is None or position is None or not (is_open and is_free):
            self._rested = ()
            self._marks.hide()
            self.evaluation.look_at(None)
            return
        if not self.shows_candidates or not self._is_at_rest(record.moves[: viewer.ply]):
            self._marks.hide()
            return
        moves, played = record.moves[: viewer.ply], self.played()
        self.evaluation.look_at(moves, played)
        found = self.candidates()
        pointed = self._hovered(found) or self.pointed
        self._marks.show(viewer.board, found, position.to_move, played=played, hovered=pointed)

    def _is_at_rest(self, moves: tuple[int, ...]) -> bool:
        """Return whether a position has been shown for a moment."""
        time = self._script.time
        if (moves,) != self._rested:
            self._rested, self._since, self.pointed = (moves,), time.now, None
        return time.instant or time.now - self._since >= REST_SECONDS

    def _hovered(self, candidates: Sequence[Candidate]) -> Candidate | None:
        """Return the compared move under the pointer; None if there is none."""
        ray = self._script.input.pointer_ray
        if ray is None:
            return None
        point = self._viewer.board.point_under(*ray)
        return next((item for item in candidates if item.move == point), None)

    # -- files ---------------------------------------------------------------------------------

    def written(self) -> WrittenGame:
        """Return the game with its variations, comments and judgements, as a file holds it.

        Raises:
            GameFileError: no file can hold the game.
        """
        tree = self.tree
        if tree is None:
            raise RuntimeError("expected an open game, found none")
        return tree.written(self._sgf_marks(tree))

    def _sgf_marks(self, tree: GameTree) -> dict[int, tuple[tuple[str, tuple[str, ...]], ...]]:
        """Return the judgements as SGF's properties, by position.

        V is the expected result for Black. Provisional values and those that the solver did not
        prove are left out.
        """
        found: dict[int, list[tuple[str, tuple[str, ...]]]] = {}
        ends = [index for index, node in enumerate(tree.nodes) if not node.children][:MOST_LINES]
        for end in dict.fromkeys([tree.main[-1], *ends]):
            path, moves = tree.path(end), tree.moves(end)
            known = {
                ply: value
                for ply in range(len(path))
                if (value := self._settled(moves[:ply])) is not None
            }
            for ply, value in known.items():
                black = value.value if ply % 2 == 0 else -value.value
                found.setdefault(path[ply], [("V", (f"{black:.2f}",))])
            size, least = tree.record.rules.size, min(LOSSES.values())
            for item in mistakes(known, moves, size, least=least):
                marks = found[path[item.ply + 1]]
                if len(marks) == 1:
                    marks += [SGF_MARKS[item.kind], ("N", ((item.kind + ": " + item.text),))]
        return {index: tuple(marks) for index, marks in found.items()}

    def _settled(self, moves: tuple[int, ...]) -> PositionValue | None:
        value = self.evaluation.value_at(moves)
        if value is None or value.is_provisional or (value.by == SOLVER and not value.is_proven):
            return None
        return value

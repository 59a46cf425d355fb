"""The training panel: White's progress, live, and controls of the training."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ai import (
    BLACK,
    MEMBERS,
    WHITE,
    GameRecord,
    RunSeries,
    find_player_info,
    place_of,
)
from scripts.gomoku.game.match import Match
from scripts.gomoku.game.match_report import full_board_rule
from scripts.gomoku.game.results import RECENT, LeagueTable, OpponentResults
from scripts.gomoku.seats.genetic_seat import member_title, short_title
from scripts.gomoku.seats.learner_client import LearnerClient
from scripts.gomoku.seats.pending import marks_of
from scripts.gomoku.training.compared_runs import ComparedRuns
from scripts.gomoku.training.training_charts import (
    FitnessLog,
    RunCurves,
    fitness_charts,
    network_charts,
    progress_charts,
)
from scripts.gomoku.training.training_controls import TrainingControls, draw_wrapped
from scripts.learning.panel_parts import (
    Chart,
    TableCell,
    TableColumn,
    TableRow,
    draw_charts,
    draw_table,
)
from sim import Script, Ui, capitalized, field, on, tr, tr_many

WIDEST = tr("{won} of {recent}").format(won=RECENT, recent=RECENT)
COLUMNS = (
    TableColumn(tr("Opponent"), fits=max(map(short_title, MEMBERS), key=len)),
    TableColumn(tr("Games"), fits=tr("Games")),
    TableColumn(tr("Won"), fits=tr("Won")),
    TableColumn(tr("Last {recent}").format(recent=RECENT)),
)


def draw_league(ui: Ui, member: str | None, game: int, league: LeagueTable) -> None:
    """Draw the present opponent, and a line with the results against each opponent of a league.

    Nothing is drawn if there is no league.

    Args:
        ui: user interface of the panel.
        member: opponent of the league that plays Black now; None if there is none.
        game: number of the game.
        league: results against each opponent.
    """
    if member is None and not league.results:
        return
    if member is not None:
        stands = place_of(game)
        ui.key_value(tr("Black now"), member_title(member))
        ui.key_value(
            tr("League, round {round}").format(round=stands.round),
            tr("{place} of {members}").format(place=stands.place, members=len(MEMBERS)),
        )
    rows = (TableRow(_cells(name, league.of(name), is_now=name == member)) for name in MEMBERS)
    draw_table(ui, "league", COLUMNS, rows)


def _cells(name: str, results: OpponentResults, *, is_now: bool) -> list[TableCell]:
    color, none = "amber" if is_now else "text", TableCell("–", "muted")
    opponent = TableCell(
        short_title(name),
        color,
        tr("White against {member_title}").format(member_title=member_title(name)),
    )
    if not results.games:
        return [opponent, none, none, none]
    last, won = len(results.recent), sum(results.recent)
    tip = tr("White won {won} of the last {last} games against it").format(won=won, last=last)
    return [
        opponent,
        TableCell(str(results.games), color),
        TableCell(str(results.won), color),
        TableCell(
            tr("{won} of {last}").format(won=won, last=last),
            color,
            tip,
            bar=won / last,
            bar_after=WIDEST,
        )
        if last
        else none,
    ]


SHOWN_NAME = 24
SAVE_TIP = tr("Write what White has learnt into one file, to keep it or move it to another machine")
LOAD_TIP = tr("Load such a file; what was learnt before becomes a checkpoint to roll back to")


class TrainingCheckpoints:
    """The tab that saves checkpoints, rolls back, and exports."""

    def __init__(self, match: Any, trainer: Any, metrics: Any) -> None:
        self.match = match
        self.trainer = trainer
        self.metrics = metrics
        self.name = ""
        self.note = ""

    def draw(self, ui: Ui) -> None:
        """Draw the form, the list, the file of what was learnt, and the export."""
        self._draw_form(ui)
        if self.trainer.link is not None:
            self._draw_file(ui)
        ui.heading(tr("Roll back to"))
        self._draw_list(ui)
        ui.heading(tr("Export"))
        ui.muted_text(tr("Charts as pictures, all series as tables, TensorBoard files."))
        ui.imgui.begin_disabled(self.trainer.is_exporting)
        if ui.button(tr("Export …"), tip=tr("Choose a folder, and write them into it")):
            self.trainer.log.python('component("TrainingPanel").keeping.export()')
            self.export()
        ui.imgui.end_disabled()
        if self.trainer.notice:
            ui.muted_text(self.trainer.notice)

    def _draw_file(self, ui: Ui) -> None:
        """Draw the buttons that save what was learnt into a file and load it from one."""
        if ui.button(tr("Save to a file …"), icon="floppy-disk", tip=SAVE_TIP):
            self.trainer.by_hand("ask_save_learnt")
        ui.beside(ui.button_width(tr("Load from a file …"), icon="folder-open"))
        if ui.button(tr("Load from a file …"), icon="folder-open", tip=LOAD_TIP):
            self.trainer.by_hand("ask_load_learnt")

    def export(self, folder: str = "") -> None:
        """Export charts, tables and TensorBoard files of the run so far.

        Args:
            folder: path of the folder; empty to ask for one.
        """
        if folder:
            self.trainer.export(self.run_series(), folder)
        else:
            self.trainer.ask_export(self.export_by_hand)

    def export_by_hand(self, folder: str) -> None:
        """Export into a folder that the user has chosen, and write the call to the console."""
        self.trainer.log.python(f'component("TrainingPanel").keeping.export({folder!r})')
        self.export(folder)

    def run_series(self) -> RunSeries:
        """Return what is needed to export the run so far.

        It is the title, all logged metrics, the changes of settings, and the counts of ranks.
        """
        match, trainer = self.match, self.trainer
        names = tr("{player} (White) against {player2} (Black)").format(
            player=match.white.player, player2=match.black.player
        )
        return RunSeries(
            title=tr("{names}, seed {seed}, game {game}").format(
                names=names, seed=match.run.seed, game=match.game
            ),
            series={name: self.metrics.series(name) for name in self.metrics.names()},
            changes=tuple(trainer.changes),
            marks=tuple(marks_of(trainer.changes)),
            ranks=tuple(match.results.all_ranks),
        )

    def _draw_form(self, ui: Ui) -> None:
        imgui = ui.imgui
        if self.trainer.link is None:
            ui.muted_text(tr("White's player does not learn: there is nothing to save."))
            return
        for key, hint in (("name", tr("name of the checkpoint")), ("note", tr("note (optional)"))):
            imgui.set_next_item_width(-1)
            _, text = imgui.input_text_with_hint(f"##{key}", hint, getattr(self, key))
            setattr(self, key, text)
        if ui.button(tr("Checkpoint")):
            self.trainer.by_hand("checkpoint", self.name, self.note)
            self.name = self.note = ""

    def _draw_list(self, ui: Ui) -> None:
        trainer, imgui = self.trainer, ui.imgui
        if not trainer.checkpoints:
            every = (
                tr("one is saved every {keep_every} games").format(keep_every=trainer.keep_every)
                if trainer.keep_every
                else ""
            )
            ui.muted_text(
                tr("No checkpoint yet{value}{every}.").format(
                    value=": " if every else "", every=every
                )
            )
            return
        room = max(float(imgui.get_content_region_avail().y) - ui.theme.px(150.0), 90.0)
        line = float(imgui.get_text_line_height_with_spacing())
        height = min(room, line * len(trainer.checkpoints) + ui.theme.px(4.0))
        if imgui.begin_child(
            "checkpoints", imgui.ImVec2(0, height), int(imgui.ChildFlags_.nav_flattened)
        ):
            for item in reversed(trainer.checkpoints):
                self._draw_checkpoint(ui, item)
        imgui.end_child()

    def _draw_checkpoint(self, ui: Ui, item: Any) -> None:
        imgui, trainer = ui.imgui, self.trainer
        imgui.push_id(item.place)
        is_waiting = trainer.roll_back_to is not None and trainer.roll_back_to.place == item.place
        if imgui.small_button(tr("cancel") if is_waiting else tr("roll back")):
            trainer.by_hand("ask_roll_back", None if is_waiting else item.name)
        imgui.same_line(ui.theme.px(78.0))
        name = item.name if len(item.name) <= SHOWN_NAME else f"{item.name[: SHOWN_NAME - 1]}…"
        ui.text(name, "amber" if is_waiting else "text")
        kind = "automatic" if item.is_automatic else (item.note or tr("no note"))
        network = tr("network {network_id}, {nodes} positions").format(
            network_id=item.network_id, nodes=item.nodes
        )
        ui.tip(
            tr("{name}: game {game}, {network}\n{kind}").format(
                name=item.name, game=item.game, network=network, kind=kind
            )
        )
        right = tr("game {game}").format(game=item.game)
        if item.name == right:
            right = tr("{nodes} positions").format(nodes=item.nodes)
        imgui.same_line()
        room = imgui.get_content_region_avail().x - imgui.calc_text_size(right).x
        imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(room, 0.0))
        ui.text(right, "muted")
        imgui.pop_id()


Floats = NDArray[np.floating[Any]]

Part = Callable[[Ui], None]
Tabs = dict[str, Sequence[Part]]  # by title, its parts from the top

PACE_GAMES = 20
RECENT_GAMES = 50
TAB_PADDINGS = ((3, 4), (1, 4))  # pixels of a tab, unscaled: the wide one where it has room


class TrainingPanel(Script):
    """Charts of the progress and the network, and controls of the training."""

    match: Match = field(None)
    trainer: LearnerClient = field(None, former=("coach",))

    def awake(self) -> None:
        self.others = ComparedRuns(self.run)
        self.curves = RunCurves(self.metrics)
        self.fitness = FitnessLog()
        self.ends: deque[float] = deque(maxlen=PACE_GAMES + 1)
        self.controls: TrainingControls | None = None
        self.keeping: TrainingCheckpoints | None = None
        self.tab = ""
        """Title of the tab to open at the next frame; empty to keep the present tab."""
        self._in_front = ""
        self._is_list = False  # the tabs, where their titles have no room
        self._marks: tuple[int, list[tuple[float, str]]] = (0, [])

    def start(self) -> None:
        if self.match is not None and self.trainer is not None:
            self.controls = TrainingControls(self.match, self.trainer)
            self.keeping = TrainingCheckpoints(self.match, self.trainer, self.metrics)
        self.panel(tr("Training"), self.draw, dock="right", icon="chart-line")

    # -- what happens -------------------------------------------------------------------------

    @on("match.game_started")
    def begin(self, game: int) -> None:
        """Reset the fitness values of Black's populations for a new game.

        Before the first game, start to measure the pace.

        Args:
            game: number of the game.
        """
        self.fitness.begin()
        if not self.ends:
            self.ends.append(self.run.elapsed)

    @on("match.stone_placed")
    def note_fitness(self, move: int, color: int) -> None:
        """Store the fitness of the population from which Black has just chosen a move.

        Nothing is stored if Black's player is not the genetic algorithm.

        Args:
            move: the move.
            color: side that played it.
        """
        match = self.match
        if color == BLACK and match.last_choice is not None and match.current is not None:
            choice = match.last_choice
            if choice.move == move:
                self.fitness.add(match.current.ply, choice.explanation)

    @on("match.game_over")
    def end(self, record: GameRecord) -> None:
        """Log the game's fitness and the pace."""
        self.ends.append(self.run.elapsed)
        means = self.fitness.means()
        if full_board_rule(record.rules):  # two ways to win: which one it was is told
            for name, how in (("white_row", "five"), ("white_full", "full")):
                means[name] = float(record.winner == WHITE and record.termination == how)
        for name, value in means.items():
            self.metrics.log(name, value, step=record.game)
        if self.match.archive is not None:
            self.match.archive.measure(record.game, means)

    def time_left(self) -> str:
        """Return the remaining time as text; empty if the number of games is unlimited."""
        games = None if self.match is None else self.match.games
        if games is None or len(self.ends) < 2:
            return ""
        pace = (self.ends[-1] - self.ends[0]) / (len(self.ends) - 1)
        return tr("about {in_words} left").format(
            in_words=_in_words(pace * max(games - self.match.played, 0))
        )

    # -- drawing ------------------------------------------------------------------------------

    def draw(self, ui: Ui) -> None:
        """Draw the header and the open tab."""
        self._draw_head(ui)
        controls, keeping = self.controls, self.keeping
        tabs: Tabs = {
            tr("Progress"): (self._draw_score, self._draw_compared, self._draw_progress),
            tr("Network"): (self._draw_network,),
            tr("Black"): (
                *([] if controls is None else [controls.draw_opponents]),
                self._draw_league,
                self._draw_fitness,
            ),
            tr("Settings"): (_without_learner if controls is None else controls.draw,),
            tr("Checkpoints"): (_without_learner if keeping is None else keeping.draw,),
        }
        padding = _padding_of(ui, tabs)
        was_list, self._is_list = self._is_list, padding is None
        if padding is None:
            self._draw_list(ui, tabs)
            return
        if was_list:
            self.tab = self.tab or self._in_front
        self._draw_bar(ui, tabs, padding)

    def _draw_bar(self, ui: Ui, tabs: Tabs, around: tuple[int, int]) -> None:
        """Draw the tabs side by side, and the content of the selected one.

        Args:
            ui: user interface of the panel.
            tabs: the content of each tab by its title.
            around: unscaled pixels beside and above a tab's title.
        """
        imgui = ui.imgui
        padding = imgui.ImVec2(ui.theme.px(around[0]), ui.theme.px(around[1]))
        imgui.push_style_var(imgui.StyleVar_.frame_padding, padding)
        is_drawn = imgui.begin_tab_bar("training")
        imgui.pop_style_var()
        if not is_drawn:
            return
        for name, parts in tabs.items():
            is_wanted = self.tab == name
            flags = imgui.TabItemFlags_.set_selected if is_wanted else imgui.TabItemFlags_.none
            imgui.push_style_var(imgui.StyleVar_.frame_padding, padding)
            is_open = imgui.begin_tab_item(name, None, int(flags))[0]
            imgui.pop_style_var()
            if is_open:
                if is_wanted:
                    self.tab = ""
                elif self._in_front not in ("", name):
                    self.log.python(f'{self.expression}.tab = "{name}"')
                self._in_front = name
                for draw in parts:
                    draw(ui)
                imgui.end_tab_item()
        imgui.end_tab_bar()

    def _draw_list(self, ui: Ui, tabs: Tabs) -> None:
        """Draw a list of all tabs, and the selected tab below it.

        It replaces the row of tabs if their titles do not fit into it.

        Args:
            ui: user interface of the panel.
            tabs: the content of each tab by its title.
        """
        names = list(tabs)
        if self.tab in tabs:
            self._in_front, self.tab = self.tab, ""
        shown = self._in_front or names[0]
        ui.imgui.set_next_item_width(-1.0)
        chosen = names[int(ui.imgui.combo("##tabs", names.index(shown), names)[1])]
        if chosen != shown:
            self.log.python(f'{self.expression}.tab = "{chosen}"')
        self._in_front = chosen
        for draw in tabs[chosen]:
            draw(ui)

    def _draw_head(self, ui: Ui) -> None:
        games, wins = self.curves.score()
        number = (
            tr("Game {game}").format(game=max(1, self.match.game))
            if self.match is not None
            else tr("Game")
        )
        asked = None if self.match is None else self.match.games
        if asked is not None:
            number = tr("Game {played} of {asked}").format(
                played=min(self.match.played + 1, asked), asked=asked
            )
        ui.key_value(
            number,
            self.time_left()
            or tr("{games} played, {games2} lost").format(games=games, games2=games - wins),
        )
        if self.trainer is not None:
            self._draw_failure(ui, self.trainer)

    def _draw_failure(self, ui: Ui, trainer: LearnerClient) -> None:
        """Draw the warning about a failed training."""
        if trainer.advice:
            draw_wrapped(ui, failure_words(trainer), "amber")
        elif trainer.failed:
            ui.muted_text(
                tr("{counted} failed; the last one succeeded.").format(
                    counted=_trainings(trainer.failed)
                )
            )

    def _draw_score(self, ui: Ui) -> None:
        played, share = self.curves.recent(RECENT_GAMES)
        if played:
            which = (
                tr("last {played} games").format(played=played) if played > 1 else tr("last game")
            )
            ui.key_value(tr("White won, {which}").format(which=which), f"{share:.0%}")
        if self.time_left():  # which the head says instead
            games, wins = self.curves.score()
            ui.key_value(
                tr("Games so far"),
                tr("{games} ({games2} lost)").format(games=games, games2=games - wins),
            )
        ways = self.curves.ways(how_white_won)
        if ways:
            ui.key_value(tr("White's wins"), ways)
        elif self.match is not None:
            ui.muted_text(full_board_rule(self.match.rules, self.match.board.sides))
        elo = self.curves.elo()
        if len(elo):
            ui.key_value(
                tr("Elo, last 50 games"),
                tr("{y:+.0f} ({low:+.0f} to {high:+.0f})").format(
                    y=elo.y[-1], low=elo.low[-1], high=elo.high[-1]
                ),
            )

    def _draw_compared(self, ui: Ui) -> None:
        self.others.draw(ui, lambda *chosen: self.by_hand("compare_with", *chosen))

    def _draw_progress(self, ui: Ui) -> None:
        self._draw_charts(ui, progress_charts(self.curves, self.others))

    def compare_with(self, name: str, is_chosen: bool = True) -> None:
        """Show another run on the charts, or hide it, by its name in the list."""
        self.others.choose(name, is_chosen)

    def _draw_network(self, ui: Ui) -> None:
        ranks = self.match.results.all_ranks if self.match is not None else []
        white = "" if self.trainer is None else self.trainer.seat.player_name()
        least = find_player_info(white).least_held
        self._draw_charts(ui, network_charts(self.curves, ranks, least_held=least))

    def _draw_league(self, ui: Ui) -> None:
        if self.match is not None:
            match = self.match
            draw_league(ui, match.black.member, max(1, match.game), match.results.league)

    def _draw_fitness(self, ui: Ui) -> None:
        ui.muted_text(tr("Fitness in powers of ten; below zero White's threats weigh more."))
        self._draw_charts(ui, fitness_charts(self.curves, self.fitness), is_clickable=False)

    def _draw_charts(self, ui: Ui, charts: list[Chart], *, is_clickable: bool = True) -> None:
        """Draw charts whose horizontal axis is the number of the game.

        Args:
            ui: user interface of the panel.
            charts: the charts.
            is_clickable: whether a click on a chart shows the game at that place.
        """
        place = draw_charts(
            ui, charts, marks=self._chart_marks(), x_limits=self.curves.games(), x_name=tr("game")
        )
        if place is not None and is_clickable and self.match is not None:
            self.match.by_hand("show_game", max(1, round(place)))

    def _chart_marks(self) -> list[tuple[float, str]]:
        changes = self.trainer.changes if self.trainer is not None else []
        if self._marks[0] != len(changes):
            self._marks = (len(changes), marks_of(changes))
        return self._marks[1]


def _without_learner(ui: Ui) -> None:
    ui.muted_text(tr("This scene has no learner: nothing is trained."))


def _trainings(count: int) -> str:
    return tr_many("{count} training", "{count} trainings", count)


def failure_words(trainer: LearnerClient) -> str:
    """Return the learner's warning after a failed training, and the number of failures."""
    advice = trainer.advice.replace("`", "")
    text = tr("{said}.").format(said=capitalized(advice))
    return (
        tr("{text} {counted} failed so far.").format(text=text, counted=_trainings(trainer.failed))
        if trainer.failed
        else text
    )


def _padding_of(ui: Ui, titles: Collection[str]) -> tuple[int, int] | None:
    """Return how wide the tabs with these titles can be in the panel; None if they do not fit.

    The room of a scroll bar is left free, so that the tabs stay as they are when one comes.

    Args:
        ui: user interface of the panel.
        titles: the titles.
    """
    imgui = ui.imgui
    style = imgui.get_style()
    room = imgui.get_window_width() - 2.0 * style.window_padding.x - style.scrollbar_size
    text = sum(imgui.calc_text_size(title).x for title in titles)
    gap = 1.0 + style.item_inner_spacing.x
    for padding in TAB_PADDINGS:
        if text + len(titles) * (gap + 2.0 * ui.theme.px(padding[0])) <= room:
            return padding
    return None


def _in_words(seconds: float) -> str:
    """Return a time in its two greatest units."""
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60.0)
    return (
        tr("{minutes} min").format(minutes=minutes)
        if minutes < 90
        else tr("{minutes} h {minutes2} min").format(minutes=minutes // 60, minutes2=minutes % 60)
    )


def how_white_won(won: Floats, by_row: Floats, by_full: Floats) -> str:
    """Return how White's games were won, in words.

    >>> how_white_won(np.ones(4), np.array([1.0, 0, 0, 0]), np.array([0.0, 1, 1, 0]))
    '1 by a row, 2 by a full board, 1 resigned'

    Args:
        won: `[n]` 1 for each game that White won, else 0.
        by_row: `[n]` 1 for each game that White won by a row of stones.
        by_full: 1 for each game that White won by a full board. Older runs did not store this, so
            the array may cover only the last games. An earlier game that White won without a row
            counts as won by a full board.
    """
    old = len(won) - len(by_full)
    rows = int(by_row.sum())
    full = int(by_full.sum() + won[:old].sum() - by_row[:old].sum())
    others = int(won.sum()) - rows - full
    return tr("{rows} by a row, {full} by a full board").format(rows=rows, full=full) + (
        tr(", {others} resigned").format(others=others) if others else ""
    )

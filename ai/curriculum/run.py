"""Runs the curriculum: its phases, generation by generation.

Phase 1, basic rules, is one generation: a training on generated positions. In phase 2, each
generation consists of games of the mentor (alpha-beta) against itself, a training on them, and a
match against the mentor. The phase ends when the mentor is beaten clearly enough, or after
`mentor_most` generations. In phase 3, each generation consists of games of the best pair of
networks against itself, a training, and the gate match.

The gate match is played by the pair in training against the best pair. If the pair in training
wins, it becomes the best pair. If it loses, it plays no training games but is trained further. With
the setting `discards` (as in the paper) it is dropped instead, and the next training starts from
the best pair.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from ai.arena.ratings import sprt
from ai.curriculum.actors import Actors
from ai.curriculum.batches import (
    MENTOR_NAME,
    MatchBatch,
    MatchPlayer,
    MentorBatch,
    RosterPlayer,
    SelfPlayBatch,
    load_games,
    save_games,
)
from ai.curriculum.folder import Progress, TrainingFolder
from ai.curriculum.live import GAMES, MATCH, TRAINING, LiveSettings, Observer
from ai.curriculum.settings import BASIC, MENTOR, SELF_PLAY, Curriculum
from ai.game import BLACK, EMPTY
from ai.learning.alphagomoku.basic_rules import split_basic_positions
from ai.learning.alphagomoku.measures import (
    SHUFFLED_LABELS,
    SHUFFLED_WEIGHTS,
    TRAINED,
    UNTRAINED,
    right_in_basic_positions,
    score,
    shuffled_labels,
    shuffled_weights,
    sides_of_one_value,
)
from ai.learning.alphagomoku.samples import (
    PairSamples,
    ReplayWindow,
    TrainingRecord,
    join,
    samples_of,
)
from ai.learning.alphagomoku.tactics import KINDS, tactic_positions
from ai.learning.alphagomoku.training import SIDES, Losses, PairTrainer, TrainState, new_pair
from ai.nets.policy_value import NetworkPair, with_new_value_head
from base.values import JsonObject


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """Result of a gate match, in which a new pair of networks plays the best pair."""

    is_accepted: bool
    pairs: int
    """Number of pairs of games on which the result is based.

    A pair is two games with one opening and swapped colours.
    """
    score: float
    """Mean result of the new pair of networks, 0 to 1."""
    ratio: float
    """Log-likelihood ratio of two hypotheses: "stronger by `elo`" against "not stronger"."""
    reason: str
    """What decided the match.

    It is one of "stronger", "not stronger", "won the match" and "did not win the match".
    """

    def as_dict(self) -> JsonObject:
        """Return plain values for JSON."""
        return {
            "accepted": self.is_accepted,
            "pairs": self.pairs,
            "score": round(self.score, 4),
            "ratio": round(self.ratio, 3),
            "reason": self.reason,
        }


def judge(scores: Sequence[float], *, pairs: int, elo: float) -> GateVerdict | None:
    """Return the result of a gate match from the games played so far; None while it is undecided.

    The new pair of networks replaces the best one only if it wins. A sequential test
    (`ai.arena.ratings.sprt`) can end the match early. If it does not, the higher score wins after
    the last pair of games, as in the paper.

    Args:
        scores: for each pair of games, in order, the mean result of the new pair of networks.
            Scores after the deciding one are ignored, so that the number of parallel games has no
            influence.
        pairs: number of pairs of games of the whole match.
        elo: by how many Elo points the test expects a better pair to be stronger.
    """
    for count in range(1, min(len(scores), pairs) + 1):
        known = scores[:count]
        test = sprt(known, elo0=0.0, elo1=elo)
        mean = sum(known) / count
        if test.verdict != "undecided":
            return GateVerdict(test.verdict == "stronger", count, mean, test.ratio, test.verdict)
        if count == pairs:
            has_won = mean > 0.5
            reason = "won the match" if has_won else "did not win the match"
            return GateVerdict(has_won, count, mean, test.ratio, reason)
    return None


HELD: Final = 10
"""One of this many games of the mentor is not learnt but held out, to measure the networks."""
STILL_HELD: Final = 1000
"""How many held-out positions of phase 1 are used to measure the networks in later phases."""
TACTICS: Final = 200
"""Number of test positions for each kind of double threat; see `tactic_positions`."""

Report: TypeAlias = Callable[[JsonObject], None]
"""Called with the metrics of each generation."""


@dataclass(frozen=True, slots=True)
class TrainingBudget:
    """Limits of a training: number of games and time; checked after each generation."""

    games: int | None = None
    """Maximum number of training games, those of earlier runs included; None for no limit."""
    hours: float | None = None
    """Maximum duration of this run in hours; None for no limit."""


class Training:
    """A training in progress; `run` continues it until its phases or its budget end."""

    def __init__(
        self,
        plan: Curriculum,
        out: Path,
        actors: Actors,
        *,
        has_controls: bool = True,
        report: Report = lambda metrics: None,
        warn: Callable[[str], None] = lambda message: None,
        observer: Observer | None = None,
    ) -> None:
        """Set up a training, without reading or writing files.

        Args:
            plan: settings of the run.
            out: folder of the run, locked by the caller.
            actors: plays the games.
            has_controls: whether phase 1 also trains a control on shuffled labels.
            report: called after each generation with its metrics.
            warn: called before the first generation with a message about each damaged file.
            observer: receives the events of the training; None for no observer.
        """
        self.plan = plan
        """Settings of the current generation."""
        self.live = LiveSettings(plan, out)
        self._observer = observer or Observer()
        self.folder = TrainingFolder(plan, out)
        self._actors = actors
        self._has_controls = has_controls
        self._report = report
        self._warn = warn
        self._trainer: PairTrainer | None = None
        self._generated: tuple[PairSamples, PairSamples] | None = None
        self._forget()
        self.progress = Progress()
        self.best = self._untrained()
        """The best pair of networks; in phase 3 it plays the training games."""
        self.train_state = TrainState(self.best)
        """State of the pair in training; in phase 3 this pair plays the gate match."""

    def run(
        self, phases: Sequence[str], budget: TrainingBudget, *, resume: bool = False
    ) -> Progress:
        """Train until all phases are finished or the budget is used up.

        Args:
            phases: names of the phases, in the order of the curriculum; self-play never ends by
                itself.
            budget: limits of the training.
            resume: whether to continue the training in the folder.

        Returns:
            The progress of the training.

        Raises:
            RunFolderError: the folder holds something else.
            ActorError: an actor ended; all finished generations are kept.
            OSError: the folder cannot be written.
        """
        self.begin(resume=resume)
        end = None if budget.hours is None else time.monotonic() + 3600.0 * budget.hours
        for phase in phases:
            while phase not in self.progress.finished:
                if budget.games is not None and self.progress.games >= budget.games:
                    return self.progress
                if end is not None and time.monotonic() >= end:
                    return self.progress
                self._generation(phase)
        return self.progress

    def begin(self, *, resume: bool) -> None:
        """Open the folder and restore the training that it holds, if any; `advance` continues it.

        Args:
            resume: whether the folder may hold a training.

        Raises:
            RunFolderError: the folder holds something else.
            LinesFileError: a line of one of its files is damaged.
            OSError: the folder cannot be written.
        """
        self.folder.prepare(resume=resume)
        self.live.load()
        self.progress, self.best, self.train_state = self.folder.restore(self._untrained)
        self.plan = self.live.begin(self.progress.generation + 1)
        self._trainer = None
        self._forget()
        self._restore_games()
        for message in self.folder.messages:
            self._warn(message)

    def advance(self, phases: Sequence[str]) -> bool:
        """Run one generation of the first phase that is not finished.

        Args:
            phases: names of the phases, in the order of the curriculum.

        Returns:
            Whether a generation was run; False if all phases are finished.

        Raises:
            ActorError: an actor ended; all finished generations are kept.
            OSError: the folder cannot be written.
        """
        for phase in phases:
            if phase not in self.progress.finished:
                self._generation(phase)
                return True
        return False

    def _apply_changes(self, number: int) -> None:
        """Apply the settings of a generation."""
        before, self.plan = self.plan, self.live.begin(number)
        if self.plan.optimizer != before.optimizer:
            self._trainer = None
        if self.plan.number("decay") != before.number("decay"):
            self._forget()  # the decay is part of the labels in the window
            self._restore_games()

    def _generation(self, phase: str) -> None:
        """Run one generation of a phase, and write its checkpoint and metrics."""
        started, computed = time.monotonic(), time.process_time()
        played = self._actors.cpu_seconds
        number = self.progress.generation + 1
        self._apply_changes(number)
        work = {BASIC: self._basic, MENTOR: self._mentor, SELF_PLAY: self._self_play}
        is_new, metrics = work[phase](number)
        if is_new:
            self.best = self.train_state.pair
        self.progress.generation = number
        self.progress.begun[phase] = self.progress.begun.get(phase, 0) + 1
        self.progress.version += is_new
        self.progress.steps = self.train_state.steps
        line: JsonObject = {
            "generation": number,
            "phase": phase,
            "games": self.progress.games,
            "version": self.progress.version,
            **metrics,
            "finished": phase in self.progress.finished,
            "seconds": round(time.monotonic() - started, 2),
            "trainer_cpu_seconds": round(time.process_time() - computed, 2),
            "actors_cpu_seconds": round(self._actors.cpu_seconds - played, 2),
        }
        self.folder.add_metrics(line)
        first = self._lots_kept[0][0] if self._lots_kept else number
        self.folder.save(self.progress, self.best, self.train_state, is_new=is_new, kept=first)
        self._report(line)

    # -- phase 1: basic rules --------------------------------------------------------------------

    def _basic(self, number: int) -> tuple[bool, JsonObject]:
        """Run phase 1: train on generated positions, and measure the networks and their controls.

        Args:
            number: number of the generation.

        Returns:
            Whether the pair in training becomes the best pair (always True), and the metrics.
        """
        plan = self.plan
        self._observer.began(BASIC, number, TRAINING)
        known, held = self._basic_positions()
        before = self.train_state
        self.train_state, losses = self._train(before, known, plan.count("basic_steps"), number)
        pairs = self._controls()
        if self._has_controls:
            other = shuffled_labels(known, plan.seed)
            control, _ = self._train(
                TrainState(self._untrained()), other, plan.count("basic_steps"), number
            )
            pairs[SHUFFLED_LABELS] = control.pair
        right = right_in_basic_positions(held, plan.rules)
        size = plan.rules.size
        found = {name: score(pair, held, size, right).as_dict() for name, pair in pairs.items()}
        if not plan.settings["basic_values"]:
            self._draw_value_heads([side for side, _ in SIDES], number)
        self.progress.finished.append(BASIC)
        return True, {"losses": _plain(losses), "held_out": found}

    def _basic_positions(self) -> tuple[PairSamples, PairSamples]:
        """Return the generated positions of phase 1: those to train on, and those held out."""
        if self._generated is None:
            plan = self.plan
            count = plan.count("basic_positions")
            self._generated = split_basic_positions(plan.rules, count, plan.seed)
        return self._generated

    def _basic_rules(self) -> JsonObject:
        """Measure whether the networks still solve the held-out positions of phase 1.

        Returns:
            The share of right answers of the pair in training and of each control, by name.
        """
        plan = self.plan
        held = self._basic_positions()[1].select(slice(0, STILL_HELD))
        right = right_in_basic_positions(held, plan.rules)
        pairs = self._controls().items()
        return {name: score(pair, held, plan.rules.size, right).right for name, pair in pairs}

    # -- phase 2: the mentor ---------------------------------------------------------------------

    def _mentor(self, number: int) -> tuple[bool, JsonObject]:
        """Run a generation of phase 2: learn from the mentor's games, then play a match against it.

        Args:
            number: number of the generation.

        Returns:
            Whether the pair in training becomes the best pair (always True), and the metrics.
        """
        plan = self.plan
        batches = [
            MentorBatch(plan, number, batch, games)
            for batch, games in enumerate(_sizes(plan.count("mentor_games"), plan.count("lot")))
        ]
        games = self._played(batches, "mentor", number, MENTOR)
        self._learn_from(games, MENTOR)
        losses: dict[str, Losses] = {}
        self._observer.began(MENTOR, number, TRAINING)
        if len(self._window):
            share = plan.learning_rate_scale(self.progress.begun.get(MENTOR, 0))
            self.train_state, losses = self._train(
                self.train_state, self._window.of, plan.count("mentor_steps"), number, share
            )
        revived = self._revive(number)
        self.folder.write_pair(self.train_state.pair, self.folder.candidate_file)
        self._observer.began(MENTOR, number, MATCH)
        mentor = RosterPlayer(MENTOR_NAME, plan.count("mentor_nodes"))
        results = self.match(self.folder.candidate_file, mentor, plan.count("mentor_match"), number)
        mean = float(np.mean(results))
        done = self.progress.begun.get(MENTOR, 0) + 1
        if mean >= plan.number("mentor_margin") or done >= plan.count("mentor_most"):
            self.progress.finished.append(MENTOR)
        return True, {
            **_of_games(games),
            "losses": _plain(losses),
            "held_out": self._measured(self._held_samples()),
            "basic_rules": self._basic_rules(),
            "tactics": self._tactics(),
            "value_heads_drawn_anew": list(revived),
            "against_mentor": round(mean, 4),
        }

    def _held_samples(self) -> PairSamples | None:
        plan = self.plan
        decay, told = plan.number("decay"), plan.number("mentor_values")
        samples = [
            samples_of(plan.rules, game, decay=decay, value_fraction=told) for game in self._held
        ]
        return join(samples) if samples else None

    def _tactics(self) -> JsonObject:
        """Measure how often the networks find the point that makes two threats at once.

        Returns:
            For each kind of double threat, the share of right answers of the pair in training and
            of each control, by name.
        """
        found: JsonObject = {}
        for kind in KINDS:
            samples = tactic_positions(self.plan.rules, kind, TACTICS, self.plan.seed)
            if samples is not None:
                scores = self._measured(samples)
                found[kind] = {name: values["right"] for name, values in scores.items()}
        return found

    # -- phase 3: self-play ----------------------------------------------------------------------

    def _self_play(self, number: int) -> tuple[bool, JsonObject]:
        """Run a generation of phase 3: games, measuring, training, and the gate match.

        Args:
            number: number of the generation.

        Returns:
            Whether the pair in training becomes the best pair, and the metrics.
        """
        plan = self.plan
        digest = self.folder.write_pair(self.best, self.folder.pair_file)
        batches = [
            SelfPlayBatch(plan, number, batch, games, self.folder.pair_file)
            for batch, games in enumerate(_sizes(plan.count("games"), plan.count("lot")))
        ]
        games = self._played(batches, self.live.source(digest), number, SELF_PLAY)
        self._observer.began(SELF_PLAY, number, TRAINING)
        rules, decay = plan.rules, plan.number("decay")
        unseen = join([samples_of(rules, game, decay=decay) for game in games])
        held = self._measured(unseen)
        self._learn_from(games, SELF_PLAY)
        before = self.train_state
        self.train_state, losses = self._train(
            before, self._window.of, plan.count("steps"), number, plan.learning_rate_scale(None)
        )
        revived = self._revive(number)
        self.folder.write_pair(self.train_state.pair, self.folder.candidate_file)
        self._observer.began(SELF_PLAY, number, MATCH)
        verdict = self._gate(number)
        if not verdict.is_accepted and plan.settings["discards"]:
            self.train_state = before
        return verdict.is_accepted, {
            **_of_games(games),
            "losses": _plain(losses),
            "held_out": held,
            "basic_rules": self._basic_rules(),
            "value_heads_drawn_anew": list(revived),
            "gate": verdict.as_dict(),
        }

    def _gate(self, number: int) -> GateVerdict:
        """Play the gate match of the pair in training against the best pair; return its result.

        Args:
            number: number of the generation.
        """
        plan = self.plan
        pairs, elo = plan.count("gate_pairs"), plan.number("gate_elo")
        results = self.match(self.folder.candidate_file, self.folder.pair_file, 2 * pairs, number)
        scores = [
            (one + other) / 2.0 for one, other in zip(results[::2], results[1::2], strict=True)
        ]
        verdict = judge(scores, pairs=pairs, elo=elo)
        if verdict is None:
            raise AssertionError("a whole match is always decided")
        return verdict

    # -- what the phases share -------------------------------------------------------------------

    def match(
        self,
        first: MatchPlayer,
        second: MatchPlayer,
        games: int,
        number: int,
        *,
        only_black: bool = False,
    ) -> list[float]:
        """Play a match; return the first player's result of each game: 1 won, 0.5 drawn, 0 lost.

        Args:
            first: file of a pair of networks.
            second: file of a pair of networks, or a player.
            games: number of games; has to be even unless `only_black` is True.
            number: number of the generation; part of the seed of openings and moves.
            only_black: whether the first player has Black in all games.
        """
        size = max(2, self.plan.count("lot") // 2 * 2)
        batches = [
            MatchBatch(
                self.plan,
                number,
                batch,
                count,
                first,
                second,
                mixes_empty=isinstance(second, Path),
                pairs_before=batch * size // 2,
                only_black=only_black,
            )
            for batch, count in enumerate(_sizes(games, size))
        ]
        found = dict(self._actors.played(batches))
        return [result for place in range(len(batches)) for result in found[place]]

    def _played(
        self, batches: Sequence[MentorBatch | SelfPlayBatch], source: str, number: int, phase: str
    ) -> list[TrainingRecord]:
        """Return the games of batches, in order; those already in the folder are not played again.

        Args:
            batches: the batches.
            source: text that says how the games are played, see `save_games`. Games in the folder
                with another text are played again.
            number: number of the generation.
            phase: name of the phase.
        """
        rules = self.plan.rules
        found: dict[int, list[TrainingRecord]] = {}
        size = self.plan.count("lot")
        self._observer.began(phase, number, GAMES)
        for batch in batches:
            known = load_games(self.folder.batch_file(number, batch.number), rules, source)
            if known is not None and len(known) == batch.games:
                found[batch.number] = known
                self._observer.played(phase, number, batch.number * size + 1, known)
        missing = [batch for batch in batches if batch.number not in found]
        for place, games in self._actors.played(missing):
            batch = missing[place]
            save_games(self.folder.batch_file(number, batch.number), games, source)
            found[batch.number] = games
            self._observer.played(phase, number, batch.number * size + 1, games)
        return [game for batch in batches for game in found[batch.number]]

    def _learn_from(self, games: Sequence[TrainingRecord], phase: str) -> None:
        """Write games of a generation to `games.jsonl`, and add them to the window.

        The window holds the last games, from which the networks learn.

        Args:
            games: the games.
            phase: name of the phase.
        """
        number = self.progress.generation + 1
        self.folder.add_games(self.progress.games + 1, games, phase=phase, generation=number)
        self.progress.games += len(games)
        self._remember(games, number, is_mentor=phase == MENTOR)

    def _remember(
        self, games: Sequence[TrainingRecord], generation: int, *, is_mentor: bool
    ) -> None:
        """Add games to the window of the last games, from which the networks learn.

        One in `HELD` of the mentor's games is held out instead.

        Args:
            games: the games of one generation.
            generation: number of the generation.
            is_mentor: whether the mentor played them.
        """
        for place, game in enumerate(games):
            if is_mentor and place % HELD == HELD - 1:
                self._held.append(game)
            else:
                self._window.add(game)
        self._lots_kept.append((generation, len(games)))
        most = self.plan.count("window")
        while sum(count for _, count in self._lots_kept) - self._lots_kept[0][1] >= 2 * most:
            self._lots_kept.popleft()

    def _forget(self) -> None:
        """Empty the window, the last games that are learnt from."""
        most = self.plan.count("window")
        decay, told = self.plan.number("decay"), self.plan.number("mentor_values")
        self._window = ReplayWindow(self.plan.rules, games=most, decay=decay, value_fraction=told)
        self._held: deque[TrainingRecord] = deque(maxlen=max(1, most // HELD))
        self._lots_kept: deque[tuple[int, int]] = deque()

    def _restore_games(self) -> None:
        """Fill the window with the last games that are stored in the folder."""
        for number in range(1, self.progress.generation + 1):
            paths = self.folder.batches_of(number)
            games: list[TrainingRecord] = []
            is_mentor = False
            for path in paths:
                known = load_games(path, self.plan.rules)
                if known is None:
                    self.folder.messages.append(
                        f"{path}: expected games, found a damaged file; they are left out"
                    )
                    continue
                is_mentor = is_mentor or load_games(path, self.plan.rules, MENTOR) is not None
                games += known
            if games:
                self._remember(games, number, is_mentor=is_mentor)

    def _train(
        self,
        train_state: TrainState,
        samples: PairSamples | Callable[[int], PairSamples],
        steps: int,
        number: int,
        learning_rate_scale: float = 1.0,
    ) -> tuple[TrainState, dict[str, Losses]]:
        if self._trainer is None:
            self._trainer = PairTrainer(self.plan.architecture, self.plan.optimizer)
        of = samples.of if isinstance(samples, PairSamples) else samples
        seed = self.plan.seed * 1_000_003 + number
        rehearsal = 0.0 if isinstance(samples, PairSamples) else self.plan.number("rehearsal")
        return self._trainer.train(
            train_state,
            of,
            steps,
            seed,
            learning_rate_scale=learning_rate_scale,
            rehearsal=rehearsal,
            rehearsed=self._basic_positions()[0].of if rehearsal else None,
        )

    def _revive(self, number: int) -> list[str]:
        """Repair networks of the pair in training that predict the same value for every position.

        Their value heads get new weights.

        Args:
            number: number of the generation; part of the random seed.

        Returns:
            The sides of these networks: "black", "white", both or none.
        """
        if not len(self._window):
            return []
        size = self.plan.rules.size
        sides = sides_of_one_value(self.train_state.pair, self._window.of, size)
        self._draw_value_heads(sides, number)
        return sides

    def _draw_value_heads(self, sides: Sequence[str], number: int) -> None:
        """Draw new weights for value heads, and reset the optimiser of their networks.

        Args:
            sides: "black", "white", or both.
            number: number of the generation; part of the random seed.
        """
        train_state, seed = self.train_state, 2 * (self.plan.seed * 1000 + number)
        of = dict(SIDES)
        new = {
            side: with_new_value_head(
                train_state.pair.of(color), self.plan.architecture, seed + (color != BLACK)
            )
            if side in sides
            else train_state.pair.of(color)
            for side, color in of.items()
        }
        if train_state.pair.white is train_state.pair.black:
            new["white"] = new["black"]
        remembered = {
            side: kept for side, kept in train_state.optimizer_state.items() if side not in sides
        }
        pair = NetworkPair(new["black"], new["white"], train_state.pair.card)
        self.train_state = TrainState(pair, remembered, train_state.steps)

    def _untrained(self) -> NetworkPair:
        shares = not self.plan.settings["double"]
        return new_pair(self.plan.architecture, self.plan.seed, shares=shares)

    def _controls(self) -> dict[str, NetworkPair]:
        pair = self.train_state.pair
        return {
            TRAINED: pair,
            UNTRAINED: self._untrained(),
            SHUFFLED_WEIGHTS: shuffled_weights(pair, self.plan.seed),
        }

    def _measured(self, samples: PairSamples | None) -> JsonObject:
        """Measure the pair in training and its controls on positions.

        Args:
            samples: the positions; None: nothing is measured.

        Returns:
            The scores of each pair by its name, see `Score`; empty without positions.
        """
        if samples is None:
            return {}
        size = self.plan.rules.size
        return {
            name: score(pair, samples, size).as_dict() for name, pair in self._controls().items()
        }


def _sizes(games: int, batch: int) -> list[int]:
    """Return the sizes of the batches into which games are divided; only the last may be smaller.

    Args:
        games: number of games.
        batch: number of games in a batch.
    """
    return [min(batch, games - first) for first in range(0, games, batch)]


def _plain(losses: dict[str, Losses]) -> JsonObject:
    return {
        side: {"policy": round(one.policy, 4), "value": round(one.value, 4)}
        for side, one in losses.items()
    }


def _of_games(games: Sequence[TrainingRecord]) -> JsonObject:
    """Return statistics of games: number, mean length, and shares of Black's wins and of draws."""
    count = max(len(games), 1)
    return {
        "played": len(games),
        "plies": round(sum(len(game.moves) for game in games) / count, 2),
        "black_wins": round(sum(game.winner == BLACK for game in games) / count, 4),
        "draws": round(sum(game.winner == EMPTY for game in games) / count, 4),
    }

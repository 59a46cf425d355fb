"""The self-teaching learner: it stores what it should have played in lost games, and retrains.

It runs stages 4 to 6 of the paper's framework (see `ai.players.cnn_ann` for all six). First it
walks back through the game and makes samples of its positions. Then it stores them in the memory,
where similar positions are combined. Last it trains the network on the memory; with the setting
`redraw` = "built" it writes the memory into the network. `cnn-ann` and `cnn-ann-plus` differ in
settings only. `Teacher` extracts the samples from a game, `MetPositions` stores the learner's own
moves.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from ai.game import Game, GameRecord, Rules
from ai.learning.enhanced_training import (
    NodeSamples,
    SampleVariations,
    WarmCycles,
    built_weights,
    fresh_plan,
    kept_plan,
    repeated,
    with_kept,
)
from ai.learning.learner import LearnerError, Progress, TrainedWeights, Trainers
from ai.learning.measures import (
    RECENT_GAMES,
    Answer,
    HeldTest,
    Measures,
    MemoryAnswer,
    measure,
    positions_of,
)
from ai.memory import MemoryNodes, Recall, SituationMemory
from ai.nets.architecture import (
    LINES,
    Architecture,
    ArchitectureError,
    InferenceNetwork,
    WeightArrays,
    draw_weights,
    initial_weights,
)
from ai.nets.built import REST, check_form
from ai.nets.features import DEFAULT_KERNEL, StateEncoder, build_architecture, build_encoder
from ai.nets.plan import TrainingPlan
from ai.nets.weights_file import CHECKPOINT_WEIGHTS, read_weights, weights_bytes
from ai.players.learning_settings import BUILT, CARRIED, KEPT, NODES, LearningSettings
from ai.registry.players import get_player_info, resolve_settings
from ai.samples.one_hot import Sample, learner_plies, missed_lessons, stones_after, walk_back
from ai.samples.threats import threat_label, threat_lessons, vary
from ai.store.checkpoints import MEMORY, Checkpoint, LearnerState, folder_name
from base.schema import OptionError
from base.storage.card_file import packed, read_arrays
from base.values import JsonObject

if TYPE_CHECKING:
    from ai.nets.trainer import CompiledTrainer
    from ai.samples.proofs import SampleProver


class Teacher:
    """Extracts training samples from games; the learner's settings say which.

    A sample comes from the walk-back, from a threat in the position, or from the exact solver. The
    last two, and variations of samples, exist for m,n,k games only.
    """

    def __init__(self, rules: Game, settings: LearningSettings) -> None:
        """Create a teacher for these rules and settings."""
        self._rules = rules if isinstance(rules, Rules) else None
        self._settings = settings
        self._prover: SampleProver | None = None
        self._varied: dict[bytes, list[Sample]] = {}

    def of_loss(self, record: GameRecord) -> list[Sample]:
        """Return the samples of a lost game (stage 4).

        With threat labels or proofs switched on, a position that they label is not labelled by the
        walk-back as well.
        """
        settings, rules = self._settings, self._rules
        better = _together(self._threats(record), self._proven(record))
        known = {lesson.stones.tobytes() for lesson in better}
        walked = walk_back(record, settings.records)
        quiet = [lesson for lesson in walked if lesson.stones.tobytes() not in known]
        if settings.threat_labels and rules is not None:
            with_own = settings.own_threats
            quiet = [
                lesson
                for lesson in quiet
                if threat_label(lesson.stones, rules, with_own=with_own) is None
            ]
        return quiet + better

    def of_win(self, record: GameRecord) -> tuple[list[Sample], bool]:
        """Return the samples of a won game, and whether the learner nearly lost it.

        That is so if it left a threat unanswered or made a move that is proven to lose. The exact
        solver analyses only nearly lost games; with the setting `prove_wins`, all.
        """
        settings = self._settings
        threats = self._threats(record)
        is_near_loss = settings.near_losses and bool(missed_lessons(record, threats))
        proven = self._proven(record) if is_near_loss or settings.prove_wins else []
        return _together(threats, proven), is_near_loss or (settings.near_losses and bool(proven))

    def variations(self, states: NDArray[np.int8]) -> SampleVariations | None:
        """Return the variations of positions `[N, A]`; None if there are none.

        The variations of the latest positions are cached for the next call; older ones are dropped.

        Args:
            states: `[N, A]` positions from the learner's perspective.
        """
        count = self._settings.variations
        if not count or self._rules is None:
            return None
        before, self._varied = self._varied, {}
        lessons: list[Sample] = []
        first = [0]
        for stones in states:
            key = stones.tobytes()
            if key not in self._varied:
                known = before.get(key)
                with_own = self._settings.own_threats
                self._varied[key] = (
                    vary(stones, self._rules, count, with_own=with_own) if known is None else known
                )
            lessons += self._varied[key]
            first.append(len(lessons))
        if not lessons:
            return None
        return SampleVariations(
            np.stack([lesson.stones for lesson in lessons]),
            np.stack([lesson.label for lesson in lessons]),
            np.array(first),
        )

    def _threats(self, record: GameRecord) -> list[Sample]:
        """Return a sample for each position of a game that has a threat.

        The list is empty if threat labels are switched off.
        """
        if not self._settings.threat_labels:
            return []
        return threat_lessons(record, with_own=self._settings.own_threats)

    def _proven(self, record: GameRecord) -> list[Sample]:
        """Return the samples that the exact solver finds in a game; none if it is switched off."""
        if self._settings.proofs is None or self._rules is None:
            return []
        if self._prover is None:
            from ai.samples.proofs import SampleProver

            self._prover = SampleProver(self._rules, self._settings.proofs)
        return self._prover.lessons(record)


def _together(lessons: list[Sample], better: list[Sample]) -> list[Sample]:
    """Join two lists of samples; for a position in both, keep only the sample of `better`.

    Args:
        lessons: samples that give way.
        better: samples that are all kept.
    """
    known = {lesson.stones.tobytes() for lesson in better}
    return [lesson for lesson in lessons if lesson.stones.tobytes() not in known] + better


MOST: Final = 20_000
"""Maximum number of positions kept; the oldest are dropped first."""
MET: Final = "met"
PLAYED: Final = "played"
"""Name of the array of the learner's moves in a checkpoint.

`MET` is the name of the array of the positions in which it made them.
"""


class MetPositions:
    """The positions in which the learner was to move, each with the move that it last played there.

    Each position is stored once, from the learner's perspective (opponent 1, own -1), the oldest
    first.
    """

    def __init__(self, points: int, *, most: int = MOST) -> None:
        """Start empty.

        Args:
            points: number of points of the board, A.
            most: maximum number of positions.
        """
        self._points = points
        self._most = most
        self._known: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._known)

    def meet(self, record: GameRecord) -> None:
        """Add the positions of a game in which the learner was to move, with its moves.

        For a position that is known already, the new move replaces the old one.
        """
        for ply in learner_plies(record):
            self._known[stones_after(record, ply).tobytes()] = record.moves[ply]
        for key in list(self._known)[: max(len(self._known) - self._most, 0)]:
            del self._known[key]

    def clear(self) -> None:
        """Delete all positions."""
        self._known.clear()

    @property
    def stones(self) -> NDArray[np.int8]:
        """`[M, A]` the positions, the oldest first."""
        return np.frombuffer(b"".join(self._known), np.int8).reshape(-1, self._points)

    @property
    def played(self) -> NDArray[np.intp]:
        """`[M]` the point that the learner last played in each position."""
        return np.fromiter(self._known.values(), np.intp, len(self._known))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the positions and moves as arrays by name; without any, an empty dictionary."""
        return {MET: self.stones, PLAYED: self.played} if self._known else {}

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Replace the positions and moves by those in `arrays`, a result of the method `arrays`.

        Args:
            arrays: the arrays by name; if it is empty, no positions are left.

        Raises:
            ValueError: the arrays do not fit each other or the board.
        """
        stones = np.asarray(arrays.get(MET, np.zeros((0, self._points))), np.int8)
        played = np.asarray(arrays.get(PLAYED, np.zeros(0)), np.intp)
        if stones.shape != (len(played), self._points):
            raise ValueError(
                f"{MET}: expected the shape {(len(played), self._points)}, found {stones.shape}"
            )
        if len(played) and not 0 <= played.min() <= played.max() < self._points:
            raise ValueError(f"{PLAYED}: expected points below {self._points}, found others")
        self._known = {row.tobytes(): int(move) for row, move in zip(stones, played, strict=True)}


@dataclass(frozen=True, slots=True)
class NetworkForm:
    """How learners with a network of one architecture are stored; see `CheckpointForm`."""

    folder: str
    architecture: Architecture

    def files(self, state: LearnerState) -> dict[str, bytes]:
        """Return the contents of a checkpoint's files (weights and memory), by file name."""
        return {
            CHECKPOINT_WEIGHTS: weights_bytes(self.architecture, state.weights),
            MEMORY: packed(state.memory),
        }

    def read(self, checkpoint: Checkpoint) -> LearnerState:
        """Read a checkpoint.

        Raises:
            OSError: a file cannot be opened.
            ValueError: a file is damaged or belongs to another network.
        """
        weights = read_weights(checkpoint.file(CHECKPOINT_WEIGHTS), self.architecture)
        return LearnerState(checkpoint.state, weights, read_arrays(checkpoint.file(MEMORY)))


log = logging.getLogger(__name__)

_STREAM: Final = 2
"""Part of the random seed from which trainings draw; it separates them from other draws.

The seed of a training is (seed of the learner, this number, network id). So a learner restored from
a checkpoint continues as if it had never stopped. A repeated training uses the next number.
"""

_REST_STREAM: Final = 8
"""Part of the seed of the order in which points are taken on boards that are near no node."""

CHUNKS: Final = 8
CHECKED: Final = 40
"""Maximum number of steps between two checks whether a training is enough.

`CHUNKS` is the minimum number of parts into which a training is divided.
"""

_COUNTERS: Final = ("seed", "games_learnt", "relearn_records", "retrains")


class SelfTeachingLearner:
    """Learner that stores positions of lost games in a memory and trains a network on them.

    See `ai.learning.learner.Learner`.

    Attributes:
        repeats_failed: whether a failed training is repeated from new weights.
    """

    repeats_failed: ClassVar[bool] = True

    def __init__(
        self,
        name: str,
        rules: Game,
        settings: Mapping[str, object],
        seed: int = 0,
        *,
        threads: int = 1,
        share: float = 1.0,
        trainers: Trainers | None = None,
    ) -> None:
        """Start with an empty memory and the initial network of `seed`.

        Args:
            name: the player's name in the registry.
            rules: rules of the game.
            settings: the player's settings; defaults for missing ones.
            seed: random seed of the weights and of the order of training.
            threads: number of processor threads that a training uses.
            share: share of the time that a training computes, above 0 to 1; it sleeps for the rest.
            trainers: training loops shared with other learners; None to create own ones.

        Raises:
            OptionError: a setting is unknown or invalid.
        """
        info = get_player_info(name)
        resolved = resolve_settings(info, settings)
        self.name = name
        self.least_held = info.least_held
        self.rules = rules
        self.seed = seed
        self.share = share
        self.settings = LearningSettings.from_settings(resolved)
        self.encoder = build_encoder(rules, resolved)
        self.architecture = build_architecture(rules, resolved, channels=self.encoder.channels)
        _check_built(self.settings, self.architecture, self.encoder)
        self.kernel = str(resolved.get("kernel", DEFAULT_KERNEL))
        self.memory = SituationMemory(
            rules.points,
            alpha=self.board_alpha,
            index=self.settings.index,
            capacity=self.settings.capacity,
        )
        self._trainers = Trainers(threads=threads) if trainers is None else trainers
        self._teacher = Teacher(rules, self.settings)
        self.reset()

    def reset(self) -> None:
        """Forget everything learnt; the compiled training loop remains."""
        self.memory.clear()
        self.games_learnt = 0
        self.relearn_records = 0
        self.retrains = 0
        self.network_id = 0
        self.last_distance: float | None = None
        self._lessons: list[Sample] = []
        self._latest: list[int] = []
        self._recent: deque[GameRecord] = deque(maxlen=RECENT_GAMES)
        self._met = MetPositions(self.rules.points)
        self.failed = 0
        """Number of trainings that failed to reproduce the memory, even after repetition."""
        self._trained = TrainedWeights(0, self._begin(0))

    def observe(self, record: GameRecord) -> bool:
        """Store the samples of a finished game; return whether a training is due.

        Raises:
            LearnerError: the game was played by other rules.
        """
        if record.rules != self.rules:
            raise LearnerError(f"expected a game by {self.rules}, found {record.rules}")
        if record.game <= self.games_learnt:
            return False
        self.games_learnt = record.game
        self._recent.append(record)
        if self.settings.samples != NODES:
            self._met.meet(record)
        if record.winner != -record.learner_color:
            return self._learn_from_win(record)
        if not record.outcome.termination.is_on_board:
            return False  # no stone of the opponent decided it: there is nothing to walk back from
        lessons = self._lessons_of_loss(record)
        self.relearn_records += len(lessons)
        self._store_samples(lessons)
        return bool(lessons) and self.settings.relearn != "never"

    def train(self, progress: Progress | None = None) -> TrainedWeights:
        """Train on the stored samples and return the new network.

        A failed training is repeated once from new weights, and the better result is used; see
        `repeats_failed`.

        Args:
            progress: called with (step, steps, loss, accuracy) during the training; may raise to
                stop it. None for no calls.

        Raises:
            LearnerError: there is nothing to train on.
        """
        samples = self._samples()
        if not len(samples):
            raise LearnerError("expected a lost game to learn from, found none")
        started = time.perf_counter()
        network_id = self.network_id + 1
        trained = self.fit(samples, network_id, progress)
        can_repeat = self.repeats_failed and self.settings.redraw != BUILT
        if can_repeat and self.has_failed(trained.measures):
            again = self.fit(samples, network_id, progress, is_repeat=True)
            trained = max(trained, again, key=lambda found: found.measures.held or 0.0)
        self.failed += self.has_failed(trained.measures)
        self.network_id = network_id
        self.retrains += 1
        self._trained = replace(trained, seconds=time.perf_counter() - started)
        return self.weights()

    def fit(
        self,
        samples: NodeSamples,
        network_id: int,
        progress: Progress | None = None,
        *,
        is_repeat: bool = False,
    ) -> TrainedWeights:
        """Train one network and measure it; the learner's state does not change.

        Args:
            samples: the training samples.
            network_id: id of the network; determines initial weights and order.
            progress: called with (step, steps, loss, accuracy) during the training; may raise to
                stop it. None for no calls.
            is_repeat: whether this repeats a failed training: with new weights, a lower rate and
                more steps.
        """
        settings = self.settings
        if settings.redraw == BUILT and not settings.gradient_steps:
            return self._write(samples, network_id, progress)
        rng = np.random.default_rng([self.seed, _STREAM + is_repeat, network_id])
        trainer = self._compiled()
        test, enough = self.held_test(samples), settings.enough
        whole = samples
        if self._keeps_answers:
            whole = with_kept(samples, self._met.stones, self._met.played)
        taught = self.taught_test(whole)

        def answer(stones: NDArray[np.int8]) -> NDArray[np.float32]:
            return trainer.answer(self.encoder.features(stones))

        initial: Mapping[str, NDArray[np.float32]]
        further: WarmCycles | None = None
        if settings.warm_start and settings.redraw != BUILT and not is_repeat:
            initial = self._trained.arrays
            further = WarmCycles(samples, self.encoder, settings, rng)
            plan = further.first(InferenceNetwork(self.architecture, initial).logits)
        else:
            initial, plan = self._cold_start(samples, whole, network_id, rng, is_repeat=is_repeat)
        trained = trainer.train(
            initial,
            plan,
            progress,
            fraction=self.share,
            parts=max(CHUNKS, plan.steps // CHECKED),
            is_enough=lambda: enough is not None and (taught.fraction(answer) or 0.0) >= enough,
            further=None if further is None else lambda: further.next(trainer.answer),
            most_steps=plan.steps if further is None else settings.steps,
        )
        return TrainedWeights(
            network_id,
            trained.weights,
            loss=trained.loss,
            accuracy=trained.accuracy if enough is None else taught.fraction(answer),
            steps=trained.steps,
            measures=self.measure(answer, test),
        )

    def has_failed(self, measures: Measures) -> bool:
        """Return whether a training with these measures has failed."""
        return measures.is_below(self.least_held)

    def _write(
        self, samples: NodeSamples, network_id: int, progress: Progress | None
    ) -> TrainedWeights:
        """Write one network from the samples and measure it; nothing is trained.

        Args:
            samples: the samples.
            network_id: id of the network.
            progress: called once at the end, see `fit`.
        """
        weights = self._built(samples)
        network = InferenceNetwork(self.architecture, weights)

        def answer(stones: NDArray[np.int8]) -> NDArray[np.float32]:
            return network.logits(self.encoder.features(stones))

        measures = self.measure(answer, self.held_test(samples))
        if progress is not None:
            progress(1, 1, 0.0, measures.held or 0.0)
        return TrainedWeights(
            network_id, weights, accuracy=measures.held, steps=0, measures=measures
        )

    def _built(self, samples: NodeSamples) -> WeightArrays:
        """Return weights written from the samples; the same order of points wherever none is near.

        Args:
            samples: the samples.
        """
        rng = np.random.default_rng([self.seed, _REST_STREAM])
        rest = REST * rng.random(self.rules.points)
        return built_weights(samples, self.architecture, self.settings, rest)

    def advice(self) -> str:
        """Return a warning about a failed training, with a remedy."""
        held = self._trained.measures.held or 0.0
        if self.settings.redraw == BUILT:
            return (
                f"the network answers {held:.0%} of what it was taught "
                f"(expected {self.least_held:.0%} or more): it has "
                f"{self.architecture.hidden[-1]} neurons for {len(self.memory)} nodes; "
                "enlarge `hidden` or lower `reach`"
            )
        return (
            f"the training failed: the network answers {held:.0%} of what it was taught "
            f"(expected {self.least_held:.0%} or more), also after a second one from new weights; "
            "lower `rate` or raise `epochs`"
        )

    def held_test(self, samples: NodeSamples) -> HeldTest:
        """Return a test that measures which share of `samples` a network reproduces."""
        return HeldTest.of(samples.stones, samples.labels, self.rules)

    def taught_test(self, samples: NodeSamples) -> HeldTest:
        """Return a test that measures which share of samples and their variations is reproduced.

        The setting `enough` is compared with its result.
        """
        if samples.variations is None:
            return self.held_test(samples)
        stones = np.concatenate([samples.stones, samples.variations.stones])
        labels = np.concatenate([samples.labels, samples.variations.labels])
        return self.held_test(replace(samples, stones=stones, labels=labels))

    def measure(self, answer: Answer, test: HeldTest) -> Measures:
        """Measure a network.

        Args:
            answer: the network, see `Answer`.
            test: test of the memory.
        """
        positions = positions_of(self._recent, self.rules.points)
        recalled = self.memory_answer() if len(self.memory) else None
        return measure(answer, test, positions, self.rules, recalled)

    def memory_answer(self) -> MemoryAnswer:
        """Return a function that answers from the memory alone, here by kernel regression."""
        recall = Recall(self.memory.vectors, self.memory.labels, width=self.settings.width)
        return lambda stones: recall.scores(self.encoder.vectors(stones))

    @property
    def board_alpha(self) -> float | None:
        """Distance below which positions are merged in the memory; None if none are."""
        return self.settings.alpha

    def see(self, records: Iterable[GameRecord]) -> None:
        """Add games to the last games, on whose positions networks are measured.

        Nothing is learnt from them.
        """
        self._recent.extend(records)

    def weights(self) -> TrainedWeights:
        """Return the current network, and the memory that is needed to explain its moves."""
        nodes = MemoryNodes(
            self.memory.vectors.copy(),
            self.memory.labels,
            self.memory.stones.astype(np.float32),
            self.memory.counts.astype(np.float32),
        )
        return replace(self._trained, memory=nodes)

    def statistics(self) -> JsonObject:
        """Return plain numbers for charts, by name."""
        return {
            "nodes": len(self.memory) if self.settings.relearn == "memory" else 0,
            "records": self.relearn_records,
            "merged": self.memory.merged,
            "last_distance": self.last_distance,
            "retrains": self.retrains,
            "games_learnt": self.games_learnt,
            "network_id": self._trained.network_id,
            "loss": self._trained.loss,
            "accuracy": self._trained.accuracy,
            "seconds": self._trained.seconds,
            "steps": self._trained.steps,
            **asdict(self._trained.measures),
            "failed": self.failed,
            "advice": self.advice() if self.has_failed(self._trained.measures) else None,
        }

    def change_settings(self, settings: Mapping[str, object]) -> None:
        """Change the settings, keeping the network and the remembered positions.

        A new `alpha` applies to positions met from now on, see `SituationMemory.reconfigure`.

        Raises:
            OptionError: a setting is unknown or does not fit; nothing is changed.
            LearnerError: the settings describe another network; nothing is changed.
        """
        resolved = resolve_settings(get_player_info(self.name), settings)
        encoder = build_encoder(self.rules, resolved)
        wanted = build_architecture(self.rules, resolved, channels=encoder.channels)
        mine = (self.architecture, self.encoder.encoding, self.kernel)
        kernel = str(resolved.get("kernel", DEFAULT_KERNEL))
        if (wanted, encoder.encoding, kernel) != mine:
            raise LearnerError("expected settings of the same network, found those of another")
        changed = LearningSettings.from_settings(resolved)
        _check_built(changed, wanted, encoder)
        self.settings = changed
        self._teacher = Teacher(self.rules, self.settings)
        self.memory.reconfigure(
            alpha=self.board_alpha,
            index=self.settings.index,
            capacity=self.settings.capacity,
        )
        self._latest = []  # nodes may have moved

    def skip(self, game: int) -> None:
        """Mark the games up to `game` as known, without learning from them."""
        self.games_learnt = max(self.games_learnt, game)

    def prepare(self) -> None:
        """Load TensorFlow and compile the training loop, if trainings need it."""
        if self.settings.redraw != BUILT or self.settings.gradient_steps:
            self._compiled()

    @property
    def checkpoint_form(self) -> NetworkForm:
        """Storage format of the checkpoints: network weights and the memory."""
        rules, architecture = self.rules, self.architecture
        played: list[object] = [rules.as_dict()]
        if isinstance(rules, Rules):  # older folders are found by this name
            played = [rules.size, rules.win_length, rules.exact]
            if not rules.is_plain:
                played += [rules.rows, rules.gravity]
        shape = [architecture.layout, architecture.hidden, architecture.branch, "softmax"]
        if architecture.kernel_sizes != (3, 3, 3):
            shape.append(architecture.kernel_sizes)
        if architecture.layout == LINES:
            shape.append(architecture.line_width)
        identity = [self.name, played, shape, [self.encoder.encoding, self.kernel]]
        title = f"{self.name}-{rules.size}x{rules.rows}"
        return NetworkForm(folder_name(title, identity), architecture)

    def state(self) -> LearnerState:
        """Return the complete state, for a checkpoint."""
        trained = self._trained
        values = {
            "seed": self.seed,
            "games_learnt": self.games_learnt,
            "relearn_records": self.relearn_records,
            "retrains": self.retrains,
            "network_id": trained.network_id,
            "newest_network_id": self.network_id,
            "nodes": len(self.memory),
            "loss": trained.loss,
            "accuracy": trained.accuracy,
            "seconds": trained.seconds,
            "steps": trained.steps,
            **asdict(trained.measures),
            "failed": self.failed,
        }
        memory = {**self.memory.arrays(), **self._met.arrays()}
        return LearnerState(values, trained.arrays, memory)

    def restore(self, state: LearnerState) -> None:
        """Replace the learner's state by that of a checkpoint.

        Checkpoints of older versions may lack some values; these get their defaults.

        Raises:
            KeyError: a counter is missing; nothing is changed.
            MemoryFileError: the memory's arrays do not fit; nothing is changed.
        """
        values = state.values
        counters = [int(values[key]) for key in _COUNTERS]
        trained = TrainedWeights(
            int(values["network_id"]),
            state.weights,
            values["loss"],
            values["accuracy"],
            values["seconds"],
            steps=values.get("steps"),
            measures=Measures(**{name: values.get(name) for name in ("held", "agrees", "variety")}),
        )
        met = MetPositions(self.rules.points)
        met.restore(state.memory)
        self.memory.restore(state.memory)
        self.seed, self.games_learnt, self.relearn_records, self.retrains = counters
        self.network_id = max(int(values.get("newest_network_id", 0)), trained.network_id)
        self._trained = trained
        self.failed = int(values.get("failed", 0))
        self._recent.clear()
        self._met = met

    def _learn_from_win(self, record: GameRecord) -> bool:
        """Store the samples of a won game; return whether a training is due.

        A training is due if the learner nearly lost the game and the setting `near_losses` is on.
        """
        if not self.settings.win_records:
            return False
        lessons, is_near_loss = self._teacher.of_win(record)
        touched = self._remember(lessons)
        if not is_near_loss:
            return False
        self._latest = touched
        return self.settings.relearn == "memory"

    def _lessons_of_loss(self, record: GameRecord) -> list[Sample]:
        """Return the samples of a lost game; a learner that serves as a control overrides this."""
        return self._teacher.of_loss(record)

    def _store_samples(self, lessons: Sequence[Sample]) -> None:
        """Store the samples of a lost game for the next training.

        With the setting `relearn` = "memory" they go into the memory. Else they are kept until the
        next lost game only.
        """
        if self.settings.relearn == "memory":
            self._latest = self._remember(lessons)
        else:
            self._lessons = list(lessons)

    def _remember(self, lessons: Sequence[Sample]) -> list[int]:
        """Add samples to the memory (stage 5); return the indices of the nodes that changed.

        New nodes are included.
        """
        if not lessons:
            return []
        vectors = self.encoder.vectors(np.stack([lesson.stones for lesson in lessons]))
        touched = []
        for vector, lesson in zip(vectors, lessons, strict=True):
            combination = self.memory.combine(vector, lesson.label, lesson.stones)
            self.last_distance = combination.distance
            touched.append(combination.node)
        return sorted(set(touched))

    def _samples(self) -> NodeSamples:
        """Return the samples to train on.

        With the setting `relearn` = "memory" these are all of the memory, else those of the last
        lost game.
        """
        if self.settings.relearn == "memory":
            latest = np.array(self._latest, np.intp)
            return NodeSamples(
                self.memory.stones,
                self.memory.labels,
                latest,
                self.rules,
                self._teacher.variations(self.memory.stones),
                self.memory.counts,
                self.memory.ages,
            )
        if not self._lessons:
            empty = np.zeros((0, self.rules.points))
            none = np.zeros(0, np.intp)
            return NodeSamples(empty.astype(np.int8), empty.astype(np.float32), none, self.rules)
        return NodeSamples(
            np.stack([lesson.stones for lesson in self._lessons]),
            np.stack([lesson.label for lesson in self._lessons]),
            np.arange(len(self._lessons)),
            self.rules,
            ages=np.arange(len(self._lessons)),  # the last position stands first
        )

    @property
    def _keeps_answers(self) -> bool:
        """Whether trainings also use the moves that the learner played in other positions."""
        return self.settings.relearn == "memory" and self.settings.samples == KEPT

    def _cold_start(
        self,
        samples: NodeSamples,
        whole: NodeSamples,
        network_id: int,
        rng: np.random.Generator,
        *,
        is_repeat: bool,
    ) -> tuple[WeightArrays, TrainingPlan]:
        """Return initial weights and plan of a training that is not a warm one.

        A warm training continues from the last weights, see `WarmCycles`.

        Args:
            samples: the samples to learn.
            whole: the same samples, followed by the learner's own moves.
            network_id: id of the network.
            rng: random generator of this training; its state advances.
            is_repeat: whether this repeats a failed training.
        """
        settings = self.settings
        if is_repeat:
            initial = draw_weights(self.architecture, rng)
            return initial, fresh_plan(whole, self.encoder, repeated(settings), rng)
        is_built = settings.redraw == BUILT
        initial = self._built(samples) if is_built else self._begin(network_id)
        if self._keeps_answers:
            if is_built:
                settings = replace(settings, steps=settings.gradient_steps)
            return initial, kept_plan(whole, len(samples), self.encoder, settings, rng)
        steps = settings.gradient_steps if is_built else None
        return initial, fresh_plan(samples, self.encoder, settings, rng, steps=steps)

    def _begin(self, network_id: int) -> WeightArrays:
        """Return the initial weights of a network, as the setting `redraw` says.

        They are drawn anew for each network ("new"), the last network's ("carried"), or the same
        every time. With "built" these are those of the first network alone, see `_built`.

        Args:
            network_id: id of the network; 0 is the first one.
        """
        if self.settings.redraw == CARRIED and network_id:
            return dict(self._trained.arrays)
        stream = network_id if self.settings.redraw == "new" else 0
        return initial_weights(self.architecture, self.seed, stream)

    def _compiled(self) -> CompiledTrainer:
        """Return the compiled training loop, built on first use; loads TensorFlow."""
        return self._trainers.of(self.architecture, self.settings.batch)


def _check_built(
    settings: LearningSettings, architecture: Architecture, encoder: StateEncoder
) -> None:
    """Check that the network fits the setting `redraw`.

    Raises:
        OptionError: nodes are to be written into a network that cannot hold them.
    """
    if settings.redraw != BUILT:
        return
    try:
        check_form(architecture, encoder.encoding)
    except ArchitectureError as error:
        raise OptionError(str(error)) from error


create = partial(SelfTeachingLearner, "cnn-ann")
"""Create the paper's learner `cnn-ann`; the arguments are those of its class but `name`."""
create_plus = partial(SelfTeachingLearner, "cnn-ann-plus")
"""Create the learner `cnn-ann-plus`; the arguments are those of its class but `name`."""

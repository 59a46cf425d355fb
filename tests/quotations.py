"""Which page quotes which measured number, and where that number is stored.

`QUOTATIONS` has a line for each sentence that quotes one: the page, and its words with the number as
a field in braces. The fields are read from the stored results and from the tables of the studies
(`stored`), never written here. So a number that is measured anew is asked of every page that quotes
it. Words that judge are fields, too: `{parts[equal-time].beats}` is "beats" only where the interval
lies above one half.

To add one, write the page's sentence into `QUOTATIONS`, its numbers as fields. A new result is a new
name in `stored`. `tests/test_quotations.py` holds the pages against them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from ai.runs.statistics import mean_interval, wilson
from base.files import SHIPPED_ROOT
from base.storage.json_file import read_json
from benchmarks import balanced_openings, lines, seeds
from benchmarks.study_rows import (
    FRESH,
    frozen_share,
    full_boards,
    losses_of,
    mean_losses,
    select,
)
from benchmarks.study_tables import read_studies

STUDIES: Final = SHIPPED_ROOT / "docs" / "studies"
CARDS: Final = SHIPPED_ROOT / "assets" / "players"


@dataclass(frozen=True)
class Match:
    """Games of one player against another, and what may be said of them.

    Attributes:
        points: of the first player, a draw half a point.
        games: how many there were.
        won: how many the first player won.
        drawn: how many were drawn.
    """

    points: float
    games: int
    won: int
    drawn: int = 0

    @property
    def lost(self) -> int:
        """How many the first player lost."""
        return self.games - self.won - self.drawn

    @property
    def other(self) -> float:
        """The points of the other player."""
        return self.games - self.points

    @property
    def percent(self) -> float:
        """The share of the points, times 100."""
        return 100 * self.points / self.games

    @property
    def interval(self) -> str:
        """The 95 % interval of that share."""
        low, high = wilson(self.points, self.games)
        return f"{100 * low:.0f} to {100 * high:.0f}%"

    @property
    def beats(self) -> str:
        """Whether the interval lies above one half, as a verb."""
        return "beats" if wilson(self.points, self.games)[0] > 0.5 else "does not beat"

    @property
    def helps(self) -> str:
        """The same of a part that a player has or has not."""
        return "helps" if wilson(self.points, self.games)[0] > 0.5 else "does not help"

    @property
    def difference(self) -> str:
        """Whether one half lies in the interval, as a verb."""
        low, high = wilson(self.points, self.games)
        return "makes no difference" if low <= 0.5 <= high else "makes a difference"

    @property
    def made(self) -> str:
        """The same of what was tried once."""
        return self.difference.replace("makes", "made")

    @property
    def satisfies(self) -> str:
        """Whether a player that others call "far from satisfactory" is that here, too."""
        low, high = wilson(self.points, self.games)
        return "it is not" if low > 0.5 else "it is" if high < 0.5 else "that is open"

    @property
    def wins_every_game(self) -> str:
        """Whether it won all of them."""
        return "wins every game" if self.won == self.games else "does not win every game"


def match_of(won: int, drawn: int, lost: int) -> Match:
    """Return a match of its counts."""
    return Match(won + drawn / 2, won + drawn + lost, won, drawn)


def counted(text: str) -> Match:
    """Return the match of a cell such as "9, 1, 10"."""
    won, drawn, lost = (int(number) for number in text.split(","))
    return match_of(won, drawn, lost)


def of(text: str) -> Match:
    """Return the match of a cell that begins as "34 of 40" does, where points stand for wins."""
    points, games = re.findall(r"(\d+(?:\.\d+)?) of (\d+)", text)[0]
    return Match(float(points), int(games), int(float(points)))


@cache
def plain_text(page: str) -> str:
    """Return a page or module as one line: without code blocks, emphasis and links' targets."""
    text = (SHIPPED_ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    return one_line(text)


def one_line(text: str) -> str:
    """Return a text with single spaces, "%" beside its number, and no emphasis."""
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text).replace("**", "")
    text = re.sub(r"^\s*# ?", "", text, flags=re.M)
    return " ".join(text.split()).replace(" %", "%")


def row(study: str, begin: str, *, after: str = "") -> list[str]:
    """Return the cells of a table's row in a study, the first one included.

    Args:
        study: name of the page in docs/studies.
        begin: how the row begins, its first bar left out.
        after: text of the page that stands before the table.
    """
    text = (STUDIES / f"{study}.md").read_text(encoding="utf-8")
    text = text.partition(after)[2] if after else text
    found = (line for line in text.splitlines() if line.startswith(f"| {begin}"))
    return [cell.strip() for cell in next(found).strip("|").split("|")]


def said(page: str, pattern: str) -> Match:
    """Return the points and games that a study says in a sentence, where it has no table."""
    found = re.search(pattern, plain_text(f"docs/studies/{page}.md"))
    assert found is not None, f"{page}: expected {pattern!r}"
    return of(found[0])


# -- what is stored -----------------------------------------------------------------------------


def _of_first(pairs: Mapping[str, Sequence[int]], first: str) -> Match:
    """Return all games of a player in a part, from its side."""
    sides = [
        tuple(counts) if pair.startswith(f"{first}|") else tuple(reversed(counts))
        for pair, counts in pairs.items()
        if first in pair.split("|")
    ]
    return match_of(*(sum(numbers) for numbers in zip(*sides, strict=True)))


def _experiments() -> dict[str, Any]:
    """Return the documents' experiments, from docs/studies/seeds.json."""
    study = read_json(seeds.STUDY)["parts"]
    parts, claims = {}, {}
    for part in seeds.EVERY_PART:
        claims[part.name] = part.claim
        first = part.tournament.players[0]
        if part.name in study:
            parts[part.name] = _of_first(study[part.name]["pairs"], first)
    against = {
        pair.partition("|")[2]: match_of(*counts)
        for pair, counts in study["table-3"]["pairs"].items()
    }
    roster: dict[str, Match] = {}
    for pair, (won, drawn, lost) in study["roster"]["pairs"].items():
        one, other = pair.split("|")
        roster[f"{one}:{other}"] = match_of(won, drawn, lost)
        roster[f"{other}:{one}"] = match_of(lost, drawn, won)
    roster["alpha-beta"] = _of_first(study["roster"]["pairs"], "alpha-beta")
    guided = study["equal-iterations"]
    return {
        "parts": parts,
        "claims": claims,
        "against": against,
        "roster": roster,
        "guided_seconds": guided["seconds"]["mcts-nn@network=earlier"],
        "guided_rate": guided["config"]["nodes"] / guided["seconds"]["mcts-nn@network=earlier"],
    }


def _published() -> dict[str, Any]:
    """Return what the studies of published players and of tree search say in their tables."""
    games = row("published_players", "minimax-q |")[1:]
    pattern = row("tree_search", "`pattern` |")[2]
    return {
        "convolution": read_json(CARDS / "convolution.json")["card"]["held_out"],
        "weights": read_json(CARDS / "convolution.json")["weights"],
        "move_net": read_json(CARDS / "move_net.json"),
        "alone": read_json(CARDS / "move_net.json")["by_itself"],
        "dense": read_json(CARDS / "move_net_dense.json"),
        "earlier_net": read_json(CARDS / "move_net_1.json"),
        "short": dict(
            zip(("random", "pattern", "genetic", "convolution"), map(counted, games), strict=True)
        ),
        "short_policy": said("published_players", r"it won \d+ of \d+. So here the policy"),
        "short_genetic": said("published_players", r"It won \d+ of \d+, and from balanced"),
        "swap2": of(row("published_players", "by value |")[1]),
        "swap2_alpha_beta": of(row("published_players", "by value |")[2]),
        "rate": row("tree_search", "iterations, 15x15")[1],
        "tree": {
            "random": counted(row("tree_search", "`random` |")[2]),
            "alpha-beta": counted(row("tree_search", "`alpha-beta`, 10,000")[2]),
            "pattern": counted(pattern),
            "pattern, 150,000": said("tree_search", r"`mcts` won \d+ of \d+ against `pattern`"),
        },
    }


def table_after(study: str, heading: str) -> list[str]:
    """Return the rows of a study's first table below a heading, without its head."""
    text = (STUDIES / f"{study}.md").read_text(encoding="utf-8").partition(f"{heading}\n")[2]
    bars = [number for number, line in enumerate(text.splitlines()) if line.startswith("|")]
    lines_below = text.splitlines()[bars[0] :]
    whole = next(n for n, line in enumerate([*lines_below, ""]) if not line.startswith("|"))
    return [line.strip("| ") for line in lines_below[2:whole]]


OUTSIDE: Final = table_after("engine", "## Against outside programs")
"""The rows of the table of outside programs."""


def _alpha_beta() -> dict[str, Any]:
    """Return what the studies of alpha-beta and of its search say."""
    rest = row("alpha_beta", "`genetic`, `pattern`")[1].removesuffix(" each")
    won = {name: int(row("alpha_beta", f"`{name}` |")[1]) for name in ("minimax-q", "mcts")}
    guided = row("alpha_beta", "`alphagomoku`, as it is seated")
    tried = (STUDIES / "engine.md").read_text(encoding="utf-8").partition("### Selective")[0]
    versions = {
        number: row("engine", f"{number} |", after="## Versions against each other")[1]
        for number in range(2, 8)
    }
    return {
        "eight_least": min(int(rest), *won.values()),
        "eight_most": max(int(rest), *won.values()),
        "no_fours": said("alpha_beta", r"None won \d+ of \d+ against 16"),
        "seated": Match(float(guided[1]), 100, int(guided[1])),
        "versions": [text.partition(";")[0] for text in ("", "", *versions.values())],
        "last_match": re.findall(
            r"in (\d+) games, (\d+) won, (\d+) drawn, (\d+) lost", versions[6]
        )[0],
        "last_gain": _gain(re.findall(r"processor (\+\d+ \([^)]+\))", versions[6])[0]),
        "learned_gain": _gain(row("engine", "0.1 s of the processor |")[4]),
        "failed": {5: "Five", 6: "Six", 7: "Seven"}[tried.count("| not stronger")],
        "bench": row("engine", "version 7, `--nodes 10000`")[5].partition(",")[0],
        "outside": OUTSIDE,
    }


def _gain(text: str) -> str:
    """Return a gain such as "+95 (51 to 144)" with its unit, as sentences have it."""
    return text.replace(" (", " Elo (")


def _alphagomoku() -> dict[str, Any]:
    """Return what the study of AlphaGomoku says, and the cards of its pairs."""
    seated = "### As it is seated"
    both = row("alphagomoku", "neither basic rules nor mentor")[3]
    one = row("alphagomoku", "one network for both colours")[3]
    decay, basics = (
        row("alphagomoku", name)[3] for name in ("no winning value decay", "no basic rules")
    )
    together = [int(cell) for cell in row("alphagomoku", "together |")[2:]]
    nine = {
        name: row("alphagomoku", f"{begin} |", after="<!-- made: modifications -->")
        for name, begin in {
            "one": "one network, with as many steps as two",
            "unled": "no mentor",
            "alone": "self-play alone",
            "values": "no mentor's values: its games' results",
            "decay": "no winning value decay",
            "basics": "no basic rules",
            "whole": "the whole method",
        }.items()
    }
    return {
        "rate_of_search": row("alphagomoku", "simulations |")[1],
        "alphagomoku": {
            "whole": of(row("alphagomoku", "15x15 | `genetic`", after=seated)[2]),
            "mcts": of(row("alphagomoku", "| `mcts`, 0.5 s", after=seated)[2]),
            "mentor": match_of(*together),
            "black": said("alphagomoku", r"As Black it got \d+ of \d+ against `mcts` with 2,000"),
            "white": said("alphagomoku", r"As White it got \d+ of \d+"),
        },
        "neither": f"{both} against the whole method",
        "phases": "help" if _unseen(both).endswith("a difference") else "make no difference",
        "single": one,
        "without": {name: of(cells[2]) for name, cells in nine.items() if cells[2]},
        "without_means": {name: cells[4] for name, cells in nine.items()},
        "as_black": {name: of(cells[5]) for name, cells in nine.items()},
        "unseen": _unseen(decay, basics),
        "cards": {size: read_json(CARDS / f"alphagomoku_{size}.json") for size in (7, 9, 15)},
        "minutes": {
            size: 60 * read_json(CARDS / f"alphagomoku_{size}.json")["hours"] for size in (7, 9, 15)
        },
        "leaf_fours": re.findall(
            r"`leaf_fours`\) and takes (\d+%)", plain_text("docs/alphagomoku.md")
        )[0],
    }


def _unseen(*scores: str) -> str:
    """Return whether one half lies in each interval, such as "51 ± 4 %", in words."""
    for score in scores:
        mean, half = (int(number) for number in re.findall(r"\d+", score)[:2])
        if abs(mean - 50) > half:
            return "made a difference"
    return "made no difference that could be seen"


def _self_teaching() -> dict[str, Any]:
    """Return what the study of self-teaching says, from its summaries."""
    studies = read_studies(STUDIES)

    def lost(condition: str, study: str = "ann", **which: Any) -> float:
        return mean_losses(select(studies, study, condition=condition, **which))

    def span(values: Sequence[int]) -> str:
        return f"{min(values)} to {max(values)}"

    fresh, strong, _ = studies["plus"].values()
    counts = [full_boards([cell]) for cell in (*fresh, *strong)]
    full = [boards / wins for boards, wins in counts]
    random = select(studies, "ann", condition="5", control="random-labels")
    seeds_of_both = {cell["seed"] for cell in random}
    learnt = select(studies, "ann", condition="5")
    same = [cell for cell in learnt if cell["seed"] in seeds_of_both]
    means = [mean_interval(losses_of(cells)) for cells in (fresh, strong)]
    guarded = [*fresh, *strong, *studies["plus"]["10x10, seeded from the board"]]
    guards = {
        name: 100
        * frozen_share(guarded, "10x10", name)[0]
        / frozen_share(guarded, "10x10", name)[1]
        for name in ("before training", "shuffled weights")
    }
    frozen = {
        "10x10": frozen_share(fresh, "10x10"),
        "50x30": frozen_share(strong, "50x30"),
    }
    tried = {item["name"]: item["losses"] for item in studies["tried"]["rows"]}
    ablated = {item["name"]: item["losses"] for item in studies["ablation"]["rows"]}
    return {
        "memory": lost("5"),
        "forgetful": lost("no-relearn"),
        "times": mean_losses(random) / mean_losses(same),
        "network": span(losses_of(select(studies, "cnn_ann"))),
        "one_order": span(
            losses_of(select(studies, "cnn_ann", condition="5", control="one-order"))
        ),
        "kept": lost("5", "kept"),
        "kept_random": lost("5", "kept", control="random-labels"),
        "memory_fresh": span(losses_of(select(studies, "ann", randomness=FRESH))),
        "network_fresh": span(losses_of(select(studies, "cnn_ann", randomness=FRESH))),
        "plus": [f"{mean:.1f} ± {half:.1f}" for mean, half in means],
        "frozen": {name: 100 * won / games for name, (won, games) in frozen.items()},
        "guards": guards,
        "full_least": 100 * min(full),
        "full_most": 100 * max(full),
        "full_runs": {10: "ten"}[len(full)],
        "tried": {name: sum(losses) / len(losses) for name, losses in tried.items()},
        "ablated": {name: sum(losses) / len(losses) for name, losses in ablated.items()},
    }


def _other_games() -> dict[str, Any]:
    """Return what the study of other games says, from its summary."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for curve in read_json(STUDIES / "other_games.json")["curves"]:
        found.setdefault(curve["game"], []).append(curve["held_out"]["one-ply"])

    def listed(game: str, who: str, what: str) -> str:
        first, second, third = (item[who][what] for item in found[game])
        return f"{first}, {second} and {third}"

    def span(game: str, who: str) -> str:
        won = [item[who]["wins"] for item in found[game]]
        return f"{min(won)} to {max(won)}"

    all_four, none = (
        sum(map(int, row("other_games", begin)[1].split(",")))
        for begin in ("with all four", "without all four")
    )
    return {
        "four_parts": "did not help" if all_four >= none else "helped",
        "tic_tac_toe": listed("tic-tac-toe", "trained", "losses"),
        "tic_tac_toe_before": listed("tic-tac-toe", "untrained", "losses"),
        "connect_four": span("connect-four", "trained"),
        "connect_four_before": span("connect-four", "untrained"),
    }


def _same(study: str, pattern: str) -> str:
    """Return what a study says in a sentence, where it has no table."""
    found = re.search(pattern, plain_text(f"docs/studies/{study}.md"))
    assert found is not None, f"{study}: expected {pattern!r}"
    return found[1]


def _rounded(text: str, digits: int) -> str:
    """Return a number such as "62,396" rounded to so many zeros."""
    return f"{round(int(text.replace(',', '')), -digits):,}"


def _more_often() -> int:
    """Return how many seeds of the ball game won more often than the script."""
    trained, script = (
        [int(cell.partition("-")[0]) for cell in row("environments", begin)[2:]]
        for begin in ("trained, frozen | random actions", "the script | random actions")
    )
    return sum(own > other for own, other in zip(trained, script, strict=True))


def _others() -> dict[str, Any]:
    """Return what stands on few pages."""
    hall = row("training_hall", "nice 10")
    low, high = balanced_openings.KEPT
    script = row("environments", "| the script | 6-")[2:]
    drawn = [int(cell.split("-")[1]) for cell in script]
    return {
        "hall_rest": hall[1],
        "hall": hall[2],
        "hall_frame": _same("training_hall", r"A frame takes (\d+ ms)"),
        "hall_memory": _same("training_hall", r"The worker holds (\d+ MiB)"),
        "canvas": row("graphics", "Goishi's canvas")[1].partition(",")[0],
        "pole": _rounded(row("environments", "the same as one environment")[2], 3),
        "poles": _rounded(row("environments", "a vector of 64 in two processes")[2], 3),
        "walker": _rounded(row("environments", "walker, one environment")[2], 2),
        "walkers": _rounded(row("environments", "a vector of 64 walkers")[2], 2),
        "pole_seen": _rounded(row("environments", "cart-pole, a step and its picture")[2], 1),
        "drawn_least": min(drawn),
        "drawn_most": max(drawn),
        "learnt_more": {4: "four", 5: "five"}[_more_often()],
        "balanced": f"{100 * low:.0f} to {100 * high:.0f}%",
        "a_minute": 20.0,
        "a_second": 20.0 / 60.0,
    }


def _eye() -> dict[str, Any]:
    """Return the percentages that the learning eye names rightly, means over the seeds."""
    text = (STUDIES / "learning_eye.md").read_text(encoding="utf-8")
    cells = [line.split("|") for line in text.splitlines() if re.match(r"\| \d \|", line)]
    shares = {
        lessons: 100 * float(np.mean([float(item[place].split()[0]) for item in cells]))
        for lessons, place in ((4, 2), (12, 4))
    }
    most = re.findall(r"frequent name, you would get (0\.\d+)", one_line(text))[0]
    return {"eye": {**shares, "most": 100 * float(most)}}


def _lines() -> dict[str, Any]:
    """Return what the study of lines has of each variant, from docs/studies/lines.json."""
    found = {}
    for row in lines.read_study()["rows"]:
        frozen = {
            kind: f"{sum(won) / len(won):.1f}".removesuffix(".0")
            for kind, won in row["frozen"].items()
        }
        shares = [100 * share for share in row["held"] if share is not None]
        held = f"{min(shares):.0f} to {max(shares):.0f}" if shares else "nothing"
        found[row["name"]] = {
            "lost": lines.spread(row["losses"]),
            "least": min(row["losses"]),
            "most": max(row["losses"]),
            "frozen": frozen,
            "held": held,
        }
    return {"lines": found}


def _memory_size() -> dict[str, Any]:
    """Return what the memory costs, from docs/studies/memory_size.json: by index, numbers, nodes."""
    found: dict[str, Any] = {"hnsw": {}, "exact": {}, "learner": {}}
    for item in read_json(STUDIES / "memory_size.json")["rows"]:
        name = f"{item['points']}-{item['nodes']}"
        if item["index"] in found:
            found[item["index"]][name] = {
                "hits": item["hits"],
                "add_us": item["add_us"],
                "query_ms": item["query_us"] / 1000,
                "add_ms": item["add_us"] / 1000,
            }
        if "learner_nodes" in item:
            found["learner"][name] = {
                "remember_ms": item["observe_ms"],
                "train_s": item["train_ms"] / 1000,
                "answer": {True: "half a second", False: f"{item['answer_ms']:.0f} ms"}[
                    400 < item["answer_ms"] < 600
                ],
            }
    return {"memory_size": found}


def _learners() -> dict[str, Any]:
    """Return what SAC and PPO reach on scenes, from docs/studies/learners.json and the table of PPO."""
    found: dict[str, dict[str, Any]] = {}
    for run in read_json(STUDIES / "learners.json")["scenes"]:
        of_scene = found.setdefault(run["scene"], {})
        of_scene.setdefault(run["learner"], []).append(run["trained"]["mean"])
    for scene, of_scene in found.items():
        lines = (STUDIES / "environments.md").read_text(encoding="utf-8").splitlines()
        heads = [n for n, line in enumerate(lines) if line.startswith(f"| {scene}")]
        rows = [lines[heads[-1]]]  # the longest runs
        while lines[heads[-1] + len(rows)].startswith("| | |"):
            rows.append(lines[heads[-1] + len(rows)])
        whole = [float(line.split("|")[4].split("±")[0]) for line in rows]
        own = of_scene.get("sac", [])
        of_scene["seeds"] = {1: "one seed", 2: "two seeds", 3: "three seeds"}.get(len(own), "")
        of_scene["reaches"] = "reaches" if min(own, default=-1e9) >= np.mean(whole) else "misses"
        of_scene["whole"] = np.mean(whole)
        for learner in ("sac", "ppo"):
            of_scene[learner] = np.mean(of_scene.get(learner, [np.nan]))
    return {"scenes": found}


@cache
def stored() -> dict[str, Any]:
    """Return every number that a quotation may name."""
    return {
        **_experiments(),
        **_published(),
        **_alpha_beta(),
        **_alphagomoku(),
        **_self_teaching(),
        **_eye(),
        **_lines(),
        **_memory_size(),
        **_other_games(),
        **_learners(),
        **_others(),
    }


# -- who quotes it ------------------------------------------------------------------------------

GUIDED: Final = "{parts[equal-iterations].points:g} of {parts[equal-iterations].games} points"
TIMED: Final = "{parts[equal-time].points:g} of {parts[equal-time].games}"
THESIS: Final = "{claims[equal-iterations]} and {claims[equal-time]}"
ALONE: Final = (
    "{parts[mcts-alone].points:g} of {parts[mcts-alone].games} points from the report's own search"
)
NET: Final = "took {parts[guided-net].points:g} of {parts[guided-net].games}"
OURS_BEATEN: Final = "{parts[guided-ours].points:g} of {parts[guided-ours].games}"
PLAIN_BEATEN: Final = "{parts[guided-thesis].points:g} of {parts[guided-thesis].games}"
IN_THE_THESIS: Final = "The thesis has {claims[guided-thesis]}. With 50 iterations a move it took"
FITTED: Final = "{weights[0]:,.0f}, {weights[1]:,.0f}, {weights[2]:,.0f}, {weights[3]:.2f}"
POLICY: Final = "{parts[policy-search].points:g} of {parts[policy-search].games}"

QUOTATIONS: Final[tuple[tuple[str, str], ...]] = (
    # SAC and PPO.
    ("docs/studies/learners.md", "SAC {scenes[pendulum][reaches]} PPO's level on the pendulum with a fifth of its steps. It has {scenes[pendulum][sac]:.0f} on average over {scenes[pendulum][seeds]}. PPO has {scenes[pendulum][whole]:.0f} after 100,000 steps, and {scenes[pendulum][ppo]:,.0f} after as many as SAC"),
    # The documents' experiments.
    ("docs/seeds.md", "With 50 iterations a move it took {parts[times-1].points:g} of {parts[times-1].games} points from the thesis's plain player with 50, and {parts[times-10].points:g} of {parts[times-10].games} from it with 500"),
    *(
        (page, words)
        for page in ("docs/seeds.md", "docs/studies/seeds.md", "docs/published_players.md")
        for words in (OURS_BEATEN, PLAIN_BEATEN)
    ),
    ("docs/seeds.md", "At 1,000 iterations each such a network took {parts[untrained-thesis].points:g} of {parts[untrained-thesis].games} from it, and {parts[untrained-ours].points:g} of {parts[untrained-ours].games} from `mcts`"),
    ("docs/studies/seeds.md", "such a network took {parts[untrained-thesis].points:g} of {parts[untrained-thesis].games} from it ({parts[untrained-thesis].interval}), and {parts[untrained-ours].points:g} of {parts[untrained-ours].games} from ours"),
    ("docs/seeds.md", "the guided search took {parts[dense-thesis].points:g} of {parts[dense-thesis].games} points from the thesis's plain player at 1,000 iterations each"),
    ("docs/studies/seeds.md", "the guided search took {parts[dense-thesis].points:g} of {parts[dense-thesis].games} points from the thesis's plain player at 1,000 iterations each ({parts[dense-thesis].interval})"),
    *((page, IN_THE_THESIS) for page in ("docs/seeds.md", "docs/studies/seeds.md")),
    *(
        (page, "At a second each it took {parts[guided-time].points:g} of {parts[guided-time].games}, where the thesis has {claims[guided-time]}")
        for page in ("docs/seeds.md", "docs/studies/seeds.md")
    ),
    ("docs/seeds.md", "38 of 40, and with 50,000 {parts[times-1000].points:g} of {parts[times-1000].games}"),
    ("docs/studies/seeds.md", "38 of 40, and with 50,000 {parts[times-1000].points:g} of {parts[times-1000].games}"),
    ("docs/studies/seeds.md", "the search took {parts[fives-first].points:g} of {parts[fives-first].games} points from the search without that switch ({parts[fives-first].interval}). With the earlier network it took {parts[fives-first-earlier].points:g} of {parts[fives-first-earlier].games}"),
    ("docs/seeds.md", "That player is weak as it is read here: ours took {parts[plain].points:g} of {parts[plain].games} from it"),
    ("docs/seeds.md", "With 5,000 it took {parts[times-100].points:g} of {parts[times-100].games}"),
    ("docs/seeds.md", "Even a network that was not trained took {parts[guided-untrained].points:g} of {parts[guided-untrained].games} from it"),
    ("docs/studies/seeds.md", "Depth changes the sum by less than its interval: {parts[table-3-depth-1].percent:.0f} to {parts[table-3-depth-4].percent:.0f}% of the points"),
    ("docs/studies/seeds.md", "With 5,000 it took {parts[times-100].points:g} of {parts[times-100].games}"),
    ("docs/studies/seeds.md", "one that was not trained took {parts[guided-untrained].points:g} of {parts[guided-untrained].games}, at 100"),
    ("docs/seeds.md", "`mcts` with 1,000 iterations took {parts[tree-alone].points:g} of {parts[tree-alone].games} points from the network that ships now. The thesis has {claims[tree-alone]}"),
    ("docs/studies/seeds.md", "it took {parts[times-1].points:g} of {parts[times-1].games} points from the thesis's plain player with 50, and {parts[times-10].points:g} of {parts[times-10].games} from it with 500"),
    ("docs/studies/seeds.md", "`mcts` with 1,000 iterations took {parts[tree-alone].points:g} of {parts[tree-alone].games} points from it. The thesis has {claims[tree-alone]}"),
    ("docs/studies/seeds.md", "In `plain` ours took {parts[plain].points:g} of {parts[plain].games} points from it"),
    ("docs/seeds.md", "With the earlier network the guided search {parts[equal-iterations].beats} the plain one. `mcts-nn` took " + GUIDED),
    ("docs/seeds.md", "at equal iterations, and " + TIMED + " at equal time. The thesis has " + THESIS),
        ("docs/seeds.md", "With a second a move it " + NET + " points from the network alone. The thesis has {claims[guided-net]}"),
    ("docs/seeds.md", "it took " + ALONE),
    ("docs/seeds.md", "scores {parts[table-3].points:g} of {parts[table-3].games} against twelve"),
    ("docs/seeds.md", "The report has 41 : 103 against"),
    ("docs/seeds.md", "The default policy {parts[policy-genetic].wins_every_game} for the genetic algorithm ({parts[policy-genetic].won} of {parts[policy-genetic].games})"),
    ("docs/seeds.md", "For the search it {parts[policy-search].difference} that 40 games show at equal seconds (" + POLICY + ")"),
    ("docs/seeds.md", "it won {roster[alpha-beta].won} of its {roster[alpha-beta].games} games against all others"),
    ("docs/studies/seeds.md", "With the earlier network the guided search {parts[equal-iterations].beats} the plain one. It took " + GUIDED + " at equal iterations, and " + TIMED + " at a second each. In the thesis it took " + THESIS),
    ("docs/studies/seeds.md", "The thesis's network alone won 5% against 1,000 plain iterations. The earlier one won {parts[tree-net].other:g} of {parts[tree-net].games}"),
    ("docs/studies/seeds.md", "The search still {parts[guided-net].helps} the network. With a second a move it " + NET + " points from the network alone ({parts[guided-net].interval}; the thesis: {claims[guided-net]})"),
    ("docs/studies/seeds.md", "By itself it made {alone[shipped before][made]} of the {alone[shipped before][chances]} fives that it could"),
    ("docs/studies/seeds.md", "It took " + ALONE + ", with compiled code that makes {rate} iterations a second"),
    ("docs/studies/seeds.md", "{parts[table-3].won} : {parts[table-3].lost} is against our players"),
    ("docs/studies/seeds.md", "`alpha-beta` won {against[alpha-beta].lost} of {against[alpha-beta].games}, and {against[alpha-beta@depth=2].lost} of {against[alpha-beta@depth=2].games} at depth 2. `mcts` won {against[mcts].lost} of {against[mcts].games}, and {against[mcts@selection=exp3].lost} of {against[mcts@selection=exp3].games} by Exp3"),
    ("docs/studies/seeds.md", "The default policy {parts[policy-genetic].wins_every_game} for the genetic algorithm ({parts[policy-genetic].won} of {parts[policy-genetic].games}). For the search it {parts[policy-search].difference} that 40 games show at equal seconds (" + POLICY + ", {parts[policy-search].interval})"),
    ("docs/studies/seeds.md", "of which the thesis counts {a_minute:.0f} million"),
    ("docs/studies/seeds.md", "learnt from 1.5 million games"),
    ("docs/studies/seeds.md", "`alpha-beta` won {roster[alpha-beta].won} of its {roster[alpha-beta].games} games"),
    ("docs/studies/seeds.md", "hardly stronger than that network alone ({roster[mcts-nn:move-net].points:g} of {roster[mcts-nn:move-net].games}). In a second, by exactly five, it " + NET),
    # Published players.
    ("docs/published_players.md", "With the earlier network the guided search {parts[equal-iterations].beats} the plain one here. It took " + GUIDED + " from `mcts` at 1,000 iterations each, and " + TIMED + " at a second each. The thesis has " + THESIS),
    ("docs/published_players.md", "it won all of {short[random].games} games each against `random`, `genetic` and `convolution`, and {short[pattern].points:g} of {short[pattern].games} against `pattern`. From balanced openings it took {roster[minimax-q:convolution].points:g} of {roster[minimax-q:convolution].games} against `convolution` and {roster[minimax-q:pattern].points:g} of {roster[minimax-q:pattern].games} against `pattern`. Its default policy {short_policy.difference} that could be seen: {short_policy.points:g} of {short_policy.games} against itself without, and " + POLICY + " from balanced openings"),
    ("docs/published_players.md", "it won {short_genetic.won} of {short_genetic.games} games, and from balanced openings {parts[policy-genetic].won} of {parts[policy-genetic].games}"),
    ("docs/published_players.md", "The choice by value won {swap2.points:g} of {swap2.games} games. So it {swap2.difference} that 400 games show"),
    ("docs/published_players.md", "won {convolution[fitted][against pattern][wins]} of 200 games against `pattern`, and powers of ten {convolution[powers of ten][against pattern][wins]}"),
    ("docs/published_players.md", "its answer is a most frequent move in {move_net[on_held_out][trained][share]:.1%}. The control that was not trained has {move_net[on_held_out][untrained][share]:.1%}"),
    ("docs/published_players.md", "By itself it makes {alone[trained][made]} of the {alone[trained][chances]} fives that it could, and stops {alone[trained][stopped]} of {alone[trained][threats]}. The earlier one made {alone[shipped before][made]} of {alone[shipped before][chances]}, and stopped {alone[shipped before][stopped]} of {alone[shipped before][threats]}"),
    ("docs/published_players.md", "It learnt from 1.5 million games of people"),
    ("docs/published_players.md", "Within 0.05 of 0"),
    ("docs/studies/published_players.md", "`mcts-nn` took " + GUIDED + " from `mcts` at 1,000 iterations each, and " + TIMED + " at a second each"),
    ("docs/studies/published_players.md", "With 1,000 it took " + GUIDED),
    ("docs/studies/published_players.md", "1,000 iterations took {guided_seconds:.2f} s in the mean. That makes {guided_rate:.0f} a second"),
    ("docs/studies/published_players.md", "`mcts` won every game here and {parts[equal-time].other:g} of {parts[equal-time].games} there"),
    ("docs/studies/published_players.md", "`mcts` made {a_second:.2f} million iterations a second and its `mcts-nn` 34 ({a_minute:.0f} million"),
    ("docs/studies/published_players.md", "Here `mcts` makes {rate}"),
    ("docs/studies/published_players.md", "took {parts[tree-net].points:g} of {parts[tree-net].games} points in the long match. The document has {claims[tree-net]}"),
    ("docs/studies/published_players.md", "`mcts-nn` " + NET + " with a second a move"),
    ("docs/studies/published_players.md", "With half a second it won {roster[mcts-nn:move-net].points:g} of {roster[mcts-nn:move-net].games}"),
    ("docs/studies/published_players.md", "the policy {short_policy.difference} that 20 games show. Nor do 40 from balanced openings: " + POLICY),
    ("docs/studies/published_players.md", "from balanced openings {parts[policy-genetic].won} of {parts[policy-genetic].games}"),
    ("docs/studies/published_players.md", "the choice by value {swap2.difference} that 400 games show"),
    ("docs/published_players.md", "By `alpha-beta` with 2,000 positions it took {swap2_alpha_beta.points:g} of {swap2_alpha_beta.games}"),
    ("docs/studies/published_players.md", "By `alpha-beta` it took {swap2_alpha_beta.points:g} of {swap2_alpha_beta.games}"),
    ("docs/studies/published_players.md", "by value | {swap2.points:g} of {swap2.games} ({swap2.interval})"),
    ("docs/studies/published_players.md", "wins {convolution[fitted][against pattern][losses]} of 200"),
    ("docs/studies/published_players.md", "| fitted: " + FITTED + " | {convolution[fitted][against pattern][wins]} of 200 | {convolution[fitted][against genetic 50x30][wins]} of 50 |"),
    ("docs/studies/published_players.md", "100, 10 | {convolution[powers of ten][against pattern][wins]} of 200 | {convolution[powers of ten][against genetic 50x30][wins]} of 50 | {convolution[powers of ten][fitted against it][wins]}, {convolution[powers of ten][fitted against it][draws]}, {convolution[powers of ten][fitted against it][losses]} |"),
    ("docs/studies/published_players.md", "gave {move_net[positions]:,} positions, {move_net[distinct_positions]:,} of them different"),
    ("docs/studies/published_players.md", "{move_net[games]:,} games gave {move_net[positions]:,} positions"),
    ("docs/studies/published_players.md", "learnt from {earlier_net[games]} games of `pattern`"),
    ("docs/studies/published_players.md", "It answered {earlier_net[on_held_out][trained][share]:.1%} of held-out positions with a most frequent move (shuffled answers: {earlier_net[on_held_out][shuffled answers][share]:.1%})"),
    *(
        ("docs/studies/published_players.md", f"| {name} | " + "{dense[by_itself][" + key + "][made]} of {dense[by_itself][" + key + "][chances]}")
        for name, key in (("with a dense output layer (`dense`)", "trained"), ("the same, not trained", "untrained"))
    ),
    ("docs/studies/published_players.md", "its answer is a most frequent move in {dense[on_held_out][trained][share]:.1%}, on those of its training in {dense[on_training][share]:.1%}"),
    *(
        ("docs/studies/published_players.md", f"| {name} | " + "{alone[" + key + "][made]} of {alone[" + key + "][chances]}")
        for name, key in (("shipped, trained", "trained"), ("the same, not trained", "untrained"), ("the earlier one (`earlier`)", "shipped before"))
    ),
    *(
        ("docs/studies/published_players.md", f"| {name} | " + "{move_net[on_held_out][" + key + "][share]:.1%} | {move_net[on_held_out][" + key + "][so]:.3f} | {move_net[on_held_out][" + key + "][loss]:.2f} |")
        for name, key in (("trained", "trained"), ("not trained", "untrained"), ("most frequent point, whatever the stones", "most frequent point"))
    ),
    ("docs/tree_search.md", "A second of CPU time gives {rate} iterations on 15x15 with region 1. The thesis quotes about {a_minute:.0f} million a minute, which is {a_second:.2f} million a second"),
    ("docs/tree_search.md", "it won {tree[random].won} of {tree[random].games} games against `random`, and {tree[alpha-beta].won} of {tree[alpha-beta].games} against `alpha-beta`"),
    ("docs/tree_search.md", "it won {tree[pattern].won} of {tree[pattern].games} games against `pattern` on 15x15, and with 150,000 it won {tree[pattern, 150,000].won} of {tree[pattern, 150,000].games}"),
    ("docs/tree_search.md", "it took " + ALONE + ". The report calls this player \"far from satisfactory\"; here {parts[mcts-alone].satisfies}"),
    ("docs/studies/tree_search.md", "The thesis quotes about {a_minute:.0f} million iterations a minute, which is {a_second:.2f} million a second"),
    ("docs/studies/tree_search.md", "Here {parts[mcts-alone].satisfies}. At half a second a move each it took " + ALONE),
    # The search of alpha-beta.
    ("docs/alpha_beta.md", "won {eight_least} to {eight_most} of 100 games against each of eight players here. Against `alphagomoku` it won {seated.won}"),
    ("docs/alpha_beta.md", "about a million positions a second"),
    ("docs/studies/alpha_beta.md", "Version 7 looks at about a million positions a second"),
    ("docs/studies/alpha_beta.md", "The number of fours at the end of a line {no_fours.made} that 100 games show"),
    ("docs/engine.md", "about a million positions in a CPU second"),
    *(("docs/engine.md", "| {versions[" + str(number) + "]} |") for number in range(2, 6)),
    ("docs/engine.md", "| {versions[6]} |"),
    ("docs/engine.md", "| {versions[7]} |"),
    ("docs/engine.md", "Where other matches had the cores first, 1.4% of version 6's moves were late by 50 ms. Of a process that only sleeps 2.5% were"),
    ("docs/engine.md", "the learned evaluation: {learned_gain} at 0.1 s"),
    ("docs/engine.md", "Version 6 won {last_match[1]}, drew {last_match[2]} and lost {last_match[3]} of {last_match[0]} games against version 5: {last_gain}"),
    ("docs/engine.md", "{failed} ideas were played and are not stronger"),
    ("docs/engine.md", "version 7 solves {bench} of 240 positions"),
    *(("docs/engine.md", "| {outside[" + str(number) + "]} |") for number in range(len(OUTSIDE))),
    # AlphaGomoku.
    ("docs/alphagomoku.md", "It won all {alphagomoku[whole].games} games against each of `genetic`, `move-net`, `minimax-q` and `convolution`. It got {alphagomoku[mcts].points:g} of {alphagomoku[mcts].games} against `mcts`. Against `alpha-beta`, with a second a move for each, it got {seated.other:g} of {seated.games}"),
    ("docs/studies/alphagomoku.md", "`alpha-beta` version 6, a second each of the processor (`arena`) | {seated.other:g} of {seated.games} |"),
    ("docs/alphagomoku.md", "gave {alphagomoku[black].points:g} of {alphagomoku[black].games} as Black against `mcts` with 2,000 iterations. As White it got {alphagomoku[white].points:g} of {alphagomoku[white].games}"),
    ("docs/alphagomoku.md", "The first two phases {phases}. Without basic rules and mentor a pair got {neither}"),
    ("docs/alphagomoku.md", "One network for both colours got {single} against two"),
    ("docs/studies/alphagomoku.md", "half in each seed ({single})"),
    ("docs/alphagomoku.md", "On 9x9 one network with as many steps got {without[one].points:g} of {without[one].games} ({without[one].interval})"),
    ("docs/alphagomoku.md", "Without it a pair got {without[unled].points:g} of {without[unled].games} ({without[unled].interval})"),
    ("docs/studies/alphagomoku.md", "Without it a pair got {without[unled].points:g} of {without[unled].games} ({without[unled].interval}), in the mean of the seeds {without_means[unled]}. Self-play alone got {without[alone].points:g} of {without[alone].games} ({without[alone].interval}), in the mean {without_means[alone]}"),
    ("docs/studies/alphagomoku.md", "One network with as many steps got {without[one].points:g} of {without[one].games} ({without[one].interval})"),
    ("docs/studies/alphagomoku.md", "as Black against `mcts`: {as_black[one].points:g} of {as_black[one].games} ({as_black[one].interval}). The whole method got {as_black[whole].points:g} there ({as_black[whole].interval})"),
    ("docs/studies/alphagomoku.md", "without the mentor's values {without[values].points:g} of {without[values].games} ({without[values].interval})"),
    ("docs/studies/alphagomoku.md", "without the decay {without[decay].points:g} of {without[decay].games} ({without[decay].interval})"),
    ("docs/studies/alphagomoku.md", "without the basic rules {without[basics].points:g} of {without[basics].games} ({without[basics].interval})"),
    ("docs/alphagomoku.md", "The decay and the basic rules alone {unseen}"),
    ("docs/alphagomoku.md", "It {alphagomoku[mentor].beats} its mentor. On 15x15 it got {alphagomoku[mentor].points:g} of {alphagomoku[mentor].games} ({alphagomoku[mentor].interval})"),
    ("docs/studies/alphagomoku.md", "It got {alphagomoku[mentor].points:g} of {alphagomoku[mentor].games} ({alphagomoku[mentor].interval})"),
    ("docs/alphagomoku.md", "does {rate_of_search} simulations in a CPU second"),
    ("ai/players/published/alphagomoku.py", "They take {leaf_fours} of the time on 15x15"),
    ("docs/studies/alphagomoku.md", "| the mentor's games | {cards[7][games]:,} | {cards[9][games]:,} | {cards[15][games]:,} |"),
    ("docs/studies/alphagomoku.md", "| positions a move | {cards[7][settings][mentor_nodes]:,} | {cards[9][settings][mentor_nodes]:,} | {cards[15][settings][mentor_nodes]:,} |"),
    ("docs/studies/alphagomoku.md", "| minutes | {minutes[7]:.0f} | {minutes[9]:.0f} | {minutes[15]:.0f} |"),
    ("docs/studies/alphagomoku.md", "| the mentor's move found, held out | {cards[7][held_out][mentor][trained][right]:.1%} | {cards[9][held_out][mentor][trained][right]:.1%} | {cards[15][held_out][mentor][trained][right]:.1%} |"),
    # Self-teaching.
    ("docs/self_teaching.md", "`ann` loses {memory:.0f} of 600 games at α = 5 (mean of five seeds). Without memory it loses {forgetful:.0f}"),
    ("docs/self_teaching.md", "it loses {times:.1f} times as often"),
    ("docs/studies/self_teaching.md", "it loses {times:.1f} times as often without merging and at α = 5"),
    ("docs/self_teaching.md", "`cnn-ann` loses {network} of 600"),
    ("docs/studies/self_teaching.md", "It lost {network} of 600 games"),
    ("docs/self_teaching.md", "without looking at the board, loses {one_order}"),
    ("docs/studies/self_teaching.md", "A White that looks at no board loses {one_order}"),
    ("docs/studies/self_teaching.md", "it lost {kept:.0f} of 600 games in the mean of five seeds. With labels drawn at random in place of Black's stones it lost {kept_random:.0f}"),
    ("docs/self_teaching.md", "It loses {memory_fresh} of 600. Nor does the network of the text, which loses {network_fresh}"),
    ("docs/studies/self_teaching.md", "It lost {memory_fresh} games over all conditions"),
    ("docs/studies/self_teaching.md", "It lost {network_fresh} of 600 games"),
    ("docs/self_teaching.md", "`cnn-lines` loses {lines[cnn-lines][lost]} of 600 games and `ann-lines` {lines[ann-lines][lost]} (five seeds). With random labels they lose {lines[cnn-lines-random][least]} to {lines[cnn-lines-random][most]} and {lines[ann-lines-random][least]} to {lines[ann-lines-random][most]}. Frozen, `cnn-lines` wins {lines[cnn-lines][frozen][10x10]} of 100 against 10x10 and {lines[cnn-lines][frozen][50x30]} against 50x30"),
    ("docs/studies/lines.md", "in {lines[cnn-lines][held]}% of the records for `cnn-lines`, and in {lines[ann-lines][held]}% for `ann-lines`. With random labels it is {lines[cnn-lines-random][held]} and {lines[ann-lines-random][held]}%"),
    ("docs/studies/memory_size.md", "`hnsw` finds the nearest for {memory_size[hnsw][49-1000000][hits]} of 1,000 queries, in {memory_size[hnsw][49-1000000][query_ms]:.2f} ms. `exact` takes {memory_size[exact][49-1000000][query_ms]:.0f} ms"),
    ("docs/studies/memory_size.md", "A node costs `exact` {memory_size[exact][49-1000000][add_us]:.0f} µs and `hnsw` {memory_size[hnsw][49-1000000][add_ms]:.1f} ms"),
    ("docs/studies/memory_size.md", "With these it finds {memory_size[hnsw][225-100000][hits]} of 1,000 among 100,000 nodes, in {memory_size[hnsw][225-100000][query_ms]:.1f} ms"),
    ("docs/studies/memory_size.md", "`hnsw` finds the nearest for {memory_size[hnsw][225-1000000][hits]} of 1,000 queries there, in {memory_size[hnsw][225-1000000][query_ms]:.2f} ms. `exact` takes {memory_size[exact][225-1000000][query_ms]:.0f} ms in the same run"),
    ("docs/studies/memory_size.md", "remembers a lost game in {memory_size[learner][49-1000000][remember_ms]:.0f} ms. To measure and copy the memory after it takes {memory_size[learner][49-1000000][train_s]:.0f} s. Then a move takes {memory_size[learner][49-1000000][answer]}"),
    ("docs/self_teaching.md", "it loses {plus[0]} games of 600 to such a Black (10x10), and {plus[1]} to a stronger one (50x30). Frozen, it wins {frozen[10x10]:.1f}% against 10x10 and {frozen[50x30]:.1f}% against 50x30"),
    ("docs/self_teaching.md", "the same network wins {guards[before training]:.1f}% against 10x10, and with shuffled weights {guards[shuffled weights]:.1f}%"),
    ("docs/studies/self_teaching.md", "In those {full_runs} runs {full_least:.0f} to {full_most:.0f}% of its wins are full boards"),
    ("ai/players/cnn_ann_plus.py", "seeds 300 and 301: {tried[3x3 kernels, two planes]:.0f}; with kernels 5,3,3: {tried[kernels 5, 3, 3, two planes]:.0f}"),
    ("ai/players/cnn_ann_plus.py", "10x10, fresh dice: {ablated[all on]:.1f}; with hard examples {ablated[with hard examples]:.1f}"),
    # Others.
    ("docs/other_games.md", "Frozen afterwards it loses {tic_tac_toe} of 100 games. Before learning it loses {tic_tac_toe_before}"),
    ("docs/other_games.md", "What made the player stronger at Gomoku {four_parts} here"),
    ("docs/other_games.md", "Before learning it wins {connect_four_before} games of 100 against `one-ply`, afterwards {connect_four}"),
    ("docs/studies/other_games.md", "Before learning {connect_four_before} games of 100 are won, afterwards {connect_four}"),
    ("docs/background_jobs.md", "After 4 trainings (256 pictures) it names some {eye[4]:.0f}% of 300 new shapes rightly, and after 12 (768 pictures) some {eye[12]:.0f}%. Always saying the most frequent name would give {eye[most]:.0f}%"),
    ("docs/training_hall.md", "{hall} frames a second while training, and {hall_rest} at rest"),
    ("docs/training_hall.md", "A frame takes {hall_frame} of processor time, and the worker holds {hall_memory}"),
    ("docs/drawing.md", "costs the main thread {canvas} a frame"),
    ("docs/environments.md", "{learnt_more} of five seeds won more often against random actions than the script did. Against the script {drawn_least} to {drawn_most}% of the episodes were drawn"),
    ("docs/studies/environments.md", "of five seeds won more often against random actions than the few lines of the script did. Policy and script drew {drawn_least} to {drawn_most}% of their episodes"),
    ("docs/environments.md", "One cart-pole makes some {pole} steps a second on one core. A vector of 64 in two processes makes {poles}"),
    ("docs/environments.md", "makes {walker} steps a second. 64 in two processes make some {walkers}"),
    ("docs/environments.md", "makes some {pole_seen} steps a second"),
    ("docs/arena.md", "Black won {balanced} of 300 games"),
    ("ai/game/opening.py", "Black won {balanced} of 300 games"),
)  # fmt: skip
"""Pages and modules, and what they say: fields in braces are filled from `stored`."""


def filled(text: str) -> str:
    """Return a quotation with its numbers."""
    return one_line(text.format_map(stored()).replace(" % and ", " and "))


def path_of(page: str) -> Path:
    """Return where a page or module lies."""
    return SHIPPED_ROOT / page

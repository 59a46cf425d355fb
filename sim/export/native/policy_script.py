"""Writes the script for a policy file: its network as functions that need no Python."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from base.policies.policy import CLIP, TANH, Policy, is_image, load_policy, space_text

_HEAD: Final = '''\
"""A trained policy as functions for C."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from base.policies.policy import load_policy
from sim import Shape, exported

POLICY = load_policy({path!r})
MEAN = POLICY.mean
DEVIATION = POLICY.deviation
CLIP = np.float32({clip!r})
ZERO = np.float32(0.0)
'''
_SCORES: Final = '''

@exported
def scores(observation: {sees}) -> {outputs}:
    """Return the outputs of the policy's network.

    Args:
        observation: what the agent sees: {seen}.

    Returns:
        {meaning}
    """
{body}
    return x{last}
'''
_ACT: Final = '''

@exported
def act(observation: {sees}) -> {acts}:
    """Return the most likely action of the policy.

    The observation is normalised inside.

    Args:
        observation: what the agent sees: {seen}.

    Returns:
        {action}.
    """
{body}
'''


def policy_script(path: Path) -> str:
    """Return the Python of a script with the functions `act` and `scores` of a policy.

    Args:
        path: the policy file.

    Raises:
        CardFileError: the file cannot be opened, is no policy, or is damaged.
    """
    policy = load_policy(path)
    head = _HEAD.format(path=str(path.resolve()), clip=CLIP)
    lines = [f"W{n}, B{n} = POLICY.layers[{n}]" for n in range(len(policy.layers))]
    shape = np.shape(policy.observation_space[1]) or (1,)
    item = "uint8" if is_image(policy.observation_space) else "float32"
    meaning = "the mean of each number of the action, before tanh where it is squashed."
    if policy.action_space[0] == "discrete":
        meaning = "a logit for each action."
    outputs = len(policy.layers[-1][1])
    words = {
        "sees": _annotation(item, shape),
        "seen": space_text(policy.observation_space).replace("Box ", "numbers "),
    }
    scores = _SCORES.format(
        **words,
        outputs=_annotation("float32", (outputs,)),
        meaning=f"{outputs} numbers: {meaning}",
        body=_network(policy, shape),
        last=len(policy.layers),
    )
    return head + "\n".join(lines) + "\n" + scores + _act(policy, words)


def _annotation(item: str, shape: tuple[int, ...]) -> str:
    return f"Annotated[NDArray[np.{item}], Shape({', '.join(map(str, shape))})]"


def _network(policy: Policy, shape: tuple[int, ...]) -> str:
    """Return the lines that compute the network's outputs, of which the last is `x` and a number.

    Args:
        policy: the policy.
        shape: shape of an observation.
    """
    channels = is_image(policy.observation_space)
    lines = _loops(shape, "observation", "x0", channels)
    for number, (weights, _) in enumerate(policy.layers):
        if weights.ndim == 4:
            lines += _convolution(number, shape, weights.shape)
            high, wide, _, count = weights.shape
            shape = (shape[0] - high) // 2 + 1, (shape[1] - wide) // 2 + 1, count
            continue
        is_last = number == len(policy.layers) - 1
        if len(shape) > 1:
            lines.append(f"x{number} = x{number}.reshape({int(np.prod(shape))})")
        lines += _dense(number, weights.shape, "" if is_last else policy.activation)
        shape = (weights.shape[1],)
    return "\n".join(f"    {line}" for line in lines)


def _loops(shape: tuple[int, ...], source: str, target: str, has_channels: bool) -> list[str]:
    """Return the lines that normalise an observation."""
    lines = [f"{target} = np.empty({shape if has_channels else int(np.prod(shape))}, np.float32)"]
    if not has_channels:
        lines.append("place = 0")
    indent = ""
    for number, size in enumerate(shape):
        lines.append(f"{indent}for i{number} in range({size}):")
        indent += "    "
    index = ", ".join(f"i{number}" for number in range(len(shape)))
    place, own = (index, f"i{len(shape) - 1}") if has_channels else ("place", "place")
    lines += [
        f"{indent}z = (np.float32({source}[{index}]) - MEAN[{own}]) / DEVIATION[{own}]",
        f"{indent}{target}[{place}] = min(max(z, -CLIP), CLIP)",
    ]
    return lines if has_channels else [*lines, f"{indent}place += 1"]


def _dense(number: int, shape: tuple[int, ...], activation: str) -> list[str]:
    rows, columns = shape
    x, y = f"x{number}", f"x{number + 1}"
    lines = [
        f"{y} = np.empty({columns}, np.float32)",
        f"for j in range({columns}):",
        f"    {y}[j] = B{number}[j]",
        f"for i in range({rows}):",
        f"    for j in range({columns}):",
        f"        {y}[j] += {x}[i] * W{number}[i, j]",
    ]
    if activation:
        bent = f"math.tanh({y}[j])" if activation == TANH else f"max({y}[j], ZERO)"
        lines += [f"for j in range({columns}):", f"    {y}[j] = {bent}"]
    return lines


def _convolution(number: int, shape: tuple[int, ...], filters: tuple[int, ...]) -> list[str]:
    high, wide, channels, count = filters
    rows, columns = (shape[0] - high) // 2 + 1, (shape[1] - wide) // 2 + 1
    x, y = f"x{number}", f"x{number + 1}"
    term = f"{x}[2 * r + u, 2 * c + v, i] * W{number}[u, v, i, k]"
    return [
        f"{y} = np.empty(({rows}, {columns}, {count}), np.float32)",
        f"for r in range({rows}):",
        f"    for c in range({columns}):",
        f"        for k in range({count}):",
        f"            {y}[r, c, k] = B{number}[k]",
        f"        for u in range({high}):",
        f"            for v in range({wide}):",
        f"                for i in range({channels}):",
        f"                    for k in range({count}):",
        f"                        {y}[r, c, k] += {term}",
        f"        for k in range({count}):",
        f"            {y}[r, c, k] = max({y}[r, c, k], ZERO)",
    ]


def _act(policy: Policy, words: dict[str, str]) -> str:
    """Return the Python of the function `act`, with the constants that it uses before it."""
    space = policy.action_space
    if space[0] == "discrete":
        body = ["found = scores(observation)", "best = 0", f"for j in range(1, {space[1]}):"]
        body += ["    if found[j] > found[best]:", "        best = j", f"return best + {space[2]}"]
        said = {"acts": "int", "action": f"The action, {space[2]} to {space[1] + space[2] - 1}"}
        text = "\n".join(f"    {line}" for line in body)
        return _ACT.format(**words, **said, body=text)
    constants = [
        "LOW, HIGH = (np.asarray(bound, np.float32).ravel() for bound in POLICY.action_space[1:3])",
        "IS_BOUNDED = np.isfinite(LOW) & np.isfinite(HIGH)",
        "MIDDLE = np.where(IS_BOUNDED, (LOW + HIGH) / 2.0, 0.0).astype(np.float32)",
        "HALF = np.where(IS_BOUNDED, (HIGH - LOW) / 2.0, 1.0).astype(np.float32)",
    ]
    shape = np.shape(space[1]) or (1,)
    count, item = int(np.prod(shape)), str(np.dtype(space[3]).name)
    raw = "math.tanh(found[j])" if policy.is_squashed else "found[j]"
    body = [
        "found = scores(observation)",
        f"action = np.empty({count}, np.{item})",
        f"for j in range({count}):",
        f"    z = MIDDLE[j] + HALF[j] * np.float32({raw})",
        "    action[j] = min(max(z, LOW[j]), HIGH[j])",
        f"return action.reshape({shape})" if len(shape) > 1 else "return action",
    ]
    said = {
        "acts": _annotation(item, shape),
        "action": f"The action, within its bounds: {space_text(space)}",
    }
    text = "\n".join(f"    {line}" for line in body)
    return "\n".join([*constants, ""]) + _ACT.format(**words, **said, body=text)

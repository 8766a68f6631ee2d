"""Makes a policy from what a user types."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from coworkenv_dagster.environment import Environment
from coworkenv_dagster.errors import PolicyError
from coworkenv_dagster.policies.base import Policy, Reply, Turn
from coworkenv_dagster.policies.endpoint import EndpointPolicy
from coworkenv_dagster.policies.scripted import (
    EchoPolicy,
    EmptyPolicy,
    RandomPolicy,
    ReferencePolicy,
)


class OraclePolicy:
    """Plays each environment's own reference solution, by position in the rollout."""

    name = "reference"

    def __init__(self, environments: Sequence[Environment]) -> None:
        self._policies = [ReferencePolicy(environment.spec) for environment in environments]

    def act(self, turns: Sequence[Turn]) -> list[Reply]:
        """Gives the next reference step of each turn's environment."""
        return [self._policies[int(turn.episode)].act([turn])[0] for turn in turns]

    def release(self, episode: str) -> None:
        """Has nothing to forget."""


def make_policy(text: str, *, temperature: float = 0.0) -> Policy:
    """Gives the policy that a name, a folder or an address stands for.

    Args:
        text: `empty`, `echo`, `random`, `base` (the shipped pocket model), a checkpoint folder,
            or `http://host:port/v1#model` (the key is read from COWORKENV_API_KEY).
        temperature: Sampling temperature of a model; 0 is greedy.

    Raises:
        PolicyError: Nothing of the kind; the message lists what is possible.
    """
    simple = {"empty": EmptyPolicy, "echo": EchoPolicy, "random": RandomPolicy}
    if text in simple:
        made: Policy = simple[text]()
        return made
    if text.startswith(("http://", "https://")):
        url, _, model = text.partition("#")
        if not model:
            raise PolicyError(
                f"the endpoint {url} needs a model name", mend="Write it as http://host/v1#model"
            )
        key = os.environ.get("COWORKENV_API_KEY", "")
        return EndpointPolicy(url, model, api_key=key, temperature=temperature)
    if text == "base" or Path(text).is_dir():
        from coworkenv_dagster.pocket import base_path
        from coworkenv_dagster.policies.local import TransformersPolicy

        path = base_path() if text == "base" else Path(text)
        return TransformersPolicy.from_checkpoint(path, temperature=temperature)
    raise PolicyError(
        f"no policy {text!r}",
        mend="Give empty, echo, random, reference, base, a checkpoint folder, or "
        "http://host:port/v1#model",
    )

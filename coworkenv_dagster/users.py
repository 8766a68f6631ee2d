"""The simulated user: scripted, deterministic, tells facts when asked for them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from coworkenv_dagster.schema import Fact, Persona

_SENTENCE = re.compile(r"[^.!?。！？\n]*[?？]")


@dataclass(slots=True)
class ScriptedUser:
    """Answers an agent's messages from a persona; state is what has been told so far."""

    persona: Persona
    told: list[str] = field(default_factory=list)
    """Keys of the facts told, in the order they were asked for."""
    misses: int = 0
    """Questions so far that unlocked nothing new."""
    asked_follow_ups: int = 0

    def answer(self, text: str) -> str | None:
        """Gives the user's reply to a message, or None when the user has nothing to add.

        A question that contains an unlock phrase gets the fact's reply. Any other question gets
        the fallback until patience runs out. A message without a question counts as an answer to
        the request: the next follow-up is made, if there is one.
        """
        questions = " ".join(_SENTENCE.findall(text)).casefold()
        if not questions:
            return self._follow_up()
        asked = [
            fact
            for fact in self.persona.facts
            if any(phrase.casefold() in questions for phrase in fact.unlock)
        ]
        fresh = [fact for fact in asked if fact.key not in self.told]
        if not fresh:
            self.misses += 1
            if self.misses > self.persona.patience:
                return None
            return _join(asked) if asked else self.persona.fallback
        self.told.extend(fact.key for fact in fresh)
        return _join(asked)

    def snapshot(self) -> tuple[tuple[str, ...], int, int]:
        """Gives the state for `restore`."""
        return tuple(self.told), self.misses, self.asked_follow_ups

    def restore(self, state: tuple[tuple[str, ...], int, int]) -> None:
        """Returns to a state that `snapshot` gave."""
        told, self.misses, self.asked_follow_ups = state
        self.told = list(told)

    def _follow_up(self) -> str | None:
        if self.asked_follow_ups == len(self.persona.follow_ups):
            return None
        self.asked_follow_ups += 1
        return self.persona.follow_ups[self.asked_follow_ups - 1]


def _join(facts: list[Fact]) -> str:
    return " ".join(fact.reply for fact in facts)

"""Prompts of named sets said in other words by a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from metricsengine.errors import ConfigError
from metricsengine.exhibits import Exhibit
from metricsengine.model import Need, Outcome, Response
from metricsengine.perturbation import join
from metricsengine.perturbation.spans import PLACEHOLDER
from metricsengine.reading.refusal import keyword_strict
from metricsengine.records import Tables
from metricsengine.results import Results
from metricsengine.sets import NamedSet, validate
from metricsengine.study import Rounds, Study, StudyInputs, together
from metricsengine.wording import first_few
from metricsengine.words import words
from metricsengine_comparisons.paraphrase.asking import need, read, request
from metricsengine_comparisons.paraphrase.config import ParaphraseConf
from metricsengine_comparisons.paraphrase.rules import wrong
from metricsengine_comparisons.paraphrase.toml_text import content, toml

MOST_NAMES = 8
_PLACEHOLDER = re.compile(PLACEHOLDER)


@dataclass(frozen=True)
class Attempt:
    """One reply; the attributes are columns of the table Paraphrases."""

    replicate: int
    paraphrase: str | None = None
    outcome: Outcome = Outcome.ANSWERED
    rule: str | None = None
    reason: str | None = None
    number: int | None = None

    @property
    def accepted(self) -> bool:
        """Whether it was taken."""
        return self.number is not None


@dataclass(frozen=True)
class Original:
    """A text of a set, by its number from 1."""

    of: NamedSet
    number: int
    text: str


class ParaphrasePrompts(Study):
    """Has a model say the prompts of sets in other words, and makes new sets of what it says.

    Args:
        conf: Options.
        inputs: Where the sets are found, and the seed.
    """

    def __init__(self, conf: ParaphraseConf, inputs: StudyInputs) -> None:
        self._conf = conf
        self._inputs = inputs
        self.needs: frozenset[Need] = frozenset({need(conf)})

    @cached_property
    def _sets(self) -> Sequence[NamedSet]:
        return [self._inputs.find(self._conf.group, name) for name in dict.fromkeys(self._conf.prompts)]

    @property
    def sources(self) -> Mapping[str, Path]:
        """The files of the sets."""
        return {f"{self._conf.group} {chosen.name}": chosen.file.path for chosen in self._sets}

    def check(self) -> None:
        """Whether the sets hold prompts.

        Raises:
            ConfigError: One is unknown or holds none.
        """
        for chosen in self._sets:
            if not texts_of(chosen):
                raise ConfigError(f"study.prompts: {self._conf.group}={chosen.name} holds no prompts to be paraphrased")

    def run(self) -> Rounds[Tables]:
        """Every text is a conversation of its own, again where paraphrases cannot be used."""
        originals = [Original(chosen, i, text) for chosen in self._sets for i, text in enumerate(texts_of(chosen), 1)]
        attempts = yield from together(self._asked(original) for original in originals)
        found = list(zip(originals, attempts, strict=True))
        from metricsengine_comparisons.paraphrase import rows

        return {"Paraphrases": rows.paraphrases(found), "ParaphrasedSets": rows.sets(self._made(found))}

    def compost(self, tables: Tables) -> Mapping[str, str]:
        """The sets as topic."""
        return {
            "context": "rewording prompts",
            "persona": "none",
            "topic": first_few([chosen.name for chosen in self._sets], MOST_NAMES),
        }

    def exhibits(self, results: Results) -> Iterable[Exhibit]:
        """The new sets as files, the paraphrases beside the originals, and what was lost."""
        from metricsengine_comparisons.paraphrase import exhibits

        return exhibits.exhibits(results)

    def _asked(self, original: Original) -> Rounds[list[Attempt]]:
        attempts: list[Attempt] = []
        taken: list[str] = []
        for attempt in range(1, self._conf.attempts + 1):
            if not (wanted := self._conf.n - len(taken)):
                break
            asked = range(len(attempts), len(attempts) + wanted)
            last = attempt == self._conf.attempts
            replies = yield [
                request(original.text, self._conf, self._inputs.seed, number, last=last) for number in asked
            ]
            for number, response in zip(asked, replies, strict=True):
                attempts.append(judged(response, original, taken, number))
                if attempts[-1].accepted:
                    taken.append(attempts[-1].paraphrase or "")
        return attempts

    def _made(self, found: Iterable[tuple[Original, Sequence[Attempt]]]) -> Iterable[Mapping[str, Any]]:
        """Rows of the new sets: the k-th of a set holds the k-th paraphrase of each text that has one."""
        for chosen in self._sets:
            own = {original.text: attempts for original, attempts in found if original.of is chosen}
            for k in range(1, self._conf.n + 1):
                told = {text: a.paraphrase for text, attempts in own.items() for a in attempts if a.number == k}
                if not told:
                    continue
                value = titled(rewritten(chosen, told), f"paraphrase {k}")
                yield {
                    "group": chosen.file.group,
                    "name": join(chosen.name, [f"paraphrase{k}"]),
                    "of": chosen.name,
                    "texts": len(own),
                    "reworded": len(told),
                    "content": toml(value),
                }


def texts_of(chosen: NamedSet) -> list[str]:
    """The different texts of a set that have words beside placeholders; none where its group has no prompts."""
    found: dict[str, None] = {}
    if chosen.texts is not None:
        chosen.texts(chosen.value, lambda text: found.setdefault(text) or text)
    return [text for text in found if words(_PLACEHOLDER.sub("", text))]


def rewritten(chosen: NamedSet, told: Mapping[str, str | None]) -> Any:
    """The set's value with some texts said in other words."""
    return chosen.texts(chosen.value, lambda text: told.get(text) or text) if chosen.texts else chosen.value


def titled(value: Any, remark: str) -> Any:
    """The value with a remark in its title, where it has one."""
    return replace(value, title=f"{value.title}, {remark}") if getattr(value, "title", "") else value


def judged(response: Response, original: Original, taken: Sequence[str], replicate: int) -> Attempt:
    """What a reply is worth as the next paraphrase of a text."""
    attempt = Attempt(replicate, response.text or None, response.outcome)
    if not response.ok or response.outcome is Outcome.TRUNCATED:
        return replace(attempt, reason=response.reason or f"no reply to read: {response.outcome}")
    told = read(response.text, original.text)
    if not told:
        return replace(attempt, outcome=Outcome.UNPARSED, reason="the reply holds no wording")
    complaint = wrong(told, original.text, taken)
    if complaint and (refusal := keyword_strict(response.text)):
        return replace(attempt, outcome=Outcome.REFUSED, reason=refusal)
    attempt = replace(attempt, paraphrase=told)
    if complaint:
        return replace(attempt, rule=complaint.rule, reason=complaint.reason)
    try:
        changed = rewritten(original.of, {original.text: told})
        validate(type(changed), content(changed), f"{original.of.file.group}={original.of.name}")
    except (ConfigError, ValueError) as error:  # a dataclass may check itself when it is made
        return replace(attempt, rule="set", reason=str(error))
    return replace(attempt, number=len(taken) + 1)

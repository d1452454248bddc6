"""Framing trials: what readers think of a post, by how the stances of author and reader are worded (Fig. 4e)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from metricsengine import seeds
from metricsengine.errors import ConfigError
from metricsengine.exhibits import Exhibit
from metricsengine.model import Need, Response
from metricsengine.records import Tables
from metricsengine.results import Results
from metricsengine.study import Rounds, Study, StudyInputs, together
from metricsengine.wording import first_few
from metricsengine_dynamics.framing import prompts
from metricsengine_dynamics.framing.config import FramingConf
from metricsengine_dynamics.framing.framings import Framing, columns
from metricsengine_dynamics.prompting.asking import Asking, needs
from metricsengine_dynamics.prompting.chosen import alike, chosen_debate, chosen_prompts, prompt_sources
from metricsengine_dynamics.prompting.debate import Debate
from metricsengine_dynamics.prompting.personas import AgentPersona, chosen_personas, persona_sources
from metricsengine_dynamics.prompting.prompts import FramingPrompts
from metricsengine_dynamics.prompting.refused import unless_declined
from metricsengine_dynamics.tables import FRAMING

MOST_NAMES = 8
"""Personas that stand in the results' heading."""

Row = dict[str, Any]
"""A row of the table; it holds values of several types."""


@dataclass(frozen=True)
class Column:
    """What is asked: one author's post, and what each of its readers thinks of it."""

    variant: str
    repeat: int
    replicate: int
    author: Framing


class OpinionFraming(Study):
    """Has readers judge posts, with stances that mean the same and are worded differently.

    Args:
        conf: Options.
        inputs: Sets of prompts, the debate, personas of agents, and the seed.
    """

    def __init__(self, conf: FramingConf, inputs: StudyInputs) -> None:
        self._conf = conf
        self._inputs = inputs
        self.needs: frozenset[Need] = needs(conf)

    @property
    def sources(self) -> Mapping[str, Path]:
        """The file of personas, and files of prompts that were not chosen by themselves."""
        return {**persona_sources(self._conf), **prompt_sources(self._conf.prompts, self._inputs)}

    @property
    def notices(self) -> Sequence[str]:
        """Prompt sets whose framing prompts are alike."""
        return alike(self._prompts)

    def check(self) -> None:
        """Read the prompts, the debate and the personas.

        Raises:
            ConfigError: Something is missing or does not fit; names the set or key at fault.
        """
        _ = self._prompts, self._debate, self._pairs

    def run(self) -> Rounds[Tables]:
        """All posts side by side, then all their readers."""
        import pandas as pd

        conf = self._conf
        asked = product(self._prompts, range(conf.repeats), range(conf.n), columns(self._debate))
        rows = yield from together(self._column(Column(*each)) for each in asked)
        names = [column.name for column in FRAMING.columns]
        return {FRAMING.name: pd.DataFrame([row for column in rows for row in column], columns=names)}

    def compost(self, tables: Tables) -> Mapping[str, str]:
        """Readers' opinions of posts by personas of the set who take a stance in the debate."""
        table = tables[FRAMING.name]
        names = dict.fromkeys([*table["author_persona"].dropna(), *table["persona"].dropna()])
        return {
            "context": "a reader's opinion of a post",
            "persona": first_few(names, MOST_NAMES),
            "topic": self._debate.title,
        }

    def exhibits(self, results: Results) -> Iterable[Exhibit]:
        """The card, the matrix of Fig. 4e, the table behind it, and posts with replies."""
        from metricsengine_dynamics.framing.exhibits import exhibits

        return exhibits(results)

    @cached_property
    def _prompts(self) -> Mapping[str, FramingPrompts]:
        chosen = chosen_prompts(self._conf.prompts, self._inputs)
        if lacking := [name for name, found in chosen.items() if found.framing is None]:
            raise ConfigError(f"prompt={lacking[0]} has no prompts for framing trials; give it a table [framing]")
        return {name: found.framing for name, found in chosen.items() if found.framing is not None}

    @cached_property
    def _debate(self) -> Debate:
        return chosen_debate(self._inputs)

    @cached_property
    def _pairs(self) -> Sequence[tuple[AgentPersona, AgentPersona]]:
        """Author and reader of each replicate, two different personas; more replicates leave the first as they are."""
        pool, seed = chosen_personas(self._conf, self._inputs), self._inputs.seed
        pairs = []
        for i in range(self._conf.n):
            author, reader = pool.draw(2, seeds.generator(seed, "framing", "personas", i))
            pairs.append((author.persona, reader.persona))
        if any(author == reader for author, reader in pairs):
            raise ConfigError("an author needs a reader who is someone else: choose at least 2 personas")
        return pairs

    def _column(self, column: Column) -> Rounds[list[Row]]:
        author, reader = self._pairs[column.replicate]
        asking = Asking(self._conf, self._inputs.seed, column.repeat)
        asks = prompts.Framed(self._prompts[column.variant], self._debate, asking, column.replicate)
        readers = columns(self._debate)[column.author]
        [response] = yield [asks.post(column.author, author.text)]
        post = unless_declined(response)
        common = {
            "variant": column.variant, "repeat": column.repeat, "replicate": column.replicate,
            "author": column.author.name, "author_persona": author.name, "persona": reader.name,
            "post": post.text or None,
        }  # fmt: skip
        replies: Sequence[Response | None] = [None] * len(readers)
        if post.ok:
            replies = yield [asks.reader(framing, reader.text, post.text) for framing in readers]
        return [
            {**common, "reader": framing.name, **(_no_post(post) if reply is None else asks.read(framing, reply))}
            for framing, reply in zip(readers, replies, strict=True)
        ]


def _no_post(post: Response) -> Row:
    return {"outcome": str(post.outcome), "reason": f"no post: {post.reason or post.outcome}"}

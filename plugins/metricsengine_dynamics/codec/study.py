"""Codec trials: an opinion is put into a post, and read from it again (Sense and Sensitivity, Definition 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from metricsengine import seeds
from metricsengine.exhibits import Exhibit
from metricsengine.model import Need
from metricsengine.records import Tables
from metricsengine.results import Results
from metricsengine.study import Rounds, Study, StudyInputs, together
from metricsengine.wording import first_few
from metricsengine_dynamics.codec.config import CodecConf
from metricsengine_dynamics.prompting.asking import Asking, labels, needs
from metricsengine_dynamics.prompting.chosen import Prompts, alike, chosen_debate, chosen_prompts, prompt_sources
from metricsengine_dynamics.prompting.debate import Debate
from metricsengine_dynamics.prompting.decoding import decode
from metricsengine_dynamics.prompting.encoding import post_request
from metricsengine_dynamics.prompting.personas import AgentPersona, chosen_personas, persona_sources
from metricsengine_dynamics.prompting.refused import unless_declined
from metricsengine_dynamics.prompting.scoring import unscored
from metricsengine_dynamics.tables import CODEC

MOST_NAMES = 8
"""Personas that stand in the results' heading."""


@dataclass(frozen=True)
class Trial:
    """What is asked: one opinion, to be told by one persona."""

    variant: str
    repeat: int
    encoding: str
    opinion: float
    replicate: int


class OpinionCodec(Study):
    """Encodes opinions and decodes them again.

    Args:
        conf: Options.
        inputs: Sets of prompts, the debate, personas of agents, and the seed.
    """

    def __init__(self, conf: CodecConf, inputs: StudyInputs) -> None:
        self._conf = conf
        self._inputs = inputs
        self.needs: frozenset[Need] = needs(conf)

    @property
    def sources(self) -> Mapping[str, Path]:
        """The file of personas, and files of prompts that were not chosen by themselves."""
        return {**persona_sources(self._conf), **prompt_sources(self._conf.prompts, self._inputs)}

    @property
    def labels(self) -> Mapping[str, str]:
        """How opinions are read, where it is not the paper's way."""
        return labels(self._conf)

    @property
    def notices(self) -> Sequence[str]:
        """That some personas post twice, where there are not enough; sets that are alike; questions without scores."""
        n, different = self._conf.n, len({persona.name for persona in self._personas})
        twice = [f"study.n={n} posts of each opinion come from {different} personas, some of whom post twice"]
        written = unscored(self._prompts, self._debate) if self._conf.decoding == "scores" else []
        return [*(twice if different < n else []), *alike(self._prompts), *written]

    def check(self) -> None:
        """Read the prompts, the debate and the personas.

        Raises:
            ConfigError: Something is missing or does not fit; names the set or key at fault.
        """
        _ = self._prompts, self._debate, self._personas

    def run(self) -> Rounds[Tables]:
        """All trials side by side."""
        import pandas as pd

        rows = yield from together(self._asked(trial) for trial in self._trials())
        return {CODEC.name: pd.DataFrame(rows, columns=[column.name for column in CODEC.columns])}

    def compost(self, tables: Tables) -> Mapping[str, str]:
        """Posts in which personas of the set take a stance in the debate."""
        names = dict.fromkeys(tables[CODEC.name]["persona"].dropna())
        return {
            "context": "a post that states an opinion",
            "persona": first_few(names, MOST_NAMES),
            "topic": self._debate.title,
        }

    def exhibits(self, results: Results) -> Iterable[Exhibit]:
        """The card, Fig. 4c, the table behind it, and posts to read."""
        from metricsengine_dynamics.codec.exhibits import exhibits

        return exhibits(results)

    @cached_property
    def _prompts(self) -> Mapping[str, Prompts]:
        return chosen_prompts(self._conf.prompts, self._inputs)

    @cached_property
    def _debate(self) -> Debate:
        return chosen_debate(self._inputs)

    @cached_property
    def _personas(self) -> Sequence[AgentPersona]:
        """Who posts, by replicate."""
        rng = seeds.generator(self._inputs.seed, "codec", "personas")
        drawn = chosen_personas(self._conf, self._inputs).draw(self._conf.n, rng)
        return [inhabitant.persona for inhabitant in drawn]

    def _trials(self) -> Iterator[Trial]:
        conf = self._conf
        for each in product(self._prompts, range(conf.repeats), conf.encodings, conf.opinions, range(conf.n)):
            yield Trial(*each)

    def _asked(self, trial: Trial) -> Rounds[dict[str, Any]]:  # a row holds values of several types
        asking = Asking(self._conf, self._inputs.seed, trial.repeat)
        prompts, persona = self._prompts[trial.variant], self._personas[trial.replicate]
        request = post_request(
            trial.opinion, persona.text, prompts, self._debate, asking, trial.encoding, trial.replicate
        )
        [response] = yield [request]
        post = unless_declined(response)
        row = {**asdict(trial), "persona": persona.name, "post": post.text or None}
        if not post.ok:
            return row | {"outcome": str(post.outcome), "reason": f"no post: {post.reason or post.outcome}"}
        decoded = yield from decode(post.text, prompts, self._debate, asking, trial.replicate)
        return row | {
            "decoding": "\n".join(" ".join(reply.split()) for reply in decoded.replies),
            "decoded": decoded.opinion,
            "outcome": str(decoded.outcome),
            "reason": decoded.reason or None,
        }

"""The simulation: Algorithm 1 with LLM agents and baselines beside a reference model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metricsengine.errors import ConfigError
from metricsengine.exhibits import Exhibit
from metricsengine.model import Capabilities, Need
from metricsengine.records import Tables
from metricsengine.results import Results
from metricsengine.study import Rounds, Study, StudyInputs
from metricsengine.wording import first_few
from metricsengine_dynamics.models.reference import Reference, State, World
from metricsengine_dynamics.networks.network import Network
from metricsengine_dynamics.prompting import asking
from metricsengine_dynamics.prompting.chosen import chosen_debate, chosen_prompts, prompt_sources
from metricsengine_dynamics.prompting.personas import Inhabitant, PersonaPool, chosen_personas, persona_sources
from metricsengine_dynamics.study import recorded, rows, runs
from metricsengine_dynamics.study.agents import Agents
from metricsengine_dynamics.study.baselines import BASELINES, following
from metricsengine_dynamics.study.conditions import LLM, Condition, View
from metricsengine_dynamics.study.config import OpinionConf
from metricsengine_dynamics.study.parts import CheckedNetwork, CheckedReference
from metricsengine_dynamics.study.rows import Updates
from metricsengine_dynamics.study.runs import Run

if TYPE_CHECKING:
    import pandas as pd

TOGETHER = 20_000
"""Updates of a model's agents that are asked together, unless a single step has more."""

MOST_NAMES = 6
"""Names of one dimension that stand in the results' heading."""


@dataclass
class Population:
    """Agents that live on in a free run.

    Attributes:
        condition: Who they are.
        run: The run.
        world: What surrounds their steps.
        x: Their state, in [-1, 1], shape (n,).
    """

    condition: Condition
    run: Run
    world: World
    x: State


class OpinionStudy(Study):
    """Runs LLM agents and baselines on the states of a reference model, or on their own (section 4, Algorithm 1).

    Args:
        conf: Options.
        inputs: The reference model and the network; prompts, debates and personas where a model is asked.
    """

    def __init__(self, conf: OpinionConf, inputs: StudyInputs) -> None:
        self._conf = conf
        self._inputs = inputs
        self._context_length: int | None = None
        self._agents: Agents | None = None
        self._told: Mapping[str, str] | None = None
        self._remarks: Sequence[str] = ()
        self.needs: frozenset[Need] = asking.needs(conf) if LLM in conf.agents else frozenset()

    @cached_property
    def _reference(self) -> Reference:
        return CheckedReference(*self._part("reference"))

    @cached_property
    def _network(self) -> Network:
        return CheckedNetwork(*self._part("network"))

    @cached_property
    def _size(self) -> int:
        return runs.size(self._conf.n_agents, self._conf.opinions, self._network)

    @cached_property
    def _pool(self) -> PersonaPool:
        return chosen_personas(self._conf, self._inputs)

    def _part(self, kind: str) -> tuple[str, Any]:
        """Name and product of what was chosen."""
        chosen = self._inputs.parts.get(kind)
        if not chosen:
            raise ConfigError(f"no {kind} was chosen: add {kind}=NAME")
        return next(iter(chosen.items()))

    @property
    def sources(self) -> Mapping[str, Path]:
        """Files of the network, of the prompts that are compared, and of personas."""
        if self._told is not None:
            return {}
        asked = prompt_sources(self._conf.prompts, self._inputs) | persona_sources(self._conf) if self.needs else {}
        return {**self._network.sources, **asked}

    @property
    def labels(self) -> Mapping[str, str]:
        """Number of agents, network, reference model, mode, how opinions are read where it is not the paper's way.

        Of recorded transitions what their file tells.
        """
        if self._told is not None:
            return self._told
        asked = asking.labels(self._conf) if self.needs else {}
        size = {"n_agents": str(self._size)}  # comes first, and is no part's to tell
        return {**size, **self._network.labels, **self._reference.labels, **size, "mode": self._conf.mode, **asked}

    @property
    def notices(self) -> Sequence[str]:
        """What the model could not write or choose, or what a recorded file does not tell."""
        return [*self._remarks, *(self._agents.notices if self._agents else ())]

    def meet(self, model: Capabilities) -> None:
        """Timelines are cut to the model's context."""
        self._context_length = model.context_length

    def check(self) -> None:
        """Whether the simulation can be run as configured; draws the first run and looks at its first step.

        Raises:
            ConfigError: It cannot; names the key, set or file at fault.
        """
        if not self._reference.scalar:
            raise ConfigError(
                f"reference={self._named('reference')} has states other than one opinion in [-1, 1] for each agent, "
                "with which agents cannot be compared; choose another, such as reference=hegselmann_krause"
            )
        run = self._drawn(0)
        runs.look(run, 0, run.start, self._reference, run.world())
        _ = self.labels
        if self.needs:
            self._asked()
            self._people(run)

    def run(self) -> Rounds[Tables]:
        """Summaries, where wanted; then posts, replies and decodings in rounds of many agents each."""
        if self.needs:
            self._agents = self._asked()
            if self._conf.summarise:
                everybody = [self._people(self._drawn(number)) for number in range(self._conf.runs)]
                yield from self._agents.summarise(one.persona.text for people in everybody for one in people)
        updates = yield from self._forced() if self._conf.mode == "forced" else self._free()
        return {"Transitions": rows.table(updates)}

    def read(self, records: pd.DataFrame) -> Tables:
        """Recorded transitions; see :mod:`metricsengine_dynamics.study.recorded`."""
        table = recorded.read(records)
        self._told, self._remarks = recorded.labels(table), recorded.remarks(table)
        return {"Transitions": table}

    def compost(self, tables: Tables) -> Mapping[str, str]:
        """The network and the posts as context, the sets of personas, and what is debated."""
        if self._told is not None:
            return {"context": "recorded updates of opinions"}
        context = f"{self._size} agents, network {self._named('network')}, reference {self._named('reference')}"
        if not self.needs:
            return {"context": context} | dict.fromkeys(("model", "persona", "topic"), "none: no model is asked")
        persona = self._conf.persona_file or first_few(
            [chosen.name for chosen in self._inputs.sets.get("agent_persona", ())], MOST_NAMES
        )
        return {"context": context, "persona": persona, "topic": chosen_debate(self._inputs).title}

    def exhibits(self, results: Results) -> Iterable[Exhibit]:
        """Figures and tables of the paper."""
        from metricsengine_dynamics.figures.exhibits import exhibits

        return exhibits(results)

    def _named(self, kind: str) -> str:
        return ", ".join(self._inputs.parts.get(kind, ())) or "unknown"

    def _asked(self) -> Agents:
        prompts = chosen_prompts(self._conf.prompts, self._inputs)
        return Agents(self._conf, self._inputs.seed, prompts, chosen_debate(self._inputs), self._context_length)

    def _drawn(self, number: int) -> Run:
        given = (self._size, self._conf.opinions)
        return runs.draw(number, self._inputs.seed, self._network, self._reference, given)

    def _people(self, run: Run) -> Sequence[Inhabitant]:
        return self._pool.draw(self._size, run.rng("personas")) if self.needs else ()

    def _conditions(self) -> list[Condition]:
        """Everybody who updates."""
        asked = self._agents.conditions if self._agents else []
        itself = ["reference"] if self._conf.mode == "free" else []
        return [*asked, *(Condition(agent) for agent in (*self._conf.agents, *itself) if agent != LLM)]

    def _forced(self) -> Rounds[list[Updates]]:
        """The reference model's states, which everybody updates: as many steps of as many runs at once as may be."""
        done: list[Updates] = []
        waiting: list[View] = []
        for views in self._views():
            waiting += views
            if len(waiting) * self._size >= TOGETHER:
                done += yield from self._answered(waiting)
                waiting = []
        return done + (yield from self._answered(waiting))

    def _views(self) -> Iterator[list[View]]:
        """Every step of every run, as each condition meets it."""
        conditions = self._conditions()
        for number in range(self._conf.runs):
            run = self._drawn(number)
            people = self._people(run)
            for moment, heard in runs.trajectory(run, self._reference, self._conf.steps):
                yield [View(condition, run, moment, heard, people) for condition in conditions]

    def _free(self) -> Rounds[list[Updates]]:
        """Everybody's own states, from the same x(0); all populations take a step together."""
        drawn = [self._drawn(number) for number in range(self._conf.runs)]
        people = {run.number: self._people(run) for run in drawn}
        populations = [
            Population(condition, run, run.world(), run.start) for condition in self._conditions() for run in drawn
        ]
        done: list[Updates] = []
        for step in range(self._conf.steps):
            seen = [(p, *runs.look(p.run, step, p.x, self._reference, p.world)) for p in populations]
            views = [View(p.condition, p.run, moment, heard, people[p.run.number]) for p, moment, heard in seen]
            updates = yield from self._answered(views)
            for population, update in zip(populations, updates, strict=True):
                population.x = following(population.condition.agent, update.moment, update.opinions)
            done += updates
        return done

    def _answered(self, views: Sequence[View]) -> Rounds[list[Updates]]:
        """What everybody makes of what they meet."""
        asked = [view for view in views if view.condition.agent == LLM]
        told = iter((yield from self._agents.step(asked)) if self._agents else ())
        return [
            rows.said(view.condition, view.moment, next(told)) if view.condition.agent == LLM else self._baseline(view)
            for view in views
        ]

    def _baseline(self, view: View) -> Updates:
        answer = BASELINES[view.condition.agent]
        return Updates(view.condition, view.moment, answer(view.run, view.moment, view.heard, self._reference))

"""LLM agents: posts, timelines, replies, decoded (Algorithm 1), of all populations of a round together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from metricsengine.model import Outcome, Request, Response
from metricsengine.study import Rounds, together
from metricsengine_dynamics.prompting.asking import Asking
from metricsengine_dynamics.prompting.chosen import alike
from metricsengine_dynamics.prompting.decoding import decode
from metricsengine_dynamics.prompting.encoding import post_request
from metricsengine_dynamics.prompting.refused import unless_declined
from metricsengine_dynamics.prompting.scoring import hardly, unscored
from metricsengine_dynamics.prompting.slots import fill
from metricsengine_dynamics.prompting.timeline import BYTES, Post, timeline
from metricsengine_dynamics.study.conditions import LLM, Condition, Told, View
from metricsengine_dynamics.study.notices import notices
from metricsengine_dynamics.study.scale import FACTOR, whole

if TYPE_CHECKING:
    from metricsengine_dynamics.prompting.chosen import Prompts
    from metricsengine_dynamics.prompting.debate import Debate
    from metricsengine_dynamics.study.config import OpinionConf

Posts = Mapping[int, Response]
"""Posts by node, of those who are heard."""


class Agents:
    """Asks a model for what LLM agents post and think.

    Args:
        conf: How they are asked.
        seed: The run's seed.
        prompts: Prompts by name of the variant.
        debate: What it is about.
        context_length: Tokens of prompt and reply together; None where that is not known.

    Attributes:
        failed: Number of posts and summaries that could not be had, by ``post`` or ``summary`` and outcome.
    """

    def __init__(
        self,
        conf: OpinionConf,
        seed: int,
        prompts: Mapping[str, Prompts],
        debate: Debate,
        context_length: int | None = None,
    ) -> None:
        self._conf = conf
        self._prompts = prompts
        self._debate = debate
        self._context_length = context_length
        self._asking = [Asking(conf, seed, repeat) for repeat in range(conf.repeats)]
        self._summaries: dict[tuple[Condition, str], str] = {}
        self._posts: dict[Request, Response] = {}
        self._masses: list[float] = []
        self.failed: Counter[tuple[str, str]] = Counter()

    @property
    def conditions(self) -> list[Condition]:
        """Every variant, every time that it is asked."""
        return [Condition(LLM, name, repeat) for name in self._prompts for repeat in range(self._conf.repeats)]

    @property
    def notices(self) -> list[str]:
        """Sets that are alike, questions that could not be scored or hardly had an answer, what could not be had."""
        written = unscored(self._prompts, self._debate) if self._conf.decoding == "scores" else []
        return [*alike(self._prompts), *written, *hardly(self._masses), *notices(self.failed)]

    def summarise(self, personas: Iterable[str]) -> Rounds[None]:
        """Have personas summed up, once in each condition (section 4); one that cannot be stays as it is."""
        texts = list(dict.fromkeys(personas))
        wanted = {(condition, text): self._summary(condition, text) for condition in self.conditions for text in texts}
        answers: dict[Request, Response] = {}
        yield from self._once(wanted.values(), answers)
        self._note("summary", answers.values())
        told = {key: answers[request] for key, request in wanted.items()}
        self._summaries = {key: answer.text.strip() for key, answer in told.items() if answer.ok}

    def step(self, views: Sequence[View]) -> Rounds[list[list[Told]]]:
        """One step of every view: what its agents say, in the order of the nodes."""
        posts = yield from self._posted(views)
        told = yield from together(
            self._update(view, node, written)
            for view, written in zip(views, posts, strict=True)
            for node in range(len(view.people))
        )
        each = iter(told)
        return [[next(each) for _ in view.people] for view in views]

    def _posted(self, views: Sequence[View]) -> Rounds[list[Posts]]:
        """Posts of everybody who is heard; what was asked in one run is not asked again in it."""
        going = {view.run.number for view in views}
        self._posts = {request: post for request, post in self._posts.items() if request.replicate in going}
        wanted = [{node: self._post(view, node) for node in view.speakers} for view in views]
        new = yield from self._once([request for by_node in wanted for request in by_node.values()], self._posts)
        self._note("post", new)
        return [{node: self._posts[request] for node, request in by_node.items()} for by_node in wanted]

    def _once(self, requests: Iterable[Request], known: dict[Request, Response]) -> Rounds[Sequence[Response]]:
        """Ask what is not known yet, equal requests once; what came back."""
        missing = [request for request in dict.fromkeys(requests) if request not in known]
        responses = [unless_declined(response) for response in (yield missing)] if missing else []
        known.update(zip(missing, responses, strict=True))
        return responses

    def _update(self, view: View, node: int, posts: Posts) -> Rounds[Told]:
        """One agent, one update."""
        who, own = view.people[node], posts.get(node)
        told = Told(persona=who.persona.text, handle=who.handle, post=own.text if own is not None and own.ok else "")
        heard = view.heard_by(node)
        if not heard:
            return replace(told, opinion=float(whole(view.moment.x[node])))
        written = [other for other in heard if posts[other].ok]
        told = replace(told, lost=len(heard) - len(written))
        if not written:
            first = posts[heard[0]]
            return _without(told, first.outcome, f"no post that was heard could be had: {first.reason}".rstrip(": "))
        shown = [Post(view.people[i].handle, posts[i].text.strip(), posts[i].completion_tokens) for i in written]
        return (yield from self._read(view, node, told, shown))

    def _read(self, view: View, node: int, told: Told, posts: Sequence[Post]) -> Rounds[Told]:
        """The timeline, the reply to it, and the opinion in that."""
        prompts, asking, run = self._prompts[view.condition.variant], self._of(view.condition), view.run.number
        persona = self._persona(view, node)
        shown = timeline(posts, self._room(prompts, persona), prompts)
        told = replace(told, cut=shown.cut)
        if shown.cut == len(posts):
            return _without(told, Outcome.TRUNCATED, "the context is too small for a single post")
        [reply] = yield [asking.writing(self._filled(prompts.dynamics, persona=persona, timeline=shown.text), run)]
        told, reply = replace(told, reply=reply.text), unless_declined(reply)
        if not reply.ok:
            return _without(told, reply.outcome, reply.reason)
        found = yield from decode(reply.text, prompts, self._debate, asking, run)
        self._masses += [] if found.mass is None else [found.mass]
        decoding = "\n".join(" ".join(answer.split()) for answer in found.replies)
        return replace(told, opinion=found.opinion, outcome=found.outcome, reason=found.reason, decoding=decoding)

    def _post(self, view: View, node: int) -> Request:
        x = view.moment.x[node]
        return post_request(
            float(whole(x)) if self._conf.encoding == "discrete" else float(FACTOR * x),
            self._persona(view, node),
            self._prompts[view.condition.variant],
            self._debate,
            self._of(view.condition),
            self._conf.encoding,
            view.run.number,
        )

    def _persona(self, view: View, node: int) -> str:
        """A persona as it stands in prompts: its summary, where there is one."""
        text = view.people[node].persona.text
        return self._summaries.get((view.condition, text), text)

    def _summary(self, condition: Condition, text: str) -> Request:
        prompt = self._filled(self._prompts[condition.variant].summary, persona=text)
        return self._of(condition).writing(prompt, example=text)

    def _of(self, condition: Condition) -> Asking:
        return self._asking[condition.repeat]

    def _room(self, prompts: Prompts, persona: str) -> int | None:
        """Tokens that posts may take beside a prompt without any; None where there is no limit."""
        if self._context_length is None:
            return None
        bare = self._filled(prompts.dynamics, persona=persona, timeline="").encode("utf-8", "surrogatepass")
        return max(0, self._context_length - self._conf.max_tokens - -(-len(bare) // BYTES))

    def _filled(self, template: str, **values: str) -> str:
        return fill(template, {**self._debate.slots, **values})

    def _note(self, what: str, responses: Iterable[Response]) -> None:
        self.failed.update((what, str(response.outcome)) for response in responses if not response.ok)


def _without(told: Told, outcome: str, reason: str) -> Told:
    """An update without an opinion."""
    return replace(told, outcome=str(outcome), reason=reason)

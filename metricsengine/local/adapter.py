"""The adapter around a backend: requests in, batches of responses out."""

from __future__ import annotations

import datetime
import functools
import threading
from abc import abstractmethod
from collections.abc import Iterator, Sequence

from metricsengine import seeds
from metricsengine.errors import ModelError
from metricsengine.local import batches, options, prompts
from metricsengine.local.backend import Backend, Draft, Limits, Question, Voice
from metricsengine.local.batches import Group, Key, Scoring
from metricsengine.local.prompts import Prompt
from metricsengine.local.reply import Reply
from metricsengine.local.template import ChatTemplate, Piece
from metricsengine.local.vocabulary import Vocabulary
from metricsengine.model import Batch, Capabilities, Message, ModelAdapter, OptionScore, Outcome, Request, Response
from metricsengine.reading import thinking


class LocalAdapter(ModelAdapter):
    """Answers with weights in this process.

    A plugin says which weights answer (``identity``), and how they are loaded (``_load``).

    Args:
        name: What the weights are called in messages.
        vocabulary: Their tokenizer.
        context_length: Tokens of prompt and reply together, at most.
        date: The date that a chat template is told when it asks for today's.
        batch_noise: Why the replies of an interrupted and continued run may differ from those of an uninterrupted one,
            in words; empty where they do not.
    """

    lasting = True

    def __init__(
        self,
        name: str,
        vocabulary: Vocabulary,
        context_length: int,
        date: datetime.date,
        batch_noise: str = "",
    ) -> None:
        self._name = name
        self._vocabulary = vocabulary
        self._context_length = context_length
        self._date = date
        self._batch_noise = batch_noise
        self._backend: Backend | None = None
        self._lock = threading.Lock()
        self._prompt = functools.lru_cache(maxsize=1024)(self._read)
        self._spell = functools.lru_cache(maxsize=4096)(self._spelling)

    @abstractmethod
    def _load(self) -> Backend:
        """Load the weights.

        Raises:
            ModelError: They cannot be loaded.
        """

    @functools.cached_property
    def capabilities(self) -> Capabilities:
        """What the model can do: its template is tried on a chat with and without a system turn."""
        user, system = Message("user", "Hello."), Message("system", "You are a nurse.")
        return Capabilities(
            chat=bool(self._tried(user)),
            system_role=bool(self._tried(system, user)),
            # The token after an open thinking block is a thought, and no option.
            option_scores=not thinking.opened(self._tried(user)),
            bos=self._bos(),
            context_length=self._context_length,
            exact_replay=not self._batch_noise,
            batch_noise=self._batch_noise,
        )

    def render(self, request: Request) -> str:
        """The prompt as the model sees it, chat template applied.

        Raises:
            ModelError: The template rejects the turns or leaves one out, or there is none.
        """
        return self._prompt(request.prompt).text

    def answer(self, requests: Sequence[Request]) -> Iterator[Batch]:
        """Answer all requests, one batch for all that are computed together.

        Raises:
            ModelError: The weights cannot be loaded, or the backend cannot go on.
        """
        readable, refused = self._readable(requests)
        if refused:
            yield refused
        if not readable:
            return
        limits = self._loaded().limits
        for groups in batches.cut(self._groups(readable, limits), limits):
            yield self._write(groups)
        for scorings in batches.cut(self._scorings(readable), limits):
            yield self._score(scorings)

    def close(self) -> None:
        """Free the weights; a later ``answer`` loads them again."""
        with self._lock:
            if self._backend is not None:
                self._backend.close()
                self._backend = None

    def _loaded(self) -> Backend:
        with self._lock:
            return self._held()

    def _held(self) -> Backend:
        if self._backend is None:
            self._backend = self._load()
        return self._backend

    def _readable(self, requests: Sequence[Request]) -> tuple[dict[int, Request], Batch]:
        """Requests by index; those that cannot be asked are answered at once."""
        readable = {}
        refused = []
        for index, request in enumerate(requests):
            try:
                if request.options:
                    self._check_length(self._spelt(request)[0], 0)
                else:
                    self._check_length(self._prompt(request.prompt).tokens, request.sampling.max_tokens)
                readable[index] = request
            except ModelError as error:
                refused.append((index, Response(Outcome.ERROR, reason=str(error))))
        return readable, refused

    def _groups(self, requests: dict[int, Request], limits: Limits) -> list[Group]:
        groups: dict[Key, Group] = {}
        for index, request in requests.items():
            if not request.options:
                prompt, sampling = self._prompt(request.prompt), request.sampling
                block, member = batches.place(request.replicate, len(prompt.tokens), sampling, limits)
                key = batches.key_of(prompt.text, prompt.tokens, sampling, request.seed, block)
                group = groups.setdefault(key, Group(key, prompt.tokens, sampling))
                group.members.setdefault(member, []).append(index)
        return [groups[key] for key in sorted(groups)]

    def _scorings(self, requests: dict[int, Request]) -> list[Scoring]:
        scorings: dict[tuple[int, tuple[int, ...], tuple[str, ...]], Scoring] = {}
        for index, request in requests.items():
            if request.options:
                tokens, spellings = self._spelt(request)
                asked = request.replicate, tuple(tokens), request.options
                scorings.setdefault(asked, Scoring(tokens, spellings, [])).indices.append(index)
        return [scorings[asked] for asked in sorted(scorings)]

    def _write(self, groups: Sequence[Group]) -> Batch:
        drafts = [self._draft(group) for group in groups]
        with self._lock:
            self._held().write(drafts)
        return [
            (index, voice.reply.response(len(group.tokens)))
            for group, draft in zip(groups, drafts, strict=True)
            for voice, replicate in zip(draft.voices, sorted(group.members), strict=True)
            for index in group.members[replicate]
        ]

    def _draft(self, group: Group) -> Draft:
        # In the order of their replicates, whatever the order of the requests.
        key, sampling = group.key, group.sampling
        inside = thinking.opened(key.prompt)
        voices = [
            Voice(seeds.derive(key.seed, key.prompt, replicate), Reply(sampling, self._vocabulary, inside))
            for replicate in sorted(group.members)
        ]
        return Draft(group.tokens, sampling, voices)

    def _score(self, scorings: Sequence[Scoring]) -> Batch:
        questions = [Question(scoring.tokens, options.wanted(scoring.spellings)) for scoring in scorings]
        with self._lock:
            found = self._held().score(questions)
        return [
            (index, self._scored(scoring, options.score(probabilities, scoring.spellings)))
            for scoring, probabilities in zip(scorings, found, strict=True)
            for index in scoring.indices
        ]

    @staticmethod
    def _scored(scoring: Scoring, scores: tuple[OptionScore, ...]) -> Response:
        return Response(
            Outcome.ANSWERED,
            finish_reason="scored",
            prompt_tokens=len(scoring.tokens),
            completion_tokens=0,
            scores=scores,
        )

    def _spelt(self, request: Request) -> tuple[list[int], tuple[options.Spelling, ...]]:
        return self._spell(request.prompt, request.options)

    def _spelling(
        self, asked: str | tuple[Message, ...], given: tuple[str, ...]
    ) -> tuple[list[int], tuple[options.Spelling, ...]]:
        """Tokens of a prompt, and how its options are spelt there."""
        prompt = self._prompt(asked)
        if inside := thinking.opened(prompt.text):
            raise ModelError(f"the model thinks first (its template opens <{inside}>), so the next token is no option")
        return options.spell(prompt.pieces, given, self._vocabulary)

    def _check_length(self, tokens: Sequence[int], reply: int) -> None:
        if not tokens:
            raise ModelError("the prompt is empty, and this model has no token that opens a text")
        if len(tokens) + reply > self._context_length:
            wanted = f" and a reply of up to {reply} (max_tokens)" if reply else ""
            raise ModelError(
                f"a prompt of {len(tokens)} tokens{wanted} exceeds the context of {self._context_length} tokens: "
                f"shorten the prompt{', lower max_tokens' if reply else ''} or raise model.context_length"
            )

    def _read(self, prompt: str | tuple[Message, ...]) -> Prompt:
        pieces = (Piece(prompt, trusted=False),) if isinstance(prompt, str) else self._template.render(prompt)
        return prompts.read(pieces, self._vocabulary)

    def _tried(self, *turns: Message) -> str:
        """What the template makes of some turns; empty where it rejects them."""
        try:
            return "".join(piece.text for piece in self._template.render(turns))
        except ModelError:
            return ""

    def _bos(self) -> str:
        bos = self._vocabulary.bos
        names = {token: text for text, token in self._vocabulary.control.items()}
        return "none" if bos is None else names.get(bos, str(bos))

    @functools.cached_property
    def _template(self) -> ChatTemplate:
        vocabulary = self._vocabulary
        source = vocabulary.chat_template
        if not source:
            raise ModelError(f"{self._name} has no chat template: use a prompt of plain text, or a chat model")
        return ChatTemplate(source, vocabulary.special_texts(), vocabulary.control_pattern, self._date)

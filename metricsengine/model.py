"""What a study asks of a model, what comes back, and the contract of a model adapter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

Need = Literal["plain", "chat", "system_role", "option_scores", "seed"]
"""Something a study may need of a model; each is a boolean field of :class:`Capabilities`."""


class Outcome(StrEnum):
    """What became of a request."""

    ANSWERED = "answered"
    REFUSED = "refused"
    REFUSED_BY_PROVIDER = "refused_by_provider"
    UNPARSED = "unparsed"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How text is drawn from the model.

    Attributes:
        temperature: Softmax temperature, >= 0; 0 is greedy.
        top_p: Nucleus mass in (0, 1]; 1 keeps all tokens.
        top_k: Number of tokens kept, >= 0; 0 keeps all.
        max_tokens: Longest reply in tokens, >= 1.
        stop: Strings that end the reply; they are not part of it.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    max_tokens: int = 256
    stop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # One value, one type: 1 and 1.0, [] and () must not become two keys of the response store.
        object.__setattr__(self, "temperature", float(self.temperature))
        object.__setattr__(self, "top_p", float(self.top_p))
        object.__setattr__(self, "stop", tuple(self.stop))
        if not 0 <= self.temperature < float("inf"):
            raise ValueError(f"temperature must be a finite number >= 0, got {self.temperature}")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p must lie in (0, 1], got {self.top_p}")
        if self.top_k < 0:
            raise ValueError(f"top_k must be >= 0, got {self.top_k}")
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens must be >= 1, got {self.max_tokens}")


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt with everything that decides its answer.

    Attributes:
        prompt: Text to be continued, or the turns of a chat.
        sampling: Ignored where ``options`` are given: scores are taken at temperature 1 without truncation.
        seed: The run's seed; an adapter derives the seed of a reply from (seed, rendered prompt, replicate).
        replicate: Index of this sample among those of the same prompt, from 0; of options, which time they are scored.
        options: Where given, the model scores these continuations instead of writing.
        example: A plausible reply for dry runs; where it decides what is asked next, one after which the most is asked.
            Not part of the request's identity.
        meanings: What each option stands for, where a prompt shows symbols with texts: a written answer may say it
            instead of the symbol. For reading only; not part of the request's identity.
    """

    prompt: str | tuple[Message, ...]
    sampling: Sampling = Sampling()
    seed: int = 0
    replicate: int = 0
    options: tuple[str, ...] = ()
    example: str = field(default="", compare=False)
    meanings: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class OptionScore:
    """Next-token probability of one option.

    Attributes:
        option: The option as asked.
        probability: Sum over its spellings, at temperature 1, of the whole vocabulary; in [0, 1].
        tokens: Ids of the spellings (with and without a leading space) that were summed.
        censored: The backend returned no value; ``probability`` is an upper bound.
    """

    option: str
    probability: float
    tokens: tuple[int, ...] = ()
    censored: bool = False


@dataclass(frozen=True, slots=True)
class Response:
    """What came back for one request.

    Attributes:
        outcome: What became of the request.
        text: The reply without the prompt and without the stop string.
        reason: Why the outcome is not ``answered``.
        finish_reason: Why the reply ended: ``stop``, ``length``, ``content_filter``, ``scored`` or empty.
        prompt_tokens: Length of the rendered prompt in tokens, where known.
        completion_tokens: Length of the reply in tokens, where known.
        scores: One for each option of the request, in its order; empty for text.
        notices: What was done otherwise than asked, such as a parameter that the endpoint rejects and that was left
            out; each a sentence that reads the same for every request that it befell.
        served_by: Which snapshot of the model a provider says has answered; empty where nobody says.
    """

    outcome: Outcome
    text: str = ""
    reason: str = ""
    finish_reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    scores: tuple[OptionScore, ...] = ()
    notices: tuple[str, ...] = ()
    served_by: str = ""

    @property
    def ok(self) -> bool:
        """Whether the reply can be used: answered, or cut at ``max_tokens`` after it had begun."""
        return self.outcome is Outcome.ANSWERED or (self.outcome is Outcome.TRUNCATED and bool(self.text.strip()))

    @property
    def option_mass(self) -> float:
        """Probability that the next token is any of the options, in [0, 1]."""
        return sum(score.probability for score in self.scores)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a model can do; compared with a study's needs before anything is asked, and proven by a few calls.

    Attributes:
        plain: Continues plain text.
        chat: Takes the turns of a chat.
        system_role: A system turn reaches the model as such.
        option_scores: Scores given options.
        score_depth: Number of likeliest next tokens among which options are looked for; None for the whole vocabulary.
        invariant_scores: Scores are those of temperature 1 without truncation, whatever the request's sampling.
        seed: A request asked again gets the same reply (up to ``batch_noise``).
        bos: Which token opens every text: its text, "none", or empty where that is not known.
        context_length: Tokens of prompt and reply together, where known.
        thread_safe: ``answer`` may be called from several threads.
        exact_replay: An interrupted and continued run gives the very replies of an uninterrupted one.
        batch_noise: What remains when ``exact_replay`` is false, in words.
    """

    plain: bool = True
    chat: bool = False
    system_role: bool = False
    option_scores: bool = False
    score_depth: int | None = None
    invariant_scores: bool = True
    seed: bool = True
    bos: str = ""
    context_length: int | None = None
    thread_safe: bool = False
    exact_replay: bool = False
    batch_noise: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a few requests showed of one capability.

    Attributes:
        capability: Name of the field of :class:`Capabilities`.
        holds: Whether the model does what it declares.
        detail: What was seen, in one line.
    """

    capability: str
    holds: bool
    detail: str


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Which weights answer, and in which request format; part of every key of the response store.

    Attributes:
        adapter: Registered name of the adapter.
        name: What people call the model.
        weights: Fingerprint of the weights, or the provider's model name.
        format: Raised by the adapter when the same request would come to mean something else.
        details: What a reader wants to know beside it (quantisation, context length, template, ...).
    """

    adapter: str
    name: str
    weights: str
    format: int
    details: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Prices:
    """What a model costs.

    Attributes:
        prompt: Per million tokens of prompts, >= 0.
        completion: Per million tokens of replies, >= 0.
        currency: In which both are.
    """

    prompt: float
    completion: float
    currency: str = "USD"


Batch = Sequence[tuple[int, Response]]
"""Completed requests: (index into the requested sequence, response). The engine stores a batch in one transaction."""


class ModelAdapter(ABC):
    """Answers requests with one backend.

    Construction is cheap: it reads what ``identity``, ``capabilities`` and ``render`` need (names, template, header),
    and leaves loading the weights to the first ``answer``.

    Attributes:
        lasting: Whether the next job of this process may go on with it, its weights loaded, if its options, its
            ``identity`` and its ``surroundings`` are the same: its answers do not depend on what it answered before.
            Otherwise it is closed at the end of its job.
    """

    lasting = False

    @property
    @abstractmethod
    def identity(self) -> ModelIdentity:
        """Which weights answer."""

    @property
    @abstractmethod
    def capabilities(self) -> Capabilities:
        """What the model can do."""

    @abstractmethod
    def render(self, request: Request) -> str:
        """The prompt as the model sees it, chat template applied.

        Raises:
            ModelError: The template rejects the turns.
        """

    @abstractmethod
    def answer(self, requests: Sequence[Request]) -> Iterator[Batch]:
        """Answer all requests, yielding each batch as it completes; every index exactly once, in any order.

        A request that fails by itself comes back as a response with outcome ``error`` and its reason. Closing the
        iterator stops the work.

        Raises:
            ModelError: The backend as a whole cannot go on.
        """

    @property
    def surroundings(self) -> Mapping[str, str]:
        """What, beside the weights, decides what the model can do: an endpoint, a library and its version, a device.

        What was proven of the capabilities holds for these.
        """
        return {}

    @property
    def prices(self) -> Prices | None:
        """What the model costs, where that is known."""
        return None

    def stop(self) -> bool:
        """Wind down the ``answer`` that is going on, because the user interrupted it.

        No further request is sent; the iterator yields what is in flight and ends, with requests left unanswered.
        Called in a signal handler, in the thread that consumes the iterator, and perhaps while that waits inside it:
        set a flag or an event, and take no lock that ``answer`` may hold. The next ``answer`` starts afresh.

        Returns:
            Whether it winds down. Where it does not, the interrupt is raised at once, inside the iterator if that is
            where it arrived, and the iterator is closed.
        """
        return False

    def close(self) -> None:  # noqa: B027 - most adapters hold nothing to release
        """Release what the adapter holds."""


@dataclass(frozen=True)
class ModelSpec:
    """Registers a model adapter.

    Attributes:
        name: Name of the adapter; ``model=NAME`` chooses it.
        config: Dataclass with the adapter's options and their defaults.
        build: Makes an adapter from an instance of ``config``; imports its backend inside.
        doc: One line for ``metricsengine plugins``.
    """

    name: str
    config: type[Any]
    build: Callable[[Any], ModelAdapter]
    doc: str = ""

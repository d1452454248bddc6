"""Replies to one prompt that are drawn together.

Which replies go together follows from each request and the configuration alone: replicates 0 to ``width - 1``, the next
``width``, and so on. Since a group is handed out, and stored, as a whole, what a killed run left is whole groups,
and the run that continues it decodes exactly those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from metricsengine.model import Response, Sampling
from metricsengine_llamacpp.config import LlamaCppConf
from metricsengine_llamacpp.decoder import Decoder
from metricsengine_llamacpp.reply import Reply
from metricsengine_llamacpp.sampling import chain, reply_seed
from metricsengine_llamacpp.vocabulary import Vocabulary


class Key(NamedTuple):
    """What the replies of a group share.

    Attributes:
        prompt: The rendered prompt.
        sampling: How they are drawn.
        seed: Seed of the run.
        block: Which stretch of replicates.
    """

    prompt: str
    sampling: Sampling
    seed: int
    block: int


@dataclass(frozen=True, slots=True)
class Samples:
    """Replies to one prompt that are drawn together.

    Attributes:
        key: What they share.
        tokens: The prompt's tokens.
        members: By replicate, the indices of the requests that ask for it; by 0 alone where all replies are alike.
    """

    key: Key
    tokens: Sequence[int]
    members: dict[int, list[int]] = field(default_factory=dict)

    @property
    def cache(self) -> int:
        """Tokens of the prompt and of all replies together, at most."""
        return len(self.tokens) + len(self.members) * self.key.sampling.max_tokens

    def run(self, decoder: Decoder, vocabulary: Vocabulary) -> list[tuple[int, Response]]:
        """Draw the replies."""
        key, replies = self.key, self._replies(vocabulary)
        voices = [
            (chain(key.sampling, reply_seed(key.seed, key.prompt, replicate)), reply.add)
            for replicate, reply in replies.items()
        ]
        decoder.write(self.tokens, voices, self.cache)
        responses = {replicate: reply.response(len(self.tokens)) for replicate, reply in replies.items()}
        return [(index, responses[replicate]) for replicate, indices in self.members.items() for index in indices]

    def _replies(self, vocabulary: Vocabulary) -> Mapping[int, Reply]:
        # In the order of their replicates, whatever the order of the requests.
        return {replicate: Reply(self.key.sampling, vocabulary) for replicate in sorted(self.members)}


def place(replicate: int, prompt_tokens: int, sampling: Sampling, conf: LlamaCppConf) -> tuple[int, int]:
    """Block and member that a replicate is: fewer are drawn together where the cache would not hold ``width``.

    At temperature 0 all replicates are one reply, which is written once.

    Example:
        >>> conf = LlamaCppConf(path="model.gguf", width=32, cache_tokens=1000)
        >>> place(40, 100, Sampling(max_tokens=10), conf), place(40, 100, Sampling(max_tokens=100), conf)
        ((1, 40), (4, 40))
        >>> place(40, 100, Sampling(temperature=0), conf)
        (0, 0)
    """
    if sampling.temperature == 0:
        return 0, 0
    together = (conf.cache_tokens - prompt_tokens) // sampling.max_tokens
    return replicate // max(1, min(conf.width, together)), replicate

"""The timeline that an agent reads: whole posts, as many as there is room for (Sense and Sensitivity, Table 4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from metricsengine_dynamics.prompting.chosen import Prompts
from metricsengine_dynamics.prompting.slots import fill

BYTES = 3
"""Bytes of a token, on the safe side: English has more, and scripts of three bytes a letter about one token each."""

AROUND = 3
"""Tokens of what stands between a handle and its post, and between two posts."""


@dataclass(frozen=True)
class Post:
    """What somebody posted.

    Attributes:
        handle: Under which name: "@rowan".
        text: The post.
        tokens: Length of the text in tokens, where known.
    """

    handle: str
    text: str
    tokens: int | None = None

    @property
    def length(self) -> int:
        """Tokens that it takes in a timeline, its handle included; estimated where that is not known."""
        return (_estimated(self.text) if self.tokens is None else self.tokens) + _estimated(self.handle) + AROUND


@dataclass(frozen=True)
class Timeline:
    """A timeline.

    Attributes:
        text: The posts that it shows.
        cut: Number of posts that were left out.
    """

    text: str
    cut: int = 0


def timeline(posts: Sequence[Post], room: int | None, prompts: Prompts) -> Timeline:
    """A timeline of posts in their order, cut by whole posts.

    The first posts stay, as many as fit. One that does not even fit by itself is left out and does not stop the others.
    Line breaks inside a post become spaces, so that each post is recognised by its handle.

    Args:
        posts: What an agent could read.
        room: Tokens left for posts; None for no limit.
        prompts: How a post is written, and what stands between two.
    """
    kept = posts if room is None else _fitting(posts, room)
    lines = [fill(prompts.post, {"handle": post.handle, "text": " ".join(post.text.split())}) for post in kept]
    return Timeline(prompts.separator.join(lines), len(posts) - len(kept))


def _fitting(posts: Sequence[Post], room: int) -> list[Post]:
    kept: list[Post] = []
    left = room
    for post in posts:
        if post.length > room:
            continue
        left -= post.length
        if left < 0:
            break
        kept.append(post)
    return kept


def _estimated(text: str) -> int:
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES)

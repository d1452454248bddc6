"""How a model is asked for a paraphrase, and what is read of its reply."""

from __future__ import annotations

import re
from collections.abc import Iterable

from metricsengine.model import Message, Need, Request, Sampling
from metricsengine.perturbation import perturb
from metricsengine.perturbation.spans import PLACEHOLDER, labels
from metricsengine.reading import thinking
from metricsengine_comparisons.paraphrase.config import ParaphraseConf

_TASK = """\
Below, between two lines of dashes, is a prompt. Say it in other words, so that it still asks for exactly the same.
{keeping}Reply with the new wording and nothing else.

---
{text}
---

New wording:
"""
_LEAD_IN = re.compile(
    r"\A[^\n{]*\b(?:wording|words|paraphrase\w*|rewritten|rephrased|version|prompt)\b[^\n{]*:[ \t]*\n\s*"
)
_FENCED = re.compile(r"\A(?:-{3,}|`{3,}\w*)[ \t]*\n(.*?)\n[ \t]*(?:-{3,}|`{3,})(?:\s|\Z)", re.DOTALL)


def need(conf: ParaphraseConf) -> Need:
    """What the model must be able to do."""
    return "chat" if conf.format == "chat" else "plain"


def request(text: str, conf: ParaphraseConf, seed: int, replicate: int, *, last: bool) -> Request:
    """Asks for one paraphrase.

    Args:
        text: What is to be paraphrased.
        conf: Sampling and format.
        seed: The run's seed.
        replicate: Index of the sample.
        last: Whether it is the last attempt. A plan takes the longest way: only then the example is of use.
    """
    asked = _TASK.format(text=text.strip(), keeping=_keeping(text))
    return Request(
        (Message("user", asked),) if conf.format == "chat" else asked,
        Sampling(conf.temperature, conf.top_p, max_tokens=conf.max_tokens),
        seed=seed,
        replicate=replicate,
        example=perturb(text, ["synonyms"]) if last else text,
    )


def read(reply: str, text: str) -> str:
    r"""The paraphrase in a reply, between the same white space as the text; empty where there is none.

    Example:
        >>> read("Sure! Here is a new wording:\n\nSay {topic}.", "Tell of {topic}.\n")
        'Say {topic}.\n'
    """
    told = _LEAD_IN.sub("", thinking.strip(reply).text.strip())
    if fenced := _FENCED.match(told):
        told = fenced[1]
    told = told.strip().removesuffix("---").rstrip()
    if told[:1] == told[-1:] == '"' != text.strip()[:1] and '"' not in told[1:-1]:
        told = told[1:-1].strip()
    before = len(text) - len(text.lstrip())
    return text[:before] + told + text[len(text.rstrip()) :] if told else ""


def _keeping(text: str) -> str:
    """Which marks have to stay, in a line."""
    braced = _listed(re.findall(PLACEHOLDER, text))
    quoted = _listed(label[0] for label in labels(text))
    kept = [f"placeholder {mark}" for mark in braced] + [f"phrase {mark}" for mark in quoted]
    return f"Keep exactly as they are, each as often as it occurs: {', '.join(kept)}.\n" if kept else ""


def _listed(marks: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(marks))

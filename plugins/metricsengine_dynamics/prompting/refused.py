"""Texts in which a model declines to write what an agent would."""

from __future__ import annotations

import re
from dataclasses import replace

from metricsengine.model import Outcome, Response
from metricsengine.reading.refusal import keyword_strict

_APOLOGY = re.compile(r"\W*i(?:['’]| a)m (?:(?:very|really|so) )?sorry\W+(?:but )?", re.IGNORECASE)
_BETWEEN = re.compile(r'(?:choose|pick|say (?:which|who)|sides?)"$')
_MACHINE = re.compile(r"\b(?:AI|chatbot|language model|virtual assistant)\b")


def unless_declined(response: Response) -> Response:
    """What came back for a post, a reply or a summary, or that it is a refusal: a text that cannot be had."""
    if response.ok and (reason := declines(response.text)):
        return replace(response, outcome=Outcome.REFUSED, reason=reason)
    return response


def declines(text: str) -> str:
    """Why a text is a refusal, in a few words; empty where it is none.

    In a debate people apologise for what they think, and those who are neutral take no side: neither refuses anything.

    Example:
        >>> print(declines("I'm sorry, but I can't help with that."))
        the reply opens with "i'm sorry, but i can't help with"
        >>> declines("I'm sorry, but I can't support a planned economy!"), declines("I can't take sides here.")
        ('', '')
    """
    reason = keyword_strict(text)
    if not reason or (_BETWEEN.search(reason) and not _MACHINE.search(text)):
        return ""
    return reason if keyword_strict(_APOLOGY.sub("", text, count=1)) else ""

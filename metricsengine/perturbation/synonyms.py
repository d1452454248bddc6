"""Words of prompts said by others of the same meaning."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from random import Random

from metricsengine.perturbation.spans import LABEL, PLACEHOLDER

SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "additional": ("extra", "added"),
    "analyzed": ("examined", "inspected"),
    "analyzing": ("examining", "inspecting"),
    "anything else": ("anything more",),
    "balanced": ("fair",),
    "based on": ("judging by", "going by"),
    "candid": ("frank", "plain-spoken"),
    "carefully": ("closely", "thoroughly"),
    "choose": ("pick",),
    "comment": ("remark", "message"),
    "completely": ("fully", "totally"),
    "compose": ("write", "draft"),
    "concise": ("succinct", "to the point"),
    "determine": ("work out", "find out"),
    "don't": ("do not",),
    "evaluate": ("assess", "appraise"),
    "formulate": ("develop", "shape"),
    "forum": ("message board", "discussion board"),
    "limited": ("restricted", "confined"),
    "nothing else": ("nothing more",),
    "online": ("internet",),
    "options": ("alternatives",),
    "overly": ("unduly", "excessively"),
    "perspective": ("point of view", "viewpoint"),
    "please": ("kindly",),
    "polite": ("courteous", "civil"),
    "posted": ("shared", "published"),
    "provide": ("give", "supply"),
    "rationalize": ("justify", "substantiate"),
    "reflect": ("mirror", "show"),
    "regarding": ("concerning",),
    "regardless of": ("no matter", "whatever"),
    "select": ("pick",),
    "short": ("brief",),
    "specific": ("particular", "concrete"),
    "stance": ("position", "standpoint"),
    "suggest": ("propose", "recommend"),
    "suggestion": ("proposal", "recommendation"),
    "sure": ("certain",),
    "to identify how": ("to indicate how",),
    "to identify which": ("to indicate which",),
    "would like to": ("want to", "wish to"),
}
"""Synonyms of words and phrases. Each begins as its word does, with a vowel or with a consonant, so that "a" and "an"
stay right; none holds a word that has synonyms itself."""


def reworded(text: str, draw: Random | None = None) -> str:
    """With the words of the table said by others, their case kept; quoted labels stay as they are.

    Args:
        text: The text.
        draw: Draws which synonym, once for each word; None takes the first.

    Example:
        >>> reworded("Please choose ’please choose’. DON’T add anything else.")
        'Kindly pick ’please choose’. DO NOT add anything more.'
    """
    told = {word: draw.choice(others) if draw else others[0] for word, others in SYNONYMS.items()}

    def other(found: re.Match[str]) -> str:
        if found["word"] is None:
            return found[0]
        return _cased(told[found["word"].lower().replace("’", "'")], found["word"])

    return _pattern().sub(other, text)


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(SYNONYMS, key=len, reverse=True)
    words = "|".join(re.escape(word).replace("'", "['’]") for word in longest_first)
    return re.compile(rf"{PLACEHOLDER}|{LABEL}|(?<![\w'’-])(?P<word>(?i:{words}))(?![\w'’-])")


def _cased(word: str, like: str) -> str:
    if like.isupper():
        return word.upper()
    return word[0].upper() + word[1:] if like[0].isupper() else word

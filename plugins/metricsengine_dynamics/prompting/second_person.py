"""What people say of themselves, said to them: "i like my dog" becomes "You like your dog."."""

from __future__ import annotations

import re

_I = r"(?<![\w'-])i"
_ADVERB = r"(?: (?:\w+ly|also|always|just|never|not|now|often|still|too|very))?"
_RULES = tuple(
    (re.compile(pattern, re.IGNORECASE), by)
    for pattern, by in (
        (r" *['’] *(?=(?:s|m|ve|re|ll|d|t)\b)", "'"),
        (r" +(?=[.,;:!?])", ""),
        (r"(?<=[!?])\.", ""),
        (rf"\bam({_ADVERB}) i\b", r"are\1 you"),
        (rf"\bwas({_ADVERB}) i\b", r"were\1 you"),
        (rf"{_I}'?m\b", "you are"),
        (rf"{_I}({_ADVERB}) am\b", r"you\1 are"),
        (rf"{_I}({_ADVERB}) was(n't)?\b", r"you\1 were\2"),
        (r"\b(and|but)( also)? am\b", r"\1\2 are"),
        (rf"{_I}(?:'ve|ve)\b", "you have"),
        (rf"{_I}(?='(?:ll|d)\b)", "you"),
        (rf"{_I}(?![\w'.-])|{_I}(?=\.(?:\s|$))|\bme\b", "you"),
        (r"\bmyself\b", "yourself"),
        (r"(?<!\ba )(?<!\bthe )(?<!\bcoal )(?<!\bgold )\bmine\b", "yours"),
        (r"\bmy\b", "your"),
        (r"\s+", " "),
    )
)
_START = re.compile(r"(?:^|(?<=[.!?] ))[\"'(]*[^\W\d_]")
_ENDS = (".", "!", "?")


def second_person(sentence: str) -> str:
    """A sentence in the second person, with a capital and a full stop.

    Args:
        sentence: In the first person, as PersonaChat has it: small letters, marks perhaps set apart by spaces.

    Example:
        >>> second_person("i am a vegetarian , but my husband isn ' t")
        "You are a vegetarian, but your husband isn't."
        >>> second_person("my mother taught me and i was glad. i'm good at it myself!")
        'Your mother taught you and you were glad. You are good at it yourself!'
    """
    text = sentence.strip()
    for pattern, by in _RULES:
        text = pattern.sub(by, text)
    text = _START.sub(lambda found: found[0].upper(), text)
    return text if text.endswith(_ENDS) else f"{text}."

"""The prompt of a simulation S(p, t, c): context, persona and topic put into words (CoMPosT, section 5, Table A5)."""

from __future__ import annotations

import re
import unicodedata

from metricsengine_caricature.sets import Context, Persona, Topic

_VOWEL_LETTERS = frozenset("aefhilmnorsx")
"""Letters whose English name begins with a vowel."""

_VOWEL_SOUND = re.compile(
    r"""
    [ai] | o (?! n(?:e|ce)\b )            # one and once begin like "won"
    | e (?! u | we\b )                  # European, ewe
    | u (?! ni (?![nrm]|de)             # university; but uninsured, unironic, unimpressed, unidentified
          | nanim | biq | s[aeu] | t[aeio] | r[aiou] | ga | k[ru] | y | ig )
    | h (?= our | onest | onou?r | eir ) # the h is silent
    | x (?! [aeiouy] )                  # X-ray, Xbox; but xenial
    """,
    re.VERBOSE,
)


def article(phrase: str) -> str:
    """The indefinite article of a phrase, chosen by the sound that it begins with.

    Numbers are read aloud, abbreviations letter by letter, quotes and other signs skipped. Other scripts take "a".

    Args:
        phrase: A noun phrase in English; may be of any script, or empty.

    Returns:
        "a" or "an".

    Example:
        >>> [article(phrase) for phrase in ("80-year-old person", "one-eyed person", "U.S. citizen", "honest person")]
        ['an', 'a', 'a', 'an']
    """
    plain = unicodedata.normalize("NFKD", phrase)
    start = re.match(r"\W*(?:(?P<number>[0-9]+)|(?P<word>[A-Za-z]+(?:\.[A-Za-z])*))", plain)
    if start is None:
        return "a"
    vowel = _number_has_vowel(start["number"]) if start["number"] else _word_has_vowel(start["word"].replace(".", ""))
    return "an" if vowel else "a"


def _number_has_vowel(digits: str) -> bool:
    """Whether a number read aloud begins with eight, eighty, eleven or eighteen, also of thousands or hundreds."""
    teens = digits[:2] in ("11", "18") and (len(digits) % 3 == 2 or len(digits) == 4)
    return digits[0] == "8" or teens


def _word_has_vowel(word: str) -> bool:
    unspeakable = len(word) <= 3 or word[0] == "U" or not re.search("[AEIOU]", word[:3])
    if len(word) == 1 or (word.isupper() and unspeakable):
        return word[0].lower() in _VOWEL_LETTERS
    return _VOWEL_SOUND.match(word.lower()) is not None


def prompt(context: Context, persona: Persona | None, topic: Topic | None) -> str:
    """The first prompt of a simulation.

    Args:
        context: Wording.
        persona: Whose opinion; ``None`` for the context's default persona.
        topic: What about; ``None`` for the default topic.

    Returns:
        The prompt. Placeholders are filled in one pass: whatever braces a persona or topic contains stay as they are.

    Example:
        >>> forum = Context("", target="{A_persona} on {topic}:", without_topic="{A_persona}:")
        >>> prompt(forum, Persona("80-year-old person"), Topic("cars")), prompt(forum, None, None)
        ('An 80-year-old person on cars:', 'A person:')
    """
    someone = _or_default(context, persona)
    words = _persona_words(context, someone)
    words["description"] = context.descriptions.get(someone.category, context.description).format_map(words)
    if topic is None:
        return context.without_topic.format_map(words)
    return context.target.format_map({**words, "topic": topic.name, "is_are": _is_are(context, topic)})


def follow_ups(context: Context, persona: Persona | None) -> list[str]:
    """The further prompts of a simulation of several rounds, in order; empty where the context has one round."""
    words = _persona_words(context, _or_default(context, persona))
    return [template.format_map(words) for template in context.follow_up]


def _or_default(context: Context, persona: Persona | None) -> Persona:
    return Persona(context.default_persona) if persona is None else persona


def _persona_words(context: Context, persona: Persona) -> dict[str, str]:
    if context.article == "capital_a":
        indefinite = "an" if persona.name.startswith("A") else "a"
    else:
        indefinite = article(persona.name)
    return {
        "persona": persona.name,
        "a_persona": f"{indefinite} {persona.name}",
        "A_persona": f"{indefinite.capitalize()} {persona.name}",
        "adjective": persona.adjective or persona.name,
    }


def _is_are(context: Context, topic: Topic) -> str:
    if context.number == "spelling":
        plural = "people" in topic.name or (topic.name.islower() and topic.name.endswith("s"))
    else:
        plural = topic.number == "plural"
    return "are" if plural else "is"

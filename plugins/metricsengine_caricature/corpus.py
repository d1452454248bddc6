"""The simulations of one context: which texts each cell holds, how often each word, in which sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt
from scipy import sparse

from metricsengine_caricature.tokens import Protocol, letter_runs, sentences, tokeniser

Cell = tuple[str, str]
"""A simulation S(p, t): persona and topic."""

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Undefined:
    """A number that does not exist.

    Attributes:
        reason: Why not, naming the cell at fault.
        flags: What else a reader must know.
    """

    reason: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, order=True)
class Contrast:
    """A target simulation S(p, t) and the defaults it is held against (CoMPosT, section 4.1)."""

    persona: str
    topic: str
    default_persona: str
    default_topic: str

    @property
    def target(self) -> Cell:
        """S(p, t)."""
        return self.persona, self.topic

    @property
    def without_persona(self) -> Cell:
        """S(_, t), the default-persona simulation."""
        return self.default_persona, self.topic

    @property
    def without_topic(self) -> Cell:
        """S(p, _), the default-topic simulation."""
        return self.persona, self.default_topic

    @property
    def without_both(self) -> Cell:
        """S(_, _)."""
        return self.default_persona, self.default_topic

    @property
    def controlled(self) -> tuple[Cell, Cell, Cell]:
        """S(p, t), S(_, t) and S(p, _)."""
        return self.target, self.without_persona, self.without_topic

    def prior(self, protocol: Protocol) -> list[Cell]:
        """The cells whose words make the prior of the log-odds: under ``paper`` those that are not compared."""
        four = {self.target, self.without_persona, self.without_topic, self.without_both}
        compared = {self.without_persona, self.without_topic}
        return sorted(four - compared if protocol == "paper" else four)


def scored_contrasts(
    cells: Iterable[Cell], default_persona: str, default_topic: str, protocol: Protocol
) -> list[Contrast]:
    """The cells that get an exaggeration, in order.

    Under ``paper`` both defaults are controls and never scored. The released code scores the default topic too, and
    the default persona unless it is literally "person".

    Example:
        >>> cells = [("man", "golf"), ("man", ""), ("person", "golf"), ("person", "")]
        >>> [c.target for c in scored_contrasts(cells, "person", "", "paper")]
        [('man', 'golf')]
        >>> [c.target for c in scored_contrasts(cells, "person", "", "released")]
        [('man', ''), ('man', 'golf')]
    """
    skips_default = protocol == "paper" or default_persona == "person"
    return [
        Contrast(persona, topic, default_persona, default_topic)
        for persona, topic in sorted(set(cells))
        if (persona, topic) != (default_persona, default_topic)
        and not (persona == default_persona and skips_default)
        and not (topic == default_topic and protocol == "paper")
    ]


class CellSentences:
    """The distinct sentences of one cell and the words in each.

    Attributes:
        texts: Distinct sentences, sorted.
        repeats: How often each occurs in the cell; shape (sentences,).
    """

    def __init__(self, responses: Iterable[str], protocol: Protocol) -> None:
        tally = Counter(chain.from_iterable(map(sentences, responses)))
        self.texts: tuple[str, ...] = tuple(sorted(tally))
        self.repeats: Counts = np.array([tally[text] for text in self.texts], dtype=np.int64)
        self._substring = protocol == "released"
        forms = letter_runs if self._substring else tokeniser(protocol)
        self._with_substring: dict[str, list[int]] = {}
        self._by_form: dict[str, list[int]] = defaultdict(list)
        for position, text in enumerate(self.texts):
            for form in set(forms(text)):
                self._by_form[form].append(position)

    def containing(self, word: str) -> Sequence[int]:
        """Positions of the sentences with the word: as a token under ``paper``, as a substring under ``released``."""
        if not self._substring:
            return self._by_form.get(word, ())
        if not word:
            return range(len(self.texts))
        if word not in self._with_substring:
            found = {i for form, positions in self._by_form.items() if word in form for i in positions}
            self._with_substring[word] = sorted(found)
        return self._with_substring[word]

    def hits(self, words: Sequence[str]) -> sparse.csr_array:
        """How often each sentence with the word occurs; shape (words, sentences)."""
        found = [self.containing(word) for word in words]
        ends = np.cumsum([0, *map(len, found)])
        positions = np.fromiter(chain.from_iterable(found), dtype=np.int64, count=int(ends[-1]))
        return sparse.csr_array((self.repeats[positions], positions, ends), shape=(len(words), len(self.texts)))


class Corpus:
    """All simulations of one context under one protocol. The order of the responses never matters.

    Args:
        cells: Responses of each cell, repeats included.
        protocol: How words and sentences are read.

    Attributes:
        protocol: As given.
        words: The vocabulary, sorted.
    """

    def __init__(self, cells: Mapping[Cell, Sequence[str]], protocol: Protocol) -> None:
        self.protocol: Protocol = protocol
        self._responses = {cell: tuple(sorted(texts)) for cell, texts in sorted(cells.items())}
        self._row = {cell: row for row, cell in enumerate(self._responses)}
        self._sentences: dict[Cell, CellSentences] = {}
        tallies = [_word_tally(texts, protocol) for texts in self._responses.values()]
        self.words: list[str] = sorted(set().union(*tallies))
        self._counts = _count_matrix(tallies, self.words)

    @property
    def cells(self) -> list[Cell]:
        """The cells, sorted."""
        return list(self._responses)

    def responses(self, cell: Cell) -> tuple[str, ...]:
        """Responses of a cell, sorted, repeats included; empty for an unknown cell."""
        return self._responses.get(cell, ())

    def counts(self, cells: Iterable[Cell]) -> Counts:
        """How often each word of the vocabulary occurs in the cells together; shape (words,)."""
        rows = [self._row[cell] for cell in cells if cell in self._row]
        total: Counts = np.asarray(self._counts[rows].sum(axis=0)).ravel()
        return total

    def sentences(self, cell: Cell) -> CellSentences:
        """Sentences of a cell, split at the first call."""
        if cell not in self._sentences:
            self._sentences[cell] = CellSentences(self.responses(cell), self.protocol)
        return self._sentences[cell]

    def too_few(self, cell: Cell, minimum: int) -> Undefined | None:
        """The reason why a cell cannot be used, where it has fewer responses than needed."""
        n = len(self.responses(cell))
        if n >= minimum:
            return None
        return Undefined(f"insufficient data: {describe(cell)} has n={n}, minimum {minimum}")


def describe(cell: Cell) -> str:
    """The cell in words, for a reason."""
    return f"persona {cell[0]!r}, topic {cell[1]!r}"


def _word_tally(texts: Iterable[str], protocol: Protocol) -> Counter[str]:
    tokenise = tokeniser(protocol)
    tally: Counter[str] = Counter()
    for text, repeats in Counter(texts).items():
        words = tokenise(text)
        tally.update(words * repeats)
    return tally


def _count_matrix(tallies: Sequence[Counter[str]], words: Sequence[str]) -> sparse.csr_array:
    column = {word: i for i, word in enumerate(words)}
    ends = np.cumsum([0, *map(len, tallies)])
    columns = np.fromiter((column[word] for tally in tallies for word in tally), dtype=np.int64, count=int(ends[-1]))
    counts = np.fromiter(chain.from_iterable(tally.values() for tally in tallies), np.int64, int(ends[-1]))
    return sparse.csr_array((counts, columns, ends), shape=(len(tallies), len(words)))

"""The axes of all scored cells: seed words first, then one embedding of just the texts that matter, then vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metricsengine.metric import MetricContext
from metricsengine_caricature.axis import (
    Axis,
    AxisPlan,
    Pole,
    Validity,
    Vectors,
    build_axis,
    controls_too_few,
    cosines,
    plan_axis,
)
from metricsengine_caricature.corpus import Contrast, Corpus, Undefined, scored_contrasts
from metricsengine_caricature.exaggeration import DEGENERATE, texts_needed
from metricsengine_caricature.simulations import Group, shared_groups

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd


@dataclass(frozen=True)
class Candidate:
    """One cell to be scored.

    Attributes:
        group: The simulations it belongs to.
        corpus: Their words and sentences.
        contrast: The cell and its controls.
    """

    group: Group
    corpus: Corpus
    contrast: Contrast

    @property
    def too_few(self) -> Undefined | None:
        """Why there is no axis, whatever the responses say: a control has too few, or one is missing."""
        return self._crash or controls_too_few(self.corpus, self.contrast)

    def plan(self) -> AxisPlan | Undefined:
        """Seed words and sentences of its axis, or why there is none."""
        return self._crash or plan_axis(self.corpus, self.contrast)

    @property
    def _crash(self) -> Undefined | None:
        return self.group.crashes({*self.contrast.controlled, *self.contrast.prior(self.corpus.protocol)})


@dataclass(frozen=True)
class Scored(Candidate):
    """One cell that was scored.

    Attributes:
        axis: Its axis, or why there is none.
    """

    axis: Axis | Undefined


class Axes:
    """All scored cells of a table.

    Args:
        scored: The cells.
        vectors: Vectors of all texts that matter to them.
        truncated: Texts that are longer than the encoder reads.
    """

    def __init__(self, scored: Sequence[Scored], vectors: Vectors, truncated: frozenset[str]) -> None:
        self._scored = scored
        self.vectors = vectors
        self._truncated = truncated

    def __iter__(self) -> Iterator[Scored]:
        return iter(self._scored)

    def beyond_encoder(self, scored: Scored) -> tuple[str, ...]:
        """A flag with the number of the cell's responses that are longer than the encoder reads."""
        return beyond_encoder(scored.group.texts.get(scored.contrast.target, ()), self._truncated)

    def seed_words(self) -> pd.DataFrame:
        """Every seed word of every axis, with its score, its sentences and how it fared when left out."""
        import pandas as pd

        columns = (
            "context", "part", "persona", "topic", "pole", "word", "z", "in_persona", "in_topic", "sentences",
            "leave_one_out",
        )  # fmt: skip
        rows = [
            row for scored in self._scored if isinstance(scored.axis, Axis) for row in _seed_rows(scored, scored.axis)
        ]
        return pd.DataFrame(rows, columns=list(columns))

    def projections(self, table: pd.DataFrame) -> pd.DataFrame:
        """Where each response of a scored cell lies: its cosine with the axis, and its place between the controls."""
        import pandas as pd

        columns = ["context", "part", "persona", "topic", "replicate", "cosine", "position"]
        frames = [
            _place(scored, scored.axis, self.vectors, table)
            for scored in self._scored
            if isinstance(scored.axis, Axis) and scored.group.texts.get(scored.contrast.target)
        ]
        return pd.concat(frames, ignore_index=True)[columns] if frames else pd.DataFrame(columns=columns)


def beyond_encoder(texts: Sequence[str], truncated: Set[str]) -> tuple[str, ...]:
    """A flag with the number of texts that are longer than the encoder reads.

    Example:
        >>> beyond_encoder(["short", "long", "long"], {"long"}), beyond_encoder(["short"], {"long"})
        (('beyond_encoder:2',), ())
    """
    count = sum(text in truncated for text in texts)
    return (f"beyond_encoder:{count}",) if count else ()


def axes(table: pd.DataFrame, context: MetricContext) -> Axes:
    """The axes of a table, computed once for all metrics of a run."""
    # The table is kept beside its axes: while it lives, no other one has its id.
    _, found = context.shared(("axes", id(table)), lambda: (table, _axes(table, context)))
    return found


def candidates(table: pd.DataFrame, context: MetricContext) -> Sequence[Candidate]:
    """The cells of a table that are to be scored, found once for all metrics of a run."""
    # The table is kept beside its cells, as beside its axes.
    _, found = context.shared(("candidates", id(table)), lambda: (table, list(_candidates(table, context))))
    return found


def _candidates(table: pd.DataFrame, context: MetricContext) -> Iterator[Candidate]:
    for group in shared_groups(table, context):
        corpus = Corpus(group.texts, context.protocol)
        contrasts = scored_contrasts(group.cells, group.default_persona, group.default_topic, context.protocol)
        yield from (Candidate(group, corpus, contrast) for contrast in contrasts)


def _axes(table: pd.DataFrame, context: MetricContext) -> Axes:
    plans = [(cell, cell.plan()) for cell in candidates(table, context)]
    texts = sorted(
        {text for cell, plan in plans if isinstance(plan, AxisPlan) for text in texts_needed(cell.corpus, [plan])}
    )
    encoded = context.encode(texts)
    vectors = Vectors(texts, encoded.vectors)
    scored = [
        Scored(
            cell.group, cell.corpus, cell.contrast, build_axis(plan, vectors) if isinstance(plan, AxisPlan) else plan
        )
        for cell, plan in plans
    ]
    truncated = frozenset(text for text, cut in zip(texts, encoded.truncated, strict=True) if cut)
    return Axes(scored, vectors, truncated)


def _seed_rows(scored: Scored, axis: Axis) -> Iterator[tuple[object, ...]]:
    labels = scored.group.labels
    validity = axis.leave_one_out()
    where = (labels["context"], labels.get("part"), *scored.contrast.target)
    for name, pole in (("persona", axis.plan.persona), ("topic", axis.plan.topic)):
        for word, *figures in _pole_rows(pole):
            yield (*where, name, word, *figures, _fate(validity, str(word)))


def _pole_rows(pole: Pole) -> Iterator[tuple[object, ...]]:
    for seed, count in zip(pole.seeds, pole.sentence_counts.tolist(), strict=True):
        yield seed.word, seed.z, seed.in_persona, seed.in_topic, count
    for seed in pole.silent:
        yield seed.word, seed.z, seed.in_persona, seed.in_topic, 0


def _fate(validity: Validity, word: str) -> str:
    fates = {"passed": validity.passed, "failed": validity.failed, "untested": validity.untested}
    return next((fate for fate, words in fates.items() if word in words), "")


def _place(scored: Scored, axis: Axis, vectors: Vectors, table: pd.DataFrame) -> pd.DataFrame:
    contrast, texts = scored.contrast, scored.group.texts
    rows = scored.group.rows[contrast.target]
    place = table[["context", "part", "persona", "topic", "replicate"]].iloc[list(rows)].copy()
    place["cosine"] = cosines(vectors[texts[contrast.target]], axis.vector)
    zero, one = (
        _mean(cosines(vectors[texts[c]], axis.vector)) for c in (contrast.without_persona, contrast.without_topic)
    )
    place["position"] = (place["cosine"] - zero) / (one - zero) if abs(one - zero) > DEGENERATE else float("nan")
    return place


def _mean(values: npt.NDArray[np.float64]) -> float:
    return float(values.mean())

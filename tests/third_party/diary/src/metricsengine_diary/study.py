"""A study with a table of its own: one page a mood and day."""

from __future__ import annotations

from dataclasses import dataclass

from metricsengine.model import Need, Request
from metricsengine.records import Column, Tables, TableSpec
from metricsengine.sets import SetSpec
from metricsengine.study import Rounds, Study, StudyInputs, StudySpec

ENTRIES = TableSpec(
    "Entries",
    "One page of a diary.",
    (
        Column("mood", "text", "The mood it was written in", required=True),
        Column("day", "integer", "Day, from 0", required=True),
        Column("text", "text", "The page", required=True),
    ),
)


@dataclass(frozen=True)
class Moods:
    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012 - read by pydantic, never changed

    moods: list[str]


@dataclass
class DiaryConf:
    days: int = 2


class DiaryStudy(Study):
    needs: frozenset[Need] = frozenset({"plain"})

    def __init__(self, conf: DiaryConf, inputs: StudyInputs) -> None:
        self._days = conf.days
        self._seed = inputs.seed
        self._moods = [mood for chosen in inputs.sets["mood"] for mood in chosen.value.moods]

    def run(self) -> Rounds[Tables]:
        import pandas as pd

        pages = [(mood, day) for mood in self._moods for day in range(self._days)]
        replies = yield [Request(f"Dear diary, I am {mood}", seed=self._seed, replicate=day) for mood, day in pages]
        rows = [(mood, day, reply.text) for (mood, day), reply in zip(pages, replies, strict=True)]
        return {"Entries": pd.DataFrame(rows, columns=["mood", "day", "text"])}


DIARY = StudySpec(
    "diary",
    DiaryConf,
    DiaryStudy,
    tables=(ENTRIES,),
    sets=("mood",),
    defaults={"mood": "two", "metric": ["page_length"]},
    doc="a page for each mood and day",
)
MOODS = SetSpec("mood", Moods, doc="moods of a diary")

"""The results of a run: what ``results.json`` and the tables beside it hold."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from metricsengine.aggregate import unit_of
from metricsengine.errors import ConfigError
from metricsengine.estimate import Estimate
from metricsengine.files import write_json
from metricsengine.metric import Measure, Protocol
from metricsengine.records import Tables, load_tables, save_table

SCHEMA = 1


@dataclass(frozen=True)
class Results:
    """Everything a run found out.

    Attributes:
        study: Name of the study.
        protocol: The definition its metrics followed.
        seed: The run's seed.
        model: Adapter, name, weights and details of the model, what it can do as far as that was proven, the
            fallbacks taken, the snapshots that answered; None where recorded responses were scored.
        compost: Context, model, persona and topic in a few words each (CoMPosT, section 2).
        counts: Requests by outcome, and rows by reason of exclusion.
        estimates: What comparisons found; then of each metric its cells, and the host's aggregates of them.
        measures: What the metrics mean, by name.
        tables: Record tables and the metrics' own tables, by name.
        store: Size, hits and misses of the response store and the vector cache.
        usage: Tokens and cost of all answers, and under ``new`` of those that were not in the store.
        notices: What a reader must know about the run.
        failures: Parts that failed, each named.
        provenance: Where the data came from: files, digests, versions, command, author, positionality.
        compared: Names of the estimates that comparisons made.
    """

    study: str
    protocol: Protocol
    seed: int
    model: Mapping[str, Any] | None
    compost: Mapping[str, str]
    counts: Mapping[str, int]
    estimates: Sequence[Estimate]
    measures: Mapping[str, Measure] = field(default_factory=dict)
    tables: Tables = field(default_factory=dict)
    store: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, Any] = field(default_factory=dict)
    notices: Sequence[str] = ()
    failures: Sequence[str] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    compared: Sequence[str] = field(default_factory=list)

    def cells(self, metric: str) -> list[Estimate]:
        """Estimates of single cells of one metric."""
        return [e for e in self.estimates if e.metric == metric and not e.over]

    def aggregates(self, metric: str, *keep: str) -> list[Estimate]:
        """Aggregates of one metric that keep just the labels ``keep`` of its units (and what depends on them)."""
        units = self.measures[metric].units if metric in self.measures else ()

        def kept(labels: Iterable[str]) -> set[str]:
            return {label for label in labels if unit_of(label, units)}

        return [
            e
            for e in self.estimates
            if e.metric == metric
            and e.over
            and set(keep) <= set(e.labels)
            and all(label in keep or unit_of(label, units) in keep for label in kept(e.labels))
        ]

    def save(self, folder: Path) -> None:
        """Write ``results.json`` and ``tables/*.parquet`` into the folder."""
        for name, frame in self.tables.items():
            save_table(frame, folder / "tables" / f"{name}.parquet")
        row = {"schema": SCHEMA} | {
            name: getattr(self, name)
            for name in (
                "study", "protocol", "seed", "model", "compost", "counts", "store", "usage", "notices", "failures",
                "provenance", "compared",
            )
        }  # fmt: skip
        row["measures"] = {name: asdict(measure) for name, measure in self.measures.items()}
        row["estimates"] = [estimate.to_json() for estimate in self.estimates]
        write_json(folder / "results.json", row)

    @classmethod
    def load(cls, folder: Path, tables: Collection[str] | None = None) -> Self:
        """Read what :meth:`save` wrote.

        Args:
            folder: The run folder.
            tables: Names of the tables to read, which may be large; None for all.

        Raises:
            ConfigError: The folder holds no results, or of another schema.
        """
        path = folder / "results.json"
        try:
            row = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise ConfigError(f"{folder} holds no results.json: is it the folder of a finished run?") from error
        except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise ConfigError(f"{path} is not JSON: {error}") from error
        if not isinstance(row, dict) or row.pop("schema", None) != SCHEMA:
            raise ConfigError(f"{path} was written in another schema than {SCHEMA}: use the version that wrote it")
        try:
            row["estimates"] = [Estimate.from_json(e) for e in row["estimates"]]
            row["measures"] = {name: _measure(m) for name, m in row["measures"].items()}
            return cls(**row, tables=load_tables(folder / "tables", tables))
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigError(f"{path} was changed since it was written: {type(error).__name__}: {error}") from error


def _measure(row: Mapping[str, Any]) -> Measure:
    low, high = row["bounds"]
    keep = tuple(tuple(labels) for labels in row["keep"])
    return Measure(**{**row, "bounds": (low, high), "units": tuple(row["units"]), "keep": keep})

"""Tables as MLflow shows them, and the record table as the run's input."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from metricsengine.estimate import Estimate
from metricsengine.records import Tables
from metricsengine_mlflow import library, names

if TYPE_CHECKING:
    import pandas as pd
    from mlflow.entities import DatasetInput

SHOWN_ROWS = 2000
"""Longer tables are too much for a browser and stay files."""

_SAMPLE = 100
_LONGEST_DIGEST = 36
_LONGEST_NAME = 500


def estimates_frame(named: Sequence[tuple[str, Estimate]], estimates: Sequence[Estimate]) -> pd.DataFrame:
    """All estimates, one a row, with a column for each label; ``name`` is empty where the number has no own name."""
    import pandas as pd

    by_estimate = {id(estimate): name for name, estimate in named}
    rows = []
    for estimate in estimates:
        row = estimate.to_json()
        labels = row.pop("labels")
        row["excluded"] = ", ".join(f"{reason}: {n}" for reason, n in row["excluded"].items())
        row |= {key: ", ".join(row[key]) for key in ("over", "flags")}
        told = {label if label not in row else f"label {label}": value for label, value in labels.items()}
        rows.append({"name": by_estimate.get(id(estimate), ""), "metric": row.pop("metric"), **told, **row})
    return pd.DataFrame(rows)


def write(frame: pd.DataFrame, path: Path) -> None:
    """Write a table in the form that MLflow's page of a run shows (the form of ``MlflowClient.log_table``).

    ``log_table`` itself would append to the table of an earlier attempt at the same run.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_json(path, orient="split", index=False, date_format="iso")


def shown(tables: Tables) -> dict[str, pd.DataFrame]:
    """The tables that a browser can show, by the path of their artifact."""
    paths = names.keys(tables)
    return {f"tables/{paths[name]}.json": frame for name, frame in tables.items() if len(frame) <= SHOWN_ROWS}


def dataset_input(dataset: Mapping[str, str], tables: Tables) -> DatasetInput | None:
    """What was scored or simulated, with the shape of its record table: the one the dataset names, or the first."""
    frame = tables.get(dataset.get("table", ""), next(iter(tables.values()), None))
    if frame is None or not dataset.get("name"):
        return None
    with library.quiet():
        from mlflow.data.code_dataset_source import CodeDatasetSource
        from mlflow.data.pandas_dataset import from_pandas
        from mlflow.entities import Dataset, DatasetInput, InputTag

        described = from_pandas(_sample(frame), source=CodeDatasetSource({}), digest="0").to_dict()
    digest = dataset.get("digest", "")
    kind, source = _source(dataset.get("source", ""))
    entity = Dataset(
        name=dataset["name"][:_LONGEST_NAME],
        digest=digest[:_LONGEST_DIGEST] or names.digest(source),
        source_type=kind,
        source=source,
        schema=described["schema"],
        profile=json.dumps({"num_rows": len(frame), "num_elements": frame.size}),
    )
    return DatasetInput(entity, [InputTag("digest", digest[:_LONGEST_NAME])])


def _sample(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows that tell a table's schema, as MLflow would look at every cell: the first, and one for each missing kind."""
    missing = frame.isna().to_numpy()
    places = {*range(min(len(frame), _SAMPLE)), *missing.argmax(axis=0)[missing.any(axis=0)].tolist()}
    return frame.iloc[sorted(places)]


def _source(source: str) -> tuple[str, str]:
    """MLflow's type of a source, and its description in MLflow's terms: an address, a file, or what made it."""
    if source.startswith(("http://", "https://")):
        return "http", json.dumps({"url": source})
    if Path(source).is_absolute():
        return "local", json.dumps({"uri": source})
    return "code", json.dumps({"tags": {"mlflow.source.name": source}})

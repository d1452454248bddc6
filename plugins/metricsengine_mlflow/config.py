"""Options of ``tracking=mlflow``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class MlflowConf:
    """Where runs are tracked, and how much of them is shown as columns.

    Attributes:
        uri: The store. Empty for ``mlflow.db`` in the outputs folder; ``env`` for what ``MLFLOW_TRACKING_URI`` says;
            otherwise any database or server that MLflow knows, such as ``sqlite:////data/mlflow.db`` or
            ``https://mlflow.example.org``. Nothing leaves the machine unless this key says so. It is written into
            ``config.yaml``: give a password by MLflow's own environment variables, or the whole by ``env``.
        experiment: Name of the MLflow experiment; empty for the study's name.
        artifact_location: Folder or address of the artifacts of new experiments; empty for ``mlartifacts`` in the
            outputs folder, or, with a server, for what the server decides.
        timeout: Seconds that a server has to answer in before a run is refused.
        columns: The most metrics that one run shows, and the most curves over the steps of opinion time. Every estimate
            is in its ``estimates.json``.
    """

    uri: str = ""
    experiment: str = ""
    artifact_location: str = ""
    timeout: float = 5.0
    columns: int = 100

    def __post_init__(self) -> None:
        if self.timeout <= 0:
            raise ValueError(f"tracking.timeout is a number of seconds above 0, got {self.timeout}")
        if self.columns < 0:
            raise ValueError(f"tracking.columns is 0 or more, got {self.columns}")

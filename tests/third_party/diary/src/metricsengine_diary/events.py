"""A sink: what happens in a run, as JSON lines in its folder."""

from __future__ import annotations

import json

from metricsengine.run import Run

FILE = "events.jsonl"


def write(run: Run, event: str, what: object) -> None:
    with (run.folder / FILE).open("a", encoding="utf-8") as file:
        file.write(json.dumps({"event": event, "what": what}) + "\n")

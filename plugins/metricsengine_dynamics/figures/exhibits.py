"""What the opinion study shows of its results, in reading order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from metricsengine.errors import MetricsEngineError
from metricsengine.exhibits import Exhibit
from metricsengine.results import Results
from metricsengine_dynamics.figures import consistency, sensitivity
from metricsengine_dynamics.figures.card import card
from metricsengine_dynamics.figures.trajectories import trajectories
from metricsengine_dynamics.figures.updates import updates

Maker = Callable[[Results], Iterable[Exhibit] | Exhibit | None]

MAKERS: tuple[Maker, ...] = (
    card,
    consistency.consistency,
    sensitivity.sensitivities,
    trajectories,
    consistency.over_steps,
    consistency.free_runs,
    consistency.table,
    sensitivity.table,
    updates,
)


def exhibits(results: Results) -> Iterator[Exhibit]:
    """The card, figures, tables and single updates, as far as the run holds what they need.

    Raises:
        MetricsEngineError: After all others, where some could not be made; names them.
    """
    failed = []
    for make in MAKERS:
        try:
            found = make(results)
            yield from () if found is None else (found,) if isinstance(found, Exhibit) else found
        except Exception as error:  # noqa: BLE001 - a fault of one must not cost the others
            failed.append(f"{make.__module__}.{make.__name__} ({type(error).__name__}: {error})")
    if failed:
        raise MetricsEngineError(f"could not be made: {'; '.join(failed)}")

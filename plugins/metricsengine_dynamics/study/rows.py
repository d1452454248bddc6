"""Updates as rows of the table of transitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from metricsengine_dynamics.study.conditions import Condition, Told
from metricsengine_dynamics.study.runs import Moment
from metricsengine_dynamics.study.scale import Opinions

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Updates:
    """One step of one population.

    Attributes:
        condition: Who updates.
        moment: The state before.
        opinions: Opinions after, on -5 to 5, NaN where there is none, shape (n,).
        told: What LLM agents said, one for each; empty for others.
    """

    condition: Condition
    moment: Moment
    opinions: Opinions
    told: Sequence[Told] = ()


def said(condition: Condition, moment: Moment, told: Sequence[Told]) -> Updates:
    """A step of LLM agents."""
    opinions = np.array([np.nan if one.opinion is None else one.opinion for one in told])
    return Updates(condition, moment, opinions, told)


def table(updates: Sequence[Updates]) -> pd.DataFrame:
    """The table of transitions: conditions in the order in which they first come, then runs, steps, agents."""
    first = {condition: i for i, condition in enumerate(dict.fromkeys(update.condition for update in updates))}
    ordered = sorted(updates, key=lambda u: (not u.told, first[u.condition], u.moment.run, u.moment.step))
    frame = _numbers(ordered)
    if texts := [asdict(one) for update in ordered for one in update.told]:
        frame = frame.join(_texts(texts))  # those who said something come first
    return frame


def _numbers(updates: Sequence[Updates]) -> pd.DataFrame:
    """What all agents have, without an object for a row."""
    import pandas as pd

    moments, conditions = [u.moment for u in updates], [u.condition for u in updates]
    sizes = [len(moment.x) for moment in moments]
    heard = np.concatenate([moment.heard for moment in moments])
    return pd.DataFrame(
        {
            "agent": _names([condition.agent for condition in conditions], sizes),
            "variant": _names([condition.variant for condition in conditions], sizes),
            "repeat": np.repeat([condition.repeat for condition in conditions], sizes),
            "run": np.repeat([moment.run for moment in moments], sizes),
            "step": np.repeat([moment.step for moment in moments], sizes),
            "node": np.concatenate([np.arange(n) for n in sizes]),
            "x": np.concatenate([moment.x for moment in moments]),
            "reference": np.concatenate([moment.reference for moment in moments]),
            "opinion": pd.array(np.concatenate([update.opinions for update in updates]), dtype="Float64"),
            "heard": heard,
            "isolated": heard == 0,
        }
    )


def _names(names: Sequence[str], sizes: list[int]) -> pd.Series:
    """Each name as often as its size says; NA for an empty one."""
    import pandas as pd

    return pd.Series([name or None for name in names], dtype="string").repeat(sizes).reset_index(drop=True)


def _texts(told: Sequence[dict[str, object]]) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(told).drop(columns="opinion")
    texts = frame.drop(columns=["cut", "lost"]).astype("string")
    return frame.assign(**texts.mask(texts == ""), cut=frame["cut"].astype("Int64"), lost=frame["lost"].astype("Int64"))

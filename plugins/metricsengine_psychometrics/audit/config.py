"""Options of the audit of items."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from metricsengine.judging.study import SheetConf, require
from metricsengine.options import listed
from metricsengine_psychometrics.items.item import ROLES


@dataclass
class ItemAuditConf(SheetConf):
    """Options of the audit, beside those of all sheets (TRAIT, section 3.2).

    Attributes:
        items: File of an item bank (or several); empty for the chosen sets of the group ``items``.
        traits: Only the items of these traits; empty for all.
        n: Most rows of the sheet, spread evenly over the traits; 0 for no limit.
        per_item: Most options of one item on the sheet, 1 to 4.
    """

    items: Any = field(default_factory=list)
    traits: Any = field(default_factory=list)
    n: int = 200
    per_item: int = 1

    def __post_init__(self) -> None:
        self.items, self.traits = (
            listed("study.items", self.items, numbers=True),
            listed("study.traits", self.traits, numbers=True),
        )
        require(self.n >= 0, "n", f"must be at least 1, or 0 for no limit, got {self.n}")
        most = len(ROLES)
        require(1 <= self.per_item <= most, "per_item", f"must be 1 to {most}, got {self.per_item}")
        require(not (self.items and self.sheet), "items", "make a sheet, study.sheet reads judgements: give one")
        super().__post_init__()

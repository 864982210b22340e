"""A band that the program has not, as its whole cost: numbers to the nearest multiple."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from splu_desktop.core.generalise.step import Generalisation, Grouping, check_whole
from splu_desktop.core.messages import say
from splu_desktop.core.table import Column


@dataclass(frozen=True)
class Nearest(Generalisation):
    """Numbers to the nearest multiple of `to`."""

    to: int
    how: ClassVar[str] = "nearest"
    usage: ClassVar[str] = "nearest=10"

    def __post_init__(self) -> None:
        check_whole(self.to, 1)

    @classmethod
    def from_text(cls, text: str) -> Nearest:
        return cls(int(text))

    def group_labels(self, column: Column) -> Grouping:
        assert column.values is not None
        near = np.nan_to_num(np.round(column.values / self.to) * self.to)
        found, group = np.unique(near, return_inverse=True)
        return Grouping(group, [f"{each:g}" for each in found], column.kind, found)

    @property
    def words(self) -> str:
        return say("numbers to the nearest multiple of {to}", to=self.to)

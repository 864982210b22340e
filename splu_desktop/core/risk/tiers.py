"""The tier search: the mildest forms of the unchanged columns with which enough persons look alike.

All steps of tier 0, of tiers 0 and 1, ... are taken until enough persons have k alike; then steps that are not needed
are undone, those of the highest tier first. Coarser forms never part persons who looked alike, but for ages, whose
cut points do not nest; so a step that could not be undone once is not tried again. Work is done on the distinct
combinations of values, not on records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import distinct_rows, pair_keys, sort_hashes, stir
from splu_desktop.core.generalise import Steps
from splu_desktop.core.persons.blanking import find_leavers, rows_alone
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import Column, remember, unique

TIERS = 8
Levels = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Rung:
    """One form of a column.

    Attributes
    ----------
    tier : in which it may be taken; 0 for the column as it is.
    steps : that make it; None where the column is left out.
    to : (m,) int, the form's code of each label; all 0 where left out.
    m : codes.
    """

    tier: int
    steps: Steps | None
    to: NDArray[np.int32]
    m: int


@dataclass(frozen=True, eq=False)
class Candidate:
    """An unchanged column with its forms.

    Attributes
    ----------
    column : as read.
    subject : what it tells of a person.
    rungs : its forms, the finest first, left out last.
    in_question : whether a table that must come out names it.
    """

    column: Column
    subject: str
    rungs: tuple[Rung, ...]
    in_question: bool

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @cached_property
    def entropies(self) -> list[float]:
        """What each form tells, in nats."""
        counts = self.column.counts()
        every = (np.bincount(rung.to, counts, rung.m) / max(counts.sum(), 1) for rung in self.rungs)
        return [float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum()) for shares in every]


class TierSearch:
    """Looks for the mildest levels of columns with which enough persons look alike.

    Parameters
    ----------
    candidates : the unchanged columns.
    owner : (N,) the person of each record, 0..U-1.
    k, share : persons alike, and for how large a share of the persons.
    drawn : whether persons are drawn: how many rows each has is published then, as the class of its lenders.
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        owner: NDArray[np.integer],
        k: int,
        share: float,
        progress: Progress = SILENT,
        drawn: bool = False,
    ) -> None:
        self.candidates = tuple(candidates)
        self.persons = int(owner.max(initial=-1)) + 1
        rows_each = np.bincount(owner)[owner] if drawn else np.zeros(len(owner), np.int64)
        rows, first = distinct_rows([rows_each, *(each.column.codes for each in self.candidates)])
        # Of the distinct combinations, as read.
        self._codes = [each.column.codes[first] for each in self.candidates]
        # What is alike in all columns has one sum of stirred codes; a step of a column changes what that adds to it.
        self._levels, self._sums = (0,) * len(self._codes), stir(rows_each[first].astype(np.uint64))
        for at, codes in enumerate(self._codes):
            self._sums += self._stir_form(at, 0).take(codes)
        pairs = unique(pair_keys(rows, self.persons, owner))
        self._combination, self._owner = np.divmod(pairs, max(self.persons, 1))
        self._k, self._share, self._progress = k, share, progress

    def top(self, tier: int) -> Levels:
        """Return the coarsest levels of tiers up to this."""
        return tuple(
            max(level for level, rung in enumerate(each.rungs) if rung.tier <= tier) for each in self.candidates
        )

    @remember
    def alike(self, levels: Levels, *, settle: bool = False) -> float:
        """Return the share of the persons of whom every row is shared by k persons or more.

        settle : those who are alone leave with all their rows, until nobody is.
        """
        self._progress.report("Trying ways", 0.5)
        if not self.persons:
            return 1.0
        for at, (level, before) in enumerate(zip(levels, self._levels, strict=True)):
            if level != before:
                self._sums += (self._stir_form(at, level) - self._stir_form(at, before)).take(self._codes[at])
        self._levels = levels
        if settle:
            # Too few of whom the hashes begin alike are too few alike; most questions end here, in a third of the time.
            begins = self._sums >> np.uint64(64 - len(self._combination).bit_length())
            near = begins.view(np.int64).take(self._combination)
            alone = np.bincount(self._owner.compress((np.bincount(near) < self._k).take(near)))
            if (share := 1 - int(np.count_nonzero(alone)) / self.persons) < self._share:
                return share
        order, alike = sort_hashes(self._sums)
        rows = np.zeros(len(order), np.int64)
        rows[order[1:]] = np.cumsum(~alike)
        rows = rows.take(self._combination)
        if not settle:
            return 1 - len(unique(self._owner[rows_alone(rows, self._owner, self._k)])) / self.persons
        # Beyond so many who leave, the answer is no whoever else would have to follow.
        leavers = find_leavers(rows, self._owner, self.persons, self._k, (1 - self._share) * self.persons)
        return 1 - int(np.count_nonzero(leavers)) / self.persons

    def holds(self, levels: Levels) -> bool:
        """Return whether enough persons look alike, also where those who do not leave."""
        return self.alike(levels, settle=True) >= self._share

    def mildest(self, fixed: Mapping[str, int] | None = None) -> Levels | None:
        """Return the mildest levels with which enough persons look alike, None where there are none.

        fixed : columns whose level is given.
        """
        given = fixed or {}
        for tier in range(TIERS + 1):
            pairs = zip(self.candidates, self.top(tier), strict=True)
            levels = tuple(given.get(each.name, level) for each, level in pairs)
            if self.holds(levels):
                return self._undone(levels, set(given))
        return None

    def _undone(self, levels: Levels, given: set[str]) -> Levels:
        needed = {at for at, each in enumerate(self.candidates) if each.name in given}
        while True:
            open_ = [at for at, level in enumerate(levels) if level and at not in needed]
            if not open_:
                return levels
            at = max(open_, key=lambda at: self._dearness(at, levels[at]))
            finer = (*levels[:at], levels[at] - 1, *levels[at + 1 :])
            if self.holds(finer):
                levels = finer
            else:
                needed.add(at)

    def _dearness(self, at: int, level: int) -> tuple[int, bool, float]:
        each = self.candidates[at]
        lost = each.entropies[level - 1] - each.entropies[level]
        return each.rungs[level].tier, each.in_question, lost

    def _stir_form(self, at: int, level: int) -> NDArray[np.uint64]:
        """Return (m,) what each label of a column adds to the sums in one of its forms."""
        return stir(self.candidates[at].rungs[level].to.astype(np.uint64) + np.uint64((at + 1) << 32))

"""The joined draw: every record by itself, by a published matrix of chances that lets others join a protected value.

In decoy groups the bearers of a protected value leave it, so that little of its link to other columns is left. The same
promise, P(true = s | shown u) <= f'_s for every u, is kept far more sharply where records of other values join it
(mechanism.md section 8). In official statistics this is PRAM, the post randomisation method, with a published matrix
(Gouweleeuw, Kooiman, Willenborg, de Wolf 1998); decoy groups are its invariant form, which leaves shares true.

The matrix T[v, u] = P(shown u | true v) follows its value's part alone: a record keeps its value with the chance
`keeps`, and takes each value of part d with the chance `feeds[d]`. `joined_chances` finds them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw.draw import Blocks, Draw, Floats, Promise, RecordBlocks, by_tolerance, registered, up
from splu_desktop.core.draw.joined_chances import BAND, PARTS, SLACK, STEPS_A_DECADE, JoinedPart, chances, numbers
from splu_desktop.core.errors import BadSetting, EmptyTable
from splu_desktop.core.groups.blocks import RECORDS
from splu_desktop.core.groups.design import block_of
from splu_desktop.core.groups.law import GroupLaw
from splu_desktop.core.groups.tolerances import NOT_SENSITIVE, Infeasible, Tolerances, check_feasible, checked_tolerance
from splu_desktop.core.guarantees import attackers, public_figures
from splu_desktop.core.guarantees.exact import checked_epsilon, checked_probability
from splu_desktop.core.guarantees.several_releases import ValueDraw
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT, Progress, ProgressPart
from splu_desktop.core.randomness import Randomness, below
from splu_desktop.core.rationals import as_fraction
from splu_desktop.core.table import IN_MEMORY, Column, Storage, respelled, unique
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.core.transition.matrix import Independent, KnownTransition, MatrixTransition
from splu_desktop.frozen import dataclass

_FAR = 12.0  # standard deviations of a count's law that are worked out
_BIASED = 0.02  # of a record that an estimate may be off by for each one there: beyond, it tells nothing
_ROUNDED = 1.06  # times the truth that shares are rounded up at most
_SURELY, _LEFT_OUT = 6.5, 1e-9  # roots of its mean that a number of records lies below it at most, but so rarely


@registered
@dataclass(frozen=True)
class Joined(Draw):
    """Chances by which each record is drawn by itself.

    Attributes
    ----------
    parts : all values, by part.
    records : N, of the table.
    follows : the group size gamma that the tolerances follow from; None where they were given.
    declared : whether the protected values are a list declared in advance, shown whether or not a record has them.
    finer : whether the chances follow from counts of few records as they are: there were none for whole blocks.
    """

    parts: tuple[JoinedPart, ...]
    records: int
    follows: int | None = None  # a setting here, what it follows from elsewhere
    declared: bool = field(default=False, kw_only=True)
    finer: bool = field(default=False, kw_only=True)

    name = "joined"
    true_shares = False

    def __post_init__(self) -> None:
        if not self.parts or type(self.records) is not int or self.records < 1:
            raise ValueError
        if self.follows is not None and (type(self.follows) is not int or self.follows < 2):
            raise ValueError
        if type(self.declared) is not bool or type(self.finer) is not bool:
            raise ValueError
        for part in self.parts:
            chances = (part.keeps, *part.feeds)
            if len(part.feeds) != len(self.parts) or not all(0 <= each <= 1 for each in (*chances, part.share)):
                raise ValueError
            if any(each * PARTS % 1 for each in chances) or part.keeps + self._moved(part) > 1:
                raise ValueError

    def _moved(self, part: JoinedPart) -> Fraction:
        return sum((len(to.values) * feed for to, feed in zip(self.parts, part.feeds, strict=True)), Fraction(0))

    # --- settings

    def settings(self) -> dict[str, Any]:
        parts = [
            {
                "values": list(part.values),
                "tolerance": str(part.limit),
                "share": str(part.share),
                "keeps": _decimal(part.keeps),
                "feeds": [_decimal(feed) for feed in part.feeds],
            }
            for part in self.parts
        ]
        more = {"follows": self.follows, "declared": self.declared, "finer": self.finer}
        return {"parts": parts, "records": self.records, **{name: said for name, said in more.items() if said}}

    @classmethod
    def from_settings(cls, data: Mapping[str, Any]) -> Self:
        parts = []
        for stored in data["parts"]:
            texts = [stored["tolerance"], stored["share"], stored["keeps"], *stored["feeds"]]
            if not all(isinstance(text, str) for text in texts):
                raise ValueError
            if not all(isinstance(label, str) for label in stored["values"]):
                raise ValueError
            limit = checked_tolerance("", stored["tolerance"])
            share, keeps, *feeds = map(as_fraction, texts[1:])
            parts.append(JoinedPart(tuple(stored["values"]), limit, share, keeps, tuple(feeds)))
        labels = [label for part in parts for label in part.values]
        if len(set(labels)) < len(labels):
            raise ValueError
        flags = {name: data.get(name, False) for name in ("declared", "finer")}
        return cls(tuple(parts), data["records"], data.get("follows"), **flags)

    def recorded(self) -> dict[str, Any]:
        # How many values are treated alike is enough.
        number = iter(range(1, 1 + sum(len(part.values) for part in self.parts)))
        nameless = tuple(replace(p, values=tuple(str(next(number)) for _ in p.values)) for p in self.parts)
        return replace(self, parts=nameless).as_dict()

    def turned(self, gamma: int) -> Joined:
        """Return the draw that is to follow from another gamma; its chances are found anew (`core.draw.ways`)."""
        return self if self.follows is None else replace(self, follows=gamma)

    def unbound(self) -> Joined:
        return replace(self, follows=None)

    def by_person(self, column: str) -> Draw:
        if column and self.declared:
            raise BadSetting(
                "Values declared in advance can't be shown where all records of a person are drawn at once; keep one "
                "record per person, draw each record by itself, or leave the list away."
            )
        return super().by_person(column)

    def within(self, labels: object) -> Self:
        known = {str(label) for label in np.asarray(labels, object)}
        kept = [tuple(label for label in part.values if label in known) for part in self.parts]
        stay = [at for at, values in enumerate(kept) if values] or [0]
        parts = (
            replace(self.parts[at], values=kept[at], feeds=tuple(self.parts[at].feeds[to] for to in stay))
            for at in stay
        )
        return replace(self, parts=tuple(parts))

    def completed(self, labels: NDArray[np.object_]) -> Self:
        """Return the draw with labels that it does not know taken as not sensitive, and kept."""
        more = tuple(str(label) for label in labels if str(label) not in self._part_of)
        if not more:
            return self
        none = Fraction(0)
        parts = [replace(part, feeds=(*part.feeds, none)) for part in self.parts]
        new = JoinedPart(more, NOT_SENSITIVE, none, Fraction(1), (none,) * (len(parts) + 1))
        return replace(self, parts=(*parts, new))

    def respelled(self, before: Column, after: Column) -> Self:
        found: dict[str, int] = {}
        for old, label in respelled(before, after):
            part = self._part_of[old]
            found[label] = min(part, found.get(label, part), key=lambda at: self.parts[at].limit)
        values = [tuple(label for label, at in found.items() if at == number) for number in range(len(self.parts))]
        parts = tuple(replace(part, values=own) for part, own in zip(self.parts, values, strict=True))
        return replace(self, parts=parts)

    def fault(self, records: int, domain: object) -> str | None:
        if set(self._part_of) != set(domain):  # type: ignore[call-overload]
            return say("the chances are not those of its values")
        return None if records == self.records else say("the chances are those of another number of records")

    # --- carrying it out

    @cached_property
    def _part_of(self) -> dict[str, int]:
        return {label: at for at, part in enumerate(self.parts) for label in part.values}

    def _parts_of(self, labels: NDArray[np.object_]) -> NDArray[np.intp]:
        """Return (m,) the part of each label. Raises BadSetting."""
        try:
            return np.array([self._part_of[str(label)] for label in labels], np.intp)
        except KeyError as missing:
            raise BadSetting("The chances of the draw lack the value “{value}”.", value=missing.args[0]) from None

    @property
    def listed(self) -> tuple[str, ...]:
        return tuple(label for part in self.parts if part.protected for label in part.values) if self.declared else ()

    def check(self, column: Column) -> None:
        if column.n == 0:
            raise EmptyTable("Column “{column}” has no records, so there is nothing to publish.", column=column.name)
        worst = self.surest(column) if column.n == self.records else None
        if worst is None or any(part.keeps + self._moved(part) != 1 for part in self.parts):
            raise Infeasible(
                "The chances planned for column “{column}” are those of another table; plan them again.",
                column=column.name,
            )
        self._check_declared(column)
        label, sure, limit = worst
        if sure > limit * SLACK:
            raise Infeasible(
                "With the chances planned for column “{column}”, a record could be linked to “{value}” with "
                "{sure:.3g} confidence where {limit:.3g} is allowed; plan them again.",
                column=column.name,
                value=label,
                sure=sure,
                limit=limit,
            )

    def _check_declared(self, column: Column) -> None:
        """Raise Infeasible where the declared list hides too few of the values that one record alone has.

        Whoever knows all other records sees rows that show a value which none of these has. Of a part with k values of
        one record, which shows it with the chance a, and u of none, each joined by j records on average, k a of
        k a + u j such rows are right: that is to be f' at most.
        """
        if not self.declared:
            return
        column = self.domain(column.compacted())
        part, counts = self._parts_of(column.labels), column.counts()
        for at in self._protected:
            alone, nobodys = (int(np.count_nonzero(counts[part == at] == number)) for number in (1, 0))
            right = alone * float(self.parts[at].keeps + self.parts[at].feeds[at])
            if right > float(self.parts[at].limit) * SLACK * (right + nobodys * self._joins(at)):
                raise Infeasible(
                    "The list declared for “{column}” hides too little: {alone} of its values are those of one "
                    "record alone, and only {nobodys} like them are nobody's; declare more values that may occur.",
                    column=column.name,
                    alone=alone,
                    nobodys=nobodys,
                )

    def _joins(self, at: int) -> float:
        """Return how many records join each value of a part, on average."""
        return float((self._shares * self.records) @ self._numbers[1][:, at])

    def surest(self, column: Column) -> tuple[str, float, float] | None:
        """Return the value whose promise has least room: label, largest P(true | shown) and f'; None if not one's."""
        column = self.domain(column.compacted())
        if not set(map(str, column.labels)) <= set(self._part_of):
            return None
        part, counts = self._parts_of(column.labels), column.counts().astype(np.float64)
        keeps, feeds, limits = self._numbers
        into = np.bincount(part, counts, len(self.parts)) @ feeds  # (parts,) records that come to each value of a part
        shown = into[part] + counts * keeps[part]
        least = np.full(len(self.parts), np.inf)  # of what any value of a part is shown by
        np.minimum.at(least, part, shown)
        top = ("", 0.0, 1.0)
        for value in np.flatnonzero((limits[part] < 1) & (counts > 0)).tolist():
            own = part[value]
            beside = counts[value] * feeds[own] / np.where(least > 0, least, np.inf)
            sure = max(counts[value] * (keeps[own] + feeds[own, own]) / max(shown[value], 1e-300), float(beside.max()))
            if sure / limits[own] > top[1] / top[2]:
                top = (str(column.labels[value]), float(sure), float(limits[own]))
        return top

    @cached_property
    def _numbers(self) -> tuple[Floats, Floats, Floats]:
        return numbers(self.parts)

    def fitted(self, column: Column, progress: Progress = SILENT) -> Self:
        try:
            self.check(column)
        except Infeasible:
            limits = {str(label): self.limit(str(label)) for label in self.domain(column).labels}
            made = design(column, limits, declared=self.listed)
            return replace(self, parts=made.parts, records=column.n, finer=made.finer)
        return self

    def blocks(self, column: Column, number: int, source: Randomness) -> Blocks:
        return RecordBlocks(self, column, number)

    def redraw(self, column: Column, source: Randomness, progress: Progress, storage: Storage = IN_MEMORY) -> Column:
        # Each record by itself, so any stretch of them is a block, which keeps the labels that none of its records has.
        column = self.domain(column)
        codes, stretches = storage.array(column.n), range(0, column.n, RECORDS)
        for start in stretches:
            done = ProgressPart(progress, start / column.n, min(RECORDS / column.n, 1.0))
            part = slice(start, start + RECORDS)
            codes[part] = self._drawn(column.labels, column.codes[part], source, done)
        return column.with_codes(codes)

    def _drawn(
        self, labels: NDArray[np.object_], true: NDArray[np.int32], source: Randomness, progress: Progress
    ) -> NDArray[np.int32]:
        progress.report("Drawing values", 0.0)
        drawn = below(source, PARTS, len(true))
        self._parts_of(labels[unique(true)])  # raises where a record's value is none of the draw's
        part = np.array([self._part_of.get(str(label), -1) for label in labels], np.intp)
        codes, of_record = true.copy(), part[true]
        for at, own in enumerate(self.parts):
            fed = [(to, own.feeds[to]) for to in range(len(self.parts)) if own.feeds[to]]
            if not fed:
                continue
            targets = np.concatenate([np.flatnonzero(part == to) for to, _ in fed]).astype(codes.dtype)
            steps = [int(feed * PARTS) for to, feed in fed for _ in range(int((part == to).sum()))]
            ends = np.cumsum(steps)
            records = np.flatnonzero(of_record == at)
            places = np.searchsorted(ends, drawn[records], side="right")
            moves = places < len(targets)
            codes[records[moves]] = targets[places[moves]]
            progress.report("Drawing values", (at + 1) / len(self.parts))
        return codes

    # --- what its reader knows

    def matrix(self, labels: NDArray[np.object_]) -> Floats:
        """Return (m, m) T over these labels; rows fall short of 1 by what goes to values left out."""
        part = self._parts_of(labels)
        keeps, feeds, _ = self._numbers
        return np.asarray(feeds[np.ix_(part, part)] + np.diag(keeps[part]), np.float64)

    def transition(self, counts: Floats, labels: NDArray[np.object_]) -> MatrixTransition:
        matrix = self.matrix(labels)
        return KnownTransition.of(counts, Independent(matrix))

    def shows(self, column: Column) -> Floats:
        return super().shows(column) @ self.chances(column)

    def likely(self, published: Floats, labels: NDArray[np.object_]) -> Floats:
        through = self.transition(published, labels)
        found = np.maximum(published @ through.inverse, 0.0)
        whole = float(found.sum())
        return np.asarray(found * (float(published.sum()) / whole) if whole > 0 else published, np.float64)

    def scatter(self, likely: Floats, labels: NDArray[np.object_]) -> Floats:
        return np.asarray(np.sqrt(self.transition(likely, labels).variance(likely[None, :])[0]), np.float64)

    @property
    def sole_bearer(self) -> float:
        return self.insider

    def count_law(self, count: int) -> Floats:
        # Of the value that least join: its own records that stay, and what comes.
        at = min(self._protected or range(len(self.parts)), key=lambda each: float(self._law(each)[1]))
        mean, variance, _ = self._law(at)
        trials = max(round(mean / max(1 - variance / max(mean, 1e-300), 1e-9)), 1) if mean > 0 else 0
        own = binomial_law(count, float(self.parts[at].keeps))
        return np.convolve(own, binomial_law(trials, mean / trials)) if trials else own

    def unseen(self, tail: float) -> float:
        # A record is not shown as itself with the chance of being moved.
        moved = [1 - float(part.keeps) - float(part.feeds[at]) for at, part in enumerate(self.parts)]
        return max((math.log(tail) / math.log(each) for each in moved if 0 < each < 1), default=0.0)

    # --- what is promised

    @cached_property
    def _protected(self) -> list[int]:
        return [at for at, part in enumerate(self.parts) if part.protected and part.values]

    @property
    def confidence(self) -> Fraction:
        return max((self.parts[at].limit for at in self._protected), default=Fraction(1))

    @cached_property
    def _shares(self) -> Floats:
        """(p,) shares of the parts, adding up to 1."""
        found = np.array([float(part.share) for part in self.parts])
        rest = max(1 - float(found.sum()), 0.0)
        if rest and (free := [at for at, part in enumerate(self.parts) if not part.protected]):
            found[free[0]] += rest
        return np.asarray(found / max(float(found.sum()), 1e-300))

    @cached_property
    def _merged(self) -> Floats:
        """(p, p) chances that a record of a part is shown with any value of another."""
        sizes = np.array([len(part.values) for part in self.parts], np.float64)
        keeps, feeds, _ = self._numbers
        return np.asarray(feeds * sizes + np.diag(keeps), np.float64)

    def _estimate(self, at: int) -> tuple[Floats, Floats, Floats]:
        """Return how a value of part `at` that nobody has is estimated: chances, what each record adds, and records.

        (k, k) chances of the parts beside the value, whose own row and column are the last; (k,) what a record shown
        with each adds to f-hat, x = y G with the published matrix; (k,) the records that the parts are known to have.
        """
        numbers = self._shares * self.records
        keeps, feeds, _ = self._numbers
        if len(self.parts[at].values) > 1:
            matrix = np.zeros((len(numbers) + 1,) * 2)
            matrix[:-1, :-1], matrix[:-1, -1] = self._merged, feeds[:, at]
            matrix[:-1, at] -= feeds[:, at]
            matrix[-1, :-1], matrix[-1, -1] = self._merged[at], keeps[at] + feeds[at, at]
            matrix[-1, at] -= matrix[-1, -1]
            there = np.append(numbers, 0.0)
        else:  # the part is the value
            order = [*(other for other in range(len(numbers)) if other != at), at]
            matrix, there = self._merged[np.ix_(order, order)], numbers[order]
            there[-1] = 0.0
        return matrix, KnownTransition.inverted(matrix, numbers)[0][:, -1], there

    def _law(self, at: int) -> tuple[float, float, float]:
        """Return mean and variance of the records that join a value of part `at`, and the variance of its estimate.

        The latter is that of f-hat of a value that nobody has, inf where none tells it.
        """
        numbers, into = self._shares * self.records, self._numbers[1][:, at]
        mean, variance = float(numbers @ into), float(numbers @ (into * (1 - into)))
        matrix, adds, there = self._estimate(at)
        if np.abs(matrix @ adds - np.eye(len(matrix))[-1]).max() > _BIASED:
            return mean, variance, math.inf
        return mean, variance, float(there @ np.maximum(matrix @ adds**2 - (matrix @ adds) ** 2, 0.0))

    def _exact(self, at: int) -> tuple[int, float] | None:
        """Return trials and chance of the binomial law of what joins the value of part `at`, where that is all.

        So it is for the one protected value that all others join and none leaves: f-hat = (y - N q) / (1 - q).
        """
        part = self.parts[at]
        chances = {p.feeds[at] for place, p in enumerate(self.parts) if place != at}
        alone = len(self._protected) == 1 and len(part.values) == 1 and not any(part.feeds) and len(chances) == 1
        if not alone:
            return None
        (chance,) = chances
        return round(float(1 - self._shares[at]) * self.records), float(chance)

    def _misses(self, at: int, halves: Floats, releases: int, counts: Floats) -> Floats:
        """Return (k,) Pr[|f-hat - f| > h] for counts and half widths h, of the mean of releases' estimates."""
        from scipy.special import bdtr, bdtrc, ndtr  # takes longer to load than a plan without joined draws takes

        exact = self._exact(at)
        if exact is not None:
            trials, chance = exact[0] * releases, exact[1]
            arm, mean = halves * releases * (1 - chance), trials * chance
            low, high = np.ceil(mean - arm - 1e-9) - 1, np.floor(mean + arm + 1e-9)
            below = np.where(low >= 0, bdtr(np.clip(low, 0, trials), trials, chance), 0.0)
            above = np.where(high < trials, bdtrc(np.clip(high, 0, trials), trials, chance), 0.0)
            return np.asarray(below + above, np.float64)
        # Many records each add a little: the normal law, with the exact variance.
        keep = max(float(self.parts[at].keeps + self.parts[at].feeds[at]), 1e-9)
        deviation = np.sqrt((self._law(at)[2] + counts * (1 - keep) / keep) / releases)
        return np.asarray(2 * ndtr(-halves / np.maximum(deviation, 1e-300)), np.float64)

    def _t_p(self, at: int, thresholds: Thresholds, releases: int = 1) -> float:
        counts = np.arange(1, thresholds.alpha + 1, dtype=np.float64)
        halves = counts * float(checked_epsilon(thresholds.epsilon))
        if self._exact(at) is not None:
            return float(self._misses(at, halves, releases, counts).min())
        return self._misses_surely(at, float(halves[-1]), releases)

    @property
    def _draws(self) -> int:
        """How many draws there are, each by itself."""
        return self.records

    def _misses_surely(self, at: int, half: float, releases: int) -> float:
        """Return a lower bound of Pr[|f-hat - f| > h] for every f, of the mean of releases' estimates.

        The normal law is none: f-hat of a value that few records join moves in steps. Let n records move it by a step
        or more, all the same way, with the chance p each, given all else. Among all sets of records no two of which
        are one within the other, the likeliest are those of one size (Lubell, Yamamoto, Meshalkin), and f-hat lies in a
        window of k steps for k such sets at most (Erdős 1945): no more surely than the k likeliest numbers of a
        Binomial(n, p). Such records are all that come to the value where those add more than any others do, and those
        of one part that show one of two states.
        """
        matrix, adds, there = self._estimate(at)
        there = there * (releases * self._draws / self.records / _ROUNDED)
        come = matrix[:, -1]
        same = (come[:, None] == come) @ there
        by_all = (same, come, np.maximum(adds[-1] - adds[:-1].max(), 0.0))
        both = matrix[:, :, None] + matrix[:, None, :]
        number = there[:, None, None] * both
        number = np.maximum(number - _SURELY * np.sqrt(number), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            by_two = (number, matrix[:, :, None] / both, np.abs(adds[:, None] - adds))
            found = max(_never_within(2 * half * releases, *each) for each in (by_all, by_two))
        return max(found - _LEFT_OUT, 0.0)

    def _t_f(self, at: int, thresholds: Thresholds, releases: int = 1) -> int:
        """Return the count from which the estimate is within epsilon; found by halving, for misses fall with f.

        Above the number of records where that holds of none.
        """
        epsilon, allowed = float(checked_epsilon(thresholds.epsilon)), float(checked_probability(thresholds.t_e))

        def holds(count: int) -> bool:
            counts = np.array([float(count)])
            just_below = counts * epsilon * (1 - 1e-9)
            return float(self._misses(at, just_below, releases, counts)[0]) <= allowed

        low, high = 0, 1
        while not holds(high):
            if high > self.records:
                return self.records + 1  # of no count
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if holds(middle) else (middle, high)
        return high

    def t_p(self, thresholds: Thresholds, releases: int = 1) -> float:
        """Return the least T_P over the protected values; 0 where no value is sensitive at all."""
        return min((self._t_p(at, thresholds, releases) for at in self._protected), default=0.0)

    def t_f(self, thresholds: Thresholds, releases: int = 1) -> int:
        return max((self._t_f(at, thresholds, releases) for at in self._protected), default=1)

    def told(self, n: int, labels: Sequence[str], thresholds: Thresholds) -> dict[str, tuple[int, int]]:
        # The published shares are those of whole blocks, which are single records where there are few for each value;
        # chances that follow from the counts as they are may tell any small one.
        found = super().told(n, labels, thresholds)
        block, epsilon = block_of(n, sum(len(part.values) for part in self.parts)), checked_epsilon(thresholds.epsilon)
        for at in () if self.declared else self._protected:
            part = self.parts[at]
            others, whole = len(part.values) - 1, math.floor(float(part.share) * n + 1e-6)
            most = whole - others * block
            least = max(math.ceil(whole / _ROUNDED - 1e-6) - others * most - block + 1, 1)
            if least <= min(thresholds.alpha, most) and (self.finer or public_figures.tell(least, most, epsilon)):
                found |= {label: (least, most) for label in map(str, labels) if label in part.values}
        return found

    def _known_anyhow(self, **told: Any) -> str:
        if self.finer:
            return say(
                "Small counts are not protected: of “{column}” with {n} records only chances exist that follow from "
                "the counts themselves, and whoever computes them anew may read from them how many have {who}.",
                **{name: told[name] for name in ("column", "n", "who")},
            )
        return say(
            "Small counts are not protected: the shares that this draw publishes tell how many of {n} records have "
            "{who} of “{column}”: {many}.",
            **told,
        )

    @property
    def relief(self) -> str:
        if self.finer:
            return say("Raise its tolerance, join rare values, or have more records.")
        return say("Choose groups for it, join rare values, or have more records.")

    def promises(self, thresholds: Thresholds, told: Collection[str] = ()) -> tuple[Promise, ...]:
        """Return what is promised for each tolerance, the strictest first. Counts are those reconstructed."""
        found = []
        for limit in sorted({part.limit for part in self.parts if part.values}):
            places = [at for at, part in enumerate(self.parts) if part.limit == limit]
            labels = tuple(label for at in places for label in self.parts[at].values)
            if limit == NOT_SENSITIVE:
                found.append(Promise(limit, 0.0, self.t_f(thresholds), labels))
                continue
            t_p = 0.0 if any(label in told for label in labels) else min(self._t_p(at, thresholds) for at in places)
            t_f = max(self._t_f(at, thresholds) for at in places)
            # Draws are independent, but who knows that no other record has a value knows whose it is once it is shown,
            # by whomever, unless values are shown that nobody has (`insider`). Without these the certainty stays 1.
            found.append(Promise(limit, t_p, t_f, labels, limit if self.declared else Fraction(1)))
        return tuple(found)

    def stated(self, thresholds: Thresholds, told: Collection[str] = ()) -> dict[str, Any]:
        found = by_tolerance(self.promises(thresholds, told), insider=True)
        return {"by_tolerance": found, "two_releases": self.twice}

    def stated_before(self, stated: Mapping[str, Any]) -> Mapping[str, Any]:
        # Until 22 November 2026: that who knows all other records learns no more than the row says.
        promises = {name: {**each, "certainty": each["confidence"]} for name, each in stated["by_tolerance"].items()}
        return {**stated, "by_tolerance": promises}

    def by_value(self) -> tuple[ValueDraw, ...]:
        return tuple(replace(each, sure=self.sure) for each in super().by_value())

    @cached_property
    def twice(self) -> float:
        """How surely two independent releases of the same records together tell a protected value at most."""
        return self.sure(2)

    def sure(self, releases: int, gammas: Collection[int] = ()) -> float:
        """Return how surely so many independent releases of the same records tell a protected value at most.

        For one protected value pi / (pi + (1 - pi) q^k), of a record that shows it in all of them. Of two releases all
        pairs of shown values are looked at, of more those that show the same each time; who holds more holds two. The
        value has as many records as its part may have of one, and all others as few (`_possible`).

        gammas : of further releases, in plain groups; draws are independent, so likelihoods are multiplied.
        """
        keeps, feeds, _ = self._numbers
        sizes, places = np.array([max(len(part.values), 1) for part in self.parts]), np.arange(len(self.parts))
        fewest, least, most = self._possible
        # The commonest value, with as many records as it may have, is met most.
        each = self._shares * self.records / sizes
        each = np.where(each == each.max(), most, each)
        starts, times, worst = np.cumsum(sizes) - sizes, Counter(gammas), 0.0
        if max(times, default=0) > sizes.sum():
            return 1.0  # no such groups of these values: that release had others
        attacked = self._protected
        for at, has in zip(attacked * 2, [*each[attacked], *most[attacked]], strict=True):
            # Rows: the value, of each part one or two that are shown, and what is left of each part.
            mine = places == at
            one, two, left = (places[sizes > number + mine] for number in range(3))
            rows = np.concatenate([[at], one, two, left])
            number = np.concatenate([[0], mine[one], 1 + mine[two], 2 + mine[left]]) + starts[rows]
            columns, own = rows[: len(rows) - len(left)], np.eye(len(rows), len(rows) - len(left))
            rest = fewest - mine * has
            alone = np.where(sizes - mine > 1, least, np.maximum(rest, least))
            counts = np.concatenate([[has], alone[one], least[two], np.maximum(rest - 2 * least, 0.0)[left]])
            kinds = [(feeds[np.ix_(rows, columns)] + own * keeps[columns], releases)]
            left_over = np.maximum(each * sizes - has, 1.0) / np.maximum(sizes - 1, 1)
            every = np.repeat(np.where(mine, left_over, each), sizes)
            every[starts[at]] = has
            for gamma, often in times.items():  # a value is met as often as it has records
                met = _plain(every, gamma)[np.ix_(number, to := number[: len(columns)])]
                kinds.append((np.where(own > 0, met, met * (counts[: len(to)] / every[to])), often))
            pairs = [
                (first[:, :, None] * other[:, None, :]).reshape(len(rows), -1)
                for place, (first, often) in enumerate(kinds)
                for other, _ in kinds[place + (often < 2) :]
            ]
            for seen in (*pairs, np.prod([first**often for first, often in kinds], axis=0)):
                # Records beyond the fewest are where they lead least to what is shown.
                beyond = max(self.records - float(counts.sum()), 0.0) * seen[1:].min(axis=0, initial=np.inf)
                shown, right = counts @ seen + beyond, counts[0] * seen[0]
                worst = max(worst, float(np.divide(right, shown, out=np.zeros_like(right), where=shown > 0).max()))
        return worst

    @cached_property
    def _possible(self) -> tuple[Floats, Floats, Floats]:
        """(p,) the fewest records that each part can have, and the fewest and most of one of its values.

        Shares are rounded up, of counts in whole blocks; that of the most frequent value is what the blocks leave.
        """
        sizes, share = np.array([[max(len(part.values), 1), float(part.share)] for part in self.parts]).T
        protected = np.array([part.protected for part in self.parts])
        block = block_of(self.records, int(sizes.sum())) - 1
        step = 10 ** (1 / STEPS_A_DECADE[0])
        whole = self.records * share
        fewest = self.records * np.maximum(share / step, 1 - (1 - share) * step)
        top = np.arange(len(share)) == int(np.argmax(np.where(sizes == 1, share, 0.0)))
        fewest = np.maximum(np.where(top, fewest, fewest - sizes * block), np.minimum(sizes, whole))
        whole = np.minimum(whole + np.where(top, block * sizes.sum(), 0.0), self.records)
        alike = np.where(protected, BAND, self.records)  # times the rarest value of a part that the most frequent has
        least = np.maximum(fewest / (1 + alike * (sizes - 1)), 0.0 if self.declared else 1.0)
        most = np.where(protected, whole * BAND / (BAND + sizes - 1), whole)
        return fewest, np.where(sizes == 1, fewest, least), most

    @property
    def insider(self) -> float:
        """The largest chance that a protected value that one record alone has is shown, by it or who joins it.

        Draws being independent does not help: release.json and the table name none but values of the source, so
        whoever knows that no other record has it knows whose it is. Where values of a declared list are shown whether
        or not somebody has them, such a reader is left with the row (`_check_declared`).
        """
        if self.declared:
            return float(self.confidence)
        shown = [0.0]
        for at in self._protected:
            own = float(self.parts[at].keeps + self.parts[at].feeds[at])
            join = self._joins(at) / self.records  # chance that a record of the table comes to the value
            shown.append(1 - (1 - own) * (1 - join) ** (self.records - 1))
        return max(shown)

    @property
    def tells_second(self) -> float:
        # Draws are independent, so the row alone tells: exactly, by how far its two laws are apart.
        (keeps, feeds, _), apart = self._numbers, [0.0]
        for at in self._protected:
            others = np.array([len(part.values) - (place == at) for place, part in enumerate(self.parts)], np.float64)
            rest = self._shares * others / (others + (np.arange(len(others)) == at))
            rest /= max(float(rest.sum()), 1e-300)
            # The chance that each other value is shown, and then the value itself, which none of the others keeps.
            without = rest @ feeds + rest * keeps / np.maximum(others, 1.0)
            beside = float(others @ np.maximum(feeds[at] - without, 0.0))
            apart.append(beside + max(float(keeps[at] + feeds[at, at] - rest @ feeds[:, at]), 0.0))
        return (1 + max(apart)) / 2

    @property
    def shuts_out(self) -> bool:
        """Whether a record that shows no protected value surely has none."""
        free = [at for at, part in enumerate(self.parts) if not part.protected]
        return bool(free) and not any(self.parts[at].feeds[to] for at in self._protected for to in free)

    def sentences(self, column: str, thresholds: Thresholds, told: Collection[str] = ()) -> list[str]:
        found = super().sentences(column, thresholds, told)
        if not self._protected:
            return found
        if self.shuts_out:
            found.append(
                say(
                    "A record that shows a value of “{column}” that is not sensitive surely has no sensitive one.",
                    column=column,
                )
            )
        found.append(
            say(
                "Two independent releases of the same records would together link a record to a sensitive value of "
                "“{column}” with up to {twice} confidence.",
                column=column,
                twice=up(Fraction(self.twice).limit_denominator(10**6)),
            )
        )
        return [*found, self.caution(column)]

    def readers(self, column: str) -> tuple[str, ...]:
        if not self._protected:
            return ()
        last = attackers.hides_bearer if self.declared else attackers.names_bearer
        known = attackers.also_tells(last(column, self.insider), self.tells_second)
        return (*attackers.of_independent(column), known)

    def tolerated(self) -> Mapping[str, Fraction]:
        return {label: part.limit for part in self.parts for label in part.values}

    def limit(self, label: str) -> Fraction:
        return self.parts[self._part_of[label]].limit if label in self._part_of else Fraction(0)

    def most_share(self, label: str, records: int) -> Fraction | None:
        limit = self.limit(label)
        return limit if 0 < limit < NOT_SENSITIVE else None

    def words(self) -> str:
        said = self.chance()
        if self._protected:
            least, most = min(self.parts[at].limit for at in self._protected), self.confidence
            limit = up(most) if least == most else say("{least} to {most} (by value)", least=up(least), most=up(most))
            said = say(
                "other records join the sensitive ones, so at most {limit} of those that show a sensitive value are "
                "right",
                limit=limit,
            )
        if self.declared:
            said = say("{words}, with values declared in advance", words=said)
        return said if self.follows is None else say("{words} (gamma {gamma})", words=said, gamma=self.follows)

    def able(self, column: str) -> str:
        return say("{able} {caution}", able=super().able(column), caution=self.caution(column))

    def how(self) -> str:
        return say(
            "every record was drawn by itself: it kept its value or took another by chances that stand in "
            "release.json, so that records of other values join the sensitive ones (PRAM with a published matrix)."
        )

    def caution(self, column: str) -> str:
        return say(
            "Published shares of “{column}” are not true: records of other values joined its sensitive ones, so every "
            "count must be reconstructed, that of the whole table too.",
            column=column,
        )

    def chance(self) -> str:
        if not self._protected:
            return say("no value is sensitive")
        least = min(self.parts[at].limit for at in self._protected)
        if least == self.confidence:
            return say("at most {most} for sensitive values", most=up(self.confidence))
        return say("at most {least} to {most} by sensitive value", least=up(least), most=up(self.confidence))

    def odds(self, column: str | None = None) -> str:
        if any(not part.protected for part in self.parts):
            return say("up to {most} of the rows (values not sensitive: in all)", most=up(self.confidence))
        return say("up to {most} of the rows", most=up(self.confidence))


def _never_within(width: float, number: Floats, chance: Floats, step: Floats | float) -> float:
    """Return the largest 1 - Pr[one of the likeliest numbers of a Binomial(n, p)], as many as steps reach `width`.

    number, chance, step : of equal shapes when broadcast; those that seem to give most are worked out.
    """
    number, chance, step = np.broadcast_arrays(np.floor(number), chance, step)
    often = np.floor(width / step) + 1
    likely = often / np.sqrt(number * chance * (1 - chance))
    best = np.unravel_index(int(np.argmin(np.where(np.isfinite(likely), likely, np.inf))), likely.shape)
    if not np.isfinite(likely[best]):
        return 0.0
    law = np.sort(binomial_law(int(number[best]), float(chance[best])))[::-1]
    return max(1 - float(law[: int(often[best])].sum()), 0.0)


def _plain(counts: Floats, gamma: int) -> Floats:
    """Return (m, m) the chances of plain groups of (m,) counts, by the law of what one holds; a value stands once."""
    means = np.minimum(gamma * counts / max(float(counts.sum()), 1e-300), 1.0)
    together = GroupLaw.of(means, np.ones(len(means), np.int64), gamma).pairs()
    return np.asarray(together / (gamma * np.maximum(means[:, None], 1e-300)), np.float64)


def _decimal(share: Fraction) -> str:
    """Return a chance, a whole multiple of 1 / PARTS, as a decimal without a remainder."""
    return f"{int(share * PARTS) // PARTS}.{int(share * PARTS) % PARTS:09d}".rstrip("0").rstrip(".")


def binomial_law(trials: int, chance: float) -> Floats:
    """Return (trials + 1,) the binomial law, 0 farther than _FAR standard deviations from the mean."""
    from scipy.special import gammaln, xlog1py, xlogy  # takes longer to load than a plan without joined draws takes

    law = np.zeros(trials + 1)
    arm = _FAR * math.sqrt(max(trials * chance * (1 - chance), 1.0))
    low, high = max(math.floor(trials * chance - arm), 0), min(math.ceil(trials * chance + arm), trials)
    of = np.arange(low, high + 1, dtype=np.float64)
    ways = gammaln(trials + 1) - gammaln(of + 1) - gammaln(trials - of + 1)
    law[low : high + 1] = np.exp(ways + xlogy(of, chance) + xlog1py(trials - of, -chance))
    return law


def design(
    column: Column,
    limits: Tolerances | Mapping[str, Fraction],
    *,
    leave: float | Fraction = 0,
    follows: int | None = None,
    declared: Collection[str] = (),
) -> Joined:
    """Return the joined draw of a column.

    Parameters
    ----------
    limits : f' of every value.
    leave : share of the bearers of a protected value that are shown with another one, so that such a record does not
        surely have none; 0 to 1/2. Costs sharpness.
    declared : a list of values that may occur, all protected ones that do among them, for all of which `limits` has f'.
        Those that no record has are treated as if one had, so that nothing tells which they are; () for no list.

    Raises EmptyTable, BadSetting; Infeasible where some f' is at its value's share or below, or a list is too short.
    """
    tolerances = limits if isinstance(limits, Tolerances) else Tolerances(limits)
    if column.n == 0:
        raise EmptyTable("Column “{column}” has no records, so there is nothing to publish.", column=column.name)
    if not 0 <= leave <= 0.5:
        raise BadSetting("The share of bearers left out must lie between 0 and 1/2.")
    check_feasible(column, tolerances)
    column = column.compacted()  # a value that no record has needs no chances
    if declared:
        column = _listed(column, tolerances, declared)
    exact = tolerances.of(column)
    listed = np.array([limit < NOT_SENSITIVE for limit in exact]) if declared else None
    if found := chances(column.labels, column.counts(), exact, float(leave), listed):
        parts, finer = found
        made = Joined(parts, column.n, follows, declared=bool(declared), finer=finer)
        made._check_declared(column)
        return made
    if follows is not None:
        raise Infeasible(
            "Column “{column}” can't be drawn with gamma {gamma}, which is too large for its records; choose a "
            "smaller one.",
            column=column.name,
            gamma=follows,
        )
    raise Infeasible(
        "No chances keep the tolerances of column “{column}”, since one lies at its value's share of the records; "
        "raise it a little.",
        column=column.name,
    )


def _listed(column: Column, limits: Tolerances, declared: Collection[str]) -> Column:
    """Return the column with all values of a declared list. Raises BadSetting where the list lacks one to protect."""
    lacking = [str(x) for x in column.labels if str(x) not in set(declared) and limits.limits[str(x)] < NOT_SENSITIVE]
    if lacking:
        raise BadSetting(
            "The list declared for “{column}” lacks {n} values that occur, “{value}” among them; add them, so that "
            "nothing shown tells by itself that somebody has it.",
            column=column.name,
            n=len(lacking),
            value=lacking[0],
        )
    return column.with_labels(label for label in declared if limits.limits[label] < NOT_SENSITIVE)

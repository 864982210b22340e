"""Decoy groups of several sizes with a tolerance per value, and fake values in them (mechanism.md section 5).

What all draws from groups share stands in `GroupDraw`; plain groups are its other member.
"""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw.draw import (
    Draw,
    Flags,
    Floats,
    Ints,
    Promise,
    by_tolerance,
    certainty_sentence,
    registered,
    up,
)
from splu_desktop.core.errors import Ineligible
from splu_desktop.core.groups import blocks
from splu_desktop.core.groups import forming as groups
from splu_desktop.core.groups.blocks import Dealt
from splu_desktop.core.groups.design import chosen_from_blocks, design, one_size, rate
from splu_desktop.core.groups.law import NoLaw
from splu_desktop.core.groups.layout import Layout, caps_of, layout
from splu_desktop.core.groups.mixed import MixedGroups
from splu_desktop.core.groups.rules import equal
from splu_desktop.core.groups.sized import SizedGroups, check_fakes
from splu_desktop.core.groups.tolerances import NOT_SENSITIVE, Infeasible, Tolerances, check_feasible, most_share
from splu_desktop.core.guarantees import attackers
from splu_desktop.core.guarantees.several_releases import ValueDraw
from splu_desktop.core.guarantees.tails import improbable, log_all_right
from splu_desktop.core.guarantees.tolerant import binomial as binomial
from splu_desktop.core.guarantees.tolerant import (
    count_law,
    given_away,
    law_with_fakes,
    sole_bearer_named,
    t_f_of,
    t_p_of,
)
from splu_desktop.core.messages import Figure, listed, say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.randomness import Randomness, below, permutation
from splu_desktop.core.rationals import as_fraction
from splu_desktop.core.table import IN_MEMORY, Column, Storage, respelled
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.core.transition.matrix import MatrixTransition
from splu_desktop.frozen import dataclass


class GroupDraw(Draw):
    """A draw from decoy groups: each record gets the value of a uniformly drawn member of its group."""

    @property
    @abstractmethod
    def largest(self) -> int:
        """Values that the largest groups draw from: their records' and the fake ones."""

    @abstractmethod
    def layout(self, column: Column) -> Layout:
        """Return how many records of each value go to groups of each size. Raises as `check`."""

    def off(self) -> int:
        """Return by how many records a value's count may be off its mean beyond what the groups' draws explain."""
        return 0

    def check(self, column: Column) -> None:
        self.layout(column)

    def blocks(self, column: Column, number: int, source: Randomness) -> _GroupBlocks:
        layout = self.layout(column)
        if number == 1:
            return _GroupBlocks(self, column, None, layout)
        dealt = Dealt.of(layout, number, source)
        return _GroupBlocks(self, column, dealt if dealt.number > 1 else None, layout)

    def redraw(self, column: Column, source: Randomness, progress: Progress, storage: Storage = IN_MEMORY) -> Column:
        made = self.blocks(column, -(-column.n // blocks.RECORDS), source)
        if made.dealt is None:
            return column.with_codes(made.redraw(0, column.codes, source, progress))
        progress.report("Drawing random ids", 0.0)
        codes = storage.array(column.n)
        forming: deque[tuple[NDArray[np.int32], Future[groups.Parts]]] = deque()

        def draw_first() -> None:
            at, formed = forming.popleft()
            codes[at] = _drawn(formed.result(), len(at), source, SILENT)

        # Groups are formed beside the drawing of random numbers, whose order does not depend on who is quicker.
        with ThreadPoolExecutor(1, thread_name_prefix="splu") as pool:
            for block, at in enumerate(blocks.members(column.codes, column.counts(), made.dealt, source, storage)):
                progress.report("Mixing groups", block / made.number)
                ids, part = permutation(source, len(at)), column.with_codes(np.take(column.codes, at))
                forming.append((at, pool.submit(self._formed, part, ids, made.dealt.part(block), SILENT)))
                if len(forming) > 1:
                    draw_first()
            draw_first()
        return column.with_codes(codes)

    def redrawn(self, column: Column, layout: Layout, source: Randomness, progress: Progress) -> NDArray[np.int32]:
        """Return (N,) the codes of a column or of a block of it drawn anew in groups of this layout."""
        progress.report("Drawing random ids", 0.0)
        parts = self._formed(column, permutation(source, column.n), layout, progress)
        return _drawn(parts, column.n, source, progress)

    def _formed(self, column: Column, ids: NDArray[np.int32], layout: Layout, progress: Progress) -> groups.Parts:
        parts = groups.assign_tolerant(column, ids, layout, progress=progress)
        self.verify(column, parts)
        return parts

    def how(self) -> str:
        return say(
            "every record was put into a group with records of other values at random, and took the value of a random "
            "member of its group (mechanism SPLU-Gen)."
        )

    def verify(self, column: Column, parts: groups.Parts) -> None:
        """Stop the release unless what is promised holds on the groups actually formed, where mixing can break it."""

    def strays(self, column: Column, before: Ints, after: Ints) -> Flags:
        # Of all groups up to the largest size, those of the largest stray most (Hoeffding 1956). Binomial(g f, 1/g) is
        # the law of groups of g; that of one record more is the wider.
        size, off = max(self.largest, 2) + 1, self.off()
        most = before + off * (before > 0)
        return improbable(after, size * np.maximum(before - off, 0), size * most, size)

    def keeps_all(self, before: Ints) -> float:
        return log_all_right(before, max(self.largest, 2))


@dataclass(frozen=True, eq=False)
class _GroupBlocks:
    """A column's groups by blocks (`Blocks`); `dealt` is None where there is one block."""

    draw: GroupDraw
    column: Column
    dealt: Dealt | None
    layout: Layout

    @property
    def number(self) -> int:
        return 1 if self.dealt is None else self.dealt.number

    def of(self, slots: Ints, codes: NDArray[np.int32]) -> NDArray[np.uint16]:
        return np.zeros(len(slots), np.uint16) if self.dealt is None else self.dealt.blocks(slots, codes)

    def redraw(self, block: int, codes: NDArray[np.int32], source: Randomness, progress: Progress) -> NDArray[np.int32]:
        layout = self.layout if self.dealt is None else self.dealt.part(block)
        return self.draw.redrawn(self.column.with_codes(codes), layout, source, progress)


@registered
@dataclass(frozen=True)
class DecoyGroups(SizedGroups, GroupDraw):
    """A draw from groups of several sizes."""

    name = "decoy groups"

    @property
    def certainty(self) -> Fraction:
        """How sure of a sensitive value someone can be at most who knows all other records of the group."""
        return Fraction(1, 1 + self.fakes)

    @classmethod
    def of(cls, found: SizedGroups) -> Self:
        """Return the draw from these groups."""
        return cls(found.sizes, found.shares, found.tolerances, found.fakes)

    @classmethod
    def designed(cls, column: Column, tolerances: Tolerances, *, fakes: int = 0, progress: Progress = SILENT) -> Self:
        """Return the draw whose group sizes suit a column best (`design`)."""
        return cls.of(design(column, tolerances, fakes=fakes, progress=progress).grouping)

    # --- settings

    def tolerated(self) -> Mapping[str, Fraction] | None:
        return None if self.fakes else self.tolerances.limits

    def settings(self) -> dict[str, Any]:
        limits = self.tolerances.limits
        return {
            "sizes": list(self.sizes),
            "shares": [str(share) for share in self.shares],
            "tolerances": {label: str(limit) for label, limit in limits.items()},
            **({"fakes": self.fakes} if self.fakes else {}),
        }

    @classmethod
    def from_settings(cls, data: Mapping[str, Any]) -> Self:
        sizes, shares, limits = data["sizes"], data["shares"], data["tolerances"]
        if not all(type(size) is int for size in sizes):
            raise ValueError
        if not all(isinstance(label, str) for label in limits):
            raise ValueError
        exact = tuple(map(as_fraction, shares))
        return cls(tuple(sizes), exact, Tolerances(dict(limits)), data.get("fakes", 0))

    def recorded(self) -> dict[str, Any]:
        # How many values have which tolerance is enough.
        limits = Counter(str(limit) for limit in self.tolerances.limits.values())
        return {**self.as_dict(), "tolerances": dict(sorted(limits.items()))}

    def within(self, labels: object) -> Self:
        return replace(self, tolerances=self.tolerances.within(labels))

    def completed(self, labels: NDArray[np.object_]) -> Self:
        """Return the groups with labels that they have no tolerance for taken as not sensitive."""
        limits = dict.fromkeys((str(label) for label in labels), Fraction(1))
        return replace(self, tolerances=Tolerances({**limits, **self.tolerances.limits}))

    def respelled(self, before: Column, after: Column) -> Self:
        limits: dict[str, Fraction] = {}
        for old, label in respelled(before, after):
            limit = self.tolerances.limits[old]
            limits[label] = min(limit, limits.get(label, limit))
        return replace(self, tolerances=Tolerances(limits))

    def fault(self, records: int, domain: Iterable[str]) -> str | None:
        if set(self.tolerances.limits) != set(domain):
            return say("the tolerances are not those of its values")
        return say("the group sizes are larger than the table") if self.sizes[-1] > records else None

    # --- carrying it out

    def layout(self, column: Column) -> Layout:
        limits = self.tolerances.of(column)
        check_feasible(column, self.tolerances, self.fakes)
        found = layout(column.counts(), limits, self)
        if found is None:
            raise Infeasible(
                "The group sizes planned for column “{column}” don't meet its tolerances for this table; "
                "plan them again.",
                column=column.name,
            )
        return found

    def fitted(self, column: Column, progress: Progress = SILENT) -> Self:
        if layout(column.counts(), self.tolerances.of(column), self) is not None:
            return self
        found = design(column, self.tolerances, fakes=self.fakes, progress=progress).grouping
        return replace(self, sizes=found.sizes, shares=found.shares)

    def verify(self, column: Column, parts: groups.Parts) -> None:
        """Stop the release unless every tolerance is met on the groups actually formed."""
        reached, copies = groups.confidence(parts, column.m)
        limits = np.array([float(limit) for limit in self.tolerances.of(column)])
        # Fake values keep someone who knows all other records unsure only where the values left over all differ.
        twice = (copies > 1) & (limits < 1) if self.fakes else np.zeros(column.m, bool)
        if (reached > limits * (1 + 1e-12)).any() or twice.any():
            raise RuntimeError(
                say("groups of column {column} break a tolerance", column=column.name)
            )  # a fault of this program, never of data

    # --- what its reader knows

    def transition(self, counts: Floats, labels: NDArray[np.object_]) -> MatrixTransition:
        limits = tuple(self.tolerances.limits[str(label)] for label in labels)
        most = caps_of(limits, self.sizes, self.fakes)
        try:
            groups = MixedGroups.of(counts, most, self)
        except NoLaw:  # too many values have vanished in the draw for the others to fill the groups
            groups = MixedGroups.untold(counts)
        return MatrixTransition.of(counts, groups)

    def room_for(self, labels: Sequence[str], n: int) -> Ints:
        limits = tuple(self.limit(str(label)) for label in labels)
        held = caps_of(limits, self.sizes, self.fakes) @ np.maximum(self.numbers(n), 0)
        return np.asarray(np.minimum(held, n), np.int64)

    def bounds(self, column: Column) -> tuple[Ints, Ints]:
        n, shown = column.n, column.counts().astype(np.int64)
        # A group's fake copies are published too, so with them one true record is all that a value needs.
        largest = max(2 * self.sizes[0] - 1, self.sizes[-1])
        least = np.ones(column.m, np.int64) if self.fakes else -(-shown // largest)
        return least, self.room_for(column.labels.tolist(), n)

    def count_law(self, count: int) -> Floats:
        # In groups of the largest size, which hold a value once: what strays most.
        if self.fakes:
            return law_with_fakes(((self.sizes[-1], count),), self.fakes)
        return count_law(((self.sizes[-1], 1),) * count)

    def unseen(self, tail: float) -> float:
        # A record stands among the values of its group's records and the fake ones; each record draws.
        ways = [(size, size + self.fakes) for size in self.sizes]
        return max((float(np.log(tail) / (s * np.log1p(-1 / t))) for s, t in ways if t > 1), default=0.0)

    @property
    def sole_bearer(self) -> float:
        return float(sole_bearer_named(self))  # at its surest, which is not in the groups of `count_law`

    def by_value(self) -> tuple[ValueDraw, ...]:
        return tuple(ValueDraw(self.sizes, limit, self.fakes) for limit in self.protected)

    # --- what is promised

    @property
    def protected(self) -> list[Fraction]:
        """The tolerances below 1, rising, each once."""
        return sorted({limit for limit in self.tolerances.limits.values() if limit < 1})

    @property
    def confidence(self) -> Fraction:
        return max(self.protected, default=Fraction(1))

    @property
    def insider(self) -> float:
        return float(sole_bearer_named(self))

    def t_p(self, thresholds: Thresholds, releases: int = 1) -> float:
        """Return the least T_P over the tolerances below 1; 0 where no value is sensitive at all."""
        epsilon, alpha = thresholds.epsilon, thresholds.alpha
        found = (t_p_of(limit, self.sizes, epsilon, alpha, releases, self.fakes) for limit in self.protected)
        return min(found, default=0.0)

    def t_f(self, thresholds: Thresholds, releases: int = 1) -> int:
        return t_f_of(self, thresholds.epsilon, thresholds.t_e)

    def promises(self, thresholds: Thresholds, told: Collection[str] = ()) -> tuple[Promise, ...]:
        """Return what is promised for each tolerance, the strictest first."""
        reliable, epsilon, alpha = self.t_f(thresholds), thresholds.epsilon, thresholds.alpha
        return tuple(
            Promise(
                limit,
                0.0 if set(labels) & set(told) else t_p_of(limit, self.sizes, epsilon, alpha, fakes=self.fakes),
                reliable,
                labels,
                self.certainty if limit < 1 else Fraction(1),
            )
            for limit, labels in self.tolerances.classes().items()
        )

    def stated(self, thresholds: Thresholds, told: Collection[str] = ()) -> dict[str, Any]:
        return {"by_tolerance": by_tolerance(self.promises(thresholds, told), insider=bool(self.fakes))}

    def sentences(self, column: str, thresholds: Thresholds, told: Collection[str] = ()) -> list[str]:
        found = super().sentences(column, thresholds, told)
        if self.fakes and self.protected:
            found.append(certainty_sentence(self.fakes, self.certainty, column))
        return found

    def shape(self) -> dict[str, Any]:
        return {
            "sizes": self.sizes,
            "shares": tuple(float(share) for share in self.shares),
            "fakes": self.fakes,
            "certainty": float(self.certainty),
        }

    def limit(self, label: str) -> Fraction:
        return self.tolerances.limits.get(label, Fraction(0))

    def most_share(self, label: str, records: int) -> Fraction | None:
        limit = self.limit(label)
        return most_share(limit, self.fakes) if 0 < limit < NOT_SENSITIVE else None

    def figures(self, column: Column, thresholds: Thresholds, *, curves: bool = False) -> dict[str, Any]:
        found = super().figures(column, thresholds, curves=curves)
        rating = rate(column.counts(), self.tolerances.of(column), self)
        single = one_size(column, self.tolerances, self.fakes)
        found |= {
            "mse": None if rating is None else rating.mse,
            "condition": None if rating is None else rating.condition,
            "published_step": given_away(self, column.n)["step"],
            "from_blocks": chosen_from_blocks(column, self),
        }
        if self.fakes:
            found["certainty"] = float(self.certainty)
        if single is not None:
            found["one_size"] = {"size": single.grouping.sizes[0], "mse": single.mse, "signal": single.signal}
        return found

    def not_promised(self, column: str) -> str | None:
        return attackers.insider(column, self) if self.fakes and self.protected else None

    def readers(self, column: str) -> tuple[str, ...]:
        return attackers.of_tolerances(column, self)

    def how(self) -> str:
        if not self.fakes:
            return super().how()
        return say(
            "every record was put into a group with records of other values at random, beside fake values, which are "
            "copies of the column's own, and took a random one of all these (mechanism SPLU-Gen)."
        )

    def words(self) -> str:
        """Return the sizes in words: "groups of 1 (28 %), 2 (27 %) and 4 (45 %) and fake values, 1 in each"."""
        every = zip(self.sizes, self.shares, strict=True)
        each = (say("{size} ({share} of the records)", size=n, share=Figure(f"{100 * float(s):g} %")) for n, s in every)
        sizes = listed(each, "{head} and {tail}") if len(self.sizes) > 1 else str(self.sizes[0])
        said = say("groups of {sizes}", sizes=sizes)
        if not self.fakes:
            return said
        return say("{groups} and fake values, {fakes} in each", groups=said, fakes=self.fakes)

    def able(self, column: str) -> str:
        sizes = ", ".join(str(size) for size in self.sizes)
        return say("“{name}” can be re-drawn in groups of {sizes} that keep every tolerance.", name=column, sizes=sizes)

    def chance(self) -> str:
        most = (
            say("at most {most} for sensitive values", most=up(self.confidence))
            if self.protected
            else say("no value is sensitive")
        )
        if max(self.tolerances.limits.values()) < 1:
            return most
        return say("{most}; values with tolerance 1 may be the record's own", most=most)

    def odds(self, column: str | None = None) -> str:
        sure = say(" (up to {most})", most=up(self.confidence)) if self.protected else ""
        free = say(" (values with tolerance 1: in all)") if max(self.tolerances.limits.values()) == 1 else ""
        return say("at most as many of the rows as its tolerance says{sure}{free}", sure=sure, free=free)

    # --- what a check of a release looks at

    def off(self) -> int:
        # Fake copies are rounded up or down for each size, so a count may be as many records off its mean.
        return len(self.sizes) if self.fakes else 0


def plain_with_fakes(column: Column, gamma: int, fakes: int) -> DecoyGroups:
    """Return groups of one size gamma, every value tolerated with 1/gamma, and `fakes` fake values in each group.

    Raises BadSetting, EmptyTable; Infeasible where a value fills more than 1 / (gamma + sigma), also where it fills
    more than plain groups of gamma could hold: whoever asked for fake values is answered in words about these.
    """
    check_fakes(fakes)
    with contextlib.suppress(Ineligible):
        groups.check_eligible(column, gamma)
    grouping = DecoyGroups((gamma,), (Fraction(1),), equal(column, gamma), fakes)
    if layout(column.counts(), grouping.tolerances.of(column), grouping) is None:
        counts = column.counts()
        top = int(counts.argmax())
        raise Infeasible(
            "Groups of {gamma} records with fake values, {fakes} in each, hold {whole} different values, so no "
            "value may fill more than 1 in {whole} of the records; “{label}” of column “{column}” fills "
            "{share:.1f} %. Take fewer fake values, smaller groups, or a tolerance per value, such as 1 for that "
            "value if it is not sensitive.",
            gamma=gamma,
            fakes=fakes,
            whole=gamma + fakes,
            label=str(column.labels[top]),
            column=column.name,
            share=100 * float(counts[top]) / column.n,
        )
    return grouping


def _drawn(parts: groups.Parts, n: int, source: Randomness, progress: Progress) -> NDArray[np.int32]:
    """Return (N,) the codes drawn in groups."""
    progress.report("Drawing values", 0.0)
    codes = np.empty(n, np.int32)
    for records, values in parts:
        _draw(records, values, codes, source, progress)
    return codes


def _draw(
    records: NDArray[np.int32],
    values: groups.Values,
    codes: NDArray[np.int32],
    source: Randomness,
    progress: Progress,
) -> None:
    """Set the codes of these groups' records: the value of a uniformly drawn member of each record's group.

    `records` and `values` are those of `groups.assign_tolerant`. An exchange may have left a group's empty place in any
    row, so a draw counts through the group's filled places only. Fake values are drawn like those of records.
    """
    rows, count = values.shape
    filled = values >= 0
    sizes = filled.sum(axis=0, dtype=np.uint32)
    if not filled.all():
        # Move each group's empty place to the last row, where a draw below the group's size can't reach it.
        empty_row, empty_group = np.nonzero(~filled)
        records[empty_row, empty_group], values[empty_row, empty_group] = (
            records[-1, empty_group],
            values[-1, empty_group],
        )
        records[-1, empty_group] = values[-1, empty_group] = -1
    column = np.arange(count)
    even = bool((sizes == rows).all())
    whole = even and bool((records >= 0).all())
    for row in range(rows):
        present = slice(None) if whole else records[row] >= 0
        at = column[present]
        member = below(source, rows if even else sizes[present], len(at))
        codes[records[row][present]] = values[member, at]
        progress.report("Drawing values", (row + 1) / rows)

"""Plain decoy groups: one size gamma, in which no value stands twice (mechanism.md section 2).

The published count of a value is Binomial(gamma f, 1/gamma) exactly, and two numbers a, b_s say how values are carried.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any, Self
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw.decoy_groups import DecoyGroups, GroupDraw, binomial
from splu_desktop.core.draw.draw import Draw, Floats, Ints, draw_from, registered
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.groups import forming as groups
from splu_desktop.core.groups.layout import Layout
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.guarantees import attackers, planning
from splu_desktop.core.guarantees import exact as guarantees
from splu_desktop.core.guarantees.sentences import (
    large_count_promise,
    recommendation,
    small_count_promise,
    unprotected,
    value_promises,
    value_warnings,
)
from splu_desktop.core.guarantees.several_releases import ValueDraw
from splu_desktop.core.guarantees.tails import ALARM, at_least
from splu_desktop.core.messages import say
from splu_desktop.core.table import Column
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.core.transition.matrix import MatrixTransition
from splu_desktop.core.transition.two_numbers import Transition
from splu_desktop.frozen import dataclass

_MOST_VALUES = 100  # of columns whose pair probabilities have no closed form since a value fills all its groups
_AT_HAND = WeakValueDictionary[tuple[int, bytes], Transition]()  # one matrix for all who ask while someone holds it


@registered
@dataclass(frozen=True)
class PlainGroups(GroupDraw):
    """Decoy groups of one size.

    size : gamma, from 2.
    """

    size: int

    name = "plain groups"

    def __post_init__(self) -> None:
        if type(self.size) is not int:
            raise BadSetting(
                "The group size gamma must be a whole number from 2, not {gamma}.", gamma=repr(self.size)[:40]
            )
        if self.size < 2:
            raise BadSetting(
                "The group size gamma is {least}; it must be 2 or more, since a group of one hides nothing.",
                least=self.size,
            )

    def settings(self) -> dict[str, Any]:
        return {"gamma": self.size}

    @classmethod
    def from_settings(cls, data: Mapping[str, Any]) -> Self:
        return cls(data["gamma"])

    @property
    def gamma(self) -> int:
        return self.size

    def turned(self, gamma: int) -> PlainGroups:
        return PlainGroups(gamma)

    def by_person(self, column: str) -> Draw:
        # By its name: the two draws turn into each other, and neither stands above the other.
        return draw_from({"draw": "by person", "gamma": self.size, "person": column}) if column else self

    @property
    def largest(self) -> int:
        return self.size

    def fault(self, records: int, domain: object) -> str | None:
        return None if self.size <= records else say("the group size gamma is larger than the table")

    # --- carrying it out

    def check(self, column: Column) -> None:
        groups.check_eligible(column, self.size)

    def layout(self, column: Column) -> Layout:
        groups.check_eligible(column, self.size)
        numbers = np.array([column.n // self.size], np.int64)
        return Layout(numbers, column.counts()[:, None], np.ones((column.m, 1), np.int64))

    # --- what its reader knows

    def two_numbers(self, counts: Floats) -> Transition:
        key = (self.size, np.asarray(counts, np.float64).tobytes())
        if (known := _AT_HAND.get(key)) is None:
            counts, n = np.frombuffer(key[1]), int(counts.sum())
            known = _AT_HAND[key] = Transition(n=n, a=(n // self.size) / n, counts=counts, gamma=self.size)
        return known

    def transition(self, counts: Floats, labels: NDArray[np.object_]) -> MatrixTransition:
        once = Tolerances(dict.fromkeys(map(str, labels), Fraction(1, self.size)))
        return DecoyGroups((self.size,), (Fraction(1),), once).transition(counts, labels)

    def whole(self, counts: Floats, labels: NDArray[np.object_]) -> MatrixTransition | None:
        beyond = len(labels) > _MOST_VALUES or len(labels) <= self.size
        if beyond and self.two_numbers(counts).matrix is None:
            return None
        return self.transition(counts, labels)

    def chances(self, column: Column) -> Floats:
        drawn = self.two_numbers(column.counts().astype(np.float64))
        if drawn.matrix is not None:
            return drawn.matrix
        matrix = np.tile(drawn.b, (column.m, 1))
        np.fill_diagonal(matrix, 0.0)
        matrix *= (1 - drawn.a) / matrix.sum(axis=1, keepdims=True)
        np.fill_diagonal(matrix, drawn.a)
        return matrix

    def keeps(self, column: Column) -> float:
        return (column.n // self.size) / column.n

    def most(self, n: int) -> float:
        return float(n // self.size)  # no group holds a value twice

    def bounds(self, column: Column) -> tuple[Ints, Ints]:
        number = column.n // self.size
        return -(-column.counts().astype(np.int64) // -(-column.n // number)), np.full(column.m, number, np.int64)

    def count_law(self, count: int) -> Floats:
        return binomial(self.size * count, 1, self.size)

    def unseen(self, tail: float) -> float:
        return float(np.log(tail) / (self.size * np.log1p(-1 / self.size)))

    def by_value(self) -> tuple[ValueDraw, ...]:
        return (ValueDraw.plain(self.size),)

    # --- what is promised

    @property
    def confidence(self) -> Fraction:
        return Fraction(1, self.size)

    @property
    def insider(self) -> float:
        return attackers.sole_bearer(self.size)

    @property
    def tells_second(self) -> float:
        return attackers.tells_bearer(self.size, 2)

    def t_p(self, thresholds: Thresholds, releases: int = 1) -> float:
        return guarantees.t_p(self.size, thresholds.epsilon, thresholds.alpha, releases)

    def t_f(self, thresholds: Thresholds, releases: int = 1) -> int:
        return guarantees.t_f(self.size, thresholds.epsilon, thresholds.t_e, releases)

    def stated(self, thresholds: Thresholds, told: Collection[str] = ()) -> dict[str, Any]:
        chebyshev = guarantees.t_f_chebyshev(self.size, thresholds.epsilon, thresholds.t_e)
        t_p = 0.0 if told else self.t_p(thresholds)
        return {"t_p": t_p, "t_f": self.t_f(thresholds), "t_f_chebyshev": chebyshev}

    def sentences(self, column: str, thresholds: Thresholds, told: Collection[str] = ()) -> list[str]:
        large = large_count_promise(self.size, thresholds.epsilon, thresholds.t_e, column=column)
        if told:
            return [large]
        return [small_count_promise(self.size, thresholds.epsilon, thresholds.alpha, column=column), large]

    def known_anyhow(self, n: int, labels: Sequence[str], column: str, thresholds: Thresholds) -> str | None:
        return unprotected(n, self.size, len(labels), thresholds.epsilon, thresholds.alpha, column=column)

    @property
    def relief(self) -> str:
        return say("Choose a smaller gamma.")

    def figures(self, column: Column, thresholds: Thresholds, *, curves: bool = False) -> dict[str, Any]:
        counts = column.counts()
        values = planning.plan_values(counts, column.n, self.size, thresholds)
        found = values.as_dict(column.labels.tolist())
        found["t_f_as_published"] = guarantees.t_f_as_published(self.size, thresholds.epsilon, thresholds.t_e)
        found["values"] = sorted(found["values"], key=lambda row: -row["count"])  # type: ignore[call-overload]
        found["sentences"] = value_promises(values, column=column.name)
        found["readers"] = list(self.readers(column.name))
        found["warnings"] = value_warnings(values, column=column.name)
        if thresholds.t_p is not None:
            advice = planning.recommend(counts, column.n, thresholds)
            words = recommendation(advice, thresholds, column=column.name)
            found["recommendation"] = {**asdict(advice), "shortfall": advice.shortfall, "words": words}
        if curves:
            exact, chebyshev, published = guarantees.t_f_curve(self.size, thresholds.epsilon)
            small = guarantees.small_count_curve(self.size, thresholds.epsilon, thresholds.alpha)
            offer = planning.trade_off(counts, column.n, thresholds)
            found["curves"] = {
                "t_e": guarantees.T_E_GRID.tolist(),
                "t_f": exact.tolist(),
                "t_f_chebyshev": chebyshev.tolist(),
                "t_f_as_published": published.tolist(),
                "small_count": list(range(1, thresholds.alpha + 1)),
                "probability": small.tolist(),
            }
            names = ("gammas", "t_p", "large_error", "subgroup_error", "signal")
            found["trade_off"] = {name: getattr(offer, name).tolist() for name in names}
        return found

    def shape(self) -> dict[str, Any]:
        return {**super().shape(), "sizes": (self.size,), "shares": (1.0,)}

    def wish(self, column: str, thresholds: Thresholds) -> tuple[bool, str]:
        assert thresholds.t_p is not None
        if guarantees.t_p_reaches(self.size, thresholds.epsilon, thresholds.alpha, thresholds.t_p):
            return True, say(
                "Small counts of “{name}” are protected as asked: shown wrong with a probability of at least {t_p:g}.",
                name=column,
                t_p=thresholds.t_p,
            )
        return False, say(
            "Small counts of “{name}” are protected less than asked: with gamma {gamma} they are shown wrong with a "
            "probability of {got:.4f} where {t_p:g} is wanted; choose another gamma or accept the shortfall in words.",
            name=column,
            gamma=self.size,
            got=self.t_p(thresholds),
            t_p=thresholds.t_p,
        )

    def readers(self, column: str) -> tuple[str, ...]:
        return attackers.of_gamma(column, self.size)

    def odds(self, column: str | None = None) -> str:
        return say("1 in {gamma} rows", gamma=self.size)

    def words(self) -> str:
        return say("gamma {gamma}", gamma=self.size)

    def most_share(self, label: str, records: int) -> Fraction | None:
        return Fraction(records // self.size, records)

    def able(self, column: str) -> str:
        return say("“{name}” can be re-drawn in groups of {gamma}.", name=column, gamma=self.size)

    def chance(self) -> str:
        return say("1 in {gamma}", gamma=self.size)

    # --- what a check of a release looks at

    def alone(self, column: Column) -> Iterable[tuple[bool, str]]:
        # Each group holds gamma different values, all of which may vanish but one: in a small table one value may
        # be all that is left.
        top, number = int(column.counts().max()), column.n // self.size
        # At most `number` records held the most frequent value; its count is then at most this binomial.
        trials = np.array([(self.size + 1) * number])
        if float(at_least(np.array([top]), trials, 1 / (self.size + 1))[0]) > ALARM:
            yield (
                True,
                say(
                    "“{name}”: the most frequent value is one that groups of {gamma} allow.",
                    name=column.name,
                    gamma=self.size,
                ),
            )
            return
        yield (
            False,
            say(
                "“{name}” can't come from groups of {gamma}: one value fills {top} of {records} records.",
                name=column.name,
                gamma=self.size,
                top=top,
                records=column.n,
            ),
        )

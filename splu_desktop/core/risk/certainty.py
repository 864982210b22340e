"""How sure a shown secret value is, before any draw and for every strength at once (mechanism.md, law 2).

A row that shows a value has it with probability pi + (1 - pi)/gamma, pi the share of its class's rows that have it.
The same holds where persons are drawn with all their rows; that the person has the value in some row is surer
(`certainty_of_persons`). Values that are not secret (absence) and missing ones are left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import count_keys, pair_keys
from splu_desktop.core.mechanism import Classes, Draw
from splu_desktop.core.messages import in_words, listed, say
from splu_desktop.core.plan import Plan
from splu_desktop.core.sanitise import DrawInput
from splu_desktop.core.table import Column, unique

Floats = NDArray[np.float64]
_NAMED = 3  # labels of a class that are named


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares of the values of one sensitive column.

    Attributes
    ----------
    column : with all its values.
    draw : of its block.
    average : (m,) the share in the class of an average row that has the value; 0 for values that are not secret.
    riskiest : (m,) the largest share in any class.
    riskiest_class : (m,) which class that is.
    weight : (m,) rows that have the value.
    """

    column: Column
    draw: Draw
    average: Floats
    riskiest: Floats
    riskiest_class: NDArray[np.int64]
    weight: Floats

    @property
    def mean(self) -> float:
        """The share in the class of an average row that has a secret value."""
        return float(self.average @ self.weight / max(self.weight.sum(), 1e-300))


@dataclass(frozen=True, eq=False)
class Certainty:
    """How sure shown secret values are.

    Attributes
    ----------
    shares : sensitive column -> shares of its secret values.
    classes : of the lenders.
    """

    shares: Mapping[str, Shares]
    classes: Classes

    def with_gamma(self, gamma: float) -> Certainty:
        """Return it with one strength of all columns, each drawn as before. Raises BadSetting."""
        shares = {name: replace(each, draw=each.draw.with_gamma(gamma)) for name, each in self.shares.items()}
        return replace(self, shares=shares)

    @property
    def riskiest_share(self) -> float:
        """The largest pi of a secret value in any class."""
        return max((float(each.riskiest.max(initial=0)) for each in self.shares.values()), default=0.0)

    @property
    def average(self) -> float:
        """How often a row that shows a secret value is right, in the column where it is most often."""
        return max((each.draw.certainty(each.mean) for each in self.shares.values()), default=0.0)

    @property
    def riskiest(self) -> float:
        """How often a row that shows a secret value is right, in the riskiest class."""
        chances = [each.draw.certainty(float(each.riskiest.max(initial=0))) for each in self.shares.values()]
        return max(chances, default=0.0)

    def least_gammas(self, riskiest: float, average: float) -> dict[str, float]:
        """Return for each column the least whole gamma at which it keeps these limits; infinite where none does."""
        return {
            name: gamma_for((each.riskiest.max(initial=0), riskiest), (each.mean, average))
            for name, each in self.shares.items()
        }

    def least_gamma(self, riskiest: float, average: float) -> float:
        """Return the least whole gamma at which all columns keep these limits, infinite where none does."""
        return max(self.least_gammas(riskiest, average).values(), default=1.0)

    @property
    def riskiest_value(self) -> tuple[str, str, str]:
        """Column, value and class in words where a shown secret value is surest; empty texts where there is none."""
        if not self.riskiest_share:
            return "", "", ""
        worst = max(self.shares.values(), key=lambda each: each.draw.certainty(float(each.riskiest.max(initial=0))))
        at = int(worst.riskiest.argmax())
        words = describe_class(self.classes, int(worst.riskiest_class[at]))
        return worst.column.name, str(worst.column.labels[at]), words


def gamma_for(*limited: tuple[float, float]) -> float:
    """Return the least whole gamma at which shares keep their limits: pi + (1 - pi)/gamma <= limit (law 2)."""
    most = max((1 - share) / (limit - share) if share < limit else math.inf for share, limit in limited)
    # A hair above a whole number is rounding, and would cost a whole step of strength.
    return most if math.isinf(most) else float(max(1, math.ceil(most - 1e-9)))


def secret_values(column: Column, plan: Plan) -> NDArray[np.bool_]:
    """Return (m,) which values of a sensitive column are secret: neither missing nor said to be public."""
    public = set(plan.public_values.get(column.name, ()))
    named = np.array([label in public for label in column.labels.tolist()], bool)
    return np.asarray(~column.missing & ~named)


def certainties(prepared: DrawInput, plan: Plan) -> Certainty:
    """Return how sure shown secret values are."""
    code, number = prepared.row_class, prepared.classes.number
    size = np.maximum(np.bincount(code, minlength=number), 1)
    by_column = {}
    for name in plan.sensitive:
        column = prepared.table[name]
        secret = secret_values(column, plan)
        cells, counts = count_keys(pair_keys(code, column.m, column.codes), number * column.m)
        kept = secret[cells % column.m]
        counts, (in_class, value) = counts[kept], np.divmod(cells[kept], column.m)
        pi = counts / size[in_class]
        total = np.bincount(value, counts, column.m).astype(float)
        # Weighted by bearers: the class of a row that has the value, not the average class.
        average = np.bincount(value, counts * pi, column.m) / np.maximum(total, 1e-300)
        riskiest, worst = np.zeros(column.m), np.zeros(column.m, np.int64)
        np.maximum.at(riskiest, value, pi)  # to sort the shares would take as long as all else here
        largest = np.flatnonzero(pi == riskiest[value])
        worst[value[largest]] = in_class[largest]
        by_column[name] = Shares(column, plan.block_of(name).draw, average, riskiest, worst, total)
    return Certainty(by_column, prepared.classes)


def certainty_of_persons(prepared: DrawInput, plan: Plan) -> float:
    """Return how often a person of whom a row shows a secret value has it in some row, in the riskiest class.

    Law 2 of all rows: persons of a class have as many, so that a kept course and a lent one show it alike often.
    """
    persons, surest = np.bincount(prepared.classes.code), 0.0
    for name in plan.sensitive:
        column = prepared.table[name]
        who, value = np.divmod(unique(pair_keys(prepared.units.owner, column.m, column.codes)), column.m)
        secret = secret_values(column, plan)[value]
        cells = pair_keys(prepared.classes.code[who[secret]], column.m, value[secret])
        cells, having = np.unique(cells, return_counts=True)
        share = float((having / persons[cells // column.m]).max(initial=0))
        surest = max(surest, plan.block_of(name).draw.certainty(share) if share else 0.0)
    return surest


def describe_class(classes: Classes, at: int) -> str:
    """Return what a class is, in words: the labels of its columns, and the rows of a person where these divide."""
    cell = classes.cells[at]
    parts: list[str] = []
    for labels in cell.labels:
        shown = labels if len(labels) <= _NAMED else (*labels[: _NAMED - 1], f"+{len(labels) - _NAMED + 1}")
        parts.append(listed(map(in_words, shown), "{head}/{tail}", "{head}/{tail}"))
    # Numbers of rows are named only where they tell classes apart.
    if len({each.rows for each in classes.cells}) > 1:
        parts.append(say("persons with {n} {n:row|rows}", n=cell.rows))
    return listed(parts, "{head}, {tail}") if parts else say("all")

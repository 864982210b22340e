"""What a system is: a way to publish a table, and how counts are answered from what it published.

A system is one class under `@system`, with a line in the register (`compare.systems`): its parameters, how it draws,
how it is read, what it promises. Its docstring gives formula and source. `publish` gives a copy with what was drawn.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

import numpy as np

from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.core.errors import SpluError
from splu_desktop.core.mechanism.law import binomial
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.progress import Progress
from splu_desktop.core.thresholds import Thresholds

Points = tuple[Any, ...]  # a parameter each, or a tuple of all
GAMMAS: Points = (2, 3, 5, 10)
_FAR = 9.0  # standard deviations beyond which a law is cut
_TIE = 1e-9  # by which an error counts as on the edge


class Impossible(SpluError):
    """A system can't be carried out on a table; the sentence says why."""


class System(ABC):
    """A way to publish a table and to read it, with its parameters: a dataclass, whose fields are these.

    name : what files and the command line call it.
    title : what people call it.
    first : whether it is among the nine that are shown first, beside the plan.
    random : whether two draws differ.
    points : the parameters that are compared, from weak to strong; () as the only one where there are none.
    span : weakest and strongest first parameter to search for equal protection, whole ones where it is a whole number;
        None where there is none.
    source, progress : the true table, and where long work reports, once it is published.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    first: ClassVar[bool] = False
    random: ClassVar[bool] = True
    points: ClassVar[Points] = ((),)
    span: ClassVar[tuple[float, float] | None] = None
    source: TrueTable
    progress: Progress

    @classmethod
    def curve(cls) -> list[Self]:
        """Return the system with the parameters that are compared."""
        return [cls(*(point if isinstance(point, tuple) else (point,))) for point in cls.points]

    @property
    def parameters(self) -> Mapping[str, object]:
        """Parameter -> its setting."""
        return {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]

    @property
    def setting(self) -> str:
        """The parameters as people write them."""
        values = {
            name: say_briefly(each) if isinstance(each, float) else each for name, each in self.parameters.items()
        }
        return say(", ".join(f"{each} = {{{each}}}" for each in values), **values)

    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Self:
        """Return a copy that holds what was published of a table. Raises Impossible with the reason; Cancelled.

        chance : where all randomness comes from. Nothing that a comparison makes is ever handed out.
        """
        published = copy(self)
        published.source, published.progress = source, progress
        published.make(chance)
        return published

    @abstractmethod
    def make(self, chance: np.random.Generator) -> None:
        """Make what is published of the source, and report to `progress`. Raises as `publish` does."""

    @abstractmethod
    def answer(self, questions: CountingQuestions) -> Floats:
        """Return (Q,) counts as a reader of what was published estimates them, with the system's own estimator.

        Asked once: all questions share what protects.
        """

    def evidence(self, records: Ints) -> Floats | None:
        """Return (K, m) how much likelier the row (or its group) of K records of the source is by each true value.

        Up to a factor; None without rows.
        """
        return None

    def prior(self, records: Ints) -> Floats:
        """Return (K, m) what a reader of rows believes before: by the shares of the table, which releases tell."""
        return np.tile(self.source.shares, (len(records), 1))

    def insider(self, records: Ints, row: Floats, questions: CountingQuestions, answers: Floats) -> Floats:
        """Return (K,) how sure of the true value is who knows all other records and reads what was published.

        row : (K, m) beliefs of who reads the row alone; of the shares of the table where there are no rows.

        Where true values are published, one is left when those of all others are taken away.
        """
        return np.ones(len(records))

    def metrics(self) -> dict[str, float]:
        """Return the papers' own measures of what was published, by their names."""
        return {}

    def count_law(self, source: TrueTable, count: int, others: int) -> tuple[Floats, Floats]:
        """Return (K,) answers to "how many of these have s?", and their (K,) chances.

        Asked of the `count` records that have s, all there are, and of as many others: of the whole table where these
        are N - count. Answered by the system's own estimator, cut to what so many records can hold but drawn to no
        target: where rows are drawn that is the likeliest count, which the papers' iteration goes to.

        Exact where a system tells true counts of the whole table.
        """
        return np.array([float(count)]), np.ones(1)

    def reading(self, source: TrueTable) -> tuple[float, float, float]:
        """Return p, q, r of the answer y (p + q k) + r k, where y of the k records asked show the value.

        Zeros where it does not hang on how many others are asked.
        """
        return 0.0, 0.0, 0.0

    def all_others(self, source: TrueTable, count: int) -> int:
        """Return how many others there are, in the whole table."""
        return source.n - count

    def exact_epsilon(self, source: TrueTable) -> float:
        """Return the least epsilon for which one record's part in what is published is differentially private."""
        return math.inf

    def t_p(self, source: TrueTable, thresholds: Thresholds) -> float:
        """Return the least P(|answer - f| > epsilon f) of f = 1..alpha, in any selection with all f records of a value.

        Journal, Definition 2, which asks it of every concept of few records. A frequent value's share is told, as it
        should be, and answers some small cells of it by itself, whatever the rows say: so of a value that f records
        have. Where rows are drawn the least mostly lies where nobody else is asked about, and no noise of others joins:
        P(wrong) is 1 - keep for f = 1, and (1 - keep)^3 for f = 3 where whoever shows s is taken for three. Else a few
        who show s count as f there, or as only just not too few.
        """
        edge, (p, q, r) = thresholds.epsilon + _TIE, self.reading(source)

        def others_asked(count: int) -> set[int]:
            most, falls = self.all_others(source, count), ((y, q * y + r) for y in range(1, 2 * count + 1))
            asked = ((factor * count - p * y) / fall - count for y, fall in falls if fall for factor in (1 - edge, 1))
            return {0, most, *(int(each) for each in asked if 0 < each < most)}

        def wrong(count: int, others: int) -> float:
            answers, chance = self.count_law(source, count, others)
            return float(chance[np.abs(answers - count) > edge * count].sum())

        small = range(1, min(thresholds.alpha, source.n) + 1)
        return min(wrong(f, others) for f in small for others in others_asked(f))

    def t_f(self, source: TrueTable, thresholds: Thresholds) -> int | None:
        """Return the least count of the whole table from which answers err by epsilon or more with at most T_E.

        None up to N. By bisection, each judged with some a little larger, since the error falls as a saw does.
        """
        edge = thresholds.epsilon - _TIE

        def good(count: int) -> bool:
            some = {min(round(count * step), source.n) for step in (1, 1.02, 1.05, 1.1)} | {count + 1, count + 2}
            laws = ((f, *self.count_law(source, f, self.all_others(source, f))) for f in some if f <= source.n)
            return all(chance[np.abs(answers - f) >= edge * f].sum() <= thresholds.t_e for f, answers, chance in laws)

        high = 1
        while not good(high):
            if high == source.n:
                return None
            high = min(2 * high, source.n)
        return bisect_left(range(high), True, lo=high // 2 + 1, key=good)


Kind = TypeVar("Kind", bound=type[System])


@dataclass_transform()
def system(name: str, title: str, **settings: Any) -> Callable[[Kind], Kind]:
    """Return what makes a class a system, with these attributes of its base; all but `first` are else as there."""

    def make(kind: Kind) -> Kind:
        for each, value in {"name": name, "title": title, "first": False, **settings}.items():
            setattr(kind, each, value)
        dataclass(kind)
        return kind

    return make


def say_briefly(number: float) -> Figure:
    """Return a number of three digits, or whole; "∞", and "–" for none."""
    if not math.isfinite(number):
        return Figure("–" if math.isnan(number) else "∞")
    return Figure(f"{number:.3g}" if abs(number) < 1_000 else f"{number:,.0f}")


def binomials(parts: Sequence[tuple[int, float]]) -> tuple[Floats, Floats]:
    """Return the values and chances of a sum of independent binomial numbers (n, p)."""
    first, law = 0, np.ones(1)
    for n, p in parts:
        arm = _FAR * np.sqrt(max(n * p * (1 - p), 0)) + 12
        low, high = max(int(n * p - arm), 0), min(int(n * p + arm) + 1, n)
        law = np.convolve(law, binomial(np.arange(low, high + 1), n, p))
        first += low
    return first + np.arange(len(law)).astype(np.float64), law

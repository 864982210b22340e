"""One record, three readers (mechanism.md section 3): what is said wherever 1/gamma is, of everybody whom it is about.

- *The row alone*: right with a = r/N on average over the rows, before looking at what stands there. After reading s in
  a class of records of which a share pi_C truly have s, the belief is pi_C a / (pi_C a + (1 - pi_C) b_s), which nothing
  bounds: it is near 1 where s is common in the class.
- *The row and the release*: measured by `core.risk.attack`; not bounded either.
- *An insider who knows every other record*: a published value has a true bearer, fakes being copies, so the sole
  bearer of a value is named wherever it is shown, with 1 - (1 - 1/S)^S in a group of S records, and nearly always by a
  joined draw, in which bearers keep their value: no record joins a value that nobody in the source has. Unless a list
  of values is declared in advance: then records join all of these, and who knows all others is left with the row.

The sentences are made here alone; window, command line, report and the recipient's README show these.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.groups.sized import SizedGroups
from splu_desktop.core.guarantees.tolerant import sole_bearer_named
from splu_desktop.core.messages import Figure, Said, listed, say
from splu_desktop.frozen import dataclass

_SHOWN = 8  # columns that are all named in a sentence
_APART = 3  # sentences that differ in figures alone and are all said
_Alike = dict[tuple[int, object], tuple[Said, list[str]]]
_SURE = 0.8
_COMMON = Fraction(4, 5)  # of the example: share of a value among people like one


@dataclass(frozen=True)
class Figures:
    """How well one attacker does, over the tested records.

    Attributes
    ----------
    name : "margins" (the most frequent value), "row", "naive-bayes" and "release" (what the release teaches by plain
        naive Bayes and by a calibrated learner, without the row), "naive-bayes-and-row" and "release-and-row",
        "original" (what the original's statistics teach).
    right : share of right guesses.
    known_80, known_95 : share of the rows of which the attacker is at least so sure, in per cent: exact.
    right_80, right_95 : share of right guesses among those; None where there are none.
    ends, ends_80, ends_95 : between which `right`, `right_80` and `right_95` lie, where they are estimated from a
        release alone; None where they are judged, or known.
    """

    name: str
    right: float
    known_80: float
    known_95: float
    right_80: float | None
    right_95: float | None
    ends: tuple[float, float] | None = None
    ends_80: tuple[float, float] | None = None
    ends_95: tuple[float, float] | None = None

    @property
    def rightly_80(self) -> tuple[float, float]:
        """Least and largest share of all rows of which the attacker is at least 80 % sure, and right."""
        low, high = self.ends_80 or (self.right_80 or 0.0,) * 2
        return self.known_80 * low, self.known_80 * high

    @property
    def borne_out(self) -> bool:
        """Whether those are right as often as the attacker is sure: naive Bayes, taken at its word, need not be."""
        return (self.ends_80[1] if self.ends_80 else self.right_80 or 0.0) >= _SURE


@dataclass(frozen=True)
class Attack:
    """An attack on one column (`core.risk.attack`).

    Attributes
    ----------
    column : its name.
    learner : behind "release" in `figures`: "smoothed-naive-bayes", "repeated-naive-bayes", "weighted-naive-bayes" or
        "regression".
    tested, trained_on : records.
    columns : NSAs that the learners used; those with too many labels are left out.
    intervals, labels : of plain naive Bayes: numbers of more values were put into so many intervals; columns that have
        more labels then were left out, None where none was.
    figures : of each attacker.
    betrayed : share of the rows of which that learner is 95 % sure that their value is not the person's own:
        pairs of values that do not occur, or hardly do, are among them.
    betrayed_own : share of those in which it is the person's own nevertheless; None where there are none.
    """

    column: str
    learner: str
    tested: int
    trained_on: int
    columns: tuple[str, ...]
    intervals: int
    labels: int | None
    figures: tuple[Figures, ...]
    betrayed: float
    betrayed_own: float | None

    @property
    def surest(self) -> Figures:
        """The attacker who is rightly at least 80 % sure of most rows, at the upper end; else who has no table."""
        found = [self._blind, *(each for each in self.figures if each.borne_out)]
        return max(found, key=lambda each: each.rightly_80[1])

    @property
    def _blind(self) -> Figures:
        return next(each for each in self.figures if each.name == "margins")

    @property
    def gained(self) -> float:
        """The rows of which that one is rightly at least 80 % sure beyond who has no table, as a share of all."""
        return self.surest.rightly_80[1] - self._blind.rightly_80[1]


def after_reading(share: float, kept: float, led: float) -> float:
    """Return how sure of s is who reads it in a row.

    Parameters
    ----------
    share : of the records like this one that truly have s, pi_C.
    kept : a, the probability that a record keeps its value.
    led : b_s, the probability that a record of another value shows s.
    """
    shown = share * kept + (1 - share) * led
    return share * kept / shown if shown > 0 else 0.0


def sole_bearer(size: int) -> float:
    """Return the probability that the value of the one record that has it is shown at all, in groups of `size`.

    Whoever knows every other record then knows whose it is.
    """
    return float(1 - (1 - Fraction(1, size)) ** size)


def tells_bearer(size: int, bearers: int) -> float:
    """Return how often who knows every other record rightly says whether the last one has a value, a coin being 1/2.

    The likelihood ratio decides, between two possibilities alike: `bearers` have the value, or one fewer. By the law
    the last one's row shows the value with 1/size if it has it, in a large table hardly ever if not; the other rows
    show it Binomial(bearers size - 1, 1/size) or Binomial((bearers - 1) size, 1/size) times. In a small table less
    often.
    """
    without, with_it = (_shown(trials, size) for trials in ((bearers - 1) * size, bearers * size - 1))
    apart = float(np.abs(np.pad(without, (0, len(with_it) - len(without))) - (1 - 1 / size) * with_it).sum())
    return (1 + (1 / size + apart) / 2) / 2


def tells_at_most(shown: float) -> float:
    """Return a bound on the same for any draw, from the probability that the last record's value is shown at all.

    Two tables that differ in that value alone are drawn alike (in a large table the groups are, too), and what is
    published differs only where it is shown: so the two laws are at most that far apart.
    """
    return (1 + shown) / 2


def _shown(trials: int, size: int) -> NDArray[np.float64]:
    """Return Pr[k of `trials` draws with a chance of 1 / size], by logarithms: group sizes may be in the thousands."""
    ways = [math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1) for k in range(trials + 1)]
    k = np.arange(trials + 1)
    return np.exp(ways - k * math.log(size) + (trials - k) * math.log1p(-1 / size))


def of_gamma(column: str, gamma: int) -> tuple[Said, Said, Said]:
    """Return the three sentences for a column with one group size."""
    kept, whole = Fraction(1, gamma), Fraction(1, 2 * gamma)  # half of what is eligible
    led = (1 - kept) * whole / (1 - whole)
    sure = after_reading(float(_COMMON), float(kept), float(led))
    alone = say(
        "A row alone: the value that stands in a person's row under “{column}” is the person's own in 1 in {gamma} "
        "rows on average, before looking at what it says. Once read it may be nearly certain: where {common} of the "
        "people like this one truly have a value that {whole} of all have, a row that shows it is right with {sure}.",
        column=column,
        gamma=gamma,
        common=_share(_COMMON),
        whole=Figure(f"{float(100 * whole):.3g} %"),
        sure=_share(sure),
    )
    known = say(
        "{named} Whether a record is the second that has a value, such a reader tells rightly in up to {two} of the "
        "cases, whether it is the third in {three}; guessing does in half.",
        named=names_bearer(column, sole_bearer(gamma)),
        two=_share(tells_bearer(gamma, 2)),
        three=_share(tells_bearer(gamma, 3)),
    )
    return alone, _with_release(column), known


def of_tolerances(column: str, grouping: SizedGroups) -> tuple[Said, ...]:
    """Return the three sentences for a column with a tolerance per value; none where no value is sensitive."""
    if all(limit == 1 for limit in grouping.tolerances.limits.values()):
        return ()
    named = insider(column, grouping)
    return (*of_independent(column), also_tells(named, tells_at_most(float(sole_bearer_named(grouping)))))


def of_independent(column: str) -> tuple[Said, Said]:
    """Return what a row, alone and with the release, tells of a column with a promise per value."""
    alone = say(
        "A row alone: tolerances hold on average over the rows that show a value of “{column}”, before looking at the "
        "person's other columns. Among people like this one who mostly have the value, a row that shows it may be "
        "nearly certain.",
        column=column,
    )
    return alone, _with_release(column)


def insider(column: str, grouping: SizedGroups) -> Said:
    """Return the sentence on who knows every other record, whom fake values don't hold back."""
    chance = sole_bearer_named(grouping)
    if not grouping.fakes:
        return names_bearer(column, float(chance))
    return say(
        "Whoever knows all other records of the table is not held back by fake values, which copy values of "
        "the column: the only bearer of a value of “{column}” is named whenever the value is published, in up "
        "to {chance} of releases.",
        column=column,
        chance=_share(chance),
    )


def said_once(said_of: Mapping[str, Iterable[str]], *, bounds: bool = False, by_column: bool = False) -> list[str]:
    """Return the sentences of all columns, those that differ in nothing but the column once for all of these.

    said_of : column -> what is said of it, such as promises, or what a row tells.
    bounds : whether figures are what something comes up to: of many sentences that differ in these alone one is said
        of all their columns, with the largest.
    by_column : whether all that is said of a column stands together, rather than the same of all columns.
    """
    alike: _Alike = {}
    for column, sentences in said_of.items():
        for place, sentence in enumerate(map(say, sentences)):
            _, columns = alike.setdefault((place, _but_column(sentence)), (sentence, []))
            columns.append(column)
    if bounds:
        alike = _bounded(alike)
    told: list[str] = []
    for _, (sentence, columns) in alike.items() if by_column else sorted(alike.items(), key=_place):
        # The sentences have the column in quotation marks.
        said = listed(columns, "{head}” or “{tail}", "{head}”, “{tail}")
        if len(columns) > _SHOWN:
            first = listed(columns[:3], "{head}”, “{tail}", "{head}”, “{tail}")
            said = say("{head}”, {n} more columns or “{tail}", head=first, n=len(columns) - 4, tail=columns[-1])
        told.append(_of_columns(sentence, said))
    return told


def _bounded(alike: _Alike) -> _Alike:
    of: dict[tuple[int, object], _Alike] = {}
    for key, (sentence, columns) in alike.items():
        of.setdefault((key[0], _but_column(sentence, figures=False)), {})[key] = sentence, columns
    found: _Alike = {}
    for key, same in of.items():
        if len(same) <= _APART:
            found |= same
        else:
            every = [column for _, columns in same.values() for column in columns]
            found[key] = _largest([sentence for sentence, _ in same.values()]), every
    return found


def _largest(sentences: Sequence[Said]) -> Said:
    """Return the sentence of all these that has the largest figures, also within its parts."""
    values = {}
    for name, value in sentences[0].values.items():
        every = [each.values[name] for each in sentences]
        parts = [each for each in every if isinstance(each, Said)]
        values[name] = max(every, key=_number) if isinstance(value, Figure) else _largest(parts) if parts else value
    return say(sentences[0].template, **values)


def _number(figure: object) -> tuple[float, bool]:
    """Return a figure as it is compared: "> 99 %" is more than "99 %"."""
    return float(str(figure).strip("<> %").replace(",", "")), str(figure).startswith(">")


def _place(each: tuple[tuple[int, object], object]) -> int:
    return each[0][0]


def _but_column(sentence: Said, *, figures: bool = True) -> tuple[object, ...]:
    """Return what a sentence says but for the column's name, and perhaps its figures, also within its parts."""
    return (
        sentence.template,
        *sorted(
            (name, str(_but_column(value, figures=figures) if isinstance(value, Said) else value))
            for name, value in sentence.values.items()
            if name != "column" and (figures or not isinstance(value, Figure))
        ),
    )


def _of_columns(sentence: Said, columns: str) -> Said:
    """Return a sentence with other columns named in it, also within its parts."""
    values = {
        name: columns if name == "column" else _of_columns(value, columns) if isinstance(value, Said) else value
        for name, value in sentence.values.items()
    }
    return say(sentence.template, **values)


def _with_release(column: str) -> Said:
    return say(
        "A row and the release: who also learns from the whole table how “{column}” goes with the other columns is "
        "right more often. No group size bounds that, for what many records teach is told on purpose; whoever made the "
        "release can measure it by a real attack.",
        column=column,
    )


def names_bearer(column: str, chance: float) -> Said:
    """Return the sentence on who knows every other record, and sees a value that none of these has.

    chance : that the value of its one bearer is shown at all.
    """
    return say(
        "Someone who knows all other records is not bounded by this either: a value of “{column}” that one record "
        "alone has is shown in up to {chance} of releases, and then names its bearer. Only values from a list "
        "declared in advance would hinder it, shown whether or not somebody has them.",
        column=column,
        chance=_share(chance),
    )


def also_tells(known: Said, chance: float) -> Said:
    """Return what is known of who knows every other record, with how often such a reader is right of other values."""
    return say(
        "{named} Whether somebody has a value that others have as well, such a reader tells rightly in up to {second} "
        "of the cases; guessing does in half.",
        named=known,
        second=_share(chance),
    )


def hides_bearer(column: str, chance: float) -> Said:
    """Return the sentence on who knows every other record, where values are shown that nobody has."""
    return say(
        "Someone who knows all other records learns no more of “{column}” than a row says: values of a list declared "
        "in advance are shown whether or not somebody has them, so that of the rows that show a value which no other "
        "record has at most {chance} are right, as long as nothing else tells which values of the list occur.",
        column=column,
        chance=_share(chance),
    )


def names_person(column: str, chance: float) -> Said:
    """Return the same for a draw per person."""
    return say(
        "Someone who knows all records of all other persons is not bounded by this either: a value of “{column}” that "
        "one person alone has is shown in up to {chance} of releases, and then names its bearer.",
        column=column,
        chance=_share(chance),
    )


def of_persons(column: str, gamma: int, most: str, chance: float) -> tuple[Said, Said, Said]:
    """Return the three sentences for a column drawn by person in groups of gamma.

    most : of the rows that show the most frequent value, each person counted once, how many are right at most.
    """
    alone = say(
        "A row alone: for 1 in {gamma} persons all rows show the person's own values of “{column}”, for the others "
        "those of random persons, which may be the same. So of the rows that show a frequent value up to {most} are "
        "right, each person counted once. Among people who mostly have a value it may be nearly certain.",
        gamma=gamma,
        column=column,
        most=most,
    )
    return alone, _with_release(column), also_tells(names_person(column, chance), tells_at_most(chance))


def _share(share: float | Fraction) -> Figure:
    """Return a share in whole per cent, above 99 % rounded up to one decimal: "up to 99 %" is false of more."""
    if share <= 0.99:
        return Figure(f"{math.floor(100 * share + 0.5)} %")
    return Figure(f"{math.ceil(round(1000 * share, 6)) / 10:g} %")

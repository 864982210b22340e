"""What a draw is: how the values of a sensitive column are drawn anew, and all that is said of it from plan to report.

A draw is a frozen value, chosen in the plan and published with the release. Nobody outside this package asks which one
it has: what differs between draws is asked of the draw. A new one is one file here and one line in the package's
`__init__` (docs/decisions/draws.md).

A draw belongs to a block of columns (`Draw.block`), which is one column but where columns are drawn together: then the
draw stands under each of their names and carries all of them out at once (`Draw.redraw_block`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.guarantees import attackers, public_figures
from splu_desktop.core.guarantees.exact import TIE, checked_epsilon, checked_probability
from splu_desktop.core.guarantees.sentences import relieved
from splu_desktop.core.guarantees.several_releases import ValueDraw
from splu_desktop.core.messages import Figure, counted, listed, say, shown_of
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import IN_MEMORY, Column, Storage, Table
from splu_desktop.frozen import dataclass

if TYPE_CHECKING:
    from splu_desktop.core.draw.by_person import Effects
    from splu_desktop.core.randomness import Randomness
    from splu_desktop.core.thresholds import Thresholds
    from splu_desktop.core.transition.matrix import MatrixTransition
    from splu_desktop.core.transition.two_numbers import Transition

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
ToldBy = Callable[[Column, Ints], "tuple[Column, Ints, Draw]"]  # see `Draw.told_by`

_MOST_LAWS = 2_000  # counts whose law is worked out for T_f; beyond, Chebyshev's bound is promised
_FAR = 8.0  # standard deviations at which a count is none of the draw's


@dataclass(frozen=True)
class Promise:
    """What holds for some of a column's values.

    Attributes
    ----------
    confidence : f', the most that who finds a record's row, and knows its group, can be sure of the value.
    t_p : least probability of an error above epsilon in counts up to alpha.
    t_f : count from which the published count is within epsilon, with probability 1 - T_E.
    values : labels it holds for; () for every value.
    certainty : how sure someone can be at most who knows all other records of the group.
    """

    confidence: Fraction
    t_p: float
    t_f: int
    values: tuple[str, ...] = ()
    certainty: Fraction = Fraction(1)


class Blocks(Protocol):
    """A column parted into blocks that are drawn each by itself, anywhere (mechanism.md section 11).

    What the whole publishes does not depend on how many there are (docs/decisions/blocks.md). Whoever draws by blocks
    gives every record its slot (`groups.blocks.Slots`), in a uniformly random order that nothing published follows;
    brings the records of each block together; and draws each block, whose records come in any order.
    """

    @property
    def number(self) -> int:
        """How many there are; perhaps fewer than asked for."""

    def of(self, slots: Ints, codes: NDArray[np.int32]) -> NDArray[np.uint16]:
        """Return (K,) the block, from 0, of the records with these slots and codes."""

    def redraw(self, block: int, codes: NDArray[np.int32], source: Randomness, progress: Progress) -> NDArray[np.int32]:
        """Return (n_b,) codes drawn anew of all records of a block, given theirs, in the same order."""


@dataclass(frozen=True, eq=False)
class RecordBlocks:
    """Blocks of a column whose records are drawn each by itself, so that any part is one; or one block of them all."""

    draw: Draw
    column: Column
    number: int = 1

    def of(self, slots: Ints, codes: NDArray[np.int32]) -> NDArray[np.uint16]:
        """See `Blocks`."""
        return (slots % self.number).astype(np.uint16)

    def redraw(self, block: int, codes: NDArray[np.int32], source: Randomness, progress: Progress) -> NDArray[np.int32]:
        """See `Blocks`."""
        return self.draw.redraw(self.column.with_codes(codes), source, progress).codes


class Draw(ABC):
    """How a column's values are drawn anew. Immutable, compared by value.

    name : of the draw, as files and commands write it.
    """

    name: ClassVar[str]

    # --- settings

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Return the settings as plain data, without the draw's name."""

    @classmethod
    @abstractmethod
    def from_settings(cls, data: Mapping[str, Any]) -> Self:
        """Return the draw with these settings. Raises BadSetting, KeyError, TypeError or ValueError for others."""

    def as_dict(self) -> dict[str, Any]:
        """Return the draw as plain data."""
        return {"draw": self.name, **self.settings()}

    def recorded(self) -> dict[str, Any]:
        """Return the draw as the register remembers it, which names no value of a record; `promises` can be made."""
        return self.as_dict()

    @property
    def gamma(self) -> int | None:
        """The group size, where it is all there is to set: f' ~ Binomial(gamma f, 1/gamma) exactly. None elsewhere."""
        return None

    @property
    def follows(self) -> int | None:
        """The group size that the settings follow from, also where they are more than it; None where none is."""
        return self.gamma

    def turned(self, gamma: int) -> Draw:
        """Return the draw with another gamma; itself where it has none."""
        return self

    def unbound(self) -> Draw:
        """Return the draw as one whose tolerances were given, so that no gamma changes it; itself where none does."""
        return self

    def by_person(self, column: str) -> Draw:
        """Return the draw in which all records of a person are drawn at once, `column` telling persons; "" for none.

        Raises BadSetting where there is no such draw.
        """
        # By its name: it stands above this one.
        return (
            draw_from({"draw": "joined by person", "person": column, "by_record": self.as_dict()}) if column else self
        )

    def tolerated(self) -> Mapping[str, Fraction] | None:
        """Return the tolerance of every value where the draw is made for these, None for any other draw."""
        return None

    def block(self, column: str) -> tuple[str, ...]:
        """Return the columns that are drawn together with `column`, itself among them."""
        return (column,)

    def of_block(self, draws: Mapping[str, Draw]) -> Draw:
        """Return the draw of the whole block, given the draw of each column. Raises BadSetting where they don't fit."""
        return self

    def within(self, labels: object) -> Self:
        """Return the draw as it is published with these labels alone: nothing in it names any other value."""
        return self

    def completed(self, labels: NDArray[np.object_]) -> Self:
        """Return the draw for a column that has these labels too, of which a release says nothing."""
        return self

    def respelled(self, before: Column, after: Column) -> Self:
        """Return the draw with the labels that the same records have `after` a change of spelling."""
        return self

    def fault(self, records: int, domain: Sequence[str]) -> str | None:
        """Return what keeps the settings from being those of a published column, as part of a sentence, or None."""
        return None

    # --- carrying it out

    @property
    def listed(self) -> tuple[str, ...]:
        """Values declared in advance, shown whether or not a record has them."""
        return ()

    def domain(self, column: Column) -> Column:
        """Return a column with all labels that its records may be shown with: also those declared in advance.

        Codes may change, the records' labels don't.
        """
        return column.with_labels(self.listed) if self.listed else column

    @abstractmethod
    def check(self, column: Column) -> None:
        """Raise what keeps the column from being drawn: EmptyTable, BadSetting, Ineligible, Infeasible."""

    def learned(self, table: Table, column: str, thresholds: Thresholds) -> Self:
        """Return the draw with what has to be known, and published, of the table beside its column. Raises as `check`.

        `within` makes of it what is published.
        """
        return self

    def fitted(self, column: Column, progress: Progress = SILENT) -> Self:
        """Return the draw for a sample of its column, whose counts differ a little."""
        return self

    @abstractmethod
    def redraw(self, column: Column, source: Randomness, progress: Progress, storage: Storage = IN_MEMORY) -> Column:
        """Return the column with each record's value drawn anew, records in their order. Raises Cancelled.

        `storage` : where what is as long as the column is to lie, where the draw can be parted (`blocks`).
        """

    def blocks(self, column: Column, number: int, source: Randomness) -> Blocks:
        """Return the column in `number` blocks that can be drawn each by itself; one where the draw can't be parted.

        Of `column`, the whole one, name, labels and counts are asked; `Column.of_counts` has no more. Raises as
        `check`. For draws of one column; those of a block of columns are carried out whole (`redraw_block`).
        """
        return RecordBlocks(self, column)

    def redraw_block(
        self, table: Table, columns: Sequence[str], source: Randomness, progress: Progress, storage: Storage = IN_MEMORY
    ) -> tuple[Column, ...]:
        """Return the columns of a block drawn anew; `table` has what else the draw may go by."""
        return tuple(self.redraw(table[name], source, progress, storage) for name in columns)

    # --- what its reader knows

    @property
    def true_shares(self) -> bool:
        """Whether published counts of the whole table are right on average, so that they stand for the true ones."""
        return True

    def likely(self, published: Floats, labels: NDArray[np.object_]) -> Floats:
        """Return (m,) what the published counts of the whole table say of the true ones; they add up to the same."""
        return published

    @abstractmethod
    def transition(self, counts: Floats, labels: NDArray[np.object_]) -> MatrixTransition:
        """Return how values with these (m,) counts are carried to published ones, as the whole matrix."""

    def two_numbers(self, counts: Floats) -> Transition | None:
        """Return the same as the numbers a, b_s, which are enough for some draws; None for all others."""
        return None

    def whole(self, counts: Floats, labels: NDArray[np.object_]) -> MatrixTransition | None:
        """Return `transition`, None where there are too many values for it and `two_numbers` have to do."""
        return self.transition(counts, labels)

    def told_by(self, table: Table) -> ToldBy:
        """Return what tells how states are drawn that the published columns of the block tell together.

        It takes a column of states and (m,) which of the kinds that are asked for each state is of, and returns a finer
        column, (m',) the state that each of its values is part of, and the draw of the finer one.
        """
        raise NotImplementedError  # asked of blocks of several columns alone

    def sharing(self, table: Table) -> dict[str, Any]:
        """Return, as plain data, how the combinations of the block's published columns share groups (`told_by`)."""
        raise NotImplementedError  # asked of blocks of several columns alone

    def chances(self, column: Column) -> Floats:
        """Return (m, m) the chance that a record of a column's value v is published as u."""
        known = self.completed(column.labels)
        return known.transition(column.counts().astype(np.float64), column.labels).matrix

    def expected(self, counts: Floats, labels: NDArray[np.object_]) -> Callable[[Floats], tuple[Floats, Floats]]:
        """Return what gives mean and variance, over releases, of published counts of selections.

        It takes and returns (Q, m), the first of true counts; `counts` are the (m,) true ones of the whole table. The
        variance is that of records drawn by themselves.
        """
        two = self.two_numbers(counts)
        if two is None:
            matrix = self.transition(counts, labels).matrix
            return lambda rows: (rows @ matrix, rows @ (matrix * (1 - matrix)))

        def moments(rows: Floats) -> tuple[Floats, Floats]:
            others = rows.sum(axis=1, keepdims=True) - rows
            mean = rows * two.a + others * two.b + two.spill(rows)
            return mean, rows * (two.a * (1 - two.a)) + others * (two.b * (1 - two.b))

        return moments

    def keeps(self, column: Column) -> float | Floats:
        """Return the chance that a record keeps its value, one or (m,) of them: what a reader of a row alone gets."""
        return np.diag(self.chances(column))

    def shows(self, column: Column) -> Floats:
        """Return (m,) how many records show each value on average: as many as have it, where groups exchange them."""
        return column.counts().astype(np.float64)

    def effects(self, table: Table, who: Ints, column: str, names: Iterable[str]) -> Effects:
        """Return how sums scatter where persons (N,) are drawn at once, by values of the columns `names`."""
        from splu_desktop.core.draw.by_person import Effects  # which knows the columns that are drawn so

        return Effects.of(table, who, column, names)

    def widened(self, effects: Effects | None, conditions: Iterable[tuple[Column, Flags]]) -> float:
        """Return how many times the variance of independent records a sum over selected records has.

        `effects` are those of persons with several records, `conditions` columns with their (m,) chosen labels.
        """
        return 1.0

    def sure_of_person(self, table: Table, column: str, progress: Progress = SILENT) -> tuple[float, float]:
        """Return how sure someone is on average, seeing all rows of a person, that values were kept where they were.

        By which rows agree alone, beside how sure without that; of persons with several records, for a draw that goes
        by person.
        """
        return float(self.confidence), float(self.confidence)

    def draws_of_person(self, records: int) -> int:
        """Return how often the values of a person with so many records are drawn."""
        return records

    def most(self, n: int) -> float:
        """Return the most of n records that one value can have."""
        return float(n)

    def room_for(self, labels: Sequence[str], n: int) -> Ints:
        """Return (m,) the most of n records that each of these values can have."""
        return np.full(len(labels), int(self.most(n)), np.int64)

    def bounds(self, column: Column) -> tuple[Ints, Ints]:
        """Return (m,) the least and the most records that each value of a published column can have had."""
        return np.ones(column.m, np.int64), self.room_for(column.labels.tolist(), column.n)

    @abstractmethod
    def count_law(self, count: int) -> Floats:
        """Return Pr[f' = k], k = 0, 1, ..., of the published count of a value that `count` records have.

        Where that depends on more than the count, the law by which least is promised.
        """

    def unseen(self, tail: float) -> float:
        """Return how many records of one value stay unpublished with a probability of at least `tail`."""
        count = 0
        while self.count_law(count + 1)[0] >= tail:
            count += 1
        return float(count)

    def scatter(self, likely: Floats, labels: NDArray[np.object_]) -> Floats:
        """Return (m,) standard deviations over releases of counts of the whole table, as a reader has them."""
        through = self.two_numbers(likely) or self.transition(likely, labels)  # of many values no matrix is needed
        return np.sqrt(likely * (1 - through.a))

    @property
    def sole_bearer(self) -> float:
        """How often who knows all other records is told the value of the only record with it: whenever it is shown."""
        return float(1 - self.count_law(1)[0])

    def by_value(self) -> tuple[ValueDraw, ...]:
        """Return how values that are to be protected are drawn, one for each that differs: for several releases."""
        # Where published counts are not right on average, their mean over releases is no count either.
        return (ValueDraw((), self.confidence, law=self.count_law if self.true_shares else None),)

    # --- what is promised

    @property
    @abstractmethod
    def confidence(self) -> Fraction:
        """How surely a published value is the record's own at most; of values that the draw is to protect."""

    @property
    def insider(self) -> float:
        """How surely a value to be protected is told at most to who knows all other records.

        Of groups and of the joined draw that is the chance that its only bearer is named.
        """
        return float(self.confidence)

    @property
    def tells_second(self) -> float:
        """How often such a reader rightly says at most whether the last one has a value that others have, a coin 1/2.

        By the likelihood of the release if it has the value, and if it has one as all records do, both as likely.
        """
        return attackers.tells_at_most(self.insider)

    def t_p(self, thresholds: Thresholds, releases: int = 1) -> float:
        """Return the least probability of an error above epsilon in counts up to alpha; of k releases averaged."""
        exact, least = checked_epsilon(thresholds.epsilon), 1.0
        for count in range(1, thresholds.alpha + 1):
            law = self._mean_law(count, releases)
            half = math.floor(exact * count * releases)
            low, high = count * releases - half, count * releases + half
            least = min(least, float(law[:low].sum() + law[high + 1 :].sum()))
        return max(least, 0.0)

    def t_f(self, thresholds: Thresholds, releases: int = 1) -> int:
        """Return the count from which an error of epsilon or more has at most the probability T_E."""
        exact, allowed = checked_epsilon(thresholds.epsilon), checked_probability(thresholds.t_e)
        # Chebyshev: Var f' <= f for draws that keep the mean, so beyond this nothing fails.
        end = math.ceil(1 / (exact**2 * allowed * releases)) + 1
        if end > _MOST_LAWS:
            return end
        for count in range(end, 0, -1):
            law = self._mean_law(count, releases)
            arm = math.ceil(exact * count * releases)
            inside = float(law[max(count * releases - arm + 1, 0) : count * releases + arm].sum())
            if 1 - inside > float(allowed) * (1 - TIE):
                return count + 1
        return 1

    def _mean_law(self, count: int, releases: int) -> Floats:
        law = one = self.count_law(count)
        for _ in range(releases - 1):
            law = np.convolve(law, one)
        return law

    def told(self, n: int, labels: Sequence[str], thresholds: Thresholds) -> dict[str, tuple[int, int]]:
        """Return the values whose small counts public figures alone tell, with the least and the most they can be.

        Of those to be protected. No draw does that for them: T_P is 0, so `promises` and all that is made of them ask
        for these. n, labels : records of the table, and values of the column.
        """
        least, most = public_figures.of_room(n, self.room_for(labels, n))
        small = (least <= thresholds.alpha) & public_figures.tell(least, most, checked_epsilon(thresholds.epsilon))
        found = zip(map(str, labels), least.tolist(), most.tolist(), small.tolist(), strict=True)
        return {label: (low, high) for label, low, high, known in found if known and self.limit(label) < 1}

    def promises(self, thresholds: Thresholds, told: Collection[str] = ()) -> tuple[Promise, ...]:
        """Return what is promised, for the values to be protected most first."""
        return (Promise(self.confidence, 0.0 if told else self.t_p(thresholds), self.t_f(thresholds)),)

    def stated(self, thresholds: Thresholds, told: Collection[str] = ()) -> dict[str, Any]:
        """Return the promises as plain data, as release.json states them."""
        (promise,) = self.promises(thresholds, told)
        return {"confidence": float(promise.confidence), "t_p": promise.t_p, "t_f": promise.t_f}

    def stated_before(self, stated: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what earlier versions stated where `stated` is stated now: by it their releases are judged."""
        return stated

    def sentences(self, column: str, thresholds: Thresholds, told: Collection[str] = ()) -> list[str]:
        """Return what is promised, for people."""
        return [sentence_of(promise, column, thresholds) for promise in self.promises(thresholds, told)]

    def known_anyhow(self, n: int, labels: Sequence[str], column: str, thresholds: Thresholds) -> str | None:
        """Return the sentence that public figures alone tell small counts, None where they do not (`told`)."""
        told = self.told(n, labels, thresholds)
        if not told:
            return None
        least, most = min(told.values())
        who = named(tuple(label for label, ends in told.items() if ends == (least, most)))
        many = least if least == most else say("{low} to {high}", low=least, high=most)
        return self._known_anyhow(n=n, who=who, column=column, many=many)

    def _known_anyhow(self, **told: Any) -> str:
        return say(
            "Small counts are not protected: {n} records in {groups} leave {who} of “{column}” {many} "
            "records, as anyone can work out.",
            groups=self.words(),
            **told,
        )

    @property
    def relief(self) -> str:
        """What hinders it, which a custodian can do and a recipient can't."""
        return say("Allow more for other values, or have more records.")

    def unprotected(self, n: int, labels: Sequence[str], column: str, thresholds: Thresholds) -> str | None:
        """Return the same as `known_anyhow` for the custodian, with what hinders it."""
        return relieved(self.known_anyhow(n, labels, column, thresholds), self.relief)

    def figures(self, column: Column, thresholds: Thresholds, *, curves: bool = False) -> dict[str, Any]:
        """Return all that a plan says of a column drawn so, as plain data: sentences, and a row per value.

        `curves` asks for those behind plots. The column must pass `check` and name no value without records.
        """
        counts = column.counts()
        through = self.transition(counts.astype(np.float64), column.labels)
        told = self.told(column.n, column.labels.tolist(), thresholds)
        known = self.unprotected(column.n, column.labels.tolist(), column.name, thresholds)
        t_p = {label: promise.t_p for promise in self.promises(thresholds, told) for label in promise.values}
        rows = [
            {
                "value": str(label),
                "count": int(count),
                "share": float(count / column.n),
                "tolerance": float(self.limit(str(label))),
                "t_p": t_p[str(label)] if t_p else 0.0 if told else self.t_p(thresholds),
                "signal": float(signal),
                "keeps": float(keeps),
            }
            for label, count, signal, keeps in zip(column.labels, counts, through.signal, through.a, strict=True)
        ]
        return {
            "words": self.words(),
            "t_f": self.t_f(thresholds),
            "values": sorted(rows, key=lambda row: -int(row["count"])),
            "sentences": [*([known] if known else []), *self.sentences(column.name, thresholds, told)],
            "readers": list(self.readers(column.name)),
        }

    def shape(self) -> dict[str, Any]:
        """Return sizes, shares, fakes and certainty of its groups in a table, for the report."""
        return {"sizes": (), "shares": (), "fakes": 0, "certainty": 1.0}

    def limit(self, label: str) -> Fraction:
        """Return how surely a record may be linked to a value at most; 1 where the value is not to be protected."""
        return self.confidence

    def most_share(self, label: str, records: int) -> Fraction | None:
        """Return the share of the records above which a value keeps a column from being drawn; None where none does."""
        return None

    def readers(self, column: str) -> tuple[str, ...]:
        """Return what a row tells to whom: who has it alone, with the release, with all other rows (`attackers`)."""
        return ()

    def not_promised(self, column: str) -> str | None:
        """Return what one might take the draw to promise and it does not, for the gate; None where there is nothing."""
        return None

    def wish(self, column: str, thresholds: Thresholds) -> tuple[bool, str]:
        """Return whether the T_P asked for is kept, and a sentence on it; `thresholds.t_p` must be given."""
        assert thresholds.t_p is not None
        got = self.t_p(thresholds)
        return got >= thresholds.t_p, say(
            "Small counts of the sensitive values of “{name}” are shown wrong with a probability of {got:.4f}, "
            "where {t_p:g} is wanted.",
            name=column,
            got=got,
            t_p=thresholds.t_p,
        )

    def costs(self, table: Table, *, published: bool = False) -> list[str]:
        """Return, in sentences, what drawing the whole block costs beyond what is promised of each of its columns.

        `table` is the one to be drawn, or the published one, from which some of that can be told.
        """
        return []

    @abstractmethod
    def words(self) -> str:
        """Return the draw in a few words: "groups of 5"."""

    def how(self) -> str:
        """Return a sentence, for the recipient, on what was done to a record."""
        return say("{words}.", words=self.words())

    def able(self, column: str) -> str:
        """Return the sentence that a column can be drawn so."""
        return say("“{name}” can be re-drawn as planned: {words}.", name=column, words=self.words())

    def caution(self, column: str) -> str:
        """Return the sentence that warns of reading the published shares as true ones; "" where they are."""
        return ""

    def chance(self) -> str:
        """Return in words how surely the value beside a record is the record's own, for its reader."""
        return say("at most {most}", most=up(self.confidence))

    def odds(self, column: str | None = None) -> str:
        """Return the same after "with a probability of"."""
        return self.chance()

    # --- what a check of a release looks at

    def strays(self, column: Column, before: Ints, after: Ints) -> Flags:
        """Return (m,) which published counts lie where the draw hardly ever puts them, below 1e-9 in all."""
        counts = before.astype(np.float64)
        matrix = self.transition(counts, column.labels).matrix
        variance = counts @ (matrix * (1 - matrix))
        return np.asarray(np.abs(after - counts @ matrix) > _FAR * np.sqrt(variance) + _FAR**2)

    def keeps_all(self, before: Ints) -> float:
        """Return the logarithm of the probability that every count stays what it was; 0 where nothing is said of it."""
        return 0.0

    def alone(self, column: Column) -> Iterable[tuple[bool, str]]:
        """Give what a published column shows by itself: whether the draw can have made it, and a sentence."""
        return ()


def sentence_of(promise: Promise, column: str, thresholds: Thresholds) -> str:
    """Return a promise in words."""
    who = named(promise.values)
    if promise.confidence == 1:
        return say(
            "Treated as not sensitive: {who} of “{column}”; such records may be published as they are.",
            who=who,
            column=column,
        )
    chance = math.floor(100 * promise.t_p * (1 + 1e-12))
    small = say("small counts are not promised to be wrong")
    if chance >= 1:
        small = say(
            "a count of such a value of {alpha} or fewer is shown wrong by more than {error} with a probability of "
            "at least {chance} %",
            alpha=thresholds.alpha,
            error=Figure(f"{100 * thresholds.epsilon:g} %"),
            chance=chance,
        )
    return say(
        "Of the rows that show {who} under “{column}”, at most {most} on average are right, and {small}.",
        who=who,
        column=column,
        most=up(promise.confidence),
        small=small,
    )


def by_tolerance(promises: Iterable[Promise], *, insider: bool) -> dict[str, dict[str, Any]]:
    """Return promises as plain data by their confidence; with `insider`, what who knows all others learns as well."""
    return {
        str(each.confidence): {"confidence": float(each.confidence), "t_p": each.t_p, "t_f": each.t_f}
        | ({"certainty": float(each.certainty)} if insider else {})
        for each in promises
    }


def certainty_sentence(fakes: int, certainty: Fraction, column: str) -> str:
    """Return what fake values promise against those who know all other records of a group."""
    return counted(
        fakes,
        "Whoever knows the values of all other records of a decoy group, and nothing else of the table, is at "
        "most {certainty} sure of a sensitive value of “{column}”, since every group also holds a fake value.",
        "Whoever knows the values of all other records of a decoy group, and nothing else of the table, is at most "
        "{certainty} sure of a sensitive value of “{column}”, since every group also holds {n} fake values.",
        certainty=up(certainty),
        column=column,
    )


def up(share: Fraction | float) -> Figure:
    """Return a share as per cent, rounded up to one decimal."""
    return Figure(f"{math.ceil(1000 * share - 1e-9) / 10:g} %")


def named(values: Sequence[str]) -> str:
    """Return values in words, the first few of many; () for every value."""
    if not values:
        return say("any value")
    most = shown_of(len(values), 3)
    shown = listed((say("“{value}”", value=value) for value in values[:most]), "{head}, {tail}")
    return shown if most == len(values) else say("{shown} and {n} more values", shown=shown, n=len(values) - most)


# --- the register of draws

_KNOWN: dict[str, type[Draw]] = {}
_D = TypeVar("_D", bound=type[Draw])


def registered(draw: _D) -> _D:
    """Make a draw known by its name, so that files can hold it."""
    _KNOWN[draw.name] = draw
    return draw


def draws_from(data: Mapping[str, Mapping[str, Any]]) -> dict[str, Draw]:
    """Return the draws of columns that `Draw.as_dict` gave. Raises BadSetting, naming the column."""
    found = {}
    for column, stored in data.items():
        try:
            found[str(column)] = draw_from(stored)
        except BadSetting as fault:
            raise BadSetting("Column “{name}”: {fault}", name=column, fault=fault) from None
    return found


def draw_from(data: Mapping[str, Any]) -> Draw:
    """Return the draw that `Draw.as_dict` gave. Raises BadSetting."""
    try:
        settings = dict(data)
        name = settings.pop("draw")
        if name not in _KNOWN:
            raise BadSetting(
                "This version of the program doesn't know the draw “{name}”; it knows {known}.",
                name=str(name)[:40],
                known=", ".join(_KNOWN),
            )
        return _KNOWN[name].from_settings(settings)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError):
        raise BadSetting("The stored group sizes can't be understood: an entry is missing or wrong.") from None

"""Persons with several records: what identifier repeats, and what the promise comes to per person.

Every figure of a release is about single records. A person's k records of the same value are drawn from groups of their
own, since no group holds a value twice, so whoever knows which rows are the person's sees k independent draws and
decides by all of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw import Draw
from splu_desktop.core.draw.by_person import NUMBER, ONE, Effects, first_spelling
from splu_desktop.core.draw.draw import up
from splu_desktop.core.messages import Figure, listed, percent_of, say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.roles.codes import codes_of
from splu_desktop.core.roles.content import (
    FEWEST,
    filled_by,
    holds_digits,
    holds_periods,
    identifier_by_content,
    looks_like_days,
    numbered_alike,
    sample_labels,
)
from splu_desktop.core.roles.names import (
    birth_by_name,
    identifier_by_name,
    medical,
    names_a_case,
    number_by_name,
    person_by_name,
)
from splu_desktop.core.roles.names import listed as words
from splu_desktop.core.roles.vocabulary import AGED, said_by
from splu_desktop.core.table import Column, Kind, Table, pieces
from splu_desktop.core.thresholds import NORMAL_95
from splu_desktop.core.words import words_of
from splu_desktop.frozen import dataclass

_KEPT = 128  # guesses, which gate and README ask for alike
_STAGE = "Looking for persons with several records"
_TOLD = 0.05  # values per record from which a column that is said to identify persons does so, and no ward or room
_OF_SEX, _OF_PLACE = "sex, family or household", "a place"
_TRAITS = frozenset({AGED, _OF_SEX})  # that all records of a person share
_STRAY = 0.1  # of the changes that chance would make: a birthday between two visits, a slip of the pen
_STEPS = (2, 3, 5)  # to which a published number of records is rounded up, times powers of 10
MOST = 50  # records of a person up to which guesses are computed; more can only be surer

# A stay's, claim's or sample's number that repeats puts records of one person together too; one that doesn't says
# nothing of persons, who may come again.
_BELONGS = (
    "encounter number",
    "visit number",
    "admission number",
    "stay number",
    "claim number",
    "case number",
    "record number",
    "sample number",
    "account number",
)
_NO_PERSON = (
    *_BELONGS,
    "identifier",
    "network address",
    "web address",
    "telephone number",
    "device number",
    "licence number",
    "user name",
    "user number",
    "signature",
    "photograph",
)
_HELD_BY_ONE = (
    "NHS number",
    "Spanish identity number",
    "French social-security number",
    "German health-insurance number",
    "German tax number",
    "Swiss social-security number",
    "Spanish social-security number",
    "US Medicare number",
    "British National Insurance number",
    "bank account number (IBAN)",
    "e-mail address",
    "social-security number",
)
# Whoever these are, they have many patients each.
_OTHERS = words(
    "provider physician doctor arzt aerztin medecin medico nurse surgeon consultant prescriber operateur therapist "
    "lanr npi facility infector infecter source contact kontakt gp "
    "ward unit department operator sampler investigator attending operating referring referral"
)
# Twins have one mother, and what is hers stands in the records of both: persons where somebody says so.
_KIN = words(
    "mother mutter mere madre father vater pere padre parent eltern household haushalt foyer hogar family familie "
    "famille familia"
)
_STAY_WORDS = words(
    "csn fin crn dossier episodio episode sejour stay spell visit encounter fall case pathway ubrn admission accession "
    "besuch aufnahme behandlung passage venue consulta ingreso beleg fallnr record datensatz row lfd lfdnr laufende "
    "laufnummer volgnummer progressivo ordem sequencial seq sequence line zeile ligne fila riga regel"
)
_BARE = {"id", "uid", "uuid", "guid", "pk", "kennung", "identifikator"}
_BARE |= {"identifier", "identifiant", "identificativo", "identificador"}


@dataclass(frozen=True)
class PersonsFound:
    """An identifier of persons, or of their stays, and how its values repeat.

    Attributes
    ----------
    column : its name.
    persons : different values.
    records : that have one.
    largest : most records of one value.
    each_is_one : whether it numbers persons; a stay's number that does not repeat says nothing of persons.
    """

    column: str
    persons: int
    records: int
    largest: int
    each_is_one: bool

    @property
    def repeats(self) -> bool:
        """Whether any value stands in several records."""
        return self.largest > 1

    @property
    def mean(self) -> float:
        """Mean number of records per person."""
        return self.records / self.persons

    @property
    def public(self) -> Repeats | None:
        """What may be handed out, None where nothing is known of persons."""
        if self.repeats:
            return Repeats(rounded_up(self.largest), round(self.mean, 1))
        return Repeats(1, 1.0) if self.each_is_one else None


@dataclass(frozen=True)
class Repeats:
    """What a release says of the records that persons have: rounded, since a single person is the one with the most.

    Attributes
    ----------
    largest : no person has more records; 1, 2, 3, 5, 10, 20, ...
    mean : mean number of records per person, to one decimal.
    way : what was done about them (`by_person.WAYS`), "" where nothing was chosen.
    left_out : records left out so that each person has one.
    effects : sensitive column -> design effects, where persons were drawn.
    whole : the same if a person's records scattered together whatever their values; None where not known.
    shift, days : columns of dates moved by one random number of days per person, up to so many either way.
    """

    largest: int
    mean: float
    way: str = ""
    left_out: int = 0
    effects: Mapping[str, Effects] = field(default_factory=dict)
    shift: tuple[str, ...] = ()
    days: int = 0
    whole: Effects | None = None

    @property
    def sentence(self) -> str:
        """How many records persons have."""
        if self.way in ONE:
            which = {"first": say("the first"), "last": say("the last"), "random": say("a random one")}
            return say(
                "Each person is in the table with one record, {which}; {n} further records of the same persons were "
                "left out. So the promise per record is one per person.",
                which=which[self.way],
                n=self.left_out,
            )
        if self.largest == 1:
            return say("No person has more than one record, so the promise per record is one per person.")
        return say(
            "Persons have several records: {mean:.1f} each on average, none more than {largest}.",
            mean=self.mean,
            largest=self.largest,
        )

    @property
    def shown(self) -> tuple[int, ...]:
        """The numbers of records for which the promise per person is stated: about the mean, some, and the largest."""
        most = min(self.largest, MOST)
        return tuple(sorted({min(max(2, round(self.mean)), most), min(5, most), most}))


def rounded(who: NDArray[np.int64]) -> Repeats:
    """Return what may be handed out of records whose persons are numbered (N,)."""
    times = np.bincount(who)
    return Repeats(rounded_up(int(times.max())), round(float(times.mean()), 1))


def rounded_up(number: int) -> int:
    """Return the next of 1, 2, 3, 5, 10, 20, 30, 50, 100, ... that is at least `number`."""
    scale = 1
    while True:
        for step in (1, *_STEPS):
            if step * scale >= number:
                return step * scale
        scale *= 10


def perhaps_persons(table: Table) -> PersonsFound | None:
    """Return the column that persons would have several records by if somebody said that it tells persons.

    One of codes that repeat, whose name says nothing at all: a doctor's or a lot's number looks alike. The codes are of
    one form, or age or sex stays the same in all records of each.
    """
    traits = [column for column in table.columns if _TRAITS.intersection(each.what for each in said_by(column.name)[0])]
    unsaid = [
        column
        for column in table.columns
        if not said_by(column.name)[0] and (_coded_alike(column) or any(_keeps(column, trait) for trait in traits))
    ]
    found = persons_of(Table(tuple(unsaid)), told=[column.name for column in unsaid]) if unsaid else None
    return found if found is not None and found.repeats else None


def naming(table: Table) -> tuple[tuple[Column, ...], bool]:
    """Return the names, and dates or years of birth, that tell persons together, and whether they do beyond doubt.

    Names and dates of birth do; of names alone, or with years, two persons may have the same; so they may of
    dates of birth with sex and place. () where there are none.
    """
    ours = [column for column in table.columns if not (_OTHERS | _KIN).intersection(words_of(column.name))]
    names = [column for column in ours if not column.kind.ordered and person_by_name(column.name) == "name of a person"]
    born = [
        column
        for column in ours
        if birth_by_name(column.name) and (column.kind in (Kind.DATE, Kind.DATETIME) or looks_like_days(column))
    ]
    years = [
        column
        for column in ours
        if holds_periods(column) and AGED in [matter.what for matter in said_by(column.name)[0]]
    ]
    if born and not names:
        traits = [(c, {matter.what for matter in said_by(c.name)[0]}) for c in ours if c not in born and c.m > 1]
        of = (next((c for c, said in traits if what in said), None) for what in (_OF_SEX, _OF_PLACE))
        told = (born[0], *(column for column in of if column is not None))
        return (told, False) if len(told) > 1 else ((), False)
    told = (*names, *(born or years))
    return (told, bool(born)) if names and len(told) > 1 else ((), False)


def _keeps(column: Column, trait: Column) -> bool:
    """Whether the records of each value have one value of a trait, where chance would often give them two.

    Compared are each record's and that of one record of the same value; where only texts were counted, nothing is.
    """
    if column.kind in (Kind.DATE, Kind.DATETIME) or not holds_digits(column) or len(column.codes) < column.n:
        return False
    values, records = filled_by(column)
    if records - values < FEWEST:
        return False
    there = ~column.missing
    one = np.zeros(column.m, trait.codes.dtype)
    one[column.codes] = trait.codes
    alike = sum(
        int(np.count_nonzero(there[column.codes[piece]] & (one[column.codes[piece]] == trait.codes[piece])))
        for piece in pieces(column.n)
    )
    changes = (records - alike) / max(records - values, 1)
    by_chance = 1 - float(((trait.counts() / trait.n) ** 2).sum())
    return bool(changes <= _STRAY * by_chance)


def _coded_alike(column: Column) -> bool:
    """Whether the values are codes of one form, such as K03193/68, or whole numbers of equally many digits."""
    forms = (re.sub(r"\d", "0", re.sub(r"[^\W\d_]", "a", text.strip())) for text in sample_labels(column))
    form = next(forms, "")
    return form.count("0") >= (5 if column.kind is Kind.INTEGER else 3) and all(other == form for other in forms)


def persons_of(table: Table, progress: Progress = SILENT, *, told: Collection[str] = ()) -> PersonsFound | None:
    """Return the identifier of persons whose values repeat most, else one that does not repeat; None without any.

    Asked of the source with all its columns, whatever becomes of them; of `told` somebody says that they identify a
    person. Raises Cancelled.
    """
    found: list[tuple[bool, bool, float, PersonsFound]] = []
    for done, column in enumerate(table.columns):
        progress.report(_STAGE, done / len(table.columns))
        kind = _numbers(column, column.name in told)
        if kind is None:
            continue
        known = ~column.missing
        counts = np.bincount(first_spelling(column)[known], column.counts()[known]).astype(np.int64)
        counts = counts[counts > 0]
        if len(counts):
            each = PersonsFound(column.name, len(counts), int(counts.sum()), int(counts.max()), kind)
            own = _KIN.isdisjoint(words_of(column.name))
            found.append((each.repeats, own, each.mean if each.repeats else float(kind), each))
    return max(found, key=lambda each: each[:3], default=(False, False, 0.0, None))[3]


def _numbers(column: Column, told: bool) -> bool | None:
    """Return True where a column numbers persons, False where it numbers what belongs to one, None where neither."""
    have = words_of(column.name)
    if column.kind in (Kind.DATE, Kind.DATETIME, Kind.BOOLEAN) or not column.n or _OTHERS.intersection(have):
        return None
    if birth_by_name(column.name):  # written in digits; many are born on one day
        return None
    present = filled_by(column)[0]
    coded = told and column.kind is not Kind.DECIMAL and present >= _TOLD * column.n and holds_digits(column)
    if _KIN.intersection(have):
        return False if coded else None
    named = identifier_by_name(column.name)
    if named is not None and present >= 3:
        if named in _BELONGS:
            return False
        if named not in _NO_PERSON:
            return True
    if present < FEWEST:
        return None
    if number_by_name(column.name) or names_a_case(column.name):
        numbers = None if column.values is None else column.values[~column.missing].astype(float)
        whole = numbers is None or bool((np.abs(numbers) >= 1).any() and (numbers == np.floor(numbers)).all())
        return not _STAY_WORDS.intersection(have) if whole and _many(column, present) else None
    if column.kind is not Kind.DECIMAL and set(have) <= _BARE and _many(column, present):
        return False  # "id": what repeats has several records, whatever it is; what does not may be the records' number
    if identifier_by_content(column) in _HELD_BY_ONE:
        return True
    if (
        named not in (None, "identifier")
        or not _many(column, present)
        or codes_of(column) is not None
        or medical(column.name)
    ):
        return None
    if not coded and not numbered_alike(column):
        return None
    return False  # as "id"


def _many(column: Column, present: int) -> bool:
    """Whether a column has so many values that they number persons rather than kinds of something."""
    return present >= 0.02 * column.n


def right_guesses(
    counts: Iterable[float] | NDArray[np.generic],
    a: float | NDArray[np.float64],
    k: int,
    shown: NDArray[np.float64] | None = None,
) -> float:
    """Return how often the best guess from all k rows of a person is right, the person's value being the same in all.

    Parameters
    ----------
    counts : (m,) records of each value; the person's value is that of a random record.
    a : probability that a record keeps its value, one or (m,) of them.
    k : the person's rows, in 1..`MOST`.
    shown : (m,) records that show each value on average; as many as have it unless given.

    Returns
    -------
    The expected largest posterior, exact for draws in which a record of value x shows x with probability a_x and each
    other u in proportion to b_u (mechanism.md section 4). Then the posterior of x depends on its own c_x of the k draws
    alone, beside what all have in common, and x is the best guess if every other u was drawn so often that it has a
    lower score, c_u in J_u. The chance of that is k! a^c / c! [z^(k-c)] prod_u sum_(j in J_u) (b_u z)^j / j!, whose
    coefficient is taken by a discrete Fourier transform; over all x and c the products differ in one factor at a time.
    """
    if not 1 <= k <= MOST:
        raise ValueError(k)
    f = np.asarray(counts, np.float64)
    rows = np.stack([f, np.broadcast_to(np.asarray(a, np.float64), f.shape), f if shown is None else shown])
    rows = rows[:, f > 0]
    return _right_guesses(rows[:, np.lexsort(rows)].tobytes(), k)


@lru_cache(maxsize=_KEPT)
def _right_guesses(rows: bytes, k: int) -> float:
    """Return the same; `rows` are (3, m) counts, chances to keep and records that show, in the order of these."""
    f, keep, seen = np.frombuffer(rows).reshape(3, -1)
    m = len(f)
    if m < 2:
        return 1.0
    prior = f / f.sum()
    b = np.maximum(seen / f.sum() - keep * prior, 0.0) / (1 - prior)  # from records of other values
    if not b.any():
        return 1.0  # every record keeps its value
    others = b.sum() - b
    with np.errstate(divide="ignore", invalid="ignore"):  # 0 ln 0 is 0
        lent = np.where(others > 0, (1 - keep) / others, 0.0)  # so that a row of chances adds up to 1
        c = np.arange(k + 1)
        kept = np.where(c > 0, c * (np.log(keep) - np.log(b))[:, None], 0.0)
        score = np.log(prior)[:, None] + kept + np.where(c < k, (k - c) * np.log(lent)[:, None], 0.0)
    # A value that all its records keep shows another in none of them, and is sure where no other record shows it.
    score[np.isnan(score)] = -np.inf
    # Values near the eligibility limit are less likely the more often they are drawn, so each value's numbers of draws
    # stand in the order of their scores too; a value's rank is its place there.
    within = np.argsort(np.round(score, 9), axis=1, kind="stable")
    order = np.lexsort((np.repeat(np.arange(m), k + 1), np.round(np.take_along_axis(score, within, 1), 9).ravel()))
    who, rank = np.divmod(order, k + 1)
    times = within.ravel()[order]
    first = np.cumsum(rank == 0) - (rank == 0)  # values of which some number of draws has a lower score
    wins = first == np.where(rank > 0, m, m - 1)  # all others' have, else x can't be the best guess
    # Even; so many that what is folded over is below 1e-7 of the sum (against eight times as many).
    points = 3 * k + k % 2 + 32
    radius = k / b.sum()
    log_weight = (
        math.lgamma(k + 1)
        - np.array([math.lgamma(each + 1) for each in range(k + 1)])[times]
        + np.log(prior[who])
        + times * np.log(keep[who])
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        log_weight = log_weight + np.where(k > times, (k - times) * np.log(lent[who]), 0.0)
    total = 0.0
    for point in range(points // 2):  # the other half are conjugates
        turn = np.exp(1j * math.pi * (2 * point + 1) / points) * radius
        terms = np.ones((m, k + 1), complex)
        for each in range(1, k + 1):
            terms[:, each] = terms[:, each - 1] * (b * turn) / each
        logs = np.log(np.cumsum(np.take_along_axis(terms, within, 1), axis=1))
        steps = np.diff(logs, axis=1, prepend=0).ravel()[order]
        so_far = np.cumsum(steps) - steps
        own = np.where(rank > 0, logs.ravel()[order - (rank > 0)], 0)
        parts = np.exp(so_far[wins] - own[wins] + log_weight[wins] - (k - times[wins]) * np.log(turn))
        total += 2 * float(parts.real.sum())
    return min(max(total / points, float(prior.max())), 1.0)


@dataclass(frozen=True)
class PerPerson:
    """What the promise comes to per person, for the SA that gives most away.

    Attributes
    ----------
    sensitive : name of the SA.
    right : (k, chance) for some k: how often the value of a person with k records of the same value is guessed right
        by someone who sees all of them.
    at_once : whether all records of a person are drawn at once, so that k doesn't matter.
    before : how often the commonest value is right, which anybody may guess without the release.
    off : by how much `before`, of a release's counts, is wrong in at most 5 of 100 releases; None of true counts.
    """

    sensitive: str
    right: tuple[tuple[int, float], ...]
    at_once: bool = False
    before: float = 0.0
    off: float | None = None

    @property
    def gain(self) -> float:
        """Which part of the wrong guesses the rows turn into right ones."""
        return (self.right[-1][1] - self.before) / max(1 - self.before, 1e-9)

    @property
    def sentence(self) -> str:
        """The promise per person."""
        if self.off is None:
            return self._promise
        about = say(
            "Both go by what the release tells of the true counts: in 95 of 100 releases the latter is at most "
            "{points} points off.",
            points=max(math.ceil(100 * self.off), 2),
        )
        return listed((self._promise, about), "{head} {tail}")

    @property
    def in_short(self) -> str:
        """The promise per record where it is the least, for who decides what is done about it."""
        return say(
            "Who sees all of a person's guesses “{sensitive}”, the same in all, rightly in up to {chance} of the "
            "cases; who sees none, in {before}.",
            before=percent_of(self.before),
            sensitive=self.sensitive,
            chance=_percent(max(chance for _, chance in self.right)),
        )

    @property
    def _promise(self) -> str:
        if self.at_once:
            return say(
                "The promise is per person: who sees all records of a person guesses “{sensitive}”, the same in all, "
                "with a probability of {chance}, however many there are; whoever names the commonest value is right "
                "in {before} anyway.",
                before=percent_of(self.before),
                sensitive=self.sensitive,
                chance=_percent(max(chance for _, chance in self.right)),
            )
        return say(
            "The promise is per record: who sees all records of a person guesses “{sensitive}”, the same in all, with "
            "a probability of {chances}; whoever names the commonest value is right in {before} anyway.",
            before=percent_of(self.before),
            sensitive=self.sensitive,
            chances=listed(say("{chance} from {k} records", chance=_percent(chance), k=k) for k, chance in self.right),
        )


def _percent(chance: float) -> Figure:
    """Return how surely rows tell a value, as `up` says it of a row in several releases."""
    return percent_of(chance) if chance > 0.999 else up(chance)


# Nobody can tell from a release which values these are: docs/decisions/persons.md, “No effect of each value”.
NARROW = say(
    "For values that few persons have again and again, 95 % intervals may be too narrow: asked of few records, "
    "or beside what goes with coming often, they hold the truth in 80 to 93 of 100 cases. Ask of more records, or of "
    "groups of values."
)


def told_of_persons(repeats: Repeats | None, table: Table, draws: Mapping[str, Draw]) -> tuple[str, ...]:
    """Return in sentences what a release says of persons with several records; `table` is the published one."""
    if repeats is None:
        return (say("The promise is per record; it is not known whether persons have several."),)
    moved = (shift_sentence(repeats.shift, repeats.days),) if repeats.shift else ()
    if repeats.largest == 1:
        return (repeats.sentence, *moved)
    narrow = (NARROW,) if repeats.effects else ()
    told = repeats.sentence, per_person(repeats, table, draws, published=True).sentence, *narrow, *moved
    if NUMBER not in table:
        return told
    number = say(
        "“{column}” is a random number of each person, in this release alone: the rows that have the same are one "
        "person's.",
        column=NUMBER,
    )
    return *told, number


def shift_sentence(names: tuple[str, ...], days: int) -> str:
    """Return what was done to dates, and what that leaves and what not."""
    columns = listed(say("“{name}”", name=name) for name in names)
    return say(
        "The dates of {columns} were moved by one random number of days per person, up to {days} either way, the "
        "same in all of them, which stands nowhere: days between dates of a person are true; seasons, months, weekdays "
        "and days between persons are not, and counts by them must not be read.",
        columns=columns,
        days=days,
    )


def per_person(repeats: Repeats, table: Table, draws: Mapping[str, Draw], *, published: bool = False) -> PerPerson:
    """Return the promise per person.

    Parameters
    ----------
    repeats : with several records of some person.
    table : with the SAs, as planned.
    draws : SA -> its draw, at least one, each eligible for its column.
    published : whether the SAs are those of a release, whose counts a draw may have moved.

    Raises UnknownColumn; Infeasible.
    """
    found = []
    for name, draw in draws.items():
        column = table[name].compacted()
        counts, a = column.counts().astype(np.float64), draw.keeps(column)
        shown, counts = (counts, draw.likely(counts, column.labels)) if published else (draw.shows(column), counts)
        right = tuple((k, right_guesses(counts, a, draw.draws_of_person(k), shown)) for k in repeats.shown)
        once = all(draw.draws_of_person(k) == 1 for k in repeats.shown)
        before, off = float(counts.max(initial=0.0) / max(counts.sum(), 1.0)), None
        if published:
            off = float(NORMAL_95 * draw.scatter(counts, column.labels)[counts.argmax()] / counts.sum())
        found.append(PerPerson(name, right, once, before, off))
    return max(found, key=lambda each: each.gain)

"""Checks of a release before it is handed out, against its source, and afterwards without it.

A check that judges chance fails a sound release with a probability below 1e-9: tails are exact where the law is a
binomial, and taken at `_FAR` standard deviations elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw import Draw
from splu_desktop.core.draw.by_person import NUMBER
from splu_desktop.core.guarantees.tails import ALARM
from splu_desktop.core.messages import say
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.randomness import SystemRandomness
from splu_desktop.core.rowkeys import Keys, Multiset, pieces, stirred
from splu_desktop.core.table import Column, Table
from splu_desktop.core.transition.two_numbers import Transition
from splu_desktop.frozen import dataclass

_STAGE = "Checking the release"
_FAR = 8.0
_SAMPLE = 200_000  # records by which retained values and order are judged: enough to see a deviation of 1 %
_LEAST_UNIQUE = 30  # fewer recognisable records tell nothing about order


@dataclass(frozen=True)
class Check:
    """One check of a release.

    Attributes
    ----------
    name : short, stable, for programs: "records", "columns", "rows", "domain", "retained", "counts", "order".
    passed : whether the release may stand.
    sentence : what was found, in words; for the custodian, since it may speak of the source.
    column : the column it is about, None where it is about the table.
    """

    name: str
    passed: bool
    sentence: str
    column: str | None = None


def check_release(source: Table, plan: Plan, published: Published, *, progress: Progress = SILENT) -> tuple[Check, ...]:
    """Check a release against its source: records, columns, rows, domains, counts, retained values and order.

    Parameters
    ----------
    source : the table that was sanitised (after generalisation).
    plan : what was asked.
    published : what is to be handed out.

    Returns
    -------
    tuple of Check, in the order made; later ones are left out where an earlier one makes them senseless.
    """
    progress.report(_STAGE, 0.0)
    table = published.table
    found = [check_records(source.n, table.n), _columns(plan, table)]
    if not all(check.passed for check in found):
        return tuple(found)
    names = [name for name in table.names if name not in plan.sensitive and name in plan.roles]
    bits = _bits(source, table, names, progress)
    # Keys are random, so the records with small ones are a random sample of whole classes of equal rows.
    most = np.uint64(2**64 - 1) if source.n <= _SAMPLE else np.uint64(2**64 * _SAMPLE // source.n)
    ours = _Rows.of(source, names, bits[0], most, progress)
    if not len(ours.places):
        most = np.uint64(2**64 - 1)
        ours = _Rows.of(source, names, bits[0], most, progress)
    theirs = _Rows.of(table, names, bits[1], most, progress)
    progress.report(_STAGE, 0.5)
    same = ours.all == theirs.all
    found.append(check_rows(same, names))
    our_order, their_order, keys = ours.places, theirs.places, ours.keys
    for name, draw in plan.draws.items():
        progress.report(_STAGE, 0.5)
        domain = _domain(source[name], table[name])
        found.append(domain)
        if domain.passed:
            aligned = _aligned(source[name], table[name])
            after = np.zeros(source[name].m, np.int64)
            used = aligned >= 0  # what no record shows may be no label of the source's
            after[aligned[used]] = table[name].counts()[used]
            found.append(check_counts(source[name], after, draw.learned(source, name, plan.thresholds)))
            through = draw.two_numbers(source[name].counts().astype(float))
            if same and through is not None:
                progress.report(_STAGE, 0.5)
                ours_ordered, theirs_ordered = source[name].codes[our_order], aligned[table[name].codes[their_order]]
                found.append(_retained(source[name], ours_ordered, theirs_ordered, keys, through, draw.chance()))
    if same:
        progress.report(_STAGE, 0.5)
        found.append(_pairing(our_order, their_order, keys))
    found.append(check_order(table, progress=progress))
    progress.report(_STAGE, 1.0)
    return tuple(found)


def check_alone(published: Published, *, progress: Progress = SILENT) -> tuple[Check, ...]:
    """Check what a release shows by itself, without the source: group sizes and record order."""
    found = []
    for name, draw in published.draws.items():
        found += [Check("counts", fits, text, name) for fits, text in draw.alone(published.table[name])]
    found.append(check_order(published.table, progress=progress))
    return tuple(found)


def check_order(table: Table, *, progress: Progress = SILENT) -> Check:
    """Check that records stand in random order: equal neighbours are as many as chance makes, in every column.

    Under a random permutation the number of neighbouring records with the same label has a mean and variance that
    follow from the label counts alone (join counts on a path). Sorted tables have too many, dealt ones too few.
    """
    worst, where = 0.0, None
    for done, column in enumerate(table.columns):
        progress.report(_STAGE, done / len(table.columns))
        mean, variance = equal_neighbours(column.counts())
        if variance < 1:  # too few repeated values for the normal law to say anything
            continue
        seen = int(np.count_nonzero(column.codes[1:] == column.codes[:-1]))
        far = abs(seen - mean) / np.sqrt(variance)
        if far > worst and abs(seen - mean) > 30:  # the Poisson tail of rare coincidences is longer than the normal
            worst, where = float(far), column.name
    passed = worst <= _FAR
    return Check(
        "order",
        passed,
        "The records stand in random order."
        if passed
        else say(
            "The records are not in random order: neighbours agree too often or too rarely in “{where}”.",
            where=where,
        ),
        None if passed else where,
    )


def equal_neighbours(counts: NDArray[np.int64]) -> tuple[float, float]:
    """Return mean and variance of the number of equal neighbours in a random arrangement with these label counts."""
    c = counts.astype(float)
    n = c.sum()
    if n < 4:
        return 0.0, 0.0
    two, three = c * (c - 1), c * (c - 1) * (c - 2)
    four = three * (c - 3)
    s2, s3 = two.sum(), three.sum()
    apart = four.sum() + s2 * s2 - (two * two).sum()  # ordered quadruples of two equal pairs
    mean = s2 / n
    square = mean + 2 * (n - 2) * s3 / (n * (n - 1) * (n - 2))
    square += (n - 2) * (n - 3) * apart / (n * (n - 1) * (n - 2) * (n - 3))
    return float(mean), float(max(0.0, square - mean * mean))


def check_records(wanted: int, found: int) -> Check:
    """Check that a table has as many records as its source."""
    text = say("The table has {found} records where the source has {wanted}.", found=found, wanted=wanted)
    if found == wanted:
        text = say("All {records} records are there.", records=wanted)
    return Check("records", found == wanted, text)


def _columns(plan: Plan, table: Table) -> Check:
    wanted = [name for name, role in plan.roles.items() if role.published]
    if plan.persons is not None and plan.persons.number:
        wanted.append(NUMBER)
    extra = sorted(set(table.names) - set(wanted))
    lacking = sorted(set(wanted) - set(table.names))
    if extra:
        return Check(
            "columns",
            False,
            say("Column “{column}” is in the table, though it is to be left out.", column=extra[0]),
            extra[0],
        )
    if lacking:
        return Check(
            "columns", False, say("Column “{column}” is missing from the table.", column=lacking[0]), lacking[0]
        )
    return Check("columns", True, "No identifier and no dropped column is in the table.")


@dataclass(frozen=True, eq=False)
class _Rows:
    """The NSA rows of a table: all of them as a multiset, and a sample.

    places, keys : (K,) where the sampled rows stand, and their keys, in the order of the keys.
    """

    all: Multiset
    places: NDArray[np.int64]
    keys: Keys

    @classmethod
    def of(cls, table: Table, names: Sequence[str], bits: Sequence[Keys], most: np.uint64, progress: Progress) -> _Rows:
        """Return the rows; those with keys up to `most` are the sample."""
        whole, places, found = Multiset(), [np.empty(0, np.int64)], [np.empty(0, np.uint64)]
        codes = [table[name].codes for name in names]
        for piece, sums in pieces(codes, bits, table.n, progress=progress, stage=_STAGE):
            keys = stirred(sums)
            whole.add(keys)
            some = np.flatnonzero(keys <= most)
            places.append(some + piece.start)
            found.append(keys[some])
        sampled = np.concatenate(found)
        order = np.argsort(sampled)
        return cls(whole, np.concatenate(places)[order], sampled[order])


def _bits(source: Table, table: Table, names: Sequence[str], progress: Progress) -> tuple[list[Keys], list[Keys]]:
    """Return for each name (m,) random bits of the labels in both tables, the same for the same label."""
    randomness = SystemRandomness()
    of_source, of_table = [], []
    for name in names:
        progress.report(_STAGE, 0.0)
        ours, theirs = source[name], table[name]
        same = theirs.texts is ours.texts  # as sanitising leaves an NSA all of whose labels are used
        fresh = randomness.bits(2 * (ours.m + (0 if same else theirs.m))).view(np.uint64)
        of_source.append(fresh[: ours.m])
        if same:
            of_table.append(fresh)
            continue
        # A label that the source lacks gets bits of its own, which no source row can equal.
        known, first = ours._index, ours.m
        at = [known.get(text, first + place) for place, text in enumerate(theirs.labels.tolist())]
        of_table.append(fresh[np.array(at, np.intp)])
    return of_source, of_table


def check_rows(same: bool, names: Sequence[str]) -> Check:
    """Check that the columns published unchanged, of these names, have the source's rows: whether they do is known."""
    if not names:
        return Check("rows", True, "No column is published unchanged.")
    return Check(
        "rows",
        same,
        "The unchanged columns hold the same rows as the source, in another order."
        if same
        else "The unchanged columns do not hold the same rows as the source.",
    )


def _domain(source: Column, published: Column) -> Check:
    known = source._index
    used = published.labels[published.counts() > 0]
    foreign = sum(text not in known for text in used)
    return Check(
        "domain",
        not foreign,
        say("Every value of “{name}” is one of the column's own.", name=source.name)
        if not foreign
        else say(
            "{foreign} values of “{name}” are not values of the source's column.", foreign=foreign, name=source.name
        ),
        source.name,
    )


def _aligned(source: Column, published: Column) -> NDArray[np.int32]:
    """Return (m',) the source's code of each published label."""
    known = source._index
    return np.array([known.get(text, -1) for text in published.labels.tolist()], np.int32)


def check_kept(source: Column, kept: int, draw: Draw) -> Check:
    """Judge by how many records show the value they have whether values were drawn, where records are told apart."""
    through = draw.two_numbers(source.counts().astype(float))
    assert through is not None
    mean = through.a * source.n
    return _retained_as(source, kept, mean, 2 * mean + 1, draw.chance())


def check_counts(source: Column, after: NDArray[np.int64], draw: Draw) -> Check:
    """Judge by the law of the draw how many records show each of the (m,) values of a column."""
    before = source.counts()
    odd = int(np.count_nonzero(draw.strays(source, before, after)))
    # A column that was not drawn at all has every count right; under the law that has next to no probability.
    untouched = bool(np.array_equal(before, after)) and draw.keeps_all(before) < np.log(ALARM)
    passed = odd == 0 and not untouched
    if passed:
        text = say("Each count of “{name}” lies where its law puts it.", name=source.name)
    elif untouched:
        text = say("The counts of “{name}” are the true ones: the column was not re-drawn.", name=source.name)
    else:
        text = say(
            "The counts of {odd} values of “{name}” lie where their law hardly ever puts them.",
            odd=odd,
            name=source.name,
        )
    return Check("counts", passed, text, source.name)


def _retained(
    source: Column, ours: NDArray[np.int32], theirs: NDArray[np.int32], keys: Keys, through: Transition, rate: str
) -> Check:
    """Judge how many values were kept, by the share of each class of equal NSA rows that has a record's own value.

    `ours` and `theirs` are (N,) codes before and after, both in the order of `keys`, the sorted NSA rows. A record of
    class P with published value u scores n_Pu / n_P, the share of the class that held u: 1 or 0 in a class of one. The
    expected score of the class is sum_s n_Ps / n_P (a n_Ps + b_s (n_P - n_Ps)), mechanism.md section 4.
    """
    a, b, records = through.a, through.b, len(ours)
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    sizes = np.diff(np.append(starts, records))
    owner = np.repeat(np.arange(len(starts)), sizes)
    pairs, held = np.unique(owner * source.m + ours, return_counts=True)
    got_pairs, got = np.unique(owner * source.m + theirs, return_counts=True)
    at = np.minimum(np.searchsorted(pairs, got_pairs), len(pairs) - 1)
    got_at = np.zeros(len(pairs))
    hit = pairs[at] == got_pairs
    got_at[at[hit]] = got[hit]
    size = sizes[pairs // source.m]
    share = held / size
    expected = a * held + b[pairs % source.m] * (size - held)
    score, mean = float(np.dot(share, got_at)), float(np.dot(share, expected))
    # Draws are independent given the groups; their marginal variance, doubled for what groups share.
    variance = 2 * float(np.dot(share * share, expected)) + 1
    return _retained_as(source, score, mean, variance, rate)


def _retained_as(source: Column, score: float, mean: float, variance: float, rate: str) -> Check:
    passed = abs(score - mean) <= _FAR * float(np.sqrt(variance))
    return Check(
        "retained",
        passed,
        say("As many values of “{column}” were kept as chance keeps: {rate}.", column=source.name, rate=rate)
        if passed
        else say(
            "Values of “{name}” were not kept {rate}: the records tell more, or less, than they should.",
            name=source.name,
            rate=rate,
        ),
        source.name,
    )


def _pairing(ours: NDArray[np.int64], theirs: NDArray[np.int64], keys: Keys) -> Check:
    """Judge by the records whose NSA row is unique whether their places before and after have to do with each other."""
    edge = np.concatenate(([True], keys[1:] != keys[:-1], [True]))
    alone = edge[:-1] & edge[1:]
    before, after = ours[alone], theirs[alone]
    k = len(before)
    if k < _LEAST_UNIQUE:
        return Check("order", True, "Too few records are recognisable to trace any order.")
    by_source = after[np.argsort(before)]
    ranks = np.empty(k)
    ranks[np.argsort(by_source)] = np.arange(k)
    # Ranks of a random permutation: correlation with the places has mean 0 and variance 1 / (k - 1).
    centred = ranks - (k - 1) / 2
    correlation = float(np.dot(centred, np.arange(k) - (k - 1) / 2) / np.dot(centred, centred))
    # Neighbours that stay neighbours: Poisson with mean 2 at most.
    kept = int(np.count_nonzero(np.abs(np.diff(ranks)) == 1))
    passed = abs(correlation) * float(np.sqrt(k - 1)) <= _FAR and kept <= 30
    return Check(
        "order",
        passed,
        "The order of the records has nothing to do with the source's."
        if passed
        else "The records still stand in an order that follows the source's.",
    )

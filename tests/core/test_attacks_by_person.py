"""Attacks on persons with 1 to 40 records, for every draw: nobody is surer than is said.

One table, made here: a code, an outcome and a flag that partly last. Three attacks: all of a person's records are seen,
values of some columns are known, all other records are known. Seeds are fixed; bounds are five standard errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from splu_desktop.core.draw import Draw, PlainGroups
from splu_desktop.core.draw.by_person import persons
from splu_desktop.core.draw.together import planned
from splu_desktop.core.draw.ways import GROUPS, JOINED, by_gamma
from splu_desktop.core.persons import right_guesses
from splu_desktop.core.progress import Silent
from splu_desktop.core.table import Column, Table
from splu_desktop.core.thresholds import Thresholds
from tests.seeded import Seeded

GAMMA, FAR, RELEASES = 4, 5.0, 30


@cache
def stays() -> Table:
    """Return about 3,000 records of 1,400 persons with 1 to 40 each; two values have one bearer, the first."""
    chance = np.random.default_rng(16)
    times = np.minimum(1 + chance.negative_binomial(0.35, 0.25, 1_400), 40)
    times[0] = 1
    who = np.repeat(np.arange(len(times)), times)
    n = len(who)

    def lasting(often: float, share: float) -> list[str]:
        own, now = (chance.random(number) < share for number in (len(times), n))
        return np.where(np.where(chance.random(n) < often, own[who], now), "yes", "no").tolist()

    code = np.where(chance.random(n) < 0.5, chance.integers(0, 12, len(times))[who], chance.integers(0, 12, n))
    code[0] = 99
    return Table(
        (
            Column.from_labels("person", [f"P{each}" for each in who.tolist()]),
            Column.from_labels("code", [f"C{each:02d}" for each in code.tolist()]),
            Column.from_labels("outcome", ["odd", *lasting(0.5, 0.15)[1:]]),
            Column.from_labels("flag", lasting(0.7, 0.1)),
            Column.from_labels("other", lasting(0.3, 0.2)),
        )
    )


def one(name: str, make: Callable[[Table], Draw]) -> Callable[[Table], dict[str, Draw]]:
    return lambda table: {name: make(table)}


DRAWS: dict[str, Callable[[Table], Mapping[str, Draw]]] = {
    "groups": one("code", lambda _: PlainGroups(GAMMA)),
    "several sizes": one("outcome", lambda table: by_gamma(table["outcome"], GAMMA, GROUPS)),
    "joined": one("outcome", lambda table: by_gamma(table["outcome"], GAMMA, JOINED)),
    "together": lambda table: planned(table, ("outcome", "flag", "other"), GAMMA),
}


@cache
def drawn(name: str) -> Mapping[str, Draw]:
    return DRAWS[name](stays())


@cache
def learned(name: str, by: str) -> tuple[Table, dict[str, Draw]]:
    table, asked = stays(), Thresholds()
    made = {column: draw.by_person(by) for column, draw in drawn(name).items()}
    return table, {column: draw.learned(table, column, asked) for column, draw in made.items()}


def releases(table: Table, draws: Mapping[str, Draw], number: int = RELEASES) -> Iterator[dict[str, NDArray[np.int32]]]:
    """Give the codes of the columns drawn in so many releases."""
    whole = next(iter(draws.values())).of_block(draws)
    for seed in range(number):
        drawn = whole.redraw_block(table, tuple(draws), Seeded(seed), Silent())
        yield {column.name: column.codes for column in drawn}


@pytest.mark.parametrize("name", DRAWS)
def test_all_records_of_a_person_seen_by_person(name: str) -> None:
    """How sure is it that values were kept, by the numbers of different and of rare values in the rows of a person?"""
    table, draws = learned(name, "person")
    who, column = persons(table["person"]), next(iter(draws))
    sa, times = table[column], np.bincount(who)
    sure, kept = draws[column].sure_of_person(table, column)
    rare = int(np.argmin(np.where(sa.counts() > 50, sa.counts(), sa.n)))

    def rows(codes: NDArray[np.int32]) -> NDArray[np.int64]:
        different = np.bincount(np.unique(who * sa.m + codes) // sa.m, minlength=len(times))
        rarest = np.bincount(who, codes == rare, len(times)).astype(np.int64)
        found = (np.minimum(times, 6) * 10 + np.minimum(different, 6)) * 10 + np.minimum(rarest, 6)
        return np.asarray(found[times > 1], np.int64)

    truly, shown = np.bincount(rows(sa.codes), minlength=1_000), np.zeros(1_000)
    for codes in releases(table, draws):
        shown += np.bincount(rows(codes[column]), minlength=1_000) / RELEASES
    there = truly > 0
    posterior = np.minimum(kept * truly[there] / np.maximum(shown[there], 1e-9), 1.0)
    told = float(posterior @ truly[there] / truly.sum())
    # Each of the posteriors is as much too high as one person more among those it rests on.
    chance = kept * there.sum() / truly.sum()
    assert told <= max(sure, kept) * 1.1 + chance


@pytest.mark.parametrize("name", DRAWS)
def test_all_records_of_a_person_seen_each_by_itself(name: str) -> None:
    """Who has the same value in 4 records: the best guess, by the law of the draw, is right no more often than said."""
    table, draws = learned(name, "")
    sa, k, chance = table[next(iter(draws))], 4, np.random.default_rng(3)
    draw, counts = draws[sa.name], sa.counts().astype(np.float64)
    with np.errstate(divide="ignore"):
        prior, law = np.log(counts / sa.n), np.log(draw.chances(sa))
    right = asked = 0
    for codes in releases(table, draws, 10):
        for value in sa.codes[chance.integers(0, sa.n, 600)].tolist():
            its = np.flatnonzero(sa.codes == value)
            seen = codes[sa.name][chance.choice(its, k, replace=len(its) < k)]
            right += int(np.argmax(prior + law[:, seen].sum(axis=1)) == value)
            asked += 1
    said = right_guesses(counts, draw.keeps(sa), k, draw.shows(sa))
    assert right / asked <= said + FAR * (said * (1 - said) / asked) ** 0.5 + 0.01


@pytest.mark.parametrize("by", ["", "person"])
def test_values_of_other_columns_known(by: str) -> None:
    """Find a row with the values known, read the rest: right no more often than is said of columns drawn together."""
    table, draws = learned("together", by)
    block = tuple(draws)
    said = {each.column: each.certainty for each in draws[block[0]].of_block(draws).recognised(table)}
    own = {name: table[name].codes for name in block}
    right, shown = dict.fromkeys(block, 0), dict.fromkeys(block, 0)
    for codes in releases(table, draws):
        for name in block:
            found = codes[name] == table[name].code_of("yes")
            for other in block:
                found &= (codes[other] == own[other]) | (other == name)
            shown[name] += int(found.sum())
            right[name] += int((found & (own[name] == codes[name])).sum())
    effect = 12 if by else 1  # rows of a person that are kept at once, the more the surer
    for name, chance in said.items():
        assert right[name] / shown[name] <= chance + FAR * (chance * (1 - chance) * effect / shown[name]) ** 0.5 + 0.01


@pytest.mark.parametrize(("name", "by"), [(name, by) for name in DRAWS for by in ("", "person")])
def test_all_other_records_known(name: str, by: str) -> None:
    """The only bearer of a value is named where the value is shown at all."""
    table, draws = learned(name, by)
    column = next(iter(draws))
    alone, number = int(table[column].codes[0]), 30
    assert table[column].counts()[alone] == 1
    there = sum(bool((codes[column] == alone).any()) for codes in releases(table, draws, number)) / number
    said = draws[column].insider
    assert there <= said + FAR * (said * (1 - said) / number) ** 0.5

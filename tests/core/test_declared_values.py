"""Values declared in advance: records are shown with them whether or not somebody has them (review, finding A12).

So a value shown names nobody, not even to who knows all other records of the table.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.checks.selfcheck import check_release
from splu_desktop.core.draw import DecoyGroups, Joined, PlainGroups, draw_from
from splu_desktop.core.draw.joined import design
from splu_desktop.core.draw.ways import by_gamma, with_declared
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.groups.rules import by_hand
from splu_desktop.core.groups.tolerances import Infeasible
from splu_desktop.core.plan import Plan, Thresholds
from splu_desktop.core.progress import Silent
from splu_desktop.core.query.reader import Condition, Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from tests.core.tables import column
from tests.seeded import Seeded

_LIMIT = Fraction(1, 5)


def usual(alone: int, rare: int = 20, n: int = 2_000) -> Column:
    """Return a column of a frequent value, `rare` values of ten records, and `alone` of one."""
    few = np.r_[np.repeat(np.arange(1, rare + 1), 10), np.arange(rare + 1, rare + 1 + alone)]
    return column("s", np.r_[np.zeros(n - len(few)), few].astype(int))


def made(sa: Column, more: int) -> tuple[Joined, list[str]]:
    """Return the draw in which all but the frequent value are protected, with `more` values that nobody has."""
    listed = [*map(str, sa.labels[1:]), *(f"x{at}" for at in range(more))]
    limits = dict.fromkeys(listed, _LIMIT) | {str(sa.labels[0]): Fraction(1)}
    return design(sa, limits, declared=listed), listed


def released(sa: Column, draw: Joined, seed: int) -> Table:
    table = Table((column("row", np.arange(sa.n)), sa))
    plan = Plan({"row": Role.NSA, "s": Role.SA}, {"s": draw})
    published = sanitise.run(table, plan, randomness=Seeded(seed)).table
    return published.take(np.argsort(published["row"].codes))


@pytest.mark.parametrize(("n", "numbers"), [(2_000, (0, 1)), (20_000, (0, 1, 2, 10))])
def test_the_draw_is_the_same_whether_a_value_of_the_list_has_records_or_none(n: int, numbers: tuple[int, ...]) -> None:
    """Else release.json, which states the draw, would tell it. Up to ten records where blocks of ten are rounded to."""
    sa = usual(3, n=n)
    last = sa.m - 1
    found = []
    for number in numbers:
        codes = np.where(sa.codes == last, 0, sa.codes).astype(np.int32)
        codes[:number] = last
        listed = [*map(str, sa.labels[1:]), *(f"x{at}" for at in range(40))]
        limits = dict.fromkeys(listed, _LIMIT) | {str(sa.labels[0]): Fraction(1)}
        found.append(design(sa.with_codes(codes), limits, declared=listed))
    assert all(one == found[0] for one in found)


def test_who_knows_all_other_records_is_right_as_rarely_as_is_said() -> None:
    """Of the rows that show a value which no other record has: with a list a share of f' at most, else all of them.

    60 releases, some 4,000 rows: false alarm below 1e-6 at 5 standard errors.
    """
    sa = usual(10)
    alone = sa.counts() == 1

    def right(draw: Joined) -> tuple[int, int]:
        good = shown = 0
        for seed in range(60):
            after = released(sa, draw, seed)["s"]
            counts = dict(zip(map(str, sa.labels), sa.counts().tolist(), strict=True))
            others = np.array([counts.get(str(label), 0) for label in after.labels])[after.codes]
            own = sa.labels[sa.codes] == after.labels[after.codes]
            nobody_else = others - own == 0
            good, shown = good + int((own & nobody_else).sum()), shown + int(nobody_else.sum())
        return good, shown

    draw, _ = made(sa, 20)
    good, shown = right(draw)
    limit = float(_LIMIT)
    assert good / shown <= limit + 5 * (limit * (1 - limit) / shown) ** 0.5
    assert draw.insider == float(_LIMIT) == draw.sole_bearer
    without = design(sa, {str(x): Fraction(1) if not at else _LIMIT for at, x in enumerate(sa.labels)})
    good, shown = right(without)
    assert good == shown > 60 * 0.9 * alone.sum(), "every value shown has a bearer, who is named"
    assert without.insider > 0.9


def test_a_list_that_hides_nobody_is_refused_and_so_is_one_that_lacks_a_value() -> None:
    sa = usual(10)
    with pytest.raises(Infeasible, match="10 of its values are those of one record alone, and only 0"):
        made(sa, 0)
    draw, listed = made(usual(10), 20)
    codes = np.r_[np.zeros(1_770), np.repeat(np.arange(1, 21), 10), np.arange(21, 51)].astype(int)
    other = Column.from_labels("s", np.array([str(sa.labels[0]), *listed], object)[codes])
    with pytest.raises(Infeasible, match="declare more values"):
        draw.check(other)  # in which the last values of the list have one bearer each
    limits = dict.fromkeys([*map(str, sa.labels), "x"], _LIMIT) | {str(sa.labels[0]): Fraction(1)}
    with pytest.raises(BadSetting, match="lacks 1 values that occur, “v0030” among them"):
        design(sa, limits, declared=[*map(str, sa.labels[:-1]), "x"])


def test_counts_of_values_are_answered_as_surely_whether_or_not_somebody_has_them() -> None:
    """95 % intervals of every value shown, nobody's too: 93 to 99 %, of 12 releases with 55 values each."""
    sa = usual(5)
    draw, listed = made(sa, 30)
    true = dict(zip(map(str, sa.labels), sa.counts().tolist(), strict=True))
    plan, table = Plan({"s": Role.SA}, {"s": draw}), Table((sa,))
    held = []
    for seed in range(12):
        published = sanitise.run(table, plan, randomness=Seeded(seed))
        assert all(check.passed for check in check_release(sanitise.prepare(table, plan), plan, published))
        shown = [str(label) for label in published.table["s"].labels]
        assert sum(value not in true for value in shown) > 15, "many that nobody has"
        assert set(shown) <= {*listed, str(sa.labels[0])}
        answers = Reader(published).answers([[Condition("s", (value,))] for value in listed], vanished=True)
        held.append([one.low <= true.get(value, 0) <= one.high for one, value in zip(answers, listed, strict=True)])
        stated = published.draws["s"].as_dict()
        assert {value for part in stated["parts"] for value in part["values"]} == set(shown)
    assert 0.93 <= np.mean(held) <= 0.99


def test_it_is_said_stored_and_read_again() -> None:
    draw, _ = made(usual(5), 20)
    again = draw_from(draw.as_dict())
    assert again == draw
    assert again.as_dict()["declared"] is True
    assert "values declared in advance" in str(draw.words())
    assert any("at most 20 % are right" in said for said in map(str, draw.readers("s")))
    assert not any("names its bearer" in said for said in map(str, draw.readers("s")))
    certainty = {each["certainty"] for each in draw.stated(Thresholds())["by_tolerance"].values()}
    assert certainty == {0.2, 1.0}, "1 for the value that is not sensitive"
    assert "x1" not in str(draw.recorded())
    with pytest.raises(BadSetting, match="all records of a person"):
        draw.by_person("who")
    with pytest.raises(BadSetting):
        draw_from({**draw.as_dict(), "declared": "yes"})


def test_any_draw_of_a_column_can_be_given_a_list() -> None:
    sa = usual(3)
    listed = [*map(str, sa.labels), *(f"x{at}" for at in range(60))]
    tolerant = DecoyGroups.designed(sa, by_hand(sa, {str(sa.labels[0]): "1"}, "0.25"))
    for draw in (by_gamma(sa, 4, "joined"), tolerant):
        found = with_declared(sa, draw, listed)
        assert found.declared
        assert found.limit("x1") == Fraction(1, 4)
        found.check(found.domain(sa))
    even = column("s", np.arange(1_000) % 40)
    found = with_declared(even, PlainGroups(5), [*map(str, even.labels), "x1", "x2"])
    assert found.limit("x1") == Fraction(1, 5)


def test_a_list_for_numbers_holds_numbers() -> None:
    ages = Column.from_labels("age", ["1", "2", "2"], kind=Kind.INTEGER)
    wide = ages.with_labels(["10", "2"])
    assert wide.labels.tolist() == ["1", "2", "10"]
    assert [str(wide.labels[code]) for code in wide.codes] == ["1", "2", "2"]
    with pytest.raises(BadSetting, match="not of its kind"):
        ages.with_labels(["many"])


def test_blocks_of_a_joined_draw_keep_what_it_keeps_though_they_lack_values() -> None:
    """A cluster draws each block by itself: 50 blocks, in most of which most values have no record."""
    sa = usual(0)
    draw = design(sa, {str(x): Fraction(1) if not at else Fraction(1, 4) for at, x in enumerate(sa.labels)})
    blocks = draw.blocks(sa, 50, Seeded(1))
    for start in range(50):
        part = sa.codes[start::50]
        after = blocks.redraw(0, part, Seeded(start), Silent())
        assert np.array_equal(after[part > 0], part[part > 0]), "protected values stay, T[s, s] = 1"

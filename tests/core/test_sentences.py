"""Sentences state the exact figures, rounded in the safe direction only."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_desktop.cli.base.output import print_table
from splu_desktop.core.draw.ways import by_gamma, by_tolerances
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.guarantees import exact as g
from splu_desktop.core.guarantees import sentences
from splu_desktop.core.guarantees.planning import plan_values, recommend
from splu_desktop.core.messages import Said, counted, quoted, say
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.table import Column
from splu_desktop.files.language import language


def test_the_promise_of_the_design_in_words() -> None:
    # Issue 4's example: gamma 7; 3 patients, 30 %, 60 %; 121 patients, 20 %, 98 of 100.
    assert sentences.small_count_promise(7, 0.3, 3, column="Diagnosis") == (
        "With gamma = 7, a value of “Diagnosis” shared by 3 records or fewer is shown wrong by more than 30 % with a "
        "probability of at least 60 %."
    )
    assert sentences.large_count_promise(7, 0.2, 0.02, column="Diagnosis") == (
        "With gamma = 7, a value of “Diagnosis” shared by 121 records or more is within 20 % of the truth in at least "
        "98 of 100 releases."
    )


@given(
    gamma=st.integers(2, 60),
    epsilon=st.integers(1, 10**6).map(lambda x: Fraction(x, 10**6)),
    alpha=st.integers(1, 30),
    releases=st.integers(1, 4),
)
@settings(max_examples=300, deadline=None)
def test_a_stated_protection_is_never_above_the_exact_one(
    gamma: int, epsilon: Fraction, alpha: int, releases: int
) -> None:
    said = sentences.small_count_promise(gamma, epsilon, alpha, releases=releases)
    exact = min(g.exact_miss(gamma, f * releases, int(epsilon * f * releases)) for f in range(1, alpha + 1))
    stated = re.search(r"more than ([\d.]+) % with a probability of at least ([\d.]+) %\.$", said)
    if stated is None:
        assert exact == 0
        assert "can't be promised" in said
        return
    assert Fraction(stated[1]) / 100 <= epsilon
    assert Fraction(stated[2]) / 100 <= exact
    assert Fraction(stated[2]) < 100
    assert Fraction(stated[2]) / 100 >= exact - max(Fraction(1, 100), exact / 9)  # and not far below it


@given(
    gamma=st.integers(2, 60),
    epsilon=st.integers(50_000, 10**6).map(lambda x: Fraction(x, 10**6)),
    t_e=st.integers(1, 10**7 - 1).map(lambda x: Fraction(x, 10**7)),
)
@settings(max_examples=200, deadline=None)
def test_a_stated_error_is_never_below_the_exact_one(gamma: int, epsilon: Fraction, t_e: Fraction) -> None:
    said = sentences.large_count_promise(gamma, epsilon, t_e)
    stated = re.search(r"is within ([\d.]+) % of the truth in at least ([\d,]+) of ([\d,]+) releases\.$", said)
    assert stated is not None
    sure, of = (int(stated[i].replace(",", "")) for i in (2, 3))
    assert Fraction(stated[1]) / 100 >= epsilon
    assert Fraction(sure, of) <= 1 - t_e
    assert sure < of
    count = re.search(r"shared by ([\d,]+) records or more", said)
    assert (int(count[1].replace(",", "")) if count else 1) == g.t_f(gamma, epsilon, t_e)


@pytest.mark.parametrize(
    ("share", "words"),
    [("0.98", "98 of 100"), ("0.999", "999 of 1,000"), ("0.5", "50 of 100"), ("0.9999999", "999,999 of 1,000,000")],
)
def test_odds(share: str, words: str) -> None:
    assert sentences.odds(Fraction(share)) == f"{words} releases"


def test_exact_halves_stay_whole() -> None:
    assert "at least 50 %" in sentences.small_count_promise(2, 0.3, 3)


COUNTS = [4000, 3000, 2000, 500, 200, 100, 40, 30, 3, 2, 1, 1]


def test_values_are_counted_under_their_promise() -> None:
    said = sentences.value_promises(plan_values(COUNTS, sum(COUNTS), 2, Thresholds(0.3, 0.05, 3)), column="Diagnosis")
    assert "4 (7 records) fall under the first promise, 8 (9,870 records) under the second" in said[2]


def test_shortfalls_say_by_how_much_and_what_would_help() -> None:
    n = sum(COUNTS)
    wish = Thresholds(0.3, 0.05, 3, 0.6)
    assert sentences.value_warnings(plan_values(COUNTS, n, 2, wish)) == [
        "Gamma 2 shows small counts wrong with a probability of only 50 %, 10 percentage points short of the 60 % "
        "asked for."
    ]
    said = sentences.recommendation(recommend(COUNTS, n, wish), wish, column="Diagnosis")
    assert "10 percentage points short" in said
    assert "gamma 7 would" in said
    strict = Thresholds(0.01, 0.001, 3)
    (rare,) = sentences.value_warnings(plan_values(COUNTS, n, 2, strict))
    least = g.t_f(2, 0.01, 0.001)
    assert f"takes {least:,} records" in rare
    answers = float(re.search(r"an epsilon of ([\d.]+) would", rare)[1])  # type: ignore[index]
    assert g.t_f(2, answers, 0.001) <= 4000
    loose = Thresholds(1.0, 0.3, 3)
    assert any("choose a smaller epsilon" in s for s in sentences.value_warnings(plan_values(COUNTS, n, 2, loose)))


def test_no_warning_where_all_is_met() -> None:
    assert sentences.value_warnings(plan_values(COUNTS, sum(COUNTS), 2, Thresholds(0.3, 0.05, 3, 0.5))) == []


@pytest.mark.parametrize(
    ("counts", "wish", "part"),
    [
        ([40, 40, 40, 40, 40, 40, 40, 40], Thresholds(0.3, 0.05, 3, 0.6), "Gamma 7 is recommended"),
        ([9, 1], Thresholds(0.3, 0.05, 3, 0.6), "No gamma can protect"),
        ([40] * 4, Thresholds(0.3, 0.05, 3, 0.99), "ask for a lower probability"),
        ([40] * 4, Thresholds(0.3, 0.05, 6, 0.5), "an alpha of 3 would"),
        ([40] * 4, Thresholds(1.0, 0.05, 3, 0.5), "an epsilon of 0.33 would"),
    ],
)
def test_recommendations_in_words(counts: list[int], wish: Thresholds, part: str) -> None:
    said = sentences.recommendation(recommend(counts, sum(counts), wish), wish)
    assert part in said
    assert said.endswith(".")


@pytest.mark.parametrize(("code", "marks"), [("en", "“{}”"), ("de", "„{}“"), ("fr", "«\xa0{}\xa0»")])
@pytest.mark.parametrize("count", [1, 2, 12, 13, 40])
def test_listed_names_stand_in_the_reader_s_quotation_marks_a_dozen_at_most(code: str, marks: str, count: int) -> None:
    names = [f"n{k}" for k in range(count)]
    shown = [marks.format(name) for name in names[:12]] + ["…"] * (count > 12)
    assert language(code).sentence(quoted(names)) == ", ".join(shown)


def test_no_sentence_quotes_nothing() -> None:
    """A missing value is one of a column's values, often its most frequent; “” in a sentence tells nobody that."""
    wide = say("“{value}” of “{column}” in {n}", value="", column="outcome", n=3)
    assert wide == "“(empty)” of “outcome” in 3"
    assert isinstance(wide.values["value"], Said), "so that it is translated"
    assert counted(1, "“{value}” once", "“{value}” {n} times", value="") == "“(empty)” once"
    assert say("{words}{more}.", words="done", more="") == "done.", "an empty part is no value"
    column = Column.from_labels("outcome", ["Death"] * 300 + ["", "Recover"] * 200)
    for draw in (
        by_gamma(column, 5),
        by_tolerances(column, Tolerances({"Death": Fraction(3, 5), "": Fraction(2, 5), "Recover": Fraction(2, 5)})),
    ):
        told = draw.told(column.n, column.labels.tolist(), Thresholds())
        said = [*draw.sentences("outcome", Thresholds(), told), *draw.readers("outcome"), draw.words()]
        assert not [each for each in said if "“”" in each]


@pytest.mark.parametrize("cell", [" " * 60_000, "x" * 201, "a" * 30_000 + "\u05d0" * 30_000])
def test_what_is_shown_of_a_value_is_bounded(cell: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A cell may hold a whole page: a sentence and a table show where it begins and ends, in every language."""
    said = say("{column}: “{token}” in {n} records", column="c", token=cell, n=3)
    row = [cell, say("a sentence stays as it is: {words}", words="y" * 300)]
    print_table(["value", "said"], [row])
    printed = capsys.readouterr().out
    for text in (said, language("de").sentence(said), printed[: printed.index("a sentence")].splitlines()[-1].strip()):
        assert len(text) < 250
        assert "…" in text
        assert cell[-3:].strip() in text
    assert "y" * 300 in printed
    assert "x" * 200 in say("“{value}” is whole", value="x" * 200)

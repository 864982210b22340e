"""What three readers learn of one record, against exact enumeration, and said wherever 1/gamma is."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from splu_desktop.core.draw import DecoyGroups
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.guarantees import attackers
from splu_desktop.core.guarantees.attackers import Attack, Figures
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.plan import Thresholds

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_sole_bearer_of_a_value_is_named_wherever_it_is_shown(size: int) -> None:
    # All draws of a group of `size` records, of which record 0 alone has the value: is it shown at all?
    draws = list(itertools.product(range(size), repeat=size))
    shown = Fraction(sum(0 in draw for draw in draws), len(draws))
    assert attackers.sole_bearer(size) == pytest.approx(float(shown), abs=1e-15)


def test_the_sole_bearer_in_figures() -> None:
    assert attackers.sole_bearer(5) == pytest.approx(1 - 0.8**5)
    assert attackers.sole_bearer(10_000) == pytest.approx(0.632, abs=1e-3)


def test_after_reading_is_bayes_over_the_class() -> None:
    # 100 records alike: 81 have s; kept with .3, others led to s with .05.
    assert attackers.after_reading(0.81, 0.3, 0.05) == pytest.approx(81 * 0.3 / (81 * 0.3 + 19 * 0.05))
    assert attackers.after_reading(0.0, 0.3, 0.0) == 0.0
    assert attackers.after_reading(1.0, 0.2, 0.1) == 1.0


@pytest.mark.parametrize("gamma", [2, 3, 5, 10, 50, 500])
def test_every_gamma_is_said_with_all_three_readers(gamma: int) -> None:
    alone, release, insider = attackers.of_gamma("Diagnosis", gamma)
    assert f"1 in {gamma:,} rows on average, before looking" in alone
    assert "nearly certain" in alone
    assert "No group size bounds" in release
    assert "names its bearer" in insider
    sure = int(re.search(r"right with (\d+) %", alone).group(1))  # type: ignore[union-attr]
    assert 85 <= sure <= 99, "the example is about a value that is nearly certain"


def test_what_is_the_same_of_several_columns_is_said_once_and_names_them_all() -> None:
    said = attackers.said_once(
        {name: attackers.of_gamma(name, gamma) for name, gamma in (("a", 3), ("b", 5), ("c", 3))}
    )
    assert said == [
        attackers.of_gamma("a” or “c", 3)[0],
        attackers.of_gamma("b", 5)[0],
        attackers.of_gamma("a”, “b” or “c", 3)[1],
        attackers.of_gamma("a” or “c", 3)[2],
        attackers.of_gamma("b", 5)[2],
    ]
    assert attackers.said_once({"a": attackers.of_gamma("a", 3), "b": ()}) == list(attackers.of_gamma("a", 3))


def test_tolerances_are_said_with_all_three_readers_too() -> None:
    half = (Fraction(1, 2), Fraction(1, 2))
    grouping = DecoyGroups((1, 4), half, Tolerances({"HIV": "0.25", "none": "1"}), 0)
    alone, release, insider = attackers.of_tolerances("Diagnosis", grouping)
    assert "on average" in alone
    assert "No group size bounds" in release
    assert "68 %" in insider, "1 - (3/4)^4, the smallest groups that may hold HIV"
    assert (
        "fake value"
        in attackers.of_tolerances("Diagnosis", DecoyGroups((4,), (Fraction(1),), grouping.tolerances, 1))[2]
    )
    assert attackers.of_tolerances("Diagnosis", DecoyGroups((1,), (Fraction(1),), Tolerances({"none": "1"}), 0)) == ()
    assert any("at most 25 % on average" in each for each in grouping.sentences("Diagnosis", Thresholds()))


FALSE = (
    r"whatever the class",
    r"No record can be linked",
    r"is right with probability 1 in gamma",
    r"right with probability 1/gamma\.",
    r"own only by chance",
    r"may link a person's row",
    r"nobody who finds a row is surer",
    r"rightly believes who knows the mechanism",
    r"unabhängig von der Klasse|gleich in welcher Klasse|also nur durch Zufall|Kein Datensatz kann mit mehr",
    r"quelle que soit la classe|la sienne que par hasard|Aucun enregistrement ne peut être relié",
)
SPOKEN = [
    *(ROOT / "splu_desktop").rglob("*.py"),
    *(ROOT / "resources" / "translations").glob("*.toml"),
    *(ROOT / "resources" / "help").glob("*.md"),
    ROOT / "README.md",
]


@pytest.mark.parametrize("false", FALSE)
def test_no_sentence_bounds_what_is_not_bounded(false: str) -> None:
    """A guarantee about the average over rows is never said of a row that has been read, a class or a person."""
    joined = re.compile(r'"\n\s*f?"')
    for path in SPOKEN:
        text = joined.sub("", path.read_text(encoding="utf-8"))
        assert not re.search(false, text), f"{path.name}: {false}"


@pytest.mark.parametrize(
    "place",
    [
        "splu_desktop/cli/guarantee.py",
        "splu_desktop/cli/guarantee_tolerant.py",
        "splu_desktop/cli/plan.py",
        "splu_desktop/cli/publish.py",
        "splu_desktop/files/release/recipient.py",
        "splu_desktop/gui/plan/figures.py",
        "splu_desktop/gui/plan/tolerant.py",
        "splu_desktop/report/content/described.py",
    ],
)
def test_every_place_that_says_gamma_takes_the_sentences_from_one_source(place: str) -> None:
    assert re.search(
        r"of_gamma|of_tolerances|said_once|\.readers\(|\.figures\(", (ROOT / place).read_text(encoding="utf-8")
    ), place


@pytest.mark.parametrize("text", ["README.md", *(f"resources/help/guide.{each}.md" for each in ("en", "de", "fr"))])
def test_the_texts_tell_of_all_three_readers(text: str) -> None:
    said = " ".join((ROOT / text).read_text(encoding="utf-8").split())
    for wanted in (
        r"before looking at|bevor man ihn ansieht|avant qu'on la regarde",
        r"learns from the whole release|aus der ganzen Freigabe lernt|apprend de toute la publication",
        r"names its bearer|dessen Träger|désigne son porteur",
    ):
        assert re.search(wanted, said), wanted


def test_nobody_is_called_rightly_sure_who_is_wrong_in_half_of_those_rows() -> None:
    """Of nineteen columns that have nothing to do with it, naive Bayes was 80 % sure in 40 % of rows, right in half."""

    def of(name: str, known: float, right: float | None, ends: tuple[float, float] | None = None) -> Figures:
        return Figures(name, 0.5, known, 0.0, right, None, ends_80=ends)

    blind, row = of("margins", 0.0, None), of("row", 0.1, 0.84)
    for believed in (of("naive-bayes-and-row", 0.4, 0.49), of("naive-bayes-and-row", 0.4, 0.49, (0.3, 0.7))):
        attack = Attack("s", "regression", 9, 9, (), 10, None, (blind, row, believed), 0.0, None)
        assert (attack.surest, attack.gained) == (row, pytest.approx(0.084))
        assert replace(attack, figures=(blind, believed)).gained == 0
    sure = of("naive-bayes-and-row", 0.4, 0.79, (0.7, 0.82))
    assert replace(attack, figures=(blind, row, sure)).surest is sure


def test_what_many_columns_come_up_to_is_said_once() -> None:
    """Figures that are bounds: of many sentences that differ in these alone the largest holds for all."""
    said = {
        f"c{at}": [attackers.also_tells(attackers.names_bearer(f"c{at}", 0.5 + 0.03 * at), 0.9 - 0.02 * at)]
        for at in range(12)
    }
    (once,) = attackers.said_once(said, bounds=True)
    assert "“c0”, “c1”, “c2”, 8 more columns or “c11”" in once
    assert "83 %" in once
    assert "90 %" in once
    assert len(attackers.said_once(said)) == 12
    assert len(attackers.said_once({name: said[name] for name in ("c0", "c1", "c2")}, bounds=True)) == 3
    figures = ["1 %", "> 99 %", "99 %", "1,200"]
    many = {
        f"c{at}": [say("“{column}” is right in {most}.", column=f"c{at}", most=Figure(each))]
        for at, each in enumerate(figures)
    }
    assert attackers.said_once(many, bounds=True)[0].endswith("right in 1,200.")
    del many["c3"]
    many |= {"c4": [say("“{column}” is right in {most}.", column="c4", most=Figure("< 1 %"))]}
    assert attackers.said_once(many, bounds=True)[0].endswith("right in > 99 %.")

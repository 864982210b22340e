"""Sentences of a report that were false of the data beside them, or said it in the wrong case."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.draw import PlainGroups, Promise
from splu_desktop.core.draw.draw import sentence_of
from splu_desktop.core.draw.together import planned
from splu_desktop.core.guarantees.attackers import Figures
from splu_desktop.core.guarantees.audience import LEVELS, WHO, Audience
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Table
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.files.language import LANGUAGES, language
from splu_desktop.report import law
from splu_desktop.report.content import closing, document, front
from splu_desktop.report.content.parts import guessed, unbroken
from splu_desktop.report.document import Heading, TableBlock, cell_text
from tests.files.kit_releases import DRAWS, kit_plan, table_of
from tests.report.conftest import Case
from tests.seeded import Seeded


@pytest.mark.parametrize("code", LANGUAGES)
def test_limits_are_said_to_be_asked_for_and_never_to_hold(code: str) -> None:
    """Beside 5.9 % unique records stood “mindestens 5 gleiche Datensätze, höchstens 1 % einzigartig” as a fact."""
    asked = {"en": "Asked for", "de": "Verlangt", "fr": "demandé"}[code]
    for who in WHO:
        for text in (Audience(who).sentence, Audience(who).brief):
            before, there, after = language(code).sentence(text).partition(asked)
            assert there or asked.lower() in before.lower() + after.lower()
            assert not re.search(r"\d", before if there else ""), "no figure before it is said what it is"
    assert len({Audience(who).limits for who in WHO}) == len(LEVELS)


def test_more_values_than_are_named_stand_in_the_case_of_those_named() -> None:
    """“Von den Zeilen, die „a“, „b“, „c“ und 2 weiteren Werten unter „x“ zeigen”"""
    t, thresholds = language("de"), Thresholds()
    for values in ((), tuple("abcde")):
        for confidence in (Fraction(1, 5), Fraction(1)):
            told = t.sentence(sentence_of(Promise(confidence, 0.5, 30, values), "x", thresholds))
            assert ("und 2 weitere Werte" if values else "irgendeinen Wert") in told, "what is shown is accusative"
            assert not re.search(r"weiteren Werten|irgendeinem", told)


def test_of_columns_drawn_together_every_row_shows_a_pair_that_there_was_and_few_keep_their_own() -> None:
    """“What two of them say about each other is kept in 1 of 5 rows” stood under “… stays”, which holds in all."""
    n, gamma = 6_000, 5
    ill, drug = np.arange(n) % 60, np.arange(n) % 61  # no two records have the same two
    cells = {"number": np.arange(n), "ill": ill, "drug": drug}
    table = Table(tuple(Column.from_labels(name, each.astype(str).tolist()) for name, each in cells.items()))
    roles = {"number": Role.NSA, "ill": Role.SA, "drug": Role.SA}
    one_by_one = {"ill": PlainGroups(gamma), "drug": PlainGroups(gamma)}
    kept = []
    for draws in (dict(planned(table, ["ill", "drug"], gamma)), one_by_one):
        published = sanitise.run(table, Plan(roles, draws), randomness=Seeded(3))
        found = published.table
        number, *pair = (np.array(found[name].labels, int)[found[name].codes] for name in cells)
        own = (pair[0] == ill[number]) & (pair[1] == drug[number])
        kept.append(float(own.mean()))
        if draws is not one_by_one:
            there = set(zip(ill.tolist(), drug.tolist(), strict=True))
            assert set(zip(pair[0].tolist(), pair[1].tolist(), strict=True)) <= there
            ((names, block),) = published.blocks.items()
            told = block.costs(found.select(names), published=True)[0]
    together, apart = (Fraction(1, int(text)) for text in re.findall(r"1 in (\d+)", told))
    # Six standard deviations of 6,000 rows: a false alarm in a thousand million.
    assert abs(kept[0] - together) < 0.031
    assert abs(kept[1] - apart) < 0.016
    assert "keeps two of its own values" in told


@pytest.mark.parametrize("name", DRAWS)
def test_what_is_said_of_published_shares_is_said_alike(name: str) -> None:
    """Shares by person lie “between those among persons and those among records”, and “each person weighs alike”."""
    table = table_of(1_500)
    published = sanitise.run(table, kit_plan(table, name), randomness=Seeded(1))
    for column in published.sensitive:
        draw = published.draws[column]
        if "between those among persons and those among records" in draw.how():
            assert "where values were re-drawn each person weighs alike" in draw.caution(column)


@pytest.mark.parametrize("name", DRAWS)
def test_how_often_a_row_is_right_is_said_in_rows(name: str) -> None:
    """“… is the person's own in the share of its tolerance of up to 80 % on average”"""
    table = table_of(1_500)
    for column, draw in kit_plan(table, name).draws.items():
        assert re.match(r"(at most|up to|1 in) .*\brows\b", draw.odds(column)), draw.odds(column)


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_reader_who_knows_more_is_measured_against_who_has_no_table(case: Case, code: str) -> None:
    """Who has the row alone was right in up to 80 % of one column, who learns from the release, too, in 35.1 % of
    another: without a figure to compare it with he seemed to be worse off."""
    t = language(code)
    for report in (case.external, case.internal):
        best, blind = front.strongest(report, front.most_told(report))
        table = next(
            b for b in document(report, code).blocks if isinstance(b, TableBlock) and b.name == t("Three readers")
        )
        said = cell_text(table.rows[1][1])
        assert cell_text(guessed(best, t)) in said
        assert t.percent(blind.right, 1) in said


def test_no_exact_share_is_the_strongest_beside_a_range_that_goes_beyond_it(case: Case) -> None:
    """The chart said 76.1 % of the strongest attacker, the table above it 64–97 % of another."""
    public = case.external.public
    exact, wide = Figures("row", 0.7608, 0.0, None, 0.0, None), Figures("release", 0.7607, 0.0, None, 0.0, None)
    wide = replace(wide, ends=(0.75, 0.98))
    blind = replace(exact, name="margins")
    for figures in ((blind, exact, wide), (wide, exact, blind)):
        attacks = tuple(replace(each, figures=figures) for each in public.risk.attacks)
        report = replace(case.external, public=replace(public, risk=replace(public.risk, attacks=attacks)))
        best, _ = front.strongest(report, public.release.sensitive[0])
        assert best.name == "release"
    assert len({each.name for each in case.external.public.risk.attacks[0].figures}) > 3


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_pack_says_that_what_nobody_typed_stands_there(code: str) -> None:
    """“A date of review stands under the conditions of handing out”, where dots stood."""
    for pack in law.packs(",".join(law.CODES)):
        for demand in pack.demands:
            if demand.by == "custodian":
                assert not re.search("stands under the|steht unter den|figure dans les cond", demand.answer[code])


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_article_of_a_law_loses_its_number(code: str) -> None:
    """“Art. 66 Abs.” stood on a line, and “1” on the next."""
    report_of = {name: unbroken(name) for pack in law.packs(",".join(law.CODES)) for name in places(pack, code)}
    assert any("\u00a0" in told for told in report_of.values())
    assert not [told for told in report_of.values() if re.search(r"\b(?:Art|art|Abs)\. \d", told)]


def places(pack: law.Pack, code: str) -> list[str]:
    return [demand.place[code] for demand in pack.demands]


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_title_says_that_a_risk_was_accepted_which_nobody_accepted(case: Case, code: str) -> None:
    """“Risks accepted before publishing” stood above “shown as a warning, not accepted” in every row."""
    t, known = language(code), case.internal.original
    assert known is not None
    assert known.acknowledged
    shown = tuple(replace(each, accepted=False, words="") for each in known.acknowledged)
    made = document(replace(case.internal, original=replace(known, acknowledged=shown)), code)
    at = next(i for i, block in enumerate(made.blocks) if isinstance(block, Heading) and block.key == "accepted")
    title, table = made.blocks[at], made.blocks[at + 1]
    assert isinstance(title, Heading)
    assert isinstance(table, TableBlock)
    assert cell_text(table.rows[0][-1]) == t("shown as a warning, not acknowledged")
    assert not re.search(r"accepted|hingenommen|accept", title.text)


def test_words_with_which_a_risk_was_accepted_have_room_as_they_are_long(case: Case) -> None:
    """Of two sentences typed each risk was a narrow tower of lines."""
    known = case.internal.original
    assert known is not None
    assert known.acknowledged
    weights, other = (
        [],
        replace(known.acknowledged[0], words="ok", sentence="A long finding of another condition. " * 40),
    )
    for words in ("ok", "approved by the board of the hospital " * 8):
        told = (other, *(replace(each, words=words) for each in known.acknowledged))
        (table,) = closing.accepted(replace(case.internal, original=replace(known, acknowledged=told)), language("en"))
        assert isinstance(table, TableBlock)
        weights.append(table.weights[-1] / sum(table.weights))
    assert weights[0] < 1 / 4 < 1 / 3 < weights[1] < 1 / 2

"""What the report says in plain words is true of the table at hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from splu_desktop.files.language import LANGUAGES, language
from splu_desktop.report.content.opening import promises, what_was_done
from splu_desktop.report.content.risk import _diversity, measured
from splu_desktop.report.content.utility import _marginal
from splu_desktop.report.document import Block, Paragraph
from splu_desktop.report.model import Report
from tests.report.conftest import Case


def said(blocks: list[Block]) -> list[str]:
    return [block.text for block in blocks if isinstance(block, Paragraph)]


def with_columns(report: Report, **generalised: tuple[dict[str, str], ...]) -> Report:
    columns = tuple(replace(c, generalised=generalised.get(c.name, c.generalised)) for c in report.public.columns)
    return replace(report, public=replace(report.public, columns=columns))


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_column_made_coarser_is_not_called_as_it_was(case: Case, code: str) -> None:
    t = language(code)
    report = with_columns(case.external, age=({"how": "intervals"},))
    as_they_are, coarser = said(what_was_done(report, t))[1:3]
    age, ward = (t("“{name}”", name=name) for name in ("age", "ward"))
    assert (age in as_they_are, ward in as_they_are) == (False, True)
    assert (age in coarser, ward in coarser) == (True, False)


def test_nothing_is_said_of_columns_that_are_not_there(case: Case) -> None:
    public = case.external.public
    sensitive = tuple(c for c in public.columns if c.role == "sa")
    report = replace(case.external, public=replace(public, columns=sensitive))
    assert not [text for text in said(what_was_done(report, language("en"))) if "as they are" in text]


def test_one_value_and_no_value_are_said_in_words(case: Case) -> None:
    t, internal = language("en"), case.internal
    assert internal.original is not None
    marginal = replace(internal.original.marginals[0], small_values=0, small_wrong=0)
    assert "No value has a small count." in said(_marginal(marginal, internal, t))[0]
    marginal = replace(marginal, large_values=0, large_wrong=0)
    assert "No value has a count that can be answered." in said(_marginal(marginal, internal, t))[0]
    assert "of 0" not in said(_marginal(marginal, internal, t))[0]
    one = replace(internal.public.risk.disclosure[0], distinct_l=1)
    assert "shows a single value" in said(_diversity(one, t))[0]


def test_no_class_and_no_attack_is_told_where_nothing_is_unchanged(case: Case) -> None:
    t, public = language("en"), case.external.public
    alone = replace(public.risk, recognisable=replace(public.risk.recognisable, nsas=()))
    blocks = measured(replace(case.external, public=replace(public, risk=alone)), t)
    assert said(blocks)[0].startswith("No column is published unchanged")
    assert not [text for text in said(blocks) if "attacker" in text or "classes" in text]
    one = replace(public.risk, recognisable=replace(public.risk.recognisable, nsas=("age",)))
    assert said(measured(replace(case.external, public=replace(public, risk=one)), t))[0].startswith(
        "The one unchanged"
    )


def test_a_table_of_one_column_is_called_so_and_no_line_begins_with_a_per_cent_sign(case: Case) -> None:
    t, public = language("en"), case.external.public
    one = replace(case.external, public=replace(public, release=replace(public.release, columns=1)))
    assert "one column was released" in said(what_was_done(one, t))[0]
    assert not [text for text in promises("illness", case.external, t) if " %" in text]

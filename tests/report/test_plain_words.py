"""What the report says in plain words is true of the table at hand."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from splu_desktop.files.language import LANGUAGES, language
from splu_desktop.report.content import document
from splu_desktop.report.content.described import done
from splu_desktop.report.content.risk import measured
from splu_desktop.report.content.worth import measured as worth
from splu_desktop.report.document import Block, FigureBlock, Number, Paragraph, TableBlock, cell_text
from splu_desktop.report.model import Report
from splu_desktop.report.scene import Words
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
    as_they_are, coarser = said(done(report, t))[1:3]
    age, ward = (t("“{name}”", name=name) for name in ("age", "ward"))
    assert (age in as_they_are, ward in as_they_are) == (False, True)
    assert (age in coarser, ward in coarser) == (True, False)


def test_nothing_is_said_of_columns_that_are_not_there(case: Case) -> None:
    public = case.external.public
    sensitive = tuple(c for c in public.columns if c.role == "sa")
    report = replace(case.external, public=replace(public, columns=sensitive))
    assert not [text for text in said(done(report, language("en"))) if "as they are" in text]


def test_of_no_count_none_is_said_to_be_wrong(case: Case) -> None:
    t, internal = language("en"), case.internal
    assert internal.original is not None
    none = replace(internal.original.marginals[0], small_values=0, small_wrong=0, large_values=0, large_wrong=0)
    original = replace(internal.original, marginals=(none,))
    tables = [block for block in worth(replace(internal, original=original), t) if isinstance(block, TableBlock)]
    table = next(block for block in tables if block.name == "Counts before and after")
    assert [cell_text(cell) for cell in table.rows[0][1:5]] == ["0", "–", "0", "–"]


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


def test_a_table_of_one_column_is_called_so(case: Case) -> None:
    t, public = language("en"), case.external.public
    one = replace(case.external, public=replace(public, release=replace(public.release, columns=1)))
    assert "one column was released" in said(done(one, t))[0]


def test_an_estimate_never_stands_without_its_range(case: Case) -> None:
    """What 97 % of the rows are believed to tell, and 78 % truly did: figure, workbook and page told 97 alone."""
    public = case.external.public
    (attack,) = public.risk.attacks
    sure = {"right": 0.97531, "right_80": 0.97531, "right_95": 0.97531}
    ends = dict.fromkeys(("ends", "ends_80", "ends_95"), (0.7402, 0.9981))
    believed = tuple(replace(f, **sure, **ends, known_80=0.2) if f.ends is not None else f for f in attack.figures)
    risk = replace(public.risk, attacks=(replace(attack, figures=believed),))
    made = document(replace(case.external, public=replace(public, risk=risk)))
    texts = [block.text for block in made.blocks if isinstance(block, Paragraph)]
    for block in made.blocks:
        if isinstance(block, TableBlock):
            cells = [cell for row in block.rows for cell in row]
            texts += map(cell_text, cells)
            assert not [cell for cell in cells if isinstance(cell, Number) and cell.value == 0.97531]
        elif isinstance(block, FigureBlock):
            texts += [shape.text for shape in block.scene.items if isinstance(shape, Words)]
    assert not [text for text in texts if re.search(r"97[.,]5|\b98\u00a0?%", text)]
    assert len([text for text in texts if "74–100" in text]) > 8
    assert replace(attack, figures=believed).gained == pytest.approx(0.2 * 0.9981)

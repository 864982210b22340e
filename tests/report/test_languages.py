"""English is complete by being the key; German and French have every sentence, with the same placeholders."""

from __future__ import annotations

import ast
import string
from pathlib import Path

import pytest

import splu_desktop.report as room
from splu_desktop.core import sentences
from splu_desktop.core.errors import BadSetting
from splu_desktop.report.content import document
from splu_desktop.report.document import Figure, Heading, Paragraph, SignatureLines, Table, cell_text
from splu_desktop.report.language import LANGUAGES, Language, language
from tests.report.conftest import Case

TRANSLATED = [code for code in LANGUAGES if code != "en"]


def messages() -> set[str]:
    """Every sentence that the report can say: the first argument of t(...) and mark(...)."""
    found = set()
    for path in Path(room.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("t", "mark"):
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    found.add(first.value)
                else:  # t(NAME[...]) and t(name): what such tables hold is marked where it is written
                    assert node.func.id == "t"
    return found


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("code", TRANSLATED)
def test_no_sentence_lacks_a_translation(code: str) -> None:
    have, wanted = set(language(code).messages), messages()
    assert len(wanted) > 300
    assert not wanted - have, "add these to resources/translations"
    assert not have - wanted, "nobody says these any more"


@pytest.mark.parametrize("code", TRANSLATED)
def test_placeholders_are_kept(code: str) -> None:
    t = language(code)
    for english, translated in [*t.messages.items(), *t.core.items()]:
        assert translated.strip(), english
        assert placeholders(english) == placeholders(translated), english


@pytest.mark.parametrize("code", TRANSLATED)
def test_all_languages_have_the_same_core_sentences(code: str) -> None:
    assert set(language(code).core) == set(language(TRANSLATED[0]).core)


@pytest.mark.parametrize("code", TRANSLATED)
@pytest.mark.parametrize(
    ("gamma", "epsilon", "alpha", "t_e"),
    [
        (2, "0.3", 3, "0.05"),
        (10, "0.02", 1, "0.02"),
        (7, "0.125", 12, "0.001"),
        (2, "1", 1, "0.5"),
        (3, "0.4", 2000, "0.3"),
    ],
)
def test_promises_are_translated_and_keep_their_numbers(
    code: str, gamma: int, epsilon: str, alpha: int, t_e: str
) -> None:
    t = language(code)
    for english in (
        sentences.small_count_promise(gamma, epsilon, alpha, column="x, 1.5"),
        sentences.large_count_promise(gamma, epsilon, t_e, column="x, 1.5"),
    ):
        said = t.sentence(english)
        assert said != english
        assert "x, 1.5" in said, "a column's name is not a number"
        # The same digits stand in the other language's sentence, whatever its marks and order.
        digits = sorted(c for c in english.replace("x, 1.5", "") if c.isdigit())
        assert sorted(c for c in said.replace("x, 1.5", "") if c.isdigit()) == digits


@pytest.mark.parametrize("code", TRANSLATED)
def test_what_the_core_says_in_a_report_is_translated(case: Case, code: str) -> None:
    t, original = language(code), case.internal.original
    assert original is not None
    said = [check.sentence for check in (*case.internal.public.checks, *original.checks)]
    said += [column.reason for column in original.columns]
    said += [each.sentence for each in original.acknowledged or () if each.sentence]
    said += [why for _, _, why in original.source.choices if why]
    said += [each.relation for each in original.earlier or ()]
    said += [band.label for utility in original.utility for band in utility.bands if not band.label[0].isdigit()]
    assert len(said) > 15
    untranslated = [sentence for sentence in said if t.sentence(sentence) == sentence]
    assert not untranslated


def blocks(case: Case, code: str) -> list[str]:
    found: list[str] = []
    for block in document(case.internal, code).blocks:
        if isinstance(block, Heading | Paragraph):
            found.append(block.text)
        elif isinstance(block, Table):
            found += [*block.header, *(cell_text(cell) for row in block.rows for cell in row)]
        elif isinstance(block, Figure):
            found += [block.caption, block.words]
        elif isinstance(block, SignatureLines):
            found += block.labels
    return found


@pytest.mark.parametrize("code", TRANSLATED)
def test_no_english_is_left_in_a_translated_report(case: Case, code: str) -> None:
    """Words that stand in English sentences and in no other language of the report."""
    english = {" the ", " records ", " whose ", " with ", " which ", " is "}
    own = {"Approved by the board"}  # the custodian's words stay as they were typed
    left = [t for t in blocks(case, code) if t not in own and any(word in f" {t} " for word in english)]
    assert not left


def test_each_language_writes_numbers_its_own_way() -> None:
    texts = {code: language(code).number(1234567.891, 1) for code in LANGUAGES}
    assert texts == {"en": "1,234,567.9", "de": "1.234.567,9", "fr": "1\u202f234\u202f567,9"}
    assert language("de").percent(0.12345, 2) == "12,35\u00a0%"
    assert language("fr").plain(0.05) == "0,05"
    assert Language().size(598_266) == "598.3\u00a0kB (598,266 B)"
    assert Language().moment("2026-11-21T07:04:20+01:00") == "2026-11-21 07:04:20 UTC+01:00"


def test_an_unknown_language_gets_a_sentence() -> None:
    with pytest.raises(BadSetting, match="does not speak “xx”"):
        language("xx")

"""English is complete by being the key; German and French have every sentence, with the same placeholders."""

from __future__ import annotations

import copy
import json
import pickle
import re
import string

import pytest

from scripts import translations
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.guarantees import sentences
from splu_desktop.core.messages import Figure as Number
from splu_desktop.core.messages import counted, listed, say
from splu_desktop.files.language import LANGUAGES, ROOMS, Language, language
from splu_desktop.report.content import document
from splu_desktop.report.document import FigureBlock, Heading, Paragraph, SignatureLines, TableBlock, cell_text
from tests.report.conftest import Case

TRANSLATED = [code for code in LANGUAGES if code != "en"]


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("code", TRANSLATED)
def test_every_sentence_is_translated_and_none_is_left_over(room: str, code: str) -> None:
    have, wanted = set(translations.catalogue(room, code)), set(translations.wanted(room))
    assert len(wanted) > 300
    assert not wanted - have, "python scripts/translations.py prints these; translate them in resources/translations"
    assert not have - wanted, "nobody says these any more; python scripts/translations.py --write drops them"


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("code", TRANSLATED)
def test_placeholders_and_markup_are_kept(room: str, code: str) -> None:
    for english, translated in translations.catalogue(room, code).items():
        assert bool(translated.strip()) == bool(english.strip()), english
        assert placeholders(english) == placeholders(translated), english
        assert sorted(re.findall(r"</?[a-z]+", english)) == sorted(re.findall(r"</?[a-z]+", translated)), english
        # A part that is glued to others keeps its blank at the seam.
        assert not english[:1].isspace() or translated[:1].isspace(), english
        assert english[-1:].isspace() == translated[-1:].isspace(), english
        assert ("&" in english) == ("&" in translated), english  # a mnemonic has one in every language


def test_no_sentence_is_glued_together() -> None:
    """What an f-string makes is no sentence of the catalogue: `say` and `tr` with placeholders are."""
    allowed = (
        "splu_desktop/gui/shell/smoke_test.py",
        "splu_desktop/gui/base/theme.py",
        "splu_desktop/report/render/schema.py",
    )
    names = (
        "type of ",
        "name of ",
        "label of ",
        "days of ",
        "texts of ",
        "zeros of ",
        "merged cells of ",
        "resources/",
    )  # keys of mappings, and a fault of the build
    found = [
        place
        for room in ("core", "files", "compare", "gui", "report")
        for place in translations.glued(translations.PACKAGE / room)
        if not place.startswith(allowed)
        and not any(f": {name}" in place for name in names)
        and "generalise/intervals.py" not in place  # labels of intervals are data: they stand in the table
        and "release/described.py" not in place  # commands of other programs
    ]
    assert not found


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
        elif isinstance(block, TableBlock):
            found += [*block.header, *(cell_text(cell) for row in block.rows for cell in row)]
        elif isinstance(block, FigureBlock):
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
    assert [language("de").percent(share) for share in (0.0, 3e-4, -3e-4, -0.02)] == [
        "0\u00a0%",
        "<\u00a00,1\u00a0%",
        ">\u00a0-0,1\u00a0%",
        "-2,0\u00a0%",
    ]
    assert language("fr").plain(0.05) == "0,05"
    assert Language().size(598_266) == "598.3\u00a0kB (598,266 B)"
    assert language("fr").size(1_276_227) == "1,3\u00a0Mo (1\u202f276\u202f227 o)"
    assert language("fr").from_english("1.3 MB") == "1,3 Mo"
    assert Language().moment("2026-11-21T07:04:20+01:00") == "2026-11-21 07:04:20 UTC+01:00"


def test_an_unknown_language_gets_a_sentence() -> None:
    with pytest.raises(BadSetting, match="does not speak “xx”"):
        language("xx")


def test_a_sentence_is_text_and_knows_what_it_was_made_of() -> None:
    said = say("{alone} of {records} records", alone=19_994, records=20_000)
    assert said == "19,994 of 20,000 records"
    assert str(said) is said
    assert str(BadSetting(said)) is said
    again = pickle.loads(pickle.dumps(copy.deepcopy(said)))
    assert (again, again.template, again.values) == (said, said.template, said.values)
    assert json.dumps(said) == '"19,994 of 20,000 records"'
    assert counted(1, "1 record", "{n} records") == "1 record"
    assert listed(["a", "b", "c"]) == "a, b and c"


@pytest.mark.parametrize("code", TRANSLATED)
def test_data_is_never_translated(code: str) -> None:
    """A column named like a word of the catalogue keeps its name, said at once or found in an old register."""
    said = say("Column “{column}” is missing from the table.", column="address")
    for sentence in (said, str.__str__(said)):
        assert "address" in language(code).sentence(sentence)
        assert language(code).sentence(sentence) != sentence


def test_numbers_and_parts_are_written_the_readers_way() -> None:
    said = say("About {needed} of memory are needed.", needed=Number("1.5 GB"))
    assert language("de").sentence(said) == "Etwa 1,5 GB Speicher werden gebraucht."
    said = say("All {records} records are there.", records=1_234_567)
    assert language("fr").sentence(said) == "Les 1\u202f234\u202f567 enregistrements sont tous là."
    assert language("fr").sentence(str.__str__(said)) == language("fr").sentence(said), "also from an old register"
    nested = say("Put {what}", what=say("dates into their year"))
    assert language("de").sentence(nested) == "Gruppieren: Datumsangaben zu ihrem Jahr"


@pytest.mark.parametrize("room", ROOMS)
def test_french_marks_have_their_blanks(room: str) -> None:
    """Narrow before ; ? and !, wide before : » and % and behind «, and no line ends at any of them."""
    french = language("fr")
    for english, said in {"report": french.messages, "core": french.core, "window": french.window}[room].items():
        # Commands, questions as they are typed, kinds of files and what Windows forbids are no French.
        text = re.sub(r"splu .*|'[^']*'|=\S+; \S+=|!=|;;|[<>]:\"\|\?\*|</?\w+/?>|%\(", "", said)
        text = re.sub(r"%%|(unique=1|within 10)%", "", text).replace("&nbsp;", "\u00a0")
        assert not re.findall(r"(?<!\u202f)[;?!]|(?<!\u00a0)[»%]|«(?![\u00a0\u202f])|[^\u00a0\W]: ", text), english


def test_what_is_put_together_has_the_blanks_of_its_language() -> None:
    assert [language(code).joined(("a", "b", "c")) for code in LANGUAGES] == [
        "a; b; c",
        "a; b; c",
        "a\u202f; b\u202f; c",
    ]
    assert language("fr").joined(("a", "b"), ":") == "a\u00a0: b"
    by_hand = [
        f"{path.relative_to(translations.PACKAGE)}: {line.strip()}"
        for room in ("gui", "report", "files/release")
        for path in sorted((translations.PACKAGE / room).rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"""f".*\}[;:] \{|"[;:] "\.join""", line)
    ]
    assert [place.partition(":")[0] for place in by_hand] == [
        "gui/publish/gate.py",  # what the custodian typed, as it is kept
        "gui/query/analyse/condition_edit.py",  # conditions as they are typed and read
        "gui/shell/smoke_test.py",  # a fault of the build
    ], by_hand

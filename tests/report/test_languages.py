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
from splu_desktop.core.generalise import Rare
from splu_desktop.core.generalise.chapters import NO_CHAPTER, _chapters
from splu_desktop.core.generalise.dates import WEEKDAYS
from splu_desktop.core.messages import Figure, Phrase, listed, say
from splu_desktop.core.sanitise import OTHER
from splu_desktop.files.language import LANGUAGES, ROOMS, Language, language
from tests.report.conftest import REASON, TITLE, Case

TRANSLATED = [code for code in LANGUAGES if code != "en"]


def placeholders(text: str) -> set[str]:
    parts = [(name, spec or "") for _, name, spec, _ in string.Formatter().parse(text) if name is not None]
    return {name for name, _ in parts}.union(*(placeholders(spec) for _, spec in parts))  # "{n:one|{n} rows of {all}}"


@pytest.mark.parametrize("room", ROOMS)
def test_every_sentence_is_translated_and_none_is_left_over(room: str) -> None:
    wanted = set(translations.wanted(room))
    assert len(wanted) > 100
    for code in TRANSLATED:
        have = set(translations.catalogue(room, code))
        assert not wanted - have, f"python scripts/translations.py prints these; translate them to {code}"
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


def test_a_number_that_may_be_1_has_words_for_it() -> None:
    """“1 values are secret” is no sentence in any language."""
    never_1 = {
        "{share} of the {n} rows ({low} to {high})",
        "At most {high} of {n} rows.",
        "Of {n} rows; how many of them have it is estimated.",
        "{what}: {n} rows, counted; how many of them have the rest is estimated.",
        "{n} points",  # of per cent, with decimals
        "{stage}: {share}, about {n} seconds left",
        "{stage}: {share}, about {n} minutes left",
    }
    said = {
        english: re.findall(r"\{(n|rows|columns)\} (?:[a-z]+ )?[a-z]+s\b", english) for english in language("de").window
    }
    found = {english for english, numbers in said.items() if any(f"{{{n}:" not in english for n in numbers)}
    assert found == never_1


def test_no_sentence_is_glued_together() -> None:
    """What an f-string makes is no sentence of the catalogue: `say` and `t` with placeholders are."""
    apart = (
        "smoke_test.py",  # faults of the build
        "core/resources.py",
        "gui/base/theme.py",  # a style sheet
        "generalise/intervals.py",  # labels of intervals are data: they stand in the table
        "release/dictionary.py",  # commands of other programs
        "large/table.py",  # queries
        "large/duck.py",
        "cluster/spark.py",
    )
    keys = re.compile(r": (?:type|name|label|periods|texts|merged cells|days|zeros) of \0?$")  # of mappings
    found = [
        place
        for room in ("core", "files", "compare", "gui", "report", "cli")
        for place in translations.glued(translations.PACKAGE / room)
        if not any(each in place for each in apart) and not keys.search(place)
    ]
    assert not found


@pytest.mark.parametrize("code", TRANSLATED)
def test_no_english_is_left_in_a_translated_report(case: Case, code: str) -> None:
    """Words that stand in English sentences and in no other language of the report."""
    english = {" the ", " records ", " whose ", " with ", " which ", " is "}
    texts = [*case.report(internal=True).document(code).texts(), *case.report(internal=False).document(code).texts()]
    own = (REASON, TITLE)  # the custodian's words stay as they were typed
    left = [t for t in texts if not any(each in t for each in own) and any(word in f" {t} " for word in english)]
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
    assert language("fr").from_english("1.3 MB") == "1,3 Mo"
    assert Language().moment("2026-11-21T07:04:20+01:00") == "2026-11-21 07:04:20 UTC+01:00"
    days = [language(code).day("2026-11-21T07:04:20+01:00") for code in LANGUAGES]
    assert days == ["2026-11-21", "21.11.2026", "21/11/2026"]
    assert language("de").day("Ende des Projekts") == "Ende des Projekts"


def test_an_unknown_language_gets_a_sentence() -> None:
    with pytest.raises(BadSetting, match="“xx” is none of en, de, fr"):
        language("xx")


def test_a_sentence_is_text_and_knows_what_it_was_made_of() -> None:
    said = say("{alone} of {records} records", alone=19_994, records=20_000)
    assert said == "19,994 of 20,000 records"
    assert str(said) is said
    assert str(BadSetting(said)) is said
    again = pickle.loads(pickle.dumps(copy.deepcopy(said)))
    assert (again, again.template, again.values) == (said, said.template, said.values)
    assert json.dumps(said) == '"19,994 of 20,000 records"'
    shown = [say("{n} {n:record|records|record kept}", n=n) for n in (0, 1, 2, 1_000)]
    assert shown == ["0 record kept", "1 record", "2 records", "1,000 records"]
    german = [language("de").sentence(say("{n} {n:row|rows}", n=n)) for n in (1, 2, say("rows"), Figure("1 in 3"))]
    assert german == ["1 Zeile", "2 Zeilen", "Zeilen Zeilen", "1 von 3 Zeilen"]
    assert listed(["a", "b", "c"]) == "a, b and c"


@pytest.mark.parametrize("code", TRANSLATED)
def test_data_is_never_translated(code: str) -> None:
    """A column named like a word of the catalogue keeps its name."""
    said = say("“{column}” has no value “{value}”.", column="address", value="date")
    assert "address" in language(code).sentence(said)
    assert language(code).sentence(said) != said


def test_bands_that_we_named_are_said_in_the_readers_language_and_no_other_value_is() -> None:
    german = language("de")
    assert [german.value(each) for each in ("below 20", "20 to 39", "80 and more")] == [
        "unter 20",
        "20 bis 39",
        "80 und mehr",
    ]
    assert german.value("") == "(leer)"
    assert german.value("none") == "none"
    assert german.value("date") == "date"
    assert language("en").value("20 to 39") == "20 to 39"


@pytest.mark.parametrize("code", TRANSLATED)
def test_groups_that_we_named_are_said_in_the_readers_language(code: str) -> None:
    """Rare values, quarters, days of the week and chapters of diagnoses, alone and in a sentence."""
    own = language(code)
    chapters = {title for titles in _chapters().values() for title in titles.values()}
    assert set(own.names) == {OTHER, NO_CHAPTER, *WEEKDAYS, *chapters}
    assert all(own.value(name) == own.names[name] != name for name in own.names)
    assert own.sentence(Rare(5).words).count(own.names[OTHER]) == 1
    assert own.sentence(say("“{column}” has no value “{value}”.", column=OTHER, value=OTHER)).count(OTHER) == 1
    assert language("fr").value("2016 Q1") == "2016 T1"
    assert [language("en").value(name) for name in own.names] == list(own.names)


@pytest.mark.parametrize("room", ROOMS)
def test_french_marks_have_their_blanks(room: str) -> None:
    """Narrow before ; ? and !, wide before : » and % and behind «, and no line ends at any of them."""
    french = language("fr")
    for english, said in {"report": french.messages, "core": french.core, "window": french.window}[room].items():
        # Commands, formulas, questions as they are typed, kinds of files and what Windows forbids are no French.
        text = re.sub(
            r"splu .*|import splu_release; .*|« ?.?COLUMN=[^»]*»|'[^']*'|=\S+; \S+=|"
            r"=[A-Z.]+\([^)]*\)|!=|;;|[<>]:\"\|\?\*|</?\w+/?>|%\(",
            "",
            said,
        )
        text = re.sub(r"%%|(unique=1|within 10)%", "", text).replace("&nbsp;", "\u00a0")
        assert not re.findall(r"(?<!\u202f)[;?!]|(?<!\u00a0)[»%]|«(?![\u00a0\u202f])|[^\u00a0\W]: ", text), english


def test_what_is_put_together_has_the_blanks_of_its_language() -> None:
    assert [language(code).join(("a", "b", "c")) for code in LANGUAGES] == [
        "a; b; c",
        "a; b; c",
        "a\u202f; b\u202f; c",
    ]
    assert language("fr").join(("a", "b"), ":") == "a\u00a0: b"
    said = Phrase("{column}: {why}", {"column": "a", "why": "b"})
    assert [language(code).sentence(said) for code in LANGUAGES] == ["a: b", "a: b", "a\u00a0: b"]

"""German and French say one thing by one word: that of docs/glossary.md, never one that means something else."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from scripts import translations
from splu_desktop.core.generalise import Age
from splu_desktop.files.language import ROOMS, language

ROOT = Path(__file__).parents[2]
# Words that promise something else, or name a thing for which the glossary has another word.
_REFUSED = {
    "de": r"Rezept|[Tt]reuhänder|Veröffentlichung|[Ff]reigeb|[Ff]reigegeb|\bexakt|(?<!un)(?<!zu)\b[Vv]erlässlich|γ"
    r"|95-%-(?!Konfidenz)|95[ \u00a0]%-Intervall|Anzahlen stimmen|[Zz]u(?:ge)?sag[et]"
    r"|Tschebyscho|\bLerner\b|naives Bayes|datenhaltend|Restsignal|Schnittpunkt"
    r"|\bRegister\b(?! der Grund)|\bnehme\b.* an\b",
    "fr": r"\bretir\w* au sort|\b[Rr]etirage|\b[Aa]pprenants? calibré"
    r"|[Mm]ontrée?s? fau(?:x|sse)|répondue?s?\b|γ|[Ii]ntervalles? à 95\b"
    # "27 sur 100 cas" and "0 des 12 cellules" are no French: what is counted stands before "sur".
    r"|\btir\w+ de nouveau|dans (?:au \w+ )?\{\w+\} (?:cas|publications)\b(?! sur)|\{answered\} des",
}
_REFUSED_WHOLE = {"de": {"Verbunden", "Gezogen"}, "fr": {"Groupé"}}
# In French "retirée" is withdrawn, and only said where the English says so.
_WITHDRAWN = re.compile(r"\b[Rr]etirée?s?\b")
_TAKEN = re.compile(r"withdr|taken (?:out|back)|removed", re.IGNORECASE)


@pytest.mark.parametrize(("code", "day"), [("en", "2024-12-31"), ("de", "31.12.2024"), ("fr", "31/12/2024")])
def test_days_in_sentences_are_written_as_the_language_writes_them(code: str, day: str) -> None:
    assert day in language(code).sentence(Age("2024-12-31").words)


def _said(code: str) -> list[tuple[str, str]]:
    said = [pair for room in ROOMS for pair in translations.catalogue(room, code).items()]
    packs = [tomllib.loads(path.read_text("utf-8")) for path in (ROOT / "resources" / "law").glob("*.toml")]
    demands = [demand for pack in packs for demand in pack["demand"]]
    assert demands
    said += [(each["en"], each[code]) for demand in demands for each in (demand["asks"], demand["answer"])]
    many = re.compile(r"\{\w+:[^|{}]*\|([^{}]*)\}")  # "{n} {n:row|rows}": all but the numbers are words
    return [(english, many.sub(r"\1", text.replace("&", ""))) for english, text in said]  # "Re&zept" is a word, too


@pytest.mark.parametrize("code", sorted(_REFUSED))
def test_no_word_that_means_something_else(code: str) -> None:
    guide = (ROOT / "resources" / "help" / f"guide.{code}.md").read_text(encoding="utf-8").splitlines()
    refused = re.compile(_REFUSED[code])
    said = [text for _, text in _said(code)]
    assert len(said) > 1000
    installers = [path.read_text("utf-8") for path in (ROOT / "installer").rglob("*") if path.is_file()]
    theirs = [
        line for text in installers for line in text.splitlines() if re.search(rf'\[{code}\]|"{code}"|^{code}\.', line)
    ]
    assert len(theirs) > 5
    assert not [text for text in (*said, *guide, *theirs) if refused.search(text) or text in _REFUSED_WHOLE[code]]


def test_a_french_column_is_withdrawn_only_where_it_is() -> None:
    assert not [text for english, text in _said("fr") if _WITHDRAWN.search(text) and not _TAKEN.search(english)]


@pytest.mark.parametrize(
    ("code", "english", "word"),
    [
        ("de", r"\bcustodian", r"verantwortliche"),
        ("fr", r"\bcustodian", r"dépositaire"),
        ("de", r"(?<!-)\brecipe", r"vorlage"),
        ("fr", r"(?<!-)\brecipe", r"recette"),
        ("de", r"\breliable\b", r"zuverlässig|gesichert"),
        ("de", r"\bfake values?\b", r"scheinwert"),
        ("fr", r"\bfake values?\b", r"factice"),
        ("de", r"\bnames? (?:a |the )?persons?\b", r"benann|benenn"),
        ("fr", r"\bnames? (?:a |the )?persons?\b", r"désign"),
        ("de", r"\bsecret\b", r"geheim"),
        ("fr", r"\bsecret\b", r"secr[eè]t"),
        ("de", r"\bleft out\b", r"weggelassen|wegblieben"),
        ("fr", r"\bleft out\b", r"laissée?s?}? de côté|écartées"),
        ("de", r"\bdrawn anew\b", r"neu gezogen"),
        ("fr", r"\bdrawn anew\b", r"à nouveau"),
        ("de", r"\bstrength\b", r"stärke"),
        ("fr", r"\bstrength\b", r"force"),
        ("de", r"\breadable\b", r"lesbar"),
        ("fr", r"\breadable\b", r"lisible"),
        ("de", r"\btoo rough\b", r"zu grob"),
        ("fr", r"\btoo rough\b", r"trop imprécis"),
        ("de", r"\blook alike\b", r"gleich aus"),
        ("fr", r"\blook alike\b", r"ressembl"),
        ("de", r"\briskiest group\b", r"gefährdetste"),
        ("fr", r"\briskiest group\b", r"groupe le plus exposé"),
        ("de", r"\bproposal\b", r"vorschlag"),
        ("fr", r"\bproposal\b", r"proposition"),
    ],
)
def test_what_the_glossary_names_is_said_so(code: str, english: str, word: str) -> None:
    of_it = [(one, text) for one, text in _said(code) if re.search(english, one, re.IGNORECASE)]
    assert of_it, "nobody says this any more"
    assert not [text for _, text in of_it if not re.search(word, text, re.IGNORECASE)]


def test_no_report_takes_the_custodian_for_a_hospital() -> None:
    packs = "".join(path.read_text("utf-8") for path in (ROOT / "resources" / "law").glob("*.toml"))
    said = [*translations.catalogue("report", "de"), *packs.splitlines()]
    assert not [text for text in said if re.search(r"\bhospital", text)]

"""Sentences show names and values in bounds, in the reader's marks."""

from __future__ import annotations

import re

import pytest

from splu_desktop.cli.base.output import print_table
from splu_desktop.core.messages import Phrase, quoted, say
from splu_desktop.core.resources import read_toml, resource_path
from splu_desktop.files.language import ROOMS, language


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
    assert isinstance(wide.values["value"], Phrase), "so that it is translated"
    assert say("“{value}” {n:once|{n} times}", n=1, value="") == "“(empty)” once"
    assert say("{words}{more}.", words="done", more="") == "done.", "an empty part is no value"


def test_a_sentence_names_our_bands_in_the_reader_s_words() -> None:
    said = say("“{value}” of “{column}” counts as not secret.", value="below 20", column="20 to 39")
    assert said.startswith("“below 20” of “20 to 39”")
    assert language("de").sentence(said).startswith("„unter 20“ von „20 to 39“"), "a column's name is no band"


def test_no_number_stands_before_the_word_for_persons_or_rows() -> None:
    """That word is a plural in every language: “1 persons stand out”. Behind a colon it does no harm."""
    for path in (resource_path(f"translations/{room}.{code}.toml") for room in ROOMS for code in ("de", "fr")):
        for english, own in read_toml(path).items():
            for text in (english, own):
                assert not re.search(r"\{\w+\} \{who\}", re.sub(r"\|[^|]*\}", "", str(text))), text


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

"""Names written from right to left turn no sentence round, in any language and at any of its doors."""

from __future__ import annotations

import ast
import re
import string
import unicodedata
from pathlib import Path

import pytest
from fpdf.bidi import BidiParagraph
from fpdf.enums import TextDirection
from hypothesis import given, settings
from hypothesis import strategies as st

from scripts import translations
from splu_desktop.cli import main
from splu_desktop.cli.base.output import one_line
from splu_desktop.core.messages import Figure, isolated, listed, say
from splu_desktop.files.language import LANGUAGES, language
from splu_desktop.gui.base.words import filled
from splu_desktop.report.lines import wrapped
from splu_desktop.report.render.pdf import in_order_of_sight
from tests.report.test_layout import shared_pen

PACKAGE = Path(__file__).parents[2] / "splu_desktop"
NAMES = ("شكوى رئيسية", "שם משפחה 2", "Age עמודה", "\u202eabc", "a\u2069 b", "\u2068\u2068ward")


def _open(text: str) -> str:
    """Return what of a text stands outside isolates; fails if one is not closed, or closed twice."""
    depth, outside = 0, ""
    for letter in text:
        depth += (letter == "\u2068") - (letter == "\u2069")
        assert depth in (0, 1), text
        outside += "" if depth else letter
    assert depth == 0, text
    return outside


def _turns(text: str) -> bool:
    return any(unicodedata.bidirectional(c) in ("R", "AL", "RLO", "LRO", "RLE", "LRE", "PDF", "RLI") for c in text)


def _values(template: str) -> dict[str, object]:
    """Return a name for each placeholder, and a number for those that are formatted as one."""
    fields = [(name, spec) for _, name, spec, _ in string.Formatter().parse(template) if name]
    return {name: 0.5 if spec else NAMES[at % len(NAMES)] for at, (name, spec) in enumerate(fields)}


@pytest.mark.parametrize("room", ["core", "report", "window"])
@pytest.mark.parametrize("code", LANGUAGES)
def test_no_sentence_is_turned_round_by_a_name(room: str, code: str) -> None:
    t, seen = language(code), 0
    spoken = {} if code == "en" else translations.catalogue(room, code)
    for template in (each for each in translations.catalogue(room, "de") if re.search(r"{\w+", each)):
        values = _values(template)
        if room == "core":
            made = [t.sentence(say(template, **values))]
            if seen % 25 == 0:  # as a register keeps it: looked up among all templates, which takes long
                made.append(t.sentence("".join(say(template, **values))))
        elif room == "report":
            made = [t(template, **values)]
        else:
            made = [filled(spoken.get(template, template), **values)]
        for text in made:
            assert not _turns(_open(text)), text
        seen += 1
    assert seen > 60


@given(st.text(st.sampled_from("aB 1-,אבش\u0661\u061c\u200f\u202b\u202e\u202c\u2066\u2067\u2068\u2069"), max_size=12))
@settings(max_examples=300, deadline=None)
def test_an_isolated_name_is_closed_whatever_it_holds(name: str) -> None:
    made = isolated(name)
    assert not _turns(_open(made))
    assert isolated(made) == made
    steers = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
    assert steers.sub("", made) == steers.sub("", name), "no letter is lost"


def test_what_turns_nothing_round_stays_as_it_is() -> None:
    for text in ("Ward", "Größe", "体温", "1,234", "", "\u0661\u0662"):
        assert isolated(text) == text
    assert say("{n} of {share}", n=1234, share=Figure("5 %")) == "1,234 of 5 %"
    assert say("“{name}”", name="Étage").isprintable()


def test_parts_of_sentences_are_isolated_once() -> None:
    inner = say("“{name}” holds dates", name=NAMES[0])
    whole = say("{first}; {n} more", first=inner, n=2)
    assert whole == f"“\u2068{NAMES[0]}\u2069” holds dates; 2 more"
    assert say("{all}.", all=listed([inner, inner])).count("\u2068") == 2
    assert say("{all}.", all=", ".join([inner, inner])).count("\u2068") == 2


def test_a_terminal_gets_the_isolates_of_sentences_and_no_others() -> None:
    said = say("“{name}” is {n}", name=NAMES[0], n=5)
    assert one_line(said) == said
    assert one_line("\u2068never closed \u202e \u2069\u2069") == "\ufffdnever closed \ufffd \ufffd\ufffd"


@pytest.mark.parametrize("command", ["plan", "publish"])
def test_columns_beside_one_another_turn_nothing_round(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "t.csv"
    rows = [f"{'אב'[i % 2]},{'גד'[i % 3 > 1]},{i % 6}" for i in range(240)]
    table.write_text("\n".join(["מין,מחלקה 3,illness", *rows]) + "\n", encoding="utf-8")
    roles = ["--sa", "illness:3", "--nsa", "מין,מחלקה 3"]
    main([command, str(table), *roles, *(["--out", str(tmp_path / "release")] if command == "publish" else [])])
    line = next(each for each in capsys.readouterr().out.splitlines() if "unchanged (NSA)" in each)
    assert line.count("\u2068") == 2
    assert not _turns(_open(line))


def test_a_name_over_two_lines_is_isolated_on_both() -> None:
    pen = shared_pen()
    text = say("{a}, {b} and 17 more", a=" ".join([NAMES[0]] * 9), b=NAMES[1])
    lines = wrapped(text, 150.0, 9.5, False, pen.width)
    assert len(lines) > 3
    for line in lines:
        assert not _turns(_open(line)), line
    assert pen.width("\u2068abc\u2069", 10, False) == pytest.approx(pen.width("abc", 10, False))


def test_a_pdf_writes_no_letter_for_what_isolates() -> None:
    """A font writes what it lacks as a box; what isolates must not come out as one, nor as its number."""
    pen = shared_pen()
    assert "U+" not in pen.clean(say("{a} 5", a=NAMES[0]))
    pen._font(False, 10)
    pen._shape(True)
    drawn = pen._fonts[False].shape_text("\u2068א\u2069", 10, {"features": {}, "script": None, "language": None,
                                                              "fragment_direction": None,
                                                              "paragraph_direction": None})  # fmt: skip
    assert sum(info["x_advance"] > 0 for info in drawn) <= 1


@pytest.mark.parametrize(
    "name", ["אב (ICD-10)", "אב 3", "3 אב", "א 1 ב 2", "Ward אב 3", "التشخيص (ICD-10), 2", "ا٣ب 4"]
)
def test_a_pdf_sets_what_stands_in_a_name_on_its_own_side(name: str) -> None:
    """fpdf2 writes runs in the order in which they are read, whatever side of one another they stand on."""
    line = say("x “{name}” is 5", name=name)
    told = in_order_of_sight(line)
    drawn = "".join(  # as fpdf2 draws it: one run after another, each by its own direction
        run if to is TextDirection.LTR else run[::-1] for run, to in BidiParagraph(told).get_bidi_fragments()
    )
    bare = re.compile("[\u2066-\u2069]")
    assert bare.sub("", drawn) == bare.sub("", BidiParagraph(line).get_reordered_string())
    assert sorted(bare.sub("", told)) == sorted(bare.sub("", line)), "no letter is lost"


def test_a_line_without_such_names_is_drawn_as_it_is() -> None:
    for line in ("x 5 (a)", say("“{name}” 5", name="אב"), "אב 3"):
        assert in_order_of_sight(line) == line


def test_the_window_has_no_other_door() -> None:
    """Whoever fills a sentence by str.format, which isolates nothing, is found here."""
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for folder in ("gui", "report")
        for path in sorted((PACKAGE / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr == "format"
        and (folder == "gui" or isinstance(node.value, ast.Call))
    ]
    assert not found

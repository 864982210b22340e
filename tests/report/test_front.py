"""The pages to be signed: two, in every language, with all that a reviewer asks; law by packs; alternatives."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from splu_desktop.cli import main
from splu_desktop.core import sanitise
from splu_desktop.core.checks import gate
from splu_desktop.core.draw.draw import up
from splu_desktop.core.draw.together import named_columns
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.guarantees import attackers
from splu_desktop.core.guarantees.attackers import Figures
from splu_desktop.core.guarantees.audience import LEVELS, WHO, Audience
from splu_desktop.core.guarantees.sentences import large_count_promise, small_count_promise
from splu_desktop.core.persons import PerPerson, Repeats
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import Reader
from splu_desktop.files.language import LANGUAGES, language
from splu_desktop.report import law
from splu_desktop.report.alternatives import BadComparison, read_comparison
from splu_desktop.report.content import SECTIONS, document, front
from splu_desktop.report.content.closing import GATE, GLOSSARY
from splu_desktop.report.content.front import QUESTIONS
from splu_desktop.report.content.parts import VERDICT_REASONS, cut, guessed, known_rightly, unbroken
from splu_desktop.report.document import Document, Heading, Pages, Paragraph, TableBlock, cell_text
from splu_desktop.report.make import edition
from splu_desktop.report.model import DrawnBlock, Fields, Guarantee, Public, Report, Verdict
from splu_desktop.report.model.public import THRESHOLD
from splu_desktop.report.original import Background, NotItsSource, _implied, matched, original
from splu_desktop.report.public import _values, eligibility, filled
from splu_desktop.report.render.layout import PAPERS, set_pages
from splu_desktop.report.render.page import Text
from splu_desktop.report.render.pdf import _Pen
from tests.files.kit_releases import DRAWS, kit_plan, table_of
from tests.report.conftest import FIELDS, Case
from tests.seeded import Seeded
from tests.written import write_release

ROOT = Path(__file__).resolve().parents[2]
EVERY_LAW = ",".join(law.CODES)


def worst(report: Report) -> Report:
    """Return the report with all there is to be weighed, long names and texts, and figures as long as they get."""
    report = wide(report, 5, "Hauptdiagnose bei der Entlassung aus der Klinik {i}")
    long = "Institut für Epidemiologie und Versorgungsforschung der Universität, " * 50
    fields = Fields(**dict.fromkeys(("title", "organisation", "operator", "reviewer", "purpose"), long[:3_000]))
    more = dict.fromkeys(("recipient", "controls", "contract", "attempt", "review", "remarks"), long[:3000])
    public = filled(report.public, replace(fields, **more, threshold="0.01", law=EVERY_LAW))
    reasons = tuple(name for name in VERDICT_REASONS if name not in ("file-altered", "check-failed"))
    cover = replace(public.cover, verdict=Verdict("reservations", reasons))
    block = DrawnBlock(report.public.release.sensitive, "how", ("cost",))
    said = PerPerson(public.release.sensitive[0], ((20, 0.88), (50, 0.999), (5_000, 0.999)), before=0.999, off=0.99)
    persons = replace(public.persons, sentences=(Repeats(5_000, 88.8).sentence, said.sentence))
    public = replace(public, persons=persons, guarantees=tuple(map(_longest, public.guarantees)))
    # The verdict weighs one attacker, and another is the strongest.
    attacks = [replace(each, figures=_told(each.figures, at == 0)) for at, each in enumerate(public.risk.attacks)]
    public = replace(public, risk=replace(public.risk, attacks=tuple(attacks)))
    known = report.original
    if known is not None:
        judged = [
            replace(each, attack=replace(each.attack, figures=_told(each.attack.figures, at == 0)))
            for at, each in enumerate(known.disclosure)
        ]
        known = replace(known, disclosure=tuple(judged))
        asked = max(
            (Audience(who, changed={"k": (1_000, long[:3_000])}) for who in WHO), key=lambda each: len(each.brief)
        )
        known = replace(known, audience=asked.sentence, audience_brief=asked.brief, audience_limits=asked.limits)
    return replace(report, public=replace(public, cover=cover, blocks=(*public.blocks, block)), original=known)


def _told(figures: tuple[Figures, ...], sure: bool) -> tuple[Figures, ...]:
    """Return figures that are as long as they get, of attackers who are `sure` of many rows or right in most."""
    known, ends = (0.999, (0.10, 0.998)) if sure else (0.2, (0.101, 0.989))
    return tuple(
        replace(each, right=0.00001, known_80=0.00001, ends=None, ends_80=None)
        if each.name == "margins"
        else replace(each, right=0.8 if sure else 0.9, ends=ends, known_80=known, right_80=0.9, ends_80=(0.1, 0.998))
        for each in figures
    )


def _longest(guarantee: Guarantee) -> Guarantee:
    """Return a guarantee with tolerances of its values, none of which protects small counts, less than asked for."""
    tolerances = tuple(replace(v, tolerance=0.1111, published=2) for v in guarantee.values)
    bare = "Public figures alone tell them."
    return replace(
        guarantee, values=tolerances, confidence=0.8888, unprotected=bare, t_p=0.888, wanted_t_p=0.8888, meets=False
    )


def wide(report: Report, times: int = 28, name: str = "{column} {i}") -> Report:
    """Return the report with so many sensitive columns of which the same holds."""

    def many(found: Any) -> Any:
        every = ((each, name.format(column=each.column, i=i)) for each in found for i in range(times))
        return tuple(replace(each, column=called) for each, called in every)

    public = report.public
    release = replace(
        public.release,
        sensitive=tuple(name.format(column=s, i=i) for s in public.release.sensitive for i in range(times)),
    )
    risk = replace(public.risk, attacks=many(public.risk.attacks), disclosure=many(public.risk.disclosure))
    public = replace(public, release=release, risk=risk, guarantees=many(public.guarantees))
    public = replace(public, eligibility=many(public.eligibility))
    known = report.original
    if known is not None:
        told = {name: many(getattr(known, name)) for name in ("disclosure", "marginals", "utility", "eligibility")}
        known = replace(known, **told)
    return replace(report, public=public, original=known)


def test_a_report_of_many_sensitive_columns_stays_short(case: Case) -> None:
    """28 re-drawn columns, as diabetes130 has, filled 18 pages with long tables and notes (German: longest)."""
    for report, most in ((wide(case.external), 10), (wide(case.internal), 14)):
        made = document(report, "de")
        pen = _Pen(made, "A4")
        try:
            assert len(set_pages(made, "A4", pen.width).pages) <= most
        finally:
            pen.close()


@pytest.mark.parametrize("name", DRAWS)
def test_whether_a_release_could_have_been_refused_is_answered_for_every_draw(name: str, case: Case) -> None:
    """Only groups of one size had a row: of a release by person or joined the front named a page that said nothing."""
    table = table_of(1_500)
    plan = kit_plan(table, name)
    for column, draw in plan.draws.items():
        limits = {str(label): draw.most_share(str(label), table.n) for label in table[column].labels}
        shares = dict(zip(map(str, table[column].labels), table[column].counts() / table.n, strict=True))
        found = eligibility(table[column], draw)
        assert found.share == shares[found.nearest]
        assert (found.limit is None) == (not any(limits.values()))
        near = {value: shares[value] / limit for value, limit in limits.items() if limit}
        assert all(part <= 1 for part in near.values())  # or it would have been refused
        assert not near or near[found.nearest] == max(near.values())
        made = replace(case.external, public=replace(case.external.public, eligibility=(found,)))
        blocks = document(made).blocks
        at = next(i for i, block in enumerate(blocks) if isinstance(block, Heading) and block.key == "refused")
        said, rows = blocks[at + 1], blocks[at + 2]
        assert isinstance(said, Paragraph)
        assert isinstance(rows, TableBlock)
        assert ("may fill any share" in said.text) == (found.limit is None)
        assert cell_text(rows.rows[0][0]) == column


@pytest.mark.parametrize("code", LANGUAGES)
def test_verdict_and_residual_risk_speak_of_one_attacker_first(case: Case, code: str) -> None:
    """One said a tenth of the rows or more, the other 6.9 %: each of another attacker, which no reader could know."""
    t = language(code)
    for report in (case.external, case.internal):
        cover = replace(report.public.cover, verdict=Verdict("reservations", ("inferred",)))
        weighed = replace(report, public=replace(report.public, cover=cover))
        column, sure, _ = front.surest(weighed)
        said = front.residual(weighed, t)
        assert front.most_told(weighed) in said
        assert cell_text(guessed(front.strongest(weighed, front.most_told(weighed))[0], t)) in said
        for told in (front.verdict(weighed, t), said):
            assert column in told
            assert known_rightly(sure, t) in told
        # The strongest attacker is not the same in both editions: 80 % sure of 0 % in one, of 3.8 % in the other.
        assert known_rightly(sure, t) in front.residual(report, t)
        for each in (weighed, report):
            assert not re.search(r"[.!?]\s+\w", front.residual(each, t)), "one sentence, as the one who signs reads it"


def test_a_release_by_person_asks_for_its_recipe(tmp_path: Path) -> None:
    """Which column tells persons stands in no release: the internal edition ended in an assertion."""
    table = table_of(1_500)
    for name in ("persons", "skewed persons"):
        opened = write_release(sanitise.run(table, kit_plan(table, name), randomness=Seeded(1)), tmp_path / name)
        opened = replace(opened, facts={**opened.facts, "columns": []})  # what was generalised is asked for first
        with pytest.raises(NotItsSource, match="recipe"):
            _implied(table, opened)


def test_the_report_tells_the_counts_that_the_program_tells() -> None:
    """Of columns drawn by person it called the published count an estimate, beside others in the next table."""
    table = table_of(1_500)
    for name in ("joined", "persons", "skewed persons", "together"):
        published = sanitise.run(table, kit_plan(table, name), randomness=Seeded(1))
        for sa in published.sensitive:
            values = list(_values(published, sa, 100, None))
            answers = Reader(published).answers([[Condition(sa, values=(each.value,))] for each in values])
            told = [round(answer.estimate) for answer in answers]
            counted = published.draws[sa].true_shares
            assert [each.likely for each in values] == ([each.published for each in values] if counted else told), name


def test_one_figure_is_rounded_one_way(case: Case) -> None:
    """T_P was 59.0 % on the front, 59 % in the promise, 0.590 and 0.5904 in tables; rows 34 % and 34.5 %."""
    made, guarantees = document(case.external), case.external.public.guarantees
    tables = {block.name: block for block in made.blocks if isinstance(block, TableBlock)}
    promises = {row[0]: row for row in tables["Promises"].rows}
    least = min(guarantees, key=lambda each: each.t_p)
    front = next(cell_text(row[4]) for row in tables["Before and after"].rows if str(row[0]).startswith("Small counts"))
    assert any(f"at least {front}".replace("\u00a0", " ") in sentence for sentence in least.sentences)
    shares = {row[0]: row[1:] for row in tables["k-anonymity classes"].rows}["Share"]
    measures = {row[0]: row for row in tables["Before and after"].rows}
    # Of 19,990 unique records of 20,000 the front said > 99.9 %, the annex 99.95 %.
    assert cell_text(shares[0]) == cell_text(measures["Unique records"][4])
    assert cell_text(shares[-1]) == cell_text(measures["Records in classes of fewer than 11"][4])
    costs = tables["What further releases cost"]
    shown = [int(title.split(", ")[1]) for title in costs.header if title.startswith("Row right")]
    for row in costs.rows:
        promise = next(each for each in guarantees if each.column in str(row[0]))
        assert cell_text(row[1]) == cell_text(promises[promise.column][3])
        ks = [each for each in promise.repeated if each.releases in shown]
        said = PerPerson(promise.column, tuple((each.releases, each.right) for each in ks)).sentence
        rows = [cell_text(cell) for cell in row[-len(shown) :]]
        assert rows == [f"{text}\u00a0%" for text in re.findall(r"([\d.]+) % from", said)]
        assert cell_text(promises[promise.column][2]) == up(promise.confidence).replace(" ", "\u00a0")


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_three_readers_are_told_stands_on_the_page_named(case: Case, code: str) -> None:
    """Of who knows all other records the front named the page on which the section began, and the figure was on the
    next; the table of promises followed two figures, on the page after the one named."""
    for report in (case.external, case.internal):
        made = document(report, code)
        pen = _Pen(made, "A4")
        try:
            layout = set_pages(made, "A4", pen.width)
        finally:
            pen.close()
        pages = [unbroken(" ".join(op.text for op in page.ops if isinstance(op, Text))) for page in layout.pages]
        headings = [block for block in made.blocks if isinstance(block, Heading)]
        on = {block.key: mark.page for block, mark in zip(headings, layout.bookmarks, strict=True)}
        table = next(b for b in made.blocks if isinstance(b, TableBlock) and b.name == language(code)("Three readers"))
        for (_, told, where), key in zip(table.rows, ("promise", "attack", "readers"), strict=True):
            assert isinstance(where, Pages)
            assert where.keys == (key,)
            figure = re.search(r"[<>]?\s?[\d.,–]+\s%", cell_text(told))
            assert figure is not None
            assert unbroken(figure[0].strip()) in pages[on[key]], (code, cell_text(told))


def test_no_note_takes_the_room_of_the_one_row_it_hides() -> None:
    """“1 further rows stand in the workbook.”"""
    for rows in range(1, 12):
        made = cut(TableBlock("x", ("x",), [(str(i),) for i in range(rows)], "l", (1,)), language("en"), 6)
        assert [block.text for block in made if isinstance(block, Paragraph)] == (
            [f"{rows - 6} further rows stand in the workbook (.xlsx)."] if rows > 7 else []
        )


def test_every_line_of_the_gate_has_words_in_the_report() -> None:
    assert set(gate.NAMES) | {"eligible", "destination", "room", "time"} <= set(GATE)


@pytest.mark.parametrize("code", LANGUAGES)
def test_measures_of_risk_are_explained_where_they_stand(case: Case, code: str) -> None:
    t = language(code)
    blocks = front.pages(case.internal, t)
    at, table = next(
        (at, b) for at, b in enumerate(blocks) if isinstance(b, TableBlock) and b.name == t("Before and after")
    )
    note = blocks[at + 1]
    assert isinstance(note, Paragraph)
    risks = [cell_text(row[0]).partition(",")[0] for row in table.rows if cell_text(row[2]) != "–"]
    assert len(risks) == 3
    assert not [risk for risk in risks if f"{risk}:" not in re.sub(r"\s+:", ":", note.text)]


def test_words_of_art_are_among_the_words(case: Case) -> None:
    known = " ".join(word for word, _ in GLOSSARY).lower()
    art = re.compile(
        r"\b[AT]_\w+|\b\w-(?:anonymity|diversity)|(?i:\w\w+ risk(?=,)|naive Bayes|Chebyshev)"
        r"|(?i:calibrated learner|tolerances?\b)"
    )
    texts = [text for report in (case.external, case.internal) for text in said(document(report, "en"))]
    found = {word.lower() for text in texts for word in art.findall(text)}
    assert {"a_know", "t_p", "naive bayes", "prosecutor risk"} <= found
    assert not sorted(word for word in found if word.removesuffix("s") not in known)


def test_no_table_and_no_column_says_nothing(case: Case) -> None:
    for report in (case.external, case.internal):
        for table in document(report).blocks:
            if isinstance(table, TableBlock):
                assert table.rows, table.name
                for title, *cells in zip(table.header, *table.rows, strict=True) if table.header else ():
                    assert any(cell_text(cell) not in ("", "–") for cell in cells), (table.name, title)


def test_what_pages_leave_to_the_workbook_is_counted_without_what_they_say(case: Case) -> None:
    """Of 15 promises six stood there and “15 further rows” in the workbook."""
    public = case.external.public
    fifteen = tuple(f"Promise {number}." for number in range(15))
    made = document(Report(replace(public, guarantees=(replace(public.guarantees[0], sentences=fifteen),))))
    table = next(each for each in made.blocks if isinstance(each, TableBlock) and each.name == "Promises in words")
    on_pages = [block.text for block in made.blocks if isinstance(block, Paragraph)]
    left = sum(cell_text(row[0]) not in on_pages for row in table.rows)
    assert left
    assert f"{left} further promises stand in the workbook (.xlsx)." in on_pages


def said(made: Document) -> Iterator[str]:
    for block in made.blocks:
        if isinstance(block, Heading | Paragraph):
            yield block.text
        elif isinstance(block, TableBlock):
            yield from (cell_text(cell) for row in block.shown for cell in row)


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_is_to_be_signed_are_two_pages_whatever_is_weighed_and_typed(case: Case, code: str) -> None:
    """Each page was set close to its last line: a digit more of what is measured, and there were three."""
    for report in (case.external, case.internal, worst(case.external), worst(case.internal)):
        made = document(report, code)
        pen = _Pen(made, "A4")
        try:
            for paper in PAPERS:
                layout = set_pages(made, paper, pen.width)
                level_1 = [mark.page for mark in layout.bookmarks if mark.level == 0]
                assert level_1[:3] == [0, 1, 2], paper
        finally:
            pen.close()


def test_every_question_of_the_documentation_is_answered_on_the_front(case: Case) -> None:
    table = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    asked = [row.split("|")[1].strip() for row in table.splitlines() if row.startswith("| ") and "?" in row]
    assert asked == [question for question, _ in QUESTIONS]
    assert len(asked) == 14
    known = {key for key, _, _ in SECTIONS} | {"front", "evidence", "refused", "attack"}
    assert {key for _, keys in QUESTIONS for key in keys} <= known
    headings = {block.key for block in document(case.internal).blocks if isinstance(block, Heading)}
    assert {"refused", "attack"} <= headings
    for report in (case.external, case.internal, wide(case.internal)):
        cells = [
            cell
            for block in document(report).blocks
            if isinstance(block, TableBlock)
            for row in block.rows
            for cell in row
            if isinstance(cell, Pages)
        ]
        there = {block.key for block in document(report).blocks if isinstance(block, Heading)}
        assert all(set(cell.keys) <= there and (cell.keys or cell.text) for cell in cells)
        unanswered = [cell for cell in cells if not cell.keys]
        assert len(unanswered) == (2 if report is case.external else 0), "the source, and what was accepted"


def test_columns_drawn_together_are_weighed_before_rows_are_said_to_name_nobody(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Classes of unchanged columns say nothing on who knows some of the values that were drawn as one."""
    monkeypatch.setattr(front, "_guessed", lambda report: True)
    alone = replace(case.external.public, blocks=())
    together = replace(alone, blocks=(DrawnBlock(("a", "b"), "in groups", ("A combination is recognised.",)),))

    def recipient(made: Public) -> str:
        (table,) = (
            each for each in front._relative(Report(made), True, language("en")) if isinstance(each, TableBlock)
        )
        return cell_text(table.rows[-1][-1])

    assert recipient(alone).startswith("not personal data, as far as recognition goes")
    assert recipient(together).startswith("to be weighed")


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_pack_says_that_a_release_complies_and_each_tells_what_was_not_checked(case: Case, code: str) -> None:
    every = law.packs(EVERY_LAW)
    sections = {key for key, _, _ in SECTIONS} | {"front", "evidence"}
    for pack in every:
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", pack.stated.dated)
        assert pack.sources
        assert all(name[code] and checked[code] for name, checked in pack.sources)
        assert pack.demands
        for demand in pack.demands:
            assert set(demand.see) <= sections
            assert demand.asks[code]
            assert demand.answer[code]
            assert not re.search("compl(y|ies|iant)|erfüllt das Gesetz|rechtskonform|conforme", demand.answer[code])
    report = replace(case.external, public=filled(case.external.public, replace(FIELDS, law=EVERY_LAW)))
    made = document(report, code)
    text = "\n".join(said(made))
    assert all(unbroken(demand.asks[code]) in text for pack in every for demand in pack.demands)
    there = {block.key for block in made.blocks if isinstance(block, Heading)}
    tables = {block.name: block for block in made.blocks if isinstance(block, TableBlock)}
    for pack in every:
        rows = tables[pack.title[code]].rows
        assert [row[0] for row in rows] == [unbroken(demand.place[code]) for demand in pack.demands]
        places = [cell for row in rows for cell in row if isinstance(cell, Pages)]
        assert len(places) == len(rows)
        assert all(cell.keys and set(cell.keys) <= there for cell in places), "a page that there is, for each demand"
    assert [each.code for each in report.public.cover.laws] == list(law.CODES)


def test_law_is_the_custodians_choice(case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "report.json"
    for chosen, codes in ((), ["gdpr"]), (("--law", "none"), []), (("--law", "hipaa,ico"), ["hipaa", "ico"]):
        command = ["report", str(case.release), "--out", str(target), "--overwrite", *chosen]
        assert main(command) == 0
        laws = json.loads(target.read_text(encoding="utf-8"))["public"]["cover"]["laws"]
        assert [each["code"] for each in laws] == codes
        assert main(["verify", str(target), str(case.release)]) == 0
    none = replace(case.external, public=filled(case.external.public, replace(FIELDS, law="none")))
    assert not [block for block in document(none).blocks if isinstance(block, Heading) and block.key == "law"]
    capsys.readouterr()
    assert main(["report", str(case.release), "--out", str(tmp_path / "x.pdf"), "--law", "gdrp"]) == 2
    assert "no law pack “gdrp”" in capsys.readouterr().err


@pytest.mark.parametrize("known", [0.0004, 0.012, 0.3])
def test_no_more_rows_are_said_to_be_known_rightly_than_are_known(known: float) -> None:
    """Of less than 0.1 % of the rows known the front said that 0 to 1 % were known rightly."""
    t = language("en")
    told = known_rightly(Figures("release", 0.2, known, 0.5, 0.0, None, (0.1, 0.3), (0.0, 1.0)), t)
    upper = float(told.removesuffix("\u00a0%").partition("–")[2])
    assert upper <= math.ceil(1000 * known) / 10


def test_the_verdict_says_by_how_much_a_person_is_recognised_more_surely(case: Case) -> None:
    allows = "while public release allows 9.09\u00a0%"
    asked = [
        ("0.05", "while 5\u00a0% was asked for"),
        ("0.1", "while 10\u00a0% was asked for"),
        ("0.2", ""),
        ("", allows),
    ]
    for typed, words in asked:
        public = filled(case.external.public, replace(FIELDS, threshold=typed))
        risk = replace(public.risk, recognisable=replace(public.risk.recognisable, smallest=7))
        public = filled(replace(public, risk=risk), public.cover.fields)
        said = front.verdict(replace(case.external, public=public), language("en"))
        assert ("recognised with a probability" in said) == bool(words), "the front: what was asked for decides"
        assert not words or f"with a probability of 14.3\u00a0%, {words}" in said


def test_the_threshold_of_the_custodian_is_weighed(case: Case) -> None:
    highest = case.external.public.risk.recognisable.highest
    for allowed, above in (("1", False), ("0,05", True), ("", False)):
        public = filled(case.external.public, replace(FIELDS, threshold=allowed))
        made = document(replace(case.external, public=public)).blocks
        table = next(each for each in made if isinstance(each, TableBlock) and each.name == "Before and after")
        found = next(cell_text(row[-1]) for row in table.rows if row[0] == "Prosecutor risk, highest")
        weighed = "risk-above" in public.cover.verdict.reasons
        assert (found == "ABOVE") == weighed == (above or allowed == ""), "the verdict weighs what is above"
        # What is asked for decides; that public release allows less is told beside it.
        assert highest > THRESHOLD
        assert found == ("ABOVE" if allowed != "1" else "met, >\u00a09.09\u00a0%")
        again = filled(public, FIELDS)
        assert again == case.external.public, "what follows from fields goes with them"
    with pytest.raises(BadSetting, match="between 0 and 1"):
        Fields(threshold="nine")


@pytest.mark.parametrize("typed", ["", "0.03", "0.2"])
def test_the_verdict_weighs_what_the_front_calls_above_and_nothing_else(case: Case, typed: str) -> None:
    """With 20 % asked for and 14 % found the front said “met”, and the verdict weighed 9.09 %; of the limits for who
    gets it, which the front held to be missed, the verdict weighed none."""
    told = set()
    for smallest in (1, 7, 11, 40):
        public = case.internal.public
        found = replace(public.risk.recognisable, smallest=smallest, classes=20, below={"2": 0, "11": 0})
        guarantees = tuple(replace(each, meets=True, wanted_t_p=0.1) for each in public.guarantees)
        quiet = tuple(replace(a, figures=_told(a.figures, sure=False)) for a in public.risk.attacks)
        risk = replace(public.risk, recognisable=found, attacks=quiet)
        public = filled(replace(public, risk=risk, guarantees=guarantees), replace(FIELDS, threshold=typed))
        assert case.internal.original is not None
        for limits in (None, *LEVELS, replace(LEVELS[0], certainty=0.1), replace(LEVELS[0], k=30)):
            behind = replace(case.internal.original, acknowledged=(), earlier=(), audience_limits=limits)
            report = edition(public, None if limits is None else behind)
            made = document(report).blocks
            table = next(each for each in made if isinstance(each, TableBlock) and each.name == "Before and after")
            above = {"row" if "a row that" in text else "risk"
                     for text, end in ((cell_text(row[0]).lower(), cell_text(row[-1])) for row in table.rows)
                     if end == "ABOVE"}  # fmt: skip
            reasons = set(report.public.cover.verdict.reasons)
            assert {"row-above": "row" in above, "risk-above": "risk" in above} == {
                code: code in reasons for code in ("row-above", "risk-above")
            }, (smallest, limits)
            said = front.verdict(report, language("en"))
            told.add(said)
            if reasons:
                assert "thresholds are met" not in said
            else:
                assert not above
                exceeded = any("9.09" in cell_text(row[-1]) for row in table.rows)
                assert said.endswith("all that was asked for is met." if exceeded else "all thresholds are met.")
    assert len(told) > 3


def test_an_external_report_says_nothing_of_before_where_columns_were_made_coarser(case: Case) -> None:
    public = case.external.public
    coarser = tuple(replace(c, generalised=({"how": "intervals"},)) if c.role == "nsa" else c for c in public.columns)
    made = document(replace(case.external, public=replace(public, columns=coarser)))
    table = next(b for b in made.blocks if isinstance(b, TableBlock) and b.name == "Before and after")
    assert [cell_text(row[1]) for row in table.rows[:5]] == ["–"] * 5
    made = document(case.external)
    table = next(b for b in made.blocks if isinstance(b, TableBlock) and b.name == "Before and after")
    assert [cell_text(row[1]) for row in table.rows[:5]] == [cell_text(row[4]) for row in table.rows[:5]]


def test_alternatives_are_told_where_they_were_compared(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "compared.json"
    rows = [
        {"system": "SPLU", "parameter": "gamma 5", "median_relative_error": 0.05, "small_wrong": 0.8, "certainty": 0.2},
        {"name": "k-anonymity", "setting": "k = 11", "median_relative_error": None},
    ]
    for data in (rows, {"systems": rows, "table": "x"}):
        path.write_text(json.dumps(data), encoding="utf-8")
        found = read_comparison(path, case.opened.published)
        assert [each.system for each in found] == ["SPLU", "k-anonymity"]
        assert (found[0].error, found[1].parameter, found[1].certainty) == (0.05, "k = 11", None)
    tried = [{"system": "k", "title": "k-anonymity", "setting": "k = 11", "achieved": {"errors": [1.0, 0.5, None]}}]
    path.write_text(json.dumps({"asked": [1, 3, 0], "tried": [*tried, {"system": "no"}]}), encoding="utf-8")
    found = read_comparison(path, case.opened.published)
    assert [(each.system, each.error) for each in found] == [("k-anonymity", 0.625), ("no", None)]
    assert case.internal.original is not None
    compared = replace(case.internal, original=replace(case.internal.original, alternatives=found))
    keys = [block.key for block in document(compared).blocks if isinstance(block, Heading)]
    assert "alternatives" in keys
    assert "k-anonymity" in "\n".join(said(document(compared)))
    for nothing in ("[]", "{}", "[1]", '{"systems": [{}]}', "x", "[" * 5_000):
        path.write_text(nothing, encoding="utf-8")
        with pytest.raises(BadComparison, match="compared"):
            read_comparison(path, case.opened.published)


def test_the_audience_chosen_stands_on_the_front_of_the_internal_edition(case: Case) -> None:
    audience = Audience("partner", holds="similar", changed={"k": (7, "asked for")})
    plan = replace(_implied(case.imported.table, case.opened), audience=audience)
    found = original(matched(case.opened, Background(case.imported, plan)))
    report = replace(case.internal, original=found)
    for code in LANGUAGES:
        sentence, brief = (unbroken(language(code).sentence(each)) for each in (audience.sentence, audience.brief))
        name = language(code)("Conditions of handing out")
        blocks = document(report, code).blocks
        front = next(block for block in blocks if isinstance(block, TableBlock) and block.name == name)
        assert any(brief in cell_text(cell) for row in front.rows for cell in row)
        whole = "\n".join(said(document(report, code)))
        assert "7" in brief
        assert sentence in whole, "the annex has all of it, with the reasons"
        assert brief not in "\n".join(said(document(case.external, code)))


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_line_of_a_report_can_begin_with_a_sign_of_per_cent(case: Case, code: str) -> None:
    """Limits of the recipient broke so on the German front: “höchstens 1” and “% einzigartig” below."""
    plan = replace(_implied(case.imported.table, case.opened), audience=Audience("partner", holds="similar"))
    told = original(matched(case.opened, Background(case.imported, plan)))
    for report in (case.external, replace(case.internal, original=told)):
        assert [text for text in said(document(report, code)) if re.search(r"\d %", text)] == []


def test_what_was_found_is_compared_with_the_limits_chosen_for_who_gets_it(case: Case) -> None:
    """0.09 for public release alone was compared with, and no limit at all with the share of unique records."""
    for level in LEVELS:
        found = replace(case.internal.original, audience_limits=level)
        table = next(each for each in document(replace(case.internal, original=found)).blocks
                     if isinstance(each, TableBlock) and each.name == "Before and after")  # fmt: skip
        cells = {cell_text(row[0]).split(" of “")[0]: row for row in table.rows}
        risk, worst = case.internal.public.risk.recognisable, max(g.confidence for g in case.internal.public.guarantees)
        for name, now, limit in (
            ("Unique records", risk.unique, level.unique),
            ("Prosecutor risk, highest", risk.highest, 1 / level.k),
            ("A row that shows a protected value", worst, level.certainty),
        ):
            assert cell_text(cells[name][-1]) == ("met" if now <= limit else "ABOVE"), (name, level)
        assert cells["Unique records"][3].value == level.unique
        small = "–" if level.k < 11 else "ABOVE" if risk.small else "met"
        assert cell_text(cells["Records in classes of fewer than 11"][-1]) == small, "as its own limit says"
    asked = [cell_text(cell) for row in cells.values() for cell in row]
    assert {"met", "ABOVE"} <= set(asked)


def test_what_compare_wrote_stands_in_the_report(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = ("--sa", "illness:5", "--nsa", "smoker", "--systems", "splu,k-anonymity", "--questions", "60")
    assert main(["compare", str(case.source), *plan, "--json"]) == 0
    written = capsys.readouterr().out
    path, target = tmp_path / "comparison.json", tmp_path / "report.json"
    path.write_text(written, encoding="utf-8")
    report = ["report", str(case.release), "--internal", "--source", str(case.source), "--out", str(target)]
    assert main([*report, "--comparison", str(path)]) == 0
    told = json.loads(target.read_text(encoding="utf-8"))["original"]["alternatives"]
    tried = json.loads(written)["tried"]
    assert [(a["system"], a["parameter"]) for a in told] == [(each["title"], each["setting"]) for each in tried]
    assert [(a["small_wrong"], a["certainty"]) for a in told] == [
        (each["achieved"]["small_wrong"], each["achieved"]["colleague"]) for each in tried
    ]
    assert {a["column"] for a in told} == {"illness"}
    assert case.internal.original is not None
    found = read_comparison(path, case.opened.published)
    made = document(replace(case.internal, original=replace(case.internal.original, alternatives=found)))
    table = next(b for b in made.blocks if isinstance(b, TableBlock) and b.name == "Alternatives considered")
    systems = [cell_text(row[0]) for row in table.rows]
    assert len(systems) == len(set(systems)) == len({a.system for a in found}) < len(found), "each system once"
    for other in ({"records": 12}, {"sensitive": "ward"}):
        path.write_text(json.dumps({**json.loads(written), **other}), encoding="utf-8")
        capsys.readouterr()
        assert main([*report, "--overwrite", "--comparison", str(path)]) == 2
        assert "another table" in capsys.readouterr().err


def test_promises_of_columns_alike_are_said_once_and_of_others_each() -> None:
    def promised(column: str, gamma: int) -> tuple[str, str]:
        return small_count_promise(gamma, 0.3, 3, column=column), large_count_promise(gamma, 0.3, 0.05, column=column)

    told = attackers.said_once({"a": promised("a", 5), "b": promised("b", 5), "c": promised("c", 4)})
    assert len(told) == 4
    assert "“a” or “b”" in told[0]
    assert told[1] == promised("c", 4)[0]
    t = language("de")
    assert "„a“ oder „b“" in t.sentence(told[0]) or "a" in t.sentence(told[0])


def test_many_columns_drawn_together_are_no_wall() -> None:
    assert len(named_columns(f"a column with a long name {i}" for i in range(40))) < 150
    assert named_columns("ab") == "“a” and “b”"

"""The two pages to sign: what, to whom, for what; the verdict; the risk that is left; the evidence; the decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from splu_desktop.core.guarantees.attackers import Figures
from splu_desktop.files.language import Language, mark
from splu_desktop.report.content.parts import (
    RISK_ASKED,
    VERDICT_REASONS,
    at_least,
    at_most,
    facts,
    guessed,
    known_rightly,
    listed,
    setting,
    share,
    shortened,
    upmost,
)
from splu_desktop.report.document import (
    Block,
    Cell,
    Heading,
    Number,
    Pages,
    Paragraph,
    SignatureLines,
    TableBlock,
    cell_text,
)
from splu_desktop.report.law import packs
from splu_desktop.report.model import Guarantee, Recognisable, Report
from splu_desktop.report.model.public import THRESHOLD, asked_risk

_LONGEST = 130  # letters of what is typed that stand here; all of it stands under “What was done”
_LINE = 90  # letters on a line
# What a reviewer asks (docs/report.md), and the sections, or headings in them, that answer it.
QUESTIONS = (
    (mark("In one line, is it sound?"), ("front",)),
    (mark("What was released?"), ("done", "columns", "files")),
    (mark("From what?"), ("source",)),
    (mark("Why is a column published, re-drawn or left out?"), ("columns",)),
    (mark("By whom, for whom, what for, when?"), ("front",)),
    (mark("With which software, and can it be done again?"), ("front", "done", "promise")),
    (mark("With which promise?"), ("promise",)),
    (mark("Could it have been refused?"), ("promise", "refused")),
    (mark("What is the table worth?"), ("worth",)),
    (mark("What could go wrong?"), ("front", "evidence", "risk", "attack")),
    (mark("Was it released before, and what does that cost?"), ("repeat",)),
    (mark("What was a risk, and who took it in which words?"), ("accepted",)),
    (mark("How was it checked, and can I check it?"), ("files",)),
    (mark("What do the words mean?"), ("glossary",)),
)
BLANK = "…" * 12


def title(report: Report, t: Language) -> str:
    """Return the report's title."""
    return report.public.cover.fields.title or t("Release “{name}”", name=report.public.release.folder)


def verdict(report: Report, t: Language) -> str:
    """Return the verdict over all checks in one line."""
    found = report.public.cover.verdict
    column, best, _ = surest(report)
    asked, limits = _asked(report), None if report.original is None else report.original.audience_limits
    row = max(report.public.guarantees, key=lambda each: each.confidence)
    values = {
        "inferred": {"column": shortened(column), "known": known_rightly(best, t)},
        "risk-above": {
            "highest": cell_text(share(report.public.risk.recognisable.highest, t)),
            "limit": cell_text(setting(THRESHOLD if asked is None else asked, t)),
        },
        "row-above": {
            "column": shortened(row.column),
            "sure": cell_text(upmost(row.confidence, t)),
            "limit": cell_text(setting(None if limits is None else limits.certainty, t)),
        },
    }
    words = VERDICT_REASONS | ({} if asked is None else {"risk-above": RISK_ASKED})
    reasons = t.joined(t(words[code], **values.get(code, {})) for code in found.reasons)
    if found.code == "sound":
        if not _low(report):  # above the threshold of public release, as the table says beside it
            return t("All checks passed and all that was asked for is met.")
        return t("All checks passed and all thresholds are met.")
    if found.code == "reservations":
        return t("All checks passed. To be weighed: {reasons}.", reasons=reasons)
    return t("NOT to be relied on: {reasons}.", reasons=reasons)


def pages(report: Report, t: Language) -> list[Block]:
    """Return both pages."""
    return [
        Paragraph(shortened(title(report, t), 45), "title"),
        Paragraph(t("Report on a release of sensitive data, to be signed"), "subtitle"),
        Heading(t("Summary"), key="front"),
        Paragraph(t.joined((t("Verdict"), verdict(report, t)), ":"), "lead"),
        Paragraph(t.joined((t("Risk that is left"), residual(report, t)), ":"), "lead"),
        facts(t("Summary"), _what(report, t), (0.5, 2.7)),
        *_before_after(report, t),
        *_readers(report, t),
        *_questions(t),
        Heading(t("Evidence and decision"), new_page=True, key="evidence"),
        *_criteria(report, t),
        *_persons(report, t),
        *_unprotected(report, t),
        *_conditions(report, t),
        *_decision(report, t),
    ]


def _what(report: Report, t: Language) -> list[tuple[str, Cell]]:
    said, release = report.public.cover, report.public.release
    typed = said.fields
    made = t.moment(said.created)
    who = t.joined(
        shortened(t.joined((label, text), ":"), 36)
        for label, text in (
            (t("Organisation"), typed.organisation),
            (t("Operator"), typed.operator),
            (t("Reviewer"), typed.reviewer),
        )
        if text
    )
    what = t(
        "{records} records, {columns} columns; sensitive and re-drawn: {names}",
        records=t.number(release.records),
        columns=t.number(release.columns),
        names=listed([shortened(name) for name in release.sensitive], t, 4),
    )
    return [
        (t("What"), what),
        (t("To whom"), shortened(typed.recipient, _LINE) or t("not stated")),
        (t("What for"), shortened(typed.purpose, _LINE) or t("not stated")),
        (t("By whom"), who or t("not stated")),
        (t("Release"), f"{release.id or '–'}, {t.moment(release.created)}, {release.software}"),
        (
            t("Report"),
            (made if made.endswith(said.time_zone) else f"{made} ({said.time_zone})")
            + f", {said.software} {said.software_version}",
        ),
    ]


# --- the risk that is left


def attackers_of(report: Report, column: str) -> tuple[tuple[Figures, ...], Figures]:
    """Return the attackers on a column, and the one of them who has no table.

    Judged on true values where they are known.
    """
    attacks = {each.column: each for each in report.public.risk.attacks}
    if report.original is not None:
        attacks |= {each.column: each.attack for each in report.original.disclosure}
    figures = attacks[column].figures
    return figures, next(each for each in figures if each.name == "margins")


def strongest(report: Report, column: str) -> tuple[Figures, Figures]:
    """Return the attacker who is right most often about a column, and one who has no table.

    Of those right as often to the per cent, the one who may be right more often: else an exact share was said to be
    the strongest's beside the range of another that goes beyond it.
    """
    figures, blind = attackers_of(report, column)
    return max(figures, key=lambda each: (round(each.right, 2), at_most(each), each.right)), blind


def most_told(report: Report) -> str:
    """Return the sensitive column of which the strongest attacker gains most over one without the table."""

    def gain(column: str) -> float:
        best, blind = strongest(report, column)
        return best.right - blind.right

    return max(report.public.release.sensitive, key=gain)


def surest(report: Report) -> tuple[str, Figures, Figures]:
    """Return the column and the attacker whom the verdict weighs, and one who has no table.

    They are found by the release alone, as the verdict is, and judged on true values where these are known.
    """
    worst = max(report.public.risk.attacks, key=lambda each: each.gained)
    figures, blind = attackers_of(report, worst.column)
    return worst.column, next(each for each in figures if each.name == worst.surest.name), blind


def residual(report: Report, t: Language) -> str:
    """Return the risk that is left in one sentence: who finds a row, whom the verdict weighs, then the strongest."""
    found, column = report.public.risk.recognisable, most_told(report)
    if not found.nsas:
        return t("no column is published unchanged, so no row can be found by what is known of a person.")
    best, blind = strongest(report, column)
    said = [
        t(
            "who knows all unchanged columns of a person in the table finds the row for certain in {unique} of the "
            "cases;",
            unique=t.percent(found.unique, 1),
        )
    ]
    first, sure, nobody = surest(report)
    if (first, sure.name) != (column, best.name):
        said.append(
            t(
                "of the attackers tried the surest is rightly at least 80 % sure of “{column}” in {known} of the rows "
                "({none} without the table); another, who gains most, names “{other}” rightly in {right} of them "
                "({blind} without it).",
                column=shortened(first),
                known=known_rightly(sure, t),
                none=known_rightly(nobody, t),
                other=shortened(column),
                right=cell_text(guessed(best, t)),
                blind=t.percent(blind.right, 1),
            )
        )
    else:
        said.append(
            t(
                "the strongest attacker tried names “{column}” rightly in {right} of the rows ({blind} without the "
                "table), and is rightly at least 80 % sure in {known}.",
                column=shortened(column),
                right=cell_text(guessed(best, t)),
                blind=t.percent(blind.right, 1),
                known=known_rightly(best, t),
            )
        )
    if report.original is None:
        return t("{said}; estimated from the release alone.", said=" ".join(said).removesuffix("."))
    return " ".join(said)


def _judged(report: Report, t: Language) -> str:
    """Return that an attack is not judged on true values, where it is not."""
    return t("Estimated from the release alone.") if report.original is None else ""


def _asked(report: Report) -> float | None:
    """Return the largest risk of recognition that was asked for; None where nothing was."""
    limits = None if report.original is None else report.original.audience_limits
    return asked_risk(report.public.cover.fields, limits)


def _low(report: Report) -> bool:
    """Whether no record is recognised more surely than public release and what was asked for allow.

    What was asked for decides the verdict; no custodian's word alone makes data other than personal.
    """
    asked = _asked(report)
    return not report.public.risk.recognisable.above(THRESHOLD if asked is None else min(THRESHOLD, asked))


def _guessed(report: Report) -> bool:
    """Whether no attacker tried is right about a tenth of the rows more than one without the table, nor may be."""

    def gain(column: str) -> float:
        figures, blind = attackers_of(report, column)
        return max(map(at_most, figures)) - blind.right

    return max(map(gain, report.public.release.sensitive)) < 0.1


def _before(report: Report) -> Recognisable | None:
    """Return how recognisable records were before; None where only the source can tell."""
    if report.original is not None:
        return report.original.before
    coarser = any(column.generalised for column in report.public.columns if column.role == "nsa")
    return None if coarser else report.public.risk.recognisable


def _before_after(report: Report, t: Language) -> list[Block]:
    after, before = report.public.risk.recognisable, _before(report)
    allowed, chosen = _asked(report), None if report.original is None else report.original.audience_limits
    rows: list[tuple[Cell, ...]] = []

    def row(name: str, figure: Callable[[Recognisable], float], limit: float | None, asked: float | None) -> None:
        was, now = None if before is None else figure(before), figure(after)
        decides = limit if asked is None else asked
        met = "–" if decides is None else t("met") if now <= decides else t("ABOVE")
        if limit is not None and decides is not None and limit < now <= decides:
            met += f", >\u00a0{cell_text(setting(limit, t))}"
        rows.append((name, share(was, t), setting(limit, t), setting(asked, t), share(now, t), met))

    if after.nsas:
        row(t("Unique records"), lambda found: found.unique, None, None if chosen is None else chosen.unique)
        none = 0.0 if chosen is not None and chosen.k >= 11 else None
        row(t("Records in classes of fewer than 11"), lambda found: found.small, None, none)
        row(t("Prosecutor risk, highest"), lambda found: found.highest, THRESHOLD, allowed)
        row(t("Prosecutor risk, mean"), lambda found: found.mean, THRESHOLD, allowed)
        row(t("Journalist risk, at most"), lambda found: found.highest, THRESHOLD, allowed)
    worst = max(report.public.guarantees, key=lambda each: each.confidence)
    name = t("A row that shows a protected value of “{column}” is right", column=shortened(worst.column))
    sure = None if chosen is None else chosen.certainty
    met = "–" if sure is None else t("met") if worst.confidence <= sure else t("ABOVE")
    rows.append((name, setting(1.0, t), "–", setting(sure, t), Number(_right(worst, t), worst.confidence), met))
    for promise in sorted(report.public.guarantees, key=lambda each: each.t_p)[:1]:
        asked_t_p = promise.wanted_t_p
        met = "–" if promise.meets is None else t("met") if promise.meets else t("NOT met")
        name = t("Small counts of “{column}” are shown wrong, at least", column=shortened(promise.column))
        rows.append((name, share(0.0, t), "–", setting(asked_t_p, t), at_least(promise.t_p, t), met))
    header = (t("Measure"), t("Before"), t("Threshold"), t("Asked for"), t("After"), "")
    note = t(
        "Prosecutor risk: how likely someone who knows that a person is in the table picks the person's row, 1 in as "
        "many as agree in all unchanged columns (a class). Journalist risk: the same of someone who does not know it; "
        "without a register of the population it is at most as high. The threshold of {limit} (1 in 11) is that of EMA "
        "0070 and Health Canada for public release, whoever gets this one; what was asked for decides where anything "
        "was. Re-drawing changes what a found row tells, not how many are found.",
        limit=t.plain(round(THRESHOLD, 2)),
    )
    if before is None:
        note += " " + t("Before: the internal edition tells.")
    name = t("Before and after")
    return [
        Heading(name, 2),
        TableBlock(name, header, rows, "lrrrrl", (4.6, 0.9, 0.9, 0.9, 0.9, 0.9)),
        Paragraph(note, "note"),
    ]


def insider(guarantee: Guarantee) -> Any:
    """Return how often the sole bearer of a value is named to who knows all other records; None where not promised."""

    def said(sentence: object) -> Any:
        values = getattr(sentence, "values", {})
        return values.get("chance") or next(filter(None, map(said, values.values())), None)

    return next(filter(None, map(said, guarantee.readers)), None)


def _right(guarantee: Guarantee, t: Language) -> str:
    """Return how surely a row that shows a value is right: of the best protected value to the least protected one.

    The commonest value is right in as many rows as have it, which says nothing of a rare one.
    """
    shown = [value.tolerance for value in guarantee.values if value.published and value.tolerance < 1]
    most = cell_text(upmost(guarantee.confidence, t))
    least = cell_text(upmost(min(shown, default=guarantee.confidence), t))
    return most if least == most else "–".join((least.removesuffix("\u00a0%"), most))


def _readers(report: Report, t: Language) -> list[Block]:
    public, column = report.public, most_told(report)
    worst = max(public.guarantees, key=lambda each: each.confidence)
    best, blind = strongest(report, column)
    named = {name: insider(each) for each in public.guarantees for name in [each.column]}
    known = [t.sentence(chance) for chance in dict.fromkeys(named.values()) if chance is not None]
    rows: list[tuple[Cell, ...]] = [
        (
            t("has the row alone"),
            t(
                "is right in at most {share} of the rows with a protected value (“{column}”), on average before "
                "reading; a value common among people alike may be nearly certain",
                share=cell_text(upmost(worst.confidence, t)),
                column=shortened(worst.column),
            ),
            Pages(("promise",)),
        ),
        (
            t("has the row and learns from the release"),
            # Without the last figure who knows more than the first reader seems to be right less often.
            t(
                "is right in {right} of the rows (“{column}”; without the table in {blind}); no group size bounds this",
                right=cell_text(guessed(best, t)),
                column=shortened(column),
                blind=t.percent(blind.right, 1),
            )
            if public.risk.recognisable.nsas
            else t("finds no row, since no column is published unchanged"),
            Pages(("attack",)),
        ),
        (
            t("knows all other records"),
            t("can name the only bearer of a value in up to {share} of releases", share=max(known, key=_percent))
            if known
            else t("is not held back by the draw"),
            Pages(("readers",)),
        ),
    ]
    name = t("Three readers")
    header = (t("Someone who"), t("what it comes to"), t("Page"))
    return [Heading(name, 2), TableBlock(name, header, rows, "lll", (1.6, 5, 0.7))]


def _percent(text: str) -> float:
    return float(text.replace(",", ".").strip("<>% \u00a0\u202f") or 0)


def _questions(t: Language) -> list[Block]:
    cells: list[tuple[Cell, Cell]] = [(t(question), Pages(keys, t("internal edition"))) for question, keys in QUESTIONS]
    half = (len(cells) + 1) // 2
    rows = [(*left, *right) for left, right in zip(cells[:half], cells[half:], strict=True)]
    name = t("Where to find what")
    header = (t("A reviewer asks"), t("Page"), t("A reviewer asks"), t("Page"))
    return [Heading(name, 2), TableBlock(name, header, rows, "llll", (4.3, 0.9, 4.3, 0.9))]


# --- evidence and decision


def _criteria(report: Report, t: Language) -> list[Block]:
    public = report.public
    found, column = public.risk.recognisable, most_told(report)
    best, blind = strongest(report, column)
    worst = max(public.guarantees, key=lambda each: each.confidence)
    unique = t.percent(found.unique, 1) if found.nsas else t.percent(0, 1)
    low = _low(report)
    header = (t("Criterion (WP216)"), t("Evidence"), t("Limit"), t("What it supports, without deciding"), t("Page"))
    rows: list[tuple[Cell, ...]] = [
        (
            t("Singling out"),
            t("{unique} of the records are unique in the columns published unchanged.", unique=unique),
            t("Measured in the table; who is in the population and what others know of them is not known here."),
            t("Records can't be isolated by the unchanged columns beyond the threshold.")
            if low
            else t(
                "Rows of persons can be isolated by who knows these columns; what they then tell stands under "
                "inference."
            ),
            Pages(("risk",)),
        ),
        (
            t("Linkability"),
            t(
                "Columns marked as identifiers are left out; the unchanged ones can link a row to other tables that "
                "hold them; a protected value shown in it is the person's own in at most {share} of rows on average.",
                share=cell_text(upmost(worst.confidence, t)),
            ),
            t("Each further release of the same records links better."),
            t("Linking to another table is hindered by the classes alone.")
            if low
            else t("Linking is possible where another table holds the unchanged columns."),
            Pages(("columns", "repeat")),
        ),
        (
            t("Inference"),
            t(
                "The strongest attacker tried is right about “{column}” in {right} of the rows, one without the table "
                "in {blind}.",
                column=shortened(column),
                right=cell_text(guessed(best, t)),
                blind=t.percent(blind.right, 1),
            )
            + f" {_judged(report, t)}".rstrip(),
            t("Better attackers may exist; what many records teach is told on purpose."),
            t("Values of single persons are inferred little better than by guessing.")
            if _guessed(report)
            else t("Values of single persons can be inferred with significant probability in part of the rows."),
            Pages(("attack",)),
        ),
    ]
    blocks: list[Block] = [TableBlock(t("Criteria"), header, rows, "lllll", (1.1, 2.4, 2, 2.2, 0.8))]
    if any(pack.stated.code == "gdpr" for pack in packs(public.cover.fields.law)):
        blocks += _relative(report, low, t)
    return blocks


def _relative(report: Report, low: bool, t: Language) -> list[Block]:
    """Return what the figures support for who holds the source and for who gets the release (C-413/23 P)."""
    typed = report.public.cover.fields
    bound = bool(typed.controls and typed.contract)
    together = any(block.costs for block in report.public.blocks)
    if low and _guessed(report) and not together:
        other = t("not personal data, as far as recognition goes: no class is above the threshold")
    elif low and _guessed(report):
        other = t(
            "to be weighed: no class is above the threshold, but whoever knows some of a person's values may recognise "
            "the row by them and read the others that are drawn together with them"
        )
    elif low:
        other = t(
            "to be weighed: no class is above the threshold, but what the release tells of a person's values goes well "
            "beyond guessing"
        )
    elif bound:
        other = t(
            "not personal data only if controls and contract, as stated below, make it unlikely that rows are matched "
            "with what else the recipient can get"
        )
    else:
        other = t("personal data: rows can be isolated, and controls and contract are not both stated in words below")
    rows = [
        (
            t("For the custodian"),
            t("personal data, pseudonymised: rows can be matched with the source"),
        ),
        (t("For the recipient"), other),
    ]
    name = t("What the figures support for each holder (GDPR Art. 4(1), CJEU C-413/23 P)")
    return [Heading(name, 2), facts(t("Holders"), rows, (0.9, 2.3))]


def _persons(report: Report, t: Language) -> list[Block]:
    # What README and gate say, the promise too: the annex has it whole.
    said = " ".join(t.sentence(text) for text in report.public.persons.sentences[:2])
    return [Heading(t("Persons"), 2), Paragraph(said)]


UNPROTECTED = (
    mark(
        "The columns published unchanged: who recognises a row knows all of them, and that the person is in the table."
    ),
    mark("What many records teach about everybody: large counts are told on purpose."),
    mark("Against who knows all other records, or combines several releases of the same records."),
    mark("The source, its copies, and whatever else is handed out of it."),
)


def _unprotected(report: Report, t: Language) -> list[Block]:
    said = [t(text) for text in UNPROTECTED]
    told = [column for block in report.public.blocks if block.costs for column in block.columns]
    if told:
        said.append(
            t("One of {names} against who knows others of them: they were drawn together.", names=listed(told, t, 3))
        )
    bare = [each.column for each in report.public.guarantees if each.unprotected]
    if bare:
        said.append(t("Small counts of {names}: public figures alone tell them.", names=listed(bare, t, 3)))
    return [Heading(t("What is not protected"), 2), *(Paragraph(text, "item") for text in said)]


def _conditions(report: Report, t: Language) -> list[Block]:
    typed = report.public.cover.fields
    rows: list[tuple[str, Cell]] = [
        (t("Recipient"), _recipient(report, t)),
        (t("Controls at the recipient"), shortened(typed.controls, _LONGEST) or BLANK),
        (t("Contract (no re-identification, no passing on)"), shortened(typed.contract, _LONGEST) or BLANK),
        (t("Attempt at recognising persons: by whom, when, found"), shortened(typed.attempt, _LONGEST) or BLANK),
        (t("To be reviewed by"), shortened(typed.review, _LONGEST) or BLANK),
    ]
    name = t("Conditions of handing out")
    return [Heading(name, 2), facts(name, rows)]


def _recipient(report: Report, t: Language) -> str:
    """Return who gets the release as the plan answers it (the name stands on page 1), else the recipient as typed."""
    brief = None if report.original is None else report.original.audience_brief
    typed = shortened(report.public.cover.fields.recipient, _LONGEST)
    return typed or BLANK if brief is None else t.sentence(brief)


def _decision(report: Report, t: Language) -> list[Block]:
    name = t("Decision")
    rows: list[tuple[Cell, ...]] = [
        ("☐", t("Approved: may be handed out to the recipient for the purpose stated"), ""),
        ("☐", t("Approved with conditions:"), BLANK * 2),
        ("☐", t("Refused, because:"), BLANK * 2),
    ]
    digest = t("SHA-256 of what is reported here (splu verify prints it): {digest}", digest=report.digest())
    return [
        Heading(name, 2),
        TableBlock(name, (), rows, "lll", (0.25, 3.2, 2.8)),
        Paragraph(digest, "note"),
        SignatureLines((t("Operator: place, date, signature"), t("Reviewer: place, date, signature"))),
    ]

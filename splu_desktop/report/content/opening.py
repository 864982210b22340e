"""Cover, what was done, source and columns."""

from __future__ import annotations

import re

from splu_desktop.core.guarantees import attackers, sentences
from splu_desktop.files.language import Language, mark
from splu_desktop.files.release.recipient import cut_words
from splu_desktop.report.content.parts import (
    KINDS,
    ROLES,
    VERDICT_REASONS,
    WAYS,
    exact_percent,
    facts,
    listed,
    not_here,
    whole,
    yes_no,
)
from splu_desktop.report.document import Block, Cell, Heading, Paragraph, TableBlock
from splu_desktop.report.model import Guarantee, Report, Tolerant

# Where a reviewer's question is answered.
QUESTIONS = (
    (mark("What was released?"), (2, 4, 12)),
    (mark("From what?"), (3,)),
    (mark("By whom, for whom and what for?"), (1, 14)),
    (mark("With which promise?"), (2, 7)),
    (mark("What is the published table worth?"), (8,)),
    (mark("What could go wrong?"), (9, 10, 13)),
    (mark("How was it checked?"), (6, 11, 12)),
)


def title(report: Report, t: Language) -> str:
    """Return the report's title."""
    return report.public.cover.fields.title or t("Release “{name}”", name=report.public.release.folder)


def cover(report: Report, t: Language) -> list[Block]:
    """Return section 1."""
    said = report.public.cover
    typed, release = said.fields, report.public.release
    made = t.moment(said.created)
    rows: list[tuple[str, Cell]] = [
        (t("Organisation"), typed.organisation),
        (t("Operator"), typed.operator),
        (t("Reviewer"), typed.reviewer),
        (t("Purpose"), typed.purpose),
        (t("Recipient"), typed.recipient),
        (t("Release made"), t.moment(release.created)),
        (t("Report made"), made if made.endswith(said.time_zone) else f"{made} ({said.time_zone})"),
        (t("Software"), f"{said.software} {said.software_version}"),
        (t("Release made with"), release.software),
        (t("Release number (id)"), release.id or ""),
    ]
    if typed.remarks:
        rows.append((t("Remarks"), typed.remarks))
    return [
        Paragraph(title(report, t), "title"),
        Paragraph(t("Audit report of a release of sensitive data"), "subtitle"),
        Heading(t("1 Cover")),
        Paragraph(f"{t('Verdict')}: {verdict(report, t)}", "lead"),
        facts(t("Cover"), rows),
        Heading(t("Where to find what"), 2),
        TableBlock(
            t("Where to find what"),
            (t("Question"), t("Sections")),
            [(t(question), ", ".join(str(number) for number in numbers)) for question, numbers in QUESTIONS],
            "ll",
            (3, 1),
        ),
    ]


def verdict(report: Report, t: Language) -> str:
    """Return the verdict in one line."""
    found = report.public.cover.verdict
    reasons = "; ".join(t(VERDICT_REASONS[code]) for code in found.reasons)
    if found.code == "sound":
        return t("All checks passed and all thresholds are met.")
    if found.code == "reservations":
        return t("All checks passed. To be weighed: {reasons}.", reasons=reasons)
    return t("NOT to be relied on: {reasons}.", reasons=reasons)


def what_was_done(report: Report, t: Language) -> list[Block]:
    """Return section 2: one page in plain words."""
    release = report.public.release
    blocks: list[Block] = [
        Heading(t("2 What was done, in plain words"), new_page=True),
        Paragraph(
            t(
                "A table of {records} records and one column was released. All records that were read are in it, "
                "columns marked as naming persons are not.",
                records=t.number(release.records),
            )
            if release.columns == 1
            else t(
                "A table of {records} records and {columns} columns was released. All records that were read are in "
                "it, columns marked as naming persons are not.",
                records=t.number(release.records),
                columns=t.number(release.columns),
            )
        ),
        *_kept(report, t),
        Paragraph(
            t(
                "Sensitive columns: {names}. Their values were re-drawn: each record was put into a random group of "
                "records with different values, and received the value of a random member of its group. Groups, random "
                "numbers and the order of the records were destroyed.",
                names=listed(release.sensitive, t, 20),
            )
        ),
    ]
    blocks.append(Paragraph(t("What a single row tells, and to whom:")))
    blocks += [Paragraph(text) for text in readers(report, t)]
    blocks.append(Paragraph(t("The promise:")))
    for promise in every_promise(report):
        blocks += [Paragraph(text, "lead") for text in promises(promise.column, report, t)]
    blocks += [
        Paragraph(
            t(
                "So the table answers questions about many people and hides the answer about few. What the promise "
                "does not cover stands in section 13; how the table was checked, in section 12."
            )
        ),
    ]
    return blocks


def _kept(report: Report, t: Language) -> list[Block]:
    """Return which columns are as they were, and which were made coarser only; none where there are none."""
    columns = [column for column in report.public.columns if column.role == "nsa"]
    moved = [column.name for column in columns if {"how": "shifted"} in column.generalised]
    columns = [column for column in columns if column.name not in moved]
    coarser = [column.name for column in columns if column.generalised]
    unchanged = [column.name for column in columns if not column.generalised]
    blocks: list[Block] = []
    if unchanged:
        told = t(
            "Columns published as they are: {names}. Anyone may count them, and the counts are exact.",
            names=listed(unchanged, t, 20),
        )
        blocks.append(Paragraph(told))
    if coarser:
        told = t(
            "Columns made coarser (section 4 says how) and otherwise not changed: {names}. Counts of the coarser "
            "values are exact.",
            names=listed(coarser, t, 20),
        )
        blocks.append(Paragraph(told))
    if moved:
        told = t(
            "Columns whose dates were moved by one random number of days per person: {names}. Counts by them are "
            "not exact.",
            names=listed(moved, t, 20),
        )
        blocks.append(Paragraph(told))
    return blocks


def every_promise(report: Report) -> tuple[Guarantee | Tolerant, ...]:
    """Return what is promised of each sensitive column, of either kind."""
    return (*report.public.guarantees, *report.public.tolerant)


def promises(column: str, report: Report, t: Language) -> list[str]:
    """Return the exact sentences for one column, as the program states them (`core.sentences`)."""
    tolerant = next((each for each in report.public.tolerant if each.column == column), None)
    if tolerant is not None:
        return [_unbroken(t.sentence(sentence)) for sentence in tolerant.sentences]
    found = next(promise for promise in report.public.guarantees if promise.column == column)
    return [
        _unbroken(
            t.sentence(
                found.unprotected
                or sentences.small_count_promise(found.gamma, found.epsilon, found.alpha, column=column)
            )
        ),
        _unbroken(t.sentence(sentences.large_count_promise(found.gamma, found.epsilon, found.t_e, column=column))),
    ]


def readers(report: Report, t: Language) -> list[str]:
    """Return what a row tells to whom, as the program states it (`core.attackers`)."""
    tolerant = {each.column: each.readers for each in report.public.tolerant}
    gammas = {part.column: part.gamma for part in report.public.mechanism}
    every = {
        name: tolerant[name] if name in tolerant else attackers.of_gamma(name, gammas[name])
        for name in report.public.release.sensitive
    }
    return [_unbroken(t.sentence(sentence)) for sentence in attackers.said_once(every)]


def _unbroken(sentence: str) -> str:
    return re.sub(r"(?<=\d) %", "\u00a0%", sentence)  # no line begins with a per cent sign


CHOICES = {
    "format": mark("format"),
    "encoding": mark("character encoding"),
    "delimiter": mark("delimiter"),
    "quote": mark("quote mark"),
    "escape": mark("escape mark"),
    "decimal": mark("decimal mark"),
    "thousands": mark("thousands mark"),
    "sheet": mark("sheet"),
    "header_row": mark("header row"),
    "header_rows": mark("rows of the header"),
    "last_row": mark("last row"),
    "date_order": mark("order of day and month"),
    "renames": mark("name of a column"),
    "decisions": mark("what was decided"),
}


def source(report: Report, t: Language) -> list[Block]:
    """Return section 3."""
    blocks: list[Block] = [Heading(t("3 Source"), new_page=report.original is not None)]
    if report.original is None:
        return [*blocks, not_here(t)]
    found = report.original.source
    blocks.append(
        facts(
            t("Source"),
            [
                (t("File"), found.file),
                (t("Size"), t.size(found.bytes)),
                ("SHA-256", found.sha256),
                (t("Records read"), whole(found.records, t)),
                (t("Columns read"), whole(found.columns, t)),
                (t("Records left out on import"), whole(found.rows_dropped, t)),
            ],
        )
    )
    blocks += [
        Heading(t("How the file was read"), 2),
        TableBlock(
            t("Import choices"),
            (t("Choice"), t("Value"), t("Reason")),
            [
                (
                    t(CHOICES.get(name, name)),
                    (t.sentence(value) if name == "decisions" else value) or "–",
                    t.sentence(why),
                )
                for name, value, why in found.choices
            ],
            "lll",
            (1.2, 1, 2.5),
        ),
        Heading(t("Missing values"), 2),
    ]
    if found.missing:
        rows = [
            (column, t("“{name}”", name=token), whole(count, t), yes_no(applied, t))
            for column, token, count, applied in found.missing
        ]
        header = (t("Column"), t("Text"), t("Records"), t("Taken as missing"))
        blocks.append(TableBlock(t("Missing values"), header, rows, "llrl", (2, 1.4, 1, 1)))
    else:
        blocks.append(Paragraph(t("No text was found that could stand for a missing value.")))
    blocks.append(Heading(t("Problems on import and what was decided"), 2))
    if found.problems:
        rows = [
            (t.sentence(each.kind), t.sentence(each.decision), whole(each.rows, t), t.sentence(each.example))
            for each in found.problems
        ]
        header = (t("Kind"), t("Decision"), t("Rows"), t("First one"))
        blocks.append(TableBlock(t("Import problems"), header, rows, "llrl", (1.3, 1, 0.7, 3)))
    else:
        blocks.append(Paragraph(t("None.")))
    return blocks


def columns(report: Report, t: Language) -> list[Block]:
    """Return section 4."""
    public = report.public
    blocks: list[Block] = [Heading(t("4 Columns"), new_page=report.original is not None)]
    header = (t("Column"), t("Role"), t("Type"), t("Values"), t("Missing"), t("Generalised"))
    rows: list[tuple[Cell, ...]] = [
        (
            column.name,
            t(ROLES[column.role]),
            t(KINDS[column.kind]),
            whole(column.distinct, t),
            whole(column.missing, t),
            "; ".join(
                t.sentence(cut_words(step)) or t(WAYS.get(step["how"], step["how"])) for step in column.generalised
            )
            or "–",
        )
        for column in public.columns
    ]
    blocks.append(Paragraph(t("The {n} columns of the published table:", n=t.number(len(rows)))))
    blocks.append(TableBlock(t("Published columns"), header, rows, "lllrrl", (2.3, 2.2, 1.1, 0.8, 0.9, 2.0)))
    if report.original is not None:
        blocks.append(Heading(t("All columns of the source, with role and reason"), 2))
        source_header = (t("Column"), t("Role"), t("Values"), t("Generalised"), t("Reason"))
        rows = [
            (
                column.name,
                t(ROLES[column.role]),
                whole(column.distinct, t),
                "; ".join(map(t.sentence, column.generalised)) or "–",
                t.sentence(column.reason),
            )
            for column in report.original.columns
        ]
        blocks.append(TableBlock(t("Source columns"), source_header, rows, "llrll", (1.8, 2.1, 0.7, 1.4, 2.6)))
    asked = every_promise(report)[0]
    blocks.append(
        Paragraph(
            t(
                "The thresholds asked for: relative error {epsilon}, tolerated probability T_E {t_e}, small counts up "
                "to {alpha}.",
                epsilon=exact_percent(asked.epsilon, t),
                t_e=exact_percent(asked.t_e, t),
                alpha=t.number(asked.alpha),
            ),
            "note",
        )
    )
    return blocks

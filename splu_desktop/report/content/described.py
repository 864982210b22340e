"""What law and guidance ask, what was done in plain words, and the columns."""

from __future__ import annotations

from collections.abc import Sequence

from splu_desktop.core.guarantees import attackers
from splu_desktop.files.language import Language, mark
from splu_desktop.files.release.recipient import cut_words
from splu_desktop.report.content.parts import KINDS, ROLES, WAYS, exact_percent, facts, listed, table, whole
from splu_desktop.report.document import Block, Cell, Heading, Pages, Paragraph, TableBlock
from splu_desktop.report.law import packs
from splu_desktop.report.model import Report

_BY = ("organisation", "operator", "reviewer")
BY = {"report": mark("report"), "custodian": mark("custodian"), "recipient": mark("recipient")}


def law(report: Report, t: Language) -> list[Block]:
    """Return what each chosen law pack asks, and where the report meets it or who must."""
    blocks: list[Block] = []
    for pack in packs(report.public.cover.fields.law):
        title = pack.title[t.code]
        demands = table(
            title,
            pack.demands,
            (t("Place"), "l", 1.1, lambda demand: demand.place[t.code]),
            (t("What is asked"), "l", 3, lambda demand: demand.asks[t.code]),
            (t("Where the report meets it, or what is to be done"), "l", 3, lambda demand: demand.answer[t.code]),
            (t("By"), "l", 0.9, lambda demand: t(BY[demand.by])),
            (t("Page"), "l", 0.7, lambda demand: _places(demand.see)),
        )
        sources = " ".join(f"{name[t.code]}. {checked[t.code]}" for name, checked in pack.sources)
        stated = t(
            "Law pack {code}, version {version}, of {day}. Sources, and what could not be checked: {sources}",
            code=pack.stated.code,
            version=pack.stated.version,
            day=pack.stated.dated,
            sources=sources,
        )
        blocks += [Heading(title, 2), demands, Paragraph(stated, "note")]
    if blocks:
        blocks.append(Paragraph(t("No report can say that a release complies: whoever signs it decides."), "note"))
    return blocks


def _places(see: Sequence[str]) -> Pages:
    return Pages(tuple(key for each in see for key in ((each, "evidence") if each == "front" else (each,))))


def done(report: Report, t: Language) -> list[Block]:
    """Return what was done in plain words, what a row tells to whom, and what was typed in full."""
    release = report.public.release
    counts = {"records": t.number(release.records), "columns": t.number(release.columns)}
    told = (
        t(
            "A table of {records} records and one column was released. All records that were read are in it, "
            "columns marked as naming persons are not.",
            records=counts["records"],
        )
        if release.columns == 1
        else t(
            "A table of {records} records and {columns} columns was released. All records that were read are in "
            "it, columns marked as naming persons are not.",
            **counts,
        )
    )
    blocks: list[Block] = [Paragraph(told)]
    if report.original is not None and report.original.audience is not None:
        blocks.append(Paragraph(t.sentence(report.original.audience)))
    blocks += _kept(report, t)
    drawn: dict[str, list[str]] = {}
    for block in report.public.blocks:
        drawn.setdefault(block.how, []).extend(block.columns)
    for how, names in drawn.items():
        said = t("Sensitive and re-drawn: {names}. How: {how}", names=listed(names, t, 12), how=t.sentence(how))
        blocks.append(Paragraph(said))
    blocks.append(
        Paragraph(t("Groups, random numbers and the order of the records were destroyed; chance came from the system."))
    )
    readers = {each.column: each.readers for each in report.public.guarantees}
    blocks.append(Heading(t("What a single row tells, and to whom"), 2, key="readers"))
    blocks += [Paragraph(t.sentence(text), "item") for text in attackers.said_once(readers, bounds=True)]
    costs = [cost for block in report.public.blocks for cost in block.costs]
    if costs:
        blocks.append(Paragraph(t("What columns drawn together tell of each other:")))
        blocks += [Paragraph(t.sentence(cost), "item") for cost in costs]
    persons = " ".join(t.sentence(text) for text in report.public.persons.sentences)
    if persons:
        blocks.append(Paragraph(persons, "item"))
    return [*blocks, *_typed(report, t)]


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
            "Columns made coarser and otherwise not changed: {names}. Counts of the coarser values are exact.",
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


def _typed(report: Report, t: Language) -> list[Block]:
    """Return what was typed and is too long for the front, and remarks."""
    typed = report.public.cover.fields
    names = {
        "organisation": t("Organisation"),
        "operator": t("Operator"),
        "reviewer": t("Reviewer"),
        "purpose": t("Purpose"),
        "recipient": t("Recipient"),
        "controls": t("Controls at the recipient"),
        "contract": t("Contract"),
        "attempt": t("Attempt at recognising persons"),
        "review": t("To be reviewed by"),
    }
    rows: list[tuple[str, Cell]] = [
        (label, getattr(typed, name))
        for name, label in names.items()
        if len(getattr(typed, name)) > (30 if name in _BY else 90)
    ]
    if typed.remarks:
        rows.append((t("Remarks"), typed.remarks))
    return [facts(t("As typed"), rows)] if rows else []


def columns(report: Report, t: Language) -> list[Block]:
    """Return each column with its role; in the internal edition those of the source, with reasons."""
    public = report.public
    by_name = {column.name: column for column in public.columns}
    header = [t("Column"), t("Role"), t("Type"), t("Values"), t("Missing"), t("Generalised")]
    align, weights = "lllrrl", [1.9, 2.3, 1.2, 0.7, 0.7, 1.4]
    rows: list[tuple[Cell, ...]] = [
        (
            column.name,
            t(ROLES[column.role]),
            t(KINDS[column.kind]),
            whole(column.distinct, t),
            whole(column.missing, t),
            t.joined(
                t.sentence(cut_words(step)) or t(WAYS.get(step["how"], step["how"])) for step in column.generalised
            )
            or "–",
        )
        for column in public.columns
    ]
    left_out: list[Block] = []
    if report.original is not None:
        header.append(t("Reason"))
        align, weights = align + "l", [1.8, 1.9, 1.0, 0.6, 0.6, 1.0, 3.2]
        behind = {column.name: column for column in report.original.columns}
        shown = {str(row[0]): row for row in rows}
        rows = [(*shown[name], t.sentence(behind[name].reason) if name in behind else "–") for name in by_name]
        left: dict[tuple[str, str], list[str]] = {}  # role and reason -> names: of 40 columns most are left out alike
        for column in report.original.columns:
            if column.name not in by_name:
                why = t(ROLES[column.role]), t.sentence(column.reason)
                left.setdefault(why, []).append(column.name)
        told = [(listed(names, t, len(names)), *why) for why, names in left.items()]
        about = t("Columns"), t("Role"), t("Reason")
        left_out = [TableBlock(t("Columns left out"), about, told, "lll", (4.2, 1.7, 3.2))] if told else []
    asked = public.guarantees[0]
    return [
        TableBlock(t("Columns"), header, rows, align, weights),
        *left_out,
        Paragraph(
            t(
                "The thresholds asked for: relative error {epsilon}, tolerated probability T_E {t_e}, small counts up "
                "to {alpha}.",
                epsilon=exact_percent(asked.epsilon, t),
                t_e=exact_percent(asked.t_e, t),
                alpha=t.number(asked.alpha),
            )
            + " "
            + t("Values and missing ones are counted in the published table."),
            "note",
        ),
    ]

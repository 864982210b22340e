"""What the table is worth: errors measured against the source, counts before and after, and the law of the draw."""

from __future__ import annotations

from splu_desktop.core.guarantees import attackers
from splu_desktop.core.thresholds import NORMAL_95
from splu_desktop.files.language import Language
from splu_desktop.report import model
from splu_desktop.report.content import figures
from splu_desktop.report.content.parts import (
    STATES,
    cut,
    decimal,
    exact_percent,
    share,
    shortened,
    shown,
    table,
    whole,
    yes_no,
)
from splu_desktop.report.document import Block, Cell, Heading, Number, Paragraph, TableBlock
from splu_desktop.report.model import Report

_ROWS = 12  # of values on pages, those of all columns together; the workbook has all
_GAMMAS = 3  # whose expected errors stand beside each other


def measured(report: Report, t: Language) -> list[Block]:
    """Return the section."""
    blocks: list[Block] = []
    if report.original is not None:
        blocks += _workloads(report.original, t)
        blocks += _marginals(report.original, report, t)
    blocks += _expected(report, t)
    blocks += _values(report, t)
    return blocks


def _workloads(original: model.Original, t: Language) -> list[Block]:
    found = original.utility
    if not found:
        return []
    worst = max(found, key=lambda each: max((band.mean_relative_error or 0.0 for band in each.bands), default=0.0))
    labels = list(dict.fromkeys(band.label for each in found for band in each.bands))
    header = (
        t("Column"),
        t("Questions"),
        *(t.sentence(label) for label in labels),
        t("Interval held"),
        t("Small counts wrong"),
    )
    rows: list[tuple[Cell, ...]] = []
    for each in found:
        bands = {band.label: band for band in each.bands}
        held = sum(band.queries * (band.coverage or 0.0) for band in each.bands) / max(1, each.queries)
        errors = (share(bands[label].mean_relative_error if label in bands else None, t) for label in labels)
        rows.append((each.column, whole(each.queries, t), *errors, share(held, t), share(each.unsafe, t)))
    told = t(
        "Random questions (conditions on up to three unchanged columns and one sensitive value) were put to the "
        "published table and to the source: mean relative error by the true count (in records, or as a share of all), "
        "how often the 95 % interval held the truth, and how many counts of 1 to 3 came out wrong by more than 30 %, "
        "as is wanted."
    )
    name = t("Error of estimated counts")
    return [
        Heading(name, 2),
        figures.bands(worst, t),
        Paragraph(told),
        *cut(TableBlock(name, header, rows, "l" + "r" * (len(header) - 1), (2.2, *([1.0] * (len(header) - 1)))), t),
    ]


def _marginals(original: model.Original, report: Report, t: Language) -> list[Block]:
    found = original.marginals
    error = exact_percent(report.public.guarantees[0].epsilon, t)
    most = max(found, key=lambda each: len(each.values))
    name = t("Counts before and after")
    counts = table(
        name,
        found,
        (t("Column"), "l", 2.4, lambda each: each.column),
        (t("Small counts"), "r", 1, lambda each: whole(each.small_values, t)),
        (t("wrong, as is wanted"), "r", 1, lambda each: whole(each.small_wrong, t) if each.small_values else "–"),
        (t("Large counts"), "r", 1, lambda each: whole(each.large_values, t)),
        (t("wrong"), "r", 1, lambda each: whole(each.large_wrong, t) if each.large_values else "–"),
        (t("Records that would have to change"), "r", 1.2, lambda each: share(each.total_deviation, t, 2)),
    )
    blocks: list[Block] = [
        Heading(name, 2),
        figures.before_after(most, t),
        Paragraph(
            t(
                "Values with a small count (up to {alpha}) and with one that can be answered, and how many of each "
                "recipients are told wrong by more than {epsilon}; and the share of records that would have to change "
                "their value to turn the counts they are told into the true ones. They are told the published count "
                "where the draw keeps shares true, else what they reconstruct from it.",
                alpha=t.number(report.public.guarantees[0].alpha),
                epsilon=error,
            )
        ),
        *cut(counts, t),
    ]
    return [*blocks, *(_before_after(each, t) for each in found)]


def _before_after(marginal: model.Marginal, t: Language) -> TableBlock:
    return table(
        t("Before and after, “{column}”", column=marginal.column),
        marginal.values,
        (t("Value"), "l", 4.4, lambda row: shown(row.value, t)),
        (t("True count"), "r", 0.8, lambda row: whole(row.true, t)),
        (t("Published"), "r", 1, lambda row: whole(row.published, t)),
        (t("Told to recipients"), "r", 1, lambda row: whole(row.told, t)),
        (t("Difference"), "r", 0.9, lambda row: whole(row.told - row.true, t)),
        (t("What it is"), "l", 1.1, lambda row: t(STATES[row.state])),
        (t("Within the error"), "l", 1, lambda row: yes_no(row.inside, t)),
        most=0,
    )


def _expected(report: Report, t: Language) -> list[Block]:
    """Return the error of counts of the whole table by the law of groups of one size."""
    laws = {each.gamma: each.law for each in report.public.guarantees if each.law is not None}
    chosen = [law for _, law in sorted(laws.items(), key=lambda item: item[0] or 0) if law is not None][:_GAMMAS]
    if not chosen:
        return []
    error = exact_percent(report.public.guarantees[0].epsilon, t)
    header = [t("True count")]
    for law in chosen:
        header += [
            t("Mean error, groups of {gamma}", gamma=law.gamma),
            t("Probability of an error above {e}", e=error),
        ]
    rows: list[tuple[Cell, ...]] = []
    for at, (count, _, _) in enumerate(chosen[0].expected):
        if count > 5 and str(count)[0] not in "13":
            continue
        cells: list[Cell] = []
        for law in chosen:
            _, mean, wrong = law.expected[at]
            # Never 0: where it comes out as 0 it is beyond reckoning.
            cells += [share(mean, t), Number(t.percent(wrong or 1e-15, 1), wrong or 1e-15)]
        rows.append((whole(count, t), *cells))
    name = t("Counts of the whole table, by the law of the draw")
    return [Heading(name, 2), TableBlock(name, header, rows, "r" * len(header), [1.0] * len(header))]


def _values(report: Report, t: Language) -> list[Block]:
    """Return what published counts are worth: the most frequent values here, all in the workbook."""
    every = [each for each in report.public.guarantees if each.values]
    if not every:
        return []
    header = (
        t("Column"),
        t("Value"),
        t("Published"),
        t("Estimated"),
        t("95 % of releases within"),
        t("Signal a − b"),
        t("By its published count"),
    )
    rows: list[tuple[Cell, ...]] = []
    whole_tables: list[Block] = []
    for each in every:
        cells = [(shortened(each.column), *_value(value, t)) for value in each.values]
        rows += cells[: max(1, _ROWS // len(every))]
        name = t("Values, “{column}”", column=each.column)
        tolerances = [
            (*cell[1:], decimal(v.tolerance, t), decimal(v.t_p, t)) for cell, v in zip(cells, each.values, strict=True)
        ]
        titles = (*header[1:], t("Tolerance"), "T_P")
        whole_tables.append(TableBlock(name, titles, tolerances, "lrrrrlrr", [1.0] * 8, most=0))
    cautions = attackers.said_once({each.column: (each.caution,) for each in every if each.caution})
    name = t("What published counts are worth")
    note = t(
        "The most frequent values of each column; all {n} stand in the workbook (.xlsx) and the JSON report. Signal: "
        "how much more often a value is shown by records that have it than by others; counts of a part of the table "
        "are estimated the better the larger it is. An answer of the program states ± by the longer arm of its "
        "interval, which is often larger.",
        n=t.number(sum(len(each.values) for each in every)),
    )
    told = len(header) - (len({row[-1] for row in rows}) == 1)  # what every row says tells nothing of any
    widths = (1.6, 2.4, 1, 1, 1.3, 0.8, 1.2)
    return [
        Heading(name, 2),
        *(Paragraph(t.sentence(text), "lead") for text in cautions),
        TableBlock(name, header[:told], [row[:told] for row in rows], "llrrrrl"[:told], widths[:told], _ROWS),
        Paragraph(note, "note"),
        *whole_tables,
    ]


def _value(value: model.Value, t: Language) -> tuple[Cell, ...]:
    within = NORMAL_95 * value.deviation / value.likely if value.likely else None
    return (
        shown(value.value, t),
        whole(value.published, t),
        whole(round(value.likely), t),
        Number(f"±\u00a0{t.percent(within, 1)}" if within is not None else "–", within),
        share(value.signal, t),
        t(STATES[value.state]),
    )

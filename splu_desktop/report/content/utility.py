"""Measured utility, and the annex with all values."""

from __future__ import annotations

from splu_desktop.core.thresholds import NORMAL_95
from splu_desktop.files.language import Language
from splu_desktop.report import model
from splu_desktop.report.content import figures
from splu_desktop.report.content.parts import (
    MOST_INLINE,
    STATES,
    chance,
    decimal,
    exact_percent,
    share,
    shown,
    whole,
    yes_no,
)
from splu_desktop.report.document import Block, Cell, Heading, Paragraph, TableBlock
from splu_desktop.report.model import Report


def measured(report: Report, t: Language) -> list[Block]:
    """Return section 8."""
    blocks: list[Block] = [Heading(t("8 Measured utility"), new_page=True)]
    if report.original is not None:
        blocks += _workloads(report.original, t)
        for marginal in report.original.marginals:
            blocks += _marginal(marginal, report, t)
    for utility in report.public.utility:
        blocks += _published(utility, report, t)
    for tolerant in report.public.tolerant:
        blocks += _scatter(tolerant, t)
    return blocks


def _scatter(found: model.Tolerant, t: Language) -> list[Block]:
    """Return how far published counts of a column with tolerances scatter: variance f (1 - a), a the chance to keep."""
    header = (
        t("Value"),
        t("Published"),
        t("Estimated"),
        t("Standard deviation"),
        t("95 % of releases within"),
        t("Signal a - b"),
    )
    rows: list[tuple[Cell, ...]] = []
    for each in found.values[:MOST_INLINE]:
        within = NORMAL_95 * each.deviation / each.likely if each.likely else None
        rows.append(
            (
                shown(each.value, t),
                whole(each.published, t),
                whole(round(each.likely), t),
                decimal(each.deviation, t, 1),
                share(within, t),
                decimal(each.signal, t, 3),
            )
        )
    return [
        Heading(t("What published counts of “{column}” are worth", column=found.column), 2),
        *([Paragraph(t.sentence(found.caution), "lead")] if found.caution else []),
        Paragraph(
            t(
                "Estimates of counts of the whole table are true on average; their scatter over releases follows from "
                "the chance that a record keeps its value. Counts of a part of the table are estimated (see the query "
                "page or “splu query”), the better the larger the signal."
            )
        ),
        TableBlock(
            t("Scatter of counts, “{column}”", column=found.column), header, rows, "lrrrrr", (2.4, 1, 1, 1.2, 1.4, 1)
        ),
    ]


def _workloads(original: model.Original, t: Language) -> list[Block]:
    blocks: list[Block] = []
    for found in original.utility:
        blocks += [
            Heading(t("Error of estimated counts of “{column}”", column=found.column), 2),
            Paragraph(
                t(
                    "{queries} random questions (conditions on up to three unchanged columns and one value of the "
                    "sensitive column) were put to the published table and to the source. Relative error of the "
                    "estimate by the size of the true count, and how often the 95 % interval held the truth:",
                    queries=t.number(found.queries),
                )
            ),
            figures.bands(found, t),
        ]
        header = (t("True count"), t("Questions"), t("Mean error"), t("Interval held"))
        rows: list[tuple[Cell, ...]] = [
            (
                t.sentence(band.label),
                whole(band.queries, t),
                share(band.mean_relative_error, t),
                share(band.coverage, t),
            )
            for band in found.bands
        ]
        blocks.append(
            TableBlock(t("Error by band, “{column}”", column=found.column), header, rows, "lrrr", (2, 1, 1, 1))
        )
        if found.unsafe is not None:
            blocks.append(
                Paragraph(
                    t(
                        "Of {small} questions with a true count of 1 to 3, {unsafe} were answered wrong by more than "
                        "30 %, as is wanted.",
                        small=t.number(found.small),
                        unsafe=t.percent(found.unsafe),
                    )
                )
            )
    return blocks


def _marginal(marginal: model.Marginal, report: Report, t: Language) -> list[Block]:
    every: tuple[model.Guarantee | model.Tolerant, ...] = (*report.public.guarantees, *report.public.tolerant)
    promise = next(each for each in every if each.column == marginal.column)
    error = exact_percent(promise.epsilon, t)
    blocks: list[Block] = [
        Heading(t("Counts of “{column}” before and after", column=marginal.column), 2),
        Paragraph(
            " ".join(
                [
                    t(
                        "Values with small counts that came out wrong by more than {epsilon}, as is wanted: {wrong} of "
                        "{small}.",
                        small=t.number(marginal.small_values),
                        wrong=t.number(marginal.small_wrong),
                        epsilon=error,
                    )
                    if marginal.small_values
                    else t("No value has a small count."),
                    t(
                        "Values that can be answered and came out wrong by more than {epsilon}: {missed} of {large}.",
                        large=t.number(marginal.large_values),
                        missed=t.number(marginal.large_wrong),
                        epsilon=error,
                    )
                    if marginal.large_values
                    else t("No value has a count that can be answered."),
                    t(
                        "In all, {share} of the records would have to change their value to turn the published counts "
                        "into the true ones.",
                        share=t.percent(marginal.total_deviation, 2),
                    ),
                ]
            )
        ),
        figures.before_after(marginal, t),
    ]
    if len(marginal.values) <= MOST_INLINE:
        blocks.append(_before_after(marginal, t))
    else:
        blocks.append(Paragraph(t("All {n} values stand in the annex.", n=t.number(len(marginal.values))), "note"))
    return blocks


def _before_after(marginal: model.Marginal, t: Language) -> TableBlock:
    header = (t("Value"), t("True count"), t("Published"), t("Difference"), t("What it is"), t("Within the error"))
    rows: list[tuple[Cell, ...]] = [
        (
            shown(row.value, t),
            whole(row.true, t),
            whole(row.published, t),
            whole(row.published - row.true, t),
            t(STATES[row.state]),
            yes_no(row.inside, t),
        )
        for row in marginal.values
    ]
    return TableBlock(
        t("Before and after, “{column}”", column=marginal.column), header, rows, "lrrrll", (4.4, 0.8, 1, 0.9, 1.1, 1)
    )


def _published(utility: model.Utility, report: Report, t: Language) -> list[Block]:
    promise = next(each for each in report.public.guarantees if each.column == utility.column)
    header = (
        t("True count"),
        t("Mean relative error"),
        t("Probability of an error above {e}", e=exact_percent(promise.epsilon, t)),
    )
    rows: list[tuple[Cell, ...]] = [
        (whole(each.count, t), share(each.expected_relative_error, t), chance(each.error_probability, t, 2))
        for each in utility.expected
    ]
    blocks: list[Block] = [
        Heading(t("What published counts of “{column}” are worth", column=utility.column), 2),
        Paragraph(t("By the law of the draw, small and large counts of the whole table:")),
        TableBlock(t("Expected error, “{column}”", column=utility.column), header, rows, "rrr", (1, 1, 1.4)),
        figures.published_bars(utility, t),
    ]
    signal = t(
        "“Signal” is what the draw left of a value's link to the other columns: 100 % for rare values, 0 % for a value "
        "that fills 1/gamma of the records."
    )
    if len(utility.values) <= MOST_INLINE:
        return [*blocks, Paragraph(signal, "note"), _values(utility, t)]
    annexed = t("All {n} values stand in the annex.", n=t.number(len(utility.values)))
    return [*blocks, Paragraph(f"{signal} {annexed}", "note")]


def _values(utility: model.Utility, t: Language) -> TableBlock:
    header = (
        t("Value"),
        t("Published"),
        t("By its published count"),
        t("Error probability"),
        t("Mean error"),
        t("Signal"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            shown(row.value, t),
            whole(row.published, t),
            t(STATES[row.state]),
            chance(row.error_probability, t),
            share(row.expected_relative_error, t),
            share(row.signal, t),
        )
        for row in utility.values
    ]
    return TableBlock(t("Values, “{column}”", column=utility.column), header, rows, "lrlrrr", (4, 1, 1.2, 1.1, 1, 0.9))


def annex(report: Report, t: Language) -> list[Block]:
    """Return the long tables of values, whole."""
    tables: list[TableBlock] = []
    if report.original is not None:
        tables += [_before_after(each, t) for each in report.original.marginals if len(each.values) > MOST_INLINE]
    tables += [_values(each, t) for each in report.public.utility if len(each.values) > MOST_INLINE]
    blocks: list[Block] = []
    for table in tables:
        blocks += [Heading(t("Annex: {name}", name=table.name), new_page=not blocks), table]
    return blocks

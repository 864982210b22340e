"""Mechanism, eligibility and guarantees."""

from __future__ import annotations

from splu_desktop.files.language import Language
from splu_desktop.report import model
from splu_desktop.report.content import figures
from splu_desktop.report.content.opening import promises
from splu_desktop.report.content.parts import decimal, exact_percent, listed, share, shown, whole
from splu_desktop.report.document import Block, Cell, Heading, Paragraph, TableBlock
from splu_desktop.report.model import Report

_LISTED = 200  # values in the table of tolerances; the JSON report has all


def mechanism(report: Report, t: Language) -> list[Block]:
    """Return section 5."""
    header = (t("Sensitive column"), t("Group size gamma"), t("Groups"), t("Groups with one more"), t("1/gamma (r/N)"))
    rows: list[tuple[Cell, ...]] = [
        (
            part.column,
            whole(part.gamma, t),
            whole(part.groups, t),
            whole(part.larger_groups, t),
            share(part.confidence, t, 2),
        )
        for part in report.public.mechanism
    ]
    blocks: list[Block] = [
        Heading(t("5 Mechanism and parameters")),
        Paragraph(
            t(
                "Mechanism: {name}. Each sensitive column is treated by itself. Records get random ids; ordered by "
                "value "
                "and id they are dealt into r = N/gamma decoy groups, so that no group holds a value twice; groups are "
                "mixed; each record receives the value of a uniformly drawn member of its group, itself included; the "
                "records are shuffled. All randomness comes from the operating system's cryptographic source.",
                name=report.public.release.mechanism,
            )
        ),
    ]
    if rows:
        blocks.append(TableBlock(t("Mechanism"), header, rows, "lrrrr", (2.4, 1, 1, 1, 1)))
    several = [each.column for each in report.public.tolerant if each.sizes]
    if several:
        blocks.append(
            Paragraph(
                t(
                    "Columns with a tolerance per value: {names}. Their groups have several sizes, and a group of size "
                    "S holds a value with tolerance f at most floor(f S) times, so of the rows that show a value no "
                    "larger share than its tolerance is right, on average over the table. Sizes and tolerances stand "
                    "in section 7.",
                    names=listed(several, t),
                )
            )
        )
    return blocks


def eligibility(report: Report, t: Language) -> list[Block]:
    """Return section 6."""
    blocks: list[Block] = [
        Heading(t("6 Eligibility")),
        Paragraph(
            t(
                "Decoy groups exist only where no value fills more than 1/gamma of the records. The program refuses to "
                "publish otherwise."
            )
        ),
    ]
    if not report.public.eligibility:
        return [*blocks, Paragraph(t("Columns with a tolerance per value need no such limit: see section 5."))]
    if report.original is not None:
        blocks += [Heading(t("In the original table"), 2), _eligible(report.original.eligibility, t("Eligibility"), t)]
        blocks.append(Heading(t("In the published table"), 2))
    blocks.append(_eligible(report.public.eligibility, t("Eligibility, published"), t))
    blocks.append(
        Paragraph(
            t(
                "Published counts vary around the true ones, so a published share may lie a little above the limit. "
                "How "
                "likely that is was checked (section 12)."
            ),
            "note",
        )
    )
    return blocks


def _eligible(found: tuple[model.Eligibility, ...], name: str, t: Language) -> TableBlock:
    header = (
        t("Sensitive column"),
        t("Values"),
        t("Most frequent value"),
        t("Records"),
        t("Share"),
        t("Limit"),
        t("Largest gamma"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            each.column,
            whole(each.values, t),
            shown(each.most_frequent, t),
            whole(each.count, t),
            share(each.share, t, 2),
            share(each.limit, t, 2),
            whole(each.largest_gamma, t),
        )
        for each in found
    ]
    return TableBlock(name, header, rows, "lrlrrrr", (2, 0.9, 2, 1, 0.9, 0.9, 1))


def guarantees(report: Report, t: Language) -> list[Block]:
    """Return section 7: sentences, both plots and the tables of thresholds for each sensitive column."""
    blocks: list[Block] = [
        Heading(t("7 Guarantees"), new_page=True),
    ]
    if report.public.guarantees:
        blocks.append(
            Paragraph(
                t(
                    "All figures are exact: they follow from the binomial law of the draw, not from a bound or an "
                    "approximation, and depend on gamma and the thresholds alone."
                )
            )
        )
    if report.public.tolerant:
        blocks.append(
            Paragraph(
                t(
                    "With tolerances, T_P is computed exactly: the least over all ways in which so few records can "
                    "stand in the groups. The count from which counts are reliable is that of the groups that stray "
                    "most, so it holds for all."
                )
            )
        )
    blocks.append(Paragraph(" ".join(t.sentence(text) for text in report.public.persons.sentences), "lead"))
    for promise in report.public.guarantees:
        blocks += _of_column(promise, report, t)
    for tolerant in report.public.tolerant:
        blocks += _with_tolerances(tolerant, report, t)
    return blocks


def _with_tolerances(found: model.Tolerant, report: Report, t: Language) -> list[Block]:
    header = (
        t("Value"),
        t("Published"),
        t("Tolerance"),
        "T_P",
        t("Keeps its value"),
        t("Signal a - b"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            shown(each.value, t),
            whole(each.published, t),
            decimal(each.tolerance, t, 3),
            decimal(each.t_p, t),
            share(each.keeps, t),
            decimal(each.signal, t, 3),
        )
        for each in found.values[:_LISTED]
    ]
    sizes = ", ".join(f"{size} ({t.percent(part, 1)})" for size, part in zip(found.sizes, found.shares, strict=True))
    fakes = t(
        "Fake values in each group, beside those of its records: {fakes}. They are as often of each value as the "
        "records of groups of that size are, and drawn like those of records.",
        fakes=found.fakes,
    )
    in_groups = [
        Paragraph(t("Group sizes, with the share of the records in each: {sizes}.", sizes=sizes)),
        *([Paragraph(fakes)] if found.fakes else []),
        Paragraph(t("Loss (MSE): {mse}.", mse=t.number(found.mse, 2))),
    ]
    told = Paragraph(
        t(
            "What the published sizes, shares and tolerances tell of rare values: sizes and shares are chosen from "
            "counts rounded up to tens of records (to fives, twos or ones in a table too small for that), so a "
            "value with few records leads to the same ones whatever its count. Only where a tolerance lies within "
            "so few records of its value's share do exact counts decide. Shares come in steps of {step} records. "
            "Tolerances by rule are the same for all values below ten records. The chances that a record of one "
            "value is shown as another are not published; they are computed from published counts.",
            step=t.number(found.step),
        ),
        "note",
    )
    return [
        Heading(t("Column “{column}”, a tolerance per value", column=found.column), 2),
        *[Paragraph(text, "lead") for text in promises(found.column, report, t)],
        *(in_groups if found.sizes else []),
        Paragraph(t("Counts from {count} on are within the error asked for.", count=t.number(found.t_f))),
        *([told] if found.sizes else []),
        TableBlock(
            t("Tolerances of “{column}”", column=found.column), header, rows, "lrrrrr", (2.4, 1, 1, 1, 1.2, 1.2)
        ),
    ]


def _of_column(promise: model.Guarantee, report: Report, t: Language) -> list[Block]:
    column = promise.column
    counts = [row.published for each in report.public.utility if each.column == column for row in each.values]
    blocks: list[Block] = [Heading(t("Column “{column}”, gamma {gamma}", column=column, gamma=promise.gamma), 2)]
    blocks += [Paragraph(text, "lead") for text in promises(column, report, t)]
    error = exact_percent(promise.epsilon, t)
    rows: list[tuple[Cell, ...]] = [
        (
            "T_P",
            decimal(promise.t_p, t),
            t(
                "least probability of an error above {epsilon} in counts 1 to {alpha}",
                epsilon=error,
                alpha=promise.alpha,
            ),
        ),
        ("T_f", whole(promise.t_f, t), t("records from which the error stays below {epsilon}, exact", epsilon=error)),
        ("T_f", whole(promise.t_f_chebyshev, t), t("the same by Chebyshev's bound")),
        ("T_f", decimal(promise.t_f_as_published, t, 1), t("as printed in the papers: not valid, for comparison only")),
    ]
    if promise.wanted_t_p is not None:
        met = t("met") if promise.meets else t("NOT met")
        rows.insert(1, (t("T_P asked for"), decimal(promise.wanted_t_p, t), met))
    name = t("Figures of “{column}”", column=column)
    blocks.append(TableBlock(name, (t("Figure"), t("Value"), t("Meaning")), rows, "lrl", (1, 1, 4)))
    blocks += [figures.large_counts(promise, counts, t), figures.small_counts(promise, t)]
    blocks.append(Heading(t("Table of thresholds"), 2))
    blocks.append(Paragraph(t("Records from which a published count is within the error in all but T_E of releases:")))
    t_es = sorted({t_e for _, t_e, _ in promise.thresholds})
    by_error: dict[float, dict[float, int]] = {}
    for epsilon, t_e, t_f in promise.thresholds:
        by_error.setdefault(epsilon, {})[t_e] = t_f
    blocks.append(
        TableBlock(
            t("Thresholds of “{column}”", column=column),
            (t("Error"), *(f"T_E {exact_percent(t_e, t)}" for t_e in t_es)),
            [
                (exact_percent(epsilon, t), *(whole(row.get(t_e), t) for t_e in t_es))
                for epsilon, row in by_error.items()
            ],
            "l" + "r" * len(t_es),
            [1.0] * (1 + len(t_es)),
        )
    )
    return blocks

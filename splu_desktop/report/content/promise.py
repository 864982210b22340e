"""What is promised of each sensitive column: figures, sentences said once, and the settings behind them."""

from __future__ import annotations

from splu_desktop.core.guarantees import attackers
from splu_desktop.files.language import Language
from splu_desktop.report import model
from splu_desktop.report.content import figures
from splu_desktop.report.content.parts import cut, decimal, exact_percent, setting, share, shown, unbroken, whole
from splu_desktop.report.document import Block, Cell, Heading, Paragraph, TableBlock
from splu_desktop.report.model import Report

_SENTENCES, _SIZES = 6, 8  # of many columns, on pages


def promises(report: Report, t: Language) -> list[str]:
    """Return the promises as the program states them (`Draw.sentences`), once for columns of which the same holds."""
    said = attackers.said_once({each.column: each.sentences for each in report.public.guarantees})
    return [unbroken(t.sentence(sentence)) for sentence in said]


def promised(report: Report, t: Language) -> list[Block]:
    """Return the section."""
    every = report.public.guarantees
    blocks: list[Block] = []
    exact = [each for each in every if each.law is not None]
    worst = min(exact, key=lambda each: each.t_p, default=None)
    if worst is not None and worst.law is not None:
        blocks.append(figures.small_counts(worst, worst.law, t))
        blocks.append(figures.large_counts(worst, worst.law, t))
    words = promises(report, t)
    blocks += [*cut(_table(every, t), t), *(Paragraph(text, "item") for text in words[:_SENTENCES])]
    if len(words) > _SENTENCES:
        name = t("Promises in words")
        blocks += cut(TableBlock(name, (name,), [(text,) for text in words], "l", (1,)), t, 0)
    blocks += _thresholds(exact, t)
    blocks += _eligible(report, t)
    several = [each for each in every if each.law is None and each.sizes]
    if several:
        blocks += _sizes(several, t)
    return blocks


def _table(every: tuple[model.Guarantee, ...], t: Language) -> TableBlock:
    header = (
        t("Sensitive column"),
        t("How it was drawn"),
        t("A row is right, at most"),
        "T_P",
        t("T_P asked for"),
        "T_f",
        t("Signal, least"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            each.column,
            t.sentence(each.drawn),
            setting(each.confidence, t),
            decimal(each.t_p, t),
            setting(each.wanted_t_p, t),
            whole(each.t_f, t),
            share(min((value.signal for value in each.values), default=None), t),
        )
        for each in every
    ]
    return TableBlock(t("Promises"), header, rows, "llrrrrr", (1.8, 3, 1, 0.8, 0.9, 0.8, 0.9))


def _thresholds(exact: list[model.Guarantee], t: Language) -> list[Block]:
    """Return, for each group size, from which count on published counts are how right."""
    blocks: list[Block] = []
    laws = {each.law.gamma: each.law for each in exact if each.law is not None}
    for gamma, law in sorted(laws.items()):
        t_es = sorted({t_e for _, t_e, _ in law.thresholds})
        by_error: dict[float, dict[float, int]] = {}
        for epsilon, t_e, t_f in law.thresholds:
            by_error.setdefault(epsilon, {})[t_e] = t_f
        rows = [
            (exact_percent(epsilon, t), *(whole(row.get(t_e), t) for t_e in t_es)) for epsilon, row in by_error.items()
        ]
        if not blocks:
            said = t("Records from which a published count is within the error in all but T_E of releases:")
            blocks.append(Paragraph(f"{t('Groups of {gamma}', gamma=gamma)}. {said}"))
        header = (t("Error"), *(f"T_E {exact_percent(t_e, t)}" for t_e in t_es))
        name = t("Thresholds, groups of {gamma}", gamma=gamma)
        most = None if len(blocks) == 1 else 0  # those of other sizes stand in the workbook
        blocks.append(TableBlock(name, header, rows, "l" + "r" * len(t_es), [1.0] * (1 + len(t_es)), most))
    return blocks


def _eligible(report: Report, t: Language) -> list[Block]:
    """Return whether groups exist: of the published counts, and of the true ones where they are known."""
    found = report.public.eligibility if report.original is None else report.original.eligibility
    if not found:
        return []
    header = (
        t("Column"),
        t("Values"),
        t("Most frequent value"),
        t("Count"),
        t("Share"),
        t("Limit 1/gamma"),
        t("Largest gamma"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            each.column,
            whole(each.values, t),
            shown(each.most_frequent, t),
            whole(each.count, t),
            share(each.share, t),
            share(each.limit, t),
            whole(each.largest_gamma, t),
        )
        for each in found
    ]
    told = t(
        "Groups of one size exist only where no value fills more than 1/gamma of the records; the program refuses "
        "to publish otherwise."
    )
    source = t("By true counts.") if report.original is not None else t("By published counts.")
    return [
        Heading(t("Could it have been refused?"), 2),
        Paragraph(f"{told} {source}"),
        *cut(TableBlock(t("Eligibility"), header, rows, "lrlrrrr", (2, 0.7, 2, 0.8, 0.8, 0.9, 0.9)), t),
    ]


def _sizes(several: list[model.Guarantee], t: Language) -> list[Block]:
    """Return the sizes of groups of several sizes, what they tell, and the tolerances of values."""
    rows: list[tuple[Cell, ...]] = []
    for each in several:
        sizes = ", ".join(
            f"{size} ({share_})"
            for size, part in zip(each.sizes, each.shares, strict=True)
            for share_ in (t.percent(part, 0 if part == 1 else 1),)
        )
        rows.append((each.column, sizes, whole(each.fakes, t), share(each.certainty, t), decimal(each.mse, t, 2)))
    header = (
        t("Column"),
        t("Group sizes (share of records)"),
        t("Fake values in each"),
        t("Sure who knows the group"),
        t("Loss (MSE)"),
    )
    name = t("Group sizes")
    told = t(
        "Sizes and shares are chosen from counts rounded up to tens of records (to fives, twos or ones in a small "
        "table), so a value with few records leads to the same ones whatever its count; only where a tolerance lies "
        "within so few records of its value's share do exact counts decide."
    )
    blocks: list[Block] = [
        Heading(name, 2),
        *cut(TableBlock(name, header, rows, "llrrr", (2, 3, 1, 1, 1)), t, _SIZES),
        Paragraph(told, "note"),
    ]
    return blocks

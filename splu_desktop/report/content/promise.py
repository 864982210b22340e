"""What is promised of each sensitive column: figures, sentences said once, and the settings behind them."""

from __future__ import annotations

from splu_desktop.core.guarantees import attackers
from splu_desktop.core.messages import shown_of
from splu_desktop.files.language import Language, mark
from splu_desktop.report import model
from splu_desktop.report.content import figures
from splu_desktop.report.content.parts import (
    cut,
    decimal,
    exact_percent,
    listed,
    once,
    setting,
    share,
    shown,
    table,
    upmost,
    whole,
)
from splu_desktop.report.document import Block, Heading, Paragraph, TableBlock
from splu_desktop.report.model import Report

_SENTENCES, _SIZES = 6, 8  # of many columns, on pages


def promises(report: Report, t: Language) -> list[str]:
    """Return the promises as the program states them (`Draw.sentences`), once for columns of which the same holds."""
    said = attackers.said_once({each.column: each.sentences for each in report.public.guarantees}, by_column=True)
    return [t.sentence(sentence) for sentence in said]


def promised(report: Report, t: Language) -> list[Block]:
    """Return the section."""
    every = report.public.guarantees
    blocks = cut(once(_table(every, t), t), t)  # below the heading, whose page the front names
    exact = [each for each in every if each.law is not None]
    worst = min(exact, key=lambda each: each.t_p, default=None)
    if worst is not None and worst.law is not None:
        blocks.append(figures.small_counts(worst, worst.law, t))
        blocks.append(figures.large_counts(worst, worst.law, t))
    words = promises(report, t)
    told = shown_of(len(words), _SENTENCES)
    blocks += [Paragraph(text, "item") for text in words[:told]]
    if len(words) > told:
        name = t("Promises in words")
        every_one = TableBlock(name, (name,), [(text,) for text in words], "l", (1,))
        note = mark("{n} further promises stand in the workbook (.xlsx).")
        blocks += cut(every_one, t, 0, told=told, note=note)
    blocks += _thresholds(exact, t)
    blocks += _eligible(report, t)
    several = [each for each in every if each.law is None and each.sizes]
    if several:
        blocks += _sizes(several, t)
    return blocks


def _table(every: tuple[model.Guarantee, ...], t: Language) -> TableBlock:
    return table(
        t("Promises"),
        every,
        (t("Sensitive column"), "l", 1.8, lambda each: each.column),
        (t("How it was drawn"), "l", 3, lambda each: t.sentence(each.drawn)),
        (t("A row is right, at most"), "r", 1, lambda each: upmost(each.confidence, t)),
        ("T_P", "r", 0.8, lambda each: decimal(each.t_p, t)),
        (t("T_P asked for"), "r", 0.9, lambda each: setting(each.wanted_t_p, t)),
        ("T_f", "r", 0.8, lambda each: whole(each.t_f, t)),
        (
            t("Signal a − b, least"),
            "r",
            0.9,
            lambda each: share(min((v.signal for v in each.values), default=None), t),
        ),
    )


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
    counts = table(
        t("Eligibility"),
        found,
        (t("Column"), "l", 2, lambda each: each.column),
        (t("Values"), "r", 0.7, lambda each: whole(each.values, t)),
        (t("Nearest to its limit"), "l", 2, lambda each: shown(each.nearest, t)),
        (t("Count"), "r", 0.8, lambda each: whole(each.count, t)),
        (t("Share"), "r", 0.8, lambda each: share(each.share, t)),
        (t("Limit"), "r", 0.9, lambda each: "–" if each.limit is None else upmost(each.limit, t)),
        (t("Largest gamma"), "r", 0.9, lambda each: whole(each.largest_gamma, t)),
    )
    told = []
    if any(each.limit is not None for each in found):
        told.append(
            t(
                "The program refuses to publish where a value fills more of the records than its limit: 1/gamma in "
                "groups of one size, else its tolerance."
            )
        )
    if free := [each.column for each in found if each.limit is None]:
        told.append(
            t(
                "In {names} a value may fill any share of the records; refused are columns of one value and tables of "
                "too few records or persons.",
                names=listed(free, t, 3),
            )
        )
    told.append(t("By true counts.") if report.original is not None else t("By what the release tells."))
    eligible = {each.column for each in found}
    if any(column.missing for column in report.public.columns if column.name in eligible):
        told.append(t("“No value” is one of the values here."))
    return [
        Heading(t("Could it have been refused?"), 2, key="refused"),
        Paragraph(" ".join(told)),
        *cut(counts, t),
    ]


def _sizes(several: list[model.Guarantee], t: Language) -> list[Block]:
    """Return the sizes of groups of several sizes, what they tell, and the tolerances of values."""

    def sizes(each: model.Guarantee) -> str:
        parts = zip(each.sizes, each.shares, strict=True)
        return ", ".join(f"{size} ({t.percent(part, 0 if part == 1 else 1)})" for size, part in parts)

    name = t("Group sizes")
    shown = table(
        name,
        several,
        (t("Column"), "l", 2, lambda each: each.column),
        (t("Group sizes (share of records)"), "l", 3, sizes),
        (t("Fake values in each"), "r", 1, lambda each: whole(each.fakes, t)),
        (t("Sure who knows the group"), "r", 1, lambda each: share(each.certainty, t)),
    )
    told = t(
        "Sizes and shares are chosen from counts rounded up to tens of records (to fives, twos or ones in a small "
        "table), so a value with few records leads to the same ones whatever its count; only where a tolerance lies "
        "within so few records of its value's share do exact counts decide."
    )
    return [Heading(name, 2), *cut(once(shown, t), t, _SIZES), Paragraph(told, "note")]

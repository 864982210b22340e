"""Measured disclosure risk."""

from __future__ import annotations

from collections.abc import Sequence

from splu_desktop.core.guarantees.attackers import Attack, Figures
from splu_desktop.core.risk.disclosure import Disclosure, Gain
from splu_desktop.files.language import Language, mark
from splu_desktop.report.content.parts import decimal, listed, share, whole
from splu_desktop.report.document import Block, Cell, Heading, Paragraph, TableBlock
from splu_desktop.report.model import Report

_MOST_CAUSES = 10


def measured(report: Report, t: Language) -> list[Block]:
    """Return section 9."""
    blocks: list[Block] = [Heading(t("9 Measured disclosure risk"), new_page=True)]
    blocks += _recognisable(report, t)
    if report.public.risk.combinations:
        blocks.append(Heading(t("What columns drawn together tell of each other"), 2))
        blocks += [Paragraph(t.sentence(cost)) for cost in report.public.risk.combinations]
    originals = {} if report.original is None else {each.column: each for each in report.original.disclosure}
    for found in report.public.risk.disclosure if report.public.risk.recognisable.nsas else ():
        other = originals.get(found.column)
        blocks += _gains(found, None if other is None else other.disclosure, t)
        blocks += _diversity(found, t)
    blocks += _attacks(report, t) if report.public.risk.recognisable.nsas else []
    return blocks


def _recognisable(report: Report, t: Language) -> list[Block]:
    found = report.public.risk.recognisable
    rows: list[tuple[Cell, ...]] = [
        (
            t("unique") if k == "2" else t("in classes of fewer than {k}", k=k),
            whole(count, t),
            share(count / found.records, t, 2),
        )
        for k, count in found.below.items()
    ]
    heading = Heading(t("How recognisable records are by the unchanged columns"), 2)
    if not found.nsas:
        told = t("No column is published unchanged, so no record can be found by what is known of a person.")
        return [heading, Paragraph(told)]
    counts = {
        "records": t.number(found.records),
        "classes": t.number(found.classes),
        "smallest": t.number(found.smallest),
    }
    blocks: list[Block] = [
        heading,
        Paragraph(
            t(
                "The one unchanged column divides the {records} records into {classes} classes of equal rows; the "
                "smallest has {smallest}. Someone who knows it of a person finds the person's class.",
                **counts,
            )
            if len(found.nsas) == 1
            else t(
                "Taken together, the {n} unchanged columns divide the {records} records into {classes} classes of "
                "equal rows; the smallest has {smallest}. Someone who knows all of them of a person finds the person's "
                "class.",
                n=t.number(len(found.nsas)),
                **counts,
            )
        ),
        TableBlock(t("k-anonymity classes"), (t("Records"), t("Number"), t("Share")), rows, "lrr", (2, 1, 1)),
    ]
    if found.causes:
        causes: list[tuple[Cell, ...]] = [
            (name, whole(left, t), whole(found.below["2"] - left, t)) for name, left in found.causes[:_MOST_CAUSES]
        ]
        header = (t("Without the column"), t("Unique records left"), t("Fewer by"))
        blocks.append(Paragraph(t("Which columns make records unique (the most telling ones first):")))
        blocks.append(TableBlock(t("Causes of uniqueness"), header, causes, "lrr", (2, 1, 1)))
    return blocks


def _gains(found: Disclosure, original: Disclosure | None, t: Language) -> list[Block]:
    gains: list[tuple[str, Gain]] = []
    if found.informed is not None:
        gains.append((t("knowing the mechanism"), found.informed))
    gains.append((t("at face value"), found.face))
    if original is not None:
        gains.append((t("original table"), original.face))
    header = (t("Measure"), *(name for name, _ in gains))
    rows: list[tuple[Cell, ...]] = [
        (t("A_know: mean gain in knowledge"), *(share(gain.a_know, t) for _, gain in gains)),
        (t("A_acc: more right guesses than from the margins"), *(share(gain.a_acc, t) for _, gain in gains)),
        (t("right guesses, as believed"), *(share(gain.right_guesses, t) for _, gain in gains)),
        (t("A_diff: half of the records below"), *(share(gain.half_a_diff, t) for _, gain in gains)),
        (t("A_diff: worst class"), *(share(gain.largest_a_diff, t) for _, gain in gains)),
        (t("A_quot: largest (natural log)"), *(decimal(gain.delta, t, 2) for _, gain in gains)),
    ]
    blocks: list[Block] = [
        Heading(t("What an attacker gains about “{column}”", column=found.column), 2),
        Paragraph(
            t(
                "The attacker knows every unchanged column of a person, finds the class of equal rows and compares the "
                "values there with those of the whole table. Taking published values at face value, as the measures "
                "were "
                "defined, overstates the gain: most of them are decoys. The first column is what someone believes who "
                "undoes the draw within each class alone, without learning from the rest of the table; the attack at "
                "the end of this section does both, and gains more."
            )
        ),
        TableBlock(
            t("Attacker's gain, “{column}”", column=found.column),
            header,
            rows,
            "l" + "r" * len(gains),
            [3.0] + [1.2] * len(gains),
        ),
    ]
    if found.confidence is None:
        blocks.append(
            Paragraph(
                t(
                    "This column has a tolerance per value, which bounds on average over the table how often a row "
                    "that shows it is right (section 7), not in a class. Whoever knows the mechanism reckons with "
                    "the whole table of chances, which follows from release.json; its groups may rule values out, "
                    "and the last line is over those left possible."
                ),
                "lead",
            )
        )
    note = t(
        "delta-disclosure asks that A_quot stays below delta for every class and value. {lacking} of {classes} classes "
        "lack a value, for which A_quot at face value is infinite; the table states the largest among the values "
        "present.",
        lacking=t.number(found.lacking),
        classes=t.number(found.classes),
    )
    if found.confidence is not None:
        note = f"{note} {t('Knowing the mechanism it is finite everywhere.')}"
    blocks.append(Paragraph(note, "note"))
    return blocks


def _diversity(found: Disclosure, t: Language) -> list[Block]:
    rows: list[tuple[Cell, ...]] = [
        (
            t("fewer than {n} different values (distinct l-diversity)", n=least),
            whole(count, t),
            share(count / found.records, t, 2),
        )
        for least, count in found.below_l.items()
    ]
    rows += [
        (t("not {cl}-diverse ((c,l)-diversity)", cl=cl), whole(count, t), share(count / found.records, t, 2))
        for cl, count in found.fails_cl.items()
    ]
    return [
        Heading(t("Diversity of “{column}” within classes", column=found.column), 2),
        Paragraph(
            " ".join(
                [
                    t(
                        "The least diverse class shows a single value (entropy l-diversity {entropy}).",
                        entropy=t.number(found.entropy_l, 2),
                    )
                    if found.distinct_l == 1
                    else t(
                        "The least diverse class shows {least} different values (entropy l-diversity {entropy}).",
                        least=t.number(found.distinct_l),
                        entropy=t.number(found.entropy_l, 2),
                    ),
                    t(
                        "These measures count published values as if they were true; for a table with unique records "
                        "they always come out low, and here they say nothing about the person's own value."
                    ),
                ]
            )
        ),
        TableBlock(
            t("Diversity, “{column}”", column=found.column),
            (t("Records in classes with"), t("Number"), t("Share")),
            rows,
            "lrr",
            (3, 1, 1),
        ),
    ]


NAMES = {
    "margins": mark("the most frequent value, without the table"),
    "row": mark("the row alone"),
    "naive-bayes": mark("naive Bayes, without the row"),
    "naive-bayes-and-row": mark("naive Bayes and the row"),
    "release": mark("calibrated learner, without the row"),
    "release-and-row": mark("calibrated learner and the row"),
    "original": mark("the original's statistics alone"),
}
LEARNERS = {
    "smoothed-naive-bayes": mark("smoothed naive Bayes"),
    "weighted-naive-bayes": mark("naive Bayes with a weight for each column"),
    "regression": mark("regression with single columns and pairs"),
}


def _attacks(report: Report, t: Language) -> list[Block]:
    blocks: list[Block] = [
        Heading(t("An attack on the release"), 2),
        Paragraph(
            t(
                "Someone who knows every unchanged column of a person and how values were drawn learns from the whole "
                "release how the sensitive column goes with the others, by undoing the draw, and then reads the "
                "person's row. No group size bounds what this gains: what many records teach is told on purpose. "
                "Beside it stands what needs no release or no row. “Known” are rows of which the attacker is so sure."
            )
        ),
    ]
    judged = {} if report.original is None else {each.column: each for each in report.original.disclosure}
    for estimated in report.public.risk.attacks:
        if estimated.column in judged:
            true = judged[estimated.column]
            blocks += _attacked(true.attack, (*true.attack.figures, true.original), t)
            told = t(
                "Judged on true values. Rows that agree in every unchanged column can't be told apart; among them the "
                "chances of the draw decide. The original's statistics were learned without the records tested."
            )
        else:
            blocks += _attacked(estimated, estimated.figures, t)
            told = t(
                "Estimated from the release alone, by what the calibrated learner believes; the larger the table and "
                "the smaller the groups, the closer to the truth. The internal edition judges on true values."
            )
        blocks.append(Paragraph(told, "note"))
    left = sorted({name for each in report.public.risk.attacks for name in report.public.release.nsas} - used(report))
    if left:
        note = t(
            "Nothing was learned from columns without values that several records share: {names}.",
            names=listed(left, t),
        )
        blocks.append(Paragraph(note, "note"))
    return blocks


def used(report: Report) -> set[str]:
    """Return the columns that attackers learned from."""
    return {name for each in report.public.risk.attacks for name in each.columns}


def _attacked(attack: Attack, figures: Sequence[Figures], t: Language) -> list[Block]:
    header = (
        t("Attacker"),
        t("Right guesses"),
        t("Known at 80 %"),
        t("of these right"),
        t("Known at 95 %"),
        t("of these right"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            t(NAMES[each.name]),
            share(each.right, t),
            share(each.known_80, t),
            share(each.right_80, t),
            share(each.known_95, t),
            share(each.right_95, t),
        )
        for each in figures
    ]
    best = max((each for each in figures if each.name != "original"), key=lambda each: each.right)
    return [
        Paragraph(
            t(
                "“{column}”: the strongest attacker ({attacker}) is right about {right} of the rows, and is at least "
                "80 % sure of {known}.",
                column=attack.column,
                attacker=t(NAMES[best.name]),
                right=t.percent(best.right, 1),
                known=t.percent(best.known_80, 1),
            ),
            "lead",
        ),
        TableBlock(t("Attack on “{column}”", column=attack.column), header, rows, "lrrrrr", (3, 1, 1, 1, 1, 1)),
        Paragraph(
            t(
                "{betrayed} of the rows are betrayed as re-drawn, with 95 % certainty: the value hardly occurs, or "
                "never, with the other columns. What is known of the remaining rows gains by it, and is counted above. "
                "Records tested: {tested}.",
                betrayed=t.percent(attack.betrayed, 1),
                tested=t.number(attack.tested),
            )
        ),
        Paragraph(
            t(
                "Naive Bayes is taken at its word, which columns that say the same make too sure. The calibrated "
                "learner ({learner}) is as sure as the release justifies.",
                learner=t(LEARNERS[attack.learner]),
            ),
            "note",
        ),
    ]

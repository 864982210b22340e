"""Measured disclosure risk."""

from __future__ import annotations

from splu_desktop.core.disclosure import Disclosure, Gain
from splu_desktop.files.language import Language
from splu_desktop.report.content.parts import decimal, listed, share, whole
from splu_desktop.report.document import Block, Cell, Heading, Paragraph, Table
from splu_desktop.report.model import Original, Report

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
    blocks += _learners(report, report.original, t)
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
        Table(t("k-anonymity classes"), (t("Records"), t("Number"), t("Share")), rows, "lrr", (2, 1, 1)),
    ]
    if found.causes:
        causes: list[tuple[Cell, ...]] = [
            (name, whole(left, t), whole(found.below["2"] - left, t)) for name, left in found.causes[:_MOST_CAUSES]
        ]
        header = (t("Without the column"), t("Unique records left"), t("Fewer by"))
        blocks.append(Paragraph(t("Which columns make records unique (the most telling ones first):")))
        blocks.append(Table(t("Causes of uniqueness"), header, causes, "lrr", (2, 1, 1)))
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
                "defined, overstates the gain: most of them are decoys. The first column is what someone rightly "
                "believes who knows the mechanism and gamma."
            )
        ),
        Table(
            t("Attacker's gain, “{column}”", column=found.column),
            header,
            rows,
            "l" + "r" * len(gains),
            [3.0] + [1.2] * len(gains),
        ),
    ]
    if found.confidence is not None:
        blocks.append(
            Paragraph(
                t(
                    "The value in a person's own row is the person's own with a probability of {confidence} (1/gamma), "
                    "whatever the class.",
                    confidence=t.percent(found.confidence, 2),
                ),
                "lead",
            )
        )
    else:
        blocks.append(
            Paragraph(
                t(
                    "This column has a tolerance per value, which bounds how surely anybody may be linked to each "
                    "(section 7). Whoever knows the mechanism reckons with the whole table of chances, which follows "
                    "from release.json; its groups may rule values out, and the last line is over those left "
                    "possible."
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
        Table(
            t("Diversity, “{column}”", column=found.column),
            (t("Records in classes with"), t("Number"), t("Share")),
            rows,
            "lrr",
            (3, 1, 1),
        ),
    ]


def _learners(report: Report, original: Original | None, t: Language) -> list[Block]:
    header = (t("Column"), t("Trained on"), t("Tested on"), t("Margins alone"), t("Classifier"), t("Records tested"))
    rows: list[tuple[Cell, ...]] = []
    for learner in report.public.risk.learners:
        a = learner.accuracy
        rows.append(
            (
                learner.column,
                t("published"),
                t("published"),
                share(a.margins, t),
                share(a.trained, t),
                whole(a.tested, t),
            )
        )
        for each in original.disclosure if original is not None else ():
            if each.column == learner.column:
                b, c = each.published_on_true, each.original
                rows.append(
                    (
                        each.column,
                        t("published"),
                        t("true values"),
                        share(b.margins, t),
                        share(b.trained, t),
                        whole(b.tested, t),
                    )
                )
                rows.append(
                    (
                        each.column,
                        t("original"),
                        t("true values"),
                        share(c.margins, t),
                        share(c.trained, t),
                        whole(c.tested, t),
                    )
                )
    left = sorted(
        {
            name
            for x in report.public.risk.learners
            for name in set(report.public.release.nsas) - set(x.accuracy.columns)
        }
    )
    blocks: list[Block] = [
        Heading(t("A classifier trained on the published table"), 2),
        Paragraph(
            t(
                "How often a naive Bayes classifier names the sensitive value from the unchanged columns, beside the "
                "guess of the most frequent value, which needs the margins alone. What it gains is what the table "
                "teaches about everyone, on purpose; it can't learn about one person."
            )
        ),
        Table(t("Classifier"), header, rows, "lllrrr", (2, 1, 1, 1, 1, 1)),
    ]
    if left:
        note = t(
            "Left out of the classifier, since nearly every record has a value of its own: {names}.",
            names=listed(left, t),
        )
        blocks.append(Paragraph(note, "note"))
    return blocks

"""Measured risk: how recognisable records are, an attack on the release, and what an attacker gains."""

from __future__ import annotations

from collections.abc import Mapping

from splu_desktop.core.guarantees.attackers import Attack, Figures
from splu_desktop.files.language import Language, mark
from splu_desktop.report.content import figures
from splu_desktop.report.content.front import strongest, surest
from splu_desktop.report.content.parts import between, cut, decimal, guessed, listed, share, table, whole
from splu_desktop.report.document import Block, Cell, Heading, Paragraph, TableBlock
from splu_desktop.report.model import Report

_MOST_CAUSES, _MOST_BARS, _GAINS = 5, 8, 10
_HELD, _TRIED, _HELD_KNOWN, _TRIED_KNOWN = 278, 280, 405, 410  # benchmarks/attack_ranges.py, seeds 5300, 5500 and 5700
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
    "repeated-naive-bayes": mark("naive Bayes taught again by its own beliefs"),
    "weighted-naive-bayes": mark("naive Bayes with a weight for each column"),
    "regression": mark("regression with single columns, pairs and threes"),
}


def measured(report: Report, t: Language) -> list[Block]:
    """Return the section."""
    blocks = _recognisable(report, t)
    if report.public.risk.recognisable.nsas:
        blocks += _attacks(report, t)
        blocks += _gains(report, t)
    return blocks


def _recognisable(report: Report, t: Language) -> list[Block]:
    found = report.public.risk.recognisable
    heading = Heading(t("How recognisable records are by the unchanged columns"), 2)
    if not found.nsas:
        told = t("No column is published unchanged, so no record can be found by what is known of a person.")
        return [heading, Paragraph(told)]
    counts = {
        "records": t.number(found.records),
        "classes": t.number(found.classes),
        "smallest": t.number(found.smallest),
    }
    told = (
        t(
            "The one unchanged column divides the {records} records into {classes} classes of equal rows; the "
            "smallest has {smallest}. Someone who knows it of a person finds the person's class.",
            **counts,
        )
        if len(found.nsas) == 1
        else t(
            "Taken together, the {n} unchanged columns divide the {records} records into {classes} classes of equal "
            "rows; the smallest has {smallest}. Someone who knows all of them of a person finds the person's class.",
            n=t.number(len(found.nsas)),
            **counts,
        )
    )
    ks = [t("unique") if k == "2" else t("in classes of fewer than {k}", k=k) for k in found.below]
    rows: list[tuple[Cell, ...]] = [
        (t("Number"), *(whole(count, t) for count in found.below.values())),
        (t("Share"), *(share(count / found.records, t) for count in found.below.values())),
    ]
    blocks: list[Block] = [
        heading,
        Paragraph(told),
        TableBlock(t("k-anonymity classes"), (t("Records"), *ks), rows, "l" + "r" * len(ks), [1.0] * (len(ks) + 1)),
    ]
    if found.causes:
        header = (t("Without the column"), t("Unique records left"), t("Fewer by"))
        causes: list[tuple[Cell, ...]] = [
            (name, whole(left, t), whole(found.below["2"] - left, t)) for name, left in found.causes
        ]
        name = t("Causes of uniqueness")
        blocks.append(Paragraph(t("Which columns make records unique (the most telling ones first):")))
        blocks.append(TableBlock(name, header, causes, "lrr", (2, 1, 1), _MOST_CAUSES))
    return blocks


def _attacks(report: Report, t: Language) -> list[Block]:
    judged = {} if report.original is None else {each.column: each for each in report.original.disclosure}
    attacks = {each.column: each for each in report.public.risk.attacks}
    attacks |= {name: each.attack for name, each in judged.items()}
    bars: list[tuple[str, Figures, Figures]] = []
    tables: list[Block] = []
    for column, attack in attacks.items():
        best, blind = strongest(report, column)
        bars.append((column, blind, best))
        known = [*attack.figures, *([judged[column].original] if column in judged else [])]
        tables.append(_every(column, known, t))
    bars.sort(key=lambda bar: bar[1].right - bar[2].right)
    shown = list(bars)
    first, sure, nobody = surest(report)
    if all(sure is not best for _, _, best in bars) and sure is not nobody:
        shown.insert(0, (first, nobody, sure))  # of whom the front speaks
    name = t("An attack on the release")
    by_column = table(
        name,
        [(attacks[column], blind, best) for column, blind, best in shown],
        (t("Column"), "l", 2, lambda row: row[0].column),
        (t("Without the table"), "r", 0.9, lambda row: share(row[1].right, t)),
        (t("The row alone"), "r", 0.8, lambda row: guessed(_named(row[0], "row", row[1]), t)),
        (t("Attacker"), "l", 1.7, lambda row: t(NAMES[row[2].name])),
        (t("right"), "r", 0.7, lambda row: guessed(row[2], t)),
        (t("Known at 80 %"), "r", 0.8, lambda row: share(row[2].known_80, t)),
        (t("of these right"), "r", 0.8, lambda row: between(row[2].right_80, row[2].ends_80, t)),
        (t("Known at 95 %"), "r", 0.8, lambda row: share(row[2].known_95, t)),
        (t("Betrayed"), "r", 0.9, lambda row: share(row[0].betrayed, t)),
    )
    learners = sorted({t(LEARNERS[each.learner]) for each in attacks.values()})
    told = (
        t("Judged on true values; the original's statistics were learned without the records tested.")
        if judged
        else t(
            "Estimated from the release alone, by what the calibrated learner believes and by attacks on tables made "
            "by it: how many rows are known is exact; how often guesses are right stands as a range, which held the "
            "true share in {held} of {tried} cases when tried on made tables of 2,000 to 12,000 records that did not "
            "serve to set its width, and in {known} of {of_known} among the rows known at 80 or 95 %; others may "
            "differ. The internal edition judges.",
            held=_HELD,
            tried=_TRIED,
            known=_HELD_KNOWN,
            of_known=_TRIED_KNOWN,
        )
    )
    left = sorted(
        set(report.public.risk.recognisable.nsas) - {name for each in attacks.values() for name in each.columns}
    )
    blocks: list[Block] = [
        Heading(name, 2, key="attack"),
        *cut(by_column, t),  # next to the heading, to whose page the front sends for its figures
        Paragraph(told, "note"),
        figures.attacked(bars[:_MOST_BARS], t),
        Paragraph(
            t(
                "Someone who knows every unchanged column of a person and how values were drawn learns from the whole "
                "release how the sensitive column goes with the others, by undoing the draw, and then reads the "
                "person's row. No group size bounds what this gains. “Known” are rows of which the attacker is so "
                "sure; “betrayed” those that show their value to be re-drawn, with 95 % certainty. Calibrated "
                "learners: {learners}; naive Bayes is taken at its word, which columns that say the same "
                "make too sure. What four columns and more tell only together is not looked for.",
                learners=", ".join(learners),
            )
        ),
        *tables,
        Paragraph(_programmed(attacks, t), "note"),
    ]
    if left:
        note = t(
            "Nothing was learned from columns without values that several records share: {names}.",
            names=listed(left, t),
        )
        blocks.append(Paragraph(note, "note"))
    return blocks


def _named(attack: Attack, name: str, other: Figures) -> Figures:
    return next((each for each in attack.figures if each.name == name), other)


def _programmed(attacks: Mapping[str, Attack], t: Language) -> str:
    """Return how plain naive Bayes was programmed, for whoever wants to do it again: once, with what is of a column."""
    told = t(
        "Naive Bayes, to be programmed again: for each column the published counts y of its values with those of the "
        "sensitive one, undone by the draw, none below half a record; for each sensitive value the logarithms of its "
        "share of all and of each column's value among its records added up; numbers and dates with more than k values "
        "in k intervals of about equally many records, each value in that of its middle record, values of fewer than "
        "10 records as one. Undone are counts of a sensitive column with “gamma” in release.json by (y − n b) / (a − "
        "b), or n f / N where a − b is 0.01 or less, with b = (1 − a) f / (N − f) and a there, where n of all N "
        "records have the column's value and f show the sensitive one; those of any other by “inverse” there. "
        "Sensitive values of fewer than 20 records, and all beyond the 64 commonest, are added up to one, whose chance "
        "they have in parts as their counts. With the row: times the chance that a value is shown as the row's: T "
        "there, or where it has none a for the same value and b for others.",
    )
    alike: dict[tuple[int, int | None], list[str]] = {}
    for column, attack in attacks.items():
        alike.setdefault((attack.intervals, attack.labels), []).append(column)
    own = [
        t("Of {names} k is {n}, and columns that then have more than {most} values are left out.", most=most, **said)
        if most
        else t("Of {names} k is {n}.", **said)
        for (n, most), columns in alike.items()
        for said in ({"names": listed(columns, t), "n": n},)
    ]
    return " ".join((told, *own))


def _every(column: str, found: list[Figures], t: Language) -> TableBlock:
    return table(
        t("Attack on “{column}”", column=column),
        found,
        (t("Attacker"), "l", 3, lambda each: t(NAMES[each.name])),
        (t("Right guesses"), "r", 1, lambda each: guessed(each, t)),
        (t("Known at 80 %"), "r", 1, lambda each: share(each.known_80, t)),
        (t("of these right"), "r", 1, lambda each: between(each.right_80, each.ends_80, t)),
        (t("Known at 95 %"), "r", 1, lambda each: share(each.known_95, t)),
        (t("of these right"), "r", 1, lambda each: between(each.right_95, each.ends_95, t)),
        most=0,
    )


def _gains(report: Report, t: Language) -> list[Block]:
    """Return the measures of Brickell and Shmatikov, as who knows the mechanism reads the table, and the original."""
    originals = {} if report.original is None else {each.column: each for each in report.original.disclosure}
    header = (
        t("Column"),
        "A_know",
        "A_acc",
        t("A_diff, worst class"),
        "A_quot",
        t("A_know, face value"),
        *((t("A_know, original"),) if originals else ()),
    )
    rows: list[tuple[Cell, ...]] = []
    tables: list[Block] = []
    for found in report.public.risk.disclosure:
        gain = found.informed or found.face
        original = (share(originals[found.column].disclosure.face.a_know, t),) if originals else ()
        rows.append(
            (
                found.column,
                share(gain.a_know, t),
                share(gain.a_acc, t),
                share(gain.largest_a_diff, t),
                decimal(gain.delta, t, 2),
                share(found.face.a_know, t),
                *original,
            )
        )
        below = [
            (t("fewer than {n} different values (distinct l-diversity)", n=n), c) for n, c in found.below_l.items()
        ]
        below += [(t("not {cl}-diverse ((c,l)-diversity)", cl=cl), c) for cl, c in found.fails_cl.items()]
        cells = [(words, whole(count, t), share(count / found.records, t)) for words, count in below]
        titles = (t("Records in classes with"), t("Number"), t("Share"))
        name = t("Diversity, “{column}”", column=found.column)
        tables.append(TableBlock(name, titles, cells, "lrr", (3, 1, 1), most=0))
    name = t("What an attacker gains who undoes the draw within each class alone")
    told = t(
        "Gain in knowledge (A_know), in right guesses (A_acc), the worst class (A_diff) and the largest quotient "
        "(A_quot, natural logarithm); “face value” counts decoys as if they were true and overstates it. Diversity "
        "within classes counts so, too, and stands in the workbook alone."
    )
    return [
        Heading(name, 2),
        *cut(
            TableBlock(name, header, rows, "l" + "r" * (len(header) - 1), (2.2, *([1.0] * (len(header) - 1)))),
            t,
            _GAINS,
        ),
        Paragraph(told, "note"),
        *tables,
    ]

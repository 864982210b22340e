"""Earlier releases, acknowledgements, files and checks, limits, sign-off, glossary."""

from __future__ import annotations

from splu_desktop.files.language import Language, mark
from splu_desktop.report.content.parts import decimal, facts, not_here, whole
from splu_desktop.report.document import Block, Cell, Heading, Paragraph, SignatureLines, TableBlock
from splu_desktop.report.model import CheckResult, Report

LIMITS = (
    mark(
        "The promise is about counts of sensitive values. The other columns are published as they are, so rare "
        "combinations of them stay recognisable, and whoever recognises a row knows that the person is in the table."
    ),
    mark(
        "That a person is in the table is not hidden. A table in which being listed is itself sensitive must not be "
        "released in this way."
    ),
    mark(
        "What large counts teach about everyone is disclosed on purpose: if most smokers fall ill, the table says so, "
        "and that tells something about each smoker."
    ),
    mark(
        "The value in a person's own row is right with probability 1/gamma on average, before looking at it. Once "
        "read, a value that is common among people like this one may be nearly certain."
    ),
    mark(
        "Neither who learns from the whole table nor who knows all other records is bounded by gamma. Section 9 "
        "measures the first; to the second, a value that only one record has names its bearer wherever it is shown."
    ),
    mark(
        "Each further release of the same records with fresh draws weakens the promise (section 10). So does handing "
        "out the original counts in any other way."
    ),
    mark(
        "Several sensitive columns are drawn independently. Someone who knows how they hang together (a medicine and "
        "the illness it is given for) may tell decoys from true values."
    ),
    mark(
        "The promise holds for the table that was released. It says nothing about the source, its copies or who may "
        "read them."
    ),
)
GLOSSARY = (
    (mark("alpha"), mark("the largest count that is called small")),
    (
        mark("A_know, A_acc, A_diff, A_quot"),
        mark(
            "measures of what an attacker learns about the sensitive column who knows all others (Brickell and "
            "Shmatikov 2008)"
        ),
    ),
    (mark("class"), mark("all records that agree in every column published unchanged")),
    (mark("decoy group"), mark("gamma records with different sensitive values that lend each other their values")),
    (mark("epsilon"), mark("relative error: 30 % of a count of 10 is 3")),
    (mark("gamma"), mark("the size of a decoy group")),
    (mark("k-anonymity"), mark("every class has at least k records")),
    (
        mark("l-diversity, (c,l)-diversity"),
        mark("every class has l different sensitive values; none of them too frequent beside the rest"),
    ),
    (mark("N"), mark("the number of records")),
    (mark("NSA"), mark("non-sensitive attribute: a column published unchanged")),
    (mark("SA"), mark("sensitive attribute: a column whose values are re-drawn")),
    (mark("SHA-256"), mark("fingerprint of a file: if one bit changes, the fingerprint does")),
    (mark("signal"), mark("what is left of a sensitive value's link to the other columns")),
    (mark("T_E"), mark("tolerated probability of an error of epsilon or more in a large count")),
    (
        mark("T_f"),
        mark("the count from which a published count is within epsilon of the truth, but for T_E of releases"),
    ),
    (mark("T_P"), mark("least probability that a small count is shown wrong by more than epsilon")),
)
GATE = {
    "eligible": mark("eligibility"),
    "identifiers": mark("columns that may name persons"),
    "sensitive": mark("columns that look sensitive"),
    "giveaway": mark("columns that give a sensitive one away"),
    "persons": mark("records per person"),
    "unique-records": mark("unique records"),
    "combinations": mark("columns drawn together"),
    "thresholds": mark("thresholds"),
    "source": mark("source"),
    "earlier-release": mark("earlier release"),
    "register": mark("register of releases"),
    "destination": mark("destination"),
    "room": mark("room on the disk"),
    "memory": mark("memory"),
    "time": mark("time"),
}
CHECKS = {
    "records": mark("number of records"),
    "columns": mark("columns"),
    "rows": mark("unchanged rows"),
    "domain": mark("values"),
    "retained": mark("share of values kept"),
    "counts": mark("counts"),
    "order": mark("order of the records"),
}


def earlier(report: Report, t: Language) -> list[Block]:
    """Return section 10: earlier releases of the same source, and what another one costs."""
    blocks: list[Block] = [Heading(t("10 Earlier releases and what they cost"), new_page=True)]
    known = None if report.original is None else report.original.earlier
    if report.original is None:
        blocks.append(not_here(t))
    elif known is None:
        blocks.append(Paragraph(t("The register of releases was not asked.")))
    elif not known:
        blocks.append(Paragraph(t("The register of releases knows no earlier release of this source.")))
    else:
        header = (t("Date"), t("Release"), t("Purpose"), t("Recipient"), t("How it is known"))
        rows: list[tuple[Cell, ...]] = [
            (t.moment(each.time), each.release, each.purpose, each.recipient, t.sentence(each.relation))
            for each in known
        ]
        blocks.append(TableBlock(t("Earlier releases"), header, rows, "lllll", (1.3, 1.4, 1.4, 1.4, 1.6)))
    if not report.public.guarantees:
        return blocks
    blocks.append(
        Paragraph(
            t(
                "Releases of the same records with fresh draws can be averaged by whoever holds them all. What is left "
                "of the promise after k of them:"
            )
        )
    )
    for promise in report.public.guarantees:
        rows = [(whole(each.releases, t), decimal(each.t_p, t), whole(each.t_f, t)) for each in promise.repeated]
        name = t("Cost of repeating, “{column}”", column=promise.column)
        blocks += [Heading(name, 2), TableBlock(name, (t("Releases k"), "T_P", "T_f"), rows, "rrr", (1, 1, 1))]
    return blocks


def acknowledged(report: Report, t: Language) -> list[Block]:
    """Return section 11: what the gate asked to be accepted, and in which words it was."""
    blocks: list[Block] = [Heading(t("11 Acknowledgements at the gate"))]
    if report.original is None:
        return [*blocks, not_here(t)]
    found = report.original.acknowledged
    if found is None:
        return [*blocks, Paragraph(t("What was acknowledged before publishing is not known here."))]
    if not found:
        return [*blocks, Paragraph(t("Nothing had to be acknowledged."))]
    header = (t("Condition"), t("What was found"), t("Accepted in these words"))
    rows: list[tuple[Cell, ...]] = [
        (
            t(GATE.get(each.name, each.name)),
            t.sentence(each.sentence) or "–",
            each.words or (t("acknowledged") if each.accepted else t("shown as a warning, not acknowledged")),
        )
        for each in found
    ]
    blocks.append(TableBlock(t("Acknowledgements"), header, rows, "lll", (1.2, 3, 2)))
    return blocks


def files(report: Report, t: Language) -> list[Block]:
    """Return section 12: files with their fingerprints, and the checks."""
    rows: list[tuple[Cell, ...]] = [
        (file.name, whole(file.bytes, t), file.sha256, t("yes") if file.stated in (None, file.sha256) else t("NO"))
        for file in report.public.files
    ]
    blocks: list[Block] = [
        Heading(t("12 Files and checks"), new_page=True),
        TableBlock(t("Files"), (t("File"), t("Bytes"), "SHA-256", t("As released")), rows, "lrll", (1.5, 1, 4.2, 0.9)),
        Paragraph(
            t(
                "Anyone can repeat this with the release alone: “splu verify REPORT.json RELEASE” recomputes every "
                "fingerprint and every figure that follows from the release, and names what differs."
            ),
            "note",
        ),
        Heading(t("Checks of the released table by itself"), 2),
        _checks(report.public.checks, t("Checks without the source"), t),
    ]
    if report.original is not None:
        blocks += [
            Heading(t("Checks against the source"), 2),
            _checks(report.original.checks, t("Checks with the source"), t),
        ]
    return blocks


def _checks(found: tuple[CheckResult, ...], name: str, t: Language) -> TableBlock:
    rows: list[tuple[Cell, ...]] = [
        (
            t(CHECKS.get(check.name, check.name)),
            t("passed") if check.passed else t("FAILED"),
            t.sentence(check.sentence),
        )
        for check in found
    ]
    return TableBlock(name, (t("Check"), t("Result"), t("Finding")), rows, "lll", (1.4, 0.8, 4))


def limits(report: Report, t: Language) -> list[Block]:
    """Return section 13."""
    return [Heading(t("13 Limits of the promise")), *(Paragraph(t(text), "item") for text in LIMITS)]


def sign_off(report: Report, t: Language) -> list[Block]:
    """Return section 14."""
    typed = report.public.cover.fields
    return [
        Heading(t("14 Sign-off"), new_page=True),
        Paragraph(t("I have read this report. The release may be handed out to the recipient for the purpose stated.")),
        facts(
            t("Sign-off"),
            [
                (t("Operator"), typed.operator),
                (t("Reviewer"), typed.reviewer),
                (t("Recipient"), typed.recipient),
                (t("Purpose"), typed.purpose),
            ],
        ),
        SignatureLines((t("Operator: place, date, signature"), t("Reviewer: place, date, signature"))),
    ]


def glossary(report: Report, t: Language) -> list[Block]:
    """Return section 15."""
    rows: list[tuple[Cell, ...]] = [(t(word), t(meaning)) for word, meaning in GLOSSARY]
    return [Heading(t("15 Glossary")), TableBlock(t("Glossary"), (t("Word"), t("Meaning")), rows, "ll", (1.2, 3))]

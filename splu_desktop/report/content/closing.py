"""Earlier releases and their cost, alternatives, risks accepted, the source, files and checks, and words."""

from __future__ import annotations

from splu_desktop.files.language import Language, mark
from splu_desktop.report.content.parts import cut, decimal, facts, once, share, table, upmost, whole, yes_no
from splu_desktop.report.document import Block, Cell, Paragraph, TableBlock
from splu_desktop.report.model import Alternative, CheckResult, Report

_KS = (1, 2, 5, 10)  # releases on pages
_BRIEF = 60  # letters with which a risk was accepted, two lines in a narrow column
GLOSSARY = (
    (mark("alpha"), mark("the largest count that is called small")),
    (
        mark("A_know, A_acc, A_diff, A_quot"),
        mark(
            "measures of what an attacker learns about the sensitive column who knows all others (Brickell and "
            "Shmatikov 2008)"
        ),
    ),
    (mark("calibrated learner"), mark("guesses by all columns together, as surely as the release justifies")),
    (mark("Chebyshev"), mark("a bound on T_f by the variance alone, never below the exact count")),
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
    (mark("naive Bayes"), mark("guesses by what each column tells by itself, as if no two said the same")),
    (mark("NSA"), mark("non-sensitive attribute: a column published unchanged")),
    (
        mark("prosecutor risk, journalist risk"),
        mark(
            "how likely someone who knows that a person is in the table, or does not know it, picks the person's row: "
            "1 in as many as its class has, or less"
        ),
    ),
    (mark("SA"), mark("sensitive attribute: a column whose values are re-drawn")),
    (mark("SHA-256"), mark("fingerprint of a file: if one bit changes, the fingerprint does")),
    (mark("signal a − b"), mark("how much more often a value is shown by records that have it than by others")),
    (mark("T_E"), mark("tolerated probability of an error of epsilon or more in a large count")),
    (
        mark("T_f"),
        mark("the count from which a published count is within epsilon of the truth, but for T_E of releases"),
    ),
    (mark("tolerance"), mark("the largest share, on average, of the rows showing a value that may be right")),
    (mark("T_P"), mark("least probability that a small count is shown wrong by more than epsilon")),
)
GATE = {
    "eligible": mark("eligibility"),
    "identifiers": mark("columns that may name persons"),
    "sensitive": mark("columns that look sensitive"),
    "giveaway": mark("columns that give a sensitive one away"),
    "persons": mark("records per person"),
    "unique-records": mark("unique records"),
    "small-classes": mark("small classes"),
    "certainty": mark("certainty of who reads a row"),
    "fake-values": mark("fake values"),
    "combinations": mark("columns drawn together"),
    "public-figures": mark("small counts told by public figures"),
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
    "source": mark("the source"),
    "domain": mark("values"),
    "retained": mark("share of values kept"),
    "counts": mark("counts"),
    "order": mark("order of the records"),
}


CHOICES = {
    "format": mark("format"),
    "encoding": mark("character encoding"),
    "delimiter": mark("delimiter"),
    "quote": mark("quote mark"),
    "escape": mark("escape mark"),
    "decimal": mark("decimal mark"),
    "thousands": mark("thousands mark"),
    "sheet": mark("sheet"),
    "header_row": mark("header row"),
    "header_rows": mark("rows of the header"),
    "last_row": mark("last row"),
    "date_order": mark("order of day and month"),
    "renames": mark("name of a column"),
    "decisions": mark("what was decided"),
}


def repeat(report: Report, t: Language) -> list[Block]:
    """Return other releases of the same source, earlier and later ones, and what each further one costs."""
    blocks: list[Block] = []
    known = None if report.original is None else report.original.earlier
    if report.original is None:
        blocks.append(Paragraph(t("Other releases of the same source stand in the internal edition.")))
    elif known is None:
        blocks.append(Paragraph(t("The register of releases was not asked.")))
    elif not known:
        blocks.append(Paragraph(t("The register of releases knows no other release of this source.")))
    else:
        blocks.append(
            table(
                t("Other releases"),
                known,
                (t("Date"), "l", 1.3, lambda each: t.moment(each.time)),
                (t("Release"), "l", 1.4, lambda each: each.release),
                (t("Purpose"), "l", 1.4, lambda each: each.purpose),
                (t("Recipient"), "l", 1.4, lambda each: each.recipient),
                (t("How it is known"), "l", 1.6, lambda each: t.sentence(each.relation)),
                most=12,
            )
        )
    promised = [each for each in report.public.guarantees if each.repeated]
    if not promised:
        return blocks
    ks = [each.releases for each in promised[0].repeated if each.releases in _KS]
    header = (
        t("Columns"),
        *(t("T_P, {k} releases", k=k) if k > 1 else t("T_P, 1 release") for k in ks),
        *(t("Row right, {k}", k=k) for k in ks),
    )
    rows: list[tuple[Cell, ...]] = []
    for promise in promised:
        shown = [each for each in promise.repeated if each.releases in ks]
        rows.append(
            (
                promise.column,
                *(decimal(each.t_p, t) for each in shown),
                *(upmost(each.right, t) for each in shown),
            )
        )
    name = t("What further releases cost")
    told = t(
        "Further releases of the same records with fresh draws can be combined by whoever holds them all: their counts "
        "averaged (T_P falls; 0 where nothing is promised of several releases), and a person's rows, found in each, "
        "compared: a rare value that comes twice is known. “Row right” is the share of rows that the best guess gets "
        "right; in a joined draw, of those whose shown values tell most, at most."
    )
    costs = TableBlock(name, header, rows, "l" + "r" * (len(header) - 1), (2.4, *([1.0] * (len(header) - 1))))
    return [*blocks, Paragraph(told), *cut(once(costs, t), t)]


def alternatives(report: Report, t: Language) -> list[Block]:
    """Return the systems that were compared on the same table; nothing where none were.

    Of a system with several settings the one stands here whose reader of a row is about as sure as the first row's,
    which is the plan: what differs then is what the answers are worth.
    """
    every = () if report.original is None else report.original.alternatives
    if not every:
        return []
    aim = every[0].certainty or 0.0
    nearest: dict[str, Alternative] = {}
    for each in sorted(every, key=lambda one: 2.0 if one.certainty is None else abs(one.certainty - aim)):
        nearest.setdefault(each.system, each)
    found = table(
        t("Alternatives considered"),
        [each for each in every if nearest[each.system] is each],
        (t("System"), "l", 2, lambda each: each.system),
        (t("Setting"), "l", 2, lambda each: each.parameter or "–"),
        (t("Relative error of counts"), "r", 1, lambda each: share(each.error, t)),
        (t("Small counts wrong"), "r", 1, lambda each: share(each.small_wrong, t)),
        (t("Certainty of who reads a row"), "r", 1, lambda each: share(each.certainty, t)),
    )
    told = [
        Paragraph(
            t(
                "Other systems on the same table and the same questions, as “splu compare” measured them, each at the "
                "setting where who reads a row is about as sure as of the first."
            )
        )
    ]
    if every[0].column:
        told.insert(0, Paragraph(t("Compared for the sensitive column “{column}”.", column=every[0].column)))
    return [*told, found]


def accepted(report: Report, t: Language) -> list[Block]:
    """Return what the gate asked to be accepted, and in which words it was."""
    if report.original is None:
        return []
    found = report.original.acknowledged
    if found is None:
        return [Paragraph(t("What was acknowledged before publishing is not known here."))]
    if not found:
        return [Paragraph(t("Nothing had to be acknowledged."))]
    # Words of a sentence or two stand in as much room as what they answer, or each risk is a narrow tower of lines.
    long = [len(each.words) / max(len(each.sentence), 1) for each in found if len(each.words) > _BRIEF]
    room = min(max(1.5, 4 * max(long, default=0.0)), 3.0)
    bare = {True: t("acknowledged"), False: t("shown as a warning, not acknowledged")}
    said = table(
        t("Acknowledgements"),
        found,
        (t("Condition"), "l", 1.1, lambda each: t(GATE.get(each.name, each.name))),
        (t("What was found"), "l", 4, lambda each: t.sentence(each.sentence) or "–"),
        (t("Accepted in these words"), "l", room, lambda each: each.words or bare[each.accepted]),
    )
    return [said]


def source(report: Report, t: Language) -> list[Block]:
    """Return from which file, how it was read and why, and what was decided on its problems."""
    if report.original is None:
        return []
    found = report.original.source
    blocks: list[Block] = [
        facts(
            t("Source"),
            [
                (t("File"), f"{found.file}, {t.size(found.bytes)}"),
                ("SHA-256", found.sha256),
                (t("Records read"), t.number(found.records)),
                (t("Columns read"), t.number(found.columns)),
                (t("Records left out"), t.number(found.rows_dropped)),
            ],
        ),
        table(
            t("How the file was read"),
            [row for row in found.choices if row[1]],
            (t("Choice"), "l", 1.2, lambda row: t(CHOICES.get(row[0], row[0]))),
            (t("Value"), "l", 1, lambda row: t.sentence(row[1]) if row[0] == "decisions" else row[1]),
            (t("Reason"), "l", 2.5, lambda row: t.sentence(row[2])),
        ),
    ]
    if found.missing:
        missing = table(
            t("Missing values"),
            found.missing,
            (t("Column"), "l", 2, lambda row: row[0]),
            (t("Text"), "l", 1.4, lambda row: t("“{name}”", name=row[1] or t("(empty)"))),
            (t("Records"), "r", 1, lambda row: whole(row[2], t)),
            (t("Taken as missing"), "l", 1, lambda row: yes_no(row[3], t)),
            most=12,
        )
        blocks.append(missing)
    else:
        blocks.append(Paragraph(t("No text was found that could stand for a missing value.")))
    if found.problems:
        problems = table(
            t("Import problems"),
            found.problems,
            (t("Kind"), "l", 1.3, lambda each: t.sentence(each.kind)),
            (t("Decision"), "l", 1, lambda each: t.sentence(each.decision) or "–"),
            (t("Rows"), "r", 0.7, lambda each: whole(each.rows, t) if each.rows else "–"),
            (t("First one"), "l", 3, lambda each: t.sentence(each.example)),
        )
        blocks.append(problems)
    else:
        blocks.append(Paragraph(t("No problem was found on import.")))
    return blocks


def files(report: Report, t: Language) -> list[Block]:
    """Return the files with their fingerprints, and the checks."""
    header, rows = [t("File"), t("Bytes"), "SHA-256"], []
    align, weights = "lrl", [1.2, 0.8, 6.0]
    altered = [file for file in report.public.files if file.stated not in (None, file.sha256)]
    for file in report.public.files:
        row: list[Cell] = [file.name, whole(file.bytes, t), file.sha256]
        rows.append([*row, t("NO") if file in altered else t("yes")] if altered else row)
    if altered:  # else the verdict says so, and a fingerprint stands on one line
        header, align, weights = [*header, t("As released")], "lrll", [*weights, 0.8]
    original = () if report.original is None else report.original.checks
    every = tuple(dict.fromkeys((*report.public.checks, *original)))
    return [
        TableBlock(t("Files"), header, rows, align, weights),
        _checks(every, t),
        Paragraph(
            t(
                "Whoever has the release can check it: “splu verify REPORT.json RELEASE” recomputes every fingerprint "
                "and every figure that follows from the release, and names what differs."
            ),
            "note",
        ),
    ]


def _checks(found: tuple[CheckResult, ...], t: Language) -> TableBlock:
    """Return the checks: those that failed one by one, those that passed once for all columns."""
    rows: list[tuple[Cell, ...]] = [
        (t(CHECKS.get(check.name, check.name)), t("FAILED"), t.sentence(check.sentence))
        for check in found
        if not check.passed
    ]
    passed: dict[str, list[CheckResult]] = {}
    for check in found:
        if check.passed:
            passed.setdefault(check.name, []).append(check)
    for name, alike in passed.items():
        told = t.sentence(alike[0].sentence)
        if len(alike) > 1:
            told = t("{n} times, for example: {sentence}", n=t.number(len(alike)), sentence=told)
        rows.append((t(CHECKS.get(name, name)), t("passed"), told))
    return TableBlock(t("Checks"), (t("Check"), t("Result"), t("Finding")), rows, "lll", (1.2, 0.8, 4.4))


def glossary(report: Report, t: Language) -> list[Block]:
    """Return the words of art, two beside each other."""
    words = [(t(word), t(meaning)) for word, meaning in GLOSSARY]
    half = (len(words) + 1) // 2
    rows = [(*left, *right) for left, right in zip(words[:half], [*words[half:], ("", "")], strict=False)]
    header = (t("Word"), t("Meaning"), t("Word"), t("Meaning"))
    return [TableBlock(t("Words"), header, rows, "llll", (1.1, 3, 1.1, 3))]

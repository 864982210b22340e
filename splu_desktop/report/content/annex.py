"""The annex: what those look at who check the figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from splu_desktop.core.mechanism import draw_from
from splu_desktop.core.mechanism.law import error_curve, t_f_curve
from splu_desktop.core.roles import Role
from splu_desktop.files.language import Language, mark
from splu_desktop.files.release.facts import DRAWN_ROLES
from splu_desktop.report.content.words import (
    cell_figures,
    cell_name,
    more_words,
    names,
    of_100,
    persons_word,
    share_cell,
    whole,
)
from splu_desktop.report.document import Block, Cell, FigureBlock, Heading, Number, Paragraph, TableBlock, table
from splu_desktop.report.facts import BlockFact, ColumnFact, Facts
from splu_desktop.report.fields import Fields
from splu_desktop.report.law import Pack, packs, safe_harbor
from splu_desktop.report.scene import ACCENT, PROTECTED, QUIET, Axis, Scene, Words, frame
from splu_desktop.report.scene import Path as Line

_ROLES = {  # in the order of the columns' table
    "sa": mark("secret, drawn anew"),
    "nsa": mark("as it is"),
    "class": mark("added"),
    "person": mark("added"),
}
_GONE = tuple(role.value for role in Role if not role.is_published)
_GROUPS = {"groups": " (SPLU-Gen)"}  # a draw in decoy groups, by the name of its paper
_COLUMNS, _VALUES, _CELLS = 30, 10, 22
_WIDTH, _HEIGHT = 490.0, 170.0

WORDS = (
    (mark("alike"), mark("Persons or rows that nothing published unchanged tells apart.")),
    (mark("secret value"), mark("Any value of a column that is drawn anew, but for those said not to be secret.")),
    (mark("group"), mark("Those who lend each other their secret values, by a column of the release; in the riskiest "
                         "one a row is right most often.")),
    (mark("strength (gamma)"), mark("One of so many shown values is kept for sure; all others come from the group.")),
    (mark("gain"), mark("What the release adds to the chance of being right, in cases of 100.")),
    (mark("named with 80 of 100"), mark("Known so surely, by guesses that were checked against the truth.")),
    (mark("range"), mark("Holds the true number in 95 of 100 releases.")),
    ("T_P", mark("Least chance that a small count comes out wrong.")),
    ("T_f", mark(
            "Count (of persons, where a person's rows are drawn together) from which a published number is right, "
            "but for the chance T_E."
        )),
    (mark("ratio"), mark("The worst case of differential privacy, for who asks; not what is promised here.")),
    ("l'-diverted zero-differential privacy",
     mark("Each could have exchanged values with all of the group who show the same; rows and counts still teach.")),
    ("Cormode, foreground, corruption",
     mark("Attacks by answers, by row and answers, by all other rows: on the sample 20, 29, 29 of 100 right.")),
    ("de Finetti, minimality",
     mark("Attacks on groups and cuts by values; here are none. On the sample: Anatomy 47, l-diversity 13 of 100.")),
)  # fmt: skip


def annex(facts: Facts, fields: Fields, t: Language) -> Iterator[Block]:
    """Give the blocks of the annex."""
    letters = iter("ABCDEFGH")
    yield from _columns(next(letters), facts, t)
    if facts.attacked:
        yield from _attack(next(letters), facts, t)
    yield from _promise(next(letters), facts, t)
    if facts.tables:
        yield from _cells(next(letters), facts, t)
    if chosen := packs(fields.law):
        yield Heading(t("{letter} Law", letter=next(letters)))
    for pack in chosen:
        yield from _law(pack, facts, fields, t)
    yield from _files(next(letters), facts, t)
    yield Heading(t("{letter} Words", letter=next(letters)))
    # Only the attack says who is named, and the recipient's edition has none.
    terms = [(t(word), t(meaning)) for word, meaning in WORDS if facts.internal or not word.startswith("named")]
    yield TableBlock((), terms, "ll", (1.0, 4.0))


def _columns(letter: str, facts: Facts, t: Language) -> Iterator[Block]:
    yield Heading(t("{letter} Columns, and what was done", letter=letter))
    who = persons_word(facts, t)
    if facts.stand_out is not None and any(facts.stand_out):
        before, after = map(t.number, facts.stand_out)
        yield Paragraph(
            t(
                "Number of {who} alone with their unchanged columns: {before} before columns were made coarser, "
                "{after} after.",
                before=before,
                after=after,
                who=who,
            )
        )
    order = list(_ROLES)
    yield table(
        sorted((each for each in facts.columns if each.role not in _GONE), key=lambda each: order.index(each.role)),
        (t("Column"), "l", 2.0, lambda each: each.name),
        (t("published"), "l", 2.0, lambda each: _say_treatment(each, t)),
        (t("values"), "r", 0.8, lambda each: whole(each.values, t)),
        (t("what was done"), "l", 4.0, lambda each: _done(each, facts, t)),
        most=_COLUMNS,
        more=more_words(t),
    )
    if gone := [each.name for each in facts.columns if each.role in _GONE]:
        yield Paragraph(t("Left out: {columns}", columns=names(gone, t, len(gone))))


def _say_treatment(column: ColumnFact, t: Language) -> str:
    # What was made coarser is true, and not as it was.
    return t("true, but coarser") if column.steps and column.role not in DRAWN_ROLES else t(_ROLES[column.role])


def _done(column: ColumnFact, facts: Facts, t: Language) -> str:
    parts = [t.sentence(step) for step in column.steps]
    if not facts.internal and column.steps:  # the dictionary of the release says the rest
        parts = [t("made coarser")]
    if column.public:
        parts.append(t("Not secret: {values}", values=names(column.public, t, 3)))
    return t.join(parts) or "–"


def _attack(letter: str, facts: Facts, t: Language) -> Iterator[Block]:
    who = persons_word(facts, t)
    yield Heading(t("{letter} The attack, measured", letter=letter))
    yield Paragraph(
        t(
            "The attacker knows all unchanged columns of everybody and learns from the release how they go together. "
            "Of each row, secret columns drawn apart serve as hints, and all rows of a person count as one."
        )
    )
    yield Paragraph(
        t(
            "The draw was rehearsed on the original, so that each guess could be checked. Every report of this release "
            "prints the same figures; the release itself may differ a little."
        )
    )
    yield table(
        sorted(facts.attacked, key=lambda each: (-each.known, each.without - each.right)),
        (t("Column"), "l", 3.0, lambda each: each.column),
        (t("without"), "r", 1.4, lambda each: share_cell(each.without, t)),
        (t("with"), "r", 1.4, lambda each: share_cell(each.right, t)),
        (t("named with 80 of 100"), "r", 1.7, lambda each: Number(t.percent(each.known), each.known)),
        most=_VALUES,
        more=more_words(t),
    )
    text = t("Values of fewer than ten {who} are not judged one by one; they count in the columns above.", who=who)
    yield Paragraph(text, "note")


def _promise(letter: str, facts: Facts, t: Language) -> Iterator[Block]:
    yield Heading(t("{letter} What the draw promises", letter=letter))
    yield Paragraph(
        t(
            "At strength {gamma}, 1 of {gamma} values is kept for sure; every other one comes from somebody of the "
            "same group, by chance. Number of groups: {n}.",
            # The weakest of the blocks, so that none keeps more values than is said.
            gamma=t.plain(min(each.gamma for each in facts.blocks)),
            n=t.number(facts.classes),
        )
    )
    if facts.class_columns:
        groups = names(facts.class_columns, t, 4)
        text = t("Only those alike in {columns} lend to each other.", columns=groups)
        if facts.by_rows:
            text = t("Only those alike in {columns} and number of rows lend to each other.", columns=groups)
        yield Paragraph(text)
    yield table(
        facts.blocks,
        (t("Drawn as one"), "l", 4.4, lambda each: names(each.columns, t, 3) + _GROUPS.get(each.draw, "")),
        (t("strength"), "r", 1.0, lambda each: Number(t.plain(each.gamma), each.gamma)),
        ("T_P", "r", 1.1, lambda each: share_cell(each.t_p, t, down=True)),
        ("T_f", "r", 0.9, lambda each: whole(each.t_f, t)),
        (t("ratio"), "r", 0.8, lambda each: _ratio(each, t)),
    )
    yield _plots(facts, t)


def _ratio(block: BlockFact, t: Language) -> Cell:
    return Number(t.number(block.sole, 1), block.sole if np.isfinite(block.sole) else None)


def _plots(facts: Facts, t: Language) -> FigureBlock:
    """Return both plots: small counts come out wrong, large ones right."""
    block = min(facts.blocks, key=lambda each: each.gamma)
    draw = draw_from({"draw": block.draw, "gamma": block.gamma})
    scene = Scene(_WIDTH, _HEIGHT)
    counts = np.arange(1, 31)
    wrong = error_curve(draw, facts.epsilon, counts)
    left = Axis(1, 30, 44, 226), Axis(0, 1, _HEIGHT - 34, 22)
    shares = [(share, t.percent(share, 0)) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    ticks = [(float(at), str(at)) for at in (1, 5, 10, 20, 30)]
    frame(scene, *left, ticks, shares, t("true count"))
    scene.add(Words(44, 12, t("wrong by more than {epsilon}", epsilon=t.percent(facts.epsilon, 0)), size=9))
    places = tuple((left[0].at(float(x)), left[1].at(float(y))) for x, y in zip(counts, wrong, strict=True))
    scene.add(Line(places, PROTECTED, 1.6))
    errors = np.array([0.01, 0.02, 0.05, 0.1, 0.2])
    large = t_f_curve(draw, facts.epsilon, errors)
    top = max(float(large.max()) * 1.1, 10.0)
    right = Axis(0.01, 0.2, 304, 474, True), Axis(0, top, _HEIGHT - 34, 22)
    ticks = [(float(at), t.percent(float(at), 0)) for at in errors]
    frame(scene, *right, ticks, [(each, t.number(each)) for each in right[1].ticks()], t("tolerated chance T_E"))
    scene.add(Words(304, 12, t("count that is right from then on (T_f)"), size=9))
    places = tuple((right[0].at(float(x)), right[1].at(float(y))) for x, y in zip(errors, large, strict=True))
    scene.add(Line(places, ACCENT, 1.6))
    at = right[0].at(facts.t_e)
    scene.add(Line(((at, right[1].start), (at, right[1].end)), QUIET, 0.6, 3))
    words = t(
        "A count of 1 is wrong in {one} of 100 releases, one of 30 in {thirty}, one from {large} on in {t_e} at most.",
        one=of_100(float(wrong[0]), down=True),
        thirty=of_100(float(wrong[-1]), down=True),
        large=t.number(block.t_f),
        t_e=of_100(facts.t_e),
    )
    return FigureBlock(scene, words)


def _cells(letter: str, facts: Facts, t: Language) -> Iterator[Block]:
    yield Heading(t("{letter} The numbers asked for", letter=letter))
    for each in facts.tables:
        if len(facts.tables) > 1:
            yield Heading(t.sentence(each.words), 2)
        columns = [
            (t("what was asked"), "l", 4.6, lambda cell: cell_name(cell, t)),
            (t("reads from"), "r", 1.2, lambda cell: cell_figures(cell, t)[1]),
            (t("to"), "r", 1.1, lambda cell: cell_figures(cell, t)[2]),
            (t("trust"), "l", 1.1, lambda cell: t("readable") if cell.readable else t("too rough")),
        ]
        if facts.internal:
            columns.insert(1, (t("true"), "r", 1.1, lambda cell: cell_figures(cell, t)[0]))
        most = max(6, _CELLS // len(facts.tables))
        cells = sorted(each.cells, key=lambda cell: -(cell.true if cell.true is not None else cell.estimate or 0.0))
        yield table(cells, *columns, most=most, more=more_words(t))
    if facts.emptied or facts.left_out:
        text = t("True numbers are of what went out: after rows were left out and cells emptied (section 2).")
        yield Paragraph(text, "note")


def _law(pack: Pack, facts: Facts, fields: Fields, t: Language) -> Iterator[Block]:
    yield Heading(pack.title[t.code], 2)
    yield Paragraph(t("Read: {source}; state of {day}.", source=pack.source[t.code], day=t.day(pack.dated)), "source")
    rows: list[Sequence[Cell]] = [
        (each.place[t.code], each.asks[t.code], _answer(each.answer[t.code], each.field, fields, t))
        for each in pack.demands
    ]
    if pack.code == "hipaa":
        rows += [(place, t(asks), answer) for place, asks, answer in safe_harbor(facts.columns, t)]
    header = (t("Place"), t("what was asked"), t("what answers it"))
    yield TableBlock(header, rows, "lll", (1.5, 3.6, 3.3))


def _answer(text: str, field: str, fields: Fields, t: Language) -> str:
    if not field:
        return text
    return t.join((text.rstrip(".: "), getattr(fields, field, "") or t("to be entered")), ":")


def _files(letter: str, facts: Facts, t: Language) -> Iterator[Block]:
    yield Heading(t("{letter} Files", letter=letter))
    yield table(
        facts.files,
        (t("File"), "l", 2.4, lambda each: each[0]),
        (t("bytes"), "r", 1.2, lambda each: whole(each[1], t)),
        (t("SHA-256, first half"), "l", 3.4, lambda each: each[2][:32]),
    )
    if facts.number is not None:
        name, digest = facts.source
        words = t("Entry {n} of the register of this computer; source: {file}, {digest}.", n=facts.number,
                  file=name or "–", digest=digest[:32] or "–")  # fmt: skip
        yield Paragraph(words, "note")

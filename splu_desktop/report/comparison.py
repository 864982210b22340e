"""A comparison of methods as files: page, table, data and picture, in one new folder. It stays inside."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from splu_desktop.compare.outcome import CERTAINTY, CURVE, FIGURES, SMALL_COUNTS, Comparison, SystemTried
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import Published
from splu_desktop.core.table import Table
from splu_desktop.files.disk.inert import inert
from splu_desktop.files.disk.whole import whole_folder
from splu_desktop.files.language import Language
from splu_desktop.files.questions.batch import read_questions
from splu_desktop.report.content.parts import share, table, whole
from splu_desktop.report.document import Block, Cell, Document, FigureBlock, Heading, Paragraph, TableBlock
from splu_desktop.report.render.html import as_html
from splu_desktop.report.scene import (
    ACCENT,
    ANSWERABLE,
    BETWEEN,
    INK,
    PROTECTED,
    QUIET,
    Axis,
    Box,
    Dot,
    Scene,
    Words,
    frame,
)
from splu_desktop.report.scene import Path as Line

MOST_LINES = 10  # that are drawn at once, each with its name
_COLOURS = (ACCENT, PROTECTED, ANSWERABLE, "#b35900", "#7a5c00", BETWEEN, "#a02020", "#4b3fa0", "#00767a", "#5a6b00")
_LETTERS = "ABCDEFGHIJK"
_WIDTH, _HEIGHT, _PLOT = 500.0, 280.0, 270.0


def own_questions(path: Path | None, source: Table, plan: Plan) -> tuple[tuple[Condition, ...], ...]:
    """Return the custodian's questions in a file, asked of the original as of a release. Raises BadQuestions."""
    if path is None:
        return ()
    return read_questions(path, Published(source.select((*plan.nsas, *plan.sensitive)), plan.blocks)).conditions


def drawn_systems(comparison: Comparison) -> list[list[SystemTried]]:
    """Return the curves that are drawn: the plan and at most nine others, those shown first before all others."""
    curves = [
        [each for each in some if each.draws and each.line == CURVE]
        for _, some in groupby(comparison.tried, key=lambda each: each.system.name)
    ]
    known = [curve for curve in curves if curve]
    known.sort(key=lambda curve: (curve[0].system.name != "plan", not curve[0].system.first))
    return known[:MOST_LINES]


def picture(comparison: Comparison, t: Language) -> FigureBlock:
    """Return protection against answerability: a curve for each method, the range over its draws as thin crosses."""
    scene = Scene(_WIDTH, _HEIGHT)
    scene.add(Box(0, 0, _WIDTH, _HEIGHT, "#ffffff"))
    x, y = Axis(0.0, 1.0, 52, 52 + _PLOT, False), Axis(0.0, 1.0, _HEIGHT - 34, 12)
    ticks = [(v, t.percent(v, 0)) for v in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)]
    across = t("protected: the best reader is wrong about a person")
    up = t("answerable: large counts right to ±{within}", within=t.percent(comparison.thresholds.epsilon, 0))
    frame(scene, x, y, ticks, ticks, across, up)
    at = x.at(1 - comparison.guess)
    scene.add(
        Line(((at, y.start), (at, y.end)), QUIET, 0.5, 3), Words(at - 3, y.end + 8, t("guessing"), "end", 6.5, QUIET)
    )
    said = []
    for number, curve in enumerate(drawn_systems(comparison)):
        system, letter = curve[0].system, _LETTERS[number]
        mine = system.name == "plan"
        colour = INK if mine else _COLOURS[(number - 1) % len(_COLOURS)]
        places = [(x.at(a.protection), y.at(a.large_right or 0.0)) for a in (each.achieved for each in curve)]
        if len(places) > 1:
            scene.add(Line(tuple(places), colour, 1.5))
        for each, (px, py) in zip(curve, places, strict=True):
            for name, flat in (("best_reader", True), ("large_right", False)):
                if (spread := each.spread(name)) is not None:
                    low, high = spread[0], spread[2]
                    ends = ((x.at(1 - high), py), (x.at(1 - low), py)) if flat else ((px, y.at(low)), (px, y.at(high)))
                    scene.add(Line(ends, colour, 0.6))
            scene.add(Dot(px, py, 4 if mine else 2.2, colour, square=mine))
            said.append(
                t(
                    "{title}, {setting}: wrong about {protection}, {answerable} of large counts answered",
                    title=t.sentence(system.title),
                    setting=t.sentence(each.system.setting),
                    protection=t.percent(each.achieved.protection, 0),
                    answerable=t.percent(each.achieved.large_right or 0.0, 0),
                )
            )
        legend = 20.0 + 12 * number
        scene.add(Words(places[-1][0] + 4, places[-1][1] - 3, letter, size=7, colour=colour))
        scene.add(Words(x.end + 24, legend, letter, size=7.5, colour=colour))
        scene.add(Words(x.end + 36, legend, t.sentence(system.title), size=7.5, colour=INK))
    words = t(
        "Up is more answers, right is more protection. The square is this plan; thin crosses are the range of draws."
    )
    return FigureBlock(scene, words, t.joined(said))


def comparison_document(comparison: Comparison, t: Language) -> Document:
    """Return the comparison as a document. It is computed from the original table, so it stays inside."""
    title = t("Beside other methods")
    intro = t(
        "“{column}” in {records} records: each method published it, was asked {questions} counts, and was read by "
        "the same readers. Figures are medians over the draws, with their range.",
        column=comparison.source.sensitive.name,
        records=t.number(comparison.source.n),
        questions=t.number(sum(comparison.asked)),
    )
    strong = [each for each in comparison.tried if each.draws and each.line != CURVE]
    blocks: tuple[Block, ...] = (
        Paragraph(title, "title"),
        Paragraph(intro, "lead"),
        picture(comparison, t),
        Heading(t("At their own settings")),
        _figures(t("methods"), [each for each in comparison.tried if each.draws and each.line == CURVE], t),
        Heading(t("As strong as this plan")),
        _figures(t("as strong"), strong, t),
        *(
            Paragraph(
                t(
                    "{title}, {setting}: {why}",
                    title=t.sentence(each.system.title),
                    setting=t.sentence(each.system.setting),
                    why=t.sentence(each.impossible),
                )
            )
            for each in comparison.tried
            if not each.draws
        ),
    )
    edition = t("Internal edition: computed from the original table, not to be handed out")
    footer = f"{title} · {comparison.source.sensitive.name}"
    return Document(title, edition, True, footer, t.code, t("Page {page} of {pages}"), blocks)


def _figures(name: str, rows: Sequence[SystemTried], t: Language) -> TableBlock:
    lines = {CURVE: "", SMALL_COUNTS: t("small counts"), CERTAINTY: t("certainty")}

    def ranged(each: SystemTried, figure: str) -> Cell:
        spread = each.spread(figure)
        if spread is None:
            return share(None, t, 0)
        low, middle, high = (t.percent(value, 0) for value in spread)
        return middle if low == high else t("{middle} ({low} to {high})", middle=middle, low=low, high=high)

    return table(
        name,
        rows,
        (t("method"), "l", 2.4, lambda each: t.sentence(each.system.title)),
        (t("setting"), "l", 1.8, lambda each: t.sentence(each.system.setting)),
        (t("as strong in"), "l", 1.0, lambda each: lines[each.line]),
        (t("small wrong"), "r", 1.5, lambda each: ranged(each, "small_wrong")),
        (t("large right"), "r", 1.5, lambda each: ranged(each, "large_right")),
        (t("best reader right"), "r", 1.5, lambda each: ranged(each, "best_reader")),
        (t("insider sure"), "r", 1.2, lambda each: ranged(each, "insider")),
        ("T_P", "r", 0.8, lambda each: share(each.t_p, t, 0)),
        ("T_f", "r", 0.8, lambda each: whole(each.t_f, t)),
    )


def write_comparison(comparison: Comparison, target: Path, t: Language) -> tuple[str, ...]:
    """Write a new folder with the comparison, whole or not at all, and return the names of its files.

    Raises CannotWrite where the folder exists already or can't be made.
    """
    drawn = picture(comparison, t)
    data = json.dumps(comparison.as_dict(), ensure_ascii=False, allow_nan=False, indent=2)
    texts = {
        "comparison.html": as_html(comparison_document(comparison, t)),
        "comparison.json": data + "\n",
        "comparison.svg": drawn.scene.svg(drawn.words),
    }
    with whole_folder(target) as partial:
        for name, text in texts.items():
            (partial / name).write_text(text, encoding="utf-8")
        _write_csv(comparison, partial / "comparison.csv")
    return (*texts, "comparison.csv")


def _write_csv(comparison: Comparison, path: Path) -> None:
    """Write one row per method and setting, in English and with decimal points, whatever the language of the page."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        ends = [f"{name} {end}" for name in FIGURES for end in ("low", "median", "high")]
        writer.writerow(["method", "title", "setting", "line", "draws", "T_P", "T_f", "epsilon", *ends, "not possible"])
        for each in comparison.tried:
            spreads = [each.spread(name) or ("", "", "") for name in FIGURES]
            words = (each.system.name, str(each.system.title), str(each.system.setting), each.line)
            figures = [figure for spread in spreads for figure in spread]
            own = [len(each.draws), each.t_p, each.t_f, each.epsilon if math.isfinite(each.epsilon) else ""]
            writer.writerow([*map(inert, words), *own, *figures, inert(str(each.impossible))])

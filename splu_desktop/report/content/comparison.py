"""The custodian's table by other methods, as blocks: one picture, what each method is, and all figures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from splu_desktop.compare.runner import LARGE, Achieved, Comparison, SystemTried
from splu_desktop.files.language import Language
from splu_desktop.report.content.parts import decimal, share, table, whole
from splu_desktop.report.document import Block, Cell, FigureBlock, Heading, Number, Paragraph, TableBlock
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
    Path,
    Scene,
    Words,
    frame,
)

COLOURS = (ACCENT, PROTECTED, ANSWERABLE, "#b25000", "#6a51a3", "#a1345c", "#2f7f86", "#7a6a00", "#557d00")
_PLOT = 300.0  # points that the plot is wide; the legend stands right of it
_WIDTH = 560.0
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_MOST_OWN = 40  # own questions on the page; the CSV has all


def comparison_blocks(comparison: Comparison, t: Language) -> list[Block]:
    """Return everything that is said of a comparison, the methods weighed first before all others."""
    first = [each for each in comparison.tried if each.system.first]
    more = [each for each in comparison.tried if not each.system.first]
    blocks: list[Block] = [*_opening(comparison, t), picture(comparison, t)]
    blocks += _chapter(t("The methods to weigh first"), first, comparison, t)
    if more:
        blocks += _chapter(t("More methods"), more, comparison, t)
    blocks += _own(comparison, t)
    blocks += [Heading(t("How the figures are found")), *(Paragraph(text) for text in _reading(comparison, t))]
    return blocks


def _opening(comparison: Comparison, t: Language) -> list[Block]:
    source = comparison.source
    return [
        Paragraph(
            t(
                "“{column}” in {records} records was published on paper by every method, with the columns {others} "
                "beside it, asked the same {questions} counts, and read by the same three readers.",
                column=source.sensitive.name,
                records=t.number(source.n),
                others=", ".join(source.names) or "–",
                questions=t.number(sum(comparison.asked)),
            ),
            "lead",
        ),
        Paragraph(
            t(
                "Without any of them, who names the most frequent value is right about {guess} of the persons; who "
                "learnt from the original table what the other columns tell, about {classifier}.",
                guess=t.percent(comparison.guess),
                classifier=t.percent(comparison.classifier),
            )
        ),
    ]


def letters(comparison: Comparison) -> dict[str, str]:
    """Return the letter of each method that could be carried out, in their order."""
    names = dict.fromkeys(each.system.name for each in comparison.tried if each.achieved is not None)
    return dict(zip(names, _LETTERS, strict=False))


def picture(comparison: Comparison, t: Language) -> FigureBlock:
    """Return protection against answerability: a curve over its parameter for each method, the plan marked."""
    known = letters(comparison)
    height = max(260.0, 40.0 + 11 * (len(known) + 2))
    scene = Scene(_WIDTH, height)
    scene.add(Box(0, 0, _WIDTH, height, "#ffffff"))
    x, y = Axis(0.0, 1.0, 52, 52 + _PLOT, False), Axis(0.0, 1.0, height - 34, 12)
    ticks = [(v, t.percent(v, 0)) for v in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)]
    frame(
        scene,
        x,
        y,
        ticks,
        ticks,
        t("protected: a colleague with the person's other columns is wrong"),
        t("answerable: large counts right to ±{within}", within=t.percent(comparison.thresholds.epsilon, 0)),
    )
    at = x.at(1 - comparison.guess)
    scene.add(Path(((at, y.start), (at, y.end)), QUIET, 0.5, 3))
    scene.add(Words(at - 3, y.end + 8, t("guessing"), "end", 6.5, QUIET))
    legend, coloured = 20.0, 0
    title = x.end + 24
    for name, some in groupby(comparison.tried, key=lambda each: each.system.name):
        points = [each for each in some if each.achieved is not None]
        if not points:
            continue
        system = points[0].system
        mine = name == "plan"
        if mine:
            colour = INK
        elif system.first:
            colour, coloured = COLOURS[coloured % len(COLOURS)], coloured + 1
        else:
            colour = BETWEEN
        places = [(x.at(a.protection), y.at(a.answerable or 0.0)) for a in _achieved(points)]
        if len(places) > 1:
            scene.add(Path(tuple(places), colour, 1.5 if system.first else 0.6))
        for px, py in places:
            scene.add(Dot(px, py, 4 if mine else 2.2 if system.first else 1.5, colour, square=mine))
        scene.add(Words(places[-1][0] + 4, places[-1][1] - 3, known[name], size=7, colour=colour))
        scene.add(Words(title, legend, known[name], size=7.5, colour=colour))
        scene.add(Words(title + 12, legend, t.sentence(system.title), size=7.5, colour=INK if system.first else QUIET))
        legend += 11
    best = [each for each in comparison.tried if each.achieved is not None]
    words = t.joined(
        t(
            "{title}, {setting}: wrong about {protection}, {answerable} of large counts answered",
            title=t.sentence(each.system.title),
            setting=t.sentence(each.system.setting),
            protection=t.percent(each.achieved.protection, 0),
            answerable=t.percent(each.achieved.answerable, 0),
        )
        for each in best
        if each.achieved is not None
    )
    caption = t(
        "Up is more answers, right is more protection. Every method is a curve over its setting; the square is this "
        "plan, the dashed line what guessing alone reaches."
    )
    return FigureBlock(scene, caption, words)


def _achieved(points: Sequence[SystemTried]) -> list[Achieved]:
    return [each.achieved for each in points if each.achieved is not None]


def _chapter(title: str, tried: Sequence[SystemTried], comparison: Comparison, t: Language) -> list[Block]:
    blocks: list[Block] = [Heading(title)]
    known = letters(comparison)
    for name, group in groupby(tried, key=lambda each: each.system.name):
        some = list(group)
        system = some[0].system
        letter = f"{known[name]}  " if name in known else ""
        blocks += [Heading(f"{letter}{t.sentence(system.title)}", 2), Paragraph(t.sentence(system.words))]
        for each in some:
            if each.impossible:
                setting, reason = t.sentence(each.system.setting), t.sentence(each.impossible)
                text = t("Not possible here with {setting}: {reason}", setting=setting, reason=reason)
                blocks.append(Paragraph(text, "note"))
        said = [(each.system.setting, remark) for each in some for remark in each.remarks[:1]]
        for setting, remark in [(system.setting, system.promise), *said]:
            text = t("With {setting}: {remark}", setting=t.sentence(setting), remark=t.sentence(remark))
            blocks.append(Paragraph(text, "note"))
    done = [each for each in tried if each.achieved is not None]
    if done:
        blocks += [
            Heading(t("{title}: figures", title=title), 2),
            _figures(title, done, t),
            _errors(done, comparison, t),
        ]
    return blocks


def _figures(title: str, done: Sequence[SystemTried], t: Language) -> TableBlock:
    return table(
        title,
        [(each.system, each.achieved) for each in done if each.achieved is not None],
        (t("method"), "l", 3, lambda row: t.sentence(row[0].title)),
        (t("setting"), "l", 3, lambda row: t.sentence(row[0].setting)),
        (t("small counts wrong"), "r", 1.2, lambda row: share(row[1].small_wrong, t, 0)),
        (t("large counts answered"), "r", 1.2, lambda row: share(row[1].answerable, t, 0)),
        (t("intervals hold"), "r", 1.2, lambda row: share(row[1].covered, t, 0)),
        (t("row alone right"), "r", 1.2, lambda row: share(row[1].stranger, t, 0)),
        (t("colleague right"), "r", 1.2, lambda row: share(row[1].colleague, t, 0)),
        (t("insider sure, at least"), "r", 1.2, lambda row: share(row[1].insider, t, 0)),
        (t("the same, of the only bearer of a value"), "r", 1.2, lambda row: share(row[1].insider_sole, t, 0)),
        (t("unique records"), "r", 1.2, lambda row: whole(row[1].uniques, t)),
        (t("lost"), "r", 1.2, lambda row: whole(row[1].lost, t)),
        (t("classifier right"), "r", 1.2, lambda row: share(row[1].classifier, t, 0)),
        (t("pMSE ratio"), "r", 1.2, lambda row: decimal(row[1].pmse, t, 1)),
        (t("seconds"), "r", 1.2, lambda row: decimal(row[1].seconds, t, 2)),
        (t("MB"), "r", 1.2, lambda row: Number(t.number(row[1].megabytes), row[1].megabytes)),
    )


def _errors(done: Sequence[SystemTried], comparison: Comparison, t: Language) -> TableBlock:
    """Return the table of relative errors by size of the true count."""
    header = [t("method"), t("setting"), *(t("count {band}", band=t.sentence(name)) for name in comparison.bands)]
    rows: list[list[Cell]] = [
        [t.sentence(each.system.title), t.sentence(each.system.setting), *(share(e, t, 0) for e in a.errors)]
        for each in done
        for a in _achieved([each])
    ]
    name = t("Mean relative error by size of the true count")
    return TableBlock(name, header, rows, "ll" + "r" * len(comparison.bands), (3, 3, *[1.2] * len(comparison.bands)))


def _own(comparison: Comparison, t: Language) -> list[Block]:
    if not comparison.own:
        return []
    done = [each for each in comparison.tried if each.own is not None and each.system.first]
    header = [
        t("your question"),
        t("true count"),
        *(f"{t.sentence(each.system.title)}, {t.sentence(each.system.setting)}" for each in done),
    ]
    rows: list[list[Cell]] = []
    for at, conditions in enumerate(comparison.own[:_MOST_OWN]):
        cells: list[Cell] = [
            t.joined(map(str, conditions)) or t("all records"),
            whole(int(comparison.own_truth[at]), t),
        ]
        for each in done:
            if each.own is not None:
                value = float(each.own.estimate[at])
                cells.append(decimal(None if value != value else value, t, 0))
        rows.append(cells)
    blocks: list[Block] = [Heading(t("Your questions"))]
    if len(comparison.own) > _MOST_OWN:
        blocks.append(Paragraph(t("The first {n} of them; comparison.json has all.", n=t.number(_MOST_OWN)), "note"))
    weights = (4, 1, *[1.0] * len(done))
    return [*blocks, TableBlock(t("Your questions"), header, rows, "l" + "r" * (1 + len(done)), weights)]


def _reading(comparison: Comparison, t: Language) -> list[str]:
    asked = comparison.thresholds
    return [
        t(
            "Small counts wrong: of {small} questions with a true count of 1 to {alpha}, the share answered wrong by "
            "more than {epsilon} or not at all. Large counts answered: of {large} questions with at least {share} of "
            "the records, the share answered to within it. Estimates outside of 0 to all records are cut.",
            small=t.number(comparison.small),
            alpha=t.number(asked.alpha),
            epsilon=t.percent(asked.epsilon, 0),
            large=t.number(comparison.large),
            share=t.percent(LARGE, 1),
        ),
        t(
            "Three readers, tried on {tested} records and judged by the true values. Row alone: finds the person's row "
            "and knows the shares in the whole table. Colleague: knows all unchanged columns of the person, learns "
            "from the answers what they tell (naive Bayes), and reads the row where there are rows. Insider: knows all "
            "other records; the figure is how sure that reader is of the true value on average, at least: a value "
            "that few have is told more surely. Of the person who alone has a value it stands by itself.",
            tested=t.number(comparison.tested),
        ),
        t(
            "Classifier: naive Bayes learnt from the answers, without the row. pMSE ratio: how well original and "
            "published records can be told apart, 1 being as little as two samples of one population; methods without "
            "rows have none. Every figure is of one publication; another differs a little."
        ),
    ]

"""The report's figures, drawn from the model's numbers."""

from __future__ import annotations

import numpy as np

from splu_desktop.core.guarantees.attackers import Figures
from splu_desktop.files.language import Language
from splu_desktop.report import model
from splu_desktop.report.content.parts import guessed, shortened
from splu_desktop.report.document import FigureBlock, cell_text
from splu_desktop.report.scene import (
    ACCENT,
    ANSWERABLE,
    BETWEEN,
    PROTECTED,
    QUIET,
    RANGE,
    SOFT,
    Axis,
    Box,
    Dot,
    Path,
    Scene,
    Words,
    frame,
)

WIDTH, HEIGHT = 480.0, 190.0


def large_counts(promise: model.Guarantee, law: model.ExactLaw, t: Language) -> FigureBlock:
    """Return the plot of T_f against T_E: exact and by Chebyshev, with the column's published counts as marks."""
    scene = Scene(WIDTH, HEIGHT)
    top = max(*law.curve_t_f_chebyshev, promise.t_f, 10)
    x = Axis(min(law.curve_t_e), max(law.curve_t_e), 52, WIDTH - 70, log=True)
    y = Axis(1, float(top), HEIGHT - 34, 10, log=True)
    frame(
        scene,
        x,
        y,
        [(v, t.plain(v)) for v in x.ticks()],
        [(v, t.number(v)) for v in y.ticks()],
        t("tolerated probability of a larger error (T_E)"),
        t("records from which it holds (T_f)"),
    )
    chebyshev = tuple((x.at(a), y.at(b)) for a, b in zip(law.curve_t_e, law.curve_t_f_chebyshev, strict=True))
    exact = _steps([(x.at(a), y.at(b)) for a, b in zip(law.curve_t_e, law.curve_t_f, strict=True)])
    scene.add(Path(chebyshev, BETWEEN, 0.75, 3), Path(exact, ANSWERABLE, 1.5))
    scene.add(Words(x.end + 4, chebyshev[-1][1] - 3, t("Chebyshev"), size=7, colour=BETWEEN))
    scene.add(Words(x.end + 4, exact[-1][1] + 6, t("exact"), size=7, colour=ANSWERABLE))
    for count in sorted({value.published for value in promise.values if value.published}):
        at = y.at(count)
        scene.add(Path(((x.start, at), (x.start + 6, at)), ACCENT, 0.5))
    scene.add(Dot(x.at(promise.t_e), y.at(promise.t_f), 3, ANSWERABLE))
    scene.add(Words(x.at(promise.t_e) + 5, y.at(promise.t_f) - 4, t.number(promise.t_f), size=8, colour=ANSWERABLE))
    words = t(
        "T_f falls from {most} records at T_E {low} to {least} at T_E {high}; at the chosen T_E {t_e} it is {t_f}.",
        most=t.number(law.curve_t_f[0]),
        low=t.plain(law.curve_t_e[0]),
        least=t.number(law.curve_t_f[-1]),
        high=t.plain(law.curve_t_e[-1]),
        t_e=t.plain(promise.t_e),
        t_f=t.number(promise.t_f),
    )
    caption = t(
        "“{column}”: the count from which a published count is within {epsilon} of the truth, against how often it may "
        "fail. Short marks on the left: the published counts of the column's values.",
        column=promise.column,
        epsilon=t.percent(promise.epsilon, 0 if promise.epsilon * 100 % 1 < 1e-9 else 1),
    )
    return FigureBlock(scene, caption, words)


def small_counts(promise: model.Guarantee, law: model.ExactLaw, t: Language) -> FigureBlock:
    """Return the plot of the probability of a larger error over the small counts, with its minimum up to alpha."""
    scene = Scene(WIDTH, HEIGHT)
    n = len(law.small_counts)
    x = Axis(0.5, n + 0.5, 52, WIDTH - 70)
    y = Axis(0.0, 1.0, HEIGHT - 34, 10)
    edge = x.at(min(promise.alpha, n) + 0.5)
    scene.add(Box(x.start, y.end, edge - x.start, y.start - y.end, "#f7e6ef"))
    step = max(1, round(n / 10))
    marks = [1, *range(step, n + 1, step)] if step > 1 else range(1, n + 1)
    frame(
        scene,
        x,
        y,
        [(v, t.number(v)) for v in marks],
        [(v, t.percent(v, 0)) for v in y.ticks()],
        t("true count (records)"),
        t("probability of a larger error"),
    )
    points = tuple((x.at(f), y.at(p)) for f, p in enumerate(law.small_counts, 1))
    scene.add(Path(points, BETWEEN, 0.75))
    for f, (across, up) in enumerate(points, 1):
        scene.add(Dot(across, up, 2.2, PROTECTED if f <= promise.alpha else BETWEEN, square=f > promise.alpha))
    level = y.at(promise.t_p)
    scene.add(Path(((x.start, level), (x.end, level)), PROTECTED, 0.75, 3))
    scene.add(Words(x.end + 4, level + 2.5, f"T_P {t.number(promise.t_p, 4)}", size=8, colour=PROTECTED))
    words = t(
        "Over counts 1 to {alpha} the probability of an error above {epsilon} is {t_p} or more.",
        alpha=t.number(promise.alpha),
        epsilon=t.percent(promise.epsilon, 0 if promise.epsilon * 100 % 1 < 1e-9 else 1),
        t_p=t.number(promise.t_p, 4),
    )
    caption = t(
        "“{column}”: how surely a count is shown wrong by more than {epsilon}, for each true count. The shaded counts "
        "(up to {alpha}) are the ones promised to be protected; the dashed line is T_P, the least of them.",
        column=promise.column,
        epsilon=t.percent(promise.epsilon, 0 if promise.epsilon * 100 % 1 < 1e-9 else 1),
        alpha=t.number(promise.alpha),
    )
    return FigureBlock(scene, caption, words)


def before_after(marginal: model.Marginal, t: Language, most: int = 10) -> FigureBlock:
    """Return the bars of the most frequent values, true beside what recipients are told."""
    rows = marginal.values[:most]
    scene = Scene(WIDTH, 30 + 18.0 * len(rows))
    top = max((max(row.true, row.told) for row in rows), default=1)
    x = Axis(0, float(max(top, 1)), 150, WIDTH - 90)
    scene.add(Box(150, 2, 8, 8, QUIET), Words(162, 9, t("true"), size=8))
    scene.add(Box(220, 2, 8, 8, ACCENT), Words(232, 9, t("told to recipients"), size=8))
    for place, row in enumerate(rows):
        y = 18 + 18.0 * place
        scene.add(Words(144, y + 9, shortened(row.value) or t("(empty)"), "end", 7.5))
        scene.add(Box(x.start, y, max(0.5, x.at(row.true) - x.start), 6, QUIET))
        scene.add(Box(x.start, y + 7, max(0.5, x.at(row.told) - x.start), 6, ACCENT))
        scene.add(Words(WIDTH, y + 9, f"{t.number(row.true)} → {t.number(row.told)}", "end", 7.5, QUIET))
    words = t(
        "The {shown} most frequent values of “{column}” with their true counts and those that recipients are told.",
        shown=t.number(len(rows)),
        column=marginal.column,
    )
    return FigureBlock(scene, words, words)


def attacked(rows: list[tuple[str, Figures, Figures]], t: Language) -> FigureBlock:
    """Return the bars of right guesses by column, without the table and by the strongest attacker.

    Where the latter is estimated, its bar is full to the lower end of the range and pale from there to the upper one.
    """
    scene = Scene(WIDTH, 18 + 18.0 * len(rows))
    x = Axis(0, 1, 150, WIDTH - 90)
    scene.add(Box(150, 2, 8, 8, QUIET), Words(162, 9, t("without the table"), size=8))
    scene.add(Box(280, 2, 8, 8, PROTECTED), Words(292, 9, t("strongest attacker"), size=8))
    if any(best.ends is not None for *_, best in rows):
        scene.add(Box(395, 2, 8, 8, RANGE), Words(407, 9, t("range estimated"), size=8))
    for place, (name, blind, best) in enumerate(rows):
        y = 18 + 18.0 * place
        scene.add(Words(144, y + 9, shortened(name), "end", 7.5))
        low, high = (best.right,) * 2 if best.ends is None else best.ends
        scene.add(Box(x.start, y, max(0.5, x.at(blind.right) - x.start), 6, QUIET))
        if high > low:
            scene.add(Box(x.start, y + 7, x.at(high) - x.start, 6, RANGE))
        scene.add(Box(x.start, y + 7, max(0.5, x.at(low) - x.start), 6, PROTECTED))
        told = t.percent(best.right) if best.ends is None else cell_text(guessed(best, t))
        scene.add(Words(WIDTH, y + 9, f"{t.percent(blind.right)} → {told}", "end", 7.5, QUIET))
    words = t("How often the sensitive value of a person is guessed right, by column.")
    return FigureBlock(scene, words, words)


def bands(measured: model.MeasuredUtility, t: Language) -> FigureBlock:
    """Return the bars of the mean relative error by band of true count."""
    rows = [band for band in measured.bands if band.mean_relative_error is not None]
    scene = Scene(WIDTH, 20 + 16.0 * max(1, len(rows)))
    top = max([0.01, *(band.mean_relative_error or 0.0 for band in rows)])
    x = Axis(0, float(np.ceil(10 * top) / 10), 150, WIDTH - 60)
    for place, band in enumerate(rows):
        y = 8 + 16.0 * place
        error = band.mean_relative_error or 0.0
        scene.add(Words(144, y + 9, t.sentence(band.label), "end", 7.5), Box(x.start, y, x.end - x.start, 10, SOFT))
        scene.add(Box(x.start, y, max(0.5, x.at(error) - x.start), 10, ACCENT))
        scene.add(Words(WIDTH, y + 9, t.percent(error), "end", 7.5, QUIET))
    words = t("Mean relative error of the estimates for “{column}” by band of true count.", column=measured.column)
    return FigureBlock(scene, words, words)


def _steps(points: list[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Return a line that keeps each height until the next point: T_f is a whole number and falls in steps."""
    line = points[:1]
    for across, up in points[1:]:
        if up != line[-1][1]:
            line += [(across, line[-1][1]), (across, up)]
    return (*line, points[-1])

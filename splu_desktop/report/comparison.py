"""A comparison of methods as files: page with its picture, table and data, in one new folder. It stays inside."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Sequence
from html import escape
from itertools import chain, groupby
from pathlib import Path

from splu_desktop.compare.outcome import COLUMNS, CURVE, FIGURES, MEASURES, Comparison, ShownColumn, SystemResult
from splu_desktop.files.disk.inert_texts import inert
from splu_desktop.files.disk.whole_files import whole_folder
from splu_desktop.files.language import Language

MOST_LINES = 10  # that are drawn at once, each with its name
# Ink, quiet, grid, ground; Okabe and Ito's hues, with a contrast of 4.5:1 on it. The plan is a square in ink.
_LIGHT = ("#1b252f", "#52606d", "#d3dae1", "#ffffff")
_DARK = ("#e7ecf1", "#a9b5c1", "#3c4753", "#242c34")
_ON_LIGHT = ("#00629b", "#96376d", "#006b4e", "#b35900", "#7a5c00", "#5c6873", "#a02020", "#4b3fa0", "#00767a")
_ON_DARK = ("#5eb8ea", "#eba6cb", "#55cfa4", "#ff9d5c", "#e3c04f", "#b0bac4", "#ff8a8a", "#b3a7ff", "#4fd0d6")
_LEFT, _TOP, _ACROSS, _UP, _WIDTH, _HEIGHT = 50.0, 18.0, 420.0, 280.0, 840.0, 358.0
_APART = 11.0  # between letters
_STYLE = (
    "body{font:15px sans-serif;max-width:72em;margin:2em auto;padding:0 1em;color:#1b252f}"
    "table{border-collapse:collapse;font-size:13px}"
    "td,th{padding:.25em .6em;border-bottom:1px solid #d3dae1;text-align:left}"
)


def choose_curves(comparison: Comparison) -> list[list[SystemResult]]:
    """Return the curves that are drawn: the plan and at most nine others, those shown first before all others."""
    curves = [
        [each for each in some if each.draws and each.line == CURVE]
        for _, some in groupby(comparison.systems, key=lambda each: each.system.name)
    ]
    known = [curve for curve in curves if curve]
    known.sort(key=lambda curve: (curve[0].system.name != "plan", not curve[0].system.first))
    return known[:MOST_LINES]


def picture(comparison: Comparison, t: Language, *, dark: bool = False) -> str:
    """Return an SVG of protection against answerability: a curve for each method, its draws' range as crosses."""
    ink, quiet, grid, ground = _DARK if dark else _LIGHT
    hues = _ON_DARK if dark else _ON_LIGHT
    most = max(1 - comparison.guess, 0.01)  # nobody is wrong more often than who guesses
    curves = choose_curves(comparison)
    surest = max(each.median("best_reader") or 0.0 for curve in curves for each in curve)
    least = min(math.floor(10 * (1 - surest)) / 10, most - 0.01)  # less wrong is no reader that is drawn

    def x(share: float) -> float:
        return _LEFT + _ACROSS * (share - least) / (most - least)

    def y(share: float) -> float:
        return _TOP + _UP * (1 - share)

    def line(ends: Sequence[tuple[float, float]], colour: str, width: float, dash: str = "") -> str:
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in ends)
        return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>'

    def words(a: float, b: float, text: str, colour: str = ink, more: str = "") -> str:
        return f'<text x="{a:.1f}" y="{b:.1f}" font-size="11" fill="{colour}"{more}>{escape(text)}</text>'

    parts = [f'<rect width="{_WIDTH:g}" height="{_HEIGHT:g}" fill="{ground}"/>']
    for share in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        parts.append(line([(_LEFT, y(share)), (x(most), y(share))], grid, 0.5))
        parts.append(words(_LEFT - 6, y(share) + 4, t.percent(share, 0), quiet, ' text-anchor="end"'))
    ticks = range(round(100 * least), round(100 * most), 5 if most - least < 0.4 else 20)
    middle = ' text-anchor="middle"'
    parts.extend(words(x(each / 100), y(0) + 16, t.percent(each / 100, 0), quiet, middle) for each in ticks)
    parts.append(line([(x(most), y(0)), (x(most), y(1))], quiet, 0.7, ' stroke-dasharray="3"'))
    parts.append(words(x(most), y(0) + 29, t("guessing"), quiet, middle))
    parts.append(words(_LEFT, y(0) + 42, t("right: the best reader is wrong about a person")))
    within = t.percent(comparison.thresholds.epsilon, 0)
    parts.append(words(_LEFT, y(0) + 56, t("up: large counts are told to within {within}", within=within)))
    letters: list[tuple[float, float]] = []
    for number, curve in enumerate(curves):
        system, letter = curve[0].system, "ABCDEFGHIJ"[number]
        mine = system.name == "plan"
        colour = ink if mine else hues[(number - 1) % len(hues)]
        places = [(x(1 - (each.median("best_reader") or 0.0)), y(each.median("large_right") or 0.0)) for each in curve]
        parts.append(line(places, colour, 1.5))
        for each, (px, py) in zip(curve, places, strict=True):
            wrong, right = each.spread("best_reader"), each.spread("large_right")
            if wrong is not None and right is not None:
                parts.append(line([(x(1 - wrong[2]), py), (x(1 - wrong[0]), py)], colour, 0.7))
                parts.append(line([(px, y(right[0])), (px, y(right[2]))], colour, 0.7))
            size = 4 if mine else 2.5
            box = f'x="{px - size:.1f}" y="{py - size:.1f}" width="{2 * size}" height="{2 * size}"'
            parts.append(f'<rect {box} rx="{0 if mine else size}" fill="{colour}"/>')
        legend = _TOP + 12 + 17 * number
        across, up = places[-1][0] + 6, places[-1][1] - 4
        while any(abs(a - across) < _APART and abs(b - up) < _APART for a, b in letters):
            across += _APART
        letters.append((across, up))
        parts.append(words(across, up, letter, colour))
        parts.append(words(x(most) + 54, legend, letter, colour))
        parts.append(words(x(most) + 70, legend, t.sentence(system.title)))
    name = escape(t("Large counts told, against protection, of each method"))
    view = f'viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" width="{_WIDTH:g}"'
    role = f'role="img" aria-label="{name}" font-family="sans-serif"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {view} {role}>{"".join(parts)}</svg>'


def comparison_page(comparison: Comparison, t: Language) -> str:
    """Return the comparison as an HTML page."""
    title = t("Beside other methods")
    edition = t("For our own files: holds true counts, never hand it out")
    done, columns = [each for each in comparison.systems if each.draws], tuple(COLUMNS.values())
    parts = (
        (t("At their own settings"), [each for each in done if each.line == CURVE], columns),
        (t("As strong as this plan"), [each for each in done if each.line != CURVE], columns),
        (t.sentence(MEASURES.head), [each for each in done if each.metrics], (*columns[:3], MEASURES)),
    )
    tables = "".join(f"<h2>{escape(head)}</h2>{_table(rows, shown, t)}" for head, rows, shown in parts)
    asked, guess, *meaning = comparison.explain()
    lost = [each.say_impossible() for each in comparison.systems if not each.draws]
    return (
        f'<!doctype html><html lang="{t.code}"><meta charset="utf-8">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style>"
        f"<h1>{escape(title)}</h1><p><b>{escape(edition)}</b></p>"
        f"{_paragraphs((asked, guess), t)}{picture(comparison, t)}"
        f"{tables}{_paragraphs([*lost, *meaning], t)}</html>\n"
    )


def _paragraphs(sentences: Iterable[str], t: Language) -> str:
    return "".join(f"<p>{escape(t.sentence(each))}</p>" for each in sentences)


def _table(rows: Sequence[SystemResult], columns: Sequence[ShownColumn], t: Language) -> str:
    head = "".join(f"<th>{escape(t.sentence(each.head))}</th>" for each in columns)
    cells = ("".join(f"<td>{escape(t.sentence(each.cell(row)))}</td>" for each in columns) for row in rows)
    return f"<table><tr>{head}</tr>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def write_comparison(comparison: Comparison, target: Path, t: Language) -> tuple[str, ...]:
    """Write a new folder with the comparison, whole or not at all, and return the names of its files.

    Raises CannotWrite where the folder exists already or can't be made.
    """
    texts = {
        "comparison.html": comparison_page(comparison, t),
        "comparison.json": json.dumps(comparison.as_dict(), ensure_ascii=False, allow_nan=False, indent=2) + "\n",
        "comparison.svg": picture(comparison, t),
    }
    with whole_folder(target) as partial:
        partial.chmod(0o700)  # it holds true counts, so that its owner alone reads it
        for name, text in texts.items():
            (partial / name).write_text(text, encoding="utf-8")
        _write_csv(comparison, partial / "comparison.csv")
        for path in partial.iterdir():
            path.chmod(0o600)
    return (*texts, "comparison.csv")


def _write_csv(comparison: Comparison, path: Path) -> None:
    """Write one row per method and setting, in English and with decimal points, whatever the language of the page."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        ends = [f"{name} {end}" for name in FIGURES for end in ("low", "median", "high")]
        writer.writerow(["method", "title", "setting", "line", "draws", "T_P", "T_f", "epsilon", *ends, "not possible"])
        for each in comparison.systems:
            spreads = [each.spread(name) or ("", "", "") for name in FIGURES]
            words = (each.system.name, str(each.system.title), str(each.system.setting), each.line)
            promises = [len(each.draws), each.t_p, each.t_f, each.epsilon if math.isfinite(each.epsilon) else ""]
            writer.writerow([*map(inert, words), *promises, *chain(*spreads), inert(str(each.impossible))])

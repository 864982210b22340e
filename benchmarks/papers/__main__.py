"""Draws the papers' figures again on our tables, and says what of them holds.

    python -m benchmarks.papers [FIGURE ...] --out DIR [--data FOLDER] [--effort 1] [--document docs/papers.md]

DIR gets an SVG per figure, all curves as figures.json, and figures.md. --document writes the found into the document's
generated part. Seeds are fixed; run times (inferential-6 and -7) differ by machine. All figures take about 2 minutes of
processor, none more than half a minute.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path

from benchmarks.papers.document import section, with_sections
from benchmarks.papers.drawing import drawn
from benchmarks.papers.figure import Figure, Outcome, verdict
from benchmarks.papers.register import FIGURES
from benchmarks.papers.tables import Tables


def main(words: list[str] | None = None) -> None:
    """Make the figures asked for, all where none is named."""
    known = {figure.name: figure for figure in FIGURES}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=", ".join(known))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--effort", type=float, default=1.0, help="share of the questions and repetitions")
    parser.add_argument("--document", type=Path, help="the document whose generated part is written")
    args = parser.parse_args(words)
    unknown = [name for name in args.figures if name not in known]
    if unknown:
        parser.error(f"no figure {unknown[0]}; there are {', '.join(known)}")
    args.out.mkdir(parents=True, exist_ok=True)
    tables, made = Tables(args.data, args.effort), {}
    for name in args.figures or known:
        figure, start = known[name], time.process_time()
        outcome = figure.make(tables)
        made[name] = outcome
        (args.out / f"{name}.svg").write_text(drawn(figure, outcome), "utf-8")
        print(f"{name}: {verdict(outcome.findings)} ({time.process_time() - start:.0f} s of processor)", flush=True)
        for claim, finding in zip(figure.claims, outcome.findings, strict=True):
            print(f"    {'holds' if finding.holds else 'FALSE'}  {claim} -> {finding.found}", flush=True)
    found = {name: section(known[name], outcome) for name, outcome in made.items()}
    (args.out / "figures.md").write_text("\n\n".join(found.values()) + "\n", "utf-8")
    data = {name: _data(known[name], outcome) for name, outcome in made.items()}
    (args.out / "figures.json").write_text(json.dumps(data, indent=1, allow_nan=False) + "\n", "utf-8")
    if args.document is not None:
        args.document.write_text(with_sections(args.document.read_text("utf-8"), found, tuple(known)), "utf-8")


def _data(figure: Figure, outcome: Outcome) -> dict[str, object]:
    return {
        "title": figure.title,
        "verdict": verdict(outcome.findings),
        "curves": [
            {
                "name": each.name,
                "theirs": each.theirs,
                "x": list(each.x),
                "y": [value if math.isfinite(value) else None for value in each.y],
            }
            for each in outcome.curves
        ],
    }


if __name__ == "__main__":
    main()

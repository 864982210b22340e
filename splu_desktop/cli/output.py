"""Printing for people and for programs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from typing import Any


def add_json(parser: argparse.ArgumentParser) -> None:
    """Give a command the option --json."""
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")


def print_json(data: Any) -> None:
    """Print `data` as JSON, non-ASCII text as it is; NaN and infinity, which JSON lacks, are refused."""
    print(json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2))


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> None:
    """Print rows in columns padded to equal width; columns listed in `right` are aligned to the right."""
    lines = [list(header), *[list(row) for row in rows]]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    aligned = set(right)
    for line in lines:
        cells = [
            cell.rjust(w) if i in aligned else cell.ljust(w)
            for i, (cell, w) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())

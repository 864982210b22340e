"""Reads all messy files and says how many were read rightly: `python -m tests.messy.sweep [WORD ...]`.

Words choose classes whose name holds them. Prints each file read wrongly with the first difference, then a line per
class, and Pollock's score of the polluted ones.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

from splu_desktop.core.errors import SpluError
from splu_desktop.files.importer import ALL_SHEETS, ImportChoices, read
from tests.messy.cases import Case, all_cases
from tests.messy.pollution import score, weighted


def wrong(case: Case, folder: Path) -> tuple[str, float]:
    """Read a case; return what is wrong ("" if nothing), and Pollock's score."""
    path = folder / case.name
    path.write_bytes(case.content)
    try:
        asked = ImportChoices() if case.sheets is None else ImportChoices(sheets=ALL_SHEETS)
        imported = read(path, asked)
    except (SpluError, TypeError) as fault:
        return f"{type(fault).__name__}: {fault}", 0.0
    if case.told and not case.rows:
        return "" if imported.problems else "nothing told", 10.0
    table = imported.table
    names = list(table.names)
    found = [list(map(str, row)) for row in zip(*(c.written_texts().tolist() for c in table.columns), strict=True)]
    points = score(names, found, case.names, case.rows)
    if case.names is not None and names != case.names:
        return f"names {names} for {case.names} ({imported.choices.encoding})", points
    if found != case.rows:
        if len(found) != len(case.rows):
            return f"{len(found)} records for {len(case.rows)}", points
        at = next(i for i, pair in enumerate(zip(found, case.rows, strict=True)) if pair[0] != pair[1])
        return f"record {at}: {found[at]} for {case.rows[at]} ({imported.choices.encoding})", points
    for column, kind in case.types.items():
        if table[column].kind.name != kind:
            return f"{column} is {table[column].kind.name}, not {kind}", points
    proposed = {(token.column, token.token) for token in imported.missing_tokens}
    if lacking := set(case.missing) - proposed:
        return f"not proposed as missing: {lacking}", points
    if case.told and not imported.problems:
        return "nothing told", points
    return "", points


def told_unsure(case: Case, folder: Path) -> bool:
    """Whether the reading of a case lists a problem."""
    return bool(read(folder / case.name).problems)


def by_clevercsv(path: Path, case: Case) -> float:
    """Return the score of clevercsv, which is not needed here but may be installed: the first row is the header."""
    import clevercsv  # a peer for comparison, of no dependency

    try:
        found = clevercsv.read_table(str(path))
    except Exception:  # whatever it can't read scores nothing
        return 0.0
    return score(found[0] if found else [], found[1:], case.names, case.rows)


def main(words: list[str]) -> int:
    """Read and count."""
    right: Counter[str] = Counter()
    silent: Counter[str] = Counter()
    total: Counter[str] = Counter()
    points: dict[str, float] = {}
    beside: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for case in all_cases():
            if words and not any(word in case.group for word in words):
                continue
            total[case.group] += 1
            fault, got = wrong(case, folder)
            right[case.group] += not fault
            if case.group.startswith("pollution"):
                points[case.name] = got
                if find_spec("clevercsv"):
                    beside[case.name] = by_clevercsv(folder / case.name, case)
            if fault:
                refused = fault.startswith(("Bad", "No", "Empty", "Wrong"))
                told = refused or (not fault.startswith("Type") and told_unsure(case, folder))
                silent[case.group] += not told
                print(
                    f"{'refused' if refused else 'told' if told else 'SILENT':7} {case.group}, {case.name}: {fault[:230]}"
                )
    for group in total:
        print(
            f"{right[group]:4} of {total[group]:4} {group}"
            + (f"   ({silent[group]} wrong in silence)" if silent[group] else "")
        )
    for reader, scores in (("ours", points), ("clevercsv", beside)):
        if scores:
            simple = sum(scores.values()) / len(scores)
            print(
                f"Pollock's score, {reader}: simple {simple:.3f}, weighted {weighted(scores):.3f} of 10, {len(scores)} files"
            )
    print(f"{right.total()} of {total.total()} read rightly")
    return int(right.total() < total.total())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

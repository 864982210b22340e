"""The recipient's kit, in Python and R, against the program: questions of every kind on releases of every draw.

    python benchmarks/kit.py [--questions 300] [--draw plain] [--typed 24] [--python python3.9 --python ...]

Counts by both estimates, shares, differences, ratios, odds ratios, means, quantiles, trends, cross-tables and
regressions (`tests/files/kit_questions.py`): values, sets, all but these, ranges, months, no value. Prints for each
draw how many the program refuses, and how many `splu_release.py`, `splu_release.R` and other Pythons, run with -I -S,
answer otherwise: estimate, both ends and all parts by more than 1 in 10,000, or refused by one alone. `--typed` of
them are asked on the command lines, too.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from splu_desktop.cli import main as splu
from splu_desktop.core import sanitise
from splu_desktop.core.query.reader import Reader
from splu_desktop.files.release.folder import read_release
from tests.files.kit_questions import (
    Figures,
    Question,
    alike,
    asked_elsewhere,
    asked_in_r,
    asked_of_kit,
    asked_of_program,
    figures_of,
    of_every_kind,
)
from tests.files.kit_releases import DRAWS, kit, kit_plan, table_of
from tests.seeded import Seeded
from tests.written import write_release

LINES: dict[str, tuple[str, ...]] = {
    "splu": (),
    "python": (sys.executable, "splu_release.py"),
    "Rscript": ("Rscript", "splu_release.R"),
}


def typed(call: Sequence[str], folder: Path, question: Question) -> Figures | None:
    """Return what a command line answers; the program's where no call is given."""
    words = question.typed
    if call:
        ran = subprocess.run([*call, *words, "--json"], cwd=folder, capture_output=True, text=True, check=False)
        return figures_of(json.loads(ran.stdout)) if ran.returncode == 0 else None
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        status = splu(["analyse", str(folder), *words, "--json"])
    return figures_of(json.loads(said.getvalue())) if status == 0 else None


def differing(
    who: str, questions: Sequence[Question], ours: Sequence[Figures | None], theirs: Sequence[Figures | None]
) -> str:
    """Return how many answers differ, in words; each is printed."""
    number = 0
    for question, one, other in zip(questions, ours, theirs, strict=True):
        if not alike(one, other):
            number += 1
            print(f"  {who}: {question}: {other and other['']}, not {one and one['']}")
    return f"{who} {number}"


def main() -> None:
    """Print a line for each draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--records", type=int, default=2_500)
    parser.add_argument("--draw", action="append")
    parser.add_argument("--typed", type=int, default=24)
    parser.add_argument("--python", action="append", default=[])
    args = parser.parse_args()
    table = table_of(args.records)
    with tempfile.TemporaryDirectory() as base:
        for name in args.draw or DRAWS:
            plan = kit_plan(table, name)
            folder = write_release(sanitise.run(table, plan, randomness=Seeded(3)), Path(base) / name).folder
            release, reader = kit().Release(folder), Reader(read_release(folder).published)
            asked = of_every_kind(reader.published, args.questions)
            ours = [asked_of_program(reader, question) for question in asked]
            said = [differing("splu_release.py", asked, ours, [asked_of_kit(release, each) for each in asked])]
            if shutil.which("Rscript"):
                said.append(differing("splu_release.R", asked, ours, asked_in_r(folder, asked)))
            said += [differing(each, asked, ours, asked_elsewhere(each, folder, asked)) for each in args.python]
            # `splu analyse` takes no method, and `splu query` states no estimate of a small count.
            some = [at for at, each in enumerate(asked) if each.kind != "count" and "bayes" not in each.given]
            some = some[: args.typed]
            for who, call in LINES.items():
                if not call or shutil.which(call[0]):
                    found = [typed(call, folder, asked[at]) for at in some]
                    right = [ours[at] for at in some]
                    said.append(differing(f"typed to {who}", [asked[at] for at in some], right, found))
            refused = sum(each is None for each in ours)
            print(f"{name}: of {len(asked)} questions, {refused} refused, differ: {', '.join(said)}", flush=True)


if __name__ == "__main__":
    main()

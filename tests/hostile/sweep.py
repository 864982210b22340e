"""Reads all hostile files, each as the program does: `python -m tests.hostile.sweep [FORMAT ...]`.

Prints per format how many were read and refused, the most CPU seconds and memory that one took, and every file that
breaks the law: a fault that is no sentence, more than 10 CPU seconds, more than 1 GB. Ends with status 1 then.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

from splu_desktop.core.errors import SpluError, place_of
from splu_desktop.core.progress import Silent
from tests.hostile.files import FORMATS, hostile

SECONDS, BYTES = 10.0, 1 << 30


def opened(form: str, path: Path) -> None:
    """Open a file as the program does. Raises SpluError."""
    from splu_desktop.files.importer import read
    from splu_desktop.files.project import open_project
    from splu_desktop.files.recipe import read_recipe
    from splu_desktop.files.verify import verify_release

    match form:
        case "recipe":
            read_recipe(path)
        case "project":
            open_project(path)
        case "release":
            verify_release(path, progress=Silent())
        case _:
            read(path)


def cpu() -> float:
    """Return CPU seconds of this process and its children."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def clear_peak() -> None:
    """Begin to measure the most memory that this process takes; that of its children has a limit."""
    with Path("/proc/self/clear_refs").open("w") as file:
        file.write("5")


def peak() -> int:
    """Return the most bytes that this process has taken since."""
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    return int(status.split("VmHWM:")[1].split()[0]) << 10


def tried(form: str, path: Path) -> str:
    """Return "read", "refused", or what broke the law."""
    try:
        opened(form, path)
    except SpluError as fault:
        text = str(fault)
        return "refused" if text.strip().endswith((".", "!", "?")) or form == "release" else f"no sentence: {text[:80]}"
    except BaseException as fault:
        return f"unforeseen: {place_of(fault)}"
    return "read"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(forms: list[str]) -> int:
    """Try all hostile files of the formats. Returns the exit status."""
    bad = 0
    for form in forms or FORMATS:
        found: Counter[str] = Counter()
        slowest, most = 0.0, 0
        with tempfile.TemporaryDirectory() as folder:
            for number, (name, content) in enumerate(hostile(form)):
                path = Path(folder) / name
                path.write_bytes(content)
                clear_peak()
                before = cpu()
                what = tried(form, path)
                took = cpu() - before
                slowest = max(slowest, took)
                most = max(most, own := peak())
                if took > SECONDS or own > BYTES:
                    what = f"cost: {took:.1f} s, {own >> 20} MB, then {what}"
                if what not in ("read", "refused"):
                    bad += 1
                    _say(f"  {form} {number}: {what}")
                    what = "broke the law"
                found[what] += 1
        _say(f"{form}: {dict(found)}, at most {slowest:.1f} CPU s, {most >> 20} MB")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

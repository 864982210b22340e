"""Reads all hostile files, each as the program does.

    python -m tests.hostile.sweep [--every K] [--seconds S] [--first SEED] [FORM]

Prints per format how many were read and refused, the most CPU seconds and memory that one took, and every file that
breaks the law: a fault that is no sentence, an end by a signal, more than 10 CPU seconds (S on a slow machine), more
than 1 GB. Ends with status 1 then. Each file is opened in a process of its own, so that its memory is its own; so this
runs on POSIX only.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import signal
import sys
import tempfile
import traceback
from collections import Counter
from functools import cache
from pathlib import Path

from splu_desktop.cli.main import build_parser
from splu_desktop.core.errors import SpluError, place_of
from splu_desktop.core.progress import Silent
from splu_desktop.core.published import Published
from splu_desktop.files.importer import read
from splu_desktop.files.project.hierarchy import read_hierarchy
from splu_desktop.files.project.recipe import read_recipe
from splu_desktop.files.questions.batch import read_questions
from splu_desktop.files.release.reading import open_release
from splu_desktop.files.release.verify import verify
from tests.hostile.files import COUNT, FORMATS, hostile, release

SECONDS, BYTES = 10.0, 1 << 30
_GIVEN_UP = 900  # seconds by the clock: on a loaded machine few of them are the file's


def opened(form: str, path: Path) -> None:
    """Open a file as the program does. Raises SpluError."""
    match form:
        case "recipe":
            read_recipe(path)
        case "hierarchy":
            read_hierarchy(path)
        case "questions":
            read_questions(path, _released(), strict=False)
        case "release" | "release of every draw" | "release parts":
            verify(path, progress=Silent())
            if form != "release":
                _asked(path)
        case _:
            read(path)


# What a recipient may ask of the releases of every draw; columns that one has not are refused in a sentence.
_QUESTIONS = (
    ("count", "dx=yes", "sex=f"),
    ("share", "smoker=yes"),
    ("odds-ratio", "smoker=yes", "dx=yes"),
    ("mean", "los"),
    ("logit", "dx=yes", "--on", "age"),
)


def _asked(path: Path) -> None:
    """Ask a release what `splu query` and `splu analyse` can. Raises SpluError where it is refused as a whole."""
    open_release(path)
    for kind, *words in _QUESTIONS:
        given = ["query", str(path), *words] if kind == "count" else ["analyse", str(path), kind, *words]
        asked = build_parser().parse_args(given)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SpluError):
            asked.run(asked)


@cache
def _released() -> Published:
    with tempfile.TemporaryDirectory() as folder:
        for name, part in release().items():
            (Path(folder) / name).write_bytes(part)
        return open_release(Path(folder)).published


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


def _make(form: str, folder: Path, every: int, first: int) -> None:
    """Write each `every`-th of the files of a format in a process of its own, whose memory is gone with it."""
    if (child := os.fork()) == 0:
        status = 1
        try:
            for number, (_, content) in enumerate(hostile(form, first=first)):
                if number % every == 0:
                    (folder / str(number)).write_bytes(content)
            status = 0
        except BaseException:
            traceback.print_exc()
        os._exit(status)
    if os.waitpid(child, 0)[1]:
        raise RuntimeError(f"the files of {form} could not be made")


def measured(form: str, path: Path) -> tuple[str, float, int]:
    """Open a file in a process of its own; return what came of it, CPU seconds, and bytes of memory at most."""
    end, start = os.pipe()
    if (child := os.fork()) == 0:
        signal.alarm(_GIVEN_UP)
        os.write(start, tried(form, path).encode("utf-8", "replace")[:4000])
        os._exit(0)
    os.close(start)
    with os.fdopen(end, "rb") as pipe:
        what = pipe.read().decode("utf-8")
    _, status, use = os.wait4(child, 0)
    if status or not what:
        what = f"ended with status {status}"
    return what, use.ru_utime + use.ru_stime, use.ru_maxrss << (0 if sys.platform == "darwin" else 10)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(arguments: list[str]) -> int:
    """Try all hostile files of the formats. Returns the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1, help="try each K-th file only", metavar="K")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of CPU that a file may take", metavar="S")
    parser.add_argument(
        "--first", type=int, default=0, help="seed of the first mutation: others are other files", metavar="SEED"
    )
    parser.add_argument("forms", nargs="*")
    asked = parser.parse_args(arguments)
    bad = 0
    _released()  # here, so that no file pays for it
    for form in asked.forms or FORMATS:
        found: Counter[str] = Counter()
        slowest, most = 0.0, 0
        with tempfile.TemporaryDirectory() as folder:
            _make(form, Path(folder), asked.every, asked.first)
            path = Path(folder) / FORMATS[form][0]
            for number in range(0, COUNT, asked.every):
                (Path(folder) / str(number)).replace(path)
                what, took, own = measured(form, path)
                slowest, most = max(slowest, took), max(most, own)
                if took > asked.seconds or own > BYTES:
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

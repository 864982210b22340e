"""A release as one file to hand over: a ZIP, encrypted with AES-256 where a password is given.

An encrypted ZIP shows the names, sizes and checksums of what it holds, so an encrypted one holds a single ZIP with a
neutral name, and the release is in that. What stays visible is the outer file's own name, size and date. The format
(AE-2, which 7-Zip, WinZip and Keka open) derives its key by only 1,000 rounds of PBKDF2, which can't be changed without
losing those programs: whoever holds the file tries some ten million passwords a second on one graphics card. So the
strength is the password's alone: the program proposes one of 115 bits, and refuses typed ones that are short or plain.
"""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import Any

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.progress import SILENT, Progress, ProgressPart
from splu_desktop.files.disk.whole_files import whole_file
from splu_desktop.files.release.facts import FACTS_NAME, BadRelease, parse_facts
from splu_desktop.files.release.package import INNER, contents, open_package
from splu_desktop.files.release.verify import WRONG, check_files

LEAST_PASSWORD = 16  # characters that are no run and no repetition
LEAST_DIFFERENT = 8
_PLAIN = re.compile(
    "passwor[dt]|motdepasse|mot de passe|qwert[yz]|azerty|uiop|asdfgh|qsdfgh|[yzw]xcvbn|hospital|admin|welcome|"
    r"(?:19|20)\d\d",
    re.IGNORECASE,
)
# The letters of a word after its fourth follow from these: all small after its first, or all large.
_WORD_ENDS = re.compile(r"(?<=[^\W\d_][^\W\d_A-ZÀ-Þ]{3})[^\W\d_A-ZÀ-Þ]+|(?<=[^\W\d_a-zß-ÿ]{4})[^\W\d_a-zß-ÿ]+")
# Without characters that are mistaken for others when read out: 55 of them, so 20 give 115 bits.
_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789"
_STAGE = "Packing"


def check_password(password: str | None) -> None:
    """Raise BadSetting where a password is too short or too plain to protect anything."""
    if password is not None and is_weak(password):
        raise BadSetting(
            "This password is too easy to guess; take {least} characters or more, {different} of them different, "
            "without runs such as abc or 123, repetitions and years, a word counting as four, or let the "
            "program propose one.",
            least=LEAST_PASSWORD,
            different=LEAST_DIFFERENT,
        )


def is_weak(password: str) -> bool:
    """Return whether a password is shorter or plainer than any that may be used.

    Counted are the characters that are not foreseen by those before: not the next of a run (aaa, abc, 321) and not part
    of three or more that stood there before; what many passwords are made of, and a year, counts as one, a word as four
    at most. A floor, not a measure: a famous line of verse passes it.
    """
    text = _WORD_ENDS.sub("", _PLAIN.sub("*", password)).casefold()
    counted = 0
    for i, letter in enumerate(text):
        step = ord(letter) - ord(text[i - 1]) if i else 2
        runs = i > 1 and -1 <= step <= 1 and step == ord(text[i - 1]) - ord(text[i - 2])
        repeats = any(text[j : j + 3] in text[:j] for j in range(max(0, i - 2), min(i + 1, len(text) - 2)))
        counted += not (runs or repeats)
    return counted < LEAST_PASSWORD or len(set(text)) < LEAST_DIFFERENT


def new_password() -> str:
    """Return a password to propose: four groups of five characters from the operating system's randomness."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(5)) for _ in range(4))


def hand_over(release: Path, target: Path, *, password: str | None = None, progress: Progress = SILENT) -> Path:
    """Pack a release folder into a new ZIP, whole or not at all; returns `target`.

    Every file is checked against release.json on its way, so that nothing damaged is handed over, and nothing else
    that lies in the folder goes along.

    Raises BadRelease, BadSetting (password), CannotWrite; Cancelled.
    """
    check_password(password)
    package = open_package(release)
    raw = contents(package, FACTS_NAME, most=package.size(FACTS_NAME))
    facts = parse_facts(raw, str(package.path / FACTS_NAME))
    for name in names_of(facts):
        with package.open(name):  # what is none, or a pipe that never ends, is refused before anything is written
            pass
    with whole_file(target) as partial:
        pack(package.path, partial, name=target.stem, files=names_of(facts), password=password, progress=progress)
        check_packed(partial, facts, password=password, progress=progress)
    return target


def names_of(facts: dict[str, Any]) -> list[str]:
    """Return the names of a release's files, release.json last."""
    return [*(entry["name"] for entry in facts["files"]), FACTS_NAME]


def pack(
    folder: Path, target: Path, *, name: str, files: list[str], password: str | None, progress: Progress = SILENT
) -> None:
    """Write the files of `folder` into a ZIP at `target`, under a folder `name`; with a password, into a ZIP in a ZIP.

    `target` lies in a folder of its own (`whole_file`), where the inner ZIP is for a while. Raises OSError; Cancelled.
    """
    within = target if password is None else target.with_name(INNER)
    share = 1.0 if password is None else 0.8
    entries = [(folder / file, f"{name}/{file}") for file in files]
    _write_zip(within, entries, None, ProgressPart(progress, 0.0, share))
    if password is not None:
        _write_zip(target, [(within, INNER)], password, ProgressPart(progress, share, 1.0 - share))
        within.unlink()


def _write_zip(target: Path, entries: list[tuple[Path, str]], password: str | None, progress: Progress) -> None:
    import pyzipper  # a hundredth of a second of each publication, and most releases are folders

    with target.open("wb") as file:
        if password is None:
            archive = pyzipper.AESZipFile(file, "w", compression=pyzipper.ZIP_DEFLATED)
        else:
            # Not packed twice: the inner ZIP is, and its size tells no more than the outer one's.
            archive = pyzipper.AESZipFile(file, "w", compression=pyzipper.ZIP_STORED, encryption=pyzipper.WZ_AES)
            archive.setpassword(password.encode("utf-8"))
            archive.setencryption(pyzipper.WZ_AES, nbits=256)
        try:
            for done, (path, name) in enumerate(entries):
                size, seen = max(path.stat().st_size, 1), 0
                with path.open("rb") as source, archive.open(name, "w", force_zip64=size > 1 << 30) as packed:
                    while block := source.read(1 << 20):
                        packed.write(block)
                        seen += len(block)
                        progress.report(_STAGE, min(1.0, (done + seen / size) / len(entries)))
            archive.close()
        except BaseException:
            archive.fp = None  # else it would try to finish what can't be, and hide why
            raise


def check_packed(path: Path, facts: dict[str, Any], *, password: str | None, progress: Progress = SILENT) -> None:
    """Read a ZIP back and compare every file with its stated hash. Raises BadRelease; Cancelled."""
    package = open_package(path, password, finished=False)
    for check in check_files(package, facts, progress):
        if check.state == WRONG:
            raise BadRelease(check.sentence)

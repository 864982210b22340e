"""What a recipient, or anybody, can check of a release without its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop import __version__
from splu_desktop.core.errors import FileFault
from splu_desktop.core.messages import say
from splu_desktop.core.persons.dates import try_recover_shift
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.resources import resource_path
from splu_desktop.files.register.ledger import Entry, Reading, Register, RegisterFault
from splu_desktop.files.release.csv_table import read_table
from splu_desktop.files.release.dictionary import label_texts
from splu_desktop.files.release.facts import FACTS_NAME, TABLE_NAME, BadRelease, Dialect, public_values
from splu_desktop.files.release.fingerprint import fingerprint
from splu_desktop.files.release.folder import FILES, KIT
from splu_desktop.files.release.package import Package, PasswordNeeded, contents, digest_of, open_package
from splu_desktop.files.release.reading import facts_of, published_of
from splu_desktop.files.release.score_columns import SCORES_NAME, score_columns
from splu_desktop.files.release.workbook import WORKBOOK_NAME

OK, NOTE, WRONG = "ok", "note", "wrong"
_AWAY = 1e-5  # between a score as written and as computed
_RECOVERED = 0.05  # share of persons whose shift is found, above which dates are not protected


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    Attributes
    ----------
    name : "facts", "files", "kit", "register", "table", "scores" or "dates".
    state : "ok", "note" (nothing wrong, nothing proved) or "wrong".
    sentence : what was found.
    """

    name: str
    state: str
    sentence: str


@dataclass(frozen=True)
class Verification:
    """All that was looked at.

    Attributes
    ----------
    checks : in their order.
    digest : SHA-256 of release.json, in which the digests of all files stand; "" where it can't be read.
    entry : the release in the register, which keeps the lines of its verdict; None where it is not known there.
    """

    checks: tuple[Check, ...]
    digest: str = ""
    entry: Entry | None = None

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return all(check.state != WRONG for check in self.checks)

    @property
    def fingerprint(self) -> str:
        """Six words to compare by telephone."""
        return fingerprint(self.digest) if self.digest else ""


def verify(
    path: Path, *, password: str | None = None, register: Register | None = None, progress: Progress = SILENT
) -> Verification:
    """Check a release: its facts, the digest of each file, its programs, the table, the scores, the register.

    `register` None is this computer's. Raises PasswordNeeded, and BadRelease where there is no release at all;
    Cancelled.
    """
    package = open_package(Path(path), password)
    try:
        facts = facts_of(package)
        digest = digest_of(package, FACTS_NAME)
    except PasswordNeeded:
        raise
    except BadRelease as fault:
        return Verification((Check("facts", WRONG, str(fault)),))
    checks = [_agrees("facts", FACTS_NAME, "sha256"), *check_files(package, facts, progress)]
    check, entry = _check_register(facts, digest, register or Register())
    kits, made_here = {name: resource_path(f"kit/{name}").read_bytes() for name in KIT}, check.state == OK
    checks += [*_check_programs(package, kits, made_here), check]
    try:
        published = published_of(package, facts, progress)
    except BadRelease as fault:
        return Verification((*checks, Check("table", WRONG, str(fault))), digest, entry)
    texts = label_texts(published, Dialect(**facts["dialect"]))
    labels = {name: text.encode("utf-8") for name, text in texts.items()}
    checks += [each for each in _check_programs(package, labels, made_here) if each.state != OK]
    checks.append(_check_table(published, facts))
    checks.append(_check_scores(package, published, facts))
    checks += _check_dates(published, facts)
    return Verification(tuple(checks), digest, entry)


def _agrees(check: str, name: str, with_: str) -> Check:
    return Check(check, OK, say("“{name}” is consistent with {what}.", name=name, what=with_))


def _disagrees(check: str, name: str, with_: str) -> Check:
    return Check(check, WRONG, say("“{name}” is not consistent with {what}.", name=name, what=with_))


def check_files(package: Package, facts: Mapping[str, Any], progress: Progress) -> list[Check]:
    """Return a check per file that `facts` name: there, and with the stated digest. Raises Cancelled."""
    checks, stated = [], {entry["name"]: entry for entry in facts["files"]}
    for name in dict.fromkeys((*FILES, *stated)):
        if name not in package.names() or name not in stated:
            checks.append(Check("files", WRONG, say("“{name}” is missing.", name=name)))
            continue
        entry = stated[name]
        try:
            same = package.size(name) == entry["bytes"] and digest_of(package, name, progress) == entry["sha256"]
        except BadRelease as fault:
            checks.append(Check("files", WRONG, str(fault)))
            continue
        if same:
            checks.append(_agrees("files", name, FACTS_NAME))
        else:
            checks.append(Check("files", WRONG, say("“{name}” was changed after it was released.", name=name)))
    foreign, others = {*stated} - {*FILES, WORKBOOK_NAME}, {*package.names()} - {*stated, FACTS_NAME}
    for state, names in ((WRONG, foreign), (NOTE, others)):  # no release of this program has the first
        if names:
            beside = say("“{name}” lies beside the release and is no part of it.", name=min(names))
            checks.append(Check("files", state, beside))
    return checks


def _check_programs(package: Package, ours: Mapping[str, bytes], made_here: bool) -> list[Check]:
    """Return whether programs are this version's own; of a release `made_here` they may be those of an earlier one."""
    checks = []
    for name, program in ours.items():
        if name not in package.names():
            continue
        if contents(package, name, most=1 << 24) == program:
            checks.append(_agrees("kit", name, f"SPLU Desktop {__version__}"))
        elif made_here:
            checks.append(Check("kit", NOTE, say("“{name}” is that of the version that made the release.", name=name)))
        else:
            words = "“{name}” is not the one of this version: don't run it, take it from the program."
            checks.append(Check("kit", WRONG, say(words, name=name)))
    return checks


def _check_register(facts: Mapping[str, Any], digest: str, register: Register) -> tuple[Check, Entry | None]:
    try:
        known = register.read() if register.folder.is_dir() else Reading()
    except RegisterFault as fault:
        return Check("register", NOTE, str(fault)), None
    entry = next((each for each in known.releases if each.release == str(facts.get("id"))), None)
    if entry is None:
        words = "Whoever can write the folder can seal it anew: compare the six words with the holder by telephone."
        return Check("register", NOTE, say(words)), None
    if entry.body.get("facts_sha256") == digest:
        if known.faults:  # it may be that line which was changed
            return Check("register", NOTE, known.faults[0]), entry
        sentence = say("It is the release of entry {n} of this computer's register.", n=entry.number)
        return Check("register", OK, sentence), entry
    sentence = say("It is not what entry {n} of this computer's register says.", n=entry.number)
    return Check("register", WRONG, sentence), None


def _check_table(published: Published, facts: Mapping[str, Any]) -> Check:
    for entry in facts["columns"]:
        column = published.table[entry["name"]]
        stated = entry.get("values")
        if stated is not None and sorted(stated) != sorted(str(label) for label in column.labels[~column.missing]):
            return _disagrees("table", column.name, FACTS_NAME)
    return Check("table", OK, say("The table has the {n} rows, columns and values stated.", n=published.n))


def _check_scores(package: Package, published: Published, facts: Mapping[str, Any]) -> Check:
    """Return whether scores.csv is what the table and the stated strengths give."""
    wanted = score_columns(published, public_values(facts))
    dialect = Dialect(**facts["dialect"])
    try:
        with package.open(SCORES_NAME) as file:
            read = {
                name: np.array([float(text.replace(dialect.decimal, ".")) for text in texts])[codes]
                for name, codes, texts in read_table(file, dialect, published.n, SILENT)
            }
    except (FileFault, ValueError, KeyError, IndexError):
        return _disagrees("scores", SCORES_NAME, TABLE_NAME)
    same = list(read) == [each.name for each in wanted] and all(len(each) == published.n for each in read.values())
    if same and all(np.abs(read[each.name] - each.scores).max() < _AWAY * _scale(each.scores) for each in wanted):
        return _agrees("scores", SCORES_NAME, TABLE_NAME)
    return _disagrees("scores", SCORES_NAME, TABLE_NAME)


def _scale(scores: NDArray[Any]) -> float:
    return max(1.0, float(np.abs(scores).max(initial=0)))


def _check_dates(published: Published, facts: Mapping[str, Any]) -> list[Check]:
    """Return whether the true dates of persons can be worked out from the release alone."""
    moved = [name for name in facts["dates_moved"]["columns"] if name in published.table]
    if not moved:
        return []
    owner = published.owner if published.person else None
    attempt = try_recover_shift(published.table, moved, int(facts["dates_moved"]["days"]), owner)
    worse = WRONG if attempt.recovered_share > _RECOVERED else NOTE
    return [Check("dates", OK if attempt.enough else worse, attempt.sentence)]

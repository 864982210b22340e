"""Publishing, the whole way: verdict, draw, files, register, in this order and all or nothing.

The release appears by one rename, after it is read back and after its entry is safe in the register. Whatever happens
before leaves nothing; a run that dies between entry and rename is withdrawn from the register by the next one.
"""

from __future__ import annotations

import contextlib
import getpass
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from splu_desktop import __version__
from splu_desktop.core import sanitise
from splu_desktop.core.audience import day_to_delete
from splu_desktop.core.errors import SpluError
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.lines import Line
from splu_desktop.core.policy.verdict import Verdict, verdict
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import Table
from splu_desktop.files.disk.background import in_background
from splu_desktop.files.disk.codes import store_codes
from splu_desktop.files.disk.digests import file_sha256
from splu_desktop.files.disk.leftovers import clear_all_leftovers, clear_leftovers, free_space, is_dead
from splu_desktop.files.disk.whole_files import CannotWrite, check_name, check_new, whole_file, whole_folder
from splu_desktop.files.register.earlier import earlier_releases, source_marks
from splu_desktop.files.register.ledger import Entry, Register, RegisterFault
from splu_desktop.files.register.marks import Marks
from splu_desktop.files.release.facts import FACTS_NAME
from splu_desktop.files.release.fingerprint import fingerprint
from splu_desktop.files.release.folder import Form, fill_folder
from splu_desktop.files.release.handover import check_packed, check_password, names_of, pack
from splu_desktop.files.release.reading import OpenRelease

_PER_CELL = 24  # bytes on disk of a cell, at most, in all files of a release
_LEAST_ROOM = 4 << 20


class Refused(SpluError):
    """Lines of the verdict are open and were not accepted, so nothing is published; `lines` are these."""

    def __init__(self, lines: Sequence[Line]) -> None:
        # Names alone: a sentence may hold values and true counts, and exceptions end in logs and notebooks.
        names = ", ".join(line.name for line in lines)
        super().__init__("Open in the verdict: {names}. Repair each line, or accept it with a reason.", names=names)
        self.lines = tuple(lines)


class SourceChanged(SpluError):
    """The source file is not the one that was read."""


@dataclass(frozen=True)
class Options:
    """How a release is made.

    Attributes
    ----------
    form : title, contact, dialect, workbook, language.
    as_zip : one ZIP in place of a folder.
    password : of the ZIP; None for one without.
    source, source_sha256 : the file that was read, and its digest then; None and "" where there is none.
    operator : who publishes; "" for the name of the account.
    accept_all : a reason by which all open lines are accepted.
    """

    form: Form = field(default_factory=Form)
    as_zip: bool = False
    password: str | None = field(default=None, repr=False)
    source: Path | None = None
    source_sha256: str = ""
    operator: str = ""
    accept_all: str = ""


@dataclass(frozen=True, eq=False)
class Outcome:
    """A finished release.

    Attributes
    ----------
    release : the release, as its recipient reads it.
    entry : its entry in the register.
    verdict : what was said of it.
    digest : SHA-256 of release.json.
    """

    release: OpenRelease
    entry: Entry
    verdict: Verdict
    digest: str

    @property
    def fingerprint(self) -> str:
        """Six words to compare by telephone."""
        return fingerprint(self.digest)


def publish(
    table: Table,
    plan: Plan,
    target: Path,
    *,
    judged: Verdict | None = None,
    accepted: Mapping[str, str] | None = None,
    options: Options | None = None,
    register: Register | None = None,
    fill: Callable[[Path, Form, int, Progress], OpenRelease] | None = None,
    progress: Progress = SILENT,
) -> Outcome:
    """Publish a table, whole or not at all.

    Parameters
    ----------
    table : the source as it was read.
    target : the release folder, or the ZIP where packed; must not exist.
    judged : the verdict on the same table, plan and register; made anew where None.
    accepted : name of an open line -> the custodian's reason; it goes into the register.
    register : None for the user's own.
    fill : of a large table, of which `table` is a sample: fills a folder by an engine, given the form, the number of
        earlier releases of the same persons, and who hears of it.

    Raises
    ------
    Refused, SourceChanged, CannotWrite, RegisterFault, BadSetting ...: SpluError in any case; Cancelled. Nothing is
    left behind then.
    """
    register, options, accepted = register or Register(), options or Options(), dict(accepted or {})
    check_password(options.password)
    day_to_delete(plan.audience.until)  # a recipe, or answers that were kept, may be of last year
    check_target(target, table)
    # A run that died may have entered a release that never appeared: as an earlier release it would weaken this one for
    # nothing.
    tidy(register)
    earlier = earlier_releases(register, table, plan)
    judgement = judged or verdict(table, plan, earlier=earlier, progress=progress)
    check_accepted(judgement, accepted, options.accept_all)
    form = replace(options.form, title=options.form.title or target.stem)
    # Of the source, not of the release: coarser or drawn values would not be known again.
    with in_background(lambda _: source_marks(register, table, plan), progress, "Recognising the source") as known:
        if fill is None:
            # Not the judged table: the verdict rehearsed a draw, and this one is the only one that goes out.
            published = sanitise.run(table, plan, keep=store_codes, progress=progress)
        marks = known()

    known_releases = {each.name for each in earlier}
    before = sum(not each.doubt for each in earlier)

    def write_files(folder: Path) -> OpenRelease:
        if fill is not None:
            return fill(folder, form, before, progress)
        return fill_folder(published, plan, folder, form=form, earlier=before, progress=progress)

    run = _Run(table, plan, target, options, accepted, register, judgement, marks, known_releases, progress)
    return run.write(write_files)


@dataclass(eq=False)
class _Run:
    """A release on its way: what it is made of, and what there is of it so far.

    Attributes
    ----------
    known : names of the releases of the same persons that the verdict took into account.
    release, digest : what was filled, as its recipient reads it, and the SHA-256 of its release.json.
    entry : in the register; None until it is there.
    """

    table: Table
    plan: Plan
    target: Path
    options: Options
    accepted: Mapping[str, str]
    register: Register
    verdict: Verdict
    marks: Marks
    known: set[str]
    progress: Progress
    release: OpenRelease = field(init=False)
    digest: str = ""
    entry: Entry | None = None

    def write(self, fill: Callable[[Path], OpenRelease]) -> Outcome:
        """Fill a folder, or a ZIP, and enter it. Where that fails nothing is left, there or in the register."""
        try:
            if self.options.as_zip:
                with whole_file(self.target, before=self._enter) as partial:
                    folder = partial.with_name("filled")
                    folder.mkdir()
                    self._fill(folder, fill)
                    self._pack(folder, partial)
            else:
                with whole_folder(self.target, before=self._enter) as folder:
                    self._fill(folder, fill)
        except BaseException as fault:
            # Where another's folder has taken the name, what is there is not this release.
            if self.entry is not None and (isinstance(fault, CannotWrite) or not self.target.exists()):
                with contextlib.suppress(RegisterFault):
                    self.register.withdraw(self.entry.release, "the destination could not be written")
            raise
        assert self.entry is not None
        release = OpenRelease(self.target, self.release.facts, self.release.published)
        return Outcome(release, self.entry, self.verdict, self.digest)

    def _fill(self, folder: Path, fill: Callable[[Path], OpenRelease]) -> None:
        self.release = fill(folder)
        self.digest = file_sha256(folder / FACTS_NAME)

    def _pack(self, folder: Path, partial: Path) -> None:
        """Pack a filled folder and remove it."""
        facts, password = self.release.facts, self.options.password
        pack(folder, partial, name=self.target.stem, files=names_of(facts), password=password, progress=self.progress)
        check_packed(partial, facts, password=password, progress=self.progress)
        shutil.rmtree(folder)

    def _enter(self, partial: Path) -> None:
        """Add the entry; of two releases at a time the second sees the first."""
        self.progress.report("Finishing", 0.9)  # from here on it is done: what follows is the entry and the rename
        # Last, since hours may have passed: the register's digest must be that of what was published.
        _check_source(self.options)
        with self.register.lock():
            earlier = earlier_releases(self.register, self.table, self.plan)
            if any(each.name not in self.known for each in earlier):
                again = verdict(self.table, self.plan, earlier=earlier, progress=self.progress)
                check_accepted(again, self.accepted, self.options.accept_all)
            self.entry = self.register.add(self.release.id, self._entry_body(partial))

    def _entry_body(self, partial: Path) -> dict[str, Any]:
        """Return what the register remembers: choices and keyed marks; of values only those that a plan names."""
        options, audience, published = self.options, self.plan.audience, self.release.published
        open_lines = {line.name: str(line.sentence) for line in self.verdict.open}
        return {
            "operator": options.operator or _account(),
            "recipient": audience.recipient,
            "purpose": audience.purpose,
            "audience": audience.as_dict(),
            "destination": str(self.target.absolute()),
            "partial": str(partial.absolute().parent),  # by which the next run knows that this one died
            "software": __version__,
            "source": {"name": options.source.name if options.source else "", "sha256": options.source_sha256},
            "rows": published.n,
            "persons": self.verdict.figures.persons,
            "gamma": self.plan.gamma,
            "columns": list(published.table.names),
            "plan": self.plan.as_dict(),
            **self.verdict.as_remembered(),
            "open": open_lines,
            "accepted": {name: self.accepted.get(name, options.accept_all) for name in open_lines},
            "facts_sha256": self.digest,
            "files": self.release.facts["files"],
            "marks": self.marks,
        }


def check_accepted(judgement: Verdict, accepted: Mapping[str, str], everything: str) -> None:
    """Raise Refused where an open line was not accepted; BadSetting where a name or a reason is none."""
    if waiting := judgement.list_waiting(accepted, everything):
        raise Refused(waiting)


def check_target(target: Path, table: Table) -> None:
    """Raise CannotWrite where the destination can't become a release: asked early, so that no work is done in vain."""
    check_name(target)
    check_new(target)
    free = free_space(target.parent)
    needed = _LEAST_ROOM + _PER_CELL * table.n * len(table.columns)
    if free is not None and free < needed:  # unknown on some network drives: then it is tried
        words = "There is too little room at “{folder}”: about {needed} MB are needed."
        raise CannotWrite(words, folder=target.parent, needed=(needed >> 20) + 1)


def tidy(register: Register | None = None) -> int:
    """Clear away what dead runs left, and withdraw their releases; returns how many pieces were removed."""
    register = register or Register()
    cleared = 0
    with contextlib.suppress(RegisterFault):
        for entry in register.releases():
            partial, target = Path(str(entry.body.get("partial", ""))), Path(str(entry.body.get("destination", "")))
            # A release whose folder was moved later is none of these: only what a dead run left under its own name.
            if partial.name and is_dead(partial, target):
                register.withdraw(entry.release, "the run ended before the release appeared")
                cleared += clear_leftovers(partial.parent)
    return cleared + clear_all_leftovers()


def _check_source(options: Options) -> None:
    if options.source is None or not options.source_sha256:
        return
    with contextlib.suppress(OSError):  # a source that is gone has not changed: the table is as it was read
        if file_sha256(options.source) != options.source_sha256:
            words = "“{source}” has changed since it was opened; open it again."
            raise SourceChanged(words, source=options.source.name)


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a number that no account has
        return ""

"""The releases of the register as something to hand out again: where each lies, whether it is what was released, and
what one release more of the same records would cost."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import Said, say
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.disk.in_blocks import file_sha256
from splu_desktop.files.draws import recorded_draws
from splu_desktop.files.register.book import RELEASE, WITHDRAWN, Entry, Reading, Register
from splu_desktop.files.register.earlier import least_stated, least_t_p, registered_draws
from splu_desktop.frozen import dataclass

STEPS = (1, 2, 5, 10)  # releases of the same records for which T_P is stated


class Place(Enum):
    """What became of a release."""

    THERE = "there"
    GONE = "gone"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True)
class Shelved:
    """A registered release.

    Attributes
    ----------
    entry : its entry in the register.
    place : whether it lies where it was put.
    faults : what is wrong with the entry itself, in sentences; none for a sound one.
    again : how many registered releases share records with this one and are older.
    """

    entry: Entry
    place: Place
    faults: tuple[str, ...] = ()
    again: int = 0

    @property
    def path(self) -> Path:
        """Where it was put."""
        return Path(str(self.entry.body.get("destination", "")))

    @property
    def source(self) -> str:
        """The source file's name, "" where there was none."""
        source = self.entry.body.get("source")
        return str(source.get("name") or "") if isinstance(source, Mapping) else ""


@dataclass(frozen=True)
class Shelf:
    """The whole register.

    Attributes
    ----------
    releases : newest first.
    faults : what is wrong with the register, in sentences; none for a sound one.
    entries : how many entries it has, withdrawals among them.
    acknowledged : faults that somebody acknowledged.
    """

    releases: tuple[Shelved, ...]
    faults: tuple[str, ...]
    entries: int
    acknowledged: tuple[str, ...] = ()


def shelf(register: Register | None = None, reading: Reading | None = None) -> Shelf:
    """Return the register's releases. Raises RegisterFault."""
    reading = (register or Register()).read() if reading is None else reading
    gone = {entry.release for entry in reading.entries if entry.kind == WITHDRAWN}
    found = []
    for entry in reading.entries:
        if entry.kind != RELEASE:
            continue
        here = _is_there(entry.body.get("destination"))
        place = Place.WITHDRAWN if entry.release in gone else Place.THERE if here else Place.GONE
        faults = tuple(fault for fault in reading.faults if isinstance(fault, Said) and _names(fault, entry.number))
        earlier = entry.body.get("earlier")
        found.append(Shelved(entry, place, faults, len(earlier) if isinstance(earlier, list) else 0))
    return Shelf(tuple(reversed(found)), reading.faults, len(reading.entries), reading.acknowledged)


def _is_there(path: Any) -> bool:
    try:
        return bool(path) and Path(str(path)).exists()
    except (OSError, ValueError):
        return False


def _names(fault: Said, number: int) -> bool:
    return fault.values.get("number") == number


def changed(shelved: Shelved, progress: Progress = SILENT) -> str | None:
    """Return in a sentence how a release differs from what was released; None where it is the same to the byte.

    The files are compared with the hashes in the register, so an encrypted ZIP needs no password. Raises Cancelled.
    """
    path = shelved.path
    outputs = shelved.entry.body.get("outputs")
    if not isinstance(outputs, list) or not outputs:
        return say("The register does not say which files the release had, so it can't be compared.")
    if path.is_file():
        outputs = [output for output in outputs if output["name"] == path.name][-1:]
    parent = path if path.is_dir() else path.parent
    try:
        for output in outputs:
            if not (parent / output["name"]).is_file():
                return say("“{file}” is missing from the release.", file=output["name"])
            if file_sha256(parent / output["name"], progress) != output["sha256"]:
                return say("“{file}” is not the file that was released.", file=output["name"])
        facts = parent / "release.json"
        if path.is_dir() and (not facts.is_file() or file_sha256(facts) != shelved.entry.body.get("facts_sha256")):
            return say("“{file}” is not the file that was released.", file="release.json")
    except OSError as fault:
        return say("“{file}” can't be read ({reason}).", file=path, reason=(fault.strerror or "").lower())
    except (KeyError, TypeError):
        return say("The register does not say which files the release had, so it can't be compared.")
    return None if outputs else say("“{file}” is not the file that was released.", file=path.name)


@dataclass(frozen=True)
class Fall:
    """How T_P of a sensitive column falls with the number of releases of the same records (mechanism.md section 3).

    Attributes
    ----------
    column : the sensitive column.
    epsilon : the relative error from which a count is wrong.
    alpha : the largest small count.
    t_p : releases -> T_P; one alone where nothing is promised of more.
    """

    column: str
    epsilon: float
    alpha: int
    t_p: Mapping[int, float]


def falls(entry: Entry, steps: tuple[int, ...] = STEPS) -> tuple[Fall, ...]:
    """Return the fall of T_P for each sensitive column of a registered release; none where the entry is not understood.

    Whether a release is the second or the tenth, further ones are counted with it: the least gamma of all is not known
    here, so the gate's own figure, which knows all of them, may be lower.
    """
    body = entry.body
    try:
        asked = Thresholds(**body["recipe"]["thresholds"])
        found = []
        for name in recorded_draws(body):
            draws = registered_draws(entry, name)
            plain = all(draw.is_plain for draw in draws)
            curve = {k: least_t_p([draws] * k, asked.epsilon, asked.alpha) for k in steps if plain or k <= 5}
            alone = float(least_stated(body["guarantees"][name]))
            if alone == 0:  # public figures alone tell
                curve = {1: 0.0}
            elif not any(curve.values()):  # a joined draw, of which nothing is computed beyond one release
                curve = {1: alone}
            found.append(Fall(str(name), float(asked.epsilon), asked.alpha, curve))
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError, BadSetting):
        return ()
    return tuple(found)

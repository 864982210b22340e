"""The project file: all that the custodian decided about one source, and never the source itself.

It names the source by file name, size and SHA-256, says how it is read and what each column is to be. Values of the
source stand in it only where a choice names them (a group made by hand, a mark for “no value”). A changed source is
noticed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from splu_desktop import __version__
from splu_desktop.core.errors import FileFault
from splu_desktop.core.messages import say
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import Table
from splu_desktop.files.disk.plain_data import from_json, read_bytes, to_json, understood
from splu_desktop.files.disk.whole import whole_file
from splu_desktop.files.importer import ImportChoices, SourceFile
from splu_desktop.files.importer.recognise import facts
from splu_desktop.files.project.import_section import import_as_dict, import_from_dict
from splu_desktop.files.project.recipe import plan_for

FORMAT = "splu-project"
PROJECT_VERSION = 3
SUFFIX = ".splu"
LARGEST = 100 << 20  # bytes


class BadProject(FileFault):
    """A file is no project, is damaged, or is of a newer version."""


class SourceState(Enum):
    """What became of the source since the project was saved."""

    SAME = "same"
    CHANGED = "changed"
    MISSING = "missing"


@dataclass(frozen=True)
class Project:
    """The choices about one source. Compared by value.

    Attributes
    ----------
    source : name, size and SHA-256 of the source as it was when read.
    choices : how it is read.
    plan : what becomes of it, as plain data (`Plan.as_dict`); a plan is given as it is. None where nothing was decided.
    accepted : name of an open line of the verdict -> the reason it was accepted for.
    folder : the source's folder, relative to the project file's where possible; a hint where to look.
    window : what the window wants to find again, such as the page; plain data, no values of the source.
    """

    source: SourceFile
    choices: ImportChoices
    plan: Plan | Mapping[str, Any] | None = None
    accepted: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""
    window: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.plan, Plan):
            object.__setattr__(self, "plan", self.plan.as_dict())

    def plan_for(self, table: Table) -> Plan | None:
        """Return the plan for the table. Raises RecipeDoesNotFit where its columns are others; BadSetting."""
        assert not isinstance(self.plan, Plan)
        return None if self.plan is None else plan_for(self.plan, table, say("the project"))


def save_project(project: Project, path: Path, *, source: Path | None = None) -> None:
    """Write a project file, whole or not at all, in the place of an older one.

    source : where the source lies; None leaves the project's own hint.

    Raises CannotWrite.
    """
    if source is not None:
        project = replace(project, folder=_folder_of(source, path))
    text = to_json(as_dict(project))
    with whole_file(path, overwrite=True) as partial:
        partial.touch(mode=0o600)
        partial.write_text(text, encoding="utf-8", newline="\n")


def open_project(path: Path) -> Project:
    """Read a project file, of this version or an older one. Raises BadProject."""
    content = read_bytes(path, LARGEST, BadProject, say("a project file"))
    try:
        data = from_json(content, paths=True)
    except ValueError:
        raise BadProject("“{path}” is no project file, or damaged: it is not valid JSON.", path=path) from None
    return from_dict(data, path)


def as_dict(project: Project) -> dict[str, Any]:
    """Return a project as plain data of the current version."""
    return {
        "format": FORMAT,
        "version": PROJECT_VERSION,
        "software": __version__,
        "source": {
            "name": project.source.name,
            "bytes": project.source.size,
            "sha256": project.source.sha256,
            "folder": project.folder,
        },
        "import": import_as_dict(project.choices),
        "plan": project.plan,
        "accepted": dict(project.accepted),
        "window": dict(project.window),
    }


def from_dict(data: Any, path: Path) -> Project:
    """Return the project that `as_dict` of this version or an older one gave. Raises BadProject, naming `path`."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadProject("“{path}” is no project file of this program.", path=path)
    if data.get("version") != PROJECT_VERSION:
        raise BadProject(
            "“{path}” has a project version that this program (version {own}) does not read; open its source anew.",
            path=path,
            own=__version__,
        )
    with understood(path, BadProject):
        source, plan = data["source"], data["plan"]
        if plan is not None and not isinstance(plan["roles"], dict):
            raise TypeError
        return Project(
            source=SourceFile(str(source["name"]), int(source["bytes"]), str(source["sha256"])),
            choices=import_from_dict(data["import"]),
            plan=plan,
            accepted={str(name): str(reason) for name, reason in data["accepted"].items()},
            folder=str(source["folder"]),
            window=dict(data["window"]),
        )


def find_source(project: Project, project_path: Path) -> Path | None:
    """Return where the source lies: where it lay, if that is below the project file, or beside it; else None.

    Anybody may have written the project file, and to look at a place can be harm enough: on Windows a share's name
    makes the machine log on to it. So what it says is followed only down from its own folder; else the user is asked.
    """
    if not _is_down(project.source.name) or len(PureWindowsPath(project.source.name).parts) != 1:
        return None
    places = [project_path.parent]
    if project.folder and _is_down(project.folder):
        places.insert(0, project_path.parent / Path(PurePosixPath(project.folder)))
    for place in places:
        candidate = place / project.source.name
        with contextlib.suppress(OSError, ValueError):
            if candidate.is_file():
                return candidate.resolve()
    return None


def _is_down(stored: str) -> bool:
    """Return whether a stored path leads down from where it stands, on every system."""
    windows = PureWindowsPath(stored)
    return not windows.anchor and ":" not in stored and "\0" not in stored and ".." not in windows.parts


def source_state(project: Project, source: Path | None, progress: Progress = SILENT) -> SourceState:
    """Tell whether a file is still the project's source: by size, then by SHA-256. Raises Cancelled."""
    try:
        if source is None or not source.is_file():
            return SourceState.MISSING
        same = source.stat().st_size == project.source.size and (
            facts(source, progress).sha256 == project.source.sha256
        )
    except OSError:
        return SourceState.MISSING
    return SourceState.SAME if same else SourceState.CHANGED


def _folder_of(source: Path, project_path: Path) -> str:
    folder, base = source.resolve().parent, project_path.resolve().parent
    try:
        return Path(os.path.relpath(folder, base)).as_posix()
    except ValueError:  # another drive
        return folder.as_posix()

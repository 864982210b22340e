"""The project file: all that the custodian decided about one source, and never the source itself.

It names the source by file name, size and SHA-256, says how it is read and what each column is to be. Values of the
source stand in it only where a choice names them (a group made by hand, a mark for “no value”). Files of older versions
are brought up to date when opened; a changed source is noticed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from enum import Enum
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import MappingProxyType
from typing import Any

from splu_desktop import __version__
from splu_desktop.core.draw import Draw, draws_from
from splu_desktop.core.draw.by_person import ByPerson
from splu_desktop.core.errors import FileFault
from splu_desktop.core.generalise import Steps
from splu_desktop.core.guarantees.audience import Audience
from splu_desktop.core.messages import say
from splu_desktop.core.plan import Plan, Thresholds, steps_as_dicts, steps_by_column
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.disk.plain_data import from_json, read_bytes, to_json, understood
from splu_desktop.files.disk.whole import whole_file
from splu_desktop.files.draws import draws_as_dicts, upgraded
from splu_desktop.files.importer import ImportChoices, SourceFile
from splu_desktop.files.importer.recognise import facts
from splu_desktop.files.project.import_section import composed, import_as_dict, import_from_dict
from splu_desktop.frozen import dataclass

FORMAT = "splu-project"
PROJECT_VERSION = 2
SUFFIX = ".splu"
LARGEST = 100 << 20  # bytes

# Version v -> what turns a file of version v into one of version v + 1. A new version adds its step here, and a file of
# the old one to tests/files/projects.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: upgraded}


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
    roles : column name -> role, for every column in order.
    draws : SA name -> how it is drawn; may also hold columns that are no SA now, to come back to.
    thresholds : epsilon, T_E, alpha, T_P.
    generalisations : column name -> steps.
    kept_identifiers : column name -> reason.
    persons : what is done about persons with several records.
    audience : who gets the release.
    together : whether one gamma is set for all SAs.
    folder : the source's folder, relative to the project file's where possible; a hint where to look.
    window : what the window wants to find again, such as the page; plain data, no values of the source.
    """

    source: SourceFile
    choices: ImportChoices
    roles: Mapping[str, Role]
    draws: Mapping[str, Draw] = field(default_factory=dict)
    thresholds: Thresholds = field(default_factory=Thresholds)
    generalisations: Mapping[str, Steps] = field(default_factory=dict)
    kept_identifiers: Mapping[str, str] = field(default_factory=dict)
    persons: ByPerson | None = None
    audience: Audience | None = None
    together: bool = True
    folder: str = ""
    window: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("roles", "draws", "generalisations", "kept_identifiers", "window"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def plan(self) -> Plan:
        """Return the plan of a release. Raises BadSetting where the choices don't make one yet."""
        sensitive = [name for name, role in self.roles.items() if role is Role.SA]
        return Plan(
            roles=self.roles,
            draws={name: self.draws[name] for name in sensitive if name in self.draws},
            thresholds=self.thresholds,
            generalisations=self.generalisations,
            kept_identifiers=self.kept_identifiers,
            persons=self.persons,
            audience=self.audience,
        )

    def fitted(self, names: tuple[str, ...], suggested: Mapping[str, Role]) -> tuple[Project, tuple[str, ...]]:
        """Return the project for a source with these columns, and a sentence on each difference.

        Columns that are gone lose their choices; new ones take the role in `suggested`.
        """
        gone = [name for name in self.roles if name not in names]
        new = [name for name in names if name not in self.roles]
        said = [say("Column “{name}” is gone, and its choices with it.", name=name) for name in gone]
        said += [
            say(
                "Column “{name}” is new; it was given the suggested role, {role}.",
                name=name,
                role=say(suggested[name].value),
            )
            for name in new
        ]
        fitted = replace(
            self,
            roles={name: self.roles.get(name, suggested.get(name, Role.DROPPED)) for name in names},
            draws={name: draw for name, draw in self.draws.items() if name in names},
            generalisations={name: steps for name, steps in self.generalisations.items() if name in names},
            kept_identifiers={name: why for name, why in self.kept_identifiers.items() if name in names},
            persons=self.persons if self.persons is not None and set(self.persons.columns) <= set(names) else None,
        )
        return fitted, tuple(said)


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
        "columns": {name: role.value for name, role in project.roles.items()},
        "kept_identifiers": dict(project.kept_identifiers),
        **({} if project.persons is None else {"persons": project.persons.as_dict()}),
        **({} if project.audience is None else {"audience": project.audience.as_dict()}),
        "generalise": steps_as_dicts(project.generalisations),
        "draws": draws_as_dicts(project.draws),
        "one_gamma_for_all": project.together,
        "thresholds": project.thresholds.as_dict(),
        "window": dict(project.window),
    }


def from_dict(data: Any, path: Path) -> Project:
    """Return the project that `as_dict` of this version or an older one gave. Raises BadProject, naming `path`."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadProject("“{path}” is no project file of this program.", path=path)
    version = data.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise BadProject("“{path}” is damaged: its version is missing.", path=path)
    if version > PROJECT_VERSION:
        raise BadProject(
            "“{path}” has project version {version}, and this program (version {own}) knows versions up to {known}; "
            "open it with the program version that saved it or a newer one.",
            path=path,
            version=version,
            own=__version__,
            known=PROJECT_VERSION,
        )
    with understood(path, BadProject):
        for old in range(version, PROJECT_VERSION):
            data = MIGRATIONS[old](data)
        data = composed(data)
        source = data["source"]
        return Project(
            source=SourceFile(str(source["name"]), int(source["bytes"]), str(source["sha256"])),
            choices=import_from_dict(data["import"]),
            roles={str(name): Role(role) for name, role in data["columns"].items()},
            draws=draws_from(data["draws"]),
            thresholds=Thresholds(**data["thresholds"]),
            generalisations=steps_by_column(data["generalise"]),
            kept_identifiers={str(name): str(why) for name, why in data["kept_identifiers"].items()},
            persons=ByPerson.from_dict(data["persons"]) if "persons" in data else None,
            audience=Audience.from_dict(data["audience"]) if "audience" in data else None,
            together=bool(data["one_gamma_for_all"]),
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

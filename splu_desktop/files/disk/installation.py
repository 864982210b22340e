"""What an installation is, and whether its files are those that were built.

A build writes the list of its files, `resources/files.sha256`, in the form of `sha256sum`, so that
`sha256sum --check` in the program's folder reads it too. Whoever can write there can write the list: its own sum, the
seal, is published beside the installers to be compared with what `splu --self-test` says.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path

from splu_desktop.core.resources import resource_path

LIST = "files.sha256"
_MACHO = {b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"}


@dataclass(frozen=True)
class InstalledFiles:
    """How an installation differs from what was built; paths are relative to its folder.

    Attributes
    ----------
    files : how many were built.
    seal : SHA-256 of the list of files.
    """

    files: int
    seal: str
    altered_files: tuple[str, ...]
    missing: tuple[str, ...]
    strange: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing differs."""
        return not (self.altered_files or self.missing or self.strange)


def folder() -> Path | None:
    """Return the folder of the installed program; None where it runs from its source."""
    if not getattr(sys, "frozen", False):
        return None
    place = Path(sys.executable).resolve().parent
    return place.parent if sys.platform == "darwin" else place


def sum_files(program: Path) -> dict[str, str]:
    """Return the SHA-256 of every file below a program's folder, by its path, links and the list itself apart.

    Of a program of macOS those are left out that its signature covers and changes: programs, libraries and itself.
    """
    digests = {}
    for path in sorted(program.rglob("*")):
        name = path.relative_to(program).as_posix()
        if path.is_symlink() or not path.is_file() or path.name == LIST or name.startswith("_CodeSignature/"):
            continue
        content = path.read_bytes()
        if content[:4] not in _MACHO:
            digests[name] = hashlib.sha256(content).hexdigest()
    return digests


def list_files(program: Path) -> str:
    """Return the list of a program's files, as a build writes it."""
    return "".join(f"{digest}  {name}\n" for name, digest in sum_files(program).items())


def compare(program: Path, whole: bytes) -> InstalledFiles:
    """Compare a program's folder with the list that a build wrote.

    What lies beside the program itself, as its uninstaller does, is no concern; a file more among those that it loads
    is.
    """
    built = {name: digest for digest, _, name in (line.partition("  ") for line in whole.decode().splitlines())}
    there = sum_files(program)
    loaded = {name.partition("/")[0] for name in built if "/" in name}
    return InstalledFiles(
        files=len(built),
        seal=hashlib.sha256(whole).hexdigest(),
        altered_files=tuple(name for name in built if name in there and there[name] != built[name]),
        missing=tuple(name for name in built if name not in there),
        strange=tuple(name for name in there if name not in built and name.partition("/")[0] in loaded),
    )


def compare_installation() -> InstalledFiles | None:
    """Compare this installation with what was built; None where it runs from its source.

    Raises FileNotFoundError where the list did not come along.
    """
    program = folder()
    return None if program is None else compare(program, resource_path(LIST).read_bytes())

"""A release as one file to hand over: a ZIP, encrypted with AES-256 where a password is given."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.said import say
from splu_desktop.files.package import contents, open_package
from splu_desktop.files.release_facts import FACTS_NAME, parse_facts
from splu_desktop.files.whole import whole_file

LEAST_PASSWORD = 12  # characters; what AES-256 is worth is what its password is worth
# Without characters that are mistaken for others when read out: 55 of them, so 20 give 115 bits.
_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789"
_STAGE = "Packing"


def check_password(password: str | None) -> None:
    """Raise BadSetting where a password is too short to protect anything."""
    if password is not None and len(password) < LEAST_PASSWORD:
        raise BadSetting(
            say(
                "The password has {password} characters; take {least_password} or more, since whoever "
                "holds the file can try passwords as long as he likes.",
                password=len(password),
                least_password=LEAST_PASSWORD,
            )
        )


def new_password() -> str:
    """Return a password to propose: four groups of five characters from the operating system's randomness."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(5)) for _ in range(4))


def hand_over(release: Path, target: Path, *, password: str | None = None, progress: Progress | None = None) -> Path:
    """Pack a release folder into a new ZIP, whole or not at all; returns `target`.

    Every file is checked against release.json on its way, so that nothing damaged is handed over, and nothing else
    that lies in the folder goes along.

    Raises BadRelease, BadSetting (password), CannotWrite; Cancelled.
    """
    progress = progress or Silent()
    check_password(password)
    package = open_package(release)
    raw, _ = contents(package, FACTS_NAME, most=package.size(FACTS_NAME))
    facts = parse_facts(raw, str(package.path / FACTS_NAME))
    with whole_file(target) as partial:
        pack(package.path, partial, name=target.stem, files=names_of(facts), password=password, progress=progress)
        check_packed(partial, facts, password=password, progress=progress)
    return target


def names_of(facts: dict[str, Any]) -> list[str]:
    """Return the names of a release's files, release.json last."""
    return [*(entry["name"] for entry in facts["files"]), FACTS_NAME]


def pack(
    folder: Path, target: Path, *, name: str, files: list[str], password: str | None, progress: Progress | None = None
) -> None:
    """Write the files of `folder` into a ZIP at `target`, under a folder `name`. Raises OSError; Cancelled."""
    import pyzipper

    progress = progress or Silent()
    encryption = pyzipper.WZ_AES if password is not None else None
    with pyzipper.AESZipFile(target, "w", compression=pyzipper.ZIP_DEFLATED, encryption=encryption) as archive:
        if password is not None:
            archive.setpassword(password.encode("utf-8"))
            archive.setencryption(pyzipper.WZ_AES, nbits=256)
        for done, file_name in enumerate(files):
            path = folder / file_name
            size, seen = max(path.stat().st_size, 1), 0
            with (
                path.open("rb") as file,
                archive.open(f"{name}/{file_name}", "w", force_zip64=size > 1 << 30) as packed,
            ):
                while block := file.read(1 << 20):
                    packed.write(block)
                    seen += len(block)
                    progress.report(_STAGE, min(1.0, (done + seen / size) / len(files)))


def check_packed(path: Path, facts: dict[str, Any], *, password: str | None, progress: Progress | None = None) -> None:
    """Read a ZIP back and compare every file with its stated hash. Raises BadRelease; Cancelled."""
    from splu_desktop.files.verify import check_files

    failed = [check for check in check_files(open_package(path, password), facts, progress) if not check.passed]
    if failed:
        from splu_desktop.files.release_facts import BadRelease

        raise BadRelease(failed[0].sentence)

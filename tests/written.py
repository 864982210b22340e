"""A release written by itself, for tests and benchmarks; `files.publish.publishing.publish` is the program's way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.files.disk.whole import whole_folder
from splu_desktop.files.release.facts import Generalisations
from splu_desktop.files.release.folder import OpenRelease, check_formats, fill_folder, final


def write_release(
    published: Published,
    folder: Path,
    *,
    formats: Sequence[str] = ("csv",),
    bom: bool = False,
    generalisations: Generalisations | None = None,
    spoken: str = "en",
    progress: Progress = SILENT,
) -> OpenRelease:
    """Write a release folder, whole or not at all, without gate, check and register."""
    check_formats(formats)
    published = final(published, progress)
    with whole_folder(folder) as unfinished:
        facts = fill_folder(
            published,
            unfinished,
            formats=formats,
            bom=bom,
            generalisations=generalisations,
            spoken=spoken,
            progress=progress,
        )
        progress.report("Finishing", 1.0)
    return OpenRelease(folder=folder, facts=facts, published=published)

"""A release written by itself, for tests and benchmarks; `files.publish.publishing.publish` is the program's way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from splu_desktop.core.published import Published
from splu_desktop.files.disk.whole import whole_folder
from splu_desktop.files.release.folder import OpenRelease, check_formats, fill_folder, final


def write_release(
    published: Published, folder: Path, *, formats: Sequence[str] = ("csv",), **settings: Any
) -> OpenRelease:
    """Write a release folder, whole or not at all, without gate, check and register; settings of `fill_folder`."""
    check_formats(formats)
    published = final(published)
    with whole_folder(folder) as unfinished:
        facts = fill_folder(published, unfinished, formats=formats, **settings)
    return OpenRelease(folder=folder, facts=facts, published=published)

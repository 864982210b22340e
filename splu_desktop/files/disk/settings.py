"""What the program remembers of the user's choices between runs: small texts, in one file, never values of a table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from splu_desktop.core.errors import SpluError
from splu_desktop.core.resources import data_folder
from splu_desktop.files.disk.plain_data import file_bytes, from_json

NAME = "settings.json"
_LONGEST = 4_000  # characters of one text
_LARGEST = 1 << 22  # bytes


def read_section(section: str) -> dict[str, str]:
    """Return the texts of a section; empty where nothing, or nothing readable, is kept."""
    entries = _read(data_folder() / NAME).get(section, {})
    if not isinstance(entries, dict):
        return {}
    return {str(key): text[:_LONGEST] for key, text in entries.items() if isinstance(text, str)}


def remember(section: str, texts: Mapping[str, str]) -> None:
    """Keep the texts of a section. Where the disk refuses they are forgotten: no reason to stop work."""
    from splu_desktop.files.disk.whole_files import whole_file  # brings locks, which no window that opens waits for

    path = data_folder() / NAME
    content = _read(path)
    content[section] = dict(texts)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path, overwrite=True) as partial:
            partial.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
    except (OSError, SpluError):
        return


def _read(path: Path) -> dict[str, Any]:
    try:
        content = from_json(file_bytes(path, _LARGEST))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}

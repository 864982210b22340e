"""Some of the hostile files of every format; `python -m tests.hostile.sweep` tries all of them and measures each."""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path

import pytest

from tests.hostile.files import FORMATS, hostile
from tests.hostile.sweep import opened, tried

_MUTATED = 2
_SMALL = 20_000  # bytes


# Linux takes any bytes as a name; libraries that ask for letters see no file there, or another.
_NO_LETTERS = os.fsdecode(b"\xff\xe4") if sys.platform == "linux" else "ä"


@pytest.mark.parametrize("folder", ["plain", _NO_LETTERS], ids=["plain", "no letters"])
@pytest.mark.parametrize("form", FORMATS)
def test_a_sound_file_is_read(tmp_path: Path, form: str, folder: str) -> None:
    # Otherwise the files made of it would be refused at the first look, and try nothing.
    name, sound, _, _ = FORMATS[form]
    (tmp_path / folder).mkdir()
    (tmp_path / folder / name).write_bytes(sound())
    opened(form, tmp_path / folder / name)


@pytest.mark.parametrize("form", FORMATS)
def test_hostile_files_are_read_or_refused_in_a_sentence(tmp_path: Path, form: str) -> None:
    made = (content for _, content in hostile(form, 60) if len(content) < _SMALL)
    mutated = (content for _, content in hostile(form, _MUTATED, by_hand=False))
    for content in itertools.chain(itertools.islice(made, 1), mutated):
        path = tmp_path / FORMATS[form][0]
        path.write_bytes(content)
        assert tried(form, path) in ("read", "refused")

"""The choices of an import as plain data, as recipes and project files store them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import Enum
from typing import Any, TypeVar

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.table import Kind
from splu_desktop.files.importer import Decision, ImportChoices, ProblemKind

E = TypeVar("E", bound=Enum)
_WHOLE = ("header_row", "header_rows", "last_row")
_MAPPINGS = ("renames", "types", "missing", "decisions", "rows")


def import_as_dict(choices: ImportChoices) -> dict[str, Any]:
    """Return the choices as plain data, those left to detection left out.

    The columns' names are stored only where the file has none: elsewhere the file's own header must be found again, so
    that a file with other columns is noticed.
    """
    found: dict[str, Any] = {}
    for field in fields(choices):
        value = getattr(choices, field.name)
        if field.name not in (*_MAPPINGS, "names", "sheets", "keep_spellings") and value is not None:
            found[field.name] = value
    if choices.sheets is not None:
        found["sheets"] = list(choices.sheets)
    if choices.names is not None and choices.header_row == 0:
        found["names"] = list(choices.names)
    if choices.renames:
        found["renames"] = dict(choices.renames)
    if choices.types:
        found["types"] = {name: kind.name.lower() for name, kind in choices.types.items()}
    missing = {name: list(texts) for name, texts in choices.missing.items()}
    if missing:
        found["missing"] = missing
    if choices.rows:
        found["rows"] = {name: list(texts) for name, texts in choices.rows.items()}
    if choices.keep_spellings:
        found["keep_spellings"] = list(choices.keep_spellings)
    if choices.decisions:
        found["decisions"] = {kind.name.lower(): what.name.lower() for kind, what in choices.decisions.items()}
    return found


def import_from_dict(data: Mapping[str, Any]) -> ImportChoices:
    """Return the choices that `import_as_dict` gave. Raises BadSetting, naming the entry that can't be understood."""
    known = {field.name for field in fields(ImportChoices)}
    found: dict[str, Any] = {}
    for name, value in data.items():
        if name not in known:
            raise _bad(name)
        if name in _WHOLE:
            found[name] = _checked(name, value, lambda v: isinstance(v, int) and not isinstance(v, bool))
        elif name in ("names", "sheets", "keep_spellings"):
            found[name] = _texts(name, value)
        elif name == "renames":
            found[name] = {
                key: _checked(name, text, lambda v: isinstance(v, str)) for key, text in _mapping(name, value).items()
            }
        elif name == "types":
            found[name] = {key: _member(Kind, kind, name) for key, kind in _mapping(name, value).items()}
        elif name in ("missing", "rows"):
            found[name] = {key: _texts(name, texts) for key, texts in _mapping(name, value).items()}
        elif name == "decisions":
            found[name] = {
                _member(ProblemKind, kind, name): _member(Decision, what, name)
                for kind, what in _mapping(name, value).items()
            }
        else:
            found[name] = _checked(name, value, lambda v: isinstance(v, str))
    return ImportChoices(**found)


def _bad(name: str) -> BadSetting:
    return BadSetting("The entry “{name}” on how to read the file can't be understood.", name=name[:60])


def _checked(name: str, value: Any, right: Callable[[Any], bool]) -> Any:
    if not right(value):
        raise _bad(name)
    return value


def _texts(name: str, value: Any) -> tuple[str, ...]:
    return tuple(_checked(name, value, lambda v: isinstance(v, list) and all(isinstance(text, str) for text in v)))


def _mapping(name: str, value: Any) -> Mapping[str, Any]:
    found: Mapping[str, Any] = _checked(name, value, lambda v: isinstance(v, dict))
    return found


def _member(kind: type[E], text: Any, name: str) -> E:
    try:
        return kind[str(text).upper()]
    except KeyError:
        raise _bad(name) from None

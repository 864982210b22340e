"""The JSON schema of the report, made from the model's types, and a check of data against it.

`resources/report/report.schema.json` is what this makes (`python -m splu_desktop.report.render.schema`);
a test compares them.
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from splu_desktop.core.messages import say
from splu_desktop.report import model

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """Return the schema, JSON Schema draft 2020-12."""
    definitions: dict[str, Any] = {}
    public, original = _of(model.Public, definitions), _of(model.Original, definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "SPLU Desktop audit report",
        "description": "Shares and probabilities are numbers in 0..1, counts are records, moments are ISO 8601. "
        "“digest” is the SHA-256 of the file with the digest itself replaced by 64 noughts.",
        "type": "object",
        "required": ["format", "version", "edition", "public", "digest"],
        "additionalProperties": False,
        "properties": {
            "format": {"const": model.FORMAT},
            "version": {"const": model.VERSION},
            "edition": {"enum": ["external", "internal"]},
            "public": public,
            "original": original,
            "digest": {"type": "string"},
        },
        "$defs": dict(sorted(definitions.items())),
    }


def _of(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if kind in _PLAIN:
        # An infinite number is written as null: JSON has no word for it.
        return {"type": ["number", "null"]} if kind is float else {"type": _PLAIN[kind]}
    if dataclasses.is_dataclass(kind):
        assert isinstance(kind, type)
        if kind.__name__ not in definitions:
            definitions[kind.__name__] = {}
            hints = typing.get_type_hints(kind)
            names = [item.name for item in dataclasses.fields(kind)]
            definitions[kind.__name__] = {
                "type": "object",
                "required": names,
                "additionalProperties": False,
                "properties": {name: _of(hints[name], definitions) for name in names},
            }
        return {"$ref": f"#/$defs/{kind.__name__}"}
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return {"anyOf": [_of(each, definitions) for each in inner]}
    if origin is tuple and len(inner) == 2 and inner[1] is Ellipsis:
        return {"type": "array", "items": _of(inner[0], definitions)}
    if origin is tuple:
        items = [_of(each, definitions) for each in inner]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    if origin is Mapping or (isinstance(origin, type) and issubclass(origin, Mapping)):
        value = {} if inner[1] is Any else _of(inner[1], definitions)
        return {"type": "object", "additionalProperties": value}
    raise TypeError(f"no schema for {kind}")


def problems(data: Any) -> Iterator[tuple[str, str]]:
    """Give (place, what is wrong) for everything in which data differ from the schema."""
    whole = schema()
    yield from _problems(data, whole, whole["$defs"], "")


_TESTS = {
    "string": lambda x: isinstance(x, str),
    "integer": lambda x: isinstance(x, int) and not isinstance(x, bool),
    "number": lambda x: isinstance(x, int | float) and not isinstance(x, bool),
    "boolean": lambda x: isinstance(x, bool),
    "null": lambda x: x is None,
    "object": lambda x: isinstance(x, dict),
    "array": lambda x: isinstance(x, list),
}


def _problems(data: Any, wanted: dict[str, Any], known: dict[str, Any], place: str) -> Iterator[tuple[str, str]]:
    if "$ref" in wanted:
        wanted = known[wanted["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in wanted:
        found = [list(_problems(data, each, known, place)) for each in wanted["anyOf"]]
        if all(found):
            yield min(found, key=len)[0]
        return
    if "const" in wanted and data != wanted["const"]:
        yield place, say("is not {wanted}", wanted=repr(wanted["const"]))
    if "enum" in wanted and data not in wanted["enum"]:
        yield place, say("is none of the words allowed")
    kinds = wanted.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_TESTS[kind](data) for kind in kinds):
        yield place, say("is not of type {kinds}", kinds=", ".join(kinds))
        return
    if isinstance(data, dict):
        properties = wanted.get("properties", {})
        for name in wanted.get("required", ()):
            if name not in data:
                yield f"{place}.{name}".lstrip("."), say("is missing")
        for name, value in data.items():
            inner = properties.get(name, wanted.get("additionalProperties", {}))
            where = f"{place}.{name}".lstrip(".")
            if inner is False:
                yield where, say("is not part of a report")
            elif inner:
                yield from _problems(value, inner, known, where)
    elif isinstance(data, list):
        first = wanted.get("prefixItems")
        if first is not None and len(first) != len(data):
            yield place, say("has {n} entries instead of {wanted}", n=len(data), wanted=len(first))
            return
        for i, value in enumerate(data):
            inner = first[i] if first is not None else wanted.get("items", {})
            yield from _problems(value, inner, known, f"{place}[{i}]")


def schema_text() -> str:
    """Return the schema as it is shipped."""
    return json.dumps(schema(), ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    import sys

    sys.stdout.write(schema_text())

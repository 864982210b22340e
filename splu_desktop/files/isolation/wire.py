"""What passes between the program and a reader's process: arrays as they are, all else as JSON. Nothing is unpickled.

A message is the length of its JSON, the JSON, and the arrays it names, lists of decimals among them. The reader of a
hostile file may be in its hands, so the message is taken for no more than it is: numbers, texts, arrays of few types.
"""

from __future__ import annotations

import json
import re
import struct
from typing import IO, Any

import numpy as np

from splu_desktop.core.messages import Phrase

Plain = Any
"""None, bool, int, float, str, arrays, sentences, and lists and dicts of those."""

_TYPES = {name: np.dtype(name) for name in ("uint8", "bool", "int32", "int64", "float64")}
_AT = 64  # bytes to which arrays are aligned
_SIMPLE = {str, int, float, bool, type(None)}
# str.format reaches into attributes and pads to any width; of that nothing is let through.
_PLACEHOLDERS = re.compile(r"(?:[^{}]|\{\{|\}\}|\{[a-z_]+(?::\.\d{1,2}f)?\})*")


class BadMessage(Exception):
    """The bytes are no message."""


def write(value: Plain, file: IO[bytes]) -> None:
    """Write a message."""
    arrays: list[np.ndarray[Any, Any]] = []
    content = json.dumps(_pack(value, arrays)).encode("ascii")
    shapes, at = [], 0
    for array in arrays:
        shapes.append((array.dtype.name, array.shape, at))
        at += -(-array.nbytes // _AT) * _AT
    head = json.dumps(shapes).encode("ascii")
    file.write(struct.pack("<QQ", len(content), len(head)))
    file.write(content)
    file.write(head)
    file.write(b"\0" * (-(16 + len(content) + len(head)) % _AT))
    for array in arrays:
        file.write(np.ascontiguousarray(array).data.cast("B") if array.nbytes else b"")
        file.write(b"\0" * (-array.nbytes % _AT))
    file.flush()


def read(data: memoryview) -> Plain:
    """Return the message in `data`; its arrays are views into it. Raises BadMessage."""
    try:
        content, head = struct.unpack_from("<QQ", data)
        start = -(-(16 + content + head) // _AT) * _AT
        if start > len(data) + _AT:
            raise BadMessage
        arrays = []
        for name, shape, at in json.loads(bytes(data[16 + content : 16 + content + head])):
            count = int(np.prod(shape, dtype=object)) if shape else 1
            if at < 0 or any(n < 0 for n in shape):
                raise BadMessage
            arrays.append(np.frombuffer(data, _TYPES[name], count, start + at if count else 0).reshape(shape))
        return _unpack(json.loads(bytes(data[16 : 16 + content])), arrays)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, struct.error, OverflowError, RecursionError):
        raise BadMessage from None


def _pack(value: Plain, arrays: list[np.ndarray[Any, Any]]) -> Any:
    if isinstance(value, Phrase):
        return {"say": [value.template, _pack(dict(value.values), arrays)]}
    if isinstance(value, (list, tuple)):
        if (types := set(map(type, value))) == {float}:  # as texts they would take ten times as long
            arrays.append(np.array(value))
            return {"numbers": len(arrays) - 1}
        return value if types <= _SIMPLE else [_pack(item, arrays) for item in value]
    if isinstance(value, dict):
        return {"dict": [[_pack(key, arrays), _pack(item, arrays)] for key, item in value.items()]}
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, np.generic):
        return value.item()
    return str(value) if isinstance(value, str) else value


def _unpack(value: Any, arrays: list[np.ndarray[Any, Any]]) -> Plain:
    if isinstance(value, list):
        return value if set(map(type, value)) <= _SIMPLE else [_unpack(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    ((name, content),) = value.items()
    if name in ("array", "numbers"):
        return arrays[content] if name == "array" else arrays[content].tolist()
    if name == "dict":
        return {_unpack(key, arrays): _unpack(item, arrays) for key, item in content}
    template, values = content
    if name != "say" or not _PLACEHOLDERS.fullmatch(template):
        raise BadMessage
    return Phrase(template, _unpack(values, arrays))

"""Compare the translations with what the program can say.

    python scripts/translations.py            what is missing and what nobody says any more, per room and language
    python scripts/translations.py --write    put each line under the file that says it and drop what nobody says

Missing sentences are printed as TOML lines, to be pasted with their translation. tests/report/test_languages.py fails
as long as anything is missing or left over.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from splu_desktop.core.resources import read_toml, resource_path  # noqa: E402
from splu_desktop.core.table import Kind  # noqa: E402
from splu_desktop.files.importer.problems import Decision, ProblemKind  # noqa: E402
from splu_desktop.files.language import LANGUAGES, ROOMS  # noqa: E402

CATALOGUES = ROOT / "resources" / "translations"
PACKAGE = ROOT / "splu_desktop"
_WORDS = re.compile(r"[A-Za-z’']{2,} [a-z]")
_FORMS = re.compile(r"\{\w+:[^}]*\}")  # the forms of a word by a number: {n:row|rows}
# Word lists, patterns, markup, and technical texts that nobody is shown.
_NO_SENTENCES = {
    "search.py",
    "chapters.py",
    "clinical.py",
    "date_texts.py",
    "language.py",
    "missing.py",
    "content.py",
    "names.py",
}
_NOT_SHOWN = {
    "execute",
    "_batches",
    "mapInArrow",
    "ValueError",
    "TypeError",
    "AssertionError",
    "KeyError",
    "RuntimeError",
    "OSError",
}
_MARKED = {"report": ("t", "mark"), "window": ("t", "tr"), "core": ("say", "tell", "line_of")}
_OPTIONS = ("add_command", "takes", "switch", "several")  # of the command line: what they mean stands third
# Words without a blank that stand in sentences, and words that are put together from tables.
_OTHERS = (
    *(each.value for kind in (Kind, ProblemKind, Decision) for each in kind),
    *read_toml(resource_path("roles/forms.toml"))["forms"],
    "name of a person",
    "address",
    "free text",
    "e-mail address",
    "telephone number",
    "commas",
    "semicolons",
    "tabs",
    "bars",
    "blanks",
    "colons",
    "protected",
    "answerable",
    "reliable",
    "exact",
    "chosen",
    "uncertain",
    "Reading",
    "Writing",
    "{head}, {tail}",
    "{head} and {tail}",
    "{head}; {tail}",
    "{head}, then {tail}",
)


def wanted(room: str) -> dict[str, str]:
    """Return every sentence that a room can say, with the file that says it first."""
    found: dict[str, str] = {}
    of_core = ["core", "files", "compare", "report", "cli", "cluster"]
    folders = {"report": ["report"], "window": ["gui"], "core": of_core}[room]
    for folder in folders:
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            for text in filter(None, _said(room, path)):
                found.setdefault(text, str(path.relative_to(ROOT)))
    if room == "core":
        found.update(dict.fromkeys((text for text in _OTHERS if text not in found), "scripts/translations.py"))
    return found


def _said(room: str, path: Path) -> Iterator[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    # Texts that stand as statements: docstrings, and those below attributes.
    silent = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    raised = {id(node.exc) for node in nodes if isinstance(node, ast.Raise)}
    for node in nodes:
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
            fault = room == "core" and (id(node) in raised or name == "__init__") and name not in _NOT_SHOWN
            places = [0] if name in _MARKED[room] or fault else []
            if room == "window" and name in ("translate", "QT_TRANSLATE_NOOP"):
                places = [1]
            if room == "core" and name == "listed":
                places = [1, 2]
            if room == "core" and name in _OPTIONS:
                places = [2]
            for place in places:
                for part in _texts(node.args[place : place + 1]):
                    silent.add(id(part))
                    yield part.value
            if name in _NOT_SHOWN:
                silent |= {id(part) for part in ast.walk(node)}
        elif isinstance(node, ast.JoinedStr):
            silent |= {id(part) for part in ast.walk(node)}
    of_other_rooms = {"report", "cli"} & set(path.relative_to(PACKAGE).parts)
    if room == "core" and path.name not in _NO_SENTENCES and not of_other_rooms:
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
                text = node.value
                listed = text.islower() and len(text.split()) > 9 and not set(text) & set(",;:.")
                if _WORDS.search(text) and not listed and not set(_FORMS.sub("", text)) & set("\n\\<|"):
                    yield text


def _texts(nodes: list[ast.expr]) -> Iterator[ast.Constant]:
    """Yield the texts that an argument can be: itself, or either arm of a choice."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node
        elif isinstance(node, ast.IfExp):
            yield from _texts([node.body, node.orelse])


def glued(folder: Path) -> Iterator[str]:
    """Yield where a sentence is put together by an f-string, which no catalogue can translate."""
    for path in sorted(folder.rglob("*.py")):
        if path.name in _NO_SENTENCES:
            continue
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        silent: set[int] = set()
        for node in nodes:
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _NOT_SHOWN:
                silent |= {id(part) for part in ast.walk(node)}
        for node in nodes:
            if isinstance(node, ast.JoinedStr) and id(node) not in silent:
                text = "".join(part.value if isinstance(part, ast.Constant) else "\0" for part in node.values)
                if re.search(r"[A-Za-z’']{2,} [a-z]{2,}", text) and "\\" not in text and "<" not in text:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}: {text}"


def catalogue(room: str, code: str) -> dict[str, str]:
    """Return a catalogue, empty where there is none yet."""
    path = CATALOGUES / f"{room}.{code}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write(room: str, code: str, entries: dict[str, str]) -> None:
    """Write a catalogue file by file, in the program's order; what one file says stays in the order that it has."""
    lines, said = [f"# {LANGUAGES[code]}, {room}. See docs/decisions/translations.md."], wanted(room)
    for place in dict.fromkeys(said.values()):
        own = [f"{quoted(text)} = {quoted(words)}" for text, words in entries.items() if said.get(text) == place]
        lines += ["", f"# {place}", *own] if own else []
    (CATALOGUES / f"{room}.{code}.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def quoted(text: str) -> str:
    """Return a text as a basic string of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def main() -> int:
    """Compare, and write if asked to."""
    status = 0
    for room in ROOMS:
        said = wanted(room)
        for code in LANGUAGES:
            if code == "en":
                continue
            have = catalogue(room, code)
            if "--write" in sys.argv:
                write(room, code, have)
            missing = [text for text in said if text not in have]
            left = len(set(have) - set(said))
            print(f"# {room}.{code}: {len(said)} sentences, {len(missing)} missing, {left} left over")
            for text in missing:
                print(f"{quoted(text)} = ")
            status |= bool(missing)
    return status


if __name__ == "__main__":
    sys.exit(main())

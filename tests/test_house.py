"""The laws of the house: how the code may stand, read from the files themselves (docs/decisions/house.md)."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from scripts.draw_house import PACKAGE, ROOT, Module, between_rooms, circles, modules, picture

WIDEST = 16  # modules in a folder
_KIND_OF_DRAW = re.compile(r"isinstance\([^()]*\b(Draw|GroupDraw|PlainGroups|DecoyGroups)\b")
# The editors of one draw may ask whether it is theirs; everybody else asks the draw.
_EDITORS = {"gui.plan.tolerance_dialog", "gui.plan.tolerant"}
_NAMED = re.compile(r"`((?:core|files|gui|cli|compare|report|cluster)[./][\w./]+)`")


def test_no_folder_holds_more_than_one_can_look_over() -> None:
    wide = Counter(module.path.parent for module in modules().values())
    assert {str(folder): n for folder, n in wide.items() if n > WIDEST} == {}


def test_no_module_knows_itself_by_a_detour() -> None:
    # A folder's __init__ hands out what stands in it, so it is no module of its own here.
    doors = {name for name, module in modules().items() if module.path.name == "__init__.py"}
    known = {name: module.known - doors for name, module in modules().items() if name not in doors}
    assert circles(known) == []


def test_no_room_knows_itself_by_a_detour() -> None:
    assert circles(between_rooms()) == []


def test_a_name_of_a_class_is_given_once() -> None:
    # But for those of a module's own, which nobody else reads.
    found = defaultdict(list)
    for name, module in modules().items():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(name)
    assert {word: where for word, where in found.items() if len(where) > 1} == {}


def test_an_import_inside_a_function_says_why() -> None:
    silent = [place for module in modules().values() for place in _silent(module)]
    assert silent == []


def test_nobody_asks_which_draw_it_has() -> None:
    asked = []
    for name, module in modules().items():
        inside = name.removeprefix(f"{PACKAGE}.")
        if inside.startswith("core.draw") or inside in _EDITORS:
            continue
        asked += [f"{inside}:{n}" for n, line in enumerate(module.text.splitlines(), 1) if _KIND_OF_DRAW.search(line)]
    assert asked == []


def test_distinct_numbers_are_found_in_one_way() -> None:
    # NumPy's own, asked for nothing but the numbers, is a hash table that fills slowly (`core.table.unique`).
    slow = [
        f"{module.path}:{node.lineno}"
        for module in modules().values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "np.unique" and not node.keywords
    ]
    assert slow == []


def test_every_room_says_what_it_is() -> None:
    folders = [m for m in modules().values() if m.path.name == "__init__.py" and m.path.parent.parent.name != ""]
    rooms = [m for m in folders if len(m.path.relative_to(ROOT / PACKAGE).parts) > 2]
    assert rooms
    assert [m.name for m in rooms if not ast.get_docstring(m.tree)] == []


def test_a_module_that_words_name_is_there() -> None:
    texts = {str(module.path.relative_to(ROOT)): module.text for module in modules().values()}
    pages = [ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    texts |= {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in pages}
    named = [(where, name) for where, text in texts.items() for name in _NAMED.findall(text)]
    assert len(named) > 50
    assert [f"{where}: {name}" for where, name in named if not _known(name)] == []


def test_the_picture_shows_every_room_there_is() -> None:
    # Not compared line by line: an arrow more is no reason to stop whoever draws it.
    drawn = (ROOT / "docs/images/house.svg").read_text(encoding="utf-8")
    assert picture() == picture()
    words = re.compile(r"<text x[^>]*>([^<]*)</text>")
    assert set(words.findall(drawn)) == set(words.findall(picture())), "run python scripts/draw_house.py"


def _known(name: str) -> bool:
    """Whether `core/table`, `core.draw`, `core.table.Column` or `core/draw/__init__.py` is there."""
    parts = name.strip("/.").removesuffix(".py").removesuffix("/__init__").replace("/", ".").split(".")
    ends = next(at for at in range(len(parts), -1, -1) if ".".join([PACKAGE, *parts[:at]]) in modules())
    text = modules()[".".join([PACKAGE, *parts[:ends]])].text
    return all(re.search(rf"^\s*(?:def |class )?{each}\b", text, re.M) for each in parts[ends:])


def _silent(module: Module) -> Iterator[str]:
    """Give the places of imports inside functions with no comment on any line of theirs, nor on the one above."""
    lines = module.text.splitlines()
    inside = sorted(
        {
            (node.lineno, node.end_lineno or node.lineno)
            for function in ast.walk(module.tree)
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
            for node in ast.walk(function)
            if isinstance(node, ast.Import | ast.ImportFrom)
        }
    )
    blocks: list[tuple[int, int]] = []
    for first, last in inside:
        if blocks and first - blocks[-1][1] <= 2:
            blocks[-1] = (blocks[-1][0], last)
        else:
            blocks.append((first, last))
    for first, last in blocks:
        near = [*lines[first - 1 : last], *(line for line in lines[first - 2 : first - 1] if line.strip()[:1] == "#")]
        if not any("#" in line for line in near):
            yield f"{module.name}:{first}"


def test_a_module_gives_a_name_once() -> None:
    """A constant given twice is, for all its readers, the second one."""
    found = []
    for name, module in modules().items():
        given = Counter(
            target.id
            for node in module.tree.body
            for target in (node.targets if isinstance(node, ast.Assign) else ())
            if isinstance(target, ast.Name)
        )
        found += [f"{name}: {each}" for each, times in given.items() if times > 1]
    assert found == []


def test_a_docstring_names_what_is_there() -> None:
    """Each name under Parameters or Attributes is a parameter, or stands in the class."""
    found = [
        f"{name}:{node.name}: {word}"
        for name, module in modules().items()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for word in _named_in(ast.get_docstring(node) or "")
        if word not in _there(node)
    ]
    assert found == []


def _named_in(text: str) -> Iterator[str]:
    for section in re.findall(r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=\n\n\S|\n\S+\n-{3,}|\Z)", text, re.S | re.M):
        for names in re.findall(r"^(\S.*?) :", section, re.M):
            yield from (name.strip().lstrip("*") for name in names.split(","))


def _there(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return a function's parameters; of a class what is assigned or defined in it, and its methods' parameters."""
    found: set[str] = set()
    for each in ast.walk(node):
        if isinstance(each, ast.arg):
            found.add(each.arg)
        elif isinstance(node, ast.ClassDef) and isinstance(each, ast.Name | ast.Attribute | ast.FunctionDef):
            own = each.id if isinstance(each, ast.Name) else each.attr if isinstance(each, ast.Attribute) else each.name
            found.add(own)
    return found


def test_the_glossary_has_the_interface_s_own_words() -> None:
    """Each word stands in a sentence of the catalogues: those of the first table, and German and French ones."""
    said: dict[str, str] = {}
    for path in sorted((ROOT / "resources/translations").glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        code = path.stem.rpartition(".")[2]
        said["en"] = said.get("en", "") + "\n".join(_texts(table, keys=True)).casefold()
        said[code] = said.get(code, "") + "\n".join(_texts(table, keys=False)).casefold()
    own, _, foreign = (ROOT / "docs/glossary.md").read_text(encoding="utf-8").partition("## German and French")
    missing = [word for row in _rows(own) for word in _words(row[0]) if word not in said["en"]]
    for row in _rows(foreign):
        for code, cell in zip(("de", "fr"), row[1:], strict=False):
            missing += [word for word in _words(cell) if word not in said[code]]
    assert len(_rows(own)) > 30
    assert missing == []


def _texts(table: Mapping[str, object], *, keys: bool) -> Iterator[str]:
    for name, value in table.items():
        if keys:
            yield name
        if isinstance(value, dict):
            yield from _texts(value, keys=keys)
        elif not keys:
            yield str(value)


def _rows(text: str) -> list[list[str]]:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:2] == "| "]
    return rows[1:]


def _words(cell: str) -> list[str]:
    bare = re.sub(r"\(.*?\)", "", cell)
    return [word for each in re.split("[,;]", bare) if (word := each.strip().casefold())]

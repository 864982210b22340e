"""How the code may stand, read from the files themselves; layers are import contracts in pyproject.toml."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from scripts.count_lines import HELD, figures, lazy_imports
from scripts.draw_packages import PACKAGE, ROOT, Module, between_rooms, circles, modules, picture

WIDEST = 16  # modules in a folder, beside its door
_NAMED = re.compile(r"`((?:core|files|gui|cli|compare|report)[./][\w./]+)`")
_PATHS = re.compile(r"`((?:\.ci|docs|scripts|resources|tests|packaging|installer|benchmarks|splu_desktop)/[\w./*-]+)`")
_BARE_PATHS = re.compile(r"(?<![\w./-])((?:core|files|gui|cli|compare|report|tests)/[\w/]+\.py)")
_LINKS = re.compile(r"\]\((?!https?:|#|mailto:)([^)#]+)")
_PARTICIPLES = re.compile(
    r"(told|said|found|known|drawn|shown|made|kept|held|sought|written|given|taken|met|hidden|chosen|seen|lost|spoken|borne|spoilt|sent|lent|built|(?!feed)[a-z]+ed)"
)
_LONE = "up|out|apart|together|through|over|again|otherwise|plainly|briefly|alike|by|of|from|as"  # no nouns
_NO_NOUN = rf"{_PARTICIPLES.pattern}(_({_LONE}))?"
_TEXTS = {f"{PACKAGE}.core.messages"}  # a text made for a sentence may be `listed` or `quoted`
_NOUNS = {"published", "exposed", "unexposed", "unbiased", "seed"}  # the glossary's table, epidemiology's words
_FAULTS = {"Cancelled", "Encrypted", "Refused", "Ended"}  # are called by what happened, as Python's are
_IN_FILES = re.compile(  # fields that a recipe, a report, or a table for recipients names; and colours
    r"core\.(audience\.Audience|policy\.limits\.Limits|answer\.crosstab\.Cell)\.|report\.(\w*facts|law)\.|"
    r"files\.importer\.choices\.(SheetFacts|MissingToken)\.|gui\.base\.theme\.Colours\."
)
_HEAVY = re.compile(r"scipy\.(stats|integrate|interpolate|ndimage|spatial|signal|fft)\b")  # not in the installers


def _package(name: str) -> list[Module]:
    return [module for module in modules().values() if module.name.startswith(f"{PACKAGE}.{name}")]


def test_no_folder_holds_more_than_one_can_look_over() -> None:
    wide = Counter(module.path.parent for module in modules().values() if module.path.name != "__init__.py")
    assert {str(folder): n for folder, n in wide.items() if n > WIDEST} == {}


def test_no_module_and_no_package_imports_itself_by_a_detour() -> None:
    # A folder's __init__ hands out what stands in it, so it is no module of its own here.
    doors = {name for name, module in modules().items() if module.path.name == "__init__.py"}
    known = {name: module.known - doors for name, module in modules().items() if name not in doors}
    assert circles(known) == []
    assert circles(between_rooms()) == []


def test_the_code_is_within_its_budgets() -> None:
    over = [each for each in figures() if each.name in HELD and not each.kept]
    assert not over, "python scripts/count_lines.py prints them all"


def test_imports_inside_functions_are_few_and_say_why() -> None:
    assert lazy_imports() <= 40
    assert [place for module in modules().values() for place in _silent(module)] == []


def test_randomness_is_touched_by_the_trusted_core_alone() -> None:
    """In the core; `compare` publishes on paper, and names of folders and ids are no part of a release's draw."""
    sources = re.compile(r"\b(np\.random|numpy\.random|urandom|getrandom|import random|import secrets|uuid4)\b")
    found = {module.name for module in _package("core") if sources.search(module.text)}
    assert found == {f"{PACKAGE}.core.mechanism.randomness"}


def test_functions_are_verbs_where_no_participle_is_left_without_a_noun() -> None:
    bare = [
        f"{module.name}.{node.name}"
        for module in modules().values()
        if module.name not in _TEXTS
        for node in module.nodes
        if isinstance(node, ast.FunctionDef) and re.fullmatch(_NO_NOUN, node.name.strip("_"))
        if node.name.split("_")[0] not in _NOUNS
        if not any(ast.unparse(each) in ("property", "cached_property") for each in node.decorator_list)
    ]
    assert bare == []


def test_no_variable_is_called_by_what_anything_could_be_called() -> None:
    """`own` stood for codes, a recipe, a block; `found`, `told`, `said`, `made` for whatever a function returned."""
    assert [
        f"{module.name}:{node.lineno} {name}"
        for module in modules().values()
        for node in module.nodes
        if isinstance(node, ast.Name | ast.arg)
        and (name := node.id if isinstance(node, ast.Name) else node.arg) in ("own", "found", "told", "said", "made")
        if name != "own" or "compare" not in module.name  # where it means the custodian's own questions
    ] == []


def test_nobody_asks_a_role_by_its_word() -> None:
    """A release with a role that was added could be written and not be read again: what follows is its properties."""
    assert [
        f"{module.name}:{node.lineno}"
        for module in modules().values()
        for node in module.nodes
        if isinstance(node, ast.Compare)
        and any(isinstance(each, ast.Constant) and each.value in ("sa", "nsa", "dropped") for each in node.comparators)
    ] == []


def test_no_conditional_stands_within_another() -> None:
    """Three outcomes on one line are read twice: a name for the inner one, an `if` or a table says which is which."""
    assert [
        f"{module.name}:{node.lineno}"
        for module in modules().values()
        for node in module.nodes
        if isinstance(node, ast.IfExp)
        and any(isinstance(each, ast.IfExp) for each in ast.walk(node) if each is not node)
    ] == []


def test_modules_are_called_by_what_they_hold() -> None:
    assert [
        m.name for m in modules().values() if _PARTICIPLES.fullmatch(m.path.stem) and m.path.stem not in _NOUNS
    ] == []


def test_classes_and_what_they_hold_are_called_by_nouns() -> None:
    bare = [
        f"{module.name}.{name}"
        for module in modules().values()
        for node in module.nodes
        if isinstance(node, ast.ClassDef) and node.name[0] != "_"
        for name in (node.name, *(f"{node.name}.{each}" for each in _held_by(node)))
        for own in (name.rpartition(".")[2],)
        if _PARTICIPLES.fullmatch(own[0].lower() + own[1:])  # a compound is none
        if own.lower() not in _NOUNS and own not in _FAULTS
        if not _IN_FILES.search(f"{module.name}.{name}")
    ]
    assert bare == []


def test_the_trusted_core_states_law_and_test() -> None:
    """Each of its public functions that draws or bounds says its law, and the tests it names are there."""
    texts = {module.path.stem: module.text for module in _package("core.mechanism")}
    for name in ("cell_noise", "classes", "decoy_groups", "law", "lenders", "published_numbers", "randomness"):
        assert re.search(r"Law( \d)?:|Law 1:|Proof:", texts[name]), name
    named = {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    missing = {test for text in texts.values() for test in re.findall(r"\b(test_\w+\.py)", text) if test not in named}
    assert missing == set()


def test_each_public_function_of_the_trusted_core_says_law_proof_and_test() -> None:
    """For itself, or its class for all; what only names, makes or refuses has no law."""
    plain = {"with_gamma", "check", "number", "of_records", "of_persons", "bits"}
    formulas = {"binomial", "poisson"}
    silent, named = [], set[str]()
    for module in _package("core.mechanism"):
        if module.path.stem in ("__init__", "draw"):  # the interface
            continue
        for node in module.tree.body:
            own = ast.get_docstring(node) or "" if isinstance(node, ast.FunctionDef | ast.ClassDef) else ""
            parts = [(node.name, own)] if isinstance(node, ast.FunctionDef) and node.name not in formulas else []
            if isinstance(node, ast.ClassDef):
                inner = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name not in plain]
                parts = [(each.name, f"{own} {ast.get_docstring(each) or ''}") for each in inner]
            for name, text in parts:
                named |= set(re.findall(r"\b(test_\w+)\b(?!\.py)", text))
                if not name.startswith("_") and not all(
                    re.search(each, text) for each in ("[Ll]aw", "[Pp]roof", "Test: ")
                ):
                    silent.append(f"{module.name}.{name}")
    assert silent == []
    there = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)", path.read_text("utf-8"))
    }
    assert named - there == set()


def test_nothing_imports_what_the_installers_leave_out() -> None:
    found = {module.name for module in modules().values() if _HEAVY.search(module.text)}
    found |= {m.name for m in modules().values() if re.search(r"from scipy import .*\b(stats|signal)\b", m.text)}
    assert found == set()


def test_distinct_numbers_are_found_in_one_way() -> None:
    # NumPy's own, asked for nothing but the numbers, is a hash table that fills slowly (`core.table.unique`); of labels
    # it lays each beside all others, which takes a minute for 30,000 (`Column.code_of`).
    slow = [
        f"{module.path}:{node.lineno}"
        for module in modules().values()
        for node in module.nodes
        if isinstance(node, ast.Call)
        and not node.keywords
        and (ast.unparse(node.func) == "np.unique" or re.match(r"np.isin\(.*labels, .*labels", ast.unparse(node)))
    ]
    assert slow == []


def test_every_folder_says_what_it_is() -> None:
    doors = [m for m in modules().values() if m.path.name == "__init__.py" and m.path.parent.parent.name != ""]
    inner = [m for m in doors if len(m.path.relative_to(ROOT / PACKAGE).parts) > 2]
    assert inner
    assert [m.name for m in inner if not ast.get_docstring(m.tree)] == []


def test_a_module_that_words_name_is_there() -> None:
    texts = {str(module.path.relative_to(ROOT)): module.text for module in modules().values()}
    pages = [ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    texts |= {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in pages}
    named = [(where, name) for where, text in texts.items() for name in _NAMED.findall(text)]
    assert len(named) > 20
    assert [f"{where}: {name}" for where, name in named if not _known(name)] == []
    paths = [f"/{path.relative_to(ROOT)}" for path in ROOT.rglob("*.py") if ".venv" not in path.parts]
    bare = [(where, name) for where, text in texts.items() for name in _BARE_PATHS.findall(text)]
    assert len(bare) > 20
    assert [f"{where}: {name}" for where, name in bare if not any(each.endswith(f"/{name}") for each in paths)] == []
    named = [(where, name) for where, text in texts.items() for name in re.findall(r"`([a-z_]+(?:/\w+)+\.py)", text)]
    assert [f"{where}: {name}" for where, name in named if not any(each.endswith(f"/{name}") for each in paths)] == []
    functions = [(m.path.stem, each) for m in modules().values() for each in m.tree.body]
    there = {f"{stem}.{each.name}" for stem, each in functions if isinstance(each, ast.FunctionDef)}
    private = [(where, name) for where, text in texts.items() for name in re.findall(r"`(\w+\._\w+)`", text)]
    assert private
    assert [f"{where}: {name}" for where, name in private if name not in there] == []


def test_a_path_that_documents_name_is_there() -> None:
    pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")] + [*(ROOT / "docs").rglob("*.md")]
    named = [(page, name) for page in pages for name in _PATHS.findall(page.read_text(encoding="utf-8"))]
    linked = [(page, name) for page in pages for name in _LINKS.findall(page.read_text(encoding="utf-8"))]
    assert len(named) > 50
    assert linked
    gone = [name for page, name in linked if not (page.parent / name).exists()]
    gone += [name for _, name in named if not any((ROOT / name).parent.glob((ROOT / name).name))]
    assert gone == []


def test_the_picture_shows_every_package_there_is() -> None:
    # Not compared line by line: an arrow more is no reason to stop whoever draws it.
    drawn = (ROOT / "docs/images/packages.svg").read_text(encoding="utf-8")
    words = re.compile(r"<text x[^>]*>([^<]*)</text>")
    assert set(words.findall(drawn)) == set(words.findall(picture())), "run python scripts/draw_packages.py"


def _held_by(node: ast.ClassDef) -> Iterator[str]:
    """Give the names of a class's public fields and properties."""
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.target.id[0] != "_":
            yield each.target.id
        elif isinstance(each, ast.FunctionDef) and each.decorator_list and each.name[0] != "_":
            yield each.name


def _known(name: str) -> bool:
    """Whether `core/table`, `core.mechanism`, `core.table.Column` or `core/answer/__init__.py` is there."""
    parts = name.strip("/.").removesuffix(".py").removesuffix("/__init__").replace("/", ".").split(".")
    ends = next(at for at in range(len(parts), -1, -1) if ".".join([PACKAGE, *parts[:at]]) in modules())
    text = modules()[".".join([PACKAGE, *parts[:ends]])].text
    return all(re.search(rf"^\s*(?:def |class )?{each}\b", text, re.M) for each in parts[ends:])


def _silent(module: Module) -> Iterator[str]:
    """Give the places of imports inside functions with no comment on any line of theirs, nor on the one above."""
    lines = module.text.splitlines()
    functions = [each for each in module.nodes if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    imports = [each for each in module.nodes if isinstance(each, ast.Import | ast.ImportFrom) and each.col_offset]
    inside = sorted(
        (each.lineno, each.end_lineno or each.lineno)
        for each in imports
        if any(function.lineno < each.lineno <= (function.end_lineno or 0) for function in functions)
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


def test_a_docstring_names_what_is_there() -> None:
    """Each name under Parameters or Attributes is a parameter, or stands in the class."""
    found = [
        f"{name}:{node.name}: {word}"
        for name, module in modules().items()
        for node in module.nodes
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for word in _named_in(ast.get_docstring(node) or "")
        if word not in _there(node)
    ]
    assert found == []


def _named_in(text: str) -> Iterator[str]:
    for section in re.findall(r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=\n\n\S|\n\S+\n-{3,}|\Z)", text, re.S | re.M):
        for names in re.findall(r"^(\S.*?) :", section, re.M):
            yield from (name.strip().lstrip("*") for name in names.split(","))


@cache
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


def _rows(text: str) -> list[list[str]]:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:2] == "| "]
    return rows[1:]


def test_the_glossary_is_short_and_says_each_word_once() -> None:
    own, _, _ = (ROOT / "docs/glossary.md").read_text(encoding="utf-8").partition("## German and French")
    words = [row[0].casefold() for row in _rows(own)]
    assert 20 < len(words) <= 60
    assert len(set(words)) == len(words)

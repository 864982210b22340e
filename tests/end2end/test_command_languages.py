"""What the commands say to people is in their language; what programs read is not."""

from __future__ import annotations

import argparse
import ast
import builtins
import csv
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from splu_desktop import __version__
from splu_desktop.cli.base.effects import SaidOnce
from splu_desktop.cli.base.output import speak
from splu_desktop.cli.main import _COMPLAINTS, COMMANDS, build_parser, main
from splu_desktop.core.messages import Phrase
from splu_desktop.files.language import LANGUAGES, language

CLI = Path(__file__).parents[2] / "splu_desktop" / "cli"
ENGLISH_HELP = re.compile(r"(?<!-)\b(the|of|with|which|there|show|write|may be|and|by(?! age))\b(?![-=])")
ENGLISH = re.compile(r"\b(the|of|records|with|which|there|column|values?|counts?|is|by)\b")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "ward.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("Sexe", "Âge", "شكوى"))
        rows.writerows(("fm"[i % 2], 20 + i % 7, f"K{(i * 7919) % 11}") for i in range(900))
    return path


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    try:
        status = main(list(map(str, words)))
    except SystemExit as left:
        status = int(left.code or 0)
    said = capsys.readouterr()
    return status, said.out, said.err


PLAN = ("--sa", "شكوى", "--nsa", "Sexe", "--drop", "Âge", "--gamma", 3, "--person", "none")


def way(table: Path, out: Path) -> list[tuple[object, ...]]:
    release = out / "release"
    return [
        ("inspect", table),
        ("propose", table, "--table", "شكوى by Sexe"),
        ("plan", table, *PLAN),
        ("publish", table, *PLAN, "--accept-all", "A test of words", "--out", release),
        ("query", release, "شكوى=K1", "Sexe=f"),
        ("releases",),
        ("verify", release),
        ("crosstab", release, "--by", "Sexe", "--sa", "شكوى"),
        ("tables", release, "--out", out / "book.html"),
        ("analyse", release, "share", "شكوى=K1"),
        ("report", release, "--out", out / "report.json"),
        ("verify", out / "report.json", release),
        ("handover", release, "--out", out / "release.zip"),
        ("guarantee", "--gamma", 5, "--curves"),
        ("--self-test",),
    ]


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_the_way_from_file_to_answer_is_told_in_the_language(
    code: str, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in way(table, tmp_path):
        status, out, err = run(capsys, *words, "--lang", code)
        assert (status in (0, 3), err) == (True, "")  # 3 where a line of a verdict is open
        # Names of the options' own words (SA, Âge) and of files stay, and a command to copy.
        lines = [line.replace(str(tmp_path), "") for line in out.splitlines() if not line.strip().startswith("splu ")]
        left = [line for line in lines if ENGLISH.search(line)]
        assert not left, words


@pytest.mark.parametrize("words", [("plan", "TABLE", "--sa", "Nobody"), ("plan", "TABLE", "--gamma"), ("plan",),
                                   ("query", "nowhere"), ("publish", "TABLE"), ("plan", "TABLE", "--person", "Sexe=x"),
                                   ("plan", "TABLE", "--sa", "شكوى", "--gamma", "0"),
                                   ("plan", "TABLE", "--sa", "Sexe", "--no-such"), ("plan", "none.csv"),
                                   ("verify", "nowhere"), ("query", "TABLE")])  # fmt: skip
def test_every_fault_is_told_in_the_language(
    words: tuple[str, ...], table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [str(table) if word == "TABLE" else word for word in words]
    said = {}
    for code in LANGUAGES:
        status, out, err = run(capsys, "--lang", code, *asked)
        assert (status, out) == (2, "")
        assert err.count("\n") == 1
        said[code] = err
    assert len(set(said.values())) == len(LANGUAGES), said


def test_a_fault_is_one_object_of_json_as_well(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (("plan", table, "--sa", "Sex"), ("publish", table), ("query", table), ("verify", table, "--sa", "x")):
        status, out, err = run(capsys, *words, "--json")
        assert (status, json.loads(out)["status"]) == (2, 2)
        assert err == f"splu: {json.loads(out)['error']}\n"


@pytest.mark.parametrize("words", [("inspect", "--sa", "note"), ("propose", "--recip", "note")])
def test_an_option_is_never_meant_by_its_beginning(
    table: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`inspect --sa note` wrote a recipe called note, as --save-recipe would."""
    monkeypatch.chdir(table.parent)
    before = sorted(table.parent.iterdir())
    status, _, err = run(capsys, words[0], table, *words[1:])
    assert (status, sorted(table.parent.iterdir())) == (2, before)
    assert words[1] in err


def test_a_path_that_cannot_be_read_is_told_with_its_option(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for option, value in (("--recipe", tmp_path), ("--generalise", f"Sexe:groups={tmp_path / 'none.csv'}"),
                          ("--set", "types.none=text"), ("--set", "none=1")):  # fmt: skip
        status, _, err = run(capsys, "propose", table, "--sa", "Sexe", option, value)
        assert (status, err.startswith(f"splu: {option}: "), len(err.split(": ", 2)[2].split()) <= 25) == (
            2,
            True,
            True,
        )


def test_a_refusal_names_each_open_line_beside_its_object(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, "publish", table, *PLAN, "--signed", "no", "--out", tmp_path / "r", "--json")
    waiting = [each["name"] for each in json.loads(out)["gate"] if each["light"] != "green"]
    assert status == 3
    assert [line.rpartition(" ")[2] for line in err.splitlines()] == [f"{name}=REASON" for name in waiting]


def _wrong(parser: argparse.ArgumentParser) -> Iterator[list[str]]:
    """Yield what may be typed wrongly behind a command: one of each kind, and nothing where it needs something."""
    if any(action.required for action in parser._actions):
        yield []
    spelled = {option: action for option, action in parser._option_string_actions.items() if option[:2] == "--"}
    kinds: dict[str, list[str]] = {}
    for option, action in spelled.items():
        if action.nargs == 0:
            kinds.setdefault("switch", [f"{option}=x"])
        elif action.nargs is None:
            kinds.setdefault("bare", [option])
        if action.choices or action.type in (int, float):
            kinds.setdefault(f"such {bool(action.choices)} {action.type}", [option, "such"])
        if isinstance(action, SaidOnce) and option != "--lang":
            kinds.setdefault("twice", 2 * [option, str(next(iter(action.choices or "1")))])
    yield from kinds.values()
    yield from (["such"] for each in parser._actions if isinstance(each, argparse._SubParsersAction))


def test_whatever_is_typed_wrongly_is_answered_by_what_to_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each kind of fault in some commands, in the languages by turns; argparse's own phrases stood there."""
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")  # what language is meant is said wrongly, too
    complaints = [instead.template for _, instead in _COMPLAINTS]
    met: set[str] = set()
    codes = itertools.cycle(LANGUAGES)
    names = ("splu", "splu publish", "splu compare", "splu report", "splu analyse")
    for parser in [each for each in _parsers(build_parser()) if each.prog in names]:
        for words in _wrong(parser):
            code = next(codes)
            status, out, err = run(capsys, "--lang", code, *parser.prog.split()[1:], *words)
            speaks = language("de" if words[0:1] == ["--lang"] else code)
            own = [speaks.core.get(each, each) for each in complaints]
            shapes = [".*".join(map(re.escape, re.split(r"\{\w+\}", each))) for each in own]
            found = [each for each, shape in zip(complaints, shapes, strict=True)
                     if re.match(rf"splu: (--[\w/-]+: )?{shape}", err)]  # fmt: skip
            assert (status, out, err.count("\n")) == (2, "", 1), (parser.prog, words)
            assert found, (parser.prog, words, err)
            met.update(found)
    assert met == set(complaints)


def test_the_language_is_the_systems_unless_said(
    table: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    said = {}
    for name, value in (("LANG", "de_AT.UTF-8"), ("LC_MESSAGES", "fr_CA"), ("LC_ALL", "C.UTF-8"), ("LC_ALL", "pl_PL")):
        monkeypatch.setenv(name, value)  # each outdoes the one before
        said[value] = run(capsys, "inspect", table)[1]
    assert "Spalte" in said["de_AT.UTF-8"]
    assert "colonne" in said["fr_CA"]
    assert said["C.UTF-8"] == said["pl_PL"] == run(capsys, "inspect", table, "--lang", "en")[1]


def test_names_from_right_to_left_turn_nothing_round(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is isolated by itself, in tables and in lists; what isolates takes no room of a column of a table."""
    names, path = ("شكوى", "تشخيص"), tmp_path / "ward.csv"
    rows = "".join(f"{'fm'[i % 2]},K{i * 7919 % 5},L{i * 31 % 4}\n" for i in range(400))
    path.write_text(f"sex,{','.join(names)}\n{rows}", "utf-8")
    for words in (("inspect", path), ("plan", path, "--sa", ",".join(names), "--nsa", "sex", "--gamma", 2)):
        out = run(capsys, *words)[1]
        parts = re.findall("\u2068[^\u2069]*\u2069", out)
        assert {sum(name in part for name in names) for part in parts} == {1}
        assert not any(name in re.sub("\u2068[^\u2069]*\u2069", "", out) for name in names)
    table = run(capsys, "inspect", path)[1].split("\n\n")[1].translate({0x2068: None, 0x2069: None}).splitlines()
    assert {line[:8].rstrip() for line in table} == {"column", "sex", *names}
    assert len({line.index(word) for line, word in zip(table, ("type", *3 * ["category"]), strict=True)}) == 1


def test_json_is_the_same_in_every_language(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (("inspect", table), ("plan", table, *PLAN)):
        made = {run(capsys, *words, "--json", "--lang", code)[1] for code in LANGUAGES}
        assert len(made) == 1
        assert json.loads(made.pop())


def _parts(text: object) -> set[str]:
    """Return the templates that a text is made of: of mere layout, those of what is laid out."""
    if not isinstance(text, Phrase):
        return set()
    layout = re.sub(r"[{]\w+[}]|\s", "", text.template) == ""
    return set().union(*map(_parts, text.values.values())) if layout else {text.template}


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_every_help_is_in_the_language(code: str) -> None:
    """No line of any help is an English sentence: every text that argparse is given is one of the catalogues."""
    speak(code)
    parsers = list(_parsers(build_parser()))
    assert len(parsers) > 20
    for parser in parsers:
        texts = [parser.description, parser.epilog, *(action.help for action in parser._actions)]
        texts += [text for group in parser._action_groups for text in (group.title, group.description)]
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                texts += [choice.help for choice in action._choices_actions]
        said = [text for text in texts if text and text not in (argparse.SUPPRESS, "COLUMN=VALUE")]
        assert not [text for text in said if not isinstance(text, Phrase)]
        assert not [text for text in said if not _parts(text) <= language(code).core.keys()]
        shown = re.sub("'[^']*'", "", parser.format_help())  # a table is asked for in one way: 'result by age, sex'
        left = [line for line in shown.splitlines() if ENGLISH_HELP.search(line)]
        assert not left, parser.prog


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_a_command_writes_is_in_the_language_it_speaks_unless_said(code: str) -> None:
    speak(code)
    writing = [one for one in _parsers(build_parser()) if any(each.dest == "language" for each in one._actions)]
    assert {one.prog.split()[-1] for one in writing} >= {"report", "compare"}
    assert {one.get_default("language") for one in writing} == {code}
    for other in LANGUAGES:
        given = ["report", "release", "--out", "r.pdf", "--language", other, "--lang", code]
        assert build_parser().parse_args(given).language == other


def test_help_of_a_command_is_printed_in_the_language(capsys: pytest.CaptureFixture[str]) -> None:
    for code, words in (("de", ("Aufruf: splu verify", "Optionen:")), ("fr", ("usage\u00a0: splu verify", "options:"))):
        status, out, err = run(capsys, "verify", "--help", "--lang", code)
        assert (status, err) == (0, "")
        assert all(word in out for word in words), out


def test_the_version_reads_the_same_in_every_language(capsys: pytest.CaptureFixture[str]) -> None:
    assert {run(capsys, "--lang", code, "--version")[1] for code in LANGUAGES} == {f"splu {__version__}\n"}


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from _parsers(each)


def _texts(tree: ast.AST) -> list[tuple[int, str]]:
    """Return the texts of a module that go through no `say`, nor `tell` or a fault, which do; an f-string as one."""
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    raised = {id(node.exc) for node in ast.walk(tree) if isinstance(node, ast.Raise)}
    for node in ast.walk(tree):
        name = (getattr(node.func, "attr", "") or getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
        if name == "say":
            silent |= {id(part) for part in ast.walk(node)}
        elif name in ("tell", "line_of") or (name and id(node) in raised and not hasattr(builtins, name)):
            given = [*node.args[:1], *(each.value for each in node.keywords)]
            silent |= {id(part) for part in given if isinstance(part, ast.Constant)}
        elif name in ("add_command", "takes", "switch", "several"):  # as it is typed, and what it means, said there
            silent |= {id(part) for part in node.args[1:3] if isinstance(part, ast.Constant | ast.JoinedStr)}
        elif isinstance(node, ast.keyword) and node.arg == "metavar":  # what is typed, as it is typed
            silent.add(id(node.value))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and id(node) not in silent:
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
            silent |= {id(part) for part in ast.walk(node)}
            found.append((node.lineno, "".join(map(str, parts))))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            found.append((node.lineno, node.value))
    return found


@pytest.mark.parametrize("path", sorted(CLI.rglob("*.py")), ids=lambda path: path.stem)
def test_no_sentence_goes_past_the_catalogue(path: Path) -> None:
    texts = _texts(ast.parse(path.read_text(encoding="utf-8")))
    # What argparse says, to be said otherwise, commands, and what the core calls two kinds of analyses.
    other = re.compile(r"\(\?P<|(^|  )splu |^(risk|odds) ratio$")
    texts = [text for text in texts if not other.search(text[1])]
    assert not [text for text in texts if re.search(r"[A-Za-z’']{2,},? [a-z]", text[1])]


@pytest.mark.parametrize("path", sorted(CLI.rglob("*.py")), ids=lambda path: path.stem)
def test_no_word_is_printed_past_the_catalogue(path: Path) -> None:
    symbols = {"T_P", "T_f", "T_E", "Chebyshev"}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("print_table", "tell", "input"):
            for lists in [arg for arg in node.args if isinstance(arg, ast.List | ast.Tuple)]:
                plain = [each.value for each in lists.elts if isinstance(each, ast.Constant)]
                assert not [word for word in plain if str(word) and word not in symbols], f"{path.name}:{node.lineno}"


def test_each_command_is_found_by_itself_as_among_all() -> None:
    (every,) = (each for each in build_parser()._actions if each.dest == "command")
    assert every.choices is not None
    assert set(every.choices) == set(COMMANDS)
    for name in COMMANDS:
        (alone,) = (each for each in build_parser([name])._actions if each.dest == "command")
        assert name in (alone.choices or ())
        assert set(alone.choices or ()) <= {each for each, module in COMMANDS.items() if module == COMMANDS[name]}

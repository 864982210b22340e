"""Manual pages and completion come from the parsers: nothing is missing there, and a shell completes by them."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from splu_desktop.__main__ import build_parser as window_parser
from splu_desktop.cli.base.output import translate
from splu_desktop.cli.main import build_parser

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "packaging"))

import facts  # noqa: E402
import linux  # noqa: E402
import manual  # noqa: E402


@cache
def files() -> dict[str, str]:
    """The files, made by the first test: while tests are gathered, kinds that others add are known."""
    return manual.files()


def _parsers() -> dict[str, argparse.ArgumentParser]:
    splu = build_parser()
    commands = {f"splu-{name}": parser for name, parser in manual._commands(splu).items()}
    return {"splu": splu, "splu-desktop": window_parser(), **commands}


def _plain(page: str) -> str:
    page = re.sub(r"\\\[u([0-9A-F]{4,6})\]", lambda found: chr(int(found[1], 16)), page)
    return page.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")


@pytest.mark.parametrize("name", _parsers())
def test_a_page_names_every_option_with_its_words(name: str) -> None:
    parser, page = _parsers()[name], files()[f"man/man1/{name}.1"]
    plain = _plain(page)
    for action in parser._actions:
        if action.help is argparse.SUPPRESS or isinstance(action, argparse._SubParsersAction):
            assert not any(f".B {option}" in plain for option in action.option_strings)
            continue
        for option in action.option_strings:
            assert re.search(rf"^\.B .*{re.escape(option)}\b", plain, re.MULTILINE), option
        words = parser._get_formatter()._expand_help(action) if action.help else ""
        assert " ".join(words.split()) in plain
    for line in (translate(parser.epilog) if parser.epilog else "").splitlines():
        assert line in plain
    for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
        assert f".SH {heading}\n" in page
    # What troff takes for a request is one of ours.
    assert {line.split()[0] for line in page.splitlines() if line[:1] in (".", "'")} <= {
        ".TH",
        ".SH",
        ".TP",
        ".B",
        ".BR",
        ".ad",
        ".nf",
        ".fi",
        ".fchar",
    }


def test_every_command_has_a_page_and_the_page_of_all_names_it() -> None:
    names = {f"man/man1/{name}.1" for name in _parsers()}
    own = {f"man/{code}/man1/{name}.1" for code in ("de", "fr") for name in _parsers() if name != "splu-desktop"}
    assert names | own == {place for place in files() if place.startswith("man/")}
    for name in _parsers():
        if name.startswith("splu-"):
            assert f".BR {name} (1)" in _plain(files()["man/man1/splu.1"])


def test_pages_speak_the_languages_of_the_command_line() -> None:
    german, french, english = (_plain(files()[f"man/{code}man1/splu-publish.1"]) for code in ("de/", "fr/", ""))
    assert "Befehlszeile" in _plain(files()["man/de/man1/splu.1"])
    assert ".SH ÜBERSICHT\n" in german
    assert ".SH CODE DE RETOUR\n" in french
    assert len(set(map(len, (german, french, english)))) == 3
    assert set(re.findall(r"--[a-z-]+", english)) == set(re.findall(r"--[a-z-]+", german))


def test_text_that_troff_would_take_for_a_request_is_shown() -> None:
    parser = argparse.ArgumentParser(prog="splu x", description=".SH no heading")
    parser.add_argument("--of", help=r"'quoted' 5 %% of \n")
    page = manual.page(parser, "s", ["splu"])
    assert "\\&.SH no heading" in page
    assert "\\&'quoted' 5 % of \\en" in page


def test_a_page_is_read_in_every_locale() -> None:
    """A page is ASCII; a terminal without the ellipsis, for which groff has no other way, is told one."""
    assert all(text.isascii() for place, text in files().items() if place.startswith("man/"))
    parser = argparse.ArgumentParser(prog="splu x", description="“A”, B, …")
    page = manual.page(parser, "s", ["splu"])
    assert "\\[u201C]A\\[u201D], B, \\[u2026]" in page
    assert re.findall(r"^\.fchar .*", page, re.MULTILINE) == [".fchar \\[u2026] ..."]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["splu", "pub"], {"publish"}),
        (["splu", "publish", "--gam"], {"--gamma"}),
        (["splu", "--self"], {"--self-test"}),
        (["splu-desktop", "--smoke"], {"--smoke-test"}),
    ],
)
def test_bash_completes_by_them(words: list[str], completed: set[str], tmp_path: Path) -> None:
    script = tmp_path / "completion"
    script.write_text(files()[f"bash-completion/completions/{words[0]}"], "utf-8")
    ask = f"""
source {script}
COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; COMP_LINE="{" ".join(words)}"; COMP_POINT=${{#COMP_LINE}}
read -r _ _ function _ < <(complete -p {words[0]} | sed 's/.*-F/x x/')
"$function" {words[0]} {words[-1]} {words[-2]}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    told = subprocess.run(["bash", "--norc", "-c", ask], capture_output=True, text=True, check=True)
    assert {line.strip() for line in told.stdout.split()} == completed, told.stderr


def test_the_build_writes_them_from_its_own_copy_whatever_is_spoken_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy that bears the number holds all that the code reads when it is imported; a build speaks English."""
    monkeypatch.setenv("SPLU_VERSION", "0.0.9.dev1")
    for name in ("LC_ALL", "LANG", "LANGUAGE"):
        monkeypatch.setenv(name, "de_DE.UTF-8")
    linux.manual(facts.numbered(tmp_path), tmp_path / "share")
    written = {path.relative_to(tmp_path / "share").as_posix() for path in (tmp_path / "share").rglob("*.*1")}
    assert written == {place for place in files() if place.startswith("man/")}
    assert "hand out a sensitive table" in (tmp_path / "share/man/man1/splu.1").read_text("utf-8")

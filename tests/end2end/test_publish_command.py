"""`splu publish`, `releases`, `verify` and `handover`: the gate, the register and the checks by command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splu_desktop.cli import main
from splu_desktop.files.disk.partial import MARK
from splu_desktop.files.disk.place import data_folder
from splu_desktop.files.release.described import DESCRIBED


@pytest.fixture
def source(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    path = tmp_path / "visits.csv"
    lines = [
        f"{i + 70000},{rng.integers(0, 90)},W{rng.integers(0, 9)},{rng.choice(list('abcdefgh'))}" for i in range(800)
    ]
    path.write_text("patient number,age,ward,diagnosis\n" + "\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture
def recipe(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "R.toml"
    assert main(["plan", str(source), "--sa", "diagnosis:4", "--save-recipe", str(path)]) == 0
    capsys.readouterr()
    return path


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    capsys.readouterr()
    status = main([str(arg) for arg in args])
    out, err = capsys.readouterr()
    return status, out, err


def run_json(capsys: pytest.CaptureFixture[str], *args: object) -> Any:
    status, out, err = run(capsys, *args, "--json")
    assert status == 0, err
    return json.loads(out)


def test_a_first_release_goes_through_with_warnings(source: Path, tmp_path: Path, capsys: Any) -> None:
    status, out, err = run(capsys, "publish", source, "--sa", "diagnosis:4", "--out", tmp_path / "r")
    assert (status, err) == (0, "")
    assert "Warning: " in out
    assert "are unique in the columns published unchanged" in out
    assert {path.name for path in (tmp_path / "r").iterdir()} == {
        "table.csv", "release.json", "README.txt", "dictionary.csv", "splu_release.py", "splu_release.R", *DESCRIBED,
    }  # fmt: skip


def test_every_amber_line_is_printed(source: Path, tmp_path: Path, capsys: Any) -> None:
    """A diagnosis published on purpose went out without a word, and the report said that a warning was shown."""
    publish = ("publish", source, "--nsa", "diagnosis", "--sa", "age:4", "--intervals", "age=30,60", "--out")
    amber = [line for line in run_json(capsys, *publish, tmp_path / "r")["gate"] if line["light"] == "amber"]
    out = run(capsys, *publish, tmp_path / "s")[1]
    assert "sensitive" in {line["name"] for line in amber}
    assert [line["sentence"] for line in amber if f"Warning: {line['sentence']}" not in out] == []


def test_an_ordinary_release_does_without_what_it_never_calls(source: Path, tmp_path: Path) -> None:
    # To import it takes as long as all sanitising of a million records. (Where a count is so odd that only exact tails
    # can judge it, or all are the true ones, it is needed after all: a probability below 1e-8 here.) NumPy's masked
    # arrays, which its `unique` brings, take 16 ms of the 440 of a small release.
    asked = "'scipy' in sys.modules, 'numpy.ma' in sys.modules"
    code = f"import sys\nfrom splu_desktop.cli import main\nprint(main(), {asked}, file=sys.stderr)"
    command = ["publish", source, "--sa", "diagnosis:4", "--out", tmp_path / "r"]
    told = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
    assert told.stderr.split() == ["0", "False", "False"]


def test_a_second_release_is_warned_of_and_refused_when_strict(source: Path, tmp_path: Path, capsys: Any) -> None:
    publish = ("publish", source, "--sa", "diagnosis:4")
    assert run(capsys, *publish, "--out", tmp_path / "r1")[0] == 0
    status, out, _ = run(capsys, *publish, "--out", tmp_path / "r2")
    assert status == 0
    assert "released once before" in out
    assert "2 releases, averaged, show small counts of “diagnosis” wrong in" in out
    status, _, err = run(capsys, *publish, "--out", tmp_path / "r3", "--strict", "--accept", "unique-records")
    assert status == 2
    assert "--accept earlier-release" in err
    assert not (tmp_path / "r3").exists()


def test_a_recipe_needs_every_amber_line_accepted(source: Path, recipe: Path, tmp_path: Path, capsys: Any) -> None:
    publish = ("publish", source, "--recipe", recipe, "--out", tmp_path / "r")
    status, out, err = run(capsys, *publish)
    assert (status, out) == (2, "")
    assert err.startswith("splu: ")
    assert err.count("\n") == 1
    assert "--accept unique-records" in err
    assert not (tmp_path / "r").exists()
    accepted = run_json(capsys, *publish, "--accept", "unique-records=the board agreed", "--recipient", "Dr X")
    line = next(line for line in accepted["gate"] if line["name"] == "unique-records")
    assert line == {**line, "light": "amber", "accepted": "the board agreed"}
    listed = run_json(capsys, "releases")["releases"][0]
    assert listed["accepted"] == {"unique-records": "the board agreed"}
    assert listed["recipient"] == "Dr X"


def test_recipe_and_options_give_the_same_files(source: Path, recipe: Path, tmp_path: Path, capsys: Any) -> None:
    run_json(capsys, "publish", source, "--recipe", recipe, "--out", tmp_path / "a", "--accept", "unique-records")
    run_json(capsys, "publish", source, "--sa", "diagnosis:4", "--out", tmp_path / "b")
    facts = [json.loads((tmp_path / name / "release.json").read_text("utf-8")) for name in "ab"]
    for fact in facts:
        for drawn in ("id", "created", "files", "sha256", "transitions"):
            del fact[drawn]
        for column in fact["columns"]:
            column.pop("domain", None)
    assert facts[0] == facts[1]


def test_a_threshold_that_was_asked_for_holds_the_plain_command_until_accepted_in_words(
    source: Path, tmp_path: Path, capsys: Any
) -> None:
    publish = ("publish", source, "--sa", "diagnosis:4", "--t-p", "0.9", "--out", tmp_path / "r")
    for accepted in ((), ("--accept", "thresholds")):
        status, out, err = run(capsys, *publish, *accepted)
        assert (status, out) == (2, "")
        assert "--accept thresholds=WORDS" in err
        assert not (tmp_path / "r").exists()
    status, out, _ = run(capsys, *publish, "--accept", "thresholds=agreed with the ethics board")
    assert status == 0
    assert "Accepted (agreed with the ethics board)" in out


def test_a_column_that_tells_the_sensitive_one_keeps_back_the_plain_command(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "laboratory.csv"
    rows = (f"W{at % 3},{'ghkmnstu'[at % 8]}/L,test {at % 8}" for at in range(800))
    path.write_text("ward,unit,test\n" + "\n".join(rows) + "\n", "utf-8")
    publish = ("publish", path, "--sa", "test:4", "--nsa", "ward,unit", "--out", tmp_path / "r")
    for accepted in ((), ("--accept", "giveaway")):
        status, _, err = run(capsys, *publish, *accepted)
        assert status == 2
        assert "“unit” gives “test” away" in err
        assert "--accept giveaway=WORDS" in err
        assert not (tmp_path / "r").exists()
    status, out, _ = run(capsys, *publish, "--accept", "giveaway=the units are known to all")
    assert status == 0
    assert "Accepted (the units are known to all)" in out


@pytest.mark.parametrize(("gamma", "said"), [(8, True), (2, False)])
def test_publishing_says_how_few_counts_can_be_answered_as_the_plan_does(
    tmp_path: Path, capsys: Any, gamma: int, said: bool
) -> None:
    path = tmp_path / "births.csv"
    rows = (f"{'FM'[at % 2]},{'abcdefgh'[at // 2 % 8]}" for at in range(24_000))
    path.write_text("sex,parity\n" + "\n".join(rows) + "\n", "utf-8")
    (table,) = run_json(capsys, "plan", path, "--sa", f"parity:{gamma}")["expected"]
    assert (2 * table["answered"] < table["asked"]) is said
    made = run_json(capsys, "publish", path, "--sa", f"parity:{gamma}", "--out", tmp_path / "r")
    assert (table["words"] in made["notes"]) is said
    assert [line["sentence"] for line in made["gate"] if line["light"] == "note"] == [table["words"]] * said


def test_an_earlier_release_is_told_before_the_next_is_made(source: Path, tmp_path: Path, capsys: Any) -> None:
    """On stderr, before anything is written, also where nobody is asked; the earlier one is named to be used again."""
    publish = ("publish", source, "--sa", "diagnosis:4")
    assert run(capsys, *publish, "--out", tmp_path / "r1")[2] == ""
    status, _, err = run(capsys, *publish, "--out", tmp_path / "r2")
    assert status == 0
    assert err.startswith("splu: note: This source was released once before")
    assert str(tmp_path / "r1") in err


def test_a_refusal_comes_before_what_was_released_before(source: Path, tmp_path: Path, capsys: Any) -> None:
    publish = ("publish", source, "--sa", "diagnosis:4")
    assert run(capsys, *publish, "--out", tmp_path / "r1")[0] == 0
    status, _, err = run(capsys, *publish, "--t-p", "0.9", "--out", tmp_path / "r2")
    assert status == 2
    assert "--accept thresholds=WORDS" in err
    assert "released once before" not in err
    assert not (tmp_path / "r2").exists()


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("yes", 0), ("n", 2), ("", 2)])
def test_somebody_at_a_terminal_is_asked(
    source: Path, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch, answer: str, status: int
) -> None:
    publish = ("publish", source, "--sa", "diagnosis:4")
    assert run(capsys, *publish, "--out", tmp_path / "r1")[0] == 0
    asked: list[str] = []

    def typed(prompt: str = "") -> str:
        asked.append(prompt)
        assert not (tmp_path / "r2").exists()
        return answer

    monkeypatch.setattr("splu_desktop.cli.publish._at_a_terminal", lambda: True)
    monkeypatch.setattr("builtins.input", typed)
    assert run(capsys, *publish, "--out", tmp_path / "r2")[0] == status
    assert len(asked) == 1
    assert (tmp_path / "r2").exists() is (status == 0)
    assert run(capsys, *publish, "--out", tmp_path / "r3", "--accept", "earlier-release")[0] == 0
    assert len(asked) == 1  # who accepts it beforehand is not asked


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--sa", "nothing:3"), "no column “nothing”"),
        (("--sa", "diagnosis:1"), "must be 2 or more"),
        (("--sa", "diagnosis:4", "--accept", "everything"), "no line “everything”"),
        (("--sa", "diagnosis:4", "--format", "pdf"), "no output format “pdf”"),
    ],
)
def test_red_lines_refuse_with_one_sentence(
    source: Path, tmp_path: Path, capsys: Any, options: tuple[str, ...], said: str
) -> None:
    status, out, err = run(capsys, "publish", source, *options, "--out", tmp_path / "r")
    assert (status, out) == (2, "")
    assert err.startswith("splu: ")
    assert err.count("\n") == 1
    assert said in err
    assert not (tmp_path / "r").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(MARK)]


def test_the_register_is_listed_and_harm_to_it_named(source: Path, tmp_path: Path, capsys: Any) -> None:
    for number in (1, 2):
        run_json(capsys, "publish", source, "--sa", "diagnosis:4", "--out", tmp_path / f"r{number}")
    status, out, _ = run(capsys, "releases")
    assert status == 0
    assert "visits.csv" in out
    assert "The register is sound: 2 entries" in out
    path = data_folder() / "register" / "register.jsonl"
    path.write_text(path.read_text("utf-8").replace("visits.csv", "others.csv", 1), "utf-8")
    status, _, err = run(capsys, "releases")
    assert status == 2
    assert "Entry 1 of the register was changed after it was made" in err
    status, out, _ = run(capsys, "publish", source, "--sa", "diagnosis:4", "--out", tmp_path / "r3")
    assert status == 0
    assert "The register of releases is damaged" in out
    path.unlink()
    for expected, more in ((2, []), (0, ["--acknowledge", "disk", "--operator", "me"]), (0, [])):
        status, out, _ = run(capsys, "releases", *more)
        assert status == expected
        assert "Nothing was released" not in out, "releases were, and are gone"


def test_verify_names_what_was_changed(source: Path, tmp_path: Path, capsys: Any) -> None:
    release = tmp_path / "r"
    run_json(capsys, "publish", source, "--sa", "diagnosis:4", "--out", release)
    status, out, err = run(capsys, "verify", release)
    assert (status, err) == (0, "")
    assert "FAILED" not in out
    table = (release / "table.csv").read_bytes()
    (release / "table.csv").write_bytes(table.replace(b",a\n", b",b\n", 1))
    status, out, err = run(capsys, "verify", release)
    assert status == 2
    assert "“table.csv” was changed after it was released" in err
    (release / "table.csv").write_bytes(table)
    assert run(capsys, "verify", release)[0] == 0
    facts = release / "release.json"
    facts.write_text(facts.read_text("utf-8").replace('"alpha": 3', '"alpha": 2'), "utf-8")
    status, _, err = run(capsys, "verify", release)
    assert status == 2
    assert "release.json" in err


def test_facts_forged_with_a_seal_of_their_own_are_known_to_the_register(
    source: Path, tmp_path: Path, capsys: Any
) -> None:
    from splu_desktop.files.release.facts import facts_text, seal_of

    release = tmp_path / "r"
    run_json(capsys, "publish", source, "--sa", "diagnosis:4", "--out", release)
    facts = json.loads((release / "release.json").read_text("utf-8"))
    facts["created"] = "2020-01-01T00:00:00+00:00"
    facts["sha256"] = seal_of(facts)
    (release / "release.json").write_text(facts_text(facts), "utf-8")
    status, _, err = run(capsys, "verify", release)
    assert status == 2
    assert "register of releases" in err


def test_hand_over_with_a_password(source: Path, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    run_json(capsys, "publish", source, "--sa", "diagnosis:4", "--out", tmp_path / "r")
    secret = tmp_path / "secret.txt"
    secret.write_text("a rather longer phrase\n")
    handed = ("handover", tmp_path / "r", "--out", tmp_path / "r.zip", "--password-file", secret)
    assert run_json(capsys, *handed)["encrypted"] is True
    assert run(capsys, "verify", tmp_path / "r.zip", "--password-file", secret)[0] == 0
    assert "give its password" in run(capsys, "verify", tmp_path / "r.zip")[2]
    monkeypatch.setenv("SPLU_PASSWORD", "not that password")
    assert "does not open" in run(capsys, "verify", tmp_path / "r.zip")[2]


def test_publish_straight_into_an_encrypted_zip(source: Path, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("SPLU_PASSWORD", "a rather longer phrase")
    target = tmp_path / "out" / "r.zip"
    target.parent.mkdir()
    run_json(capsys, "publish", source, "--sa", "diagnosis:4", "--zip", "--out", target, "--xlsx")
    assert [path.name for path in target.parent.iterdir()] == ["r.zip"]
    assert run(capsys, "verify", target)[0] == 0
    assert run_json(capsys, "releases")["releases"][0]["encrypted"] is True


def test_a_zip_is_locked_unless_told_otherwise(source: Path, tmp_path: Path, capsys: Any) -> None:
    made = run_json(capsys, "publish", source, "--sa", "diagnosis:4", "--zip", "--out", tmp_path / "r.zip")
    (tmp_path / "word").write_text(made["password"])
    assert run(capsys, "verify", tmp_path / "r.zip")[0] == 2
    assert run(capsys, "verify", tmp_path / "r.zip", "--password-file", tmp_path / "word")[0] == 0
    assert made["password"] not in (tmp_path / "r.zip").read_bytes().decode("latin-1")
    open_one = ("publish", source, "--sa", "diagnosis:4", "--zip", "--no-password", "--out", tmp_path / "open.zip")
    assert "password" not in run_json(capsys, *open_one)
    assert run(capsys, "verify", tmp_path / "open.zip")[0] == 0


def test_a_trial_writes_nothing(source: Path, tmp_path: Path, capsys: Any) -> None:
    before = {path.name for path in tmp_path.iterdir()}
    status, out, _ = run(capsys, "publish", source, "--sa", "diagnosis:3", "--trial", "400")
    assert status == 0
    assert "Trial on 400 records" in out
    assert "original" in out
    assert {path.name for path in tmp_path.iterdir()} == before
    assert run_json(capsys, "releases")["releases"] == []


def test_no_password_is_ever_an_argument(capsys: Any) -> None:
    with pytest.raises(SystemExit):
        main(["publish", "--help"])
    assert "--password " not in capsys.readouterr().out


@pytest.mark.usefixtures("brief_attacks")
def test_the_name_of_the_account_is_in_no_report_that_is_handed_out(
    source: Path, tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.setenv("LOGNAME", "account-name")
    for operator, told in (None, ""), ("Dr. B", "Dr. B"):
        out, at = tmp_path / f"out{told}", tmp_path / f"report{told}.json"
        typed = [] if operator is None else ["--operator", operator]
        assert main(["publish", str(source), "--sa", "diagnosis", "--gamma", "3", "--out", str(out), *typed]) == 0
        assert main(["report", str(out), "--out", str(at)]) == 0
        written = at.read_text("utf-8")
        assert "account-name" not in written
        assert json.loads(written)["public"]["cover"]["fields"]["operator"] == told
        inside = tmp_path / f"internal {told}.json"
        assert main(["report", str(out), "--internal", "--source", str(source), "--out", str(inside)]) == 0
        shown = json.loads(inside.read_text("utf-8"))["public"]["cover"]["fields"]["operator"]
        assert shown == (told or "account-name")


def test_the_recipient_is_spoken_to_in_the_language_asked_for(source: Path, tmp_path: Path, capsys: Any) -> None:
    ask = ("publish", source, "--sa", "diagnosis:4", "--out", tmp_path / "r")
    status, _, err = run(capsys, *ask, "--language", "it")
    assert status == 2
    assert "“it”" in err
    assert run(capsys, *ask, "--language", "fr", "--xlsx")[0] == 0
    with zipfile.ZipFile(tmp_path / "r" / "table.xlsx") as workbook:
        assert re.findall('sheet name="(.*?)"', workbook.read("xl/workbook.xml").decode()) == [
            "À lire d’abord",
            "Table",
        ]
    assert "COMMENT LIRE CETTE TABLE" in (tmp_path / "r" / "README.txt").read_text("utf-8-sig")
    assert run(capsys, "verify", tmp_path / "r")[0] == 0

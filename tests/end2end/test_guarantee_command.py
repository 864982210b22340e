"""`splu guarantee` as a user calls it: figures, both ways of printing, and refusals in one sentence."""

from __future__ import annotations

import json

import pytest

from splu_desktop.cli import main
from splu_desktop.core.guarantees import exact as guarantees


def run(command: str) -> int:
    return main(command.split())


def test_json_holds_the_figures_of_the_core(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("guarantee --gamma 10 --epsilon 0.2 --t-e 0.02 --alpha 3 --json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["t_f"], found["t_f_chebyshev"]) == (126, 1125)
    assert found["t_f_as_published"] == pytest.approx(125**0.5)
    assert found["t_p"] == guarantees.t_p(10, "0.2", 3)
    assert {"gamma": 10, "epsilon": 0.2, "t_e": 0.02, "alpha": 3, "releases": 1}.items() <= found.items()
    assert "curves" not in found


def test_json_curves(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("guarantee --gamma 7 --epsilon 0.3 --t-e 0.05 --alpha 8 --releases 2 --curves --json") == 0
    found = json.loads(capsys.readouterr().out)
    curves = found["curves"]
    exact, chebyshev, published = guarantees.t_f_curve(7, "0.3", releases=2)
    assert curves["t_f"] == exact.tolist()
    assert curves["t_f_chebyshev"] == chebyshev.tolist()
    assert curves["t_f_as_published"] == published.tolist()
    assert curves["t_e"] == guarantees.T_E_GRID.tolist()
    assert curves["small_count"] == list(range(1, 9))
    assert min(curves["probability"]) == found["t_p"]


def test_text_states_both_promises(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("guarantee --gamma 7 --epsilon .2 --t-e 2e-2 --alpha 3 --curves") == 0
    text = capsys.readouterr().out
    assert "shared by 3 records or fewer is shown wrong by more than 20 % with a probability of at least 60 %." in text
    assert "shared by 121 records or more is within 20 % of the truth in at least 98 of 100 releases." in text
    assert "not valid" in text


@pytest.mark.parametrize(
    "wrong",
    [
        "--gamma 1",
        "--gamma 0",
        "--gamma -3",
        "--gamma 2.5",
        "--gamma five",
        "--gamma 999999999999",
        "--gamma 5 --epsilon 0",
        "--gamma 5 --epsilon 1.0001",
        "--gamma 5 --epsilon nan",
        "--gamma 5 --epsilon inf",
        "--gamma 5 --epsilon 1e400",
        "--gamma 5 --epsilon 1e999999999",
        f"--gamma 5 --epsilon 0.{'3' * 400}",
        f"--gamma {'9' * 400}",
        "--gamma 5 --epsilon 1/3",
        "--gamma 5 --epsilon 0,3",
        "--gamma 5 --epsilon ٠.٣",
        "--gamma 5 --epsilon 1e-40",
        "--gamma 5 --t-e 0",
        "--gamma 5 --t-e 1",
        "--gamma 5 --t-e 0.99999999999999999999999",
        "--gamma 5 --alpha 0",
        "--gamma 5 --alpha 1.5",
        "--gamma 5 --alpha 100000000",
        "--gamma 5 --releases 0",
        "--gamma 5 --delta 1",
        "",
    ],
)
def test_bad_use_is_one_sentence_and_status_2(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = main(["guarantee", *wrong.split()])
    except SystemExit as left:  # argparse leaves so for options it does not know or misses
        status = int(str(left.code))
    said = capsys.readouterr()
    assert status == 2
    assert said.out == ""
    assert said.err.startswith("splu: ")
    assert said.err.count("\n") == 1

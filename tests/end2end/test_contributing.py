"""What CONTRIBUTING.md says that a new thing costs, done with one file each: the command line knows it from there."""

from __future__ import annotations

import pytest

from splu_desktop.cli import main
from splu_desktop.cli.base.generalise_options import generalisations_from
from splu_desktop.core.generalise import Generalisation, from_dict, words_for
from splu_desktop.core.table import Kind, Table
from tests.columns import column_of
from tests.core.new_analysis import NAME


def test_a_new_analysis_is_asked_for_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["analyse", "--help"])
    assert "odds of a value" in capsys.readouterr().out
    assert main(["analyse", "no-release", NAME, "dead=yes"]) == 2
    assert "no-release" in capsys.readouterr().err  # and not the analysis


def test_a_new_band_is_typed_kept_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Generalisation, "registry", dict(Generalisation.registry))  # for this test alone
    from tests.core.new_band import Nearest

    assert Generalisation.registry.setdefault(Nearest.how, Nearest) is Nearest
    table = Table((column_of("age", ["31", "38", "44", "52"], kind=Kind.INTEGER),))
    (step,) = generalisations_from(["age:nearest=10"], table)["age"]
    assert step == Nearest(10)
    assert step.apply(table["age"]).labels.tolist() == ["30", "40", "50"]
    assert from_dict(step.as_dict()) == step
    assert "nearest multiple of 10" in str(words_for("age", (step,)))

"""Tables that must come out, as people write them."""

from __future__ import annotations

import numpy as np
import pytest

from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.errors import BadSetting, SpluError
from splu_desktop.core.questions import AskedTable, parse_question
from tests.core.releases import table

SOURCE = table({"dx": np.array(["gout", "hit by car", "A, B"]), "sex": ["f", "m", "f"], "age, years": [1, 2, 3]})


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("dx by sex", AskedTable("dx", None, ("sex",))),
        ("dx=gout by sex, age, years", AskedTable("dx", "gout", ("sex", "age, years"))),
        ("DX = Gout BY Sex".replace(" = ", "="), AskedTable("dx", "gout", ("sex",))),
        ("dx=hit by car by sex", AskedTable("dx", "hit by car", ("sex",))),
        ("dx=A, B by sex", AskedTable("dx", "A, B", ("sex",))),
        ("dx=gout", AskedTable("dx", "gout")),
        ("mean of age, years by sex", AskedTable("age, years", None, ("sex",), "mean")),
        ("compare dx=gout by sex", AskedTable("dx", "gout", ("sex",), "compare")),
    ],
)
def test_a_table_is_read_and_written_alike(text: str, asked: AskedTable) -> None:
    assert parse_question(text, SOURCE) == asked
    assert parse_question(str(asked), SOURCE) == asked


@pytest.mark.parametrize("text", ["", "height by sex", "dx by height", "dx=flu by sex", "dx by dx", "by sex"])
def test_what_is_no_table_is_a_sentence(text: str) -> None:
    with pytest.raises(SpluError):
        parse_question(text, SOURCE)


def test_limits_of_a_table() -> None:
    with pytest.raises(BadSetting):
        AskedTable("dx", within=1.5)
    with pytest.raises(BadSetting):
        AskedTable("dx", by=("a", "b", "c", "d"))


def test_a_value_that_says_little_stands_with_its_column() -> None:
    assert str(AskedTable("smoker", "yes", ("sex",)).words()) == "“smoker: yes” by sex"
    assert str(AskedTable("result", "positive", ("sex",)).words()) == "“result: positive” by sex"
    assert str(AskedTable("stay", None, ("sex",), "mean").words()) == "mean of “stay” by sex"


def test_a_condition_on_many_values_names_six_and_counts_the_others() -> None:
    values = tuple(f"illness {at}" for at in range(10))
    assert Condition("dx", values).words().endswith("illness 5 and 4 more")
    assert "more" not in Condition("dx", values[:7]).words(), "“and 1 more” takes the room of the one it hides"

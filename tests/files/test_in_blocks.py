"""Work on labels in blocks does what it does at once, and can be stopped between any two."""

from __future__ import annotations

import numpy as np
import pytest

from splu_desktop.core.progress import Cancelled, Silent
from splu_desktop.files.disk import in_blocks
from splu_desktop.files.disk.in_blocks import blocks, let_go, mapped


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_blocks, "BLOCK", 7)


class Counts:
    """Counts reports, and stops at one of them."""

    def __init__(self, stop: int | None = None) -> None:
        self.seen, self.stop = 0, stop

    def report(self, stage: str, done: float) -> None:
        self.seen += 1
        if self.seen == self.stop:
            raise Cancelled


@pytest.mark.parametrize("count", [0, 1, 6, 7, 8, 50])
def test_blocks_hold_everything_in_order(count: int) -> None:
    labels = np.array([f"v{i}" for i in range(count)], dtype=object)
    watch = Counts()
    found = list(blocks(labels, watch))
    assert [text for block in found for text in block] == labels.tolist()
    assert watch.seen == len(found) == -(-count // 7)
    made = mapped(labels, lambda block: [text.upper() for text in block])
    assert made.tolist() == [text.upper() for text in labels.tolist()]


@pytest.mark.parametrize("count", [0, 5, 7, 40])
def test_containers_are_emptied(count: int) -> None:
    texts = [str(i) for i in range(count)]
    as_list, as_dict, as_array = list(texts), dict.fromkeys(texts), np.array(texts, dtype=object)
    let_go(as_list, as_dict, as_array, progress=Silent(), stage="")
    assert not as_list
    assert not as_dict
    assert all(cell is None for cell in as_array)


def test_each_can_be_stopped() -> None:
    labels = np.array([str(i) for i in range(50)], dtype=object)
    with pytest.raises(Cancelled):
        mapped(labels, lambda block: block, Counts(3))
    left = labels.tolist()
    with pytest.raises(Cancelled):
        let_go(left, progress=Counts(3), stage="")
    assert 0 < len(left) < 50

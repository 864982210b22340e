"""Frozen dataclasses that compile nothing are in all that shows the standard library's."""

import copy
import dataclasses
import pickle
import re
from dataclasses import FrozenInstanceError, field, replace
from pathlib import Path

import pytest

import splu_desktop
from splu_desktop.frozen import dataclass as ours


def _kinds(make):
    @make(frozen=True)
    class Point:
        x: int
        y: int = 2
        more: list[int] = field(default_factory=list, compare=False)
        note: str = field(default="", repr=False)

    @make(frozen=True)
    class Named(Point):
        name: str = field(kw_only=True)
        total: int = field(default=0, kw_only=True)

        def __post_init__(self):
            object.__setattr__(self, "total", self.x + self.y)

    @make(frozen=True, eq=False)
    class Alone:
        x: int

        def __repr__(self):
            return f"alone {self.x}"

    return Point, Named, Alone


def _tried(action):
    try:
        return action()
    except (TypeError, FrozenInstanceError) as fault:
        return type(fault)


def _seen(make):
    point, named, alone = _kinds(make)
    p, q = point(1), named(1, 5, name="q")

    def put():
        p.x = 3

    def new():
        q.other = 3

    def gone():
        del p.y

    return [
        re.sub(r"<locals>\.", "", repr([p, q, alone(4), replace(q, x=7), copy.deepcopy(p)])),
        [dataclasses.asdict(each) for each in (p, q)],
        [each.name for each in dataclasses.fields(named)],
        named.__match_args__,
        q.total,
        p == point(1, more=[3]),
        p == point(1, note="n"),
        p == q,
        hash(p) == hash(point(1)),
        alone(1) == alone(1),
        p.more is point(1).more,
        *map(
            _tried,
            (put, new, gone, point, lambda: point(1, 2, [], "", 5), lambda: point(1, x=1), lambda: point(1, z=1),
             lambda: named(1), lambda: hash(point([1])), lambda: replace(p, z=1)),
        ),
    ]  # fmt: skip


def test_they_are_made_shown_compared_and_kept_as_those_of_the_standard_library():
    assert _seen(ours) == _seen(dataclasses.dataclass)


@ours(frozen=True)
class _Kept:
    x: int


def test_an_instance_goes_to_another_process_and_back():
    assert pickle.loads(pickle.dumps(_Kept(3))) == _Kept(3)


def test_every_frozen_class_of_the_program_is_made_this_way():
    """Half a millisecond each: what one module imports from the standard library out of habit costs every start."""
    compiled = []
    for path in Path(splu_desktop.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        own = re.search(r"^from splu_desktop\.frozen import dataclass$", text, re.MULTILINE)
        if "@dataclass(frozen=True" in text and not own:
            compiled.append(path.name)
    assert not compiled


def test_a_missing_value_is_told_by_its_name():
    with pytest.raises(TypeError, match="x"):
        _Kept()

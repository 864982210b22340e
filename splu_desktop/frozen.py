"""Frozen dataclasses for which nothing is compiled.

The standard library writes and compiles six functions for each, half a millisecond, and a publish imports 160. In all
else these are its dataclasses: `fields`, `replace`, `match` and type checkers know them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NoReturn


def _frozen(*, frozen: bool, eq: bool = True) -> Callable[[type], type]:
    """Return what makes a class a dataclass; `frozen` is True, `eq` says whether equal fields make equal instances."""
    assert frozen
    return lambda kind: _made(kind, eq)


def _made(kind: type, eq: bool) -> type:
    known = dataclasses.fields(dataclasses.dataclass(init=False, repr=False, eq=False)(kind))
    names = {each.name for each in known}
    places = [each.name for each in known if not each.kw_only]
    usual = {each.name: each.default for each in known if each.default is not MISSING}
    makers = {each.name: each.default_factory for each in known if each.default_factory is not MISSING}
    shown = [each.name for each in known if each.repr]
    compared = [each.name for each in known if each.compare]

    def begun(self: Any, *given: Any, **named: Any) -> None:
        values = usual | dict(zip(places, given, strict=False)) | named
        for name in makers.keys() - values.keys():
            values[name] = makers[name]()
        if values.keys() != names or len(given) > len(places) or not named.keys().isdisjoint(places[: len(given)]):
            raise TypeError(f"{kind.__name__} is made of {', '.join(names)}")
        self.__dict__.update(values)
        if hasattr(self, "__post_init__"):
            self.__post_init__()

    @recursive_repr()
    def shown_as(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def parts(self: Any) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in compared])

    def same(self: Any, other: object) -> bool:
        return parts(self) == parts(other) if type(other) is type(self) else NotImplemented

    own = {"__init__": begun, "__repr__": shown_as, "__setattr__": _refused, "__delattr__": _refused}
    if eq:
        own |= {"__eq__": same, "__hash__": lambda self: hash(parts(self))}
    for name, function in own.items():
        if name not in vars(kind):
            setattr(kind, name, function)
    return kind


def _refused(self: Any, name: str, *_: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"“{name}” of {type(self).__name__} stays what it is")


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _frozen

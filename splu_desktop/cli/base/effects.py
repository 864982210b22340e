"""An option that is given has an effect or is refused: once each, and never without the one it belongs to."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from splu_desktop.core.errors import BadSetting, SpluError
from splu_desktop.core.messages import Phrase, listed, say

_SPELT = {"who": "--for"}


class SaidOnce(argparse.Action):
    """Stores a value as argparse does; an option said twice is a fault, since only the last one would count."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        names = namespace.__dict__.setdefault("_said", set())
        # An alias may give --lang already: the last one counts.
        if option is not None and self.dest in names and self.dest != "lang":
            raise argparse.ArgumentError(self, "twice")
        names.add(self.dest)
        setattr(namespace, self.dest, values)


def options_given(args: argparse.Namespace, names: Sequence[str]) -> list[str]:
    """Return the options of these names that were given, as they are written."""
    seen = getattr(args, "_said", ())
    # What may be repeated, and switches, are not `SaidOnce`, but false where they are not given.
    values = {name: getattr(args, name, None) for name in names}
    flags = [name for name, value in values.items() if name in seen or (isinstance(value, list | bool) and value)]
    return [_SPELT.get(name, f"--{name.replace('_', '-')}") for name in flags]


@contextmanager
def name_option(*words: str) -> Iterator[None]:
    """Name the option, as these words type it, in a fault of what it says."""
    option = " ".join(words)
    try:
        yield
    except SpluError as fault:
        if option in str(fault):
            raise
        raise BadSetting(Phrase("{option}: {fault}", {"option": option, "fault": str(fault)})) from None


def belong(args: argparse.Namespace, partner: str, *names: str) -> None:
    """Raise BadSetting where options are given without the one they belong to."""
    if not options_given(args, (partner.lstrip("-").replace("-", "_"),)) and (lone := options_given(args, names)):
        raise no_effect(lone, partner)


def no_effect(options: Sequence[str], partner: str) -> BadSetting:
    """Return the fault of options that are given without the one they belong to."""
    named = listed(options, "{head}, {tail}")
    return BadSetting(
        say("{options} has no effect without {partner}; give both, or neither.", options=named, partner=partner)
    )


def misfit(text: str, option: str, form: str) -> BadSetting:
    """Return the fault of what stands behind an option and is not of its form."""
    return BadSetting(say("Write {right}, not “{given}”.", right=f"{option} {form}", given=text[:80]))

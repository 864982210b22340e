"""SipHash-2-4 against the numbers its authors print, and for texts of every length."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core.rowkeys import stirred
from splu_desktop.files.register.siphash import siphash, siphash_words

_KEY = bytes(range(16))


def test_the_papers_example() -> None:
    # Appendix A: the 15 bytes 00 ... 0e under the key 00 ... 0f; and the first vectors of the reference program.
    texts = ["".join(map(chr, range(length))) for length in (15, 0, 1, 2, 8)]
    wanted = [0xA129CA6149BE45E5, 0x726FDB47DD0E0E31, 0x74F839C593DC67FD, 0x0D6C8009D9A94F5A, 0x93F5F5799A932462]
    assert siphash(texts, _KEY).tolist() == wanted
    assert siphash_words([np.array([0x0706050403020100], np.uint64)], _KEY).tolist() == wanted[-1:]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), min_size=1, max_size=20))
def test_registers_of_before_are_read_on(texts: list[str]) -> None:
    key = "0123456789abcdef"
    array = np.empty(len(texts), object)
    array[:] = texts
    theirs = pd.util.hash_array(array, hash_key=key, categorize=False)
    assert np.array_equal(stirred(siphash(texts, key.encode())), theirs)

"""Make the lean fonts of resources/fonts from the originals: no hinting, and of Korean the common syllables only.

python scripts/make_fonts.py FOLDER    a folder with the TTF files of Debian's fonts-noto-core and fonts-nanum

Needs fonttools, which nothing else does.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

FONTS = Path(__file__).parents[1] / "resources" / "fonts"


def common_syllable(code: int) -> bool:
    """Whether KS X 1001 has a syllable: its two bytes, where all others take eight."""
    return len(chr(code).encode("euc-kr", "ignore")) == 2


def shrink(source: Path, target: Path, letters: list[int] | None = None) -> None:
    """Write a font without hinting, with the given letters or all."""
    font = TTFont(source)
    options = Options(hinting=False, name_IDs=["*"], layout_features=["*"] if letters is None else [])
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=list(font.getBestCmap()) if letters is None else letters)
    subsetter.subset(font)
    if letters is not None:  # the Open Font License reserves the name for the whole font
        for entry in font["name"].names:
            if entry.nameID in (1, 3, 4, 6, 16):
                entry.string = "SPLUHangul" if entry.nameID in (3, 6) else "SPLU Hangul"
    font.save(target)
    print(f"{target.name}: {target.stat().st_size:,} bytes")


def write_letters() -> None:
    """Write which letters the fonts have, as ranges of Unicode numbers, for `report/render/typeset.py`."""
    letters = sorted({letter for path in FONTS.glob("*.ttf") for letter in TTFont(path).getBestCmap()})
    ranges: list[list[int]] = []
    for letter in letters:
        if ranges and letter == ranges[-1][1] + 1:
            ranges[-1][1] = letter
        else:
            ranges.append([letter, letter])
    lines = (f"{first:x}-{last:x}\n" for first, last in ranges)
    (FONTS / "letters.txt").write_text("".join(lines), encoding="ascii")


def main() -> int:
    """Make every font that is there already again."""
    found = {path.name: path for path in Path(sys.argv[1]).rglob("*.ttf")}
    for target in sorted(FONTS.glob("NotoSans*.ttf")):
        name = target.name if "-" in target.stem else f"{target.stem}-Regular.ttf"
        shrink(found[name], target)
    shrink(found["NanumGothic.ttf"], FONTS / "SPLUHangul.ttf", [c for c in range(0xAC00, 0xD7A4) if common_syllable(c)])
    write_letters()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Writes docs/papers.md: what the papers say, what we measure, with the range over draws; one seeded command.

    python -m benchmarks.papers --document docs/papers.md [--data FOLDER] [--records 30000] [--draws 5] [--seed 1]

Takes a minute of processor whole; a test runs it small, the release job whole.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from benchmarks.papers.answers import attack_table, small_sum_table
from benchmarks.papers.claim import Measured, Tables, measured
from benchmarks.papers.claims import CLAIMS

HEAD = """# The papers' figures again

Written by `python -m benchmarks.papers --document docs/papers.md` (seed {seed}, {records:,} records of each table at
most, {questions:,} counts, {draws} draws); do not edit. Tables: census_workers for CENSUS, the first diagnosis of
diabetes130 for CADRMP, adult for Brickell and Shmatikov. A figure is the median over the draws with its range; a claim
holds if it does at both ends of the range, and is open where the ends differ. "SPLU-Gen as published" is the papers'
draw with their groups, matrix and iteration; "ours" is this program's draw and reader.

## What is not true

- **Theorem 3 and Lemma 1** (arXiv Lemma 4) divide the variance of the mean by n twice: of the counts of the printed T_f
  {theorem_3} fail where 0.05 may.
- **Theorem 4 and Lemma 3** promise T_P for every small *cell*. A reader who leans on what the cell's columns tell knows
  some of them better: of the cells of 1 to 3 records the share {theorem_4}
  is wrong less often than T_P. Nor does it hold of few rows: who asks about nobody but three who have a value takes
  them for three once one shows it, wrong {selections} of the time at gamma 5, not 0.590. The program says T_P of a
  value in a class or a union of classes, nowhere else; beside other methods it says the least of all selections.
- **The printed matrix and groups** bias what stands out; **Example 1 of arXiv** prints another number than its formula
  gives, **Example 2** swaps right and wrong; **Theorem 2 of pre-partitioning** promises less than no partition does.

## Claims

| where | they say | we find | verdict |
|---|---|---|---|
"""
SMALL_SUMS = """
## Small-sum privacy by other mechanisms

The papers' future work asks which other mechanisms support it. By the law of each method's answer, asked alone, to
"how many of these records of adult have s?", s being a value of so many records and no more. T_P is the least over all
selections that hold them, as Definition 2 asks it of every concept of few records; T_f is of the whole table. Where
rows are drawn the least mostly lies where nobody else is asked about: with a keep of 0.2, by lenders or decoy groups of
5, three are taken for three once one shows s, so that all are wrong in 0.8^3. (In the whole table PRAM at 0.8 would be
wrong in 0.97, which protects no rows.) A T_P of 0 tells small counts exactly; of buckets with fakes, whole buckets do.
Epsilon is the least for which one record's part is differentially private ("none": no epsilon is). Of noisy answers it
covers the whole record and whether it is there; where rows go out, unchanged columns are told, and it covers the value
alone (of random deletion and insertion: one row), the published shares held fixed.

"""
ATTACKS = """
## The attacks that the papers name, measured

On the sample hospital (diagnosis, by decade of age, sex, postcode and smoking), as how often who attacks is right about
a person.

"""


def main(words: list[str] | None = None) -> list[Measured]:
    """Measure all claims and write the document. Returns what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--document", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--records", type=int, default=30_000)
    parser.add_argument("--questions", type=int, default=1_200)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(words)
    tables = Tables(args.data, args.records, args.questions, args.seed)
    found = []
    for claim in CLAIMS:
        found.append(measured(claim, tables, args.draws))
        print(found[-1].row, flush=True)
    named = dict(zip(("theorem_3", "theorem_4", "selections"), (each.range for each in found), strict=False))
    head = HEAD.format(seed=args.seed, records=args.records, questions=args.questions, draws=args.draws, **named)
    tally = ", ".join(f"{verdict}: {number}" for verdict, number in Counter(each.verdict for each in found).items())
    lines = [head + "\n".join(each.row for each in found), "", f"In all: {tally}."]
    lines += [SMALL_SUMS + "\n".join(small_sum_table(tables)), ATTACKS + "\n".join(attack_table(tables, args.draws))]
    args.document.write_text("\n".join(lines) + "\n", "utf-8")
    return found


if __name__ == "__main__":
    main()

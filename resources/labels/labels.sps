* Count by scores.csv, not by rows: README.md says why, dictionary.csv what each of its sums counts.
* It has the same rows: MATCH FILES without BY puts it beside this table.
GET DATA /TYPE=TXT /FILE="table.csv" /ENCODING="UTF8" /DELIMITERS={mark} /QUALIFIER='"'
  /ARRANGEMENT=DELIMITED /FIRSTCASE=2 /VARIABLES=
  {name} A{width}
  .
VARIABLE LABELS {name} '{doubled}'.
EXECUTE.

* Count by scores.csv, not by rows: README.md says why.
GET DATA /TYPE=TXT /FILE="table.csv" /ENCODING="UTF8" /DELIMITERS={mark} /QUALIFIER='"'
  /ARRANGEMENT=DELIMITED /FIRSTCASE=2 /VARIABLES=
  {name} A{width}
  .
VARIABLE LABELS {name} '{doubled}'.
EXECUTE.

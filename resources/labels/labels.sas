* Count by scores.csv, not by rows: README.md says why, dictionary.csv what each of its sums counts.;
* It has the same rows: MERGE without BY puts it beside this table.;
data release;
  infile 'table.csv' dsd dlm='{mark_number}'x firstobs=2 encoding='utf-8' truncover;
  length
    {name} ${width}
  ;
  input
    {name} $
  ;
  label {name} = '{doubled}';
run;

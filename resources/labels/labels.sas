* Count by scores.csv, not by rows: README.md says why.;
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

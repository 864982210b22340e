* Count by scores.csv, not by rows: README.md says why, dictionary.csv what each of its sums counts.
* It has the same rows: import it, then merge 1:1 _n using this table.
import delimited "table.csv", delimiters({mark}) varnames(nonames) rowrange(2) stringcols(_all) ///
    bindquote(strict) encoding("utf-8") clear
rename v{at} _{at}
rename _{at} {name}
label variable {name} `"{stata}"'

* Count by scores.csv, not by rows: README.md says why.
import delimited "table.csv", delimiters({mark}) varnames(nonames) rowrange(2) stringcols(_all) ///
    bindquote(strict) encoding("utf-8") clear
rename v{at} _{at}
rename _{at} {name}
label variable {name} `"{stata}"'

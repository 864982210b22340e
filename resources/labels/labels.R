# Count by scores.csv, not by rows: README.md says why, dictionary.csv what each of its sums counts.
# It has the same rows: cbind puts it beside this table, as README.md does.
release <- read.csv("table.csv", sep = {mark}, colClasses = "character", na.strings = "", check.names = FALSE,
                    fileEncoding = "UTF-8")
attr(release[[{at}]], "label") <- "{r}"

# Count by scores.csv, not by rows: README.md says why.
release <- read.csv("table.csv", sep = {mark}, colClasses = "character", na.strings = "", check.names = FALSE,
                    fileEncoding = "UTF-8")
attr(release[[{at}]], "label") <- "{r}"

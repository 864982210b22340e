# Answers from a release of SPLU Desktop, with 95 % intervals, from nothing but the folder it was handed out in.
#
#   source("splu_release.R")
#   r <- splu_release("the/folder")
#   r$count(list(Ward = "Cardiology", Diagnosis = "Heart failure"))
#   r$odds_ratio("Smoker=yes", "Diagnosis=Heart failure", where = "Ward=Cardiology")
#   r$logit("Diagnosis=Heart failure", on = c("Age", "Sex"))
#
# or in the folder itself: Rscript splu_release.R count 'Ward=Cardiology' 'Diagnosis=Heart failure' --json
#
# Base R alone. Every answer is a list with $estimate, $low, $high and, where it is made of others, $parts; r$table is the
# table with its types ("01" stays "01"). Sensitive columns were re-drawn, so counting rows is wrong: a record of value v
# is shown as u with the chance T[v, u], and every answer here goes back through T, as splu_release.py does, whose words
# on methods and intervals hold here too. Version 1; MIT licence.

if (sys.nframe() == 0L && !interactive() && any(grepl("^--file=..", commandArgs()))) local({ # as a file that Rscript runs
  words <- commandArgs(trailingOnly = TRUE)
  # Rscript writes a blank as ~+~. Read whole before the rest is read a line at a time, which takes a second.
  own <- gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)), fixed = TRUE)
  source(own)
  as_json <- "--json" %in% words
  words <- words[words != "--json"]
  fewest <- c(count = 0, share = 1, difference = 2, ratio = 2, "odds-ratio" = 2, mean = 1, quantile = 1, trend = 1, crosstab = 2,
              logit = 1, poisson = 1)
  no_more <- c("difference", "ratio", "odds-ratio", "crosstab", "logit", "poisson")
  options <- c("--where", "--by", "--on", "--method", "--q", "--release")
  refuse <- function(...) stop(..., call. = FALSE)
  status <- suppressWarnings(tryCatch({ # an answer or one sentence, whatever was altered
    rest <- character(0)
    given <- stats::setNames(rep(list(character(0)), length(options)), options)
    while (length(words)) {
      name <- sub("=.*$", "", words[1])
      if (name %in% options) {
        if (words[1] == name) words <- words[-1] else words[1] <- substring(words[1], nchar(name) + 2)
        if (!length(words) || words[1] %in% options) refuse(name, " needs a value after it.")
        given[[name]] <- c(given[[name]], words[1])
      } else if (startsWith(words[1], "--"))
        refuse("\u201c", name, "\u201d is no option here; there are --json, ", paste(options, collapse = ", "), ".")
      else rest <- c(rest, words[1])
      words <- words[-1]
    }
    last <- function(usual, name) utils::tail(c(usual, given[[name]]), 1)
    r <- splu_release(last(dirname(normalizePath(own)), "--release"))
    kind <- if (length(rest)) rest[1] else ""
    asked <- rest[-1]
    where <- given[["--where"]]
    wants <- switch(kind, trend = "--by", logit = , poisson = "--on")
    if (!kind %in% names(fewest) || length(asked) < fewest[[kind]] || (kind %in% no_more && length(asked) > fewest[[kind]]) ||
        (!is.null(wants) && !length(given[[wants]])))
      refuse("Ask ", paste(utils::head(names(fewest), -1), collapse = ", "), " or poisson, with all that it takes: for example ",
             "odds-ratio \"A=x\" \"B=y\", mean COLUMN \"A=x\", trend \"A=x\" --by DATE:month, logit \"A=x\" --on B; ",
             "join what is to be met at once by ;.")
    by <- given[["--by"]]
    period <- ""
    if (kind == "trend") {
      if (length(by) > 1) refuse("A trend goes by one column: give --by once.")
      if (is.null(r$column(by)) && grepl(":", by, fixed = TRUE)) {
        period <- sub("^.*:", "", by)
        by <- sub(":[^:]*$", "", by)
      }
    }
    method <- last("unbiased", "--method")
    found <- switch(kind, count = r$count(asked, method, where), share = r$share(asked, where, method),
      difference = r$difference(asked[1], asked[2], where), ratio = r$ratio(asked[1], asked[2], where),
      "odds-ratio" = r$odds_ratio(asked[1], asked[2], where), mean = r$mean(asked[1], c(asked[-1], where)),
      quantile = r$quantile(asked[1], as.numeric(last("0.5", "--q")), c(asked[-1], where)),
      trend = r$trend(c(asked, where), by, period), crosstab = r$crosstab(asked[1], asked[2], where),
      logit = r$logit(asked[1], as.list(given[["--on"]]), where), poisson = r$poisson(asked[1], as.list(given[["--on"]]), where))
    if (as_json) cat(r$json(unclass(found)), "\n") else print(found)
    0L
  }, error = function(fault) {
    message("splu_release: ", conditionMessage(fault))
    2L
  }))
  quit(status = status)
})

.splu <- local({
  Z <- 1.959963984540054
  METHODS <- c("unbiased", "bayes")
  FAR <- 1e12  # as good as without bound
  FLAT <- 1e-9  # as good as 0
  ENDLESS <- 1e3  # times an estimate, as good as no bound: so flat further out that rounding would decide
  FARTHEST <- 64 # times an interval at first, as good as no bound
  NEAR <- 3e-3 # of a standard error, from where on an end lies on a curve
  TANGENT <- 1e-3 # of Wald's interval, told by the estimate's tangent
  HALVINGS <- 50
  BEYOND <- 4  # standard deviations beyond all that can be at which an estimate says nothing
  LEAST <- 1e-9  # records at least; FULL: of all, with a value, at most
  FULL <- 0.999
  SKEWED <- (Z^2 - 1) / 6
  NARROWEST <- 0.25  # times a modelled variance, at least
  ALIKE <- 30 # records of the whole table, by which those of one pattern are judged
  FEW <- 300 # records of a pattern, of which more tell by themselves
  MOST_FEW <- 500000 # kinds of these by classes
  MOST_COLUMNS <- 6 # unchanged ones whose pairs of records are told apart
  FEWER <- 0.05 # of a record's other ones that are not of its class though chance would have them
  MOST_APART <- 4 # columns whose persons' records are told apart; of more the largest design effect stands for all
  refuse <- function(...) stop(structure(class = c("splu_refused", "error", "condition"),
                                         list(message = paste0(...), call = NULL)))

  in_a_sentence <- function(fault) if (inherits(fault, "splu_refused")) stop(fault) else refuse(
    "This can't be answered: the question is not written as splu_release.R shows, or release.json was altered; ",
    "write it so, or ask for the release again.")

  # --- JSON

  json <- function(text) {
    pattern <- "\"(?:[^\"\\\\]|\\\\.)*\"|-?[0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null|[][{}:,]"
    tokens <- regmatches(text, gregexpr(pattern, text, perl = TRUE))[[1]]
    first <- substr(tokens, 1, 1)
    at <- 0L
    string <- function(token) {
      token <- substr(token, 2, nchar(token) - 1)
      if (!grepl("\\", token, fixed = TRUE)) return(token)
      pieces <- regmatches(token, gregexpr("\\\\u[0-9a-fA-F]{4}|\\\\.|[^\\\\]+", token, perl = TRUE))[[1]]
      known <- c("\\n" = "\n", "\\t" = "\t", "\\r" = "\r", "\\b" = "\b", "\\f" = "\f", "\\\"" = "\"", "\\\\" = "\\",
                 "\\/" = "/")
      paste(vapply(pieces, function(p) if (p %in% names(known)) known[[p]] else if (grepl("^\\\\u", p))
        intToUtf8(strtoi(substr(p, 3, 6), 16L)) else p, ""), collapse = "")
    }
    value <- function() {
      at <<- at + 1L
      token <- tokens[at]
      kind <- first[at]
      if (kind == "{") {
        found <- list()
        while (first[at + 1L] != "}") {
          name <- string(tokens[at + 1L])
          at <<- at + 2L
          found[name] <- list(value())
          if (first[at + 1L] == ",") at <<- at + 1L
        }
        at <<- at + 1L
        return(found)
      }
      if (kind == "[") {
        found <- list()
        number <- 0L
        while (first[at + 1L] != "]") {
          number <- number + 1L
          found[number] <- list(value())
          if (first[at + 1L] == ",") at <<- at + 1L
        }
        at <<- at + 1L
        if (number && all(vapply(found, function(one) is.atomic(one) && length(one) == 1L, TRUE))) found <- unlist(found)
        return(found)
      }
      if (kind == "\"") return(string(token))
      switch(token, true = TRUE, false = FALSE, null = NULL, as.numeric(token))
    }
    value()
  }
  quoted <- function(text) {
    text <- gsub("(\\\\|\")", "\\\\\\1", text)
    if (any(grepl("[[:cntrl:]]", text))) for (code in 1:31)
      text <- gsub(intToUtf8(code), sprintf("\\u%04x", code), text, fixed = TRUE)
    paste0("\"", text, "\"")
  }
  written <- function(one) {
    if (is.null(one)) return("null")
    if (is.list(one) && is.null(names(one))) return(paste0("[", paste(vapply(one, written, ""), collapse = ", "), "]"))
    if (is.list(one)) return(paste0("{", paste(sprintf("%s: %s", quoted(names(one)), vapply(one, written, "")),
                                               collapse = ", "), "}"))
    if (is.character(one)) return(quoted(one))
    if (is.logical(one)) return(if (one) "true" else "false")
    if (is.finite(one)) format(one, digits = 15, scientific = NA, decimal.mark = ".") else "null"
  }

  # --- texts

  restored <- function(text) {
    signs <- "=+\\-@\uff1d\uff0b\uff0d\uff20"
    gsub(sprintf("\\A'(?=['\" \u00a0\u3000]*[%s\t\r\n])|(?<=[;\t\r\n])'(?=['\" \u00a0\u3000]*[%s])", signs, signs), "",
         text, perl = TRUE)
  }
  ends_of <- function(label) {
    number <- "([-\u2212]?[0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)"
    ways <- c(below = sprintf("%s\\s+to\\s+below\\s+%s|\\[\\s*%s\\s*[-\u2013,]\\s*%s\\s*\\)", number, number, number, number),
              to = sprintf("%s\\s+to\\s+%s|%s\\s*[-\u2013]\\s*%s", number, number, number, number),
              under = sprintf("(?:below|under|<)\\s*%s", number),
              from = sprintf("%s\\s*(?:and more|or more|and over|\\+)|(?:>=|\u2265)\\s*%s", number, number), one = number)
    for (way in names(ways)) {
      found <- regmatches(trimws(label), regexec(paste0("^(?:", ways[[way]], ")$"), trimws(label), perl = TRUE))[[1]]
      if (!length(found)) next
      ends <- as.numeric(gsub("\u2212", "-", found[-1][nzchar(found[-1])]))
      return(switch(way, under = c(-Inf, ends[1]), from = c(ends[1], Inf), c(ends[1], ends[length(ends)])))
    }
    NULL
  }
  # Its least number, what it stays below, and whether it is more than a number.
  below_of <- function(label) {
    ends <- ends_of(label)
    if (is.null(ends) || any(is.infinite(ends))) return(if (!is.null(ends)) c(ends, TRUE))
    if (grepl("to\\s+below|^\\s*\\[", label)) return(c(ends, TRUE))
    top <- if (grepl(".", label, fixed = TRUE)) ends[2] + abs(ends[2]) * .Machine$double.eps + 1e-300 else ends[2] + 1
    c(ends[1], top, is.null(number_of(label)))
  }
  # Also with a decimal comma; "1,500" is fifteen hundred to some and one and a half to others, so none.
  number_of <- function(text) {
    if (grepl("^[-+]?[0-9]+,[0-9]+$", text) && !grepl("^[-+]?[1-9][0-9]{0,2},[0-9]{3}$", text)) text <- sub(",", ".", text)
    if (grepl("^\\s*[-+\u2212]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?\\s*$", text))
    as.numeric(gsub("\u2212", "-", text))
  }
  # A bare number is a year of the centuries that tables are about: postcodes and other numbers have four digits, too.
  SPAN <- "^((18|19|20|21)[0-9]{2}|[0-9]{4}(-(0[1-9]|1[0-2])| Q[1-4]))$"
  UNITS <- c("year", "quarter", "month", "week", "day")
  period_of <- function(label, period) {
    if (!period %in% UNITS) refuse("There is no period \u201c", period, "\u201d; choose among ", paste(UNITS, collapse = ", "), ".")
    told <- if (nchar(label) == 4) 1 else if (grepl("Q", label)) 2 else if (nchar(label) == 7) 3 else length(UNITS)
    if (match(period, UNITS) > told) refuse("\u201c", label, "\u201d is no date that tells a ", period, "; choose among ",
                                            paste(UNITS[seq_len(told)], collapse = ", "), ".")
    year <- as.integer(substr(label, 1, 4))
    month <- if (told == 1) 1L else if (told == 2) 3L * as.integer(substr(label, 7, 7)) - 2L else as.integer(substr(label, 6, 7))
    quarter <- (month - 1L) %/% 3L
    if (period == "year") return(list(year, sprintf("%04d", year)))
    if (period == "quarter") return(list(4 * year + quarter, sprintf("%04d Q%d", year, quarter + 1L)))
    if (period == "month") return(list(12 * year + month - 1, sprintf("%04d-%02d", year, month)))
    day <- as.integer(as.Date(substr(label, 1, 10))) + 719163L  # days since year 1, as Python counts them
    if (period == "day") return(list(day, substr(label, 1, 10)))
    monday <- day - (day - 1L) %% 7L
    list(monday %/% 7L, format(as.Date(monday - 719163L, origin = "1970-01-01")))
  }
  words <- function(asked) {
    if (is.list(asked) && is.null(names(asked))) asked <- vapply(asked, words, "")
    if (is.list(asked)) asked <- paste0(names(asked), "=", vapply(asked, paste, "", collapse = "|"))
    paste(asked, collapse = ", ")
  }
  # The parts of a text between bars: the longest that are a label each, which may hold a bar itself.
  barred <- function(text, labels) {
    parts <- strsplit(paste0(text, "|"), "|", fixed = TRUE)[[1]]
    bars <- max(nchar(gsub("[^|]", "", labels)))
    found <- character(0)
    while (length(parts)) {
      runs <- vapply(seq_len(min(length(parts), bars + 1)), function(stop) paste(parts[1:stop], collapse = "|"), "")
      stop <- max(1, which(runs %in% labels | trimws(runs) %in% labels))
      if (!nzchar(trimws(runs[stop])))
        refuse("\u201c", text, "\u201d has an empty place between its bars; take it out, or write (empty) for no value.")
      found <- c(found, runs[stop])
      parts <- parts[-(1:stop)]
    }
    found
  }
  # Accents put together with their letters, of Latin ones: base R has no means for others.
  LETTERS_WITH <- strsplit(paste0(
    "\u00c0\u00c1\u00c2\u00c3\u00c4\u00c5\u00c7\u00c8\u00c9\u00ca\u00cb\u00cc\u00cd\u00ce\u00cf\u00d1",
    "\u00d2\u00d3\u00d4\u00d5\u00d6\u00d9\u00da\u00db\u00dc\u00dd\u00e0\u00e1\u00e2\u00e3\u00e4\u00e5",
    "\u00e7\u00e8\u00e9\u00ea\u00eb\u00ec\u00ed\u00ee\u00ef\u00f1\u00f2\u00f3\u00f4\u00f5\u00f6\u00f9",
    "\u00fa\u00fb\u00fc\u00fd\u00ff\u0100\u0101\u0102\u0103\u0104\u0105\u0106\u0107\u0108\u0109\u010a",
    "\u010b\u010c\u010d\u010e\u010f\u0112\u0113\u0114\u0115\u0116\u0117\u0118\u0119\u011a\u011b\u011c",
    "\u011d\u011e\u011f\u0120\u0121\u0122\u0123\u0124\u0125\u0128\u0129\u012a\u012b\u012c\u012d\u012e",
    "\u012f\u0130\u0134\u0135\u0136\u0137\u0139\u013a\u013b\u013c\u013d\u013e\u0143\u0144\u0145\u0146",
    "\u0147\u0148\u014c\u014d\u014e\u014f\u0150\u0151\u0154\u0155\u0156\u0157\u0158\u0159\u015a\u015b",
    "\u015c\u015d\u015e\u015f\u0160\u0161\u0162\u0163\u0164\u0165\u0168\u0169\u016a\u016b\u016c\u016d",
    "\u016e\u016f\u0170\u0171\u0172\u0173\u0174\u0175\u0176\u0177\u0178\u0179\u017a\u017b\u017c\u017d",
    "\u017e"), "")[[1]]
  BARE <- strsplit("AAAAAACEEEEIIIINOOOOOUUUUYaaaaaaceeeeiiiinooooouuuuyyAaAaAaCcCcCcCcDdEeEeEeEeEeGgGgGgGgHhIiIiIiIiIJjKkLlLlLlNnNnNnOoOoOoRrRrRrSsSsSsSsTtTtUuUuUuUuUuUuWwYyYZzZzZz", "")[[1]]
  ACCENTS <- strsplit(paste0(
    "\u0300\u0301\u0302\u0303\u0308\u030a\u0327\u0300\u0301\u0302\u0308\u0300\u0301\u0302\u0308\u0303",
    "\u0300\u0301\u0302\u0303\u0308\u0300\u0301\u0302\u0308\u0301\u0300\u0301\u0302\u0303\u0308\u030a",
    "\u0327\u0300\u0301\u0302\u0308\u0300\u0301\u0302\u0308\u0303\u0300\u0301\u0302\u0303\u0308\u0300",
    "\u0301\u0302\u0308\u0301\u0308\u0304\u0304\u0306\u0306\u0328\u0328\u0301\u0301\u0302\u0302\u0307",
    "\u0307\u030c\u030c\u030c\u030c\u0304\u0304\u0306\u0306\u0307\u0307\u0328\u0328\u030c\u030c\u0302",
    "\u0302\u0306\u0306\u0307\u0307\u0327\u0327\u0302\u0302\u0303\u0303\u0304\u0304\u0306\u0306\u0328",
    "\u0328\u0307\u0302\u0302\u0327\u0327\u0301\u0301\u0327\u0327\u030c\u030c\u0301\u0301\u0327\u0327",
    "\u030c\u030c\u0304\u0304\u0306\u0306\u030b\u030b\u0301\u0301\u0327\u0327\u030c\u030c\u0301\u0301",
    "\u0302\u0302\u0327\u0327\u030c\u030c\u0327\u0327\u030c\u030c\u0303\u0303\u0304\u0304\u0306\u0306",
    "\u030a\u030a\u030b\u030b\u0328\u0328\u0302\u0302\u0302\u0302\u0308\u0301\u0301\u0307\u0307\u030c",
    "\u030c"), "")[[1]]
  composed <- function(text) {
    for (at in seq_along(BARE)) if (any(grepl(ACCENTS[at], text, fixed = TRUE)))
      text <- gsub(paste0(BARE[at], ACCENTS[at]), LETTERS_WITH[at], text, fixed = TRUE)
    text
  }
  of_words <- function(where) if (length(where)) paste0(" of ", words(where)) else ""
  both <- function(one, other) c(conditions(one), conditions(other))
  condition <- function(...) structure(list(...), class = "splu_condition")
  conditions <- function(asked) {
    if (inherits(asked, "splu_condition")) return(list(asked))
    if (is.null(asked) || !length(asked)) return(list())
    if (is.list(asked) && is.null(names(asked))) return(do.call(c, lapply(asked, conditions)))
    if (is.list(asked)) return(lapply(names(asked), function(name) condition(name = name, asked = asked[[name]])))
    lapply(asked, function(text) condition(text = text))
  }
  # Where `interval_by` is "possible", the release does not tell the figure: the ends are then what it leaves possible.
  # `notes` are sentences that say what must be known of the figures.
  BELOW <- "A count below 0 stands for few records or none; it is not cut at 0, so that cells add up to their margins."
  # Nobody can tell from a release which values these are.
  NARROW <- paste("Persons were drawn: for values that few persons have again and again, asked of few records or compared by what",
    "goes with coming often, 95 % intervals hold the truth in 80 to 93 %. Ask of more records, or of groups of values.")
  answer <- function(what, estimate, low, high, ..., possible = FALSE, notes = NULL) {
    found <- list(what = what, estimate = unname(estimate), low = unname(low), high = unname(high),
                  interval_by = if (possible) "possible" else "theory", ...)
    counts <- if (!is.null(found$selected)) list(found) else if ("(all) | (all)" %in% names(found$parts)) found$parts
    if (any(vapply(counts, function(count) count$low < 0, TRUE))) notes <- c(notes, BELOW)
    if (length(notes)) found$notes <- as.list(notes)
    structure(found, class = "splu_answer")
  }
  # What is asked, with the note on releases by person.
  noted <- function(found, by_person) {
    if (by_person && inherits(found, "splu_answer") && !isTRUE(found$exact)) found$notes <- unique(c(found$notes, list(NARROW)))
    found
  }

  # --- mathematics

  likeliest <- function(y, T, chosen) {
    x <- y + 1e-9
    for (step in 1:5000) {
      expected <- as.vector(x %*% T)
      new <- x * as.vector(T %*% ifelse(expected > 0, y / expected, 0))
      settled <- all(abs(new - x) <= 1e-7 * pmax(x, 1))
      x <- new
      if (settled) break
    }
    sum(x[chosen])
  }
  likeliest_state <- function(y, T) {
    exact <- tryCatch(solve(t(T), y), error = function(e) NULL)
    if (!is.null(exact)) {
      if (all(exact >= 0)) return(exact[length(exact)])
      if (length(y) == 2) return(min(max(exact[2], 0), sum(y)))
    }
    x <- y
    for (step in 1:2000) {
      expected <- as.vector(x %*% T)
      new <- x * as.vector(T %*% ifelse(expected > 0, y / expected, 0))
      settled <- all(abs(new - x) <= 1e-6 * pmax(x, 1e-6))
      x <- new
      if (settled) break
    }
    x[length(x)]
  }
  clear_inverse <- function(T, counts, n) {
    root <- sqrt(pmax(counts, 1e-9))
    even <- root * T / rep(root, each = length(root))
    found <- eigen((even + t(even)) / 2, symmetric = TRUE)
    clear <- found$values > 3 / sqrt(max(n, 1))
    known <- found$vectors[, clear, drop = FALSE]
    inverse <- (known %*% (t(known) / found$values[clear])) / root * rep(root, each = length(root))
    list(inverse = inverse, hidden = sum(!clear))
  }
  fieller <- function(top, bottom, vt, vb, cov) {
    two <- bottom^2 - Z^2 * vb
    one <- top * bottom - Z^2 * cov
    none <- top^2 - Z^2 * vt
    root <- sqrt(max(one^2 - two * none, 0))
    if (two > 0) return(c((one - root) / two, (one + root) / two))
    if (one^2 - two * none <= 0 || two == 0) return(c(-Inf, Inf))
    ends <- sort(c((one - root) / two, (one + root) / two))
    if (top / bottom >= ends[2]) c(ends[2], Inf) else c(-Inf, ends[1])
  }
  # The covariances that make most of a combination of sums, and its variance.
  covariance <- function(sums, a) sums$ways[[which.max(vapply(sums$ways, function(V) sum(a * (V %*% a)), 0))]]
  along <- function(sums, a) max(sum(a * (covariance(sums, a) %*% a)), 0)
  arm <- function(sums, a) Z * sqrt(along(sums, a))
  quotient <- function(sums, over, under) {
    top <- sum(over * sums$values)
    bottom <- sum(under * sums$values)
    V <- covariance(sums, over - top / bottom * under)
    fieller(top, bottom, sum(over * (V %*% over)), sum(under * (V %*% under)), sum(over * (V %*% under)))
  }
  product_quotient <- function(sums, over, under) {
    v <- sums$values
    if (any(v[c(over, under)] <= 0))
      refuse("A group that this is made of may well have no record, so the release can't tell the ratio; ask about larger groups.")
    of <- c(over, under)
    slope <- rep(0, length(v))
    for (at in 1:4) slope[of[at]] <- slope[of[at]] + c(1, 1, -1, -1)[at] / v[of[at]]
    ends <- profile_of(covariance(sums, slope)[of, of] / outer(v[of], v[of]))
    if (ends[1] <= 0 && is.infinite(ends[2]))
      refuse("The release can't tell this ratio: it may be anything; ask about larger groups.")
    prod(v[over]) / prod(v[under]) * ends
  }
  # The ends of all t for which counts whose ratio is t times the one found are no further from those found than 1.96
  # standard deviations in the normal likelihood of all four. `relative`: their covariances, each over the counts found.
  profile_of <- function(relative) {
    found <- eigen(relative, symmetric = TRUE)
    root <- found$vectors %*% diag(sqrt(pmax(found$values, 0)))
    near <- function(t) {
      # The least |z|^2 with (1 + e_i) (1 + e_j) = t (1 + e_k) (1 + e_l), e = root z: a point of a quadric.
      square <- outer(root[1, ], root[2, ]) - t * outer(root[3, ], root[4, ])
      bent <- eigen((square + t(square)) / 2, symmetric = TRUE)
      line <- root[1, ] + root[2, ] - t * (root[3, ] + root[4, ])
      nearest(1 - t, as.vector(line %*% bent$vectors), bent$values) <= Z^2
    }
    c(end_of(near, 0.5), end_of(near, 2))
  }
  # The least |z|^2 with level + slope z + sum bent z^2 = 0, by Lagrange's multiplier; infinite if none.
  nearest <- function(level, slope, bent) {
    if (level < 0) return(nearest(-level, -slope, -bent))
    bent[abs(bent) < FLAT] <- 0
    steepest <- min(0, bent)
    most <- if (steepest < 0) -1 / steepest else Inf
    point <- function(at) -at * slope / (2 * (1 + at * bent))
    left <- function(at) {
      z <- point(at)
      level + sum(slope * z + bent * z^2)
    }
    low <- 0
    high <- 1
    while (high < most && high < FAR && left(high) > 0) high <- high * 2
    high <- min(high, most)
    for (i in seq_len(HALVINGS)) {
      middle <- (low + high) / 2
      if (isTRUE(left(middle) > 0)) low <- middle else high <- middle
    }
    near <- sum(point(low)^2)
    if (left(low) <= FLAT * level) return(near)
    # What is left where the multiplier can go no further lies along the steepest direction.
    if (steepest < 0) near + left(low) / -steepest else Inf
  }
  # The last t, from 1 by steps of `factor` on, that is near; 0 or infinite where all are.
  end_of <- function(near, factor) {
    step <- factor
    while (near(step)) {
      step <- step^2
      if (step <= 1 / ENDLESS || step >= ENDLESS) return(if (factor < 1) 0 else Inf)
    }
    inside <- if (step == factor) 1 else sqrt(step)
    outside <- step
    for (i in seq_len(HALVINGS)) {
      middle <- sqrt(inside * outside)
      if (near(middle)) inside <- middle else outside <- middle
    }
    inside
  }
  logistic <- function(eta) {
    mean <- 1 / (1 + exp(-pmin(pmax(eta, -700), 700)))
    list(mean = mean, slope = mean * (1 - mean))
  }
  exponential <- function(eta) list(mean = exp(pmin(eta, 300)), slope = exp(pmin(eta, 300)))
  # Refuse, with its name, where a group lets the equations have no solution.
  check_groups <- function(groups, y, weights, is_logistic, failed) {
    records <- vapply(groups, function(flags) sum(weights[flags]), 0)
    outcome <- vapply(groups, function(flags) sum(weights[flags] * y[flags]), 0)
    near <- 1e-9 * pmax(records, 1)
    sure <- failed | vapply(seq_along(groups), function(at) all(weights[groups[[at]]] >= -near[[at]]), TRUE)
    lone <- which(sure & (outcome <= near | (is_logistic & outcome >= records - near)))
    if (!length(lone)) return(invisible())
    least <- lone[which.min(pmax(round(records[lone]), 0))]
    refuse("With \u201c", names(groups)[least], "\u201d (records: ", max(round(records[[least]]), 0), ") the outcome seems to be ",
           "all or nothing, as far as the release can tell, so there is no coefficient; leave these records out by a ",
           "condition, or put the value together with another.")
  }
  # Sum of weight x (y - mean(xb)) = 0 over rows x, and the coefficients that solve it.
  equations_of <- function(rows, y, weights, link, is_logistic) {
    whole <- sum(weights)
    centre <- if (whole > 0) sum(weights * y) / whole else 0
    if (centre <= 0 || (is_logistic && centre >= 1) || min(y) == max(y))
      refuse("All of these records, or none, seem to meet the outcome: there is nothing to fit.")
    scale <- pmax(sqrt(colSums(abs(weights) * rows^2)), 1e-9)
    gaps <- function(b) y - link(as.vector(rows %*% b))$mean
    score <- function(b) as.vector(crossprod(rows, weights * gaps(b)))
    # Where most entries are 0, as of a coefficient per value, products of the few others of each row are added up.
    some <- which(t(rows) != 0, arr.ind = TRUE)
    width <- tabulate(some[, 2], nrow(rows))
    summed <- function(w) t(rows) %*% (rows * w)
    if (4 * sum(width^2) < length(rows) * ncol(rows)) {
      left <- rep(seq_len(nrow(some)), width[some[, 2]])
      right <- sequence(width[some[, 2]], (cumsum(width) - width + 1)[some[, 2]])
      of <- some[left, 2]
      product <- rows[some[left, 2:1]] * rows[some[right, 2:1]]
      place <- (some[left, 1] - 1) * ncol(rows) + some[right, 1]
      order <- unique(place)
      summed <- function(w) {
        found <- matrix(0, ncol(rows), ncol(rows))
        found[order] <- rowsum(product * w[of], place, reorder = FALSE)
        found
      }
    }
    # From `beta` on; the coefficient number `held` stays as it is, and its equation is left out. What a step leaves is its
    # square, and an end moves with that square's square: beside one, steps may be larger.
    solved <- function(beta, held = 0) {
      free <- seq_along(beta) != held
      far <- function(s) sum((s / scale)[free]^2)
      now <- score(beta)
      for (round in 1:100) {
        slope <- summed(weights * link(as.vector(rows %*% beta))$slope) / outer(scale, scale)
        bread <- tryCatch(solve(slope, tol = 1e-13) / outer(scale, scale), error = function(e) NULL)
        if (is.null(bread)) {
          if (round == 1) refuse("The columns named say the same of each other, or nothing at all; leave one out.")
          break
        }
        step <- as.vector(bread %*% now)
        if (held) step <- step - bread[, held] * step[held] / bread[held, held]
        for (halved in 0:29) {
          tried <- beta + step / 2^halved
          there <- score(tried)
          if (isTRUE(far(there) <= far(now))) break
        }
        beta <- tried
        now <- there
        if (max(abs(step) * scale) < (if (held) 1e-4 else 1e-8) * sqrt(sum(abs(weights)))) return(list(beta = beta, bread = bread))
      }
      refuse("The regression has no solution here: these columns tell the outcome for certain, or too little is left of ",
             "its link to them.")
    }
    start <- if (is_logistic) log(centre / (1 - centre)) else log(centre)
    list(gaps = gaps, solved = solved, fit = solved(c(start, numeric(ncol(rows) - 1))))
  }
  # The end of the interval of one coefficient on the side of `half`; infinite for no bound. That is the last at which its
  # own equation, the others solved, is within 1.96 of its standard errors there (a score interval); `own` tells by how
  # much it would move it from there. Each tried lies on the curve through the last three, of which the first two are the
  # estimate's tangent: there the distance grows as Wald's.
  end_of_coefficient <- function(equations, own, at, half) {
    fit <- near <- equations$fit
    if (half == 0) return(fit$beta[at])
    inside <- 0
    outside <- Inf
    step <- 1
    steps <- c(0, TANGENT)
    found <- Z * (steps - 1)
    tryCatch({
      for (i in seq_len(HALVINGS)) {
        near <- equations$solved(near$beta + (fit$beta[at] + step * half - near$beta[at]) * near$bread[, at] / near$bread[at, at], at)
        moved <- own(at, near)
        far <- -sign(half) * moved$values / max(sqrt(along(moved, 1)), 1e-300) - Z
        if (far < 0 && step >= FARTHEST) return(sign(half) * Inf)
        if (far < 0) inside <- step else outside <- step
        steps <- c(tail(steps, 2), step)
        found <- c(tail(found, 2), far)
        guess <- crossing(found, steps)
        if (inside < guess && guess < min(outside, 2 * max(inside, 1))) step <- guess
        else if (abs(far) >= NEAR) step <- if (is.infinite(outside)) 2 * inside else (inside + outside) / 2
        if (abs(far) < NEAR) break
      }
      fit$beta[at] + step * half
    }, splu_refused = function(fault) sign(half) * Inf) # nothing solves the other equations there
  }
  # The step at which the curve through three finds 0 (Neville's scheme).
  crossing <- function(found, steps) {
    gap <- function(to, from) if (found[to] == found[from]) LEAST else found[to] - found[from]
    first <- (steps[1] * found[2] - steps[2] * found[1]) / gap(2, 1)
    second <- (steps[2] * found[3] - steps[3] * found[2]) / gap(3, 2)
    (first * found[3] - second * found[1]) / gap(3, 1)
  }

  # --- a release

  function(folder = ".") {
    if (file.exists(folder) && !dir.exists(folder) && basename(folder) != "release.json")
      refuse("\u201c", basename(folder), "\u201d is a packed release: unpack it first (an encrypted one with 7-Zip and the ",
             "password that came by another way), then name the folder.")
    if (basename(folder) == "release.json") folder <- dirname(folder)
    path <- file.path(folder, "release.json")
    if (!file.exists(path)) refuse("\u201c", folder, "\u201d holds no release.json; name the folder of a release.")
    text <- readChar(path, file.info(path)$size, useBytes = TRUE)
    Encoding(text) <- "UTF-8"
    facts <- tryCatch(suppressWarnings(json(text)), error = function(e) refuse("release.json is damaged; ask for the release again."))
    if (!identical(facts$format, "splu-release") || facts$version != 1)
      refuse("This release is of another format; take the splu_release.R that came with it.")
    if (is.null(facts$transitions))
      refuse("This release was made before the program wrote down its transitions; ask for it anew, or use the program.")
    entries <- facts$columns
    if (length(facts$records) != 1 || !is.numeric(facts$records)) refuse("release.json is damaged; ask for the release again.")
    names(entries) <- vapply(entries, function(entry) entry$name, "")
    all_names <- names(entries)
    sensitive <- all_names[vapply(entries, function(entry) entry$role == "sa", TRUE)]
    n <- facts$records
    file <- file.path(folder, "table.csv")
    stated <- Filter(function(one) one$name == "table.csv", facts$files)[[1]]
    sound <- file.exists(file) && file.info(file)$size == stated$bytes
    if (sound && exists("sha256sum", asNamespace("tools")))
      sound <- identical(unname(get("sha256sum", asNamespace("tools"))(file)), stated$sha256)
    if (!sound) refuse("table.csv is missing or is not the table that was released, as after saving it with another ",
                       "program; take the original file.")
    # The header as a record: as a header R would take blanks off names.
    raw <- utils::read.csv(file, header = FALSE, colClasses = "character", na.strings = character(0), quote = "\"",
                           fileEncoding = "UTF-8-BOM", encoding = "UTF-8", blank.lines.skip = FALSE, comment.char = "")
    raw[] <- lapply(raw, restored)
    one_kind <- function(texts) gsub("\r\n?", "\n", texts)  # R reads every kind of line break as one
    header <- as.character(unlist(raw[1, ]))
    raw <- raw[-1, , drop = FALSE]
    if (!identical(header, one_kind(all_names)) || nrow(raw) != n)
      refuse("table.csv and release.json don't fit together; ask for the release again.")
    names(raw) <- all_names
    missing_of <- lapply(entries, function(entry) as.character(entry$missing))
    labels <- lapply(all_names, function(name) {
      domain <- entries[[name]]$domain
      if (!is.null(domain)) return(as.character(domain))
      seen <- unique(raw[[name]])
      if (entries[[name]]$kind %in% c("integer", "decimal")) seen[order(suppressWarnings(as.numeric(seen)), seen)]
      else sort(seen, method = "radix")
    })
    names(labels) <- all_names
    codes <- lapply(all_names, function(name) match(raw[[name]], one_kind(labels[[name]])))
    names(codes) <- all_names
    if (anyNA(codes, recursive = TRUE)) refuse("table.csv and release.json don't fit together; ask for the release again.")
    counts <- lapply(all_names, function(name) tabulate(codes[[name]], length(labels[[name]])))
    names(counts) <- all_names
    blocks <- facts$transitions$blocks
    block_of <- function(name) for (block in blocks) if (name %in% block$columns) return(block)

    as_matrix <- function(rows) if (is.list(rows)) do.call(rbind, rows) else matrix(rows, 1)
    new_way <- function(f, one, whole = n) {
      f <- as.numeric(f)
      way <- list(counts = f, size = length(f), most = one$most, unseen = one$unseen, a = one$a, hidden = one$hidden)
      if (is.null(one$a) && is.null(one$T))
        refuse("A sensitive column has too many values for this file (", one$left_out, "); use the program itself.")
      if (!is.null(one$a)) {
        others <- pmax(whole - f, 1)
        way$b <- (1 - one$a) * f / others
        way$signal <- one$a - way$b
        way$clear <- way$signal > 3 * (1 - one$a) * whole / others^2 * sqrt(pmax(f, 1) * (1 - one$a))
        # What phi over all values misses of 1, where all can be told: sets of several get their part, f_s / N.
        way$short <- if (all(way$clear)) 1 - 1 / way$signal + sum(way$b / way$signal) else 0 * f
      }
      if (!is.null(one$T)) {
        way$T <- as_matrix(one$T)
        way$inverse <- as_matrix(one$inverse)
        way$whole <- one$counts
        way$readable <- one$readable
        way$moving <- as.numeric(one$moving)
        way$shift <- if (is.null(one$shift)) numeric(length(f)) else one$shift
      } else {
        way$whole <- f
        way$readable <- way$clear
        way$moving <- rep(1, length(f))
      }
      size <- c(lengths(way[c("whole", "readable", "moving")]), dim(way$T), dim(way$inverse))
      if (any(size != length(f)) || !is.numeric(c(way$most, way$unseen)) || length(c(way$most, way$unseen)) != 2) refuse("release.json is damaged or was altered; ask for the release again.")
      way
    }
    ways <- lapply(sensitive, function(name) new_way(counts[[name]], facts$transitions$columns[[name]]))
    names(ways) <- sensitive

    # --- what questions mean

    unknown <- function(name) if (!is.character(name) || length(name) != 1)
      refuse("One column's name is asked for here, not ", length(name), "; the columns are: ", paste(all_names, collapse = ", "), ".") else refuse("The release has no column \u201c", name, "\u201d; its columns are: ",
                                     paste(all_names, collapse = ", "), ".")
    # The column that a typed name means, whose accents may stand apart; NULL where there is none.
    meant <- function(name) if (is.character(name) && length(name) == 1)
      for (one in c(name, trimws(name), composed(trimws(name)))) if (one %in% all_names) return(one)
    column_of <- function(name) if (is.null(meant(name))) unknown(name) else meant(name)
    backwards <- function(name, text) refuse("The range of \u201c", name, "=", text, "\u201d runs backwards; write the smaller end first.")
    range_of <- function(name, text) {
      label <- labels[[name]]
      known <- !label %in% missing_of[[name]] & !label %in% as.character(entries[[name]]$texts) & grepl("[0-9]", label)
      pieces <- regmatches(text, regexpr("..", text, fixed = TRUE), invert = TRUE)[[1]]
      dots <- length(pieces) == 2
      low <- trimws(pieces[1])
      high <- if (dots) trimws(pieces[2]) else low
      none <- rep(FALSE, length(label))
      if (!nzchar(low) && !nzchar(high)) return(none)
      spans <- spans_of(name)
      if (entries[[name]]$kind %in% c("date", "datetime") || spans) {
        # A day with points, which everybody who writes it means day first.
        pointed <- "^([0-9]{1,2})\\.\\s?([0-9]{1,2})\\.\\s?([0-9]{4})$"
        dated <- function(end) if (spans || !grepl(pointed, end)) end else
          do.call(sprintf, c("%04d-%02d-%02d", as.list(rev(as.integer(regmatches(end, regexec(pointed, end))[[1]][-1])))))
        low <- dated(low)
        high <- dated(high)
        for (end in c(low, high)) if (nzchar(end)) {
          if (!grepl("^[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01])\\b.*)?| Q[1-4])?$", end)) return(none)
          # A day among months, a quarter among them: only their texts would be compared.
          if (spans && nchar(end) > 4 && any(nchar(end) != nchar(label[known]) | grepl("Q", end) != grepl("Q", label[known]))) return(none)
          if (!spans && grepl("Q", end)) return(none)
        }
        if (nzchar(low) && nzchar(high) && substr(low, 1, nchar(high)) > high) backwards(name, text)
        return(known & (!nzchar(low) | label >= low) & (!nzchar(high) | substr(label, 1, nchar(high)) <= high))
      }
      bound <- c(if (nzchar(low)) number_of(low) else -Inf, if (nzchar(high)) number_of(high) else Inf)
      if (length(bound) < 2) return(none)
      if (bound[1] > bound[2] && (entries[[name]]$kind %in% c("integer", "decimal") || !is.null(intervals_of(name)))) backwards(name, text)
      if (entries[[name]]$kind %in% c("integer", "decimal")) {
        found <- as.numeric(label[known])
        none[known] <- bound[1] <= found & found <= bound[2]
        return(none)
      }
      ends <- intervals_of(name)
      if (is.null(ends)) return(none)  # "7" is not the text "007": what holds no intervals has no numbers
      here <- !is.na(ends[, 1])
      tops <- ends[here, 2]
      # 20..39 of whole numbers ends where the interval that stays below 40 does.
      fits <- if (all(is.infinite(tops) | tops == round(tops))) tops == bound[2] + 1 else tops > bound[2] & tops - bound[2] <= abs(bound[2]) * 1e-15 + 1e-299
      stop_at <- if (is.infinite(bound[2])) Inf else if (any(fits)) min(tops[fits])
      if (is.null(stop_at) || (is.finite(bound[1]) && !any(ends[here, 1] == bound[1])))
        refuse("\u201c", name, "\u201d was published in intervals, and ", text, " begins or ends within one; choose among ",
               paste(utils::head(label[here], 12), collapse = ", "), ".")
      here & !is.na(ends[, 1]) & bound[1] <= ends[, 1] & ends[, 2] <= stop_at
    }
    # Whether all values of a column of texts are quarters or months, or all are years.
    spans_of <- function(name) {
      known <- setdiff(labels[[name]], missing_of[[name]])
      !entries[[name]]$kind %in% c("integer", "decimal", "date", "datetime") && length(unique(nchar(known))) == 1 && all(grepl(SPAN, known))
    }
    # For each label of a column of intervals the least number and what it stays below, NA for a word; NULL where it is none.
    intervals_of <- function(name) {
      label <- labels[[name]]
      known <- !label %in% missing_of[[name]]
      digits <- known & grepl("[0-9]", label)
      if (sum(digits) > 2) known <- digits
      ends <- lapply(label[known], below_of)
      if (length(label) > 2000 || !length(ends) || any(vapply(ends, is.null, TRUE))) return(NULL)
      ends <- do.call(rbind, ends)
      order <- order(ends[, 1], ends[, 2])
      sorted <- ends[order, , drop = FALSE]
      if (!any(ends[, 3] > 0) || any(sorted[, 1] >= sorted[, 2]) || any(sorted[-nrow(sorted), 2] > sorted[-1, 1])) return(NULL)
      found <- matrix(NA_real_, length(label), 2)
      found[known, ] <- ends[, 1:2]
      found
    }
    hides <- function(conditions) any(attr(chosen_of(conditions), "named") %in% sensitive)
    flags_of <- function(name, asked) {
      label <- labels[[name]]
      absent <- label %in% missing_of[[name]]
      if (length(asked) > 1) return(Reduce(`|`, lapply(asked, function(one) flags_of(name, one))))
      text <- if (is.null(asked) || is.na(asked)) "" else if (is.numeric(asked))
        format(asked, digits = 15, scientific = FALSE, trim = TRUE, decimal.mark = ".") else as.character(asked)
      if (text %in% label[!absent]) return(label == text)
      if (trimws(text) %in% c("", "(empty)") && any(absent)) return(absent)
      if (trimws(text) %in% label) return(label == trimws(text))
      folded <- tolower(composed(trimws(label))) == tolower(composed(trimws(text)))
      if (sum(folded) == 1) return(folded)
      if (grepl("|", text, fixed = TRUE))
        return(Reduce(`|`, lapply(barred(text, label), function(one) flags_of(name, one))))
      found <- range_of(name, text)
      if (!any(found)) {
        why <- if (name %in% sensitive) " (a rare value can vanish when the column is re-drawn)"
        refuse("No published record has ", name, " = \u201c", text, "\u201d", why, "; ", there(name, text, label[!absent]), ".")
      }
      found
    }
    # What can be asked of a column in place of a text that no record has.
    there <- function(name, text, known) {
      if (any(vapply(all_names, function(each) grepl(paste0("\\Q", each, "\\E\\s*[!<>]?="), text, perl = TRUE), TRUE)))
        return("join conditions that are to be met at once by \u201c;\u201d")
      if (entries[[name]]$kind %in% c("integer", "decimal", "date", "datetime") || spans_of(name) || !is.null(intervals_of(name))) {
        if (any(grepl("[0-9]", known))) known <- known[grepl("[0-9]", known)]
        return(paste0("its values run from ", known[1], " to ", utils::tail(known, 1), ", a range is low..high, the smaller end first"))
      }
      far <- as.vector(utils::adist(text, known, ignore.case = TRUE))
      if (length(far) && min(far) <= nchar(text) / 3) return(paste0("the nearest is \u201c", known[which.min(far)], "\u201d"))
      paste0("its values are: ", paste(utils::head(known, 12), collapse = ", "), if (length(known) > 12) ", \u2026")
    }
    begun <- function(text) all_names[vapply(all_names, function(name) {
      rest <- if (startsWith(text, name)) substring(text, nchar(name) + 1) else ""
      grepl("^\\s*[!<>]?=", rest)
    }, TRUE)]
    begins <- function(text) if (length(begun(text))) text else composed(text)
    chosen_of <- function(asked) {
      found <- list()
      each <- conditions(asked)
      for (one in do.call(c, lapply(each, function(one) { # several in one text with ; between them
        parts <- if (is.null(one$text)) character(0) else
          vapply(trimws(strsplit(one$text, ";", fixed = TRUE)[[1]]), begins, "", USE.NAMES = FALSE)
        if (length(parts) > 1 && all(lengths(lapply(parts, begun)) > 0)) lapply(parts, function(part) condition(text = part))
        else list(one)
      }))) {
        if (is.null(one$text)) {
          excluded <- is.null(meant(one$name)) && grepl("!$", one$name)
          name <- column_of(if (excluded) sub("!$", "", one$name) else one$name)
          value <- one$asked
        } else {
          one$text <- begins(one$text)
          fits <- begun(one$text)
          if (!length(fits) && grepl("=", one$text, fixed = TRUE)) unknown(sub("\\s*!?=.*$", "", one$text))
          if (!length(fits)) refuse("\u201c", one$text, "\u201d is no condition on a column of the release; write Column=value, ",
                                    "Column=a|b, Column=low..high or Column>=low.")
          name <- fits[which.max(nchar(fits))]
          rest <- substring(one$text, nchar(name) + 1)
          excluded <- grepl("^\\s*!=", rest)
          value <- sub("^\\s*[!<>]?=", "", rest)
          if (grepl("^\\s*>=", rest)) value <- paste0(value, "..")
          if (grepl("^\\s*<=", rest)) value <- paste0("..", value)
        }
        flags <- flags_of(name, value)
        if (excluded) flags <- !flags
        if (!is.null(found[[name]])) flags <- flags & found[[name]]
        if (!any(flags)) refuse("The conditions on \u201c", name, "\u201d contradict each other: no value meets them all; write a|b for either of two.")
        found[[name]] <- flags
      }
      structure(found[!vapply(found, all, TRUE)], named = names(found))
    }
    numbers_of <- function(name) {
      stated <- facts$transitions$columns[[name]]$numbers
      if (!is.null(stated)) return(vapply(seq_along(labels[[name]]), function(at) {
        one <- if (is.list(stated)) stated[at][[1]] else stated[at]
        if (is.null(one)) NA_real_ else one
      }, 0))  # of a sensitive column in intervals: what stands for each of them
      label <- labels[[name]]
      numbers <- entries[[name]]$kind %in% c("integer", "decimal")
      known <- if (!numbers) intervals_of(name)
      if (!numbers && is.null(known)) refuse("\u201c", name, "\u201d holds neither numbers nor intervals of numbers; ",
                                                     "ask for counts or shares.")
      found <- vapply(label, function(one) {
        if (one %in% missing_of[[name]] || (!numbers && is.na(known[match(one, label), 1]))) return(NA_real_)
        ends <- ends_of(one)
        if (is.null(ends)) refuse("\u201c", name, "\u201d holds \u201c", one, "\u201d, which is no number and no interval of numbers.")
        if (any(is.infinite(ends))) refuse("\u201c", one, "\u201d of \u201c", name, "\u201d has no end, so it has no middle: ask for counts or shares.")
        mean(ends)
      }, 0)
      if (all(is.na(found))) refuse("\u201c", name, "\u201d holds no numbers.")
      unname(found)
    }

    # --- sensitive columns in classes

    classes <- function(name, asked, full) {
      m <- length(labels[[name]])
      if (name %in% full) return(list(of = seq_len(m), first = seq_len(m), rest = FALSE))
      sets <- Filter(Negate(is.null), lapply(asked, function(chosen) chosen[[name]]))
      key <- do.call(paste, c(lapply(sets, as.integer), sep = ""))
      seen <- unique(key)
      none <- strrep("0", length(sets))
      if (none %in% seen) seen <- c(setdiff(seen, none), none)
      list(of = match(key, seen), first = match(seen, key), rest = none %in% seen)
    }
    finish <- function(part, rest) {
      way <- part$way
      C <- max(part$of)
      member <- outer(part$of, seq_len(C), `==`) * 1
      whole <- as.vector(way$whole %*% member)
      share <- member * way$whole / rep(ifelse(whole > 0, whole, 1), each = nrow(member))
      for (c in which(whole <= 0)) share[, c] <- member[, c] / sum(member[, c])
      if (!is.null(way$T)) {
        W <- way$inverse %*% member
        into <- t(share) %*% way$T
      } else {
        gain <- ifelse(way$clear, 1 / way$signal, 0)
        W <- gain * member - rep(as.vector((gain * way$b) %*% member), each = nrow(member))
        into <- rep(way$b, each = C) + t(share * (way$a - way$b))
        into <- into / rowSums(into)
      }
      if (rest && is.null(way$T)) W <- W + way$short %o% (whole * (colSums(member) > 1) / n)
      if (rest) W[, C] <- 1 - rowSums(W[, -C, drop = FALSE])
      else W <- W + (1 - rowSums(W)) %o% (whole / n)
      part$W <- W
      part$into <- into  # the chance that a record of a class is shown as u
      part$K <- into %*% member
      part$counts <- whole
      part$moving <- ifelse(whole > 0, as.vector((way$moving * way$whole) %*% member) / whole, 1)
      # What a record shown as u moves T by, times n, and its mean by true class; values of a fixed rest move back.
      part$drift <- (W - member) * rep(part$moving, each = nrow(W))
      part$drifted <- (diag(C) - part$K) * rep(part$moving, each = C)
      part$resting <- any(way$moving > 0) && !all(way$moving > 0)
      if (part$resting) {
        u <- which.max(way$moving)
        v <- which.min(way$moving)
        size <- max(sum(way$moving * way$whole), 1e-300)
        w <- as.vector((way$moving * way$whole) %*% member) / size
        taken <- sum(way$T[v, ] * way$moving) * (way$inverse[u, u] - way$inverse[v, u]) * sum(way$whole) / size
        part$drift <- taken * way$moving * (member - rep(w, each = nrow(member)))
        part$drifted <- into %*% part$drift
        part$moving <- part$moving * (1 - w)
      }
      part$told <- vapply(seq_len(C), function(c) all(way$readable[part$of == c]), TRUE)
      part
    }
    single <- function(name, asked, full) {
      found <- classes(name, asked, full)
      finish(list(names = name, way = ways[[name]], codes = codes[[name]], of = found$of,
                  first = matrix(found$first, ncol = 1), met = function(hidden) hidden[[name]]), found$rest)
    }
    # How much each combination's values bring others of each state but the commonest into its group: the sum over
    # its values of the share that records with the value have among their group's others, less that of all; values that
    # fewer than half of the records have.
    leaning <- function(block, rows, state, index) {
      often <- tabulate(index, nrow(rows))
      in_state <- tabulate(state[index], max(state))
      size <- lengths(block$groups) - 1
      group <- rep(seq_along(size), size)
      member <- unlist(lapply(block$groups, `[`, -1)) + 1
      part <- (vapply(block$groups, `[`, 0, 1) / pmax(size - 1, 1))[group]
      vapply(setdiff(which(in_state > 0), which.max(in_state)), function(kind) {
        own <- as.numeric(state[member] == kind)
        sums <- rowsum(part * (rowsum(own, group)[group] - own), member)
        seen <- replace(numeric(nrow(rows)), as.integer(rownames(sums)), sums)
        lean <- numeric(nrow(rows))
        for (j in seq_len(ncol(rows))) {
          value <- match(rows[, j], unique(rows[, j]))
          times <- as.vector(rowsum(often, value))
          rate <- as.vector(rowsum(seen, value)) / pmax(times, 1) - sum(seen) / n
          lean <- lean + ifelse(2 * times < n, rate, 0)[value]
        }
        lean / block$rounds
      }, numeric(nrow(rows)))
    }
    # States are cut in two again and again, where a part leans unlike itself.
    parted <- function(state, lean, index, most) {
      often <- tabulate(index, nrow(lean))
      spread <- sum(often * lean^2)
      while (max(state) < most) {
        mean <- rowsum(often * lean, state) / pmax(as.vector(rowsum(often, state)), 1)
        apart <- rowsum(often * (lean - mean[state, , drop = FALSE])^2, state)
        cut <- which(apart == max(apart), arr.ind = TRUE)[1, ]
        if (max(apart) <= 1e-9 * spread) break
        state[state == cut[1] & lean[, cut[2]] > mean[cut[1], cut[2]]] <- max(state) + 1
      }
      state
    }
    together <- function(block, names, asked, full) {
      rows <- as_matrix(block$combinations)
      each <- vapply(seq_along(block$columns), function(j) match(rows[, j], labels[[block$columns[j]]]), integer(nrow(rows)))
      each <- matrix(each, nrow(rows))
      place <- match(names, block$columns)
      part_keys <- lapply(seq_along(names), function(j) classes(names[j], asked, full)$of[each[, place[j]]])
      key <- do.call(paste, part_keys)
      index <- match(do.call(paste, codes[block$columns]), do.call(paste, as.data.frame(each)))
      hit <- Reduce(`&`, lapply(seq_along(names), function(j) {
        sets <- Filter(Negate(is.null), lapply(asked, function(chosen) chosen[[names[j]]]))
        if (length(sets)) sets[[1]][each[, place[j]]] else rep(TRUE, nrow(each))
      }))
      cell <- key
      if (!length(full) && length(asked) == 1) {
        key <- as.character(hit)
        if (length(names) > 3) cell <- key
      }
      seen <- unique(cell)
      if (length(seen) > 64) refuse(paste(names, collapse = ", "), " are drawn together and have too many values for one ",
                                    "answer; ask about some of them.")
      state <- match(cell, seen)
      apart <- length(seen) > 1 && length(seen) < block$parts
      finer <- if (nrow(rows) <= block$states) seq_len(nrow(rows))
               else if (apart) parted(state, leaning(block, rows, state, index), index, block$parts) else state
      states <- unique(finer[index])
      at <- match(finer, states)
      held <- numeric(length(states))
      shown <- matrix(0, length(states), length(states))
      for (group in block$groups) {
        inside <- tabulate(at[group[-1] + 1], length(states))
        held <- held + group[1] * inside
        shown <- shown + group[1] * (inside %o% inside) / (length(group) - 1)
      }
      T <- shown / pmax(held, 1e-300)
      size <- held / block$rounds
      clear <- clear_inverse(T, size, n)
      # Each state, as told from all others, leaves hardly any of what it varies to hidden directions; else none is told.
      member <- outer(key[match(states, finer)], unique(key), `==`) * 1
      whole <- as.vector(size %*% member)
      left <- whole - colSums(size * member * (T %*% clear$inverse %*% member))
      ready <- rep(all(left <= 0.02 * whole * (1 - whole / sum(size)) + 1e-9 * sum(size)), length(size))
      way <- new_way(size, list(T = lapply(seq_len(nrow(T)), function(v) T[v, ]), inverse = lapply(seq_len(nrow(T)), function(v)
        clear$inverse[v, ]), counts = size, readable = ready, hidden = clear$hidden, moving = rep(TRUE, length(size)),
        most = n, unseen = 0))
      one <- match(states, finer)
      kept <- unique(key[one])
      of <- match(key[one], kept)
      finish(list(names = names, way = way, codes = at[index], of = of, block = TRUE,
                  first = each[one[match(seq_along(kept), of)], place, drop = FALSE],
                  met = function(hidden) Reduce(`&`, lapply(seq_along(names), function(j) hidden[[names[j]]][each[one, place[j]]]))),
             FALSE)
    }
    parts_for <- function(named, asked, full = character(0)) {
      found <- list()
      done <- character(0)
      for (name in sensitive[sensitive %in% named]) {
        if (name %in% done) next
        block <- block_of(name)
        if (is.null(block)) found[[length(found) + 1]] <- single(name, asked, full)
        else {
          these <- all_names[all_names %in% block$columns & all_names %in% named]
          done <- c(done, these)
          found[[length(found) + 1]] <- together(block, these, asked, full)
        }
      }
      found
    }

    # --- counts as `splu query` has them

    by_matrix <- function(part, matrix) !is.null(part$way$T) && (matrix || is.null(part$way$a))
    weights_of <- function(part, met, matrix) {
      way <- part$way
      if (by_matrix(part, matrix)) return(rowSums(way$inverse[, met, drop = FALSE]))
      gain <- ifelse(met & way$clear, 1 / way$signal, 0)
      gain - sum(gain * way$b) + way$short * (sum(met) > 1) * sum(way$counts[met]) / n
    }
    two_states <- function(part, met, matrix) {
      way <- part$way
      if (by_matrix(part, matrix)) {
        into <- rowSums(way$T[, met, drop = FALSE])
        own <- sum(way$whole[met])
        keep <- if (own > 0) sum(way$whole[met] * into[met]) / own else mean(into[met])
        come <- sum(way$whole[!met] * into[!met]) / max(sum(way$whole[!met]), 1e-300)
      } else {
        whole <- sum(way$counts[met])
        keep <- way$a + sum(way$b[met]) - (if (whole > 0) sum((way$counts * way$b)[met]) / whole else mean(way$b[met]))
        come <- whole * (1 - keep) / max(n - whole, 1)
      }
      matrix(c(1 - come, 1 - keep, come, keep), 2)
    }
    straight <- function(parts, records, hidden) {
      top <- length(records)
      met <- lapply(parts, function(part) part$met(hidden))
      told <- all(mapply(function(part, some) all(part$way$readable[some]), parts, met))
      if (length(parts) == 1) {
        part <- parts[[1]]
        way <- part$way
        met <- met[[1]]
        if (!is.null(part$block) && (!any(met) || all(met))) return(if (any(met)) top else 0)
        y <- tabulate(part$codes[records], way$size)
        if (!is.null(way$T)) {
          found <- sum(y %*% way$inverse[, met, drop = FALSE]) + top * sum(way$shift[met])
          return(if (told) found else min(max(found, 0), top))
        }
        found <- sum(ifelse(way$clear, (y - top * way$b) / ifelse(way$clear, way$signal, 1), top * way$counts / n)[met])
        return(found + sum(y * way$short) * (sum(met) > 1) * sum(way$counts[met]) / n)
      }
      matrix <- any(vapply(parts, function(part) !is.null(part$way$T), TRUE))
      factors <- mapply(function(part, some) weights_of(part, some, matrix)[part$codes[records]], parts, met, SIMPLIFY = FALSE)
      found <- sum(Reduce(`*`, factors))
      if (told || !matrix) found else min(max(found, 0), top)
    }
    likely <- function(parts, records, hidden) {
      top <- length(records)
      met <- lapply(parts, function(part) part$met(hidden))
      if (length(parts) == 1 && is.null(parts[[1]]$way$a)) {
        way <- parts[[1]]$way
        found <- if (any(met[[1]])) likeliest(tabulate(parts[[1]]$codes[records], way$size), way$T, met[[1]]) else 0
      } else {
        matrix <- any(vapply(parts, function(part) is.null(part$way$a), TRUE))
        T <- matrix(1)
        bits <- integer(top)
        for (at in seq_along(parts)) {
          T <- kronecker(two_states(parts[[at]], met[[at]], matrix && length(parts) > 1), T)
          bits <- bits + met[[at]][parts[[at]]$codes[records]] * 2L^(at - 1L)
        }
        found <- likeliest_state(tabulate(bits + 1L, nrow(T)), T)
      }
      min(max(found, 0), top)
    }

    # --- tables of cells, and sums over them

    # How many others of a person's records scatter together with one, of all that do, by classes (1, 2, ...) of labels:
    # those in its own class, and those anywhere; and the records of the class.
    narrowed <- function(effects, name, of) {
      known <- unlist(effects$columns[[name]])
      each <- unname(known[match(labels[[name]], names(known))]) # by [[ ]] no empty text would be found
      each[is.na(each)] <- if ("*" %in% names(known)) known[["*"]] else 1
      f <- counts[[name]]
      total <- function(x) vapply(seq_len(max(of)), function(c) sum(x[of == c]), 0)
      inside <- total(f)
      if (effects$whole <= 1) return(list(own = rep(1, max(of)), anywhere = rep(1, max(of)), inside = inside))
      same <- total(f * each)
      squares <- total(f^2)
      between <- max(n * effects$whole - sum(same), 0) / max(n^2 - sum(squares), 1e-300)
      part <- function(pairs) pmax((same + between * (pairs - squares)) / pmax(inside, 1) - 1, 0) / (effects$whole - 1)
      list(own = part(inside^2), anywhere = part(inside * n), inside = inside)
    }
    effect_of <- function(effects, asked) {
      result <- reach <- whole <- effects$whole
      share <- 1
      for (name in sort(as.character(setdiff(names(asked), sensitive)), method = "radix")) {
        flags <- asked[[name]]
        if (!any(flags) || whole <= 1) next
        own <- narrowed(effects, name, flags + 1L)
        if (!own$inside[2]) next
        result <- 1 + (result - 1) * own$own[2]
        reach <- 1 + (reach - 1) * own$anywhere[2]
        share <- share * own$inside[2] / n
      }
      off <- if (is.null(effects$moving)) 0 else effects$moving * share
      max((share * (result - 2 * off * reach) + off^2 * whole) / (share * (1 - 2 * off) + off^2), 1)
    }
    widened <- function(names, asked) max(1, vapply(names, function(name) {
      effects <- facts$persons$design_effects[[name]]
      if (is.null(effects)) 1 else effect_of(effects, asked)
    }, 0))
    # If all records of a person scattered together; NULL where the release doesn't tell.
    widened_of_persons <- function(asked) {
      whole <- facts$persons$design_effects_of_persons
      if (!is.null(whole)) effect_of(whole, asked)
    }
    # Of conditions met at once, as `together`, on columns drawn together (docs/recipient.md).
    widened_together <- function(names, asked, together) {
      effect <- widened(names, asked)
      persons <- widened_of_persons(asked)
      rare <- if (together) sum(vapply(names, function(name) 2 * sum(counts[[name]][asked[[name]]]) < n, TRUE)) else 0
      if (is.null(persons) || persons <= 1 || rare < 2) return(effect)
      1 + (persons - 1) * min((effect - 1) / (persons - 1), 1)^rare
    }
    # Of a count of records that meet a condition on every part (docs/recipient.md); `scatter` has a row for each.
    widened_at_once <- function(cells, scatter) {
      each <- cells$effects
      if (is.null(cells$persons)) return(max(each))
      more <- cells$persons - 1
      if (more <= 0) return(1)
      share <- scatter[, 1]
      spread <- scatter[, 2]
      together <- prod(pmin((each - 1) / more, 1) * spread + share)
      1 + more * (together - prod(share)) / max(prod(spread + share) - prod(share), 1e-300)
    }
    cells_of <- function(asked, full = character(0)) {
      named <- unique(c(unlist(lapply(asked, names)), full))
      for (name in named) if (!name %in% all_names) unknown(name)
      plain <- setdiff(all_names[all_names %in% named], sensitive)
      parts <- parts_for(named, asked, full)
      size <- vapply(parts, function(part) length(part$counts), 0)
      if (prod(size) > 2000) refuse("That tells ", prod(size), " combinations of sensitive values apart, too many for one ",
                                    "answer: ", max(size), " of \u201c", paste(parts[[which.max(size)]]$names, collapse = ", "),
                                    "\u201d alone; ask about fewer of its values, or leave it out.")
      every <- lapply(plain, classes, asked, full)
      stand <- lapply(seq_along(plain), function(at) every[[at]]$first[every[[at]]$of][codes[[plain[at]]]])
      p <- rep(1L, n)
      for (each in stand) {
        key <- (p - 1) * (max(each) + 1) + each
        p <- match(key, unique(key))
      }
      seen <- seq_len(max(p))
      one <- match(seen, p)
      key <- p
      for (part in parts) key <- (key - 1) * length(part$of) + part$codes
      first <- which(!duplicated(key))
      times <- tabulate(match(key, key[first]), length(first))
      choice <- if (length(parts)) as.matrix(expand.grid(lapply(size, seq_len))) else matrix(0, 1, 0)
      weights <- matrix(1, length(first), nrow(choice))
      for (j in seq_along(parts)) weights <- weights * parts[[j]]$W[parts[[j]]$codes[first], choice[, j], drop = FALSE]
      X <- rowsum(times * weights, p[first], reorder = TRUE)
      grid <- list()
      for (at in seq_along(plain)) grid[[plain[at]]] <- matrix(stand[[at]][one], length(seen), nrow(choice))
      for (j in seq_along(parts)) for (at in seq_along(parts[[j]]$names)) grid[[parts[[j]]$names[at]]] <- matrix(
        parts[[j]]$first[choice[, j], at], length(seen), nrow(choice), byrow = TRUE)
      alone <- length(asked) == 1 && !length(full)
      only <- if (alone) asked[[1]] else list()
      records <- as.vector(rowsum(as.numeric(times), p[first], reorder = TRUE))
      # How often two records of a person have any two classes of a column, and how much more often one of each, in
      # times of chance. Where records of one class are fewer than by chance, and unless known, all have the same.
      pairs_of <- function(effects) lapply(seq_along(plain), function(at) {
        of <- every[[at]]$of[stand[[at]][one]]
        own <- narrowed(effects, plain[at], every[[at]]$of)$own
        share <- vapply(seq_along(own), function(c) sum(records[of == c]), 0) / n
        others <- 1 - sum(share^2)
        apart <- if (others > FLAT) max(1 - sum(share * own), 0) / others else 0
        alike <- facts$persons$design_effects_of_persons$correlations[[plain[at]]] # values that differ may be near
        if (!is.null(alike) && alike > 0 && apart > 1 - alike) {
          own <- own + (apart - 1 + alike) * (1 - share)
          apart <- 1 - alike
        }
        if (at > MOST_COLUMNS || sum(share * pmax(apart * share - own, 0)) > FEWER)
          return(list(of = of, apart = 0, near = 1 / share))
        list(of = of, apart = apart, near = pmax(own / share - apart, 0))
      })
      list(X = unname(X), grid = grid, whole = !length(plain), parts = parts, choice = choice, weights = weights, p = p[first], times = times,
           shown = lapply(parts, function(part) part$codes[first]), persons = widened_of_persons(only),
           alone = alone, records = records, pairs_of = pairs_of, kept = new.env(),
           effects = vapply(parts, function(part) widened_together(part$names, only, alone), 0),
           meets = function(chosen) {
             result <- matrix(TRUE, length(seen), nrow(choice))
             for (name in names(chosen)) result <- result & matrix(chosen[[name]][grid[[name]]], length(seen))
             result
           })
    }
    sums_of <- function(cells, functions) {
      # Of all records at once groups keep the shares true, whatever else they hide.
      whole <- cells$whole && length(cells$parts) == 1 && !is.null(cells$parts[[1]]$way$a)
      for (part in cells$parts) if (!whole && any(!part$told[-length(part$told)]))
        refuse("The release does not tell where \u201c", paste(part$names, collapse = ", "),
               "\u201d has some of its values: they are too frequent or too rare for this draw.")
      k <- length(functions)
      psi <- lapply(functions, function(one) one * 1)
      values <- vapply(psi, function(one) sum(one * cells$X), 0)
      if (!length(cells$parts)) return(list(values = values, ways = list(matrix(0, k, k))))
      shifts <- list() # of each part, by shown value D, and by true class its mean
      for (j in seq_along(cells$parts)) {
        part <- cells$parts[[j]]
        c_of <- cells$choice[, j]
        others <- do.call(paste, c(list(rep("", nrow(cells$choice))), lapply(setdiff(seq_along(cells$parts), j), function(i)
          cells$choice[, i])))
        group <- match(others, unique(others))
        line <- t(rowsum(t(cells$X), group))[, group, drop = FALSE]
        own <- if (part$resting) 0 else 1
        factor <- (1 / pmax(n - own * part$counts, 1))[c_of]
        share <- (line - own * cells$X) * rep(factor, each = nrow(cells$X))
        Q <- vapply(psi, function(one) as.vector(rowsum(colSums(share * one), c_of)), numeric(length(part$counts)))
        Q <- matrix(Q, ncol = k)
        shifts[[j]] <- list(part$drift %*% Q, part$drifted %*% Q)
      }
      if (is.null(cells$kept$steady)) cells$kept$steady <- steady_of(cells)
      list(values = values, ways = lapply(c(list(cells), cells$kept$steady), spread_of, psi, shifts))
    }
    # The table as its variances are never below: few records are shown more as all are. None for a count.
    steady_of <- function(cells) {
      few <- which(cells$records < FEW)
      key <- rep(1, length(cells$p))
      for (j in seq_along(cells$parts)) key <- (key - 1) * length(cells$parts[[j]]$of) + cells$shown[[j]]
      one <- which(!duplicated(key))
      kind <- match(key, key[one])
      if (cells$alone || cells$whole || !length(few) || length(few) * length(one) * nrow(cells$choice) > MOST_FEW) return(list())
      steady <- cells
      whole <- as.vector(rowsum(as.numeric(cells$times), kind, reorder = TRUE)) / sum(cells$times)
      place <- match(cells$p, few)
      there <- !is.na(place)
      own <- matrix(0, length(one), length(few))
      own[cbind(kind[there], place[there])] <- cells$times[there]
      part <- cells$records[few] / (cells$records[few] + ALIKE)
      steady$p <- c(cells$p[!there], rep(few, each = length(one)))
      steady$times <- c(cells$times[!there], as.vector((own + ALIKE * whole) * rep(part, each = length(one))))
      steady$shown <- lapply(cells$shown, function(shown) c(shown[!there], rep(shown[one], length(few))))
      steady$kept <- new.env()
      list(steady)
    }
    # The covariances, from what records add where some parts are drawn (docs/recipient.md).
    spread_of <- function(cells, psi, shifts) {
      if (is.null(cells$kept$draws)) cells$kept$draws <- draws_of(cells) # whatever is summed
      V <- matrix(0, length(psi), length(psi))
      for (by in cells$kept$draws) {
        means <- if (is.null(by$group)) psi else lapply(psi, function(one)
          unname(rowsum(cells$records * one, by$group, reorder = TRUE) / by$total)[by$group, , drop = FALSE])
        for (seen in by$seen) {
          adds <- vapply(means, function(one) rowSums(seen$weights * one[seen$p, , drop = FALSE]), numeric(length(seen$p)))
          adds <- matrix(adds, ncol = length(psi))
          for (j in seq_along(seen$at)) adds <- adds - shifts[[j]][[2 - seen$drawn[j]]][seen$at[[j]], , drop = FALSE]
          V <- V + t(adds * seen$number) %*% adds
        }
      }
      V
    }
    # By which groups of patterns, if any, records add to a variance, and how: those of none drawn less often.
    draws_of <- function(cells) {
      number <- length(cells$parts)
      none <- rep(FALSE, number)
      draws <- list(list(seen = c(seen_of(cells, !none, 1), seen_of(cells, none, -1))))
      alone <- number == 1 || number > MOST_APART || is.null(cells$persons)
      more <- (if (alone) max(cells$effects) else cells$persons) - 1
      if (more <= 0) return(draws)
      ratios <- if (alone) rep(1, number) else pmin((cells$effects - 1) / more, 1)
      some <- as.matrix(expand.grid(rep(list(c(FALSE, TRUE)), number)))[-1, , drop = FALSE]
      chances <- more * apply(some, 1, function(drawn) prod(ifelse(drawn, ratios, 1 - ratios)))
      groups <- if (cells$alone) list(list(factor = 1)) else groups_of(cells, alone)
      c(draws, lapply(groups, function(by) {
        seen <- lapply(which(chances > 0), function(row) seen_of(cells, some[row, ], chances[row] * by$factor))
        by$seen <- c(do.call(c, seen), seen_of(cells, none, -sum(chances) * by$factor))
        by
      }))
    }
    # Groups of patterns, and how often a record has others of its person in its group.
    groups_of <- function(cells, alone) {
      effects <- facts$persons$design_effects_of_persons
      if (alone) {
        stated <- Filter(Negate(is.null), lapply(unlist(lapply(cells$parts, function(part) part$names)), function(name)
          facts$persons$design_effects[[name]]))
        effects <- stated[[which.max(vapply(stated, function(each) each$whole, 0))]]
      }
      pairs <- cells$pairs_of(effects)
      found <- lapply(seq_len(2^length(pairs)) - 1, function(kept) {
        group <- factor <- rep(1, length(cells$records))
        for (at in seq_along(pairs)) {
          pair <- pairs[[at]]
          same <- kept %/% 2^(at - 1) %% 2 == 1
          factor <- factor * if (same) pair$near[pair$of] else pair$apart
          if (same) {
            key <- (group - 1) * length(pair$near) + pair$of
            group <- match(key, unique(key))
          }
        }
        total <- as.vector(rowsum(cells$records, group, reorder = TRUE))
        list(group = group, total = total, factor = factor * total[group] / n)
      })
      Filter(function(by) any(by$factor != 0), found)
    }
    # How records add where their values of some parts are drawn and those of others known: for each of these a record of
    # every kind that differs then, with its pattern, its weights of cells, the values of each part, and how many it tells.
    seen_of <- function(cells, drawn, factor) {
      each <- seq_along(drawn)
      number <- vapply(cells$parts, function(part) length(part$counts), 0)
      true <- as.matrix(expand.grid(lapply(each, function(j) seq_len(if (drawn[j]) 1 else number[j]))))
      key <- cells$p
      for (j in each[drawn]) key <- (key - 1) * length(cells$parts[[j]]$of) + cells$shown[[j]]
      first <- which(!duplicated(key))
      alike <- match(key, key[first])
      times <- cells$times * rep_len(factor, length(cells$records))[cells$p]
      lapply(seq_len(nrow(true)), function(row) {
        held <- times
        weights <- matrix(1, length(first), nrow(cells$choice))
        at <- lapply(each, function(j) if (drawn[j]) cells$shown[[j]][first] else rep(true[row, j], length(first)))
        for (j in each) {
          W <- cells$parts[[j]]$W
          if (!drawn[j]) held <- held * W[cells$shown[[j]], true[row, j]]
          if (!drawn[j]) W <- diag(number[j])
          weights <- weights * W[at[[j]], cells$choice[, j], drop = FALSE]
        }
        list(drawn = drawn, p = cells$p[first], weights = weights, at = at, number = as.vector(rowsum(held, alike)))
      })
    }
    shares_of <- function(pairs) {
      asked <- list()
      for (pair in pairs) {
        met <- chosen_of(both(pair[[1]], pair[[2]]))
        own <- chosen_of(pair[[1]])
        group <- chosen_of(pair[[2]])
        if (hides(pair[[1]])) for (name in setdiff(names(own), sensitive))
          group[[name]] <- if (is.null(group[[name]])) own[[name]] else own[[name]] & group[[name]]
        asked <- c(asked, list(met, group))
      }
      cells <- cells_of(asked)
      sums <- sums_of(cells, lapply(asked, cells$meets))
      if (any(sums$values[seq(2, length(asked), 2)] <= 0))
        refuse("No record is left to take a share of, as far as can be told.")
      sums
    }
    check <- function(method) if (!method %in% METHODS) refuse("There is no method \u201c", method, "\u201d here; choose among ",
                                                               paste(METHODS, collapse = ", "), ". The program has more.")

    # --- intervals of counts: all x with (estimate - x)^2 <= 1.96^2 V(x), V the variance if x is true (docs/recipient.md)

    inverted <- function(seen, top, spread, lean = function(x) 0) {
      far <- function(x) {
        further <- SKEWED * (if (seen > x) lean(x) else -lean(x))
        max(abs(seen - x) - max(further, 0), 0) / sqrt(max(spread(x), LEAST))
      }
      start <- min(max(seen, 0), top)
      if (far(start) > BEYOND) return(c(0, top, FALSE))
      c(vapply(c(0, top), function(outside) {
        if (far(outside) <= Z) return(outside)
        inside <- start
        for (i in seq_len(HALVINGS)) {
          middle <- (inside + outside) / 2
          if (far(middle) <= Z) inside <- middle else outside <- middle
        }
        inside
      }, 0), TRUE)
    }
    spread_of_one <- function(part, at, seen, top) {
      keep <- part$K[at, at]
      come <- part$K[3 - at, at]
      moving <- part$moving[at]
      known <- min(max(part$counts[at], LEAST), FULL * n)
      signal <- max(keep - come, LEAST)
      likeliest <- function(x, w) {
        c <- (1 - keep) * w / n
        kept <- keep * x
        two <- c * (1 - c)
        f <- seen[2]
        if (two > 1e-12) {
          one <- kept * (1 - 2 * c) - two * seen[2]
          none <- kept * (c * seen[1] - (1 - c) * (seen[2] - seen[1])) - kept^2
          f <- (sqrt(max(one^2 - 4 * two * none, 0)) - one) / (2 * two)
        }
        min(max(f, x, LEAST), max(FULL * n, x))
      }
      figures <- function(x) {
        w <- top - x
        f <- known + moving * (likeliest(x, w) - known)
        f <- min(max(f, x), x + n - top)  # no more have it than these and all that are not selected
        c <- min(come * (1 + moving * (f / max(n - f, 1) * (n - known) / known - 1)), keep)
        e <- (1 / signal - 1) * moving * w / max(n - f, 1)
        own <- keep * (1 - keep)
        other <- c * (1 - c)
        rest <- max(f - x, 0) * own + max(n - f - w, 0) * other
        d <- 1 / signal - e
        variance <- max(d^2 * (x * own + w * other) + e^2 * rest, LEAST)
        c(variance, d^3 * (x * own * (1 - 2 * keep) + w * other * (1 - 2 * c)) / variance)
      }
      list(model = function(x) figures(x)[1], lean = function(x) figures(x)[2])
    }
    # By how much more that variance grows with x since values differ: B - B2, from the sums of phi, phi^2, phi^3.
    bend_of <- function(part, at, powers, least) {
      keep <- part$K[at, at]
      come <- part$K[3 - at, at]
      of_two <- (keep * (1 - keep) - come * (1 - come)) / max(keep - come, LEAST)^2
      within <- sum(part$into[at, ] * part$W[, at]^2)
      (powers[3] - powers[2] - powers[1] * (within - 1)) / max(powers[2] - powers[1], least) - of_two
    }
    spread_of_several <- function(cells, at, inside, top) {
      mixed <- every <- slope <- 1
      scatter <- matrix(0, length(at), 2) # of each part its share of the records, and the variance of a record's weight
      for (j in seq_along(at)) {
        part <- cells$parts[[j]]
        margin <- sum(cells$X[inside, cells$choice[, j] == at[j]])
        share <- min(max(margin / max(top, 1), 0), 1)
        square <- as.vector(part$into %*% part$W[, at[j]]^2)
        mean_square <- share * square[at[j]] + (1 - share) * square[3 - at[j]]
        scatter[j, ] <- c(share, mean_square - share)
        mixed <- mixed * mean_square
        every <- every * share
        slope <- slope * (square[at[j]] - square[3 - at[j]])
      }
      list(model = function(x) max(top * mixed + (x - top * every) * slope - x, LEAST), scatter = scatter)
    }
    ends_of_count <- function(chosen, top) {
      cells <- cells_of(list(chosen))
      if (any(vapply(cells$parts, function(part) length(part$counts), 0) != 2)) return(c(0, top, FALSE))
      at <- vapply(cells$parts, function(part) which(Reduce(`&`, lapply(seq_along(part$names), function(j)
        chosen[[part$names[j]]][part$first[, j]])))[1], 0L)
      inside <- cells$meets(chosen[!names(chosen) %in% sensitive])[, 1]
      alone <- length(at) == 1
      if (alone) {
        wide <- cells$effects
        part <- cells$parts[[1]]
        shown <- cells$times * (part$of[cells$shown[[1]]] == at)
        seen <- c(sum(shown[inside[cells$p]]), sum(shown))
        one <- spread_of_one(part, at, seen, top)
        model <- one$model
        if (top == n && part$moving[at] == 1) return(inverted(seen[2], top, function(x) wide * model(x)))
      } else {
        several <- spread_of_several(cells, at, inside, top)
        model <- several$model
        wide <- widened_at_once(cells, several$scatter)
      }
      sums <- tryCatch(sums_of(cells, list(cells$meets(chosen))), splu_refused = function(e) NULL)
      if (is.null(sums)) return(c(0, top, FALSE))
      usual <- wide * model(if (alone) sums$values else min(max(sums$values, 0), top))
      more <- along(sums, 1) - usual
      if (!alone) return(inverted(sums$values, top, function(x) wide * model(x) + max(more, 0)))
      phi <- part$W[cells$shown[[1]], at]
      powers <- vapply(1:3, function(power) sum((cells$times * phi^power)[inside[cells$p]]), 0)
      bend <- wide * bend_of(part, at, powers, NARROWEST * model(sums$values))
      inverted(sums$values, top, function(x)
        max(wide * model(x) + more + bend * (x - sums$values), wide * NARROWEST * model(x)),
        function(x) wide * one$lean(x))
    }
    # What neither end exceeds, of how many records have the values at all, where an answer reaches `high`; were the upper
    # end cut alone, a count of all of them would miss where either of the two does.
    ends_of_all <- function(hidden, high) {
      found <- c(n, n)
      for (name in names(hidden)) {
        shown <- sum(counts[[name]][hidden[[name]]])
        found[2] <- min(found[2], sum(hidden[[name]]) * ways[[name]]$most)
        if (high > shown) {
          ends <- ends_of_count(hidden[name], n)
          found <- pmin(found, c(ends[1], max(ends[2], ways[[name]]$unseen, shown)))
        }
      }
      found
    }

    # --- questions

    r <- list(id = facts$id, facts = facts, sensitive = sensitive)
    typed <- raw
    for (name in all_names) {
      column <- raw[[name]]
      column[column %in% missing_of[[name]]] <- NA
      if (is.null(entries[[name]]$texts)) column <- switch(entries[[name]]$kind, decimal = as.numeric(column),
        integer = if (all(abs(as.numeric(column)) <= .Machine$integer.max, na.rm = TRUE)) as.integer(column) else as.numeric(column),
        boolean = if (all(tolower(column) %in% c("true", "false", NA))) as.logical(tolower(column)) else column,
        date = as.Date(substr(column, 1, 10)), column)
      typed[[name]] <- column
    }
    r$table <- typed
    # An answer cut to what can be, the estimate in its interval.
    answer_within <- function(what, ends, least, most, ...) {
      value <- min(max(ends[1], least), most)
      answer(what, value, min(max(ends[2], least), value), max(min(ends[3], most), value), ...)
    }
    r$count <- function(conditions = NULL, method = "unbiased", where = NULL) {
      check(method)
      if (length(where)) conditions <- list(conditions, where)
      chosen <- chosen_of(conditions)
      count_of(paste("records with", words(conditions)), chosen, attr(chosen, "named"), method)
    }
    # The count of records whose labels are chosen; `named` are the columns asked about, whatever their labels.
    count_of <- function(what, chosen, named, method = "unbiased") {
      chosen <- chosen[!vapply(chosen, all, TRUE)]
      hidden <- chosen[names(chosen) %in% sensitive]
      picked <- chosen[!names(chosen) %in% sensitive]
      inside <- rep(TRUE, n)
      for (name in names(picked)) inside <- inside & picked[[name]][codes[[name]]]
      records <- which(inside)
      top <- length(records)
      unseen <- vapply(intersect(named, sensitive), function(name) ways[[name]]$unseen, 0)
      least <- max(top - sum(unseen), 0) # what is shown is not all that there was: some may have values that vanished
      if (!length(hidden)) return(answer(what, top, least, top, method = method, exact = least == top, published = top,
                                         selected = top, release = facts$id, possible = least < top))
      shown <- inside
      for (name in names(hidden)) shown <- shown & hidden[[name]][codes[[name]]]
      parts <- parts_for(names(hidden), list(hidden))
      estimate <- if (method == "unbiased") straight(parts, records, hidden) else likely(parts, records, hidden)
      found <- ends_of_count(chosen, top)
      whole <- ends_of_all(hidden, max(found[2], estimate))
      if (method == "bayes") estimate <- min(estimate, whole[2])
      low <- min(found[1], estimate, least, whole[1])
      high <- max(min(found[2], whole[2]), estimate, min(top, max(unseen)))
      answer(what, estimate, low, high, method = method, exact = FALSE, published = sum(shown), selected = top,
             release = facts$id, possible = top > 0 && found[3] == 0)
    }
    r$share <- function(conditions, where = NULL, method = "unbiased") {
      check(method)
      what <- paste0("share with ", words(conditions), of_words(where))
      known <- !any(names(chosen_of(where)) %in% sensitive)
      if (known && hides(conditions)) {
        count <- r$count(list(conditions, where), method)
        if (!count$selected) refuse("No record meets the conditions on columns published unchanged.")
        possible <- count$interval_by == "possible"
        if (possible && method == "unbiased") shares_of(list(list(conditions, where))) # refuses what nothing tells
        return(answer_within(what, c(count$estimate, count$low, count$high) / count$selected, 0, 1, method = method,
                             exact = count$exact, release = facts$id, possible = possible))
      }
      if (method == "bayes" && !known)
        refuse("The likeliest share needs a group that is known exactly: leave sensitive columns out of `where`, or take ",
               "the method \u201cunbiased\u201d.")
      sums <- shares_of(list(list(conditions, where)))
      ends <- quotient(sums, c(1, 0), c(0, 1))
      answer_within(what, c(sums$values[1] / sums$values[2], ends), 0, 1, method = method, exact = known,
                    release = facts$id)
    }
    r$difference <- function(first, second, where = NULL) {
      sums <- shares_of(list(list(first, where), list(second, where)))
      v <- sums$values
      value <- v[1] / v[2] - v[3] / v[4]
      half <- arm(sums, c(1 / v[2], -v[1] / v[2]^2, -1 / v[4], v[3] / v[4]^2))
      answer_within(paste("share with", words(first), "less share with", words(second)), value + c(0, -half, half), -1, 1,
                    release = facts$id)
    }
    r$ratio <- function(first, second, where = NULL) {
      sums <- shares_of(list(list(first, where), list(second, where)))
      ends <- product_quotient(sums, c(1, 4), c(2, 3))
      v <- sums$values
      answer(paste("share with", words(first), "over share with", words(second)), v[1] * v[4] / (v[2] * v[3]), ends[1],
             ends[2], release = facts$id)
    }
    r$odds_ratio <- function(first, second, where = NULL) {
      asked <- list(chosen_of(first), chosen_of(second), chosen_of(where))
      cells <- cells_of(asked)
      a <- cells$meets(asked[[1]])
      b <- cells$meets(asked[[2]])
      of <- cells$meets(asked[[3]])
      sums <- sums_of(cells, list(of & a & b, of & a & !b, of & !a & b, of & !a & !b))
      ends <- product_quotient(sums, c(1, 4), c(2, 3))
      v <- sums$values
      answer(paste("odds ratio of", words(first), "and", words(second)), v[1] * v[4] / (v[2] * v[3]), ends[1], ends[2],
             release = facts$id)
    }
    r$mean <- function(column, where = NULL) {
      column <- column_of(column)
      numbers <- told_numbers(column)
      of <- chosen_of(where)
      cells <- cells_of(list(of), column)
      each <- matrix(numbers[cells$grid[[column]]], nrow(cells$X))
      known <- cells$meets(of) & !is.na(each)
      sums <- sums_of(cells, list(ifelse(known, each, 0), known))
      if (sums$values[2] <= 0) refuse("No record to take a mean of is left.")
      ends <- quotient(sums, c(1, 0), c(0, 1))
      answer_within(paste0("mean of ", column, of_words(where)), c(sums$values[1] / sums$values[2], ends), min(each[known]),
                    max(each[known]), release = facts$id,
                    notes = if (length(setdiff(names(Filter(Negate(all), of)), column))) within_intervals(column))
    }
    # As `numbers_of`, refused where nobody knows what stands for an interval without end.
    told_numbers <- function(column) {
      for (entry in entries[[column]]$intervals) if (!all(c("from", "below") %in% names(entry)) && is.null(entry$mean)) {
        refuse("\u201c", entry$value, "\u201d of \u201c", column, "\u201d has no end, and too few records for its mean to be told: ",
               "ask for quantiles, counts or shares.")
      }
      numbers_of(column)
    }
    # What must be known where groups are compared by the numbers that stand for intervals.
    within_intervals <- function(column) if (!is.null(intervals_of(column))) paste0(
      "Within an interval of \u201c", column, "\u201d all groups count with the same number: what they differ by there is ",
      "missing from this answer and its 95 % intervals. Shares of the intervals have no such gap.")
    r$quantile <- function(column, q = 0.5, where = NULL) {
      if (!isTRUE(0 < q && q < 1)) refuse("The share q of a quantile lies between 0 and 1.")
      column <- column_of(column)
      numbers <- numbers_of(column)
      of <- chosen_of(where)
      order <- sort(unique(numbers[!is.na(numbers)]))
      cells <- cells_of(list(of), column)
      each <- matrix(numbers[cells$grid[[column]]], nrow(cells$X))
      inside <- cells$meets(of) & !is.na(each)
      sums <- sums_of(cells, lapply(order, function(most) inside & each <= most))
      k <- length(order)
      if (sums$values[k] <= 0) refuse("No record to take a quantile of is left.")
      gap <- sums$values - q * sums$values[k]
      error <- vapply(seq_len(k), function(at) {
        slope <- replace(numeric(k), at, 1)
        slope[k] <- slope[k] - q
        max(sqrt(along(sums, slope)), 1e-300)
      }, 0)
      # Of the chances that it is each value, the fewest values that have 95 % together.
      each <- diff(c(0, cummax(stats::pnorm((gap[-k] + 1e-9) / error[-k])), 1))
      first <- left <- 1
      last <- k
      while (left - min(each[c(first, last)]) >= 0.95) {
        left <- left - min(each[c(first, last)])
        if (each[first] <= each[last]) first <- first + 1 else last <- last - 1
      }
      # Of intervals it may lie anywhere in one of them.
      reach <- function(number, at, best) best(vapply(labels[[column]][which(numbers == number)], function(one) ends_of(one)[at], 0))
      answer(paste0(sprintf("quantile %g of %s", q, column), of_words(where)), order[c(which(gap >= -1e-9), k)[1]],
             reach(order[first], 1, min), reach(order[last], 2, max), release = facts$id)
    }
    r$trend <- function(conditions, by, period = "") {
      by <- column_of(by)
      if (by %in% sensitive) refuse("\u201c", by, "\u201d is sensitive: a trend goes over a column published unchanged.")
      label <- labels[[by]]
      known <- !label %in% missing_of[[by]] & !label %in% as.character(entries[[by]]$texts)
      if (entries[[by]]$kind %in% c("date", "datetime") || spans_of(by)) {
        if (!nzchar(period)) period <- "month"
        pairs <- lapply(label[known], period_of, period)
        times <- replace(rep(NA_real_, length(label)), which(known), vapply(pairs, function(pair) as.numeric(pair[[1]]), 0))
        names_of <- replace(rep("", length(label)), which(known), vapply(pairs, function(pair) pair[[2]], ""))
      } else {
        if (nzchar(period) && (entries[[by]]$kind %in% c("integer", "decimal") || !is.null(intervals_of(by))))
          refuse("\u201c", by, "\u201d holds numbers, each a period of its own; leave \u201c", period, "\u201d out.")
        period <- "1"
        times <- numbers_of(by)
        names_of <- label
      }
      chosen <- chosen_of(conditions)
      groups <- if (hides(conditions)) chosen[!names(chosen) %in% sensitive] else list()
      found <- sort(unique(times[!is.na(times)]))
      cells <- cells_of(c(list(chosen), lapply(found, function(t) stats::setNames(list(!is.na(times) & times == t), by))))
      when <- matrix(times[cells$grid[[by]]], nrow(cells$X))
      met <- cells$meets(chosen)
      of <- cells$meets(groups)
      sums <- sums_of(cells, c(lapply(found, function(t) !is.na(when) & when == t & met),
                               lapply(found, function(t) !is.na(when) & when == t & of)))
      k <- length(found)
      count <- sums$values[seq_len(k)]
      totals <- sums$values[k + seq_len(k)]
      if (sum(totals > 0) < 2) refuse("A trend needs records in two periods at least.")
      centre <- sum(found * totals) / sum(totals)
      slope <- c((found - centre) / sum(totals * (found - centre)^2), numeric(k))
      parts <- list()
      for (at in which(totals > 0)) {
        name <- names_of[match(found[at], times)]
        here <- chosen
        here[[by]] <- !is.na(times) & times == found[at] & (if (is.null(chosen[[by]])) TRUE else chosen[[by]])
        met <- count_of(name, here, c(attr(chosen, "named"), by))
        parts[[name]] <- answer_within(name, c(count[at], met$low, met$high) / totals[at], 0, 1, selected = round(totals[at]),
                                       possible = met$interval_by == "possible")
      }
      ends <- sum(slope * sums$values) + c(0, -1, 1) * arm(sums, slope)
      answer(paste("change of the share with", words(conditions), "per", period, "of", by), ends[1], ends[2], ends[3],
             parts = parts, release = facts$id)
    }
    r$crosstab <- function(rows, columns, where = NULL) {
      rows <- column_of(rows)
      columns <- column_of(columns)
      if (rows == columns) refuse("A cross-table needs two different columns.")
      of <- chosen_of(where)
      cells <- cells_of(list(of), c(rows, columns))
      parts <- list()
      for (a in c(seq_along(labels[[rows]]), NA)) for (b in c(seq_along(labels[[columns]]), NA)) {
        chosen <- as.list(of)
        for (side in list(list(rows, a), list(columns, b))) if (!is.na(side[[2]])) {
          one <- seq_along(labels[[side[[1]]]]) == side[[2]]
          chosen[[side[[1]]]] <- if (is.null(chosen[[side[[1]]]])) one else chosen[[side[[1]]]] & one
        }
        crossed <- function(label) if (is.na(label)) "(all)" else if (nzchar(label)) label else "(empty)"
        name <- paste(crossed(labels[[rows]][a]), crossed(labels[[columns]][b]), sep = " | ")
        count <- if (all(vapply(chosen, any, TRUE))) count_of(name, chosen, c(attr(of, "named"), names(chosen)))
          else answer(name, 0, 0, 0)
        x <- sum(cells$X[cells$meets(chosen)])
        if (abs(x - count$estimate) < 1e-6) x <- count$estimate # but for rounding
        parts[[name]] <- answer(name, x, min(count$low, x), max(count$high, x), possible = count$interval_by == "possible")
      }
      whole <- parts[["(all) | (all)"]]
      answer(paste0(rows, " by ", columns, of_words(where)), whole$estimate, whole$low, whole$high, parts = parts, release = facts$id)
    }
    regression <- function(title, outcome, on, where, link, is_logistic) {
      of <- chosen_of(where)
      asked <- list(of)
      full <- character(0)
      if (!is.null(meant(outcome))) outcome <- meant(outcome)
      counted <- !is_logistic && is.character(outcome) && length(outcome) == 1 && outcome %in% all_names
      if (counted) full <- outcome
      else {
        met <- chosen_of(outcome)
        asked <- c(asked, list(met))
      }
      terms <- lapply(if (is.list(on) || is.character(on)) as.list(on) else list(on),
                      function(term) if (is.null(meant(term))) term else meant(term))
      for (term in terms) {
        if (counted && identical(term, outcome))
          refuse("\u201c", outcome, "\u201d explains itself: leave it out of the columns by which it is to be explained.")
        if (is.character(term) && length(term) == 1 && term %in% all_names) full <- c(full, term)
        else asked <- c(asked, list(chosen_of(term)))
      }
      cells <- cells_of(asked, full)
      shape <- dim(cells$X)
      y <- if (counted) matrix(told_numbers(outcome)[cells$grid[[outcome]]], shape[1]) else cells$meets(met) * 1
      design <- list("(intercept)" = matrix(1, shape[1], shape[2]))
      inside <- cells$meets(of) & !is.na(y)
      groups <- list()
      for (term in terms) {
        if (!(is.character(term) && length(term) == 1 && term %in% all_names)) {
          groups[[words(term)]] <- cells$meets(chosen_of(term))
          design[[words(term)]] <- groups[[words(term)]] * 1
          next
        }
        code <- cells$grid[[term]]
        if (entries[[term]]$kind %in% c("integer", "decimal")) {
          design[[term]] <- matrix(numbers_of(term)[code], shape[1])
          next
        }
        absent <- labels[[term]] %in% missing_of[[term]]
        there <- which(!absent & counts[[term]] > 0 & seq_along(absent) %in% code[inside])
        for (at in there) {
          value <- paste0(term, "=", labels[[term]][at])
          groups[[value]] <- code == at
          if (at != there[1]) design[[value]] <- matrix(ifelse(absent[code], NA, (code == at) * 1), shape[1])
        }
      }
      X <- vapply(design, as.vector, numeric(prod(shape)))
      X <- matrix(X, ncol = length(design))
      used <- as.vector(inside) & !apply(is.na(X), 1, any)
      rows <- X[used, , drop = FALSE]
      outcomes <- as.vector(y)[used]
      weights <- as.vector(cells$X)[used]
      parted <- lapply(groups, function(flags) as.vector(flags)[used])
      check_groups(parted, outcomes, weights, is_logistic, FALSE)
      equations <- tryCatch(equations_of(rows, outcomes, weights, link, is_logistic), splu_refused = function(fault) {
        check_groups(parted, outcomes, weights, is_logistic, TRUE)
        stop(fault)
      })
      own <- function(at, fit) {
        gap <- numeric(prod(shape))
        gap[used] <- as.vector(rows %*% fit$bread[at, ]) * equations$gaps(fit$beta)
        sums_of(cells, list(matrix(gap, shape[1])))
      }
      parts <- list()
      for (at in seq_along(design)) {
        half <- arm(own(at, equations$fit), 1)
        parts[[names(design)[at]]] <- answer(names(design)[at], equations$fit$beta[at],
          end_of_coefficient(equations, own, at, -half), end_of_coefficient(equations, own, at, half))
      }
      if (length(parts) > 1 && all(vapply(parts[-1], function(part) is.infinite(part$low) && is.infinite(part$high), TRUE)))
        refuse("The release can't tell these coefficients: each may be anything; ask about larger groups, or fewer columns.")
      first <- parts[[min(2, length(parts))]]
      answer(paste(title, "of", words(outcome), "on", paste(names(design)[-1], collapse = ", ")), first$estimate, first$low,
             first$high, parts = parts, release = facts$id, notes = if (counted) within_intervals(outcome))
    }
    r$logit <- function(outcome, on, where = NULL) regression("logistic regression", outcome, on, where, logistic, TRUE)
    r$poisson <- function(outcome, on, where = NULL) regression("Poisson regression", outcome, on, where, exponential, FALSE)
    # Whatever a question that nobody foresaw, or altered facts, lead to is told in a sentence, too.
    by_person <- is.list(facts$persons) && length(facts$persons$design_effects) > 0
    for (name in names(Filter(is.function, r)))
      body(r[[name]]) <- bquote(tryCatch(noted((function() .(body(r[[name]])))(), by_person), error = in_a_sentence))
    r$json <- written
    r$column <- meant
    structure(r, class = "splu_release")
  }
})

`$.splu_release` <- function(x, name) {
  found <- .subset2(x, name)
  if (is.null(found)) stop(structure(class = c("splu_refused", "error", "condition"), list(message = paste0(
    "A release has no \u201c", name, "\u201d; ask count, share, difference, ratio, odds_ratio, mean, quantile, trend, crosstab, ",
    "logit, poisson: a median is quantile(column)."), call = NULL)))
  found
}

splu_release <- function(folder = ".") tryCatch(.splu(folder), error = function(fault) {
  if (inherits(fault, "splu_refused")) stop(fault)
  stop(structure(class = c("splu_refused", "error", "condition"), list(
    message = "release.json is damaged or was altered; ask for the release again.", call = NULL)))
})

print.splu_answer <- function(x, ...) {
  said <- function(number) if (is.infinite(number)) "no bound" else format(number, digits = 4, big.mark = ",", decimal.mark = ".")
  by <- if (x$interval_by == "possible") "possible" else "95 %"
  cat(sprintf("%s: %s (%s: %s to %s)\n", x$what, said(x$estimate), by, said(x$low), said(x$high)))
  for (part in x$parts) {
    cat("  ")
    print(part)
  }
  for (note in x$notes) cat(note, "\n", sep = "")
  invisible(x)
}

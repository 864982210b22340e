# Count in a release of SPLU Desktop: estimates with 95 % intervals, from nothing but the folder it came in.
#
#   source("splu_release.R")
#   r <- load_release(".")
#   count(r, "result=positive", "age=18-39")
#   crosstab(r, c("sex", "age"), "result=positive")
#   fit <- regress(r, (result == "positive") ~ sex + age, family = "logistic")
#   coef(fit); confint(fit); vcov(fit); summary(fit)
#
# Re-drawn columns show another unit's value in some rows, so scores are added instead of counting rows: of what a row
# shows (u) the score is (u - (1 - a) g) / a, a the chance that a value was kept, g the mean of u in the row's class.
# low and high are for persons like these, as a paper says; low_table and high_table for this table. Conditions are
# column=value, column=one|two, column=low..high, >=, <=, !=; column=(empty) has no value. Base R 4 alone. MIT licence.

splu_release_version <- "0.3.0"

load_release <- function(folder = ".") {
  path <- file.path(folder, "release.json")
  if (!file.exists(path)) stop("\u201c", folder, "\u201d holds no release.json; name the folder of a release.", call. = FALSE)
  facts <- .splu$json(paste(readLines(path, encoding = "UTF-8", warn = FALSE), collapse = "\n"))
  if (!identical(facts$format, "splu-release") || !identical(facts$version, 3))
    stop("This is a release of another version; use its own splu_release.R.", call. = FALSE)
  blocks <- facts$blocks
  if (any(vapply(blocks, `[[`, "", "draw") != "lenders"))
    stop("This release was drawn in decoy groups: ask SPLU Desktop, or add up scores.csv.", call. = FALSE)
  r <- list2env(list(facts = facts, folder = folder, n = facts$records))
  r$entries <- stats::setNames(facts$columns, vapply(facts$columns, `[[`, "", "name"))
  texts <- .splu$read(r, "table.csv")
  if (nrow(texts) != r$n || !setequal(names(texts), names(r$entries)))
    stop("table.csv is not the table that release.json describes; ask for the release again.", call. = FALSE)
  r$entries <- r$entries[names(texts)]
  kinds <- vapply(r$entries, `[[`, "", "kind")
  for (name in names(texts)[kinds == "decimal"]) texts[[name]] <- gsub(facts$dialect$decimal, ".", texts[[name]], fixed = TRUE)
  r$labels <- Map(function(entry, x) # in order, missing last
    c(if (is.null(entry$values)) sort(setdiff(x, ""), method = "radix") else unlist(entry$values), if ("" %in% x) ""),
    r$entries, texts)
  r$codes <- Map(match, texts, r$labels)
  r$numbers <- Map(function(entry, labels) { # what each label stands for: itself, or what stands for its band
    if (!is.null(entry$numbers)) as.numeric(unlist(entry$numbers)[match(labels, names(entry$numbers))])
    else if (entry$kind %in% c("integer", "decimal")) suppressWarnings(as.numeric(labels))
  }, r$entries, r$labels)
  r$keep <- vapply(blocks, function(b) 1 / b$gamma, 0)
  r$alike <- vapply(blocks, `[[`, 0, "correlation")
  r$block_of <- unlist(lapply(seq_along(blocks), function(at) sapply(unlist(blocks[[at]]$columns), function(name) at)))
  r$person_rows <- vapply(facts$classes$cells, `[[`, 0, "rows")
  r$class <- if ("lender class" %in% names(texts)) as.integer(texts[["lender class"]]) else rep(1L, r$n)
  r$owner <- r$codes[["person number"]]
  r$asked <- paste0("(?s)^(", paste0("\\Q", names(texts)[order(-nchar(names(texts)))], "\\E", collapse = "|"), ")\\s*(!=|>=|<=|=)\\s*(.*?)\\s*$")
  r$table <- as.data.frame(Map(function(kind, labels, numbers, codes)
    (if (kind %in% c("integer", "decimal")) numbers else ifelse(labels == "", NA, labels))[codes],
    kinds, r$labels, r$numbers, r$codes), optional = TRUE, stringsAsFactors = FALSE)
  structure(r, class = "splu_release")
}

print.splu_release <- function(x, ...) {
  cat(x$facts$title, ": ", x$n, " rows, ", length(x$entries), " columns; r$table, score(), count(), share(), regress() ...\n", sep = "")
  invisible(x)
}

score <- function(r, ...) { # each row's score, of conditions or of the number in a column; sums are right on average
  asked <- c(...)
  features <- if (asked[1] %in% names(r$codes)) list(.splu$feature(r, asked[1])) else .splu$conditions(r, asked)
  e <- .splu$equations(r, features)
  .splu$blend(e, matrix(apply(e$values, 1, prod), e$patterns), 1 / e$keep)[cbind(e$pattern, e$shown)]
}

count <- function(r, ...)
  .splu$result(paste("Count of", paste(c(...), collapse = ", ")), "count", .splu$count(r, .splu$conditions(r, c(...))))

share <- function(r, outcome, where = NULL) .splu$ratio(r, "Share", outcome, where, c(0, 1)) # of rows with a value
mean.splu_release <- function(x, column, where = NULL, ...) .splu$ratio(x, "Mean", column, where)
difference <- function(r, outcome, exposure, where = NULL)
  .splu$fit(r, "Difference", outcome, exposure, where, ends = if (outcome %in% names(r$codes)) c(-Inf, Inf) else c(-1, 1))
risk_ratio <- function(r, outcome, exposure, where = NULL) .splu$fit(r, "Risk ratio", outcome, exposure, where, "poisson")
odds_ratio <- function(r, outcome, exposure, where = NULL) .splu$fit(r, "Odds ratio", outcome, exposure, where, "logistic")

crosstab <- function(r, by, outcome, where = NULL) { # counts of an outcome, or of each value of a column
  asked <- lapply(c(by, outcome), function(name) {
    labels <- r$labels[[name]]
    if (is.null(labels)) name else paste0(name, "=", ifelse(labels == "", "(empty)", labels))
  })
  cells <- rev(do.call(expand.grid, c(rev(asked), stringsAsFactors = FALSE)))
  found <- apply(cells, 1, function(cell) .splu$count(r, .splu$conditions(r, c(cell, where))))
  .splu$result(paste(outcome, "by", paste(by, collapse = ", ")), apply(cells, 1, paste, collapse = ", "), t(found))
}

regress <- function(r, formula, where = NULL, family = "linear") { # least squares, or family = "logistic" or "poisson"
  plain <- function(x) { # of column, `column`, column == "value", each in brackets or not
    while (is.call(x) && identical(x[[1]], quote(`(`))) x <- x[[2]]
    if (is.call(x) && identical(x[[1]], quote(`+`))) unlist(lapply(as.list(x)[-1], plain))
    else if (is.call(x) && identical(x[[1]], quote(`==`))) paste0(x[[2]], "=", x[[3]])
    else if (is.call(x)) .splu$refuse("Terms are joined by + alone; for an interaction, regress within each value by where.")
    else as.character(x)
  }
  sides <- lapply(as.list(stats::as.formula(formula))[-1], plain)
  .splu$fit(r, "Regression", sides[[1]], sides[[2]], where, family, rare = character())
}

summary.splu_result <- function(object, ...) data.frame(object$rows, row.names = make.unique(object$names))
as.data.frame.splu_result <- function(x, ...) summary(x)
coef.splu_result <- function(object, ...) stats::setNames(object$rows[, 1], object$names)
confint.splu_result <- function(object, parm, level = 0.95, about = c("like", "table"), ...)
  if (level != 0.95) .splu$refuse("Ranges are of 95 %; leave level out.") else
    `dimnames<-`(object$rows[, if (match.arg(about) == "like") 2:3 else 4:5, drop = FALSE], list(object$names, c("low", "high")))
vcov.splu_result <- function(object, about = c("like", "table"), ...) { # of ratios, of their logarithms
  if (is.null(object$vcov)) stop("A count has no variance, but intervals: confint(x) and confint(x, about = \"table\").", call. = FALSE)
  `dimnames<-`(object$vcov[[match.arg(about)]], list(object$names, object$names))
}
print.splu_result <- function(x, ...) {
  writeLines(c(x$what, utils::capture.output(print(summary(x))), x$notes))
  invisible(x)
}

# ---- the rest is not for you to call -------------------------------------------------------------------------------

.splu <- new.env()
local({
  z <- 1.959963984540054
  refuse <- function(...) stop(..., call. = FALSE)

  result <- function(what, names, figures, vcov = NULL, notes = NULL) { # figures: in the order of summary()
    rows <- matrix(as.numeric(figures), ncol = 5, dimnames = list(NULL, c("estimate", "low", "high", "low_table", "high_table")))
    structure(list(what = what, names = names, rows = rows, vcov = vcov, notes = notes), class = "splu_result")
  }

  json <- function(text) { # base R reads none
    tokens <- regmatches(text, gregexpr("\"(?:\\\\.|[^\"\\\\])*\"|[][{}]|[^][{}:,\"\\s]+", text, perl = TRUE))[[1]]
    escapes <- gregexpr("\\\\(u[0-9a-fA-F]{4}|.)", tokens)
    regmatches(tokens, escapes) <- lapply(regmatches(tokens, escapes), function(found) vapply(found, function(each)
      switch(substr(each, 2, 2), n = "\n", t = "\t", r = "\r", b = "\b", f = "\f",
             u = intToUtf8(strtoi(substring(each, 3), 16L)), substring(each, 2)), ""))
    at <- 0
    value <- function() {
      token <- tokens[at <<- at + 1]
      if (startsWith(token, "\"")) return(substr(token, 2, nchar(token) - 1))
      if (!token %in% c("{", "[")) return(switch(token, true = TRUE, false = FALSE, null = NULL, as.numeric(token)))
      out <- list()
      while (!tokens[at + 1] %in% c("}", "]")) {
        name <- if (token == "{") value() else length(out) + 1
        out[name] <- list(value())
      }
      at <<- at + 1
      out
    }
    value()
  }

  read <- function(r, name) {
    found <- utils::read.table(file.path(r$folder, name), header = TRUE, sep = r$facts$dialect$delimiter, quote = "\"", comment.char = "",
      colClasses = "character", na.strings = character(0), check.names = FALSE, fileEncoding = "UTF-8-BOM", fill = FALSE, encoding = "UTF-8")
    guarded <- "^'(?=['\" \u00a0\u3000]*[=+\\-@\uff1d\uff0b\uff0d\uff20\t\r\n])|(?<=[;\t\r\n])'(?=['\" \u00a0\u3000]*[=+\\-@\uff1d\uff0b\uff0d\uff20])"
    plain <- function(texts) if (any(grepl("'", texts, fixed = TRUE))) gsub(guarded, "", texts, perl = TRUE) else texts
    names(found) <- plain(names(found))
    found[] <- lapply(found, plain)
    found
  }

  conditions <- function(r, texts) lapply(texts, function(text) feature(r, text, 0))

  feature <- function(r, text, unknown = NA) { # a column's numbers, or whether it meets a condition; unknown if empty
    if (text %in% names(r$codes) && is.na(unknown)) {
      if (is.null(r$numbers[[text]])) refuse("\u201c", text, "\u201d holds no numbers: ask for ", text, "=value.")
      notes <- if (length(r$entries[[text]]$bands)) paste0("A band of \u201c", text, "\u201d counts as one number: means may lie outside.")
      return(list(name = text, values = r$numbers[[text]], term = text, notes = notes))
    }
    parts <- regmatches(text, regexec(r$asked, text, perl = TRUE))[[1]]
    if (!length(parts)) refuse("\u201c", text, "\u201d names no column with = behind it; the columns are ", paste(names(r$codes), collapse = ", "), ".")
    name <- parts[2]
    labels <- r$labels[[name]]
    asked <- switch(parts[3], ">=" = paste0(parts[4], ".."), "<=" = paste0("..", parts[4]), parts[4])
    words <- c("(empty)" = "", unlist(r$entries[[name]]$words)) # "65 und mehr" is "65 and more"
    asked <- if (asked %in% labels) asked else trimws(strsplit(paste0(asked, " "), "|", fixed = TRUE)[[1]])
    asked <- ifelse(asked %in% names(words), words[asked], asked)
    found <- lapply(asked, function(x) if (x %in% labels) labels == x else within(labels, r$numbers[[name]], r$entries[[name]]$bands, x))
    if (anyNA(unlist(found)) || !all(vapply(found, any, NA) | grepl("..", asked, fixed = TRUE)))
      refuse("\u201c", text, "\u201d fits no whole value of \u201c", name, "\u201d: ", paste(setdiff(utils::head(labels, 12), ""), collapse = ", "), ".")
    met <- as.numeric(Reduce(`|`, found) != (parts[3] == "!="))
    list(name = name, values = ifelse(labels == "" & met == 0, unknown, met), term = text)
  }

  within <- function(labels, begin, bands, text) { # texts such as dates, numbers, or bands; NA for what the range cuts
    dots <- grepl("..", text, fixed = TRUE)
    ends <- trimws(c(sub("\\.\\..*", "", text), sub(".*?\\.\\.", "", text, perl = TRUE))) # twice the text where none are
    if (is.null(begin)) {
      if (!dots && !grepl("^[0-9]{4}[- ]", labels[1])) return(NA)
      shapes <- gsub("[[:alnum:]]", "x", c(ends, labels)) # a day is written otherwise than a quarter
      if (!all(vapply(shapes[1:2], function(end) any(startsWith(shapes[-(1:2)], end)), NA))) return(NA)
      return(labels != "" & labels >= ends[1] & (ends[2] == "" | substr(labels, 1, nchar(ends[2])) <= ends[2]))
    }
    sides <- rbind(begin, begin)
    for (at in which(labels %in% names(bands))) # an open end is NULL
      sides[, at] <- mapply(function(end, far) if (is.null(end)) far else end, bands[[labels[at]]], c(-Inf, Inf))
    whole <- length(bands) > 0 && !any(grepl(" to below ", names(bands))) # 20 to 29 ends before 30
    ends <- suppressWarnings(as.numeric(ifelse(ends == "", c(-Inf, Inf), ends))) + c(0, whole)
    inside <- sides[1, ] >= ends[1] & sides[2, ] <= ends[2]
    !is.na(begin) & (inside | ifelse(ends[1] < sides[2, ] & sides[1, ] < ends[2], NA, FALSE))
  }

  terms <- function(r, word, rare) { # rare values are left out, or count as the most frequent one
    if (is.null(rare) || !word %in% names(r$codes) || r$entries[[word]]$kind %in% c("integer", "decimal"))
      return(list(terms = list(feature(r, word))))
    labels <- r$labels[[word]]
    rows <- tabulate(r$codes[[word]], length(labels))
    hidden <- word %in% names(r$block_of)
    kept <- labels != "" & rows >= 20 & !paste0(word, "=", labels) %in% rare
    thin <- labels != "" & !kept
    base <- labels[kept][which.max(rows[kept])]
    notes <- c(if (any(thin)) paste0(sum(rows[thin]), " rows of \u201c", word, "\u201d ", if (hidden) paste0("count as \u201c", base, "\u201d")
      else "are left out", ", too few to tell: ", paste(sort(labels[thin], method = "radix"), collapse = ", "), "."),
      if (sum(kept) < 2) paste0("\u201c", word, "\u201d has one value in nearly all rows, so it explains nothing."))
    list(notes = notes, terms = lapply(setdiff(labels[kept], base), function(label)
      list(name = word, values = ifelse(labels == "" | (thin & !hidden), NA, labels == label), term = paste0(word, "=", label))))
  }

  count <- function(r, features) { # estimate, low, high for persons like these, low and high for this table
    met <- lapply(split(lapply(features, `[[`, "values"), vapply(features, `[[`, "", "name")), Reduce, f = `*`)
    met <- met[vapply(met, min, 0) < 1 | names(met) %in% names(r$block_of)]
    hidden <- intersect(names(met), names(r$block_of))
    still <- met[setdiff(names(met), hidden)]
    line <- rows_of(r, still)
    n_p <- sum(line)
    if (!length(hidden) || n_p == 0) return(rep(n_p, 5))
    blocks <- unique(r$block_of[hidden])
    shown <- lapply(blocks, function(block) 1 + rows_of(r, met[hidden[r$block_of[hidden] == block]])) # 2 where met
    f <- lapply(figures(r, line, shown, rep(2, length(blocks)), blocks, hidden), function(x) x[length(x)])
    table <- roots(f$x, f$level, f$slope, n_p, f$step)
    target <- n_p * prod(vapply(hidden, function(name) {
      mu <- whole <- tabulate(r$codes[[name]], length(r$labels[[name]])) / r$n
      if (length(still) > 1) for (each in names(still)) mu <- mu * lifts(r, name, still[each])
      if (sum(mu) == 0) mu <- whole
      sum(mu[met[[name]] > 0]) / sum(mu)
    }, 0))
    share <- pmin(pmax(f$x / c(r$n, n_p), 0), 1)
    together <- (mean(r$person_rows[r$class]) - 1) * max(f$alike + (1 - f$alike) * share[2] - share[1], 0) # a person's other rows
    like <- roots(f$x, f$level, f$slope + 1 - share[1] + together, n_p, f$step)
    c(min(max(shrunk(f, target, mean(unlist(r$facts$spread[hidden]))), table[1]), table[2]), like, table)
  }
  rows_of <- function(r, met) Reduce(`*`, lapply(names(met), function(name) met[[name]][r$codes[[name]]]), rep(1, r$n))

  lifts <- function(r, name, condition) { # how many times as often each label occurs, drawn towards 1
    line <- rows_of(r, condition)
    target <- sum(line) * tabulate(r$codes[[name]], length(r$labels[[name]])) / r$n
    drawn <- shrunk(figures(r, line, r$codes[name], length(target), r$block_of[[name]], name), target, r$facts$spread[[name]])
    ifelse(target > 0, pmax(drawn, 0) / target, 1)
  }

  figures <- function(r, line, shown, sizes, blocks, names) { # estimate, level, slope and step of each value of a block, or of the last of several
    e <- cells(r, r$class, seq_along(r$person_rows), shown, sizes, blocks, names, line > 0)
    if (!is.null(r$owner)) own <- table(factor(r$class[line > 0], seq_along(r$person_rows)), r$owner[line > 0])
    mean <- if (is.null(r$owner)) r$person_rows else rowSums(own^2) / pmax(rowSums(own), 1) # rows of one person in the line
    each <- if (length(blocks) > 1) list(e) else lapply(seq_len(sizes), function(v) binary(e, v))
    one <- do.call(Map, c(cbind, lapply(each, event)))
    rho <- if (length(blocks) == 1) rep(e$alike[[1]], each = e$patterns) else Reduce(`*`, Map(function(r, share) r[2] + (1 - r[2]) * share[, 2], e$alike, e$share))
    effect <- 1 + pmax(mean - 1, 0) * rho # of several, each about 0 and not about its mean
    weight <- one$expected / rep(colSums(one$expected), each = e$patterns) # x is split over classes as they let expect
    list(x = colSums(one$x), level = colSums(one$level * effect), slope = colSums(one$slope * effect * weight), step = colSums(one$step * weight), alike = do.call(pmax, e$alike))
  }

  binary <- function(e, v) { # one block, by whether its value v is shown
    rows <- cbind(e$inside - e$rows[, v], e$rows[, v])
    replace(e, c("rows", "share", "states", "rest"), list(rows, list(cbind(0, e$share[[1]][, v])), matrix(1:2), list(c(1, 1))))
  }

  event <- function(e) { # all blocks show their second value: by the true states of its parts, as if independent but for x
    a <- e$keep
    axes <- seq_along(a)
    u <- e$states - 1
    g <- lapply(e$share, function(share) share[, 2])
    mixed <- function(g) replace(e, "g", list(Map(function(g, at) outer(1 - g, 1 - u[, at]) + outer(g, u[, at]), g, axes)))
    scored <- function(of) # rows by the score of "all of these are met"
      blend(mixed(g), matrix(apply(u[, of, drop = FALSE], 1, prod), e$patterns, nrow(u), byrow = TRUE), 1 / a)
    pulls <- lapply(axes, function(at) (1 - a[at]) / a[at] * rowSums(e$rows * scored(axes[-at])) / e$size)
    alone <- lapply(axes, function(at) pmin(pmax(rowSums(e$rows * scored(at)), 0), e$inside) / pmax(e$inside, 1))
    effect <- scored(axes) - Reduce(`+`, lapply(axes, function(at) outer(pulls[[at]], u[, at])))
    seen <- lapply(g, function(g) (e$size * g + 2) / (e$size + 4)) # two rows more with it and without: how many they are is not well known
    v <- pmax(blend(mixed(seen), effect^2, a) - blend(mixed(seen), effect, a)^2, 0)
    sign <- (-1)^rowSums(u == 0)
    apart <- Reduce(`*`, lapply(axes, function(at) outer(alone[[at]], u[, at]) + outer(1 - alone[[at]], 1 - u[, at])))
    outside <- Map(function(pull, a, g, part) pull^2 * ((e$size - e$inside) * (1 - a) * g * (1 - (1 - a) * g) +
      pmin(pmax(e$size * g - e$inside * part, 0), e$size - e$inside) * a * (1 - a) * (1 - 2 * g)), pulls, a, seen, alone)
    level <- Reduce(`+`, outside) + e$inside * rowSums((apart - outer(Reduce(`*`, alone), sign)) * v)
    list(x = rowSums(e$rows * scored(axes)), level = level, slope = v %*% sign, step = effect %*% sign, expected = e$inside * (Reduce(`*`, g) + 1e-12))
  }

  roots <- function(x, level, slope, top, step) { # of (x - x')^2 = 1.96^2 (level + slope x'), half a row further apart
    near <- min(max(x, 0), top) # the nearest that may be
    at <- near + c(near / top - 1, near / top) * step / 2
    ends <- at + z^2 * slope / 2 + c(-1, 1) * sqrt((z^2 * slope / 2)^2 + z^2 * pmax(slope * at + level, 0))
    c(if (near > step / 2) max(ends[1], 0) else 0, if (near < top - step / 2) min(ends[2], top) else top)
  }

  shrunk <- function(f, target, spread) {
    signal <- spread * target^2
    variance <- pmax(f$level + f$slope * pmax(f$x, 0), 0)
    drawn <- target + ifelse(signal + variance > 0, signal / (signal + variance), 1) * (f$x - target)
    pmin(pmax(drawn, f$x - sqrt(variance)), f$x + sqrt(variance)) # by one deviation at most
  }

  links <- list( # the mean at a sum of terms, and its slope there
    linear = function(at) list(mean = at, slope = rep(1, length(at))),
    logistic = function(at) list(mean = stats::plogis(at), slope = stats::dlogis(at)),
    poisson = function(at) list(mean = exp(pmin(at, 50)), slope = exp(pmin(at, 50))))

  ratio <- function(r, what, outcome, where, ends = NULL) { # y over who meets the conditions; ends are roots (Fieller 1954)
    y <- feature(r, outcome)
    all_count <- function(x) replace(y, "values", list(rep(x, length(y$values))))
    s <- solve(equations(r, c(list(y, all_count(1)), conditions(r, where))), 2, function(theta, v) {
      both <- cbind(v[, 1], 1) * apply(v[, -1, drop = FALSE], 1, prod)
      list(psi = both - rep(theta, each = nrow(v)), slope = matrix(c(-1, 0, 0, -1), nrow(v), 4, byrow = TRUE))
    })
    if (s$theta[2] <= 0) refuse("Too few rows are left: the release can't tell this.")
    two <- if (is.null(ends)) 0 else 1 / (s$theta[2] * r$n)
    none <- if (is.null(ends)) 0 else count(r, c(conditions(r, where), list(all_count(0))))[5] / z / r$n # of a value that no row shows
    if (is.null(ends)) ends <- range(y$values, na.rm = TRUE)
    x <- min(max(s$theta[1] / s$theta[2], ends[1]), ends[2]) # the nearest that may be
    found <- lapply(s$vcov, function(v) { # two rows more of a share, one with the value and one without
      m <- outer(c(x, 1), c(x, 1)) * s$theta[2]^2 - z^2 * (v + two * v[2, 2] * matrix(c(1, 1, 1, 2), 2) + none^2 * c(1, 0, 0, 0))
      if (m[2, 2] > 0) (m[1, 2] + c(-1, 1) * sqrt(max(m[1, 2]^2 - m[2, 2] * m[1, 1], 0))) / m[2, 2] else ends
    })
    off <- c(1, -x) / s$theta[2]
    result(paste(what, "of", outcome), tolower(what), pmin(pmax(c(x, unlist(found)), ends[1]), ends[2]),
      lapply(s$vcov, function(v) matrix(off %*% v %*% off)), y$notes)
  }

  fit <- function(r, what, outcome, words, where, family = "linear", ends = c(-Inf, Inf), rare = NULL) {
    # intercept and coefficients; the last of them alone, a ratio as such, where no values can be rare
    if (!family %in% names(links)) refuse("There is no family \u201c", family, "\u201d; choose ", paste(names(links), collapse = ", "), ".")
    y <- feature(r, outcome)
    found <- lapply(words, function(word) terms(r, word, rare))
    xs <- c(list(list(name = y$name, values = rep(1, length(y$values)), term = "(intercept)")), unlist(lapply(found, `[[`, "terms"), FALSE))
    k <- length(xs)
    names <- vapply(xs, `[[`, "", "term")
    score <- function(theta, v) {
      x <- v[, seq_len(k) + 1, drop = FALSE]
      weight <- apply(v[, -seq_len(k + 1), drop = FALSE], 1, prod)
      at <- links[[family]](as.vector(x %*% theta))
      list(psi = weight * (v[, 1] - at$mean) * x,
           slope = -weight * at$slope * x[, rep(seq_len(k), each = k), drop = FALSE] * x[, rep(seq_len(k), k), drop = FALSE])
    }
    s <- solve(equations(r, c(list(y), xs, conditions(r, where))), k, score)
    if (is.null(s$vcov)) {
      astray <- setdiff(names[abs(s$theta) > 10], rare) # too few rows to tell their effects
      if (is.null(rare) || !length(astray))
        refuse("Two terms say the same, or too few rows are left: the release can't tell this.")
      return(fit(r, what, outcome, words, where, family, ends, c(rare, astray)))
    }
    reach <- lapply(s$vcov, function(v) z * sqrt(pmax(diag(v), 0)))
    rows <- pmin(pmax(s$theta, ends[1]), ends[2]) + cbind(0, -reach$like, reach$like, -reach$table, reach$table)
    if (is.null(rare)) {
      rows <- pmin(pmax((if (family == "linear") identity else exp)(rows[k, ]), ends[1]), ends[2])
      names <- tolower(what)
      s$vcov <- lapply(s$vcov, function(v) v[k, k, drop = FALSE])
    }
    what <- paste0(what, " of ", outcome, if (length(words)) paste0(" by ", paste(words, collapse = ", ")))
    result(what, names, rows, s$vcov, c(y$notes, unlist(lapply(found, `[[`, "notes"))))
  }

  equations <- function(r, features) { # patterns of class and unchanged values, by states of the blocks
    names <- vapply(features, `[[`, "", "name")
    of <- unname(r$block_of[names])
    blocks <- sort(unique(of))
    values <- lapply(features, function(feature) feature$values[r$codes[[feature$name]]])
    level <- function(which, key = rep(1, r$n)) { # numbers combinations of values, from 1
      for (x in values[which]) key <- match(key, unique(key)) * (length(unique(x)) + 1) + match(x, unique(x))
      match(key, unique(key))
    }
    pattern <- level(is.na(of), r$class)
    shown <- lapply(blocks, function(block) level(of %in% block))
    e <- cells(r, pattern, r$class[!duplicated(pattern)], shown, vapply(shown, max, 0), blocks, unique(names))
    e$values <- matrix(vapply(seq_along(features), function(at) {
      if (is.na(of[at])) return(rep(values[[at]][!duplicated(pattern)], nrow(e$states)))
      axis <- match(of[at], blocks)
      rep(values[[at]][!duplicated(shown[[axis]])][e$states[, axis]], each = e$patterns)
    }, numeric(e$patterns * nrow(e$states))), ncol = length(features))
    e$values[!stats::complete.cases(e$values), ] <- 0 # a row without a value adds nothing
    e
  }

  cells <- function(r, pattern, class, shown, sizes, blocks, names, line = TRUE) { # rows of each pattern, by what they show
    e <- list(r = r, pattern = pattern, class = class, patterns = length(class), keep = r$keep[blocks])
    axes <- seq_along(blocks)
    step <- c(1, cumprod(sizes))
    e$states <- if (length(axes)) unname(as.matrix(expand.grid(lapply(sizes, seq_len)))) else matrix(0, 1, 0)
    e$shown <- Reduce(`+`, lapply(axes, function(at) (shown[[at]] - 1) * step[at]), rep(1, r$n))
    e$rows <- matrix(tabulate((pattern + e$patterns * (e$shown - 1))[line], e$patterns * nrow(e$states)), e$patterns)
    e$inside <- rowSums(e$rows)
    e$size <- pmax(tabulate(r$class, length(r$person_rows)), 1)
    e$share <- Map(function(u, size) matrix(tabulate(r$class + length(e$size) * (u - 1), length(e$size) * size), ncol = size) / e$size, shown, sizes)
    several <- tabulate(r$block_of[names], length(r$keep))[blocks] > 2 # of three columns, or few rows, it is not known
    e$alike <- Map(function(rho, several, u, size) { # how alike a person's rows are in each state
      rows <- tabulate(u, size)
      ifelse(several | pmin(rows, r$n - rows) < 50, 1, rho)
    }, r$alike[blocks], several, shown, sizes)
    e$g <- lapply(axes, function(at) e$share[[at]][class, e$states[, at], drop = FALSE])
    e$rest <- lapply(axes, function(at) seq_len(nrow(e$states)) - (e$states[, at] - 1) * step[at]) # the same but for one block
    e
  }

  over <- function(e, grid, axis) rowsum(t(grid), e$rest[[axis]], reorder = FALSE)[as.character(e$rest[[axis]]), , drop = FALSE]
  blend <- function(e, grid, own) { # own f(u) + (1 - own) sum g f: T where own is a, its inverse where it is 1 / a
    for (axis in seq_along(own)) grid <- own[axis] * grid + (1 - own[axis]) * t(over(e, grid * e$g[[axis]], axis))
    grid
  }

  solve <- function(e, k, score) { # the root of the sums, and covariances; of several blocks the table's is the other
    weight <- as.vector(Reduce(function(rows, axis) (rows - (1 - e$keep[axis]) * e$g[[axis]] * t(over(e, rows, axis))) / e$keep[axis],
      seq_along(e$keep), e$rows))
    theta <- rep(0, k)
    for (round in 1:40) {
      now <- score(theta, e$values)
      slope <- matrix(colSums(weight * now$slope), k)
      scale <- sqrt(abs(diag(slope)))
      bread <- tryCatch(base::solve(slope / outer(scale, scale)) / outer(scale, scale), error = function(e) NULL)
      if (is.null(bread)) break
      step <- as.vector(bread %*% colSums(weight * now$psi))
      size <- max(abs(step)) / (1 + max(abs(theta)))
      theta <- theta - step * min(1, 2 / size)
      if (size < 1e-10) return(list(theta = theta, vcov = covariances(e, k, score(theta, e$values)$psi %*% t(bread), weight)))
    }
    list(theta = theta)
  }

  covariances <- function(e, k, psi, weight) { # sums of squares of what units add, the pull of the shares included
    added <- lapply(seq_len(k), function(j) {
      grid <- matrix(psi[, j], e$patterns)
      f <- blend(e, grid, 1 / e$keep)
      for (axis in seq_along(e$keep)) {
        part <- t(over(e, matrix(weight, e$patterns), axis)) * (blend(e, grid, replace(1 + 0 * e$keep, axis, 1 / e$keep[axis])) - grid)
        pull <- tapply(part, list(factor(e$class[row(part)], seq_along(e$size)), e$states[col(part), axis]), sum, default = 0)
        f <- f - (pull / e$size)[e$class, e$states[, axis], drop = FALSE]
      }
      f
    })
    pairs <- function(f, weight) matrix(vapply(seq_len(k^2), function(at) sum(weight * f[[(at - 1) %% k + 1]] * f[[(at - 1) %/% k + 1]]), 0), k)
    if (!is.null(e$r$owner)) like <- crossprod(rowsum(vapply(added, function(f) f[cbind(e$pattern, e$shown)], numeric(e$r$n)), e$r$owner))
    else like <- pairs(added, e$rows * e$r$person_rows[e$class])
    low <- 0
    table <- if (length(e$keep)) like else matrix(0, k, k)
    wide <- 1 + (e$r$person_rows[e$class] - 1) * max(vapply(e$alike, min, 0), 0)
    for (axis in seq_along(e$keep)) { # (1 - a) ((F - mean F)^2 + a var F); and no less than of rows as their class, with four more
      a <- e$keep[axis]
      f <- lapply(added, function(f) f - t(over(e, e$g[[axis]] * f, axis)))
      inside <- wide * (1 - a) * t(over(e, e$rows, axis))
      if (length(e$keep) == 1) table <- pairs(f, wide * (1 - a) * e$rows + a * e$g[[1]] * inside)
      low <- pmax(low, diag(pairs(f, inside / wide * (1 + a) * (e$g[[axis]] + 4 * (1 / ncol(e$share[[axis]]) - e$g[[axis]]) / (e$size[e$class] + 4)))))
    }
    sampled <- (length(e$keep) > 0) * crossprod(psi, weight * wide * psi) # who is in the table is chance, and who lends in it
    Map(function(v, low) v + diag(pmax(low - diag(v), 0), k), list(like = unname(like + sampled), table = table), list(low + diag(sampled), low))
  }
}, envir = .splu)

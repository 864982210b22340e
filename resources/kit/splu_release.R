# Count in a release of SPLU Desktop: estimates with 95 % intervals, from nothing but the folder it came in.
#
#   source("splu_release.R")
#   r <- load_release(".")
#   count(r, "result=positive", "age=18-39")
#   crosstab(r, c("sex", "age"), "result=positive")
#   fit <- regress(r, (result == "positive") ~ sex + age, family = "logistic")
#   coef(fit); confint(fit); vcov(fit); summary(fit)
#
# Re-drawn columns show another unit's value in some rows, so rows are not counted but scores are added: the score of a
# row is (u - (1 - a) g) / a, u what it shows, a the chance that a value was kept, g the mean of u in the row's class.
# low and high are for persons like these, as a paper says; low_table and high_table for this table. Conditions are
# column=value, column=one|two, column=low..high, column>=low, column<=high, column!=value; column=(empty) is a row
# without a value. Base R alone, as of version 4. The same figures as splu_release.py. MIT licence.

splu_release_version <- "0.3.0"

load_release <- function(folder = ".") {
  path <- file.path(folder, "release.json")
  if (!file.exists(path)) stop("\u201c", folder, "\u201d holds no release.json; name the folder of a release.", call. = FALSE)
  facts <- .splu$json(paste(readLines(path, encoding = "UTF-8", warn = FALSE), collapse = "\n"))
  if (!identical(facts$format, "splu-release") || !identical(facts$version, 3))
    stop("This is a release of another version; use its own splu_release.R.", call. = FALSE)
  r <- list(facts = facts, folder = folder, n = facts$records)
  r$entries <- stats::setNames(facts$columns, vapply(facts$columns, function(each) each$name, ""))
  texts <- .splu$read(r, "table.csv")
  if (nrow(texts) != r$n || !setequal(names(texts), names(r$entries)))
    stop("table.csv is not the table that release.json describes; ask for the release again.", call. = FALSE)
  for (name in names(texts)) if (r$entries[[name]]$kind == "decimal")
    texts[[name]] <- gsub(facts$dialect$decimal, ".", texts[[name]], fixed = TRUE)
  r$labels <- lapply(texts, unique)
  r$codes <- Map(match, texts, r$labels)
  r$numbers <- stats::setNames(lapply(names(texts), function(name) .splu$numbers(r, name)), names(texts))
  blocks <- facts$blocks
  if (any(vapply(blocks, function(b) b$draw, "") != "lenders"))
    stop("This release was drawn in decoy groups: ask SPLU Desktop, or add up scores.csv.", call. = FALSE)
  r$keep <- vapply(blocks, function(b) 1 / b$gamma, 0)
  r$alike <- vapply(blocks, function(b) b$correlation, 0)
  r$block_of <- unlist(lapply(seq_along(blocks), function(at)
    stats::setNames(rep(at, length(blocks[[at]]$columns)), unlist(blocks[[at]]$columns))))
  r$mean_rows <- vapply(facts$classes$cells, function(cell) if (facts$person) cell$mean_rows else 1, 0)
  r$class <- if ("lender class" %in% names(texts)) as.integer(texts[["lender class"]]) else rep(1L, r$n)
  r$owner <- r$codes[["person number"]]
  r$table <- as.data.frame(stats::setNames(lapply(names(texts), function(name) {
    values <- if (r$entries[[name]]$kind %in% c("integer", "decimal")) r$numbers[[name]] else ifelse(r$labels[[name]] == "", NA, r$labels[[name]])
    values[r$codes[[name]]]
  }), names(texts)), check.names = FALSE, stringsAsFactors = FALSE)
  scores <- .splu$read(r, "scores.csv")
  r$scores <- as.data.frame(lapply(scores, function(x) as.numeric(sub(facts$dialect$decimal, ".", x, fixed = TRUE))), check.names = FALSE)
  structure(r, class = "splu_release")
}

print.splu_release <- function(x, ...) {
  cat(x$facts$title, ": ", x$n, " rows, ", length(x$entries), " columns; r$table, r$scores, count(), share(), regress() ...\n", sep = "")
  invisible(x)
}

# ---- questions ---------------------------------------------------------------------------------------------------

score <- function(r, ...) { # each row's score, of conditions or of the number in a column; sums are right on average
  asked <- c(...)
  features <- if (asked[1] %in% names(r$codes)) list(.splu$feature(r, asked[1])) else .splu$conditions(r, asked)
  e <- .splu$equations(r, features)
  grid <- .splu$inverse(e, matrix(apply(e$values, 1, prod), e$patterns))
  grid[cbind(e$pattern, e$shown)]
}

count <- function(r, ...) {
  .splu$result(paste("Count of", paste(c(...), collapse = ", ")), "count", .splu$count(r, c(...)))
}

share <- function(r, outcome, where = NULL) .splu$one(r, "Share", outcome, NULL, where, ends = c(0, 1))

mean.splu_release <- function(x, column, where = NULL, ...) .splu$one(x, "Mean", column, NULL, where)

crosstab <- function(r, by, outcome, where = NULL) { # counts of an outcome, or of each value of a column
  condition <- function(name) paste0(name, "=", ifelse(.splu$few(r, name) == "", "(empty)", .splu$few(r, name)))
  asked <- if (outcome %in% names(r$codes)) condition(outcome) else outcome
  cells <- do.call(expand.grid, c(rev(lapply(c(lapply(by, condition), list(asked)), identity)), stringsAsFactors = FALSE))
  cells <- cells[, rev(seq_along(cells)), drop = FALSE]
  found <- apply(cells, 1, function(cell) .splu$count(r, c(cell, where)))
  .splu$result(paste(outcome, "by", paste(by, collapse = ", ")), apply(cells, 1, paste, collapse = ", "), t(found))
}

difference <- function(r, outcome, exposure, where = NULL)
  .splu$one(r, "Difference", outcome, exposure, where, ends = if (outcome %in% names(r$codes)) c(-Inf, Inf) else c(-1, 1))

risk_ratio <- function(r, outcome, exposure, where = NULL) .splu$one(r, "Risk ratio", outcome, exposure, where, "log")

odds_ratio <- function(r, outcome, exposure, where = NULL) .splu$one(r, "Odds ratio", outcome, exposure, where, "logistic")

regress <- function(r, formula, where = NULL, family = "linear") { # least squares, or family = "logistic"
  sides <- .splu$sides(formula)
  terms <- unlist(lapply(sides$terms, function(word) .splu$terms(r, word)), recursive = FALSE)
  fit <- .splu$fit(r, sides$outcome, terms, where, family)
  names <- c("(intercept)", vapply(terms, function(term) term$term, ""))
  notes <- unique(unlist(lapply(terms, function(term) term$note)))
  .splu$estimates(paste("Regression of", sides$outcome), names, fit$theta, fit[c("like", "table")], notes = notes)
}

# ---- results -----------------------------------------------------------------------------------------------------

summary.splu_result <- function(object, ...) data.frame(object$rows, row.names = make.unique(object$names))
as.data.frame.splu_result <- function(x, ...) summary(x)
coef.splu_result <- function(object, ...) stats::setNames(object$rows[, 1], object$names)
confint.splu_result <- function(object, parm, level = 0.95, about = "like", ...)
  `dimnames<-`(object$rows[, if (about == "like") 2:3 else 4:5, drop = FALSE], list(object$names, c("low", "high")))
vcov.splu_result <- function(object, about = "like", ...) # of ratios, of their logarithms
  if (!is.null(object$vcov[[about]])) `dimnames<-`(object$vcov[[about]], list(object$names, object$names))
print.splu_result <- function(x, ...) {
  cat(x$what, "\n", sep = "")
  print(summary(x))
  for (note in x$notes) cat(note, "\n", sep = "")
  invisible(x)
}

# ---- the rest is not for you to call -------------------------------------------------------------------------------

.splu <- new.env()
local({
  z <- 1.959963984540054
  thin_below <- 20 # rows below which a category gets no coefficient of its own
  refuse <- function(...) stop(..., call. = FALSE)

  result <- function(what, names, figures, vcov = NULL, notes = NULL) { # figures: in the order of summary()
    rows <- matrix(as.numeric(figures), ncol = 5)
    colnames(rows) <- c("estimate", "low", "high", "low_table", "high_table")
    structure(list(what = what, names = names, rows = rows, vcov = vcov, notes = notes), class = "splu_result")
  }

  estimates <- function(what, names, values, vcov, ends = c(-Inf, Inf), scale = identity, notes = NULL) {
    reach <- lapply(vcov, function(v) z * sqrt(pmax(diag(v), 0)))
    around <- cbind(values, values - reach$like, values + reach$like, values - reach$table, values + reach$table)
    result(what, names, scale(pmin(pmax(around, ends[1]), ends[2])), vcov, notes)
  }

  json <- function(text) { # base R reads none
    tokens <- regmatches(text, gregexpr("\"(?:\\\\.|[^\"\\\\])*\"|[][{}:,]|[^][{}:,\"\\s]+", text, perl = TRUE))[[1]]
    at <- 0
    escaped <- function(each) switch(substr(each, 2, 2), n = "\n", t = "\t", r = "\r", b = "\b", f = "\f",
                                     u = intToUtf8(strtoi(substring(each, 3), 16L)), substring(each, 2))
    string <- function(token) {
      token <- substr(token, 2, nchar(token) - 1)
      if (!grepl("\\", token, fixed = TRUE)) return(token)
      found <- gregexpr("\\\\(u[0-9a-fA-F]{4}|.)", token)
      regmatches(token, found) <- list(vapply(regmatches(token, found)[[1]], escaped, ""))
      token
    }
    value <- function() {
      at <<- at + 1
      token <- tokens[at]
      if (token == "{" || token == "[") {
        out <- list()
        while (!tokens[at + 1] %in% c("}", "]")) {
          name <- length(out) + 1
          if (token == "{") {
            name <- string(tokens[at + 1])
            at <<- at + 2
          }
          out[name] <- list(value())
          if (tokens[at + 1] == ",") at <<- at + 1
        }
        at <<- at + 1
        out
      } else if (startsWith(token, "\"")) string(token)
      else switch(token, true = TRUE, false = FALSE, null = NULL, as.numeric(token))
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

  numbers <- function(r, name) { # what each label stands for: itself, or what stands for its band
    entry <- r$entries[[name]]
    if (!is.null(entry$numbers)) return(as.numeric(unlist(entry$numbers)[match(r$labels[[name]], names(entry$numbers))]))
    if (entry$kind %in% c("integer", "decimal")) suppressWarnings(as.numeric(r$labels[[name]]))
  }

  few <- function(r, name) { # labels in order, missing last
    if (!name %in% names(r$codes)) refuse("There is no column \u201c", name, "\u201d; the columns are ", paste(names(r$codes), collapse = ", "), ".")
    labels <- r$labels[[name]]
    known <- unlist(r$entries[[name]]$values)
    if (is.null(known)) known <- sort(labels[labels != ""], method = "radix")
    c(known, labels[labels == ""])
  }

  conditions <- function(r, texts) lapply(texts, function(text) condition(r, text))

  feature <- function(r, text) { # a column's numbers, or a condition: then rows without a value are left out, unless they are asked
    if (text %in% names(r$codes)) {
      if (is.null(r$numbers[[text]])) refuse("\u201c", text, "\u201d holds no numbers: ask for ", text, "=value.")
      return(list(name = text, values = r$numbers[[text]], term = text))
    }
    found <- condition(r, text)
    found$values[r$labels[[found$name]] == "" & found$values == 0] <- NA
    c(found, term = text)
  }

  condition <- function(r, text) {
    best <- NULL
    for (sign in c("!=", ">=", "<=", "=")) for (name in names(r$codes))
      if (startsWith(text, name) && startsWith(trimws(substring(text, nchar(name) + 1), "left"), sign) &&
          (is.null(best) || nchar(name) > nchar(best[1]))) best <- c(name, sign)
    if (is.null(best)) refuse("\u201c", text, "\u201d names no column with = behind it; the columns are ", paste(names(r$codes), collapse = ", "), ".")
    name <- best[1]
    asked <- trimws(substring(trimws(substring(text, nchar(name) + 1), "left"), nchar(best[2]) + 1))
    labels <- r$labels[[name]]
    if (best[2] == ">=") asked <- paste0(asked, "..")
    if (best[2] == "<=") asked <- paste0("..", asked)
    if (grepl("..", asked, fixed = TRUE) && !asked %in% labels) {
      cut <- regexpr("..", asked, fixed = TRUE)
      met <- within(r, name, trimws(substr(asked, 1, cut - 1)), trimws(substring(asked, cut + 2)))
    } else {
      wanted <- if (asked %in% labels) asked else trimws(strsplit(paste0(asked, " "), "|", fixed = TRUE)[[1]])
      wanted[wanted == "(empty)"] <- ""
      met <- as.numeric(labels %in% wanted)
      absent <- setdiff(wanted, labels) # a rare value can vanish from a re-drawn column
      if (length(absent) && !name %in% names(r$block_of)) refuse("No row has \u201c", absent[1], "\u201d in \u201c", name, "\u201d.")
    }
    list(name = name, values = if (best[2] == "!=") 1 - met else met)
  }

  within <- function(r, name, low, high) { # numbers, texts such as dates, or whole bands
    labels <- r$labels[[name]]
    begin <- below <- r$numbers[[name]]
    if (is.null(begin)) return(as.numeric(labels != "" & labels >= low & (high == "" | substr(labels, 1, nchar(high)) <= high)))
    for (band in intersect(labels, names(r$entries[[name]]$bands))) {
      ends <- r$entries[[name]]$bands[[band]]
      begin[labels == band] <- if (is.null(ends[[1]])) -Inf else ends[[1]]
      below[labels == band] <- if (is.null(ends[[2]])) Inf else ends[[2]] - 1
    }
    met <- begin >= as.numeric(if (low == "") -Inf else low) & below <= as.numeric(if (high == "") Inf else high)
    as.numeric(met & !is.na(met))
  }

  sides <- function(formula) { # x or (x == "y"), names in backticks or not
    plain <- function(text) sub("=$", "", sub("^\\(?`?(.*?)`?(?: == \"(.*)\")?\\)?$", "\\1=\\2", text, perl = TRUE))
    list(outcome = plain(deparse(formula[[2]], 500)), terms = plain(attr(stats::terms(formula), "term.labels")))
  }

  terms <- function(r, word) { # thin categories are left out, or count with the most frequent one
    if (!word %in% names(r$codes) || r$entries[[word]]$kind %in% c("integer", "decimal")) return(list(feature(r, word)))
    labels <- few(r, word)
    labels <- labels[labels %in% r$labels[[word]] & labels != ""]
    rows <- tabulate(r$codes[[word]], length(r$labels[[word]]))[match(labels, r$labels[[word]])]
    kept <- labels[rows >= thin_below]
    if (length(kept) < 2) refuse("\u201c", word, "\u201d has one value in nearly all rows, so it explains nothing.")
    base <- labels[which.max(rows)]
    hidden <- word %in% names(r$block_of)
    thin <- setdiff(labels, kept)
    note <- if (length(thin)) paste0(sum(rows[labels %in% thin]), " rows with rare values of \u201c", word, "\u201d ",
      if (hidden) paste0("count as \u201c", base, "\u201d") else "are left out", ": ", paste(thin, collapse = ", "), ".")
    lapply(setdiff(kept, base), function(label) {
      values <- as.numeric(r$labels[[word]] == label)
      values[r$labels[[word]] == "" | (r$labels[[word]] %in% thin & !hidden)] <- NA
      list(name = word, values = values, term = paste0(word, "=", label), note = note)
    })
  }

  # ---- counts

  count <- function(r, texts) { # estimate, low, high for persons like these, low and high for this table
    met <- list()
    for (each in conditions(r, texts)) met[[each$name]] <- if (is.null(met[[each$name]])) each$values else met[[each$name]] * each$values
    met <- Filter(function(values) min(values) < 1, met)
    hidden <- intersect(names(met), names(r$block_of))
    still <- met[setdiff(names(met), hidden)]
    line <- rows_of(r, still)
    n_p <- sum(line)
    if (!length(hidden) || n_p == 0) return(rep(n_p, 5))
    blocks <- unique(r$block_of[hidden])
    parts <- lapply(blocks, function(block) 1 + rows_of(r, met[hidden[r$block_of[hidden] == block]])) # 2 where met
    f <- figures(r, line, parts, blocks, rep(2, length(parts)))
    f <- lapply(f, function(x) x[length(x)])
    step <- if (length(blocks) == 1) 1 / r$keep[blocks] else 0
    table <- roots(f$x, f$level, f$slope, n_p, step)
    target <- n_p
    for (name in hidden) {
      whole <- tabulate(r$codes[[name]], length(r$labels[[name]])) / r$n
      mu <- whole
      if (length(still) > 1) for (each in names(still)) mu <- mu * lifts(r, name, still[each])
      if (sum(mu) > 0) mu <- mu / sum(mu) else mu <- whole
      target <- target * sum(mu[met[[name]] > 0])
    }
    spread <- mean(vapply(hidden, function(name) r$facts$spread[[name]], 0))
    value <- shrunk(f$x, max(f$level + f$slope * max(f$x, 0), 0), target, spread)
    like <- roots(f$x, f$level, f$slope + 1 - min(max(f$x / r$n, 0), 1), n_p, step)
    c(min(max(value, table[1]), table[2]), like, table)
  }

  rows_of <- function(r, met) {
    rows <- rep(1, r$n)
    for (name in names(met)) rows <- rows * met[[name]][r$codes[[name]]]
    rows
  }

  lifts <- function(r, name, condition) { # how many times as often each label occurs, drawn towards 1
    line <- rows_of(r, condition)
    size <- length(r$labels[[name]])
    f <- figures(r, line, r$codes[name], r$block_of[[name]], size)
    target <- sum(line) * tabulate(r$codes[[name]], size) / r$n
    drawn <- shrunk(f$x, pmax(f$level + f$slope * pmax(f$x, 0), 0), target, r$facts$spread[[name]])
    ifelse(target > 0, pmax(drawn, 0) / target, 1)
  }

  figures <- function(r, line, parts, blocks, sizes) { # estimate, level and slope of each value of a block, or of the last of several
    number <- length(r$mean_rows)
    n <- tabulate(r$class, number)
    inside <- tabulate(r$class[line > 0], number)
    shares <- Map(function(part, size) matrix(tabulate(r$class + number * (part - 1), number * size), number) / pmax(n, 1), parts, sizes)
    state <- 1 + Reduce(`+`, Map(function(part, step) (part - 1) * step, parts, c(1, cumprod(sizes)[-length(sizes)])))
    met <- matrix(tabulate((r$class + number * (state - 1))[line > 0], number * prod(sizes)), number)
    one <- if (length(parts) == 1) one_block(r$keep[blocks], n, inside, met, shares[[1]])
      else several(r$keep[blocks], n, inside, met, lapply(shares, function(g) g[, 2]))
    expected <- if (length(parts) == 1) inside * shares[[1]] else matrix(inside * Reduce(`*`, lapply(shares, function(g) g[, 2])))
    effect <- effects(r, line, max(r$alike[blocks]))
    there <- inside > 0
    kept <- lapply(one, function(f) matrix(f, number)[there, , drop = FALSE])
    expected <- expected[there, , drop = FALSE]
    whole <- rep(colSums(expected), each = sum(there))
    weight <- ifelse(whole > 0, expected / whole, 1 / sum(there))
    list(x = colSums(kept$x), level = colSums(kept$level * effect[there]), slope = colSums(kept$slope * effect[there] * weight))
  }

  effects <- function(r, line, alike) { # how many times wider sums over a person's rows scatter, by class
    mean <- r$mean_rows
    if (!is.null(r$owner)) {
      own <- table(r$class[line > 0], r$owner[line > 0])
      mean <- rep(0, length(mean))
      mean[as.integer(rownames(own))] <- rowSums(own^2) / rowSums(own)
    }
    1 + pmax(mean - 1, 0) * alike
  }

  one_block <- function(a, n, inside, shown, g) { # g, read off the table, moves with it
    b <- 1 - a
    q <- inside / pmax(n, 1)
    x <- (shown - b * inside * g) / a
    own <- (1 - b * q)^2
    pull <- (b * q)^2
    others <- pmax(n * g - pmin(pmax(x, 0), inside), 0) + 2 * (1 - q) # how many they are is not well known
    p0 <- b * g
    p1 <- a + b * g
    more <- (p1 * (1 - p1) - p0 * (1 - p0)) / a^2
    each <- b * (1 - p0) / (pmax(n, 1) * a^2) * (own * inside + pull * (n - inside))
    list(x = x, level = each * others + pull * others * more, slope = each + own * more)
  }

  several <- function(a, n, inside, met, g) { # by the true states of its parts, as if independent but for x
    states <- as.matrix(expand.grid(rep(list(0:1), length(a))))
    phi <- Map(function(a, g) cbind(-(1 - a) * g / a, (1 - (1 - a) * g) / a), a, g)
    product <- function(s, but = 0) Reduce(`*`, lapply(setdiff(seq_along(a), but), function(at) phi[[at]][, states[s, at] + 1]), 1)
    sums <- function(f) Reduce(`+`, lapply(seq_len(nrow(states)), function(s) met[, s] * f(s)))
    pulls <- lapply(seq_along(a), function(at) (1 - a[at]) / a[at] * sums(function(s) product(s, at)) / pmax(n, 1))
    effect <- lapply(seq_len(nrow(states)), function(s) product(s) - Reduce(`+`, Map(function(pull, u) pull * u, pulls, states[s, ])))
    alone <- lapply(seq_along(a), function(at) pmin(pmax(sums(function(s) phi[[at]][, states[s, at] + 1]), 0), inside) / pmax(inside, 1))
    level <- (n - inside) * Reduce(`+`, Map(function(p, a, g) p^2 * (a * (1 - a) + 1 - a) * g * (1 - g), pulls, a, g))
    slope <- 0
    for (s in seq_len(nrow(states))) {
      chance <- lapply(seq_len(nrow(states)), function(u) Reduce(`*`, lapply(seq_along(a), function(at)
        a[at] * (states[s, at] == states[u, at]) + (1 - a[at]) * (if (states[u, at]) g[[at]] else 1 - g[[at]]))))
      mean <- Reduce(`+`, Map(`*`, chance, effect))
      v <- pmax(Reduce(`+`, Map(function(p, f) p * f^2, chance, effect)) - mean^2, 0)
      sign <- (-1)^sum(states[s, ] == 0)
      apart <- Reduce(`*`, Map(function(p, u) if (u) p else 1 - p, alone, states[s, ]))
      level <- level + inside * (apart - sign * Reduce(`*`, alone)) * v
      slope <- slope + sign * v
    }
    list(x = sums(product), level = level, slope = slope)
  }

  roots <- function(x, level, slope, top, step) { # of (x - x')^2 = 1.96^2 (level + slope x'); the lower for half a row less
    half <- z^2 * slope / 2
    at <- c(x - step / 2, x)
    arm <- sqrt(pmax(0, half^2 + z^2 * (slope * at + level)))
    ends <- pmin(pmax(at + half + c(-1, 1) * arm, 0), top)
    sort(c(if (x > step / 2) ends[1] else 0, ends[2]))
  }

  shrunk <- function(x, variance, target, spread) {
    signal <- spread * target^2
    drawn <- target + ifelse(signal + variance > 0, signal / (signal + variance), 1) * (x - target)
    pmin(pmax(drawn, x - sqrt(variance)), x + sqrt(variance)) # by one deviation at most
  }

  # ---- means, comparisons, regressions

  links <- list( # the mean at a sum of terms, and its slope there
    linear = function(at) list(mean = at, slope = rep(1, length(at))),
    logistic = function(at) list(mean = stats::plogis(at), slope = stats::dlogis(at)),
    log = function(at) list(mean = exp(pmin(at, 500)), slope = exp(pmin(at, 500))))

  fit <- function(r, outcome, xs, where, family) { # intercept and coefficients, and their covariances
    y <- feature(r, outcome)
    xs <- c(list(list(name = y$name, values = rep(1, length(y$values)))), xs)
    k <- length(xs)
    score <- function(theta, v) {
      x <- v[, seq_len(k) + 1, drop = FALSE]
      weight <- apply(v[, -seq_len(k + 1), drop = FALSE], 1, prod)
      at <- links[[family]](as.vector(x %*% theta))
      list(psi = weight * (v[, 1] - at$mean) * x,
           slope = -weight * at$slope * x[, rep(seq_len(k), each = k), drop = FALSE] * x[, rep(seq_len(k), k), drop = FALSE])
    }
    solve(equations(r, c(list(y), xs, conditions(r, where))), k, score)
  }

  one <- function(r, what, outcome, exposure, where, family = "linear", ends = c(-Inf, Inf)) { # a mean, or a coefficient
    fit <- fit(r, outcome, if (!is.null(exposure)) list(feature(r, exposure)), where, family)
    k <- length(fit$theta)
    name <- paste0(what, " in ", outcome, if (!is.null(exposure)) paste0(" by ", exposure))
    estimates(name, tolower(what), fit$theta[k], lapply(fit[c("like", "table")], function(v) matrix(v[k, k])), ends,
              if (family == "linear") identity else exp)
  }

  equations <- function(r, features) { # patterns of class and unchanged values, by states of the blocks
    names <- vapply(features, function(feature) feature$name, "")
    of <- unname(r$block_of[names])
    blocks <- sort(unique(of[!is.na(of)]))
    value <- function(at) features[[at]]$values[r$codes[[names[at]]]]
    level <- function(which, first = NULL) { # numbers combinations of values, from 1
      key <- as.character(first %||% rep("", r$n))
      for (at in which) key <- paste(key, value(at), sep = "\r")
      match(key, unique(key))
    }
    `%||%` <- function(a, b) if (is.null(a)) b else a
    pattern <- level(which(is.na(of)), r$class)
    shown <- lapply(blocks, function(block) level(which(of %in% block)))
    sizes <- vapply(shown, max, 0)
    states <- if (length(blocks)) as.matrix(expand.grid(lapply(sizes, seq_len))) else matrix(0, 1, 0)
    state <- if (length(blocks)) 1 + Reduce(`+`, Map(function(u, step) (u - 1) * step, shown, c(1, cumprod(sizes)[-length(sizes)]))) else rep(1, r$n)
    e <- list(r = r, pattern = pattern, shown = state, patterns = max(pattern), states = states, keep = r$keep[blocks], alike = r$alike[blocks])
    e$class <- r$class[!duplicated(pattern)]
    e$rows <- matrix(tabulate(pattern + e$patterns * (state - 1), e$patterns * nrow(states)), e$patterns)
    e$size <- tabulate(r$class, length(r$mean_rows))
    e$share <- Map(function(u, size) (matrix(tabulate(r$class + length(e$size) * (u - 1), length(e$size) * size), ncol = size) / pmax(e$size, 1)), shown, sizes)
    e$g <- lapply(seq_along(blocks), function(at) e$share[[at]][e$class, states[, at], drop = FALSE])
    e$rest <- lapply(seq_along(blocks), function(at) match(apply(states[, -at, drop = FALSE], 1, paste, collapse = " "), unique(apply(states[, -at, drop = FALSE], 1, paste, collapse = " "))))
    e$values <- vapply(seq_along(features), function(at) {
      if (is.na(of[at])) return(rep(value(at)[!duplicated(pattern)], nrow(states)))
      axis <- match(of[at], blocks)
      rep(value(at)[!duplicated(shown[[axis]])][states[, axis]], each = e$patterns)
    }, numeric(e$patterns * nrow(states)))
    e$values <- matrix(e$values, ncol = length(features))
    e
  }

  over <- function(e, grid, axis) t(rowsum(t(grid), e$rest[[axis]]))[, e$rest[[axis]], drop = FALSE]

  inverse <- function(e, grid, but = 0) { # T^-1 of a function of states, along all blocks but one
    for (axis in setdiff(seq_along(e$keep), but)) grid <- (grid - (1 - e$keep[axis]) * over(e, grid * e$g[[axis]], axis)) / e$keep[axis]
    grid
  }

  solve <- function(e, k, score) { # the root of the sums, and covariances; of several blocks the table's is the other
    weight <- e$rows
    for (axis in seq_along(e$keep)) weight <- (weight - (1 - e$keep[axis]) * e$g[[axis]] * over(e, weight, axis)) / e$keep[axis]
    known <- stats::complete.cases(e$values)
    at <- function(theta) {
      found <- score(theta, e$values[known, , drop = FALSE])
      psi <- matrix(0, length(known), k)
      psi[known, ] <- found$psi
      list(psi = psi, total = colSums(weight[known] * found$psi), slope = matrix(colSums(weight[known] * found$slope), k))
    }
    theta <- rep(0, k)
    for (round in 1:40) {
      now <- at(theta)
      scale <- sqrt(abs(diag(now$slope)))
      bread <- tryCatch(base::solve(now$slope / outer(scale, scale)) / outer(scale, scale), error = function(e) NULL)
      if (is.null(bread)) break
      step <- as.vector(bread %*% now$total)
      size <- max(abs(step)) / (1 + max(abs(theta)))
      theta <- theta - step * min(1, 2 / size)
      if (size < 1e-10) {
        found <- covariances(e, k, at(theta)$psi)
        return(list(theta = theta, like = bread %*% found$like %*% t(bread), table = bread %*% found$table %*% t(bread)))
      }
    }
    refuse("The release can't tell this: two terms say the same, too few rows are left, or a share is none or all.")
  }

  covariances <- function(e, k, psi) { # sums of squares of what units add, the pull of the shares included
    r <- e$r
    added <- lapply(seq_len(k), function(j) {
      grid <- matrix(psi[, j], e$patterns)
      f <- inverse(e, grid)
      for (axis in seq_along(e$keep)) {
        a <- e$keep[axis]
        part <- rowsum(over(e, e$rows, axis) * inverse(e, grid, axis), factor(e$class, seq_along(e$size)))
        by_value <- matrix(0, length(e$size), ncol(e$share[[axis]]))
        by_value[as.integer(rownames(part)), ] <- t(rowsum(t(part), e$states[, axis]))
        pull <- by_value * (1 - a) / a / pmax(e$size, 1)
        f <- f - pull[e$class, e$states[, axis], drop = FALSE] + rowSums(pull * e$share[[axis]])[e$class]
      }
      f
    })
    pairs <- function(f, weight) matrix(vapply(seq_len(k^2), function(at) sum(weight * f[[(at - 1) %% k + 1]] * f[[(at - 1) %/% k + 1]]), 0), k)
    if (!is.null(r$owner)) like <- crossprod(rowsum(vapply(added, function(f) f[cbind(e$pattern, e$shown)], numeric(r$n)), r$owner))
    else like <- pairs(added, e$rows * r$mean_rows[e$class])
    table <- if (length(e$keep)) like else matrix(0, k, k)
    if (length(e$keep) == 1) { # (1 - a) ((F - mean F)^2 + a var F)
      a <- e$keep
      wide <- 1 + (r$mean_rows[e$class] - 1) * e$alike
      table <- pairs(lapply(added, function(f) f - rowSums(e$g[[1]] * f)), (1 - a) * wide * (a * e$g[[1]] * rowSums(e$rows) + e$rows))
    }
    list(like = unname(like), table = table)
  }
}, envir = .splu)

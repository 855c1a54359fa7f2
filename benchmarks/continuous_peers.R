# Runs hc or tabu of bnlearn on a continuous or mixed table; benchmarks/continuous.py calls it in a process.
#
# Rscript continuous_peers.R PROGRAM TABLE.csv PENALTY EDGES.csv BEGAN: makes the file BEGAN when the search begins, then
# writes the arcs, and the seconds of the search, and those of the processor, into a file of the same name that ends in
# .seconds.
suppressMessages(library(bnlearn))
arguments <- commandArgs(trailingOnly = TRUE)
kinds <- sapply(read.csv(arguments[2], nrows = 5, check.names = FALSE), is.character)
table <- read.csv(arguments[2], colClasses = unname(ifelse(kinds, "factor", "numeric")), check.names = FALSE)
discrete <- sapply(table, is.factor)
score <- if (any(discrete)) "bic-cg" else "bic-g"
search <- if (arguments[1] == "bnlearn tabu") tabu else hc
k <- as.numeric(arguments[3]) * log(nrow(table)) / 2
invisible(file.create(arguments[5]))
times <- system.time(found <- search(table, score = score, k = k))
write.csv(arcs(found), arguments[4], row.names = FALSE)
seconds <- c(times[["elapsed"]], times[["user.self"]] + times[["sys.self"]])
writeLines(format(seconds, digits = 6), paste0(arguments[4], ".seconds"))

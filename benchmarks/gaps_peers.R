# What bnlearn learns from a table with gaps: Rscript gaps_peers.R METHOD TABLE EDGES
# Writes the arcs of a graph, one for each line, and prints the seconds that learning took.
suppressMessages(library(bnlearn))

given <- commandArgs(trailingOnly = TRUE)
table <- read.csv(given[2], colClasses = "factor", na.strings = "", check.names = FALSE)
set.seed(1)

learned <- function(method) {
  if (method == "structural.em") {
    return(structural.em(table, maximize = "tabu", fit = "bayes", impute = "bayes-lw", max.iter = 5))
  }
  tabu(table, score = method)
}

seconds <- system.time(found <- learned(given[1]))[["elapsed"]]
write.csv(as.data.frame(arcs(found)), given[3], row.names = FALSE)
cat(seconds, "\n")

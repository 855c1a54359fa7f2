# Draws graphs by BiDAG's partition MCMC; benchmarks/posterior_peers.py calls it in a process.
#
# Rscript posterior_peers.R TABLE.csv GRAPH.csv ITERATIONS SEED CURVE.csv: scores the graph, a matrix with a 1 for each arc,
# by BDeu with an equivalent sample size of 1, then looks for a search space by iterativeMCMC, and begins the chain at
# the best graph of that. The first row of CURVE.csv is the score; each other one has a number of iterations, the seconds
# of the processor up to there, and the shares of all arcs, column after column, in the graphs up to there but for the
# first fifth.
suppressMessages(library(BiDAG))
arguments <- commandArgs(trailingOnly = TRUE)
seconds <- function() sum(proc.time()[c("user.self", "sys.self")])
table <- read.csv(arguments[1], header = FALSE)
graph <- as.matrix(read.csv(arguments[2], header = FALSE))
iterations <- as.integer(arguments[3])
set.seed(as.integer(arguments[4]))
begin <- seconds()
score <- scoreparameters("bdecat", table, bdecatpar = list(chi = 1, edgepf = 1))
space <- iterativeMCMC(score, scoreout = TRUE, verbose = FALSE)
before <- seconds() - begin
chain <- sampleBN(
  score, "partition",
  scoretable = getSpace(space), startpoint = getDAG(space), compress = FALSE,
  iterations = iterations, stepsave = max(1, iterations %/% 20000)
)
drawing <- seconds() - begin - before
rows <- sapply(2^(-(12:0) / 2), function(share) {
  arcs <- edgep(chain, burnin = 0.2, endstep = share)
  paste(c(round(iterations * share), before + share * drawing, as.vector(as.matrix(arcs))), collapse = ",")
})
dimnames(graph) <- list(names(table), names(table))
writeLines(c(format(DAGscore(score, graph), digits = 15), rows), arguments[5])

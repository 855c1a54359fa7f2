# Writes gaussian.test and clgaussian.test of bnlearn, and birthwt of MASS, into a folder: Rscript continuous_tables.R FOLDER.
suppressMessages(library(bnlearn))
folder <- commandArgs(trailingOnly = TRUE)[1]
keep <- function(table, name) write.csv(table, file.path(folder, paste0(name, ".csv")), row.names = FALSE)
data(gaussian.test)
data(clgaussian.test)
keep(gaussian.test, "gaussian.test")
keep(clgaussian.test, "clgaussian.test")
if (requireNamespace("MASS", quietly = TRUE)) {
  # Whether the weight is low follows from the weight, so that column is left out; words tell discrete columns.
  births <- MASS::birthwt[, c("age", "lwt", "race", "smoke", "ptl", "ht", "ui", "ftv", "bwt")]
  words <- function(values, labels) factor(values, labels = labels)
  births$race <- words(births$race, c("white", "black", "other"))
  births$smoke <- words(births$smoke, c("no", "yes"))
  births$ptl <- words(births$ptl > 0, c("none", "some"))
  births$ht <- words(births$ht, c("no", "yes"))
  births$ui <- words(births$ui, c("no", "yes"))
  births$ftv <- words(pmin(births$ftv, 2), c("none", "one", "more"))
  keep(births, "birthwt")
}

# evreg on the Boston data of R's MASS: RMSE, coverage of intervals of 0.9, CPU seconds.
#
# Run with `Rscript tests/benchmarks/bench_evreg.R FOLDER` where R has evreg, then
# `python -m tests.benchmarks.bench_evreg FOLDER` for EvidentialRegressor on the same samples, which
# this script writes to the folder. Three splits with seeds 0 to 2, of which 300 samples train.

suppressMessages({
  library(evreg)
  library(MASS)
})
folder <- commandArgs(trailingOnly = TRUE)[1]
told <- function(name, seed, start, fit, Z, target) {
  found <- predict(fit, Z, target)
  covered <- intervals(found, 0.9, target)$coverage.Bel
  seconds <- (proc.time() - start)[1]
  cat(sprintf("%d %s: RMSE %.2f, coverage %.2f, %.1f s\n", seed, name, found$RMS, covered, seconds))
}
for (seed in 0:2) {
  set.seed(seed)
  rows <- sample(nrow(Boston), 300)
  write.csv(Boston[rows, ], file.path(folder, sprintf("train%d.csv", seed)), row.names = FALSE)
  write.csv(Boston[-rows, ], file.path(folder, sprintf("test%d.csv", seed)), row.names = FALSE)
  X <- scale(as.matrix(Boston[rows, 1:13]))
  y <- Boston[rows, 14]
  Z <- scale(as.matrix(Boston[-rows, 1:13]), attr(X, "scaled:center"), attr(X, "scaled:scale"))
  target <- Boston[-rows, 14]
  start <- proc.time()
  told("ENNreg", seed, start, ENNreg(X, y, K = 30, verbose = FALSE), Z, target)
  start <- proc.time()
  best <- ENNreg_cv(
    X, y, K = 30, Kfold = 3, XI = c(0, 0.01), RHO = c(0.1, 1, 10), verbose = FALSE
  )
  fit <- ENNreg(X, y, K = 30, xi = best$xi, rho = best$rho, verbose = FALSE)
  told("ENNreg_cv", seed, start, fit, Z, target)
}

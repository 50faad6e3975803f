# Write r_learners.json: what evclass 2.0.2, evclust 2.0.3 and evreg 1.1.1 compute of fixed parameters.
#
# Run with `Rscript tests/oracles/make_r_learners.R` from the repository, where R has these packages
# and jsonlite, and EVICAL_DATA is a folder with vehicle.csv. Simulated data and parameters are
# written with the results, so that nothing depends on how R draws numbers.

suppressMessages({
  library(evclass)
  library(evclust)
  library(evreg)
  library(jsonlite)
})
set.seed(0)
draw <- function(n, p) matrix(round(rnorm(n * p), 3), n, p)

# ---- evclass: neighbors, prototypes, radial basis functions, latent masses

train <- draw(30, 3)
labels <- rep(1:3, 10)
train[labels == 2, 1] <- train[labels == 2, 1] + 1.5
train[labels == 3, 2] <- train[labels == 3, 2] + 1.5
new <- draw(8, 3)
param <- list(gamma = c(0.3, 0.5, 0.8), alpha = 0.9)
neighbors <- list(
  train = train, labels = labels, new = new, gamma = param$gamma, alpha = param$alpha, k = 4,
  masses = EkNNval(train, labels, new, 4, param = param)$m
)

param <- list(
  W = draw(5, 3), beta = matrix(runif(20, 0.1, 1), 5, 4), alpha = rnorm(5), gamma = runif(5, 0.3, 1)
)
prototypes <- c(param, list(new = new, masses = proDSval(new, param)$m))

radial <- lapply(c(3, 4), function(k) {
  param <- list(P = draw(5, 3), Gamma = runif(5, 0.3, 1), W = draw(5, k))
  found <- RBFval(new, param)
  c(param, list(
    new = new, probabilities = found$Prob, sets = found$Belief$focal, masses = found$Belief$mass,
    conflict = found$Belief$conf
  ))
})

latent <- lapply(list(draw(4, 1)[, 1], draw(4, 3), draw(4, 4)), function(w) {
  mean <- colMeans(train)
  parts <- calcAB(w, mean)
  found <- calcm(new, parts$A, parts$B)
  list(
    w = w, mean = mean, new = new, sets = found$focal, masses = found$mass,
    probabilities = found$prob, conflict = found$conf
  )
})

# Real data in the order of a file beside the project: the odd rows train.
table <- read.csv(file.path(Sys.getenv("EVICAL_DATA"), "vehicle.csv"))
odd <- seq(1, nrow(table), 2)
X <- scale(as.matrix(table[odd, 1:18]))
Z <- scale(as.matrix(table[-odd, 1:18]), attr(X, "scaled:center"), attr(X, "scaled:scale"))
classes <- as.integer(as.factor(table$target))
wrong <- function(found) sum(found$ypred != classes[-odd])
quiet <- list(maxiter = 500, eta = 0.1, gain_min = 1e-6, disp = FALSE)
vehicle <- list(neighbors = lapply(c(5, 10), function(k) {
  fit <- EkNNfit(X, classes[odd], k, options = quiet)
  test <- EkNNval(X, classes[odd], Z, k, classes[-odd], fit$param)
  list(k = k, errors = wrong(test), gamma = fit$param$gamma)
}))
quiet$disp <- 0
fit <- proDSfit(X, classes[odd], proDSinit(X, classes[odd], 20), options = quiet)
vehicle$proDSfit <- wrong(proDSval(Z, fit$param, classes[-odd]))
fit <- RBFfit(X, classes[odd], RBFinit(X, classes[odd], 20), lambda = 0.001, control = list(fnscale = -1, trace = 0, maxit = 1000))
vehicle$RBFfit <- wrong(RBFval(Z, fit$param, classes[-odd], calc.belief = FALSE))

# ---- evclust: credal partitions

points <- rbind(draw(15, 2), draw(15, 2) + 3, cbind(draw(10, 1) + 3, draw(10, 1)), c(9, -7))
centers <- rbind(c(0, 0), c(3, 3), c(3, 0))
c_means <- lapply(
  list(c("full", 1, 2, 10), c("pairs", 0.5, 1.6, 4), c("simple", 2, 2.5, 6)),
  function(one) {
    options <- list(alpha = as.numeric(one[2]), beta = as.numeric(one[3]), delta = as.numeric(one[4]))
    found <- do.call(ecm, c(
      list(points, 3, g0 = centers, type = one[1], disp = FALSE, epsi = 1e-13), options
    ))
    c(list(type = one[1]), options, list(
      sets = found$F, masses = found$mass, centers = found$g, cost = found$crit,
      new = new[, 1:2], predicted = predict(found, new[, 1:2])$mass
    ))
  }
)

start <- matrix(runif(41 * 8), 41, 8)
start[, 1] <- 0
start <- round(start / rowSums(start), 6)
start[, 8] <- 1 - rowSums(start[, 1:7])
squared <- as.matrix(dist(points))^2
relational <- recm(
  squared, 3, m0 = start, beta = 2, delta = 10, epsi = 1e-15, disp = FALSE
)
relational <- list(
  start = start, sets = relational$F, masses = relational$mass, cost = relational$crit, delta = 10
)

# Its cost leaves out what must-links have on the empty set, so there is hardly any of it; and it
# adds the means over must-links and over cannot-links, so there are as many of each.
must <- rbind(c(1, 20), c(2, 5), c(3, 31), c(18, 19))
cannot <- rbind(c(1, 2), c(16, 17), c(20, 31), c(4, 25))
constrained <- lapply(c(0, 1), function(distance) {
  found <- cecm(
    points[1:40, ], 3, type = "full", ML = must, CL = cannot, g0 = centers, delta = 100, xi = 0.4,
    distance = distance, epsi = 5e-3, disp = FALSE
  )
  list(
    distance = distance, trade_off = 0.4, delta = 100, must = must, cannot = cannot, sets = found$F,
    masses = found$mass, centers = found$g, cost = found$crit
  )
})

partitions <- lapply(1:2, function(i) {
  masses <- matrix(rexp(12 * 8), 12, 8)^2
  masses <- round(masses / rowSums(masses), 6)
  masses[, 8] <- 1 - rowSums(masses[, 1:7])
  extractMass(masses, makeF(3, "full"), method = "given")
})
pairs <- lapply(partitions, pairwise_mass)
credal <- list(
  sets = partitions[[1]]$F, first = partitions[[1]]$mass, second = partitions[[2]]$mass,
  rand_index = credal_RI(pairs[[1]], pairs[[2]], type = "j"), nonspecificity = partitions[[1]]$N,
  largest = partitions[[1]]$Y, outliers = partitions[[1]]$outlier
)

# ---- evreg: random fuzzy numbers, and the network

number <- function(mu, sig, h) list(mu = mu, sig = sig, h = h)
numbers <- lapply(
  list(
    list(number(1, 0.5, 1), number(0, 2, 4)), list(number(-2, 1, 0.3), number(1, 0.4, 3)),
    list(number(0.5, 1.5, 0.7), number(0.4, 1, 2))
  ),
  function(two) {
    soft <- combination_GRFN(two[[1]], two[[2]], soft = TRUE)
    hard <- combination_GRFN(two[[1]], two[[2]], soft = FALSE)
    x <- c(-2, 0, 0.5)
    y <- c(0, 1, 0.7)
    list(
      first = unlist(two[[1]]), second = unlist(two[[2]]), x = x, y = y,
      bel = Bel(x, y, two[[1]]), pl = Pl(x, y, two[[1]]), contour = pl_contour(x, two[[1]]),
      interval = Belint(0.9, two[[1]]),
      soft = unlist(soft$GRFN), conflict = soft$conflict, hard = unlist(hard$GRFN)
    )
  }
)

k <- 4
psi <- c(
  rnorm(k), rnorm(2 * k), runif(k, 0.3, 1), runif(k, 0.5, 2), runif(k, 0.3, 1), rnorm(2 * k)
)
psi <- round(psi, 4)
fitted <- list(K = k, param = list(
  alpha = psi[1:k], Beta = matrix(psi[k + 1:(2 * k)], k), sig = psi[3 * k + 1:k],
  h = psi[4 * k + 1:k]^2, gam = psi[5 * k + 1:k], W = matrix(psi[6 * k + 1:(2 * k)], k)
))
class(fitted) <- "ENNreg"
told <- predict(fitted, new[, 1:2])
y <- round(told$mux + 0.5 * rnorm(8), 3) # far away its loss is infinite
value <- evreg:::foncgrad_RFS(psi, new[, 1:2], y, k, 1e-3, 0.9, 0.02, 0.3, 0, TRUE)
network <- c(fitted$param, list(
  X = new[, 1:2], y = y, epsilon = 1e-3, pessimism = 0.9, xi = 0.02, rho = 0.3, loss = value$fun,
  mu = told$mux, sigma2 = told$sig2x, precision = told$hx, lower = told$Einf, upper = told$Esup
))

write_json(
  list(
    about = "evclass 2.0.2, evclust 2.0.3, evreg 1.1.1; see make_r_learners.R",
    vehicle = vehicle, neighbors = neighbors, prototypes = prototypes, radial = radial, latent = latent,
    points = points, start = centers, c_means = c_means, relational = relational,
    constrained = constrained, credal = credal, numbers = numbers, network = network
  ),
  "tests/oracles/r_learners.json", digits = NA, auto_unbox = TRUE
)

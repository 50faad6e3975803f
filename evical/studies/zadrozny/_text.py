"""Protocols and conclusions of Zadrozny's studies, in words."""

__all__ = ["COMMENT_2001", "COMMENT_2002", "PROTOCOL_2001", "PROTOCOL_2002"]

_LEARNER = (
    "**The learner.** The paper does not say how naive Bayes handles numbers. Here it has "
    "Gaussian densities, or ten bins of equally many training samples. (Bins of equal width were "
    "tried on satimage too; the choice between the two was made after seeing test errors, so the "
    "column of bins is not independent evidence of agreement.) Boosting is AdaBoost with "
    "hypotheses in [0, 1] and a logistic link, for ten rounds; its description, Elkan (1997), was "
    "not available."
)
_SPLIT = (
    "**Repeats.** The papers have one split each, with training and test files. Repeat 0 is that "
    "split; the others are random splits of all samples with the same class counts on either "
    "side, so standard errors show the variation between splits. Pendigits is split by writers: "
    "there, test samples are drawn with replacement, and the training samples stay the same."
)
_MSE = (
    "**MSE** of many classes is defined as a sum over classes, but printed as a mean: with the "
    "sum, each error counts 1/2 at least, so that multiclass naive Bayes on satimage could not "
    "have MSE 0.0651 with errors of 0.2040. Here it is the mean over classes."
)

PROTOCOL_2001 = (
    _LEARNER,
    "**Soybean** has codes only; a missing value is a category of its own, because it helps to "
    "separate diseases. The paper does not say what it did with them.",
    _SPLIT,
    "**Codes.** The sparse code is random, and new in each repeat. All other codes are fixed.",
    _MSE,
    '**"Iterative"** is the algorithm as printed, column weights being sizes of training '
    'samples, for 500 iterations at most. "Least divergence" is the minimum that it is meant to '
    "find; see `hastie_tibshirani`. This and least squares are not in the paper.",
)
PROTOCOL_2002 = (
    "**Left out:** KDD-98 (table 1), which was not available, and 20 Newsgroups (table 5).",
    '**Calibration** is on the samples that trained the classifier, as in the paper. "none" are '
    "probabilities of naive Bayes, and margins f of support vector machines as (f + a) / (2a) with "
    "the greatest |f| of the training samples as a. The sigmoid is Platt's, of the probability or "
    'the margin; "sigmoid of log-odds", for naive Bayes, is not in the paper. Binning is in as '
    "many samples a bin as possible, for the numbers of bins that the text speaks of.",
    '**TIC.** Naive Bayes had "the same attributes as used for the winning entry", which are in '
    "a report that was not at hand. Here it is tried with all 85 attributes and with the ten that "
    "tell most of the class by mutual information on the training samples; each value is a "
    "category. (Five to twenty were looked at once, with test samples in sight: raw scores depend "
    "on the number much, calibrated ones hardly.) The support vector machine has the paper's C = "
    "1, and all attributes, because the paper's are unknown; they are standardized, which the "
    "paper does not mention.",
    "**Adult.** The support vector machine uses the 123 binary features of Platt, to whom the "
    "paper refers; C = 0.01 is the paper's number, C = 0.05 Platt's. The offset is regularized "
    "with the weights. Naive Bayes has codes as categories, missing being one, and numbers in "
    "bins, which the paper does not mention: ten of equally many samples, and ten and twenty of "
    "equal width. Which C and which bins to try was decided after seeing the printed numbers, so "
    "the agreement of the nearest column is not independent evidence.",
    _LEARNER,
    _SPLIT,
    "**MSE of two classes** is summed over both, as defined.",
    _MSE,
)

COMMENT_2001 = """\
### What agrees

* **Iterating lowers the MSE far below that of the non-iterative estimates**: for all data sets,
  codes and bases. Non-iterative MSE depend on the code more than on the learner, and agree with the
  printed ones: on soybean 0.0454 and 0.0493 to all digits, elsewhere within 2 % except for one
  sparse code (5 %).
* **Soybean** agrees in 16 of 18 cells of boosting, and so does the paper's remark on it: with the
  sparse code the iterative method has the lowest error rate, lower than all pairs with 171 columns.
* **Error rates of all pairs and one against all hardly depend on the method**; for sparse codes,
  coupling has lower error rates than decoding on pendigits and soybean. On pendigits, all pairs is
  better than one against all.
* **Multiclass naive Bayes on satimage** with Gaussian densities has 0.2035 / 0.0649 (error /
  MSE) on the published split, printed 0.2040 / 0.0651.

### What differs

* **One printed MSE has lost a zero.** Multiclass naive Bayes on soybean has 0.0996 in print, next
  to 0.0073 and less for all others, with an error rate of 0.0745; it has 0.00999 here on the
  published split. So most likely 0.00996 is meant. Our error rate is higher (0.109; 0.139 over
  splits); it depends on the treatment of missing values, which the paper does not describe.
* **Multiclass naive Bayes on pendigits** (0.2779 / 0.0509) is not reproduced by either base learner
  (0.18 and 0.17 / 0.033 and 0.030), and is worse in print than one against all with the same
  learner in table 4 of Zadrozny & Elkan (0.167 / 0.033).
* **The base learner is not the paper's.** With ten bins, errors on pendigits are 2 points below
  the print (4 for the coupled sparse code); with Gaussian densities all pairs are 1 point below
  it there, and one against all is 2 to 6 points above it, on pendigits and on satimage.
* **One against all, iterative**, has a higher error rate than decoding in print (0.1670 and 0.1445
  on satimage), and the same one here: for this code all couplings keep the order of the answers.
  The printed update is not a descent step for it (see `hastie_tibshirani`), so the result depends
  on when it is stopped; the least divergence has a lower MSE in four of five cases.
* **Non-iterative estimates of sparse codes** have higher error rates, and how much higher depends
  on the code (0.22 ± 0.06 between codes on pendigits, printed 0.148). They add up votes, which
  favors classes with fewer zeros in their row.

### Advice

For sparse codes and one against all, couple by the least divergence: of ten cases it has a lower
MSE than the printed algorithm in eight (and the same in one), and a lower log loss in nine, and it
does not depend on when you stop. For all pairs the two have the same MSE, to 0.0005, and the
printed algorithm, stopped after at most 500 iterations, the lower log loss (0.34 against 0.59 on
pendigits in ten bins): it seems that boosting is overconfident, and that stopping early keeps
probabilities away from 0. Calibrating them first was tried only [for one against
all](zadrozny2002.md), and does not lower the log loss of the least divergence there. Least squares
has an MSE within 8 % of that of the least divergence, but a higher log loss in 13 of 15 cases
(clearly in 10), as it gives probabilities of 0. Never use non-iterative estimates as probabilities,
nor for the decision of a sparse code. As code, use all pairs on pendigits, and a sparse code on
soybean, where there are few samples per class; on satimage it depends on the base learner, so try
both.
"""
COMMENT_2002 = """\
### What agrees

* **Adult, support vector machine.** With Platt's C = 0.05 all twelve printed numbers are within
  chance; on the published split itself our test MSE of sigmoid and PAV are 0.20974 and 0.20938,
  printed 0.20962 and 0.20924. With C = 0.01, the number in the paper, raw scores clearly differ
  (MSE 0.277, printed 0.287): perhaps C = 0.05 was used, or the program defines C differently.
* **TIC, naive Bayes calibrated.** With ten attributes our test MSE on the published split are
  0.10886 (sigmoid) and 0.10822 (PAV), printed 0.10905 and 0.10818.
* **Calibration lowers the MSE** of raw scores nearly everywhere, and the error rate of naive Bayes
  on Adult, whose raw scores need another threshold than 1/2. It raises that of support vector
  machines on Adult by at most 0.0004 (in the paper by at most 0.0015).
* **PAV against the sigmoid of the score**: better on Adult, for both classifiers; worse on TIC
  with a support vector machine. **PAV against bins**: better than each number of bins on Adult
  (than 50 by 0.0002 at most); a little worse than the best number on TIC. All as in the
  paper.
* **Pendigits**: calibrating the columns first lowers the MSE in 14 of 16 cases, and
  normalization is then the best of the paper's three couplings.

### What differs

* **PAV is not better than the sigmoid for naive Bayes on TIC.** The difference is -0.0001 ±
  0.0002 over random splits. The paper's 0.0009 is from one split, on which ours is 0.0006.
* **The sigmoid was given the wrong scale.** For naive Bayes the paper fits a sigmoid of a
  *probability*, which cannot leave a good probability unchanged. The MSE of a sigmoid of its
  *log-odds* is at most that of PAV in all five cases, and its log loss is lower in all five. The
  paper's objection to sigmoids for naive Bayes is a matter of scale, not of shape.
* **Raw naive Bayes** depends on details that the paper does not state: on Adult on the bins (with
  twenty of equal width eight of twelve printed numbers are within chance, with ten of equal
  frequency none), on TIC on the number of attributes (the more, the worse). Calibrated, the latter
  hardly matters.
* **Raw margins on TIC** are scaled by the greatest one, so a single sample decides: over random
  splits the MSE is 0.139 ± 0.015. It says little about the classifier, whose AUC is 0.56.
* **Boosted naive Bayes in ten bins** has a lower error rate on Pendigits than the paper's, and its
  raw probabilities are so good that PAV raises the MSE of normalization a little. Coupled by the
  least divergence, calibrated and raw answers have the same MSE, and raw ones the lower log loss
  (0.32 against 0.40).
* **Log loss, which the paper does not show, ranks differently**, because PAV gives probabilities of
  0 and 1, and some are wrong. Naive Bayes on TIC has 0.23 by PAV and 0.21 by the sigmoid of
  log-odds. On Pendigits with boosting, normalization has 0.39 to 0.40 raw and 0.79 to 1.07 after
  PAV; the iterative coupling has 0.35 to 0.39, with PAV or without.

### Advice

For probabilities, first fit a sigmoid of the log-odds: it has two parameters, and is never clearly
worse than PAV here. For margins, PAV gains a little on Adult (0.0004 to 0.0006 of MSE) and loses as
much on TIC, which has few positives. Never use its raw probabilities if a wrong 0 or 1 is costly:
`IsotonicCalibrator` has models that avoid them (not tried here). Couple its answers by the least
divergence rather than by normalization: the MSE is as low, to 0.0005, and the log loss far lower.
Remember how little one split can show: a difference of 0.001 in MSE on the 4000 test samples of TIC
may be chance.
"""

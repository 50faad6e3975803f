"""What the study of fusions does, and what it shows, in words."""

__all__ = ["COMMENT", "PROTOCOL"]

PROTOCOL = (
    "Ten support vector machines share the training samples: in equal parts (a); five with 1/6 "
    "each and five with 1/30 each (b); one with 2/3, one with 1/5 and eight with 1/60 each (c). "
    "Half of each share trains the classifier, the other half calibrates it; every half is first "
    "given one sample of each class. The training samples are 300 drawn at random, or half of the "
    "data if that is less, and 600 of adult; all others are the test set, of adult its test file. "
    "Features are standardized by the training samples. All scenarios, kernels and calibrators of "
    "a round see the same samples, and all fusions the same classifiers.",
    "Kernels: radial basis function and linear, as scikit-learn sets them. Calibrators: logistic; "
    "isotonic, with the envelope of the paper for the likelihood model; binning, bins one wide "
    "with edges from -3 to 3. The Bayesian model gives probabilities, the likelihood model "
    "belief functions.",
    "Fixed fusions: Dempster's rule on either; the mean of probabilities weighted by the sizes of "
    "the shares; the classifier with the largest share alone (in (a) and (b) the first of "
    "equals); and on belief functions the mean, the mean weighted by sizes, and the cautious "
    "rule.",
    "Learned fusions know the labels of all training samples. About a sample of another share, a "
    "source is asked as it is; about one of its own, as it is without it: trained and calibrated "
    "anew without a fifth of its share (up to 2/5 of one half; a share with fewer than five "
    "samples of a class has as many folds as that). Where that leaves a half with one class, the "
    "source is vacuous. The fusions are those of `evical.fusion` with their defaults: a mean with "
    "weights of the greatest likelihood; discounting before Dempster's rule, by one rate a "
    "source, learned together, or by one a source and class, learned for each source alone, so "
    "that they do not make up for what sources share or for their number; a t-norm between the "
    "cautious and Dempster's rule with a learned parameter; and `Stacked`, a weighted sum of "
    "evidence, of belief functions or of probabilities.",
    "Where sources exclude each other, so that Dempster's rule has no result, the fusion is "
    "vacuous with probability 1/2; that is the conflict below. An even probability counts as half "
    "an error. Covered: share of test samples in bins (ten, of equal frequency of the pignistic "
    "probability) whose share of positives lies between their mean Bel and Pl; 100 is not the "
    "aim, as chance takes some bins out of any interval. Refuted: share of rounds in which a "
    "binomial test at 5 % refutes that all bins have a probability in their interval "
    "(`evical.metrics.coverage_test`). Probabilities have the interval of one point. "
    "Bins of the many test samples of adult are more easily refuted than those of small sets.",
)

COMMENT = ""

"""Protocol and conclusions of the study of fusions, in words."""

__all__ = ["COMMENT", "COMMENT_PAPER", "PROTOCOL"]

PROTOCOL = (
    "Ten support vector machines share the training samples: in equal parts (a); five with 1/6 "
    "each and five with 1/30 each (b); one with 2/3, one with 1/5 and eight with 1/60 each (c). "
    "Half of each share trains the classifier, the other half calibrates it; every half is first "
    "given one sample of each class. The training samples are 300 drawn at random, or half of the "
    "data if that is less, and 600 of adult; all others are the test set, of adult its test file. "
    "Features are standardized by the training samples. Within a repeat, all scenarios, kernels "
    "and calibrators use the same samples, and all fusions the same classifiers.",
    "Kernels: radial basis function and linear, with scikit-learn's defaults. Calibrators: "
    "logistic; isotonic, with the envelope of the paper for the likelihood model; binning, with "
    "bins of width one and edges from -3 to 3. The Bayesian model gives probabilities, the "
    "likelihood model belief functions.",
    "Fixed fusions: Dempster's rule on either; the mean of probabilities weighted by the sizes of "
    "the shares; the classifier with the largest share alone (in (a) and (b) the first of equal "
    "ones); and on belief functions the mean, the mean weighted by sizes, and the cautious rule.",
    "Learned fusions use the labels of all training samples. A source predicts samples of other "
    "shares as it is. Its beliefs about its own samples come from copies that are trained and "
    "calibrated without a fifth of its share (up to 2/5 of one half; if a class has fewer than "
    "five samples in the share, that is the number of folds). If this leaves a half with one "
    "class only, the source is vacuous. The fusions are those of `evical.fusion` with their "
    "defaults: a mean with maximum likelihood weights; discounting before Dempster's rule, either "
    "by one rate for each source, learned jointly, or by one for each source and class, learned "
    "separately, which does not compensate for shared evidence or for the number of sources; a "
    "t-norm between the cautious and Dempster's rule with a learned parameter; and `Stacked`, a "
    "weighted sum of evidence, of belief functions or of probabilities.",
    "In total conflict, where Dempster's rule has no result, the fusion is vacuous, with "
    "probability 1/2; the share of such samples is the conflict below. A probability of 1/2 "
    "counts as half an error. Covered: share of test samples in bins (ten, of equal frequency of "
    "the pignistic probability) whose share of positives lies between their mean Bel and Pl; 100 "
    "is not the goal, because chance moves some bins out of any interval. Refuted: share of "
    "repeats in which a binomial test at 5 % refutes that all bins have a probability in their "
    "interval (`evical.metrics.coverage_test`). For probabilities the interval is a point. Adult "
    "has many test samples, so its bins are refuted more easily than those of small sets.",
)

COMMENT = """
### Which one to use

**`rule="stacked"`, with any calibrator.** Over all settings it has the lowest error rate, Brier
score and log loss of the fusions of belief functions, for each of the three calibrators. With
logistic calibration its error rate is 20 %; that of the size-weighted mean of probabilities, the
best simple method overall, is 23 %, and that of Dempster's rule 23.5 % on belief functions and 28 %
on probabilities. Its intervals are honest: a test of coverage at a level of 5 % refutes them in 3
to 6 % of repeats, and those of Dempster's rule on belief functions in 62 to 96 %.

### Is it ever worse than the best simple method?

The goal was a fusion that is nowhere worse than the best of the four simple methods by more than
one standard error, in error rate and in Brier score. With logistic calibration `Stacked` achieves
this in all 54 settings, by both measures. With isotonic regression it is worse by more than that in
3 settings (error rate) and 2 (Brier score), with bins in 2 and 0, and nowhere by two standard
errors; chance alone would cause a few such cases. With logistic calibration `Discounted` does as
well.

In [the nine settings of the paper's table](which_fusion_paper.md), over a hundred splits, both are
better than the best simple method in each, by more than two standard errors. That study also shows
that the intervals of `Stacked` are too narrow for the 16,281 test samples of adult in about half of
the repeats; test sets of a few hundred samples do not refute them.

The best simple method is selected on the same repeats, which favors it. The settings of one data
set share samples, and the standard errors are over splits, not over data sets.

### Other findings

* **Dempster's rule counts shared evidence several times**: ten classifiers of one problem err on
  the same samples. Its Pl − Bel is about 0.01, which is far too certain, and its log loss is high.
  The likelihood model repairs the errors of very unequal shares, as the paper says, but not this.
  Learned discount rates repair it within Dempster's theory: `rule="discounted"` is the second best,
  and the choice if you want rates with a meaning.
* **Rates learned for each source alone, as contextual ones are, hardly help** (by 0.4 points of
  mean error at most). It seems that each classifier is about as reliable as it claims, and that the
  fusion has to learn how much they repeat each other.
* **Weighted means are safe, and gain little.** The size-weighted mean of probabilities is the best
  fusion without labels. The mean of mass functions is too vague to predict well (Pl − Bel 0.4 to
  0.5); maximum likelihood weights make it as good as the mean of probabilities or better, with
  intervals that hold in nine of ten repeats.
* **The cautious rule has the highest error rate**: it is for sources with the same evidence, and
  keeps the most extreme belief of the ten classifiers. A learned t-norm has the error rate of
  Dempster's rule and better Brier scores.
* **Belief functions or probabilities as sources?** With logistic calibration it hardly matters for
  `Stacked`. With isotonic regression and bins, whose probabilities may be 0 and 1, belief functions
  are better.

### Limits

Stacked and discounted fusions need labels that the sources have not seen. Here all 104 to 600
training samples serve for that; no extra samples are held out. Classifiers of one kind on the same
features are the hardest case for Dempster's rule and the best case for learned fusions; sources on
different features were not tried. If the samples of all shares may be pooled, first try one
classifier trained on all of them.

The default variant of `Stacked` (its penalty, its bend) was chosen before these repeats, on other
random splits of eleven data sets, eight of which are used here. Adult was not among them; there
`Stacked` is better than the best simple method in all 18 settings, by 2.8 standard errors or more
in error rate and in Brier score.
"""

COMMENT_PAPER = """ The nine settings of the paper's table 2, part of [the study of all
settings](which_fusion.md), with more splits. In all nine, `rule="stacked"` and `rule="discounted"`
are better than the best of the four simple methods by more than two standard errors, in error rate,
Brier score and log loss.

The intervals of `Stacked` hold on australian and diabetes (refuted in at most 2 % of repeats). On
adult, where 16,281 test samples reveal much smaller deviations than a few hundred, they are refuted
in about half of the repeats. So are those of every other fusion at least, except `Stacked` on
probabilities. The likely reason is that a bent sigmoid is not the true curve: 600 samples do not
show this, and its likelihood ignores it.

Under Dempster's rule, the likelihood model has a lower error rate than the Bayesian one in (c), as
the paper says. In (b) it gains 1.3 points on australian and loses 0.8 on adult; in (a) it loses on
all three.
"""

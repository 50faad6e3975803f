"""What is said on the page of Naeini's study on simulated data."""

__all__ = ["COMMENT", "PROTOCOL"]

PROTOCOL = (
    "**Samples.** New ones in each round. The thesis shows both problems as pictures only. "
    "*Circular* is as the author's own 2000 samples, which come with his program: angles are "
    "even, radii are even over [0, 2] in class 0 and over [2, 4] in class 1, both classes are "
    "equally frequent. Of *XOR* nothing but the picture is given: here four clouds of standard "
    "deviation 1 around (±2, ±2), of which the best rule errs in 4.4 %, as the SVM of table 15 "
    "(b) with 4 %.",
    "**Classifiers.** The thesis names linear, quadratic and RBF kernels and no options. Here they "
    "are those of the author's program: features are standardized, C = 1, the quadratic kernel is "
    "(1 + x'z)², the RBF has width 1, and calibrators see 1 / (1 + exp(-margin)). On the author's "
    "own samples both machines then have all five numbers of the output that is published with his "
    "program, to 0.001. Logistic regression is not regularized.",
    "**Calibrators.** As described in the thesis, with the options of the package: a boxcar kernel "
    "(KDE), the K2 score (SBB, ABB), BDeu with his program's strength (BBQ). The number of bins "
    "of histogram binning is given for table 26 only, as the cube root of the number of samples; "
    "this is taken, rounded down, everywhere. ACP needs an interval for each prediction, and how "
    "to get one is not said; here it is that of a logistic regression on the score.",
    "**Measures.** ECE and MCE are over ten bins of equally many test samples. The thesis does not "
    "say what becomes of equal predictions at the border of bins. The author's program sorts by "
    "prediction and then *by label*, so that equal predictions are dealt out to bins negatives "
    "first: columns `ece_released` and `mce_released`, beside which the printed numbers are put. "
    "In `ece` and `mce` equal predictions stay in one bin.",
    "**Rounds.** Table 26 is of means over 10 samples, figures 16 to 19 over 30. All other tables "
    "are of one sample, as it seems, those of section 4.3 in ten folds; so the printed numbers "
    "have the chance of a single sample. Here all are means over 30 samples. With `others` in the "
    "column `design`, calibration samples are not those that trained the classifier.",
    "**Table 5** is not legible in all cells in the copy at hand; those are left out.",
)

COMMENT = ""

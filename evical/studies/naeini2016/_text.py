"""Protocol and conclusions of Naeini's study on simulated data, in words."""

__all__ = ["COMMENT", "PROTOCOL"]

PROTOCOL = (
    "**Samples.** New ones in each repeat. The thesis shows both problems as pictures only. "
    "*Circular* is as the author's own 2000 samples, which come with his program: angles are "
    "even, radii are even over [0, 2] in class 0 and over [2, 4] in class 1, both classes are "
    "equally frequent. For *XOR* there is only the picture: here four clouds of standard "
    "deviation 1 around (±2, ±2). The best possible error rate is 4.4 %, close to the 4 % of the "
    "SVM in table 15 (b).",
    "**Classifiers.** The thesis names linear, quadratic and RBF kernels and no options. Here "
    "they are those of the author's program: features are standardized, C = 1, the quadratic "
    "kernel is (1 + x'z)², the RBF has width 1, and calibrators see 1 / (1 + exp(-margin)). On "
    "the author's own samples both machines then reproduce all five numbers of the output "
    "published with his program, to 0.001. Logistic regression is not regularized.",
    "**Calibrators.** As described in the thesis, with the options of the package: a boxcar "
    "kernel (KDE), the K2 score (SBB, ABB), BDeu with his program's strength (BBQ). The number of "
    "bins of histogram binning is given for table 26 only, as the cube root of the number of "
    "samples; it is used everywhere, rounded to the nearest integer (which matters for a hundred "
    "samples, and was kept after seeing table 26). ACP needs an interval for each prediction, and "
    "the thesis does not say how to get one; here it is that of a logistic regression on the "
    "score.",
    "**Measures.** ECE and MCE are over ten bins of equally many test samples. The thesis does "
    "not say how equal predictions at the border of bins are treated. The author's program sorts "
    "by prediction and then *by label*, so equal predictions are distributed to bins with "
    "negatives first: columns `ece_released` and `mce_released`, next to the printed numbers. In "
    "`ece` and `mce` equal predictions stay in one bin.",
    "**Repeats.** Table 26 is of means over 10 samples, figures 16 to 19 over 30. All other tables "
    "seem to be from one sample, those of section 4.3 in ten folds; so the printed numbers have "
    "the random error of a single sample. Here all are means over 30 samples. `others` in the "
    "column `design` means that calibration samples differ from training samples.",
    "Some cells of **Table 5** are illegible in our copy and are left out.",
)

COMMENT = """\
### What agrees

* **The classifiers are the author's own**: on his samples the linear and the quadratic machine have
  all five numbers that his program prints, to 0.001 (tested). On new samples, nearly all results
  for calibrated probabilities in tables 3, 7, 14 and 15 agree with the printed ones within the
  random error of one sample, for both problems, although XOR had to be guessed.
* **If no line separates the classes**, isotonic regression and Platt's method cannot help a linear
  score, as the thesis says; all others raise the AUC from 0.50 to 0.82 or more. It hardly matters
  which of them: on the circular problem RMSE are between 0.386 (KDE, ELiTE) and 0.396 (bins).
* **If the kernel fits**, BBQ and ENIR are as good as isotonic regression, to 0.005 of RMSE.
* ABB is better than SBB; ELiTE and KDE are better than BBQ with up to 100 calibration samples;
  more samples lower the errors of bins steadily.

### What differs

* **The calibration errors of isotonic regression are an artifact.** The printed 0.35 (ECE) and 0.60
  (MCE) of isotonic regression on linear scores are 0.33 and 0.60 here, if computed as the author's
  program does. It sorts samples by prediction and then by *label*, before it cuts ten bins.
  Isotonic regression has a few large groups of equal predictions, and each is distributed with
  negatives first, so even correct probabilities seem far off. With equal predictions in one bin,
  its ECE is 0.022 (circular) and 0.025 (XOR), as low as that of any other method. What it lacks
  there is discrimination (AUC 0.65), not calibration. Printed ECE and MCE of SBB and of histogram
  binning suffer in the same way: SBB has 0.17 by the program, 0.03 with ties together. KDE, DPM and
  ELiTE, which have no ties, look better in comparison. RMSE and AUC are not affected, and the
  ranking by RMSE holds.
* **MCE of the quadratic kernel is the reverse**: with ties together, the middle bins have few
  samples, so single samples decide (isotonic regression has 0.23, by the program 0.02). Choose a
  method by neither number; with so few samples between the classes, use RMSE.
* **Scores without calibration** are less confident in print where the kernel fits (RMSE 0.21 and
  0.30, here 0.12 and 0.22), and in tables 3, 7 and 26 on the linear score too (MCE 0.52 and ACC
  0.48, here 0.81 and 0.63, in table 14 0.78 and 0.64). On the author's samples, C between 0.03 and
  0.1 instead of 1 gives RMSE 0.21. So the tables were most likely made with options other than
  those of the published program.
* **Platt's method** on the quadratic score has 0.19 (RMSE) and 0.15 (ECE) in print, hardly better
  than the score itself with 0.21 and 0.14; here it has 0.07 and 0.01. Our fit is the maximum of the
  likelihood; the printed fit looks as if it was stopped early. The thesis's criticism of Platt's
  method holds for linear scores, not for this one.
* **Table 7's BBQ** on the linear score has the five printed numbers of KDE in table 3, and not
  those of BBQ in table 14, with which ours agree. It seems that two columns were confused.
* **Table 5**: except for ACP, AUC, ACC and RMSE agree within the random error of one sample. On
  XOR, logistic regression finds a diagonal or a side of the square by chance; the printed sample
  was a lucky one (AUC 0.94 with ABB, here 0.79 ± 0.14 between samples; a diagonal has 0.956).
  Printed ECE and MCE do not seem to come from the same bins (0.171 with 0.540, here 0.283 with
  0.545). Bins of equal width give neither, because all predictions are near 1/2 (on the circular
  problem about 0.02 for both).
* **ACP** needs intervals of the predictions from the model itself. By default, `AdaptiveCalibrator`
  uses those of a regression on the score, which cover all scores if the slope is zero: AUC 0.55 and
  0.67, printed 0.95 and 0.85. Give it intervals, or do not use it for scores of that kind.
* **Table 26** agrees from 1000 samples on, except for some MCE. With 100 samples and a fitting
  kernel, an odd number of bins has both classes in the middle bin and an even number has not, so
  errors depend on how the root of 4.6 is rounded: MCE are 0.49 with five bins, 0.09 with four,
  printed 0.14. Rounding to the nearest was kept after seeing this table, so its agreement is not
  independent evidence.

### Advice

If scores may not rank well (a simple classifier, a part of the data), use ELiTE or KDE: from 50
samples on, no other method of figures 16 to 19 has a lower RMSE on a linear score, and the two
differ by at most 0.003. If scores rank well, ELiTE is best or within 0.004 of the best from 50
samples on; with separate calibration samples, isotonic regression and ENIR come within 0.007 of it,
and KDE is behind them from 500 samples on. [ELiTE is the slowest](../calibrator_speed.md) of these.
Do not compare calibrators by ECE or MCE alone; if you do, say how ties are binned. Look at RMSE (or
log loss) and AUC first: even a constant may be calibrated.
"""

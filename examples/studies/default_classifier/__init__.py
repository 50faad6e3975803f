"""What `EvidentialClassifier` gives without a choice, beside scikit-learn's calibration."""

"""What `EvidentialClassifier` and `EvidentialEnsemble` are made of."""

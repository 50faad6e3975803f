"""What can take the place of scikit-learn's deprecated ``SVC(probability=True)``."""

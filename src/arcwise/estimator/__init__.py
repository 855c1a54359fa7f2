"""arcwise as an estimator of scikit-learn, the extra `sklearn`."""
